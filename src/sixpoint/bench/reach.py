"""A body that stands and reaches: collision scenes of Boulic et al. (2006), and maps of reach.

A map tags every place of a grid. It is *reachable* if the wrist gets there, *colliding* if it does
but some part of the body is then in a box, in the ground or in another part, *unreachable* if not.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..atomic_write import atomic_write
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Bools, Floats, Ints
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..solvers import Solver, solver
from ..studio.pictures import INK, new_figure
from ..tasks import Box, Contacts, Scene, SelfContact, find_contacts

RATE = 30.0
"""Frames a second [Hz]."""
SECONDS = 2.0
"""Time of a movement of the collision scenes [s]."""
TAGS = ("reachable", "unreachable", "colliding")
COLOURS = {"reachable": (0, 158, 115), "unreachable": (190, 196, 204), "colliding": (213, 94, 0)}
"""Colours of Okabe and Ito."""
REACHED = 0.01
"""A wrist nearer than this has reached its place [m]."""
STALLED = 1e-4
"""A frame that brings the wrist nearer by less than this is the last for its place [m]."""
MOST_FRAMES = 60
"""Frames in which a place must be reached."""
DEEP = 0.005
"""Parts of one body this deep in each other collide [m]."""
MOST_PLACES = 200_000


class CollisionScene(NamedTuple):
    """A movement in a scene, and what it touches."""

    title: str
    motion: Motion
    points: Points
    scene: Scene
    contacts: Contacts


def reach_scenes(height: float = 1.75) -> tuple[CollisionScene, CollisionScene]:
    """Return a reach ahead whose hips meet a box, and one across whose elbow does.

    Ahead (Fig. 14), both hands move far to the front; the hips go back for balance. Across (Figs.
    15 and 16), a hand moves to the side at the height of the chest.
    """
    skeleton = Skeleton.humanoid(height)
    stance = stance_points(skeleton)
    goal = stance.copy()
    goal[2:4] = stance[2:4] * (0.8, 1.0, 1.0) + height * np.array([0.0, 0.17, 0.42])
    # Three centimetres behind somebody who stands still, at the height of the hips.
    size = (0.6, 0.12, 0.28)
    back = stance[0, 2] - 0.054 * height - 0.03 - 0.5 * size[2]
    behind = Box("box behind", (0.0, float(stance[0, 1] - 0.05 * height), float(back)), size)
    ahead = _collisions("a reach ahead, a box behind", *_movement(skeleton, [stance, goal]), behind)

    start, goal = stance.copy(), stance.copy()
    start[2] = height * np.array([0.10, 0.64, 0.25])
    goal[2] = height * np.array([0.27, 0.70, 0.12])
    motion, points = _movement(skeleton, [stance, start, goal])
    elbows = motion.points(["l_elbow"]).positions[:, 0]
    moved = elbows[-1] - elbows[int(SECONDS * RATE)]
    moved = moved * (1, 0, 1) / np.hypot(moved[0], moved[2])
    x, y, z = elbows[-1] + 0.17 * moved
    beside = Box("box beside", (float(x), float(y), float(z)), (0.24, 0.24, 0.24))
    return ahead, _collisions("a hand across, a box at the side", motion, points, beside)


def _collisions(title: str, motion: Motion, points: Points, box: Box) -> CollisionScene:
    scene = Scene((box,))
    return CollisionScene(title, motion, points, scene, find_contacts(motion, scene))


def stance_points(skeleton: Skeleton) -> Floats:
    """Return the six points of a standing body, soles on the ground [m], shape (6, 3)."""
    return _standing(skeleton)[[skeleton.anatomy.node(role) for role in SIX]]


def _standing(skeleton: Skeleton) -> Floats:
    """Return the positions of all nodes of a standing body, soles on the ground [m]."""
    at = skeleton.anatomy.positions
    return np.asarray(at - (0.0, float(at[:, 1].min()), 0.0))


def _movement(skeleton: Skeleton, keys: list[Floats]) -> tuple[Motion, Points]:
    """Move smoothly from one set of points (6, 3) to the next, solved with balance."""
    count = int(SECONDS * RATE)
    x = np.linspace(0.0, 1.0, count)
    ease = (x * x * (3.0 - 2.0 * x))[:, None, None]
    frames = [start + ease * (goal - start) for start, goal in pairwise(keys)]
    frames.append(np.repeat(frames[-1][-1:], count // 2, axis=0))
    points = Points(SIX, np.concatenate(frames), RATE)
    tracker = solver("pik-balance").prepare(skeleton, rate=RATE)
    return tracker.solve_clip(points).motion, points


@dataclass(frozen=True, eq=False)
class ReachMap:
    """A cloud of N tagged places around a standing body."""

    places: Floats
    """[m], shape (N, 3)."""
    tags: Ints
    """Index of each in `TAGS`, (N,)."""
    misses: Floats
    """Distance of the wrist from its place [m], (N,)."""
    shoulder: Floats
    """Shoulder of the arm that reaches, the centre of the grid [m], (3,)."""
    step: float
    """Spacing of the grid [m]."""
    bones: Floats
    """Both ends of each bone of the body [m], (B, 2, 3)."""

    def count(self, tag: str) -> int:
        """Return the number of places with a tag."""
        return int((self.tags == TAGS.index(tag)).sum())

    def slice(self, axis: int) -> Bools:
        """Return which places lie in the plane through the shoulder across an axis, (N,)."""
        return np.asarray(np.abs(self.places[:, axis] - self.shoulder[axis]) < 0.5 * self.step)

    def write(self, path: str | Path) -> None:
        """Write the map as .csv, .ply or .png."""
        suffix = Path(path).suffix.lower()
        writers = {".csv": self._csv, ".ply": self._ply, ".png": self._png}
        if suffix not in writers:
            raise InputError(f"Expected a map to end in {', '.join(writers)}; got {path}.")
        data = writers[suffix]()
        with atomic_write(path) as file:
            file.write(data)

    def _csv(self) -> bytes:
        lines = ["x,y,z,tag,miss"]
        for place, tag, miss in zip(self.places, self.tags, self.misses, strict=True):
            lines.append(",".join(f"{v:.4f}" for v in place) + f",{TAGS[tag]},{miss:.4f}")
        return ("\n".join(lines) + "\n").encode()

    def _ply(self) -> bytes:
        lines = ["ply", "format ascii 1.0", f"element vertex {len(self.places)}"]
        lines += [f"property float {axis}" for axis in "xyz"]
        lines += [f"property uchar {colour}" for colour in ("red", "green", "blue")]
        lines.append("end_header")
        for place, tag in zip(self.places, self.tags, strict=True):
            colour = " ".join(map(str, COLOURS[TAGS[tag]]))
            lines.append(" ".join(f"{v:.4f}" for v in place) + " " + colour)
        return ("\n".join(lines) + "\n").encode()

    def _png(self) -> bytes:
        figure = new_figure("A map of reach: planes through the shoulder", (9.0, 4.6), 110)
        views = (("from the front", 0, 1, 2), ("from above", 0, 2, 1), ("from the left", 2, 1, 0))
        for k, (title, across, up, depth) in enumerate(views):
            axes = figure.add_axes((0.04 + 0.32 * k, 0.1, 0.29, 0.76))
            for bone in self.bones:
                axes.plot(bone[:, across], bone[:, up], color=INK, linewidth=1.6, alpha=0.5)
            for tag in ("unreachable", "reachable", "colliding"):
                at = self.places[self.slice(depth) & (self.tags == TAGS.index(tag))]
                colour = np.array(COLOURS[tag]) / 255.0
                axes.scatter(at[:, across], at[:, up], s=22.0, color=colour, label=tag,
                             linewidths=0)  # fmt: skip
            axes.set(aspect="equal")
            axes.set_title(title, fontsize=9, color=INK)
            axes.tick_params(labelsize=7, colors=INK)
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="lower center", ncol=3,
                      fontsize=8, frameon=False)  # fmt: skip
        out = io.BytesIO()
        figure.savefig(out, format="png", metadata={"Software": None})
        return out.getvalue()


def map_reach(
    skeleton: Skeleton,
    method: Solver,
    scene: Scene | None = None,
    *,
    side: str = "l",
    step: float = 0.1,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> ReachMap:
    """Solve for every place of a grid around a shoulder.

    Args:
        skeleton: the body that reaches.
        method: solver of people by six points; with `pik-balance` the body keeps its balance.
        scene: obstacles around; None for none.
        side: "l" or "r".
        step: spacing of the grid [m].
        progress: called with the number of places done and their total.
        **options: of `Solver.prepare`.
    """
    if side not in ("l", "r"):
        raise InputError(f"Expected `side` to be l or r, got {side!r}.")
    anatomy = skeleton.anatomy
    if not 0.005 <= step <= anatomy.stature:
        raise InputError(f"Expected `step` of 5 mm or more, got {step} m.")
    stance = stance_points(skeleton)
    at, parents = _standing(skeleton), skeleton.node_parents
    shoulder = np.asarray(at[anatomy.node(f"{side}_shoulder")])
    places = _grid(skeleton, side, step) + shoulder
    places = places[places[:, 1] > 0.05]
    if len(places) > MOST_PLACES:
        raise InputError(
            f"Expected at most {MOST_PLACES} places, got {len(places)}: take a larger step."
        )
    tracker = method.prepare(skeleton, rate=RATE, **options)
    wrist = 2 if side == "l" else 3
    misses = np.empty(len(places))
    poses = []
    for k, place in enumerate(places):
        tracker.reset()
        frame = stance.copy()
        frame[wrist] = place
        before = np.inf
        for _ in range(MOST_FRAMES):
            solution = tracker.solve(frame)
            miss = float(solution.residuals[wrist])
            if miss < REACHED or before - miss < STALLED:
                break
            before = miss
        misses[k] = miss
        poses.append(solution.pose)
        if progress is not None and k % 50 == 0:
            progress(k, len(places))
    roots, rotations = (np.array([getattr(p, key) for p in poses]) for key in ("root", "rotations"))
    motion = Motion(skeleton, roots, rotations, RATE)
    hit = SelfContact(skeleton).depths(motion).max(axis=1) > DEEP
    if scene is not None:
        hit |= find_contacts(motion, scene).highlight.any(axis=1)
    tags = np.where(misses >= REACHED, 1, np.where(hit, 2, 0)).astype(np.int64)
    bones = np.array([(at[parents[k]], at[k]) for k in range(len(at)) if parents[k] >= 0])
    return ReachMap(places, tags, misses, shoulder, step, bones)


def _grid(skeleton: Skeleton, side: str, step: float) -> Floats:
    """Return places of a grid as far from the shoulder as an arm and a lean go, (N, 3)."""
    anatomy = skeleton.anatomy
    joints = [anatomy.node(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
    arm = sum(float(np.linalg.norm(anatomy.vector(a, b))) for a, b in pairwise(joints))
    reach = 1.5 * arm
    count = int(np.floor(reach / step))
    line = step * np.arange(-count, count + 1)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(grid[np.linalg.norm(grid, axis=1) <= reach])
