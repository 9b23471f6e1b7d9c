"""What can be wrong with six points: names that are exchanged, another axis up, a point astray.

The critic learns from these what wrong points look like, and `naming` tries them the other way
round to say what may have happened.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.types import Floats
from ..motion.points import SIX

STRAY = (0.1, 0.5)
"""How far a stray point is from its place, as a part of height."""
LIKELY = 3.0
"""How often exchanged sides and stray points are shown, against once for the others: they are what
happens most and is hardest to see."""


@dataclass(frozen=True)
class Mistake:
    """Names exchanged in pairs, or axes turned."""

    words: str
    """What happened; goes on after "the points look as if"."""
    exchanged: tuple[tuple[str, str], ...] = ()
    axes: tuple[tuple[int, int, int], ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    """Rows of the rotation that was forgotten."""
    weight: float = 1.0

    def made(self, points: Floats) -> Floats:
        """Points (..., 6, 3) with the mistake."""
        return np.asarray(points[..., self._order, :] @ self._turn.T)

    def undone(self, points: Floats) -> Floats:
        """Points (..., 6, 3) without the mistake, if it was made."""
        return np.asarray(points[..., self._order, :] @ self._turn)

    @property
    def _order(self) -> list[int]:
        order = list(range(len(SIX)))
        for one, other in self.exchanged:
            a, b = SIX.index(one), SIX.index(other)
            order[a], order[b] = order[b], order[a]
        return order

    @property
    def _turn(self) -> Floats:
        return np.array(self.axes, float)


WRISTS, ANKLES = ("l_wrist", "r_wrist"), ("l_ankle", "r_ankle")


def _exchanged(one: str, other: str) -> Mistake:
    return Mistake(f"{one} and {other} were exchanged", ((one, other),))


MISTAKES: tuple[Mistake, ...] = (
    Mistake("left and right wrist were exchanged", (WRISTS,), weight=LIKELY),
    Mistake("left and right ankle were exchanged", (ANKLES,), weight=LIKELY),
    Mistake("left and right were exchanged or an axis mirrored", (WRISTS, ANKLES), weight=LIKELY),
    Mistake("wrists and ankles were exchanged", tuple(zip(WRISTS, ANKLES, strict=True))),
    *(_exchanged(f"{side}_wrist", f"{side}_ankle") for side in "lr"),
    *(_exchanged("head", name) for name in (*WRISTS, *ANKLES)),
    *(_exchanged("pelvis", name) for name in ("head", *WRISTS, *ANKLES)),
    Mistake("Z were up, not Y", axes=((1, 0, 0), (0, 0, -1), (0, 1, 0))),
    Mistake("-Z were up, not Y", axes=((1, 0, 0), (0, 0, 1), (0, -1, 0))),
    Mistake("they were upside down", axes=((1, 0, 0), (0, -1, 0), (0, 0, -1))),
    Mistake("X were up, not Y", axes=((0, 1, 0), (-1, 0, 0), (0, 0, 1))),
    Mistake("-X were up, not Y", axes=((0, -1, 0), (1, 0, 0), (0, 0, 1))),
)
"""All that can be undone."""


def strayed(points: Floats, rng: np.random.Generator) -> Floats:
    """Points (N, 6, 3), as parts of height, one of each six being somewhere else."""
    count = len(points)
    away = rng.normal(size=(count, 3))
    away *= rng.uniform(*STRAY, (count, 1)) / np.linalg.norm(away, axis=1, keepdims=True)
    found = np.array(points)
    found[np.arange(count), rng.integers(0, len(SIX), count)] += away
    return found


def spoiled(points: Floats, lefts: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Each of some points (N, 6, 3) with one mistake or other, and where left (N, 3) is then."""
    weights = np.array([*(mistake.weight for mistake in MISTAKES), LIKELY])
    kinds = rng.choice(len(weights), len(points), p=weights / weights.sum())
    found, turned = np.array(points), np.array(lefts)
    for k, mistake in enumerate(MISTAKES):
        found[kinds == k] = mistake.made(points[kinds == k])
        turned[kinds == k] = lefts[kinds == k] @ np.array(mistake.axes, float).T
    astray = kinds == len(MISTAKES)
    found[astray] = strayed(points[astray], rng)
    return found, turned
