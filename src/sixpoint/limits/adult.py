"""Ranges of motion of healthy adults and of their hands, with their sources.

The numbers stand here and nowhere else. They are passive ranges of single joints as handbooks give
them: wide enough for what athletes do every day, too wide for many people. `Limits.replace` puts
others in their place, for example one of `VARIANTS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..body.anatomy import Anatomy
from ..body.articulation import HINGE
from ..body.hand import PALM, finger_joints
from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..kernels.arrays import as_vec
from ..kernels.types import Vec3
from .base import JointLimit
from .collection import Limits
from .models import FlexionLimit, SwingTwistLimit

LEFT, RIGHT = 1.0, -1.0
LEFTWARDS: Vec3 = (1.0, 0.0, 0.0)
UP: Vec3 = (0.0, 1.0, 0.0)
DOWN: Vec3 = (0.0, -1.0, 0.0)
AHEAD: Vec3 = (0.0, 0.0, 1.0)

NORKIN = "AAOS values in Norkin and White, Measurement of Joint Motion (F. A. Davis), Table A.1"
ACCESS = "AccessPhysiotherapy (McGraw-Hill), Appendix 1"
KAPANDJI = "Kapandji, The Physiology of the Joints, vol. 3, 6th ed., p. 39"


FRAMES: Mapping[str, tuple[Vec3, Vec3, Vec3]] = {
    "limb": (DOWN, AHEAD, LEFTWARDS),
    "clavicle": (LEFTWARDS, UP, AHEAD),
    "spine": (UP, AHEAD, LEFTWARDS),
}
"""Kind of bone -> its direction in the neutral stance, theta = 0 and theta = 90 degrees, of the
left side: a limb hangs and swings from flexion to abduction, a clavicle from elevation to
protraction, the spine from flexion to the left."""

MOVEMENTS: Mapping[str, tuple[str, ...]] = {
    "limb": ("flexion", "abduction", "extension", "adduction", "internal", "external"),
    "clavicle": ("elevation", "protraction", "depression", "retraction", "axial"),
    "spine": ("flexion", "extension", "lateral", "axial"),
    "hinge": ("low", "high"),
}
"""Kind of bone -> its movements: swings, then twists inwards and outwards or "axial" to each
side."""


@dataclass(frozen=True)
class MotionRange:
    """Range of motion of a joint, or of a region of the spine, all its joints together."""

    bone: str
    """A key of `FRAMES`; "hinge" for an elbow or a knee, which bends about +X."""
    values: tuple[float, ...]
    """Largest angle of each of `MOVEMENTS` [degrees]."""
    source: str

    @property
    def angles(self) -> dict[str, float]:
        """Movement -> largest angle [degrees]."""
        return dict(zip(MOVEMENTS[self.bone], self.values, strict=True))

    def limit(self, side: float = LEFT, joints: int = 1) -> JointLimit:
        """Return the limit of the left (+1) or right (-1) joint, or of one of several joints.

        Args:
            side: a hinge along X and the spine are their own mirror images.
            joints: how many joints share the range equally.
        """
        values = [1.0 / joints * value for value in self.values]
        if self.bone == "hinge":
            return FlexionLimit.degrees(values[0], values[1])
        if self.bone == "spine":
            flexion, extension, lateral, axial = values
            values = [flexion, lateral, extension, lateral, axial]
        # Left: a positive rotation about -Y takes the front of the limb (+Z) to the right, inwards.
        inwards, outwards = side * values[4], -side * values[-1]
        bone, e1, e2 = ((side * x, y, z) for x, y, z in FRAMES[self.bone])
        twist = (min(inwards, outwards), max(inwards, outwards))
        return SwingTwistLimit.degrees(bone, e1, e2, _boundary(*values[:4]), twist)


def _boundary(front: float, side: float, back: float, across: float) -> dict[float, float]:
    """Return a boundary through four directions a quarter turn apart, the seam at the back."""
    return {-180.0: back, -90.0: across, 0.0: front, 90.0: side, 180.0: back}


LIMBS: Mapping[str, MotionRange] = {
    # With the forearm hanging along -Y too, a positive rotation about X takes it backwards: elbows
    # flex to negative angles, knees to positive ones.
    "clavicle": MotionRange(
        "clavicle",
        (45.0, 30.0, 10.0, 25.0, 20.0),
        f"girdle as a whole; {ACCESS}: sternoclavicular 45/15/5/15",
    ),
    "shoulder": MotionRange(
        "limb",
        (180.0, 180.0, 50.0, 30.0, 95.0, 80.0),
        f"usual handbook range; {NORKIN}: 180/180/60, 70/90",
    ),
    "elbow": MotionRange(
        "hinge", (-145.0, 0.0), f"active flexion, usual handbook range; {NORKIN}: 150"
    ),
    "hip": MotionRange(
        "limb",
        (120.0, 45.0, 20.0, 30.0, 30.0, 60.0),
        "usual handbook range, knee bent; see VARIANTS",
    ),
    "knee": MotionRange("hinge", (0.0, 135.0), "usual handbook range 130-150 (Merck Manual: 130)"),
}
"""Role without its side -> range."""

SPINE: Mapping[str, MotionRange] = {
    "lumbar": MotionRange("spine", (60.0, 35.0, 20.0, 5.0), KAPANDJI),
    "thoracic": MotionRange(
        "spine", (45.0, 25.0, 20.0, 35.0), f"{KAPANDJI}; axial: Neumann, Fig. 9.54"
    ),
    "cervical": MotionRange("spine", (40.0, 75.0, 40.0, 50.0), f"{KAPANDJI}; lateral 35-45"),
}
"""Region -> range, to be shared by its joints."""

VARIANTS: Mapping[str, MotionRange] = {
    "elbow, AAOS": MotionRange("hinge", (-150.0, 0.0), NORKIN),
    "knee, clinical": MotionRange("hinge", (0.0, 140.0), "clinical table: 140, extension 0"),
    "hip, clinical": MotionRange(
        "limb",
        (125.0, 45.0, 30.0, 25.0, 40.0, 60.0),
        "clinical table; Merck Manual: extension 15, 45/45",
    ),
    "shoulder, AAOS": MotionRange(
        "limb", (180.0, 180.0, 60.0, 30.0, 70.0, 90.0), f"{NORKIN}; adduction: usual handbook range"
    ),
    "shoulder, glenohumeral alone": MotionRange(
        "limb",
        (100.0, 95.0, 60.0, 75.0, 90.0, 90.0),
        f"{ACCESS}; for rigs whose clavicles do their part",
    ),
}
"""Other published ranges: ``limits.replace({"l_elbow": VARIANTS["elbow, AAOS"].limit(LEFT)})``."""


def adult_limits(skeleton: Skeleton) -> Limits:
    """Default limits for a skeleton of a human, by the roles of its joints.

    Shoulders, hips, clavicles, elbows, knees and spine; a region of the spine divides its range
    among the joints that the skeleton has there. Wrists, ankles and what hangs from them rotate
    freely, as does the pelvis.

    Raises:
        RolesNotFound: the skeleton is no human, or its joints have unknown names.
    """
    anatomy = skeleton.anatomy
    joints: dict[str, JointLimit] = {}
    roles: dict[str, str] = {}
    spine = _spine_regions(anatomy)
    for joint, region in spine.items():
        name = skeleton.names[joint]
        joints[name] = SPINE[region].limit(joints=sum(other == region for other in spine.values()))
        roles[name] = "head" if joint == anatomy.node("head") else region
    for prefix, side in (("l", LEFT), ("r", RIGHT)):
        for part, motion_range in LIMBS.items():
            role = f"{prefix}_{part}"
            if anatomy.has(role):
                name = skeleton.node_names[anatomy.node(role)]
                joints[name] = motion_range.limit(side)
                roles[name] = role
    return Limits(joints, roles)


def _spine_regions(anatomy: Anatomy) -> dict[int, str]:
    """Region of each joint that bends the spine, the head's too if it is a joint.

    Of several joints on the pelvis, the one that carries the spine is lumbar.
    """
    head = anatomy.node("head")
    joints = (*anatomy.spine, head) if head < anatomy.skeleton.joint_count else anatomy.spine
    regions = dict.fromkeys(anatomy.colocated[-1:], "lumbar")
    return regions | {joint: anatomy.region(joint) for joint in joints}


# Typical ranges of the Electronic Textbook of Hand Surgery (e-hand.com), extension and flexion
# [degrees]; spreading: American Academy of Orthopaedic Surgeons.
KNUCKLE, THUMB_ROOT = (20.0, 45.0, 90.0), (35.0, 20.0, 45.0)
"""Spread to each side, extension, flexion."""
HINGES = {"middle": (0.0, 100.0), "end": (0.0, 80.0)}
THUMB_HINGES = {"knuckle": (-10.0, 55.0), "end": (-15.0, 80.0)}
WRIST = {-180.0: 70.0, -90.0: 35.0, 0.0: 75.0, 90.0: 20.0, 180.0: 70.0}
"""Extension, to the little finger, flexion, to the thumb, extension again."""
FOREARM = (-70.0, 85.0)
"""Pronation and supination."""


def hand_limits(skeleton: Skeleton, fingers: Mapping[str, Sequence[str]] | None = None) -> Limits:
    """Limits for the joints of a hand: of `Skeleton.hand`, or of your own.

    The roots of fingers bend and spread, but do not twist. With these limits the built-in hand has
    26 degrees of freedom (Courty & Arnaud 2008); its elbow rotates freely.

    Args:
        skeleton: the hand, at rest with straight fingers.
        fingers: name of each finger -> its three joints from the palm outwards; one that is named
            "thumb" gets a thumb's ranges. The outer two are hinges whose positive turn bends the
            finger; the first is a ball or such a hinge. Default: those of `Skeleton.hand`, whose
            wrist is limited, too.

    Raises:
        UnknownName: a joint that the skeleton does not have.
        InputError: a finger has other joints than these.
    """
    joints: dict[str, JointLimit] = {}
    if fingers is None:
        joints["wrist"] = SwingTwistLimit.degrees(DOWN, PALM, AHEAD, WRIST, FOREARM, "pchip")
        if "wrist" not in skeleton.names:
            raise UnknownName("joint", "wrist", skeleton.names)
    for name, finger in finger_joints(skeleton, fingers).items():
        joints |= _finger(skeleton, finger, thumb="thumb" in name.lower())
    return Limits(joints)


def _finger(skeleton: Skeleton, finger: Sequence[str], *, thumb: bool) -> dict[str, JointLimit]:
    """Limits of the three joints of a finger."""
    body = skeleton.articulation
    root, *outer = (skeleton.index(joint) for joint in finger)
    (spread, extension, flexion), hinges = (
        (THUMB_ROOT, THUMB_HINGES) if thumb else (KNUCKLE, HINGES)
    )
    out: dict[str, JointLimit] = {}
    for joint, (low, high) in zip(outer, hinges.values(), strict=True):
        out[skeleton.names[joint]] = FlexionLimit.degrees(low, high, as_vec(body.axes[joint]))
    if body.freedom[root] == HINGE:
        along = FlexionLimit.degrees(-extension, flexion, as_vec(body.axes[root]))
        return {finger[0]: along, **out}
    bone, axis = body.offsets[outer[0]], body.axes[outer[0]]
    length = float(np.linalg.norm(bone))
    curl = np.cross(axis, bone)
    if not np.linalg.norm(curl) > 0.1 * length > 0.0:
        raise InputError(
            f"Expected the hinge {finger[1]!r} to bend a finger that is straight at rest, got an "
            "axis along its bone."
        )
    curl /= np.linalg.norm(curl)
    bone = np.cross(curl, axis)  # at right angles to the axis
    frame = (as_vec(bone), as_vec(curl), as_vec(axis))
    boundary = _boundary(flexion, spread, extension, spread)
    out[finger[0]] = SwingTwistLimit.degrees(*frame, boundary, (0.0, 0.0), "pchip")
    return out
