"""SMPL parameters become motions, by our own forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sixpoint as sp
from sixpoint.errors import FormatError, InputError
from sixpoint.formats import holds_points
from sixpoint.formats.amass import MODELS, STATURE, rest_joints
from sixpoint.kernels import arrays

FRAMES = 6
UPRIGHT = (np.pi / 2.0, 0.0, 0.0)
"""Rotation vector that stands a Y-up body in a Z-up room [rad]."""


def parameters(width, seed=0, turn=UPRIGHT):
    rng = np.random.default_rng(seed)
    poses = rng.normal(size=(FRAMES, width)) * 0.2
    poses[:, :3] = turn
    return poses, rng.normal(size=(FRAMES, 3)) * 0.1


def by_matrices(model, rest, poses, moves):
    """World places of the joints, by chains of homogeneous matrices."""
    out = np.zeros((len(poses), len(rest), 3))
    for f, row in enumerate(poses):
        turns = Rotation.from_rotvec(row.reshape(-1, 3)).as_matrix()
        world = [None] * len(rest)
        for j, parent in enumerate(model.parents):
            local = np.eye(4)
            local[:3, :3] = turns[j]
            local[:3, 3] = rest[j] if parent < 0 else rest[j] - rest[parent]
            world[j] = local if parent < 0 else world[parent] @ local
            out[f, j] = world[j][:3, 3]
        out[f] += moves[f]
    return out


@pytest.mark.parametrize("width", MODELS)
def test_joints_are_where_the_matrices_put_them(width, tmp_path):
    model = MODELS[width]
    poses, moves = parameters(width)
    rest = rest_joints(model, 1.8) + np.random.default_rng(1).normal(size=(width // 3, 3)) * 0.01
    np.savez(tmp_path / "a.npz", poses=poses, trans=moves, mocap_framerate=120.0, gender="female")
    motion = sp.load(tmp_path / "a.npz", joints=rest)
    expected = by_matrices(model, rest, poses, moves)[..., [0, 2, 1]] * (1.0, 1.0, -1.0)
    np.testing.assert_allclose(motion.positions(range(width // 3)), expected, atol=1e-9)
    assert motion.rate == 120.0
    assert motion.skeleton.kind == "human"
    assert motion.source.notes == ()


@pytest.mark.parametrize("width", MODELS)
def test_the_body_of_the_house_stands_in_its_stature(width, tmp_path):
    poses, moves = parameters(width)
    poses[:, 3:] = 0.0
    np.savez(tmp_path / "a.npz", poses=poses, trans=moves, mocap_framerate=60.0)
    motion = sp.load(tmp_path / "a.npz", height=1.6)
    assert motion.skeleton.anatomy.stature == pytest.approx(1.6, rel=1e-3)
    at = motion.points(["head", "pelvis", "l_ankle", "l_wrist", "r_wrist"]).positions[0]
    assert at[0, 1] > at[1, 1] > at[2, 1]
    assert at[3, 0] > at[1, 0] > at[4, 0]
    default = sp.load(tmp_path / "a.npz")
    assert default.skeleton.anatomy.stature == pytest.approx(STATURE, rel=1e-3)
    assert "needs the joints of the model" in default.source.notes[0]


def test_parts_of_the_pose_may_stand_apart(tmp_path):
    poses, moves = parameters(156)
    split = {"root_orient": poses[:, :3], "pose_body": poses[:, 3:66], "pose_hand": poses[:, 66:]}
    np.savez(tmp_path / "a.npz", poses=poses, trans=moves, mocap_framerate=60.0)
    np.savez(tmp_path / "b.npz", **split, trans=moves, mocap_frame_rate=60.0)
    one, other = (sp.load(tmp_path / name) for name in ("a.npz", "b.npz"))
    np.testing.assert_array_equal(one.rotations, other.rotations)
    assert not holds_points(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("up", "turn"),
    [("y", (0.0, 0.0, 0.0)), ("-y", (np.pi, 0.0, 0.0)), ("x", (0.0, 0.0, -np.pi / 2.0))],
)
def test_other_axes_are_found_and_said(up, turn, tmp_path):
    poses, moves = parameters(66, turn=turn)
    np.savez(tmp_path / "a.npz", poses=poses, trans=moves, fps=30.0)
    motion = sp.load(tmp_path / "a.npz")
    head, ankle = (motion.points([r]).positions[:, 0, 1].mean() for r in ("head", "l_ankle"))
    assert head - ankle > 1.0
    assert f"guessed: {up.upper()} points up" in motion.source.notes
    said = sp.load(tmp_path / "a.npz", up=up)
    np.testing.assert_array_equal(said.rotations, motion.rotations)


def test_it_becomes_a_bvh(tmp_path):
    poses, moves = parameters(72)
    np.savez(tmp_path / "a.npz", poses=poses, trans=moves, mocap_framerate=60.0)
    motion = sp.load(tmp_path / "a.npz")
    sp.save(motion, tmp_path / "a.bvh")
    back = sp.load(tmp_path / "a.bvh")
    order = [back.skeleton.index(name) for name in motion.skeleton.names]
    assert arrays.angle_between(back.rotations[:, order], motion.rotations).max() < 1e-4
    np.testing.assert_allclose(back.positions(order), motion.positions(range(24)), atol=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"poses": np.zeros((FRAMES, 70))}, r"66 \(SMPL body\), 72 \(SMPL\).*got 70"),
        ({"poses": np.zeros((3, 66))}, "6 rows of poses as of `trans`, got 3"),
        ({"trans": np.zeros((FRAMES, 2))}, r"'trans' of shape \(frames, 3\)"),
        ({"poses": np.full((FRAMES, 66), np.nan)}, "finite numbers in 'poses'"),
        ({"poses": np.array(["a"])}, "numbers in 'poses'"),
        ({"mocap_framerate": np.array(["a"])}, "number of frames a second"),
    ],
)
def test_odd_parameters_are_refused(change, message, tmp_path):
    poses, moves = parameters(66)
    np.savez(
        tmp_path / "a.npz", **{"poses": poses, "trans": moves, "mocap_framerate": 9.0, **change}
    )
    with pytest.raises(FormatError, match=message):
        sp.load(tmp_path / "a.npz")


def test_odd_options_are_refused(tmp_path):
    poses, moves = parameters(66)
    np.savez(tmp_path / "a.npz", poses=poses, trans=moves)
    with pytest.raises(InputError, match="Expected `rate`"):
        sp.load(tmp_path / "a.npz")
    with pytest.raises(InputError, match=r"`joints` of SMPL body.*\(22, 3\); got \(2, 3\)"):
        sp.load(tmp_path / "a.npz", joints=np.zeros((2, 3)))
    with pytest.raises(InputError, match="`joints` or `height`, got both"):
        sp.load(tmp_path / "a.npz", joints=np.zeros((22, 3)), height=1.7)
    clip = sp.builtin("walk").frames(slice(0, 3))
    sp.save(clip, tmp_path / "b.npz")
    with pytest.raises(InputError, match=r"SMPL parameters .* for height; this file has"):
        sp.load(tmp_path / "b.npz", height=1.7)
