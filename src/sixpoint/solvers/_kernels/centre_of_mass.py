"""Centre of mass of a figure, how every joint moves it, and what keeps it above a support.

Inverse kinetics (Boulic, Mas and Thalmann 1996)::

    c = sum m_i p_i        dc / dtheta_j = sum over i moved by j of m_i  a_j x (p_i - o_j)
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_rotate
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import vec_add, vec_cross, vec_load, vec_scale, vec_store, vec_sub
from .figure import Figure, FigurePose


class Masses(NamedTuple):
    """M points with mass, fixed to rows of a figure of N rows."""

    row: Ints
    """Row that carries each, (M,)."""
    offset: Floats
    """Place in the row's frame [m], (M, 3)."""
    share: Floats
    """Part of the body's mass, which sum to 1, (M,)."""
    moves: Ints
    """Whether each row moves each point, (M, N)."""
    place: Floats
    """Scratch: places in the world [m], (M, 3)."""
    support: Floats
    """Corners (x, z) of what the centre shall stand above, relative to the root's place and
    rotation, counter-clockwise seen from below (x towards z) [m], (K, 2); one corner: a line."""


@helper
def mass_centre(pose: FigurePose, masses: Masses) -> Vec3:
    """Where the centre of mass is; fills the places."""
    centre = (0.0, 0.0, 0.0)
    for i in range(masses.row.shape[0]):
        row = masses.row[i]
        step = quat_rotate(quat_load(pose.world, row), vec_load(masses.offset, i))
        here = vec_add(vec_load(pose.place, row), step)
        vec_store(masses.place, i, here)
        centre = vec_add(centre, vec_scale(here, masses.share[i]))
    return centre


@helper
def mass_column(pose: FigurePose, masses: Masses, row: int, axis: Vec3) -> Vec3:
    """Velocity of the centre for a unit speed of a row about an axis; expects the places."""
    arm = (0.0, 0.0, 0.0)
    origin = vec_load(pose.place, row)
    for i in range(masses.row.shape[0]):
        if masses.moves[i, row]:
            away = vec_sub(vec_load(masses.place, i), origin)
            arm = vec_add(arm, vec_scale(away, masses.share[i]))
    return vec_cross(axis, arm)


@helper
def nearest_support(support: Floats, x: float, z: float) -> tuple[float, float, bool]:
    """The point of a convex support nearest to (x, z), and whether that is (x, z) itself."""
    count = support.shape[0]
    inside = count > 2
    best, near_x, near_z = math.inf, support[0, 0], support[0, 1]
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        ax, az = support[k, 0], support[k, 1]
        ex, ez = support[after, 0] - ax, support[after, 1] - az
        if ex * (z - az) - ez * (x - ax) < 0.0:
            inside = False
        square = ex * ex + ez * ez
        t = 0.0
        if square > 0.0:
            t = min(1.0, max(0.0, ((x - ax) * ex + (z - az) * ez) / square))
        px, pz = ax + t * ex, az + t * ez
        away = (x - px) * (x - px) + (z - pz) * (z - pz)
        if away < best:
            best, near_x, near_z = away, px, pz
    if inside:
        return x, z, True
    return near_x, near_z, False


@helper
def centre_slopes(
    figure: Figure, pose: FigurePose, masses: Masses, axes: Floats, floats: bool, out: Floats
) -> None:
    """Change of the centre's x and z with every degree of freedom, as parts of the size (2, D).

    The height is free (S3.24). Expects the places.
    """
    size = figure.size[0]
    d = out.shape[1]
    for row in range(figure.parent.shape[0]):
        for k in range(figure.first[row], figure.first[row] + figure.freedom[row]):
            column = mass_column(pose, masses, row, vec_load(axes, k))
            out[0, k], out[1, k] = column[0] / size, column[2] / size
    if floats:
        for k in range(d - 3, d):
            out[0, k], out[1, k] = 0.0, 0.0
        out[0, d - 3] = 1.0
        out[1, d - 1] = 1.0


@helper
def centre_ahead(figure: Figure, slopes: Floats, step: Floats, centre: Vec3) -> Vec3:
    """Where a step (D,) would take the centre, to first order."""
    x, z = 0.0, 0.0
    for k in range(step.shape[0]):
        x += slopes[0, k] * step[k]
        z += slopes[1, k] * step[k]
    return (centre[0] + figure.size[0] * x, centre[1], centre[2] + figure.size[0] * z)


@helper
def ask_centre(
    slopes: Floats,
    give: Floats,
    awake: float,
    x: float,
    z: float,
    first: int,
    jacobian: Floats,
    asked: Floats,
) -> None:
    """Rows of the task of balance: move the centre by x and z, parts of the size; 0: no rows."""
    for k in range(slopes.shape[1]):
        jacobian[first, k] = awake * slopes[0, k] * give[k]
        jacobian[first + 1, k] = 0.0
        jacobian[first + 2, k] = awake * slopes[1, k] * give[k]
    asked[first], asked[first + 1], asked[first + 2] = x, 0.0, z
