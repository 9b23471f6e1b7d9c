"""Motion capture from two cameras: pairs of pictures in, tracked points out.

The chain of Boulic, Varona, Unzueta, Peinado, Suescun and Perales 2006 (Figs. 2 and 3), frame by
frame: segmentation, skin blobs, tracking of head and hands, points of the body. Elbows found by
inverse kinematics are passed in as positions; no solver is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, get_args

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..motion.points import SIX, Points
from .body_points import ANKLES, BodyEstimator, Elbows, Found, WristMethod
from .camera import Camera, check_views, cropped, wrong_size
from .images import Footage, Picture
from .observation import (
    Observation,
    Rule,
    RuleMonitor,
    bare_forearms,
    observe,
    same_view,
    why_not_found,
)
from .segmentation import Background, ChromaKey, SkinModel
from .tracking import TrackingStep, update_tracks
from .tracks import NO_TRACKS, TrackingSettings, Tracks

UPPER = ("pelvis", "head", "l_wrist", "r_wrist", "trunk", "face", "l_hand", "r_hand")
"""Points of a capture; `trunk` is the middle of the silhouettes, `face` and hands are blobs."""
BLOBS = UPPER[5:]
"""Points that are blobs, in the order of the tracks."""
FAIR_MISS, TRUST_TIME = 1.4e-3, 1.0
"""Largest distance between rays of well calibrated cameras, over the focal length, and the time
over which it is averaged [s]."""
LARGE_MISS = 2.6e-3
"""Distance between rays to the hands, over the focal length, from which on a recording (its 90th
percentile) has a warning: three times that of well calibrated cameras."""
LEAST_SEEN = 0.5
"""Share of the frames below which a point that is seen has a warning."""

Feedback: TypeAlias = Callable[[tuple[str, ...], Floats], Elbows | None]
"""Function from the points of a frame, their names and positions (N, 3), to the elbows then."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CaptureSettings:
    """Options of a capture."""

    key: ChromaKey = field(default_factory=ChromaKey)
    """Colour of the wall."""
    backgrounds: tuple[Background, ...] | None = None
    """Pictures of the empty room, one for each camera, where there is no wall of one colour."""
    skin: SkinModel = field(default_factory=SkinModel)
    tracking: TrackingSettings = field(default_factory=TrackingSettings)
    feet: bool = False
    """Whether to look for ankles at the bottom of the silhouettes."""
    wrist: WristMethod = "outlines"
    """How wrists are found: `outlines`, half a hand's measured length in the direction that
    explains both outlines of the hand and the arm; `cut`, where the elbow's line enters the outline
    (the paper); `length`, half a hand's usual length towards the elbow."""

    def __post_init__(self) -> None:
        choices = get_args(WristMethod)
        if self.wrist not in choices:
            raise InputError(f"Expected `wrist` to be {', '.join(choices)}, got {self.wrist!r}.")


@dataclass(frozen=True, eq=False)
class CaptureFrame:
    """Points, observations and tracks of one pair of pictures."""

    positions: Floats
    """Position of each of the capture's `names` [m], shape (N, 3); NaN for what is not seen."""
    confidence: Floats
    """0 to 1, shape (N,)."""
    observations: tuple[Observation, ...]
    tracks: Tracks
    broken: tuple[Rule, ...]
    """Rules that a picture of this frame breaks."""


class Capture:
    """Follows one person through pairs of pictures.

    Args:
        cameras: the two views.
        body: how large the person is; from `measure_body` or a height.
        rate: pairs of pictures per second [Hz].
        settings: options.
    """

    def __init__(
        self,
        cameras: Sequence[Camera],
        body: Skeleton,
        rate: float,
        settings: CaptureSettings | None = None,
    ) -> None:
        check_views(cameras)
        if len(cameras) != 2:
            raise InputError(f"Expected two cameras, got {len(cameras)}; keypoints take more.")
        if not (np.isfinite(rate) and rate > 0.0):
            raise InputError(f"Expected a positive `rate` in Hz, got {rate}.")
        self.cameras, self.rate = tuple(cameras), float(rate)
        self.settings = chosen = settings or CaptureSettings()
        if chosen.backgrounds is not None and len(chosen.backgrounds) != 2:
            raise InputError(
                f"Expected two backgrounds, one a camera; got {len(chosen.backgrounds)}."
            )
        self.names = UPPER + (ANKLES if chosen.feet else ())
        accelerations = chosen.tracking.acceleration[1:]
        self._body = BodyEstimator(cameras, body, chosen.wrist, chosen.feet, accelerations)
        self.reset()

    def reset(self) -> None:
        """Forget earlier frames."""
        self._tracks: Tracks = NO_TRACKS
        self._rules, self._sleeves = RuleMonitor(), RuleMonitor()
        self._mean_miss: float | None = None
        self._body.reset()

    def step(self, pictures: Sequence[Picture], elbows: Elbows | None = None) -> CaptureFrame:
        """Process the next pair of pictures.

        Args:
            pictures: one from each camera.
            elbows: positions that inverse kinematics found (2, 3) [m]; None: guessed.
        """
        if len(pictures) != 2:
            raise InputError(f"Expected two pictures, got {len(pictures)}.")
        for camera, picture in zip(self.cameras, pictures, strict=True):
            got = tuple(np.shape(picture)[1::-1])
            if got != camera.size:
                raise wrong_size(camera, got)
        chosen, person, dt = self.settings, self._body.person, 1.0 / self.rate
        backdrops: Sequence[ChromaKey | Background] = chosen.backgrounds or (chosen.key,) * 2
        views = tuple(
            observe(picture, backdrop, chosen.skin, height)
            for picture, backdrop, height in zip(
                pictures, backdrops, self._body.heights(), strict=True
            )
        )
        people = [view.person for view in views]
        suspected = list(dict.fromkeys(rule for view in views for rule in view.broken))
        if same_view(pictures, people):
            suspected = [Rule.TWO_VIEWS]
        begun = self._tracks != NO_TRACKS
        broken = self._rules.confirm(suspected, begun=begun)
        blobs = [() if broken else view.blobs for view in views]
        self._tracks = update_tracks(self._tracks, blobs, TrackingStep(person, dt, chosen.tracking))
        long = [Rule.NO_OTHER_SKIN] if bare_forearms(self._tracks, person) else []
        broken = broken or self._sleeves.confirm(long, begun=begun)
        if not broken and self._tracks == NO_TRACKS:
            broken = (why_not_found(views),)
        trust = self._trust(dt) * (0.5 if suspected or long else 1.0)
        found: Found = {}
        if not broken:
            for name, track in zip(BLOBS, self._tracks, strict=True):
                if track is not None and track.confidence > 0.0:
                    found[name] = track.position, track.confidence
            self._body.add_silhouette(people, dt, found)
        self._body.add_joints(NO_TRACKS if broken else self._tracks, people, elbows, dt, found)
        nothing = np.full(3, np.nan), 0.0
        positions, sure = zip(*(found.get(name, nothing) for name in self.names), strict=True)
        confidence = trust * np.array(sure)
        return CaptureFrame(np.array(positions), confidence, views, self._tracks, broken)

    def _trust(self, dt: float) -> float:
        """Return the trust in the cameras: less if rays to the hands miss each other for long."""
        misses = hand_misses(self._tracks)
        if misses:
            now = float(np.mean(misses))
            before = now if self._mean_miss is None else self._mean_miss
            self._mean_miss = before + min(1.0, dt / TRUST_TIME) * (now - before)
        if self._mean_miss is None:
            return 1.0
        return float(np.clip(1.5 - 0.5 * self._mean_miss / FAIR_MISS, 0.2, 1.0))


def hand_misses(tracks: Tracks) -> list[float]:
    """Return the distances between the rays to hands that are seen by themselves."""
    return [track.miss for track in tracks[1:] if track is not None and track.alone]


def prepare_capture(
    sources: Sequence[Footage],
    cameras: Sequence[Camera],
    body: Skeleton,
    settings: CaptureSettings | None = None,
    rate: float | None = None,
) -> tuple[Capture, list[str]]:
    """Return a capture for two sources of pictures, and notes on pictures that are cropped.

    Args:
        sources: the two sources; their pictures may lack the right and lower edge.
        cameras: as they were calibrated.
        body: how large the person is.
        settings: options.
        rate: pairs of pictures per second [Hz]; None: as a source says, or 30.
    """
    fitting = [cropped(c, source.size) for c, source in zip(cameras, sources, strict=True)]
    rates = (rate, *(source.rate for source in sources), 30.0)
    chosen = next(value for value in rates if value is not None)
    notes = [
        f"pictures of {camera.name} are {source.size[0]} x {source.size[1]}, calibrated were "
        f"{camera.size[0]} x {camera.size[1]}: taken to lack the right and lower edge"
        for camera, source in zip(cameras, sources, strict=True)
        if camera.size != source.size
    ]
    return Capture(fitting, body, chosen, settings), notes


@dataclass(frozen=True, eq=False)
class Recording:
    """Points of all pairs of pictures, with broken rules and warnings."""

    points: Points
    broken: dict[str, int]
    """Name of each broken rule -> number of frames."""
    warnings: tuple[str, ...]


def elbow_feedback(solve: Callable[[Points], Floats], body: Skeleton, rate: float) -> Feedback:
    """Return feedback that takes the elbows from a solver.

    Args:
        solve: function from the six points of one frame to all node positions then (N, 3) [m].
        body: skeleton of the person.
        rate: frames per second [Hz].
    """
    anatomy = body.anatomy
    nodes = [anatomy.node(f"{side}_elbow") for side in "lr"]

    def feedback(names: tuple[str, ...], positions: Floats) -> Elbows | None:
        given = dict(zip(names, positions, strict=True))
        frame = np.array([given.get(name, np.full(3, np.nan)) for name in SIX])
        if np.isnan(frame[1:4]).any():  # head and wrists
            return None
        return np.asarray(solve(Points(SIX, frame[None], rate))[nodes])

    return feedback


def capture_clip(
    capture: Capture,
    pairs: Iterable[Sequence[Picture]],
    feedback: Feedback | None = None,
    watch: Callable[[int, Sequence[Picture], CaptureFrame], None] | None = None,
) -> Recording:
    """Follow a person through a whole sequence, from a fresh start.

    Args:
        capture: prepared for the cameras.
        pairs: pictures, one from each camera at a time.
        feedback: returns where the elbows are; those of one frame serve the next.
        watch: called with the frame's number, its pictures and what they show.
    """
    capture.reset()
    positions, sure = list[Floats](), list[Floats]()
    misses, counts = list[float](), dict[Rule, int]()
    elbows: Elbows | None = None
    for number, pair in enumerate(pairs):
        frame = capture.step(pair, elbows)
        positions.append(frame.positions)
        sure.append(frame.confidence)
        misses += hand_misses(frame.tracks)
        for rule in frame.broken:
            counts[rule] = counts.get(rule, 0) + 1
        if feedback is not None:
            elbows = feedback(capture.names, frame.positions)
        if watch is not None:
            watch(number, pair, frame)
    names, count = capture.names, len(positions)
    at = np.array(positions).reshape(count, len(names), 3)
    confidence = np.array(sure).reshape(count, len(names))
    points = Points(names, at, capture.rate, confidence=confidence)
    warnings = [f"{rule.value} ({k} of {count} frames)" for rule, k in counts.items()]
    miss = float(np.percentile(misses, 90.0)) if misses else 0.0
    if miss > LARGE_MISS:
        off = miss * float(capture.cameras[0].matrix[0, 0])
        warnings.append(
            f"rays of the two cameras pass each other by {off:.1f} pixels: check the order of the "
            "views, the calibration, and that pictures of a pair were taken at the same moment"
        )
    if sum(counts.values()) < LEAST_SEEN * count:
        for name, part in zip(names, points.seen.mean(axis=0), strict=True):
            if name in BLOBS and part < LEAST_SEEN:
                warnings.append(
                    f"{name!r} is seen in {part:.0%} of the frames: keep head and hands apart, "
                    "give more light, or a skin model fitted to the person (fit_skin)"
                )
    return Recording(points, {rule.name: k for rule, k in counts.items()}, tuple(warnings))
