"""Roles that are given, and what is said of rigs that are refused."""

from __future__ import annotations

import pytest

from sixpoint.body.rig_names import LIMBS
from sixpoint.body.roles import find_roles
from sixpoint.errors import InputError, RolesNotFound, UnknownName

from .rig_families import CMU_BVH, MIXAMO, RIGS
from .rig_text import build, named, parse


def test_given_roles_win_and_the_rest_is_found() -> None:
    skeleton = build(CMU_BVH, roles={"l_wrist": "LeftHand", "head": "Head end", "pelvis": "Hips"})
    roles = find_roles(skeleton)
    expected = parse(CMU_BVH)[1] | {"l_wrist": "LeftHand", "head": "Head end"}
    assert named(skeleton, roles) == expected
    assert skeleton.names.index("Head") in roles.spine


NUMBERED = """
b0 > b1 > b2 > b3
b1 > {L}a0 > {L}a1 > {L}a2 > {L}a3
b0 > {L}k0 > {L}k1 > {L}k2
"""
NUMBERED_ROLES = {
    "head": "b3",
    **{f"l_{joint}": f"La{k}" for k, joint in enumerate(LIMBS["arm"])},
    **{f"r_{joint}": f"Ra{k}" for k, joint in enumerate(LIMBS["arm"])},
    **{f"l_{joint}": f"Lk{k}" for k, joint in enumerate(LIMBS["leg"])},
    **{f"r_{joint}": f"Rk{k}" for k, joint in enumerate(LIMBS["leg"])},
}


def test_all_roles_can_be_given() -> None:
    skeleton = build(NUMBERED, roles=NUMBERED_ROLES | {"pelvis": "b0"})
    roles = find_roles(skeleton)
    assert named(skeleton, roles) == NUMBERED_ROLES | {"pelvis": "b0"}
    assert roles.scheme == "given"


def test_pelvis_follows_from_hips_and_head() -> None:
    skeleton = build("top > " + NUMBERED.strip(), roles=NUMBERED_ROLES)
    roles = find_roles(skeleton)
    assert skeleton.names[roles.nodes["pelvis"]] == "b0"


def test_given_joint_is_not_found_for_another_role() -> None:
    # Without the rule the hand would be wrist and elbow at once.
    skeleton = build(MIXAMO, roles={"l_elbow": "LeftHand", "l_wrist": "LeftHandIndex2"})
    assert named(skeleton, find_roles(skeleton))["l_shoulder"] == "LeftArm"


def test_unknown_role_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"No role 'l_wirst'\. Nearest: l_wrist"):
        find_roles(build(MIXAMO, roles={"l_wirst": "LeftHand"}))


def test_unknown_node_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"No joint 'LeftHnad'\. Nearest: LeftHand"):
        find_roles(build(MIXAMO, roles={"l_wrist": "LeftHnad"}))


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"l_elbow": "LeftShoulder"}, r"not one below the other: .*l_elbow \(LeftShoulder\)"),
        ({"l_elbow": "RightForeArm"}, r"not one below the other: .*l_elbow \(RightForeArm\)"),
        ({"l_clavicle": "LeftHand"}, r"not one below the other: l_clavicle \(LeftHand\)"),
        ({"l_clavicle": "Spine2"}, r"l_clavicle \(Spine2\) is or carries head \(Head\)"),
        ({"pelvis": "Spine"}, r"l_hip \(LeftUpLeg\) does not hang from pelvis \(Spine\)"),
        ({"head": "Spine"}, r"head \(Spine\) is or carries l_shoulder"),
        ({"l_wrist": "RightHand"}, r"not one below the other"),
    ],
)
def test_given_roles_must_agree_with_the_hierarchy(roles: dict[str, str], words: str) -> None:
    with pytest.raises(RolesNotFound, match=words):
        find_roles(build(MIXAMO, roles=roles))


# Rigs that cannot be read.


def test_error_says_what_is_missing_found_near_and_how_to_give_it() -> None:
    text = MIXAMO.replace("{Left}Hand\n", "{Left}Hnad\n", 1)
    text = "\n".join(line for line in text.splitlines() if not line.startswith("{Left}Hand "))
    with pytest.raises(RolesNotFound, match="cannot be read as a human") as caught:
        find_roles(build(text))
    error = caught.value
    assert error.missing == ("l_wrist", "r_wrist")
    assert error.found["l_elbow"] == "LeftForeArm"
    assert error.found["pelvis"] == "Hips"
    message = str(error)
    assert "no joint found for l_wrist, r_wrist." in message
    assert "Nearest names for l_wrist: LeftHnad." in message
    assert "Hips, Spine, Spine1" in message
    assert "roles={'l_wrist': 'LeftHnad', ...}" in message
    assert "--role l_wrist=LeftHnad" in message
    assert isinstance(error, InputError)


def test_numbered_names_are_refused() -> None:
    with pytest.raises(RolesNotFound, match="no joint found for head, l_shoulder") as caught:
        find_roles(build(NUMBERED))
    assert "Found: nothing." in str(caught.value)


def test_rig_without_arms_is_refused() -> None:
    text = "\n".join(
        line for line in MIXAMO.splitlines() if "Arm" not in line and "Hand" not in line
    )
    with pytest.raises(RolesNotFound, match="no joint found for l_shoulder, l_elbow, l_wrist, r_"):
        find_roles(build(text))


@pytest.mark.parametrize("text", ["Hips", "Hips > Chest > LeftShoulder", "base > child1 > child2"])
def test_small_figures_are_refused(text: str) -> None:
    with pytest.raises(RolesNotFound, match="cannot be read as a human"):
        find_roles(build(text))


def test_two_trees_are_no_body() -> None:
    text = MIXAMO.replace("Hips > hip", "Base > hip")
    with pytest.raises(RolesNotFound, match="no joint found for pelvis"):
        find_roles(build(text))


def test_site_of_no_length_is_no_wrist() -> None:
    text = RIGS["Blender, arms end in a site"][1]
    with pytest.raises(RolesNotFound, match=r"no joint found for l_wrist\."):
        find_roles(build(text, {"forearm.L end": (0.0, 0.0, 0.0)}))


def test_site_beyond_an_unknown_joint_is_no_wrist() -> None:
    text = RIGS["Blender, arms end in a site"][1]
    text = text.replace("forearm.{L} > ~wrist=", "forearm.{L} > palm.{L} > ~")
    with pytest.raises(RolesNotFound, match="no joint found for l_wrist, r_wrist"):
        find_roles(build(text))


def test_long_lists_of_joints_are_cut() -> None:
    text = "\n".join(["root > b0", *(f"b0 > b{k}" for k in range(1, 1000))])
    with pytest.raises(RolesNotFound, match=r"Its 1001 joints: .* and 801 more"):
        find_roles(build(text))


def test_many_joints_of_one_name_do_not_take_long() -> None:
    # Backtracking over 60 ** 3 chains, none of which has a wrist, took 100 s.
    parts = ["LeftShoulder", "LeftArm", "LeftForeArm"]
    chain = " > ".join(part + "." * k for part in parts for k in range(60))
    apart = "\n".join("LeftHand" + "." * k for k in range(60))
    with pytest.raises(RolesNotFound, match="not one below the other"):
        find_roles(build(f"{chain}\n{apart}"))


def test_joints_that_are_not_asked_for_change_nothing() -> None:
    text = MIXAMO + "Head > Hair1 > Hair2\nHips > Tail1 > Tail2\n{Left}Arm > {Left}Sleeve\n"
    skeleton = build(text)
    assert named(skeleton, find_roles(skeleton)) == parse(MIXAMO)[1]
