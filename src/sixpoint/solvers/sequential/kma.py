"""KMA: the spine by cyclic coordinate descent, limbs in closed form at a fixed swivel.

Kulpa, Multon and Arnaldi, "Morphology-independent representation of motions for interactive
human-like animation", Computer Graphics Forum 24 (2005), as adapted to six points by the SIK paper
(section 9). In each frame the standing pose is placed at the pelvis, the spine is swept until the
head is near, and elbows and knees point where the pelvis says: down, or ahead.

The pelvis keeps its rotation. Each joint in turn, from the one below the head down to the one above
the pelvis, swings the head towards its target as far as its limits let it. After each sweep the
error that remains is shared evenly by pelvis and head.

**Good at** unremarkable arms and legs, and at not drifting: nothing is remembered but where the
pelvis faces. **Bad at** reaching far (clavicles rest), at limbs that limits hold (what they cost is
not made up for), and where a limb passes its reference: elbows and knees jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Quat, Vec3
from ...kernels.vector import vec_add, vec_length, vec_load, vec_scale, vec_sub
from ..articulated.joint_rotation import swing_joint
from ..base import Capabilities, Solver
from ..context import OUT_OF_STEPS, SPINE_LIMITED, SPINE_STRETCHED, Frames
from ..people.plan import PAPER_HEIGHT, TOLERANCE, PersonSettings, begin_frame, known_rotation
from ..people.tables import HEAD, PELVIS, STRETCH_SAMPLES
from ..problem import Problem
from ..settings import Count, Fraction
from .limb import FIXED, IDENTITY, NEUTRAL, finish_frame
from .plan import Context, SequentialPlan, sequential_kernel
from .sik import SequentialSolver
from .tgb import solve_limbs
from .trunk import hang_pelvis, spine_forward, spine_share, spine_twist


@dataclass(frozen=True, kw_only=True)
class KMASolver(PersonSettings, Solver):
    """Settings of KMA: the stop rule of its spine."""

    name: ClassVar[str] = "kma"
    title: ClassVar[str] = "Kulpa-Multon-Arnaldi"
    capabilities: ClassVar[Capabilities] = Capabilities(exact=False)

    iterations: Count = 20
    """Most sweeps in a frame."""
    tolerance: Fraction = 0.01 / PAPER_HEIGHT
    """Points nearer than this part of the body height are met (1 cm on a body of 1.83 m)."""
    least_gain: Fraction = 0.001 / PAPER_HEIGHT
    """A sweep that brings less than this part of the body height is the last (1 mm)."""

    @property
    def closeness(self) -> float:
        """What is near enough to end the sweeps is met."""
        return max(TOLERANCE, self.tolerance)

    def plan(self, problem: Problem) -> SequentialPlan:
        """Return the tables and the kernel for one person."""
        trunk = SequentialSolver().numbers()
        return SequentialPlan(self, problem, solve_frames, {**trunk, "clavicle": FIXED})


@helper
def stand_spine(c: Context, pelvis: Quat, head: Quat, has_head: bool) -> None:
    """The standing pose in `trial`, on a pelvis turned so.

    Where the rotation of the head is known, the turn between the two is shared beforehand:
    cyclic coordinate descent does not twist.
    """
    body, limits, work = c.body, c.limits, c.work
    quat_store(work.trial, 0, pelvis)
    for k in range(1, body.joints):
        quat_store(work.trial, k, limit_project(limits, k, IDENTITY))
    if has_head:
        spine_twist(c, pelvis, 0, head)


@helper
def lean_on(c: Context, pelvis: Quat) -> Quat:
    """Loins on a pelvis that is turned so, leaning as far as they can to where the head shall be.

    An estimated pelvis leans like that by itself.
    """
    body, limits, work = c.body, c.limits, c.work
    goal = vec_sub(vec_load(work.points, HEAD), vec_load(work.points, PELVIS))
    chord = (0.0, 0.0, 0.0)
    for k in range(body.joints - 1):
        chord = vec_add(chord, vec_load(body.segments, k))
    lean = rotation_between(chord, quat_unrotate(pelvis, goal), (1.0, 0.0, 0.0))
    return limit_project(limits, body.lumbar, lean)


@helper
def turn_head(c: Context, head: Quat) -> None:
    """Give the head a rotation in the world, as far as the spine's last joint can."""
    body, limits, work = c.body, c.limits, c.work
    last = body.joints - 1
    below = quat_load(work.world, last - 1)
    local = limit_project(limits, last, quat_mul(quat_conj(below), head))
    quat_store(work.local, last, local)
    quat_store(work.world, last, quat_mul(below, local))


@helper
def spine_sweep(c: Context, goal: Vec3) -> bool:
    """One sweep from the head down, after `spine_forward`; whether a limit was felt.

    The goal is the head's, as seen from the pelvis. A joint does not move those below it, so what
    `spine_forward` found for them stays true: the sweep costs no more than one pass.
    """
    body, limits, work = c.body, c.limits, c.work
    limited = False
    reach = (0.0, 0.0, 0.0)  # from joint k to the head, in the frame of joint k
    for k in range(body.joints - 2, 0, -1):
        reach = vec_add(vec_load(body.segments, k), reach)
        local = quat_load(work.trial, k)
        below = quat_load(work.world, k - 1)
        wanted = quat_unrotate(below, vec_sub(goal, vec_load(work.places, k)))
        held, felt = swing_joint(limits, k, local, quat_rotate(local, reach), wanted)
        limited = limited or felt
        quat_store(work.trial, k, held)
        reach = quat_rotate(held, reach)
    return limited


@helper
def solve_spine_ccd(c: Context) -> tuple[int, int]:
    """Sweep from the spine in `trial` until its ends are near; fills local, world and places.

    The first rotation of `trial` is the pelvis's in the world, and stays. Stop rule: both ends near
    enough, too little gained by a sweep, or the budget spent. Returns sweeps, and flags.
    """
    body, settings, work = c.body, c.settings, c.work
    goal = vec_sub(vec_load(work.points, HEAD), vec_load(work.points, PELVIS))
    near = settings.tolerance * body.height
    missing = vec_sub(goal, spine_forward(c, (0.0, 0.0, 0.0)))
    shift = (0.0, 0.0, 0.0)  # the pelvis is at its target, and the head has all of the error
    error = vec_length(missing)
    steps = 0
    limited, gaining = False, True
    while error > near and gaining and steps < settings.iterations:
        limited = spine_sweep(c, vec_sub(goal, shift))
        missing = vec_sub(goal, spine_forward(c, (0.0, 0.0, 0.0)))
        shift = vec_scale(missing, 0.5)
        gaining = error - vec_length(shift) > settings.least_gain * body.height
        error = vec_length(shift)
        steps += 1
    flags = 0
    if error > near:
        if gaining:
            flags |= OUT_OF_STEPS
        if vec_length(goal) > body.stretch_lengths[0, STRETCH_SAMPLES - 1]:
            flags |= SPINE_STRETCHED
        elif limited:
            flags |= SPINE_LIMITED
    spine_share(c)
    return steps, flags


def solve_frame(c: Context, frames: Frames, frame: int) -> None:
    """Solve one frame of KMA, starting from the standing pose."""
    flags, estimate = begin_frame(c, frames, frame)
    head, has_head = known_rotation(frames.rotations[frame], HEAD)
    _, fixed = known_rotation(frames.rotations[frame], PELVIS)
    apart = fixed and c.body.lumbar >= 0
    loins = lean_on(c, estimate) if apart else IDENTITY
    stand_spine(c, quat_mul(estimate, loins), head, has_head)
    steps, more = solve_spine_ccd(c)
    flags |= more
    if apart:
        hang_pelvis(c, loins)
    if has_head:
        turn_head(c, head)
    flags |= solve_limbs(c, estimate, NEUTRAL)
    finish_frame(c, frames, frame, estimate, steps, flags)


solve_frames = sequential_kernel(solve_frame)
