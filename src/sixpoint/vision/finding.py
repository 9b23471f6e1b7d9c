"""Who was never seen, or is lost: the head by its size, hands within reach by their sides."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ..kernels.types import Floats
from .camera import Camera
from .fixes import NOBODY, Fix, Fixes, first_fix
from .hypotheses import HANDS, HEAD
from .pairs import Pair, apart
from .sizes import Sizes, leftwards

MOST_HEAD = 1.35
"""A head that is larger than this, over what it should be, has a hand before it."""
PIECE = 0.09
"""What is nearer to the middle of the head than this, over stature, is a piece of the face."""
ASIDE, FAR_ASIDE = 0.12, 0.2
"""Hands that were lost are named by their sides when both are this far from the middle, or one
alone so far, over stature."""

EMERGING = 0.5
"""How sure a hand is in the frame in which it is found again: part of it may still be hidden."""


def find(
    fixes: Sequence[Fix | None], free: Sequence[Pair], cameras: Sequence[Camera], sizes: Sizes
) -> Fixes:
    """Look for those that are None; at first for all three, who must be seen at once.

    Args:
        fixes: of head and hands.
        free: pairs that are nobody's.
        cameras: the two views.
        sizes: of the person.
    """
    head, left, right = fixes
    new = head is None and left is None and right is None
    if head is None:
        heads = [p for p in free if p.may_be(HEAD) and p.sizes[HEAD].max() < MOST_HEAD]
        # Hands of two pictures that are not the same one may make a ghost as large, but not higher.
        best = max(heads, key=lambda pair: float(pair.place[1]), default=None)
        if best is None:
            return (None, left, right)
        head = first_fix(best, HEAD)
        free = [pair for pair in free if apart([best, pair])]
    place = head.track.position
    hands = [
        pair
        for pair in free
        if pair.may_be(1) and np.linalg.norm(pair.place - place) > PIECE * sizes.stature
    ]
    within = {k: [p for p in hands if sizes.reaches(k, place, p.place, cameras)] for k in HANDS}
    if left is None and right is None:
        left, right = _by_sides(within[1], within[2], place, cameras, sizes.stature, new=new)
        return NOBODY if new and (left is None or right is None) else (head, left, right)
    if left is None and right is not None and right.alone:
        left = _largest(within[1])
    elif right is None and left is not None and left.alone:
        right = _largest(within[2])
    return (head, left, right)


def _largest(pairs: Sequence[Pair]) -> Fix | None:
    best = max(pairs, key=lambda pair: pair.sizes[1].min() - pair.miss, default=None)
    return None if best is None else first_fix(best, 1, EMERGING)


def _by_sides(
    lefts: Sequence[Pair],
    rights: Sequence[Pair],
    head: Floats,
    cameras: Sequence[Camera],
    stature: float,
    *,
    new: bool,
) -> tuple[Fix | None, Fix | None]:
    """Somebody faces the cameras: the left hand is at their left.

    Hands that were lost may be crossed: they are not named before both are at their own sides.
    """
    left = leftwards(head, cameras)

    def side(pair: Pair) -> float:
        return float((pair.place - head) @ left) / stature

    couples = [
        (one, other)
        for one, other in itertools.product(lefts, rights)
        if apart([one, other])
        and (side(one) > side(other) if new else side(one) > ASIDE and side(other) < -ASIDE)
    ]
    if couples:
        # Two ghosts, before and behind the hands, are farther from the head than the hands are.
        one, other = min(
            couples,
            key=lambda couple: sum(
                float(np.linalg.norm(pair.place - head)) + 0.2 * pair.miss for pair in couple
            ),
        )
        sure = 1.0 if new else EMERGING
        return first_fix(one, 1, sure), first_fix(other, 1, sure)
    if new:
        return None, None
    found = [pair for pair in lefts if side(pair) > FAR_ASIDE]
    if found:
        return _largest(found), None
    return None, _largest([pair for pair in rights if side(pair) < -FAR_ASIDE])
