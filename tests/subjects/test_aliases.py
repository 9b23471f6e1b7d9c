from __future__ import annotations

import pytest

from sixpoint.motion.points import SIX
from sixpoint.subjects.aliases import point_name, role_names


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("hmd", "head"), ("HMD", "head"), ("Headset", "head"), ("lwrist", "l_wrist"),
        ("left_hand", "left_hand"), ("hip", "hip"), ("waist tracker", "pelvis"),
        ("anna:hmd", "anna:head"), ("vive_tracker_left_ankle", "l_ankle"), ("tracker", "tracker"),
    ],
)  # fmt: skip
def test_names_that_surely_mean_a_role(name, role):
    assert point_name(name) == role


@pytest.mark.parametrize(
    "names",
    [
        ("waist", "hmd", "left_hand", "right_hand", "left_foot", "right_foot"),
        ("hip", "head", "LeftController", "RightController", "LFoot", "RFoot"),
        ("root", "headset", "lhand", "rhand", "foot_l", "foot_r"),
        ("Hips", "Head", "hand.L", "hand.R", "l_ankle", "r_ankle"),
    ],
)
def test_the_six_in_other_words(names):
    assert role_names(names) == SIX


def test_a_hand_beside_a_wrist_is_a_hand():
    names = ("l_wrist", "l_hand", "r_hand", "pelvis", "hip")
    assert role_names(names) == ("l_wrist", "l_hand", "r_wrist", "pelvis", "hip")


def test_of_two_spellings_none_is_meant():
    assert role_names(("head", "hmd")) == ("head", "hmd")


def test_roles_and_unknown_names_stay():
    assert role_names((*SIX, "l_toe", "LASI")) == (*SIX, "l_toe", "LASI")
    assert role_names(("anna:hmd", "ben:hmd")) == ("anna:head", "ben:head")
