"""Calibrated cameras: projection, lens distortion, and triangulation of pixels.

A camera's own axes are those of OpenCV: X to the right of the picture, Y down, Z ahead. Pixels
are (u, v), whole numbers at the centres of pixels, (0, 0) at the top left. Triangulation is linear
(DLT; Hartley and Zisserman 2003, section 12.2) on normalised pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import PurePath

import numpy as np
from numpy.typing import ArrayLike

from ..body.values import frozen_array
from ..errors import InputError, UnknownName
from ..kernels.types import Bools, Floats

UNDISTORT_ITERATIONS = 8
"""Fixed-point iterations that remove lens distortion: exact to 1e-6 pixels for a wide lens."""
LEAST_DEPTH = 1e-6
"""Least depth that a camera can see [m]."""
MAX_CROP = 16
"""Number of columns and rows that a video may lack at its right and lower edge [px]."""
AGREEMENT = 10.0
"""Default largest reprojection error of views that agree on a position [px]."""


@dataclass(frozen=True, eq=False)
class Camera:
    """A calibrated camera. Immutable."""

    name: str
    size: tuple[int, int]
    """Width and height of its pictures [px]."""
    matrix: Floats
    """Focal lengths and principal point [px], shape (3, 3)."""
    rotation: Floats
    """Rotation from the world's axes to the camera's, shape (3, 3)."""
    translation: Floats
    """The world's origin in the camera's axes [m], shape (3,)."""
    distortion: Floats = field(default_factory=lambda: np.zeros(5))
    """Distortion coefficients k1, k2, p1, p2, k3 (Brown 1966), shape (5,)."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        shapes = {"matrix": (3, 3), "rotation": (3, 3), "translation": (3,), "distortion": (5,)}
        for name, shape in shapes.items():
            array = frozen_array(getattr(self, name))
            if array.shape != shape or not np.isfinite(array).all():
                raise InputError(
                    f"Expected finite `{name}` of shape {shape} for camera {self.name!r}, "
                    f"got shape {array.shape}."
                )
            put(self, name, array)
        put(self, "size", (int(self.size[0]), int(self.size[1])))
        if min(self.size) < 1:
            raise InputError(f"Expected a positive `size` of pictures, got {self.size}.")
        if min(self.matrix[0, 0], self.matrix[1, 1]) <= 0.0:
            raise InputError(f"Expected positive focal lengths for camera {self.name!r}.")
        residual = self.rotation @ self.rotation.T - np.eye(3)
        if np.abs(residual).max() > 1e-4 or np.linalg.det(self.rotation) < 0.0:
            raise InputError(f"Expected `rotation` of camera {self.name!r} to be a rotation.")

    @classmethod
    def looking(
        cls, name: str, size: tuple[int, int], focal: float, eye: ArrayLike, target: ArrayLike
    ) -> Camera:
        """Return an undistorted, upright camera with `target` in the middle of its picture.

        `size` and `focal` length are in pixels, its position `eye` and `target` in metres.
        """
        stand = np.asarray(eye, dtype=np.float64)
        ahead = np.asarray(target, dtype=np.float64) - stand
        right = np.cross(ahead, np.array([0.0, 1.0, 0.0]))
        if np.linalg.norm(right) < 1e-9:
            raise InputError("Expected a `target` beside the line upwards through `eye`.")
        ahead /= np.linalg.norm(ahead)
        right /= np.linalg.norm(right)
        rotation = np.stack([right, np.cross(ahead, right), ahead])
        matrix = [[focal, 0.0, (size[0] - 1) / 2], [0.0, focal, (size[1] - 1) / 2], [0.0, 0.0, 1.0]]
        return cls(name, size, np.array(matrix), rotation, -rotation @ stand)

    @cached_property
    def centre(self) -> Floats:
        """Position of the camera in the world [m], shape (3,)."""
        return np.asarray(frozen_array(-self.rotation.T @ self.translation))

    @cached_property
    def extrinsics(self) -> Floats:
        """Rotation and translation from the world to normalised pictures, shape (3, 4)."""
        return np.asarray(frozen_array(np.column_stack([self.rotation, self.translation])))

    def project(self, positions: ArrayLike) -> Floats:
        """Return pixels (..., 2) of positions (..., 3) [m]; NaN for what is behind the camera."""
        seen = np.asarray(positions, dtype=np.float64) @ self.rotation.T + self.translation
        depth = np.where(seen[..., 2:] > LEAST_DEPTH, seen[..., 2:], np.nan)
        flat = self._distort(seen[..., :2] / depth)
        return np.asarray(flat @ self.matrix[:2, :2].T + self.matrix[:2, 2])

    def depth(self, positions: ArrayLike) -> Floats:
        """Return distances ahead of the camera (...,) of positions (..., 3) [m]."""
        ahead = np.asarray(positions, dtype=np.float64) @ self.rotation[2]
        return np.asarray(ahead) + float(self.translation[2])

    def jacobian(self, position: Floats) -> Floats:
        """Return the derivative of the pixel by the position, without distortion, (2, 3) [px/m]."""
        x, y, z = self.rotation @ position + self.translation
        flat = np.array([[1.0 / z, 0.0, -x / z**2], [0.0, 1.0 / z, -y / z**2]])
        return np.asarray(self.matrix[:2, :2] @ flat @ self.rotation)

    def undistort(self, pixels: ArrayLike) -> Floats:
        """Return normalised positions (..., 2), at depth 1, of pixels (..., 2)."""
        at = np.asarray(pixels, dtype=np.float64)
        k = self.matrix
        y = (at[..., 1] - k[1, 2]) / k[1, 1]
        x = (at[..., 0] - k[0, 2] - k[0, 1] * y) / k[0, 0]
        seen = np.stack([x, y], axis=-1)
        if not self.distortion.any():
            return seen
        guess = seen
        for _ in range(UNDISTORT_ITERATIONS):
            guess = guess - (self._distort(guess) - seen)
        return guess

    def rays(self, pixels: ArrayLike) -> Floats:
        """Return unit directions in the world (..., 3) of pixels (..., 2)."""
        flat = self.undistort(pixels)
        ahead = np.concatenate([flat, np.ones((*flat.shape[:-1], 1))], axis=-1) @ self.rotation
        return np.asarray(ahead / np.linalg.norm(ahead, axis=-1, keepdims=True))

    def _distort(self, flat: Floats) -> Floats:
        """Apply lens distortion to normalised positions."""
        k1, k2, p1, p2, k3 = self.distortion
        if not self.distortion.any():
            return flat
        x, y = flat[..., 0], flat[..., 1]
        square = x * x + y * y
        radial = 1.0 + square * (k1 + square * (k2 + square * k3))
        u = x * radial + 2.0 * p1 * x * y + p2 * (square + 2.0 * x * x)
        v = y * radial + p1 * (square + 2.0 * y * y) + 2.0 * p2 * x * y
        return np.stack([u, v], axis=-1)


def cropped(camera: Camera, size: tuple[int, int]) -> Camera:
    """Return the camera for pictures that lack less than `MAX_CROP` at the right or bottom edge."""
    lacks = [have - got for have, got in zip(camera.size, size, strict=True)]
    if not all(0 <= lack < MAX_CROP for lack in lacks):
        raise wrong_size(camera, size)
    return camera if size == camera.size else replace(camera, size=size)


def wrong_size(camera: Camera, size: Sequence[int]) -> InputError:
    """Return the error for pictures that are not of the camera's size."""
    return InputError(
        f"Expected pictures of {camera.size[0]} x {camera.size[1]} from camera "
        f"{camera.name!r}, as it was calibrated; got {' x '.join(map(str, size))}."
    )


def cameras_of_views(
    cameras: Sequence[Camera], views: Sequence[str], names: Sequence[str] | None = None
) -> tuple[Camera, ...]:
    """Return the cameras of some views: those named, else those that the files are named after.

    Args:
        cameras: all cameras of a calibration, returned where no file is named after one.
        views: paths of the views.
        names: names of the cameras in the order of the views.
    """
    by_name = {camera.name: camera for camera in cameras}
    stems = [PurePath(view).stem for view in views]
    if names is None and len(set(stems)) == len(stems) and by_name.keys() >= set(stems):
        names = stems
    if names is None:
        return tuple(cameras)
    for name in names:
        if name not in by_name:
            raise UnknownName("camera", name, by_name)
    return tuple(by_name[name] for name in names)


def check_views(cameras: Sequence[Camera]) -> None:
    """Raise if there are fewer than two cameras, or two at the same position."""
    if len(cameras) < 2:
        raise InputError(f"Expected 2 calibrated cameras or more, got {len(cameras)}.")
    for one, other in combinations(cameras, 2):
        if np.linalg.norm(other.centre - one.centre) < 1e-6:
            raise InputError(
                f"Expected cameras at different places; {one.name!r} and {other.name!r} "
                "stand at the same one, so that depth cannot be seen."
            )


def triangulate(cameras: Sequence[Camera], pixels: Floats, weights: Floats | None = None) -> Floats:
    """Return positions (N, 3) [m] of pixels (V, N, 2) in V views.

    Args:
        cameras: the V views.
        pixels: NaN where a view does not see a point; fewer than two views give NaN.
        weights: how much each view counts (V, N); zero leaves it out.
    """
    check_views(cameras)
    at = np.asarray(pixels, dtype=np.float64)
    if at.ndim != 3 or at.shape[0] != len(cameras) or at.shape[2] != 2:
        raise InputError(f"Expected pixels of shape ({len(cameras)}, N, 2), got {at.shape}.")
    counts = np.ones(at.shape[:2]) if weights is None else np.asarray(weights)
    used = np.isfinite(at).all(axis=-1) & (counts > 0.0)
    rows = []
    for view, camera in enumerate(cameras):
        flat = np.where(used[view, :, None], camera.undistort(at[view]), 0.0)
        pair = flat[:, :, None] * camera.extrinsics[2] - camera.extrinsics[:2]
        scale = camera.matrix[0, 0] * counts[view][:, None, None]
        rows.append(np.where(used[view, :, None, None], pair * scale, 0.0))
    system = np.concatenate(rows, axis=1)
    square = np.swapaxes(system, -1, -2) @ system
    solution = np.linalg.eigh(square)[1][..., 0]  # a 4 x 4 each: ten times quicker than an SVD
    with np.errstate(divide="ignore", invalid="ignore"):
        positions = solution[:, :3] / solution[:, 3:]
    enough = (used.sum(axis=0) >= 2) & np.isfinite(positions).all(axis=-1)
    return np.where(enough[:, None], positions, np.nan)


def reprojection_errors(cameras: Sequence[Camera], pixels: Floats, positions: Floats) -> Floats:
    """Return distances (V, N) [px] of pixels (V, N, 2) from projections of positions (N, 3)."""
    pairs = zip(cameras, pixels, strict=True)
    return np.stack([np.linalg.norm(c.project(positions) - seen, axis=-1) for c, seen in pairs])


def all_pairs(cameras: Sequence[Camera], left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Triangulate every pixel (M, 2) of one view with every pixel (N, 2) of another.

    Returns:
        Positions (M, N, 3) [m] and the reprojection error of the worse view (M, N) [px], which is
        large for pixels that do not belong together.
    """
    m, n = len(left), len(right)
    pixels = np.stack([np.repeat(left, n, axis=0), np.tile(right, (m, 1))])
    positions = triangulate(cameras, pixels)
    worst = reprojection_errors(cameras, pixels, positions).max(axis=0) if m * n else np.zeros(0)
    return positions.reshape(m, n, 3), worst.reshape(m, n)


def triangulate_robust(
    cameras: Sequence[Camera],
    pixels: Floats,
    confidence: Floats | None = None,
    agreement: float = AGREEMENT,
) -> tuple[Floats, Floats, Bools]:
    """Triangulate pixels of which some are wrong: the largest group of views that agree decides.

    Every pair of views proposes a position. The one that most views confirm wins (the nearer one
    of a tie) and is triangulated again from the views that confirm it, weighted by confidence.

    Args:
        cameras: V views.
        pixels: (V, N, 2), NaN where a view does not see a point.
        confidence: of each pixel, 0 to 1, (V, N).
        agreement: largest reprojection error of a view that confirms a position [px].

    Returns:
        Positions (N, 3) [m], NaN where no two views agree, or fewer than half of those that see
        the point; confidence of each (N,): mean confidence of the views that agree, times their
        share of the views that see the point; and which views agree (V, N).
    """
    check_views(cameras)
    sure = np.where(np.isfinite(pixels).all(axis=-1), 1.0, 0.0)
    if confidence is not None:
        sure = sure * np.nan_to_num(np.clip(confidence, 0.0, 1.0))
    seen = sure > 0.0
    best_score, best_views = np.full(pixels.shape[1], -np.inf), np.zeros(seen.shape, np.bool_)
    for pair in combinations(range(len(cameras)), 2):
        two = list(pair)
        positions = triangulate([cameras[k] for k in two], pixels[two], sure[two])
        away = np.where(seen, reprojection_errors(cameras, pixels, positions), np.inf)
        ahead = np.stack([camera.depth(positions) > 0.0 for camera in cameras])
        with np.errstate(invalid="ignore"):
            confirm = (away <= agreement) & ahead
        mean = np.where(confirm, away, 0.0).sum(axis=0) / np.maximum(confirm.sum(axis=0), 1)
        score = confirm.sum(axis=0) - mean / (2.0 * agreement)
        better = confirm[two].all(axis=0) & (score > best_score)
        best_score[better] = score[better]
        best_views[:, better] = confirm[:, better]
    agreeing = best_views.sum(axis=0)
    best_views &= 2 * agreeing >= seen.sum(axis=0)
    used = np.where(best_views, sure, 0.0)
    positions = triangulate(cameras, pixels, used)
    trust = used.sum(axis=0) / np.maximum(agreeing, 1)
    trust *= agreeing / np.maximum(seen.sum(axis=0), 1)
    return positions, np.where(np.isfinite(positions[:, 0]), trust, 0.0), best_views


def position_covariance(
    cameras: Sequence[Camera], position: Floats, noise: float | Sequence[float]
) -> Floats:
    """Return the covariance (3, 3) [m^2] of a position that each camera sees with `noise` [px]."""
    each = np.broadcast_to(noise, len(cameras))
    slopes = np.concatenate(
        [camera.jacobian(position) / scale for camera, scale in zip(cameras, each, strict=True)]
    )
    return np.asarray(np.linalg.inv(slopes.T @ slopes))
