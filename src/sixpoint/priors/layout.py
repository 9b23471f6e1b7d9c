"""What goes into the prior and what comes out, column by column, and how both look in a mirror.

A body is described by 22 points, each of which may be seen or not, with or without its rotation.
Everything is told in a *facing*: Y is the vertical, X points roughly to the left of the body, and
the origin is the pelvis or, where that is not seen, the best point that is. Lengths are parts of
body height. What is not known is zero, and a mark says so.

Outputs are the X and Y axes of the 21 parts of a body in the facing, the way from the origin to the
pelvis, and the logarithm of the error to be expected of each point.

A mirror takes left to right and changes signs. Sums and differences of both sides are therefore
told apart (`Sides`): sums stay as they are in a mirror, differences change their sign.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.types import Floats, Ints
from .autograd import Array
from .poses import ARMS, LIMBS, STATIONS, Build

CENTRAL = ("pelvis", "chest", "neck", "head")
SIDED = ("clavicle", "shoulder", "elbow", "wrist", "hand", "hip", "knee", "ankle", "toe")
POINTS = (*CENTRAL, *(f"{side}_{name}" for name in SIDED for side in "lr"))
"""Points of a body, those of the left before those of the right."""
COUNT = len(POINTS)
AT = {name: k for k, name in enumerate(POINTS)}
"""Place of each point."""

PER_POINT = 11
"""Columns of each point: position, X axis, Y axis, and two marks that say whether the position and
whether the rotation are known."""
HEIGHT = COUNT * PER_POINT
"""Column of the height of the origin above the ground; the next says whether it is known."""
MEASURES = 12
"""Numbers that tell the build of a body."""
INPUTS = HEIGHT + 2 + MEASURES

PARTS = STATIONS + ARMS + 3 * LIMBS
"""Parts of a body: stations of the spine, clavicles, upper and lower bones of limbs, hands and
feet."""
ORIGIN = 6 * PARTS
"""First output of the way from the origin to the pelvis."""
ERRORS = ORIGIN + 3
"""First output of the logarithms of errors, as parts of height."""
OUTPUTS = ERRORS + COUNT

FEET = tuple(AT[f"{side}_{name}"] for name in ("ankle", "toe") for side in "lr")
"""Where one of these is seen, the height above the ground is not told: feet say where that is, and
grounds are not level."""
LINES = (
    ("wrist", 1.0),
    ("hand", 0.5),
    ("ankle", 1.0),
    ("toe", 0.5),
    ("elbow", 1.0),
    ("knee", 1.0),
    ("clavicle", 2.0),
    ("shoulder", 3.0),
    ("hip", 3.0),
)
"""How much the lines between left and right decide where a body faces."""
TURNS = (("pelvis", 3.0), ("chest", 3.0), ("neck", 2.0), ("head", 2.0))
"""How much known rotations decide where a body faces."""
ORIGINS = (("pelvis",), ("l_hip", "r_hip"), ("chest",), ("neck",), ("head",))
"""Points whose mean is the origin: the first group that is seen; else the mean of all that are."""


def measures(build: Build) -> Floats:
    """Return a body in twelve numbers, lengths as parts of its height, left and right averaged."""
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


def left_of(positions: Array, rotations: Array, seen: Array, turned: Array) -> Array:
    """Return where the left of bodies is, as far as the points tell, (N, 3), of any length.

    Args:
        positions: of the points, anything where they are not seen, (N, 22, 3).
        rotations: as matrices, (N, 22, 3, 3).
        seen: 1 where the position is known, 0 where not, (N, 22).
        turned: the same of rotations.
    """
    left = np.zeros_like(positions[:, 0])
    for name, weight in LINES:
        a, b = AT[f"l_{name}"], AT[f"r_{name}"]
        line = positions[:, a] - positions[:, b]
        length = np.sqrt((line * line).sum(axis=-1, keepdims=True)) + 1e-9
        left = left + (weight * seen[:, a] * seen[:, b])[:, None] * line / length
    for name, weight in TURNS:
        p = AT[name]
        left = left + (weight * turned[:, p])[:, None] * rotations[:, p, :, 0]
    return left


def facing(left: Array) -> Array:
    """Return frames (N, 3, 3) with columns X, Y, Z whose Y is vertical, for directions (N, 3)."""
    x, z = left[:, 0] + 1e-6, left[:, 2]
    size = np.sqrt(x * x + z * z)
    x, z = x / size, z / size
    zero, one = np.zeros_like(x), np.ones_like(x)
    rows = (x, zero, -z), (zero, one, zero), (z, zero, x)
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def origin(positions: Array, seen: Array) -> Array:
    """Return the origin of each body (N, 3), for positions (N, 22, 3)."""
    weights = seen / np.maximum(seen.sum(axis=1, keepdims=True), 1.0)
    for group in reversed(ORIGINS):
        here = [AT[name] for name in group]
        chosen = np.zeros_like(seen)
        chosen[:, here] = 1.0 / len(here)
        whole = (seen[:, here].sum(axis=1) == len(here))[:, None]
        weights = np.where(whole, chosen, weights)
    found: Array = (weights[:, :, None] * np.where(seen[..., None] > 0.0, positions, 0.0)).sum(
        axis=1
    )
    return found


def inputs(
    positions: Array, rotations: Array, marks: tuple[Array, Array], frames: Array, body: Array
) -> tuple[Array, Array]:
    """Return inputs of the network (N, 256), and the origin of each body (N, 3).

    Args:
        positions: points as parts of height, (N, 22, 3); where they are not seen, any number.
        rotations: as matrices, (N, 22, 3, 3); where they are not known, any number.
        marks: 1 where the position, and 1 where the rotation of a point is known, (N, 22) each.
        frames: facings, (N, 3, 3).
        body: measures, (N, 12).
    """
    seen, turned = marks
    start = origin(positions, seen)
    away = np.where(seen[..., None] > 0.0, positions - start[:, None], 0.0)
    turns = np.where(turned[..., None, None] > 0.0, rotations, 0.0)
    places = away @ frames
    axes = np.swapaxes(frames, -1, -2)[:, None] @ turns
    columns = [places, axes[..., 0], axes[..., 1], seen[..., None], turned[..., None]]
    of_points = np.concatenate(columns, axis=-1).reshape(len(positions), -1)
    known = (seen[:, list(FEET)].sum(axis=1) == 0.0) * (seen.sum(axis=1) > 0.0)
    ground = np.stack([start[:, 1] * known, known + 0.0 * start[:, 1]], axis=-1)
    return np.concatenate([of_points, ground, body], axis=1), start


class Sides(NamedTuple):
    """Columns told apart by what a mirror does to them: two matrices of zeros, ones, minus ones.

    ``columns @ even`` are the sums of both sides, ``columns @ odd`` the differences; half-sums and
    half-differences give the columns back: ``sums @ even.T + differences @ odd.T``.
    """

    even: Floats
    odd: Floats


def mirror_inputs() -> tuple[Ints, Floats]:
    """Return the order and the signs that turn inputs into those of the mirrored body."""
    position, along_x, along_y = (-1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, 1.0)
    order = [PER_POINT * p + k for p in _other(POINTS) for k in range(PER_POINT)]
    signs = [*position, *along_x, *along_y, 1.0, 1.0] * COUNT
    rest = range(HEIGHT, INPUTS)
    return np.array([*order, *rest], np.int64), np.array([*signs, *(1.0 for _ in rest)])


def mirror_outputs() -> tuple[Ints, Floats]:
    """Return the order and the signs that turn outputs into those of the mirrored body."""
    along_x, along_y = (1.0, -1.0, -1.0), (-1.0, 1.0, 1.0)
    parts = [*range(STATIONS), *(STATIONS + (k ^ 1) for k in range(ARMS + 3 * LIMBS))]
    order = [6 * part + k for part in parts for k in range(6)]
    order += [ORIGIN, ORIGIN + 1, ORIGIN + 2, *(ERRORS + p for p in _other(POINTS))]
    signs = [*along_x, *along_y] * PARTS + [-1.0, 1.0, 1.0] + [1.0] * COUNT
    return np.array(order, np.int64), np.array(signs)


def _other(names: tuple[str, ...]) -> list[int]:
    """Return the place of each point on the other side."""
    swapped = {"l_": "r_", "r_": "l_"}
    return [names.index(swapped.get(name[:2], name[:2]) + name[2:]) for name in names]


def sides(order: Ints, signs: Floats) -> Sides:
    """Return columns told apart, for the order and the signs of their mirror image."""
    columns = np.eye(len(order))
    even: list[Floats] = []
    odd: list[Floats] = []
    for k, (other, sign) in enumerate(zip(order.tolist(), signs.tolist(), strict=True)):
        if other == k:
            (even if sign > 0.0 else odd).append(columns[k])
        elif other > k:
            even.append(columns[k] + sign * columns[other])
            odd.append(columns[k] - sign * columns[other])
    return Sides(np.stack(even, axis=1), np.stack(odd, axis=1))


def neutral() -> Floats:
    """Return outputs of a body that stands as the facing does, (151,)."""
    axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    return np.array([*axes * PARTS, 0.0, 0.0, 0.0, *[-4.0] * COUNT])
