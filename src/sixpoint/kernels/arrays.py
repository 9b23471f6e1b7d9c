"""The rotation toolbox over arrays: quaternions of shape (..., 4), vectors of shape (..., 3).

For whole clips, where a few NumPy calls over all frames beat a compiled loop that must first be
compiled. The formulas are those of `quaternion.py`, fed with component arrays.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .quaternion import NO_NORM, SMALL_ANGLE, quat_conj, quat_mul, quat_rotate
from .rotation import XYZ_LOCK
from .types import Bools, Floats, Ints, Quat, Vec3

ZYZ_LOCK = 1e-6
"""Nearer than this to 0 or pi, the middle ZYZ angle counts as locked [rad]: the outer two would be
noise in the statistics made of them."""

DETERMINED = 1e-3
"""Where Horn's two largest eigenvalues differ by less than this part, the rotation is open."""
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def _parts(a: Floats) -> Any:
    return tuple(np.moveaxis(a, -1, 0))


def _stack(parts: Any) -> Floats:
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def as_vec(values: ArrayLike) -> Vec3:
    """Three numbers as the tuple that kernels take."""
    x, y, z = np.asarray(values, dtype=np.float64).tolist()
    return (x, y, z)


def as_quat(values: ArrayLike) -> Quat:
    """Four numbers as the tuple that kernels take."""
    w, x, y, z = np.asarray(values, dtype=np.float64).tolist()
    return (w, x, y, z)


def multiply(a: Floats, b: Floats) -> Floats:
    """Quaternion products, broadcast over leading axes."""
    return _stack(quat_mul(_parts(a), _parts(b)))


def conjugate(q: Floats) -> Floats:
    """Opposite rotations."""
    return _stack(quat_conj(_parts(q)))


def rotate(q: Floats, v: Floats) -> Floats:
    """Rotated vectors, broadcast over leading axes."""
    return _stack(quat_rotate(_parts(q), _parts(v)))


def normalize(q: Floats) -> Floats:
    """Unit quaternions; a zero quaternion becomes the identity."""
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    zero = norm < NO_NORM
    return np.where(zero, identity(), q / np.where(zero, 1.0, norm))


def canonical(q: Floats) -> Floats:
    """Quaternions with the sign that makes the first non-zero component positive."""
    first = np.take_along_axis(q, np.argmax(q != 0.0, axis=-1, keepdims=True), axis=-1)
    return np.where(first < 0.0, -q, q)


def identity(*shape: int) -> Floats:
    """Identity rotations, shape (*shape, 4)."""
    q = np.zeros((*shape, 4))
    q[..., 0] = 1.0
    return q


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Rotations about unit axes (..., 3) by angles (...) [rad], broadcast over leading axes."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)
    x, y, z = _parts(np.asarray(axis, dtype=np.float64))
    sine = np.sin(half)
    return _stack((np.cos(half), sine * x, sine * y, sine * z))


def from_euler(order: str, angles: Floats) -> Floats:
    """Intrinsic rotations R = R1 R2 R3 about the axes in `order` ("ZXY"), angles (..., n) [rad]."""
    q = identity(*angles.shape[:-1])
    for k, letter in enumerate(order):
        q = multiply(q, from_axis_angle(AXES[letter], angles[..., k]))
    return q


def to_euler(order: str, q: Floats) -> Floats:
    """Intrinsic Tait-Bryan angles of three different axes (..., 3) [rad].

    The outer two in (-pi, pi], the middle one in [-pi/2, pi/2]. In gimbal lock the third is zero.
    """
    i, j, k = ("XYZ".index(letter) for letter in order)
    # The half-angle formulas of `quat_to_euler_xyz`, with the axes renamed; an odd order is the
    # mirror image of an even one, in which the third axis and the third angle change sign.
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    w, x, y, z = q[..., 0], q[..., 1 + i], q[..., 1 + j], sign * q[..., 1 + k]
    half_sum = np.arctan2(x + z, w + y)
    half_difference = np.arctan2(x - z, w - y)
    b = 2.0 * np.arctan2(np.hypot(w + y, x + z), np.hypot(w - y, x - z)) - 0.5 * np.pi
    up, down = b > 0.5 * np.pi - XYZ_LOCK, b < XYZ_LOCK - 0.5 * np.pi
    a = np.where(
        up, 2.0 * half_sum, np.where(down, 2.0 * half_difference, half_sum + half_difference)
    )
    c = np.where(up | down, 0.0, sign * (half_sum - half_difference))
    return np.stack([wrap(a), b, wrap(c)], axis=-1)


def to_zyz(q: Floats) -> Floats:
    """Angles of q = Rz(phi) Ry(psi) Rz(theta) (..., 3) [rad]: psi in [0, pi].

    In both locks (psi near 0 and near pi) theta is 0 and psi exactly 0 or pi. Joint-limit
    estimation paper, Eqs. (25)-(36), in half angles.
    """
    w, x, y, z = _parts(q)
    psi = 2.0 * np.arctan2(np.hypot(x, y), np.hypot(w, z))
    half_sum, half_difference = np.arctan2(z, w), np.arctan2(-x, y)
    near, far = psi < ZYZ_LOCK, psi > np.pi - ZYZ_LOCK
    phi = np.where(
        near, 2.0 * half_sum, np.where(far, 2.0 * half_difference, half_sum + half_difference)
    )
    theta = np.where(near | far, 0.0, half_sum - half_difference)
    return np.stack([wrap(phi), np.where(near, 0.0, np.where(far, np.pi, psi)), wrap(theta)], -1)


def wrap(angles: Floats) -> Floats:
    """The same angles in (-pi, pi]; those that lie there already are returned to the bit."""
    inside = (-np.pi < angles) & (angles <= np.pi)
    if np.all(inside):
        return np.array(angles)  # usual, and four times faster
    r = np.mod(angles, 2.0 * np.pi)
    return np.where(inside, angles, np.where(r > np.pi, r - 2.0 * np.pi, r))


def to_matrix(q: Floats) -> Floats:
    """Rotation matrices (..., 3, 3), acting on column vectors."""
    return np.stack(
        [rotate(q, np.asarray(AXES[letter])) for letter in "XYZ"],
        axis=-1,
    )


def angle_between(a: Floats, b: Floats) -> Floats:
    """Angles of the rotations from a to b [rad], in [0, pi]."""
    d = multiply(conjugate(a), b)
    return cast("Floats", 2.0 * np.arctan2(np.linalg.norm(d[..., 1:], axis=-1), np.abs(d[..., 0])))


def to_rotvec(q: Floats) -> Floats:
    """Rotation vectors of the shorter way (..., 3) [rad]; the same for q and -q."""
    q = canonical(q)
    s = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    tiny = s < SMALL_ANGLE
    scale = 2.0 * np.arctan2(s, q[..., :1]) / np.where(tiny, 1.0, s)
    return q[..., 1:] * np.where(tiny, 2.0, scale)


def from_rotvec(v: Floats) -> Floats:
    """Rotations by |v| about v (..., 3) [rad]."""
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    tiny = half < SMALL_ANGLE
    scale = np.where(tiny, 0.5, np.sin(half) / np.where(tiny, 1.0, 2.0 * half))
    return np.concatenate([np.cos(half), scale * v], axis=-1)


def best_rotation(covariance: Floats) -> tuple[Floats, Bools]:
    """Return the rotation that takes vectors a to vectors b best, and whether there is one.

    Best in the least-squares sense (Horn 1987, *Closed-form solution of absolute orientation using
    unit quaternions*, section 4). Vectors along one line leave a turn about it open.

    Args:
        covariance: sums over the vectors of a_i b_j, shape (..., 3, 3).
    """
    s = covariance
    matrix = np.empty((*s.shape[:-2], 4, 4))
    matrix[..., 0, 0] = s[..., 0, 0] + s[..., 1, 1] + s[..., 2, 2]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        matrix[..., 0, k + 1] = matrix[..., k + 1, 0] = s[..., i, j] - s[..., j, i]
        matrix[..., k + 1, k + 1] = s[..., k, k] - s[..., i, i] - s[..., j, j]
        matrix[..., i + 1, j + 1] = matrix[..., j + 1, i + 1] = s[..., i, j] + s[..., j, i]
    values, vectors = np.linalg.eigh(matrix)
    gap = values[..., 3] - values[..., 2]
    return np.array(vectors[..., 3]), np.asarray(gap > DETERMINED * np.abs(values[..., 3]))


def slerp(a: Floats, b: Floats, t: ArrayLike) -> Floats:
    """Interpolated rotations along the shorter way; t (...) in [0, 1]."""
    t = np.asarray(t, dtype=np.float64)[..., None]
    return normalize(multiply(a, from_rotvec(t * to_rotvec(multiply(conjugate(a), b)))))


def same_hemisphere(q: Floats) -> Floats:
    """Signs chosen along the first axis so that neighbours never have a negative product."""
    flips = np.sum(q[1:] * q[:-1], axis=-1) < 0.0
    signs = np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    out = q.copy()
    out[1:] *= signs[..., None]
    return out


def forward(parents: Ints, translations: Floats, rotations: Floats) -> tuple[Floats, Floats]:
    """Forward kinematics over a parent array.

    Args:
        parents: parent of each joint, -1 for a root, always smaller than the joint's own index.
        translations: (..., J, 3) relative to the parent [m]; a root's is its world position.
        rotations: (..., J, 4) relative to the parent.

    Returns:
        World positions (..., J, 3) and world rotations (..., J, 4).
    """
    shape = np.broadcast_shapes(translations.shape[:-1], rotations.shape[:-1])
    positions = np.empty((*shape, 3))
    world = np.empty((*shape, 4))
    for j, parent in enumerate(parents):
        if parent < 0:
            positions[..., j, :] = translations[..., j, :]
            world[..., j, :] = rotations[..., j, :]
        else:
            g = world[..., parent, :]
            positions[..., j, :] = positions[..., parent, :] + rotate(g, translations[..., j, :])
            world[..., j, :] = multiply(g, rotations[..., j, :])
    return positions, world
