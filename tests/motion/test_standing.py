from __future__ import annotations

import numpy as np

import sixpoint as sp
from sixpoint.motion.points import SIX
from sixpoint.motion.standing import stand_still, with_unseen


def test_feet_that_were_never_tracked_stand_below_the_pelvis():
    clip = sp.builtin("overhead")
    upper = clip.points(["pelvis", "head", "l_wrist", "r_wrist"])
    points, notes = stand_still(upper, clip.skeleton)
    assert set(points.names) == set(SIX)
    assert notes == ("l_ankle and r_ankle never tracked: the feet are kept where they stood",)
    ankles = points.select(["l_ankle", "r_ankle"]).positions
    assert np.ptp(ankles, axis=0).max() == 0.0
    true = clip.points(["l_ankle", "r_ankle"]).positions[0]
    assert np.linalg.norm(ankles[0] - true, axis=1).max() < 0.08
    result = sp.reconstruct(points, clip.skeleton)
    feet = result.motion.points(["l_ankle", "r_ankle"]).positions
    assert np.ptp(feet, axis=0).max() < 0.1  # up on the toes, the legs are too short


def test_whole_points_are_left_alone_and_a_missing_pelvis_is_not_seen():
    clip = sp.builtin("squat").frames(slice(0, 9))
    points = clip.points()
    assert stand_still(points, clip.skeleton) == (points, ())
    hands = clip.points(["head", "l_wrist", "r_wrist"])
    filled, _ = stand_still(hands, clip.skeleton)
    assert np.isnan(filled.select(["pelvis"]).positions).all()
    assert np.isfinite(sp.reconstruct(filled, clip.skeleton).motion.root).all()
    nobody, notes = stand_still(clip.points(["l_wrist"]), clip.skeleton)
    assert notes == ()
    assert set(nobody.names) == set(SIX)


def test_absent_points_become_points_that_were_never_seen():
    clip = sp.builtin("walk")
    points = clip.points(["r_wrist", "head"])
    filled = with_unseen(points)
    assert set(filled.names) == set(SIX)
    np.testing.assert_array_equal(filled.select(points.names).positions, points.positions)
    others = [name for name in SIX if name not in points.names]
    assert np.isnan(filled.select(others).positions).all()
