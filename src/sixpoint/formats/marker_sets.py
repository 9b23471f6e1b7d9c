"""From markers on the skin to joints: what the usual marker sets say of the roles.

A joint lies between the markers around it, so that their mean is it to a centimetre or two: enough
for a solver of six points, too little for clinical work. Markers that are named by their joints
(``L.Wrist``, ``LeftAnkle``) are taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ..kernels.types import Floats
from ..motion.points import SIX, Points
from .points_csv import point_name

WAISTS = (
    ("LASI", "RASI", "LPSI", "RPSI"),
    ("LASIS", "RASIS", "LPSIS", "RPSIS"),
    ("LASI", "RASI", "SACR"),
    ("LASIS", "RASIS", "VSACRAL"),
    ("LFWT", "RFWT", "LBWT", "RBWT"),
    ("ASISL", "ASISR", "PSISL", "PSISR"),
)
"""Front and back of the waist: the lumbosacral joint, the pelvis role, lies in their middle."""
HEADS = (("LFHD", "RFHD", "LBHD", "RBHD"), ("FRONTHEAD", "LHEAD", "RHEAD"), ("TOPHEAD",))
HEAD_DROP = 0.05
"""A band around the head lies above the skull base [m]."""
LIMBS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "wrist": (("{s}WRA", "{s}WRB"), ("{s}WRI",), ("{s}WRIST",), ("{s}RAD", "{s}ULN")),
    "elbow": (("{s}ELB", "{s}ELBM"), ("{s}ELB",), ("{s}ELBOW",)),
    "shoulder": (("{s}SHO",), ("{s}SHOULDER",), ("{s}ACR",)),
    "knee": (("{s}KNE", "{s}KNEM"), ("{s}KNEE", "{s}KNEEMEDIAL"), ("{s}KNE",), ("{s}KNEE",)),
    "ankle": (("{s}ANK", "{s}ANKM"), ("{s}ANKLE", "{s}ANKLEMEDIAL"), ("{s}ANK",), ("{s}ANKLE",)),
}
"""Role -> alternatives, the better first; {s} is L or R."""


def as_roles(points: Points) -> Points:
    """The roles that a marker set shows; the points as they are where it is not known.

    Points that are named by roles already keep those names. Markers that make no role are left out
    once some were recognised.
    """
    renamed = [point_name(name) for name in points.names]
    own = {name: k for k, name in reversed(list(enumerate(renamed))) if name in _ALL}
    columns = {re.sub(r"[^A-Z0-9]", "", _bare(n).upper()): k for k, n in enumerate(points.names)}
    found: dict[str, Floats] = {}
    for role in _ALL:
        if role in own:
            found[role] = points.positions[:, own[role]]
            continue
        for alternative in _alternatives(role):
            if all(marker in columns for marker in alternative):
                found[role] = _mean(points, [columns[marker] for marker in alternative])
                break
    if not found:
        return points
    return Points(tuple(found), np.stack(list(found.values()), axis=1), points.rate)


def upright(points: Points, usual: str) -> str:
    """The axis that points up: from ankles to head if both are seen, else the usual one."""
    names = points.names
    if "head" in names and ("l_ankle" in names or "r_ankle" in names):
        ankle = "l_ankle" if "l_ankle" in names else "r_ankle"
        rise = points.positions[:, names.index("head")] - points.positions[:, names.index(ankle)]
        seen = rise[np.isfinite(rise).all(axis=1)]
        if len(seen):
            return "xyz"[int(np.argmax(seen.mean(axis=0)))]
    return usual


def with_head(points: Points) -> Points:
    """Markers on a band around the head, lowered to the skull base (Y up)."""
    if "head" not in points.names:
        return points
    positions = points.positions.copy()
    positions[:, points.names.index("head"), 1] -= HEAD_DROP
    return Points(points.names, positions, points.rate)


_ALL = (*SIX, *(f"{s}_{part}" for part in ("shoulder", "elbow", "knee") for s in "lr"))


def _bare(name: str) -> str:
    """A marker's name without the subject: ``Anna:LFHD`` -> ``LFHD``."""
    return name.rsplit(":", 1)[-1]


def _alternatives(role: str) -> Sequence[tuple[str, ...]]:
    if role == "pelvis":
        return WAISTS
    if role == "head":
        return HEADS
    side, _, part = role.partition("_")
    return [tuple(m.format(s=side.upper()) for m in markers) for markers in LIMBS.get(part, ())]


def _mean(points: Points, columns: list[int]) -> Floats:
    """Mean of markers, NaN where one of them is not seen: it would jump."""
    return np.asarray(points.positions[:, columns].mean(axis=1))
