"""3D tracking: which sighting in one picture goes with which in the other, and whose it is.

All pairs are triangulated; for each of head and hands the one nearest to where its Kalman filter
expects it is chosen, within a gate (S3.7, Fig. 4 of the paper). Labels live in space: the pictures
only propose, so that hands that cross in a picture keep their names.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from .blobs import Blob
from .camera import Camera
from .ellipse import Ellipse
from .hypotheses import LABELS, Sighting, sightings_of
from .kalman import Track, new_track, predict, surprise, update
from .triangulate import all_pairs, place_covariance

UP = np.array([0.0, 1.0, 0.0])
FIRST_SPREAD, FIRST_SPEED = 0.02, 1.0
"""Standard deviations of a point that is seen for the first time [m], [m/s]."""
WORST_PAIR = 4.0
"""A pair whose rays miss each other by more than this is none [px]."""
SHARED_NOISE = 4.0
"""How much less certain a patch is that several share, than one that is somebody's own."""
ARM = 1.25
"""Hands are no farther from the head than this [m]. A hand of one picture paired with the other
hand of the other makes a ghost whose rays meet as well, metres before or behind."""
BEST = 5
"""Pairs that are tried for each of the three."""


@dataclass(frozen=True, kw_only=True)
class FollowSettings:
    """How head and hands are followed."""

    noise: float = 0.35
    """Standard deviation of the centre of a patch [px]."""
    acceleration: tuple[float, float, float] = (4.0, 12.0, 12.0)
    """How briskly head and hands change their speed [m/s^2]: less is smoother and lags more."""
    gate: float = 4.0
    """Standard deviations within which a pair may be the one looked for."""
    slack: float = 0.02
    """Added to what the filter expects, for what it does not know: a hand that opens [m]."""
    patience: float = 0.4
    """Time after which what is not seen is looked for anew [s]."""

    def __post_init__(self) -> None:
        for name in ("noise", "gate", "slack", "patience"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise InputError(f"Expected `{name}` > 0, got {getattr(self, name)}.")
        if len(self.acceleration) != len(LABELS) or min(self.acceleration) <= 0.0:
            raise InputError(f"Expected three `acceleration` > 0, got {self.acceleration}.")


@dataclass(frozen=True, eq=False)
class Fix:
    """Where one of head and hands is."""

    track: Track
    seen: Floats
    """Where it was seen, not smoothed [m], shape (3,); NaN if it was not."""
    ellipses: tuple[Ellipse, ...] | None
    """Its outline in each picture, if it was seen."""
    confidence: float
    """1: its own patch in both pictures; 0.5: a shared one; 0: expected, not seen."""
    lost: float = 0.0
    """Time since it was seen [s]."""


Fixes = tuple[Fix | None, Fix | None, Fix | None]
"""Of `LABELS`; None for what was never seen or is lost."""
NOBODY: Fixes = (None, None, None)


@dataclass(frozen=True, eq=False)
class Pair:
    """A sighting in each picture, and the place that they make."""

    sights: tuple[int, int]
    place: Floats
    miss: float
    """Distance between rays, in the worse picture [px]."""
    shared: bool
    area: float


def follow(
    fixes: Fixes,
    blobs: Sequence[Sequence[Blob]],
    cameras: Sequence[Camera],
    dt: float,
    settings: FollowSettings = FollowSettings(),
) -> Fixes:
    """One frame on.

    Args:
        fixes: of the frame before; `NOBODY` at first.
        blobs: patches of skin in each of the two pictures.
        cameras: the two views.
        dt: time since the frame before [s].
        settings: how.
    """
    ahead = [
        None if fix is None else predict(fix.track, dt, settings.acceleration[k] ** 2)
        for k, fix in enumerate(fixes)
    ]
    sights = [
        sightings_of(seen, [_expected(fix, track, camera, view) for fix, track in
                            zip(fixes, ahead, strict=True)])
        for view, (camera, seen) in enumerate(zip(cameras, blobs, strict=True))
    ]  # fmt: skip
    pairs = _pairs(sights, cameras)
    if all(track is None for track in ahead):
        return _begin(pairs, sights, cameras)
    chosen = _choose(ahead, pairs, cameras, settings)
    out: list[Fix | None] = []
    for fix, track, pair in zip(fixes, ahead, chosen, strict=True):
        if track is None or fix is None:
            out.append(None)
        elif pair is None:
            lost = fix.lost + dt
            still = Fix(track, np.full(3, np.nan), fix.ellipses, 0.0, lost)
            out.append(still if lost <= settings.patience else None)
        else:
            noise = _noise(pair, cameras, settings)
            after, _ = update(track, pair.place, noise)
            outline = tuple(
                sights[v][pair.sights[v]].blob.ellipse if not pair.shared else
                _kept(fix, v, sights[v][pair.sights[v]]) for v in range(2)
            )  # fmt: skip
            out.append(Fix(after, pair.place, outline, 0.5 if pair.shared else 1.0))
    return _regain((out[0], out[1], out[2]), chosen, pairs, sights)


def _expected(fix: Fix | None, track: Track | None, camera: Camera, view: int) -> Ellipse | None:
    """The outline of the frame before, where the filter expects it now."""
    if fix is None or track is None or fix.ellipses is None:
        return None
    centre = camera.project(track.position)
    return fix.ellipses[view].moved(centre) if np.isfinite(centre).all() else None


def _kept(fix: Fix, view: int, sight: Sighting) -> Ellipse:
    """The outline of before at the centre of now: that of a shared patch is not to be trusted."""
    if fix.ellipses is None:
        return sight.blob.ellipse
    return fix.ellipses[view].moved(sight.blob.centre)


def _pairs(sights: Sequence[Sequence[Sighting]], cameras: Sequence[Camera]) -> list[Pair]:
    """All pairs whose rays meet ahead of both cameras."""
    centres = [
        np.array([sight.blob.centre for sight in seen]).reshape(len(seen), 2) for seen in sights
    ]
    places, miss = all_pairs(cameras, centres[0], centres[1])
    found = []
    for i, j in itertools.product(range(len(sights[0])), range(len(sights[1]))):
        if not miss[i, j] <= WORST_PAIR * (3.0 if _shared(sights, i, j) else 1.0):
            continue
        if all(camera.depth(places[i, j]) > 0.0 for camera in cameras):
            area = min(sights[0][i].blob.area, sights[1][j].blob.area)
            pair = Pair((i, j), places[i, j], float(miss[i, j]), _shared(sights, i, j), area)
            found.append(pair)
    return found


def _shared(sights: Sequence[Sequence[Sighting]], i: int, j: int) -> bool:
    return sights[0][i].shared or sights[1][j].shared


def _noise(pair: Pair, cameras: Sequence[Camera], settings: FollowSettings) -> Floats:
    scale = settings.noise * (SHARED_NOISE if pair.shared else 1.0)
    return place_covariance(cameras, pair.place, scale)


def _choose(
    tracks: Sequence[Track | None],
    pairs: Sequence[Pair],
    cameras: Sequence[Camera],
    settings: FollowSettings,
) -> list[Pair | None]:
    """The pair of each, nearest to what is expected; nobody else's, unless it is shared."""
    slack = settings.slack**2 * np.eye(3)
    noises = [_noise(pair, cameras, settings) + slack for pair in pairs]
    options: list[list[tuple[float, Pair | None]]] = []
    for track in tracks:
        near: list[tuple[float, Pair | None]] = [(settings.gate**2, None)]
        if track is not None:
            for pair, noise in zip(pairs, noises, strict=True):
                far = surprise(track, pair.place, noise)
                if far < settings.gate:
                    near.append((far**2 + 0.1 * pair.miss**2, pair))
        options.append(sorted(near, key=lambda item: item[0])[:BEST])
    best: tuple[float, list[Pair | None]] = (np.inf, [None] * len(tracks))
    for combination in itertools.product(*options):
        cost = sum(item[0] for item in combination)
        if cost < best[0] and _apart([pair for _, pair in combination]):
            best = (cost, [pair for _, pair in combination])
    return best[1]


def _apart(pairs: Sequence[Pair | None]) -> bool:
    """Whether no sighting is used twice; a shared one may hide another, but not in both views."""
    for one, other in itertools.combinations([p for p in pairs if p is not None], 2):
        same = [a == b for a, b in zip(one.sights, other.sights, strict=True)]
        if all(same) or (any(same) and not (one.shared and other.shared)):
            return False
    return True


def _begin(
    pairs: Sequence[Pair], sights: Sequence[Sequence[Sighting]], cameras: Sequence[Camera]
) -> Fixes:
    """Somebody stands before the cameras with the hands apart: the head is highest."""
    best: tuple[float, tuple[Pair, ...]] = (-np.inf, ())
    large = sorted(pairs, key=lambda pair: -pair.area)[:12]
    for three in itertools.combinations(large, len(LABELS)):
        if _apart(three) and _within(three):
            score = sum(pair.area for pair in three) - 20.0 * sum(pair.miss for pair in three)
            if score > best[0]:
                best = (score, three)
    if not best[1]:
        return NOBODY
    head, *hands = sorted(best[1], key=lambda pair: -float(pair.place[1]))
    forward = np.mean([camera.centre for camera in cameras], axis=0) - head.place
    left = np.cross(UP, forward)
    hands.sort(key=lambda pair: -float(pair.place @ left))
    first = [_first(pair, sights) for pair in (head, *hands)]
    return first[0], first[1], first[2]


def _within(pairs: Sequence[Pair]) -> bool:
    """Whether the highest has the others within an arm's length."""
    head = max(pairs, key=lambda pair: float(pair.place[1])).place
    return all(float(np.linalg.norm(pair.place - head)) < ARM for pair in pairs)


def _first(pair: Pair, sights: Sequence[Sequence[Sighting]]) -> Fix:
    outline = tuple(sights[v][pair.sights[v]].blob.ellipse for v in range(2))
    return Fix(new_track(pair.place, FIRST_SPREAD, FIRST_SPEED), pair.place, outline, 1.0)


def _regain(
    fixes: Fixes,
    chosen: Sequence[Pair | None],
    pairs: Sequence[Pair],
    sights: Sequence[Sequence[Sighting]],
) -> Fixes:
    """If exactly one is lost, the largest pair that is nobody's is it."""
    lost = [k for k, fix in enumerate(fixes) if fix is None]
    if len(lost) != 1:
        return fixes if len(lost) < len(LABELS) else NOBODY
    used = [pair for pair in chosen if pair is not None]
    near = [fix.track.position for fix in fixes if fix is not None]
    free = [
        pair
        for pair in pairs
        if not pair.shared
        and _apart([*used, pair])
        and all(np.linalg.norm(pair.place - place) < ARM for place in near)
    ]
    if not free:
        return fixes
    out = list(fixes)
    out[lost[0]] = _first(max(free, key=lambda pair: pair.area), sights)
    return out[0], out[1], out[2]
