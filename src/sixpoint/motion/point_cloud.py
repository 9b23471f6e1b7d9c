"""Distance of point clouds between two motions (Kovar, Gleicher and Pighin 2002, section 3.1).

Around each frame the points of a window of frames are taken from both motions. What counts is how
far they are apart after the one rotation about the vertical and the one shift along the ground that
bring the two clouds nearest to each other: where a motion takes place and which way it faces does
not matter, how it goes on does.
"""

from __future__ import annotations

import numpy as np

from ..kernels.types import Floats

WINDOW = 1.0 / 3.0
"""Length of the window of frames [s]: about a third of a second, as in Kovar et al. 2002."""


def point_cloud_distances(
    points: Floats, others: Floats, weights: Floats, rate: float, window: float = WINDOW
) -> Floats:
    """Return the distance of two motions around each frame [m], shape (F,).

    It is the root of the weighted mean of squared distances, the square root of Kovar's sum with
    weights that add up to one. Windows are cut off at both ends of the clip.

    Args:
        points: of one motion, Y up [m], shape (F, N, 3).
        others: the same points of the other motion [m], shape (F, N, 3).
        weights: of each point, shape (N,).
        rate: frames a second [Hz].
        window: length of the windows [s].
    """
    share = np.asarray(weights, dtype=np.float64) / np.sum(weights)
    # Far from the origin, differences of squares would lose digits.
    a, b = points - points.mean(axis=(0, 1)), others - others.mean(axis=(0, 1))
    ax, az, bx, bz = a[..., 0], a[..., 2], b[..., 0], b[..., 2]
    rise = (points[..., 1] - others[..., 1]) ** 2
    sums = np.stack(
        [ax, az, bx, bz, ax**2 + az**2 + bx**2 + bz**2, ax * bx + az * bz, ax * bz - az * bx, rise]
    )
    x, z, other_x, other_z, squares, dot, cross, rise = _windowed(sums @ share, rate, window)
    # Sums about the centres of both clouds: the best shift makes the centres meet.
    squares = squares - (x**2 + z**2 + other_x**2 + other_z**2)
    dot = dot - (x * other_x + z * other_z)
    cross = cross - (x * other_z - z * other_x)
    # The best rotation turns all of the product of the clouds into their agreement.
    apart = squares - 2.0 * np.hypot(dot, cross) + rise
    return np.asarray(np.sqrt(np.maximum(apart, 0.0)))


def _windowed(values: Floats, rate: float, window: float) -> Floats:
    """Return means (K, F) of values (K, F) over the frames of the window around each frame."""
    reach = max(0, round(0.5 * window * rate))
    frames = values.shape[1]
    count = np.zeros(frames)
    total = np.zeros_like(values)
    for shift in range(-min(reach, frames - 1), min(reach, frames - 1) + 1):
        here = slice(max(0, -shift), frames - max(0, shift))
        there = slice(max(0, shift), frames - max(0, -shift))
        total[:, here] += values[:, there]
        count[here] += 1.0
    return total / count
