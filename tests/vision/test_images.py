from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import cv2

from devices import Bench
from sixpoint.errors import FormatError, InputError
from sixpoint.vision.images import open_footage, read_together
from sixpoint.vision.synthetic import write_room

from .recordings import scene_room


def test_footage_comes_from_folders_and_videos(tmp_path):
    write_room(tmp_path, scene_room("gestures", frames=3))
    views = [open_footage(str(tmp_path / side)) for side in ("left", "right")]
    pairs = list(read_together(views))
    assert len(pairs) == 3
    assert pairs[0][0].shape == (240, 320, 3)
    video = str(tmp_path / "left.avi")
    writer = cv2.VideoWriter(video, cv2.VideoWriter_fourcc(*"MJPG"), 30.0, (320, 240))
    for pair in pairs:
        writer.write(pair[0])
    writer.release()
    again = open_footage(video)
    assert (again.kind, again.size, again.rate) == ("video", (320, 240), 30.0)
    assert len(list(read_together([again, views[1]]))) == 3
    (tmp_path / "right" / "00002.png").unlink()
    shorter = open_footage(str(tmp_path / "right"))
    with pytest.raises(InputError, match=r"as many pictures of every camera, got 3 in .*, 2 in"):
        list(read_together([views[0], shorter]))
    cv2.imwrite(str(tmp_path / "right" / "00001.png"), pairs[0][0][:100])
    cv2.imwrite(str(tmp_path / "right" / "00002.png"), pairs[0][0])
    with pytest.raises(InputError, match="picture 1 has 320 x 100"):
        list(read_together([views[0], open_footage(str(tmp_path / "right"))]))


def test_footage_that_is_none(tmp_path):
    with pytest.raises(FormatError, match="a folder of pictures, a video file or the number"):
        open_footage(str(tmp_path / "nothing.mp4"))
    with pytest.raises(FormatError, match="in the folder, got none"):
        open_footage(str(tmp_path))
    (tmp_path / "a.mp4").write_bytes(b"no video")
    with pytest.raises(FormatError, match=r"Cannot be opened|no picture"):
        open_footage(str(tmp_path / "a.mp4"))
    (tmp_path / "b.png").write_bytes(b"no picture")
    with pytest.raises(FormatError, match="something that cannot be read"):
        open_footage(str(tmp_path))


def test_pictures_are_counted_as_people_count(tmp_path):
    for n in (10, 9, 1, 11, 2):
        cv2.imwrite(str(tmp_path / f"f{n}.png"), np.full((4, 4, 3), n, np.uint8))
    pictures = [pair[0] for pair in read_together([open_footage(str(tmp_path))])]
    assert [int(picture[0, 0, 0]) for picture in pictures] == [1, 2, 9, 10, 11]


def test_cameras_are_opened_once_and_take_their_pictures_together(monkeypatch):
    bench = Bench()
    monkeypatch.setattr(cv2, "VideoCapture", bench.open)
    views = [open_footage(number, (320, 240)) for number in "01"]
    assert [(view.kind, view.size, view.count, view.rate) for view in views] == [
        ("camera", (320, 240), None, 25.0)
    ] * 2
    bench.log.clear()
    pairs = list(read_together(views, 3))
    assert len(pairs) == 3
    assert [int(picture[0, 0, 0]) for picture in pairs[0]] == [0, 1]
    assert bench.log == [("grab", 0), ("grab", 1), ("picture", 0), ("picture", 1)] * 3
    assert not any(bench.opened.values())  # and are let go
    with pytest.raises(FormatError, match="Cannot be opened as a video or a camera"):
        open_footage("7")
