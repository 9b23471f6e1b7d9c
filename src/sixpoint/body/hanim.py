"""Names of the built-in figure: 34 joints of H-Anim (ISO/IEC 19774, version 1 names), as data.

The SIK paper's figure has 34 joints of which 22 are scored. The first three sit at
one place, at the lumbosacral joint, and do not move relative to each other: the root, the one the
legs hang from and the one the spine stands on. Clavicles hang from the highest thoracic joint that
is modelled. `middle` stands for the four fingers, which move together.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..kernels.types import Vec3

PARENTS: Mapping[str, str | None] = MappingProxyType(
    {
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
)
"""Joint -> parent, depth first, so that a subtree is contiguous."""

SITES: Mapping[str, str] = MappingProxyType(
    {
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
)
"""Site -> joint that carries it: top of the head, heels, toes, tips of the digits."""

COLOCATED = ("HumanoidRoot", "sacroiliac", "vl5")
"""Three joints at one place without relative motion."""

SPINE = ("vt12", "vt6", "vc7", "vc4")
"""Joints between the pelvis and the head, upwards."""

ROLES: Mapping[str, str] = MappingProxyType(
    {"pelvis": "HumanoidRoot", "head": "skullbase"}
    | {
        f"{side}_{role}": f"{side}_{joint}"
        for side in "lr"
        for role, joint in (
            ("clavicle", "sternoclavicular"),
            ("shoulder", "shoulder"),
            ("elbow", "elbow"),
            ("wrist", "wrist"),
            ("hip", "hip"),
            ("knee", "knee"),
            ("ankle", "ankle"),
        )
    }
)
"""Role -> joint."""

HINGES: Mapping[str, Vec3] = MappingProxyType(
    {
        "l_elbow": (-1.0, 0.0, 0.0),
        "r_elbow": (-1.0, 0.0, 0.0),
        "l_knee": (1.0, 0.0, 0.0),
        "r_knee": (1.0, 0.0, 0.0),
    }
)
"""Joint -> axis about which a positive turn bends it: forearms go forward, shanks back."""
