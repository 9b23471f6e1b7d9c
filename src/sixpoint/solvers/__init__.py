"""How points become poses: a package for each family of methods, one table of them all."""

from __future__ import annotations

from .base import Capabilities, Solver
from .jacobian.balance import BalanceSolver
from .jacobian.damped import (
    DampedSolver,
    DampedSvdSolver,
    PseudoinverseSolver,
    SelectivelyDampedSolver,
    TransposeSolver,
)
from .jacobian.priority import PrioritizedSolver
from .particles.methods import MonteCarloSolver
from .particles.stream import ParticleStream
from .problem import LimitsChoice
from .registry import SOLVERS, solver
from .sequential.analytic import AnalyticUpperSolver
from .sequential.guided import GuidedSolver
from .sequential.kma import KMASolver
from .sequential.sik import SequentialSolver
from .sequential.tgb import TGBSolver
from .solution import Report, Result, Solution, StopReason
from .springs.batch import ChainBatch, solve_batch, solve_positions
from .springs.expression import Expression, express
from .springs.methods import SpringForceSolver, SpringPositionSolver
from .sweeps.methods import CCDSolver, FABRIKSolver
from .tracker import Tracker

__all__ = [
    "SOLVERS",
    "AnalyticUpperSolver",
    "BalanceSolver",
    "CCDSolver",
    "Capabilities",
    "ChainBatch",
    "DampedSolver",
    "DampedSvdSolver",
    "Expression",
    "FABRIKSolver",
    "GuidedSolver",
    "KMASolver",
    "LimitsChoice",
    "MonteCarloSolver",
    "ParticleStream",
    "PrioritizedSolver",
    "PseudoinverseSolver",
    "Report",
    "Result",
    "SelectivelyDampedSolver",
    "SequentialSolver",
    "Solution",
    "Solver",
    "SpringForceSolver",
    "SpringPositionSolver",
    "StopReason",
    "TGBSolver",
    "Tracker",
    "TransposeSolver",
    "express",
    "solve_batch",
    "solve_positions",
    "solver",
]
