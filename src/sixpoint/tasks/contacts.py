"""What a body touches as it moves: depths, events, and what to highlight (Boulic et al. 2006)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..body.shapes import BodyShape, body_shape
from ..errors import InputError
from ..kernels.types import Bools, Floats
from ..motion.motion import STRIPE, Motion
from .scene import Ground, Scene

FOOT_SINK = 0.03
"""A foot may be this deep in the ground before it counts [m]: toes bend, capsules do not."""


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
    """Where it is then [m]."""

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
    """Where, shape (F, C, T, 3) [m]."""
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


def find_contacts(motion: Motion, scene: Scene, shape: BodyShape | None = None) -> Contacts:
    """Contacts of every part of a body with every thing of a scene, in every frame.

    Args:
        motion: of a body whose roles are known.
        scene: boxes and ground.
        shape: the capsules of the body; default those of `body_shape`.
    """
    body = body_shape(motion.skeleton) if shape is None else shape
    if body.skeleton != motion.skeleton:
        raise InputError("Expected a motion of this skeleton, got one of another.")
    radii = np.array([capsule.radius for capsule in body.capsules])
    count, things = len(body.capsules), len(scene.things)
    depths = np.empty((len(motion), count, things))
    places = np.empty((len(motion), count, things, 3))
    for f in range(0, len(motion), STRIPE):
        starts, ends = body.place(*motion.world(slice(f, f + STRIPE)))
        for k, thing in enumerate(scene.things):
            depth, place = thing.depth(starts, ends, radii)
            depths[f : f + STRIPE, :, k], places[f : f + STRIPE, :, k] = depth, place
    slack = np.array([FOOT_SINK if isinstance(thing, Ground) else 0.0 for thing in scene.things])
    return Contacts(body.names, scene.names, depths, places, slack)
