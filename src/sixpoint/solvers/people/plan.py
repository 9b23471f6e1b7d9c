"""People by their six points: settings, how answers are judged, and points that are not seen.

A lost wrist, ankle or head keeps its position relative to the pelvis, so that a person who walks or
turns takes it along; with `missing="predict"` it also moves on with its last speed for a moment. A
lost pelvis moves with the head, or with the mean of what is seen. When a point is seen again, its
target starts where the guess was and eases to the measurement: after a long gap slowly, after a
blink at once.

A guess is no evidence of where the pelvis faces: it goes where the pelvis goes, and would turn it
round and round. Only lines that were measured count; without one of them the pelvis turns slowly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from ...body.skeleton import Skeleton
from ...errors import InputError
from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_from_axis_angle,
    quat_from_columns,
    quat_load,
    quat_rotate,
    quat_unrotate,
)
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
    as3,
    vec_add,
    vec_cross,
    vec_distance,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ...motion.motion import Motion
from ...motion.points import SIX
from ...motion.pose import Pose
from .. import context as bits
from ..context import MISSING, RECOVERING, Frames, Output, RecordArray
from ..plan import Plan, Status
from ..problem import Problem
from ..settings import Interval, Number, Weights, settings_record
from ..solution import StopReason
from .body import build_body, held_rest, new_state, new_work
from .tables import FIRST_LIMB, HEAD, LIMBS, LONG_AGO, PELVIS, PREDICT, PersonContext

PAPER_HEIGHT = 1.83
"""Height of the figures of Unzueta et al. 2008, on which its centimetres are measured [m]."""
TOLERANCE = 1e-3
"""A point nearer to its target than this part of the body height is met, to exact solvers."""
MISSED = 1e-3
"""A limb farther from its target than this has missed it [m]."""
DOUBTFUL = 0.1
"""Points this part of the body height away from theirs on average cannot be this body's."""
PREDICTION_TIME = 0.075
"""Time in which the speed of a point that is predicted falls to a third [s]."""
LONE_LINE_TIME = 1.0
"""Time in which the pelvis turns to the one line that is seen, wrists or ankles [s]: alone it
swings too much to be followed at once."""
FASTEST_TURN = math.radians(1200.0)
"""People turn no faster than this [rad/s]; a pirouette has about 1000 degrees a second."""
EASE_OVER_GAP = 2.0
"""A point eases back in this many times as long as it was lost, `recovery` at most."""
PARALLEL = 1e-6
"""A direction whose part across the axis is shorter than this says nothing about it."""
OPPOSED = 1e-3
"""Directions that cancel to less than this part of their weights leave the axis open."""
FARTHEST = 1e9
"""A coordinate beyond this is no place on earth [m]: not seen, like NaN."""
ALL_MISSING = 63 * MISSING
REASONS = (
    (0xF * (bits.STALLED | bits.BLOCKED), StopReason.STALLED),
    (0xF * bits.UNREACHABLE | bits.SPINE_STRETCHED, StopReason.UNREACHABLE),
    (0xF * bits.LIMITED | bits.SPINE_LIMITED, StopReason.LIMITS_SATURATED),
    (bits.OUT_OF_STEPS, StopReason.MAX_ITERATIONS),
)
"""Flags that explain a miss, the gravest first."""


@dataclass(frozen=True, kw_only=True)
class PersonSettings:
    """Settings of all methods that reconstruct people from six points."""

    weights: Weights = (1.0, 1.0, 0.0)
    """How much the line between the wrists, the line between the ankles and the frame before decide
    where the pelvis faces. (1, 1, 0) suits fights and sports; (0.1, 0.1, 1) walking and climbing,
    where wrists and ankles swing against each other; a third weight that outweighs the others also
    prevents flips."""
    missing: Literal["hold", "predict"] = "hold"
    """Points that are not seen stay with the body, or also keep their speed for a moment."""
    recovery: Annotated[float, Interval(0.0, 60.0)] = 0.25
    """Time in which a point that is seen again eases to its position [s]."""

    @property
    def closeness(self) -> float:
        """A point nearer to its target than this part of the body height is met."""
        return TOLERANCE

    def person_numbers(self, rate: float) -> dict[str, Number]:
        """Return what the kernels of the six points read, times in frames."""
        return {
            "weights": self.weights,
            "missing": int(self.missing == "predict"),
            "recovery_frames": float(round(self.recovery * rate)),
            "fade": math.exp(-1.0 / (PREDICTION_TIME * rate)),  # rest of a speed after a frame
            "period": 1.0 / rate,  # time between frames [s]
            "follow": LONE_LINE_TIME * rate,  # frames in which the pelvis turns to the only line
            "turn": FASTEST_TURN / rate,  # most that the pelvis turns in a frame [rad]
        }


class PersonPlan(Plan):
    """A method for one person: the body as tables, and how answers are judged."""

    rotated = FIRST_LIMB  # of pelvis and head
    points: tuple[str, ...] = SIX

    def __init__(self, solver: Any, problem: Problem) -> None:
        super().__init__(solver, problem)
        if problem.tasks is not None:
            raise InputError(
                f"Expected a solver of any skeleton for `tasks`, got {solver.name!r}, which moves "
                "people by six points."
            )
        anatomy = problem.skeleton.anatomy
        self.body, rest = build_body(anatomy)
        self.rest = held_rest(problem.skeleton, problem.limits, rest)
        self.height = float(self.body[0].height)
        self._pelvis = anatomy.node("pelvis")
        self._tolerance = solver.closeness * self.height

    @property
    def needed(self) -> tuple[str, ...]:
        """Points that must be given; others may be absent."""
        return tuple(self.solver.needed)

    def numbers_of_method(self) -> Mapping[str, Number]:
        """Return what the kernel reads besides the times of `PersonSettings`."""
        return dict(self.solver.numbers())

    def new_settings(self, rate: float) -> RecordArray:
        """Return the settings as the kernel reads them."""
        person = self.solver.person_numbers(rate)
        return settings_record({"project_previous": True, **self.numbers_of_method(), **person})

    def new_body_tables(
        self, rate: float
    ) -> tuple[RecordArray, RecordArray, RecordArray, RecordArray]:
        """Return body, settings, state and scratch memory, which every context of a person has."""
        return self.body, self.new_settings(rate), new_state(), new_work()

    def begin_state(self, state: RecordArray, pose: Pose) -> None:
        """Take a pose for the answer to the frame before."""
        anatomy, pelvis = self.skeleton.anatomy, self._pelvis
        positions, world = pose.world()
        points = positions[[anatomy.node(name) for name in SIX]]
        rotation = arrays.multiply(world[pelvis], arrays.conjugate(anatomy.neutral[pelvis]))
        state["frames"] = 1
        state["points"] = points
        state["pelvis"] = rotation
        state["left"] = arrays.rotate(rotation, np.array((1.0, 0.0, 0.0)))
        state["held"] = arrays.rotate(arrays.conjugate(rotation), points - points[0])
        state["ages"] = LONG_AGO

    def begin(self, context: Any, pose: Pose) -> None:
        """Let a fresh context start from a pose."""
        self.begin_state(context.state, pose)

    def pose(self, out: Output) -> Pose:
        """Return the pose of the first frame, in arrays of its own."""
        root, moves = out.root[0].copy(), None
        if self._pelvis != 0:
            moves = self.skeleton.offsets.copy()
            moves[self._pelvis] = root
            root = moves[0]
        return unchecked_pose(self.skeleton, root, out.rotations[0].copy(), moves)

    def motion(self, out: Output, rate: float) -> Motion:
        """Return the motion of all frames."""
        if self._pelvis == 0:
            return Motion(self.skeleton, out.root, out.rotations, rate)
        moves = np.tile(self.skeleton.offsets, (len(out.root), 1, 1))
        moves[:, self._pelvis] = out.root
        return Motion(self.skeleton, moves[:, 0], out.rotations, rate, moves)

    def stop_reason(self, frames: Frames, frame: int) -> StopReason:
        """Say why the method stopped on a frame."""
        worst = np.fmax.reduce(frames.out.residuals[frame])  # NaN if nothing was seen
        if worst <= self._tolerance:
            return StopReason.CONVERGED
        flags = int(frames.out.flags[frame])
        return next((reason for bit, reason in REASONS if flags & bit), StopReason.STALLED)

    def missing(self, frames: Frames) -> tuple[str, ...]:
        """Return the points that were not seen in the first frame."""
        lost = int(frames.out.flags[0]) & ALL_MISSING
        return tuple(name for p, name in enumerate(SIX) if lost & MISSING << p) if lost else ()

    def status(self, frames: Frames) -> Status:
        """Say what happened to each point in each frame."""
        flags = frames.out.flags[:, None]
        limbs = np.arange(LIMBS)
        unreachable = np.zeros((len(flags), len(SIX)), np.bool_)
        limited, blocked, missed = (unreachable.copy() for _ in range(3))
        unreachable[:, FIRST_LIMB:] = flags & (bits.UNREACHABLE << limbs)
        limited[:, FIRST_LIMB:] = flags & (bits.LIMITED << limbs)
        blocked[:, FIRST_LIMB:] = flags & (bits.BLOCKED << limbs)
        far = frames.out.residuals[:, FIRST_LIMB : len(SIX)] > MISSED
        missed[:, FIRST_LIMB:] = far & ~unreachable[:, FIRST_LIMB:]
        unreachable[:, HEAD] = flags[:, 0] & bits.SPINE_STRETCHED
        limited[:, HEAD] = flags[:, 0] & bits.SPINE_LIMITED
        missing = (flags & (MISSING << np.arange(len(SIX)))) != 0
        return Status(unreachable, limited, blocked, missing, missed)

    def remarks(self, frames: Frames) -> list[str]:
        """Doubt points that are far from the body's in the whole clip."""
        residuals = frames.out.residuals
        mean = float(np.nanmean(residuals)) if np.isfinite(residuals).any() else 0.0
        if mean <= DOUBTFUL * self.skeleton.anatomy.height:
            return []
        return [
            f"points are {mean:.2f} m off on average: their unit, their upward axis or the body "
            "does not fit"
        ]


def unchecked_pose(
    skeleton: Skeleton, root: Floats, rotations: Floats, translations: Floats | None = None
) -> Pose:
    """Return a pose of arrays of its own, which a method has made: nothing is checked."""
    pose = Pose.__new__(Pose)
    put = object.__setattr__
    put(pose, "skeleton", skeleton)
    put(pose, "root", root)
    put(pose, "rotations", rotations)
    put(pose, "translations", translations)
    return pose


@helper
def flat_direction(v: Vec3, up: Vec3) -> tuple[Vec3, float]:
    """Unit direction of v across `up`, and 1; or zeros where v says nothing."""
    flat = vec_reject(v, up)
    length = vec_length(flat)
    if length < PARALLEL:
        return (0.0, 0.0, 0.0), 0.0
    return vec_scale(flat, 1.0 / length), 1.0


@helper
def pelvis_frame(c: PersonContext, points: Floats) -> Quat:
    """Estimated rotation of the pelvis: Unzueta et al. 2008, section 4.

    Y points to the head; X is the weighted mean of the line between the wrists, the line between
    the ankles and the X axis of the frame before, which is projected like the others unless the
    literal form is asked for.
    """
    settings, state = c.settings, c.state
    known = state.frames > 0
    previous = as3(state.left) if known else (1.0, 0.0, 0.0)
    up = vec_unit(vec_sub(vec_load(points, 1), vec_load(points, 0)), (0.0, 1.0, 0.0))
    wrists, has_wrists = flat_direction(vec_sub(vec_load(points, 2), vec_load(points, 3)), up)
    ankles, has_ankles = flat_direction(vec_sub(vec_load(points, 4), vec_load(points, 5)), up)
    before, has_before = flat_direction(previous, up)
    w1 = settings.weights[0] * has_wrists
    w2 = settings.weights[1] * has_ankles
    w3 = settings.weights[2] * has_before if known else 0.0
    third = before if settings.project_previous else previous
    total = vec_add(vec_add(vec_scale(wrists, w1), vec_scale(ankles, w2)), vec_scale(third, w3))
    total = vec_reject(total, up)
    if vec_length(total) > OPPOSED * (w1 + w2 + w3) and w1 + w2 + w3 > 0.0:
        left = vec_unit(total, before)
    elif has_before > 0.0:
        left = before
    else:  # straight along the axis of before: any direction across will do
        left = vec_unit(vec_reject((0.0, 0.0, 1.0), up), (0.0, 1.0, 0.0))
    return quat_from_columns((left, up, vec_cross(left, up)))


@helper
def is_place(v: Vec3) -> bool:
    """Whether a position was seen: no NaN, no infinity, nothing absurd."""
    return abs(v[0]) < FARTHEST and abs(v[1]) < FARTHEST and abs(v[2]) < FARTHEST


@helper
def last_pelvis(c: PersonContext) -> Quat:
    """World rotation of the pelvis in the frame before: what lost points turn with."""
    state = c.state
    return (state.pelvis[0], state.pelvis[1], state.pelvis[2], state.pelvis[3])


@helper
def easing(c: PersonContext, gap: float) -> float:
    """Frames in which to ease back after a gap of so many frames."""
    return float(min(c.settings.recovery_frames, EASE_OVER_GAP * gap))


@helper
def eased(c: PersonContext, p: int, here: Vec3, age: int) -> Vec3:
    """A place that was seen; for some frames a smooth step from the guess to it."""
    state = c.state
    if age >= state.eases[p]:
        return here
    x = (age + 1.0) / (state.eases[p] + 1.0)
    left = 1.0 - x * x * (3.0 - 2.0 * x)
    return vec_add(here, vec_scale(vec_load(state.corrections, p), left))


@helper
def guess_pelvis(c: PersonContext, seen: Floats) -> Vec3:
    """Where a pelvis that was not seen is likely to be."""
    body, state = c.body, c.state
    known = state.frames > 0
    moved, count = (0.0, 0.0, 0.0), 0
    for p in range(HEAD, seen.shape[0]):
        here = vec_load(seen, p)
        age = state.ages[p]
        if not is_place(here) or (known and age < 0):
            continue  # a point that is just back does not say how it went
        if known:
            here = vec_sub(eased(c, p, here, age), vec_load(state.points, p))
        else:
            here = vec_sub(here, vec_load(body.stance, p))
        moved = vec_add(moved, here)
        count += 1
        if p == HEAD:
            break  # the head moves with the pelvis; hands and feet have their own ways
    start = vec_load(state.points, PELVIS) if known else (0.0, 0.0, 0.0)
    if count == 0:
        return start
    return vec_add(start, vec_scale(moved, 1.0 / count))


@helper
def first_facing(c: PersonContext, seen: Floats) -> Quat:
    """Rotation of the pelvis in a first frame that is not whole, from the lines that are."""
    work = c.work
    for p in range(PELVIS, seen.shape[0], 2):
        whole = is_place(vec_load(seen, p)) and is_place(vec_load(seen, p + 1))
        for side in range(p, p + 2):
            vec_store(work.points, side, vec_load(seen, side) if whole else (0.0, 0.0, 0.0))
    return pelvis_frame(c, work.points)


@helper
def fill_points(c: PersonContext, seen: Floats) -> int:
    """Write the six positions to use into `work.points`; flags of those that were guessed."""
    body, state, work = c.body, c.state, c.work
    known = state.frames > 0
    turn = last_pelvis(c) if known else first_facing(c, seen)
    flags = 0
    for p in range(seen.shape[0]):
        local = vec_load(state.held, p) if known else vec_load(body.stance, p)
        if p == PELVIS:
            guess = guess_pelvis(c, seen)
        else:
            guess = vec_add(vec_load(work.points, PELVIS), quat_rotate(turn, local))
        here = vec_load(seen, p)
        age = state.ages[p]
        if not is_place(here):
            flags |= MISSING << p
            state.ages[p] = min(age, 0) - 1
            vec_store(state.held, p, local)
            vec_store(work.points, p, guess)
            continue
        if age < 0 and known:  # back again: start from the guess
            guess = vec_add(guess, quat_rotate(turn, vec_load(state.drifts, p)))
            vec_store(state.corrections, p, vec_sub(guess, here))
            vec_store(state.drifts, p, (0.0, 0.0, 0.0))
            state.eases[p] = easing(c, -age)
            age = 0
        elif age < 0:
            age = LONG_AGO
        if age < state.eases[p]:
            flags |= RECOVERING
        state.ages[p] = min(age + 1, LONG_AGO)
        vec_store(work.points, p, eased(c, p, here, age))
    return flags


@helper
def measured_facing(c: PersonContext, flags: int, seen: Floats) -> Quat:
    """Rotation of the pelvis from the lines between wrists and ankles that were measured."""
    settings, state, work = c.settings, c.state, c.work
    gap = 0
    for p in range(work.lines.shape[0]):
        vec_store(work.lines, p, vec_load(work.points, p))
    for p in range(HEAD + 1, work.lines.shape[0], 2):
        whole = flags & (3 * (MISSING << p)) == 0
        for side in range(p, p + 2):  # without a point the line has no length, and no vote
            vec_store(work.lines, side, vec_load(seen, side) if whole else (0.0, 0.0, 0.0))
            if settings.weights[p // 2 - 1] > 0.0:
                gap = max(gap, -state.ages[side])
    estimate = pelvis_frame(c, work.lines)
    if state.frames == 0:
        return estimate
    part = 1.0
    if gap > 0:
        part = 1.0 / (settings.follow + 1.0)
        state.turning = int(easing(c, gap))
    elif state.turning > 0:
        part = 1.0 / (state.turning + 1.0)
        state.turning -= 1
    if part == 1.0:
        return estimate
    up = quat_rotate(estimate, (0.0, 1.0, 0.0))
    goal = quat_rotate(estimate, (1.0, 0.0, 0.0))
    left, known = flat_direction(as3(state.left), up)
    if known == 0.0:
        return estimate
    angle = part * math.atan2(vec_dot(vec_cross(left, goal), up), vec_dot(left, goal))
    if abs(angle) > settings.turn:  # no faster than people turn, however long it takes
        angle = math.copysign(settings.turn, angle)
        state.turning = max(state.turning, 1)
    left = quat_rotate(quat_from_axis_angle(up, angle), left)
    return quat_from_columns((left, up, vec_cross(left, up)))


@helper
def predict_points(c: PersonContext, flags: int) -> None:
    """Let lost points move on with their last speed."""
    state, work = c.state, c.work
    turn = last_pelvis(c)
    for p in range(HEAD, work.points.shape[0]):
        if flags & (MISSING << p):
            drift = vec_add(vec_load(state.drifts, p), vec_load(state.speeds, p))
            vec_store(state.drifts, p, drift)
            vec_store(work.points, p, vec_add(vec_load(work.points, p), quat_rotate(turn, drift)))


@helper
def is_steady(c: PersonContext, p: int) -> bool:
    """Whether a point was seen in this frame and in the one before, and is where it was seen."""
    state = c.state
    return bool(state.ages[p] >= 2 and state.ages[p] > state.eases[p] + 1)


@helper
def remember_points(c: PersonContext, flags: int, pelvis: Quat) -> None:
    """Keep what the next frame needs."""
    settings, state, work = c.settings, c.state, c.work
    known = state.frames > 0
    for p in range(work.points.shape[0]):
        here = vec_load(work.points, p)
        vec_store(state.points, p, here)
        if known and flags & (MISSING << p):
            vec_store(state.speeds, p, vec_scale(vec_load(state.speeds, p), settings.fade))
            continue
        now = quat_unrotate(pelvis, vec_sub(here, vec_load(work.points, PELVIS)))
        # A speed is measured: point and pelvis were seen in this frame and in the one before, and
        # neither is easing back. One that was guessed would feed on itself.
        speed = (0.0, 0.0, 0.0)
        if known and is_steady(c, p) and is_steady(c, PELVIS):
            speed = vec_sub(now, vec_load(state.held, p))
        vec_store(state.speeds, p, speed)
        vec_store(state.held, p, now)
    state.pelvis[0], state.pelvis[1], state.pelvis[2], state.pelvis[3] = pelvis


@helper
def known_rotation(rotations: Floats, p: int) -> tuple[Quat, bool]:
    """Rotation of the pelvis or the head, and whether it is known; otherwise the identity."""
    if math.isnan(rotations[p, 0]):
        return (1.0, 0.0, 0.0, 0.0), False
    return quat_load(rotations, p), True


@helper
def begin_frame(c: PersonContext, frames: Frames, frame: int) -> tuple[int, Quat]:
    """Fill in the points that were not seen, and find how the pelvis is turned.

    Returns:
        Flags, and the rotation of the pelvis: the known one, or the estimate.
    """
    seen = frames.positions[frame]
    flags = fill_points(c, seen)
    estimate, known = known_rotation(frames.rotations[frame], PELVIS)
    if not known:
        estimate = measured_facing(c, flags, seen)
    if c.settings.missing == PREDICT:
        predict_points(c, flags)
    return flags, estimate


@helper
def end_frame(
    c: PersonContext, frames: Frames, frame: int, estimate: Quat, pelvis: Quat, flags: int
) -> None:
    """Remember what the next frame needs, and write how well the points are met.

    Expects `work.ends`; `pelvis` is its world rotation as solved.
    """
    state, work = c.state, c.work
    seen, out = frames.positions[frame], frames.out
    remember_points(c, flags, pelvis)
    left = quat_rotate(estimate, (1.0, 0.0, 0.0))
    state.left[0], state.left[1], state.left[2] = left
    if state.frames > 0 or flags & ALL_MISSING != ALL_MISSING:
        state.frames += 1  # before anything was seen, the next frame is the first again
    for p in range(seen.shape[0]):
        missed = vec_distance(vec_load(work.ends, p), vec_load(seen, p))
        out.residuals[frame, p] = math.nan if flags & (MISSING << p) else missed
        vec_store(out.points[frame], p, vec_load(work.points, p))
    out.flags[frame] = flags
