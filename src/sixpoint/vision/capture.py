"""The whole chain, frame by frame: two pictures in, tracked points out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from ..body.anatomy import anatomy_of
from ..body.anthropometry import ANKLE_HEIGHT
from ..body.shapes import HEAD_AHEAD, HEAD_HEIGHT, HEAD_TOP
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..motion.points import SIX, Points
from .body_measurement import Sizes
from .body_points import find_ankles, find_wrist, guess_elbows, towards
from .camera import Camera, check_views, place_covariance, triangulate, wrong_size
from .images import Picture
from .observation import Judge, Look, Rule, bare_forearms, look_at, not_found, same_view
from .segmentation import Background, ChromaKey, SkinModel, silhouette_centre, without_arms
from .tracking import follow
from .tracks import (
    NOBODY,
    Fix,
    Fixes,
    Track,
    TrackingSettings,
    new_track,
    predict,
    surprise,
    update,
)

UPPER = ("pelvis", "head", "l_wrist", "r_wrist", "trunk", "face", "l_hand", "r_hand")
"""Points of a capture; `trunk` is the middle of the silhouettes, `face` and hands are patches."""
ANKLES = ("l_ankle", "r_ankle")
"""With `feet`."""
WRIST_NOISE, TRUNK_NOISE = 0.5, 0.5
"""Standard deviations of a wrist's cut and of a silhouette's middle [px]."""
TRUNK_ACCELERATION = 2.0
"""[m/s^2]."""
FAIR_MISS = 1.4e-3
"""Rays of well calibrated cameras miss each other by less than this, over the focal length."""
TRUST_TIME = 1.0
"""Over which that is judged [s]."""
LARGEST_JUMP = 6.0
"""A smoothed point that is seen this many deviations away starts anew."""

Elbows: TypeAlias = Floats
"""Left and right [m], shape (2, 3); NaN where not known."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CaptureSettings:
    """How pictures are looked at."""

    key: ChromaKey = field(default_factory=ChromaKey)
    """Colour of the wall."""
    backgrounds: tuple[Background, ...] | None = None
    """Pictures of the empty room, one for each camera, where there is no wall of one colour."""
    skin: SkinModel = field(default_factory=SkinModel)
    follow: TrackingSettings = field(default_factory=TrackingSettings)
    feet: bool = False
    """Also look for ankles at the bottom of the silhouettes."""
    wrist: Literal["cut", "length"] = "cut"
    """Where the elbow's line enters the outline of the hand (the paper), or half a hand's known
    length from its middle towards the elbow (ours: half the error, if the body is measured)."""

    def __post_init__(self) -> None:
        if self.wrist not in ("cut", "length"):
            raise InputError(f"Expected `wrist` to be cut or length, got {self.wrist!r}.")


@dataclass(frozen=True, eq=False)
class Moment:
    """What one pair of pictures tells."""

    positions: Floats
    """Of the capture's `names` [m], shape (N, 3); NaN for what is not seen."""
    confidence: Floats
    """0 to 1, shape (N,)."""
    looks: tuple[Look, ...]
    fixes: Fixes
    broken: tuple[Rule, ...]
    """Rules that a picture of this frame breaks."""


class Capture:
    """Follows one person through pairs of pictures.

    Args:
        cameras: the two views.
        body: how large the person is; from `measure_body` or a height.
        rate: pairs of pictures a second [Hz].
        settings: how to look.
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
        self.cameras = tuple(cameras)
        self.settings = settings or CaptureSettings()
        backgrounds = self.settings.backgrounds
        if backgrounds is not None and len(backgrounds) != 2:
            raise InputError(f"Expected two backgrounds, one a camera; got {len(backgrounds)}.")
        self.names = UPPER + (ANKLES if self.settings.feet else ())
        self.rate = float(rate)
        self._measure(body)
        self.reset()

    def reset(self) -> None:
        """Forget earlier frames."""
        self._fixes: Fixes = NOBODY
        self._wrists: list[Track | None] = [None, None]
        self._trunk: Track | None = None
        self._core: Track | None = None
        self._pelvis_away: Floats | None = None
        self._judge, self._forearms = Judge(), Judge()
        self._missed: float | None = None

    def step(self, pictures: Sequence[Picture], elbows: Elbows | None = None) -> Moment:
        """The next pair of pictures.

        Args:
            pictures: one from each camera, blue, green, red.
            elbows: where inverse kinematics left them (2, 3) [m]; None: guessed.
        """
        self._check(pictures)
        begun = any(fix is not None for fix in self._fixes)
        backdrops: tuple[ChromaKey | Background, ...] = (
            self.settings.backgrounds or (self.settings.key,) * 2
        )
        looks = tuple(
            look_at(picture, backdrop, self.settings.skin, self._tall(camera))
            for picture, backdrop, camera in zip(pictures, backdrops, self.cameras, strict=True)
        )
        suspected = list(dict.fromkeys(rule for look in looks for rule in look.broken))
        if same_view(pictures, [look.person for look in looks]):
            suspected = [Rule.TWO_VIEWS]
        broken = self._judge.confirm(suspected, begun=begun)
        blobs = [() if broken else look.blobs for look in looks]
        dt = 1.0 / self.rate
        self._fixes = follow(
            self._fixes, blobs, self.cameras, dt, self.settings.follow, self._sizes
        )
        long = [Rule.NO_OTHER_SKIN] if bare_forearms(self._fixes, self.cameras, self._sizes) else []
        broken = broken or self._forearms.confirm(long, begun=begun)
        if not broken and not any(fix is not None for fix in self._fixes):
            broken = (not_found([look.blobs for look in looks], [look.tall for look in looks]),)
        trust = self._trust(dt) * (0.5 if suspected or long else 1.0)
        places = dict.fromkeys(self.names, np.full(3, np.nan))
        sure = dict.fromkeys(self.names, 0.0)
        for name, fix in zip(("face", "l_hand", "r_hand"), self._fixes, strict=True):
            if fix is not None and fix.confidence > 0.0 and not broken:
                places[name], sure[name] = fix.track.position, fix.confidence
        if not broken:
            self._body(looks, dt, places, sure)
        self._head(places, sure)
        self._hands(elbows, dt, places, sure)
        return Moment(
            np.array([places[name] for name in self.names]),
            trust * np.array([sure[name] for name in self.names]),
            looks,
            self._fixes,
            broken,
        )

    def _trust(self, dt: float) -> float:
        """How far to trust the cameras: less if rays to the hands pass each other for a second."""
        seen = [fix.miss for fix in self._fixes[1:] if fix is not None and fix.alone]
        if seen:
            now = float(np.mean(seen))
            before = now if self._missed is None else self._missed
            self._missed = before + min(1.0, dt / TRUST_TIME) * (now - before)
        if self._missed is None:
            return 1.0
        return float(np.clip(1.5 - 0.5 * self._missed / FAIR_MISS, 0.2, 1.0))

    def _tall(self, camera: Camera) -> float | None:
        """How tall the person is in a picture, by where they were in the frame before [px]."""
        return None if self._trunk is None else self._sizes.tall(camera, self._trunk.position)

    def _check(self, pictures: Sequence[Picture]) -> None:
        if len(pictures) != 2:
            raise InputError(f"Expected two pictures, got {len(pictures)}.")
        for camera, picture in zip(self.cameras, pictures, strict=True):
            got = tuple(np.shape(picture)[1::-1])
            if got != camera.size:
                raise wrong_size(camera, got)

    def _measure(self, body: Skeleton) -> None:
        anatomy = anatomy_of(body)
        at = {r: anatomy.positions[anatomy.node(r)] for r in ("pelvis", "head", "l_shoulder")}
        arm = [anatomy.node(f"l_{part}") for part in ("shoulder", "elbow", "wrist")]
        self._upper, self._fore = (
            float(np.linalg.norm(anatomy.vector(a, b))) for a, b in pairwise(arm)
        )
        self._stature = anatomy.stature
        self._sizes = Sizes(anatomy.stature)
        self._half_hand = 0.054 * self._stature
        ankle = anatomy.positions[anatomy.node("l_ankle")][1]
        self._pelvis_height = float(at["pelvis"][1] - ankle + ANKLE_HEIGHT * self._stature)
        self._shoulder = at["l_shoulder"] - at["head"]
        face = (0.0, HEAD_TOP - 0.5 * HEAD_HEIGHT, HEAD_AHEAD)
        self._face = self._stature * np.array(face)

    def _body(
        self, looks: Sequence[Look], dt: float, places: dict[str, Floats], sure: dict[str, float]
    ) -> None:
        """Middle of the trunk, pelvis and ankles from the silhouettes."""
        centres = np.array([silhouette_centre(look.person.mask) for look in looks])[:, None]
        place = triangulate(self.cameras, centres)[0]
        if np.isfinite(place).all():
            noise = place_covariance(self.cameras, place, TRUNK_NOISE)
            self._trunk = _smooth(self._trunk, place, noise, dt, TRUNK_ACCELERATION)
            places["trunk"], sure["trunk"] = self._trunk.position, 1.0
            self._pelvis(looks, dt, place, places, sure)
        if self.settings.feet:
            ankles = find_ankles(self.cameras, [look.person.mask for look in looks])
            for name, ankle in zip(ANKLES, ankles, strict=True):
                if np.isfinite(ankle).all():
                    low = ANKLE_HEIGHT * self._stature
                    places[name], sure[name] = np.array([ankle[0], low, ankle[2]]), 0.5

    def _pelvis(
        self,
        looks: Sequence[Look],
        dt: float,
        trunk: Floats,
        places: dict[str, Floats],
        sure: dict[str, float],
    ) -> None:
        """Middle of the silhouettes without arms, which draw that of the whole to and fro."""
        thick = 0.13 * self._stature
        centres = []
        for look, camera in zip(looks, self.cameras, strict=True):
            rows, columns = box = look.person.box
            width = thick * camera.matrix[0, 0] / camera.depth(trunk)
            core = without_arms(look.person.mask[box], float(width))
            centres.append(silhouette_centre(core) + np.array([columns.start, rows.start]))
        place = triangulate(self.cameras, np.array(centres)[:, None])
        if not np.isfinite(place).all():
            return
        if self._pelvis_away is None:
            # The first frame shows somebody who stands upright: the pelvis is where it is then.
            self._pelvis_away = np.array([0.0, self._pelvis_height - place[0, 1], 0.0])
        noise = place_covariance(self.cameras, place[0], TRUNK_NOISE)
        self._core = _smooth(self._core, place[0], noise, dt, TRUNK_ACCELERATION)
        places["pelvis"], sure["pelvis"] = self._core.position + self._pelvis_away, 0.5

    def _forward(self, place: Floats) -> Floats:
        """Where somebody at a place faces: the cameras, horizontally."""
        way = np.mean([camera.centre for camera in self.cameras], axis=0) - place
        way[1] = 0.0
        return np.asarray(way / max(float(np.linalg.norm(way)), 1e-9))

    def _head(self, places: dict[str, Floats], sure: dict[str, float]) -> None:
        """The head joint, a little below and behind the middle of what is seen."""
        face = places["face"]
        if sure["face"] > 0.0:
            up = np.array([0.0, 1.0, 0.0])
            if sure["trunk"] > 0.0:
                up = (face - places["trunk"]) / np.linalg.norm(face - places["trunk"])
            places["head"] = face - self._face[1] * up - self._face[2] * self._forward(face)
            sure["head"] = sure["face"]

    def _hands(
        self,
        elbows: Elbows | None,
        dt: float,
        places: dict[str, Floats],
        sure: dict[str, float],
    ) -> None:
        guess = self._guess(places) if elbows is None else np.asarray(elbows, dtype=np.float64)
        for side, name in enumerate(("l_wrist", "r_wrist")):
            fix: Fix | None = self._fixes[1 + side]
            if fix is None or fix.confidence == 0.0:
                self._wrists[side] = None if fix is None else self._wrists[side]
                continue
            elbow = guess[side] if np.isfinite(guess[side]).all() else self._guess(places)[side]
            if not np.isfinite(elbow).all():
                continue
            if self.settings.wrist == "length":
                place, trust = towards(fix.seen, elbow, self._half_hand), 1.0
            else:
                place, trust = find_wrist(
                    self.cameras, fix.ellipses, fix.seen, elbow, self._half_hand
                )
            noise = place_covariance(self.cameras, place, WRIST_NOISE / max(trust, 0.2))
            brisk = self.settings.follow.acceleration[1 + side]
            track = self._wrists[side] = _smooth(self._wrists[side], place, noise, dt, brisk)
            places[name], sure[name] = track.position, fix.confidence * trust

    def _guess(self, places: dict[str, Floats]) -> Elbows:
        """Elbows that hang below the line from where shoulders should be to the hands."""
        if not np.isfinite(places["head"]).all():
            return np.full((2, 3), np.nan)
        up = np.array([0.0, 1.0, 0.0])
        forward = self._forward(places["head"])
        left = np.cross(up, forward)
        shoulders = np.stack(
            [
                places["head"] + sign * self._shoulder[0] * left + self._shoulder[1] * up
                + self._shoulder[2] * forward
                for sign in (1.0, -1.0)
            ]
        )  # fmt: skip
        hands = np.stack([places["l_hand"], places["r_hand"]])
        down = -up - 0.2 * forward
        return guess_elbows(
            shoulders, hands, self._upper, self._fore + self._half_hand, down / 1.0198
        )


def _smooth(
    track: Track | None, place: Floats, noise: Floats, dt: float, acceleration: float
) -> Track:
    """A measurement through a filter; one that is far off starts it anew."""
    if track is None:
        return new_track(place, float(np.sqrt(noise.max())), 1.0)
    ahead = predict(track, dt, acceleration**2)
    if surprise(ahead, place, noise) > LARGEST_JUMP:
        return new_track(place, float(np.sqrt(noise.max())), 1.0)
    return update(ahead, place, noise)[0]


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
