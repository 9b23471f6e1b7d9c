"""Bundle adjustment of a tracked person: poses, mounts and bone lengths at once.

The unknowns are the pose of every frame, and what all frames share: the offset and the alignment of
every tracker and the logarithms of bone lengths. What is minimised is the squared distance of
trackers from where the poses put them, by the noise of trackers, plus how unusual poses, offsets
and lengths are. Poses are judged by a Student distribution fitted to recorded people, so that an
unusual frame counts less instead of bending everything. Each step solves the normal equations by
eliminating the poses (Schur complement), damped as by Levenberg and Marquardt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..kernels import arrays
from ..kernels.types import Floats, Ints
from ..motion.motion import as_floats
from .parts import FIRST_LIMB, LIMBS, OF_LIMB, PARAMETERS, Parts

UP = np.array([0.0, 1.0, 0.0])
POSE = 6 + PARAMETERS
"""Unknowns of a frame: place and rotation of the pelvis, and the pose."""
HINGES = [FIRST_LIMB + OF_LIMB * limb + 3 for limb in range(len(LIMBS))]
"""Parameters of elbows and knees."""
FLEXION = np.array([-1.0, -1.0, 1.0, 1.0])
"""Sign of the angle by which each of them bends."""
OVERBEND = np.radians(2.0)
"""Standard deviation of the angle by which elbows and knees overstretch [rad]."""
HABIT = PARAMETERS + 2
"""Numbers that say how usual a pose is: its parameters and the tilt of the pelvis."""
STEP = 1e-6
"""Difference that poses and lengths are differentiated with [m], [rad] or parts."""
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-2, 1e-6, 1e6
LITTLE = 1e-5
"""Part of the cost by which it must fall for another step."""
OUTLIER = 3.0
"""Distance in standard deviations from which trackers count less (Huber)."""


class PosePrior(NamedTuple):
    """How usual poses are: a Gaussian core over parameters and tilt of the pelvis."""

    mean: Floats
    """Shape (P + 2,): parameters, then x and z of the vertical as the pelvis sees it."""
    whitener: Floats
    """Matrix that turns distances from the mean into standard deviations, (P + 2, P + 2)."""
    follows_habit: float
    """1 where the person's own habits shift the mean; 0 where the pose was asked for."""
    tails: float
    """Degrees of freedom of the Student distribution; many: a Gaussian."""


@dataclass(frozen=True)
class Seen:
    """Frames of trackers that are adjusted, and how far to believe them."""

    nodes: Ints
    """Node that carries each tracker, shape (N,)."""
    positions: Floats
    """World positions [m], NaN: not seen, shape (F, N, 3)."""
    rotations: Floats
    """World rotations, NaN: not known, shape (F, N, 4)."""
    place_noise: Floats
    """Standard deviation of positions about the model [m], shape (F, N)."""
    turn_noise: Floats
    """Standard deviation of rotations about the model [rad], shape (F, N)."""
    priors: tuple[PosePrior, ...]
    """Kinds of poses."""
    kind: Ints
    """Which of the priors judges each frame, shape (F,)."""
    weight: Floats
    """How much each frame counts, shape (F,)."""


@dataclass(frozen=True)
class Shared:
    """What all frames share."""

    offsets: Floats
    """Place of each tracker in the frame of its bone [m], shape (N, 3)."""
    mounts: Floats
    """Rotation of each tracker relative to its bone, shape (N, 4)."""
    sizes: Floats
    """Logarithms of bone lengths relative to those expected, shape (L,)."""
    habit: Floats
    """How this person's usual pose differs from that of people, shape (P + 2,)."""


@dataclass(frozen=True)
class Poses:
    """Poses of all frames."""

    root: Floats
    turn: Floats
    pose: Floats

    def moved(self, step: Floats) -> Poses:
        """Return the poses after a step (..., F, POSE)."""
        return Poses(
            self.root + step[..., :3],
            arrays.multiply(self.turn, arrays.from_rotvec(step[..., 3:6])),
            self.pose + step[..., 6:],
        )


@dataclass(frozen=True)
class Model:
    """What is adjusted: a body whose bones are a sum of shapes times lengths."""

    parts: Parts
    shapes: Floats
    """Offsets of the nodes for each length at its expected value [m], shape (L, K, 3)."""
    rest: Floats
    """Offsets that no length changes [m], shape (K, 3)."""
    size_precision: Floats
    """Inverse covariance of `Shared.sizes`, shape (L, L)."""
    habit_precision: Floats
    """Inverse covariance of `Shared.habit`, shape (P + 2, P + 2)."""
    offset_precision: Floats
    """Inverse covariance of `Shared.offsets`, about none [1/m^2], shape (3 N, 3 N)."""
    offset_free: Floats
    """1 where the offset of a tracker is unknown, 0 where it is given, shape (N,)."""
    mount_free: Floats
    """1 where the alignment of a tracker is unknown, 0 where it is given, shape (N,)."""

    def bones(self, sizes: Floats) -> Floats:
        """Return offsets of the nodes (..., K, 3) for lengths (..., L)."""
        if not self.shapes.shape[0]:
            return self.rest
        return as_floats(self.rest + np.einsum("...l,lki->...ki", np.exp(sizes), self.shapes))


class Fit(NamedTuple):
    """Result of `adjust`."""

    poses: Poses
    shared: Shared
    cost: float
    covariance: Floats
    """Of offsets, mounts (3 N each) and sizes, as if frames were independent."""
    misfit: Floats
    """Distance of trackers from where the poses put them [m], shape (F, N)."""
    turned: Floats
    """Angle between rotations of trackers and model [rad], shape (F, N)."""
    unusual: Floats
    """Squared distance of each pose from the usual one, in standard deviations, shape (F,)."""


def adjust(model: Model, seen: Seen, poses: Poses, shared: Shared, steps: int = 30) -> Fit:
    """Return poses and shared unknowns near the given ones that explain the trackers best."""
    damping = FIRST_DAMPING
    state = _linearize(model, seen, poses, shared)
    for _ in range(steps):
        moved = False
        while damping < MOST_DAMPING:
            step, common = _solve(state, damping)
            new_poses, new_shared = poses.moved(step), _moved(shared, common)
            cost = _cost(model, seen, new_poses, new_shared)
            if cost < state.cost:
                moved = True
                break
            damping *= 10.0
        if not moved:
            break
        done = state.cost - cost < LITTLE * state.cost
        poses, shared = new_poses, new_shared
        damping = max(damping / 10.0, LEAST_DAMPING)
        state = _linearize(model, seen, poses, shared)
        if done:
            break
    places = model.parts.place(poses.root, poses.turn, poses.pose, model.bones(shared.sizes))
    far, turned = _residuals(seen, places, shared)
    return Fit(
        poses,
        shared,
        state.cost,
        _covariance(state),
        np.linalg.norm(far, axis=-1),
        np.linalg.norm(turned, axis=-1),
        (_pose_residuals(seen, poses, shared.habit) ** 2).sum(axis=-1),
    )


def _moved(shared: Shared, step: Floats) -> Shared:
    n = len(shared.offsets)
    return Shared(
        shared.offsets + step[: 3 * n].reshape(n, 3),
        arrays.multiply(shared.mounts, arrays.from_rotvec(step[3 * n : 6 * n].reshape(n, 3))),
        shared.sizes + step[6 * n : len(step) - HABIT],
        shared.habit + step[len(step) - HABIT :],
    )


def _residuals(seen: Seen, places: tuple[Floats, Floats], shared: Shared) -> tuple[Floats, Floats]:
    """Return what model minus trackers is: vectors [m] and rotation vectors [rad], (..., N, 3)."""
    at, turned = (part[..., seen.nodes, :] for part in places)
    far = at + arrays.rotate(turned, shared.offsets) - seen.positions
    difference = arrays.multiply(
        arrays.conjugate(seen.rotations), arrays.multiply(turned, shared.mounts)
    )
    unknown = np.isnan(seen.rotations).any(axis=-1, keepdims=True)
    off = arrays.to_rotvec(np.where(unknown, arrays.identity(), difference))
    return np.where(np.isnan(far), 0.0, far), off


def _pose_residuals(seen: Seen, poses: Poses, habit: Floats) -> Floats:
    """Return distances from usual poses in standard deviations, shape (..., F, P + 2)."""
    tilt = arrays.rotate(arrays.conjugate(poses.turn), UP)[..., [0, 2]]
    x = np.concatenate([poses.pose, tilt], axis=-1)
    out = np.empty(x.shape)
    for k, prior in enumerate(seen.priors):
        which = np.flatnonzero(seen.kind == k)
        mean = prior.mean + prior.follows_habit * habit
        out[..., which, :] = (x[..., which, :] - mean) @ prior.whitener.T
    return out


def _overbent(poses: Poses) -> Floats:
    """Return how far elbows and knees are bent the wrong way, in standard deviations, (..., 4)."""
    return as_floats(np.minimum(poses.pose[..., HINGES] * FLEXION, 0.0) / OVERBEND)


def _student(seen: Seen, squared: Floats) -> Floats:
    tails = np.array([prior.tails for prior in seen.priors])[seen.kind]
    return np.asarray((tails + PARAMETERS + 2) * np.log1p(squared / tails))


def _huber(squared: Floats) -> Floats:
    far = np.sqrt(np.maximum(squared, OUTLIER**2))
    return np.where(squared <= OUTLIER**2, squared, OUTLIER * (2.0 * far - OUTLIER))


def _cost(model: Model, seen: Seen, poses: Poses, shared: Shared) -> float:
    places = model.parts.place(poses.root, poses.turn, poses.pose, model.bones(shared.sizes))
    far, off = _residuals(seen, places, shared)
    cost = _huber((far**2).sum(axis=-1) / seen.place_noise**2).sum(axis=-1)
    cost += _huber((off**2).sum(axis=-1) / seen.turn_noise**2).sum(axis=-1)
    cost += _student(seen, (_pose_residuals(seen, poses, shared.habit) ** 2).sum(axis=-1))
    cost += (_overbent(poses) ** 2).sum(axis=-1)
    total = float((seen.weight * cost).sum())
    offsets = (shared.offsets * model.offset_free[:, None]).ravel()
    total += float(offsets @ model.offset_precision @ offsets)
    total += float(shared.habit @ model.habit_precision @ shared.habit)
    return total + float(shared.sizes @ model.size_precision @ shared.sizes)


class _State(NamedTuple):
    """Normal equations: of each frame, between frames and what they share, of what they share."""

    frame: Floats
    frame_side: Floats
    between: Floats
    common: Floats
    common_side: Floats
    fixed: Floats
    cost: float


def _linearize(model: Model, seen: Seen, poses: Poses, shared: Shared) -> _State:
    frames, count = seen.positions.shape[:2]
    sizes = len(shared.sizes)
    lengths = slice(6 * count, 6 * count + sizes)
    width = 6 * count + sizes + HABIT
    habit = slice(width - HABIT, width)
    bones = model.bones(shared.sizes)
    places = model.parts.place(poses.root, poses.turn, poses.pose, bones)
    far, off = _residuals(seen, places, shared)
    usual = _pose_residuals(seen, poses, shared.habit)

    near = poses.moved(STEP * np.eye(POSE)[:, None])
    moved_places = model.parts.place(near.root, near.turn, near.pose, bones)
    found = _residuals(seen, moved_places, shared)
    by_pose = [
        (there - here) / STEP
        for there, here in zip(
            (*found, _pose_residuals(seen, near, shared.habit)), (far, off, usual), strict=True
        )
    ]
    by_pose[0][:, np.isnan(seen.positions)] = 0.0
    bent = _overbent(poses)
    bent_by = np.zeros((frames, len(HINGES), POSE))
    bent_by[:, range(len(HINGES)), [6 + k for k in HINGES]] = (bent < 0.0) * FLEXION / OVERBEND
    weight = seen.weight[:, None]
    seen_place = np.isfinite(seen.positions).any(axis=-1)
    seen_turn = np.isfinite(seen.rotations).all(axis=-1)
    place_weight = weight * seen_place * _huber_weight(far, seen.place_noise) / seen.place_noise**2
    turn_weight = weight * seen_turn * _huber_weight(off, seen.turn_noise) / seen.turn_noise**2
    squared = (usual**2).sum(axis=-1)
    tails = np.array([prior.tails for prior in seen.priors])[seen.kind]
    pose_weight = seen.weight * (tails + PARAMETERS + 2) / (tails + squared)

    # Derivatives by what is shared, (F, N, 3, width), in which a tracker has few columns.
    place_by = np.zeros((frames, count, 3, width))
    turn_by = np.zeros((frames, count, 3, width))
    turned = arrays.to_matrix(places.rotations[:, seen.nodes])
    for k in range(count):
        place_by[:, k, :, 3 * k : 3 * k + 3] = turned[:, k]
        turn_by[:, k, :, 3 * (count + k) : 3 * (count + k) + 3] = np.eye(3)
    if sizes:
        other = model.bones(shared.sizes + STEP * np.eye(sizes))[:, None]
        there = model.parts.place(poses.root[None], poses.turn[None], poses.pose[None], other)
        moved = (there.positions[..., seen.nodes, :] - places.positions[:, seen.nodes]) / (STEP)
        place_by[..., lengths] = np.moveaxis(moved, 0, -1)

    usual_by = np.zeros((frames, HABIT, width))
    for kind, prior in enumerate(seen.priors):
        judged = np.flatnonzero(seen.kind == kind)
        usual_by[judged, :, habit] = -prior.follows_habit * prior.whitener

    place_by[np.isnan(seen.positions)] = 0.0

    def stacked(part: Floats, noise: Floats) -> Floats:
        """(P, F, N, 3) to (F, 3 N, P), times the roots of weights."""
        return np.moveaxis(part * np.sqrt(noise)[..., None], 0, -1).reshape(frames, -1, POSE)

    a = np.concatenate(
        [
            stacked(by_pose[0], place_weight),
            stacked(by_pose[1], turn_weight),
            np.moveaxis(by_pose[2] * np.sqrt(pose_weight)[:, None], 0, -1),
            bent_by * np.sqrt(weight)[..., None],
        ],
        axis=1,
    )
    root_place, root_turn = np.sqrt(place_weight)[..., None], np.sqrt(turn_weight)[..., None]
    b = np.concatenate(
        [
            (place_by * root_place[..., None]).reshape(frames, -1, width),
            (turn_by * root_turn[..., None]).reshape(frames, -1, width),
            usual_by * np.sqrt(pose_weight)[:, None, None],
            np.zeros((frames, len(HINGES), width)),
        ],
        axis=1,
    )
    r = np.concatenate(
        [
            (far * root_place).reshape(frames, -1),
            (off * root_turn).reshape(frames, -1),
            usual * np.sqrt(pose_weight)[:, None],
            bent * np.sqrt(weight),
        ],
        axis=1,
    )
    at = np.swapaxes(a, 1, 2)
    common = np.einsum("fri,frj->ij", b, b, optimize=True)
    common_side = np.einsum("fri,fr->i", b, r, optimize=True)
    free = np.repeat(model.offset_free, 3)
    for part, precision, value in (
        (slice(0, 3 * count), model.offset_precision, shared.offsets.ravel() * free),
        (lengths, model.size_precision, shared.sizes),
        (habit, model.habit_precision, shared.habit),
    ):
        common[part, part] += precision
        common_side[part] += precision @ value
    aligned = seen_turn.any(axis=0) & (model.mount_free > 0.0)
    fixed = np.concatenate([free == 0, np.repeat(~aligned, 3), np.zeros(sizes + HABIT, bool)])
    return _State(
        at @ a,
        np.einsum("fir,fr->fi", at, r),
        at @ b,
        common,
        common_side,
        fixed,
        _cost(model, seen, poses, shared),
    )


def _huber_weight(values: Floats, noise: Floats) -> Floats:
    far = np.linalg.norm(values, axis=-1) / noise
    return np.where(far <= OUTLIER, 1.0, OUTLIER / np.maximum(far, OUTLIER))


def _reduced(state: _State, damping: float) -> tuple[Floats, Floats, Floats]:
    """Return frames solved for what is shared, and the equations of what is shared alone."""
    diagonal = np.einsum("fii->fi", state.frame)
    frame = state.frame + damping * diagonal[:, :, None] * np.eye(POSE) + 1e-9 * np.eye(POSE)
    both = np.concatenate([state.frame_side[..., None], state.between], axis=-1)
    solved = np.linalg.solve(frame, both)
    common = state.common - np.einsum("fpi,fpj->ij", state.between, solved[..., 1:], optimize=True)
    side = state.common_side - np.einsum("fpi,fp->i", state.between, solved[..., 0], optimize=True)
    common[state.fixed] = 0.0
    common[:, state.fixed] = 0.0
    common[state.fixed, state.fixed] = 1.0
    side[state.fixed] = 0.0
    return solved, common, side


def _solve(state: _State, damping: float) -> tuple[Floats, Floats]:
    solved, common, side = _reduced(state, damping)
    common = common + damping * np.diag(np.diag(common))
    shared = -np.linalg.solve(common, side)
    return -solved[..., 0] - solved[..., 1:] @ shared, as_floats(shared)


def _covariance(state: _State) -> Floats:
    _, common, _ = _reduced(state, 0.0)
    found = np.linalg.inv(common)
    found[state.fixed] = 0.0
    found[:, state.fixed] = 0.0
    return np.asarray(found)
