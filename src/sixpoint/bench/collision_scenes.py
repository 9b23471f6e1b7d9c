"""Collision scenes of Boulic et al. (2006), Figs. 14 to 16: somebody reaches, something is hit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..solvers import solver
from ..tasks import Box, Contacts, Scene, find_contacts

RATE = 30.0
SECONDS = 2.0


@dataclass(frozen=True, eq=False)
class CollisionScene:
    """A movement in a scene, and what it touches."""

    title: str
    motion: Motion
    points: Points
    scene: Scene
    contacts: Contacts


def forward_reach(height: float = 1.75) -> CollisionScene:
    """Both hands go far ahead; the hips go back for balance, into a box (Fig. 14)."""
    skeleton = Skeleton.humanoid(height)
    stance = stance_points(skeleton)
    goal = stance.copy()
    goal[2:4] = stance[2:4] * (0.8, 1.0, 1.0) + height * np.array([0.0, 0.17, 0.42])
    motion, points = _reach(skeleton, stance, goal)
    # Three centimetres behind somebody who stands still, at the height of the hips.
    hips, size = stance[0] - (0.0, 0.05 * height, 0.0), np.array([0.6, 0.12, 0.28])
    back = hips[2] - 0.054 * height - 0.03 - 0.5 * size[2]
    scene = Scene((Box("box behind", (0.0, float(hips[1]), float(back)), tuple(size)),))
    title = "a reach ahead, a box behind"
    return CollisionScene(title, motion, points, scene, find_contacts(motion, scene))


def sideways_reach(height: float = 1.75) -> CollisionScene:
    """A hand moves across at the height of the chest; the elbow meets a box (Figs. 15 and 16)."""
    skeleton = Skeleton.humanoid(height)
    stance = stance_points(skeleton)
    start, goal = stance.copy(), stance.copy()
    start[2] = height * np.array([0.10, 0.64, 0.25])
    goal[2] = height * np.array([0.27, 0.70, 0.12])
    motion, points = _reach(skeleton, start, goal, before=stance)
    elbows = motion.points(["l_elbow"]).positions[:, 0]
    moved = elbows[-1] - elbows[int(SECONDS * RATE)]
    moved = moved * (1, 0, 1) / np.hypot(moved[0], moved[2])
    x, y, z = elbows[-1] + 0.17 * moved
    scene = Scene((Box("box beside", (float(x), float(y), float(z)), (0.24, 0.24, 0.24)),))
    title = "a hand across, a box at the side"
    return CollisionScene(title, motion, points, scene, find_contacts(motion, scene))


def stance_points(skeleton: Skeleton) -> Floats:
    """Return the six points of a standing body, soles on the ground [m], shape (6, 3)."""
    anatomy = skeleton.anatomy
    at = anatomy.positions - (0.0, float(anatomy.positions[:, 1].min()), 0.0)
    return np.array([at[anatomy.node(role)] for role in SIX])


def _reach(
    skeleton: Skeleton, start: Floats, goal: Floats, before: Floats | None = None
) -> tuple[Motion, Points]:
    """Move smoothly from one set of points (6, 3) to another, solved with balance.

    With `before`, the movement begins there and takes as long to reach `start`.
    """
    count = int(SECONDS * RATE)
    x = np.linspace(0.0, 1.0, count)
    ease = (x * x * (3.0 - 2.0 * x))[:, None, None]
    frames = start + ease * (goal - start)
    if before is not None:
        frames = np.concatenate([before + ease * (start - before), frames])
    frames = np.concatenate([frames, np.repeat(frames[-1:], count // 2, axis=0)])
    points = Points(SIX, frames, RATE)
    tracker = solver("pik-balance").prepare(skeleton, rate=RATE)
    return tracker.solve_clip(points).motion, points
