from __future__ import annotations

import pytest

from sixpoint.subjects import LAYOUTS
from sixpoint.subjects.names import landmark_names


@pytest.mark.parametrize(
    "spelling",
    ["l_wrist", "LeftWrist", "left_wrist", "LWrist", "L.Wrist", "wrist_l", "body_left_wrist",
     "left wrist", "Left Wrist", "wrist.left", "pose:LEFT_WRIST"],
)  # fmt: skip
def test_spellings_of_one_joint(spelling):
    assert landmark_names([spelling]) == ("l_wrist",)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_joints_of_layouts_are_known_in_long_and_in_short(layout):
    for long in ({"l_": "left_", "r_": "right_"}, {"l_": "L", "r_": "R"}, {"l_": "l_", "r_": "r_"}):
        names = [long.get(name[:2], name[:2]) + name[2:] for name in layout.landmarks]
        assert landmark_names(names) == layout.landmarks


def test_heads_and_necks_of_detectors_are_others():
    assert landmark_names(["Head", "Neck", "Hip"]) == ("head", "neck", "hips")
    pose2sim = landmark_names(["Head", "Neck", "Hip", "Nose", "RBigToe", "LHeel"])
    assert pose2sim == ("head_top", "neck_base", "hips", "nose", "r_big_toe", "l_heel")


def test_names_that_mean_nothing_are_empty_and_doubles_count_once():
    assert landmark_names(["LFHD", "tail", "left_knee", "LKnee"]) == ("", "", "l_knee", "")
