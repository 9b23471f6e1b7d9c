"""A second, smaller network that says whether six points can be those of a body at all.

How far inputs are from what was seen does not notice two wrists that are exchanged: each of them is
where a wrist may be. The critic was shown right points and wrong ones (`mistakes`), and tells them
apart. It sees what the first network sees, in the facing that the first one chooses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..kernels import arrays
from ..kernels.types import Floats
from . import autograd
from .autograd import Array, Value, slopes
from .layout import INPUTS, facing, inputs, mirror_inputs
from .mistakes import spoiled
from .model import Prior
from .network import Adam, Weights, forward, new_weights
from .rows import Rows

LOOKS = 3
"""Times that the first network corrects the facing."""
COLD = 0.5
"""Part of the frames whose facing starts from the points alone, as in the first frame; the others
follow a frame that was right."""
BATCH, RATE, DECAY = 1024, 3e-3, 0.02
SHOWN = 25
"""Frames that it is shown right, and as many wrong, for each step; each is seen ten times."""


def settled_inputs(prior: Prior, points: Floats, lefts: Floats, sizes: Floats) -> Floats:
    """Inputs (N, 35) in the facing that a prior comes to.

    Args:
        prior: chooses the facing.
        points: all six as parts of height, shape (N, 6, 3).
        lefts: where it looks for the left at first, shape (N, 3).
        sizes: measures of the bodies, shape (N, 12).
    """
    five = points[:, 1:] - points[:, :1]
    frames = facing(five, lefts)
    for _ in range(LOOKS):
        answers = prior.predict(np.asarray(inputs(five, frames, sizes), np.float64))
        frames = facing(five, np.einsum("fij,fj->fi", frames, answers[:, :3]))
    return np.asarray(inputs(five, frames, sizes), np.float64)


def first_lefts(points: Floats) -> Floats:
    """Where left is by the lines between wrists and between ankles of points (N, 6, 3)."""
    wrists, ankles = points[:, 2] - points[:, 3], points[:, 4] - points[:, 5]
    return np.asarray(wrists + ankles)


def fit_critic(
    prior: Prior,
    rows: Rows,
    rng: np.random.Generator,
    *,
    units: int,
    steps: int,
    noise: float,
    progress: Callable[[int], None] | None = None,
) -> Weights:
    """Fit the critic of a prior.

    Args:
        prior: whose facings it will see.
        rows: frames to learn from.
        rng: draws mistakes.
        units: in each of the two hidden layers.
        steps: of learning.
        noise: most noise on the points, as a part of body height.
        progress: called with the number of steps done.
    """
    x, right = _examples(prior, rows, rng, SHOWN * steps, noise)
    weights = new_weights(rng, (INPUTS, units, units, 1))
    adam = Adam(weights, steps, RATE, DECAY)
    for step in range(steps):
        which = rng.integers(0, len(x), BATCH)
        values = [Value(w) for w in weights]
        score = forward(values, x[which])
        # Minus the logarithm of the probability that it gives to what is so.
        cost = autograd.softplus(score * -right[which]).mean()
        adam.step(slopes(cost, values))
        if progress is not None and (step + 1) % 50 == 0:
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
    lefts = arrays.rotate(rows.turns[which, 0].astype(np.float64), np.array([1.0, 0.0, 0.0]))
    found = []
    for six, left in ((points, lefts), spoiled(points, lefts, rng)):
        cold = rng.random((count, 1)) < COLD
        left = np.where(cold, first_lefts(six), left)
        found.append(settled_inputs(prior, six, left, sizes))
    order, signs = mirror_inputs()
    x = np.concatenate([*found, *(v[:, order] * signs for v in found)])
    right = np.tile(np.repeat(np.array([1.0, -1.0], np.float32), count), 2)
    return prior.scaled(x).astype(np.float32), right[:, None]
