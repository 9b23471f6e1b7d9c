from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.errors import InputError
from sixpoint.vision.blobs import Ellipse


def test_golden_crossing():  # G30
    ellipse = Ellipse((100.0, 80.0), (20.0, 10.0), np.radians(30.0))
    pixel, t, meets = ellipse.crossing(np.array([40.0, 60.0]), np.array([100.0, 80.0]))
    assert meets
    assert t == pytest.approx(0.701270, abs=1e-6)
    np.testing.assert_allclose(pixel, [82.0762, 74.0254], atol=1e-4)


def test_a_line_that_passes_by_gives_the_nearest_point_of_the_outline():  # A3.16
    ellipse = Ellipse((0.0, 0.0), (2.0, 1.0), 0.0)
    pixel, _, meets = ellipse.crossing(np.array([-5.0, 3.0]), np.array([5.0, 3.0]))
    assert not meets
    np.testing.assert_allclose(pixel, [0.0, 1.0], atol=1e-9)
    nowhere, t, meets = ellipse.crossing(np.array([5.0, 5.0]), np.array([5.0, 5.0]))
    assert (t, meets) == (0.0, False)
    np.testing.assert_allclose(nowhere, [5.0, 5.0])


def test_semi_axes_stand_in_their_order():
    with pytest.raises(InputError, match="the longer first"):
        Ellipse((0.0, 0.0), (1.0, 2.0), 0.0)
