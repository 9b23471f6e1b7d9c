from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigs import odd_rig, random_motion, still_motion
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.motion import STRIPE, Motion, as_floats
from sixpoint.motion.pose import Pose

FIGURE = Skeleton.humanoid()


def matrix_positions(pose: Pose) -> np.ndarray:
    """Forward kinematics once more, with SciPy's matrices and one node after the other."""
    s = pose.skeleton
    turns = Rotation.from_quat(np.roll(pose.rotations, -1, axis=-1)).as_matrix()
    moves = s.offsets if pose.translations is None else pose.translations
    world, places = [], []
    for j, parent in enumerate(s.parents):
        if parent < 0:
            world.append(turns[j])
            places.append(pose.root)
        else:
            world.append(world[parent] @ turns[j])
            places.append(places[parent] + world[parent] @ moves[j])
    for parent, offset in zip(s.site_parents, s.site_offsets, strict=True):
        places.append(places[parent] + world[parent] @ offset)
    return np.array(places)


@pytest.mark.parametrize("rig", [FIGURE, odd_rig()], ids=["figure", "odd frames"])
def test_positions_agree_with_matrices(rig):
    motion = random_motion(rig, frames=3)
    rng = np.random.default_rng(0)
    for clip in (motion, replace(motion, translations=rng.normal(size=(3, rig.joint_count, 3)))):
        for f, pose in enumerate(clip):
            expected = matrix_positions(pose)
            np.testing.assert_allclose(pose.world()[0], expected, atol=1e-12)
            np.testing.assert_allclose(clip.positions()[f], expected, atol=1e-12)


def test_world_rotations_agree_between_pose_and_motion():
    motion = random_motion(FIGURE, frames=3)
    np.testing.assert_array_equal(motion.world()[1][2], motion[2].world()[1])


def test_positions_of_some_nodes_come_in_the_order_asked_for():
    motion = random_motion(FIGURE, frames=3)
    whole = motion.positions()
    assert whole.shape == (3, len(FIGURE.node_names), 3)
    np.testing.assert_array_equal(motion.positions([40, 3, 7]), whole[:, [40, 3, 7]])


def test_long_clips_go_in_stripes():
    one = Skeleton(("only",), np.array([-1]), np.zeros((1, 3)), ("tip",), [0], [[0.0, 1.0, 0.0]])
    frames = STRIPE + 3
    angles = np.linspace(0.0, 9.0, frames)
    q = arrays.from_axis_angle(arrays.AXES["Z"], angles)[:, None]
    motion = Motion(one, np.zeros((frames, 3)), q, 30.0)
    expected = np.stack([-np.sin(angles), np.cos(angles), 0.0 * angles], axis=-1)
    np.testing.assert_allclose(motion.positions([1])[:, 0], expected, atol=1e-12)


def test_no_frames_have_no_positions():
    none = random_motion(FIGURE, frames=0)
    assert none.positions().shape == (0, len(FIGURE.node_names), 3)
    assert none.positions([1, 2]).shape == (0, 2, 3)
    assert none.duration == 0.0


def test_a_motion_is_a_sequence_of_poses():
    motion = random_motion(FIGURE, frames=4, rate=20.0)
    assert len(motion) == 4
    assert [pose.root[0] for pose in motion] == motion.root[:, 0].tolist()
    assert motion.duration == pytest.approx(0.2)
    assert motion.times == pytest.approx([0.0, 0.05, 0.1, 0.15])
    assert repr(motion) == "Motion(4 frames at 20 Hz, 34 joints)"


def test_frames_are_picked_in_the_order_given():
    motion = random_motion(FIGURE, frames=4)
    motion = replace(motion, translations=np.zeros((4, 34, 3)))
    picked = motion.frames([3, 0])
    np.testing.assert_array_equal(picked.rotations, motion.rotations[[3, 0]])
    np.testing.assert_array_equal(picked.root, motion.root[[3, 0]])
    assert picked.translations.shape == (2, 34, 3)
    assert len(motion.frames(slice(1, 3))) == 2


def test_a_motion_keeps_its_own_copy_and_cannot_be_changed():
    root = np.zeros((1, 3))
    motion = Motion(FIGURE, root, arrays.identity(1, 34), 30)
    root[0, 0] = 5.0
    assert motion.root[0, 0] == 0.0
    assert isinstance(motion.rate, float)
    with pytest.raises(ValueError, match="read-only"):
        motion.rotations[0] = 0.0
    with pytest.raises(FrozenInstanceError):
        motion.rate = 5.0


def test_numbers_that_make_no_motion_are_refused():
    root, turns = np.zeros((2, 3)), arrays.identity(2, 34)
    with pytest.raises(InputError, match=r"`root` to have shape \(2, 3\), got \(2, 2\)"):
        Motion(FIGURE, root[:, :2], turns, 30.0)
    with pytest.raises(InputError, match=r"`rotations` to have shape \(2, 34, 4\), got \(2, 33"):
        Motion(FIGURE, root, turns[:, 1:], 30.0)
    with pytest.raises(InputError, match=r"`translations` to have shape \(2, 34, 3\)"):
        Motion(FIGURE, root, turns, 30.0, np.zeros((1, 34, 3)))
    with pytest.raises(InputError, match="finite `root`"):
        Motion(FIGURE, root + np.nan, turns, 30.0)
    with pytest.raises(InputError, match="finite `rotations`"):
        Motion(FIGURE, root, np.full_like(turns, np.inf), 30.0)
    with pytest.raises(InputError, match="unit quaternions"):
        Motion(FIGURE, root, 1.001 * turns, 30.0)
    for rate in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="positive `rate`"):
            Motion(FIGURE, root, turns, rate)


def test_a_pose_checks_its_shapes():
    with pytest.raises(InputError, match=r"`rotations` to have shape \(34, 4\), got \(3, 4\)"):
        Pose(FIGURE, np.zeros(3), arrays.identity(3))
    with pytest.raises(InputError, match=r"`root` to have shape \(3,\)"):
        Pose(FIGURE, np.zeros(2), arrays.identity(34))
    with pytest.raises(InputError, match=r"`translations` to have shape \(34, 3\)"):
        Pose(FIGURE, np.zeros(3), arrays.identity(34), np.zeros((3, 3)))


def test_resampled_and_mirrored_are_short_for_the_functions():
    motion = random_motion(FIGURE, frames=5, rate=30.0)
    assert motion.resampled(60.0).rate == 60.0
    np.testing.assert_array_equal(motion.mirrored().root, motion.root * [-1.0, 1.0, 1.0])


def test_the_bind_pose_stands():
    for rig in (FIGURE, odd_rig()):
        np.testing.assert_allclose(still_motion(rig).positions()[0], FIGURE.rest()[0], atol=1e-12)


def test_as_floats_gives_the_layout_of_kernels():
    array = as_floats(np.arange(6).reshape(2, 3).T)
    assert array.flags.c_contiguous
    assert array.dtype == np.float64
