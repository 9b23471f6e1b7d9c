"""What can be said about a motion beyond its distance from the original.

The SIK paper judges its rivals in words: jerky near singular postures, swivels that jump, a spine
like a snake, clavicles that bend too much, errors that grow with time. Here each word is a number.
`motion_statistics` measures one motion, the original or a reconstruction; `growth` measures a curve
of errors.

Six positions tell only roughly where the pelvis faces. When wrists and ankles are crossed the
estimate, the same for all methods, flips round within a frame and takes the whole body with it. The
flips are counted on their own; jerk and jumps of the swivel leave those frames out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from ..body.anatomy import Anatomy, anatomy_of
from ..kernels import arrays
from ..kernels.types import Bools, Floats
from ..limits import Limits
from ..motion.metrics import LIMBS, count_steps, swivel_angles
from ..motion.motion import Motion
from ..solvers.report import count_violations

NEARLY_STRAIGHT = 0.97
"""A limb stretched beyond this part of its length is near a singular posture."""
JUMP = math.radians(30.0)
"""A swivel or a pelvis that turns further than this from one frame to the next has jumped [rad]."""
SMOOTHING = 0.1
"""Time over which the turning of the pelvis is averaged, against marker noise [s]."""


@dataclass(frozen=True)
class MotionStatistics:
    """How a body moves, right or wrong. What cannot be measured is NaN."""

    pelvis_flips: int
    """Frames in which the pelvis turns by more than 30 degrees from the frame before."""
    jerk: float
    """RMS jerk of the scored joints: third differences of world positions [m/s^3]."""
    straight_jerk: float
    """RMS angular jerk of shoulders, elbows, hips and knees while the limb is nearly straight in
    the original [rad/s^3]."""
    straight_jerk_p95: float
    """Its 95th percentile [rad/s^3]: unlike the RMS not decided by a single jump."""
    swivel_jump_max_deg: float
    """Largest turn of an elbow or knee about its limb's axis from one frame to the next [deg]."""
    swivel_jumps: int
    """Limb-frames in which that turn exceeds 30 degrees."""
    steps_over_30deg: int
    """Joint-frames that turn by more than 30 degrees from the frame before."""
    limit_violations: int
    """Joint-frames that break their limit by more than 1e-6 rad."""
    clavicle_mean_deg: float
    """Mean turn of the clavicles from rest [deg]."""
    spine_bend_deg: float
    """Mean over frames of all bending between pelvis and head, joint by joint [deg]."""
    snake_deg: float
    """The part of it that cancels out: bends against each other, the S of a snake [deg]."""
    bend_height: float
    """Where the spine bends on average, from 0 at the pelvis to 1 at the head."""


def motion_statistics(motion: Motion, limits: Limits, straight: Bools) -> MotionStatistics:
    """Measure one motion.

    Args:
        motion: an original or a reconstruction.
        limits: that count as broken or kept.
        straight: where each limb is nearly straight, shape (F, 4); see `nearly_straight`.
    """
    anatomy = anatomy_of(motion.skeleton)
    rotations = anatomy.to_anatomical(motion.rotations)
    steady = pelvis_steps(motion) < JUMP
    limbs = limb_positions(motion)
    jumps = np.concatenate([swivel_angles(at[1:], at[:-1])[steady] for at in limbs])
    jumps = jumps[np.isfinite(jumps)]
    bends = spine_bends(rotations[:, list(anatomy.spine)])
    clavicles = [anatomy.node(r) for r in ("l_clavicle", "r_clavicle") if anatomy.has(r)]
    near_straight = _straight_jerks(motion, anatomy, straight, steady)
    thirds = jerk(motion.positions([int(k) for k in anatomy.scored[0]]), motion.rate)
    return MotionStatistics(
        pelvis_flips=int((~steady).sum()),
        jerk=_rms(thirds[_in_a_row(steady)]),
        straight_jerk=_rms(near_straight),
        straight_jerk_p95=float(np.percentile(near_straight, 95.0))
        if near_straight.size
        else math.nan,
        swivel_jump_max_deg=math.degrees(jumps.max()) if jumps.size else math.nan,
        swivel_jumps=int((jumps > JUMP).sum()),
        steps_over_30deg=count_steps(motion),
        limit_violations=count_violations(motion, limits),
        clavicle_mean_deg=_mean(np.degrees(_angles(rotations[:, clavicles]))),
        spine_bend_deg=_mean(np.degrees(np.linalg.norm(bends, axis=-1).sum(axis=-1))),
        snake_deg=_mean(np.degrees(cancelled(bends))),
        bend_height=_bend_height(anatomy, bends),
    )


def limb_positions(motion: Motion) -> list[Floats]:
    """Root, middle and end of each limb [m], four times (F, 3, 3), in the order of `LIMBS`."""
    anatomy = anatomy_of(motion.skeleton)
    at = motion.positions([anatomy.node(role) for roles in LIMBS.values() for role in roles])
    return [at[:, 3 * k : 3 * k + 3] for k in range(len(LIMBS))]


def stretch(motion: Motion) -> Floats:
    """Distance from root to end of each limb as a part of its length, shape (F, 4)."""
    parts = []
    for at in limb_positions(motion):
        reach = np.linalg.norm(np.diff(at, axis=1), axis=-1).sum(axis=-1)
        parts.append(np.linalg.norm(at[:, 2] - at[:, 0], axis=-1) / np.maximum(reach, 1e-12))
    return np.stack(parts, axis=-1)


def nearly_straight(original: Motion) -> Bools:
    """Where the limbs of the original are near a singular posture, shape (F, 4)."""
    return stretch(original) > NEARLY_STRAIGHT


def pelvis_steps(motion: Motion) -> Floats:
    """How far the pelvis turns in the world from each frame to the next [rad], shape (F-1,)."""
    anatomy = anatomy_of(motion.skeleton)
    world = motion.world()[1][:, anatomy.joint_carrying(anatomy.node("pelvis"))]
    return arrays.angle_between(world[:-1], world[1:])


def jerk(positions: Floats, rate: float) -> Floats:
    """Size of the third derivative of positions (F, n, 3) [m/s^3], shape (F-3, n)."""
    return cast("Floats", np.linalg.norm(np.diff(positions, n=3, axis=0), axis=-1) * rate**3)


def angular_jerk(rotations: Floats, rate: float) -> Floats:
    """Second derivative of the angular velocity of rotations (F, n, 4) [rad/s^3], (F-3, n)."""
    velocity = arrays.to_rotvec(arrays.multiply(arrays.conjugate(rotations[:-1]), rotations[1:]))
    return cast("Floats", np.linalg.norm(np.diff(velocity, n=2, axis=0), axis=-1) * rate**3)


def _in_a_row(steps: Bools) -> Bools:
    """Whether three steps (F-1,) in a row are all true, as a third difference needs, (F-3,)."""
    return steps[:-2] & steps[1:-1] & steps[2:]


def _straight_jerks(motion: Motion, anatomy: Anatomy, straight: Bools, steady: Bools) -> Floats:
    """Angular jerk of the joints of limbs while these are nearly straight [rad/s^3], (n, 2)."""
    found = []
    for k, (root, middle, _) in enumerate(LIMBS.values()):
        joints = [anatomy.joint_carrying(anatomy.node(role)) for role in (root, middle)]
        third = angular_jerk(motion.rotations[:, joints], motion.rate)
        # A difference counts if one of its four frames is nearly straight: jolts happen on the way
        # into the singular posture and out of it.
        near = straight[:, k]
        near = near[:-3] | near[1:-2] | near[2:-1] | near[3:]
        found.append(third[near & _in_a_row(steady)])
    return np.concatenate(found)


def spine_bends(rotations: Floats) -> Floats:
    """Bending of spine joints from rotations (F, n, 4): angle [rad] along its axis, (F, n, 2).

    The components are those about X (forwards) and Z (sideways); twist about Y is left out.
    """
    up = arrays.rotate(rotations, np.array([0.0, 1.0, 0.0]))
    axis = np.stack([up[..., 2], -up[..., 0]], axis=-1)  # Y x up, without its zero in the middle
    size = np.linalg.norm(axis, axis=-1, keepdims=True)
    angle = np.arctan2(size, up[..., 1:2])
    return cast("Floats", axis / np.maximum(size, 1e-12) * angle)


def cancelled(bends: Floats) -> Floats:
    """Bending (F, n, 2) that other joints undo, in each frame [rad], shape (F,)."""
    together = np.linalg.norm(bends.sum(axis=1), axis=-1)
    return cast("Floats", np.linalg.norm(bends, axis=-1).sum(axis=1) - together)


def _bend_height(anatomy: Anatomy, bends: Floats) -> float:
    path = [anatomy.positions[k] for k in anatomy.bends]
    along = np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=-1))
    amount = np.linalg.norm(bends, axis=-1).sum(axis=0)
    if not amount.sum() > 0.0:
        return math.nan
    return float(amount @ (along[:-1] / along[-1]) / amount.sum())


def arm_swivel_errors(motion: Motion, original: Motion) -> Floats:
    """Swivel error of the elbows in each frame, mean of both arms [rad], (F,); NaN if straight."""
    both = [
        swivel_angles(a, b)
        for a, b in zip(limb_positions(motion)[:2], limb_positions(original)[:2], strict=True)
    ]
    known = np.isfinite(both)
    count = known.sum(axis=0)
    total = np.where(known, both, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def growth(errors: Floats) -> float:
    """How much a curve of errors (F,) rises from beginning to end, as a part of its mean.

    Measured on the straight line through it; NaNs do not count.
    """
    known = np.isfinite(errors)
    if known.sum() < 2 or not errors[known].mean() > 0.0:
        return math.nan
    slope = np.polyfit(np.flatnonzero(known), errors[known], 1)[0]
    return float(slope * (len(errors) - 1) / errors[known].mean())


def pelvis_rotation_rate(motion: Motion) -> Floats:
    """How fast the hips turn about the vertical in each frame [rad/s], shape (F,), never < 0."""
    if len(motion) < 2:
        return np.zeros(len(motion))
    anatomy = anatomy_of(motion.skeleton)
    left, right = np.moveaxis(
        motion.positions([anatomy.node("l_hip"), anatomy.node("r_hip")]), 1, 0
    )
    yaw = np.unwrap(np.arctan2(left[:, 0] - right[:, 0], left[:, 2] - right[:, 2]))
    rate = np.gradient(yaw) * motion.rate
    width = min(max(round(SMOOTHING * motion.rate), 1), len(rate))
    padded = np.pad(rate, (width // 2, width - 1 - width // 2), mode="edge")
    return cast("Floats", np.abs(np.convolve(padded, np.full(width, 1.0 / width), mode="valid")))


def _angles(rotations: Floats) -> Floats:
    return arrays.angle_between(arrays.identity(), rotations)


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else math.nan


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if values.size else math.nan
