"""The table of layouts, and how an array shows which one it has."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.subjects import LAYOUTS, find_layout, layout_positions, rank_layouts
from sixpoint.subjects.landmarks import CANONICAL
from sixpoint.subjects.layouts import DOUBTFUL_FIT, check_size, layouts_of_size, misfit

SIZES = {"coco17": 17, "halpe26": 26, "body25": 25, "mediapipe33": 33, "h36m17": 17,
         "smpl22": 22, "smpl24": 24, "humanml3d22": 22}  # fmt: skip
each = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


@pytest.fixture(scope="module")
def clip():
    return sp.builtin("boxing").frames(slice(0, 430, 10))


def test_layouts_have_the_joints_that_their_names_say():
    assert {name: len(layout) for name, layout in LAYOUTS.items()} == SIZES


@each
def test_a_layout_names_each_joint_once_and_both_sides_alike(layout):
    names = set(layout.landmarks)
    assert len(names) == len(layout.landmarks)
    assert {f"{'r' if n[0] == 'l' else 'l'}{n[1:]}" for n in names if n[1] == "_"} <= names
    assert names & set(CANONICAL)
    assert layout.lacks
    assert layout.links


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("coco17", {"nose": 0, "l_ear": 3, "l_shoulder": 5, "r_wrist": 10, "r_ankle": 16}),
        ("halpe26", {"head_top": 17, "hips": 19, "l_big_toe": 20, "r_heel": 25}),
        ("body25", {"r_shoulder": 2, "hips": 8, "r_eye": 15, "l_big_toe": 19, "r_heel": 24}),
        ("mediapipe33", {"l_ear": 7, "l_shoulder": 11, "r_hip": 24, "r_foot_index": 32}),
        ("h36m17", {"r_hip": 1, "l_ankle": 6, "crown": 10, "l_shoulder": 11, "r_wrist": 16}),
        ("smpl22", {"l_hip": 1, "chest": 9, "head": 15, "l_shoulder": 16, "r_wrist": 21}),
        ("smpl24", {"l_hand": 22, "r_hand": 23}),
    ],
)
def test_joints_stand_where_their_programs_put_them(name, at):
    landmarks = LAYOUTS[name].landmarks
    assert {joint: landmarks.index(joint) for joint in at} == at


def test_programs_are_names_of_layouts_too():
    assert find_layout("OpenPose").name == "body25"
    assert find_layout("pose2sim").name == "halpe26"
    with pytest.raises(UnknownName, match=r"No layout 'coco18'.*Nearest: coco17"):
        find_layout("coco18")


@each
def test_the_right_layout_fits_in_any_unit_and_axes_and_with_noise(layout, clip):
    rng = np.random.default_rng(0)
    positions = layout_positions(clip, layout)
    fit = misfit(positions, layout)
    turn = arrays.normalize(rng.normal(size=4))
    assert misfit(40.0 * arrays.rotate(turn, positions) + 7.0, layout) == pytest.approx(fit)
    noisy = positions + rng.normal(size=positions.shape) * 0.03
    assert max(fit, misfit(noisy, layout)) < DOUBTFUL_FIT
    assert rank_layouts(positions)[0][0].landmarks == layout.landmarks


@each
def test_joints_in_another_order_do_not_fit(layout, clip):
    positions = layout_positions(clip, layout)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(layout))
        assert misfit(positions[:, order], layout) > DOUBTFUL_FIT


def test_arrays_of_unseen_limbs_have_no_fit():
    assert np.isnan(misfit(np.full((3, 17, 3), np.nan), LAYOUTS["coco17"]))


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        (17, "33 joints for the layout mediapipe33, got 17; layouts with 17: coco17, h36m17"),
        (66, "66 is 2 times 33: give the joints of one person"),
        (31, r"no layout has 31 \(there are coco17 17,"),
    ],
)
def test_another_number_of_joints_is_refused_with_those_that_have_it(joints, message):
    with pytest.raises(InputError, match=message):
        check_size(joints, LAYOUTS["mediapipe33"])


def test_longer_arrays_begin_with_the_joints_of_a_layout():
    assert [layout.name for layout in layouts_of_size(553)] == ["mediapipe33"]
    check_size(553, LAYOUTS["mediapipe33"])
