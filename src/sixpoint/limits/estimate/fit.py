"""How far may it go: the ranges of J joints in every family of limits, as arrays.

Hinges: the angle about the axis (joint-limit paper, Eqs. (8)-(12), corrected: A1.5, A1.6). Balls:
boxes of ZYZ angles as printed (Eqs. (13)-(15)) and in a frame that keeps clear of their locks,
boxes of XYZ angles, and the swing of the bone by sectors with an interval of twist. All are fitted
to all joints: whoever disagrees with a type can have the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...kernels import arrays
from ...kernels.types import Bools, Floats, Ints
from .classify import Classes
from .intervals import Coverage

UNLIMITED = np.radians(20.0)
"""A gap below this is no evidence of a limit: the angle counts as unlimited [rad] (step 7)."""
SECTORS = 24
"""Directions of swing for which the greatest amplitude is kept."""
SWINGS = 720
"""Parts of [0, pi] in which amplitudes are counted, for quantiles."""
BACKWARDS = np.pi - 2e-5
"""Beyond this swing the twist is not defined [rad]; limits allow every one there."""
CENTRED = np.array((np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))
"""Ry(90): in front of ZYZ angles it takes the middle of motion to (0, 90, 0) degrees."""


@dataclass(frozen=True, eq=False)
class Frames:
    """How the bones of J joints lie at rest: theta is the way from e1 to e2, seen from the bone."""

    bone: Floats
    """Unit vectors, shape (J, 3); e1 and e2 too, all three at right angles."""
    e1: Floats
    e2: Floats


@dataclass(frozen=True, eq=False)
class Ranges:
    """Intervals of A angles of J joints [rad]."""

    low: Floats
    """Shape (J, A)."""
    high: Floats
    gap: Floats
    """The largest part of the circle without samples."""
    mean: Floats
    """Mean point on the circle (cosine, sine), shape (J, A, 2)."""

    @property
    def unlimited(self) -> Bools:
        """Where the samples leave no gap worth the name, shape (J, A)."""
        return np.asarray(self.gap < UNLIMITED)


@dataclass(frozen=True, eq=False)
class Fit:
    """Everything that was measured."""

    samples: int
    centre: Floats
    """Mean rotations, of the centred ZYZ boxes, shape (J, 4)."""
    frames: Frames
    hinge: Ranges
    """One angle: about `Classes.axes`."""
    off_axis: Floats
    """RMS and greatest rotation across the axis [rad], shape (J, 2)."""
    zyz: Ranges
    zyz_centred: Ranges
    xyz: Ranges
    twist: Ranges
    swing: Floats
    """Greatest amplitude in each sector, or a quantile of it; 0 where no sample fell, (J, S)."""


def hinge_angles(turned: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Angles about axes (..., 3) of rotations (..., 4), and what turns across them [rad]."""
    w, v = turned[..., 0], turned[..., 1:]
    along = np.einsum("...k,...k->...", v, axes)
    across = np.linalg.norm(v - along[..., None] * axes, axis=-1)
    return arrays.wrap(2.0 * np.arctan2(along, w)), 2.0 * np.arctan2(across, np.hypot(w, along))


def centred(turned: Floats, centre: Floats) -> Floats:
    """Rotations whose ZYZ angles stand near (0, 90, 0) degrees where joints usually are."""
    return arrays.multiply(arrays.multiply(arrays.conjugate(centre), turned), CENTRED)


def swing_angles(turned: Floats, frames: Frames) -> tuple[Floats, Floats, Floats]:
    """Circumduction theta, amplitude psi and twist tau of rotations (..., J, 4) [rad]."""
    b = frames.bone
    w, v = turned[..., 0], turned[..., 1:]
    z = np.einsum("...k,...k->...", v, b)
    p = v - z[..., None] * b
    psi = 2.0 * np.arctan2(np.linalg.norm(p, axis=-1), np.hypot(w, z))
    heading = w[..., None] * np.cross(p, b) + z[..., None] * p
    x, y = (np.einsum("...k,...k->...", heading, e) for e in (frames.e1, frames.e2))
    return np.arctan2(y, x), psi, arrays.wrap(2.0 * np.arctan2(z, w))


class _Angles:
    """Coverage and mean points of some angles of J joints.

    The middle one of three cannot wrap: its range goes from the least to the greatest (A1.16).
    """

    def __init__(self, joints: int, angles: int) -> None:
        self._coverage = Coverage((joints, angles))
        self._sums = np.zeros((joints, angles, 2))
        self._counts = np.zeros((joints, angles))
        self._ends = np.full((2, joints), np.inf)

    def add(self, angles: Floats) -> None:
        self._coverage.add(angles)
        known = np.isfinite(angles)
        self._sums[..., 0] += np.cos(angles).sum(axis=0, where=known)
        self._sums[..., 1] += np.sin(angles).sum(axis=0, where=known)
        self._counts += known.sum(axis=0)
        if angles.shape[-1] == 3:
            ends = angles[..., 1].min(axis=0), -angles[..., 1].max(axis=0)
            self._ends = np.minimum(self._ends, ends)

    def ranges(self) -> Ranges:
        mean = self._sums / np.maximum(self._counts, 1.0)[..., None]
        low, high, gap = self._coverage.interval()
        if low.shape[-1] == 3:
            low[:, 1], high[:, 1], gap[:, 1] = self._ends[0], -self._ends[1], np.pi
        return Ranges(low, high, gap, mean)


def fit_ranges(
    blocks: Iterable[Floats], classes: Classes, centre: Floats, frames: Frames, quantile: float
) -> Fit:
    """Go over all samples (n, J, 4), block by block, and find the ranges of every family."""
    joints = len(centre)
    hinge, twist = _Angles(joints, 1), _Angles(joints, 1)
    zyz, middle, xyz = (_Angles(joints, 3) for _ in range(3))
    off = np.zeros((joints, 2))
    swing = np.zeros((joints, SECTORS))
    tally = np.zeros((joints, SECTORS, SWINGS), np.int64) if quantile < 1.0 else None
    samples = 0
    every = np.arange(joints)
    for block in blocks:
        samples += len(block)
        turned = arrays.multiply(arrays.conjugate(classes.reference), block)
        angle, across = hinge_angles(turned, classes.axes)
        hinge.add(angle[..., None])
        off[:, 0] += (across**2).sum(axis=0)
        off[:, 1] = np.maximum(off[:, 1], across.max(axis=0))
        zyz.add(arrays.to_zyz(block))
        middle.add(arrays.to_zyz(centred(block, centre)))
        xyz.add(arrays.to_euler("XYZ", block))
        theta, psi, tau = swing_angles(block, frames)
        twist.add(np.where(psi > BACKWARDS, np.nan, tau)[..., None])
        sector = np.floor((theta + np.pi) * (SECTORS / (2.0 * np.pi))).astype(np.int64) % SECTORS
        np.maximum.at(swing, (np.broadcast_to(every, sector.shape), sector), psi)
        if tally is not None:
            part = np.minimum((psi * (SWINGS / np.pi)).astype(np.int64), SWINGS - 1)
            np.add.at(tally, (np.broadcast_to(every, sector.shape), sector, part), 1)
    if tally is not None:
        swing = np.minimum(swing, _quantiles(tally, quantile))
    off[:, 0] = np.sqrt(off[:, 0] / max(samples, 1))
    return Fit(
        samples,
        centre,
        frames,
        hinge.ranges(),
        off,
        zyz.ranges(),
        middle.ranges(),
        xyz.ranges(),
        twist.ranges(),
        swing,
    )


def _quantiles(tally: Ints, quantile: float) -> Floats:
    """Upper end of the part of [0, pi] in which the quantile of each sector falls."""
    reached = np.cumsum(tally, axis=-1)
    wanted = quantile * reached[..., -1:]
    part = (reached >= np.maximum(wanted, 1.0)).argmax(axis=-1)
    return np.asarray(np.where(reached[..., -1] > 0, (part + 1) * (np.pi / SWINGS), 0.0))
