"""Compiled kernels and plain Python give the same bits."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.kernels._jit import kernel
from sixpoint.kernels.quaternion import (
    quat_angle,
    quat_from_columns,
    quat_normalize,
    quat_slerp,
    quat_twist_angle,
    quat_unrotate,
)
from sixpoint.kernels.rotation import (
    angle_wrap,
    circular_clamp,
    quat_from_euler_xyz,
    quat_from_zyz,
    quat_to_euler_xyz,
    rotation_between,
    rotation_mean,
)
from sixpoint.kernels.vector import vec_angle, vec_distance, vec_reject, vec_unit
from strategies import angles, directions, rotation_arrays, rotations, spans, vectors

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"),
    reason="NUMBA_DISABLE_JIT is set: there is nothing compiled to compare with",
)


@kernel
def vector_bits(a, b, u):
    return (
        vec_unit(a, u),
        vec_reject(a, u),
        vec_angle(a, b),
        vec_distance(a, b),
    )


@kernel
def quaternion_bits(p, q, v, t):
    return (
        quat_slerp(p, q, t),
        quat_angle(p, q),
        quat_unrotate(p, v),
        quat_normalize((v[0], v[1], v[2], t)),
        quat_from_columns((p[1:], q[1:], v)),
    )


@kernel
def rotation_bits(q, a, b, axis):
    return (
        rotation_between(a, b, axis),
        quat_twist_angle(q, axis),
        quat_from_euler_xyz(a[0], a[1], a[2]),
        quat_to_euler_xyz(q),
        quat_from_zyz(a[0], a[1], a[2]),
    )


@kernel
def angle_bits(x, lo, width):
    return angle_wrap(x), circular_clamp(x, lo, lo + width)


@kernel
def mean_bits(quats, weights):
    return rotation_mean(quats, weights)


def assert_same_bits(function, *arguments):
    # repr tells -0.0 from 0.0 and shows every bit of a float.
    assert repr(function(*arguments)) == repr(function.function(*arguments))


@given(vectors(), vectors(), directions())
def test_vectors(a, b, u):
    assert_same_bits(vector_bits, a, b, u)


@given(rotations(), rotations(), vectors(), st.floats(0.0, 1.0))
def test_quaternions(p, q, v, t):
    assert_same_bits(quaternion_bits, p, q, v, t)


@given(rotations(), vectors(), st.one_of(vectors(), directions()), directions())
def test_rotations(q, a, b, axis):
    assert_same_bits(rotation_bits, q, a, b, axis)


@given(st.one_of(angles(), spans(1e6)), angles(), st.floats(0.0, 6.28))
def test_angles(x, lo, width):
    assert_same_bits(angle_bits, x, lo, width)


@given(rotation_arrays(4))
def test_mean_rotation(quats):
    assert_same_bits(mean_bits, quats, np.array([1.0, 0.5, 0.0, 2.0]))
