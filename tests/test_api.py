"""`reconstruct`: what Python users and the command line get beyond a solver's own answer."""

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError, UnknownName
from sixpoint.motion import Points
from sixpoint.tasks import Reach


@pytest.fixture(scope="module")
def clip() -> sp.Motion:
    walk = sp.builtin("walk")
    return walk.frames(slice(0, 60))


def test_four_points_stand_where_they_stood(clip):
    upper = clip.points(["pelvis", "head", "l_wrist", "r_wrist"])
    result = sp.reconstruct(upper, clip.skeleton, "sik")
    assert any("never tracked" in text for text in result.report.warnings)
    assert len(result.motion) == len(clip)
    ankles = result.motion.points(["l_ankle", "r_ankle"]).positions
    assert np.ptp(ankles, axis=0).max() < 0.2


def test_feet_are_left_to_solvers_that_find_them(clip):
    upper = clip.points(["head", "l_wrist", "r_wrist"])
    result = sp.reconstruct(upper, clip.skeleton, "guided")
    assert not any("never tracked" in text for text in result.report.warnings)


def test_points_of_a_motion_are_not_completed(clip):
    upper = clip.points(["pelvis", "head", "l_wrist", "r_wrist"])
    with pytest.raises(InputError, match="l_ankle"):
        sp.reconstruct(upper, clip.skeleton, "sik", tracked=False)


def test_exchanged_wrists_are_named(clip):
    points = clip.points()
    positions = points.positions[:, [0, 1, 3, 2, 4, 5]]
    mixed = Points(points.names, positions, points.rate)
    for tracked in (True, False):
        result = sp.reconstruct(mixed, clip.skeleton, "sik", tracked=tracked)
        assert any("exchanged" in text for text in result.report.warnings)
    plain = sp.reconstruct(points, clip.skeleton, "sik")
    assert not any("look" in text for text in plain.report.warnings)


def test_elbows_are_cleared(clip):
    points = clip.points()
    cleared = sp.reconstruct(points, clip.skeleton, "sik", clear_elbows=True)
    assert any("elbows swivelled" in text for text in cleared.report.warnings)


def test_the_answer_is_that_of_the_tracker(clip):
    points = clip.points()
    result = sp.reconstruct(points, clip.skeleton, "guided")
    plain = sp.solver("guided").prepare(clip.skeleton, rate=points.rate).solve_clip(points)
    np.testing.assert_array_equal(result.motion.rotations, plain.motion.rotations)


def test_other_skeletons_are_solved_as_they_stand():
    chain = sp.Skeleton.chain(4)
    positions = np.tile([0.3, 0.5, 0.2], (3, 1, 1))
    result = sp.reconstruct(Points(("tip",), positions, 60.0), chain, "dls", tasks=[Reach("tip")])
    assert result.report.target_max_m < 1e-3
    assert result.report.warnings == ()


def test_one_hand_of_a_person_moves_a_person_who_stands(clip):
    hand = clip.points(["l_wrist"])
    result = sp.reconstruct(hand, clip.skeleton, "dls")
    assert np.ptp(result.motion.root, axis=0).max() == 0.0


def test_wrong_calls_are_refused(clip):
    points = clip.points()
    with pytest.raises(UnknownName, match="solver"):
        sp.reconstruct(points, clip.skeleton, "magic")
    with pytest.raises(InputError, match="has its own"):
        sp.reconstruct(points, clip.skeleton, sp.solver("sik"), feet="level")
