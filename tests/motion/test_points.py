from __future__ import annotations

import numpy as np
import pytest

from rigs import odd_rig, random_motion, still_motion
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.motion.points import SIX, Points

FIGURE = Skeleton.humanoid()


def test_a_motion_shows_its_six_points():
    motion = random_motion(FIGURE, frames=3)
    points = motion.points()
    assert points.names == SIX
    assert points.rate == motion.rate
    assert points.rotations is None
    joints = ("HumanoidRoot", "skullbase", "l_wrist", "r_wrist", "l_ankle", "r_ankle")
    np.testing.assert_array_equal(
        points.positions, motion.positions([FIGURE.index(name) for name in joints])
    )
    assert points.seen.all()


def test_other_roles_can_be_asked_for():
    motion = random_motion(FIGURE, frames=2)
    points = motion.points(["l_elbow", "head"])
    assert points.names == ("l_elbow", "head")
    np.testing.assert_array_equal(
        points.positions[:, 0], motion.positions([FIGURE.index("l_elbow")])[:, 0]
    )
    with pytest.raises(UnknownName, match="No role 'tail'"):
        motion.points(["tail"])


@pytest.mark.parametrize("rig", [FIGURE, odd_rig()], ids=["figure", "odd frames"])
def test_rotations_of_points_are_identity_in_the_neutral_stance(rig):
    turns = still_motion(rig, frames=1).points(rotations=True).rotations
    assert arrays.angle_between(turns, arrays.identity(1, 6)).max() < 1e-7


def test_points_do_not_see_fingers_and_toes():
    a = random_motion(FIGURE, frames=2)
    rotations = a.rotations.copy()
    rotations[:, FIGURE.index("l_thumb1")] = (0.0, 1.0, 0.0, 0.0)
    rotations[:, FIGURE.index("r_midtarsal")] = (0.0, 1.0, 0.0, 0.0)
    b = type(a)(FIGURE, a.root, rotations, a.rate)
    np.testing.assert_array_equal(a.points().positions, b.points().positions)


def test_missing_points_are_nan():
    positions = np.zeros((2, 2, 3))
    positions[1, 0, 2] = np.nan
    assert Points(("head", "pelvis"), positions, 30).seen.tolist() == [[True, True], [False, True]]


def test_frames_and_points_are_picked_together_with_all_they_carry():
    rng = np.random.default_rng(0)
    points = Points(
        ("head", "pelvis", "l_wrist"),
        rng.normal(size=(4, 3, 3)),
        30.0,
        rotations=rng.normal(size=(4, 3, 4)),
        confidence=rng.random((4, 3)),
    )
    some = points.frames([2, 0]).select(["l_wrist", "head"])
    assert some.names == ("l_wrist", "head")
    for name in ("positions", "rotations", "confidence"):
        np.testing.assert_array_equal(getattr(some, name), getattr(points, name)[[2, 0]][:, [2, 0]])
    assert len(points.frames(slice(1, 4))) == 3
    with pytest.raises(UnknownName, match="No point 'r_wrist'"):
        points.select(["r_wrist"])


def test_points_keep_their_own_copy_and_cannot_be_changed():
    positions = np.zeros((1, 1, 3))
    points = Points(["head"], positions, 30)
    positions += 1.0
    assert points.names == ("head",)
    assert points.positions.max() == 0.0
    with pytest.raises(ValueError, match="read-only"):
        points.positions[0] = 1.0
    assert repr(points) == "Points(1 frames at 30 Hz: head)"


def test_numbers_that_make_no_points_are_refused():
    zeros = np.zeros((2, 1, 3))
    with pytest.raises(InputError, match="unique"):
        Points(("head", "head"), np.zeros((2, 2, 3)), 30.0)
    with pytest.raises(InputError, match=r"`positions` to have shape \(2, 2, 3\), got \(2, 1, 3\)"):
        Points(("head", "pelvis"), zeros, 30.0)
    with pytest.raises(InputError, match=r"`rotations` to have shape \(2, 1, 4\)"):
        Points(("head",), zeros, 30.0, rotations=np.zeros((2, 1, 3)))
    with pytest.raises(InputError, match=r"`confidence` to have shape \(2, 1\)"):
        Points(("head",), zeros, 30.0, confidence=np.zeros(2))
    with pytest.raises(InputError, match="got infinity"):
        Points(("head",), zeros + np.inf, 30.0)
    for rate in (0.0, np.nan):
        with pytest.raises(InputError, match="positive `rate`"):
            Points(("head",), zeros, rate)
