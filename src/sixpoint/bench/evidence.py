"""How a sentence of the paper is put to the test: what it needs, what is measured, the verdict.

A claim lists the methods and clips it speaks of. If one of them was not run (or only an excerpt,
where the sentence is about a whole clip) the verdict is open and the note says what is lacking;
what can be measured is measured all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .published import CLIPS
from .table1 import Clip, Run, Table1

Numbers = dict[str, Any]
"""Measured quantities by name, ready for JSON; may be nested."""
PARTLY = "partly"
"""Answer where some of the numbers say yes: without a clear margin, or not on all clips."""
Answer = bool | str
"""True, False or `PARTLY`."""
Verdict = tuple[Answer, str]
"""Whether a claim holds, and why in a few words."""
ORIGINAL = "original"
"""The recorded person, among solvers."""


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

    def average(self, key: str, solvers: Sequence[str]) -> Numbers:
        """Solver -> mean of a number over all clips, for those that were run on all."""
        found = {s: self.table.average(s, key) for s in solvers if s in self.table.names}
        return {s: value for s, value in found.items() if math.isfinite(value)}

    def published_average(self, key: str, solvers: Sequence[str]) -> Numbers:
        """The same, with the paper's own settings for solvers whose defaults differ."""
        found = self.average(key, solvers)
        theirs = {s: self.table.average_as_published(s, key) for s in found}
        return found | {s: value for s, value in theirs.items() if math.isfinite(value)}

    def published_on(self, name: str, key: str, solvers: Sequence[str]) -> Numbers:
        """Solver -> a number on one of the paper's clips, with the paper's own settings."""
        clip, runs = self.clip(name), self.table.as_published
        found = self.on(name, key, solvers)
        theirs = {s: r.row[key] for (s, c), r in runs.items() if clip and c == clip.name}
        return found | {s: value for s, value in theirs.items() if s in found}

    def by_clip(self, key: str, solvers: Sequence[str], *, published: bool = False) -> Numbers:
        """Clip -> solver -> a number, with the recorded person's where habits have it."""
        found: Numbers = {}
        theirs = self.table.as_published if published else {}
        for clip in self.table.clips:
            runs = {s: self.table.runs.get((s, clip.name)) for s in solvers}
            runs |= {s: run for (s, c), run in theirs.items() if c == clip.name and s in runs}
            row = {s: run.row[key] for s, run in runs.items() if run}
            row[ORIGINAL] = getattr(self.table.originals[clip.name], key, None)
            name = clip.paper.name if clip.paper else clip.name
            found[name] = {s: value for s, value in row.items() if value is not None}
        return found

    def on(self, name: str, key: str, solvers: Sequence[str]) -> Numbers:
        """Solver -> a number on one of the paper's clips."""
        runs = {s: self.run(s, name) for s in solvers}
        return {s: r.row[key] for s, r in runs.items() if r and r.row[key] is not None}

    def unlimited(self, name: str, key: str) -> Numbers:
        """Solver -> a number on one of the paper's clips, without limits."""
        clip, runs = self.clip(name), self.table.unlimited
        mine = {s: r.row[key] for (s, c), r in runs.items() if clip and c == clip.name}
        return {s: value for s, value in mine.items() if value is not None}

    def original(self, key: str) -> float:
        """Mean over clips of a habit of the recorded people."""
        return float(np.mean([getattr(habits, key) for habits in self.table.originals.values()]))


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


def judge(claim: Claim, table: Table1) -> dict[str, Any]:
    """A claim with its measured quantities, whether it is reproduced, and a note."""
    evidence = Evidence(table)
    measured = claim.measure(evidence)
    reproduced: Answer | None = None
    notes = [claim.note]
    if lacking := _lacking(claim, evidence):
        notes = [f"Open: needs {lacking}."]
    elif claim.holds is not None:
        try:
            reproduced, words = claim.holds(measured)
        except KeyError as error:  # NaN in a row: the clip never shows what is asked for
            words = f"Open: nothing to measure for {error.args[0]}."
        notes.insert(0, words)
    return {
        "id": claim.id,
        "claim": claim.claim,
        "criterion": claim.criterion,
        "measured": measured,
        "reproduced": reproduced,
        "note": " ".join(note for note in notes if note),
    }


def _lacking(claim: Claim, evidence: Evidence) -> str:
    """What was not run, in words."""
    table = evidence.table
    parts = []
    if absent := [s for s in claim.solvers if s not in table.names]:
        parts.append(f"{_plural('solver', absent)} {', '.join(absent)}")
    if away := [c.number for c in CLIPS if c.name in claim.clips and not evidence.clip(c.name)]:
        parts.append(f"the paper's {_plural('clip', away)} {', '.join(away)}")
    named = [clip for name in claim.clips if (clip := evidence.clip(name))]
    shown = named if claim.clips else table.clips
    if claim.whole and not all(clip.whole for clip in shown):
        parts.append("whole clips, not excerpts")
    gaps = [s for s in claim.solvers if s in table.names and not _complete(table, s)]
    if gaps:
        parts.append(f"rows of {', '.join(gaps)} for every clip")
    return " and ".join(parts)


def _complete(table: Table1, solver: str) -> bool:
    return all((solver, clip.name) in table.runs for clip in table.clips)


def _plural(word: str, things: Sequence[str]) -> str:
    return word if len(things) == 1 else f"{word}s"
