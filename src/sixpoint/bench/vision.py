"""From two cameras to a balanced body, measured in the synthetic room: `sixpoint bench vision`.

Points, labels, wrists and lengths against the truth, Tables 2 and 3 beside those of Boulic et al.
(2006), balance, jitter and lag, rates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..body.anthropometry import DEFAULT_STATURE
from ..body.humanoid import measure_lengths
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..motion.metrics import compare
from ..motion.points import SIX, Points
from ..motion.standing import stand_still
from ..solvers import solver
from ..vision.body_measurement import measure_body
from ..vision.camera import triangulate
from ..vision.capture import Capture, CaptureSettings, capture_clip
from ..vision.images import Picture
from ..vision.segmentation import silhouette_centre
from ..vision.synthetic import exact_marks
from ..vision.synthetic.room import RATE, Actor, Conditions, Room, Truth, room_cameras
from ..vision.synthetic.scenes import MEETINGS, SCENES, scene
from ..vision.tracks import TrackingSettings
from . import charts
from . import experiment as ex
from .balance import balanced, bench_balance, bench_self_contact, bench_tables
from .hands import other_hands, solver_feedback, wrist_errors

NOISE = 8.0
"""Standard deviation of a pixel's colours, of 255."""
FAR_OFF, TRUSTED = 0.1, 0.5
"""Points this far off [m] should not have more confidence than that."""
SMOOTHING = (1.0, 2.0, 4.0, 12.0, 40.0)
"""Accelerations that the filter expects [m/s^2]."""
DAMPING = (0.02, 0.1, 0.3)
"""Damping of the solver behind it [m]."""
FRACTIONS = 8
"""Parts of a frame in which lag is measured."""
MARKS = ((0.3, 1), (0.5, 1), (1.0, 1), (1.0, 5), (2.0, 1), (2.0, 10))
"""Errors of marks [pixels], and how many times each joint is marked."""
PAPER_RATE = 20.0
"""Pairs of pictures a second, end to end, of the paper."""
MEETING_TITLES = {
    "crossing": "hands cross",
    "clap": "clap",
    "rest": "hands at rest",
    "face": "before the face",
}


def bench_vision(*, quick: bool = False, progress: ex.Progress = None) -> ex.Measurements:
    """Measure everything."""
    frames = slice(0, 70) if quick else slice(None)
    body = Skeleton.humanoid()
    clean, noisy = play("gestures", (0.0, NOISE), frames)
    parts: tuple[Callable[[], dict[str, Any]], ...] = (
        lambda: point_errors(clean, noisy, body),
        lambda: scenes_played(quick=quick) | other_hands(quick=quick),
        measured_body,
        lambda: bench_tables(quick=quick),
        lambda: _end_to_end(clean, noisy, body),
        lambda: jitter_and_lag(noisy, quick=quick),
        lambda: bench_balance(quick=quick) | bench_self_contact(quick=quick),
    )
    step = ex.counted(progress, len(parts))
    out: ex.Measurements = {"seed": Conditions().seed}
    for part in parts:
        out |= part()
        step()
    five = out["table_3"]["pik-balance, 5 steps"]["median_us"]
    out["five_steps_over_analytic"] = five / (out["analytic_us"] + out["trunk_centre_us"])
    return out


class Played(NamedTuple):
    """A scene that was played, its pictures and its truth."""

    room: Room
    pairs: list[tuple[Picture, ...]]
    truth: Truth


def play(
    name: str,
    noises: Sequence[float],
    frames: slice = slice(None),
    stature: float = DEFAULT_STATURE,
    distance: float = 2.0,
) -> list[Played]:
    """Render a scene of the synthetic room once, with each noise of its pixels."""
    motion = scene(name, stature).frames(frames)
    cameras, actors = room_cameras(distance=distance), (Actor(motion),)
    rooms = [Room(actors, cameras, Conditions(noise=noise)) for noise in noises]
    pairs: list[list[tuple[Picture, ...]]] = [[] for _ in noises]
    for frame in range(len(motion)):
        for shown, views in zip(pairs, rooms[0].noisy_views(frame, noises), strict=True):
            shown.append(tuple(view.picture for view in views))
    truth = actors[0].truth()
    return [Played(room, shown, truth) for room, shown in zip(rooms, pairs, strict=True)]


def point_errors(clean: Played, noisy: Played, body: Skeleton) -> dict[str, Any]:
    """Return errors of head and hands without and with noise, and of wrists by source of elbows."""
    out: dict[str, Any] = {}
    for name, seen in (("clean", clean), ("noisy", noisy)):
        found = capture_clip(Capture(seen.room.cameras, body, RATE), seen.pairs)
        off = 1e3 * _errors(found.points, seen.truth)
        out[f"point_error_mm_{name}"] = float(np.nanmean(off))
        out[f"point_error_p95_mm_{name}"] = float(np.nanpercentile(off, 95.0))
        out[f"points_seen_{name}"] = float(np.isfinite(off).mean())
    wrists = {}
    true = iter([*clean.truth.elbows[1:], clean.truth.elbows[-1]])
    cut, length = CaptureSettings(wrist="cut"), CaptureSettings(wrist="length")
    for label, settings, elbows in (
        ("outlines", CaptureSettings(), None),
        ("outlines, fed back", CaptureSettings(), solver_feedback("sik", body)),
        ("guessed elbows", cut, None),
        ("fed back", cut, solver_feedback("sik", body)),
        ("fed back, known hand", length, solver_feedback("sik", body)),
        ("true elbows", cut, lambda names, positions: next(true)),
    ):
        capture = Capture(clean.room.cameras, body, RATE, settings)
        off = 1e3 * wrist_errors(capture_clip(capture, clean.pairs, elbows).points, clean.truth)
        wrists[label] = float(np.nanmean(off))
    out["wrist_capture_error_mm"] = wrists
    return out


def scenes_played(*, quick: bool = False) -> dict[str, Any]:
    """Return errors of wrists in all scenes, and whether hands that meet are mistaken.

    Without noise and with noise; where hands meet, also for a small person and one far away.
    """
    noises = (NOISE,) if quick else (NOISE, 0.0)
    usual, wrists = dict[tuple[float, str], dict[str, Any]](), dict[str, dict[str, float]]()
    body = Skeleton.humanoid()
    for name in SCENES:
        part = slice(None)
        if quick:
            part = slice(30, 90) if name in MEETINGS else slice(0, 30)
        played = play(name, noises, part)
        wrists[name] = {}
        for noise, seen in zip(noises, played, strict=True):
            capture = Capture(seen.room.cameras, body, RATE)
            points = capture_clip(capture, seen.pairs).points
            kind = "noisy" if noise else "clean"
            wrists[name][kind] = float(1e3 * np.nanmean(wrist_errors(points, seen.truth)))
            if name in MEETINGS:
                usual[noise, name] = _meeting(name, seen, points, DEFAULT_STATURE, 2.0)
        capture = Capture(played[0].room.cameras, body, RATE)
        fed = capture_clip(capture, played[0].pairs, solver_feedback("sik", body)).points
        off = wrist_errors(fed, played[0].truth)
        wrists[name]["noisy_fed_back"] = float(1e3 * np.nanmean(off))
    rows = [usual[noise, name] for noise in noises for name in MEETINGS]
    for stature, distance in () if quick else ((1.5, 2.0), (DEFAULT_STATURE, 3.0)):
        for name in MEETINGS:
            (seen,) = play(name, (NOISE,), slice(None), stature, distance)
            capture = Capture(seen.room.cameras, Skeleton.humanoid(stature), RATE)
            points = capture_clip(capture, seen.pairs).points
            rows.append(_meeting(name, seen, points, stature, distance))
    return {
        "wrist_error_mm_by_scene": wrists,
        "label_swaps": max(row["swaps"] for row in rows),
        "meetings": rows,
    }


def _meeting(
    name: str, seen: Played, points: Points, stature: float, distance: float
) -> dict[str, Any]:
    """Return whether hands are mistaken for each other or the face in a scene where they meet."""
    off = _errors(points, seen.truth)
    other = _errors(points, seen.truth, exchanged=True)[:, 1:]
    sure = points.select(["face", "l_hand", "r_hand"]).confidence
    assert sure is not None
    return {
        "scene": name,
        "noise": seen.room.conditions.noise,
        "height_m": stature,
        "distance_m": distance,
        "swaps": int((off[:, 1:] > other).sum()),
        "mean_mm": float(1e3 * np.nanmean(off)),
        "worst_mm": float(1e3 * np.nanmax(off)),
        "hands_seen": float(np.isfinite(off[:, 1:]).mean()),
        "wrongly_sure": int(((off > FAR_OFF) & (sure > TRUSTED)).sum()),
    }


def _errors(points: Points, truth: Truth, *, exchanged: bool = False) -> Floats:
    """Return errors of head and hands [m], (F, 3); `exchanged`: from the other hand's truth."""
    at = points.select(["face", "l_hand", "r_hand"]).positions
    hands = truth.hands[:, ::-1] if exchanged else truth.hands
    true = np.concatenate([truth.head[:, None], hands], axis=1)
    return np.asarray(np.linalg.norm(at - true, axis=-1))


def measured_body(draws: int = 60) -> dict[str, Any]:
    """Return errors of lengths from marks: exact ones, and ones that are some pixels off."""
    motion = scene("calibration")
    cameras = room_cameras()
    marks = exact_marks(cameras, Actor(motion).truth())
    true = measure_lengths(motion.skeleton)
    rng = np.random.default_rng(Conditions().seed)

    def worst(noise: float, times: int) -> float:
        """Largest error of three lengths [%]; NaN if the marks are refused."""
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

    by_marks = {}
    for noise, times in MARKS:
        label = f"{noise:g} px, {times} times" if times > 1 else f"{noise:g} px"
        by_marks[label] = float(np.nanmean([worst(noise, times) for _ in range(draws)]))
    return {"length_error_percent": worst(0.0, 1), "length_error_percent_by_marks": by_marks}


def jitter_and_lag(noisy: Played, *, quick: bool = False) -> dict[str, Any]:
    """Return jitter and lag of the solved wrists, by acceleration of the filter and damping."""
    body = Skeleton.humanoid()
    rows = []
    for acceleration in SMOOTHING[1::2] if quick else SMOOTHING:
        follow = TrackingSettings(acceleration=(acceleration / 3.0, acceleration, acceleration))
        capture = Capture(noisy.room.cameras, body, RATE, CaptureSettings(tracking=follow))
        found, _ = stand_still(capture_clip(capture, noisy.pairs).points, body)
        for damping in DAMPING:
            method = balanced(damping=damping, steps=1)
            tracker = method.prepare(body, rate=RATE, names=found.names)
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
    """Return the frames by which a movement (F, P, 3) is late, where speeds differ least."""
    delays = np.arange(most * FRACTIONS + 1) / FRACTIONS
    speed = np.diff(found, axis=0)[most:]
    apart = [np.square(speed - np.diff(_late(truth, d), axis=0)[most:]).sum() for d in delays]
    return float(delays[int(np.argmin(apart))])


def jitter(found: Floats, truth: Floats, late: float) -> float:
    """Return the standard deviation of second differences of a movement's error [m].

    Args:
        found: a movement, shape (F, P, 3).
        truth: the true movement.
        late: frames by which the movement lags, which do not count.
    """
    error = found - _late(truth, late)
    return float(np.diff(error[int(np.ceil(late)) + 5 :], n=2, axis=0).std())


def _late(truth: Floats, frames: float) -> Floats:
    """Return the truth a number of frames before, which need not be whole."""
    at = np.maximum(np.arange(len(truth)) - frames, 0.0)
    low = np.floor(at).astype(int)
    part = (at - low)[:, None, None]
    high = np.minimum(low + 1, len(truth) - 1)
    return np.asarray((1.0 - part) * truth[low] + part * truth[high])


def _end_to_end(clean: Played, noisy: Played, body: Skeleton) -> dict[str, Any]:
    """Return rates of vision alone and with a solver in the loop, and errors of the whole body."""
    room, pairs, _ = noisy
    capture = Capture(room.cameras, body, RATE)
    tracker = balanced().prepare(body, rate=RATE)
    tracker.warm_up()
    nodes = [body.anatomy.node(f"{side}_elbow") for side in "lr"]

    def solve(pair: Sequence[Picture], elbows: Floats | None) -> Floats:
        moment = capture.step(pair, elbows)
        given = dict(zip(capture.names, moment.positions, strict=True))
        frame = np.array([given.get(name, np.full(3, np.nan)) for name in SIX])
        return np.asarray(tracker.solve(frame).pose.world()[0][nodes])

    spent, whole = np.full((2, len(pairs)), np.inf)
    for times, work in ((spent, lambda pair, _: capture.step(pair)), (whole, solve)):
        for _ in range(2):
            capture.reset()
            elbows: Floats | None = None
            for f, pair in enumerate(pairs):
                us, elbows = ex.timed(work, pair, elbows)
                times[f] = min(times[f], us)
    masks = [look.person.mask for look in capture.step(pairs[0]).observations]

    def trunk_centre() -> None:
        centres = np.array([silhouette_centre(mask) for mask in masks])[:, None]
        triangulate(room.cameras, centres)

    return {
        "vision_ms": float(1e-3 * np.median(spent)),
        "pairs_per_second": float(1e6 / np.mean(whole)),
        "paper_pairs_per_second": PAPER_RATE,
        "trunk_centre_us": ex.timed(trunk_centre, runs=20)[0],
        "full_body": {
            "clean": _full_body(clean, body),
            "noisy": _full_body(noisy, body),
        },
    }


def _full_body(played: Played, body: Skeleton) -> dict[str, float]:
    """Return the error of sequential IK from vision, with ankles and pelvis of silhouettes."""
    truth = played.room.actors[0].motion
    capture = Capture(played.room.cameras, body, RATE, CaptureSettings(feet=True))
    found = capture_clip(capture, played.pairs, solver_feedback("sik", body))
    points, _ = stand_still(found.points, body)
    sik = solver("sik")
    solved = sik.prepare(body, rate=RATE, names=points.names).solve_clip(points)
    tracked = sik.prepare(body, rate=RATE).solve_clip(truth.points())
    return {
        "position_rms": compare(solved.motion, truth).position_rms,
        "position_rms_true_points": compare(tracked.motion, truth).position_rms,
        "ankles_seen": float(found.points.select(["l_ankle"]).seen.mean()),
    }


def draw_jitter(rows: Sequence[Mapping[str, Any]], path: str | Path) -> Path:
    """Draw jitter and lag over what the filter expects: one curve for each damping."""
    figure = charts.new_chart(8.0, 2.9)
    for k, (key, label) in enumerate((("jitter_mm", "jitter [mm]"), ("lag_ms", "lag [ms]"))):
        box = (0.08 + 0.49 * k, 0.18, 0.41, 0.76)
        axes = charts.empty_axes(figure, box, "acceleration that the filter expects [m/s²]", label)
        curves: charts.Curves = {}
        for row in sorted(rows, key=lambda row: float(row["damping"])):
            points = curves.setdefault(f"{row['damping']:g} m", [])
            points.append((row["acceleration"], row[key]))
        charts.draw_curves(axes, curves)
        charts.logarithmic_ticks(axes, sorted({row["acceleration"] for row in rows}))
        axes.set_ylim(bottom=0.0)
        if k == 0:
            axes.legend(frameon=False, title="damping", ncols=3, loc="lower right")
    return charts.save_figure(figure, path)


def draw_meetings(rows: Sequence[Mapping[str, Any]], path: str | Path) -> Path:
    """Draw how far off the worst point is, and how often hands are seen, scene by scene."""
    tall = 0.28 * len(rows) + 0.7
    figure = charts.new_chart(8.0, tall)
    names = [
        f"{MEETING_TITLES[row['scene']]}, {row['height_m']:g} m tall, {row['distance_m']:g} m away"
        + (", noise" if row["noise"] else "")
        for row in rows
    ]
    shown = (("worst_mm", 1.0, "farthest off [mm]"), ("hands_seen", 100.0, "hands seen [%]"))
    for k, (key, factor, label) in enumerate(shown):
        axes = figure.add_axes((0.36 + 0.33 * k, 0.5 / tall, 0.28, 1.0 - 0.6 / tall))
        axes.barh(names, [factor * row[key] for row in rows], color=charts.STRONG, height=0.6)
        axes.invert_yaxis()
        axes.set_xlabel(label, color=charts.INK, fontsize=9)
        axes.tick_params(labelsize=8, labelleft=k == 0)
        axes.spines[["top", "right"]].set_visible(False)
    return charts.save_figure(figure, path)


def _files(found: ex.Measurements, folder: Path, options: Any) -> list[Path]:
    return [
        draw_jitter(found["jitter_and_lag"], folder / "jitter.png"),
        draw_meetings(found["meetings"], folder / "meetings.png"),
    ]


def _show(found: ex.Measurements) -> Iterator[ex.Table | ex.Facts]:
    keys = "point_error_mm_clean:.1f point_error_mm_noisy:.1f label_swaps "
    keys += "length_error_percent:.2f vision_ms:.1f pairs_per_second:.0f "
    keys += "paper_pairs_per_second:.0f"
    yield ex.facts("Vision in the synthetic room", keys, found)
    for key in ("length_error_percent_by_marks", "wrist_capture_error_mm"):
        numbers = [(name, f"{value:.1f}") for name, value in found[key].items()]
        yield ex.Facts(key.replace("_", " "), numbers)
    keys = "clean:.1f noisy:.1f noisy_fed_back:.1f"
    yield ex.table("Wrists in all scenes: mean error [mm]", keys, found["wrist_error_mm_by_scene"])
    rows = found["wrist_error_mm_other_hands"]
    yield ex.table(
        "Wrists of other hands: mean error [mm]", "outlines:.1f cut:.1f length:.1f", rows
    )
    keys = "scene noise:g height_m:g distance_m:g swaps mean_mm:.1f worst_mm:.0f hands_seen:.0%"
    yield ex.table("Hands that meet each other or the face", keys, found["meetings"])
    keys = "acceleration:g damping:g jitter_mm:.2f lag_ms:.0f"
    yield ex.table("Jitter and lag of solved wrists", keys, found["jitter_and_lag"])
    rows = {}
    for name, sides in found["table_2"].items():
        paper = zip(("right", "left"), found["paper_table_2"][name], strict=True)
        rows[name] = sides | {"paper": {side: "{} ± {}".format(*errors) for side, errors in paper}}
    keys = " ".join(f"{side}.mean:.1f {side}.std:.1f {side}.rms:.1f paper.{side}" for side in sides)
    yield ex.table("Table 2: error of the wrists [mm], and the paper's mean ± std", keys, rows)
    times = found["paper_table_3_ms"]
    rows = {name: row | {"paper_ms": times.get(name)} for name, row in found["table_3"].items()}
    yield ex.table("Table 3: time of an update", "median_us:.0f paper_ms:g", rows)
    keys = "com_drift_mm_one_step:.2f pik_step_us:.1f five_steps_over_analytic:.2f"
    yield ex.facts("Balance", keys, found)
    yield ex.table("Most off", "centre_mm:.2f ankles_mm:.1f", found["drift"])
    yield ex.table("Far reach", "pelvis_mm:+.0f shoulder_mm:+.0f", found["far_reach"])
    events = [(title, str(len(each))) for title, each in found["collisions"].items()]
    yield ex.Facts("Collisions: events", events)
    depths = [(name, f"{depth:.1f} mm") for name, depth in found["penetration_mm"].items()]
    yield ex.Facts("Crossing hands: parts of the body in each other, all pairs, mean", depths)


EXPERIMENT = ex.Experiment(
    about="A synthetic person before two cameras of 320 x 240; Tables 2 and 3 of the paper (Boulic "
    "et al. 2006) beside ours.",
    solvers=lambda options: [solver(name) for name in ("sik", "analytic-upper", "pik-balance")],
    run=bench_vision,
    show=_show,
    files=_files,
    output_help="Also write vision.json and charts there.",
)
