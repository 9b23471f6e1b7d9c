"""A common spine: seven stations whose turns stand for the spine of any rig.

Rigs have one spine joint or twenty. The prior speaks of seven places instead: the pelvis, three
parts of the torso, two of the neck, and the head. A part of a rig's spine takes its turn from the
two stations around its middle, by arc length; the other way round, a station takes its turn from
the two parts of the rig around it. On a rig with three torso and two neck parts (CMU, H-Anim)
nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..body.anatomy import Anatomy
from ..kernels.types import Floats, Ints

PELVIS, TORSO, NECK, HEAD = 0, 1, 4, 6
"""First station of each region."""
TORSO_PARTS, NECK_PARTS = 3, 2
STATIONS = HEAD + 1


@dataclass(frozen=True, eq=False)
class Blend:
    """Rows that are each a mixture of two others: (1 - share) of `low` and share of `high`."""

    low: Ints
    high: Ints
    share: Floats


@dataclass(frozen=True, eq=False)
class SpineMap:
    """Between the parts of a rig's spine and the stations."""

    parts: Blend
    """Turn of each part of the rig, from the stations; shape (n - 1,)."""
    stations: Blend
    """Turn of each station but the pelvis, from the parts of the rig and, as the last, its head;
    shape (6,)."""
    torso: int
    """How many of the parts belong to the torso; the others are the neck's."""
    lower: int
    """Joint at the pelvis that turns the first part by itself; -1: it turns with the pelvis."""


def spine_map(anatomy: Anatomy) -> SpineMap:
    """How the spine of a rig corresponds to the stations."""
    bends = anatomy.bends
    path = anatomy.skeleton.path(anatomy.chest)
    chest = max((k for k, node in enumerate(bends[:-1]) if node in path), default=0)
    lengths = np.array([np.linalg.norm(anatomy.vector(a, b)) for a, b in pairwise(bends)])
    torso, neck = lengths[: chest + 1], lengths[chest + 1 :]
    into = [
        *_around(_middles(torso), _regular(TORSO_PARTS), TORSO),
        *_around(_middles(neck), _regular(NECK_PARTS), NECK),
    ]
    out = _around(_regular(TORSO_PARTS), _middles(torso), 0)
    if len(neck):
        out += _around(_regular(NECK_PARTS), _middles(neck), len(torso))
    else:  # the neck goes on from the torso to the head
        out += [(chest, len(lengths), part) for part in _regular(NECK_PARTS)]
    out.append((len(lengths), len(lengths), 0.0))
    lower = anatomy.colocated[-1] if anatomy.colocated else -1
    return SpineMap(_blend(into), _blend(out), len(torso), lower)


def _regular(count: int) -> Floats:
    """Middles of so many equal parts of [0, 1]."""
    return (np.arange(count) + 0.5) / count


def _middles(lengths: Floats) -> Floats:
    """Middles of parts of given lengths, as places in [0, 1]."""
    ends = np.cumsum(lengths)
    return (ends - 0.5 * lengths) / ends[-1] if len(ends) else ends


def _around(places: Floats, nodes: Floats, first: int) -> list[tuple[int, int, float]]:
    """For each place the nodes around it, counted from `first`, and the share of the higher."""
    found = []
    for place in places:
        high = min(int(np.searchsorted(nodes, place)), len(nodes) - 1)
        low = max(high - 1, 0)
        span = nodes[high] - nodes[low]
        share = float(np.clip((place - nodes[low]) / span, 0.0, 1.0)) if span > 0.0 else 0.0
        found.append((first + low, first + high, share))
    return found


def _blend(rows: list[tuple[int, int, float]]) -> Blend:
    low, high, share = zip(*rows, strict=True)
    return Blend(np.array(low, np.int64), np.array(high, np.int64), np.array(share))
