from __future__ import annotations

import time

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.looking import look_at
from sixpoint.vision.masks import ChromaKey
from sixpoint.vision.skin import SkinModel
from sixpoint.vision.stage import RATE

from .played import played


def test_patches_of_skin_are_found_in_real_time():  # S3.4
    stage = played("gestures", 8.0, 31)
    spent = []
    for frame in range(10):
        for view in stage.views(frame):
            begin = time.perf_counter()
            look = look_at(view.picture, ChromaKey(), SkinModel())
            spent.append(time.perf_counter() - begin)
            assert len(look.blobs) >= 3
    assert 2.0 * np.median(spent) < 1.0 / RATE  # both pictures of a pair


def test_the_person_is_as_tall_as_the_silhouette_or_as_told():
    view = played("gestures", 0.0, 31).views(0)[0]
    alone = look_at(view.picture, ChromaKey(), SkinModel())
    rows = np.flatnonzero(view.person.any(axis=1))
    assert alone.tall == pytest.approx(np.ptp(rows) + 1, abs=3)
    assert look_at(view.picture, ChromaKey(), SkinModel(), 150.0).tall == 150.0
