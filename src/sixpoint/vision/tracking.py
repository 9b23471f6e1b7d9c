"""Tracking of head and hands in space: data association, occlusion, and re-identification."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..kernels.types import Floats
from .blobs import (
    HANDS,
    HEAD,
    WORST_PAIR,
    Blob,
    Ellipse,
    Pair,
    Sighting,
    apart,
    pairs_of,
    sightings_of,
)
from .body_measurement import Sizes, leftwards
from .camera import Camera
from .tracks import (
    NOBODY,
    Fix,
    Fixes,
    Track,
    TrackingSettings,
    first_fix,
    predict,
    slowed,
    surprise,
    update,
)

EXCHANGED = 12.0
"""Two hands whose exchange costs less than this, in squared deviations, are not told apart."""
UNUSED = 6.0
"""What it costs to leave a patch to nobody: hands that hide each other are not beside a third."""
BEFORE_FACE = (1.0, 0.5, 0.3)
"""How sure the head is where no hand, one or both are not seen: they may be before the face."""
BEST = 5
"""Pairs that are tried for each of the three."""
RECENT = 0.15
"""Part by which what is true of late follows what is true now, each frame."""


def follow(
    fixes: Fixes,
    blobs: Sequence[Sequence[Blob]],
    cameras: Sequence[Camera],
    dt: float,
    settings: TrackingSettings,
    sizes: Sizes,
) -> Fixes:
    """One frame on.

    Args:
        fixes: of the frame before; `NOBODY` at first.
        blobs: patches of skin in each of the two pictures.
        cameras: the two views.
        dt: time since the frame before [s].
        settings: how.
        sizes: of the person.
    """
    ahead = [None if fix is None else _ahead(fix, k, dt, settings) for k, fix in enumerate(fixes)]
    sights = [
        sightings_of(seen, [_expected(fix, track, camera, view) for fix, track in
                            zip(fixes, ahead, strict=True)])
        for view, (camera, seen) in enumerate(zip(cameras, blobs, strict=True))
    ]  # fmt: skip
    pairs = pairs_of(sights, cameras, sizes)
    chosen = _choose(ahead, pairs, cameras, settings, sizes)
    _, left, right = fixes
    together = False
    if left is not None and right is not None:
        if left.together:
            chosen[1:] = part(left, right, chosen[HEAD], pairs, cameras, sizes)
            together = chosen[1] is None
        elif meet(ahead, chosen, sizes):
            chosen[1:] = (None, None)
            together = True
    out = [
        _next(k, fix, track, chosen[k], cameras, dt, settings, together and k != HEAD)
        for k, (fix, track) in enumerate(zip(fixes, ahead, strict=True))
    ]
    _drop_unreachable(out, cameras, sizes)
    drop_either(out, fixes, sizes)
    taken = [pair for pair in chosen if pair is not None]
    free = [pair for pair in pairs if not pair.parts and apart([*taken, pair])]
    head, left, right = find(out, free, cameras, sizes)
    if head is not None:
        unseen = sum(fix is None or fix.confidence == 0.0 for fix in (left, right))
        head = replace(head, confidence=BEFORE_FACE[unseen] * head.confidence)
    return (head, left, right)


def _ahead(fix: Fix, label: int, dt: float, settings: TrackingSettings) -> Track:
    # What is not seen is taken to slow down: hands disappear where they arrive.
    track = fix.track if fix.confidence > 0.0 else slowed(fix.track, dt)
    return predict(track, dt, settings.acceleration[label] ** 2)


def _expected(fix: Fix | None, track: Track | None, camera: Camera, view: int) -> Ellipse | None:
    """The outline of the frame before, where the filter expects it now."""
    if fix is None or track is None:
        return None
    centre = camera.project(track.position)
    return fix.ellipses[view].moved(centre) if np.isfinite(centre).all() else None


def _choose(
    tracks: Sequence[Track | None],
    pairs: Sequence[Pair],
    cameras: Sequence[Camera],
    settings: TrackingSettings,
    sizes: Sizes,
) -> list[Pair | None]:
    """The pair of each, nearest to what is expected; nobody else's, unless one hides the other."""
    slack = settings.slack**2 * np.eye(3)
    noises = [pair.covariance(cameras, settings.noise) + slack for pair in pairs]
    costs = [_costs(k, tracks, pairs, noises, cameras, settings, sizes) for k in range(len(tracks))]
    options = [sorted(near, key=near.__getitem__)[:BEST] for near in costs]
    patches = [{pair.sights[view].patch for pair in pairs if pair.may_be(1)} for view in (0, 1)]
    best: tuple[float, list[Pair | None]] = (np.inf, [None] * len(tracks))
    for combination in itertools.product(*options):
        cost = sum(near[pair] for near, pair in zip(costs, combination, strict=True))
        taken = [pair for pair in combination if pair is not None]
        cost += UNUSED * _unused(patches, taken)
        if cost < best[0] and apart(taken):
            best = (cost, list(combination))
    head, left, right = best[1]
    if left is not None and right is not None:
        exchanged = costs[1].get(right, np.inf) + costs[2].get(left, np.inf)
        if exchanged - costs[1][left] - costs[2][right] < EXCHANGED:
            return [head, None, None]
    return best[1]


def _costs(
    label: int,
    tracks: Sequence[Track | None],
    pairs: Sequence[Pair],
    noises: Sequence[Floats],
    cameras: Sequence[Camera],
    settings: TrackingSettings,
    sizes: Sizes,
) -> dict[Pair | None, float]:
    """What it costs to take a pair, or none, for one of head and hands."""
    near: dict[Pair | None, float] = {None: settings.gate**2}
    track, head = tracks[label], tracks[HEAD]
    if track is None:
        return near
    for pair, noise in zip(pairs, noises, strict=True):
        within = (
            label == HEAD
            or head is None
            or sizes.reaches(label, head.position, pair.place, cameras)
        )
        if not within or not pair.may_be(label):
            continue
        far = surprise(track, pair.place, noise)
        if far < settings.gate:
            # The logarithm of how likely it is: what is uncertain is near to everything.
            wide = sum(float(np.log(sight.noise)) for sight in pair.sights)
            near[pair] = far**2 + pair.miss**2 + 2.0 * wide
    return near


def _unused(patches: Sequence[set[int]], taken: Sequence[Pair]) -> int:
    """How many patches as large as a hand nobody takes."""
    used = [{pair.sights[view].patch for pair in taken} for view in (0, 1)]
    return sum(len(every - some) for every, some in zip(patches, used, strict=True))


def _next(
    label: int,
    fix: Fix | None,
    track: Track | None,
    pair: Pair | None,
    cameras: Sequence[Camera],
    dt: float,
    settings: TrackingSettings,
    together: bool,
) -> Fix | None:
    """What is known of one now."""
    if fix is None or track is None:
        return None
    # The head keeps its shape, and is seen behind a hand; of a hand before it, little is.
    hidden = pair is None or (pair.parts == 2 and label != HEAD)
    lost = fix.lost + dt if hidden else 0.0
    if lost > settings.patience:
        return None
    if pair is None:
        return replace(fix, track=track, seen=np.full(3, np.nan), confidence=0.0, miss=np.nan,
                       lost=lost, together=together)  # fmt: skip
    quality = pair.quality(label, fix.ratio)
    after, _ = update(track, pair.place, pair.covariance(cameras, settings.noise / quality))
    shared = 0.5 * (1.0 + lost / settings.patience) if pair.parts else 0.0
    step = RECENT if pair.parts else 1.0
    return Fix(
        track=after,
        seen=pair.place,
        ellipses=tuple(
            _outline(s, kept) for s, kept in zip(pair.sights, fix.ellipses, strict=True)
        ),
        confidence=quality * (1.0 - shared),
        clear=fix.clear + step * (after.position - fix.clear),
        ratio=fix.ratio * (pair.ratio / fix.ratio) ** RECENT,
        miss=np.nan if pair.parts else WORST_PAIR * pair.miss,
        lost=lost,
    )


def _outline(sight: Sighting, kept: Ellipse) -> Ellipse:
    """That of a patch of its own; else the one of before, where the patch is now."""
    if sight.owner is None and len(sight.claimed) < 2:
        return sight.blob.ellipse
    return kept.moved(sight.blob.centre)


def _drop_unreachable(fixes: list[Fix | None], cameras: Sequence[Camera], sizes: Sizes) -> None:
    """Forget hands that went farther from their shoulders than an arm: they are others'."""
    head = fixes[HEAD]
    if head is not None:
        for k in HANDS:
            hand = fixes[k]
            place = head.track.position
            if hand and not sizes.reaches(k, place, hand.track.position, cameras):
                fixes[k] = None


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
