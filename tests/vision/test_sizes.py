from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.vision.body_measurement import Sizes
from sixpoint.vision.synthetic.person import Actor
from sixpoint.vision.synthetic.room import room_cameras
from sixpoint.vision.synthetic.scenes import SCENES, scene


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("stature", [1.5, 1.75, 2.0])
def test_hands_of_all_scenes_are_within_reach(name, stature):
    truth = Actor(scene(name, stature)).truth()
    sizes, cameras = Sizes(stature), room_cameras()
    for head, (left, right) in zip(truth.head, truth.hands, strict=True):
        assert sizes.reaches(1, head, left, cameras)
        assert sizes.reaches(2, head, right, cameras)
    head, (left, right) = truth.head[0], truth.hands[0]
    # Arms that hang at the sides are not the other ones.
    assert not sizes.reaches(2, head, left, cameras)
    assert not sizes.reaches(1, head, right, cameras)
    assert not sizes.reaches(1, head, head + np.array([0.0, 0.0, stature]), cameras)


def test_somebody_twice_as_far_away_is_half_as_tall():
    camera = room_cameras()[0]
    near, far = (camera.centre + d * camera.rotation[2] for d in (1.5, 3.0))
    sizes = Sizes(1.75)
    assert sizes.tall(camera, near) == pytest.approx(2.0 * sizes.tall(camera, far))
    assert sizes.tall(camera, near) == pytest.approx(camera.matrix[0, 0] * 1.75 / 1.5)
    head, hand = (sizes.areas(k, [camera], near)[0] for k in (0, 1))
    assert head > 2.0 * hand


def test_a_scene_is_played_by_somebody_of_any_stature():
    small = scene("crossing", 1.5)
    assert small.skeleton.anatomy.stature == pytest.approx(1.5, rel=1e-4)
    assert sp.Skeleton.humanoid(1.5).names == small.skeleton.names
