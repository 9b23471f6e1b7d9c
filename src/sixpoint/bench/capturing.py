"""The vision part of `sixpoint bench vision`: the chain against the truth of the synthetic stage.

Points, labels, wrists and lengths, and what smoothing costs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..body.anthropometry import DEFAULT_STATURE
from ..body.humanoid import measure_lengths
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..motion.points import Points
from ..motion.standing import stand_still
from ..solvers import solver as named_solver
from ..solvers.pik_balance import BalanceSolver
from ..vision.body_measurement import measure_body
from ..vision.capture import Capture, CaptureSettings, Feedback, capture_clip, elbow_feedback
from ..vision.images import Picture
from ..vision.synthetic.files import exact_marks
from ..vision.synthetic.person import Actor, Truth
from ..vision.synthetic.room import RATE, Conditions, Room, room_cameras
from ..vision.synthetic.scenes import MEETINGS, scene
from ..vision.tracks import TrackingSettings

NOISE = 8.0
"""Standard deviation of a pixel's colours, of 255."""
FAR_OFF, TRUSTED = 0.1, 0.5
"""Points this far off [m] should not be surer than that."""
SMOOTHING = (1.0, 2.0, 4.0, 12.0, 40.0)
"""Accelerations that the filter is told to expect [m/s^2]."""
DAMPING = (0.02, 0.1, 0.3)
"""Of the solver behind it [m]."""
FRACTIONS = 8
"""Parts of a frame in which lag is measured."""


class Played(NamedTuple):
    """A scene, its pictures and its truth."""

    stage: Room
    pairs: list[tuple[Picture, ...]]
    truth: Truth


def play(
    name: str,
    noise: float,
    frames: slice | None = None,
    stature: float = DEFAULT_STATURE,
    distance: float = 2.0,
) -> Played:
    """Render a scene of the stage."""
    motion = scene(name, stature) if frames is None else scene(name, stature).frames(frames)
    stage = Room((Actor(motion),), room_cameras(distance=distance), Conditions(noise=noise))
    return Played(stage, list(stage.pairs()), stage.actors[0].truth())


def point_errors(clean: Played, noisy: Played, body: Skeleton) -> dict[str, Any]:
    """Head and hands without and with noise, and wrists by where the elbows come from."""
    out: dict[str, Any] = {}
    for name, seen in (("clean", clean), ("noisy", noisy)):
        found = capture_clip(Capture(seen.stage.cameras, body, RATE), seen.pairs)
        off = 1e3 * _errors(found.points, seen.truth)
        out[f"point_error_mm_{name}"] = float(np.nanmean(off))
        out[f"point_error_p95_mm_{name}"] = float(np.nanpercentile(off, 95.0))
        out[f"points_seen_{name}"] = float(np.isfinite(off).mean())
    wrists = {}
    told = iter([*clean.truth.elbows[1:], clean.truth.elbows[-1]])
    for label, settings, elbows in (
        ("guessed elbows", CaptureSettings(), None),
        ("fed back", CaptureSettings(), solver_feedback("sik", body)),
        ("fed back, known hand", CaptureSettings(wrist="length"), solver_feedback("sik", body)),
        ("true elbows", CaptureSettings(), lambda names, places: next(told)),
    ):
        capture = Capture(clean.stage.cameras, body, RATE, settings)
        at = capture_clip(capture, clean.pairs, elbows).points.select(["l_wrist", "r_wrist"])
        wrists[label] = float(
            1e3 * np.nanmean(np.linalg.norm(at.positions - clean.truth.wrists, axis=-1))
        )
    out["wrist_capture_error_mm"] = wrists
    return out


def solver_feedback(name: str, body: Skeleton) -> Feedback:
    """Elbows of a solver, frame by frame."""
    tracker = named_solver(name).prepare(body, rate=RATE)
    return elbow_feedback(lambda points: tracker.solve(points).pose.world()[0], body, RATE)


def meetings(*, quick: bool = False) -> dict[str, Any]:
    """Scenes in which hands meet each other or the face: who is taken for whom (S3.5, S3.7)."""
    cases: Iterable[tuple[str, float, float, float]] = [
        *((name, NOISE, DEFAULT_STATURE, 2.0) for name in MEETINGS),
        *(
            ()
            if quick
            else (
                *((name, 0.0, DEFAULT_STATURE, 2.0) for name in MEETINGS),
                *((name, NOISE, 1.5, 2.0) for name in MEETINGS),
                *((name, NOISE, DEFAULT_STATURE, 3.0) for name in MEETINGS),
            )
        ),
    ]
    rows: list[dict[str, Any]] = []
    for name, noise, stature, distance in cases:
        seen = play(name, noise, slice(30, 90) if quick else None, stature, distance)
        capture = Capture(seen.stage.cameras, Skeleton.humanoid(stature), RATE)
        points = capture_clip(capture, seen.pairs).points
        off = _errors(points, seen.truth)
        other = _errors(points, seen.truth, exchanged=True)[:, 1:]
        sure = points.select(["face", "l_hand", "r_hand"]).confidence
        assert sure is not None
        rows.append(
            {
                "scene": name, "noise": noise, "height_m": stature, "distance_m": distance,
                "swaps": int((off[:, 1:] > other).sum()),
                "mean_mm": float(1e3 * np.nanmean(off)),
                "worst_mm": float(1e3 * np.nanmax(off)),
                "hands_seen": float(np.isfinite(off[:, 1:]).mean()),
                "wrongly_sure": int(((off > FAR_OFF) & (sure > TRUSTED)).sum()),
            }
        )  # fmt: skip
    return {"label_swaps": max(row["swaps"] for row in rows), "meetings": rows}


def _errors(points: Points, truth: Truth, *, exchanged: bool = False) -> Floats:
    """Of head and hands (F, 3) [m]; with `exchanged`, hands from where the others are."""
    at = points.select(["face", "l_hand", "r_hand"]).positions
    hands = truth.hands[:, ::-1] if exchanged else truth.hands
    true = np.concatenate([truth.head[:, None], hands], axis=1)
    return np.asarray(np.linalg.norm(at - true, axis=-1))


def measured_body(draws: int = 60) -> dict[str, Any]:
    """Lengths from marks: exact ones, and ones that are some pixels off (S3.13)."""
    motion = scene("calibration")
    cameras = room_cameras()
    marks = exact_marks(cameras, Actor(motion).truth())
    true = measure_lengths(motion.skeleton)
    rng = np.random.default_rng(Conditions().seed)

    def worst(noise: float, times: int) -> float:
        """Of three lengths [%], each joint pointed at some times; NaN if that is refused."""
        shaken = [
            {name: np.array(at) + rng.normal(0.0, noise, (times, 2)) for name, at in given.items()}
            for given in marks
        ]
        try:
            found = measure_body(cameras, shaken).lengths
        except InputError:
            return float("nan")
        names = ("upper_arm", "forearm", "torso_width")
        return 100.0 * max(abs(found[name] / true[name] - 1.0) for name in names)

    by_marks = {
        f"{noise:g} px, {times} times" if times > 1 else f"{noise:g} px": float(
            np.nanmean([worst(noise, times) for _ in range(draws)])
        )
        for noise, times in ((0.3, 1), (0.5, 1), (1.0, 1), (1.0, 5), (2.0, 1), (2.0, 10))
    }
    return {"length_error_percent": worst(0.0, 1), "length_error_percent_by_marks": by_marks}


def jitter_and_lag(noisy: Played, *, quick: bool = False) -> dict[str, Any]:
    """What filtering and damping cost: jitter of the solved wrists against their lag (S3.29)."""
    body = Skeleton.humanoid()
    rows = []
    for acceleration in SMOOTHING[1::2] if quick else SMOOTHING:
        follow = TrackingSettings(acceleration=(acceleration / 3.0, acceleration, acceleration))
        # By the hand's length: where the outline is cut jumps more than any filter lets through.
        settings = CaptureSettings(follow=follow, wrist="length")
        capture = Capture(noisy.stage.cameras, body, RATE, settings)
        found, _ = stand_still(capture_clip(capture, noisy.pairs).points, body)
        for damping in DAMPING:
            tracker = BalanceSolver(damping=damping, steps=1).prepare(
                body, rate=RATE, names=found.names
            )
            wrists = tracker.solve_clip(found).motion.points(["l_wrist", "r_wrist"]).positions
            late = lag(wrists, noisy.truth.wrists)
            rows.append(
                {
                    "acceleration": acceleration,
                    "damping": damping,
                    "jitter_mm": 1e3 * jitter(wrists, noisy.truth.wrists, late),
                    "lag_frames": late,
                    "lag_ms": 1e3 * late / RATE,
                }
            )
    return {"jitter_and_lag": rows}


def lag(found: Floats, truth: Floats, most: int = 10) -> float:
    """Frames by which a movement (F, P, 3) is late: the delay at which speeds differ least."""
    delays = np.arange(most * FRACTIONS + 1) / FRACTIONS
    speed = np.diff(found, axis=0)[most:]
    apart = [np.square(speed - np.diff(_late(truth, d), axis=0)[most:]).sum() for d in delays]
    return float(delays[int(np.argmin(apart))])


def jitter(found: Floats, truth: Floats, late: float) -> float:
    """What shakes in a movement (F, P, 3) and does not in the truth that is as late [m].

    The standard deviation of second differences of the error, which a steady offset is not in.
    """
    error = found - _late(truth, late)
    return float(np.diff(error[int(np.ceil(late)) + 5 :], n=2, axis=0).std())


def _late(truth: Floats, frames: float) -> Floats:
    """The truth some frames before, not whole ones only."""
    at = np.maximum(np.arange(len(truth)) - frames, 0.0)
    low = np.floor(at).astype(int)
    part = (at - low)[:, None, None]
    high = np.minimum(low + 1, len(truth) - 1)
    return np.asarray((1.0 - part) * truth[low] + part * truth[high])
