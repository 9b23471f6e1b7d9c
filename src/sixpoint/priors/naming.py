"""Whether tracked points carry their right names, and if not, what was probably exchanged."""

from __future__ import annotations

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..motion.points import SIX, Points
from .critic import first_lefts, settled_inputs
from .layout import measures
from .mistakes import MISTAKES, Mistake
from .model import Prior, builtin_prior
from .poses import build_of

FRAMES = 200
"""As many are looked at, spread over the clip."""
WRONG, RIGHT = 0.5, 0.7
"""A mistake is named if points are more likely wrong than right as they are, by their mean
plausibility, and undoing it lifts that above the second."""
UNLIKE = 0.05
"""Points below this are nobody's. Those of a person on another's body may have a tenth."""


def find_mistake(
    points: Points, skeleton: Skeleton, prior: Prior | None = None
) -> tuple[Mistake | None, float]:
    """What may be wrong with the names or axes of tracked points.

    Args:
        points: must hold all six; frames in which one of them is not seen are passed over.
        skeleton: the body that they are on.
        prior: who knows people; the built-in one if none is given.

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
    critic = builtin_prior() if prior is None else prior
    now = plausible(critic, six, skeleton)
    if now >= WRONG:
        return None, now
    tries = [(plausible(critic, mistake.undone(six), skeleton), mistake) for mistake in MISTAKES]
    best, mistake = max(tries, key=lambda found: found[0])
    return (mistake if best > RIGHT else None), now


def plausible(prior: Prior, six: Floats, skeleton: Skeleton) -> float:
    """Mean plausibility of positions (F, 6, 3) on a body."""
    build = build_of(skeleton.anatomy)
    sizes = np.broadcast_to(measures(build), (len(six), len(measures(build))))
    scaled = six / build.height
    x = settled_inputs(prior, scaled, first_lefts(scaled), sizes)
    return float(prior.plausibility(x).mean())
