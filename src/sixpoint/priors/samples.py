"""Drawing people in poses for the training of a prior, on the processor or on a graphics card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, MissingExtra
from ..kernels.types import Ints
from .autograd import Array, Value
from .loss import POINT_ROWS, Body, joints_of
from .training_data import Recordings

TIPS_SPREAD = 0.4
"""Spread of the logarithm of how far hands and toes are from wrists and ankles."""
DEVICES = ("cpu", "gpu")


class Variation(NamedTuple):
    """How drawn people differ from those who were recorded."""

    swap: float
    """Part of the frames that get the build of any subject."""
    lengths: float
    """Spread of lengths, as a part of them."""
    noise: float
    """Most noise on the points, as a part of body height; mostly much less."""


class People(NamedTuple):
    """N people in a pose each; lengths as parts of body height, Y up."""

    body: Body
    sizes: Array
    """Measures, (N, 12)."""
    rotations: Array
    """World rotations of the parts, (N, 21, 3, 3)."""
    joints: Array
    """Positions from the pelvis as `joints_of` returns them, (N, 24, 3)."""
    positions: Array
    """Of the points, above the ground, (N, 22, 3)."""
    noise: Array
    """What is added to them where they are seen, (N, 22, 3)."""


class Sampler:
    """Draws people from recordings. The arrays that it returns are where `device` is."""

    def __init__(
        self, recordings: Recordings, variation: Variation, seed: int, device: str = "cpu"
    ) -> None:
        self.recordings, self.variation = recordings, variation
        self.rng = np.random.default_rng(seed)
        self.take = array_maker(device)
        self.noise = noise_maker(device, seed)
        self._rotations = self.take(recordings.rotations)
        self._heights = self.take(recordings.heights)
        self._builds = Body(*map(self.take, recordings.builds))
        self._sizes = self.take(recordings.sizes)

    def people(self, count: int) -> People:
        """Draw people: frames of the recordings, some with another subject's build."""
        rng, take = self.rng, self.take
        which = self.recordings.draw(count, rng)
        builds = np.where(
            rng.random(count) < self.variation.swap,
            rng.integers(0, len(self.recordings.sizes), count),
            self.recordings.subjects[which],
        )
        body = self._bodies(builds)
        rotations = matrices(self._rotations[take(which)])
        joints = joints_of(Value(rotations), body).array
        positions = joints[:, POINT_ROWS]
        positions[:, :, 1] += self._heights[take(which)][:, None]
        share = self.noise.random((count, 1, 1), dtype=np.float32) ** 2
        noise = self.variation.noise * share * self.normal(*positions.shape)
        return People(body, self._sizes[take(builds)], rotations, joints, positions, noise)

    def normal(self, *shape: int) -> Array:
        """Return normal random numbers."""
        drawn: Array = self.noise.standard_normal(shape, dtype=np.float32)
        return drawn

    def _bodies(self, builds: Ints) -> Body:
        """Return builds with somewhat other lengths, left and right alike."""
        spread, rng, count = self.variation.lengths, self.rng, len(builds)
        at = self.take(builds)
        shapes = ((1, 1), (1, 3), (1, 3), (2, 2))
        factors = [
            self.take((1.0 + spread * rng.normal(size=(count, *shape))).astype(np.float32))
            for shape in shapes
        ]
        factors[3] = factors[3][:, [0, 0, 1, 1]]
        # Hands and toes are where each rig has them.
        tips = np.exp(TIPS_SPREAD * rng.normal(size=(count, 1, 1)))
        factors.append(self.take(tips.astype(np.float32)))
        return Body(*(b[at] * f for b, f in zip(self._builds, factors, strict=True)))


def matrices(rotations: Array) -> Array:
    """Return rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = (rotations[..., k] for k in range(4))
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def noise_maker(device: str, seed: int) -> Any:
    """Return the source of random numbers where arrays are worked on."""
    return (np if device == "cpu" else _cupy()).random.default_rng(seed)


def array_maker(device: str) -> Callable[[Any], Any]:
    """Return the function that brings arrays to where they are worked on."""
    if device not in DEVICES:
        raise InputError(f"Expected a device among {', '.join(DEVICES)}, got {device!r}.")
    made: Callable[[Any], Any] = np.asarray if device == "cpu" else _cupy().asarray
    return made


def to_cpu(array: Any) -> Array:
    """Return an array of NumPy, wherever the given one is."""
    found: Array = array if isinstance(array, np.ndarray) else array.get()
    return found


def _cupy() -> Any:
    """Return CuPy, with a graphics card that works."""
    try:
        import cupy
    except ImportError as error:
        raise MissingExtra("cupy", "train", "training on a graphics card") from error
    try:
        cupy.zeros(1)
    except Exception as error:  # CuPy raises errors of many kinds where a driver is missing
        raise InputError(
            f"Expected a graphics card that CuPy can use, found none ({error}). Train with the "
            "device cpu."
        ) from error
    return cupy
