"""How well joint types and limits are estimated, how fast, and whether they help a solver.

Four measurements of the joint-limit paper's claims: synthetic joints against noise (S1.4), 100
against 1000 samples (S1.17), the time for 30 bones (S1.20), and its Fig. 8 (S1.23; see
`fig8.py`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..limits.base import TYPES
from ..limits.estimate.classify import Moments, Noise, TypeRules, classify
from ..limits.estimate.estimate import Family
from ..limits.estimate.estimator import LEAST_KEYS, LimitEstimator
from ..limits.estimate.trials import ball_trial, fixed_trial, hinge_trial, noisy
from ..motion.motion import Motion
from .fig8 import Recording, bench_fig8
from .progress import Progress
from .speed import machine

NOISES = (0.0, 0.5, 1.0, 2.0, 3.0)
"""Standard deviations of noise about each axis [degrees]."""
RATES = (24.0, 30.0, 60.0, 120.0)
"""Frames a second of clips of two seconds with one degree of noise [Hz]."""
TRIALS, QUICK_TRIALS = 1000, 200
SEED = 20090108
SECONDS = 2.0
"""Length of the excerpts of which 100 and 1000 samples are compared [s]."""
RUNS = 20
PAPER_MS = 20.0
"""What the paper took for 30 bones and 100 samples, on average [ms]."""


def bench_limits(
    recordings: Sequence[Recording],
    *,
    solvers: Sequence[str] = ("sik", "ccd", "dls"),
    family: Family = "swing_twist",
    quick: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure everything.

    Args:
        recordings: clips with their kind and subject.
        solvers: those of the experiment of Fig. 8.
        family: limits of ball joints in it.
        quick: fewer trials, clips and frames; the same keys.
        progress: called with the number of parts done and their total.

    Returns:
        Numbers for JSON. Angles are in degrees, times in milliseconds.
    """
    tell = progress or (lambda done, total: None)
    total = 3 + 100
    out: dict[str, Any] = {"bench": "limits", "quick": quick, "family": family}
    out["classification"] = classification(QUICK_TRIALS if quick else TRIALS)
    out["frame_rates"] = frame_rates(QUICK_TRIALS if quick else TRIALS)
    tell(1, total)
    out["samples"] = sample_counts([r.motion for r in recordings][: 10 if quick else None])
    tell(2, total)
    out["time"] = bench_time(RUNS // 2 if quick else RUNS)
    tell(3, total)
    out["fig8"] = bench_fig8(
        recordings,
        solvers=solvers,
        family=family,
        quick=quick,
        progress=lambda done, parts: tell(3 + 100 * done // parts, total),
    )
    out["machine"] = machine()
    return out


def classification(trials: int, seed: int = SEED) -> list[dict[str, Any]]:
    """How often each type is recognised under each rule, and how well axes are found (S1.4)."""
    rows = []
    for noise in NOISES:
        for kind in TYPES:
            rng = np.random.default_rng(seed)
            axes = np.zeros((trials, 3))
            samples = []
            for k in range(trials):
                if kind == "hinge":
                    made, axes[k] = hinge_trial(rng, with_axis=True)
                else:
                    made = fixed_trial(rng) if kind == "fixed" else ball_trial(rng)
                samples.append(noisy(made, np.radians(noise), rng))
            stacked = np.stack(samples, axis=1)
            noises = Noise(trials)
            noises.add(stacked, True)
            moments = Moments.of(trials, lambda stacked=stacked: [stacked])  # type: ignore[misc]
            row: dict[str, Any] = {"noise_deg": noise, "type": kind, "trials": trials}
            for rules in (TypeRules(rule="share"), TypeRules(rule="absolute")):
                found = classify(moments, noises.deviation(), rules)
                row[f"right_{rules.rule}"] = float((found.types == TYPES.index(kind)).mean())
            off = np.degrees(np.arccos(np.minimum(np.abs((found.axes * axes).sum(axis=1)), 1.0)))
            hinge = kind == "hinge"
            row["axis_error_mean_deg"] = float(off.mean()) if hinge else None
            row["axis_error_p95_deg"] = float(np.percentile(off, 95.0)) if hinge else None
            row["axis_below_1deg"] = float((off < 1.0).mean()) if hinge else None
            row["axis_error_max_deg"] = float(off.max()) if hinge else None
            rows.append(row)
    return rows


def frame_rates(
    trials: int, rates: Sequence[float] = RATES, noise: float = 1.0, seed: int = SEED
) -> list[dict[str, Any]]:
    """How often each type is recognised in clips of two seconds, resampled as clips are."""
    makers = (fixed_trial, hinge_trial, ball_trial)
    rows = []
    for rate in rates:
        rng = np.random.default_rng(seed)
        frames = round(SECONDS * rate) + 1
        made = [noisy(make(rng, frames), np.radians(noise), rng) for make in makers * trials]
        chain = Skeleton.chain(3 * trials)
        clip = Motion(chain, np.zeros((frames, 3)), np.stack(made, axis=1), rate)
        estimator = LimitEstimator(chain)
        estimator.add(clip)
        found = estimator.estimate().classes.types.reshape(trials, 3)
        for k, kind in enumerate(TYPES):
            right = float((found[:, k] == k).mean())
            rows.append({"rate": rate, "noise_deg": noise, "type": kind, "right_share": right})
    return rows


def sample_counts(motions: Sequence[Motion]) -> dict[str, Any]:
    """By how much intervals of 100 and of 1000 samples of two seconds differ (S1.17)."""
    hinges: list[float] = []
    boxes: list[float] = []
    clips = 0
    for motion in motions:
        frames = int(SECONDS * motion.rate) + 1
        first = max((len(motion) - frames) // 2, 0)
        part = motion.frames(slice(first, first + frames))
        if len(part) < LEAST_KEYS:
            continue
        clips += 1
        found = []
        for count in (100, 1000):
            estimator = LimitEstimator(
                part.skeleton, rate=(count - 1) * part.rate / (len(part) - 1)
            )
            estimator.add(part)
            found.append(estimator.estimate())
        few, many = found
        types = many.classes.types
        hinges += _widths(many.fit.hinge, few.fit.hinge)[types == 1].ravel().tolist()
        boxes += _widths(many.fit.zyz_centred, few.fit.zyz_centred)[types == 2].ravel().tolist()
    return {"clips": clips, "hinge": _summary(hinges), "zyz_centred": _summary(boxes)}


def _widths(many: Any, few: Any) -> Floats:
    """Differences of the widths of intervals [degrees]."""
    return np.asarray(np.degrees(np.abs((many.high - many.low) - (few.high - few.low))))


def _summary(values: Sequence[float]) -> dict[str, float]:
    some = np.array(values or [np.nan])
    return {
        "intervals": len(values),
        "median_deg": float(np.median(some)),
        "mean_deg": float(some.mean()),
        "p99_deg": float(np.percentile(some, 99.0)),
        "max_deg": float(some.max()),
        "below_3deg": float((some < 3.0).mean()),
    }


def bench_time(runs: int) -> dict[str, Any]:
    """Time to classify and fit 30 bones of 100 samples, in every family (S1.20)."""
    rng = np.random.default_rng(SEED)
    makers = (fixed_trial, hinge_trial, ball_trial)
    rotations = np.stack([makers[j % 3](rng) for j in range(30)], axis=1)
    estimator = LimitEstimator(Skeleton.chain(30))
    estimator.extend(rotations)
    estimate = estimator.estimate()
    spent, built = [], []
    for _ in range(runs):
        begin = time.perf_counter()
        estimate = estimator.estimate()
        spent.append(1e3 * (time.perf_counter() - begin))
        begin = time.perf_counter()
        estimate.limits()
        built.append(1e3 * (time.perf_counter() - begin))
    return {
        "bones": 30,
        "samples": len(rotations),
        "estimate_median_ms": float(np.median(spent)),
        "estimate_best_ms": min(spent),
        "limits_median_ms": float(np.median(built)),
        "paper_ms": PAPER_MS,
    }
