"""Ranges of J joints in every family of limits, as arrays, and the frames they are measured in.

Hinges: the angle about the axis (joint-limit paper, Eqs. (8)-(12), corrected). Balls:
boxes of ZYZ angles as printed (Eqs. (13)-(15)) and in a frame that keeps clear of their locks,
boxes of XYZ angles, and the swing of the bone by sectors with an interval of twist. All are fitted
to all joints, so that a joint can be given the limit of another type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...body.articulation import Articulation
from ...kernels import arrays
from ...kernels.types import Bools, Floats, Ints
from ..adult import FRAMES
from .classify import Classes
from .intervals import Coverage

UNLIMITED = np.radians(20.0)
"""A gap below this is no evidence of a limit: the angle counts as unlimited [rad]."""
SECTORS = 24
"""Directions of swing for which the greatest amplitude is kept."""
SWINGS = 720
"""Parts of [0, pi] in which amplitudes are counted, for quantiles."""
BACKWARDS = np.pi - 2e-5
"""Largest swing at which the twist is defined [rad]; limits allow every twist beyond."""
CENTRED = np.array((np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))
"""Ry(90): in front of ZYZ angles it takes the middle of motion to (0, 90, 0) degrees."""


BONES = dict.fromkeys(("shoulder", "elbow", "hip", "knee"), "limb")
BONES |= {"clavicle": "clavicle"} | dict.fromkeys(
    ("lumbar", "thoracic", "cervical", "head"), "spine"
)
"""Role without its side -> key of `FRAMES`."""


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
        """Whether the samples leave hardly a gap on the circle, shape (J, A)."""
        return np.asarray(self.gap < UNLIMITED)


@dataclass(frozen=True, eq=False)
class Fit:
    """Ranges of J joints in every family."""

    samples: int
    centre: Floats
    """Mean rotations, of the centred ZYZ boxes, shape (J, 4)."""
    frames: Floats
    """Directions of the bones and of theta = 0 and 90 degrees, shape (3, J, 3)."""
    ranges: Mapping[str, Ranges]
    """Intervals of the one angle of a "hinge" (about `Classes.axes`), of the three angles of the
    boxes "zyz", "zyz_centred" and "xyz", and of "twist"."""
    off_axis: Floats
    """RMS and greatest rotation across the axis of a hinge [rad], shape (J, 2)."""
    swing: Floats
    """Greatest amplitude in each sector, or a quantile of it; 0 where no sample fell, (J, S)."""


def own_joints(body: Articulation) -> Ints:
    """Joints that rotate relative to a body part: not a person's root and pelvis."""
    every = np.arange(body.skeleton.joint_count)
    if body.anatomy is None:
        return every
    above = body.skeleton.path(body.anatomy.node("pelvis"))
    return every[~np.isin(every, above)]


def joint_roles(body: Articulation, joints: Ints) -> dict[str, str]:
    """Joint name -> role, or region of the spine, where a person has one."""
    anatomy = body.anatomy
    if anatomy is None:
        return {}
    found = {joint: anatomy.region(joint) for joint in anatomy.spine}
    by_node: dict[int, str] = {node: role for role, node in anatomy.roles.nodes.items()}
    names = body.skeleton.names
    roles = {**found, **by_node}
    return {names[j]: roles[j] for j in joints.tolist() if j in roles}


def usual_axes(names: Sequence[str], roles: Mapping[str, str]) -> Floats:
    """Axes of elbows and knees, +X as in the adult limits, shape (J, 3); 0 for others."""
    known = [roles.get(name, "")[2:] in ("elbow", "knee") for name in names]
    return np.where(np.array(known)[:, None], (1.0, 0.0, 0.0), 0.0)


def swing_frames(body: Articulation, joints: Ints) -> Floats:
    """Return bone, theta = 0 and theta = 90 degrees of each joint, shape (3, J, 3).

    Limbs, clavicles and the spine have those of the adult limits. Other bones point to the first
    joint or site that hangs from them, with theta = 0 as far forwards as can be.
    """
    roles = joint_roles(body, joints)
    names = body.skeleton.names
    frames = [_frame(body, int(j), roles.get(names[j], "")) for j in joints]
    return np.array(frames).transpose(1, 0, 2)


def _frame(body: Articulation, joint: int, role: str) -> Floats:
    side = -1.0 if role.startswith("r_") else 1.0
    part = role[2:] if role[:2] in ("l_", "r_") else role
    if part in BONES:
        return np.array(FRAMES[BONES[part]]) * (side, 1.0, 1.0) + 0.0
    bone = _bone(body, joint)
    forwards = np.array((0.0, 0.0, 1.0) if abs(bone[2]) < 0.9 else (0.0, 1.0, 0.0))
    e1 = forwards - (forwards @ bone) * bone
    e1 /= np.linalg.norm(e1)
    return np.array([bone, e1, np.cross(bone, e1)])


def _bone(body: Articulation, joint: int) -> Floats:
    """Direction to the first node below that is not at the same position; down if there is none."""
    below = np.flatnonzero(body.skeleton.node_parents == joint)
    for node in below:
        length = float(np.linalg.norm(body.offsets[node]))
        if length > 1e-9 * max(body.length, 1e-300):
            return np.asarray(body.offsets[node] / length)
    return np.array((0.0, -1.0, 0.0))


def hinge_angles(turned: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Angles about axes (..., 3) of rotations (..., 4), and the rotation across them [rad]."""
    w, v = turned[..., 0], turned[..., 1:]
    along = np.einsum("...k,...k->...", v, axes)
    across = np.linalg.norm(v - along[..., None] * axes, axis=-1)
    return arrays.wrap(2.0 * np.arctan2(along, w)), 2.0 * np.arctan2(across, np.hypot(w, along))


def swing_angles(turned: Floats, frames: Floats) -> tuple[Floats, Floats, Floats]:
    """Circumduction theta, amplitude psi and twist tau of rotations (..., J, 4) [rad]."""
    b, *heads = frames
    w, v = turned[..., 0], turned[..., 1:]
    z = np.einsum("...k,...k->...", v, b)
    p = v - z[..., None] * b
    psi = 2.0 * np.arctan2(np.linalg.norm(p, axis=-1), np.hypot(w, z))
    heading = w[..., None] * np.cross(p, b) + z[..., None] * p
    x, y = (np.einsum("...k,...k->...", heading, e) for e in heads)
    return np.arctan2(y, x), psi, arrays.wrap(2.0 * np.arctan2(z, w))


class _Angles:
    """Coverage and mean points of some angles of J joints.

    The middle one of three cannot wrap: its range goes from the least to the greatest.
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
    blocks: Iterable[Floats], classes: Classes, centre: Floats, frames: Floats, quantile: float
) -> Fit:
    """Go over all samples (n, J, 4), block by block, and find the ranges of every family."""
    joints = len(centre)
    angles = {name: _Angles(joints, 1) for name in ("hinge", "twist")}
    angles |= {name: _Angles(joints, 3) for name in ("zyz", "zyz_centred", "xyz")}
    off = np.zeros((joints, 2))
    swing = np.zeros((joints, SECTORS))
    tally = np.zeros((joints, SECTORS, SWINGS), np.int64) if quantile < 1.0 else None
    samples = 0
    every = np.arange(joints)
    back = arrays.conjugate(centre)
    for block in blocks:
        samples += len(block)
        turned = arrays.multiply(arrays.conjugate(classes.reference), block)
        angle, across = hinge_angles(turned, classes.axes)
        angles["hinge"].add(angle[..., None])
        off[:, 0] += (across**2).sum(axis=0)
        off[:, 1] = np.maximum(off[:, 1], across.max(axis=0))
        angles["zyz"].add(arrays.to_zyz(block))
        angles["zyz_centred"].add(
            arrays.to_zyz(arrays.multiply(arrays.multiply(back, block), CENTRED))
        )
        angles["xyz"].add(arrays.to_euler("XYZ", block))
        theta, psi, tau = swing_angles(block, frames)
        angles["twist"].add(np.where(psi > BACKWARDS, np.nan, tau)[..., None])
        sector = np.floor((theta + np.pi) * (SECTORS / (2.0 * np.pi))).astype(np.int64) % SECTORS
        np.maximum.at(swing, (np.broadcast_to(every, sector.shape), sector), psi)
        if tally is not None:
            part = np.minimum((psi * (SWINGS / np.pi)).astype(np.int64), SWINGS - 1)
            np.add.at(tally, (np.broadcast_to(every, sector.shape), sector, part), 1)
    if tally is not None:
        swing = np.minimum(swing, _quantiles(tally, quantile))
    off[:, 0] = np.sqrt(off[:, 0] / max(samples, 1))
    ranges = {name: found.ranges() for name, found in angles.items()}
    return Fit(samples, centre, frames, ranges, off, swing)


def _quantiles(tally: Ints, quantile: float) -> Floats:
    """Upper end of the part of [0, pi] in which the quantile of each sector falls."""
    reached = np.cumsum(tally, axis=-1)
    wanted = quantile * reached[..., -1:]
    part = (reached >= np.maximum(wanted, 1.0)).argmax(axis=-1)
    return np.asarray(np.where(reached[..., -1] > 0, (part + 1) * (np.pi / SWINGS), 0.0))
