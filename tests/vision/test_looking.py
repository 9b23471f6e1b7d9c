from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.observation import look_at
from sixpoint.vision.segmentation import ChromaKey, SkinModel

from .recordings import scene_room


def test_head_and_hands_are_found_in_every_picture():  # S3.4; `bench vision` times it
    stage = scene_room("gestures", 8.0, 31)
    for frame in range(10):
        for view in stage.views(frame):
            assert len(look_at(view.picture, ChromaKey(), SkinModel()).blobs) >= 3


def test_the_person_is_as_tall_as_the_silhouette_or_as_told():
    view = scene_room("gestures", 0.0, 31).views(0)[0]
    alone = look_at(view.picture, ChromaKey(), SkinModel())
    rows = np.flatnonzero(view.person.any(axis=1))
    assert alone.tall == pytest.approx(np.ptp(rows) + 1, abs=3)
    assert look_at(view.picture, ChromaKey(), SkinModel(), 150.0).tall == 150.0
