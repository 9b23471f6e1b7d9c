"""How well joint types and limits are estimated, how fast, and whether they help a solver.

Four measurements of what the paper on joint limits from motion capture claims: synthetic joints
against noise, 100 against 1000 samples, the time for 30 bones, and its Fig. 8. There, recorded
clips are reconstructed from their six end effectors with the same solver under different limits.
The paper shows three clips in pictures, with limits from the clips themselves; here that is one of
several choices, and the errors are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..atomic_write import atomic_write
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..limits import LimitEstimator, Limits, adult_limits
from ..limits.base import TYPES
from ..limits.estimate.classify import Moments, Noise, TypeRules, classify
from ..limits.estimate.estimate import Family
from ..limits.estimate.estimator import LEAST_KEYS
from ..limits.estimate.trials import ball_trial, fixed_trial, hinge_trial, hinge_with_axis, noisy
from ..motion.motion import Motion
from ..solvers import solver
from .experiment import (
    DATA_OPTION,
    Experiment,
    Facts,
    Inputs,
    Measurements,
    Option,
    Progress,
    Shown,
    choose_solvers,
    clip_paths,
    counted,
    excerpt,
    facts,
    markdown_table,
    pivot,
    table,
    timed,
)
from .measures import evaluate

MAKERS: Mapping[str, Callable[..., Floats]] = dict(
    zip(TYPES, (fixed_trial, hinge_trial, ball_trial), strict=True)
)
"""Type of a joint -> what makes rotations of one."""
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
CHOICES = {
    "none": "none",
    "adult": "adult",
    "own": "the clip's own",
    "kind": "same kind of motion",
    "others": "other people",
}
"""Choices of limits and how readers know them: no limits; those of adults; from the clip itself, as
in the paper; from other clips of its kind; from all clips of other subjects."""
ERRORS = ("position_rms", "position_mean", "orientation_rms", "orientation_mean")
KEYS = ("frames", *ERRORS, "target_mean_m", "steps_over_30deg")
"""Numbers of a row of Fig. 8."""
RATE = 30.0
"""Frames a second that are reconstructed [Hz]."""
FRAMES, QUICK_FRAMES = 450, 60
CLIPS, QUICK_CLIPS = 6, 2
KIND = "gymnastics"
"""The kind of the clips that are reconstructed, where there are such: the paper's."""
SAME_PERSON = (
    *((83, 122), (91, 105), (90, 121), (77, 139), (106, 141), (78, 102), (63, 64), (74, 84)),
    *((85, 117), (70, 73, 123), (93, 103)),
)
"""Subjects of the CMU database that are one person under several numbers."""


class Recording(NamedTuple):
    """A clip, and what is known about it."""

    name: str
    motion: Motion
    kind: str
    subject: str

    @staticmethod
    def of(name: str, motion: Motion, folder: str) -> Recording:
        """Take the kind from the folder and the subject from the number before the name."""
        number = re.match(r"(\d+)_", name)
        subject = name if number is None else number.group(1).lstrip("0")
        same = next(
            (numbers for numbers in SAME_PERSON if subject in map(str, numbers)), (subject,)
        )
        return Recording(name, motion, folder, str(same[0]))


def bench_limits(
    recordings: Sequence[Recording],
    *,
    solvers: Sequence[str] = ("sik", "ccd", "dls"),
    family: Family = "swing_twist",
    quick: bool = False,
    progress: Progress | None = None,
) -> Measurements:
    """Measure everything; angles are in degrees, times in milliseconds.

    Args:
        recordings: clips with their kind and subject.
        solvers: names of solvers of people, for the experiment of Fig. 8.
        family: limits of ball joints in it.
        quick: fewer trials, clips and frames; the same keys.
        progress: see `experiment`.
    """
    trials, parts = QUICK_TRIALS if quick else TRIALS, 100
    step = progress or (lambda done, total: None)
    out: Measurements = {"family": family}
    out["classification"] = classification(trials)
    out["frame_rates"] = frame_rates(trials)
    step(1, 3 + parts)
    out["samples"] = sample_counts([r.motion for r in recordings][: 10 if quick else None])
    step(2, 3 + parts)
    out["time"] = bench_time(RUNS // 2 if quick else RUNS)
    step(3, 3 + parts)
    out["fig8"] = bench_fig8(
        recordings,
        solvers=solvers,
        family=family,
        quick=quick,
        progress=lambda done, total: step(3 + parts * done // total, 3 + parts),
    )
    return out


def classification(trials: int, seed: int = SEED) -> list[dict[str, Any]]:
    """Return how often each type is recognised under each rule, and how well axes are found."""
    rows = []
    for noise, kind in product(NOISES, TYPES):
        rng = np.random.default_rng(seed)
        axes = np.zeros((trials, 3))
        samples = []
        for k in range(trials):
            if kind == "hinge":
                made, axes[k] = hinge_with_axis(rng)
            else:
                made = MAKERS[kind](rng)
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
        errors = {
            "axis_error_mean_deg": float(off.mean()),
            "axis_error_p95_deg": float(np.percentile(off, 95.0)),
            "axis_below_1deg": float((off < 1.0).mean()),
            "axis_error_max_deg": float(off.max()),
        }
        rows.append(row | (errors if kind == "hinge" else dict.fromkeys(errors)))
    return rows


def frame_rates(
    trials: int, rates: Sequence[float] = RATES, noise: float = 1.0, seed: int = SEED
) -> list[dict[str, Any]]:
    """Return how often each type is recognised in clips of two seconds, resampled as clips are."""
    rows = []
    for rate in rates:
        rng = np.random.default_rng(seed)
        frames = round(SECONDS * rate) + 1
        made = [noisy(MAKERS[kind](rng, frames), np.radians(noise), rng) for kind in TYPES * trials]
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
    """Return by how much intervals of 100 and of 1000 samples of two seconds differ."""
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
        hinge, box = (
            _widths(many.fit.ranges[name], few.fit.ranges[name])
            for name in ("hinge", "zyz_centred")
        )
        hinges += hinge[types == 1].ravel().tolist()
        boxes += box[types == 2].ravel().tolist()
    return {"clips": clips, "hinge": _summary(hinges), "zyz_centred": _summary(boxes)}


def _widths(many: Any, few: Any) -> Floats:
    """Return differences of the widths of intervals [degrees]."""
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
    """Return the time to classify and fit 30 bones of 100 samples, in every family."""
    rng = np.random.default_rng(SEED)
    rotations = np.stack([MAKERS[TYPES[j % 3]](rng) for j in range(30)], axis=1)
    estimator = LimitEstimator(Skeleton.chain(30))
    estimator.extend(rotations)
    estimate = estimator.estimate()
    spent = [timed(estimator.estimate)[0] / 1e3 for _ in range(runs)]
    built = [timed(estimate.limits)[0] / 1e3 for _ in range(runs)]
    return {
        "bones": 30,
        "samples": len(rotations),
        "estimate_median_ms": float(np.median(spent)),
        "estimate_best_ms": min(spent),
        "limits_median_ms": float(np.median(built)),
        "paper_ms": PAPER_MS,
    }


def bench_fig8(
    recordings: Sequence[Recording],
    *,
    solvers: Sequence[str] = ("sik", "ccd", "dls"),
    family: Family = "swing_twist",
    quick: bool = False,
    progress: Progress | None = None,
) -> Measurements:
    """Reconstruct clips under every choice of limits, which come from all recordings."""
    choose_solvers(solvers)
    tried = [r for r in recordings if r.kind == KIND] or list(recordings)
    if not tried:
        raise InputError("Expected one clip or more for the experiment of Fig. 8, got none.")
    tried = tried[: QUICK_CLIPS if quick else CLIPS]
    rows: list[dict[str, Any]] = []
    step = counted(progress, len(tried) * len(CHOICES) * len(solvers))
    for recording in tried:
        part = excerpt(recording.motion.resampled(RATE), QUICK_FRAMES if quick else FRAMES, 0)
        for choice in CHOICES:
            limits, clips = _limits(choice, recording, recordings, family)
            known = limits is not None or choice == "none"
            for name in solvers:
                row: dict[str, Any] = {
                    "clip": recording.name,
                    "subject": recording.subject,
                    "solver": name,
                }
                row |= {"limits": choice, "clips": clips}
                numbers = _measure(name, part, limits) if known else dict.fromkeys(KEYS)
                rows.append(row | numbers)
                step()
    table = averages(rows, solvers)
    return {
        "frames": sum(row["frames"] for row in rows if row["limits"] == "none") // len(solvers),
        "rate": RATE,
        "rows": rows,
        "averages": table,
        "conclusion": conclusion(table),
    }


def _limits(
    choice: str, recording: Recording, recordings: Sequence[Recording], family: Family
) -> tuple[Limits | None, int]:
    """Return the limits of a choice, None without any, and of how many clips they come."""
    if choice == "none":
        return None, 0
    if choice == "adult":
        return adult_limits(recording.motion.skeleton), 0
    others = [r for r in recordings if r is not recording]
    chosen = {
        "own": [recording],
        "kind": [r for r in others if r.kind == recording.kind],
        "others": [r for r in others if r.subject != recording.subject],
    }[choice]
    if not chosen:
        return None, 0
    estimator = LimitEstimator(recording.motion.skeleton)
    for each in chosen:
        estimator.add(each.motion, each.name)
    return estimator.estimate().limits(family), len(chosen)


def _measure(name: str, part: Motion, limits: Limits | None) -> dict[str, Any]:
    found, result = evaluate(solver(name), part, limits=limits)
    report = result.report
    values = (len(part), *(getattr(found, key) for key in ERRORS),
              report.target_mean_m, report.steps_over_30deg)  # fmt: skip
    return dict(zip(KEYS, values, strict=True))


def averages(rows: Sequence[dict[str, Any]], solvers: Sequence[str]) -> list[dict[str, Any]]:
    """Return means over the clips, and on how many clips a choice beats having no limits."""
    out = []
    for name, choice in product(solvers, CHOICES):
        free = {r["clip"]: r for r in rows if (r["solver"], r["limits"]) == (name, "none")}
        own = [r for r in rows if (r["solver"], r["limits"]) == (name, choice)]
        own = [r for r in own if r["position_rms"] is not None]
        row: dict[str, Any] = {"solver": name, "limits": choice, "clips": len(own)}
        for key in ("position_rms", "orientation_rms", "target_mean_m"):
            row[key] = float(np.mean([r[key] for r in own])) if own else None
            row[f"{key}_better"] = sum(r[key] < free[r["clip"]][key] for r in own)
        out.append(row)
    return out


def markdown(table: Sequence[dict[str, Any]]) -> str:
    """Return the averages as a Markdown table, with the clips on which they beat no limits."""
    solvers = list(dict.fromkeys(row["solver"] for row in table))
    heads = [cell for name in solvers for cell in (f"`{name}` position", "rotation", "off")]
    lines = []
    for choice, label in CHOICES.items():
        cells = [label]
        for row in (row for row in table if row["limits"] == choice):
            if row["position_rms"] is None:
                cells += ["-"] * 3
                continue
            won = [f" ({row[f'{key}_rms_better']})" for key in ("position", "orientation")]
            first, second = ("", "") if choice == "none" else won
            cells += [f"{row['position_rms']:.4f}{first}", f"{row['orientation_rms']:.3f}{second}"]
            cells.append(f"{1e3 * row['target_mean_m']:.0f}")
        lines.append(cells)
    return "\n".join(markdown_table(["limits", *heads], lines)) + "\n"


def conclusion(table: Sequence[dict[str, Any]]) -> list[str]:
    """Return what the averages say, in sentences."""
    found = []
    free = {row["solver"]: row for row in table if row["limits"] == "none"}
    for row in table:
        if row["limits"] == "none" or row["position_rms"] is None:
            continue
        position, orientation = (
            100.0 * (row[key] / free[row["solver"]][key] - 1.0)
            for key in ("position_rms", "orientation_rms")
        )
        found.append(
            f"{row['solver']}, limits {row['limits']!r} against none: position error "
            f"{position:+.0f} % (better in {row['position_rms_better']} of {row['clips']} clips), "
            f"orientation {orientation:+.0f} % ({row['orientation_rms_better']} of {row['clips']})"
        )
    return found


def _show(found: Measurements) -> Shown:
    trials = found["classification"][0]["trials"]
    yield table(
        f"synthetic joints recognised ({trials} of each)",
        "noise_deg:g type right_share:.1% right_absolute:.1% axis_error_mean_deg:.2f "
        "axis_error_p95_deg:.2f axis_error_max_deg:.2f",
        found["classification"],
    )
    rates, types = pivot(found["frame_rates"], "rate", "type", "right_share")
    title = "recognised in clips of 2 s with 1 degree of noise"
    yield table(title, f"rate:g {' '.join(f'{kind}:.1%' for kind in types)}", rates)
    yield table(
        "the six end effectors reconstructed under different limits",
        "solver limits clips position_rms:.4f position_rms_better orientation_rms:.4f "
        "orientation_rms_better target_mean_m:.4f",
        [row for row in found["fig8"]["averages"] if row["position_rms"] is not None],
    )
    intervals = {kind: found["samples"][kind] for kind in ("hinge", "zyz_centred")}
    title = f"100 against 1000 samples, {found['samples']['clips']} clips of 2 s"
    yield table(title, "median_deg:.2f below_3deg:.1%", intervals)
    keys = "estimate_median_ms:.1f estimate_best_ms:.1f paper_ms:g"
    yield facts("30 bones, 100 samples", keys, found["time"])
    yield Facts("Fig. 8", [("", line) for line in found["fig8"]["conclusion"]])


def read_recordings(options: dict[str, Any]) -> Inputs:
    """Replace the option `data` by `recordings`: clips with their kind (folder) and subject."""
    from ..data import clips
    from ..formats import load

    given = dict(options)
    data = given.pop("data")
    if data is None:
        found = [Recording.of(name, clips.builtin(name), "built-in") for name in clips.CLIPS]
    else:
        paths = clip_paths(data)
        found = [Recording.of(path.stem, load(path), path.parent.name) for path in paths]
    return given | {"recordings": found}, ()


def _files(found: Measurements, folder: Path, options: Any) -> list[Path]:
    with atomic_write(folder / "fig8.md") as file:
        file.write(markdown(found["fig8"]["averages"]).encode())
    return [folder / "fig8.md"]


EXPERIMENT = Experiment(
    about="Clips of the kind `gymnastics` (the name of their folder) are reconstructed, if there "
    "are such; the number in front of a clip's name is taken for its subject, as in the CMU "
    "database.",
    options=(
        DATA_OPTION,
        Option(
            "solvers",
            "Solvers of the experiment of Fig. 8.",
            "NAME,NAME...",
            "sik,ccd,dls",
            "names",
        ),
        Option(
            "family",
            "Limits of ball joints in it.",
            default="swing_twist",
            kind=("swing_twist", "zyz", "zyz_centred", "xyz"),
        ),
    ),
    solvers=lambda options: choose_solvers(options["solvers"]),
    inputs=read_recordings,
    run=bench_limits,
    show=_show,
    files=_files,
    output_help="Also write limits.json and fig8.md there.",
)
