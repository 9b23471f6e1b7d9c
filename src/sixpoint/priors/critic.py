"""Fitting the critic: the small network that says whether six points can be those of a body.

It is shown as many right frames as wrong ones, which are made of right ones by exchanging names,
forgetting an axis (`MISTAKES`), or taking one point somewhere else. It sees both as
`critic_inputs` tells them, and is small enough to be fitted on one core.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..motion.points import SIX
from .autograd import Adam, Array, Value, gradients, softplus
from .layout import AT, mirror_inputs, sides
from .network import Layers, answer, new_layers
from .plausibility import LIKELY, MISTAKES, critic_inputs
from .samples import Sampler

STRAY = (0.1, 0.5)
"""How far a stray point is from its place, as a part of height."""
FRAMES, RATE, DECAY = 512, 3e-3, 0.02
"""Frames that are shown right, and as many wrong, in each step."""
PLACES = [AT[name] for name in SIX]


def fit_critic(sampler: Sampler, units: int, steps: int, progress: Callable[[int], None]) -> Layers:
    """Return the layers of the critic.

    Args:
        sampler: draws people, with arrays of NumPy.
        units: pairs of units in each of its two hidden layers.
        steps: how many are taken.
        progress: called with the number of steps done.
    """
    columns = sides(*mirror_inputs())
    even, odd = (matrix.astype(np.float32) for matrix in columns)
    layers = new_layers(sampler.rng, (even.shape[1], odd.shape[1]), [units, units], (1, 0))
    adam = Adam(layers, steps, RATE, DECAY)
    right = np.repeat(np.array([1.0, -1.0], np.float32), FRAMES)[:, None]
    for step in range(steps):
        x = examples(sampler, FRAMES)
        values = [Value(layer) for layer in layers]
        score, _ = answer(values, x @ even, x @ odd)
        # Minus the logarithm of the probability that it gives to what is so.
        cost = softplus(score * -right).mean()
        adam.step(gradients(cost, values))
        progress(step + 1)
    return layers


def examples(sampler: Sampler, count: int) -> Array:
    """Return inputs (2 N, 256): first right ones, then the same people with one mistake each."""
    people = sampler.people(count)
    six = (people.positions + people.noise)[:, PLACES]
    both = np.concatenate([six, spoiled(six, sampler.rng)])
    return critic_inputs(both, np.concatenate([people.sizes, people.sizes]))


def strayed(six: Array, rng: np.random.Generator) -> Array:
    """Return points (N, 6, 3), as parts of height, one of each six being somewhere else."""
    count = len(six)
    away = rng.normal(size=(count, 3))
    away *= rng.uniform(*STRAY, (count, 1)) / np.linalg.norm(away, axis=1, keepdims=True)
    found = np.array(six)
    found[np.arange(count), rng.integers(0, len(SIX), count)] += away.astype(six.dtype)
    return found


def spoiled(six: Array, rng: np.random.Generator) -> Array:
    """Return points (N, 6, 3) with one random mistake each."""
    weights = np.array([*(mistake.weight for mistake in MISTAKES), LIKELY])
    kinds = rng.choice(len(weights), len(six), p=weights / weights.sum())
    found = np.array(six)
    for k, mistake in enumerate(MISTAKES):
        found[kinds == k] = mistake.made(six[kinds == k])
    astray = kinds == len(MISTAKES)
    found[astray] = strayed(six[astray], rng)
    return found
