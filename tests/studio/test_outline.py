from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.kernels import arrays
from sixpoint.studio.panels import View, capsule_outline, ellipsoid_outline, facing_of

angles = st.floats(-3.1, 3.1)
radii = st.floats(0.01, 1.0)
places = st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))


def distance_to_discs(corner, start, end, r1, r2):
    """How far a corner is outside the union of discs along the axis; negative inside."""
    t = np.linspace(0.0, 1.0, 2001)[:, None]
    centres = (1.0 - t) * start + t * end
    return float(np.min(np.hypot(*(corner - centres).T) - ((1.0 - t) * r1 + t * r2)[:, 0]))


@given(places, places, radii, radii)
def test_capsule_outline_lies_on_the_edge_of_all_discs(a, b, r1, r2):
    start, end = np.array(a), np.array(b)
    for corner in capsule_outline(start, end, (r1, r2))[::5]:
        assert abs(distance_to_discs(corner, start, end, r1, r2)) < 2e-3


@pytest.mark.parametrize("end", [(0.0, 0.0), (1e-13, 0.0), (0.05, 0.0)])
def test_capsule_seen_along_its_axis_is_its_larger_disc(end):
    corners = capsule_outline(np.zeros(2), np.array(end), (0.3, 0.2))
    np.testing.assert_allclose(np.hypot(*corners.T), 0.3)
    corners = capsule_outline(np.array(end), np.zeros(2), (0.2, 0.3))
    np.testing.assert_allclose(np.hypot(*corners.T), 0.3)


@given(
    st.tuples(angles, angles, angles), st.tuples(radii, radii, radii), angles, st.floats(-1.4, 1.4)
)
def test_ellipse_touches_the_shadow_of_the_ellipsoid(turns, half, yaw, pitch):
    turn = arrays.from_euler("XYZ", np.array(turns))
    basis = View(yaw, pitch).basis(np.array([0.0, 0.0, 1.0]))
    outline = ellipsoid_outline(np.zeros(2), turn, np.array(half), basis)
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(4000, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    shadow = arrays.rotate(turn, ball * half) @ basis[:2].T
    for angle in np.linspace(0.0, np.pi, 7):
        way = np.array([np.cos(angle), np.sin(angle)])
        wide = float((outline @ way).max())
        assert (shadow @ way).max() <= wide * (1.0 + 5e-3)
        assert (shadow @ way).max() >= wide * 0.9


@given(angles, st.floats(-1.5, 1.5))
def test_basis_is_right_handed_and_upright(yaw, pitch):
    basis = View(yaw, pitch).basis(np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(basis) == pytest.approx(1.0)
    assert basis[0, 1] == pytest.approx(0.0, abs=1e-12)
    assert basis[1, 1] >= 0.0


def test_from_the_front_the_left_hand_is_on_the_right(squat):
    basis = View(0.0, 0.0).basis(facing_of(squat))
    points = squat.points(["l_wrist", "r_wrist"]).positions[0] @ basis.T
    assert points[0, 0] > points[1, 0]


def test_facing_follows_the_hips(squat):
    np.testing.assert_allclose(facing_of(squat), [0.0, 0.0, 1.0], atol=0.15)
    turned = np.array(squat.rotations)
    about = arrays.from_axis_angle((0.0, 1.0, 0.0), np.pi / 2.0)
    turned[:, 0] = arrays.multiply(about, turned[:, 0])
    np.testing.assert_allclose(
        facing_of(replace(squat, rotations=turned)), [1.0, 0.0, 0.0], atol=0.15
    )


def test_facing_is_ahead_where_there_is_no_person(snake, squat):
    np.testing.assert_array_equal(facing_of(snake), [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(facing_of(squat.frames(slice(0, 0))), [0.0, 0.0, 1.0])
