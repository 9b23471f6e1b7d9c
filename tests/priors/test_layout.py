"""What goes into the prior: the same in compiled code, for mirrored and for turned bodies."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.data.clips import builtin
from sixpoint.kernels import arrays
from sixpoint.kernels._jit import kernel
from sixpoint.kernels.quaternion import quat_conj, quat_from_columns
from sixpoint.limits import adult_limits
from sixpoint.motion.mirror import mirror_motion
from sixpoint.priors.layout import (
    AT,
    COUNT,
    HEIGHT,
    INPUTS,
    OUTPUTS,
    PER_POINT,
    POINTS,
    facing,
    inputs,
    left_of,
    measures,
    mirror_inputs,
    mirror_outputs,
    neutral,
    origin,
    sides,
)
from sixpoint.priors.poses import build_of
from sixpoint.priors.training import draw_marks
from sixpoint.solvers.articulated.whole_body import whole_body
from sixpoint.solvers.guided.prediction import (
    INPUT_OF,
    find_left,
    find_origin,
    new_prediction,
    write_inputs,
)


@kernel
def compiled(prediction, x, positions, rotations):
    points = positions, rotations
    left, start = find_left(positions, rotations), find_origin(positions)
    a, b = left[0] + 1e-6, left[2]
    size = np.sqrt(a * a + b * b)
    a, b = a / size, b / size
    turn = quat_from_columns(((a, 0.0, b), (0.0, 1.0, 0.0), (-b, 0.0, a)))
    write_inputs(prediction, x, points, quat_conj(turn), start)


def crowd(count, seed):
    """Random points and rotations, and which of them are known."""
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(count, COUNT, 3))
    rotations = arrays.normalize(rng.normal(size=(count, COUNT, 4)))
    seen, turned = (mark.astype(float) for mark in draw_marks(count, rng))
    return positions, rotations, seen, turned


def told(positions, rotations, seen, turned, body):
    turns = arrays.to_matrix(rotations)
    frames = facing(left_of(positions, turns, seen, turned))
    return inputs(positions, turns, (seen, turned), frames, body)[0]


def test_the_kernel_writes_the_inputs_that_the_prior_was_trained_with():
    clip = builtin("walk")
    anatomy = clip.skeleton.anatomy
    prediction = new_prediction(anatomy, whole_body(anatomy, adult_limits(clip.skeleton)))
    positions, rotations, seen, turned = crowd(200, 1)
    body = np.tile(measures(build_of(anatomy)), (200, 1))
    wanted = told(positions / anatomy.height, rotations, seen, turned, body)
    for k in range(200):
        at = np.where(seen[k, :, None] > 0.0, positions[k], np.nan)[INPUT_OF]
        turns = np.where(turned[k, :, None] > 0.0, rotations[k], np.nan)[INPUT_OF]
        x = np.full(INPUTS, np.nan)
        compiled(prediction, x, at, turns)
        np.testing.assert_allclose(x, wanted[k], atol=1e-6)


def test_inputs_of_a_mirrored_motion_are_the_mirrored_ones():
    clip = builtin("boxing").frames(slice(0, None, 40))
    names = [name for name in POINTS if name in clip.skeleton.anatomy.landmarks]
    found = []
    for motion in (clip, mirror_motion(clip)):
        points = motion.points(names, rotations=True)
        count = len(motion)
        positions, rotations = np.zeros((count, COUNT, 3)), np.zeros((count, COUNT, 4))
        rotations[..., 0] = 1.0
        seen, turned = np.zeros((count, COUNT)), np.zeros((count, COUNT))
        places = [AT[name] for name in names]
        positions[:, places] = points.positions
        known = np.isfinite(points.rotations[..., 0])
        rotations[:, places] = np.where(known[..., None], points.rotations, (1.0, 0.0, 0.0, 0.0))
        seen[:, places], turned[:, places] = 1.0, known
        body = np.tile(measures(build_of(motion.skeleton.anatomy)), (count, 1))
        found.append(told(positions, rotations, seen, turned, body))
    order, signs = mirror_inputs()
    np.testing.assert_allclose(found[0][:, order] * signs, found[1], atol=1e-5)


def test_turning_and_moving_a_body_on_the_ground_changes_nothing():
    positions, rotations, seen, turned = crowd(50, 2)
    body = np.ones((50, 12))
    turn = arrays.from_rotvec(np.array([0.0, 0.8, 0.0]))
    moved = arrays.rotate(turn, positions) + np.array([3.0, 0.0, -2.0])
    other = told(moved, arrays.multiply(turn, rotations), seen, turned, body)
    one = told(positions, rotations, seen, turned, body)
    # Where nothing says where a body faces, it faces as the world does.
    left = left_of(positions, arrays.to_matrix(rotations), seen, turned)
    told_apart = np.linalg.norm(left[:, [0, 2]], axis=1) > 0.01
    assert told_apart.sum() > 40
    np.testing.assert_allclose(one[told_apart], other[told_apart], atol=1e-3)


def test_what_is_not_known_is_zero_and_does_not_matter():
    positions, rotations, seen, turned = crowd(30, 3)
    hidden = np.where(seen[..., None] > 0.0, positions, 7.0)
    unknown = np.where(turned[..., None] > 0.0, rotations, (0.0, 1.0, 0.0, 0.0))
    body = np.ones((30, 12))
    one = told(positions, rotations, seen, turned, body)
    np.testing.assert_array_equal(told(hidden, unknown, seen, turned, body), one)
    columns = one[:, :HEIGHT].reshape(30, COUNT, PER_POINT)
    np.testing.assert_array_equal(columns[seen == 0.0][:, [0, 1, 2, 9]], 0.0)
    np.testing.assert_array_equal(columns[turned == 0.0][:, 3:9], 0.0)


def test_the_height_above_the_ground_is_told_where_no_foot_is_seen():
    positions, rotations, seen, turned = crowd(200, 4)
    x = told(positions, rotations, seen, turned, np.ones((200, 12)))
    feet = seen[:, [AT[f"{side}_{name}"] for side in "lr" for name in ("ankle", "toe")]].any(axis=1)
    np.testing.assert_array_equal(x[:, HEIGHT + 1], ~feet)
    np.testing.assert_array_equal(x[feet, HEIGHT], 0.0)
    np.testing.assert_allclose(x[~feet, HEIGHT], origin(positions, seen)[~feet, 1])


@pytest.mark.parametrize("mirror", [mirror_inputs, mirror_outputs])
def test_a_mirror_of_a_mirror_changes_nothing(mirror):
    order, signs = mirror()
    values = np.arange(1.0, 1.0 + len(order))
    once = values[order] * signs
    np.testing.assert_array_equal(once[order] * signs, values)


@pytest.mark.parametrize("mirror", [mirror_inputs, mirror_outputs])
def test_sums_and_differences_hold_everything(mirror):
    order, signs = mirror()
    both = sides(order, signs)
    assert both.even.shape[1] + both.odd.shape[1] == len(order)
    x = np.random.default_rng(5).normal(size=(3, len(order)))
    np.testing.assert_allclose((x[:, order] * signs) @ both.even, x @ both.even)
    np.testing.assert_allclose((x[:, order] * signs) @ both.odd, -(x @ both.odd))


def test_a_facing_is_a_rotation_about_the_vertical():
    frames = facing(np.random.default_rng(6).normal(size=(50, 3)))
    np.testing.assert_allclose(np.linalg.det(frames), 1.0)
    np.testing.assert_array_equal(frames[:, :, 1], np.tile((0.0, 1.0, 0.0), (50, 1)))


def test_neutral_outputs_are_their_own_mirror_image():
    back, signs = mirror_outputs()
    assert neutral().shape == (OUTPUTS,)
    np.testing.assert_array_equal(neutral()[back] * signs, neutral())
