"""Type of each joint (fixed, hinge or ball), and the noise of its rotations.

The vector parts of the rotations of a rigid joint are one point, those of a hinge lie on a line and
those of a ball fill a volume; the eigenvalues of their scatter tell which (joint-limit paper,
section 2.1). Rotations are measured from their mean: from anywhere else those of a hinge would lie
on an arc. Everything follows from the sums of q and of q q^T, because the vector part of r* q is
linear in q: samples are gone over block by block, in any number and order.

Noise is measured by the second differences of frames as they were recorded. Smooth motion hardly
has second differences, noise has. Frames must not have been interpolated before: that smooths the
noise away. Medians are taken, not means, because a joint that jerks now and then is not noisy;
medians of tallies, so that any number of frames needs the same memory and the pieces in which they
came do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Floats, Ints
from ..base import TYPES

Rule = Literal["share", "absolute"]
Reference = Literal["mean", "bind", "identity"]

FIXED, HINGE, BALL = range(len(TYPES))

NOISE_FACTOR = 2.5
"""A joint that spreads less than so many times the noise is fixed."""
NEUTRAL_PASS = 1e-5
"""A hinge that comes this close to the neutral stance passes through it [rad]."""
LEAST_FIXED = np.radians(0.5)
"""A joint without noise that spreads less than this is fixed [rad]."""
MOST_FIXED = np.radians(5.0)
"""No joint that spreads more is fixed, however noisy it looks [rad]."""
SAME_AXIS = 0.3
"""An axis whose cosine with the usual one of its role is smaller is another axis."""
PER_OCTAVE = 32
"""Parts into which sizes are sorted between one and its double: steps of 2 %."""
OCTAVES = 32
"""Sizes go from 4 (no second difference is larger) down to 1e-9."""
MEDIAN_CHI2 = 2.365973884375338
"""Median of the chi-squared distribution with three degrees of freedom."""
LEAST_TRIPLES = 12
"""Fewest triples of frames to measure noise from; with fewer, noise counts as zero."""


@dataclass(frozen=True, kw_only=True)
class TypeRules:
    """Rules by which a joint is fixed or a hinge. Spreads are standard deviations of angles."""

    rule: Rule = "share"
    """"share": a hinge has nearly all of its variance along one line (the refinement that the paper
    discusses). "absolute": its second spread is small, whatever the first (the paper's own)."""
    share: float = 0.95
    """Part of the variance that the line of a hinge has."""
    hinge_spread: float = np.radians(2.0)
    """A second spread below this makes a hinge under both rules [rad]."""
    fixed_spread: float | None = None
    """A first spread below this makes a fixed joint [rad]. None: 2.5 times the noise that the
    frames show, 0.5 degrees at least and 5 at most."""
    reference: Reference = "mean"
    """What rotations are measured from. "identity" is what the paper prints."""

    def __post_init__(self) -> None:
        for name, choices in (("rule", get_args(Rule)), ("reference", get_args(Reference))):
            if getattr(self, name) not in choices:
                raise InputError(
                    f"Expected `{name}` to be one of {', '.join(choices)}; "
                    f"got {getattr(self, name)!r}."
                )
        if not 0.0 < self.share < 1.0:
            raise InputError(f"Expected `share` between 0 and 1, got {self.share!r}.")
        for name in ("hinge_spread", "fixed_spread"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value < np.pi:
                raise InputError(f"Expected `{name}` in [0, pi) radians, got {value!r}.")


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of first and second order over samples of J joints."""

    count: int
    first: Floats
    """Sum of q, each with the sign that brings it nearest to the mean, shape (J, 4)."""
    second: Floats
    """Sum of q q^T, shape (J, 4, 4)."""
    mean: Floats
    """Mean rotations, shape (J, 4): eigenvectors of the second moments, canonical sign."""

    @staticmethod
    def of(joints: int, blocks: Callable[[], Iterable[Floats]]) -> Moments:
        """Sums over blocks of samples (n, J, 4), which are gone over twice.

        Signs that were continuous in time would depend on which clip comes after which.
        """
        count, second = 0, np.zeros((joints, 4, 4))
        for samples in blocks():
            count += len(samples)
            by_joint = np.ascontiguousarray(samples.transpose(1, 2, 0))
            second += by_joint @ by_joint.transpose(0, 2, 1)
        mean = arrays.canonical(np.linalg.eigh(second)[1][..., -1])
        first = np.zeros((joints, 4))
        for samples in blocks():
            near = np.einsum("njk,jk->nj", samples, mean) >= 0.0
            first += np.einsum("njk,nj->jk", samples, np.where(near, 1.0, -1.0))
        return Moments(count, first, second, mean)


@dataclass(frozen=True, eq=False)
class Classes:
    """Types of J joints, and what decided them."""

    types: Ints
    """`FIXED`, `HINGE` or `BALL`, shape (J,)."""
    reference: Floats
    """Rotations that hinge angles are measured from, shape (J, 4)."""
    eigenvalues: Floats
    """Eigenvalues of the scatter of vector parts, in descending order, shape (J, 3)."""
    axes: Floats
    """Unit axis of each joint as a hinge, shape (J, 3): q = reference * (rotation about it)."""
    noise: Floats
    """Noise about each axis [rad], shape (J,)."""
    confidence: Floats
    """0 where the decision was close or the samples few, 1 where it was clear, shape (J,)."""

    @property
    def spreads(self) -> Floats:
        """Standard deviations of the angles about the principal axes [rad], shape (J, 3)."""
        return np.asarray(2.0 * np.sqrt(self.eigenvalues))


def classify(
    moments: Moments,
    noise: Floats,
    rules: TypeRules,
    bind: Floats | None = None,
    usual: Floats | None = None,
) -> Classes:
    """Type, axis and reference of each joint.

    Args:
        moments: of the samples.
        noise: of each joint (J,) [rad]; see `Noise`.
        rules: when a joint is fixed or a hinge.
        bind: rotations in the bind pose (J, 4); identity if not given.
        usual: axes (J, 3) that joints of known roles are usually measured about, 0 for others:
            they decide the sign of axes.
    """
    joints = len(noise)
    reference = arrays.identity(joints) if bind is None else bind
    if rules.reference != "bind":
        reference = moments.mean if rules.reference == "mean" else arrays.identity(joints)
    vectors = _vector_part(reference)
    count = max(moments.count, 1)
    centre = np.einsum("jab,jb->ja", vectors, moments.first) / count
    scatter = vectors @ moments.second @ vectors.transpose(0, 2, 1) / count
    eigenvalues = np.linalg.eigvalsh(scatter - centre[:, :, None] * centre[:, None, :])
    eigenvalues = np.maximum(eigenvalues[:, ::-1], 0.0)  # rounding
    spreads = 2.0 * np.sqrt(eigenvalues)
    still = np.clip(NOISE_FACTOR * noise, LEAST_FIXED, MOST_FIXED)
    if rules.fixed_spread is not None:
        still = np.full_like(noise, rules.fixed_spread)
    total = np.maximum(eigenvalues.sum(axis=1), 1e-300)
    rest = 1.0 - eigenvalues[:, 0] / total
    straight = (spreads[:, 1] < rules.hinge_spread) | (
        (rest <= 1.0 - rules.share) & (rules.rule == "share")
    )
    types = np.where(spreads[:, 0] < still, FIXED, np.where(straight, HINGE, BALL))
    axes = _hinge_axes(scatter, None if rules.reference == "mean" else centre, usual)
    return Classes(
        types,
        _from_neutral(reference, axes),
        eigenvalues,
        axes,
        noise,
        _confidence(types, spreads, rest, still, rules, count),
    )


def _vector_part(reference: Floats) -> Floats:
    """The matrix (J, 3, 4) that takes q to the vector part of reference* q."""
    w, x, y, z = (reference[:, k] for k in range(4))
    rows = [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=1)


def _hinge_axes(scatter: Floats, centre: Floats | None, usual: Floats | None) -> Floats:
    """Dominant directions of the vector parts, not centred: a hinge's line meets zero.

    The sign is that of the usual axis where there is one nearby. Else it is that of the summed
    vector parts `centre`, Eq. (8); where these cancel, as they do about the mean of the motion, the
    largest component is positive.
    """
    axes = np.linalg.eigh(scatter)[1][..., -1]
    sign = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)[:, 0]
    if centre is not None:
        along = np.einsum("ja,ja->j", axes, centre)
        sign = np.where(np.abs(along) > 1e-9, along, sign)
    if usual is not None:
        beside = np.einsum("ja,ja->j", axes, usual)
        sign = np.where(np.abs(beside) > SAME_AXIS, beside, sign)
    return np.asarray(np.where(sign[:, None] < 0.0, -axes, axes))


def _from_neutral(reference: Floats, axes: Floats) -> Floats:
    """Rotations about the axes that come nearest to the neutral stance: angles count from there.

    Hinges that pass through the neutral stance are measured from itself: so people do.
    """
    along = np.einsum("ja,ja->j", reference[:, 1:], axes)
    back = arrays.from_axis_angle(axes, -2.0 * np.arctan2(along, reference[:, 0]))
    nearest = arrays.canonical(arrays.multiply(reference, back))
    through = 2.0 * np.linalg.norm(nearest[:, 1:], axis=1) < NEUTRAL_PASS
    return np.where(through[:, None], arrays.identity(), nearest)


def _confidence(
    types: Ints, spreads: Floats, rest: Floats, still: Floats, rules: TypeRules, count: int
) -> Floats:
    """Ratio of the decisive number to its threshold, mapped to [0, 1)."""
    tiny = 1e-12
    moves = np.log(np.maximum(spreads[:, 0], tiny) / np.maximum(still, tiny))
    narrow = np.log(max(rules.hinge_spread, tiny) / np.maximum(spreads[:, 1], tiny))
    if rules.rule == "share":
        narrow = np.maximum(narrow, np.log((1.0 - rules.share) / np.maximum(rest, tiny)))
    way = np.where(
        types == FIXED, -moves, np.minimum(moves, np.where(types == HINGE, narrow, -narrow))
    )
    return np.asarray((1.0 - np.exp(-np.maximum(way, 0.0))) * (1.0 - 1.0 / np.sqrt(count)))


class Noise:
    """Noise of J joints, from tallies of their second differences."""

    def __init__(self, joints: int) -> None:
        self._tally = np.zeros((joints, OCTAVES * PER_OCTAVE), np.int64)
        self._before = np.zeros((0, joints, 4))
        self.triples = 0
        """Triples of consecutive frames so far."""

    def add(self, frames: Floats, jump: bool) -> None:
        """Add frames (n, J, 4); `jump`: they do not follow on the previous ones.

        Which frame rotations are measured in does not matter, nor do their signs.
        """
        if not jump:
            frames = np.concatenate([self._before, frames])
        self._before = frames[-2:].copy()
        if len(frames) < 3:
            return
        steps = np.sum(frames[1:] * frames[:-1], axis=-1, keepdims=True)
        signs = np.where(steps < 0.0, -1.0, 1.0)
        second = signs[:-1] * frames[:-2] + signs[1:] * frames[2:] - 2.0 * frames[1:-1]
        size = np.maximum(np.linalg.norm(second, axis=-1), 4.0 * 2.0**-OCTAVES)
        part = np.floor(PER_OCTAVE * (np.log2(size) - 2.0)).astype(np.int64)
        part = np.clip(part + OCTAVES * PER_OCTAVE, 0, OCTAVES * PER_OCTAVE - 1)
        np.add.at(self._tally, (np.arange(frames.shape[1])[None], part), 1)
        self.triples += len(second)

    def deviation(self) -> Floats:
        """Standard deviation of the noise about each axis [rad], shape (J,).

        White noise has six times its variance in second differences; three components of a
        quaternion carry it, halved.
        """
        if self.triples < LEAST_TRIPLES:
            return np.zeros(len(self._tally))
        part = (2 * np.cumsum(self._tally, axis=1) >= self.triples).argmax(axis=1)
        size = 4.0 * 2.0 ** ((part + 0.5) / PER_OCTAVE - OCTAVES)
        found = 2.0 * size / np.sqrt(6.0 * MEDIAN_CHI2)
        return np.asarray(np.where(part == 0, 0.0, found))
