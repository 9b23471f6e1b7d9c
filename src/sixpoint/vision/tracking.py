"""Tracking of head and hands in space: data association, occlusion and re-identification.

For each of head and hands, the match nearest to the prediction of its Kalman filter is chosen,
within a gate (Boulic et al. 2006, Fig. 4). Labels live in space, so that hands that cross in a
picture keep them. Ours: a match must also have the right size and be within reach of the arms, and
hands that could as well be exchanged have no labels until it is clear again which is which.

Hands that are one blob in both pictures are not seen. When they are two again, the one that was
nearer to the cameras is the nearer one, if how they moved agrees. Hands that met at one depth, or
were together for long, are dropped, and labelled by their sides when they are apart again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..kernels.types import Floats
from .blobs import LARGEST_MISS, Blob, Match, compatible, detections_of, match_detections
from .body_measurement import HANDS, HEAD, PersonModel, leftwards
from .tracks import NO_TRACKS, KalmanState, Track, TrackingSettings, Tracks

EXCHANGE_COST = 12.0
"""Least cost of exchanging two hands that are told apart, in squared deviations."""
UNUSED_COST = 6.0
"""Cost of a blob that nobody takes: hands that hide each other are not beside a third."""
HEAD_CONFIDENCE = (1.0, 0.5, 0.3)
"""Confidence of the head where no, one or both hands are unseen: they may be before the face."""
MAX_CANDIDATES = 5
"""Matches that are tried for each of the three."""
SMOOTHING = 0.15
"""Weight of a new frame in running means."""
PARTING_DISTANCE = 0.2
"""Largest distance of hands that part from where they met, over stature."""
LEAST_DEPTH_GAP = 0.02
"""Least difference of depth that tells hands apart, over stature."""
LEAST_QUALITY = 0.5
"""Least quality of both hands whose depths are compared: that of a half hidden one is unknown."""
MEETING_DISTANCE = 0.12
"""Distance from the other hand within which a hand that disappears may be either, over stature."""
LARGEST_NEW_HEAD = 1.35
"""Largest size of a new head over its expected size: a larger one has a hand before it."""
FACE_RADIUS = 0.09
"""Blobs nearer to the middle of the head are pieces of the face, over stature."""
LEAST_ASIDE, LEAST_ASIDE_ALONE = 0.12, 0.2
"""Distance from the middle at which both lost hands, or one alone, are labelled by side, over
stature."""
NEW_HAND_CONFIDENCE = 0.5
"""Confidence of a hand in the frame in which it is found again: part of it may still be hidden."""


class TrackingStep(NamedTuple):
    """Person, time step and settings of one frame."""

    person: PersonModel
    dt: float
    """Time since the frame before [s]."""
    settings: TrackingSettings


def update_tracks(tracks: Tracks, blobs: Sequence[Sequence[Blob]], step: TrackingStep) -> Tracks:
    """Return the tracks after one more frame; `blobs` are the skin blobs of its two pictures."""
    person = step.person
    states = [None if track is None else _predicted(track, k, step)
              for k, track in enumerate(tracks)]  # fmt: skip
    detections = []
    for view, (camera, seen) in enumerate(zip(person.cameras, blobs, strict=True)):
        expected = []
        for track, state in zip(tracks, states, strict=True):
            centre = np.full(2, np.nan) if state is None else camera.project(state.position)
            known = track is not None and np.isfinite(centre).all()
            expected.append(track.ellipses[view].moved(centre) if track and known else None)
        detections.append(detections_of(seen, expected))
    matches = match_detections(detections, person)
    chosen = _choose(states, matches, step)
    _, left, right = tracks
    together = False
    if left is not None and right is not None:
        if left.both_hands:
            chosen[1:] = separate_hands((left, right), chosen[HEAD], matches, person)
            together = chosen[1] is None
        elif hands_meet(states, chosen, person):
            chosen[1:] = (None, None)
            together = True
    out = list[Track | None](tracks)
    for k, (track, state) in enumerate(zip(tracks, states, strict=True)):
        if track is not None and state is not None:
            moved = replace(track, filter=state, both_hands=together and k != HEAD)
            out[k] = _next(k, moved, chosen[k], step)
    head = out[HEAD]
    for k in HANDS:
        hand = out[k]
        if head and hand and not person.reaches(k, head.position, hand.position):
            out[k] = None  # farther from the shoulder than an arm: not this person's hand
    drop_ambiguous(out, tracks, person)
    taken = [match for match in chosen if match is not None]
    free = [match for match in matches if not match.shared and compatible([*taken, match])]
    head, left, right = start_tracks(out, free, person)
    if head is not None:
        unseen = sum(track is None or track.confidence == 0.0 for track in (left, right))
        head = replace(head, confidence=HEAD_CONFIDENCE[unseen] * head.confidence)
    return (head, left, right)


def _predicted(track: Track, label: int, step: TrackingStep) -> KalmanState:
    # What is not seen is taken to slow down: hands disappear where they arrive.
    state = track.filter if track.confidence > 0.0 else track.filter.slowed(step.dt)
    return state.predict(step.dt, step.settings.acceleration[label] ** 2)


def _choose(
    states: Sequence[KalmanState | None], matches: Sequence[Match], step: TrackingStep
) -> list[Match | None]:
    """Return the cheapest compatible combination of matches for head and hands."""
    slack = step.settings.slack**2 * np.eye(3)
    noises = [match.covariance(step.person, step.settings.noise) + slack for match in matches]
    known = list(zip(matches, noises, strict=True))
    costs = [_costs(k, states, known, step) for k in range(len(states))]
    options = [sorted(near, key=near.__getitem__)[:MAX_CANDIDATES] for near in costs]
    hands = [{match.pair[view].number for match in matches if match.may_be(1)} for view in (0, 1)]
    best: tuple[float, list[Match | None]] = (np.inf, [None] * len(states))
    for combination in itertools.product(*options):
        cost = sum(near[match] for near, match in zip(costs, combination, strict=True))
        taken = [match for match in combination if match is not None]
        used = [{match.pair[view].number for match in taken} for view in (0, 1)]
        unused = sum(len(every - some) for every, some in zip(hands, used, strict=True))
        cost += UNUSED_COST * unused
        if cost < best[0] and compatible(taken):
            best = (cost, list(combination))
    head, left, right = best[1]
    if left is not None and right is not None:
        exchanged = costs[1].get(right, np.inf) + costs[2].get(left, np.inf)
        if exchanged - costs[1][left] - costs[2][right] < EXCHANGE_COST:
            return [head, None, None]
    return best[1]


def _costs(
    label: int,
    states: Sequence[KalmanState | None],
    matches: Sequence[tuple[Match, Floats]],
    step: TrackingStep,
) -> dict[Match | None, float]:
    """Return the cost of each match (with its covariance), and of none, for a head or hand."""
    near: dict[Match | None, float] = {None: step.settings.gate**2}
    state, head = states[label], states[HEAD]
    if state is None:
        return near
    for match, noise in matches:
        at = match.position
        if label != HEAD and head and not step.person.reaches(label, head.position, at):
            continue
        far = state.mahalanobis(at, noise) if match.may_be(label) else np.inf
        if far < step.settings.gate:
            # The logarithm of how likely it is: what is uncertain is near to everything.
            wide = sum(float(np.log(detection.noise)) for detection in match.pair)
            near[match] = far**2 + match.miss**2 + 2.0 * wide
    return near


def _next(label: int, track: Track, match: Match | None, step: TrackingStep) -> Track | None:
    """Return a predicted track, corrected by its match; None if it is lost."""
    patience = step.settings.patience
    # The head keeps its shape, and is seen behind a hand; of a hand before it, little is.
    hidden = match is None or (match.shared == 2 and label != HEAD)
    lost = track.lost + step.dt if hidden else 0.0
    if lost > patience:
        return None
    if match is None:
        unseen = np.full(3, np.nan)
        return replace(track, seen=unseen, confidence=0.0, miss=np.nan, lost=lost)
    quality = match.quality(label, track.ratio)
    noise = match.covariance(step.person, step.settings.noise / quality)
    after = track.filter.update(match.position, noise)
    shared = 0.5 * (1.0 + lost / patience) if match.shared else 0.0
    weight = SMOOTHING if match.shared else 1.0
    return Track(
        filter=after,
        seen=match.position,
        # A shared blob does not show the outline: that of before is kept, where the blob is now.
        ellipses=tuple(
            kept.moved(detection.blob.centre) if detection.shared else detection.blob.ellipse
            for detection, kept in zip(match.pair, track.ellipses, strict=True)
        ),
        confidence=quality * (1.0 - shared),
        clear=track.clear + weight * (after.position - track.clear),
        ratio=track.ratio * (match.ratio / track.ratio) ** SMOOTHING,
        miss=np.nan if match.shared else LARGEST_MISS * match.miss,
        lost=lost,
    )


def hands_meet(
    states: Sequence[KalmanState | None], chosen: Sequence[Match | None], person: PersonModel
) -> bool:
    """Return whether no picture shows the two hands apart, by predictions and chosen matches."""
    found = [match for match in chosen[1:] if match is not None]
    if len(found) == 2 or any(match.both_hands for match in found):
        return any(match.both_hands for match in found)
    positions = [
        match.position if match is not None else state.position
        for match, state in zip(chosen[1:], states[1:], strict=True)
        if state is not None
    ]
    together = MEETING_DISTANCE * person.stature
    return len(positions) == 2 and _distance(positions[0], positions[1]) < together


def separate_hands(
    hands: tuple[Track, Track], head: Match | None, matches: Sequence[Match], person: PersonModel
) -> tuple[Match | None, Match | None]:
    """Return the matches of left and right hand that were one blob, if they are two again."""
    left, right = hands
    middle = 0.5 * (left.position + right.position)
    whole = [
        match
        for match in matches
        if match.whole
        and match.may_be(1)
        and _distance(match.position, middle) < PARTING_DISTANCE * person.stature
        and (head is None or compatible([head, match]))
    ]
    two = [
        (one, other)
        for one, other in itertools.combinations(whole, 2)
        if all(a.number != b.number for a, b in zip(one.pair, other.pair, strict=True))
    ]
    if not two:
        return None, None
    one, other = min(two, key=lambda couple: sum(_distance(m.position, middle) for m in couple))
    ahead = np.mean([camera.centre for camera in person.cameras], axis=0) - middle
    ahead /= np.linalg.norm(ahead)
    before = float((left.clear - right.clear) @ ahead)
    now = float((one.position - other.position) @ ahead)
    if min(abs(before), abs(now)) < LEAST_DEPTH_GAP * person.stature:
        return None, None
    if before * now < 0.0:
        one, other = other, one
    # How they moved must not say the contrary.
    kept, exchanged = (
        sum(
            float(np.linalg.norm(np.cross(ahead, match.position - track.position)))
            for match, track in zip(order, hands, strict=True)
        )
        for order in ((one, other), (other, one))
    )
    quality = min(one.quality(1, left.ratio), other.quality(1, right.ratio))
    return (one, other) if quality >= LEAST_QUALITY and kept < exchanged else (None, None)


def drop_ambiguous(
    tracks: list[Track | None], before: Sequence[Track | None], person: PersonModel
) -> None:
    """Drop both hands where one is lost while it is with or beside the other, in place."""
    for k, other in ((1, 2), (2, 1)):
        gone, track = before[k], tracks[other]
        if tracks[k] is not None or gone is None or track is None:
            continue
        near = _distance(gone.position, track.position) < MEETING_DISTANCE * person.stature
        if near or gone.both_hands or track.both_hands:
            tracks[other] = None


def _distance(one: Floats, other: Floats) -> float:
    return float(np.linalg.norm(one - other))


def start_tracks(
    tracks: Sequence[Track | None], free: Sequence[Match], person: PersonModel
) -> Tracks:
    """Find head and hands without a track: the head by its size, hands within reach by their sides.

    At first all three have none, and must be seen at once. `free` are matches not yet assigned.
    """
    head, left, right = tracks
    new = head is None and left is None and right is None
    if head is None:
        heads = [m for m in free if m.may_be(HEAD) and m.sizes[HEAD].max() < LARGEST_NEW_HEAD]
        # Hands of two pictures that are not the same one may make a ghost as large, but not higher.
        best = max(heads, key=lambda match: float(match.position[1]), default=None)
        if best is None:
            return (None, left, right)
        head = Track.start(best, HEAD)
        free = [match for match in free if compatible([best, match])]
    at, face = head.position, FACE_RADIUS * person.stature
    hands = [m for m in free if m.may_be(1) and _distance(m.position, at) > face]
    within = {k: [m for m in hands if person.reaches(k, at, m.position)] for k in HANDS}
    if left is None and right is None:
        left, right = _hands_by_side((within[1], within[2]), at, person, new=new)
        return NO_TRACKS if new and (left is None or right is None) else (head, left, right)
    if left is None and right is not None and right.alone:
        left = _largest(within[1])
    elif right is None and left is not None and left.alone:
        right = _largest(within[2])
    return (head, left, right)


def _largest(matches: Sequence[Match]) -> Track | None:
    best = max(matches, key=lambda match: match.sizes[1].min() - match.miss, default=None)
    return None if best is None else Track.start(best, 1, NEW_HAND_CONFIDENCE)


def _hands_by_side(
    candidates: tuple[Sequence[Match], Sequence[Match]],
    head: Floats,
    person: PersonModel,
    *,
    new: bool,
) -> tuple[Track | None, Track | None]:
    """Label hands by their sides; somebody who faces the cameras has the left hand at the left.

    Hands that were lost may be crossed: they are not labelled before both are at their own sides.
    """
    left = leftwards(head, person.cameras)

    def side(match: Match) -> float:
        return float((match.position - head) @ left) / person.stature

    couples = [
        (one, other)
        for one, other in itertools.product(*candidates)
        if compatible([one, other])
        and (
            side(one) > side(other)
            if new
            else side(one) > LEAST_ASIDE and side(other) < -LEAST_ASIDE
        )
    ]
    if couples:
        # Two ghosts, before and behind the hands, are farther from the head than the hands are.
        one, other = min(
            couples,
            key=lambda couple: sum(_distance(m.position, head) + 0.2 * m.miss for m in couple),
        )
        sure = 1.0 if new else NEW_HAND_CONFIDENCE
        return Track.start(one, 1, sure), Track.start(other, 1, sure)
    if new:
        return None, None
    lefts = [match for match in candidates[0] if side(match) > LEAST_ASIDE_ALONE]
    rights = [match for match in candidates[1] if side(match) < -LEAST_ASIDE_ALONE]
    return (_largest(lefts), None) if lefts else (None, _largest(rights))
