"""Triangulation: from pixels in several calibrated views to places in the world.

Linear (DLT; Hartley and Zisserman 2003, section 12.2) on normalised pixels, many places at once:
each view that sees a place gives two rows of A X = 0, and X is the right singular vector of the
least singular value.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ..errors import InputError
from ..kernels.types import Bools, Floats
from .camera import Camera, check_views

AGREE = 10.0
"""Views within this distance of a place agree with it, where no other threshold is given [px]."""


def triangulate(cameras: Sequence[Camera], pixels: Floats, weights: Floats | None = None) -> Floats:
    """Places (N, 3) [m] of pixels (V, N, 2) in V views.

    Args:
        cameras: the V views.
        pixels: NaN where a view does not see a place. Two views must, or the place is NaN.
        weights: how much each view counts (V, N); zero leaves it out.
    """
    check_views(cameras)
    at = np.asarray(pixels, dtype=np.float64)
    if at.ndim != 3 or at.shape[0] != len(cameras) or at.shape[2] != 2:
        raise InputError(f"Expected pixels of shape ({len(cameras)}, N, 2), got {at.shape}.")
    rows = []
    counted = np.asarray(np.isfinite(at).all(axis=-1))
    if weights is not None:
        counted = counted & (np.asarray(weights) > 0.0)
    for view, camera in enumerate(cameras):
        flat = np.where(counted[view, :, None], camera.straight(at[view]), 0.0)
        pair = flat[:, :, None] * camera.placement[2] - camera.placement[:2]
        scale = camera.matrix[0, 0] * (1.0 if weights is None else weights[view][:, None, None])
        rows.append(np.where(counted[view, :, None, None], pair * scale, 0.0))
    system = np.concatenate(rows, axis=1)
    square = np.swapaxes(system, -1, -2) @ system
    solution = np.linalg.eigh(square)[1][..., 0]  # a 4 x 4 each: ten times quicker than an SVD
    with np.errstate(divide="ignore", invalid="ignore"):
        places = solution[:, :3] / solution[:, 3:]
    enough = (counted.sum(axis=0) >= 2) & np.isfinite(places).all(axis=-1)
    return np.where(enough[:, None], places, np.nan)


def misses(cameras: Sequence[Camera], pixels: Floats, places: Floats) -> Floats:
    """Distances of pixels (V, N, 2) from the projections of places (N, 3) [px], shape (V, N)."""
    return np.stack(
        [
            np.linalg.norm(camera.project(places) - seen, axis=-1)
            for camera, seen in zip(cameras, pixels, strict=True)
        ]
    )


def all_pairs(cameras: Sequence[Camera], left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Every pixel of one view with every pixel of another (S3.7).

    Args:
        cameras: two views.
        left: pixels (M, 2) of the first.
        right: pixels (N, 2) of the second.

    Returns:
        Places (M, N, 3) [m] and how far the worse view is from them (M, N) [px]: pairs that do not
        belong together miss.
    """
    m, n = len(left), len(right)
    pixels = np.stack([np.repeat(left, n, axis=0), np.tile(right, (m, 1))])
    places = triangulate(cameras, pixels)
    worst = misses(cameras, pixels, places).max(axis=0) if m * n else np.zeros(0)
    return places.reshape(m, n, 3), worst.reshape(m, n)


def triangulate_robust(
    cameras: Sequence[Camera],
    pixels: Floats,
    confidence: Floats | None = None,
    agree: float = AGREE,
) -> tuple[Floats, Floats, Bools]:
    """Places of pixels of which some are wrong: the largest group of views that agree decides.

    Every pair of views proposes a place; the one that most views confirm wins, the nearer one if
    two tie, and is made anew from the views that confirm it, each counting by its confidence.

    Args:
        cameras: V views.
        pixels: (V, N, 2), NaN where a view does not see a place.
        confidence: of each pixel, 0 to 1, (V, N).
        agree: views within this distance of a place confirm it [px].

    Returns:
        Places (N, 3) [m], NaN where no two views agree, or less than half of those that see the
        place; confidence of each (N,): mean confidence of the views that agree, times the part of
        the views that see the place and agree; and which views agree (V, N).
    """
    check_views(cameras)
    sure = np.where(np.isfinite(pixels).all(axis=-1), 1.0, 0.0)
    if confidence is not None:
        sure = sure * np.nan_to_num(np.clip(confidence, 0.0, 1.0))
    seen = sure > 0.0
    count = pixels.shape[1]
    best_score, best_views = np.full(count, -np.inf), np.zeros(seen.shape, np.bool_)
    for pair in combinations(range(len(cameras)), 2):
        two = [cameras[k] for k in pair]
        places = triangulate(two, pixels[list(pair)], sure[list(pair)])
        away = np.where(seen, misses(cameras, pixels, places), np.inf)
        ahead = np.stack([camera.depth(places) > 0.0 for camera in cameras])
        with np.errstate(invalid="ignore"):
            confirm = (away <= agree) & ahead
        enough = confirm[list(pair)].all(axis=0)
        mean = np.where(confirm, away, 0.0).sum(axis=0) / np.maximum(confirm.sum(axis=0), 1)
        score = np.where(enough, confirm.sum(axis=0) - mean / (2.0 * agree), -np.inf)
        better = score > best_score
        best_score = np.where(better, score, best_score)
        best_views[:, better] = confirm[:, better]
    agreeing = best_views.sum(axis=0)
    best_views &= 2 * agreeing >= seen.sum(axis=0)
    places = triangulate(cameras, pixels, np.where(best_views, sure, 0.0))
    trust = np.where(best_views, sure, 0.0).sum(axis=0) / np.maximum(agreeing, 1)
    trust *= agreeing / np.maximum(seen.sum(axis=0), 1)
    return places, np.where(np.isfinite(places[:, 0]), trust, 0.0), best_views


def place_covariance(
    cameras: Sequence[Camera], place: Floats, noise: float | Sequence[float]
) -> Floats:
    """How uncertain a place is that each camera sees with its `noise` [px]: (3, 3) [m^2]."""
    each = np.broadcast_to(noise, len(cameras))
    slopes = np.concatenate(
        [camera.slopes(place) / scale for camera, scale in zip(cameras, each, strict=True)]
    )
    return np.asarray(np.linalg.inv(slopes.T @ slopes))
