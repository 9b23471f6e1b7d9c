"""Fitting a prior to what people did.

Each step draws frames, gives some of them the build of another subject and varies all lengths,
hides some points and some rotations, adds noise, and turns the facing at random as that of real
points will be. Seeds are fixed: on a processor the same data give the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from .autograd import Adam, Array, Value, gradients
from .critic import fit_critic
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
from .loss import LIMB_PARTS, Batch, Constants, constants, loss
from .model import Prior
from .network import Layers, answer, new_layers
from .point_sets import POINT_SETS
from .poses import CHEST, HEAD, LIMBS, NECK, PELVIS, STATIONS
from .samples import Sampler, Variation, to_cpu
from .training_data import Recordings, Subject, find_leaks

Progress = Callable[[int, int], None]
"""Called with the number of steps done and their total."""
PACE = 50
"""Steps between two reports of progress."""

CHANCES = (9, 3, 2, *(1 for _ in range(3, len(POINT_SETS))), 4)
"""How often each set of `POINT_SETS` is drawn, and how often random points."""
ENDS, HINGES = (
    [AT[f"{side}_{name}"] for name in names for side in "lr"]
    for names in (("wrist", "ankle"), ("elbow", "knee"))
)
"""Places of the ends of limbs, and of elbows and knees."""
LOST = 0.15
"""Part of the frames in which one more point is not seen."""
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
    """How a prior is fitted; the defaults are for one core of a processor."""

    units: int = 128
    """Pairs of units in each hidden layer."""
    depth: int = 3
    """Hidden layers."""
    steps: int = 6000
    batch: int = 1024
    """Frames in each step."""
    rate: float = 3e-3
    """Highest rate of learning."""
    decay: float = 0.02
    """How fast weights fall towards zero, as a part of the rate."""
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
    critic_units: int = 32
    """Pairs of units in each of the two hidden layers of the critic."""
    critic_steps: int = 12_000
    """Steps of the critic, at most twice as many as those of the network; they are much quicker."""
    seed: int = 20080408

    @property
    def variation(self) -> Variation:
        """How drawn people differ from those who were recorded."""
        return Variation(self.swap, self.lengths, self.noise)


class Fitting:
    """A network while it is fitted. Arrays are on a graphics card for the device "gpu"."""

    def __init__(
        self, recordings: Recordings, settings: TrainingSettings, device: str = "cpu"
    ) -> None:
        self.settings = settings
        self.sampler = Sampler(recordings, settings.variation, settings.seed, device)
        take = self.sampler.take
        incoming, outgoing = sides(*mirror_inputs()), sides(*mirror_outputs())
        self._even, self._odd = (take(m.astype(np.float32)) for m in incoming)
        self._tables = Constants(*map(take, constants(outgoing)))
        layers = new_layers(
            self.sampler.rng,
            (incoming.even.shape[1], incoming.odd.shape[1]),
            [settings.units] * settings.depth,
            (outgoing.even.shape[1], outgoing.odd.shape[1]),
        )
        both = np.abs(outgoing.even).sum(axis=0)
        layers[-2] += (neutral() @ outgoing.even / both).astype(np.float32)
        self.layers: Layers = [take(layer) for layer in layers]
        self._adam = Adam(self.layers, settings.steps, settings.rate, settings.decay)

    def step(self) -> float:
        """Take one step downhill; return the cost before it."""
        settings, noise = self.settings, self.sampler.noise
        x, batch = self.batch(settings.batch)
        keep = np.float32(1.0 - settings.drop)
        shape = (settings.batch, settings.units)
        masks = [
            (noise.random(shape, dtype=np.float32) < keep) * np.float32(1.0 / keep)
            for _ in range(settings.depth)
        ]
        layers = [Value(layer) for layer in self.layers]
        found = answer(layers, x @ self._even, x @ self._odd, masks)
        cost = loss(found, batch, self._tables)
        self._adam.step(gradients(cost, layers))
        return float(cost.array)

    def batch(self, count: int) -> tuple[Array, Batch]:
        """Return inputs of drawn frames (N, 256), and what the answers should be."""
        sampler, take = self.sampler, self.sampler.take
        people = sampler.people(count)
        marks = draw_marks(count, sampler.rng)
        seen, turned = (take(mark.astype(np.float32)) for mark in marks)
        turns = people.rotations[:, [PART_OF[name] for name in POINTS]]
        frames = self._facings(people.positions, turns, seen, turned)
        x, start = inputs(
            people.positions + people.noise,
            turns + ROTATION_NOISE * sampler.normal(count, COUNT, 3, 3),
            (seen, turned),
            frames,
            people.sizes,
        )
        # The pelvis is where it was seen, noise included, or where the answer says.
        pelvis, pelvis_seen = people.positions[:, AT["pelvis"]], seen[:, AT["pelvis"]]
        away = np.where(pelvis_seen[:, None] > 0.0, 0.0, pelvis - start)
        rotations = np.swapaxes(frames, -1, -2)[:, None] @ people.rotations
        joints = (people.joints + away[:, None]) @ frames
        aimed = seen[:, ENDS] * (1.0 - seen[:, HINGES])
        return x, Batch(people.body, rotations, joints, pelvis_seen, aimed)

    def _facings(self, positions: Array, turns: Array, seen: Array, turned: Array) -> Array:
        """Return facings (N, 3, 3) as the points tell them, turned at random."""
        settings, rng, count = self.settings, self.sampler.rng, len(positions)
        left = left_of(positions, turns, seen, turned)
        angle = np.where(
            rng.random(count) < settings.astray,
            rng.uniform(-np.pi, np.pi, count),
            settings.yaw * rng.normal(size=count),
        )
        cosine, sine = (self.sampler.take(f(angle).astype(np.float32)) for f in (np.cos, np.sin))
        x, z = left[:, 0], left[:, 2]
        aside = np.stack([cosine * x + sine * z, left[:, 1], cosine * z - sine * x], axis=-1)
        return facing(aside)


def train_prior(
    subjects: Sequence[Subject],
    validation: Sequence[Subject],
    settings: TrainingSettings | None = None,
    progress: Progress | None = None,
    device: str = "cpu",
) -> Prior:
    """Fit a prior to the subjects.

    Args:
        subjects: those to learn from.
        validation: those kept aside: only looked at to make sure that they are other people.
        settings: how.
        progress: called with the number of steps done and their total.
        device: "cpu", or "gpu" for a graphics card, which needs CuPy.

    Raises:
        InputError: nobody to learn from, somebody on both sides, or no such device.
        MissingExtra: a graphics card is asked for and CuPy is not installed.
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
    recordings = Recordings.of(subjects)
    fitting = Fitting(recordings, chosen, device)
    critic_steps = min(chosen.critic_steps, 2 * chosen.steps)
    total = chosen.steps + critic_steps

    def tell(done: int) -> None:
        if progress is not None and (done % PACE == 0 or done == total):
            progress(done, total)

    for step in range(chosen.steps):
        fitting.step()
        tell(step + 1)
    critic = fit_critic(
        Sampler(recordings, chosen.variation, chosen.seed),
        chosen.critic_units,
        critic_steps,
        lambda done: tell(chosen.steps + done),
    )
    return Prior(tuple(map(to_cpu, fitting.layers)), tuple(critic))


def draw_marks(count: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Draw which positions and which rotations of points are known, (N, 22) each."""
    seen, turned = (np.zeros((count, COUNT), np.bool_) for _ in range(2))
    chances = np.cumsum(CHANCES) / sum(CHANCES)
    kinds = np.searchsorted(chances, rng.random(count))
    for kind, (points, rotations) in enumerate(POINT_SETS.values()):
        rows = np.flatnonzero(kinds == kind)[:, None]
        seen[rows, [AT[name] for name in points]] = True
        turned[rows, [AT[name] for name in rotations]] = True
    random = np.flatnonzero(kinds >= len(POINT_SETS))
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
