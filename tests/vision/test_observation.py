"""What is said of a scene that breaks a rule of the workspace."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import sixpoint as sp
from sixpoint.vision.capture import Capture, capture_clip
from sixpoint.vision.observation import BROKEN_FRAMES, CONFIRMING_FRAMES, Rule, RuleMonitor, observe
from sixpoint.vision.segmentation import ChromaKey, SkinModel
from sixpoint.vision.synthetic.room import RATE, Actor, Conditions, Room, Wardrobe
from sixpoint.vision.synthetic.scenes import scene

from .recordings import scene_room

BODY = sp.Skeleton.humanoid(1.75)
SKIN = Wardrobe().skin


def person(x: float = 0.0, z: float = 0.0, name: str = "calibration", **wear: object) -> Actor:
    motion = scene(name).frames(slice(0, 30))
    root = motion.root + np.array([x, 0.0, z])
    return Actor(sp.Motion(motion.skeleton, root, motion.rotations, RATE), Wardrobe(**wear))


def seen(stage: Room, frames: int = 3):
    return capture_clip(Capture(stage.cameras, BODY, RATE), islice(stage.pairs(), frames))


@pytest.mark.parametrize(
    ("stage", "rule"),
    [
        (Room(()), Rule.SOMEBODY),
        (Room((person(-0.35), person(0.35))), Rule.ONE_PERSON),
        (Room((person(shirt=SKIN),)), Rule.NO_SKIN_CLOTHES),
        (Room((person(trousers=SKIN),)), Rule.NO_SKIN_CLOTHES),
        (Room((person(sleeves=SKIN),)), Rule.NO_OTHER_SKIN),
        (Room((person(shoes=SKIN),)), Rule.NO_OTHER_SKIN),
        (Room((person(),), conditions=Conditions(wall=(90, 90, 160))), Rule.KEY_BACKGROUND),
        (Room((person(shirt=(0, 177, 64)),)), Rule.HEAD_AND_HANDS),
    ],
    ids=lambda value: value.name if isinstance(value, Rule) else "",
)
def test_a_broken_rule_is_named_and_gives_no_points(stage, rule):
    found = seen(stage)
    assert set(found.broken) == {rule.name}
    assert rule.value in found.warnings[0]
    assert np.isnan(found.points.positions).all()
    assert (found.points.confidence == 0.0).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [((-0.35, 0.0), (0.35, 0.0)), ((-0.12, 0.0), (0.12, -0.5)), ((0.0, 0.0), (0.55, -0.9)),
     ((0.0, 0.0), (0.15, -0.6))],
    ids=["apart", "overlapping", "far behind", "partly hidden"],
)  # fmt: skip
@pytest.mark.parametrize("noise", [0.0, 8.0])
def test_two_people_who_move_are_two_people(one, other, noise):
    actors = (person(*one, "gestures"), person(*other, "gestures"))
    found = seen(Room(actors, conditions=Conditions(noise=noise)), 12)
    assert set(found.broken) == {"ONE_PERSON"}
    assert found.broken["ONE_PERSON"] >= 12 - CONFIRMING_FRAMES


@pytest.mark.parametrize("noise", [0.0, 8.0])
def test_rolled_up_sleeves_are_noticed_while_the_arms_move(noise):
    stage = Room((person(name="gestures", sleeves=SKIN),), conditions=Conditions(noise=noise))
    found = seen(stage, 30)
    assert found.broken["NO_OTHER_SKIN"] >= 27
    assert np.isnan(found.points.positions[:, 5:]).mean() > 0.85


@pytest.mark.parametrize(("noise", "stature"), [(16.0, 1.75), (8.0, 1.95)])
def test_noise_and_tall_people_break_no_rule(noise, stature):
    motion = scene("crossing", stature).frames(slice(20, 70))
    stage = Room((Actor(motion),), conditions=Conditions(noise=noise))
    body = sp.Skeleton.humanoid(stature)
    assert capture_clip(Capture(stage.cameras, body, RATE), stage.pairs()).broken == {}


def test_one_frame_is_not_enough_once_somebody_is_followed():
    judge, rule = RuleMonitor(), Rule.NO_OTHER_SKIN
    assert judge.confirm([rule], begun=False) == (rule,)
    judge = RuleMonitor()
    said = [judge.confirm([rule], begun=True) for _ in range(CONFIRMING_FRAMES)]
    assert said == [()] * (CONFIRMING_FRAMES - 1) + [(rule,)]
    held = [judge.confirm([], begun=True) for _ in range(BROKEN_FRAMES)]
    assert held == [(rule,)] * (BROKEN_FRAMES - 1) + [()]
    assert judge.confirm([Rule.SOMEBODY], begun=True) == (Rule.SOMEBODY,)
    # Two people have four hands: that is not another rule broken.
    both = [Rule.ONE_PERSON, rule]
    assert judge.confirm(both, begun=False) == (Rule.ONE_PERSON,)


def test_head_and_hands_are_found_in_every_picture():  # `bench vision` times it
    stage = scene_room("gestures", 8.0, 31)
    for frame in range(10):
        for view in stage.views(frame):
            assert len(observe(view.picture, ChromaKey(), SkinModel()).blobs) >= 3


def test_the_person_is_as_tall_as_the_silhouette_or_as_told():
    view = scene_room("gestures", 0.0, 31).views(0)[0]
    alone = observe(view.picture, ChromaKey(), SkinModel())
    rows = np.flatnonzero(view.person.any(axis=1))
    assert alone.height == pytest.approx(np.ptp(rows) + 1, abs=3)
    assert observe(view.picture, ChromaKey(), SkinModel(), 150.0).height == 150.0
