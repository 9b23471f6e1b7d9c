from __future__ import annotations

import dataclasses
import json
import pickle
import re
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.body.rig_names import LIMBS, SCHEMES
from sixpoint.body.roles import OPTIONAL, ROLES, Roles, find_roles, read_name
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, RolesNotFound, UnknownName
from sixpoint.formats import load
from sixpoint.formats.bvh_text import parse_bvh

SIDE_WORDS = {
    "l": {"l": "l", "L": "L", "left": "left", "Left": "Left"},
    "r": {"l": "r", "L": "R", "left": "right", "Left": "Right"},
}


def parse(text: str) -> tuple[list[list[tuple[str, bool]]], dict[str, str]]:
    """Chains of (name, is a site), and the role -> name that the text promises.

    A line is a chain of joints from parent to child, `role=name` where a role is expected and `~`
    before a site; a line with braces stands for both sides.
    """
    chains, roles = [], {}
    for line in text.strip().splitlines():
        sides = "lr" if "{" in line else " "
        for side in sides:
            chain = []
            for word in line.format_map(SIDE_WORDS.get(side, {})).split(" > "):
                role, _, name = word.strip().removeprefix("~").rpartition("=")
                chain.append((name, word.strip().startswith("~")))
                if role:
                    roles[f"{side}_{role}".strip(" _")] = name
            chains.append(chain)
    return chains, roles


def build(
    text: str, offsets: dict[str, tuple[float, float, float]] | None = None, **fields: object
) -> Skeleton:
    """A skeleton from the text of `parse`; chains that begin with a known joint hang from it."""
    parents: dict[str, str | None] = {}
    sites: dict[str, str] = {}
    for chain in parse(text)[0]:
        for (parent, _), (name, is_site) in zip([("", False), *chain], chain, strict=False):
            if name in parents:
                continue
            if is_site:
                sites[name] = parent
            else:
                parents[name] = parent or None
    names = list(parents)
    known = offsets or {}
    return Skeleton(
        tuple(names),
        np.array([-1 if p is None else names.index(p) for p in parents.values()]),
        np.array([known.get(name, (0.0, 0.1, 0.0)) for name in names]),
        tuple(sites),
        np.array([names.index(p) for p in sites.values()], dtype=np.int64),
        np.array([known.get(name, (0.0, 0.1, 0.0)) for name in sites]).reshape(-1, 3),
        **fields,
    )


def named(skeleton: Skeleton, roles: Roles) -> dict[str, str]:
    return {role: skeleton.node_names[node] for role, node in roles.nodes.items()}


MIXAMO = """
pelvis=Hips > Spine > Spine1 > Spine2 > Neck > head=Head > HeadTop_End
Spine2 > clavicle={Left}Shoulder > shoulder={Left}Arm > elbow={Left}ForeArm > wrist={Left}Hand
{Left}Hand > {Left}HandThumb1 > {Left}HandThumb2
{Left}Hand > {Left}HandIndex1 > {Left}HandIndex2
Hips > hip={Left}UpLeg > knee={Left}Leg > ankle={Left}Foot > {Left}ToeBase > {Left}Toe_End
"""

CMU_BVH = """
pelvis=Hips > LowerBack > Spine > Spine1 > Neck > Neck1 > head=Head > ~Head end
Hips > {L}HipJoint > hip={Left}UpLeg > knee={Left}Leg > ankle={Left}Foot > {Left}ToeBase
Spine1 > clavicle={Left}Shoulder > shoulder={Left}Arm > elbow={Left}ForeArm > {Left}Hand
{Left}Hand > wrist={Left}FingerBase > {Left}HandIndex1
{Left}Hand > {L}Thumb
"""

BIPED = """
Bip01 > pelvis=Bip01 Pelvis > Bip01 Spine > Bip01 Spine1 > Bip01 Neck > head=Bip01 Head
Bip01 Neck > clavicle=Bip01 {L} Clavicle > shoulder=Bip01 {L} UpperArm > elbow=Bip01 {L} Forearm
Bip01 {L} Forearm > wrist=Bip01 {L} Hand > Bip01 {L} Finger0
Bip01 Pelvis > hip=Bip01 {L} Thigh > knee=Bip01 {L} Calf > ankle=Bip01 {L} Foot > Bip01 {L} Toe0
"""

RIGS: dict[str, tuple[str, str]] = {
    "H-Anim 1": (
        "hanim",
        """
        pelvis=HumanoidRoot > vl5 > vl1 > vt10 > vt6 > vt1 > vc4 > head=skullbase
        vt1 > clavicle={l}_sternoclavicular > {l}_acromioclavicular > shoulder={l}_shoulder
        {l}_shoulder > elbow={l}_elbow > wrist={l}_wrist > {l}_thumb1
        HumanoidRoot > sacroiliac
        sacroiliac > hip={l}_hip > knee={l}_knee > ankle={l}_ankle > {l}_subtalar > {l}_midtarsal
        """,
    ),
    "H-Anim 2": (
        "hanim",
        """
        pelvis=humanoid_root > vl5 > vt1 > vc4 > head=skullbase
        vt1 > clavicle={l}_sternoclavicular > {l}_acromioclavicular > shoulder={l}_shoulder
        {l}_shoulder > elbow={l}_elbow > wrist={l}_radiocarpal > {l}_carpometacarpal_1
        humanoid_root > sacroiliac
        sacroiliac > hip={l}_hip > knee={l}_knee > ankle={l}_talocrural
        """,
    ),
    "H-Anim level 1 (no clavicles)": (
        "hanim",
        """
        pelvis=HumanoidRoot > vl5 > head=skullbase
        vl5 > shoulder={l}_shoulder > elbow={l}_elbow > wrist={l}_wrist
        HumanoidRoot > sacroiliac
        sacroiliac > hip={l}_hip > knee={l}_knee > ankle={l}_ankle
        """,
    ),
    "CMU BVH (the hand is a forearm twist)": ("cmu-bvh", CMU_BVH),
    "CMU ASF (the wrist is a forearm twist)": (
        "cmu-asf",
        """
        pelvis=root > lowerback > upperback > thorax > lowerneck > upperneck > head=head
        root > {l}hipjoint > hip={l}femur > knee={l}tibia > ankle={l}foot > {l}toes
        thorax > clavicle={l}clavicle > shoulder={l}humerus > elbow={l}radius > {l}wrist
        {l}wrist > wrist={l}hand > {l}fingers
        {l}wrist > {l}thumb
        """,
    ),
    "Mixamo": ("motionbuilder", MIXAMO),
    "MotionBuilder with roll joints": (
        "motionbuilder",
        """
        Reference > pelvis=Hips > Spine > Neck > head=Head
        Spine > clavicle={Left}Shoulder > shoulder={Left}Arm > {Left}ArmRoll > elbow={Left}ForeArm
        {Left}ForeArm > {Left}ForeArmRoll > wrist={Left}Hand
        Hips > hip={Left}UpLeg > {Left}UpLegRoll > knee={Left}Leg > {Left}LegRoll > ankle={Left}Foot
        """,
    ),
    "ACCAD": (
        "motionbuilder",
        """
        pelvis=Hips > ToSpine > Spine > Spine1 > Neck > head=Head
        Spine1 > clavicle={Left}Shoulder > shoulder={Left}Arm > elbow={Left}ForeArm
        {Left}ForeArm > wrist={Left}Hand
        Hips > hip={Left}UpLeg > knee={Left}Leg > ankle={Left}Foot > {Left}ToeBase
        """,
    ),
    "VRM 1": (
        "unity",
        """
        pelvis=hips > spine > chest > upperChest > neck > head=head > leftEye
        upperChest > clavicle={left}Shoulder > shoulder={left}UpperArm > elbow={left}LowerArm
        {left}LowerArm > wrist={left}Hand > {left}ThumbMetacarpal
        hips > hip={left}UpperLeg > knee={left}LowerLeg > ankle={left}Foot > {left}Toes
        """,
    ),
    "Unity": (
        "unity",
        """
        pelvis=Hips > Spine > Chest > Neck > head=Head > Jaw
        Chest > clavicle={Left}Shoulder > shoulder={Left}UpperArm > elbow={Left}LowerArm
        {Left}LowerArm > wrist={Left}Hand
        Hips > hip={Left}UpperLeg > knee={Left}LowerLeg > ankle={Left}Foot > {Left}Toes
        """,
    ),
    "VRoid": (
        "unity",
        """
        Root > pelvis=J_Bip_C_Hips > J_Bip_C_Spine > J_Bip_C_Chest > J_Bip_C_Neck
        J_Bip_C_Neck > head=J_Bip_C_Head
        J_Bip_C_Chest > clavicle=J_Bip_{L}_Shoulder > shoulder=J_Bip_{L}_UpperArm
        J_Bip_{L}_UpperArm > elbow=J_Bip_{L}_LowerArm > wrist=J_Bip_{L}_Hand
        J_Bip_C_Hips > hip=J_Bip_{L}_UpperLeg > knee=J_Bip_{L}_LowerLeg > ankle=J_Bip_{L}_Foot
        J_Bip_C_Chest > J_Sec_{L}_Bust1
        """,
    ),
    "Bandai-Namco (the pelvis is not the root)": (
        "unity",
        """
        joint_Root > pelvis=Hips > Spine > Chest > Neck > head=Head
        Chest > clavicle=Shoulder_{L} > shoulder=UpperArm_{L} > elbow=LowerArm_{L} > wrist=Hand_{L}
        Hips > hip=UpperLeg_{L} > knee=LowerLeg_{L} > ankle=Foot_{L} > Toes_{L}
        """,
    ),
    "Xsens (Shoulder is the collar)": (
        "xsens",
        """
        pelvis=Pelvis > L5 > L3 > T12 > T8 > Neck > head=Head
        T8 > clavicle={Left}Shoulder > shoulder={Left}UpperArm > elbow={Left}ForeArm
        {Left}ForeArm > wrist={Left}Hand
        Pelvis > hip={Left}UpperLeg > knee={Left}LowerLeg > ankle={Left}Foot > {Left}Toe
        """,
    ),
    "Xsens by UPC (no head joint)": (
        "biovision",
        """
        pelvis=root > lowerback > upperback > chest > lowerneck > head=upperneck > ~upperneck end
        chest > clavicle={l}clavicle > shoulder={l}shoulder > elbow={l}elbow > wrist={l}wrist
        root > hip={l}hip > knee={l}knee > ankle={l}ankle > {l}toe
        """,
    ),
    "Biovision (Shoulder is the upper arm)": (
        "biovision",
        """
        pelvis=Hips > Chest > Chest2 > Neck > head=Head
        Chest2 > clavicle={Left}Collar > shoulder={Left}Shoulder > elbow={Left}Elbow
        {Left}Elbow > wrist={Left}Wrist
        Hips > hip={Left}Hip > knee={Left}Knee > ankle={Left}Ankle > {Left}Toe
        """,
    ),
    "Biovision, segments": (
        "biovision",
        """
        pelvis=Hips > Chest > Neck > head=Head
        Chest > clavicle={Left}Collar > shoulder={Left}UpArm > elbow={Left}LowArm > wrist={Left}Hand
        Hips > hip={Left}UpLeg > knee={Left}LowLeg > ankle={Left}Foot
        """,
    ),
    "SMPL": (
        "biovision",
        """
        pelvis=Pelvis > Spine1 > Spine2 > Spine3 > Neck > head=Head
        Spine3 > clavicle={L}_Collar > shoulder={L}_Shoulder > elbow={L}_Elbow > wrist={L}_Wrist
        {L}_Wrist > {L}_Hand
        Pelvis > hip={L}_Hip > knee={L}_Knee > ankle={L}_Ankle > {L}_Foot
        """,
    ),
    "SMPL in a file": (
        "biovision",
        """
        root > pelvis=m_avg_Pelvis > m_avg_Spine1 > m_avg_Neck > head=m_avg_Head
        m_avg_Spine1 > clavicle=m_avg_{L}_Collar > shoulder=m_avg_{L}_Shoulder
        m_avg_{L}_Shoulder > elbow=m_avg_{L}_Elbow > wrist=m_avg_{L}_Wrist > m_avg_{L}_Hand
        m_avg_Pelvis > hip=m_avg_{L}_Hip > knee=m_avg_{L}_Knee > ankle=m_avg_{L}_Ankle
        """,
    ),
    "SMPL in snake case": (
        "biovision",
        """
        pelvis=pelvis > spine1 > spine2 > spine3 > neck > head=head
        spine3 > clavicle={left}_collar > shoulder={left}_shoulder > elbow={left}_elbow
        {left}_elbow > wrist={left}_wrist > {left}_hand
        pelvis > hip={Left}_hip > knee={left}_knee > ankle={left}_ankle > {left}_foot
        """,
    ),
    "Kinect": (
        "biovision",
        """
        pelvis=PELVIS > SPINE_NAVEL > SPINE_CHEST > NECK > head=HEAD
        SPINE_CHEST > clavicle=CLAVICLE_{L} > shoulder=SHOULDER_{L} > elbow=ELBOW_{L}
        ELBOW_{L} > wrist=WRIST_{L} > HAND_{L}
        PELVIS > hip=HIP_{L} > knee=KNEE_{L} > ankle=ANKLE_{L} > FOOT_{L}
        """,
    ),
    "Blender, arms end in a site": (
        "blender",
        """
        pelvis=pelvis > spine > spine.001 > neck > head=face > ~face end
        spine.001 > clavicle=shoulder.{L} > shoulder=upper_arm.{L} > elbow=forearm.{L}
        forearm.{L} > ~wrist=forearm.{L} end
        pelvis > pelvis.{L} > ~pelvis.{L} end
        pelvis > hip=thigh.{L} > knee=shin.{L} > ankle=foot.{L} > ~foot.{L} end
        """,
    ),
    "Rigify": (
        "blender",
        """
        root > pelvis=DEF-spine > DEF-spine.001 > DEF-spine.002 > DEF-spine.003 > DEF-spine.004
        DEF-spine.004 > DEF-spine.005 > head=DEF-spine.006 > DEF-jaw
        DEF-spine.003 > clavicle=DEF-shoulder.{L} > shoulder=DEF-upper_arm.{L}
        DEF-upper_arm.{L} > DEF-upper_arm.{L}.001 > elbow=DEF-forearm.{L} > DEF-forearm.{L}.001
        DEF-forearm.{L}.001 > wrist=DEF-hand.{L} > DEF-f_index.01.{L}
        DEF-spine > DEF-pelvis.{L}
        DEF-spine > hip=DEF-thigh.{L} > DEF-thigh.{L}.001 > knee=DEF-shin.{L} > DEF-shin.{L}.001
        DEF-shin.{L}.001 > ankle=DEF-foot.{L} > DEF-toe.{L}
        """,
    ),
    "Rigify metarig, underscores": (
        "blender",
        """
        pelvis=spine > spine_001 > spine_003 > spine_004 > head=spine_006 > face
        spine_003 > clavicle=shoulder_{L} > shoulder=upper_arm_{L} > elbow=forearm_{L}
        forearm_{L} > wrist=hand_{L}
        spine > hip=thigh_{L} > knee=shin_{L} > ankle=foot_{L} > toe_{L}
        """,
    ),
    "3ds Max Biped": ("biped", BIPED),
    "3ds Max Biped, underscores": ("biped", re.sub(r"Bip01 (?!>)", "Bip001_", BIPED)),
    "3ds Max Biped, legs below the spine": (
        "biped",
        """
        Bip01 > Bip01 Pelvis > pelvis=Bip01 Spine > Bip01 Spine1 > Bip01 Neck > head=Bip01 Head
        Bip01 Neck > clavicle=Bip01 {L} Clavicle > shoulder=Bip01 {L} UpperArm
        Bip01 {L} UpperArm > elbow=Bip01 {L} Forearm > wrist=Bip01 {L} Hand
        Bip01 Spine > hip=Bip01 {L} Thigh > knee=Bip01 {L} Calf > ankle=Bip01 {L} Foot
        """,
    ),
    "iClone (hip above pelvis and waist)": (
        "biped",
        """
        RL_BoneRoot > pelvis=CC_Base_Hip > CC_Base_Waist > CC_Base_Spine01 > CC_Base_Spine02
        CC_Base_Spine02 > CC_Base_NeckTwist01 > CC_Base_NeckTwist02 > head=CC_Base_Head
        CC_Base_Spine02 > clavicle=CC_Base_{L}_Clavicle > shoulder=CC_Base_{L}_Upperarm
        CC_Base_{L}_Upperarm > CC_Base_{L}_UpperarmTwist01
        CC_Base_{L}_Upperarm > elbow=CC_Base_{L}_Forearm > CC_Base_{L}_ForearmTwist01
        CC_Base_{L}_Forearm > wrist=CC_Base_{L}_Hand > CC_Base_{L}_Mid1
        CC_Base_Hip > CC_Base_Pelvis
        CC_Base_Pelvis > hip=CC_Base_{L}_Thigh > knee=CC_Base_{L}_Calf > ankle=CC_Base_{L}_Foot
        """,
    ),
    "Unreal (twist joints are leaves)": (
        "unreal",
        """
        root > pelvis=pelvis > spine_01 > spine_02 > spine_03 > neck_01 > head=head
        spine_03 > clavicle=clavicle_{l} > shoulder=upperarm_{l} > upperarm_twist_01_{l}
        upperarm_{l} > elbow=lowerarm_{l} > lowerarm_twist_01_{l}
        lowerarm_{l} > wrist=hand_{l} > index_01_{l}
        pelvis > hip=thigh_{l} > thigh_twist_01_{l}
        thigh_{l} > knee=calf_{l} > ankle=foot_{l} > ball_{l}
        root > ik_foot_root > ik_foot_{l}
        """,
    ),
    "Poser": (
        "poser",
        """
        pelvis=hip > abdomen > chest > neck > head=head > leftEye
        chest > clavicle={l}Collar > shoulder={l}Shldr > elbow={l}ForeArm > wrist={l}Hand > {l}Mid1
        hip > {l}Buttock > hip={l}Thigh > knee={l}Shin > ankle={l}Foot
        """,
    ),
    "Daz Genesis": (
        "poser",
        """
        pelvis=hip > abdomenLower > chestLower > chestUpper > neckLower > neckUpper > head=head
        chestUpper > clavicle={l}Collar > shoulder={l}ShldrBend > {l}ShldrTwist
        {l}ShldrTwist > elbow={l}ForearmBend > {l}ForearmTwist > wrist={l}Hand
        hip > pelvis
        pelvis > hip={l}ThighBend > {l}ThighTwist > knee={l}Shin > ankle={l}Foot > {l}Metatarsals
        """,
    ),
    "MakeHuman with helpers": (
        "makehuman",
        """
        pelvis=Root > Spine1 > Spine2 > Spine3 > Neck > head=Head > __Jaw > Jaw
        Spine3 > __Clavicle_{L} > clavicle=Clavicle_{L} > shoulder=UpArm_{L} > elbow=LoArm_{L}
        LoArm_{L} > wrist=Hand_{L}
        Root > Hips > __UpLeg_{L} > hip=UpLeg_{L} > knee=LoLeg_{L} > ankle=Foot_{L} > Toe_{L}
        """,
    ),
    "MakeHuman, default": (
        "makehuman",
        """
        pelvis=root > spine05 > spine01 > neck01 > neck02 > neck03 > head=head > jaw
        spine01 > clavicle=clavicle.{L} > shoulder01.{L} > shoulder=upperarm01.{L} > upperarm02.{L}
        upperarm02.{L} > elbow=lowerarm01.{L} > lowerarm02.{L} > wrist=wrist.{L} > finger1-1.{L}
        root > pelvis.{L} > hip=upperleg01.{L} > upperleg02.{L} > knee=lowerleg01.{L}
        lowerleg01.{L} > lowerleg02.{L} > ankle=foot.{L} > toe1-1.{L}
        """,
    ),
    "OptiTrack Motive": (
        "motive",
        """
        pelvis=Hip > Ab > Chest > Neck > head=Head
        Chest > clavicle={L}Shoulder > shoulder={L}UArm > elbow={L}FArm > wrist={L}Hand > {L}Thumb1
        Hip > hip={L}Thigh > knee={L}Shin > ankle={L}Foot > {L}Toe
        """,
    ),
    "endorphin": (
        "endorphin",
        """
        pelvis=root > LowerSpineJoint_dum > LowerSpineJoint > UpperSpineJoint > LowerNeckJoint_dum
        LowerNeckJoint_dum > LowerNeckJoint > head=UpperNeckJoint
        UpperSpineJoint > {Left}ClavicleJoint_dum > clavicle={Left}ClavicleJoint
        {Left}ClavicleJoint > shoulder={Left}ShoulderJoint > elbow={Left}ElbowJoint
        {Left}ElbowJoint > {Left}ForearmTwistJoint > wrist={Left}WristJoint > {Left}FingersJoint
        root > {Left}HipJoint_dum > hip={Left}HipJoint > knee={Left}KneeJoint
        {Left}KneeJoint > ankle={Left}AnkleJoint
        """,
    ),
    "several families in one rig": (
        "mixed",
        """
        pelvis=Hip > Spine1 > Neck > head=Head
        Spine1 > clavicle={Left}Clavicle > shoulder={Left}Arm > elbow={Left}Elbow > wrist={Left}Hand
        Hip > hip={Left}Thigh > knee={Left}Shin > ankle={Left}Foot
        """,
    ),
    "limbs and neck end in sites": (
        "motionbuilder",
        """
        pelvis=Hips > Spine > Neck > ~head=Neck end
        Spine > shoulder={Left}Arm > elbow={Left}ForeArm > ~wrist={Left}ForeArm end
        Hips > hip={Left}UpLeg > knee={Left}Leg > ~ankle={Left}Leg end
        """,
    ),
}


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


# Roles that are given.


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


# Real files.

HUMANS = {
    "accad_Male1_B3_Walk": "motionbuilder",
    "accad_Male2_Form_1": "motionbuilder",
    "aitviewer_sample_23j": "biovision",
    "bandai_dataset-1_kick_normal_001": "unity",
    "bandai_dataset-1_walk_normal_001": "unity",
    "bandai_dataset-2_wave-right-hand_exhausted_001": "unity",
    "blender_rig_dotL_names_19j": "blender",
    "bvhtoolbox_walk01_19j": "motionbuilder",
    "cmu_daz_friendly_49_06_cartwheel": "poser",
    "geno_bind_75j_6ch_zero_length": "motionbuilder",
    "makehuman_tpose_173j_mixed_6ch_3ch_1frame": "makehuman",
    "makehuman_zombieWalk1_75j": "makehuman",
    "mixamo_names_55j_freebvh": "motionbuilder",
    "perception_neuron_6ch_every_joint_59j": "motionbuilder",
    "pybvh_24j_mixed_orders": "motionbuilder",
    "xsens_upc_example_3": "biovision",
}
"""Stem of a file -> its family."""
NOT_HUMAN = {
    "fairmotion_sinusoidal",
    "momentum_simple_4j",
    "one_frame_4j_mixed_line_ends",
    "rotation_before_position_root",
}


def skeleton_of(path: Path) -> Skeleton:
    """The hierarchy of a BVH file, in its own unit."""
    text = parse_bvh(path.read_bytes())
    return Skeleton(
        text.names,
        text.parents,
        text.offsets,
        tuple(f"site {k} of {text.names[j]}" for k, j in enumerate(text.site_parents)),
        text.site_parents,
        text.site_offsets,
    )


@pytest.mark.data
def test_real_rigs_are_recognised_or_refused(shared_data: Path) -> None:
    seen = {}
    for path in sorted(shared_data.glob("other/bvh*/*.bvh")):
        if path.stem in NOT_HUMAN:
            with pytest.raises(RolesNotFound, match="cannot be read as a human"):
                find_roles(skeleton_of(path))
        else:
            skeleton = skeleton_of(path)
            roles = find_roles(skeleton)
            seen[path.stem] = roles.scheme
            assert set(roles.nodes) == set(ROLES), path.stem
            mirrored = {"l_": "r_", "r_": "l_"}
            for role, node in roles.nodes.items():
                if role[:2] in mirrored:  # both sides are equally far from the root
                    twin = roles.nodes[mirrored[role[:2]] + role[2:]]
                    assert len(skeleton.path(node)) == len(skeleton.path(twin)), (path.stem, role)
    assert seen == HUMANS


@pytest.mark.data
@pytest.mark.parametrize("folder", ["cmu/paper", "cmu/run", "cmu-original"])
def test_cmu_clips_are_recognised_with_their_hinges(shared_data: Path, folder: str) -> None:
    paths = sorted(shared_data.glob(f"{folder}/*.bvh"))
    assert paths
    for path in paths:
        skeleton = skeleton_of(path)
        roles = find_roles(skeleton)
        assert named(skeleton, roles) == parse(CMU_BVH)[1]
        assert len(roles.hinges) == 4


@pytest.mark.data
def test_cmu_elbows_and_knees_turn_about_their_hinges(shared_data: Path) -> None:
    motion = load(shared_data / "cmu" / "walk" / "02_01_walk.bvh")
    hinges = find_roles(motion.skeleton).hinges
    assert len(hinges) == 4
    for joint, axis in hinges.items():
        q = motion.rotations[:, motion.skeleton.index(joint)]
        q = q * np.sign(q[:, :1])
        along = q[:, 1:] @ np.array(axis)
        np.testing.assert_allclose(q[:, 1:], along[:, None] * axis, atol=1e-6)
        assert np.degrees(2.0 * np.arctan2(along, q[:, 0])).min() > -11.0  # extension stops early
        assert along.max() > 0.2


@pytest.mark.data
def test_asf_skeletons_are_recognised(shared_data: Path) -> None:
    schemes = {}
    for path in sorted(shared_data.rglob("*.asf")):
        lines = path.read_text().partition(":hierarchy")[2].splitlines()
        chains = [
            (p, child) for p, *children in map(str.split, filter(None, lines)) for child in children
        ]
        skeleton = build("\n".join(f"{parent} > {child}" for parent, child in chains))
        roles = find_roles(skeleton)
        assert set(roles.nodes) == set(ROLES), path.stem
        assert skeleton.names[roles.nodes["pelvis"]] == "root"
        schemes[path.stem] = roles.scheme
    assert schemes.pop("endorphin_skeleton") == "endorphin"
    assert set(schemes.values()) == {"cmu-asf"}


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "scheme"),
    [
        ("vrm/Example.vrm", "unity"),
        ("vrm/basic_armature_vrm0.vrm", "unity"),
        ("vrm/Godette_vrm_v4.vrm", "mixed"),
        ("gltf/CesiumMan.glb", None),
        ("gltf/webxr_generic_hand_left.glb", None),
    ],
)
def test_avatars_are_recognised_or_refused(
    shared_data: Path, file: str, scheme: str | None
) -> None:
    data = (shared_data / "other" / file).read_bytes()
    nodes = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])["nodes"]
    names = [f"{k}:{node.get('name')}" for k, node in enumerate(nodes)]
    children = {child: k for k, node in enumerate(nodes) for child in node.get("children", ())}

    def path(k: int) -> list[int]:
        return [*path(children[k]), k] if k in children else [k]

    chains = [" > ".join(names[j] for j in path(k)) for k in range(len(nodes))]
    skeleton = build("\n".join(chains))
    if scheme is None:
        with pytest.raises(RolesNotFound, match=r"no joint found for .*l_wrist"):
            find_roles(skeleton)
    else:
        assert find_roles(skeleton).scheme == scheme
        assert set(find_roles(skeleton).nodes) == set(ROLES)
