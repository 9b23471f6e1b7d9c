"""Whether six points can be those of a body, and what may have been confused if not.

Two wrists that are exchanged are each where a wrist may be. A second, smaller network, the critic,
is therefore trained to tell right points from wrong ones (`MISTAKES`). It sees what the first
network sees of six points, in the facing that the points themselves tell. `find_mistake` undoes one
mistake after the other to say which one may have happened.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..motion.points import SIX, Points
from .autograd import Array
from .layout import AT, COUNT, facing, inputs, left_of, measures
from .model import Prior, builtin_prior
from .poses import build_of

LIKELY = 3.0
"""How often exchanged sides and stray points are shown, against once for the others: they are what
happens most and is hardest to see."""
FRAMES = 200
"""Frames that are judged, spread over the clip."""
WRONG, RIGHT = 0.5, 0.7
"""A mistake is named if points are more likely wrong than right as they are, by their mean
plausibility, and undoing it lifts that above the second."""
UNLIKE = 0.05
"""Points below this are nobody's. Those of a person on another's body may have a tenth."""


@dataclass(frozen=True)
class Mistake:
    """Names exchanged in pairs, or axes turned."""

    words: str
    """What happened; goes on after "the points look as if"."""
    exchanged: tuple[tuple[str, str], ...] = ()
    axes: tuple[tuple[int, int, int], ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    """Rows of the rotation that was forgotten."""
    weight: float = 1.0

    def made(self, points: Array) -> Array:
        """Return points (..., 6, 3) with the mistake."""
        return np.asarray(points[..., self._order, :] @ self._turn.T)

    def undone(self, points: Floats) -> Floats:
        """Return points (..., 6, 3) without the mistake, if it was made."""
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


MIRRORED = Mistake(
    "left and right were exchanged or an axis mirrored", (WRISTS, ANKLES), weight=LIKELY
)
MISTAKES: tuple[Mistake, ...] = (
    Mistake("left and right wrist were exchanged", (WRISTS,), weight=LIKELY),
    Mistake("left and right ankle were exchanged", (ANKLES,), weight=LIKELY),
    MIRRORED,
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


def critic_inputs(six: Array, sizes: Array) -> Array:
    """Return inputs (N, 256) of bodies of which only the six points are seen.

    Args:
        six: positions as parts of height, shape (N, 6, 3).
        sizes: measures of the bodies, shape (N, 12).
    """
    count = len(six)
    positions = np.zeros((count, COUNT, 3), six.dtype)
    seen, turned = (np.zeros((count, COUNT), six.dtype) for _ in range(2))
    places = [AT[name] for name in SIX]
    positions[:, places] = six
    seen[:, places] = 1.0
    rotations = np.zeros((count, COUNT, 3, 3), six.dtype)
    frames = facing(left_of(positions, rotations, seen, turned))
    return inputs(positions, rotations, (seen, turned), frames, sizes)[0]


def find_mistake(
    points: Points, skeleton: Skeleton, prior: Prior | None = None
) -> tuple[Mistake | None, float]:
    """Find what may be wrong with the names or axes of tracked points.

    Args:
        points: must hold all six; frames in which one of them is not seen are passed over.
        skeleton: the body that they are on.
        prior: the model that judges them; the built-in one if none is given.

    Returns:
        The mistake, or None; and how plausible the points are as they are, from 0 to 1. NaN if
        there is no frame to judge.
    """
    if not set(SIX) <= set(points.names):
        return None, float("nan")
    six = points.select(SIX).positions
    six = six[np.isfinite(six).all(axis=(1, 2))]
    if not len(six):
        return None, float("nan")
    six = six[np.unique(np.linspace(0, len(six) - 1, FRAMES).astype(int))]
    model = builtin_prior() if prior is None else prior
    now = plausible(model, six, skeleton)
    if now >= WRONG:
        return None, now
    tries = [(plausible(model, mistake.undone(six), skeleton), mistake) for mistake in MISTAKES]
    best, mistake = max(tries, key=lambda found: found[0])
    return (mistake if best > RIGHT else None), now


def plausible(prior: Prior, six: Floats, skeleton: Skeleton) -> float:
    """Mean plausibility of positions (F, 6, 3) on a body."""
    return float(plausible_each(prior, six, skeleton).mean())


def plausible_each(prior: Prior, six: Floats, skeleton: Skeleton) -> Floats:
    """Plausibility of positions (F, 6, 3) on a body in each frame, shape (F,)."""
    build = build_of(skeleton.anatomy)
    sizes = np.broadcast_to(measures(build), (len(six), len(measures(build))))
    scaled = six / build.height
    return np.asarray(prior.plausibility(critic_inputs(scaled, sizes)))
