"""Mass-spring IK on chains and trees: the counterparts of the paper's Figures 1 to 6, and a map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.bench.chains import reachable_targets
from sixpoint.bench.energy import MAPPED, PAPER, step_map
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels.types import Floats
from sixpoint.limits import EulerBoxLimit, Limits
from sixpoint.motion.pose import Pose
from sixpoint.solvers import SpringPositionSolver
from sixpoint.studio.pictures import INK
from sixpoint.tasks import Reach

from .canvas import (
    FAINT,
    GHOST,
    GREEN,
    LEFT,
    ORANGE,
    RIGHT,
    SKY,
    Pen,
    arc,
    place,
    plot,
    save,
    sheet,
)

FLAT = np.eye(3)
"""Pictures in the plane of X and Y."""
TITLE: dict[str, Any] = {"fontsize": 11, "color": INK, "ha": "center"}
FAR = 1e6
"""A clamp that clamps nothing, as the paper draws it."""


def draw_chain(pen: Pen, places: Floats, colour: str, width: float = 3.0, **style: Any) -> None:
    """Bones and joints."""
    pen.curve(places, colour, width, **style)
    pen.dots(places[1:-1], colour="white", size=26.0, edgecolors=colour, linewidths=1.4, zorder=5)


def after(skeleton: Skeleton, targets: Floats, steps: int) -> Floats:
    """Places of joints and points so many steps after the tips were put on their targets."""
    if steps == 0:
        rest = skeleton.rest()[0]
        return np.asarray(rest)
    solver = SpringPositionSolver(iterations=steps, clamp=FAR, step=0.5, damping=0.25)
    return solver.prepare(skeleton).solve_places(targets[None])[0][0]


def draw_rest(
    figure: Any, skeleton: Skeleton, targets: Floats, row: float, ways: list[Any], low: float
) -> None:
    """One row: the start, tips on their targets, a few steps, rest."""
    parents = skeleton.node_parents
    for k, (title, steps) in enumerate(ways):
        axes = place(figure, (k / 4.0, row, 0.25, 0.42), (-0.35, 3.25), (low, low + 2.75))
        pen = Pen(axes, FLAT)
        for n, count in enumerate(steps):
            at = after(skeleton, targets, count)
            colour = LEFT if n == len(steps) - 1 else SKY
            for node, parent in enumerate(parents):
                if parent >= 0:
                    pen.line(
                        at[parent], at[node], colour=colour, width=3.2 if colour == LEFT else 1
                    )
            if colour == LEFT:
                pen.dots(at, colour="white", size=34.0, edgecolors=LEFT, linewidths=1.5)
                if k > 0:
                    pen.dots(at[-len(targets) :], colour=LEFT, size=40.0)
        for target in targets:
            pen.cross(target, RIGHT)
        figure.text(0.125 + k / 4.0, row + 0.43, title, **TITLE)


def springs(path: Path) -> None:
    """Figures 1 and 2: a chain, and a tree with two tips, come to rest."""
    figure = sheet(10.0, 4.6)
    chain = Skeleton.chain(3, [1.0, 1.0, 1.0], bone=(1.0, 0.0, 0.0))
    ways = [
        ("at first", [0]),
        ("tips on their targets", [1]),
        ("springs pull", [1, 2, 3, 4, 6, 9]),
        ("at rest", [200]),
    ]
    draw_rest(figure, chain, np.array([(1.5, 1.5, 0.0)]), 0.51, ways, -0.7)
    tree = Skeleton(
        ("base", "fork", "upper", "lower"),
        np.array([-1, 0, 1, 1]),
        np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.8, 0.6, 0.0), (0.8, -0.6, 0.0)]),
        ("one", "two"),
        np.array([2, 3]),
        np.array([(1.0, 0.0, 0.0), (1.0, 0.0, 0.0)]),
    )
    targets = np.array([(1.6, 1.6, 0.0), (2.2, -0.3, 0.0)])
    draw_rest(figure, tree, targets, 0.01, ways, -0.95)
    save(figure, path)


def springs_limits(path: Path) -> None:
    """Figure 3: what is beyond a limit is cut off and passed on to the parent."""
    arm = Skeleton.chain(2, [1.2, 1.0], bone=(1.0, 0.0, 0.0))
    limits = Limits({"joint_2": EulerBoxLimit.degrees("XYZ", [(0, 0), (0, 0), (-30, 30)])})
    about = (0.0, 0.0, 1.0)
    alpha = np.radians(30.0)
    beta = alpha * 1.0 / 2.2

    def posed(first: float, second: float) -> Floats:
        turns = arrays.from_axis_angle(np.tile(about, (2, 1)), np.array([first, second]))
        return np.asarray(Pose(arm, np.zeros(3), turns).world()[0])

    begin = np.radians(8.0)
    reached = posed(begin, np.radians(60.0))
    target = reached[-1]
    solver = sp.solver("mass-spring", sweeps=100)
    solved = solver.prepare(arm, limits=limits).solve(target[None]).pose
    states = [
        ("(a) beyond its limit", reached),
        ("(b) cut back by α", posed(begin, np.radians(30.0))),
        ("(c) its parent turned by β", posed(begin + beta, np.radians(30.0))),
        ("(d) after some sweeps", np.asarray(solved.world()[0])),
    ]
    figure = sheet(10.0, 2.9)
    for k, (title, places) in enumerate(states):
        axes = place(figure, (k / 4.0, 0.0, 0.25, 0.88), (-0.25, 2.4), (-0.35, 1.75))
        pen = Pen(axes, FLAT)
        elbow, bone = places[1], places[1] - places[0]
        turns = arrays.from_axis_angle(np.tile(about, (2, 1)), np.radians([30.0, -30.0]))
        ends = elbow + 0.75 * arrays.rotate(turns, np.tile(bone / 1.2, (2, 1)))
        pen.area(np.array([elbow, *arc(elbow, ends[1] - elbow, ends[0] - elbow, 0.75)]), "#E8F4EE")
        pen.line(ends[0], elbow, ends[1], colour=GREEN, width=1.0, linestyle="--")
        if 0 < k < 3:
            draw_chain(pen, states[k - 1][1], GHOST, 2.4)
        draw_chain(pen, places, LEFT)
        pen.cross(target, RIGHT)
        figure.text(0.125 + k / 4.0, 0.91, title, **TITLE)
    save(figure, path)


def chain_by(name: str, joints: int, target: Floats) -> tuple[Floats, float]:
    """A chain that starts as a gentle arc, solved by one method: places, turns of all joints."""
    chain = Skeleton.chain(joints)
    tracker = sp.solver(name, tolerance=1e-3).prepare(chain)
    arcs = arrays.from_axis_angle((0.0, 0.0, 1.0), -0.05) * np.ones((joints, 1))
    tracker.reset()
    tracker._memory.local[:] = arcs  # type: ignore[attr-defined]
    pose = tracker.solve(target[None]).pose
    return np.asarray(pose.world()[0]), float(arrays.angle_between(pose.rotations, arcs).sum())


def springs_solvers(path: Path) -> None:
    """Figures 4 and 5: the same start and target, six methods."""
    figure = sheet(10.0, 4.4)
    start = arrays.from_axis_angle((0.0, 0.0, 1.0), -0.05) * np.ones((10, 1))
    chain = Skeleton.chain(10)
    begun = np.asarray(Pose(chain, np.zeros(3), start).world()[0])
    for row, target in enumerate(((0.5, 0.35, 0.0), (0.12, 0.1, 0.0))):
        for k, name in enumerate(PAPER):
            box = (k / 6.0, 0.5 * (1 - row), 1 / 6.0, 0.42)
            axes = place(figure, box, (-0.42, 0.62), (-0.25, 1.05))
            pen = Pen(axes, FLAT)
            draw_chain(pen, begun, GHOST, 2.0)
            places, change = chain_by(name, 10, np.array(target))
            draw_chain(pen, places, LEFT if name.startswith("mass") else ORANGE, 2.4)
            pen.cross(np.array(target), RIGHT)
            title = (
                f"{name}\n{np.degrees(change):.0f}°" if row == 0 else f"{np.degrees(change):.0f}°"
            )
            height = 0.93 if row == 0 else 0.435
            figure.text((k + 0.5) / 6.0, height, title, va="center", **(TITLE | {"fontsize": 9.5}))
    save(figure, path)


def springs_weights(path: Path) -> None:
    """Figure 6: a joint in the middle and the tip cannot both be where they shall."""
    chain = Skeleton.chain(6)
    targets = np.array([(0.45, 0.12, 0.0), (-0.3, 0.72, 0.0)])
    figure = sheet(10.0, 2.9)
    for k, weight in enumerate((0.05, 0.35, 0.65, 0.95)):
        tasks = [Reach("joint_4", weight=weight), Reach("tip", weight=1.0 - weight)]
        pose = sp.solver("mass-spring").prepare(chain, tasks=tasks).solve(targets).pose
        places = np.asarray(pose.world()[0])
        axes = place(figure, (k / 4.0, 0.0, 0.25, 0.87), (-0.5, 0.65), (-0.12, 0.85))
        pen = Pen(axes, FLAT)
        for node, target, colour in ((3, targets[0], GREEN), (6, targets[1], RIGHT)):
            pen.line(places[node], target, colour=colour, width=1.0, linestyle=":")
            pen.cross(target, colour)
        draw_chain(pen, places, LEFT)
        pen.dots(places[3], colour=GREEN)
        pen.dots(places[6], colour=RIGHT)
        figure.text(0.125 + k / 4.0, 0.91, f"{weight:g} : {1.0 - weight:.2g}", **TITLE)
    save(figure, path)


def springs_map(path: Path) -> None:
    """Iterations over step and damping, for six and for ten joints."""
    figure = sheet(10.0, 3.9)
    targets = reachable_targets(MAPPED)
    for k, joints in enumerate((6, 10)):
        grid = step_map(joints, targets)
        rows = grid["iterations"]
        axes = plot(figure, (0.07 + 0.49 * k, 0.15, 0.42, 0.74), "step", "damping")
        values = np.array([[np.nan if n is None else n for n in row] for row in rows])
        axes.imshow(
            np.log(values), aspect="auto", origin="lower", cmap="viridis_r", vmin=3.0, vmax=6.5
        )
        axes.grid(visible=False)
        axes.set_xticks(range(len(grid["steps"])), [f"{step:g}" for step in grid["steps"]])
        axes.set_yticks(range(len(grid["dampings"])), [f"{d:g}" for d in grid["dampings"]])
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                words = "–" if np.isnan(value) else f"{value:.0f}"
                dark = not np.isnan(value) and value > 110.0
                colour = "white" if dark else FAINT if np.isnan(value) else INK
                axes.text(j, i, words, ha="center", va="center", fontsize=9, color=colour)
        axes.set_title(f"steps until rest, {joints} joints", fontsize=11, color=INK)
    save(figure, path)
