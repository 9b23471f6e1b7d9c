"""A body from the points themselves: lengths of bones as they were seen."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..body.anthropometry import lengths_from_stature
from ..body.humanoid import FINGERS
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..motion.points import Points
from .landmarks import stature_of

UPRIGHT_SHARE = 80.0
"""Percentile of the distances along the trunk that its length is taken from: bending shortens
them, and noise must not decide."""
PLAUSIBLE = (0.6, 1.6)
"""A length outside these multiples of the usual one, for the stature, is not believed."""


def measured_skeleton(points: Points, *, height: float | None = None) -> Skeleton:
    """Return the built-in figure with the bone lengths that the points show.

    Lengths are medians over frames and both sides. Those that the points do not show follow from
    the stature, which is estimated from arms and legs unless it is given.

    Args:
        points: joints named by roles.
        height: stature [m], if known.

    Raises:
        InputError: the points show no bone, and no height is given.
    """
    at = {name: points.positions[:, k] for k, name in enumerate(points.names)}
    if height is None and not any(f"{s}_elbow" in at or f"{s}_knee" in at for s in "lr"):
        raise InputError(
            f"These points show no bone that could be measured: {', '.join(points.names)}."
        )
    stature = stature_of(at) if height is None else height
    usual = lengths_from_stature(stature)
    found = dict(usual)

    def take(name: str, length: float | None) -> None:
        """Believe a length that people have."""
        low, high = (usual[name] * factor for factor in PLAUSIBLE)
        if length is not None and low < length < high:
            found[name] = length

    take("thigh", _bone(at, "hip", "knee"))
    take("calf", _bone(at, "knee", "ankle"))
    take("upper_arm", _bone(at, "shoulder", "elbow"))
    take("forearm", _bone(at, "elbow", "wrist"))
    take("pelvis_width", _across(at, "hip"))
    take("torso_width", _across(at, "shoulder"))
    palm = _bone(at, "wrist", "hand")
    take("hand", None if palm is None else palm / FINGERS["middle1"])
    # The trunk: each length is stretched until the distance that it decides is as it was seen.
    for name, start, end in (
        ("pelvis", "hips", "pelvis"),
        ("torso", "pelvis", "shoulders"),
        ("neck", "shoulders", "head"),
    ):
        seen = _trunk_distance(at, start, end)
        take(name, None if seen is None else _length_for(name, (start, end), seen, found))
    return Skeleton.humanoid(stature, lengths=found)


def _bone(at: Mapping[str, Floats], start: str, end: str) -> float | None:
    """Return the median length of a bone over frames and both sides [m], None if never seen."""
    pairs = [(f"{s}_{start}", f"{s}_{end}") for s in "lr"]
    lengths = [np.linalg.norm(at[b] - at[a], axis=1) for a, b in pairs if a in at and b in at]
    known = np.concatenate([np.zeros(0), *lengths])
    known = known[np.isfinite(known)]
    return float(np.median(known)) if len(known) else None


def _across(at: Mapping[str, Floats], joint: str) -> float | None:
    """Return the median distance of a joint from that of the other side [m]."""
    if not at.keys() >= {f"l_{joint}", f"r_{joint}"}:
        return None
    width = np.linalg.norm(at[f"l_{joint}"] - at[f"r_{joint}"], axis=1)
    width = width[np.isfinite(width)]
    return float(np.median(width)) if len(width) else None


def _place(at: Mapping[str, Floats], name: str) -> Floats | None:
    """Return positions of a point, or of the middle of two (``hips``)."""
    if name in at:
        return at[name]
    pair = [f"{side}_{name.removesuffix('s')}" for side in "lr"]
    return 0.5 * (at[pair[0]] + at[pair[1]]) if at.keys() >= set(pair) else None


def _trunk_distance(at: Mapping[str, Floats], start: str, end: str) -> float | None:
    """Return how far two places of an upright trunk are from each other [m], None if unknown."""
    places = _place(at, start), _place(at, end)
    if places[0] is None or places[1] is None:
        return None
    length = np.linalg.norm(places[1] - places[0], axis=1)
    length = length[np.isfinite(length)]
    return float(np.percentile(length, UPRIGHT_SHARE)) if len(length) else None


def _length_for(
    name: str, ends: tuple[str, str], distance: float, lengths: Mapping[str, float]
) -> float | None:
    """Return the length of the figure with which two of its places are so far from each other.

    Places of the figure at rest are linear functions of its lengths: the distance is a quadratic.
    """

    def vector(length: float) -> Floats:
        anatomy = Skeleton.humanoid(lengths={**lengths, name: length}).anatomy
        at = {role: anatomy.positions[None, node] for role, node in anatomy.roles.nodes.items()}
        start, end = (_place(at, place) for place in ends)
        assert start is not None
        assert end is not None
        return np.asarray(end[0] - start[0])

    usual = lengths[name]
    slope = (vector(1.5 * usual) - vector(usual)) / (0.5 * usual)
    base = vector(usual) - usual * slope
    a, b, c = slope @ slope, 2.0 * (base @ slope), base @ base - distance * distance
    root = b * b - 4.0 * a * c
    return float((np.sqrt(root) - b) / (2.0 * a)) if root >= 0.0 and a > 0.0 else None
