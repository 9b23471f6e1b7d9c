"""Hands that meet: where they are one patch in both pictures, nothing tells them apart.

While that lasts they are not seen. When they are two again, the one that was nearer to the cameras
is the nearer one, if how they moved agrees. Hands that met at one depth, or were together for long,
are dropped, and named by their sides when they are apart again (`finding`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ..kernels.types import Floats
from .camera import Camera
from .fixes import Fix
from .kalman import Track
from .pairs import Pair, apart
from .sizes import Sizes

NEAR = 0.2
"""Hands that part are found this near to where they met, over stature."""
GAP = 0.02
"""Depths that differ by less than this, over stature, do not tell hands apart."""
SURE = 0.5
"""Of a hand that is still half hidden the depth is not known: both must be seen this well."""
BESIDE = 0.12
"""A hand that disappears this near to the other may be either, over stature."""


def meet(tracks: Sequence[Track | None], chosen: Sequence[Pair | None], sizes: Sizes) -> bool:
    """Whether no picture shows the two hands apart.

    Args:
        tracks: where head and hands are expected.
        chosen: what is taken for each of them.
        sizes: of the person.
    """
    found = [pair for pair in chosen[1:] if pair is not None]
    if len(found) == 2 or any(pair.together for pair in found):
        return any(pair.together for pair in found)
    places = [
        pair.place if pair is not None else track.position
        for pair, track in zip(chosen[1:], tracks[1:], strict=True)
        if track is not None
    ]
    return len(places) == 2 and _near(places[0], places[1], BESIDE * sizes.stature)


def part(
    left: Fix,
    right: Fix,
    head: Pair | None,
    pairs: Sequence[Pair],
    cameras: Sequence[Camera],
    sizes: Sizes,
) -> tuple[Pair | None, Pair | None]:
    """What is left and right of two hands that were together, if they are two again."""
    middle = 0.5 * (left.track.position + right.track.position)
    whole = [
        pair
        for pair in pairs
        if all(sight.owner is None for sight in pair.sights)
        and pair.may_be(1)
        and _near(pair.place, middle, NEAR * sizes.stature)
        and (head is None or apart([head, pair]))
    ]
    two = [couple for couple in itertools.combinations(whole, 2) if _distinct(*couple)]
    if not two:
        return None, None
    one, other = min(
        two, key=lambda couple: sum(float(np.linalg.norm(p.place - middle)) for p in couple)
    )
    ahead = np.mean([camera.centre for camera in cameras], axis=0) - middle
    ahead /= np.linalg.norm(ahead)
    before = float((left.clear - right.clear) @ ahead)
    now = float((one.place - other.place) @ ahead)
    if min(abs(before), abs(now)) < GAP * sizes.stature:
        return None, None
    if before * now < 0.0:
        one, other = other, one
    # How they moved must not say the contrary.
    kept, exchanged = (
        sum(
            float(np.linalg.norm(np.cross(ahead, pair.place - fix.track.position)))
            for pair, fix in zip(order, (left, right), strict=True)
        )
        for order in ((one, other), (other, one))
    )
    whole_hands = min(one.quality(1, left.ratio), other.quality(1, right.ratio)) >= SURE
    return (one, other) if whole_hands and kept < exchanged else (None, None)


def drop_either(fixes: list[Fix | None], before: Sequence[Fix | None], sizes: Sizes) -> None:
    """Where one hand is lost while it is with the other or beside it, drop both: which is it?"""
    for k, other in ((1, 2), (2, 1)):
        gone, fix = before[k], fixes[other]
        if fixes[k] is not None or gone is None or fix is None:
            continue
        near = _near(gone.track.position, fix.track.position, BESIDE * sizes.stature)
        if near or gone.together or fix.together:
            fixes[other] = None


def _near(one: Floats, other: Floats, within: float) -> bool:
    return float(np.linalg.norm(one - other)) < within


def _distinct(one: Pair, other: Pair) -> bool:
    """Whether they have no patch in common, in neither picture."""
    return all(a.patch != b.patch for a, b in zip(one.sights, other.sights, strict=True))
