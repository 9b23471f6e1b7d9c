"""Names for trackers that have none: which of them is the head, the pelvis, a wrist, an ankle.

All ways to name them are tried, and the critic of the prior says which is a person. Only six points
can be judged. Of more than six trackers those ways are left out first in which distances between
two points are longer than a body is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats, Ints
from ..motion.points import SIX, Points
from ..priors.model import builtin_prior
from ..priors.plausibility import plausible_each

ROUNDS = ((3, 400), (12, 12), (120, 12))
"""Frames in which ways are judged, and how many of the best are judged again in more of them."""
LIKELY = 0.5
"""A way is a person from this plausibility."""
CLEAR = 0.05
"""The best way must be more plausible than any other by this much."""
ALIKE = 0.15
"""Of ways whose plausibility differs by less the one counts in which limbs reach farthest."""
MOST_TRACKERS = 12
"""Largest number of trackers of which six are chosen."""
REACHES = {
    ("pelvis", "head"): 0.45, ("pelvis", "l_wrist"): 0.65, ("pelvis", "l_ankle"): 0.6,
    ("head", "l_wrist"): 0.62, ("head", "l_ankle"): 1.02, ("l_wrist", "r_wrist"): 1.05,
    ("l_ankle", "r_ankle"): 1.05, ("l_wrist", "l_ankle"): 1.3, ("l_wrist", "r_ankle"): 1.3,
}  # fmt: skip
"""Largest distances between two points, as parts of stature; likewise on the other side."""
LEAST_TRUNK = 0.2
"""Least distance between pelvis and head, as a part of stature."""


@dataclass(frozen=True)
class Naming:
    """Names that were found for trackers."""

    names: dict[str, str]
    """Tracker -> role."""
    plausibility: float
    """How plausible the points are with these names, from 0 to 1."""

    def applied(self, points: Points) -> Points:
        """Return the points with the names found; other trackers keep theirs."""
        return replace(points, names=tuple(self.names.get(name, name) for name in points.names))


def find_names(points: Points, skeleton: Skeleton) -> Naming:
    """Return which of the trackers is which of the six points.

    Args:
        points: six trackers or more, in metres, Y up, right-handed axes; their names do not matter.
        skeleton: the body that they are on.

    Raises:
        InputError: there are too few trackers or too many, no frame shows all of them, or it does
            not become clear which is which.
    """
    count = len(points.names)
    if not len(SIX) <= count <= MOST_TRACKERS:
        raise InputError(
            f"Expected {len(SIX)} to {MOST_TRACKERS} trackers to be named automatically, got "
            f"{count}: name them ({', '.join(SIX)})."
        )
    positions = points.positions[np.isfinite(points.positions).all(axis=(1, 2))]
    if not len(positions):
        raise InputError("Expected a frame that shows all trackers, to name them; there is none.")
    ways = _possible_ways(positions, skeleton.anatomy.stature)
    scores = np.zeros(0)
    for frames, kept in ROUNDS if len(ways) else ():
        scores = _plausibilities(_spread(positions, frames), ways, skeleton)
        order = np.argsort(-scores)[:kept]
        ways, scores = ways[order], scores[order]
    if len(ways):
        order = _best_first(positions, ways, scores)
        ways, scores = ways[order], scores[order]
    if not len(ways) or scores[0] < LIKELY:
        best = f"; the best way has a plausibility of {scores[0]:.0%}" if len(ways) else ""
        raise InputError(
            f"No way to name the trackers {', '.join(points.names)} makes a person{best}: check "
            "unit, axes and the height of the body, or name them."
        )
    chosen = {points.names[k]: role for k, role in zip(ways[0], SIX, strict=True)}
    for way, score in zip(ways[1:], scores[1:], strict=True):
        if set(way) != set(ways[0]) or score < scores[0] - CLEAR:
            continue
        other = {points.names[k]: role for k, role in zip(way, SIX, strict=True)}
        unsure = [f"{name} ({role} or {other[name]})"
                  for name, role in chosen.items() if other[name] != role]  # fmt: skip
        raise InputError(
            f"It does not become clear which tracker is which: {', '.join(unsure)}; plausibility "
            f"{scores[0]:.0%} and {score:.0%}. Name these."
        )
    return Naming(chosen, float(scores[0]))


def _possible_ways(positions: Floats, stature: float) -> Ints:
    """Return the ways to choose six trackers, in the order of `SIX`, shape (W, 6).

    Ways in which a distance is longer than it can be are left out.
    """
    trackers = range(positions.shape[1])
    gaps = np.linalg.norm(positions[:, :, None] - positions[:, None], axis=-1) / stature
    longest, shortest = np.percentile(gaps, 95.0, axis=0), np.percentile(gaps, 5.0, axis=0)
    limits = np.full((len(SIX), len(SIX)), np.inf)
    for (one, other), most in REACHES.items():
        for a, b in ((one, other), (_other(one), _other(other))):
            limits[SIX.index(a), SIX.index(b)] = limits[SIX.index(b), SIX.index(a)] = most
    # Pelvis and head first: few pairs can be them, and both are near all others.
    found = []
    for pelvis, head in permutations(trackers, 2):
        if longest[pelvis, head] > limits[0, 1] or shortest[pelvis, head] < LEAST_TRUNK:
            continue
        others = [k for k in trackers if k not in (pelvis, head)]
        for four in combinations(others, 4):
            for way in permutations(four):
                six = np.array((pelvis, head, *way))
                if (longest[np.ix_(six, six)] <= limits).all():
                    found.append(six)
    return np.array(found, dtype=np.int64).reshape(-1, len(SIX))


def _best_first(positions: Floats, ways: Ints, scores: Floats) -> Ints:
    """Return the order of ways (W, 6): by plausibility, but of near ones the widest is the first.

    An elbow is where a wrist may be, too; of trackers along one limb the outermost is its end.
    """
    order = np.argsort(-scores)
    near = order[scores[order] > scores[order[0]] - ALIKE]
    ends = positions[:, ways[near]]
    width = np.linalg.norm(ends[:, :, 2:] - ends[:, :, :1], axis=-1).sum(axis=2).mean(axis=0)
    first = near[np.argmax(np.round(width, 6))]
    return np.append(first, order[order != first])


def _other(role: str) -> str:
    return {"l_": "r_", "r_": "l_"}.get(role[:2], role[:2]) + role[2:]


def _spread(positions: Floats, count: int) -> Floats:
    """Return at most so many frames of positions, spread evenly."""
    return np.asarray(positions[np.unique(np.linspace(0, len(positions) - 1, count).astype(int))])


def _plausibilities(positions: Floats, ways: Ints, skeleton: Skeleton) -> Floats:
    """Return the mean plausibility of each way (W, 6) over frames (F, N, 3), shape (W,)."""
    model = builtin_prior()
    six = positions[:, ways].transpose(1, 0, 2, 3).reshape(-1, len(SIX), 3)
    return np.asarray(plausible_each(model, six, skeleton).reshape(len(ways), -1).mean(axis=1))
