"""From two cameras to a balanced body, measured on the synthetic stage (`sixpoint bench vision`).

Points against the truth, Tables 2 and 3 beside the paper's, balance, jitter and lag, rates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..body.humanoid import measure_lengths
from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..motion.metrics import compare
from ..motion.points import SIX, Points
from ..motion.standing import stand_still
from ..solvers import solver as named_solver
from ..solvers.pik_balance import BalanceSolver, BalanceTracker
from ..vision.capture import Capture, CaptureSettings, capture_clip
from ..vision.follow import FollowSettings
from ..vision.masks import silhouette_centre
from ..vision.measure import measure_body
from ..vision.stage import RATE, Conditions, Stage
from ..vision.stage_files import marks_on_stage
from ..vision.stage_person import Actor, Truth
from ..vision.stage_scenes import scene
from ..vision.triangulate import triangulate
from .speed import machine
from .stories import arm_limits, forward_reach, sideways_reach, stance_points

NOISE = 8.0
"""Standard deviation of a pixel's colours, of 255."""
STEPS = (1, 5, 10, 20)
PAPER_TABLE_2 = {
    "pik-balance, 1 step": ((103.4, 133.3), (108.3, 142.5)),
    "pik-balance, 5 steps": ((4.8, 12.0), (5.1, 12.3)),
    "pik-balance, 10 steps": ((2.6, 11.0), (2.3, 9.5)),
    "pik-balance, 20 steps": ((2.5, 10.9), (2.3, 9.5)),
    "analytic-upper": ((2.2, 10.9), (2.2, 10.0)),
}
"""Mean and standard deviation of the right and the left wrist's error [mm]; the column that the
paper calls RMSE is the mean (A3.1)."""
PAPER_TABLE_3 = {
    "analytic-upper": 0.65,
    "pik-balance, 1 step": 1.7,
    "pik-balance, 5 steps": 6.4,
    "pik-balance, 20 steps": 26.2,
    "trunk centre": 7.0,
}
"""Milliseconds an update."""
PAPER_RATE = 20.0
"""Pairs of pictures a second, end to end, of the paper."""

Progress = Callable[[int, int], None]


def bench_vision(*, quick: bool = False, progress: Progress | None = None) -> dict[str, Any]:
    """Measure everything; numbers for JSON.

    Args:
        quick: fewer frames; the same keys.
        progress: called with parts done and their total.
    """
    done = 0
    total = 7

    def tell() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    frames = 70 if quick else None
    body = Skeleton.humanoid()
    out: dict[str, Any] = {"bench": "vision", "quick": quick, "seed": Conditions().seed}
    clean = _played("gestures", 0.0, frames)
    noisy = _played("gestures", NOISE, frames)
    out |= _point_errors(clean, noisy, body)
    tell()
    out |= _crossing(body, 100 if quick else None)
    tell()
    out |= _measured_body()
    tell()
    out |= _tables(quick)
    tell()
    out |= _end_to_end(clean, noisy, body)
    tell()
    out |= _jitter(noisy, quick)
    tell()
    out |= _balance() | _stories()
    five = out["table_3"]["pik-balance, 5 steps"]["median_us"]
    out["five_steps_over_analytic"] = five / (out["analytic_us"] + out["trunk_centre_us"])
    out["machine"] = machine()
    tell()
    return out


Played = tuple[Stage, list[tuple[Any, ...]], Truth]


def _played(name: str, noise: float, frames: int | None) -> Played:
    motion = scene(name) if frames is None else scene(name).frames(slice(0, frames))
    stage = Stage((Actor(motion),), conditions=Conditions(noise=noise))
    return stage, list(stage.pairs()), stage.actors[0].truth()


def _errors(points: Points, truth: Truth) -> Floats:
    """Of head and hands (F, 3) [m]."""
    at = points.select(["face", "l_hand", "r_hand"]).positions
    true = np.concatenate([truth.head[:, None], truth.hands], axis=1)
    return np.asarray(np.linalg.norm(at - true, axis=-1))


def _point_errors(clean: Played, noisy: Played, body: Skeleton) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, (stage, pairs, truth) in (("clean", clean), ("noisy", noisy)):
        found = capture_clip(Capture(stage.cameras, body, RATE), pairs)
        off = 1e3 * _errors(found.points, truth)
        out[f"point_error_mm_{name}"] = float(np.nanmean(off))
        out[f"point_error_p95_mm_{name}"] = float(np.nanpercentile(off, 95.0))
        out[f"points_seen_{name}"] = float(np.isfinite(off).mean())
    stage, pairs, truth = clean
    wrists = {}
    for label, wrist, elbows in (("guessed elbows", "cut", None), ("fed back", "cut", "sik"),
                                 ("fed back, known hand", "length", "sik"),
                                 ("true elbows", "cut", truth.elbows)):  # fmt: skip
        settings = CaptureSettings(wrist="length" if wrist == "length" else "cut")
        capture = Capture(stage.cameras, body, RATE, settings)
        found = capture_clip(capture, pairs, _feedback(elbows, body))
        at = found.points.select(["l_wrist", "r_wrist"]).positions
        wrists[label] = float(np.nanmean(np.linalg.norm(at - truth.wrists, axis=-1)) * 1e3)
    out["wrist_capture_error_mm"] = wrists
    return out


def _feedback(elbows: Any, body: Skeleton) -> Any:
    """Elbows of a solver, or true ones, frame by frame."""
    if elbows is None:
        return None
    if not isinstance(elbows, str):
        rows = iter([*elbows[1:], elbows[-1]])
        return lambda names, places: next(rows)
    tracker = named_solver(elbows).prepare(body, rate=RATE)
    nodes = [body.anatomy.node(f"{side}_elbow") for side in "lr"]

    def told(names: Sequence[str], places: Floats) -> Floats:
        given = dict(zip(names, places, strict=True))
        frame = np.array([given.get(name, np.full(3, np.nan)) for name in SIX])
        return np.asarray(tracker.solve(Points(SIX, frame[None], RATE)).pose.world()[0][nodes])

    return told


def _crossing(body: Skeleton, frames: int | None) -> dict[str, Any]:
    swaps = 0
    for noise in (0.0, NOISE):
        stage, pairs, truth = _played("crossing", noise, frames)
        found = capture_clip(Capture(stage.cameras, body, RATE), pairs)
        at = found.points.select(["l_hand", "r_hand"]).positions
        own = np.linalg.norm(at - truth.hands, axis=-1)
        other = np.linalg.norm(at - truth.hands[:, ::-1], axis=-1)
        swaps += int((own > other).sum())
    return {"label_swaps": swaps}


def _measured_body() -> dict[str, Any]:
    motion = scene("calibration")
    stage = Stage((Actor(motion),))
    found = measure_body(stage.cameras, marks_on_stage(stage.cameras, Actor(motion).truth()))
    true = measure_lengths(motion.skeleton)
    off = [abs(found.lengths[n] / true[n] - 1.0) for n in ("upper_arm", "forearm", "torso_width")]
    return {"length_error_percent": 100.0 * max(off)}


def _spread(errors: Floats) -> dict[str, float]:
    """Mean, standard deviation and RMS [mm]."""
    mm = 1e3 * errors
    return {
        "mean": float(mm.mean()),
        "std": float(mm.std()),
        "rms": float(np.sqrt((mm**2).mean())),
    }


def _tables(quick: bool) -> dict[str, Any]:
    """Tables 2 and 3: the imaginary box, true wrists as goals, streamed; all steps are taken."""
    clip = scene("box")
    frames = clip.points().positions
    repeats = 2 if quick else 6
    rows, times, by_steps = {}, {}, {}
    drift = 0.0
    elbows = {}
    for label, solver in [
        *(
            (f"pik-balance, {n} step{'s'[: n > 1]}", BalanceSolver(steps=n, tolerance=0.0))
            for n in STEPS
        ),
        ("analytic-upper", named_solver("analytic-upper")),
    ]:
        tracker = solver.prepare(clip.skeleton, rate=clip.rate)
        tracker.warm_up()
        best = np.full(len(frames), np.inf)
        for _ in range(repeats):
            tracker.reset()
            errors, steps, poses = [], [], []
            for f, frame in enumerate(frames):
                begin = time.perf_counter_ns()
                solution = tracker.solve(frame)
                best[f] = min(best[f], (time.perf_counter_ns() - begin) / 1e3)
                errors.append(solution.residuals[2:4])
                steps.append(solution.iterations)
                poses.append(solution.pose)
                if isinstance(tracker, BalanceTracker) and isinstance(solver, BalanceSolver):
                    drift = max(drift, tracker.drift) if solver.steps == 1 else drift
        off = np.array(errors)
        rows[label] = {"right": _spread(off[:, 1]), "left": _spread(off[:, 0])}
        times[label] = {"median_us": float(np.median(best)), "steps": float(np.mean(steps))}
        nodes = [clip.skeleton.anatomy.node(f"{s}_elbow") for s in "lr"]
        elbows[label] = np.array([pose.world()[0][nodes] for pose in poses])
        if isinstance(solver, BalanceSolver):
            by_steps[str(solver.steps)] = float(1e3 * off.mean())
    apart = np.linalg.norm(elbows["pik-balance, 5 steps"] - elbows["analytic-upper"], axis=-1)
    return {
        "table_2": rows,
        "paper_table_2": PAPER_TABLE_2,
        "table_3": times,
        "paper_table_3_ms": PAPER_TABLE_3,
        "wrist_error_mm_by_steps": by_steps,
        "com_drift_mm_one_step": float(1e3 * drift),
        "pik_step_us": _step_time(repeats),
        "analytic_us": times["analytic-upper"]["median_us"],
        "elbow_difference_mm": float(1e3 * apart.mean()),
    }


def _step_time(repeats: int) -> float:
    """One more step of the 15 degrees of freedom, by what forty cost more than twenty [us]."""
    body = Skeleton.humanoid()
    frame = stance_points(body)
    frame[2] += (0.9, 0.6, 0.0)  # out of reach: all steps are taken
    spent = {}
    for steps in (20, 60):
        tracker = BalanceSolver(steps=steps).prepare(body)
        tracker.warm_up()
        best = np.inf
        for _ in range(40 * repeats):
            begin = time.perf_counter_ns()
            tracker.solve(frame)
            best = min(best, (time.perf_counter_ns() - begin) / 1e3)
        spent[steps] = best
    return float((spent[60] - spent[20]) / 40.0)


def _end_to_end(clean: Played, noisy: Played, body: Skeleton) -> dict[str, Any]:
    """Rates of the chain alone and with a solver in the loop; the whole body from vision (X5)."""
    stage, pairs, _ = noisy
    capture = Capture(stage.cameras, body, RATE)
    spent = np.full(len(pairs), np.inf)
    for _ in range(2):
        capture.reset()
        for f, pair in enumerate(pairs):
            begin = time.perf_counter()
            capture.step(pair)
            spent[f] = min(spent[f], time.perf_counter() - begin)
    tracker = BalanceSolver().prepare(body, rate=RATE)
    tracker.warm_up()
    nodes = [body.anatomy.node(f"{side}_elbow") for side in "lr"]
    whole = np.full(len(pairs), np.inf)
    for _ in range(2):
        capture.reset()
        elbows = None
        for f, pair in enumerate(pairs):
            begin = time.perf_counter()
            moment = capture.step(pair, elbows)
            given = dict(zip(capture.names, moment.positions, strict=True))
            frame = np.array([given.get(name, np.full(3, np.nan)) for name in SIX])
            elbows = tracker.solve(frame).pose.world()[0][nodes]
            whole[f] = min(whole[f], time.perf_counter() - begin)
    mask = capture.step(pairs[0]).looks[0].person.mask
    begin = time.perf_counter()
    for _ in range(20):
        centres = np.array([silhouette_centre(mask), silhouette_centre(mask)])[:, None]
        triangulate(stage.cameras, centres)
    centre_us = (time.perf_counter() - begin) / 20 * 1e6
    return {
        "vision_ms": float(1e3 * np.median(spent)),
        "pairs_per_second": float(1.0 / np.mean(whole)),
        "paper_pairs_per_second": PAPER_RATE,
        "trunk_centre_us": float(centre_us),
        "full_body": _full_body(clean, noisy, body),
    }


def _full_body(clean: Played, noisy: Played, body: Skeleton) -> dict[str, Any]:
    """Position error of sequential IK from vision, with ankles and pelvis of silhouettes (X5)."""
    out = {}
    for name, (stage, pairs, _) in (("clean", clean), ("noisy", noisy)):
        truth = stage.actors[0].motion
        settings = CaptureSettings(feet=True)
        found = capture_clip(
            Capture(stage.cameras, body, RATE, settings), pairs, _feedback("sik", body)
        )
        points, _ = stand_still(found.points, body)
        solved = named_solver("sik").prepare(body, rate=RATE, names=points.names).solve_clip(points)
        tracked = named_solver("sik").prepare(body, rate=RATE).solve_clip(truth.points())
        out[name] = {
            "position_rms": compare(solved.motion, truth).position_rms,
            "position_rms_true_points": compare(tracked.motion, truth).position_rms,
            "ankles_seen": float(found.points.select(["l_ankle"]).seen.mean()),
        }
    return out


def _jitter(noisy: Played, quick: bool) -> dict[str, Any]:
    """Jitter and lag against filtering and damping (S3.29, S3.48)."""
    stage, pairs, truth = noisy
    body = Skeleton.humanoid()
    rows = []
    for acceleration in (2.0, 12.0) if quick else (1.0, 2.0, 4.0, 12.0, 40.0):
        follow = FollowSettings(acceleration=(acceleration / 3.0, acceleration, acceleration))
        capture = Capture(stage.cameras, body, RATE, CaptureSettings(follow=follow))
        found, _ = stand_still(capture_clip(capture, pairs).points, body)
        for damping in (0.02, 0.3):
            solver = BalanceSolver(damping=damping, steps=1)
            tracker = solver.prepare(body, rate=RATE, names=found.names)
            wrists = tracker.solve_clip(found).motion.points(["l_wrist", "r_wrist"]).positions
            rows.append(
                {
                    "acceleration": acceleration,
                    "damping": damping,
                    "jitter_mm": float(1e3 * np.diff(wrists[5:], n=2, axis=0).std()),
                    "lag_frames": _lag(wrists, truth.wrists),
                }
            )
    return {"jitter_and_lag": rows}


def _lag(found: Floats, truth: Floats, most: int = 8) -> float:
    """Frames by which a movement is late: the shift at which speeds agree best."""
    a, b = (np.diff(x, axis=0).reshape(len(x) - 1, -1) for x in (found, truth))
    scores = [float((a[k:] * b[: len(b) - k]).sum()) for k in range(most)]
    return float(np.argmax(scores))


def _balance() -> dict[str, Any]:
    """Far lateral reach and the observer (S3.30, S3.33)."""
    body = Skeleton.humanoid()
    stance = stance_points(body)
    frames = np.repeat(stance[None], 60, axis=0)
    part = np.linspace(0.0, 1.0, 60)[:, None]
    shoulder = stance[2] * (1, 0, 1) + (0.0, 0.82 * 1.75, 0.0)
    far = shoulder + np.array([0.95, 0.0, 0.0])
    frames[:, 2] = (1 - part) * stance[2] + part * far
    frames[:, 3] = (-0.25, 1.05, 0.22)
    reach = {}
    for kind in ("simple", "legs"):
        tracker = BalanceSolver(body="legs" if kind == "legs" else "simple", steps=20).prepare(
            body, rate=RATE, limits=arm_limits(body)
        )
        result = tracker.solve_clip(Points(SIX, frames, RATE)).motion
        at = result.points(["pelvis", "l_shoulder"]).positions
        moved = 1e3 * (at[-1] - at[0])
        reach[kind] = {"pelvis_mm": float(moved[0, 0]), "shoulder_mm": float(moved[1, 0])}
    observer = {}
    for observe in (True, False):
        tracker = BalanceSolver(observer=observe).prepare(body, rate=RATE)
        tracker.solve(stance)
        goal = stance.copy()
        goal[2] = stance[2] + 0.3 * (shoulder - stance[2])
        for _ in range(12):
            solution = tracker.solve(goal)
        elbow = solution.pose.rotations[body.anatomy.node("l_elbow")]
        observer["with" if observe else "without"] = {
            "wrist_error_mm": float(1e3 * solution.residuals[2]),
            "elbow_degrees": float(np.degrees(2.0 * np.arctan2(abs(elbow[1]), abs(elbow[0])))),
        }
    return {"far_reach": reach, "observer": observer}


def _stories() -> dict[str, Any]:
    found = {}
    for story in (forward_reach(), sideways_reach()):
        found[story.title] = [event.as_dict() for event in story.contacts.events()]
    return {"collisions": found}
