"""What goes into the prior and what comes out, row by row, and how both look in a mirror.

Everything is seen in a *facing*: Y points from the pelvis to the head, X roughly to the left.
Inputs are the other five points from the pelvis, as parts of body height; the direction of gravity;
how far head, wrists and ankles are stretched; and the measures of the body. Outputs are directions:
X and Y axis of each station of the spine, the hinge axis of each limb, and for each hand and foot
two in the frame of the bone above it: X and Y axis of the foot; of the hand the X axis that the
forearm's twist turns, and the Y axis of the hand in the twisted frame.
"""

from __future__ import annotations

import numpy as np

from ..kernels.types import Floats, Ints
from .autograd import Array
from .poses import ARMS, LIMBS, STATIONS, Build

POINTS = 5
"""Head, left and right wrist, left and right ankle."""
MEASURES = 12
INPUTS = 3 * POINTS + 3 + POINTS + MEASURES
HINGES = 2 * STATIONS
"""First row of outputs for limbs; before it come X and Y of each station."""
ENDS = HINGES + LIMBS
"""First row of outputs for hands and feet."""
ROWS = ENDS + 2 * LIMBS
OUTPUTS = 3 * ROWS

OTHER_SIDE = [1, 0, 3, 2]
"""Limbs in a mirror."""


def measures(build: Build) -> Floats:
    """A body in twelve numbers, lengths as parts of its height, left and right averaged."""
    torso, neck = build.torso.sum(axis=0), build.neck.sum(axis=0)
    shoulders = build.bases[:ARMS] + build.clavicles
    hips = build.bases[ARMS:]
    arm, leg = build.bones[:ARMS].mean(axis=0), build.bones[ARMS:].mean(axis=0)
    values = [
        *arm,
        *leg,
        0.5 * (hips[0, 0] - hips[1, 0]),
        hips[:, 1].mean(),
        hips[:, 2].mean(),
        0.5 * (shoulders[0, 0] - shoulders[1, 0]),
        torso[1] + shoulders[:, 1].mean(),
        torso[2] + shoulders[:, 2].mean(),
        np.linalg.norm(torso),
        np.linalg.norm(torso + neck),
    ]
    return np.array(values) / build.height


def facing(points: Array, left: Array) -> Array:
    """Columns X, Y, Z of the frame in which points (F, 5, 3) are seen, shape (F, 3, 3).

    Args:
        points: the five points from the pelvis.
        left: roughly to the left, shape (F, 3).
    """
    up = _unit(points[:, 0])
    across = _unit(left - np.sum(left * up, axis=-1, keepdims=True) * up)
    return np.stack([across, up, np.cross(across, up)], axis=-1)


def inputs(points: Array, frames: Array, sizes: Array) -> Array:
    """Inputs of the network (F, 35): points as parts of height, facings, measures (F, 12)."""
    seen = np.einsum("fpi,fij->fpj", points, frames)
    leg = sizes[:, 2] + sizes[:, 3]
    arm = sizes[:, 0] + sizes[:, 1]
    stretched = [
        np.linalg.norm(points[:, 0], axis=-1) / sizes[:, 11],
        np.linalg.norm(points[:, 1] - points[:, 0], axis=-1) / arm,
        np.linalg.norm(points[:, 2] - points[:, 0], axis=-1) / arm,
        np.linalg.norm(points[:, 3], axis=-1) / leg,
        np.linalg.norm(points[:, 4], axis=-1) / leg,
    ]
    flat = seen.reshape(len(points), 3 * POINTS)
    return np.concatenate([flat, frames[:, 1], np.stack(stretched, axis=1), sizes], axis=1)


def neutral() -> Floats:
    """Outputs for a body that stands as the facing does, shape (78,)."""
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    return np.array([*(x, y) * STATIONS, *(x,) * LIMBS, *(x, y) * LIMBS]).ravel()


def mirror_inputs() -> tuple[Ints, Floats]:
    """Order and signs that turn inputs into those of the mirrored body, shape (35,) each."""
    rows = np.array([0, 2, 1, 4, 3])
    order = [3 * row + k for row in rows for k in range(3)]
    order += [15, 16, 17, *(18 + rows), *range(23, INPUTS)]
    signs = np.ones(INPUTS)
    signs[[0, 3, 6, 9, 12, 15]] = -1.0
    return np.array(order, np.int64), signs


def mirror_outputs() -> tuple[Ints, Floats]:
    """Order and signs that turn outputs into those of the mirrored body, shape (78,) each.

    The mirror in x = 0 takes a rotation's X axis (x, y, z) to (x, -y, -z) and its Y axis to
    (-x, y, z).
    """
    rows = [*range(HINGES), *(HINGES + k for k in OTHER_SIDE)]
    rows += [ENDS + 2 * k + axis for k in OTHER_SIDE for axis in (0, 1)]
    order = [3 * row + k for row in rows for k in range(3)]
    along_x, along_y = (1.0, -1.0, -1.0), (-1.0, 1.0, 1.0)
    signs = [along_x, along_y] * STATIONS + [along_x] * LIMBS + [along_x, along_y] * LIMBS
    return np.array(order, np.int64), np.array(signs).ravel()


def _unit(vectors: Array) -> Array:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-9))
