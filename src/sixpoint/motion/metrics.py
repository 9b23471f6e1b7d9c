"""How far a reconstruction is from the original, in the measures of the SIK paper and a few more.

The paper's two numbers (section 9) come first. In every frame the error is averaged over the scored
joints (22 on a full body: `Anatomy.scored`); a clip's number is the root mean square of these over
its frames. Position is divided by body height, orientation is the angle between the rotations
relative to the parent, in the world for the pelvis. The plain mean over frames stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from ..body.anatomy import Anatomy
from ..body.rig_names import LIMBS as JOINTS
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Bools, Floats
from .comparison import Comparison, RoleError
from .motion import STRIPE, Motion
from .point_cloud import point_cloud_distances
from .points import SIX
from .pose import stripes

EFFECTORS = SIX[1:]
"""Ends of the chains: head, wrists, ankles."""

LIMBS = {
    f"{side}_{limb}": tuple(f"{side}_{joint}" for joint in joints[-3:])
    for limb, joints in JOINTS.items()
    for side in "lr"
}
"""Limb -> roles of its root, middle and end."""

STRAIGHT = 0.05
"""A limb whose middle joint is nearer to the root-end line than this fraction of its length has no
visible swivel (flexed by less than about 11 degrees)."""

PLANTED_HEIGHT = 0.03
"""A planted ankle is at most this fraction of body height above its lowest usual place."""

PLANTED_SPEED = 0.1
"""A planted ankle is slower than this fraction of body height a second."""

STEP = math.radians(30.0)
"""A joint that turns further than this from one frame to the next has jumped [rad]."""


def compare(reconstructed: Motion, original: Motion, *, align: bool = False) -> Comparison:
    """Measure a reconstruction against the motion it should reproduce.

    Motions of the same joints are compared joint by joint. Those of different rigs are compared by
    the roles that both have, each in its own anatomical frames.

    Args:
        reconstructed: the motion to judge.
        original: the truth: the same frame count and rate. Bodies may differ (that is reported as a
            warning); the original's body height divides the position error.
        align: move and turn the reconstruction as a whole, once for the clip, to where it fits
            best: for recordings in different rooms.

    Raises:
        InputError: the two motions do not match frame by frame, or one of two rigs is no human.
    """
    _check_match(reconstructed, original)
    anatomy = original.skeleton.anatomy
    same = same_joints(reconstructed.skeleton, original.skeleton)
    pair = _joint_by_joint(anatomy) if same else _by_roles(reconstructed, anatomy)
    weights, at = pair.weights, pair.columns
    new, turns_new = _tracks(reconstructed, pair.new, same)
    old, turns_old = _tracks(original, pair.old, same)
    if align:
        new, turns_new = _aligned(new, turns_new, old, pair)
    distance = np.linalg.norm(new - old, axis=-1)
    angle = arrays.angle_between(turns_old, turns_new)
    angle[:, pair.still] = np.nan  # sites do not turn

    inner = weights.copy()
    inner[[at[role] for role in SIX[2:]]] = 0.0
    height = anatomy.height
    # A pelvis that counts for the paper's three joints at the root does so in position
    # only: the other two never turn relative to it, and count as turned right.
    turning, turning_inner = np.minimum(weights, 1.0), np.minimum(inner, 1.0)
    own = _own_angles(reconstructed, original, anatomy, angle) if same else angle
    curves = {
        ("position", ""): joint_average(distance, weights) / height,
        ("orientation", ""): joint_average(angle, turning, weights),
        ("position", "_inner"): joint_average(distance, inner) / height,
        ("orientation", "_inner"): joint_average(angle, turning_inner, inner),
        ("orientation", "_own"): joint_average(own, turning, weights),
    }
    averages: dict[str, Any] = {}
    for (kind, joints), curve in curves.items():
        averages[f"{kind}_rms{joints}"] = _rms(curve)
        averages[f"{kind}_mean{joints}"] = float(curve.mean())

    def track(positions: Floats, *roles: str) -> Floats:
        return positions[:, [at[role] for role in roles]]

    clouds = point_cloud_distances(new, old, weights, original.rate) / height
    effector = np.linalg.norm(track(new, *SIX) - track(old, *SIX), axis=-1)
    jitter, before = (_jitter(track(p, *EFFECTORS), original.rate) for p in (new, old))
    ankles = [track(p, "l_ankle", "r_ankle") for p in (new, old)]
    errors = {
        role: RoleError(float(distance[:, k].mean()), float(angle[:, k].mean()))
        for role, k in at.items()
    }
    if pair.spine:
        errors["spine"] = RoleError(
            float(distance[:, pair.spine].mean()), float(angle[:, pair.spine].mean())
        )
    return Comparison(
        **averages,
        position_rms_joints=_rms(np.sqrt(joint_average(distance**2, weights))) / height,
        orientation_rms_joints=_rms(np.sqrt(joint_average(angle**2, turning, weights))),
        point_cloud_rms=_rms(clouds),
        point_cloud_mean=float(clouds.mean()),
        effector_mean_m=float(effector.mean()),
        effector_p95_m=float(np.percentile(effector, 95.0)),
        effector_max_m=float(effector.max()),
        jitter=jitter,
        jitter_ratio=jitter / before if before > 0.0 else math.nan,
        foot_skate=_foot_skate(ankles[0], ankles[1], original.rate, height),
        steps_over_30deg=count_steps(reconstructed),
        steps_over_30deg_original=count_steps(original),
        swivel={
            limb: swivel_error(track(new, *roles), track(old, *roles))
            for limb, roles in LIMBS.items()
        },
        roles=errors,
        frames=len(original),
        rate=original.rate,
        height=height,
        aligned=align,
        warnings=_warnings(reconstructed, original) if same else _rigs(reconstructed, original, at),
        point_cloud_per_frame=clouds,
        position_per_frame=curves["position", ""],
        orientation_per_frame=curves["orientation", ""],
        orientation_own_per_frame=curves["orientation", "_own"],
    )


def joint_average(errors: Floats, weights: Floats, total: Floats | None = None) -> Floats:
    """Weighted mean over joints of errors (F, N) -> (F,); columns with NaN are left out.

    Args:
        errors: one column for each joint.
        weights: weight of each column, shape (N,).
        total: weights whose sum divides, shape (N,); default `weights`.
    """
    known = np.isfinite(errors).all(axis=0)
    divisor = (weights if total is None else total)[known].sum()
    if not divisor > 0.0:
        return np.full(len(errors), np.nan)
    return cast("Floats", errors[:, known] @ weights[known] / divisor)


def count_steps(motion: Motion, limit: float = STEP) -> int:
    """Joints times frames whose local rotation moves by more than `limit` [rad] in one frame."""
    cosine = math.cos(0.5 * limit)  # |product| is the cosine of half the angle
    count = 0
    for f in range(0, len(motion) - 1, STRIPE):
        q = motion.rotations[f : f + STRIPE + 1]
        count += int(np.count_nonzero(np.abs(np.einsum("fji,fji->fj", q[1:], q[:-1])) < cosine))
    return count


def swivel_error(limb: Floats, reference: Floats) -> float:
    """Mean angle between the swivel directions of two limbs [rad]; NaN if always straight.

    Args:
        limb: positions of root, middle and end joint [m], shape (F, 3, 3).
        reference: the same joints in the original.
    """
    angles = swivel_angles(limb, reference)
    known = np.isfinite(angles)
    return float(angles[known].mean()) if known.any() else math.nan


def swivel_angles(limb: Floats, reference: Floats) -> Floats:
    """Angle between the swivel directions of two limbs in each frame [rad], shape (F,).

    NaN where one of the two is too straight to show a swivel. Arguments as in `swivel_error`.
    """
    axis, away, bent = _swivel(limb)
    axis_ref, away_ref, bent_ref = _swivel(reference)
    # The two axes differ a little; carry one direction over by the smallest rotation between them.
    half = np.concatenate(
        [1.0 + np.sum(axis * axis_ref, axis=-1, keepdims=True), np.cross(axis, axis_ref)], axis=-1
    )
    length = np.linalg.norm(half, axis=-1, keepdims=True)
    use = bent & bent_ref & (length[:, 0] > 1e-6)  # opposite axes share no direction
    angles = np.full(len(limb), np.nan)
    angles[use] = _angles(arrays.rotate(half[use] / length[use], away[use]), away_ref[use])
    return angles


def _swivel(limb: Floats) -> tuple[Floats, Floats, Bools]:
    root, middle, end = limb[:, 0], limb[:, 1], limb[:, 2]
    line = end - root
    span = np.linalg.norm(line, axis=-1, keepdims=True)
    axis = line / np.maximum(span, 1e-12)
    away = middle - root
    away = away - np.sum(away * axis, axis=-1, keepdims=True) * axis
    reach = np.linalg.norm(middle - root, axis=-1) + np.linalg.norm(end - middle, axis=-1)
    bent = (np.linalg.norm(away, axis=-1) > STRAIGHT * reach) & (span[:, 0] > 1e-9)
    return axis, away, bent


def _angles(a: Floats, b: Floats) -> Floats:
    cross = np.linalg.norm(np.cross(a, b), axis=-1)
    return cast("Floats", np.arctan2(cross, np.sum(a * b, axis=-1)))


def _foot_skate(ankles: Floats, reference: Floats, rate: float, height: float) -> float:
    """Mean horizontal speed (F, 2 feet, 3) where the reference foot stands on the ground [m/s]."""
    if len(reference) < 2:
        return math.nan
    # A low percentile, not the minimum: one noisy frame must not move the ground.
    ground = np.percentile(reference[..., 1], 2.0, axis=0)
    low = reference[..., 1] - ground < PLANTED_HEIGHT * height
    step = np.diff(reference, axis=0) * rate
    slow = np.linalg.norm(step, axis=-1) < PLANTED_SPEED * height
    planted = low[1:] & low[:-1] & slow
    if not planted.any():
        return math.nan
    moved = np.diff(ankles[..., [0, 2]], axis=0) * rate
    return float(np.linalg.norm(moved, axis=-1)[planted].mean())


def _jitter(positions: Floats, rate: float) -> float:
    if len(positions) < 3:
        return math.nan
    return _rms(np.linalg.norm(np.diff(positions, n=2, axis=0), axis=-1)) * rate**2


class _Pair(NamedTuple):
    """Which nodes of two motions are compared with each other."""

    new: list[int]
    """Nodes of the reconstruction."""
    old: list[int]
    """Nodes of the original, in the same order."""
    weights: Floats
    """Weight of each, shape (N,)."""
    columns: dict[str, int]
    """Role -> place among them."""
    spine: list[int]
    """Places of the joints that bend the spine."""
    still: list[int]
    """Places of nodes that do not turn."""


def _joint_by_joint(anatomy: Anatomy) -> _Pair:
    """Return the scored joints of one rig."""
    scored, weights = anatomy.scored
    nodes = [int(node) for node in scored]
    place = {node: k for k, node in enumerate(nodes)}
    joints = anatomy.skeleton.joint_count
    return _Pair(
        nodes, nodes, weights,
        {role: place[node] for role, node in anatomy.roles.nodes.items()},
        [place[joint] for joint in anatomy.roles.spine],
        [k for k, node in enumerate(nodes) if node >= joints],
    )  # fmt: skip


def _by_roles(reconstructed: Motion, anatomy: Anatomy) -> _Pair:
    """Return the roles that two rigs have in common."""
    mine = reconstructed.skeleton.anatomy
    shared = [role for role in anatomy.roles.nodes if mine.has(role)]
    new, old = ([each.node(role) for role in shared] for each in (mine, anatomy))
    joints = mine.skeleton.joint_count, anatomy.skeleton.joint_count
    still = [k for k, (a, b) in enumerate(zip(new, old, strict=True))
             if a >= joints[0] or b >= joints[1]]  # fmt: skip
    columns = {role: k for k, role in enumerate(shared)}
    return _Pair(new, old, np.ones(len(shared)), columns, [], still)


def _tracks(motion: Motion, nodes: list[int], own: bool) -> tuple[Floats, Floats]:
    """World positions (F, N, 3) of the scored nodes, and their rotations (F, N, 4).

    Rotations are relative to the nearest scored joint above, so that helper joints in between (a
    twist bone in the forearm) count with the joint they help; the pelvis is relative to the world.

    Args:
        motion: whose nodes.
        nodes: which.
        own: take rotations in the rig's own frames; else in anatomical ones, the same on all rigs.
    """
    skeleton = motion.skeleton
    joints = [skeleton.carrier(node) for node in nodes]
    above = [_nearest_above(skeleton, node, set(nodes)) for node in nodes]
    positions = np.empty((len(motion), len(nodes), 3))
    turns = np.empty((len(motion), len(nodes), 4))
    neutral = None if own else arrays.conjugate(skeleton.anatomy.neutral)
    for stripe in stripes(len(motion)):
        places, world = motion.world(stripe)
        positions[stripe] = places[:, nodes]
        if neutral is not None:
            world = arrays.multiply(world, neutral)
        frames = world[:, [max(parent, 0) for parent in above]]
        frames[:, [parent < 0 for parent in above]] = (1.0, 0.0, 0.0, 0.0)
        turns[stripe] = arrays.multiply(arrays.conjugate(frames), world[:, joints])
    return positions, turns


def _aligned(new: Floats, turns: Floats, old: Floats, pair: _Pair) -> tuple[Floats, Floats]:
    """Return positions (F, N, 3) and rotations (F, N, 4), moved and turned to fit the original.

    One rigid motion for the whole clip, the best in the least-squares sense.
    """
    weights = pair.weights[:, None] / (len(new) * pair.weights.sum())
    middle, centre = ((each * weights).sum(axis=(0, 1)) for each in (new, old))
    covariance = np.einsum("fki,fkj->ij", (new - middle) * weights, old - centre)
    turn, _ = arrays.best_rotation(covariance)
    turned = turns.copy()
    pelvis = pair.columns["pelvis"]
    turned[:, pelvis] = arrays.multiply(turn, turns[:, pelvis])
    return centre + arrays.rotate(turn, new - middle), turned


def _own_angles(
    reconstructed: Motion, original: Motion, anatomy: Anatomy, angles: Floats
) -> Floats:
    """Angles (F, N) between each scored joint's own local rotations; the pelvis as in `angles`."""
    own = angles.copy()
    pelvis = anatomy.node("pelvis")
    for k, node in enumerate(anatomy.scored[0]):
        if node != pelvis and node < original.skeleton.joint_count:
            own[:, k] = arrays.angle_between(
                original.rotations[:, node], reconstructed.rotations[:, node]
            )
    return own


def _nearest_above(skeleton: Skeleton, node: int, chosen: set[int]) -> int:
    return next((k for k in reversed(skeleton.path(node)[:-1]) if k in chosen), -1)


def _check_match(reconstructed: Motion, original: Motion) -> None:
    if len(original) == 0:
        raise InputError("Expected at least one frame to compare, got none.")
    if len(reconstructed) != len(original):
        raise InputError(
            f"Expected the original's {len(original)} frames, got {len(reconstructed)} in the "
            "reconstruction."
        )
    # Frame times in files are rounded: 0.0083333 s is 120.0005 Hz.
    if abs(reconstructed.rate / original.rate - 1.0) > 1e-3:
        raise InputError(
            f"Expected the original's rate of {original.rate:g} Hz, got {reconstructed.rate:g} Hz; "
            "resample one of them first."
        )


def same_joints(first: Skeleton, second: Skeleton) -> bool:
    """Return whether two skeletons have the same joints in the same hierarchy."""
    return first.names == second.names and np.array_equal(first.parents, second.parents)


def _rigs(reconstructed: Motion, original: Motion, columns: Mapping[str, int]) -> tuple[str, ...]:
    """Return what makes the comparison of two rigs less than fair."""
    mine, theirs = reconstructed.skeleton, original.skeleton
    return (
        f"different rigs, of {mine.joint_count} and {theirs.joint_count} joints: compared by the "
        f"{len(columns)} roles that both have; body heights {mine.anatomy.height:.2f} and "
        f"{theirs.anatomy.height:.2f} m",
    )


def _warnings(reconstructed: Motion, original: Motion) -> tuple[str, ...]:
    mine, theirs = reconstructed.skeleton.offsets[1:], original.skeleton.offsets[1:]
    gap = np.abs(np.linalg.norm(mine, axis=-1) - np.linalg.norm(theirs, axis=-1))
    if not gap.size or gap.max() < 1e-4:
        return ()
    bone = original.skeleton.names[1 + int(gap.argmax())]
    return (
        f"bone lengths differ by up to {1e3 * gap.max():.1f} mm (at {bone!r}): "
        "part of the position error is the body's",
    )


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
