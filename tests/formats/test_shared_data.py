"""Real files, where they are at hand: other people's rigs and the CMU database."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sixpoint.body.roles import find_roles
from sixpoint.formats import inspect, load, save

pytestmark = pytest.mark.data

UNITS = {
    "accad": 0.01, "aitviewer": 0.01, "bandai": 0.01, "blender": 1.0, "bvhtoolbox": 0.01,
    "cmu_daz": 0.01, "makehuman": 0.1, "mixamo": 0.01, "perception": 0.01, "pybvh": 0.0254,
    "xsens": 1.0, "geno": 0.01,
}  # fmt: skip
"""Start of the file name -> metres per unit, known from the files' extents."""
Z_UP = ("makehuman", "pybvh", "xsens")

JOINTS = {
    "root": "Hips", "lhipjoint": "LHipJoint", "lfemur": "LeftUpLeg", "ltibia": "LeftLeg",
    "lfoot": "LeftFoot", "ltoes": "LeftToeBase", "lowerback": "LowerBack", "upperback": "Spine",
    "thorax": "Spine1", "lowerneck": "Neck", "upperneck": "Neck1", "head": "Head",
    "lclavicle": "LeftShoulder", "lhumerus": "LeftArm", "lradius": "LeftForeArm",
    "lwrist": "LeftHand", "lhand": "LeftFingerBase", "lfingers": "LeftHandIndex1",
    "lthumb": "LThumb", "rfemur": "RightUpLeg", "rtibia": "RightLeg", "rfoot": "RightFoot",
    "rtoes": "RightToeBase", "rhumerus": "RightArm", "rradius": "RightForeArm",
    "rwrist": "RightHand", "rhand": "RightFingerBase", "rthumb": "RThumb",
}  # fmt: skip
"""Joint of the CMU skeleton in ASF -> in BVH."""


def files(folder, pattern, at_least):
    found = sorted(folder.glob(pattern))
    if len(found) < at_least:
        pytest.skip(f"fewer than {at_least} files {pattern} in {folder}")
    return found


def test_every_rig_is_read_with_its_unit_and_axes(shared_data):
    for path in files(shared_data, "other/bvh/*.bvh", 10):
        motion = load(path)
        start = next(s for s in UNITS if path.name.startswith(s))
        assert motion.source.unit == UNITS[start], path.name
        assert (motion.source.axes != (1.0, 0.0, 0.0, 0.0)) == (start in Z_UP), path.name
        # People stand: heads are over ankles in the middle of every one of these clips.
        nodes = find_roles(motion.skeleton).nodes
        at = motion.positions([nodes["head"], nodes["l_ankle"], nodes["r_ankle"]])
        assert np.median(at[:, 0, 1] - at[:, 1:, 1].max(axis=1)) > 0.6, path.name


def test_every_rig_comes_back_as_it_was(shared_data, tmp_path):
    paths = files(shared_data, "other/bvh/*.bvh", 10) + files(shared_data, "other/bvh_odd/*.bvh", 5)
    for path in [*paths, *files(shared_data, "cmu/paper/*.bvh", 1)]:
        motion = load(path)
        assert save(motion, tmp_path / "a.bvh") == ()
        back = load(tmp_path / "a.bvh", unit=motion.source.unit)
        assert back.skeleton.node_names == motion.skeleton.node_names, path.name
        assert back.source.channels == motion.source.channels, path.name
        assert back.source.axes == motion.source.axes, path.name
        assert (len(back), back.rate) == (len(motion), motion.rate), path.name
        apart = np.abs(back.positions() - motion.positions()).max()
        assert apart < 1e-6, path.name  # the demand is 1e-4 of the height


def test_rigs_whose_rest_pose_does_not_stand_are_bound_upright(shared_data):
    for pattern in ("other/bvh/bandai*.bvh", "other/bvh/accad*.bvh"):
        for path in files(shared_data, pattern, 1):
            body = load(path).skeleton
            nodes, at = find_roles(body).nodes, body.rest()[0]
            assert at[nodes["head"], 1] > at[nodes["pelvis"], 1] + 0.4, path.name
            assert at[nodes["pelvis"], 1] > at[nodes["l_ankle"], 1] + 0.6, path.name
            assert at[nodes["l_hip"], 0] > at[nodes["r_hip"], 0] + 0.1, path.name


def test_acclaim_and_repaired_bvh_agree(shared_data):
    compared = 0
    for path in files(shared_data, "cmu-asf/*.amc", 5):
        for twin in shared_data.glob(f"cmu/*/{path.stem}.bvh"):
            one, two = load(path), load(twin)
            assert len(one) == len(two)
            a = one.positions([one.skeleton.index(name) for name in JOINTS])
            b = two.positions([two.skeleton.index(name) for name in JOINTS.values()])
            assert np.abs(a - b).max() < 1e-4, path.name
            compared += 1
    assert compared >= 3


def test_hinges_of_the_cmu_skeleton(shared_data):
    for path in files(shared_data, "cmu-asf/*.asf", 5):
        hinges = load(path).skeleton.hinges
        assert hinges["ltibia"] == pytest.approx((0.9397, 0.3420, 0.0), abs=1e-3)
        assert hinges["rtibia"] == pytest.approx((0.9397, -0.3420, 0.0), abs=1e-3)
        assert hinges["lradius"] == pytest.approx((0.0, -0.8660, 0.5), abs=1e-3)
        assert hinges["rradius"] == pytest.approx((0.0, 0.8660, -0.5), abs=1e-3)
        assert "lwrist" not in hinges  # a twist


def test_positive_turns_bend_elbows_and_knees(shared_data):
    """Bending brings the far end nearer to the near one."""
    motion = load(files(shared_data, "cmu-asf/02_01*.amc", 1)[0])
    body = motion.skeleton
    at = motion.positions()
    for near, joint, far in (("lfemur", "ltibia", "lfoot"), ("rhumerus", "rradius", "rwrist")):
        axis = np.array(body.hinges[joint])
        q = motion.rotations[:, body.index(joint)]
        angle = 2.0 * np.arctan2(q[:, 1:] @ axis, q[:, 0])
        span = np.linalg.norm(at[:, body.index(near)] - at[:, body.index(far)], axis=-1)
        assert np.corrcoef(angle, span)[0, 1] < -0.9
        assert np.median(angle) > 0.0


def test_endorphin(shared_data):
    motion = load(files(shared_data, "other/asf_amc/*.amc", 1)[0])
    assert len(motion) == 1741
    assert motion.source.unit == pytest.approx(1.0)
    assert 1.6 < motion.skeleton.anatomy.stature < 2.0


def test_the_faults_of_the_common_conversion_are_told(shared_data):
    for path in files(shared_data, "cmu-original/*.bvh", 2):
        problems = " ".join(inspect(path).problems)
        assert "bones lost in conversion from the CMU database" in problems, path.name
        assert "first frame is a T-pose" in problems, path.name
    for path in files(shared_data, "cmu/walk/*.bvh", 5):
        info = inspect(path)
        assert info.problems == (), path.name
        assert 1.4 < info.height < 2.0
        assert info.up == "y"


def test_long_files_read_quickly(shared_data):
    """4510 frames of 96 channels; the limit leaves room for a busy machine."""
    path = files(shared_data, "cmu/paper/01_03*.bvh", 1)[0]
    best = min(_seconds(load, path) for _ in range(3))
    assert best < 1.0


def _seconds(call, *arguments):
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start
