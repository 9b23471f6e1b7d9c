"""What the network is punished for: how far joints would be from where they were.

The outputs are directions, but what counts are places, so each frame costs the distances of spine,
shoulders, hips and of elbows and knees that follow from them, and the distances of the directions
themselves for the sake of rotations. All distances are |d|, smoothed near zero, and not squared: a
few frames that nobody can guess must not decide. Frames count by their squares, as the error
measure does. Every step is linear in the outputs but for the third axis of a frame, Z = X x Y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .layout import ENDS, HINGES, ROWS
from .network import Array
from .poses import ARMS, CHEST
from .stations import HEAD, PELVIS, STATIONS, TORSO

SMOOTH_PLACE, SMOOTH_AXIS = 1e-5, 1e-3
"""Squares of the distances below which a cost is smooth; parts of height, and directions."""
SPINE, SHOULDER, HIP, HINGE = 1.0, 3.0, 5.0, 1.0
"""What a distance of each joint costs: elbows follow their shoulder, and knees their hip."""
PLACES, AXES = 10.0, 0.1
"""What places cost against directions."""
PARTS = HEAD - TORSO
SCORED = 22.0


class Batch(NamedTuple):
    """What the loss compares the outputs with, in the facing; lengths as parts of height."""

    targets: Array
    """Directions, shape (N, 26, 3)."""
    parts: Array
    """Parts of torso and neck in the neutral stance, shape (N, 5, 3)."""
    girdle: Array
    """Base of the neck to each shoulder in the neutral stance, shape (N, 2, 3)."""
    hips: Array
    """Pelvis to each hip in the neutral stance, shape (N, 2, 3)."""
    spine: Array
    """Where the ends of these parts are, shape (N, 5, 3)."""
    roots: Array
    """Where shoulders and hips are, shape (N, 4, 3)."""
    lines: Array
    """Unit vectors from shoulder to wrist and from hip to ankle, shape (N, 4, 3)."""
    levers: Array
    """Distances of elbows and knees from these lines, shape (N, 4)."""


def axis_weights() -> Array:
    """What each direction costs, shape (26,): the pelvis more, hands and feet less."""
    weights = np.ones(ROWS, np.float32)
    weights[0] = 1.5
    weights[ENDS:] = 0.3
    return weights / ROWS


def loss(outputs: Array, batch: Batch) -> tuple[float, Array]:
    """The cost of outputs (N, 78), and its derivative by them."""
    count = len(outputs)
    rows = outputs.reshape(count, ROWS, 3)
    slope = np.zeros_like(rows)
    gaps = rows - batch.targets

    # Directions, each frame alike.
    size = np.sqrt((gaps * gaps).sum(-1) + SMOOTH_AXIS)
    weights = axis_weights()
    total = AXES * float((size * weights).sum()) / count
    slope += (AXES / count) * (weights / size)[..., None] * gaps

    # Places.
    x, y = rows[:, 0 : 2 * STATIONS : 2], rows[:, 1 : 2 * STATIONS : 2]
    z = np.cross(x, y)

    def turned(station: slice | int, vectors: Array) -> Array:
        return (
            vectors[..., :1] * x[:, station]
            + vectors[..., 1:2] * y[:, station]
            + vectors[..., 2:] * z[:, station]
        )

    inner = slice(TORSO, HEAD)
    chest, pelvis = slice(CHEST, CHEST + 1), slice(PELVIS, PELVIS + 1)
    spine = np.cumsum(turned(inner, batch.parts), axis=1)
    neck_base = spine[:, CHEST - TORSO : CHEST - TORSO + 1]
    shoulders = neck_base + turned(chest, batch.girdle)
    hips = turned(pelvis, batch.hips)
    across = gaps[:, HINGES:ENDS]
    across = across - (across * batch.lines).sum(-1, keepdims=True) * batch.lines
    pieces = (
        (SPINE, spine - batch.spine),
        (SHOULDER, shoulders - batch.roots[:, :ARMS]),
        (HIP, hips - batch.roots[:, ARMS:]),
        (HINGE, across * batch.levers[..., None]),
    )
    sizes = [np.sqrt((d * d).sum(-1) + SMOOTH_PLACE) for _, d in pieces]
    frame = sum(w * s.sum(axis=1) for (w, _), s in zip(pieces, sizes, strict=True)) / SCORED
    rms = float(np.sqrt((frame * frame).mean()))
    total += PLACES * rms
    share = (PLACES * frame / (count * rms * SCORED))[:, None, None]
    pull = [share * w * d / s[..., None] for (w, d), s in zip(pieces, sizes, strict=True)]

    pulled = pull[3] * batch.levers[..., None]
    slope[:, HINGES:ENDS] += pulled - (pulled * batch.lines).sum(-1, keepdims=True) * batch.lines
    at_spine = pull[0].copy()
    at_spine[:, CHEST - TORSO] += pull[1].sum(axis=1)
    # A place moves with all parts below it.
    at_parts = np.cumsum(at_spine[:, ::-1], axis=1)[:, ::-1]
    for station, vectors, g in (
        *((TORSO + k, batch.parts[:, k], at_parts[:, k]) for k in range(PARTS)),
        *((CHEST, batch.girdle[:, k], pull[1][:, k]) for k in range(ARMS)),
        *((PELVIS, batch.hips[:, k], pull[2][:, k]) for k in range(2)),
    ):
        a, b, c = vectors[:, :1], vectors[:, 1:2], vectors[:, 2:]
        slope[:, 2 * station] += a * g + c * np.cross(y[:, station], g)
        slope[:, 2 * station + 1] += b * g + c * np.cross(g, x[:, station])
    return total, slope.reshape(count, 3 * ROWS)
