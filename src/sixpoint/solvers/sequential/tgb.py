"""TGBSIK: trunk and clavicles of sequential IK, limbs with the swivel of least rotation.

The method of Tolani, Goswami and Badler for limbs ("Real-time inverse kinematics techniques for
anthropomorphic limbs", Graphical Models 62, 2000) in the body of sequential IK, as the SIK paper
compares it (section 9). Elbow or knee may lie anywhere on a circle; the position is taken at which
shoulder or hip swings and twists least.

**Good at** staying far from the limits of shoulder and hip. **Bad at** steadiness: the best of two
positions far apart may change from one frame to the next, and elbow or knee jumps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_conj,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
)
from ...kernels.types import Floats, Quat
from ...kernels.vector import vec_store
from ..base import Capabilities, Solver
from ..context import Frames
from ..people.plan import PersonSettings
from ..people.points import begin_frame, known_rotation
from ..people.tables import HEAD, LIMB_ROWS, LIMBS, PELVIS
from ..problem import Problem
from ..settings import Interval
from ..start import check_prior, start_solver
from .context import Context, sequential_kernel
from .limb import SEARCH
from .plan import SequentialPlan
from .pose import finish_frame
from .sik import SequentialSolver
from .swivel import solve_limbs
from .trunk import solve_trunk


@dataclass(frozen=True, kw_only=True)
class TGBSolver(PersonSettings, Solver):
    """Settings of TGBSIK; its trunk is that of `SequentialSolver` with the default settings."""

    name: ClassVar[str] = "tgbsik"
    title: ClassVar[str] = "Sequential IK, searched swivels"
    capabilities: ClassVar[Capabilities] = SequentialSolver.capabilities

    twist_weight: Annotated[float, Interval(0.0, 1e6)] = 1.0
    """What a twist of shoulder or hip costs, where a swing costs 1 (both squared)."""
    prior_weight: Annotated[float, Interval(0.0, 1e6)] = 0.0
    """What it costs to swivel away from where the guided solver has elbow or knee (also squared);
    0, as published: nothing."""
    prior: str = ""
    """File of the guided solver's model, for a `prior_weight`; empty for the one built in."""

    def check(self) -> None:
        """Refuse a model that nobody would read."""
        check_prior(self, self.prior, self.prior_weight > 0.0, "prior_weight=1")

    def plan(self, problem: Problem) -> SequentialPlan:
        """Return the tables and the kernel for one person."""
        numbers = {**SequentialSolver().numbers(), **self.numbers(), "swivel": SEARCH}
        first = start_solver("guided", self, self.prior) if self.prior_weight > 0.0 else None
        return SequentialPlan(self, problem, solve_frames, numbers, first)


@helper
def read_row(c: Context, rotations: Floats, row: int) -> Quat:
    """Local anatomical rotation of a row in a pose of the rig (J, 4)."""
    joint = c.body.rig[row]
    if joint < 0:
        return (1.0, 0.0, 0.0, 0.0)
    local = quat_mul(quat_conj(quat_load(c.body.before, row)), quat_load(rotations, joint))
    return quat_normalize(quat_mul(local, quat_conj(quat_load(c.body.after, row))))


@helper
def read_hinges(c: Context, rotations: Floats) -> None:
    """World hinge axes of the limbs in a pose of the rig (J, 4), into `work.hinges`."""
    body, work = c.body, c.work
    below = read_row(c, rotations, PELVIS)
    quat_store(work.world, PELVIS, below)
    if body.lumbar >= 0:
        below = quat_mul(below, read_row(c, rotations, body.lumbar))
    for k in range(1, body.joints):
        below = quat_mul(below, read_row(c, rotations, k))
        quat_store(work.world, k, below)
    for limb in range(LIMBS):
        clavicle = body.joints + LIMB_ROWS * limb
        world = quat_load(work.world, body.carrier[limb])
        world = quat_mul(world, read_row(c, rotations, clavicle))
        world = quat_mul(world, read_row(c, rotations, clavicle + 1))
        vec_store(work.hinges, limb, quat_rotate(world, (1.0, 0.0, 0.0)))


def solve_frame(c: Context, frames: Frames, frame: int) -> None:
    """Solve one frame of TGBSIK."""
    if c.settings.prior_weight > 0.0:
        read_hinges(c, frames.start.rotations[frame])
    flags, estimate = begin_frame(c, frames, frame)
    _, fixed = known_rotation(frames.rotations[frame], PELVIS)
    head, has_head = known_rotation(frames.rotations[frame], HEAD)
    steps, more = solve_trunk(c, estimate, fixed, head, has_head)
    flags |= more | solve_limbs(c, estimate)
    finish_frame(c, frames, frame, estimate, steps, flags)


solve_frames = sequential_kernel(solve_frame)
