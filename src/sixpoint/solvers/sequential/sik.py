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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from ...kernels.vector import vec_load
from ..base import Capabilities, Solver
from ..context import Frames
from ..people.plan import PersonSettings, begin_frame
from ..people.tables import FIRST_LIMB, LIMBS
from ..problem import Problem
from ..settings import Fraction, Number, numbers_of
from .limb import SEARCH, finish_frame
from .plan import Context, SequentialPlan, sequential_kernel
from .swivel import solve_limb
from .trunk import solve_known_trunk

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "best": {"bend": "lean", "swivel": "search", "feet": "level"},
    "paper": {"bend": "sagittal", "swivel": "neutral", "feet": "neutral"},
}
"""What a variant sets where the user does not."""


@dataclass(frozen=True, kw_only=True)
class SequentialSolver(PersonSettings, Solver):
    """Settings of sequential IK. The defaults are our best; `variant="paper"` is as published."""

    name: ClassVar[str] = "sik"
    title: ClassVar[str] = "Sequential IK"
    capabilities: ClassVar[Capabilities] = Capabilities()

    variant: Literal["best", "paper"] = "best"
    """What settings that are not given stand for: our best, or the method of the paper, with
    `bend="sagittal"`, `swivel="neutral"` and `feet="neutral"`. Settings that are given win."""
    bend: Literal["lean", "sagittal", "previous"] | None = None
    """Plane in which the spine bends: that in which the trunk leans away from the legs, sideways,
    too ("best"); forwards of the estimated pelvis ("paper"); or that of the chord of the frame
    before and the wanted one (the paper's words, which let the plane flip)."""
    spine_mode: Literal["restart", "incremental"] = "restart"
    """Search the bend of the spine from the neutral shape, or from the frame before (literal)."""
    spine_search: Literal["exact", "two-phase"] = "exact"
    """Close in on the exact length of the spine, or stop after the coarse and fine steps of 0.1 and
    0.01 rad, a few millimetres off (literal)."""
    clavicle: Literal["rest", "hold"] = "rest"
    """Start each frame from the clavicle's rest, or from the frame before (literal)."""
    clavicle_relax: Fraction = 0.1
    """With `clavicle="hold"`: part of the way back to rest in each frame."""
    swivel: Literal["neutral", "search"] | None = None
    """Where limits keep a limb from its target: look for another swivel of the elbow or knee that
    reaches within the limits ("best"), or accept the miss ("paper")."""
    feet: Literal["neutral", "level"] | None = None
    """What no point tells: soles level with the ground (Y up) as far as ankles go ("best"), or feet
    straight below the shanks ("paper")."""
    collisions: bool = False
    """Push elbows out of the torso."""
    project_previous: bool = True
    """Project the X axis of the frame before like the other two (False: literal)."""

    def numbers(self) -> dict[str, Number]:
        """Return the settings as numbers; the variant says what was not given."""
        preset = PRESETS[self.variant]
        missing = {name: preset[name] for name in preset if getattr(self, name) is None}
        return numbers_of(replace(self, **missing))

    @property
    def seeks_within_limits(self) -> bool:
        """See `Solver`."""
        return self.numbers()["swivel"] == SEARCH

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
