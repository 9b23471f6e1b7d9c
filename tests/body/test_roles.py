from __future__ import annotations

import dataclasses
import pickle
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.body.rig_names import LIMBS, SCHEMES
from sixpoint.body.roles import OPTIONAL, ROLES, Roles, find_roles, read_name
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import RolesNotFound

from .rig_families import CMU_BVH, MIXAMO, RIGS
from .rig_text import build, named, parse


@pytest.mark.parametrize("rig", RIGS)
def test_every_family_is_recognised(rig: str) -> None:
    scheme, text = RIGS[rig]
    skeleton, expected = build(text), parse(text)[1]
    roles = find_roles(skeleton)
    assert named(skeleton, roles) == expected
    assert roles.scheme == scheme
    path = skeleton.path(roles.nodes["head"])
    assert list(roles.spine) == path[path.index(roles.nodes["pelvis"]) + 1 : -1]


def test_every_scheme_is_tested() -> None:
    assert {scheme for scheme, _ in RIGS.values()} == {s.name for s in SCHEMES} | {"mixed"}


def test_roles_are_the_points_and_the_joints_of_the_limbs() -> None:
    sided = {f"{side}_{joint}" for side in "lr" for limb in LIMBS.values() for joint in limb}
    assert set(ROLES) == sided | {"pelvis", "head"}
    assert set(ROLES) > OPTIONAL


def test_humanoid_has_its_own_names() -> None:
    skeleton = dataclasses.replace(Skeleton.humanoid(1.75), roles=None)
    roles = find_roles(skeleton)
    assert roles.scheme == "hanim"
    assert roles.nodes == find_roles(Skeleton.humanoid(1.75)).nodes


@pytest.mark.parametrize(
    "prefix",
    [
        "mixamorig:",
        "mixamorig1:",
        "mixamorig_",
        "mixamorig",
        "Character1_",
        "Armature|mixamorig:",
        "Actor 7:body:",
        "Bob_",
    ],
)
def test_a_prefix_changes_nothing(prefix: str) -> None:
    bare = build(MIXAMO)
    names = tuple(prefix + name for name in bare.names)
    prefixed = Skeleton(names, bare.parents, bare.offsets)
    assert find_roles(prefixed) == find_roles(bare)


@pytest.mark.parametrize("suffix", ["_jnt", "_Armature", ".bone"])
def test_a_word_without_meaning_changes_nothing(suffix: str) -> None:
    bare = build(MIXAMO)
    decorated = Skeleton(tuple(n + suffix for n in bare.names), bare.parents, bare.offsets)
    assert find_roles(decorated) == find_roles(bare)


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("LeftForeArm", ("l", "forearm")),
        ("forearm.L", ("l", "forearm")),
        ("lForeArm", ("l", "forearm")),
        ("lforearm", ("l", "forearm")),
        ("Bip01 L Forearm", ("l", "forearm")),
        ("CC_Base_R_Forearm", ("r", "forearm")),
        ("rtibia", ("r", "tibia")),
        ("lfemur", ("l", "femur")),
        ("RUArm", ("r", "uarm")),
        ("HipLeft", ("l", "hip")),
        ("lowerback", ("", "lowerback")),
        ("DEF-upper_arm.L.001", ("l", "upperarm001")),
        ("Bip01", ("", "bip01")),
        ("mixamorig:", ("", "mixamorig")),
    ],
)
def test_names_are_read(name: str, reading: tuple[str, str]) -> None:
    assert reading in read_name(name)


def test_roles_survive_pickling() -> None:  # skeletons travel to worker processes
    roles = find_roles(build(CMU_BVH))
    assert pickle.loads(pickle.dumps(roles)) == roles


# The hinges of the CMU conversion.

CMU_OFFSETS = {
    "LeftHand": (0.19, 0.0, 0.0),
    "RightHand": (-0.19, 0.0, 0.0),
    "LeftFoot": (0.14068, -0.38651, 0.0),
    "RightFoot": (-0.13929, -0.38270, 0.0),
}


def test_cmu_hinges_bend_forearms_forward_and_shanks_back() -> None:
    roles = find_roles(build(CMU_BVH, CMU_OFFSETS))
    assert set(roles.hinges) == {"LeftForeArm", "RightForeArm", "LeftLeg", "RightLeg"}
    for joint, child, forward in (
        ("LeftForeArm", "LeftHand", 1.0),
        ("RightForeArm", "RightHand", 1.0),
        ("LeftLeg", "LeftFoot", -1.0),
        ("RightLeg", "RightFoot", -1.0),
    ):
        axis, bone = np.array(roles.hinges[joint]), np.array(CMU_OFFSETS[child])
        assert np.linalg.norm(axis) == pytest.approx(1.0, abs=1e-12)
        moved = np.cross(axis, bone)  # where a small positive rotation moves the end of the bone
        assert forward * moved[2] > 0.8 * np.linalg.norm(bone)


def test_cmu_names_with_other_frames_have_no_known_hinge() -> None:
    z_up = {name: (x, -z, y) for name, (x, y, z) in CMU_OFFSETS.items()}
    assert find_roles(build(CMU_BVH, z_up)).hinges == {}


def test_other_families_have_no_known_hinge() -> None:
    assert find_roles(build(MIXAMO, CMU_OFFSETS)).hinges == {}


WORDS = st.lists(
    st.sampled_from(
        [
            "Left",
            "Right",
            "L",
            "R",
            "Arm",
            "ForeArm",
            "Hand",
            "UpLeg",
            "Leg",
            "Foot",
            "Head",
            ".",
            ":",
        ]
    ),
    min_size=1,
    max_size=3,
).map("".join)


@given(st.data(), st.lists(WORDS, min_size=1, max_size=40, unique=True))
def test_any_tree_is_read_or_refused(data: st.DataObject, names: list[str]) -> None:
    parents = [data.draw(st.integers(-1, j - 1)) for j in range(len(names))]
    skeleton = Skeleton(tuple(names), np.array(parents), np.zeros((len(names), 3)))
    try:
        roles = find_roles(skeleton)
    except RolesNotFound:
        return
    check_hierarchy(skeleton, roles)


def check_hierarchy(skeleton: Skeleton, roles: Roles) -> None:
    nodes = roles.nodes
    assert len(set(nodes.values())) == len(nodes)
    for side in "lr":
        for limb in LIMBS.values():
            chain = [nodes[f"{side}_{j}"] for j in limb if f"{side}_{j}" in nodes]
            path = skeleton.path(chain[-1])
            assert nodes["pelvis"] in path
            assert [node for node in path if node in chain] == chain


@pytest.mark.parametrize("rig", RIGS)
def test_roles_agree_with_the_hierarchy(rig: str) -> None:
    skeleton = build(RIGS[rig][1])
    check_hierarchy(skeleton, find_roles(skeleton))


@given(st.sampled_from(sorted(RIGS)), st.randoms(use_true_random=False))
def test_order_of_the_joints_does_not_matter(rig: str, random: Random) -> None:
    skeleton = build(RIGS[rig][1])
    depth = {j: len(skeleton.path(j)) for j in range(skeleton.joint_count)}
    order = sorted(depth, key=lambda j: (depth[j], random.random()))  # parents still come first
    place = {j: k for k, j in enumerate(order)} | {-1: -1}
    shuffled = Skeleton(
        tuple(skeleton.names[j] for j in order),
        np.array([place[int(skeleton.parents[j])] for j in order]),
        skeleton.offsets[order],
        skeleton.site_names,
        np.array([place[int(j)] for j in skeleton.site_parents], dtype=np.int64),
        skeleton.site_offsets,
    )
    assert named(shuffled, find_roles(shuffled)) == named(skeleton, find_roles(skeleton))
