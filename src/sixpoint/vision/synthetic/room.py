"""The synthetic room: a person before a coloured wall, seen by two calibrated cameras.

Rays are cast at capsules and ellipsoids, so that outlines are exact to a pixel, and everything is
known: where the hands are, which pixels are skin. Light, noise and an obstacle are added as asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Floats
from ..camera import Camera
from ..images import Box, Mask, Picture, binary_mask
from .person import Actor, Capsule, Colour, Ellipsoid

SIZE = (320, 240)
"""Size of the pictures of the cameras of Boulic et al. 2006 [px]."""
RATE = 30.0
"""Pairs of pictures per second [Hz]."""
LIGHT = np.array([0.35, 0.75, 0.56])
"""Direction to the light."""
AMBIENT = 0.62
"""Part of the light that comes from everywhere."""
WALL = -1.2
"""Z of the wall, behind the person [m]."""
NOTHING, CLOTH, BARE, THING = 0, 1, 2, 3
"""What a pixel shows."""


def room_cameras(
    size: tuple[int, int] = SIZE, *, distance: float = 2.0, baseline: float = 0.8
) -> tuple[Camera, Camera]:
    """Return two cameras that look at somebody who stands at the origin and faces +Z.

    The first is the left one as seen from behind them: on the person's right-hand side.

    Args:
        size: size of the pictures [px].
        distance: distance of the cameras from the person [m].
        baseline: distance between the cameras [m].
    """
    left, right = (
        Camera.looking(name, size, 0.72 * size[0], (x, 1.25, distance), (0.0, 0.98, 0.0))
        for name, x in (("left", -0.5 * baseline), ("right", 0.5 * baseline))
    )
    return left, right


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What makes the pictures of a room difficult."""

    noise: float = 0.0
    """Standard deviation of each pixel's red, green and blue, of 255."""
    dimming: float = 0.0
    """How far the light goes down and up again over the sequence, as a part of it, 0 to 1."""
    obstacle: tuple[float, float, float] | None = None
    """Middle of a dark thing, 20 cm high, that hides what is behind it [m]; None for none."""
    wall: Colour = (0, 177, 64)
    """Colour of wall and floor."""
    seed: int = 2006
    """Seed of the noise."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.noise <= 100.0:
            raise InputError(f"Expected `noise` in [0, 100], got {self.noise}.")
        if not 0.0 <= self.dimming < 1.0:
            raise InputError(f"Expected `dimming` in [0, 1), got {self.dimming}.")


@dataclass(frozen=True, eq=False)
class View:
    """One picture and what it truly shows."""

    picture: Picture
    person: Mask
    """Pixels of the actors."""
    skin: Mask
    """Their bare skin, eyes included."""


@dataclass(frozen=True, eq=False)
class Room:
    """Actors, cameras and conditions."""

    actors: tuple[Actor, ...]
    cameras: tuple[Camera, ...] = field(default_factory=room_cameras)
    conditions: Conditions = field(default_factory=Conditions)

    def __len__(self) -> int:
        return max((len(actor) for actor in self.actors), default=1)

    def views(self, frame: int) -> tuple[View, ...]:
        """Return what every camera sees in one frame."""
        return tuple(self._view(frame, k) for k in range(len(self.cameras)))

    def pairs(self) -> Iterator[tuple[Picture, ...]]:
        """Yield the pictures of all frames, one from each camera at a time."""
        for frame in range(len(self)):
            yield tuple(view.picture for view in self.views(frame))

    def empty(self) -> tuple[Picture, ...]:
        """Return pictures of the room without anybody: backgrounds."""
        return tuple(view.picture for view in Room((), self.cameras, self.conditions).views(0))

    def _view(self, frame: int, k: int) -> View:
        conditions = self.conditions
        canvas = _Canvas(self.cameras[k], np.array(conditions.wall, float))
        for actor in self.actors:
            clothes, bare = actor.solids(min(frame, len(actor) - 1))
            for capsule in clothes:
                canvas.draw_capsule(capsule, CLOTH)
            for ellipsoid in bare:
                canvas.draw_ellipsoid(ellipsoid)
        if conditions.obstacle is not None:
            middle, half = np.array(conditions.obstacle), np.array([0.0, 0.065, 0.0])
            thing = Capsule(middle - half, middle + half, 0.035, (45, 45, 48))
            canvas.draw_capsule(thing, THING)
        phase = frame / max(len(self) - 1, 1)
        light = 1.0 - conditions.dimming * np.sin(np.pi * phase) ** 2
        colours = light * canvas.colours
        if conditions.noise > 0.0:
            seed = np.random.SeedSequence([conditions.seed, frame, k])
            colours += np.random.default_rng(seed).normal(0.0, conditions.noise, colours.shape)
        picture = np.clip(np.rint(colours), 0, 255).astype(np.uint8)[..., ::-1]
        bare_skin = canvas.kinds == BARE
        return View(
            np.ascontiguousarray(picture),
            binary_mask((canvas.kinds == CLOTH) | bare_skin),
            binary_mask(bare_skin),
        )


class _Canvas:
    """Colours (h, w, 3), kinds (h, w) and depth (h, w) of all pixels of one camera."""

    def __init__(self, camera: Camera, wall: Floats) -> None:
        wide, tall = camera.size
        self.camera = camera
        grid = np.stack(np.meshgrid(np.arange(wide), np.arange(tall)), axis=-1).astype(float)
        self.rays = camera.rays(grid)
        self.depth = np.full((tall, wide), np.inf)
        # The wall is a little uneven, the floor darker: one colour, as walls are.
        slope = self.rays[..., 1] / np.minimum(self.rays[..., 2], -1e-6)
        rise = camera.centre[1] + (WALL - camera.centre[2]) * slope
        shade = 1.0 - 0.12 * np.abs(grid[..., 0] / wide - 0.5) - 0.22 * (rise < 0.0)
        self.colours = shade[..., None] * wall
        self.kinds = np.full((tall, wide), NOTHING, np.int64)

    def draw_capsule(self, capsule: Capsule, kind: int) -> None:
        """Cast rays at a capsule."""
        start, end, radius, colour = capsule
        window = self._window(np.stack([start, end]), radius)
        if window is None:
            return
        eye, way = self.camera.centre, self.rays[window]
        t = np.full(way.shape[:2], np.inf)
        axis, out = end - start, eye - start
        square = axis @ axis
        along, away = way @ axis, out @ axis
        a = square - along * along
        b = square * (way @ out) - away * along
        c = square * (out @ out) - away * away - radius**2 * square
        root = b * b - a * c
        with np.errstate(invalid="ignore", divide="ignore"):
            side = (-b - np.sqrt(root)) / a
            height = away + side * along
            t = np.where((root > 0.0) & (height > 0.0) & (height < square) & (side > 0), side, t)
        for centre in (start, end):
            offset = eye - centre
            half = way @ offset
            inner = half * half - (offset @ offset - radius**2)
            with np.errstate(invalid="ignore"):
                ball = -half - np.sqrt(inner)
            t = np.where((inner > 0.0) & (ball > 0.0) & (ball < t), ball, t)
        hit = eye + np.where(np.isfinite(t), t, 0.0)[..., None] * way
        part = np.clip((hit - start) @ axis / max(float(square), 1e-12), 0.0, 1.0)
        normal = (hit - start - part[..., None] * axis) / radius
        self._paint(window, t, normal, colour, kind)

    def draw_ellipsoid(self, ellipsoid: Ellipsoid) -> None:
        """Cast rays at an ellipsoid of bare skin."""
        centre, rotation, half, colour = ellipsoid
        window = self._window(centre[None], float(half.max()))
        if window is None:
            return
        back = arrays.conjugate(rotation)
        way = arrays.rotate(back, self.rays[window]) / half
        out = arrays.rotate(back, self.camera.centre - centre) / half
        a: Floats = np.sum(way * way, axis=-1)
        b, c = way @ out, out @ out - 1.0
        root = b * b - a * c
        with np.errstate(invalid="ignore"):
            t = np.where(root > 0.0, (-b - np.sqrt(root)) / a, np.inf)
        hit = out + np.where(np.isfinite(t), t, 0.0)[..., None] * way
        normal = arrays.rotate(rotation, hit / half)
        normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
        self._paint(window, t, normal, colour, BARE)

    def _window(self, positions: Floats, radius: float) -> Box | None:
        """Return the rows and columns in which a solid around some positions can lie."""
        camera = self.camera
        depth = camera.depth(positions)
        if depth.min() <= radius:
            return slice(0, camera.size[1]), slice(0, camera.size[0])
        pixels = camera.project(positions)
        margin = 1.2 * camera.matrix[0, 0] * radius / (depth.min() - radius) + 2.0
        low = np.maximum(np.floor(pixels.min(axis=0) - margin), 0).astype(int)
        high = np.minimum(np.ceil(pixels.max(axis=0) + margin) + 1, camera.size).astype(int)
        if (high <= low).any():
            return None
        return slice(low[1], high[1]), slice(low[0], high[0])

    def _paint(self, window: Box, t: Floats, normal: Floats, colour: Colour, kind: int) -> None:
        """Show a solid where it is nearer than what is there."""
        nearer = t < self.depth[window]
        light = LIGHT / np.linalg.norm(LIGHT)
        lit = AMBIENT + (1.0 - AMBIENT) * np.maximum(normal @ light, 0.0)
        shown = lit[..., None] * np.array(colour, float)
        self.depth[window] = np.where(nearer, t, self.depth[window])
        self.colours[window] = np.where(nearer[..., None], shown, self.colours[window])
        self.kinds[window] = np.where(nearer, kind, self.kinds[window])
