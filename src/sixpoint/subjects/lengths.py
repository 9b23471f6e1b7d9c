"""Bone lengths: what is known before the points are seen, and what dense points show directly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..body.anthropometry import LENGTHS, lengths_from_stature
from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..motion.motion import as_floats
from ..motion.points import Points
from .parts import Parts

USUAL_STATURE, STATURE_SPREAD = 1.70, 0.06
"""Mean stature of adults [m], women and men together, and its standard deviation as a part."""
GIVEN_SPREAD = 0.01
"""How precisely people know their height, as a part of it."""
PROPORTIONS: Mapping[str, float] = {
    "calf": 1.058,
    "thigh": 0.981,
    "pelvis_width": 0.981,
    "torso": 0.96,
    "torso_width": 0.961,
    "upper_arm": 0.945,
    "forearm": 1.155,
}
"""Length -> mean of recorded people, as a multiple of `sixpoint.body.anthropometry.FRACTIONS`: 68
people of the CMU database. Motion capture places elbows and wrists elsewhere than Drillis and
Contini (1966) did."""
SPREADS: Mapping[str, float] = {
    "foot": 0.06,
    "calf": 0.04,
    "thigh": 0.05,
    "pelvis": 0.10,
    "pelvis_width": 0.20,
    "torso": 0.05,
    "torso_width": 0.09,
    "neck": 0.10,
    "upper_arm": 0.065,
    "forearm": 0.085,
    "hand": 0.08,
}
"""Length -> how much people of one stature differ in it, as a part of it; the same people."""
BONES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "thigh": (("l_hip", "l_knee"), ("r_hip", "r_knee")),
    "calf": (("l_knee", "l_ankle"), ("r_knee", "r_ankle")),
    "upper_arm": (("l_shoulder", "l_elbow"), ("r_shoulder", "r_elbow")),
    "forearm": (("l_elbow", "l_wrist"), ("r_elbow", "r_wrist")),
    "pelvis_width": (("l_hip", "r_hip"),),
    "torso_width": (("l_shoulder", "r_shoulder"),),
}
"""Length -> pairs of joints that it lies between."""
LEAST_FRAMES = 5
"""Fewer frames do not measure a bone."""
LEAST_SPREAD = 0.01
"""No bone is measured more precisely than this, as a part of it: left and right differ."""
SKIN = 0.3
"""Part of the frame-to-frame variation of a measured bone that its median may be wrong by: noise
averages out, markers that slide on the skin do not."""


class LengthPrior(NamedTuple):
    """Lengths before a fit: expected values, and the precision of their logarithms."""

    expected: dict[str, float]
    """Each of `LENGTHS` [m]."""
    precision: Floats
    """Inverse covariance of the logarithms, shape (11, 11), in the order of `LENGTHS`."""
    measured: tuple[str, ...]
    """Lengths that dense points show directly."""


def length_prior(points: Points, height: float | None, joints: bool) -> LengthPrior:
    """Return lengths by anthropometry and, where both ends of a bone were seen, as measured.

    Args:
        points: what was tracked.
        height: stature [m], if it is known.
        joints: whether the points are joints; points that are worn off the joints measure nothing.
    """
    spread = STATURE_SPREAD if height is None else GIVEN_SPREAD
    average = lengths_from_stature(USUAL_STATURE if height is None else height)
    expected = {name: PROPORTIONS.get(name, 1.0) * length for name, length in average.items()}
    own = np.array([SPREADS[name] for name in LENGTHS])
    covariance = np.diag(own**2) + spread**2
    logs = np.zeros(len(own))
    seen = _measured(points) if joints else {}
    for k, name in enumerate(LENGTHS):  # one Kalman update for each length that is seen
        if name not in seen:
            continue
        length, part = seen[name]
        gain = covariance[k] / (covariance[k, k] + part**2)
        logs = logs + gain * (np.log(length / expected[name]) - logs[k])
        covariance = covariance - np.outer(gain, covariance[k])
    expected = {name: length * np.exp(logs[k]) for k, (name, length) in enumerate(expected.items())}
    return LengthPrior(expected, as_floats(np.linalg.inv(covariance)), tuple(seen))


def _measured(points: Points) -> dict[str, tuple[float, float]]:
    """Return lengths that the points show, and how uncertain they are as a part of the length."""
    at = {name: points.positions[:, k] for k, name in enumerate(points.names)}
    found = {}
    for name, pairs in BONES.items():
        seen = [np.linalg.norm(at[b] - at[a], axis=1) for a, b in pairs if a in at and b in at]
        lengths = np.concatenate([np.zeros(0), *seen])
        lengths = lengths[np.isfinite(lengths)]
        if len(lengths) < LEAST_FRAMES or (middle := float(np.median(lengths))) <= 0.0:
            continue
        spread = 1.4826 * float(np.median(np.abs(lengths - middle)))
        found[name] = middle, max(SKIN * spread / middle, LEAST_SPREAD)
    return found


def length_shapes(expected: Mapping[str, float], usual: Mapping[str, Floats]) -> Floats:
    """Return offsets of the parts of the built-in figure by length, shape (11, K, 3).

    The bones of the figure are linear in its lengths: they are the sum of these.

    Args:
        expected: the lengths at which the shapes are taken [m].
        usual: usual rotations, as for `Parts.of`.
    """
    base = Parts.of(Skeleton.humanoid(lengths=expected), usual).offsets
    longer = ({**expected, name: 1.5 * expected[name]} for name in LENGTHS)
    bodies = [Parts.of(Skeleton.humanoid(lengths=lengths), usual) for lengths in longer]
    return np.array([(body.offsets - base) / 0.5 for body in bodies])
