"""How rigs name their joints: one row per family, data only.

A name is read as a side and a *part*: lower case, without separators, side and known prefix.
``LeftForeArm``, ``mixamorig:LeftForeArm``, ``forearm.L``, ``lForearm`` and ``Bip01 L Forearm`` all
read as the left ``forearm``. To teach sixpoint another family, add a row to `SCHEMES`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Scheme:
    """What one family of rigs calls the joints of a person."""

    name: str
    """Short name, as reported in `Roles.scheme`."""
    rigs: str
    """Where it is met."""
    shoulder: tuple[str, ...]
    """Parts whose origin is the shoulder, the likeliest first, as in all that follow."""
    elbow: tuple[str, ...]
    """Parts whose origin is the elbow."""
    wrist: tuple[str, ...]
    """Parts whose origin is the wrist."""
    hip: tuple[str, ...]
    """Parts whose origin is the hip joint."""
    knee: tuple[str, ...]
    """Parts whose origin is the knee."""
    ankle: tuple[str, ...]
    """Parts whose origin is the ankle."""
    head: tuple[str, ...] = ("head",)
    """Parts whose origin is the base of the skull."""
    neck: tuple[str, ...] = ("neck", *(f"neck{k}" for k in ("1", "2", "3", "01", "02", "03")))
    """Parts whose end is the head, where no joint is named after the head."""
    ends_in_sites: bool = True
    """Whether wrist and ankle may be the sites at the ends of forearm and shank; not where it is
    only the name of the wrist that tells this family from another."""
    hinges: Mapping[str, Vec3] = field(default_factory=dict)
    """Role -> axis of flexion in the joint's frame, where all rigs of the family share it."""

    def parts(self, joint: str) -> tuple[str, ...]:
        """Parts that may play a role, which is named without its side."""
        found: tuple[str, ...] = CLAVICLE if joint == "clavicle" else getattr(self, joint)
        return found


SCHEMES: tuple[Scheme, ...] = (
    Scheme(
        "hanim",
        "H-Anim (ISO/IEC 19774), version 1 and version 2",
        shoulder=("shoulder",),
        elbow=("elbow",),
        wrist=("radiocarpal", "wrist"),
        hip=("hip",),
        knee=("knee",),
        ankle=("talocrural", "ankle"),
        head=("skullbase",),
    ),
    Scheme(
        "cmu-bvh",
        "CMU motion capture database converted to BVH",
        # The hand joint is the twist of the forearm, two thirds down; the wrist comes after it.
        shoulder=("arm",),
        elbow=("forearm",),
        wrist=("fingerbase",),
        hip=("upleg",),
        knee=("leg",),
        ankle=("foot",),
        ends_in_sites=False,
        # Exact: elbows are tilted by 30 degrees and legs stand 20 degrees apart in the skeletons
        # that were converted, and both have one axis only.
        hinges={
            "l_elbow": (0.0, -math.cos(math.radians(30.0)), 0.5),
            "r_elbow": (0.0, math.cos(math.radians(30.0)), -0.5),
            "l_knee": (math.cos(math.radians(20.0)), math.sin(math.radians(20.0)), 0.0),
            "r_knee": (math.cos(math.radians(20.0)), -math.sin(math.radians(20.0)), 0.0),
        },
    ),
    Scheme(
        "cmu-asf",
        "CMU motion capture database as ASF/AMC, and the MuJoCo figures made from it",
        # Bones, each joint at the start of its bone; "wrist" is the twist of the forearm.
        shoulder=("humerus",),
        elbow=("radius",),
        wrist=("hand",),
        hip=("femur",),
        knee=("tibia",),
        ankle=("foot",),
    ),
    Scheme(
        "motionbuilder",
        "MotionBuilder, HumanIK, Mixamo, LAFAN1, Perception Neuron, ACCAD",
        shoulder=("arm",),
        elbow=("forearm",),
        wrist=("hand",),
        hip=("upleg",),
        knee=("leg",),
        ankle=("foot",),
    ),
    Scheme(
        "unity",
        "Unity HumanBodyBones, VRM, VMC, VRoid, Bandai-Namco",
        shoulder=("upperarm",),
        elbow=("lowerarm",),
        wrist=("hand",),
        hip=("upperleg",),
        knee=("lowerleg",),
        ankle=("foot",),
    ),
    Scheme(
        "xsens",
        "Xsens MVN",
        shoulder=("upperarm",),
        elbow=("forearm",),
        wrist=("hand",),
        hip=("upperleg",),
        knee=("lowerleg",),
        ankle=("foot",),
    ),
    Scheme(
        "biovision",
        "rigs named after joints: Biovision, SMPL, Kinect, Xsens suits of UPC",
        shoulder=("shoulder", "uparm"),
        elbow=("elbow", "lowarm"),
        wrist=("wrist", "hand"),
        hip=("hip", "upleg"),
        knee=("knee", "lowleg"),
        ankle=("ankle", "foot"),
        head=("head", "upperneck"),  # UPC: a lower and an upper neck, the second at the skull
    ),
    Scheme(
        "blender",
        "Blender's Rigify and its metarigs, Daz Genesis 9",
        shoulder=("upperarm",),
        elbow=("forearm",),
        wrist=("hand",),
        hip=("thigh",),
        knee=("shin",),
        ankle=("foot",),
        head=("head", "spine006", "face"),  # the metarig's last spine bone is the head
    ),
    Scheme(
        "biped",
        "3ds Max Biped, iClone and Character Creator",
        shoulder=("upperarm",),
        elbow=("forearm",),
        wrist=("hand",),
        hip=("thigh",),
        knee=("calf",),
        ankle=("foot",),
    ),
    Scheme(
        "unreal",
        "Unreal mannequins",
        shoulder=("upperarm",),
        elbow=("lowerarm",),
        wrist=("hand",),
        hip=("thigh",),
        knee=("calf",),
        ankle=("foot",),
    ),
    Scheme(
        "poser",
        "Poser, Daz Victoria and Genesis 1 to 8",
        shoulder=("shldr", "shldrbend"),
        elbow=("forearm", "forearmbend"),
        wrist=("hand",),
        hip=("thigh", "thighbend"),
        knee=("shin",),
        ankle=("foot",),
    ),
    Scheme(
        "makehuman",
        "MakeHuman",
        shoulder=("upperarm01", "uparm"),
        elbow=("lowerarm01", "loarm"),
        wrist=("wrist", "hand"),
        hip=("upperleg01", "upleg"),
        knee=("lowerleg01", "loleg"),
        ankle=("foot",),
    ),
    Scheme(
        "motive",
        "OptiTrack Motive",
        shoulder=("uarm",),
        elbow=("farm",),
        wrist=("hand",),
        hip=("thigh",),
        knee=("shin",),
        ankle=("foot",),
    ),
    Scheme(
        "endorphin",
        "NaturalMotion endorphin",
        shoulder=("shoulderjoint",),
        elbow=("elbowjoint",),
        wrist=("wristjoint",),
        hip=("hipjoint",),
        knee=("kneejoint",),
        ankle=("anklejoint",),
        head=("upperneckjoint",),
    ),
)
"""The families, in the order in which they are tried."""
