from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.body_points import leg_columns


def test_legs_are_two_columns_or_none():
    mask = np.zeros((240, 320), np.uint8)
    mask[40:150, 140:180] = 255
    mask[150:230, 142:154] = 255
    mask[150:230, 164:178] = 255
    legs = leg_columns(mask)
    assert [round(float(leg[0]), 1) for leg in legs] == [147.5, 170.5]
    assert leg_columns(np.zeros((240, 320), np.uint8)) == []
    mask[230:] = mask[229]
    assert leg_columns(mask) == []  # feet cut off
