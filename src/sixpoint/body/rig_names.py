"""How rigs name their joints: one row per family, data only.

A name is read as a side and a *part*: lower case, without separators, side and known prefix.
``LeftForeArm``, ``mixamorig:LeftForeArm``, ``forearm.L``, ``lForearm`` and ``Bip01 L Forearm`` all
read as the left ``forearm``. To teach sixpoint another family, add a row to `SCHEMES`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..kernels.types import Vec3

LIMBS: dict[str, tuple[str, ...]] = {
    "arm": ("clavicle", "shoulder", "elbow", "wrist"),
    "leg": ("hip", "knee", "ankle"),
}
"""Joints of a limb, from the trunk outwards."""

CLAVICLE: tuple[str, ...] = ("sternoclavicular", "clavicle", "claviclejoint", "collar", "shoulder")
"""Parts that move the clavicle, in every family, the likeliest first; a rig may have none.

"Shoulder" is one where another joint below it is the shoulder (``LeftShoulder`` above ``LeftArm``).
"""

NECK: tuple[str, ...] = ("neck", *(f"neck{k}" for k in ("1", "2", "3", "01", "02", "03")))
"""Parts of the neck, in every family."""

PREFIXES: tuple[str, ...] = (
    r".*[:|]",  # name spaces: mixamorig:, mixamorig1:, Character1:, Armature|
    r"mixamorig\d*_?",  # some importers drop the colon
    r"Character\d*_",
    r"CC_Base_",
    r"(ValveBiped\.)?Bip\d*[ _]",
    r"J_Bip_(C_)?",
    r"(DEF|ORG)-",
    r"joint_",
    r"hanim_",
)
"""What stands before a name and means nothing, as regular expressions; case does not matter."""

NOISE: frozenset[str] = frozenset({"jnt", "bone", "armature"})
"""Words inside a name that mean nothing."""

SIDES: dict[str, str] = {"l": "l", "left": "l", "r": "r", "right": "r", "c": ""}
"""Words that tell the side; the last is the centre (VRoid)."""


CMU_HINGES: dict[str, Vec3] = {
    # Exact: elbows are tilted by 30 degrees and legs stand 20 degrees apart in the skeletons that
    # were converted, and both have one axis only.
    "l_elbow": (0.0, -math.cos(math.radians(30.0)), 0.5),
    "r_elbow": (0.0, math.cos(math.radians(30.0)), -0.5),
    "l_knee": (math.cos(math.radians(20.0)), math.sin(math.radians(20.0)), 0.0),
    "r_knee": (math.cos(math.radians(20.0)), -math.sin(math.radians(20.0)), 0.0),
}


@dataclass(frozen=True)
class Scheme:
    """What one family of rigs calls the joints of a person."""

    name: str
    """Short name, as reported in `Roles.scheme`."""
    rigs: str
    """Rigs that use these names."""
    parts: Mapping[str, tuple[str, ...]]
    """Joint without its side -> parts whose origin it is, the likeliest first; head: the base of
    the skull; neck: parts whose end is the head, where no joint is named after the head."""
    ends_in_sites: bool = True
    """Whether wrist and ankle may be the sites at the ends of forearm and shank; not where it is
    only the name of the wrist that tells this family from another."""
    hinges: Mapping[str, Vec3] = field(default_factory=dict)
    """Role -> axis of flexion in the joint's frame, where all rigs of the family share it."""


def _scheme(name: str, rigs: str, limbs: str, *, head: str = "head") -> Scheme:
    """Return a scheme; `limbs` names shoulder, elbow, wrist, hip, knee, ankle, with | for "or"."""
    joints = (*LIMBS["arm"][1:], *LIMBS["leg"], "head")
    parts = (tuple(word.split("|")) for word in (*limbs.split(), head))
    named = dict(zip(joints, parts, strict=True))
    return Scheme(name, rigs, {"clavicle": CLAVICLE, "neck": NECK, **named})


SCHEMES: tuple[Scheme, ...] = (
    _scheme(
        "hanim",
        "H-Anim (ISO/IEC 19774), version 1 and version 2",
        "shoulder elbow radiocarpal|wrist hip knee talocrural|ankle",
        head="skullbase",
    ),
    # The hand joint is the twist of the forearm, two thirds down; the wrist comes after it.
    replace(
        _scheme(
            "cmu-bvh",
            "CMU motion capture database converted to BVH",
            "arm forearm fingerbase upleg leg foot",
        ),
        ends_in_sites=False,
        hinges=CMU_HINGES,
    ),
    # Bones, each joint at the start of its bone; "wrist" is the twist of the forearm.
    _scheme(
        "cmu-asf",
        "CMU motion capture database as ASF/AMC, and the MuJoCo figures made from it",
        "humerus radius hand femur tibia foot",
    ),
    _scheme(
        "motionbuilder",
        "MotionBuilder, HumanIK, Mixamo, LAFAN1, Perception Neuron, ACCAD",
        "arm forearm hand upleg leg foot",
    ),
    _scheme(
        "unity",
        "Unity HumanBodyBones, VRM, VMC, VRoid, Bandai-Namco",
        "upperarm lowerarm hand upperleg lowerleg foot",
    ),
    _scheme("xsens", "Xsens MVN", "upperarm forearm hand upperleg lowerleg foot"),
    # UPC has a lower and an upper neck, the second at the skull.
    _scheme(
        "biovision",
        "rigs named after joints: Biovision, SMPL, Kinect, Xsens suits of UPC",
        "shoulder|uparm elbow|lowarm wrist|hand hip|upleg knee|lowleg ankle|foot",
        head="head|upperneck",
    ),
    # The metarig's last spine bone is the head.
    _scheme(
        "blender",
        "Blender's Rigify and its metarigs, Daz Genesis 9",
        "upperarm forearm hand thigh shin foot",
        head="head|spine006|face",
    ),
    _scheme(
        "biped",
        "3ds Max Biped, iClone and Character Creator",
        "upperarm forearm hand thigh calf foot",
    ),
    _scheme("unreal", "Unreal mannequins", "upperarm lowerarm hand thigh calf foot"),
    _scheme(
        "poser",
        "Poser, Daz Victoria and Genesis 1 to 8",
        "shldr|shldrbend forearm|forearmbend hand thigh|thighbend shin foot",
    ),
    _scheme(
        "makehuman",
        "MakeHuman",
        "upperarm01|uparm lowerarm01|loarm wrist|hand upperleg01|upleg lowerleg01|loleg foot",
    ),
    _scheme("motive", "OptiTrack Motive", "uarm farm hand thigh shin foot"),
    _scheme(
        "endorphin",
        "NaturalMotion endorphin",
        "shoulderjoint elbowjoint wristjoint hipjoint kneejoint anklejoint",
        head="upperneckjoint",
    ),
)
"""The families, in the order in which they are tried."""
