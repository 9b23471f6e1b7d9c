from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import InputError
from sixpoint.vision.camera import Camera, check_views, chosen_cameras, cropped

MATRIX = np.array([[300.0, 0.0, 160.0], [0.0, 300.0, 120.0], [0.0, 0.0, 1.0]])
PAIR = tuple(
    Camera(name, (320, 240), MATRIX, np.eye(3), np.array([-x, 0.0, 0.0]))
    for name, x in (("left", -0.2), ("right", 0.2))
)


def test_behind_a_camera_there_is_nothing():
    camera = PAIR[0]
    assert np.isnan(camera.project([0.0, 0.0, -1.0])).all()
    assert np.isnan(camera.project([0.0, 0.0, 0.0])).all()
    assert camera.inside([[0, 0], [319.4, 239.4], [320, 0], [-1, 5]]).tolist() == [
        True,
        True,
        False,
        False,
    ]


def test_pictures_that_lack_an_edge_are_the_same_camera():
    place = [0.2, 0.1, 2.0]
    less = cropped(PAIR[0], (312, 240))
    assert less.size == (312, 240)
    np.testing.assert_array_equal(less.project(place), PAIR[0].project(place))
    assert cropped(PAIR[0], (320, 240)) is PAIR[0]
    assert chosen_cameras(PAIR, ["right"]) == (PAIR[1],)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Camera("a", (320, 240), np.eye(4), np.eye(3), np.zeros(3)), r"`matrix` of shape"),
        (lambda: Camera("a", (0, 240), MATRIX, np.eye(3), np.zeros(3)), "positive `size`"),
        (lambda: Camera("a", (320, 240), -MATRIX, np.eye(3), np.zeros(3)), "focal lengths"),
        (lambda: Camera("a", (320, 240), MATRIX, 2 * np.eye(3), np.zeros(3)), "be a rotation"),
        (lambda: Camera.looking("a", (9, 9), 9.0, (0, 0, 0), (0, 5, 0)), "beside the line"),
        (lambda: check_views(PAIR[:1]), "2 calibrated cameras or more, got 1"),
        (lambda: check_views([PAIR[0], PAIR[0]]), "stand at the same one"),
        (lambda: cropped(PAIR[0], (304, 240)), "320 x 240 from camera 'left'.*got 304 x 240"),
        (lambda: cropped(PAIR[0], (330, 240)), "got 330 x 240"),
        (lambda: chosen_cameras(PAIR, ["left", "middle"]), "No camera 'middle'.*left, right"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
