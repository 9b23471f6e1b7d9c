"""Where the pelvis of sequential IK faces, against the numbers and claims of the SIK paper."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import quat_to_columns
from sixpoint.data.clips import builtin
from sixpoint.kernels.vector import vec_dot
from sixpoint.solvers.people.plan import pelvis_frame
from strategies import directions, vectors

from ..bodies import angle, context, memory, settings

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def six(pelvis, head, r_wrist, l_wrist, r_ankle, l_ankle):
    return np.array((pelvis, head, l_wrist, r_wrist, l_ankle, r_ankle), dtype=np.float64)


FIGHTER = six(
    (0, 1, 0),
    (0.05, 1.55, 0.1),
    (-0.4, 1.1, 0.2),
    (0.3, 1.2, 0.35),
    (-0.12, 0.1, -0.1),
    (0.15, 0.1, 0.2),
)


def frame_after(left, points, **changed):
    """Columns X, Y, Z of the pelvis, `left` being the X axis of the frame before."""
    state = memory()
    if left is not None:
        state.left[:] = left
        state.frames = 1
    return quat_to_columns(pelvis_frame(context(chosen=settings(**changed), state=state), points))


@pytest.mark.parametrize(
    ("weights", "left", "front"),
    [
        ((1.0, 1.0, 0.0), (0.867413, -0.164255, 0.469696), (-0.489548, -0.112707, 0.864662)),
        ((0.1, 0.1, 1.0), (0.992859, -0.101621, 0.062487), (-0.079340, -0.171335, 0.982013)),
    ],
)
def test_pelvis_frame_is_that_of_the_paper(weights, left, front):
    x, y, z = frame_after(X, FIGHTER, weights=weights)
    assert y == pytest.approx((0.089087, 0.979958, 0.178174), abs=1e-6)
    assert x == pytest.approx(left, abs=1e-6)
    assert z == pytest.approx(front, abs=1e-6)


def test_first_frame_has_no_axis_of_before():  # w3 := 0
    first = frame_after(None, FIGHTER, weights=(0.1, 0.1, 1.0))
    assert first == pytest.approx(np.array(frame_after(X, FIGHTER, weights=(0.1, 0.1, 0.0))))


def test_literal_average_is_not_projected_term_by_term():
    w1, w2, w3 = 0.1, 0.1, 1.0
    up = np.array(frame_after(X, FIGHTER)[1])

    def flat(v):
        v = v - (v @ up) * up
        return v / np.linalg.norm(v)

    total = (
        w1 * flat(FIGHTER[2] - FIGHTER[3]) + w2 * flat(FIGHTER[4] - FIGHTER[5]) + w3 * np.array(X)
    )
    printed = total / np.linalg.norm(total)
    assert printed @ up == pytest.approx(0.076, abs=5e-4)  # why the paper's words cannot stand
    x, y, _ = frame_after(X, FIGHTER, weights=(w1, w2, w3), project_previous=False)
    assert x == pytest.approx(flat(total), abs=1e-12)
    assert abs(vec_dot(x, y)) < 1e-12
    assert angle(np.array(x), np.array(frame_after(X, FIGHTER, weights=(w1, w2, w3))[0])) > 1e-4


@pytest.mark.parametrize("opposed", [0.0, 1e-9, 1e-5])
def test_lines_that_cancel_leave_the_pelvis_as_it_was(opposed):
    points = six((0, 1, 0), (0, 1.5, 0), (0.3, 1, 0), (-0.3, 1, 0), (-0.1, 0, opposed), (0.1, 0, 0))
    for left in ((0.6, 0.0, 0.8), (0.6, 0.0, -0.8)):
        assert frame_after(left, points)[0] == pytest.approx(left, abs=1e-12)
    assert frame_after(None, points)[0] == pytest.approx(X, abs=1e-12)


def test_lines_along_the_spine_say_nothing():
    points = six((0, 1, 0), (0, 1.5, 0), (0, 0.8, 0), (0, 1.2, 0), (0, 0, 0), (0, 0, 0))
    assert frame_after((0.0, 0.0, 1.0), points)[0] == pytest.approx(Z)
    x, y, z = frame_after(Y, points)  # nor does the axis of before
    assert [abs(vec_dot(x, y)), abs(vec_dot(y, z))] == pytest.approx([0.0, 0.0], abs=1e-12)


@given(st.tuples(*[vectors()] * 6), st.one_of(st.none(), directions()), st.booleans())
def test_pelvis_frame_is_orthonormal_whatever_is_seen(points, left, project):
    x, y, z = frame_after(
        left, np.array(points), weights=(0.5, 1.0, 0.25), project_previous=project
    )
    basis = np.array([x, y, z])
    assert basis @ basis.T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(basis) == pytest.approx(1.0, abs=1e-9)


def yaw_of_walk(**changed):
    """Where the pelvis of the built-in walk faces, frame after frame [rad]."""
    c = context(chosen=settings(**changed))
    yaw = []
    for points in builtin("walk").points().positions:
        x, _, z = quat_to_columns(pelvis_frame(c, points))
        c.state.left[:], c.state.frames = x, 1
        yaw.append(math.atan2(z[0], z[2]))
    return np.array(yaw)


def test_third_weight_stiffens_the_torso():
    spread = [np.var(yaw_of_walk(weights=(1.0, 1.0, w))) for w in (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)]
    assert all(a > b for a, b in pairwise(spread))
    assert spread[-1] < 0.7 * spread[0]


def test_walking_wants_the_weights_of_the_playground():
    fighting, walking = ((1.0, 1.0, 0.0), (0.1, 0.1, 1.0))
    assert np.std(yaw_of_walk(weights=fighting)) > 1.2 * np.std(yaw_of_walk(weights=walking))
