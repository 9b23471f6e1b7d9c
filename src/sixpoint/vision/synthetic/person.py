"""The person in the synthetic room: the body's capsules dressed, head and hands bare.

Head and hands are ellipsoids, so that what a camera sees of them is an ellipse with a known centre.
Sleeves end at the wrists and the collar at the chin: no other skin is visible (Boulic et al. 2006,
section 3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...body.anatomy import anatomy_of
from ...body.shapes import HEAD_AHEAD, HEAD_HEIGHT, HEAD_TOP, body_shape
from ...kernels import arrays
from ...kernels.types import Floats
from ...motion.motion import Motion
from ..body_measurement import HAND_HALF, HEAD_HALF

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

EYES = ((0.38, 0.16, 0.86), (-0.38, 0.16, 0.86))
"""Positions on the head, over its half-axes."""
EYE = 0.006
"""Half-axis of an eye as a part of stature."""


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
        part = name[2:] if name[:2] in ("l_", "r_") else name
        if part in ("head", "hand"):
            return None
        if part == "forearm":
            return self.sleeves or self.shirt
        if part == "foot":
            return self.shoes
        return self.trousers if part in ("pelvis", "thigh", "shank") else self.shirt


class Capsule(NamedTuple):
    """A dressed limb, or a thing."""

    start: Floats
    """[m], shape (3,)."""
    end: Floats
    """[m], shape (3,)."""
    radius: float
    """[m]."""
    colour: Colour


class Ellipsoid(NamedTuple):
    """Head, hand or eye."""

    centre: Floats
    """[m], shape (3,)."""
    rotation: Floats
    """Rotation from its axes to the world, shape (4,)."""
    half: Floats
    """Half-axes [m], shape (3,)."""
    colour: Colour


@dataclass(frozen=True, eq=False)
class Truth:
    """True positions [m] over F frames; left before right."""

    head: Floats
    """Middle of the head (F, 3)."""
    hands: Floats
    """Middles of the hands (F, 2, 3)."""
    wrists: Floats
    """(F, 2, 3)."""
    elbows: Floats
    """(F, 2, 3)."""
    shoulders: Floats
    """(F, 2, 3)."""
    ankles: Floats
    """(F, 2, 3)."""
    pelvis: Floats
    """(F, 3)."""
    head_joint: Floats
    """Role `head` (F, 3)."""


@dataclass(frozen=True, eq=False)
class Actor:
    """A motion, dressed."""

    motion: Motion
    wardrobe: Wardrobe = field(default_factory=Wardrobe)

    def __len__(self) -> int:
        return len(self.motion)

    def truth(self) -> Truth:
        """Return true positions of all frames."""
        positions, world = self.motion.world()
        anatomy = anatomy_of(self.motion.skeleton)
        centres, _, _ = self._bare(positions, world)
        both = {
            f"{part}s": positions[:, [anatomy.node(f"{side}_{part}") for side in "lr"]]
            for part in ("wrist", "elbow", "shoulder", "ankle")
        }
        pelvis, head = (positions[:, anatomy.node(role)] for role in ("pelvis", "head"))
        return Truth(
            head=centres[:, 0], hands=centres[:, 1:3], pelvis=pelvis, head_joint=head, **both
        )

    def solids(self, frame: int) -> tuple[list[Capsule], list[Ellipsoid]]:
        """Return what is drawn in one frame: clothes, and bare head, hands and eyes."""
        positions, world = self.motion.world(slice(frame, frame + 1))
        shape, wear = body_shape(self.motion.skeleton), self.wardrobe
        starts, ends = (at[0] for at in shape.place(positions, world))
        parts: dict[str, tuple[Floats, Floats, float]] = {}
        for name, capsule, start, end in zip(
            shape.names, shape.capsules, starts, ends, strict=True
        ):
            way, radius = start - end, capsule.radius
            if name.endswith("forearm"):  # the cuff ends at the wrist, not beyond it
                end = end + way * (radius / np.linalg.norm(way))
            if name == "neck":  # the collar ends below the chin
                start, end, radius = start + 0.6 * way, start + 0.45 * way, 0.85 * radius
            parts[name] = start, end, radius
        clothes = [
            Capsule(*part, colour)
            for name, part in parts.items()
            if (colour := wear.cloth(name)) is not None
        ]
        clothes += [Capsule(*part, wear.shirt) for part in _shirt_filling(parts)]
        centres, rotations, halves = self._bare(positions, world)
        colours = [wear.skin] * 3 + [wear.eyes] * 2
        bare = zip(centres[0], rotations[0], halves, colours, strict=True)
        return clothes, [Ellipsoid(*row) for row in bare]

    def _bare(self, positions: Floats, world: Floats) -> tuple[Floats, Floats, Floats]:
        """Return centres (F, 5, 3), rotations (F, 5, 4), half-axes (5, 3) of head, hands, eyes."""
        anatomy = anatomy_of(self.motion.skeleton)
        stature = anatomy.stature
        nodes = [anatomy.node(role) for role in ("head", "l_wrist", "r_wrist")]
        joints = [anatomy.joint_carrying(node) for node in nodes]
        turns = arrays.multiply(world[:, joints], arrays.conjugate(anatomy.neutral[joints]))
        face = (0.0, HEAD_TOP - 0.5 * HEAD_HEIGHT, HEAD_AHEAD)
        palm = (0.0, -HAND_HALF[1], 0.0)
        centres = positions[:, nodes] + arrays.rotate(turns, stature * np.array([face, palm, palm]))
        head, hand = HEAD_HALF * stature, HAND_HALF * stature
        eyes = [centres[:, :1] + arrays.rotate(turns[:, :1], np.array(eye) * head) for eye in EYES]
        halves = np.stack([head, hand, hand, *[np.full(3, EYE * stature)] * 2])
        return (
            np.concatenate([centres, *eyes], axis=1),
            np.concatenate([turns, turns[:, [0, 0]]], axis=1),
            halves,
        )


def _shirt_filling(
    parts: dict[str, tuple[Floats, Floats, float]],
) -> list[tuple[Floats, Floats, float]]:
    """Return what a shirt fills between the bars of the trunk: flanks, and slopes to shoulders."""
    chest, belly, pelvis, neck = (parts[n][:2] for n in ("chest", "belly", "pelvis", "neck"))
    girth = parts["belly"][2]
    out = []
    for k, side in enumerate("lr"):
        shoulder, _, radius = parts[f"{side}_upper_arm"]
        waist, hip = belly[k], pelvis[k]
        out.append((chest[k], waist + 0.15 * (waist - belly[1 - k]), 0.92 * girth))
        out.append((waist, 0.6 * hip + 0.4 * waist, 0.96 * girth))
        out.append((0.7 * neck[0] + 0.3 * chest[k], shoulder, 1.05 * radius))
        out.append((chest[k], 0.75 * shoulder + 0.25 * chest[k], 1.25 * radius))
    return out
