"""Landmarks: chest, neck, hands and toes of any rig."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sixpoint import Skeleton, load
from sixpoint.body.landmarks import LANDMARKS

from .test_real_rigs import HUMANS

NODES = {
    "aitviewer_sample_23j": ("Chest4", "Neck", None, "LeftToe"),
    "cmu_daz_friendly_49_06_cartwheel": ("chest", "neck", "lMid1", None),
    "makehuman_tpose_173j_mixed_6ch_3ch_1frame": ("spine01", "neck01", "finger3-1.L", "toe1-1.L"),
    "mixamo_names_55j_freebvh": (
        "mixamorig:Spine2",
        "mixamorig:Neck",
        "mixamorig:LeftHandMiddle1",
        "mixamorig:LeftToeBase",
    ),
    "perception_neuron_6ch_every_joint_59j": ("Spine3", "Neck", "LeftHandMiddle1", None),
    "xsens_upc_example_3": ("chest", "lowerneck", None, "ltoe"),
}
"""Chest, neck, left hand and left toe of some rigs; None: a site, whose name says nothing."""


def test_the_built_in_figure_has_all_landmarks_in_their_order():
    skeleton = Skeleton.humanoid()
    landmarks = skeleton.anatomy.landmarks
    assert tuple(landmarks) == LANDMARKS
    names = {name: skeleton.node_names[node] for name, node in landmarks.items()}
    assert names["chest"] == "vt6"
    assert names["neck"] == "vc7"
    assert names["l_hand"] == "l_middle1"
    assert names["r_toe"] == "r_metatarsal"


@pytest.mark.data
@pytest.mark.parametrize("stem", sorted(HUMANS))
def test_landmarks_of_real_rigs_lie_where_a_body_has_them(stem: str, shared_data: Path):
    (path,) = (shared_data / "other").glob(f"bvh*/{stem}.bvh")
    skeleton = load(path).skeleton
    anatomy = skeleton.anatomy
    landmarks = anatomy.landmarks
    assert list(landmarks) == [name for name in LANDMARKS if name in landmarks]
    assert set(anatomy.roles.nodes) < set(landmarks)
    height = anatomy.height

    def away(start: str, end: str) -> np.ndarray:
        return anatomy.vector(landmarks[start], landmarks[end]) / height

    assert 0.1 < away("pelvis", "chest")[1] < 0.4
    assert 0.05 < away("chest", "neck")[1] < 0.25
    assert away("neck", "head")[1] > 0.02
    for side in "lr":
        if f"{side}_hand" in landmarks:
            hand = away(f"{side}_wrist", f"{side}_hand")
            assert -0.2 < hand[1] < -0.02
            assert np.hypot(hand[0], hand[2]) < 0.02
        toe = away(f"{side}_ankle", f"{side}_toe")
        assert 0.05 < toe[2] < 0.13


@pytest.mark.data
@pytest.mark.parametrize("stem", sorted(NODES))
def test_landmarks_are_found_by_name(stem: str, shared_data: Path):
    (path,) = (shared_data / "other").glob(f"bvh*/{stem}.bvh")
    skeleton = load(path).skeleton
    landmarks = skeleton.anatomy.landmarks
    for name, node in zip(("chest", "neck", "l_hand", "l_toe"), NODES[stem], strict=True):
        if node is None:
            assert landmarks[name] >= skeleton.joint_count
        else:
            assert skeleton.node_names[landmarks[name]] == node


def test_a_rig_that_ends_in_wrists_and_ankles_has_neither_hands_nor_toes():
    whole = Skeleton.humanoid()
    cut = ("midtarsal", "metatarsal", "thumb", "middle", "calcaneous", "forefoot")
    kept = [k for k, name in enumerate(whole.names) if not any(part in name for part in cut)]
    names = tuple(whole.names[k] for k in kept)
    bones = Skeleton(
        names,
        np.array([-1 if (p := whole.parents[k]) < 0 else kept.index(p) for k in kept]),
        whole.offsets[kept],
        roles=whole.roles,
    )
    missing = set(LANDMARKS) - set(bones.anatomy.landmarks)
    assert missing == {"l_hand", "r_hand", "l_toe", "r_toe"}


def test_a_head_on_the_chest_leaves_no_neck():
    whole = Skeleton.humanoid()
    kept = [k for k, name in enumerate(whole.names) if name not in ("vc7", "vc4")]
    parents = [int(whole.parents[k]) for k in kept]
    chest = whole.index("vt6")
    parents = [-1 if p < 0 else kept.index(p if p in kept else chest) for p in parents]
    bones = Skeleton(
        tuple(whole.names[k] for k in kept),
        np.array(parents),
        whole.offsets[kept],
        roles=whole.roles,
    )
    assert "neck" not in bones.anatomy.landmarks
