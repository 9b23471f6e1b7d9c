"""Fitting a prior to what people did.

Subjects count by the root of their frames, so that the one who was recorded for hours does not
decide. Half of the frames are given to another subject's build, all lengths vary by a few percent,
points are noisy, the facing is turned at random as the solver's own will be, and every other frame
is mirrored. Seeds are fixed: the same data give the same model on the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats, Ints
from ..motion.motion import Motion
from .layout import (
    ENDS,
    INPUTS,
    OUTPUTS,
    POINTS,
    facing,
    inputs,
    measures,
    mirror_inputs,
    mirror_outputs,
    targets,
)
from .leaks import find_leaks
from .loss import Batch, loss
from .model import Prior
from .network import Adam, Array, backward, forward, new_weights
from .poses import ARMS, Build, Poses, build_of, place, poses_of
from .stations import PELVIS

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Subject:
    """One person and all that was recorded of them."""

    name: str
    build: Build
    poses: Poses

    @classmethod
    def of(cls, name: str, motions: Sequence[Motion]) -> Subject:
        """From clips of one person, all on one skeleton."""
        if not motions or not any(len(motion) for motion in motions):
            raise InputError(f"Expected at least one frame of subject {name!r}, got none.")
        build = build_of(motions[0].skeleton.anatomy)
        return cls(name, build, Poses.joined([poses_of(motion) for motion in motions]))


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a prior is fitted; the defaults are those of the built-in one."""

    units: int = 128
    """In each of the two hidden layers."""
    steps: int = 6000
    batch: int = 1024
    """Frames in each step."""
    rows: int = 250_000
    """Frames that are drawn, with their builds, before the first step."""
    rate: float = 3e-3
    decay: float = 0.05
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
    seed: int = 20080408


class Rows(NamedTuple):
    """Frames to draw from, in the world; lengths as parts of height, 32 bits."""

    points: Array
    """(N, 5, 3)."""
    targets: Array
    """(N, 26, 3)."""
    parts: Array
    """(N, 5, 3)."""
    girdle: Array
    """(N, 2, 3)."""
    hips: Array
    """(N, 2, 3)."""
    spine: Array
    """(N, 5, 3)."""
    roots: Array
    """(N, 4, 3)."""
    hinges: Array
    """(N, 4, 3)."""
    sizes: Array
    """(N, 12)."""


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
    rows = draw_rows(subjects, chosen, rng)
    x, batch = _batch(rows, np.arange(min(50_000, len(rows.points))), chosen, rng)
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-3
    weights = new_weights(rng, (INPUTS, chosen.units, chosen.units, OUTPUTS))
    weights[-1] += batch.targets.mean(axis=0).ravel()
    adam = Adam(weights, chosen.steps, chosen.rate, chosen.decay)
    order, signs = mirror_inputs()
    back, back_signs = (a.astype(t) for a, t in zip(mirror_outputs(), (np.int64, np.float32),
                                                     strict=True))  # fmt: skip
    for step in range(chosen.steps):
        which = rng.integers(0, len(rows.points), chosen.batch)
        x, batch = _batch(rows, which, chosen, rng)
        flip = rng.random(chosen.batch) < 0.5
        x = np.where(flip[:, None], x[:, order] * signs.astype(np.float32), x)
        outputs, kept = forward(weights, (x - mean) / scale)
        # The loss is that of the body itself: mirrored answers are mirrored back.
        straight = np.where(flip[:, None], outputs[:, back] * back_signs, outputs)
        _, slope = loss(straight, batch)
        slope = np.where(flip[:, None], slope[:, back] * back_signs, slope)
        adam.step(backward(weights, kept, slope.astype(np.float32)))
        if progress is not None and (step + 1) % 50 == 0:
            progress(step + 1, chosen.steps)
    whitening, near = _usual(rows, chosen, rng, mean, scale)
    return Prior(tuple(w.astype(np.float64) for w in weights), mean, scale, whitening, near)


def draw_rows(
    subjects: Sequence[Subject], settings: TrainingSettings, rng: np.random.Generator
) -> Rows:
    """Frames of all subjects by the root of their numbers, some in other builds."""
    wish = np.sqrt([len(subject.poses) for subject in subjects])
    counts = np.maximum(1, np.round(settings.rows * wish / wish.sum())).astype(int)
    pieces: list[list[Array]] = []
    for subject, count in zip(subjects, counts, strict=True):
        which = rng.integers(0, len(subject.poses), count)
        swapped = rng.random(count) < settings.swap
        builds = np.where(swapped, rng.integers(0, len(subjects), count), -1)
        for number in np.unique(builds):
            build = subject.build if number < 0 else subjects[number].build
            chosen = which[builds == number]
            pieces.append(_rows(_varied(build, settings.lengths, rng), subject.poses, chosen))
    return Rows(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def _varied(build: Build, spread: float, rng: np.random.Generator) -> Build:
    """A build with somewhat other lengths, left and right alike."""

    def factors(*shape: int) -> Floats:
        return np.asarray(1.0 + spread * rng.normal(size=shape))

    limbs = factors(2, 2)
    return replace(
        build,
        torso=build.torso * factors(1, 1),
        neck=build.neck * factors(1, 1),
        bases=build.bases * factors(1, 3),
        clavicles=build.clavicles * factors(1, 3),
        bones=build.bones * limbs[[0, 0, 1, 1]],
    )


def _rows(build: Build, poses: Poses, which: Ints) -> list[Array]:
    chosen = poses.frames(which)
    places = place(build, chosen)
    count = len(chosen)
    girdle = build.bases[:ARMS] + build.clavicles
    columns = [
        places.points,
        targets(chosen) * build.height,
        np.broadcast_to(np.concatenate([build.torso, build.neck]), (count, POINTS, 3)),
        np.broadcast_to(girdle, (count, ARMS, 3)),
        np.broadcast_to(build.bases[ARMS:], (count, ARMS, 3)),
        places.spine,
        places.roots,
        places.hinges,
        np.broadcast_to(measures(build) * build.height, (count, 12)),
    ]
    return [np.asarray(column / build.height, np.float32) for column in columns]


def _batch(
    rows: Rows, which: Ints, settings: TrainingSettings, rng: np.random.Generator
) -> tuple[Array, Batch]:
    """Inputs of some rows, with noise and in random facings, and what the outputs should be."""
    count = len(which)
    exact = rows.points[which]
    wanted = rows.targets[which]
    noise = settings.noise * rng.random((count, 1, 1)) ** 2
    points = exact + (noise * rng.normal(size=exact.shape)).astype(np.float32)
    frames = facing(points, wanted[:, 2 * PELVIS])
    angle = np.where(
        rng.random(count) < settings.lost,
        rng.uniform(-np.pi, np.pi, count),
        settings.yaw * rng.normal(size=count),
    )
    left = np.cos(angle)[:, None] * frames[..., 0] - np.sin(angle)[:, None] * frames[..., 2]
    frames = facing(points, left).astype(np.float32)
    x = inputs(points, frames, rows.sizes[which]).astype(np.float32)

    def seen(vectors: Array) -> Array:
        return np.asarray(vectors @ frames)

    roots, ends = rows.roots[which], exact[:, 1:]
    lines = ends - roots
    lines = lines / np.maximum(np.linalg.norm(lines, axis=-1, keepdims=True), 1e-6)
    away = rows.hinges[which] - roots
    away = away - (away * lines).sum(-1, keepdims=True) * lines
    turned = np.concatenate([seen(wanted[:, :ENDS]), wanted[:, ENDS:]], axis=1)
    batch = Batch(
        turned,
        rows.parts[which],
        rows.girdle[which],
        rows.hips[which],
        seen(rows.spine[which]),
        seen(roots),
        seen(lines),
        np.linalg.norm(away, axis=-1),
    )
    return x, batch


def _usual(
    rows: Rows, settings: TrainingSettings, rng: np.random.Generator, mean: Array, scale: Array
) -> tuple[Floats, float]:
    """What inputs look like when all is well: whitening, and the distance of the 99.5th percentile.

    Without lost facings, which the solver does not have for long.
    """
    calm = replace(settings, lost=0.0, yaw=0.5 * settings.yaw)
    x, _ = _batch(rows, np.arange(min(50_000, len(rows.points))), calm, rng)
    order, signs = mirror_inputs()
    x = np.concatenate([x, x[:, order] * signs])
    scaled = (x - mean) / scale
    values, vectors = np.linalg.eigh(np.cov(scaled.T))
    whitening = vectors / np.sqrt(np.maximum(values, 1e-3 * values.max()))
    distance = np.linalg.norm(scaled @ whitening, axis=1)
    return np.asarray(whitening, np.float64), float(np.percentile(distance, 99.5))
