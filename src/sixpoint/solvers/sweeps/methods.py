"""Methods that sweep over joints, one after the other: CCD and FABRIK.

On people the root is placed as in sequential IK. Then the spine is swept, then each clavicle with
its arm, then the legs, each from its pose in the frame before and until its own end effector is
near.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..articulated.model import Model
from ..articulated.parts import person_parts, whole_part
from ..articulated.plan import IterativeSettings, articulated_plan
from ..base import Capabilities, Solver
from ..people.plan import PersonSettings
from ..plan import Plan
from ..problem import Problem
from ..settings import Number
from .sweep import CCD, FABRIK, Sweeps, new_sweeps, solve_people, solve_skeletons

LONGEST_STRIDE = 64.0
"""Most that a sweep is gone on at once."""


@dataclass(frozen=True, kw_only=True)
class SweepingSolver(IterativeSettings, PersonSettings, Solver):
    """Settings of methods of this kind; lengths are parts of the skeleton's size."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    solve_people = solve_people
    solve_skeletons = solve_skeletons
    method: ClassVar[int]
    """Which sweep, as in `sweep`."""

    stride: bool | None = None
    """After each sweep, go on the way that it went as long as that helps. Unfolds long chains many
    times faster. Default: not for people by six points, as published; for other skeletons."""

    def numbers(self) -> dict[str, Number]:
        """Return the settings for people as numbers."""
        return {
            "method": self.method,
            "start": super().numbers()["start"],
            "longest_stride": LONGEST_STRIDE if self.stride else 0.0,
        }

    def skeleton_settings(self, model: Model) -> dict[str, Number]:
        """Return the settings for another skeleton as numbers."""
        stride = 0.0 if self.stride is False else LONGEST_STRIDE
        return super().skeleton_settings(model) | {"longest_stride": stride}

    def person_scratch(self, model: Model) -> Sweeps:
        """Return scratch memory for the five parts of a person."""
        return new_sweeps(model, person_parts(model))

    def skeleton_scratch(self, model: Model) -> Sweeps:
        """Return scratch memory for a skeleton as one part."""
        return new_sweeps(model, whole_part(model))

    def plan(self, problem: Problem) -> Plan:
        """Return the tables and the kernel for one skeleton."""
        return articulated_plan(self, problem)


@dataclass(frozen=True, kw_only=True)
class CCDSolver(SweepingSolver):
    """Settings of cyclic coordinate descent: one joint after the other turns to the target.

    Wang and Chen, "A combined optimization method for solving the inverse kinematics problem of
    mechanical manipulators", IEEE Transactions on Robotics and Automation 7 (1991), as Unzueta et
    al. 2008, section 9, compare with it. With several end effectors a joint takes the rotation that
    brings them nearest to their targets together.

    **Good at** being simple and quick: it needs no matrix, and knows no singular poses. **Bad at**
    looking natural: joints near the end effector do most of the work, so spines curl at the neck
    like snakes, and since every frame starts from the last, limbs turn about themselves more and
    more.
    """

    name: ClassVar[str] = "ccd"
    title: ClassVar[str] = "Cyclic coordinate descent"
    method: ClassVar[int] = CCD


@dataclass(frozen=True, kw_only=True)
class FABRIKSolver(SweepingSolver):
    """Settings of FABRIK: forward and backward reaching along chains of positions.

    Aristidou and Lasenby, "FABRIK: a fast, iterative solver for the inverse kinematics problem",
    Graphical Models 73 (2011).
    """

    name: ClassVar[str] = "fabrik"
    title: ClassVar[str] = "Forward and backward reaching"
    method: ClassVar[int] = FABRIK
