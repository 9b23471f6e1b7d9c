"""Fitting a prior to what people did.

Each step draws frames, gives some of them the build of another subject and varies all lengths,
hides some points and some rotations, adds noise, and turns the facing at random as that of real
points will be. Seeds are fixed: the same data give the same model on the same machine.

Arrays may live on a graphics card: pass ``device="gpu"`` where CuPy is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MissingExtra
from ..kernels.types import Ints
from .autograd import Adam, Array, Value, gradients
from .layout import (
    AT,
    COUNT,
    POINTS,
    facing,
    inputs,
    left_of,
    mirror_inputs,
    mirror_outputs,
    neutral,
    sides,
)
from .loss import LIMB_PARTS, POINT_ROWS, Batch, Body, Constants, constants, joints_of, loss
from .network import Layers, answer, new_layers
from .poses import CHEST, HEAD, LIMBS, NECK, PELVIS, STATIONS
from .training_data import Recordings

Progress = Callable[[int, int], None]

SIX = ("pelvis", "head", "l_wrist", "r_wrist", "l_ankle", "r_ankle")
HANDS = ("head", "l_wrist", "r_wrist")
_ELBOWS, _KNEES = ("l_elbow", "r_elbow"), ("l_knee", "r_knee")
_ROOTS = ("l_shoulder", "r_shoulder", "l_hip", "r_hip")
_DENSE = (*_ROOTS, *_ELBOWS, *_KNEES, *SIX[2:])
CONFIGURATIONS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (SIX, ()),
    (SIX, ("pelvis", "head")),
    (SIX, SIX),
    (HANDS, ()),
    (HANDS, ("head",)),
    (HANDS, HANDS),
    (("pelvis", *HANDS), ("pelvis", *HANDS)),
    ((*SIX, *_ELBOWS), ()),
    ((*SIX, *_ELBOWS, *_KNEES), ()),
    ((*SIX, *_ELBOWS, *_KNEES, "chest"), ()),
    ((*SIX, *_ELBOWS, *_KNEES, "chest"), (*SIX, *_ELBOWS, *_KNEES, "chest")),
    (_DENSE, ()),
    (("head", *_DENSE), ()),
    (("pelvis", "chest", "head", *_DENSE), ()),
    (("pelvis", "chest", "neck", "head", *_DENSE, "l_toe", "r_toe"), ()),
)
"""Points that people have, and of which of them the rotations."""
CHANCES = (3, 2, 2, *(1 for _ in CONFIGURATIONS[3:]), 4)
"""How often each of these is drawn, and how often random points."""
LOST = 0.15
"""Part of the frames in which one more point is not seen."""
TIPS_SPREAD = 0.4
"""Spread of the logarithm of how far hands and toes are from wrists and ankles."""
ROTATION_NOISE = 0.02
"""Noise on the axes of known rotations."""

PART_OF = {
    "pelvis": PELVIS,
    "chest": CHEST,
    "neck": NECK,
    "head": HEAD,
    **{f"{side}_clavicle": STATIONS + k for k, side in enumerate("lr")},
    **{
        f"{side}_{name}": LIMB_PARTS + LIMBS * bone + 2 * leg + k
        for leg, limb in enumerate(
            (("shoulder", "elbow", "wrist", "hand"), ("hip", "knee", "ankle", "toe"))
        )
        for bone, name in ((min(place, 2), name) for place, name in enumerate(limb))
        for k, side in enumerate("lr")
    },
}
"""The part whose rotation is that of each point."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a prior is fitted; the defaults are those of the built-in one."""

    units: int = 128
    """Pairs of units in each hidden layer."""
    depth: int = 3
    """Hidden layers."""
    steps: int = 6000
    batch: int = 1024
    """Frames in each step."""
    rate: float = 3e-3
    decay: float = 0.02
    drop: float = 0.1
    """Part of the hidden units that are left out in each step."""
    swap: float = 0.5
    """Part of the frames that get another subject's build."""
    lengths: float = 0.03
    """Spread of lengths, as a part of them."""
    noise: float = 0.006
    """Most noise on the points, as a part of body height; mostly much less."""
    yaw: float = 0.3
    """Spread of the facing about the vertical [rad]."""
    astray: float = 0.05
    """Part of the frames whose facing is anywhere."""
    seed: int = 20080408


class Fitting:
    """A network while it is fitted."""

    def __init__(
        self, recordings: Recordings, settings: TrainingSettings, device: str = "cpu"
    ) -> None:
        self.settings = settings
        self.rng = np.random.default_rng(settings.seed)
        self.take, self.noise = array_maker(device), noise_maker(device, settings.seed)
        self.recordings = recordings
        self._rotations = self.take(recordings.rotations)
        self._heights = self.take(recordings.heights)
        self._builds = Body(*map(self.take, recordings.builds))
        self._sizes = self.take(recordings.sizes)
        incoming, outgoing = sides(*mirror_inputs()), sides(*mirror_outputs())
        self._inputs = [self.take(m.astype(np.float32)) for m in incoming]
        tables = constants(outgoing)
        self._tables = Constants(
            type(outgoing)(*map(self.take, tables.outputs)),
            self.take(tables.joint_costs),
            self.take(tables.rotation_costs),
        )
        layers = new_layers(
            self.rng,
            (incoming.even.shape[1], incoming.odd.shape[1]),
            [settings.units] * settings.depth,
            (outgoing.even.shape[1], outgoing.odd.shape[1]),
        )
        both = np.abs(outgoing.even).sum(axis=0)
        layers[-2] += (neutral() @ outgoing.even / both).astype(np.float32)
        self.layers: Layers = [self.take(layer) for layer in layers]
        self._adam = Adam(self.layers, settings.steps, settings.rate, settings.decay)

    def step(self) -> float:
        """Take one step downhill; return the cost before it."""
        settings = self.settings
        x, batch = self.batch(settings.batch)
        keep = 1.0 - settings.drop
        shape = (settings.batch, settings.units)
        masks = [
            (self.noise.random(shape, dtype=np.float32) < keep) * np.float32(1.0 / keep)
            for _ in range(settings.depth)
        ]
        layers = [Value(layer) for layer in self.layers]
        found = answer(layers, x @ self._inputs[0], x @ self._inputs[1], masks)
        cost = loss(found, batch, self._tables)
        self._adam.step(gradients(cost, layers))
        return float(cost.array)

    def batch(self, count: int) -> tuple[Array, Batch]:
        """Return inputs of drawn frames (N, 256), and what the answers should be."""
        settings, rng, take = self.settings, self.rng, self.take
        which = self.recordings.draw(count, rng)
        builds = np.where(
            rng.random(count) < settings.swap,
            rng.integers(0, len(self.recordings.sizes), count),
            self.recordings.subjects[which],
        )
        body = self._bodies(builds)
        rotations = matrices(self._rotations[take(which)])
        joints = joints_of(Value(rotations), body).array
        positions = joints[:, POINT_ROWS]
        positions[:, :, 1] += self._heights[take(which)][:, None]
        spread = settings.noise * self.noise.random((count, 1, 1), dtype=np.float32) ** 2
        noise = spread * self._normal(count, COUNT, 3)
        marks = draw_marks(count, rng)
        seen, turned = (take(mark.astype(np.float32)) for mark in marks)
        turns = rotations[:, [PART_OF[name] for name in POINTS]]
        frames = self._facings(positions, turns, seen, turned)
        x, start = inputs(
            positions + noise,
            turns + ROTATION_NOISE * self._normal(count, COUNT, 3, 3),
            (seen, turned),
            frames,
            self._sizes[take(builds)],
        )
        # The pelvis is where it was seen, noise included, or where the answer says.
        pelvis_seen = seen[:, AT["pelvis"]]
        away = np.where(pelvis_seen[:, None] > 0.0, 0.0, positions[:, AT["pelvis"]] - start)
        inverse = np.swapaxes(frames, -1, -2)
        seen_from = (joints + away[:, None]) @ frames
        return x, Batch(body, inverse[:, None] @ rotations, seen_from, pelvis_seen)

    def _normal(self, *shape: int) -> Array:
        """Return normal random numbers where arrays are worked on."""
        return self.noise.standard_normal(shape, dtype=np.float32)

    def _bodies(self, builds: Ints) -> Body:
        """Return builds with somewhat other lengths, left and right alike."""
        spread, rng, count = self.settings.lengths, self.rng, len(builds)
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

    def _facings(self, positions: Array, turns: Array, seen: Array, turned: Array) -> Array:
        """Return facings (N, 3, 3) as the points tell them, turned at random."""
        settings, rng, count = self.settings, self.rng, len(positions)
        left = left_of(positions, turns, seen, turned)
        angle = np.where(
            rng.random(count) < settings.astray,
            rng.uniform(-np.pi, np.pi, count),
            settings.yaw * rng.normal(size=count),
        )
        cosine, sine = (self.take(f(angle).astype(np.float32)) for f in (np.cos, np.sin))
        x, z = left[:, 0], left[:, 2]
        aside = np.stack([cosine * x + sine * z, left[:, 1], cosine * z - sine * x], axis=-1)
        return facing(aside)


def draw_marks(count: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Draw which positions and which rotations of points are known, (N, 22) each."""
    seen, turned = (np.zeros((count, COUNT), np.bool_) for _ in range(2))
    chances = np.cumsum(CHANCES) / sum(CHANCES)
    kinds = np.searchsorted(chances, rng.random(count))
    for kind, (points, rotations) in enumerate(CONFIGURATIONS):
        rows = np.flatnonzero(kinds == kind)[:, None]
        seen[rows, [AT[name] for name in points]] = True
        turned[rows, [AT[name] for name in rotations]] = True
    random = np.flatnonzero(kinds >= len(CONFIGURATIONS))
    share = rng.uniform(0.1, 1.0, (len(random), 1))
    seen[random] = rng.random((len(random), COUNT)) < share
    turned[random] = seen[random] & (
        rng.random((len(random), COUNT)) < rng.random((len(random), 1))
    )
    lost = np.flatnonzero(rng.random(count) < LOST)
    gone = rng.integers(0, COUNT, len(lost))
    seen[lost, gone] = turned[lost, gone] = False
    empty = ~seen.any(axis=1)
    seen[empty, AT["head"]] = True
    return seen, turned


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
    if device == "cpu":
        return np.random.default_rng(seed)
    import cupy

    return cupy.random.default_rng(seed)


def array_maker(device: str) -> Callable[[Any], Any]:
    """Return the function that brings arrays to where they are worked on."""
    if device == "cpu":
        return np.asarray
    try:
        import cupy
    except ImportError as error:
        raise MissingExtra("cupy", "train", "training on a graphics card") from error
    made: Callable[[Any], Any] = cupy.asarray
    return made
