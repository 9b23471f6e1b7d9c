from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sixpoint.kernels import arrays
from sixpoint.kernels._jit import kernel
from sixpoint.kernels.prism import (
    PrismTable,
    PushedLimb,
    PushSearch,
    prism_depth,
    prism_push_straight,
    prism_push_swivel,
    prism_witness,
    prisms_depth,
    prisms_depth_clip,
    prisms_push_limb,
)
from sixpoint.kernels.quaternion import quat_rotate, quat_to_rotvec
from sixpoint.kernels.vector import vec_add, vec_distance, vec_sub
from strategies import spans

BOX = np.array([(0.16, -0.11), (0.16, 0.11), (-0.16, 0.11), (-0.16, -0.11)])
ELBOW, SHOULDER, WRIST = (0.14, 0.05, 0.02), (0.18, 0.30, 0.0), (0.10, -0.02, 0.22)
RADIUS = 0.05
OCTAGON = np.array([(1, -0.5), (1, 0.5), (0.6, 1), (-0.6, 1)]) * [0.16, 0.11]
OCTAGON = np.concatenate([OCTAGON, -OCTAGON])
ONE = PrismTable(np.array([0]), np.array([-0.2]), np.array([0.3]), BOX[None])
ORIGIN, UPRIGHT = np.zeros((1, 3)), arrays.identity(1)


def rotvec(q):
    return np.array(quat_to_rotvec(q))


def test_golden_depth_and_witness_points():
    depth, ux, uz = prism_depth(ELBOW, RADIUS, BOX, -0.2, 0.3)
    assert (depth, ux, uz) == pytest.approx((0.07, 1.0, 0.0))
    p_t, p_e = prism_witness(ELBOW, RADIUS, depth, (ux, 0.0, uz))
    assert p_e == pytest.approx((0.09, 0.05, 0.02))
    assert p_t == pytest.approx((0.16, 0.05, 0.02))


def test_golden_push_of_a_straight_arm():
    turn = rotvec(prism_push_straight(SHOULDER, ELBOW, RADIUS, 0.07, (1.0, 0.0, 0.0)))
    angle = np.linalg.norm(turn)
    assert angle == pytest.approx(0.264963, abs=1e-6)
    assert turn / angle == pytest.approx([0.0, 0.079745, 0.996815], abs=1e-6)


def test_golden_push_of_a_bent_arm():
    turn = rotvec(prism_push_swivel(SHOULDER, ELBOW, WRIST, 0.07 / 0.30, (1.0, 0.0, 0.0)))
    axis = np.subtract(WRIST, SHOULDER) / vec_distance(WRIST, SHOULDER)
    assert turn == pytest.approx(0.233333 * axis, abs=1e-6)


def test_a_ball_at_the_middle_leaves_through_the_nearest_face():
    assert prism_depth((0.0, 0.0, 0.0), 0.0, BOX, -1.0, 1.0)[0] == pytest.approx(0.11)
    depth, ux, uz = prism_depth((0.0, 0.0, 0.01), 0.05, BOX, -1.0, 1.0)
    assert (depth, ux, uz) == pytest.approx((0.15, 0.0, 1.0))


def test_a_ball_beside_a_corner_is_pushed_away_from_the_corner():
    depth, ux, uz = prism_depth((0.16 + 0.03, 0.0, 0.11 + 0.04), 0.05, BOX, -1.0, 1.0)
    assert depth == pytest.approx(0.0, abs=1e-12)
    assert (ux, uz) == pytest.approx((0.6, 0.8))


def test_a_ball_on_the_face_or_at_the_corner_has_a_way_out():
    for point in ((0.16, 0.0, 0.0), (0.16, 0.0, 0.11), (0.16 + 1e-12, 0.0, 0.11 + 1e-12)):
        depth, ux, uz = prism_depth(point, 0.05, BOX, -1.0, 1.0)
        assert depth == pytest.approx(0.05)
        assert math.hypot(ux, uz) == pytest.approx(1.0)


def test_a_prism_acts_only_beside_itself():
    inside = prism_depth((0.14, 0.349, 0.02), RADIUS, BOX, -0.2, 0.3)
    assert inside[0] == pytest.approx(0.07)
    for y, gap in ((0.36, 0.01), (-0.35, 0.1)):
        assert prism_depth((0.14, y, 0.02), RADIUS, BOX, -0.2, 0.3) == pytest.approx(
            (-gap, 0.0, 0.0)
        )


def test_no_polygon_and_no_number_mean_no_depth():
    assert prism_depth(ELBOW, RADIUS, np.zeros((4, 2)), -1.0, 1.0)[0] == -math.inf
    assert prism_depth((math.nan, 0.0, 0.0), RADIUS, BOX, -1.0, 1.0)[0] == -math.inf


def test_corners_that_repeat_do_not_count():
    padded = np.concatenate([BOX, BOX[-1:], BOX[-1:]])
    for point in (ELBOW, (0.3, 0.0, 0.3), (-0.2, 0.0, -0.15)):
        assert prism_depth(point, RADIUS, padded, -1.0, 1.0) == prism_depth(
            point, RADIUS, BOX, -1.0, 1.0
        )


@given(spans(0.4), spans(0.4), st.sampled_from([BOX, OCTAGON]))
def test_moving_out_by_the_depth_just_touches(x, z, polygon):
    depth, ux, uz = prism_depth((x, 0.0, z), RADIUS, polygon, -1.0, 1.0)
    assert math.hypot(ux, uz) == pytest.approx(1.0)
    out = (x + depth * ux, 0.0, z + depth * uz)
    assert prism_depth(out, RADIUS, polygon, -1.0, 1.0)[0] == pytest.approx(0.0, abs=1e-9)


@given(spans(0.4), spans(0.4))
def test_no_other_direction_is_shorter(x, z):
    depth = prism_depth((x, 0.0, z), RADIUS, OCTAGON, -1.0, 1.0)[0]
    # Exit distance along a direction: to the supporting line of the outline, plus the radius.
    angle = np.linspace(0.0, 2.0 * math.pi, 3601)
    u = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    exits = (OCTAGON @ u.T).max(axis=0) - u @ [x, z] + RADIUS
    assert depth <= exits.min() + 1e-12
    assert depth == pytest.approx(exits.min(), abs=1e-5 + 2e-3 * abs(depth - RADIUS))


def test_the_deepest_prism_counts_in_the_world():
    turn = arrays.from_axis_angle(arrays.AXES["Y"], np.array([0.0, math.pi / 2]))
    places = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
    two = PrismTable(
        np.array([0, 1]), np.array([-1.0, -1.0]), np.array([1.0, 1.0]), np.stack([BOX, BOX])
    )
    # In the frame of the second, whose X is the world's -Z: 0.14 along X, 0.02 along Z.
    depth, u = prisms_depth(two, places, turn, (5.02, 0.0, -0.14), RADIUS)
    assert depth == pytest.approx(0.07)
    assert u == pytest.approx((0.0, 0.0, -1.0), abs=1e-12)


def test_without_prisms_nothing_is_deep():
    none = PrismTable(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros((0, 4, 2)))
    assert prisms_depth(none, ORIGIN, UPRIGHT, ELBOW, RADIUS)[0] == -math.inf


def push(root, middle, end, straight=False, table=ONE, iterations=30):
    limb = PushedLimb(root, middle, end, straight)
    return prisms_push_limb(table, ORIGIN, UPRIGHT, limb, RADIUS, PushSearch(1.0, 1e-4, iterations))


def depth_after(turn, root, middle):
    at = vec_add(root, quat_rotate(turn, vec_sub(middle, root)))
    return prisms_depth(ONE, ORIGIN, UPRIGHT, at, RADIUS)[0]


def test_a_bent_arm_swivels_out_and_keeps_its_hand():
    turn, depth, steps = push(SHOULDER, ELBOW, WRIST)
    assert depth <= 1e-4
    assert 1 < steps < 30
    assert depth_after(turn, SHOULDER, ELBOW) == pytest.approx(depth)
    hand = vec_add(SHOULDER, quat_rotate(turn, vec_sub(WRIST, SHOULDER)))
    assert hand == pytest.approx(WRIST)


def test_a_straight_arm_swings_out():
    turn, depth, steps = push(SHOULDER, ELBOW, (0.10, -0.20, 0.04), straight=True)
    assert depth <= 1e-4
    assert steps < 30
    assert depth_after(turn, SHOULDER, ELBOW) == pytest.approx(depth)


@pytest.mark.parametrize("straight", [False, True])
def test_every_step_makes_the_depth_less(straight):
    depths = [push(SHOULDER, ELBOW, WRIST, straight, iterations=k)[1] for k in range(8)]
    assert depths[0] == pytest.approx(0.07)
    for before, after in itertools.pairwise(depths):
        assert after < before or before <= 1e-4


def test_an_arm_that_is_out_does_not_move():
    turn, depth, steps = push((0.4, 0.3, 0.0), (0.4, 0.0, 0.0), (0.4, -0.1, 0.2))
    assert turn == (1.0, 0.0, 0.0, 0.0)
    assert steps == 0
    assert depth < 0.0


def test_an_arm_that_cannot_get_out_keeps_the_least_depth():
    # The swivel circle lies wholly inside.
    turn, depth, steps = push((0.0, 0.1, 0.0), (0.02, 0.0, 0.0), (0.0, -0.1, 0.0))
    assert steps == 30
    assert 0.0 < depth <= prisms_depth(ONE, ORIGIN, UPRIGHT, (0.02, 0.0, 0.0), RADIUS)[0]
    assert depth_after(turn, (0.0, 0.1, 0.0), (0.02, 0.0, 0.0)) == pytest.approx(depth)


def test_degenerate_limbs_give_finite_turns():
    for root, middle, end in (
        (ELBOW, ELBOW, ELBOW),
        (SHOULDER, ELBOW, SHOULDER),
        ((0.3, 0.05, 0.02), ELBOW, WRIST),  # p_e, p_t and the shoulder on one line
        ((0.12, 0.05, 0.02), ELBOW, WRIST),  # the shoulder between them
    ):
        for straight in (False, True):
            turn, depth, _ = push(root, middle, end, straight)
            assert np.linalg.norm(turn) == pytest.approx(1.0)
            assert math.isfinite(depth)


@given(spans(0.2), spans(0.2), spans(0.15), spans(0.15), spans(0.3), spans(0.25))
def test_a_push_never_makes_it_worse(x, z, ex, ez, wy, wz):
    root, middle, end = (x, 0.3, z), (ex, 0.05, ez), (0.1, wy, wz)
    before = prisms_depth(ONE, ORIGIN, UPRIGHT, middle, RADIUS)[0]
    assume(before > 1e-4)
    for straight in (False, True):
        turn, depth, _ = push(root, middle, end, straight)
        assert depth <= before
        assert np.linalg.norm(turn) == pytest.approx(1.0)


@kernel
def _push_compiled(table, positions, rotations, points, out):
    root = (points[0, 0], points[0, 1], points[0, 2])
    middle = (points[1, 0], points[1, 1], points[1, 2])
    end = (points[2, 0], points[2, 1], points[2, 2])
    limb = PushedLimb(root, middle, end, False)
    turn, depth, steps = prisms_push_limb(
        table, positions, rotations, limb, 0.05, PushSearch(1.0, 1e-4, 30)
    )
    out[0], out[1], out[2], out[3] = turn
    out[4] = depth
    out[5] = steps


def test_compiled_and_plain_give_the_same_bits():
    out = np.zeros(6)
    _push_compiled(ONE, ORIGIN, UPRIGHT, np.array([SHOULDER, ELBOW, WRIST]), out)
    turn, depth, steps = push(SHOULDER, ELBOW, WRIST)
    assert out.tolist() == [*turn, depth, steps]


def test_depths_of_a_clip():
    frames = 7
    positions = np.zeros((frames, 3, 3))
    positions[:, 1] = ELBOW
    positions[:, 2, 0] = np.linspace(0.0, 1.0, frames)
    out = np.empty((frames, 2))
    prisms_depth_clip(ONE, positions, arrays.identity(frames, 1), np.array([1, 2]), RADIUS, out)
    assert out[:, 0] == pytest.approx(0.07)
    for f in range(frames):
        assert (
            out[f, 1]
            == prisms_depth(ONE, ORIGIN, UPRIGHT, (positions[f, 2, 0], 0.0, 0.0), RADIUS)[0]
        )
