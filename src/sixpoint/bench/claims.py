"""Sentences of the SIK paper about the methods, judged by measured numbers.

Unzueta et al. (2008), section 9. The words of a `Claim`, and the solvers and clips that it is
about, stand in ``unzueta_2008.toml``; `RULES` says what is measured and when the numbers support
it. If a solver or clip was not run (or only an
excerpt, where the sentence is about a whole clip) the verdict is open and the note says what is
missing; what can be measured is measured all the same. Functions that take a `Table1` measure;
functions that take what was measured decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .measures import pelvis_rotation_rate, stretch
from .published import AVERAGE, CLIPS, METHODS, SENTENCES, Measure, published

if TYPE_CHECKING:
    from .table1 import Table1

Numbers = dict[str, Any]
"""Measured quantities by name, ready for JSON; may be nested."""
Answer = bool | str
"""True, False or `PARTLY`."""
Verdict = tuple[Answer, str]
"""Whether a claim holds, and why in a few words."""
PARTLY = "partly"
"""Answer where some of the numbers say yes: without a clear margin, or not on all clips."""
ORIGINAL = "original"
"""The recorded person, among solvers."""

NINE = tuple(METHODS)
"""The methods of Table 1."""
TEN = ("jacobian-transpose", *NINE)
"""The methods of Table 1 and the one that the paper leaves out of it."""
THREE = tuple(clip.name for clip in CLIPS)
JACOBIAN = ("pseudoinverse", "dls", "dls-svd", "sdls")
FAST = ("sik", "kma", "ccd", "tgbsik")
BETTER = ("sik", "tgbsik", "pik", "kma")
"""Methods that give the better quality, as the paper says."""

CLOSE = 0.25
"""A cell of the table is reproduced if it differs from the paper's by at most this fraction."""
SAME = 0.0005
"""DLS and DLS with SVD solve the same equations: their position errors agree to this."""
MARGIN = 0.10
"""One number is clearly larger than another if it is larger by more than this fraction."""
GROWS = 0.10
"""A curve grows if the line through it rises by more than this fraction of its mean."""
WORST = 0.95
"""Quantile of the error above which a frame is one of the worst."""
FASTER = 1.5
"""A number is unusual in the worst frames if it is more than this many times the mean."""
JUMP = 30.0
"""A swivel that changes by more than this in a frame has jumped [deg]."""
LIMITED, FREE = "within_limits", "without_limits"
"""How a curve was measured."""
PUBLISHED, USUAL = "as_published", "our_settings"
"""Settings of a solver."""


@dataclass(frozen=True)
class Claim:
    """One sentence, what is measured for it, and when it counts as reproduced."""

    measure: Callable[[Table1], Numbers]
    holds: Callable[[Numbers], Verdict] | None
    """None: nothing to decide by numbers."""
    id: str
    claim: str
    criterion: str
    solvers: tuple[str, ...] = ()
    """All of them must have been run."""
    clips: tuple[str, ...] = ()
    """The paper's names of clips that must have been run; empty: any clips will do."""
    whole: bool = False
    """Whether an excerpt of the clips is not enough."""
    note: str = ""
    """What a reader should know about the verdict."""

    def judge(self, table: Table1) -> dict[str, Any]:
        """Return the claim with what was measured, whether it is reproduced, and a note."""
        measured = self.measure(table)
        reproduced: Answer | None = None
        notes = [self.note]
        if missing := self.missing(table):
            notes = [f"Open: needs {missing}."]
        elif self.holds is not None:
            try:
                reproduced, words = self.holds(measured)
            except KeyError as error:  # NaN in a row: the clip never shows what is measured
                words = f"Open: nothing to measure for {error.args[0]}."
            notes.insert(0, words)
        return {
            "id": self.id,
            "claim": self.claim,
            "criterion": self.criterion,
            "measured": measured,
            "reproduced": reproduced,
            "note": " ".join(note for note in notes if note),
        }

    def missing(self, table: Table1) -> str:
        """Return in words what the claim needs and was not run."""
        parts = []
        if absent := [s for s in self.solvers if s not in table.names]:
            parts.append(f"solver{'s'[: len(absent) > 1]} {', '.join(absent)}")
        if away := [c.number for c in CLIPS if c.name in self.clips and not table.clip(c.name)]:
            parts.append(f"the paper's clip{'s'[: len(away) > 1]} {', '.join(away)}")
        named = [clip for name in self.clips if (clip := table.clip(name))]
        if self.whole and not all(clip.whole for clip in (named if self.clips else table.clips)):
            parts.append("whole clips, not excerpts")
        there = [s for s in self.solvers if s in table.names]
        gaps = [s for s in there if any((s, c.name) not in table.runs for c in table.clips)]
        if gaps:
            parts.append(f"rows of {', '.join(gaps)} for every clip")
        return " and ".join(parts)


def clearly(more: float, less: float) -> bool:
    """Return whether one number is larger than another by a margin."""
    return more > (1.0 + MARGIN) * less


def graded(clear: Sequence[bool], contrary: Sequence[str]) -> Answer:
    """Return True if all is clear and nothing contrary, False if nothing is clear."""
    return any(clear) and (PARTLY if contrary or not all(clear) else True)


def agreed(found: Numbers, larger: Sequence[str], smaller: Sequence[str]) -> Verdict:
    """Decide whether some numbers are larger than others: clearly on average, and on every clip.

    Args:
        found: `AVERAGE` and clips -> solver -> number.
        larger: solvers whose numbers should be the larger.
        smaller: the others.
    """
    pairs = [(a, b) for a in larger for b in smaller]
    contrary = [
        f"{clip} {a} {row[a]:.1f}, {b} {row[b]:.1f}"
        for clip, row in found.items()
        for a, b in pairs
        if row[a] < row[b]
    ]
    words = f" The other way round: {'; '.join(contrary)}." if contrary else ""
    clear = [clearly(found[AVERAGE][a], found[AVERAGE][b]) for a, b in pairs]
    return graded(clear, contrary), words


def ranked(numbers: Mapping[str, Any], form: str = "{}") -> str:
    """Return names from the smallest number to the largest, in words."""
    return " < ".join(form.format(name, numbers[name]) for name in in_order(numbers))


def in_order(numbers: Mapping[str, Any]) -> list[str]:
    """Return names from the smallest number to the largest."""
    return sorted(numbers, key=lambda name: float(numbers[name]))


# Numbers of a table by the paper's names


def means(
    table: Table1, key: str, solvers: Sequence[str] = NINE, *, as_published: bool = True
) -> Numbers:
    """Return solver -> mean of a number over all clips, for those that were run on all.

    Solvers have the settings of the paper, where there are such, or ours.
    """
    found = {s: table.average(s, key) for s in solvers}
    for s in solvers if as_published else ():
        if math.isfinite(theirs := table.average(s, key, as_published=True)):
            found[s] = theirs
    return {s: value for s, value in found.items() if math.isfinite(value)}


def on(
    table: Table1, name: str, key: str, solvers: Sequence[str] = NINE, runs: Any = None
) -> Numbers:
    """Return solver -> a number on one of the paper's clips, as published."""
    clip, runs = table.clip(name), table.paper_runs if runs is None else runs
    found = {s: runs[s, clip.name].row[key] for s in solvers if clip and (s, clip.name) in runs}
    return {s: value for s, value in found.items() if value is not None}


def by_clip(table: Table1, key: str, solvers: Sequence[str] = NINE) -> Numbers:
    """Return clip -> solver -> a number as published, with the recorded person's if known."""
    found: Numbers = {}
    runs = table.paper_runs
    for clip in table.clips:
        row = {s: runs[s, clip.name].row[key] for s in solvers if (s, clip.name) in runs}
        row[ORIGINAL] = table.originals[clip.name].get(key)
        found[clip.title] = {s: value for s, value in row.items() if value is not None}
    return found


def original(table: Table1, key: str) -> Numbers:
    """Return the mean over clips of a statistic of the recorded people, by their name."""
    return {ORIGINAL: float(np.mean([found[key] for found in table.originals.values()]))}


# Errors and quality


def ratios(table: Table1, measure: Measure) -> Numbers:
    """Return clip -> solver -> ours divided by the paper's."""
    return {
        clip: {s: v / (published(measure, clip, s) or math.nan) for s, v in row.items()}
        for clip in THREE
        if (row := on(table, clip, measure))
    }


def close(found: Numbers) -> Verdict:
    """Decide whether the cells of SIK, KMA and CCD are near the paper's."""
    off = [
        f"{s} on {clip} {row[s]:.2f}"
        for clip, row in found.items()
        for s in ("sik", "kma", "ccd")
        if abs(row[s] - 1.0) > CLOSE
    ]
    return not off, f"Beyond it: {', '.join(off)} times the paper's." if off else ""


def same_errors(table: Table1) -> Numbers:
    """Return clip -> difference of the position errors of DLS and DLS with SVD."""
    rows = by_clip(table, "position_rms", ("dls", "dls-svd"))
    return {
        c: abs(r["dls"] - r["dls-svd"]) for c, r in rows.items() if {"dls", "dls-svd"} <= set(r)
    }


def both_ways(table: Table1, key: str) -> Numbers:
    """Return averages of the methods with the paper's own settings, and with ours."""
    return {PUBLISHED: means(table, key), USUAL: means(table, key, as_published=False)}


def lowest(found: Numbers, name: str) -> Verdict:
    """Decide whether a solver has the smallest number, as published; and tell as they are here."""

    def one(numbers: Numbers) -> Verdict:
        order = in_order(numbers)
        words = f"Lowest is {order[0]} with {numbers[order[0]]:.4f}"
        if order[0] != name:
            words += f"; {name} is number {order.index(name) + 1} with {numbers[name]:.4f}"
        return order[0] == name, f"{words}."

    theirs, ours = (one(found[how]) for how in (PUBLISHED, USUAL))
    improved = [s for s, value in found[USUAL].items() if value != found[PUBLISHED][s]]
    if not improved:
        return theirs
    return theirs[0], f"{theirs[1]} With our settings of {', '.join(improved)}: {ours[1]}"


def on_playground(table: Table1) -> Numbers:
    """Return errors on the playground, as published."""
    keys = ("position_rms", "orientation_rms")
    return {key: on(table, "playground", key) for key in keys}


def best_on_playground(found: Numbers) -> Verdict:
    """Decide whether PIK is best in position and KMA in orientation."""
    best = {key: in_order(row)[0] for key, row in found.items()}
    words = f"Lowest position error: {best['position_rms']}; orientation: "
    return list(best.values()) == ["pik", "kma"], f"{words}{best['orientation_rms']}."


def top_five(found: Numbers) -> Verdict:
    """Decide whether the four methods that the paper praises are among the best five."""
    words = f"{ranked(found[PUBLISHED])}."
    if found[PUBLISHED] != found[USUAL]:
        words += f" With our settings: {ranked(found[USUAL])}."
    return set(BETTER) <= set(in_order(found[PUBLISHED])[:5]), words


def everywhere(table: Table1, keys: Sequence[str], of: Sequence[str]) -> Numbers:
    """Return key -> solver -> mean over clips; and "key, clip" -> solver -> that on one clip."""
    clips = {f"{k}, {c}": row for k in keys for c, row in by_clip(table, k, of).items()}
    return {key: means(table, key, of) for key in keys} | clips


def worst_everywhere(found: Numbers, name: str) -> Verdict:
    """Decide whether a solver has the largest numbers: clearly on average, and on every clip."""
    clear, words, contrary = [], [], []
    for key, row in found.items():
        second = max((s for s in row if s not in (name, ORIGINAL)), key=lambda s: float(row[s]))
        ratio = float(row[name]) / max(row[second], 1e-12)
        if "," not in key:
            clear.append(clearly(ratio, 1.0))
            words.append(f"{key} {ratio:.2f} times that of {second}")
        elif ratio < 1.0:
            contrary.append(f"{key} {second}")
    larger = f" Larger: {'; '.join(contrary)}." if contrary else ""
    return graded(clear, contrary), f"{'; '.join(words)}.{larger}"


# Time


def times(table: Table1) -> Numbers:
    """Return solver -> time as a multiple of SIK's, here and in the paper.

    Behind them stand runs that explain the times, which the paper does not have.
    """
    ours = means(table, "median_us")
    if "sik" not in ours:
        return {}
    paper = {s: published("median_ms", AVERAGE, s) or math.nan for s in NINE}
    found = {
        s: {"ours": us / ours["sik"], "paper": paper[s] / paper["sik"]} for s, us in ours.items()
    }
    for label in dict.fromkeys(label for label, _ in table.also_timed):
        us = [run.row["median_us"] for (name, _), run in table.also_timed.items() if name == label]
        found[label] = {"ours": float(np.mean(us)) / ours["sik"], "paper": math.nan}
    return found


def slower(found: Numbers, slow: Sequence[str], fast: Sequence[str]) -> Verdict:
    """Decide whether each of some methods takes longer than each of others."""
    ours = {s: float(found[s]["ours"]) for s in (*slow, *fast)}
    last = in_order({s: ours[s] for s in fast})[-1]
    first = in_order({s: ours[s] for s in slow})[0]
    words = f"Slowest of {', '.join(fast)}: {last}, {ours[last]:.1f} times SIK; fastest of the "
    return ours[last] < ours[first], f"{words}others: {first}, {ours[first]:.1f}."


# Drift, spines and clavicles


def drift(table: Table1, keys: Sequence[str]) -> Numbers:
    """Return curve -> solver -> how it grows on boxing; with and without limits."""
    return {
        LIMITED: {key: on(table, "boxing", key) for key in keys},
        FREE: {key: on(table, "boxing", key, runs=table.unlimited) for key in keys},
    }


def grows(found: Numbers) -> Verdict:
    """Decide whether curves of CCD rise, and more than those of SIK, as in the paper's limits."""
    words, risen = [], {}
    for how, curves in found.items():
        rows = {key: (row["ccd"], row["sik"]) for key, row in curves.items() if row}
        risen[how] = all(ccd > max(GROWS, sik) for ccd, sik in rows.values())
        parts = [f"{key} {ccd:+.2f} (sik {sik:+.2f})" for key, (ccd, sik) in rows.items()]
        if parts:
            words.append(f"{how.capitalize().replace('_', ' ')}: {', '.join(parts)}.")
    if risen[FREE] and not risen[LIMITED] and len(words) > 1:
        words.append("CCD drifts, and these limits hold the drift back.")
    return risen[LIMITED], " ".join(words)


def spine(table: Table1) -> Numbers:
    """Return where and how much spines bend, with the original's."""
    keys = ("bend_height", "snake_deg", "spine_bend_deg")
    found = everywhere(table, keys, NINE)
    return {k: row | (original(table, k) if k in keys else {}) for k, row in found.items()}


def _clips(found: Numbers, key: str) -> Numbers:
    """Return `AVERAGE` and clips -> solver -> one of the numbers of `everywhere`."""
    clips = {k.partition(", ")[2]: row for k, row in found.items() if k.startswith(f"{key}, ")}
    return {AVERAGE: found[key]} | clips


def snakes(found: Numbers) -> Verdict:
    """Decide whether CCD bends near the head and to and fro, unlike SIK and the original."""
    high, snake = found["bend_height"], found["snake_deg"]
    words = f"Bends at {high['ccd']:.2f} of the way to the head (sik {high['sik']:.2f}, original "
    words += f"{high[ORIGINAL]:.2f}); {snake['ccd']:.1f} degrees cancel out (sik "
    words += f"{snake['sik']:.1f}, original {snake[ORIGINAL]:.1f})."
    verdicts = [
        agreed(_clips(found, key), ("ccd",), ("sik",)) for key in ("bend_height", "snake_deg")
    ]
    words += "".join(contrary for _, contrary in verdicts)
    answers = [answer for answer, _ in verdicts]
    if all(answers) and snake[ORIGINAL] > snake["ccd"]:
        return PARTLY, f"{words} The recorded people bend to and fro more than CCD."
    return all(answers) and (PARTLY if PARTLY in answers else True), words


def snakes_less(found: Numbers) -> Verdict:
    """Decide whether KMA bends less to and fro than CCD."""
    kma, ccd = (found["snake_deg"][s] for s in ("kma", "ccd"))
    answer, contrary = agreed(_clips(found, "snake_deg"), ("ccd",), ("kma",))
    return answer, f"{kma:.1f} degrees against {ccd:.1f}.{contrary}"


def clavicles(table: Table1) -> Numbers:
    """Return mean rotations of the clavicles [deg] as published, and with our settings."""
    key = "clavicle_mean_deg"
    return {
        AVERAGE: means(table, key) | original(table, key),
        **by_clip(table, key),
        USUAL: means(table, key, as_published=False) | original(table, key),
    }


def above(found: Numbers, names: Sequence[str], bounds: Sequence[str]) -> Verdict:
    """Decide whether some numbers are all larger than others, all solvers as published."""
    theirs = {where: row for where, row in found.items() if where != USUAL}
    answer, contrary = agreed(theirs, names, bounds)
    mean, usual = found[AVERAGE], found[USUAL]
    words = ranked(mean, "{} {:.1f}")
    for name in bounds:
        if usual[name] != mean[name]:
            words += f"; {name} with our settings {usual[name]:.1f}"
    return answer, f"{words}.{contrary}"


# Singular postures, jumps and peaks


def on_clips(table: Table1, key: str) -> Numbers:
    """Return clip -> solver -> angular jerk near singular postures."""
    return {c: on(table, c, key, (*JACOBIAN, "sik")) for c in THREE if table.clip(c)}


def svd_calmer(found: Numbers) -> Verdict:
    """Decide whether DLS with SVD and SDLS have less jerk than the others on the playground."""
    row = {s: float(found["playground"][s]) for s in JACOBIAN}
    rest = min(row["pseudoinverse"], row["dls"])
    words = [
        f"{clip}: {ranked({s: r[s] for s in JACOBIAN})}"
        for clip, r in found.items()
        if set(JACOBIAN) <= set(r)
    ]
    ratio = row["dls-svd"] / max(row["dls"], 1e-12)
    text = f"On {'; '.join(words)}. On the playground sdls has {row['sdls'] / rest:.2f} of the "
    text += f"jerk of the calmer of pseudoinverse and dls, dls-svd {ratio:.4f} of that of dls."
    calm, calmer = (
        all(clearly(bound, row[s]) for s in ("dls-svd", "sdls"))
        for bound in (rest, row["pseudoinverse"])
    )
    return calm or (PARTLY if calmer else False), text


def jerkiest_there(found: Numbers) -> Verdict:
    """Decide whether each of the four is most jerky on the playground."""
    most = {s: max((float(row[s]), clip) for clip, row in found.items())[1] for s in JACOBIAN}
    words = ", ".join(f"{s} {clip}" for s, clip in most.items())
    return set(most.values()) == {"playground"}, f"Most jerky on: {words}."


def playground_shows_most(found: Numbers) -> Verdict:
    """Decide whether the methods differ most on the playground."""
    spread = {
        clip: max(row[s] for s in JACOBIAN) / min(row[s] for s in JACOBIAN)
        for clip, row in found.items()
    }
    words = ", ".join(f"{clip} {value:.2f}" for clip, value in spread.items())
    return max(spread, key=spread.__getitem__) == "playground", f"Largest over smallest: {words}."


def jumps(table: Table1) -> Numbers:
    """Return clip -> solver -> largest jump of a swivel [deg]."""
    rows = by_clip(table, "swivel_jump_max_deg", (*FAST, "pik"))
    return {c: {s: v for s, v in row.items() if s != ORIGINAL} for c, row in rows.items()}


def jumps_on(found: Numbers, solver: str, clips: Sequence[str] = ()) -> Verdict:
    """Decide whether a solver jumps on one of some clips (default: of all) where SIK does not."""
    rows = {clip: found[clip] for clip in clips or found}
    worst = max(rows, key=lambda c: float(rows[c][solver] - rows[c]["sik"]))
    mine, sik = rows[worst][solver], rows[worst]["sik"]
    words = f"{mine:.0f} degrees in a frame of {worst}, sik at most {sik:.0f}."
    other = {c: r for c, r in rows.items() if r["sik"] > JUMP and r["sik"] > r[solver]}
    for clip, row in other.items():
        words += f" The other way round on {clip}: {row[solver]:.0f}, sik {row['sik']:.0f}."
    return mine > JUMP and mine > sik and (PARTLY if other else True), words


def peaks(table: Table1, name: str) -> Numbers:
    """Return how fast the hips turn and how far points are missed where the error is largest.

    The error is that of SIK in the window of the paper's figure; both are compared with the mean
    over the whole clip.
    """
    clip = table.clip(name)
    run = None if clip is None else table.paper_runs.get(("sik", clip.name))
    if clip is None or clip.paper is None or run is None:
        return {}
    first, last = (max(frame - clip.first, 0) for frame in clip.paper.window)
    error = run.position[first:last]
    if error.size == 0:
        return {}
    rates = pelvis_rotation_rate(clip.motion)
    turning, missed = rates[first:last], run.missed[first:last]
    worst = error >= np.quantile(error, WORST)
    peak = int(error.argmax())
    return {
        "peak_frame": clip.first + first + peak,
        "peak_error": float(error[peak]),
        "peak_turn_deg_s": math.degrees(turning[peak]),
        "peak_stretch": float(stretch(clip.motion)[first + peak].max()),
        "worst_turn_over_mean": float(turning[worst].mean() / max(rates.mean(), 1e-9)),
        "worst_miss_over_mean": float(missed[worst].mean() / max(run.missed.mean(), 1e-9)),
    }


def turning(found: Numbers, *, missed: bool) -> Verdict:
    """Decide whether hips turn fast in the worst frames, and points are missed if claimed."""
    turn, miss = found["worst_turn_over_mean"], found["worst_miss_over_mean"]
    words = f"In the worst 5 % of frames the hips turn {turn:.1f} times as fast as on average"
    words += f" and a point is missed {miss:.1f} times as far."
    return turn > FASTER and (miss > FASTER or not missed), words


def pose_errors(table: Table1) -> Numbers:
    """Return clip -> solver -> position error in the frame that the paper shows."""
    found: Numbers = {}
    for paper in CLIPS:
        clip = table.clip(paper.name)
        if clip is not None and clip.first + clip.pose == paper.pose:
            runs = {s: table.paper_runs.get((s, clip.name)) for s in table.names}
            found[paper.name] = {s: float(r.position[clip.pose]) for s, r in runs.items() if r}
    return found


RULES: Mapping[str, tuple[Callable[[Table1], Numbers], Callable[[Numbers], Verdict] | None]] = {
    "position-errors": (partial(ratios, measure="position_rms"), close),
    "dls-is-dls-svd": (same_errors, lambda found: (max(found.values()) < SAME, "")),
    "orientation-errors": (partial(ratios, measure="orientation_rms"), close),
    "sik-fastest": (times, partial(slower, slow=[s for s in NINE if s != "sik"], fast=("sik",))),
    "four-fast": (times, partial(slower, slow=[s for s in NINE if s not in FAST], fast=FAST)),
    "tgbsik-slower": (times, partial(slower, slow=("tgbsik",), fast=("sik", "kma"))),
    "sik-best-position": (partial(both_ways, key="position_rms"), partial(lowest, name="sik")),
    "sik-best-orientation": (
        partial(both_ways, key="orientation_rms"),
        partial(lowest, name="sik"),
    ),
    "pik-and-kma-on-playground": (on_playground, best_on_playground),
    "better-quality": (partial(both_ways, key="position_rms"), top_five),
    "transpose-poor": (
        partial(everywhere, keys=("position_rms", "target_mean_m", "jerk"), of=TEN),
        partial(worst_everywhere, name="jacobian-transpose"),
    ),
    "ccd-errors-grow": (partial(drift, keys=("position_growth", "orientation_growth")), grows),
    "ccd-swivel-grows": (partial(drift, keys=("arm_swivel_growth",)), grows),
    "ccd-snake": (spine, snakes),
    "kma-snakes-less": (spine, snakes_less),
    "clavicles-bend": (clavicles, partial(above, names=JACOBIAN, bounds=("sik", ORIGINAL))),
    "pik-clavicles": (clavicles, partial(above, names=JACOBIAN, bounds=("pik",))),
    "svd-stable": (partial(on_clips, key="straight_jerk"), svd_calmer),
    "jerky-on-playground": (partial(on_clips, key="straight_jerk_p95"), jerkiest_there),
    "playground-differs-most": (
        partial(on_clips, key="straight_jerk_p95"),
        playground_shows_most,
    ),
    "tgbsik-jumps": (jumps, partial(jumps_on, solver="tgbsik")),
    "kma-jumps": (jumps, partial(jumps_on, solver="kma", clips=("playground",))),
    "peaks-boxing": (partial(peaks, name="boxing"), partial(turning, missed=True)),
    "peaks-jump-kick": (partial(peaks, name="jump kick"), partial(turning, missed=True)),
    "peaks-playground": (partial(peaks, name="playground"), partial(turning, missed=False)),
    "poses": (pose_errors, None),
}
"""Id of a claim -> what measures it, and what decides; None: pictures, for the eye to judge."""
CLAIMS = tuple(Claim(*RULES[words["id"]], **words) for words in SENTENCES)
"""In the order of the paper."""
