"""From two cameras to a balanced body, measured on the synthetic stage (`sixpoint bench vision`).

Points against the truth, Tables 2 and 3 beside the paper's, balance, jitter and lag, rates.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..motion.metrics import compare
from ..motion.points import SIX
from ..motion.standing import stand_still
from ..solvers import solver as named_solver
from ..solvers.pik_balance import BalanceSolver
from ..vision.camera import triangulate
from ..vision.capture import Capture, CaptureSettings, capture_clip
from ..vision.segmentation import silhouette_centre
from ..vision.synthetic.room import RATE, Conditions
from .balance import bench_balance, bench_tables
from .capturing import (
    NOISE,
    Played,
    jitter_and_lag,
    measured_body,
    meetings,
    play,
    point_errors,
    solver_feedback,
)
from .progress import Progress, counted
from .self_contact import bench_self_contact
from .speed import machine

PAPER_RATE = 20.0
"""Pairs of pictures a second, end to end, of the paper."""


def bench_vision(*, quick: bool = False, progress: Progress | None = None) -> dict[str, Any]:
    """Measure everything; numbers for JSON.

    Args:
        quick: fewer frames; the same keys.
        progress: called with parts done and their total.
    """
    tell = counted(progress, total=7)
    frames = slice(0, 70) if quick else None
    body = Skeleton.humanoid()
    out: dict[str, Any] = {"bench": "vision", "quick": quick, "seed": Conditions().seed}
    clean = play("gestures", 0.0, frames)
    noisy = play("gestures", NOISE, frames)
    out |= point_errors(clean, noisy, body)
    tell()
    out |= meetings(quick=quick)
    tell()
    out |= measured_body()
    tell()
    out |= bench_tables(quick=quick)
    tell()
    out |= _end_to_end(clean, noisy, body)
    tell()
    out |= jitter_and_lag(noisy, quick=quick)
    tell()
    out |= bench_balance(quick=quick)
    out |= bench_self_contact(quick=quick)
    five = out["table_3"]["pik-balance, 5 steps"]["median_us"]
    out["five_steps_over_analytic"] = five / (out["analytic_us"] + out["trunk_centre_us"])
    out["machine"] = machine()
    tell()
    return out


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
    masks = [look.person.mask for look in capture.step(pairs[0]).looks]
    begin = time.perf_counter()
    for _ in range(20):
        centres = np.array([silhouette_centre(mask) for mask in masks])[:, None]
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
            Capture(stage.cameras, body, RATE, settings), pairs, solver_feedback("sik", body)
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
