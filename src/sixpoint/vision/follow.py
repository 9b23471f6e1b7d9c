"""3D tracking: which sighting in one picture goes with which in the other, and whose it is.

All pairs are triangulated; for each of head and hands the one nearest to where its Kalman filter
expects it is chosen, within a gate (S3.7, Fig. 4 of the paper). Labels live in space: the pictures
only propose, so that hands that cross in a picture keep their names. Ours: a pair must also be as
large as what it is taken for and within reach of the arms, and hands that could as well be
exchanged are not named at all until it is clear again whose they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..kernels.types import Floats
from .blobs import Blob
from .camera import Camera
from .ellipse import Ellipse
from .finding import find
from .fixes import Fix, Fixes, FollowSettings
from .hypotheses import HANDS, HEAD, Sighting, sightings_of
from .kalman import Track, predict, slowed, surprise, update
from .meeting import drop_either, meet, part
from .pairs import WORST_PAIR, Pair, apart, pairs_of
from .sizes import Sizes

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
    settings: FollowSettings,
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


def _ahead(fix: Fix, label: int, dt: float, settings: FollowSettings) -> Track:
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
    settings: FollowSettings,
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
    settings: FollowSettings,
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
    settings: FollowSettings,
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
