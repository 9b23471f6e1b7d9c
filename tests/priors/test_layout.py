from __future__ import annotations

import numpy as np
from tests.priors.people import directions, right_outputs

from sixpoint.data.clips import builtin
from sixpoint.motion.mirror import mirror_motion
from sixpoint.priors.layout import (
    INPUTS,
    facing,
    inputs,
    measures,
    mirror_inputs,
    mirror_outputs,
    neutral,
)
from sixpoint.priors.poses import body_positions, build_of, poses_of


def seen(motion):
    build = build_of(motion.skeleton.anatomy)
    poses = poses_of(motion)
    points = body_positions(build, poses)[1] / build.height
    frames = facing(points, directions(poses)[:, 0])
    sizes = np.tile(measures(build), (len(points), 1))
    return inputs(points, frames, sizes), right_outputs(poses, frames)


def test_inputs_and_outputs_of_a_mirrored_motion_are_the_mirrored_ones():
    clip = builtin("boxing").frames(slice(0, None, 40))
    x, y = seen(clip)
    mirrored_x, mirrored_y = seen(mirror_motion(clip))
    order, signs = mirror_inputs()
    back, back_signs = mirror_outputs()
    assert x.shape[1] == INPUTS
    np.testing.assert_allclose(x[:, order] * signs, mirrored_x, atol=1e-9)
    np.testing.assert_allclose(y[:, back] * back_signs, mirrored_y, atol=1e-9)


def test_a_mirror_of_a_mirror_changes_nothing():
    for order, signs in (mirror_inputs(), mirror_outputs()):
        values = np.arange(1.0, 1.0 + len(order))
        once = values[order] * signs
        np.testing.assert_array_equal(once[order] * signs, values)


def test_a_facing_is_a_rotation_with_y_to_the_head():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(50, 5, 3))
    frames = facing(points, rng.normal(size=(50, 3)))
    np.testing.assert_allclose(np.linalg.det(frames), 1.0)
    up = points[:, 0] / np.linalg.norm(points[:, 0], axis=1, keepdims=True)
    np.testing.assert_allclose(frames[:, :, 1], up)


def test_neutral_outputs_are_their_own_mirror_image():
    back, signs = mirror_outputs()
    np.testing.assert_array_equal(neutral()[back] * signs, neutral())
