"""Who stands on the synthetic stage: the body's capsules dressed, head and hands bare.

Head and hands are ellipsoids, so that what a camera sees of them is an ellipse with a known centre.
Sleeves end at the wrists and the collar at the chin: no other skin is seen (section 3 of the
paper).
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
"""On the head, over its half-axes."""
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
    """Of the forearms, if other than the shirt; the skin's for sleeves that are rolled up."""


@dataclass(frozen=True, eq=False)
class Solids:
    """What is drawn in one frame."""

    starts: Floats
    """Of the capsules (C, 3) [m]."""
    ends: Floats
    """(C, 3) [m]."""
    radii: Floats
    """(C,) [m]."""
    capsule_colours: Floats
    """(C, 3), 0 to 255."""
    centres: Floats
    """Of the ellipsoids (E, 3) [m]."""
    turns: Floats
    """From their axes to the world (E, 4)."""
    halves: Floats
    """Half-axes (E, 3) [m]."""
    ellipsoid_colours: Floats
    """(E, 3)."""


@dataclass(frozen=True, eq=False)
class Truth:
    """Where everything is, over F frames."""

    head: Floats
    """Middle of the head (F, 3) [m]."""
    hands: Floats
    """Middles of the left and the right hand (F, 2, 3) [m]."""
    wrists: Floats
    """(F, 2, 3) [m]."""
    elbows: Floats
    """(F, 2, 3) [m]."""
    shoulders: Floats
    """(F, 2, 3) [m]."""
    ankles: Floats
    """(F, 2, 3) [m]."""
    pelvis: Floats
    """(F, 3) [m]."""
    head_joint: Floats
    """The role `head` (F, 3) [m]."""


@dataclass(frozen=True, eq=False)
class Actor:
    """A motion dressed for the stage."""

    motion: Motion
    wardrobe: Wardrobe = field(default_factory=Wardrobe)

    def __len__(self) -> int:
        return len(self.motion)

    def truth(self) -> Truth:
        """Ground truth of all frames."""
        positions, world = self.motion.world()
        anatomy = anatomy_of(self.motion.skeleton)
        centres, _, _ = self._bare(positions, world)

        def both(part: str) -> Floats:
            return positions[:, [anatomy.node(f"{side}_{part}") for side in "lr"]]

        return Truth(
            head=centres[:, 0],
            hands=centres[:, 1:3],
            wrists=both("wrist"),
            elbows=both("elbow"),
            shoulders=both("shoulder"),
            ankles=both("ankle"),
            pelvis=positions[:, anatomy.node("pelvis")],
            head_joint=positions[:, anatomy.node("head")],
        )

    def solids(self, frame: int) -> Solids:
        """What is drawn in one frame."""
        positions, world = self.motion.world(slice(frame, frame + 1))
        shape = body_shape(self.motion.skeleton)
        starts, ends = (at[0] for at in shape.place(positions, world))
        radii = np.array([capsule.radius for capsule in shape.capsules])
        dressed = [k for k, name in enumerate(shape.names) if self._cloth(name) is not None]
        for k, name in enumerate(shape.names):
            if name.endswith("forearm"):  # the cuff ends at the wrist, not beyond it
                way = starts[k] - ends[k]
                ends[k] = ends[k] + way * (radii[k] / np.linalg.norm(way))
            if name == "neck":  # the collar ends below the chin
                way = starts[k] - ends[k]
                starts[k], ends[k] = starts[k] + 0.6 * way, starts[k] + 0.45 * way
                radii[k] *= 0.85
        colours = [self._cloth(shape.names[k]) for k in dressed]
        more = self._filling(dict(zip(shape.names, zip(starts, ends, radii, strict=True),
                                      strict=True)))  # fmt: skip
        colours += [self.wardrobe.shirt] * len(more)
        centres, turns, halves = self._bare(positions, world)
        skin, eyes = self.wardrobe.skin, self.wardrobe.eyes
        return Solids(
            np.concatenate([starts[dressed], np.array([start for start, _, _ in more])]),
            np.concatenate([ends[dressed], np.array([end for _, end, _ in more])]),
            np.concatenate([radii[dressed], np.array([radius for _, _, radius in more])]),
            np.array(colours, float),
            centres[0],
            turns[0],
            halves,
            np.array([skin] * 3 + [eyes] * 2, float),
        )

    def _filling(
        self, parts: dict[str, tuple[Floats, Floats, float]]
    ) -> list[tuple[Floats, Floats, float]]:
        """What a shirt fills between the bars of the trunk: flanks, and the slope to shoulders."""
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

    def _cloth(self, name: str) -> Colour | None:
        part = name[2:] if name[:2] in ("l_", "r_") else name
        wear = self.wardrobe
        if part in ("head", "hand"):
            return None
        if part == "forearm":
            return wear.sleeves or wear.shirt
        if part == "foot":
            return wear.shoes
        return wear.trousers if part in ("pelvis", "thigh", "shank") else wear.shirt

    def _bare(self, positions: Floats, world: Floats) -> tuple[Floats, Floats, Floats]:
        """Head, hands and eyes: centres (F, 5, 3), turns (F, 5, 4), half-axes (5, 3)."""
        anatomy = anatomy_of(self.motion.skeleton)
        stature = anatomy.stature
        joints = [anatomy.joint_carrying(anatomy.node(r)) for r in ("head", "l_wrist", "r_wrist")]
        nodes = [anatomy.node(role) for role in ("head", "l_wrist", "r_wrist")]
        turns = arrays.multiply(world[:, joints], arrays.conjugate(anatomy.neutral[joints]))
        away = stature * np.array(
            [
                (0.0, HEAD_TOP - 0.5 * HEAD_HEIGHT, HEAD_AHEAD),
                (0.0, -HAND_HALF[1], 0.0),
                (0.0, -HAND_HALF[1], 0.0),
            ]
        )
        centres = positions[:, nodes] + arrays.rotate(turns, away)
        head = HEAD_HALF * stature
        eyes = [centres[:, :1] + arrays.rotate(turns[:, :1], np.array(eye) * head) for eye in EYES]
        hand = HAND_HALF * stature
        halves = np.stack([head, hand, hand, *[np.full(3, EYE * stature)] * 2])
        return (
            np.concatenate([centres, *eyes], axis=1),
            np.concatenate([turns, turns[:, [0, 0]]], axis=1),
            halves,
        )
