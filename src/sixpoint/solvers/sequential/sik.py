"""Sequential IK: a whole body from six positions, part by part.

Unzueta, Peinado, Boulic and Suescun, "Full-body performance animation with Sequential Inverse
Kinematics", Graphical Models 70 (2008), Algorithm 1. Root, spine, legs, clavicles and arms are
solved in this order, each in closed form or by a short search, within joint limits. No motion
database, no Jacobian, no history in the limbs.

**Good at** speed (microseconds a frame), natural swivels of unremarkable motion, never breaking a
limit. **Bad at** what six positions do not tell: how the pelvis is turned about the spine, an elbow
raised sideways, the twist between pelvis and chest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...kernels.vector import vec_load
from ..base import Capabilities, Solver
from ..context import Frames
from ..people.plan import PersonSettings, begin_frame
from ..people.tables import FIRST_LIMB, LIMBS
from ..problem import Problem
from ..settings import Fraction
from .limb import finish_frame, solve_limb
from .plan import Context, SequentialPlan, sequential_kernel
from .trunk import solve_known_trunk


@dataclass(frozen=True, kw_only=True)
class SequentialSolver(PersonSettings, Solver):
    """Settings of sequential IK. The defaults are the paper's method with its errata corrected."""

    name: ClassVar[str] = "sik"
    title: ClassVar[str] = "Sequential IK"
    capabilities: ClassVar[Capabilities] = Capabilities()

    bend: Literal["sagittal", "chord", "vertical", "previous"] = "sagittal"
    """Plane in which the spine bends: forwards and backwards of the estimated pelvis; the plane of
    the neutral and the wanted chord; of the vertical and the wanted chord; of the chord of the
    frame before and the wanted one (the paper's words)."""
    spine_mode: Literal["restart", "incremental"] = "restart"
    """Search the bend of the spine from the neutral shape, or from the frame before (literal)."""
    spine_search: Literal["exact", "two-phase"] = "exact"
    """Close in on the exact length of the spine, or stop after the coarse and fine steps of 0.1 and
    0.01 rad, a few millimetres off (literal)."""
    clavicle: Literal["rest", "hold"] = "rest"
    """Start each frame from the clavicle's rest, or from the frame before (literal)."""
    clavicle_relax: Fraction = 0.1
    """With `clavicle="hold"`: part of the way back to rest in each frame."""
    swivel: Literal["neutral", "search"] = "neutral"
    """Where limits keep a limb from its target: accept the miss (the paper), or look for another
    swivel of the elbow or knee that reaches within the limits."""
    feet: Literal["neutral", "level"] = "neutral"
    """What no point tells: feet straight below the shanks, or soles level with the ground (Y up) as
    far as ankles go."""
    collisions: bool = False
    """Push elbows out of the torso."""
    retwist: bool = False
    """Give the pelvis its estimated X axis back after the spine is aligned."""
    overhead_hysteresis: bool = False
    """Within 5 degrees of straight up, swing the limb about the axis of the frame before."""
    project_previous: bool = True
    """Project the X axis of the frame before like the other two (False: literal)."""

    def plan(self, problem: Problem) -> SequentialPlan:
        """Return the tables and the kernel for one person."""
        return SequentialPlan(self, problem, solve_frames)


def solve_frame(c: Context, frames: Frames, frame: int) -> None:
    """Solve one frame of sequential IK."""
    flags, estimate = begin_frame(c, frames, frame)
    steps, more = solve_known_trunk(c, frames, frame, estimate)
    flags |= more
    for limb in range(LIMBS):
        flags |= solve_limb(c, limb, vec_load(c.work.points, FIRST_LIMB + limb))
    finish_frame(c, frames, frame, estimate, steps, flags)


solve_frames = sequential_kernel(solve_frame)
