"""Fitting a prior to what people did.

Points are noisy, the facing is turned at random as the solver's own will be, half of the frames are
seen in the facing that the network itself would choose, and every other frame is mirrored. Seeds
are fixed: the same data give the same model on the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from ..motion.points import SIX
from .autograd import (
    Adam,
    Array,
    Value,
    Weights,
    forward,
    gradients,
    new_weights,
    softplus,
    transposed,
)
from .layout import INPUTS, OUTPUTS, facing, inputs, mirror_inputs, mirror_outputs, neutral
from .loss import Batch, loss
from .model import Prior, always_plausible, through
from .plausibility import LIKELY, MISTAKES, first_lefts, settled_inputs
from .training_data import Rows, Subject, draw_rows, find_leaks, rotated_facing

Progress = Callable[[int, int], None]

STRAY = (0.1, 0.5)
"""How far a stray point is from its place, as a part of height."""
FROM_POINTS_ALONE = 0.5
"""Part of the frames whose facing starts from the points alone, as in the first frame; the others
follow a frame that was right."""
BATCH, RATE, DECAY = 1024, 3e-3, 0.02
FRAMES_PER_STEP = 25
"""Frames that it is shown right, and as many wrong, for each step; each is seen ten times."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a prior is fitted; the defaults are those of the built-in one."""

    units: int = 128
    """Units in each of the two hidden layers."""
    steps: int = 6000
    batch: int = 1024
    """Frames in each step."""
    rows: int = 250_000
    """Frames that are drawn, with their builds, before the first step."""
    rate: float = 3e-3
    decay: float = 0.05
    drop: float = 0.1
    """Part of the hidden units that are left out in each step."""
    swap: float = 0.5
    """Part of the frames that get another subject's build."""
    lengths: float = 0.03
    """Spread of lengths, as a part of them."""
    noise: float = 0.01
    """Most noise on the points, as a part of body height; mostly much less."""
    yaw: float = 0.3
    """Spread of the facing about the axis from pelvis to head [rad]."""
    lost: float = 0.1
    """Part of the frames whose facing is anywhere."""
    own: float = 0.5
    """Part of the frames that are seen in the facing which the network chooses."""
    plausibility_units: int = 32
    """Units in each of the two hidden layers of the plausibility network."""
    plausibility_pace: int = 2
    """Steps of the plausibility network for each step of the first; they are much quicker."""
    seed: int = 20080408


class Fitting:
    """A network while it is fitted."""

    def __init__(self, rows: Rows, settings: TrainingSettings, rng: np.random.Generator) -> None:
        self.rows, self.settings, self.rng = rows, settings, rng
        x, _ = _batch(rows, self._some(50_000), settings, rng)
        self.mean, self.scale = x.mean(axis=0), x.std(axis=0) + 1e-3
        self.weights = new_weights(rng, (INPUTS, settings.units, settings.units, OUTPUTS))
        self.weights[-1] += neutral().astype(np.float32)
        self._adam = Adam(self.weights, settings.steps, settings.rate, settings.decay)
        self._inputs, self._input_signs = mirror_inputs()
        self._outputs, self._output_signs = mirror_outputs()
        self._input_signs = self._input_signs.astype(np.float32)
        self._output_signs = self._output_signs.astype(np.float32)

    def step(self) -> float:
        """One step downhill; the cost before it."""
        settings, rng = self.settings, self.rng
        count = settings.batch
        which = rng.integers(0, len(self.rows.points), count)
        x, seen = _batch(self.rows, which, settings, rng, self._facing)
        flip = (rng.random((count, 1)) < 0.5).astype(np.float32)
        x = x * (1.0 - flip) + self._mirrored(x) * flip
        keep = np.float32(1.0 - settings.drop)
        masks = [
            (rng.random((count, settings.units)) < keep).astype(np.float32) / keep for _ in range(2)
        ]
        weights = [Value(w) for w in self.weights]
        outputs = forward(weights, (x - self.mean) / self.scale, masks)
        # The loss is that of the body itself: mirrored answers are mirrored back.
        straight = outputs * (1.0 - flip) + outputs[:, self._outputs] * (self._output_signs * flip)
        cost = loss(straight, seen)
        self._adam.step(gradients(cost, weights))
        return float(cost.array)

    def prior(self) -> Prior:
        """What has been learned."""
        whitening, near = self._usual()
        weights = tuple(w.astype(np.float64) for w in self.weights)
        return Prior(weights, self.mean, self.scale, whitening, near, always_plausible())

    def _facing(self, points: Array, frames: Array, sizes: Array) -> Array:
        """Facings, for a part of the frames those that follow from the network's answer."""
        x = inputs(points, frames, sizes).astype(np.float32)
        both = ((v - self.mean) / self.scale for v in (x, self._mirrored(x)))
        answers = [through(self.weights, v) for v in both]
        left = answers[0] + answers[1][:, self._outputs] * self._output_signs
        chosen = facing(points, np.einsum("fij,fj->fi", frames, left[:, :3]))
        own = self.rng.random((len(points), 1, 1)) < self.settings.own
        return np.where(own, chosen, frames).astype(np.float32)

    def _mirrored(self, x: Array) -> Array:
        return np.asarray(x[:, self._inputs] * self._input_signs)

    def _some(self, count: int) -> Ints:
        return np.arange(min(count, len(self.rows.points)))

    def _usual(self) -> tuple[Floats, float]:
        """What inputs look like when all is well: whitening, and how far 99.5 % of them are.

        Without lost facings, which the solver does not have for long.
        """
        calm = replace(self.settings, lost=0.0, yaw=0.5 * self.settings.yaw)
        x, _ = _batch(self.rows, self._some(50_000), calm, self.rng)
        scaled = (np.concatenate([x, self._mirrored(x)]) - self.mean) / self.scale
        values, vectors = np.linalg.eigh(np.cov(scaled.T))
        whitening = vectors / np.sqrt(np.maximum(values, 1e-3 * values.max()))
        distance = np.linalg.norm(scaled @ whitening, axis=1)
        return np.asarray(whitening, np.float64), float(np.percentile(distance, 99.5))


def train_prior(
    subjects: Sequence[Subject],
    validation: Sequence[Subject],
    settings: TrainingSettings | None = None,
    progress: Progress | None = None,
) -> Prior:
    """Fit a prior to the subjects.

    Args:
        subjects: those to learn from.
        validation: those kept aside: only looked at to make sure that they are other people.
        settings: how.
        progress: called with the number of steps done and their total.

    Raises:
        InputError: nobody to learn from, or somebody on both sides.
    """
    chosen = TrainingSettings() if settings is None else settings
    if not subjects:
        raise InputError("Expected at least one subject to learn from, got none.")
    leaks = find_leaks(subjects, validation)
    if leaks:
        pairs = ", ".join(f"{a} = {b} ({part:.0%} of the poses)" for a, b, part in leaks[:5])
        raise InputError(
            f"Expected other people in validation than in training, got the same under two names: "
            f"{pairs}. Put both on one side."
        )
    rng = np.random.default_rng(chosen.seed)
    rows = draw_rows(subjects, chosen.rows, chosen.swap, chosen.lengths, rng)
    fitting = Fitting(rows, chosen, rng)
    total = (1 + chosen.plausibility_pace) * chosen.steps

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, total)

    for step in range(chosen.steps):
        fitting.step()
        if (step + 1) % 50 == 0:
            tell(step + 1)
    prior = fitting.prior()
    found = fit_plausibility(prior, rows, chosen, rng, lambda done: tell(chosen.steps + done))
    return replace(prior, plausibility_weights=tuple(w.astype(np.float64) for w in found))


def _batch(
    rows: Rows,
    which: Ints,
    settings: TrainingSettings,
    rng: np.random.Generator,
    look: Callable[[Array, Array, Array], Array] | None = None,
) -> tuple[Array, Batch]:
    """Inputs of some rows, with noise and in random facings, and what the answers should be."""
    count = len(which)
    exact, sizes = rows.points[which], rows.sizes[which]
    noise = settings.noise * rng.random((count, 1, 1)) ** 2
    points = exact + (noise * rng.normal(size=exact.shape)).astype(np.float32)
    rotations = arrays.to_matrix(rows.rotations[which].astype(np.float64)).astype(np.float32)
    angle = np.where(
        rng.random(count) < settings.lost,
        rng.uniform(-np.pi, np.pi, count),
        settings.yaw * rng.normal(size=count),
    )
    frames = rotated_facing(points, rotations[:, 0, :, 0], angle)
    if look is not None:
        frames = look(points, frames, sizes)
    rotations[:, 0] = transposed(frames) @ rotations[:, 0]
    x = inputs(points, frames, sizes).astype(np.float32)
    return x, Batch(points @ frames, rows.body(which), rotations, rows.positions[which] @ frames)


def fit_plausibility(
    prior: Prior,
    rows: Rows,
    settings: TrainingSettings,
    rng: np.random.Generator,
    progress: Callable[[int], None],
) -> Weights:
    """Weights of the plausibility network for a prior.

    Args:
        prior: whose facings it will see.
        rows: frames to learn from.
        settings: size of the network, length of the training and noise of the points.
        rng: draws mistakes.
        progress: called with the number of steps done.
    """
    units, steps = settings.plausibility_units, settings.plausibility_pace * settings.steps
    x, right = _examples(prior, rows, rng, FRAMES_PER_STEP * steps, settings.noise)
    weights = new_weights(rng, (INPUTS, units, units, 1))
    adam = Adam(weights, steps, RATE, DECAY)
    for step in range(steps):
        which = rng.integers(0, len(x), BATCH)
        values = [Value(w) for w in weights]
        score = forward(values, x[which])
        # Minus the logarithm of the probability that it gives to what is so.
        cost = softplus(score * -right[which]).mean()
        adam.step(gradients(cost, values))
        if (step + 1) % 50 == 0:
            progress(step + 1)
    return weights


def _examples(
    prior: Prior, rows: Rows, rng: np.random.Generator, count: int, noise: float
) -> tuple[Array, Array]:
    """Scaled inputs (4 N, 35), bodies and their mirror images; 1 for right, -1 for wrong."""
    which = rng.integers(0, len(rows.points), count)
    five, sizes = rows.points[which].astype(np.float64), rows.sizes[which].astype(np.float64)
    five += noise * rng.random((count, 1, 1)) ** 2 * rng.normal(size=five.shape)
    points = np.concatenate([np.zeros((count, 1, 3)), five], axis=1)
    lefts = arrays.rotate(rows.rotations[which, 0].astype(np.float64), np.array([1.0, 0.0, 0.0]))
    found = []
    for six, left in ((points, lefts), spoiled(points, lefts, rng)):
        cold = rng.random((count, 1)) < FROM_POINTS_ALONE
        left = np.where(cold, first_lefts(six), left)
        found.append(settled_inputs(prior, six, left, sizes))
    order, signs = mirror_inputs()
    x = np.concatenate([*found, *(v[:, order] * signs for v in found)])
    right = np.tile(np.repeat(np.array([1.0, -1.0], np.float32), count), 2)
    return prior.scaled(x).astype(np.float32), right[:, None]


def strayed(points: Floats, rng: np.random.Generator) -> Floats:
    """Points (N, 6, 3), as parts of height, one of each six being somewhere else."""
    count = len(points)
    away = rng.normal(size=(count, 3))
    away *= rng.uniform(*STRAY, (count, 1)) / np.linalg.norm(away, axis=1, keepdims=True)
    found = np.array(points)
    found[np.arange(count), rng.integers(0, len(SIX), count)] += away
    return found


def spoiled(points: Floats, lefts: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Points (N, 6, 3) with one random mistake each, and their left directions (N, 3)."""
    weights = np.array([*(mistake.weight for mistake in MISTAKES), LIKELY])
    kinds = rng.choice(len(weights), len(points), p=weights / weights.sum())
    found, turned = np.array(points), np.array(lefts)
    for k, mistake in enumerate(MISTAKES):
        found[kinds == k] = mistake.made(points[kinds == k])
        turned[kinds == k] = lefts[kinds == k] @ np.array(mistake.axes, float).T
    astray = kinds == len(MISTAKES)
    found[astray] = strayed(points[astray], rng)
    return found, turned
