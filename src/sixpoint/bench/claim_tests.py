"""How sentences of a paper are tested on measured rows.

A `Claim` names the solvers and clips it speaks of, what is measured for it and when the numbers
support it. If a solver or clip was not run (or only an excerpt, where the sentence is about a whole
clip) the verdict is open and the note says what is missing; what can be measured is measured all
the same. Functions that take `Evidence` measure; functions that take what was measured decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .motion_statistics import pelvis_rotation_rate, stretch
from .published import AVERAGE, CLIPS, METHODS, Measure, published
from .table1_runs import Clip, Run, Runs, Table1

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
"""A cell of the table is reproduced when it differs from the paper's by less than this part."""
SAME = 0.0005
"""DLS and DLS with SVD solve the same equations: their position errors agree to this."""
MARGIN = 0.10
"""One number is clearly larger than another when it is larger by more than this part."""
GROWS = 0.10
"""A curve grows when the line through it rises by more than this part of its mean."""
WORST = 0.95
"""Quantile of the error above which a frame is one of the worst."""
FASTER = 1.5
"""In the worst frames something is out of the ordinary when it is this many times the mean."""
JUMP = 30.0
"""A swivel that changes by more than this in a frame has jumped [deg]."""
LIMITED, FREE = "within_limits", "without_limits"
"""How a curve was measured."""
PUBLISHED, USUAL = "as_published", "our_settings"
"""Settings of a solver."""


@dataclass(frozen=True)
class Evidence:
    """A table, asked for numbers by the names of the paper."""

    table: Table1

    def clip(self, name: str) -> Clip | None:
        """One of the paper's clips, if it was run."""
        return next((c for c in self.table.clips if c.paper and c.paper.name == name), None)

    def run(self, solver: str, name: str) -> Run | None:
        """One solver on one of the paper's clips."""
        clip = self.clip(name)
        return None if clip is None else self.table.runs.get((solver, clip.name))

    def runs(self, as_published: bool) -> Runs:
        """All runs; those with the paper's settings in place of ours, where there are such."""
        return {**self.table.runs, **(self.table.as_published if as_published else {})}

    def average(self, key: str, solvers: Sequence[str], *, as_published: bool = False) -> Numbers:
        """Solver -> mean of a number over all clips, for those that were run on all."""
        found = {s: self.table.average(s, key) for s in solvers if s in self.table.names}
        if as_published:
            theirs = {s: self.table.average(s, key, as_published=True) for s in found}
            found |= {s: value for s, value in theirs.items() if math.isfinite(value)}
        return {s: value for s, value in found.items() if math.isfinite(value)}

    def on(self, name: str, key: str, solvers: Sequence[str], runs: Runs | None = None) -> Numbers:
        """Solver -> a number on one of the paper's clips."""
        clip, runs = self.clip(name), self.table.runs if runs is None else runs
        found = {s: runs.get((s, clip.name)) for s in solvers} if clip else {}
        return {s: r.row[key] for s, r in found.items() if r and r.row[key] is not None}

    def by_clip(self, key: str, solvers: Sequence[str], *, as_published: bool = False) -> Numbers:
        """Clip -> solver -> a number, with the recorded person's where it is known."""
        found: Numbers = {}
        runs = self.runs(as_published)
        for clip in self.table.clips:
            row = {s: runs[s, clip.name].row[key] for s in solvers if (s, clip.name) in runs}
            row[ORIGINAL] = getattr(self.table.originals[clip.name], key, None)
            found[clip.title] = {s: value for s, value in row.items() if value is not None}
        return found

    def original(self, key: str) -> float:
        """Mean over clips of a statistic of the recorded people."""
        return float(np.mean([getattr(found, key) for found in self.table.originals.values()]))

    def missing(self, claim: Claim) -> str:
        """What a claim needs and was not run, in words."""
        table = self.table
        parts = []
        if absent := [s for s in claim.solvers if s not in table.names]:
            parts.append(f"{_plural('solver', absent)} {', '.join(absent)}")
        if away := [c.number for c in CLIPS if c.name in claim.clips and not self.clip(c.name)]:
            parts.append(f"the paper's {_plural('clip', away)} {', '.join(away)}")
        named = [clip for name in claim.clips if (clip := self.clip(name))]
        if claim.whole and not all(clip.whole for clip in (named if claim.clips else table.clips)):
            parts.append("whole clips, not excerpts")
        there = [s for s in claim.solvers if s in table.names]
        gaps = [s for s in there if any((s, c.name) not in table.runs for c in table.clips)]
        if gaps:
            parts.append(f"rows of {', '.join(gaps)} for every clip")
        return " and ".join(parts)


def _plural(word: str, things: Sequence[str]) -> str:
    return word if len(things) == 1 else f"{word}s"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One sentence, what is measured for it, and when it counts as reproduced."""

    id: str
    claim: str
    criterion: str
    measure: Callable[[Evidence], Numbers]
    holds: Callable[[Numbers], Verdict] | None = None
    """None: nothing to decide by numbers."""
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
        evidence = Evidence(table)
        measured = self.measure(evidence)
        reproduced: Answer | None = None
        notes = [self.note]
        if missing := evidence.missing(self):
            notes = [f"Open: needs {missing}."]
        elif self.holds is not None:
            try:
                reproduced, words = self.holds(measured)
            except KeyError as error:  # NaN in a row: the clip never shows what is asked for
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


def clearly(more: float, less: float) -> bool:
    """Whether one number is larger than another by a margin."""
    return more > (1.0 + MARGIN) * less


def agreed(found: Numbers, larger: Sequence[str], smaller: Sequence[str]) -> Verdict:
    """Whether some numbers are larger than others: clearly on average, and on every clip.

    Args:
        found: `AVERAGE` and clips -> solver -> number.
        larger: solvers whose numbers shall be the larger.
        smaller: the others.
    """
    pairs = [(a, b) for a in larger for b in smaller]
    clear = [clearly(found[AVERAGE][a], found[AVERAGE][b]) for a, b in pairs]
    contrary = [
        f"{clip} {a} {row[a]:.1f}, {b} {row[b]:.1f}"
        for clip, row in found.items()
        for a, b in pairs
        if row[a] < row[b]
    ]
    words = f" The other way round: {'; '.join(contrary)}." if contrary else ""
    return any(clear) and (PARTLY if contrary or not all(clear) else True), words


def ranked(numbers: Mapping[str, float]) -> str:
    """Names from the smallest number to the largest."""
    return " < ".join(sorted(numbers, key=lambda name: numbers[name]))


# Errors and quality


def ratios(measure: Measure) -> Callable[[Evidence], Numbers]:
    """Clip -> solver -> ours divided by the paper's."""
    return lambda e: {
        clip: {s: v / (published(measure, clip, s) or math.nan) for s, v in row.items()}
        for clip in THREE
        if (row := e.on(clip, measure, NINE))
    }


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
    rows = e.by_clip("position_rms", ("dls", "dls-svd"))
    return {
        c: abs(r["dls"] - r["dls-svd"]) for c, r in rows.items() if {"dls", "dls-svd"} <= set(r)
    }


def same(found: Numbers) -> Verdict:
    """Whether all differences are rounding."""
    return max(found.values()) < SAME, ""


def both_ways(key: str) -> Callable[[Evidence], Numbers]:
    """Averages of the methods with the paper's own settings, and with ours."""
    return lambda e: {
        PUBLISHED: e.average(key, NINE, as_published=True),
        USUAL: e.average(key, NINE),
    }


def lowest(name: str) -> Callable[[Numbers], Verdict]:
    """Whether one solver has the smallest number, the others as published; and as they are here."""

    def one(numbers: Numbers) -> Verdict:
        order = sorted(numbers, key=lambda s: float(numbers[s]))
        words = f"Lowest is {order[0]} with {numbers[order[0]]:.4f}"
        if order[0] != name:
            words += f"; {name} is number {order.index(name) + 1} with {numbers[name]:.4f}"
        return order[0] == name, f"{words}."

    def holds(found: Numbers) -> Verdict:
        theirs, ours = (one(found[how]) for how in (PUBLISHED, USUAL))
        improved = [s for s, value in found[USUAL].items() if value != found[PUBLISHED][s]]
        if not improved:
            return theirs
        return theirs[0], f"{theirs[1]} With our settings of {', '.join(improved)}: {ours[1]}"

    return holds


def on_playground(e: Evidence) -> Numbers:
    """Errors on the playground, as published."""
    runs = e.runs(as_published=True)
    keys = ("position_rms", "orientation_rms")
    return {key: e.on("playground", key, NINE, runs) for key in keys}


def best_on_playground(found: Numbers) -> Verdict:
    """Whether PIK is best in position and KMA in orientation."""
    best = {key: min(row, key=lambda s: float(row[s])) for key, row in found.items()}
    words = f"Lowest position error: {best['position_rms']}; orientation: "
    return list(best.values()) == ["pik", "kma"], f"{words}{best['orientation_rms']}."


def top_five(found: Numbers) -> Verdict:
    """Whether the four methods that the paper praises are among the best five, as published."""
    words = f"{ranked(found[PUBLISHED])}."
    if found[PUBLISHED] != found[USUAL]:
        words += f" With our settings: {ranked(found[USUAL])}."
    order = sorted(found[PUBLISHED], key=lambda s: float(found[PUBLISHED][s]))
    return set(BETTER) <= set(order[:5]), words


def everywhere(*keys: str, of: Sequence[str]) -> Callable[[Evidence], Numbers]:
    """Number -> solver -> mean over clips; and "number, clip" -> solver -> that on one clip."""

    def found(e: Evidence) -> Numbers:
        clips = {f"{k}, {c}": row for k in keys for c, row in e.by_clip(k, of).items()}
        return {key: e.average(key, of) for key in keys} | clips

    return found


def worst_everywhere(name: str) -> Callable[[Numbers], Verdict]:
    """Whether one solver has the largest of all numbers: clearly on average, and on every clip."""

    def holds(found: Numbers) -> Verdict:
        clear, words, contrary = [], [], []
        for key, row in found.items():
            others = {s: float(row[s]) for s in row if s not in (name, ORIGINAL)}
            second = max(others, key=lambda s: others[s])
            ratio = float(row[name]) / max(others[second], 1e-12)
            if "," not in key:
                clear.append(clearly(ratio, 1.0))
                words.append(f"{key} {ratio:.2f} times that of {second}")
            elif ratio < 1.0:
                contrary.append(f"{key} {second}")
        text = f"{'; '.join(words)}."
        if contrary:
            text += f" Larger: {'; '.join(contrary)}."
        return any(clear) and (PARTLY if contrary or not all(clear) else True), text

    return holds


# Time


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
    second = min((s for s in found if s != "sik"), key=lambda s: float(found[s]["ours"]))
    ratio = float(found[second]["ours"])
    return ratio > 1.0, f"The fastest other is {second} at {ratio:.1f} times SIK."


def two_classes(found: Numbers) -> Verdict:
    """Whether the four fast methods are all faster than the other five."""
    ours = {s: float(found[s]["ours"]) for s in NINE}
    slow = max(FAST, key=lambda s: ours[s])
    fast = min((s for s in NINE if s not in FAST), key=lambda s: ours[s])
    words = f"Slowest of the four is {slow} at {ours[slow]:.1f} times SIK, "
    return ours[slow] < ours[fast], f"{words}fastest of the others {fast} at {ours[fast]:.1f}."


def optimising_costs(found: Numbers) -> Verdict:
    """Whether TGBSIK takes longer than SIK and KMA."""
    ours = {s: float(found[s]["ours"]) for s in ("sik", "kma", "tgbsik")}
    return ours["tgbsik"] > max(ours["kma"], ours["sik"]), f"Time: {ranked(ours)}."


# Drift, spines and clavicles


def drift(*keys: str) -> Callable[[Evidence], Numbers]:
    """Curve -> solver -> how it grows on boxing; with and without limits."""
    return lambda e: {
        LIMITED: {key: e.on("boxing", key, NINE) for key in keys},
        FREE: {key: e.on("boxing", key, NINE, e.table.unlimited) for key in keys},
    }


def grows(found: Numbers) -> Verdict:
    """Whether curves of CCD rise, and more than those of SIK, as in the paper within limits."""
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


def spine(e: Evidence) -> Numbers:
    """Where and how much spines bend, with the original's."""
    found = everywhere("bend_height", "snake_deg", "spine_bend_deg", of=NINE)(e)
    means = {key: row | {ORIGINAL: e.original(key)} for key, row in found.items() if "," not in key}
    return found | means


def _by_clip(found: Numbers, key: str) -> Numbers:
    """`AVERAGE` and clips -> solver -> one of the numbers of `everywhere`."""
    clips = {k.partition(", ")[2]: row for k, row in found.items() if k.startswith(f"{key}, ")}
    return {AVERAGE: found[key]} | clips


def snakes(found: Numbers) -> Verdict:
    """Whether CCD bends near the head and to and fro, compared with SIK and the original."""
    high, snake = found["bend_height"], found["snake_deg"]
    words = f"Bends at {high['ccd']:.2f} of the way to the head (sik {high['sik']:.2f}, original "
    words += f"{high[ORIGINAL]:.2f}); {snake['ccd']:.1f} degrees cancel out (sik "
    words += f"{snake['sik']:.1f}, original {snake[ORIGINAL]:.1f})."
    answers = []
    for key in ("bend_height", "snake_deg"):
        answer, contrary = agreed(_by_clip(found, key), ("ccd",), ("sik",))
        answers.append(answer)
        words += contrary
    if not all(answers):
        return False, words
    if snake[ORIGINAL] > snake["ccd"]:
        return PARTLY, f"{words} The recorded people bend to and fro more than CCD."
    return (PARTLY if PARTLY in answers else True), words


def snakes_less(found: Numbers) -> Verdict:
    """Whether KMA bends less to and fro than CCD."""
    kma, ccd = (found["snake_deg"][s] for s in ("kma", "ccd"))
    answer, contrary = agreed(_by_clip(found, "snake_deg"), ("ccd",), ("kma",))
    return answer, f"{kma:.1f} degrees against {ccd:.1f}.{contrary}"


def clavicles(e: Evidence) -> Numbers:
    """Mean rotation of the clavicles [deg] as published, with the original's; and as usual."""
    key = "clavicle_mean_deg"
    own = {ORIGINAL: e.original(key)}
    return {
        AVERAGE: e.average(key, NINE, as_published=True) | own,
        **e.by_clip(key, NINE, as_published=True),
        USUAL: e.average(key, NINE) | own,
    }


def above(names: Sequence[str], bounds: Sequence[str]) -> Callable[[Numbers], Verdict]:
    """Whether some numbers are all larger than others, all solvers as published."""

    def holds(found: Numbers) -> Verdict:
        theirs = {where: row for where, row in found.items() if where != USUAL}
        answer, contrary = agreed(theirs, names, bounds)
        mean = found[AVERAGE]
        order = sorted(mean, key=lambda s: float(mean[s]))
        words = " < ".join(f"{s} {mean[s]:.1f}" for s in order)
        for name in bounds:
            if found[USUAL][name] != mean[name]:
                words += f"; {name} with our settings {found[USUAL][name]:.1f}"
        return answer, f"{words}.{contrary}"

    return holds


# Singular postures, jumps and peaks


def on_clips(key: str) -> Callable[[Evidence], Numbers]:
    """Clip -> solver -> angular jerk near singular postures."""
    return lambda e: {c: e.on(c, key, (*JACOBIAN, "sik")) for c in THREE if e.clip(c)}


def svd_calmer(found: Numbers) -> Verdict:
    """Whether DLS with SVD and SDLS have clearly less jerk than the others on the playground."""
    row = {s: float(found["playground"][s]) for s in JACOBIAN}
    rest = min(row["pseudoinverse"], row["dls"])
    calm = [clearly(rest, row[s]) for s in ("dls-svd", "sdls")]
    words = [
        f"{clip}: {ranked({s: r[s] for s in JACOBIAN})}"
        for clip, r in found.items()
        if set(JACOBIAN) <= set(r)
    ]
    ratio = row["dls-svd"] / max(row["dls"], 1e-12)
    text = f"On {'; '.join(words)}. On the playground sdls has {row['sdls'] / rest:.2f} of the "
    text += f"jerk of the calmer of pseudoinverse and dls, dls-svd {ratio:.4f} of that of dls."
    calmer = [clearly(row["pseudoinverse"], row[s]) for s in ("dls-svd", "sdls")]
    return all(calm) or (PARTLY if all(calmer) else False), text


def jerkiest_there(found: Numbers) -> Verdict:
    """Whether each of the four is most jerky on the playground."""
    most = {s: max((float(row[s]), clip) for clip, row in found.items())[1] for s in JACOBIAN}
    words = ", ".join(f"{s} {clip}" for s, clip in most.items())
    return set(most.values()) == {"playground"}, f"Most jerky on: {words}."


def playground_shows_most(found: Numbers) -> Verdict:
    """Whether the methods differ most on the playground."""
    spread = {
        clip: max(row[s] for s in JACOBIAN) / min(row[s] for s in JACOBIAN)
        for clip, row in found.items()
    }
    words = ", ".join(f"{clip} {value:.2f}" for clip, value in spread.items())
    return max(spread, key=lambda c: spread[c]) == "playground", f"Largest over smallest: {words}."


def jumps(e: Evidence) -> Numbers:
    """Clip -> solver -> largest jump of a swivel [deg]."""
    found = e.by_clip("swivel_jump_max_deg", (*FAST, "pik"))
    return {c: {s: v for s, v in row.items() if s != ORIGINAL} for c, row in found.items()}


def jumps_on(solver: str, *clips: str) -> Callable[[Numbers], Verdict]:
    """Whether a solver jumps on one of some clips (of all, if none is named) where SIK does not."""

    def holds(found: Numbers) -> Verdict:
        rows = {clip: found[clip] for clip in clips or found}
        worst = max(rows, key=lambda c: float(rows[c][solver] - rows[c]["sik"]))
        mine, sik = rows[worst][solver], rows[worst]["sik"]
        words = f"{mine:.0f} degrees in a frame of {worst}, sik at most {sik:.0f}."
        other = {c: r for c, r in rows.items() if r["sik"] > JUMP and r["sik"] > r[solver]}
        for clip, row in other.items():
            words += f" The other way round on {clip}: {row[solver]:.0f}, sik {row['sik']:.0f}."
        return mine > JUMP and mine > sik and (PARTLY if other else True), words

    return holds


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

    return found


def turning(*, missed: bool) -> Callable[[Numbers], Verdict]:
    """Whether the hips turn fast in the worst frames, and points are missed if that is asked."""

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
