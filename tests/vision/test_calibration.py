from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")


from board_pictures import shown
from sixpoint.body.humanoid import measure_lengths
from sixpoint.errors import InputError
from sixpoint.vision.body_measurement import measure_body
from sixpoint.vision.calibration import Board, calibrate_pair
from sixpoint.vision.synthetic.files import exact_marks
from sixpoint.vision.synthetic.person import Actor
from sixpoint.vision.synthetic.room import room_cameras
from sixpoint.vision.synthetic.scenes import scene


@pytest.mark.parametrize(
    ("size", "board"),
    [
        ((640, 480), Board(8, 5, 0.06)),
        ((640, 480), Board(6, 4, 0.10, 0.078)),
        ((320, 240), Board(8, 5, 0.12)),
        ((320, 240), Board(6, 4, 0.18, 0.14)),
    ],
    ids=["chessboard", "charuco", "chessboard, 320 x 240", "charuco, 320 x 240"],
)
def test_boards_give_the_cameras_back(size, board):
    cameras = room_cameras(size)
    poses = [((0, 0, 0), (-0.2, 1.25, 0.3))] + [
        ((0.5 * np.sin(k), 0.5 * np.cos(1.7 * k), 0.2 * np.sin(3 * k)),
         (-0.3 + 0.12 * np.sin(2 * k), 1.1 + 0.2 * np.cos(k), 0.3 + 0.25 * np.sin(k)))
        for k in range(1, 11)
    ]  # fmt: skip
    left, right = ([shown(camera, board, *pose) for pose in poses] for camera in cameras)
    found = calibrate_pair(left, right, board, height=1.25)
    assert found.error < 0.6
    assert found.views >= 8
    for true, camera in zip(cameras, found.cameras, strict=True):
        assert camera.matrix[0, 0] == pytest.approx(true.matrix[0, 0], rel=0.02)
    apart = [np.linalg.norm(np.diff([c.centre for c in pair], axis=0)) for pair in
             (cameras, found.cameras)]  # fmt: skip
    assert apart[1] == pytest.approx(apart[0], rel=0.02)
    # The world: the first corner of the first board at the height given, upright.
    assert abs(found.cameras[0].centre[1] - cameras[0].centre[1]) < 0.05
    # What a body is measured with them.
    marks = exact_marks(cameras, Actor(scene("calibration")).truth())
    lengths = measure_body(found.cameras, marks).lengths
    true = measure_lengths(scene("calibration").skeleton)
    for name in ("upper_arm", "forearm", "torso_width"):
        assert lengths[name] == pytest.approx(true[name], rel=0.01)


def test_boards_that_are_too_small_are_refused_with_a_hint():
    board = Board(8, 5, 0.03)
    cameras = room_cameras()
    left, right = (
        [shown(c, board, (0.1 * k, 0, 0), (-0.2, 1.2, 0.2)) for k in range(5)] for c in cameras
    )
    with pytest.raises(InputError, match="Squares must be 12 pixels wide in the pictures"):
        calibrate_pair(left, right, board)


def test_boards_that_nobody_sees_are_refused():
    blank = [np.full((48, 64, 3), 128, np.uint8)] * 5
    with pytest.raises(InputError, match=r"4 pairs of pictures or more.*got 0 of 5"):
        calibrate_pair(blank, blank, Board(8, 5, 0.06))
    with pytest.raises(InputError, match="as many pictures of both cameras, got 5 and 4"):
        calibrate_pair(blank, blank[1:], Board(8, 5, 0.06))
    with pytest.raises(InputError, match="pictures of one size, got 32 x 48, 64 x 48"):
        calibrate_pair(blank, [b[:, :32] for b in blank], Board(8, 5, 0.06))
    for wrong, message in (((1, 5, 0.1), "inner corners"), ((8, 5, -1.0), "`square`"),
                           ((8, 5, 0.1, 0.2), "smaller than the square")):  # fmt: skip
        with pytest.raises(InputError, match=message):
            Board(*wrong)
