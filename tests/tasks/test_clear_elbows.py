"""Elbows that swivel out of the body: never for the worse, the hand where it was."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from rigs import folded_arms, still_motion
from sixpoint.errors import InputError
from sixpoint.limits import adult_limits
from sixpoint.tasks import SelfContact, clear_elbows
from sixpoint.vision.synthetic.scenes import scene


def penetration(motion: sp.Motion) -> np.ndarray:
    """Depths of all pairs of the body together, frame by frame [m]."""
    return np.maximum(SelfContact(motion.skeleton).depths(motion), 0.0).sum(axis=1)


def test_an_elbow_in_the_chest_is_reported_and_pushed_out():
    motion = folded_arms()
    body = SelfContact(motion.skeleton)
    assert body.depths(motion).max() > 0.01
    names = {(e.part, e.thing) for e in body.events(motion)}
    assert any({"l_upper_arm", "l_forearm"} & set(pair) for pair in names)
    after, turned = clear_elbows(motion)
    assert body.depths(after).max() < 1e-3
    assert turned[0, 0] != 0.0
    assert turned[0, 1] == 0.0
    moved = after.points(["l_wrist"]).positions - motion.points(["l_wrist"]).positions
    assert np.abs(moved).max() < 1e-9


@pytest.mark.parametrize("limited", [True, False])
@pytest.mark.parametrize("name", ["boxing", "crossing", "box"])
def test_elbows_of_sequential_ik_are_never_worse(name, limited):
    clip = sp.builtin("boxing") if name == "boxing" else scene(name)
    clip = clip.frames(slice(0, len(clip), 2))
    solved = sp.reconstruct(clip.points(), clip.skeleton, "sik", variant="paper").motion
    limits = adult_limits(clip.skeleton)
    cleared, turned = clear_elbows(solved, limits if limited else None)
    before, after = penetration(solved), penetration(cleared)
    assert (after <= before + 1e-9).all()
    assert after.sum() < before.sum()
    if name == "box":
        assert after.max() == 0.0  # where contact is slight, none is left
    if name == "crossing":
        assert after.mean() < 0.25 * before.mean()
    if limited:
        assert limits.violations(cleared).max() < 1e-6
    ends = [m.points(["l_wrist", "r_wrist"]).positions for m in (solved, cleared)]
    assert np.abs(ends[0] - ends[1]).max() < 1e-9
    # No faster than elbows go anyway: 20 degrees in a thirtieth of a second.
    assert np.degrees(np.abs(np.diff(turned, axis=0)).max()) * clip.rate < 600.0


def test_a_body_that_touches_nothing_is_left_alone():
    motion = still_motion(sp.Skeleton.humanoid(1.75))
    cleared, turned = clear_elbows(motion)
    assert not turned.any()
    np.testing.assert_array_equal(cleared.rotations, motion.rotations)


def test_a_motion_without_frames_is_refused():
    with pytest.raises(InputError, match="one frame or more"):
        clear_elbows(folded_arms().frames(slice(0, 0)))
