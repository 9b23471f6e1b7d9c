"""Camera: where it stands, what it sees, and how its lens bends the picture; triangulation.

The camera's own axes are those of OpenCV: X to the right of the picture, Y down, Z ahead. Pixels
are (u, v), whole numbers at the centres of pixels, (0, 0) at the top left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ..body.skeleton import frozen_array
from ..errors import InputError, UnknownName
from ..kernels.types import Bools, Floats

ROUNDS = 8
"""Rounds of taking a lens's distortion away: a wide lens is right to 1e-6 pixels then."""
NEAREST = 1e-6
"""What is not this far ahead of a camera cannot be seen [m]."""


@dataclass(frozen=True, eq=False)
class Camera:
    """A calibrated camera. Immutable."""

    name: str
    size: tuple[int, int]
    """Width and height of its pictures [px]."""
    matrix: Floats
    """Focal lengths and centre [px], shape (3, 3)."""
    rotation: Floats
    """From the world's axes to the camera's, shape (3, 3)."""
    translation: Floats
    """The world's origin in the camera's axes [m], shape (3,)."""
    distortion: Floats = field(default_factory=lambda: np.zeros(5))
    """k1, k2, p1, p2, k3 of the lens (Brown 1966), shape (5,)."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, shape in (
            ("matrix", (3, 3)),
            ("rotation", (3, 3)),
            ("translation", (3,)),
            ("distortion", (5,)),
        ):
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
        straight = self.rotation @ self.rotation.T - np.eye(3)
        if np.abs(straight).max() > 1e-4 or np.linalg.det(self.rotation) < 0.0:
            raise InputError(f"Expected `rotation` of camera {self.name!r} to be a rotation.")

    @classmethod
    def looking(
        cls,
        name: str,
        size: tuple[int, int],
        focal: float,
        eye: ArrayLike,
        target: ArrayLike,
        up: ArrayLike = (0.0, 1.0, 0.0),
    ) -> Camera:
        """A camera without distortion at `eye` that has `target` in the middle of its picture.

        Args:
            name: of the camera.
            size: width and height [px].
            focal: focal length [px].
            eye: where it stands [m].
            target: what it looks at [m].
            up: what is upwards in the picture.
        """
        stand = np.asarray(eye, dtype=np.float64)
        ahead = np.asarray(target, dtype=np.float64) - stand
        right = np.cross(ahead, np.asarray(up, dtype=np.float64))
        if np.linalg.norm(right) < 1e-9:
            raise InputError("Expected a `target` beside the line upwards through `eye`.")
        ahead /= np.linalg.norm(ahead)
        right /= np.linalg.norm(right)
        rotation = np.stack([right, np.cross(ahead, right), ahead])
        matrix = [[focal, 0.0, (size[0] - 1) / 2], [0.0, focal, (size[1] - 1) / 2], [0.0, 0.0, 1.0]]
        return cls(name, size, np.array(matrix), rotation, -rotation @ stand)

    @cached_property
    def centre(self) -> Floats:
        """Where the camera stands [m], shape (3,)."""
        return np.asarray(frozen_array(-self.rotation.T @ self.translation))

    @cached_property
    def placement(self) -> Floats:
        """From the world to normalised pictures: rotation and translation, shape (3, 4)."""
        return np.asarray(frozen_array(np.column_stack([self.rotation, self.translation])))

    def project(self, places: ArrayLike) -> Floats:
        """Pixels (..., 2) of places (..., 3) [m]; NaN for what is not ahead of the camera."""
        seen = np.asarray(places, dtype=np.float64) @ self.rotation.T + self.translation
        depth = np.where(seen[..., 2:] > NEAREST, seen[..., 2:], np.nan)
        return self._pixels(self._bent(seen[..., :2] / depth))

    def depth(self, places: ArrayLike) -> Floats:
        """Distance ahead of the camera (...,) of places (..., 3) [m]."""
        return np.asarray(np.asarray(places, dtype=np.float64) @ self.rotation[2]) + float(
            self.translation[2]
        )

    def slopes(self, place: Floats) -> Floats:
        """Change of the pixel with the place, without distortion, shape (2, 3) [px/m]."""
        seen = self.rotation @ place + self.translation
        x, y, z = seen
        flat = np.array([[1.0 / z, 0.0, -x / z**2], [0.0, 1.0 / z, -y / z**2]])
        return np.asarray(self.matrix[:2, :2] @ flat @ self.rotation)

    def straight(self, pixels: ArrayLike) -> Floats:
        """Normalised places (..., 2) of pixels (..., 2): one unit ahead, distortion taken away."""
        at = np.asarray(pixels, dtype=np.float64)
        k = self.matrix
        y = (at[..., 1] - k[1, 2]) / k[1, 1]
        x = (at[..., 0] - k[0, 2] - k[0, 1] * y) / k[0, 0]
        seen = np.stack([x, y], axis=-1)
        if not self.distortion.any():
            return seen
        guess = seen
        for _ in range(ROUNDS):
            guess = guess - (self._bent(guess) - seen)
        return guess

    def rays(self, pixels: ArrayLike) -> Floats:
        """Unit directions in the world (..., 3) in which pixels (..., 2) lie."""
        flat = self.straight(pixels)
        ahead = np.concatenate([flat, np.ones((*flat.shape[:-1], 1))], axis=-1) @ self.rotation
        return np.asarray(ahead / np.linalg.norm(ahead, axis=-1, keepdims=True))

    def inside(self, pixels: ArrayLike) -> Bools:
        """Whether pixels (..., 2) lie in the picture."""
        at = np.asarray(pixels, dtype=np.float64)
        return np.asarray(((at > -0.5) & (at < np.array(self.size) - 0.5)).all(axis=-1))

    def _bent(self, flat: Floats) -> Floats:
        """Distort normalised places."""
        k1, k2, p1, p2, k3 = self.distortion
        if not self.distortion.any():
            return flat
        x, y = flat[..., 0], flat[..., 1]
        square = x * x + y * y
        radial = 1.0 + square * (k1 + square * (k2 + square * k3))
        return np.stack(
            [
                x * radial + 2.0 * p1 * x * y + p2 * (square + 2.0 * x * x),
                y * radial + p1 * (square + 2.0 * y * y) + 2.0 * p2 * x * y,
            ],
            axis=-1,
        )

    def _pixels(self, flat: Floats) -> Floats:
        return np.asarray(flat @ self.matrix[:2, :2].T + self.matrix[:2, 2])


EDGE = 16
"""Columns and rows that a video may lack at its right and lower edge: codecs count in these."""


def cropped(camera: Camera, size: tuple[int, int]) -> Camera:
    """The same camera with pictures that lack a few columns at the right or rows at the bottom.

    Raises:
        InputError: they are larger, or lack more than that.
    """
    lacks = [have - got for have, got in zip(camera.size, size, strict=True)]
    if not all(0 <= lack < EDGE for lack in lacks):
        raise wrong_size(camera, size)
    return camera if size == camera.size else replace(camera, size=size)


def wrong_size(camera: Camera, size: Sequence[int]) -> InputError:
    """What to raise where pictures are not of the camera's size."""
    return InputError(
        f"Expected pictures of {camera.size[0]} x {camera.size[1]} from camera "
        f"{camera.name!r}, as it was calibrated; got {' x '.join(map(str, size))}."
    )


def chosen_cameras(cameras: Sequence[Camera], names: Sequence[str]) -> tuple[Camera, ...]:
    """Some of several cameras, by their names."""
    by_name = {camera.name: camera for camera in cameras}
    for name in names:
        if name not in by_name:
            raise UnknownName("camera", name, by_name)
    return tuple(by_name[name] for name in names)


def check_views(cameras: Sequence[Camera], least: int = 2) -> None:
    """Refuse too few cameras, and cameras that stand at the same place."""
    if len(cameras) < least:
        raise InputError(f"Expected {least} calibrated cameras or more, got {len(cameras)}.")
    for k, camera in enumerate(cameras):
        for other in cameras[:k]:
            if np.linalg.norm(camera.centre - other.centre) < 1e-6:
                raise InputError(
                    f"Expected cameras at different places; {other.name!r} and {camera.name!r} "
                    "stand at the same one, so that depth cannot be seen."
                )


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
