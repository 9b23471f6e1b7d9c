"""The synthetic room: a person before a coloured wall, seen by two calibrated cameras.

Rays are cast at capsules and ellipsoids, so that outlines are exact to a pixel, and everything is
known: where the hands are, which pixels are skin. Clothes are the capsules of the body. Head and
hands are bare ellipsoids, so that what a camera sees of them is an ellipse with a known centre;
sleeves end at the wrists and the collar at the chin, so that no other skin is visible (Boulic et
al. 2006, section 3). Light, noise and an obstacle are options.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...body.shapes import body_shape
from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Floats
from ...motion.motion import Motion
from ..body_measurement import FACE_OFFSET, HAND_HALF, HEAD_HALF
from ..camera import Camera
from ..images import Mask, Picture, binary_mask

SIZE = (320, 240)
"""Size of the pictures of the cameras of Boulic et al. 2006 [px]."""
RATE = 30.0
"""Pairs of pictures per second [Hz]."""
LIGHT = np.array([0.35, 0.75, 0.56])
"""Direction to the light."""
AMBIENT = 0.62
"""Part of the light that comes from everywhere."""
WALL_DEPTH = -1.2
"""Z of the wall, behind the person [m]."""
NOTHING, CLOTH, BARE = 0, 1, 2
"""What a pixel shows; wall and obstacle are nothing."""
EYES = ((0.38, 0.16, 0.86), (-0.38, 0.16, 0.86))
"""Positions on the head, over its half-axes."""
EYE = 0.006
"""Half-axis of an eye as a part of stature."""

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""


@dataclass(frozen=True)
class Wardrobe:
    """Colours of the person."""

    skin: Colour = (214, 152, 118)
    shirt: Colour = (52, 70, 140)
    trousers: Colour = (70, 72, 80)
    shoes: Colour = (38, 34, 34)
    eyes: Colour = (40, 30, 28)
    sleeves: Colour | None = None
    """Colour of the forearms, if other than the shirt; the skin's for rolled-up sleeves."""

    def cloth(self, name: str) -> Colour | None:
        """Return the colour of a capsule of the body; None for head and hands, which are bare."""
        part = name.removeprefix("l_").removeprefix("r_")
        trousers = dict.fromkeys(("pelvis", "thigh", "shank"), self.trousers)
        own = {"head": None, "hand": None, "forearm": self.sleeves or self.shirt}
        return (trousers | own | {"foot": self.shoes}).get(part, self.shirt)


class Capsule(NamedTuple):
    """A dressed limb, or a thing."""

    start: Floats
    """[m], shape (3,)."""
    end: Floats
    """[m], shape (3,)."""
    radius: float
    """[m]."""
    colour: Colour
    kind: int = CLOTH

    @property
    def bounds(self) -> tuple[Floats, float]:
        """Positions (n, 3) and the distance [m] from them within which it lies."""
        return np.stack([self.start, self.end]), self.radius

    def cast(self, eye: Floats, way: Floats) -> Floats:
        """Return distances (h, w) [m] at which rays (h, w, 3) hit it, or inf."""
        t = np.full(way.shape[:2], np.inf)
        axis, out = self.end - self.start, eye - self.start
        square = axis @ axis
        along, away = way @ axis, out @ axis
        a = square - along * along
        b = square * (way @ out) - away * along
        c = square * (out @ out) - away * away - self.radius**2 * square
        root = b * b - a * c
        with np.errstate(invalid="ignore", divide="ignore"):
            side = (-b - np.sqrt(root)) / a
            height = away + side * along
            t = np.where((root > 0.0) & (height > 0.0) & (height < square) & (side > 0), side, t)
        for centre in (self.start, self.end):
            offset = eye - centre
            half = way @ offset
            inner = half * half - (offset @ offset - self.radius**2)
            with np.errstate(invalid="ignore"):
                ball = -half - np.sqrt(inner)
            t = np.where((inner > 0.0) & (ball > 0.0) & (ball < t), ball, t)
        return t

    def normals(self, hits: Floats) -> Floats:
        """Return unit normals (n, 3) at points of its surface (n, 3)."""
        axis = self.end - self.start
        part = np.clip((hits - self.start) @ axis / max(float(axis @ axis), 1e-12), 0.0, 1.0)
        return np.asarray((hits - self.start - part[..., None] * axis) / self.radius)


class Ellipsoid(NamedTuple):
    """Head, hand or eye."""

    centre: Floats
    """[m], shape (3,)."""
    rotation: Floats
    """Rotation from its axes to the world, shape (4,)."""
    half: Floats
    """Half-axes [m], shape (3,)."""
    colour: Colour
    kind: int = BARE

    @property
    def bounds(self) -> tuple[Floats, float]:
        """Positions (n, 3) and the distance [m] from them within which it lies."""
        return self.centre[None], float(self.half.max())

    def cast(self, eye: Floats, way: Floats) -> Floats:
        """Return distances (h, w) [m] at which rays (h, w, 3) hit it, or inf."""
        back = arrays.conjugate(self.rotation)
        way = arrays.rotate(back, way) / self.half
        out = arrays.rotate(back, eye - self.centre) / self.half
        a: Floats = np.sum(way * way, axis=-1)
        b, c = way @ out, out @ out - 1.0
        root = b * b - a * c
        with np.errstate(invalid="ignore"):
            return np.where(root > 0.0, (-b - np.sqrt(root)) / a, np.inf)

    def normals(self, hits: Floats) -> Floats:
        """Return unit normals (n, 3) at points of its surface (n, 3)."""
        out = arrays.rotate(arrays.conjugate(self.rotation), hits - self.centre)
        normal = arrays.rotate(self.rotation, out / self.half**2)
        return np.asarray(normal / np.linalg.norm(normal, axis=-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Truth:
    """True positions [m] over F frames; left before right."""

    head: Floats
    """Middle of the head (F, 3)."""
    head_joint: Floats
    """Role `head` (F, 3)."""
    pelvis: Floats
    """(F, 3)."""
    hands: Floats
    """Middles of the hands (F, 2, 3); what follows has the same shape."""
    wrists: Floats
    elbows: Floats
    shoulders: Floats
    ankles: Floats

    def at(self, name: str) -> Floats:
        """Return the positions (F, 3) of a point of a capture, or of a mark."""
        alone = {"pelvis": self.pelvis, "back": self.pelvis, "head": self.head_joint,
                 "face": self.head}  # fmt: skip
        if name in alone:
            return alone[name]
        return np.asarray(getattr(self, f"{name[2:]}s")[:, "lr".index(name[0])])


@dataclass(frozen=True, eq=False)
class Actor:
    """A motion, dressed."""

    motion: Motion
    wardrobe: Wardrobe = field(default_factory=Wardrobe)
    hands: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Thickness, length and breadth of the hands, over what is usual for the stature."""

    def __len__(self) -> int:
        return len(self.motion)

    def truth(self) -> Truth:
        """Return true positions of all frames."""
        positions, world = self.motion.world()
        anatomy = self.motion.skeleton.anatomy
        centres = self._bare(positions, world)[0]
        pairs = {
            f"{part}s": positions[:, [anatomy.node(f"{side}_{part}") for side in "lr"]]
            for part in ("wrist", "elbow", "shoulder", "ankle")
        }
        pelvis, head = (positions[:, anatomy.node(role)] for role in ("pelvis", "head"))
        hands = centres[:, 1:3]
        return Truth(head=centres[:, 0], hands=hands, pelvis=pelvis, head_joint=head, **pairs)

    def solids(self, frame: int) -> list[Capsule | Ellipsoid]:
        """Return what is drawn in one frame: clothes, then bare head, hands and eyes."""
        positions, world = self.motion.world(slice(frame, frame + 1))
        shape, wear = body_shape(self.motion.skeleton), self.wardrobe
        starts, ends = (at[0] for at in shape.place(positions, world))
        clothes: dict[str, Capsule] = {}
        for capsule, start, end in zip(shape.capsules, starts, ends, strict=True):
            name, way, radius = capsule.name, start - end, capsule.radius
            colour = wear.cloth(name)
            if name.endswith("forearm"):  # the cuff ends at the wrist, not beyond it
                end = end + way * (radius / np.linalg.norm(way))
            if name == "neck":  # the collar ends below the chin
                start, end, radius = start + 0.6 * way, start + 0.45 * way, 0.85 * radius
            if colour is not None:
                clothes[name] = Capsule(start, end, radius, colour)
        centres, rotations, halves = self._bare(positions, world)
        colours = [wear.skin] * 3 + [wear.eyes] * 2
        bare = zip(centres[0], rotations[0], halves, colours, strict=True)
        filling = _shirt_filling(clothes, wear.shirt)
        return [*clothes.values(), *filling, *(Ellipsoid(*row) for row in bare)]

    def _bare(self, positions: Floats, world: Floats) -> tuple[Floats, Floats, Floats]:
        """Return centres (F, 5, 3), rotations (F, 5, 4), half-axes (5, 3) of head, hands, eyes."""
        anatomy = self.motion.skeleton.anatomy
        stature = anatomy.stature
        nodes = [anatomy.node(role) for role in ("head", "l_wrist", "r_wrist")]
        joints = [anatomy.skeleton.carrier(node) for node in nodes]
        turns = arrays.multiply(world[:, joints], arrays.conjugate(anatomy.neutral[joints]))
        own = HAND_HALF * np.array(self.hands)
        palm = (0.0, -own[1], 0.0)
        offsets = stature * np.array([FACE_OFFSET, palm, palm])
        centres = positions[:, nodes] + arrays.rotate(turns, offsets)
        head, hand = HEAD_HALF * stature, own * stature
        eyes = [centres[:, :1] + arrays.rotate(turns[:, :1], np.array(eye) * head) for eye in EYES]
        halves = np.stack([head, hand, hand, *[np.full(3, EYE * stature)] * 2])
        rotations = np.concatenate([turns, turns[:, [0, 0]]], axis=1)
        return np.concatenate([centres, *eyes], axis=1), rotations, halves


def _shirt_filling(clothes: dict[str, Capsule], colour: Colour) -> list[Capsule]:
    """Return what a shirt fills between the bars of the trunk: flanks, and slopes to shoulders."""
    chest, belly, pelvis, neck = (clothes[n][:2] for n in ("chest", "belly", "pelvis", "neck"))
    girth = clothes["belly"].radius
    out = []
    for k, side in enumerate("lr"):
        shoulder, radius = clothes[f"{side}_upper_arm"].start, clothes[f"{side}_upper_arm"].radius
        waist, hip = belly[k], pelvis[k]
        out += [
            Capsule(chest[k], waist + 0.15 * (waist - belly[1 - k]), 0.92 * girth, colour),
            Capsule(waist, 0.6 * hip + 0.4 * waist, 0.96 * girth, colour),
            Capsule(0.7 * neck[0] + 0.3 * chest[k], shoulder, 1.05 * radius, colour),
            Capsule(chest[k], 0.75 * shoulder + 0.25 * chest[k], 1.25 * radius, colour),
        ]
    return out


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
    """Noise, light and obstacles, which make the pictures of a room difficult."""

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
    """One picture, with its true masks."""

    picture: Picture
    person: Mask
    """Pixels of the actors."""
    skin: Mask
    """Pixels of bare skin, eyes included."""


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
        return next(self.noisy_views(frame, (self.conditions.noise,)))

    def noisy_views(self, frame: int, noises: Iterable[float]) -> Iterator[tuple[View, ...]]:
        """Yield what every camera sees in one frame, drawn once, for each noise of the pixels."""
        solids = [
            solid for actor in self.actors for solid in actor.solids(min(frame, len(actor) - 1))
        ]
        if self.conditions.obstacle is not None:
            middle, half = np.array(self.conditions.obstacle), np.array([0.0, 0.065, 0.0])
            solids.append(Capsule(middle - half, middle + half, 0.035, (45, 45, 48), NOTHING))
        canvases = [canvas.copy() for canvas in self._empty_canvases]
        for canvas in canvases:
            for solid in solids:
                canvas.draw(solid)
        for noise in noises:
            yield tuple(self._view(canvas, frame, k, noise) for k, canvas in enumerate(canvases))

    def pairs(self) -> Iterator[tuple[Picture, ...]]:
        """Yield the pictures of all frames, one from each camera at a time."""
        for frame in range(len(self)):
            yield tuple(view.picture for view in self.views(frame))

    def empty(self) -> tuple[Picture, ...]:
        """Return pictures of the room without anybody: backgrounds."""
        return tuple(view.picture for view in Room((), self.cameras, self.conditions).views(0))

    @cached_property
    def _empty_canvases(self) -> tuple[_Canvas, ...]:
        wall = np.array(self.conditions.wall, float)
        return tuple(_Canvas.empty(camera, wall) for camera in self.cameras)

    def _view(self, canvas: _Canvas, frame: int, k: int, noise: float) -> View:
        conditions = self.conditions
        phase = frame / max(len(self) - 1, 1)
        light = 1.0 - conditions.dimming * np.sin(np.pi * phase) ** 2
        colours = light * canvas.colours
        if noise > 0.0:
            seed = np.random.SeedSequence([conditions.seed, frame, k])
            colours += np.random.default_rng(seed).normal(0.0, noise, colours.shape)
        np.clip(np.rint(colours, out=colours), 0.0, 255.0, out=colours)
        picture = colours.astype(np.uint8)[..., ::-1]
        bare_skin = canvas.kinds == BARE
        person = binary_mask((canvas.kinds == CLOTH) | bare_skin)
        return View(np.ascontiguousarray(picture), person, binary_mask(bare_skin))


@dataclass(frozen=True, eq=False)
class _Canvas:
    """What one camera sees, pixel by pixel."""

    camera: Camera
    rays: Floats
    """Unit directions, shape (h, w, 3)."""
    colours: Floats
    """Red, green, blue, shape (h, w, 3)."""
    kinds: NDArray[np.int64]
    """What a pixel shows, shape (h, w)."""
    depth: Floats
    """How far away that is [m], shape (h, w)."""

    @classmethod
    def empty(cls, camera: Camera, wall: Floats) -> _Canvas:
        """Return the canvas of the room without anybody."""
        wide, tall = camera.size
        grid = np.stack(np.meshgrid(np.arange(wide), np.arange(tall)), axis=-1).astype(float)
        rays = camera.rays(grid)
        # The wall is a little uneven, the floor darker: one colour, as walls are.
        slope = rays[..., 1] / np.minimum(rays[..., 2], -1e-6)
        rise = camera.centre[1] + (WALL_DEPTH - camera.centre[2]) * slope
        shade = 1.0 - 0.12 * np.abs(grid[..., 0] / wide - 0.5) - 0.22 * (rise < 0.0)
        kinds = np.full((tall, wide), NOTHING, np.int64)
        return cls(camera, rays, shade[..., None] * wall, kinds, np.full((tall, wide), np.inf))

    def copy(self) -> _Canvas:
        """Return the same canvas, to be drawn on."""
        drawn = self.colours.copy(), self.kinds.copy(), self.depth.copy()
        return _Canvas(self.camera, self.rays, *drawn)

    def draw(self, solid: Capsule | Ellipsoid) -> None:
        """Show a solid where it is nearer than what is there."""
        positions, radius = solid.bounds
        camera, depth = self.camera, self.camera.depth(positions)
        window = slice(0, camera.size[1]), slice(0, camera.size[0])
        if depth.min() > radius:
            pixels = camera.project(positions)
            margin = 1.2 * camera.matrix[0, 0] * radius / (depth.min() - radius) + 2.0
            low = np.maximum(np.floor(pixels.min(axis=0) - margin), 0).astype(int)
            high = np.minimum(np.ceil(pixels.max(axis=0) + margin) + 1, camera.size).astype(int)
            if (high <= low).any():
                return
            window = slice(low[1], high[1]), slice(low[0], high[0])
        rays = self.rays[window]
        t = solid.cast(camera.centre, rays)
        nearer = t < self.depth[window]
        near = t[nearer]
        normals = solid.normals(camera.centre + near[:, None] * rays[nearer])
        light = LIGHT / np.linalg.norm(LIGHT)
        lit = AMBIENT + (1.0 - AMBIENT) * np.maximum(normals @ light, 0.0)
        self.depth[window][nearer] = near
        self.colours[window][nearer] = lit[:, None] * np.array(solid.colour, float)
        self.kinds[window][nearer] = solid.kind
