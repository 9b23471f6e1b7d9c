"""Trackers of people that begin at a given pose."""

from __future__ import annotations

import numpy as np
import pytest

from rigs import insert_above, odd_rig
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.solvers import solver

from ..bodies import HUMAN, standing

L_WRIST, R_WRIST, L_ANKLE = 2, 3, 4
RIGS = {
    "figure": HUMAN,
    "odd": odd_rig(1),
    "below a root": insert_above(HUMAN, "HumanoidRoot", "Reference"),
}


def waving() -> np.ndarray:
    """Somebody who looks to the left, the left hand raised."""
    frame = standing()
    frame[L_WRIST] = (0.3, 0.6, 0.3)
    frame[R_WRIST] += (0.0, 0.1, 0.1)
    frame[L_ANKLE:] += (0.0, 0.05, 0.05)  # within reach
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), 2.0)
    return arrays.rotate(turn, frame) + np.array((1.0, 0.9, -2.0))


@pytest.mark.parametrize("rig", RIGS.values(), ids=RIGS.keys())
@pytest.mark.parametrize("name", ["sik", "tgbsik"])
def test_a_given_pose_stands_for_the_frame_before(name, rig):
    frame = waving()
    hidden = waving() + np.array((0.01, 0.0, 0.02))
    hidden[[L_WRIST, R_WRIST]] = np.nan
    one, other, fresh = (solver(name).prepare(rig, limits=None) for _ in range(3))
    before = one.solve(frame)
    assert before.residuals.max() < 1e-9
    other.reset(before.pose)
    expected, found, unaware = (tracker.solve(hidden).pose for tracker in (one, other, fresh))
    assert found.rotations == pytest.approx(expected.rotations, abs=1e-9)
    assert found.root == pytest.approx(expected.root, abs=1e-9)
    hand = rig.index("l_wrist")
    raised, hanging = (pose.world()[0][hand, 1] for pose in (found, unaware))
    assert raised > hanging + 0.3  # the lost hand stays raised where the pose is known


def test_the_pelvis_faces_where_it_did_in_a_given_pose():
    frame = waving()
    closed = frame.copy()
    closed[2::2] = closed[3::2]  # no line says where it faces
    tracker = solver("sik").prepare(HUMAN, limits=None)
    pose = tracker.solve(frame).pose
    ahead = tracker.solve(closed).pose.rotations[0]
    tracker.reset(pose)
    assert tracker.solve(closed).pose.rotations[0] == pytest.approx(ahead, abs=1e-9)
    tracker.reset()
    assert arrays.angle_between(tracker.solve(closed).pose.rotations[0], ahead) > 1.0


def test_a_pose_of_another_skeleton_is_refused():
    other = RIGS["below a root"]
    pose = Pose(other, np.zeros(3), arrays.identity(other.joint_count))
    tracker = solver("sik").prepare(HUMAN)
    with pytest.raises(InputError, match="Expected a pose of the same skeleton, with 34 joints"):
        tracker.reset(pose)
