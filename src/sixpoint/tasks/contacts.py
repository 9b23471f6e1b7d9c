"""Things around a body, and what it touches of them as it moves (Boulic et al. 2006)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..body.shapes import BodyShape, body_shape
from ..body.skeleton import Skeleton
from ..errors import FormatError, InputError
from ..kernels import arrays
from ..kernels.contacts import BOX, FLOOR, Poses, ThingTable, measure_contacts
from ..kernels.types import Bools, Floats
from ..motion.motion import Motion
from ..motion.pose import Pose

FOOT_SINK = 0.03
"""A foot may be this deep in the ground before it counts [m]: toes bend, capsules do not."""


@dataclass(frozen=True)
class Box:
    """A box, which may be rotated about the vertical."""

    name: str
    centre: tuple[float, float, float]
    """[m]."""
    size: tuple[float, float, float]
    """Width, height, depth [m]."""
    yaw: float = 0.0
    """Rotation to the left about the vertical [rad]."""

    def __post_init__(self) -> None:
        numbers = np.array([*self.centre, *self.size, self.yaw], dtype=np.float64)
        if numbers.shape != (7,) or not np.isfinite(numbers).all() or min(self.size) <= 0.0:
            raise InputError(
                f"Expected box {self.name!r} to have a finite centre and three sizes > 0, "
                f"got {self.centre} and {self.size}."
            )


@dataclass(frozen=True)
class Ground:
    """A floor at some height. Feet may touch it."""

    height: float = 0.0
    """[m]."""
    name: str = "ground"


@dataclass(frozen=True)
class Scene:
    """Boxes and ground around a body, each with a name of its own."""

    things: tuple[Box | Ground, ...]

    def __post_init__(self) -> None:
        names = [thing.name for thing in self.things]
        if len(set(names)) != len(names):
            raise InputError(f"Expected things of different names, got {', '.join(names)}.")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the things, in their order."""
        return tuple(thing.name for thing in self.things)

    @cached_property
    def table(self) -> ThingTable:
        """The things as kernels read them."""
        count = len(self.things)
        kind, turn = np.full(count, FLOOR, np.int64), arrays.identity(count)
        centre, half = np.zeros((count, 3)), np.zeros((count, 3))
        for k, thing in enumerate(self.things):
            if isinstance(thing, Ground):
                centre[k, 1] = thing.height
                continue
            kind[k], centre[k], half[k] = BOX, thing.centre, 0.5 * np.array(thing.size)
            turn[k] = arrays.from_axis_angle(np.array([0.0, 1.0, 0.0]), -thing.yaw)
        return ThingTable(kind, centre, half, turn)

    @cached_property
    def slack(self) -> Floats:
        """Depth that does not count yet, for each thing [m], shape (T,)."""
        return np.array([FOOT_SINK if isinstance(thing, Ground) else 0.0 for thing in self.things])

    @classmethod
    def load(cls, path: str | Path) -> Scene:
        """Read JSON: ``{"ground": 0.0, "boxes": [{"name", "centre", "size", "yaw"}]}``.

        Lengths in metres, `yaw` in degrees.

        Raises:
            FormatError: it is not that.
        """
        try:
            content = json.loads(Path(path).read_bytes())
        except OSError as error:
            raise FormatError(f"Cannot be read: {error.strerror or error}.", path=path) from None
        except ValueError as error:
            raise FormatError(f"Expected JSON: {error}.", path=path) from None
        if not isinstance(content, dict) or not {"ground", "boxes"} & content.keys():
            raise FormatError("Expected 'ground' or 'boxes' in a scene.", path=path)
        try:
            things: list[Box | Ground] = [_box(row) for row in content.get("boxes", [])]
            if content.get("ground") is not None:
                things.append(Ground(float(content["ground"])))
            return cls(tuple(things))
        except (TypeError, ValueError, KeyError) as error:
            said = f"Expected boxes with name, centre and size: {error}"
            raise FormatError(said, path=path) from None


def _box(row: Mapping[str, Any]) -> Box:
    (x, y, z), (wide, tall, deep) = (map(float, row[key]) for key in ("centre", "size"))
    yaw = float(np.radians(float(row.get("yaw", 0.0))))
    return Box(str(row["name"]), (x, y, z), (wide, tall, deep), yaw)


@dataclass(frozen=True)
class Event:
    """One part of the body within one thing, from one frame to another."""

    part: str
    thing: str
    first: int
    """Frame in which it begins."""
    last: int
    """Frame in which it ends."""
    deepest: float
    """[m]."""
    at: int
    """Frame in which it is deepest."""
    place: tuple[float, float, float]
    """Position of the contact in that frame [m]."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Contacts:
    """How deep the parts of a body are in the things around it, frame by frame."""

    parts: tuple[str, ...]
    """Names of the C capsules."""
    things: tuple[str, ...]
    """Names of the T things."""
    depths: Floats
    """How deep each part is in each thing [m], shape (F, C, T); negative: the gap."""
    places: Floats
    """Position of each contact, shape (F, C, T, 3) [m]."""
    slack: Floats
    """Depth that does not count yet, for each thing [m], shape (T,)."""

    @property
    def touching(self) -> Bools:
        """Whether each part touches each thing, (F, C, T)."""
        return np.asarray(self.depths > self.slack)

    @property
    def highlight(self) -> Bools:
        """Whether each thing shows another colour, (F, T) (Fig. 16)."""
        return np.asarray(self.touching.any(axis=1))

    def events(self) -> list[Event]:
        """Every stretch of frames in which a part touches a thing, in the order of time."""
        found = []
        touching = self.touching
        for c, t in np.argwhere(touching.any(axis=0)):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], touching[:, c, t], [0]])))
            for first, end in zip(edges[::2], edges[1::2], strict=True):
                at = int(first + np.argmax(self.depths[first:end, c, t]))
                x, y, z = (float(v) for v in self.places[at, c, t])
                deepest = float(self.depths[at, c, t])
                found.append(Event(self.parts[c], self.things[t], int(first), int(end - 1),
                                   deepest, at, (x, y, z)))  # fmt: skip
        return sorted_events(found)


def sorted_events(events: list[Event]) -> list[Event]:
    """Events in the order of time, then of names."""
    return sorted(events, key=lambda event: (event.first, event.part, event.thing))


def find_contacts(motion: Motion | Pose, scene: Scene, shape: BodyShape | None = None) -> Contacts:
    """Contacts of every part of a body with every thing of a scene, in every frame.

    Args:
        motion: of a body whose roles are known, or one pose, which counts as one frame.
        scene: boxes and ground.
        shape: the capsules of the body; default those of `body_shape`.
    """
    body = body_shape(motion.skeleton) if shape is None else shape
    if shape is not None:
        check_skeleton(motion, body.skeleton)
    if isinstance(motion, Pose):
        poses = Poses(motion.root[None], body.moves, motion.rotations[None])
    else:
        poses = Poses(motion.root, body.moves, motion.rotations)
    if motion.translations is not None:
        moves = motion.translations.reshape(-1, *body.moves.shape[1:])
        poses = poses._replace(moves=moves)
    # Arrays that are read-only would be compiled for anew: copies cost less than a microsecond.
    poses = Poses(*(np.array(array, np.float64) for array in poses))
    sizes = len(poses.root), len(body.capsules), len(scene.things)
    depths, places = np.empty(sizes), np.empty((*sizes, 3))
    world = np.empty((motion.skeleton.joint_count, 7))
    measure_contacts(body.table, scene.table, poses, world, depths, places)
    return Contacts(body.names, scene.names, depths, places, scene.slack)


def check_skeleton(motion: Motion | Pose, skeleton: Skeleton) -> None:
    """Raise unless a motion or a pose is of a skeleton."""
    if motion.skeleton is not skeleton and motion.skeleton != skeleton:
        raise InputError("Expected a motion of this skeleton, got one of another.")
