from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.blobs import Ellipse, find_blobs, least_area


def test_ellipses_of_moments_are_those_that_were_drawn():
    y, x = np.mgrid[:120, :160].astype(float)
    true = Ellipse((70.3, 50.8), (24.0, 9.0), 0.7)
    inside = true.reach(np.stack([x, y], axis=-1)) < 1.0
    blob = find_blobs(inside.astype(np.uint8) * 255)[0]
    np.testing.assert_allclose(blob.centre, true.centre, atol=0.05)
    np.testing.assert_allclose(blob.ellipse.axes, true.axes, rtol=0.02)
    assert blob.ellipse.angle == pytest.approx(0.7, abs=0.02)
    np.testing.assert_allclose(true.reach(true.outline()), 1.0, atol=1e-9)


def test_the_smallest_hand_follows_the_size_of_the_person():
    assert least_area(200.0) == 20
    assert least_area(134.0) == 9  # three metres away
    assert least_area(20.0) == 6
    mask = np.zeros((40, 60), np.uint8)
    mask[5:8, 5:9] = 255
    assert find_blobs(mask, least_area(200.0)) == []
    assert len(find_blobs(mask, least_area(134.0))) == 1
