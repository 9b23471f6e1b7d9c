"""The built-in figure: 34 H-Anim joints standing in the neutral stance, shaped by 11 lengths.

Facing +Z, left is +X, soles on the ground (y = 0), arms and legs hanging exactly along -Y, palms
towards the thighs, the spine curved in the sagittal plane only, and left an exact mirror image of
right. No joint is turned in this stance: rig frames and anatomical frames are the same.

Names are those of H-Anim (ISO/IEC 19774, version 1). The SIK paper's figure has 34 joints of which
22 are scored. The first three sit at one place, at the lumbosacral joint, and do not move relative
to each other: the root, the one the legs hang from and the one the spine stands on. Clavicles hang
from the highest thoracic joint that is modelled. `middle` stands for the four fingers, which move
together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..kernels.types import Floats, Vec3
from .anthropometry import (
    ANKLE_HEIGHT,
    DEFAULT_STATURE,
    FRACTIONS,
    PAPER_HEIGHT,
    SKULL_BASE_HEIGHT,
    body_height,
    check_lengths,
    lengths_from_stature,
)
from .tree import JointTree

PARENTS: Mapping[str, str | None] = {
    "HumanoidRoot": None,
    "sacroiliac": "HumanoidRoot",
    "l_hip": "sacroiliac",
    "l_knee": "l_hip",
    "l_ankle": "l_knee",
    "l_midtarsal": "l_ankle",
    "l_metatarsal": "l_midtarsal",
    "r_hip": "sacroiliac",
    "r_knee": "r_hip",
    "r_ankle": "r_knee",
    "r_midtarsal": "r_ankle",
    "r_metatarsal": "r_midtarsal",
    "vl5": "HumanoidRoot",
    "vt12": "vl5",
    "vt6": "vt12",
    "vc7": "vt6",
    "vc4": "vc7",
    "skullbase": "vc4",
    "l_sternoclavicular": "vt6",
    "l_shoulder": "l_sternoclavicular",
    "l_elbow": "l_shoulder",
    "l_wrist": "l_elbow",
    "l_thumb1": "l_wrist",
    "l_thumb2": "l_thumb1",
    "l_middle1": "l_wrist",
    "l_middle2": "l_middle1",
    "r_sternoclavicular": "vt6",
    "r_shoulder": "r_sternoclavicular",
    "r_elbow": "r_shoulder",
    "r_wrist": "r_elbow",
    "r_thumb1": "r_wrist",
    "r_thumb2": "r_thumb1",
    "r_middle1": "r_wrist",
    "r_middle2": "r_middle1",
}
"""Joint -> parent, depth first, so that a subtree is contiguous."""

SITES: Mapping[str, str] = {
    "skull_tip": "skullbase",
    "l_calcaneous_post": "l_ankle",
    "l_forefoot_tip": "l_metatarsal",
    "r_calcaneous_post": "r_ankle",
    "r_forefoot_tip": "r_metatarsal",
    "l_thumb_distal_tip": "l_thumb2",
    "l_middle_distal_tip": "l_middle2",
    "r_thumb_distal_tip": "r_thumb2",
    "r_middle_distal_tip": "r_middle2",
}
"""Site -> joint that carries it: top of the head, heels, toes, tips of the digits."""

COLOCATED = ("HumanoidRoot", "sacroiliac", "vl5")
"""Three joints at one place without relative motion."""

SPINE = ("vt12", "vt6", "vc7", "vc4")
"""Joints between the pelvis and the head, upwards."""

ROLES: Mapping[str, str] = {
    "pelvis": "HumanoidRoot",
    "head": "skullbase",
    **{f"{side}_clavicle": f"{side}_sternoclavicular" for side in "lr"},
    **{
        f"{side}_{joint}": f"{side}_{joint}"
        for side in "lr"
        for joint in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")
    },
}
"""Role -> joint."""

HINGES: Mapping[str, Vec3] = {
    f"{side}_{joint}": (x, 0.0, 0.0)
    for side in "lr"
    for joint, x in (("elbow", -1.0), ("knee", 1.0))
}
"""Joint -> axis about which a positive turn bends it: forearms go forward, shanks back."""

# What the 11 lengths leave open, as fractions of the length they go with. Ours, by the eye, on
# H-Anim's centres and common anatomy.

ANKLE_TO_FOOT = ANKLE_HEIGHT / FRACTIONS["foot"]
"""Height of the ankle over the foot's length."""

FOOT = {"heel": -0.25, "midtarsal": 0.22, "metatarsal": 0.47, "tip": 0.75}
"""Distance in front of the ankle over the foot's length."""

FOOT_HEIGHTS = {"heel": 0.0, "midtarsal": 0.60, "metatarsal": 0.25, "tip": 0.0}
"""Height above the ground over the ankle's height."""

FINGERS = {"middle1": 0.52, "middle2": 0.78}
"""Distance below the wrist over the hand's length: knuckles and middle joints of the fingers."""

THUMB: Mapping[str, Vec3] = {
    "thumb1": (-0.04, -0.12, 0.12),
    "thumb2": (-0.08, -0.34, 0.24),
    "thumb_distal_tip": (-0.12, -0.58, 0.30),
}
"""Left hand, relative to the wrist, over the hand's length: in front of the palm."""

TORSO_CURVE: Mapping[str, tuple[float, float]] = {
    "vt12": (0.39, -0.046),
    "vt6": (0.74, -0.116),
    "vc7": (1.00, -0.053),
}
NECK_CURVE: Mapping[str, tuple[float, float]] = {
    "vc4": (0.50, 0.216),
    "skullbase": (1.00, 0.287),
}
"""Up and forward from the lumbosacral joint, and from C7; scaled to the length along the bones.

Hollow back, round chest, head over the hips; enough curve that the spine can stretch, by 2.3 %."""

HEAD_ABOVE_NECK = (1.0 - SKULL_BASE_HEIGHT) / PAPER_HEIGHT
"""Top of the head above the skull base over the SIK paper's height."""

LUMBOSACRAL_DEPTH = -0.237
"""Distance of the lumbosacral joint in front of the hips over the pelvis's length."""

STERNUM: Vec3 = (0.10, 0.816, 0.083)
"""Sternoclavicular joint: x over half the torso's width; y and z from the lumbosacral joint, over
the torso's length.

H-Anim puts it 8 cm to the side; here it is beside the sternum, so that the clavicle is as long as
a clavicle."""

SHOULDER: Vec3 = (1.0, 0.830, 0.010)
"""Shoulder joint, in the units of `STERNUM`; at .818 of stature as in Drillis and Contini."""


def build_humanoid(
    height: float | None = None, lengths: Mapping[str, float] | None = None
) -> JointTree:
    """See `Skeleton.humanoid`."""
    measures = lengths_from_stature(DEFAULT_STATURE if height is None else height)
    if lengths is not None:
        check_lengths(lengths)
        measures.update({name: float(length) for name, length in lengths.items()})
    at = _positions(measures)
    for name in [n for n in at if n.startswith("l_")]:
        at["r_" + name[2:]] = at[name] * (-1.0, 1.0, 1.0)
    order = list(PARENTS)
    parents = [-1 if p is None else order.index(p) for p in PARENTS.values()]
    return JointTree(
        names=tuple(order),
        parents=np.array(parents),
        offsets=np.array(
            [at[name] if p is None else at[name] - at[p] for name, p in PARENTS.items()]
        ),
        site_names=tuple(SITES),
        site_parents=np.array([order.index(p) for p in SITES.values()]),
        site_offsets=np.array([at[name] - at[p] for name, p in SITES.items()]),
        roles=ROLES,
        hinges=HINGES,
    )


def _positions(lengths: Mapping[str, float]) -> dict[str, Floats]:
    """World positions [m] of the trunk's and the left side's nodes in the neutral stance."""
    foot, hand, torso, pelvis = (lengths[n] for n in ("foot", "hand", "torso", "pelvis"))
    side, half = lengths["pelvis_width"] / 2.0, lengths["torso_width"] / 2.0
    ankle = ANKLE_TO_FOOT * foot
    knee = ankle + lengths["calf"]
    hip = knee + lengths["thigh"]
    low, deep = hip + pelvis, LUMBOSACRAL_DEPTH * pelvis

    at = dict.fromkeys(COLOCATED, (0.0, low, deep))
    for curve, start, length in (
        (TORSO_CURVE, "HumanoidRoot", torso),
        (NECK_CURVE, "vc7", lengths["neck"]),
    ):
        scale = length / _along(list(curve.values()))
        for name, (up, forward) in curve.items():
            at[name] = (0.0, at[start][1] + scale * up, at[start][2] + scale * forward)
    _, top, front = at["skullbase"]
    skull = HEAD_ABOVE_NECK * body_height(lengths)
    at["skull_tip"] = (0.0, top + skull, front + 0.10 * skull)

    at["l_hip"], at["l_knee"], at["l_ankle"] = ((side, y, 0.0) for y in (hip, knee, ankle))
    for name, part in (
        ("l_calcaneous_post", "heel"),
        ("l_midtarsal", "midtarsal"),
        ("l_metatarsal", "metatarsal"),
        ("l_forefoot_tip", "tip"),
    ):
        at[name] = (side, FOOT_HEIGHTS[part] * ankle, FOOT[part] * foot)

    at["l_sternoclavicular"], (x, y, z) = (
        (across * half, low + up * torso, deep + forward * torso)
        for across, up, forward in (STERNUM, SHOULDER)
    )
    wrist = y - lengths["upper_arm"] - lengths["forearm"]
    at["l_shoulder"], at["l_elbow"] = (x, y, z), (x, y - lengths["upper_arm"], z)
    at["l_wrist"], at["l_middle_distal_tip"] = (x, wrist, z), (x, wrist - hand, z)
    for name, down in FINGERS.items():
        at["l_" + name] = (x, wrist - down * hand, z)
    for name, (dx, dy, dz) in THUMB.items():
        at["l_" + name] = (x + dx * hand, wrist + dy * hand, z + dz * hand)
    return {name: np.array(position) for name, position in at.items()}


def _along(curve: Sequence[tuple[float, float]]) -> float:
    """Length of a polyline from the origin."""
    points = np.array([(0.0, 0.0), *curve])
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def measure_lengths(skeleton: JointTree) -> dict[str, float]:
    """The 11 lengths [m] of a skeleton made by `Skeleton.humanoid`; the inverse of that."""
    at = dict(zip(skeleton.node_names, skeleton.rest()[0], strict=True))

    def along(*names: str) -> float:
        chain = np.array([at[name] for name in names])
        return float(np.linalg.norm(np.diff(chain, axis=0), axis=1).sum())

    return {
        "foot": along("l_calcaneous_post", "l_forefoot_tip"),
        "calf": along("l_knee", "l_ankle"),
        "thigh": along("l_hip", "l_knee"),
        "pelvis": float(at["HumanoidRoot"][1] - at["l_hip"][1]),
        "pelvis_width": along("l_hip", "r_hip"),
        "torso": along("HumanoidRoot", *TORSO_CURVE),
        "torso_width": along("l_shoulder", "r_shoulder"),
        "neck": along("vc7", *NECK_CURVE),
        "upper_arm": along("l_shoulder", "l_elbow"),
        "forearm": along("l_elbow", "l_wrist"),
        "hand": along("l_wrist", "l_middle_distal_tip"),
    }
