"""What the network is punished for: the errors of the body that follows from its answer.

They are those by which solvers are judged (section 9 of the SIK paper): in each frame the mean over
22 joints of the distances and of the angles between rotations relative to the part below, then the
root mean square over frames for places. Single distances and angles are not squared: a few joints
that nobody can guess must not decide. All are smoothed near zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import autograd
from .answer import Answer, Body, answer
from .autograd import Array, Value
from .layout import ROWS

SMOOTH_PLACE, SMOOTH_ANGLE = 1e-6, 1e-4
"""Squares of the distances (parts of height) and angles [rad] below which a cost is smooth."""
PLACES, TURNS, LENGTHS = 10.0, 1.0, 0.02
"""What errors of places and of rotations cost, and directions of another length than 1."""
SCORED = 22.0
TWIST = 0.5
"""What the twist of a forearm costs, which counts with no joint or with the hand's."""


class Batch(NamedTuple):
    """What answers are made from and compared with, in the facing; lengths as parts of height."""

    points: Array
    """Head, wrists and ankles as they were seen, shape (N, 5, 3)."""
    body: Body
    turns: Array
    """Rotations as in `Answer.locals`, shape (N, 21, 3, 3)."""
    places: Array
    """As in `Answer.places`, shape (N, 15, 3)."""


def turn_weights() -> Array:
    """What the angle of each of the 21 rotations costs."""
    weights = np.ones(21, np.float32)
    weights[15:17] = TWIST
    return weights


def loss(outputs: Value, batch: Batch) -> Value:
    """The cost of outputs (N, 78)."""
    places, turns = errors(answer(outputs, batch.points, batch.body), batch)
    rows = outputs.reshape(len(batch.points), ROWS, 3)
    excess = autograd.dot(rows, rows) - 1.0
    cost = autograd.sqrt((places * places).mean()) * PLACES + turns.mean() * TURNS
    return cost + (excess * excess).mean() * LENGTHS


def errors(found: Answer, batch: Batch) -> tuple[Value, Value]:
    """Mean distance and mean angle of the scored joints in each frame, shape (N,) each."""
    gap = found.places - batch.places
    distances = autograd.sqrt((gap * gap).sum(axis=-1) + SMOOTH_PLACE)
    twist = found.locals - batch.turns
    # |A - B|^2 = 8 sin^2(angle / 2), so this is the angle where it is small, and less where not.
    angles = autograd.sqrt((twist * twist).sum(axis=(-2, -1)) * 0.5 + SMOOTH_ANGLE)
    return (
        distances.sum(axis=1) * (1.0 / SCORED),
        (angles * turn_weights()).sum(axis=1) * (1.0 / SCORED),
    )
