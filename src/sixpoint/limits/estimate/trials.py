"""Synthetic joints whose type and axis are known, to test estimation on.

A trial is 100 samples of smooth motion, about what a clip of two seconds gives: a rest rotation and
an axis drawn at random, angles that swing through the whole of a random range. What is drawn is
what can be told apart at all: hinges go 30 degrees or more, and every axis of a ball has a share.
"""

from __future__ import annotations

import numpy as np

from ...kernels import arrays
from ...kernels.types import Floats

SAMPLES = 100
RANGE = (30.0, 150.0)
"""Ranges of the angles [degrees]."""

Random = np.random.Generator


def random_rotation(rng: Random) -> Floats:
    """Any rotation, all alike, shape (4,)."""
    return arrays.normalize(rng.normal(size=4))


def noisy(samples: Floats, noise: float, rng: Random) -> Floats:
    """Samples (N, 4) with rotations of standard deviation `noise` about each axis on top [rad]."""
    return arrays.multiply(samples, arrays.from_rotvec(rng.normal(0.0, noise, (len(samples), 3))))


def fixed_trial(rng: Random, samples: int = SAMPLES) -> Floats:
    """A joint that does not move, shape (N, 4)."""
    return np.tile(random_rotation(rng), (samples, 1))


def hinge_trial(rng: Random, samples: int = SAMPLES) -> Floats:
    """Return a hinge, shape (N, 4)."""
    return hinge_with_axis(rng, samples)[0]


def hinge_with_axis(rng: Random, samples: int = SAMPLES) -> tuple[Floats, Floats]:
    """Return a hinge, shape (N, 4), and its axis, shape (3,)."""
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    turns = arrays.from_axis_angle(axis, _swings(rng, 1, samples)[:, 0])
    return arrays.multiply(random_rotation(rng), turns), axis


def ball_trial(rng: Random, samples: int = SAMPLES) -> Floats:
    """A ball that turns about three axes, shape (N, 4)."""
    turns = arrays.from_euler("XYZ", _swings(rng, 3, samples))
    return arrays.multiply(arrays.multiply(random_rotation(rng), turns), random_rotation(rng))


def _swings(rng: Random, angles: int, samples: int) -> Floats:
    """Angles that swing through their ranges at unlike speeds, shape (N, angles) [rad]."""
    width = np.radians(rng.uniform(*RANGE, angles))
    if angles == 3:  # the widest has at most twice the range of the second
        width = np.maximum(width, 0.5 * width.max())
    speed = rng.permutation([1.0, 1.7, 2.6])[:angles] * rng.uniform(0.9, 1.1, angles)
    phase = rng.uniform(0.0, 2.0 * np.pi, angles)
    time = np.linspace(0.0, 2.0 * np.pi, samples)[:, None]
    return np.asarray(0.5 * width * np.sin(speed * time + phase))
