"""Names under which tracked points are known, and the roles that they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..motion.people import MARK

SIDES = {"l": "l", "left": "l", "r": "r", "right": "r"}
JOINTS = ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle")
CENTRE = {
    "pelvis": "pelvis", "hips": "pelvis", "waist": "pelvis", "head": "head", "hmd": "head",
    "headset": "head",
}  # fmt: skip
"""Word -> role without a side."""
NEARLY_CENTRE = {"hip": "pelvis", "root": "pelvis", "belt": "pelvis"}
"""Words that mean a role where no other point has it."""
NEARLY = {"hand": "wrist", "controller": "wrist", "foot": "ankle"}
"""Parts of a limb that stand for a joint where no other point is that joint."""
FILLERS = frozenset({"tracker", "point", "pos", "position", "vive", "marker"})
"""Words that say nothing about which part of the body is meant."""


def point_name(name: str) -> str:
    """Return the role that a point name means (``LeftWrist`` -> ``l_wrist``), else the name.

    The label of a person in front of it stays: ``anna:LeftWrist`` -> ``anna:l_wrist``.
    """
    return _named(name, CENTRE, dict.fromkeys(JOINTS, ""))


def role_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the roles that the names of points mean; other names stay.

    A controller in the left hand is the left wrist, and a tracker on a foot the ankle, unless
    another point is that joint.
    """
    roles = [point_name(name) for name in names]
    for k, role in enumerate(roles):
        nearly = _named(role, NEARLY_CENTRE, NEARLY)
        if nearly != role and nearly not in roles:
            roles[k] = nearly
    # Of two spellings of one role none is surely meant: both keep their names.
    return tuple(
        role if roles.count(role) == 1 else name for role, name in zip(roles, names, strict=True)
    )


def _named(name: str, centre: dict[str, str], parts: dict[str, str]) -> str:
    """Return the role of a name among words for the middle and parts of limbs, else the name."""
    label, mark, bare = name.rpartition(MARK)
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", bare)]
    words = [word for word in words if word not in FILLERS] or words
    if len(words) == 1 and words[0] in centre:
        return f"{label}{mark}{centre[words[0]]}"
    if len(words) == 1 and words[0][:1] in SIDES and words[0][1:] in parts:
        words = [words[0][0], words[0][1:]]
    for side, part in (words, words[::-1]) if len(words) == 2 else ():
        if side in SIDES and part in parts:
            return f"{label}{mark}{SIDES[side]}_{parts[part] or part}"
    return name
