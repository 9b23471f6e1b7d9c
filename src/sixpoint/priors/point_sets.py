"""Sets of points that people track: what the prior is trained for, and what benches measure."""

from __future__ import annotations

from typing import NamedTuple

from ..motion.points import SIX


class PointSet(NamedTuple):
    """Points whose positions are known, and those of them whose rotations are known."""

    points: tuple[str, ...]
    rotations: tuple[str, ...] = ()


HANDS = ("head", "l_wrist", "r_wrist")
_ELBOWS, _KNEES = ("l_elbow", "r_elbow"), ("l_knee", "r_knee")
_EIGHT = (*SIX, *_ELBOWS)
_ELEVEN = (*_EIGHT, *_KNEES, "chest")
_LIMBS = ("l_shoulder", "r_shoulder", "l_hip", "r_hip", *_ELBOWS, *_KNEES, *SIX[2:])
_TOES = ("l_toe", "r_toe")

POINT_SETS: dict[str, PointSet] = {
    "six": PointSet(SIX),
    "six, pelvis and head with rotations": PointSet(SIX, ("pelvis", "head")),
    "six with rotations": PointSet(SIX, SIX),
    "head and hands": PointSet(HANDS),
    "head and hands, head with rotation": PointSet(HANDS, ("head",)),
    "head and hands with rotations": PointSet(HANDS, HANDS),
    "head, hands, pelvis with rotations": PointSet(("pelvis", *HANDS), ("pelvis", *HANDS)),
    "pelvis, head, feet": PointSet(("pelvis", "head", "l_ankle", "r_ankle")),
    "pelvis, head, hands": PointSet(("pelvis", *HANDS)),
    "six and elbows": PointSet(_EIGHT),
    "six, elbows, knees": PointSet((*_EIGHT, *_KNEES)),
    "11 points": PointSet(_ELEVEN),
    "11 points with rotations": PointSet(_ELEVEN, _ELEVEN),
    "limbs": PointSet(_LIMBS),
    "limbs and head": PointSet(("head", *_LIMBS)),
    "limbs, pelvis, chest, head": PointSet(("pelvis", "chest", "head", *_LIMBS)),
    "limbs, spine, toes": PointSet(("pelvis", "chest", "neck", "head", *_LIMBS, *_TOES)),
}
"""Sets that a prior is trained for, besides random ones."""
SEVENTEEN_JOINTS = PointSet((*_ELEVEN, *_LIMBS[:4], *_TOES))
"""What a motion capture of 17 joints tells."""
