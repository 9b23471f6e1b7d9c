"""What is measured for each claim of the SIK paper, and when it counts as reproduced.

Functions that take `Evidence` measure; functions that take what was measured decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .evidence import ORIGINAL, PARTLY, Answer, Evidence, Numbers, Verdict
from .measures import stretch, turn_rate
from .published import AVERAGE, CLIPS, METHODS, Measure, published

NINE = tuple(METHODS)
"""The methods of Table 1."""
TEN = ("jacobian-transpose", *NINE)
"""And the one that the paper leaves out of it."""
THREE = tuple(clip.name for clip in CLIPS)
SQUARES = ("pseudoinverse", "dls", "dls-svd", "sdls")
QUICK = ("sik", "kma", "ccd", "tgbsik")
BETTER = ("sik", "tgbsik", "pik", "kma")

CLOSE = 0.25
"""A cell of the table is reproduced when it differs from the paper's by less than this part."""
SAME = 0.0005
"""DLS and DLS with SVD solve the same equations: their position errors agree to this."""
LIMITED, FREE = "within_limits", "without_limits"
"""Where a curve was measured."""
PUBLISHED, USUAL = "as_published", "our_settings"
"""With which settings."""
CLEAR = 0.10
"""One number is clearly larger than another when it is larger by more than this part."""
GROWS = 0.10
"""A curve grows when the line through it rises by more than this part of its mean."""
WORST = 0.95
"""Quantile of the error above which a frame is one of the worst."""
FASTER = 1.5
"""In the worst frames something is out of the ordinary when it is this many times the mean."""


def clearly(more: float, less: float) -> bool:
    """Whether one number is larger than another by a margin."""
    return more > (1.0 + CLEAR) * less


def agreed(found: Numbers, larger: Sequence[str], smaller: Sequence[str]) -> Verdict:
    """Whether some numbers are larger than others: clearly on average, and on every clip.

    Args:
        found: `AVERAGE` and clips -> solver -> number.
        larger: solvers whose numbers shall be the larger.
        smaller: the others.
    """
    pairs = [(a, b) for a in larger for b in smaller]
    mean = found[AVERAGE]
    clear = [clearly(mean[a], mean[b]) for a, b in pairs]
    contrary = [
        f"{clip} {a} {row[a]:.1f}, {b} {row[b]:.1f}"
        for clip, row in found.items()
        for a, b in pairs
        if row[a] < row[b]
    ]
    words = f" The other way round: {'; '.join(contrary)}." if contrary else ""
    answer: Answer = any(clear) and (PARTLY if contrary or not all(clear) else True)
    return answer, words


def ranked(numbers: Mapping[str, float]) -> str:
    """Names from the smallest number to the largest."""
    return " < ".join(sorted(numbers, key=lambda name: numbers[name]))


def lowest(name: str) -> Callable[[Numbers], Verdict]:
    """Whether one solver has the smallest number."""

    def holds(found: Numbers) -> Verdict:
        order = sorted(found, key=lambda s: float(found[s]))
        words = f"Lowest is {order[0]} with {found[order[0]]:.4f}"
        if order[0] != name:
            words += f"; {name} is number {order.index(name) + 1} with {found[name]:.4f}"
        return order[0] == name, f"{words}."

    return holds


def best_by(key: str) -> Callable[[Evidence], Numbers]:
    """Methods with the paper's own settings, and with ours."""
    return lambda e: {PUBLISHED: e.published_average(key, NINE), USUAL: e.average(key, NINE)}


def lowest_of_both(name: str) -> Callable[[Numbers], Verdict]:
    """Whether one solver has the smallest number, the others as published; and as they are here."""

    def holds(found: Numbers) -> Verdict:
        theirs, ours = (lowest(name)(found[how]) for how in (PUBLISHED, USUAL))
        if found[PUBLISHED] == found[USUAL]:
            return theirs
        improved = [s for s, value in found[USUAL].items() if value != found[PUBLISHED][s]]
        words = f"{theirs[1]} With our settings of {', '.join(improved)}: {ours[1]}"
        return theirs[0], words

    return holds


def ratios(measure: Measure) -> Callable[[Evidence], Numbers]:
    """Clip -> solver -> ours divided by the paper's."""

    def found(e: Evidence) -> Numbers:
        return {
            clip: {s: v / (published(measure, clip, s) or math.nan) for s, v in row.items()}
            for clip in THREE
            if (row := e.on(clip, measure, NINE))
        }

    return found


def close(found: Numbers) -> Verdict:
    """Whether the cells of SIK, KMA and CCD are near the paper's."""
    off = [
        f"{s} on {clip} {row[s]:.2f}"
        for clip, row in found.items()
        for s in ("sik", "kma", "ccd")
        if abs(row[s] - 1.0) > CLOSE
    ]
    return not off, f"Beyond it: {', '.join(off)} times the paper's." if off else ""


def same_errors(e: Evidence) -> Numbers:
    """Clip -> difference of the position errors of DLS and DLS with SVD."""
    found = {}
    for clip in e.table.clips:
        one, other = (e.table.runs.get((s, clip.name)) for s in ("dls", "dls-svd"))
        if one and other:
            found[clip.name] = abs(one.row["position_rms"] - other.row["position_rms"])
    return found


def times(e: Evidence) -> Numbers:
    """Solver -> time as a multiple of SIK's, here and in the paper."""
    ours = e.average("median_us", NINE)
    paper = {s: published("median_ms", AVERAGE, s) or math.nan for s in NINE}
    return {
        s: {"ours": us / ours["sik"], "paper": paper[s] / paper["sik"]}
        for s, us in ours.items()
        if "sik" in ours
    }


def fastest(found: Numbers) -> Verdict:
    """Whether every other method takes longer than SIK."""
    near = min((s for s in found if s != "sik"), key=lambda s: float(found[s]["ours"]))
    ratio = float(found[near]["ours"])
    return ratio > 1.0, f"The fastest other is {near} at {ratio:.1f} times SIK."


def two_classes(found: Numbers) -> Verdict:
    """Whether the four quick methods are all quicker than the other five."""
    ours = {s: float(found[s]["ours"]) for s in NINE}
    slow = max(QUICK, key=lambda s: ours[s])
    fast = min((s for s in NINE if s not in QUICK), key=lambda s: ours[s])
    words = f"Slowest of the four is {slow} at {ours[slow]:.1f} times SIK, "
    return ours[slow] < ours[fast], f"{words}fastest of the others {fast} at {ours[fast]:.1f}."


def optimising_costs(found: Numbers) -> Verdict:
    """Whether TGBSIK takes longer than SIK and KMA."""
    ours = {s: float(found[s]["ours"]) for s in ("sik", "kma", "tgbsik")}
    return ours["tgbsik"] > max(ours["kma"], ours["sik"]), f"Time: {ranked(ours)}."


def best_on_playground(found: Numbers) -> Verdict:
    """Whether PIK is best in position and KMA in orientation."""
    best = {key: min(row, key=lambda s: float(row[s])) for key, row in found.items()}
    words = f"Lowest position error: {best['position_rms']}; orientation: "
    return list(best.values()) == ["pik", "kma"], f"{words}{best['orientation_rms']}."


def top_five(found: Numbers) -> Verdict:
    """Whether the four methods that the paper praises are among the best five, as published."""
    order = sorted(found[PUBLISHED], key=lambda s: float(found[PUBLISHED][s]))
    words = f"{ranked(found[PUBLISHED])}."
    if found[PUBLISHED] != found[USUAL]:
        words += f" With our settings: {ranked(found[USUAL])}."
    return set(BETTER) <= set(order[:5]), words


def everywhere(*keys: str, of: Sequence[str]) -> Callable[[Evidence], Numbers]:
    """Number -> solver -> mean over clips; and "number, clip" -> solver -> that on one clip."""

    def found(e: Evidence) -> Numbers:
        rows = {key: e.average(key, of) for key in keys}
        clips = {key: e.by_clip(key, of) for key in keys}
        return rows | {f"{k}, {c}": row for k in keys for c, row in clips[k].items()}

    return found


def worst_everywhere(name: str) -> Callable[[Numbers], Verdict]:
    """Whether one solver has the largest of all numbers: clearly on average, and on every clip."""

    def holds(found: Numbers) -> Verdict:
        clear, words, contrary = [], [], []
        for key, row in found.items():
            others = {s: float(row[s]) for s in row if s not in (name, ORIGINAL)}
            next_one = max(others, key=lambda s: others[s])
            ratio = float(row[name]) / max(others[next_one], 1e-12)
            if "," not in key:
                clear.append(clearly(ratio, 1.0))
                words.append(f"{key} {ratio:.2f} times that of {next_one}")
            elif ratio < 1.0:
                contrary.append(f"{key} {next_one}")
        text = f"{'; '.join(words)}."
        if contrary:
            text += f" Larger: {'; '.join(contrary)}."
        return any(clear) and (PARTLY if contrary or not all(clear) else True), text

    return holds


def drift(*keys: str) -> Callable[[Evidence], Numbers]:
    """Curve -> solver -> how it grows on boxing; with and without limits."""

    def found(e: Evidence) -> Numbers:
        return {
            LIMITED: {key: e.on("boxing", key, NINE) for key in keys},
            FREE: {key: e.unlimited("boxing", key) for key in keys},
        }

    return found


def grows(found: Numbers) -> Verdict:
    """Whether curves of CCD rise, and more than those of SIK, as in the paper within limits."""
    words, risen = [], {}
    for how, curves in found.items():
        rows = {key: (row["ccd"], row["sik"]) for key, row in curves.items() if row}
        risen[how] = all(ccd > max(GROWS, sik) for ccd, sik in rows.values())
        said = [f"{key} {ccd:+.2f} (sik {sik:+.2f})" for key, (ccd, sik) in rows.items()]
        if said:
            words.append(f"{how.capitalize().replace('_', ' ')}: {', '.join(said)}.")
    if risen[FREE] and not risen[LIMITED] and len(words) > 1:
        words.append("CCD drifts, and these limits hold the drift back.")
    return risen[LIMITED], " ".join(words)


def peaks(name: str) -> Callable[[Evidence], Numbers]:
    """How fast the hips turn and how far points are missed where the error of SIK is largest.

    Compared with the mean over the whole clip.
    """

    def found(e: Evidence) -> Numbers:
        clip, run = e.clip(name), e.run("sik", name)
        if clip is None or clip.paper is None or run is None:
            return {}
        first, last = (max(frame - clip.first, 0) for frame in clip.paper.window)
        error = run.position[first:last]
        if error.size == 0:
            return {}
        turns = turn_rate(clip.motion)
        turning, missed = turns[first:last], run.missed[first:last]
        worst = error >= np.quantile(error, WORST)
        peak = int(error.argmax())
        return {
            "peak_frame": clip.first + first + peak,
            "peak_error": float(error[peak]),
            "peak_turn_deg_s": math.degrees(turning[peak]),
            "peak_stretch": float(stretch(clip.motion)[first + peak].max()),
            "worst_turn_over_mean": float(turning[worst].mean() / max(turns.mean(), 1e-9)),
            "worst_miss_over_mean": float(missed[worst].mean() / max(run.missed.mean(), 1e-9)),
        }

    return found


def turning(*, missed: bool) -> Callable[[Numbers], Verdict]:
    """Whether the worst frames are those of turning, and of missed points if asked."""

    def holds(found: Numbers) -> Verdict:
        turn, miss = found["worst_turn_over_mean"], found["worst_miss_over_mean"]
        words = f"In the worst 5 % of frames the hips turn {turn:.1f} times as fast as on average"
        words += f" and a point is missed {miss:.1f} times as far."
        return turn > FASTER and (miss > FASTER or not missed), words

    return holds


def pose_errors(e: Evidence) -> Numbers:
    """Clip -> solver -> position error in the frame that the paper shows."""
    found: Numbers = {}
    for paper in CLIPS:
        clip = e.clip(paper.name)
        if clip is not None and clip.first + clip.pose == paper.pose:
            runs = {s: e.table.runs.get((s, clip.name)) for s in e.table.names}
            found[paper.name] = {s: float(r.position[clip.pose]) for s, r in runs.items() if r}
    return found
