"""A synthetic stage: a person before a coloured wall, seen by two calibrated cameras.

Rays are cast at capsules and ellipsoids, so that outlines are exact to a pixel, and everything is
known: where the hands are, which pixels are skin. Light, noise and an obstacle are added as asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Bools, Floats, Ints
from ..camera import Camera
from ..images import Mask, Picture
from .person import Actor, Colour, Solids

SIZE = (320, 240)
"""Of the paper's cameras [px] (S3.6)."""
RATE = 30.0
"""Pairs of pictures a second [Hz]."""
LIGHT = np.array([0.35, 0.75, 0.56])
"""Where the light comes from."""
AMBIENT = 0.62
"""Part of the light that comes from everywhere."""
WALL = -1.2
"""Where the wall stands, behind the person [m]."""
NOTHING, CLOTH, BARE, THING = 0, 1, 2, 3
"""What a pixel shows."""


def room_cameras(
    size: tuple[int, int] = SIZE, *, distance: float = 2.0, baseline: float = 0.8
) -> tuple[Camera, Camera]:
    """Two cameras that look at somebody who stands at the origin and faces +Z.

    The first is the left one as seen from behind them: on the person's right-hand side.

    Args:
        size: of the pictures [px].
        distance: of the person [m].
        baseline: between the cameras [m].
    """
    focal = 0.72 * size[0]
    target = np.array([0.0, 0.98, 0.0])
    eyes = [np.array([x, 1.25, distance]) for x in (-0.5 * baseline, 0.5 * baseline)]
    left, right = (
        Camera.looking(name, size, focal, eye, target)
        for name, eye in zip(("left", "right"), eyes, strict=True)
    )
    return left, right


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What makes life hard."""

    noise: float = 0.0
    """Standard deviation of each pixel's red, green and blue, of 255."""
    dimming: float = 0.0
    """How far the light goes down and up again over the sequence, as a part of it, 0 to 1."""
    obstacle: tuple[float, float, float] | None = None
    """Middle of a dark thing, 20 cm high, that hides what is behind it [m]; None for none."""
    wall: Colour = (0, 177, 64)
    """Colour of wall and floor."""
    seed: int = 2006
    """Of the noise."""

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
        """What every camera sees in one frame."""
        return tuple(self._view(frame, k) for k in range(len(self.cameras)))

    def pairs(self) -> Iterator[tuple[Picture, ...]]:
        """The pictures of all frames, one from each camera at a time."""
        for frame in range(len(self)):
            yield tuple(view.picture for view in self.views(frame))

    def empty(self) -> tuple[Picture, ...]:
        """The stage without anybody: backgrounds."""
        return tuple(view.picture for view in Room((), self.cameras, self.conditions).views(0))

    def _view(self, frame: int, k: int) -> View:
        camera, conditions = self.cameras[k], self.conditions
        colours, kinds = _cast(
            camera,
            [actor.solids(min(frame, len(actor) - 1)) for actor in self.actors],
            np.array(conditions.wall, float),
            conditions.obstacle,
        )
        phase = frame / max(len(self) - 1, 1)
        light = 1.0 - conditions.dimming * np.sin(np.pi * phase) ** 2
        seed = np.random.SeedSequence([conditions.seed, frame, k])
        if conditions.noise > 0.0:
            shaken = np.random.default_rng(seed).normal(0.0, conditions.noise, colours.shape)
            colours = light * colours + shaken
        else:
            colours = light * colours
        picture = np.clip(np.rint(colours), 0, 255).astype(np.uint8)[..., ::-1]
        return View(
            np.ascontiguousarray(picture),
            _mask((kinds == CLOTH) | (kinds == BARE)),
            _mask(kinds == BARE),
        )


def _mask(flags: Bools) -> Mask:
    return flags.astype(np.uint8) * np.uint8(255)


def _cast(
    camera: Camera,
    people: Sequence[Solids],
    wall: Floats,
    obstacle: tuple[float, float, float] | None,
) -> tuple[Floats, Ints]:
    """Colours (h, w, 3) and kinds (h, w) of all pixels."""
    wide, tall = camera.size
    grid = np.stack(np.meshgrid(np.arange(wide), np.arange(tall)), axis=-1).astype(float)
    rays = camera.rays(grid)
    depth = np.full((tall, wide), np.inf)
    # The wall is a little uneven, the floor darker: one colour, as walls are.
    slope = rays[..., 1] / np.minimum(rays[..., 2], -1e-6)
    rise = camera.centre[1] + (WALL - camera.centre[2]) * slope
    shade = 1.0 - 0.12 * np.abs(grid[..., 0] / wide - 0.5) - 0.22 * (rise < 0.0)
    colours = shade[..., None] * wall
    kinds = np.full((tall, wide), NOTHING, np.int64)
    canvas = (camera, rays, depth, colours, kinds)
    for solids in people:
        for start, end, radius, colour in zip(
            solids.starts, solids.ends, solids.radii, solids.capsule_colours, strict=True
        ):
            _draw_capsule(canvas, start, end, float(radius), colour, CLOTH)
        for centre, turn, half, colour in zip(
            solids.centres, solids.turns, solids.halves, solids.ellipsoid_colours, strict=True
        ):
            _draw_ellipsoid(canvas, centre, turn, half, colour)
    if obstacle is not None:
        middle, half = np.array(obstacle), np.array([0.0, 0.065, 0.0])
        dark = np.array([45.0, 45.0, 48.0])
        _draw_capsule(canvas, middle - half, middle + half, 0.035, dark, THING)
    return colours, kinds


Canvas = tuple[Camera, Floats, Floats, Floats, Ints]


def _window(camera: Camera, places: Floats, radius: float) -> tuple[slice, slice] | None:
    """Rows and columns in which a solid around some places can lie."""
    depth = camera.depth(places)
    if depth.min() <= radius:
        return slice(0, camera.size[1]), slice(0, camera.size[0])
    pixels = camera.project(places)
    margin = 1.2 * camera.matrix[0, 0] * radius / (depth.min() - radius) + 2.0
    low = np.maximum(np.floor(pixels.min(axis=0) - margin), 0).astype(int)
    high = np.minimum(np.ceil(pixels.max(axis=0) + margin) + 1, camera.size).astype(int)
    if (high <= low).any():
        return None
    return slice(low[1], high[1]), slice(low[0], high[0])


def _paint(
    canvas: Canvas,
    window: tuple[slice, slice],
    t: Floats,
    normal: Floats,
    colour: Floats,
    kind: int,
) -> None:
    """Where a solid is nearer than what is there, show it."""
    _, _, depth, colours, kinds = canvas
    nearer = t < depth[window]
    light = LIGHT / np.linalg.norm(LIGHT)
    lit = AMBIENT + (1.0 - AMBIENT) * np.maximum(normal @ light, 0.0)
    depth[window] = np.where(nearer, t, depth[window])
    colours[window] = np.where(nearer[..., None], lit[..., None] * colour, colours[window])
    kinds[window] = np.where(nearer, kind, kinds[window])


def _draw_capsule(
    canvas: Canvas, start: Floats, end: Floats, radius: float, colour: Floats, kind: int
) -> None:
    camera, rays = canvas[0], canvas[1]
    window = _window(camera, np.stack([start, end]), radius)
    if window is None:
        return
    way = rays[window]
    t = np.full(way.shape[:2], np.inf)
    axis, out = end - start, camera.centre - start
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
        apart = camera.centre - centre
        half = way @ apart
        inner = half * half - (apart @ apart - radius**2)
        with np.errstate(invalid="ignore"):
            ball = -half - np.sqrt(inner)
        t = np.where((inner > 0.0) & (ball > 0.0) & (ball < t), ball, t)
    place = camera.centre + np.where(np.isfinite(t), t, 0.0)[..., None] * way
    part = np.clip((place - start) @ axis / max(float(square), 1e-12), 0.0, 1.0)
    normal = (place - start - part[..., None] * axis) / radius
    _paint(canvas, window, t, normal, colour, kind)


def _draw_ellipsoid(
    canvas: Canvas, centre: Floats, turn: Floats, half: Floats, colour: Floats
) -> None:
    camera, rays = canvas[0], canvas[1]
    window = _window(camera, centre[None], float(half.max()))
    if window is None:
        return
    back = arrays.conjugate(turn)
    way = arrays.rotate(back, rays[window]) / half
    out = arrays.rotate(back, camera.centre - centre) / half
    a: Floats = np.sum(way * way, axis=-1)
    b, c = way @ out, out @ out - 1.0
    root = b * b - a * c
    with np.errstate(invalid="ignore"):
        t = np.where(root > 0.0, (-b - np.sqrt(root)) / a, np.inf)
    hit = out + np.where(np.isfinite(t), t, 0.0)[..., None] * way
    normal = arrays.rotate(turn, hit / half)
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
    _paint(canvas, window, t, normal, colour, BARE)
