"""Any rig as a person in the neutral stance: one person, many rigs, one anatomy."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from oracles import assert_same_rotation
from rest_poses import REST_POSES, TWISTED, X, Y, Z, both_arms, pruned, rebased
from rigs import insert_above, odd_rig, random_rotations
from sixpoint.body.anatomy import Anatomy
from sixpoint.body.anthropometry import body_height, lengths_from_stature
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from strategies import directions

FIGURE = Skeleton.humanoid()
ROLES = FIGURE.anatomy.roles.nodes


def role_places(anatomy: Anatomy) -> np.ndarray:
    """Where the roles are in the neutral stance, in one order for all rigs."""
    return np.array([anatomy.positions[anatomy.node(role)] for role in ROLES])


# --- the figure itself ----------------------------------------------------------------------------


def test_the_built_in_figure_stands_neutral_as_it_is():
    anatomy = FIGURE.anatomy
    assert_same_rotation(anatomy.neutral, arrays.identity(FIGURE.joint_count))
    assert anatomy.offsets == pytest.approx(FIGURE.node_offsets, abs=1e-12)
    assert not anatomy.offsets.flags.writeable
    assert FIGURE.anatomy is anatomy


def test_limbs_hang_and_faces_look_forward():
    at = dict(zip(FIGURE.node_names, FIGURE.anatomy.positions, strict=True))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        for top, end in (("shoulder", "wrist"), ("hip", "ankle")):
            bone = at[f"{side}_{end}"] - at[f"{side}_{top}"]
            assert bone == pytest.approx((0.0, -np.linalg.norm(bone), 0.0), abs=1e-12)
        assert sign * at[f"{side}_hip"][0] > 0.0
        assert at[f"{side}_forefoot_tip"][2] > at[f"{side}_ankle"][2]


def test_spine_and_what_sits_on_the_pelvis():
    names = FIGURE.names
    assert [names[j] for j in FIGURE.anatomy.spine] == ["vt12", "vt6", "vc7", "vc4"]
    assert [names[j] for j in FIGURE.anatomy.colocated] == ["vl5"]
    assert names[FIGURE.anatomy.chest] == "vt6"
    assert FIGURE.anatomy.bends == (0, *FIGURE.anatomy.spine, FIGURE.index("skullbase"))


def test_regions_of_the_spine():
    region = {name: FIGURE.anatomy.region(FIGURE.index(name)) for name in FIGURE.names[12:18]}
    assert region == {
        "vl5": "lumbar",
        "vt12": "thoracic",
        "vt6": "thoracic",
        "vc7": "cervical",
        "vc4": "cervical",
        "skullbase": "cervical",
    }


def test_regions_go_by_height_where_names_do_not_tell():
    names = {"vl5": "Spine", "vt12": "Spine1", "vt6": "Spine2", "vc7": "Neck", "vc4": "Neck1"}
    rig = replace(FIGURE, names=tuple(names.get(name, name) for name in FIGURE.names))
    region = [rig.anatomy.region(rig.index(name)) for name in names.values()]
    assert region == ["lumbar", "thoracic", "thoracic", "cervical", "cervical"]


@pytest.mark.parametrize("stature", [1.2, 1.75, 2.1])
def test_heights(stature):
    anatomy = Skeleton.humanoid(stature).anatomy
    assert anatomy.height == pytest.approx(body_height(lengths_from_stature(stature)), rel=1e-9)
    assert anatomy.stature == pytest.approx(stature, rel=0.02)


def test_scored_joints_of_the_figure():
    nodes, weights = FIGURE.anatomy.scored
    assert weights.sum() == 22.0
    weight = dict(zip((FIGURE.node_names[k] for k in nodes), weights, strict=True))
    assert weight["HumanoidRoot"] + weight["vl5"] == 3.0  # with the sacroiliac joint
    assert {"l_wrist", "r_ankle", "skullbase", "vc4"} <= weight.keys()
    assert not {"l_thumb1", "l_middle1", "r_midtarsal", "skull_tip"} & weight.keys()


CMU_OFFSETS = {
    "Hips": (0.0, 0.95, 0.0),
    **dict.fromkeys(("LHipJoint", "RHipJoint", "LowerBack"), (0.0, 0.0, 0.0)),
    "Spine": (0.005, 0.115, -0.02),
    "Spine1": (0.005, 0.115, -0.005),
    "Neck": (0.0, 0.0, 0.0),
    "Neck1": (0.0, 0.09, 0.02),
    "Head": (0.0, 0.09, -0.01),
    "LeftShoulder": (0.0, 0.0, 0.0),
    "RightShoulder": (0.0, 0.0, 0.0),
    **{
        f"{word}{name}": (sign * x, y, z)
        for word, sign in (("Left", 1.0), ("Right", -1.0))
        for name, (x, y, z) in {
            "UpLeg": (0.08, -0.09, 0.04),
            "Leg": (0.14, -0.39, 0.0),
            "Foot": (0.15, -0.41, 0.0),
            "ToeBase": (0.01, -0.03, 0.13),
            "Arm": (0.19, 0.06, -0.03),
            "ForeArm": (0.29, 0.0, 0.0),
            "Hand": (0.14, 0.0, 0.0),
            "FingerBase": (0.05, 0.0, 0.0),
        }.items()
    },
}
CMU_CHAINS = (
    "Hips LowerBack Spine Spine1 Neck Neck1 Head",
    *(
        chain.format(Left=word, L=word[0])
        for word in ("Left", "Right")
        for chain in (
            "Hips {L}HipJoint {Left}UpLeg {Left}Leg {Left}Foot {Left}ToeBase",
            "Spine1 {Left}Shoulder {Left}Arm {Left}ForeArm {Left}Hand {Left}FingerBase",
        )
    ),
)


def cmu_rig() -> Skeleton:
    """A T-pose with spread legs, a forearm in two parts, and joints on top of each other."""
    parents: dict[str, str | None] = {"Hips": None}
    for chain in CMU_CHAINS:
        words = chain.split()
        parents |= {b: a for a, b in pairwise(words) if b not in parents}
    names = list(parents)
    return Skeleton(
        tuple(names),
        np.array([-1 if p is None else names.index(p) for p in parents.values()]),
        np.array([CMU_OFFSETS[name] for name in names]),
    )


def test_scored_joints_of_a_cmu_rig():
    rig = cmu_rig()
    nodes, weights = rig.anatomy.scored
    assert weights.sum() == 22.0
    assert {rig.names[k] for k in nodes} >= {"LeftFingerBase", "LowerBack", "Neck1"}
    assert "LeftHand" not in {rig.names[k] for k in nodes}


def test_a_cmu_rig_hangs_its_limbs():
    anatomy = cmu_rig().anatomy
    for side in "lr":
        for parts in (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")):
            a, b, c = (anatomy.node(f"{side}_{part}") for part in parts)
            for bone in (anatomy.vector(a, b), anatomy.vector(b, c)):
                assert bone == pytest.approx((0.0, -np.linalg.norm(bone), 0.0), abs=1e-9)
    # The spine bends where its joints are apart; Neck lies on Spine1, LowerBack on Hips.
    rig = anatomy.skeleton
    assert [rig.names[j] for j in anatomy.spine] == ["Spine", "Spine1", "Neck1"]
    assert [rig.names[j] for j in anatomy.colocated] == ["LowerBack"]


# --- one person, many rigs ------------------------------------------------------------------------


@pytest.mark.parametrize("pose", REST_POSES.values(), ids=REST_POSES.keys())
@pytest.mark.parametrize("hinges", [True, False], ids=["hinges", "no hinges"])
def test_rest_pose_does_not_matter(pose, hinges):
    rig = rebased(FIGURE, pose)
    if not hinges:
        rig = replace(rig, hinges={})
    assert_anatomy_of_the_figure(rig)


@pytest.mark.parametrize("pose", TWISTED.values(), ids=TWISTED.keys())
def test_hinges_tell_the_twist_of_a_rest_pose(pose):
    assert_anatomy_of_the_figure(rebased(FIGURE, pose))


@effort(max_examples=30)
@given(directions(), directions(), st.floats(-170.0, 170.0), st.floats(-40.0, 40.0))
def test_any_rest_pose_of_the_limbs(left, right, arm, leg):
    pose = {
        "l_shoulder": (left, arm),
        "r_shoulder": (right, arm),
        "l_hip": (right, leg),
        "r_hip": (left, -leg),
        "HumanoidRoot": (Y, 3.0 * leg),
    }
    assert_anatomy_of_the_figure(rebased(FIGURE, pose), atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_joint_frames_do_not_matter(seed):  # rigs whose bind pose stands, and nothing else does
    assert_anatomy_of_the_figure(odd_rig(seed))
    assert_anatomy_of_the_figure(replace(odd_rig(seed), hinges={}))


def assert_anatomy_of_the_figure(rig: Skeleton, atol: float = 1e-9) -> None:
    anatomy, figure = rig.anatomy, FIGURE.anatomy
    assert anatomy.offsets[1:] == pytest.approx(figure.offsets[1:], abs=atol)
    assert anatomy.positions == pytest.approx(figure.positions, abs=atol)
    assert anatomy.height == pytest.approx(figure.height, abs=atol)
    assert anatomy.stature == pytest.approx(figure.stature, abs=atol)
    assert anatomy.spine == figure.spine
    # In the neutral stance the joints stand as N says: forward kinematics agrees.
    neutral = anatomy.from_anatomical(arrays.identity(rig.joint_count))
    positions, world = arrays.forward(rig.parents, rig.offsets, neutral)
    assert_same_rotation(world, anatomy.neutral, atol=1e-9)
    nodes = rig.node_positions(positions, world)
    assert nodes - nodes[0] == pytest.approx(figure.positions, abs=atol)


def test_the_same_movement_has_the_same_anatomical_rotations():
    rng = np.random.default_rng(5)
    turned = random_rotations(rng, FIGURE.joint_count, size=0.4)
    for rig in (rebased(FIGURE, both_arms(90.0)), odd_rig(2)):
        rotations = rig.anatomy.from_anatomical(turned)
        positions, world = arrays.forward(rig.parents, rig.offsets, rotations)
        truth, upright = arrays.forward(FIGURE.parents, FIGURE.offsets, turned)
        assert positions - positions[0] == pytest.approx(truth - truth[0], abs=1e-9)
        # World rotations agree after the frames are taken out: A = G N*.
        anatomical = arrays.multiply(world, arrays.conjugate(rig.anatomy.neutral))
        assert_same_rotation(anatomical, upright, atol=1e-9)


@given(st.integers(0, 10_000), st.sampled_from([(), (3,), (2, 2)]))
@effort(max_examples=20)
def test_anatomical_rotations_and_back(seed, shape):
    rng = np.random.default_rng(seed)
    for rig in (FIGURE, odd_rig(3), cmu_rig()):
        rotations = random_rotations(rng, *shape, rig.joint_count)
        there = rig.anatomy.to_anatomical(rotations)
        assert rig.anatomy.from_anatomical(there) == pytest.approx(rotations, abs=1e-12)
        again = rig.anatomy.to_anatomical(rig.anatomy.from_anatomical(rotations))
        assert again == pytest.approx(rotations, abs=1e-12)


def test_the_pelvis_faces_where_the_hips_say():
    rig = rebased(FIGURE, {"HumanoidRoot": (Y, 90.0)})
    front = arrays.rotate(rig.anatomy.neutral[0], np.array(X))  # the rig looks along X
    assert front == pytest.approx(Z, abs=1e-9)


def test_a_leaning_rig_on_level_ground_keeps_its_pelvis_level():
    # The spine leans forward by 15 degrees: that is its rest, not a fall.
    rig = rebased(FIGURE, {"vl5": (X, 15.0)})
    hips = rig.anatomy.vector(rig.index("r_hip"), rig.index("l_hip"))
    assert hips == pytest.approx((np.linalg.norm(hips), 0.0, 0.0), abs=1e-12)
    assert_same_rotation(rig.anatomy.neutral[0], (1.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("axis", [X, Z, (0.6, 0.0, 0.8)])
def test_a_lying_rig_is_stood_up(axis):  # files with Z up that were not turned, say
    rig = rebased(FIGURE, {"HumanoidRoot": (axis, 90.0)})
    spine = rig.anatomy.vector(rig.index("HumanoidRoot"), rig.index("skullbase"))
    assert spine[1] > 0.99 * np.linalg.norm(spine)
    truth = role_places(FIGURE.anatomy)
    # Upright to within the lean of head over ankles.
    assert np.linalg.norm(role_places(rig.anatomy) - truth, axis=-1).max() < 0.1


def test_a_posture_is_not_taken_for_a_hinge():
    # An arm bent sideways at rest, 80 degrees away from any elbow.
    rig = replace(rebased(FIGURE, {"l_elbow": (Z, 20.0)}), hinges={})
    assert rig.anatomy.positions == pytest.approx(FIGURE.anatomy.positions, abs=0.12)
    bone = rig.anatomy.vector(rig.index("l_shoulder"), rig.index("l_wrist"))
    assert bone == pytest.approx((0.0, -np.linalg.norm(bone), 0.0), abs=1e-9)


# --- joints in between, above and instead ---------------------------------------------------------


@pytest.mark.parametrize("pose", ["neutral", "T-pose", "A-pose", "elbows bent"])
def test_twist_joints_in_between(pose):
    rig = FIGURE
    for name in ("l_wrist", "r_wrist", "l_elbow", "r_elbow", "l_knee", "l_ankle", "l_shoulder"):
        rig = insert_above(rig, name, f"{name}_twist")
    rig = rebased(rig, REST_POSES[pose])
    assert role_places(rig.anatomy) == pytest.approx(role_places(FIGURE.anatomy), abs=1e-9)
    assert rig.anatomy.height == pytest.approx(FIGURE.anatomy.height)
    assert rig.anatomy.scored[1].sum() == 22.0


@pytest.mark.parametrize("pose", ["neutral", "T-pose", "yawed"])
def test_pelvis_below_a_root(pose):
    rig = rebased(insert_above(FIGURE, "HumanoidRoot", "Reference"), REST_POSES[pose])
    assert rig.anatomy.node("pelvis") == 1
    assert role_places(rig.anatomy) == pytest.approx(role_places(FIGURE.anatomy), abs=1e-9)


ENDS = ("skullbase", "l_wrist", "r_wrist", "l_ankle", "r_ankle")


@pytest.mark.parametrize("pose", ["neutral", "T-pose", "arms forward"])
def test_roles_may_be_sites(pose):
    rig = pruned(rebased(FIGURE, REST_POSES[pose]), ENDS)
    anatomy = rig.anatomy
    for name in ENDS:
        assert rig.index(name) >= rig.joint_count
    assert role_places(anatomy) == pytest.approx(role_places(FIGURE.anatomy), abs=1e-9)
    assert anatomy.scored[1].sum() == 22.0
    wrist = anatomy.node("l_wrist")
    assert rig.names[anatomy.skeleton.carrier(wrist)] == "l_elbow"
    assert anatomy.skeleton.carrier(rig.index("l_elbow")) == rig.index("l_elbow")


def without_clavicles() -> Skeleton:
    """Shoulders that hang from the chest."""
    roles = {role: name for role, name in FIGURE.roles.items() if "clavicle" not in role}
    names = tuple(n.replace("sternoclavicular", "helper") for n in FIGURE.names)
    return replace(FIGURE, roles=roles, names=names)


def test_clavicles_are_optional():
    anatomy = without_clavicles().anatomy
    assert not anatomy.has("l_clavicle")
    assert anatomy.has("l_shoulder")
    with pytest.raises(UnknownName, match=r"No role 'l_clavicle'\. Nearest: "):
        anatomy.node("l_clavicle")


def test_joints_on_top_of_each_other_bend_once():
    rig = FIGURE
    for name in ("vt6", "vc4"):
        rig = insert_above(rig, name, f"{name}_double")
        offsets = rig.offsets.copy()
        at = rig.index(f"{name}_double")
        offsets[at], offsets[at + 1] = offsets[at] + offsets[at + 1], 0.0
        rig = replace(rig, offsets=offsets)
    names = [rig.names[j] for j in rig.anatomy.spine]
    assert names == ["vt12", "vt6_double", "vc7", "vc4_double"]
    assert [rig.names[j] for j in rig.anatomy.colocated] == ["vl5"]


def test_a_joint_on_the_head_does_not_bend():
    rig = insert_above(FIGURE, "skullbase", "atlas")
    offsets = rig.offsets.copy()
    at = rig.index("atlas")
    offsets[at], offsets[at + 1] = FIGURE.offsets[FIGURE.index("skullbase")], 0.0
    assert "atlas" not in [rig.names[j] for j in replace(rig, offsets=offsets).anatomy.spine]


# --- what cannot stand ----------------------------------------------------------------------------


def flat(**places: tuple[float, float, float]) -> Skeleton:
    """The figure with some joints moved, relative to their parents."""
    offsets = FIGURE.offsets.copy()
    for name, place in places.items():
        offsets[FIGURE.index(name)] = place
    return replace(FIGURE, offsets=offsets)


def test_head_on_the_ankles_is_refused():
    with pytest.raises(InputError, match="head and the ankles of this skeleton are at the same pl"):
        _ = replace(FIGURE, offsets=np.zeros_like(FIGURE.offsets)).anatomy


def test_head_on_the_pelvis_is_refused():
    zero = (0.0, 0.0, 0.0)
    rig = flat(vt12=zero, vt6=zero, vc7=zero, vc4=zero, skullbase=zero)
    with pytest.raises(InputError, match="Pelvis and head of this skeleton are at the same place"):
        _ = rig.anatomy


def test_no_left_and_right_is_refused():
    offsets = FIGURE.offsets * (0.0, 1.0, 1.0)
    with pytest.raises(InputError, match="Left and right of this skeleton are at the same place"):
        _ = replace(FIGURE, offsets=offsets).anatomy


def test_hips_in_one_place_leave_the_shoulders_to_tell_the_facing():
    low = FIGURE.offsets[FIGURE.index("l_hip")] * (0.0, 1.0, 1.0)
    rig = rebased(flat(l_hip=low, r_hip=low), {"HumanoidRoot": (Y, 30.0)})
    shoulders = rig.anatomy.vector(rig.index("r_shoulder"), rig.index("l_shoulder"))
    assert shoulders == pytest.approx((np.linalg.norm(shoulders), 0.0, 0.0), abs=1e-9)
