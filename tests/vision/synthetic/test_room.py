from __future__ import annotations

import numpy as np
import pytest

from sixpoint.vision.synthetic.room import RATE, SIZE, Actor, Conditions, Room, room_cameras
from sixpoint.vision.synthetic.scenes import MEETINGS, SCENES, scene


def test_the_stage_has_the_cameras_of_the_paper():
    cameras = room_cameras()
    assert (len(cameras), SIZE, RATE) == (2, (320, 240), 30.0)
    assert all(camera.size == SIZE for camera in cameras)
    apart = np.linalg.norm(cameras[0].centre - cameras[1].centre)
    assert apart == pytest.approx(0.8)
    far, wide = room_cameras(distance=3.0, baseline=1.6)
    assert np.linalg.norm(far.centre - wide.centre) == pytest.approx(1.6)
    assert far.centre[2] == pytest.approx(3.0)


def test_the_box_is_carried_from_side_to_side():
    clip = scene("box")
    assert len(clip) / clip.rate == pytest.approx(5.5, abs=0.05)
    middle = clip.points(["l_wrist", "r_wrist"]).positions.mean(axis=1)
    assert middle[:, 0].max() > 0.25
    assert middle[:, 0].min() < -0.25


@pytest.mark.parametrize("name", MEETINGS)
def test_hands_do_meet_in_the_scenes_about_it(name):
    assert name in SCENES
    truth = Actor(scene(name)).truth()
    hands = truth.hands
    gap = np.linalg.norm(hands[:, 0] - hands[:, 1], axis=1)
    face = np.linalg.norm((hands[:, 0] - truth.head)[:, :2], axis=1)  # as seen from the front
    assert min(gap.min(), face.min()) < 0.15
    assert gap[0] > 0.4


def test_noise_is_the_same_for_a_seed():
    actor = Actor(scene("calibration").frames(slice(0, 1)))
    one, same, other = (
        Room((actor,), conditions=Conditions(noise=8.0, seed=seed)).views(0)[0].picture
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_a_frame_that_is_drawn_once_is_what_each_room_shows():
    actors = (Actor(scene("gestures").frames(slice(0, 3))),)
    rooms = [Room(actors, conditions=Conditions(noise=noise, dimming=0.3)) for noise in (0.0, 8.0)]
    for frame in (2, 0):  # nothing stays on the canvas
        for views, room in zip(rooms[0].noisy_views(frame, (0.0, 8.0)), rooms, strict=True):
            for view, alone in zip(views, room.views(frame), strict=True):
                np.testing.assert_array_equal(view.picture, alone.picture)
                np.testing.assert_array_equal(view.skin, alone.skin)
