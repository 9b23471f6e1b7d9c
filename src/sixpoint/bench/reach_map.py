"""What a hand can reach from where a body stands: a cloud of tagged points.

Every place of a grid is asked for. It is *reachable* if the wrist gets there, *colliding* if it
does but some part of the body is then in a box, in the ground or in another part, *unreachable* if
not.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic_write import atomic_write
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Bools, Floats, Ints
from ..motion.motion import Motion
from ..solvers import Solver
from ..tasks import Scene, SelfContact, find_contacts
from .collision_scenes import stance_points

TAGS = ("reachable", "unreachable", "colliding")
COLOURS = {"reachable": (0, 158, 115), "unreachable": (190, 196, 204), "colliding": (213, 94, 0)}
"""Of Okabe and Ito."""
NEAR = 0.01
"""A wrist this near has reached its place [m]."""
PATIENCE = 60
"""Frames in which a place must be reached."""
DEEP = 0.005
"""Parts of one body this deep in each other collide [m]."""
MOST = 200_000
"""Places in a map."""


@dataclass(frozen=True, eq=False)
class ReachMap:
    """A cloud of places."""

    places: Floats
    """[m], shape (N, 3)."""
    tags: Ints
    """Number of each in `TAGS`, (N,)."""
    misses: Floats
    """How far the wrist stayed away [m], (N,)."""
    shoulder: Floats
    """Of the arm that reaches, from where the grid spreads [m], (3,)."""
    step: float
    """Of the grid [m]."""
    bones: Floats
    """Both ends of each bone of who stands there [m], (B, 2, 3)."""

    def count(self, tag: str) -> int:
        """Places with a tag."""
        return int((self.tags == TAGS.index(tag)).sum())

    def slice(self, axis: int) -> Bools:
        """Places in the plane through the shoulder across an axis (0, 1, 2 for x, y, z), (N,)."""
        return np.asarray(np.abs(self.places[:, axis] - self.shoulder[axis]) < 0.5 * self.step)

    def write(self, path: str | Path) -> None:
        """As .csv, .ply or .png."""
        suffix = Path(path).suffix.lower()
        writers = {".csv": self._csv, ".ply": self._ply, ".png": self._png}
        if suffix not in writers:
            raise InputError(f"Expected a map to end in {', '.join(writers)}; got {path}.")
        data = writers[suffix]()
        with atomic_write(path) as file:
            file.write(data)

    def _csv(self) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("x", "y", "z", "tag", "miss"))
        for place, tag, miss in zip(self.places, self.tags, self.misses, strict=True):
            writer.writerow((*(f"{v:.4f}" for v in place), TAGS[tag], f"{miss:.4f}"))
        return text.getvalue().encode()

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
        from ..studio.pictures import INK, new_figure

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
    solver: Solver,
    scene: Scene | None = None,
    *,
    side: str = "l",
    step: float = 0.1,
    limits: Any = "adult",
    progress: Callable[[int, int], None] | None = None,
) -> ReachMap:
    """Ask for every place of a grid around a shoulder.

    Args:
        skeleton: who reaches.
        solver: how; of people by six points. With `pik-balance` nobody falls over.
        scene: what stands around; None for nothing.
        side: "l" or "r".
        step: of the grid [m].
        limits: see `Solver.prepare`.
        progress: called with places done and their total.
    """
    if side not in ("l", "r"):
        raise InputError(f"Expected `side` to be l or r, got {side!r}.")
    anatomy = skeleton.anatomy
    if not 0.005 <= step <= anatomy.stature:
        raise InputError(f"Expected `step` of 5 mm or more, got {step} m.")
    stance = stance_points(skeleton)
    places = _grid(skeleton, side, step)
    if len(places) > MOST:
        raise InputError(f"Expected at most {MOST} places, got {len(places)}: take a larger step.")
    tracker = solver.prepare(skeleton, limits=limits, rate=30.0)
    wrist = 2 if side == "l" else 3
    misses = np.empty(len(places))
    poses = []
    for k, place in enumerate(places):
        tracker.reset()
        frame = stance.copy()
        frame[wrist] = place
        before = np.inf
        for _ in range(PATIENCE):
            solution = tracker.solve(frame)
            miss = float(solution.residuals[wrist])
            if miss < NEAR or before - miss < 1e-4:
                break
            before = miss
        misses[k] = miss
        poses.append(solution.pose)
        if progress is not None and k % 50 == 0:
            progress(k, len(places))
    motion = Motion(
        skeleton,
        np.array([pose.root for pose in poses]),
        np.array([pose.rotations for pose in poses]),
        30.0,
    )
    hit = SelfContact(skeleton).depths(motion).max(axis=1) > DEEP
    if scene is not None:
        hit |= find_contacts(motion, scene).highlight.any(axis=1)
    tags = np.where(misses >= NEAR, 1, np.where(hit, 2, 0))
    return ReachMap(
        places, tags.astype(np.int64), misses, _shoulder(skeleton, side), step, _bones(skeleton)
    )


def _grid(skeleton: Skeleton, side: str, step: float) -> Floats:
    """Places around a shoulder, above the ground and as far as an arm and a lean go."""
    anatomy = skeleton.anatomy
    joints = [anatomy.node(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
    arm = sum(float(np.linalg.norm(anatomy.vector(a, b))) for a, b in pairwise(joints))
    reach = 1.5 * arm
    count = int(np.floor(reach / step))
    line = step * np.arange(-count, count + 1)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    near = grid[np.linalg.norm(grid, axis=1) <= reach] + _shoulder(skeleton, side)
    return np.asarray(near[near[:, 1] > 0.05])


def _standing(skeleton: Skeleton) -> Floats:
    """Places of all nodes of somebody who stands, soles on the ground [m]."""
    at = skeleton.anatomy.positions
    return np.asarray(at - (0.0, float(at[:, 1].min()), 0.0))


def _shoulder(skeleton: Skeleton, side: str) -> Floats:
    return np.asarray(_standing(skeleton)[skeleton.anatomy.node(f"{side}_shoulder")])


def _bones(skeleton: Skeleton) -> Floats:
    at, above = _standing(skeleton), skeleton.node_parents
    return np.array([(at[above[k]], at[k]) for k in range(len(at)) if above[k] >= 0])
