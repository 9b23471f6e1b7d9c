"""Hypothesis strategies shared by all rooms.

Every one is drawn three ways: everyday values, values near a singularity, and the singularity
itself. Quaternions come with both signs.
"""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from sixpoint.kernels.quaternion import quat_from_rotvec, quat_normalize
from sixpoint.kernels.types import Quat, Vec3

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
AXES = (X, Y, Z, (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))


def spans(size: float) -> st.SearchStrategy[float]:
    """Floats in [-size, size]; none so small that its square vanishes."""
    return st.floats(-size, size).map(lambda x: 0.0 if abs(x) < 1e-100 else x)


def triples(size: float) -> st.SearchStrategy[Vec3]:
    return st.tuples(spans(size), spans(size), spans(size))


def _unit(v: Vec3) -> Vec3:
    n = math.sqrt(sum(c * c for c in v))
    return (v[0] / n, v[1] / n, v[2] / n)


def vectors() -> st.SearchStrategy[Vec3]:
    """Vectors of everyday length, of nearly none, and zero."""
    return st.one_of(triples(10.0), triples(1e-7), st.just((0.0, 0.0, 0.0)))


def directions() -> st.SearchStrategy[Vec3]:
    """Unit vectors: anywhere, near a coordinate axis, and on one."""
    anywhere = triples(1.0).filter(lambda v: sum(c * c for c in v) > 0.01).map(_unit)
    near = st.builds(
        lambda axis, d: _unit((axis[0] + d[0], axis[1] + d[1], axis[2] + d[2])),
        st.sampled_from(AXES),
        triples(1e-7),
    )
    return st.one_of(anywhere, near, st.sampled_from(AXES))


def rotation_vectors() -> st.SearchStrategy[Vec3]:
    """Rotation vectors up to pi: anywhere, near and at the identity, near and at half a turn."""
    scaled = st.builds(
        lambda u, a: (u[0] * a, u[1] * a, u[2] * a),
        directions(),
        st.one_of(
            st.floats(0.0, math.pi),
            st.floats(math.pi - 1e-7, math.pi),
            st.just(math.pi),
        ),
    )
    return st.one_of(scaled, triples(1e-7), st.just((0.0, 0.0, 0.0)))


def rotations() -> st.SearchStrategy[Quat]:
    """Unit quaternions of both signs: anywhere, near and at the identity, near and at half a turn.

    At exactly half a turn w is exactly zero.
    """
    turned = rotation_vectors().map(quat_from_rotvec)
    half_turns = directions().map(lambda u: (0.0, *u))
    return st.builds(
        lambda q, sign: quat_normalize((sign * q[0], sign * q[1], sign * q[2], sign * q[3])),
        st.one_of(turned, half_turns, st.just((1.0, 0.0, 0.0, 0.0))),
        st.sampled_from([1.0, -1.0]),
    )


def angles() -> st.SearchStrategy[float]:
    """Angles of several turns, and those at and near the multiples of a quarter turn."""
    quarters = st.integers(-8, 8).map(lambda k: 0.5 * math.pi * k)
    return st.one_of(spans(20.0), quarters, st.builds(lambda a, d: a + d, quarters, spans(1e-7)))


def gaps() -> st.SearchStrategy[float]:
    """Small distances from a singularity on every scale, and none."""
    return st.one_of(st.just(0.0), st.integers(-16, -1).map(lambda k: 10.0**k))


def bases() -> st.SearchStrategy[tuple[Vec3, Vec3, Vec3]]:
    """Right-handed orthonormal triples."""

    def columns(q: Quat) -> tuple[Vec3, Vec3, Vec3]:
        w, x, y, z = q
        return (
            (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
            (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
            (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
        )

    return rotations().map(columns)


def rotation_arrays(*shape: int) -> st.SearchStrategy[np.ndarray]:
    """Unit quaternions of one shape (*shape, 4)."""
    count = math.prod(shape)
    return st.lists(rotations(), min_size=count, max_size=count).map(
        lambda rows: np.array(rows, dtype=np.float64).reshape(*shape, 4)
    )
