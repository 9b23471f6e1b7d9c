"""Clear elbows out of the body by their swivel: a projection for any motion of a person.

Where an arm lies in the trunk, the head, a leg or the other arm, its elbow rotates about the line
from shoulder to wrist; the wrist keeps its position, and the hand rotates with the forearm. The
depth of the whole arm in the rest of the body, summed over all pairs, never grows. Swivels of a
clip are chosen together, so that an elbow does not jump. `ElbowTorso` does this inside the solver
for the elbow and the torso alone, as published.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..body.shapes import BodyShape, free_pairs
from ..errors import InputError
from ..kernels import arrays
from ..kernels.capsule import segment_gap
from ..kernels.types import Floats, Ints
from ..limits import Limits
from ..motion.motion import Motion

COARSE_STEP, FINE_STEP = np.radians(5.0), np.radians(0.5)
"""Steps of the swivel: around the circle, then around what was best [rad]."""
SWIVEL_COST = 0.02
"""Cost of a swivel [mm of depth per degree]."""
FAST_SWIVEL = np.radians(300.0)
"""Swivel speed that costs a millimetre of depth [rad/s]; twice as fast, four."""
FRAMES_AT_A_TIME = 64
"""Frames judged at a time."""


def clear_elbows(motion: Motion, limits: Limits | None = None) -> tuple[Motion, Floats]:
    """Swivel elbows out of the body where they are in it.

    Args:
        motion: of a person.
        limits: of the shoulders; None for none.

    Returns:
        The motion, and the swivel of each elbow [rad], shape (F, 2): left and right.
    """
    if not len(motion):
        raise InputError("Expected a motion of one frame or more, got none.")
    swivels = np.zeros((len(motion), 2))
    for side in range(2):
        arm = _Arm(motion, "lr"[side], limits)
        swivels[:, side] = arm.swivels()
        motion = arm.rotated(swivels[:, side])
    return motion, swivels


class _Arm:
    """One arm of a motion, and all that it may touch."""

    def __init__(self, motion: Motion, side: str, limits: Limits | None) -> None:
        self.motion, self.limits = motion, limits
        anatomy = motion.skeleton.anatomy
        self.shoulder = anatomy.node(f"{side}_shoulder")
        positions, world = motion.world()
        shape, pairs = free_pairs(motion.skeleton)
        self.own, self.other = _pairs_of(shape, pairs, side)
        self.starts, self.ends = shape.place(positions, world)
        self.reach = shape.radii[self.own] + shape.radii[self.other]
        self.at = positions[:, self.shoulder]
        axis = positions[:, anatomy.node(f"{side}_wrist")] - self.at
        length = np.linalg.norm(axis, axis=-1, keepdims=True)
        self.axis = np.where(length > 1e-6, axis / np.maximum(length, 1e-6), (0.0, 1.0, 0.0))
        above = world[:, motion.skeleton.parents[self.shoulder]]
        self.above, self.world = above, world[:, self.shoulder]

    def locals(self, angles: Floats) -> Floats:
        """Rotations of the shoulder in its parent for swivels (F, K) [rad], (F, K, 4)."""
        spin = arrays.from_axis_angle(self.axis[:, None], angles)
        turned = arrays.multiply(spin, self.world[:, None])
        return arrays.normalize(arrays.multiply(arrays.conjugate(self.above)[:, None], turned))

    def rotated(self, angles: Floats) -> Motion:
        """The motion with swivels (F,)."""
        rotations = self.motion.rotations.copy()
        moved = angles != 0.0
        rotations[moved, self.shoulder] = self.locals(angles[:, None])[moved, 0]
        return replace(self.motion, rotations=rotations)

    def swivels(self) -> Floats:
        """The best swivel of each frame [rad], (F,): every five degrees, then every half."""
        count = len(self.motion)
        still = self.depths(np.zeros((count, 1)))
        if not (still > 0.0).any():
            return np.zeros(count)
        angles = COARSE_STEP * np.arange(-round(np.pi / COARSE_STEP), round(np.pi / COARSE_STEP))
        best = self._path(np.broadcast_to(angles, (count, len(angles))), still, np.pi * 2.0)
        near = FINE_STEP * np.arange(
            -round(COARSE_STEP / FINE_STEP), round(COARSE_STEP / FINE_STEP) + 1
        )
        tried = np.concatenate([best[:, None] + near, np.zeros((count, 1))], axis=1)
        return self._path(tried, still, np.inf)

    def _path(self, angles: Floats, still: Floats, turn: float) -> Floats:
        """Swivels out of (F, K) that together cost least (dynamic programming over the frames)."""
        cost = 1e3 * self.depths(angles) + SWIVEL_COST * np.degrees(np.abs(angles))
        allowed = (cost <= 1e3 * still + SWIVEL_COST * np.degrees(np.abs(angles)) + 1e-9) & (
            self.keeps_limits(angles) | (angles == 0.0)
        )
        cost = np.where(allowed, cost, np.inf)
        came = np.zeros(angles.shape, np.int64)
        total = cost[0]
        for f in range(1, len(angles)):
            way = np.abs(angles[f][:, None] - angles[f - 1][None])
            way = np.minimum(way, np.abs(turn - way))
            paths = total[None] + (way * self.motion.rate / FAST_SWIVEL) ** 2
            came[f] = np.argmin(paths, axis=1)
            total = cost[f] + np.take_along_axis(paths, came[f][:, None], axis=1)[:, 0]
        out = np.empty(len(angles))
        k = int(np.argmin(total))
        for f in range(len(angles) - 1, -1, -1):
            out[f] = angles[f, k]
            k = int(came[f, k])
        return out

    def keeps_limits(self, angles: Floats) -> np.ndarray:
        """Whether the shoulder is within its limits, for swivels (F, K)."""
        name = self.motion.skeleton.names[self.shoulder]
        if self.limits is None or name not in self.limits:
            return np.ones(angles.shape, np.bool_)
        before, after = (q[self.shoulder] for q in self.motion.skeleton.articulation.frames)
        local = arrays.multiply(before, self.locals(angles))
        turned = arrays.multiply(local, arrays.conjugate(after))
        return np.asarray(self.limits[name].violation(turned) <= 1e-9)

    def depths(self, angles: Floats) -> Floats:
        """How deep the arm is in the rest, all pairs together, for swivels (F, K) [m], (F, K)."""
        out = np.empty(angles.shape)
        for f in range(0, len(angles), FRAMES_AT_A_TIME):
            rows = slice(f, f + FRAMES_AT_A_TIME)
            spin = arrays.from_axis_angle(self.axis[rows, None, None], angles[rows, :, None])
            at = self.at[rows, None, None]
            mine = [
                at + arrays.rotate(spin, ends[rows, None, self.own] - at)
                for ends in (self.starts, self.ends)
            ]
            rest = [ends[rows, None, self.other] for ends in (self.starts, self.ends)]
            gap = segment_gap(*mine, *rest)[2]
            out[rows] = np.maximum(self.reach - gap, 0.0).sum(axis=-1)
        return out


def _pairs_of(shape: BodyShape, pairs: tuple[tuple[int, int], ...], side: str) -> tuple[Ints, Ints]:
    """Pairs of an arm with the rest of the body: capsules of the arm, and the others."""
    arm = {f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")}
    mine = [(i, j) for i, j in pairs if (shape.names[i] in arm) != (shape.names[j] in arm)]
    own = [i if shape.names[i] in arm else j for i, j in mine]
    other = [j if shape.names[i] in arm else i for i, j in mine]
    return np.array(own, np.int64), np.array(other, np.int64)
