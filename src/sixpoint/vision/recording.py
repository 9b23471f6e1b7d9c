"""A whole sequence: pairs of pictures in, points and what is to be said about them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..body.anatomy import anatomy_of
from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..motion.points import SIX, Points
from .camera import Camera
from .capture import Capture, Elbows, Moment
from .masks import Picture
from .rules import Rule

BAD_MISS = 2.6e-3
"""A recording in which every tenth pair of hands misses by more, over the focal length, has a note
about it: well calibrated cameras stay below a third of that."""
SELDOM = 0.5
"""What is seen in a lesser part of the frames than this has one as well."""

Feedback: TypeAlias = Callable[[tuple[str, ...], Floats], Elbows | None]
"""From the points of a frame, their names and places (N, 3), to where the elbows are then."""


@dataclass(frozen=True, eq=False)
class Recording:
    """All pairs of pictures, as points."""

    points: Points
    broken: dict[str, int]
    """Rules that were broken, by their names -> frames."""
    warnings: tuple[str, ...]


def elbow_feedback(solve: Callable[[Points], Floats], body: Skeleton, rate: float) -> Feedback:
    """What inverse kinematics says about the elbows of one frame, for the wrists of the next.

    Args:
        solve: from the six points of one frame to where all nodes of the body are then (N, 3) [m].
        body: whose.
        rate: frames a second [Hz].
    """
    anatomy = anatomy_of(body)
    nodes = [anatomy.node(f"{side}_elbow") for side in "lr"]

    def feedback(names: tuple[str, ...], places: Floats) -> Elbows | None:
        given = dict(zip(names, places, strict=True))
        frame = np.array([given.get(name, np.full(3, np.nan)) for name in SIX])
        if np.isnan(frame[1:4]).any():  # head and wrists
            return None
        return np.asarray(solve(Points(SIX, frame[None], rate))[nodes])

    return feedback


def capture_clip(
    capture: Capture,
    pairs: Iterable[Sequence[Picture]],
    feedback: Feedback | None = None,
    watch: Callable[[int, Sequence[Picture], Moment], None] | None = None,
) -> Recording:
    """Follow a person through a whole sequence, from a fresh start.

    Args:
        capture: prepared for the cameras.
        pairs: pictures, one from each camera at a time.
        feedback: tells where the elbows are; those of one frame serve the next (S3.10).
        watch: called with the frame's number, its pictures and what they told.
    """
    capture.reset()
    places, sure, misses, counts = [], [], [], dict[Rule, int]()
    elbows: Elbows | None = None
    for frame, pair in enumerate(pairs):
        moment = capture.step(pair, elbows)
        places.append(moment.positions)
        sure.append(moment.confidence)
        misses += [fix.miss for fix in moment.fixes[1:] if fix is not None and fix.alone]
        for rule in moment.broken:
            counts[rule] = counts.get(rule, 0) + 1
        if feedback is not None:
            elbows = feedback(capture.names, moment.positions)
        if watch is not None:
            watch(frame, pair, moment)
    n = len(capture.names)
    points = Points(
        capture.names,
        np.array(places).reshape(len(places), n, 3),
        capture.rate,
        confidence=np.array(sure).reshape(len(sure), n),
    )
    warnings = [f"{rule.value} ({count} of {len(places)} frames)" for rule, count in counts.items()]
    warnings += _doubts(points, capture.cameras, misses, sum(counts.values()))
    return Recording(points, {rule.name: count for rule, count in counts.items()}, tuple(warnings))


def _doubts(
    points: Points, cameras: Sequence[Camera], misses: Sequence[float], broken: int
) -> list[str]:
    """What a whole recording shows that no frame does."""
    out = []
    if misses and float(np.percentile(misses, 90.0)) > BAD_MISS:
        off = float(np.percentile(misses, 90.0)) * float(cameras[0].matrix[0, 0])
        out.append(
            f"rays of the two cameras pass each other by {off:.1f} pixels: check the order of the "
            "views, the calibration, and that pictures of a pair were taken at the same moment"
        )
    if broken < SELDOM * len(points):
        for name, part in zip(points.names, points.seen.mean(axis=0), strict=True):
            if name in ("face", "l_hand", "r_hand") and part < SELDOM:
                out.append(
                    f"{name!r} is seen in {part:.0%} of the frames: keep head and hands apart, "
                    "give more light, or a skin model fitted to the person (fit_skin)"
                )
    return out
