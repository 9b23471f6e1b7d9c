"""How well joint types and limits are estimated, how fast, and whether they help a solver.

Four measurements of what the paper on joint limits from motion capture claims: synthetic joints
against noise, 100 against 1000 samples, the time for 30 bones, and its Fig. 8. There, recorded
clips are reconstructed from their six end effectors with the same solver under different limits.
The paper shows three clips in pictures, with limits from the clips themselves; here that is one of
several choices, and the errors are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import click
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
from . import experiment as ex
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
FAMILY_TYPES = {"hinge": TYPES.index("hinge"), "zyz_centred": TYPES.index("ball")}
"""Families of intervals that are compared -> the type of joint that they belong to."""
FAR_APART = 3.0
"""Intervals of 100 and 1000 samples that differ by more than this are explained [degrees]."""
DRAWS = 40
"""Bootstrap samples of an excerpt with such intervals."""
SLACK = 0.1
"""A difference this little beside its bootstrap interval is inside [degrees]."""
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
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Measure everything; angles are in degrees, times in milliseconds.

    Solvers, by name, and the family of limits of ball joints are those of Fig. 8.
    """
    trials, parts = QUICK_TRIALS if quick else TRIALS, 100
    step = progress or (lambda done, total: None)
    out: ex.Measurements = {"family": family}
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
    widths: dict[str, list[float]] = {kind: [] for kind in FAMILY_TYPES}
    apart: list[dict[str, Any]] = []
    clips = 0
    for motion in motions:
        part = ex.excerpt(motion, int(SECONDS * motion.rate) + 1)
        if len(part) < LEAST_KEYS:
            continue
        clips += 1
        found = []
        for count in (100, 1000):
            rate = (count - 1) * part.rate / (len(part) - 1)
            estimator = LimitEstimator(part.skeleton, rate=rate)
            estimator.add(part)
            found.append(estimator.estimate())
        few, many = found
        narrower = {
            kind: _widths(many.fit.ranges[kind]) - _widths(few.fit.ranges[kind])
            for kind in FAMILY_TYPES
        }
        odd = {}
        for kind, joint_type in FAMILY_TYPES.items():
            own = many.classes.types == joint_type
            widths[kind] += np.abs(narrower[kind][own]).ravel().tolist()
            odd[kind] = np.argwhere((np.abs(narrower[kind]) > FAR_APART) & own[:, None])
        if any(len(cells) for cells in odd.values()):
            apart += _explained(part, many.names, narrower, odd)
    explained = [row["explained"] for row in apart]
    return {
        "clips": clips,
        **{kind: _summary(values) for kind, values in widths.items()},
        "apart": apart,
        "apart_explained": float(np.mean(explained)) if explained else None,
    }


def _explained(
    part: Motion, names: Sequence[str], narrower: Mapping[str, Floats], odd: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return each interval that differs much, and by how much chance makes it differ.

    The bootstrap draws a hundred of a thousand samples of the excerpt again and again, one from
    each hundredth of its time: that is what sampling at slightly other moments would have found.
    """
    rng = np.random.default_rng(SEED)
    dense = part.resampled(999 * part.rate / (len(part) - 1)).rotations
    edges = np.linspace(0, len(dense), 101)

    def ranges(rotations: Floats) -> Mapping[str, Any]:
        estimator = LimitEstimator(part.skeleton, rate=None)
        estimator.extend(rotations)
        return estimator.estimate().fit.ranges

    whole = {kind: _widths(found) for kind, found in ranges(dense).items() if kind in odd}
    drawn: dict[str, list[Floats]] = {kind: [] for kind in odd}
    for _ in range(DRAWS):
        at = np.minimum(rng.uniform(edges[:-1], edges[1:]).astype(np.int64), len(dense) - 1)
        for kind, found in ranges(dense[at]).items():
            if kind in odd:
                drawn[kind].append(whole[kind] - _widths(found))
    rows = []
    for kind, cells in odd.items():
        low, high = np.percentile(drawn[kind], (2.5, 97.5), axis=0)
        for joint, angle in cells.tolist():
            ends = float(low[joint, angle]), float(high[joint, angle])
            difference = float(narrower[kind][joint, angle])
            rows.append(
                {
                    "clip": part.source.path and Path(part.source.path).stem,
                    "joint": names[joint],
                    "family": kind,
                    "angle": angle,
                    "difference_deg": difference,
                    "bootstrap_low_deg": ends[0],
                    "bootstrap_high_deg": ends[1],
                    "explained": ends[0] - SLACK <= difference <= ends[1] + SLACK,
                }
            )
    return rows


def _widths(found: Any) -> Floats:
    """Return the widths of intervals [degrees], (J, A)."""
    return np.asarray(np.degrees(found.high - found.low))


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
    spent = [ex.timed(estimator.estimate)[0] / 1e3 for _ in range(runs)]
    built = [ex.timed(estimate.limits)[0] / 1e3 for _ in range(runs)]
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
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Reconstruct clips under every choice of limits, which come from all recordings."""
    ex.choose_solvers(solvers)
    tried = [r for r in recordings if r.kind == KIND] or list(recordings)
    if not tried:
        raise InputError("Expected one clip or more for the experiment of Fig. 8, got none.")
    tried = tried[: QUICK_CLIPS if quick else CLIPS]
    rows: list[dict[str, Any]] = []
    step = ex.counted(progress, len(tried) * len(CHOICES) * len(solvers))
    for recording in tried:
        part = ex.excerpt(recording.motion.resampled(RATE), QUICK_FRAMES if quick else FRAMES, 0)
        for choice in CHOICES:
            limits, clips = _limits(choice, recording, recordings, family)
            known = limits is not None or choice == "none"
            for name in solvers:
                row: dict[str, Any] = {"clip": recording.name, "subject": recording.subject}
                row |= {"solver": name, "limits": choice, "clips": clips}
                rows.append(row | _measure(name, part, limits, known))
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
    if choice == "adult":
        return adult_limits(recording.motion.skeleton), 0
    others = [r for r in recordings if r is not recording]
    chosen = {
        "none": [],
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


def _measure(name: str, part: Motion, limits: Limits | None, known: bool) -> dict[str, Any]:
    """Return the errors of a row of Fig. 8; all None where the limits are not known."""
    if not known:
        return dict.fromkeys(("frames", *ERRORS, "target_mean_m", "steps_over_30deg"))
    found, result = evaluate(solver(name), part, limits=limits)
    return {
        "frames": len(part),
        **{key: getattr(found, key) for key in ERRORS},
        "target_mean_m": result.report.target_mean_m,
        "steps_over_30deg": result.report.steps_over_30deg,
    }


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
            for key, digits in (("position_rms", 4), ("orientation_rms", 3)):
                won = "" if choice == "none" else f" ({row[f'{key}_better']})"
                cells.append(f"{row[key]:.{digits}f}{won}")
            cells.append(f"{1e3 * row['target_mean_m']:.0f}")
        lines.append(cells)
    return "\n".join(ex.markdown_table(["limits", *heads], lines)) + "\n"


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


def _show(found: ex.Measurements) -> Iterator[ex.Table | ex.Facts]:
    trials = found["classification"][0]["trials"]
    keys = "noise_deg:g type right_share:.1% right_absolute:.1% axis_error_mean_deg:.2f "
    keys += "axis_error_p95_deg:.2f axis_error_max_deg:.2f"
    title = f"synthetic joints recognised ({trials} of each)"
    yield ex.table(title, keys, found["classification"])
    title = "recognised in clips of 2 s with 1 degree of noise"
    yield ex.pivot(
        title, found["frame_rates"], ("rate", "type", "right_share"), ("rate:g", "{}", ".1%")
    )
    keys = "solver limits clips position_rms:.4f position_rms_better orientation_rms:.4f "
    keys += "orientation_rms_better target_mean_m:.4f"
    rows = [row for row in found["fig8"]["averages"] if row["position_rms"] is not None]
    yield ex.table("the six end effectors reconstructed under different limits", keys, rows)
    intervals = {kind: found["samples"][kind] for kind in ("hinge", "zyz_centred")}
    title = f"100 against 1000 samples, {found['samples']['clips']} clips of 2 s"
    yield ex.table(title, "median_deg:.2f below_3deg:.1%", intervals)
    if found["samples"]["apart"]:
        keys = "clip joint family angle difference_deg:.1f bootstrap_low_deg:.1f "
        keys += "bootstrap_high_deg:.1f explained"
        title = "intervals that differ by more than 3 degrees, and 95 % of what chance makes of it"
        yield ex.table(title, keys, found["samples"]["apart"])
    keys = "estimate_median_ms:.1f estimate_best_ms:.1f paper_ms:g"
    yield ex.facts("30 bones, 100 samples", keys, found["time"])
    yield ex.Facts("Fig. 8", [("", line) for line in found["fig8"]["conclusion"]])


def read_recordings(options: dict[str, Any]) -> tuple[dict[str, Any], Sequence[str]]:
    """Replace the option `data` by `recordings`: clips with their kind (folder) and subject."""
    from ..data import clips
    from ..formats import load

    given = dict(options)
    data = given.pop("data")
    if data is None:
        found = [Recording.of(name, clips.builtin(name), "built-in") for name in clips.CLIPS]
    else:
        paths = ex.clip_paths(data)
        found = [Recording.of(path.stem, load(path), path.parent.name) for path in paths]
    return given | {"recordings": found}, ()


def _files(found: ex.Measurements, folder: Path, options: Any) -> list[Path]:
    with atomic_write(folder / "fig8.md") as file:
        file.write(markdown(found["fig8"]["averages"]).encode())
    return [folder / "fig8.md"]


EXPERIMENT = ex.Experiment(
    about="Clips of the kind `gymnastics` (the name of their folder) are reconstructed, if there "
    "are such; the number in front of a clip's name is taken for its subject, as in the CMU "
    "database.",
    options=(
        ex.DATA_OPTION,
        ex.solvers_option("sik,ccd,dls", "NAME,NAME...", "Solvers of the experiment of Fig. 8."),
        click.Option(["--family"], type=click.Choice(["swing_twist", "zyz", "zyz_centred", "xyz"]),
                     default="swing_twist", show_default=True,
                     help="Limits of ball joints in it."),
    ),
    solvers=lambda options: ex.choose_solvers(options["solvers"]),
    inputs=read_recordings,
    run=bench_limits,
    show=_show,
    files=_files,
    output_help="Also write limits.json and fig8.md there.",
)  # fmt: skip
