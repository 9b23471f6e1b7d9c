"""Arrays in a layout made from motions: what a perfect pose estimator would see of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..body.anatomy import Anatomy
from ..body.anthropometry import FRACTIONS
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.motion import Motion
from .landmarks import HEAD, PARTS, RigidPart
from .layouts import Layout

HEAD_FIGURE = 1.75
"""Stature of the figure on which the places of the face are measured [m]."""
EXTRA_FACE = {
    "head_top": (0.0, 0.129, 0.013),
    "face": (0.0, -0.08625, 0.0),
    "crown": (0.0, 0.02875, 0.0),
    "l_mouth": (0.026, -0.070, 0.058),
    "r_mouth": (-0.026, -0.070, 0.058),
    **{
        f"{side}_eye_{which}": (sign * x, 0.010, 0.048)
        for side, sign in (("l", 1.0), ("r", -1.0))
        for which, x in (("inner", 0.018), ("outer", 0.044))
    },
}
"""Landmarks of the head that say nothing beyond those of `HEAD` [m]. The top is that of the
built-in figure; `face` and `crown` are 115 mm apart, as in Human3.6M."""
THUMB = (0.0, -0.30, 0.22)
"""Place of the thumb's second knuckle from the wrist, in lengths of the hand."""
SPINE_SHARES = {"spine1": 0.2, "spine2": 0.45, "spine": 0.5, "chest": 0.55, "neck": 0.85}
"""Landmarks of the spine, as parts of the way from pelvis to head along the bones; `chest` and
`neck` only on rigs where no joint is in their place."""


def layout_positions(motion: Motion, layout: Layout) -> Floats:
    """Return the joints of a layout as they are in a motion, world positions [m], (F, N, 3).

    Landmarks that are no joints of the rig lie where they lie on the built-in figure. Places along
    the spine are those of the layout only roughly.

    Args:
        motion: of a person.
        layout: which landmarks, in which order.
    """
    anatomy = motion.skeleton.anatomy
    places, world = motion.world()
    found = {role: places[:, node] for role, node in anatomy.roles.nodes.items()}
    extra = RigidPart(HEAD.role, EXTRA_FACE, {})
    for part in (*PARTS, extra):
        node = anatomy.node(part.role)
        joint = motion.skeleton.carrier(node)
        turn = arrays.multiply(world[:, joint], arrays.conjugate(anatomy.neutral[joint]))
        size = _size(part.role, anatomy)
        marks = {**part.marks, **part.carries}
        if part.role.endswith("wrist"):
            marks[f"{part.role[0]}_thumb"] = THUMB
        for name, place in marks.items():
            if name not in found:
                found[name] = places[:, node] + arrays.rotate(turn, size * np.array(place))
    for name, pair in (("hips", "hip"), ("neck_base", "shoulder")):
        found[name] = 0.5 * (found[f"l_{pair}"] + found[f"r_{pair}"])
    _add_spine(found, places, anatomy)
    for side in "lr":
        found.setdefault(f"{side}_clavicle", found["neck_base"])
    return np.stack([found[name] for name in layout.landmarks], axis=1)


def _size(role: str, anatomy: Anatomy) -> float:
    """Return metres per unit of the places of landmarks on a part."""
    if role == HEAD.role:
        return anatomy.stature / HEAD_FIGURE
    return FRACTIONS["foot" if role.endswith("ankle") else "hand"] * anatomy.stature


def _add_spine(found: dict[str, Floats], places: Floats, anatomy: Anatomy) -> None:
    """Add places along the spine, by their share of its length."""
    rest = anatomy.positions
    ends = np.array([0.0, *np.cumsum(
        [np.linalg.norm(rest[b] - rest[a]) for a, b in pairwise(anatomy.bends)]
    )])  # fmt: skip
    for name, share in SPINE_SHARES.items():
        at = share * ends[-1]
        k = min(int(np.searchsorted(ends, at, side="right")) - 1, len(ends) - 2)
        part = (at - ends[k]) / max(ends[k + 1] - ends[k], 1e-12)
        start, end = places[:, anatomy.bends[k]], places[:, anatomy.bends[k + 1]]
        found.setdefault(name, start + part * (end - start))
