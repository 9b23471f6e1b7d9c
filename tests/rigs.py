"""Bodies to test on: the built-in figure, and the same person rigged in other ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion


def random_rotations(rng: np.random.Generator, *shape: int, size: float = 1.0) -> np.ndarray:
    """Rotations by some `size` [rad], with signs at random."""
    signs = rng.choice([-1.0, 1.0], size=(*shape, 1))
    return signs * arrays.from_rotvec(size * rng.normal(size=(*shape, 3)))


def random_motion(
    skeleton: Skeleton, seed: int = 0, frames: int = 5, size: float = 0.5, rate: float = 60.0
) -> Motion:
    """Unrelated poses, one after the other."""
    rng = np.random.default_rng(seed)
    rotations = random_rotations(rng, frames, skeleton.joint_count, size=size)
    return Motion(skeleton, rng.normal(size=(frames, 3)), rotations, rate)


def still_motion(skeleton: Skeleton, frames: int = 4, rate: float = 60.0) -> Motion:
    """The bind pose of a skeleton at its own place."""
    bind = arrays.identity(skeleton.joint_count) if skeleton.bind is None else skeleton.bind
    root = np.tile(skeleton.offsets[0], (frames, 1))
    return Motion(skeleton, root, np.tile(bind, (frames, 1, 1)), rate)


def folded_arms(turn: float = 0.9) -> Motion:
    """The left elbow pressed into the chest."""
    skeleton = Skeleton.humanoid(1.75)
    motion = still_motion(skeleton)
    rotations = motion.rotations.copy()
    shoulder, elbow = (skeleton.anatomy.node(f"l_{part}") for part in ("shoulder", "elbow"))
    rotations[:, shoulder] = arrays.multiply(
        arrays.from_axis_angle(np.array([1.0, 0, 0]), -0.5),
        arrays.from_axis_angle(np.array([0.0, 0, 1.0]), -turn),
    )
    rotations[:, elbow] = arrays.from_axis_angle(np.array([1.0, 0, 0]), -1.2)
    return Motion(skeleton, motion.root, rotations, motion.rate)


def odd_rig(seed: int = 1) -> Skeleton:
    """The built-in figure with joint frames that point anywhere; its bind pose stands."""
    figure = Skeleton.humanoid()
    frames = random_rotations(np.random.default_rng(seed), figure.joint_count)
    above = np.where((figure.parents >= 0)[:, None], frames[figure.parents], arrays.identity(1))
    return replace(
        figure,
        offsets=arrays.rotate(arrays.conjugate(above), figure.offsets),
        site_offsets=arrays.rotate(
            arrays.conjugate(frames[figure.site_parents]), figure.site_offsets
        ),
        bind=arrays.multiply(arrays.conjugate(above), frames),
        hinges={
            name: tuple(arrays.rotate(arrays.conjugate(frames[figure.index(name)]), np.array(axis)))
            for name, axis in figure.hinges.items()
        },
    )


def insert_above(skeleton: Skeleton, name: str, helper: str) -> Skeleton:
    """A rig with one more joint, half way from the parent of `name` to it (above a root: on it)."""
    at = skeleton.index(name)
    parent = int(skeleton.parents[at])
    half = 0.5 * skeleton.offsets[at] if parent >= 0 else np.zeros(3)
    old = np.arange(skeleton.joint_count)
    moved = np.where(old >= at, old + 1, old)  # number of each old joint in the new rig
    parents = np.where(skeleton.parents < 0, -1, moved[skeleton.parents])
    parents[at] = at
    offsets = skeleton.offsets.copy()
    offsets[at] = skeleton.offsets[at] - half
    return replace(
        skeleton,
        names=(*skeleton.names[:at], helper, *skeleton.names[at:]),
        parents=np.insert(parents, at, -1 if parent < 0 else parent),
        offsets=np.insert(offsets, at, half, axis=0),
        site_parents=moved[skeleton.site_parents],
    )
