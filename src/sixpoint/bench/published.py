"""What the SIK paper says: its clips, its Table 1 and its claims, from ``unzueta_2008.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

Measure = Literal["position_rms", "orientation_rms", "median_ms"]
"""Error of position as a fraction of body height, of orientation [rad], time per frame [ms]."""
AVERAGE = "average"
"""Stands for a clip's name where the average of all three is meant."""
OURS, PUBLISHED = "ours", "as published"
"""Marks of rows: with our settings, with those of the paper. A solver without a row as published
has the paper's method by default, or is not in the paper."""
_SAID = tomllib.loads(files(__package__).joinpath("unzueta_2008.toml").read_text("utf-8"))


@dataclass(frozen=True)
class PaperClip:
    """One of the three clips, from the CMU motion capture database."""

    number: str
    """Subject and trial in the database; recognised in file names."""
    name: str
    """What the paper calls it."""
    frames: int
    weights: tuple[float, float, float]
    """For the estimate of the pelvis: wrists, ankles, frame before."""
    window: tuple[int, int]
    """First and last frame of the curves in Figs. 16-18."""
    pose: int
    """Frame of Figs. 19-21, where all methods are shown side by side."""
    figures: tuple[int, int, int]
    """Numbers of its figures: selected poses, curves, all methods."""


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


CLIPS = tuple(PaperClip(**_fields(row)) for row in _SAID["clips"])
METHODS: Mapping[str, str] = _SAID["methods"]
"""Our solver -> the column of Table 1, in the paper's order."""
TABLE: Mapping[Measure, Mapping[str, list[float]]] = _SAID["table"]
"""Measure -> clip -> the nine methods in the order of `METHODS`, as printed."""
DOUBTS = {(row["measure"], row["clip"], row["solver"]): str(row["why"]) for row in _SAID["doubts"]}
"""(measure, clip, solver) -> why a printed number is doubtful."""
SENTENCES = tuple(_fields(row) for row in _SAID["claims"])
"""The claims in the order of the paper, as the fields of `claims.Claim` that are words."""


def published(measure: Measure, clip: str, solver: str) -> float | None:
    """Return what the paper prints for a solver on a clip or for `AVERAGE`; None if nothing."""
    if solver not in METHODS or clip not in TABLE[measure]:
        return None
    return TABLE[measure][clip][list(METHODS).index(solver)]


def paper_clip(name: str) -> PaperClip | None:
    """Return the paper's clip whose number is in a file's name ("17_10_boxing.bvh")."""
    return next((c for c in CLIPS if re.search(rf"(?<!\d){c.number}(?!\d)", name)), None)
