"""The Jacobian methods side by side, and prioritized IK."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels.dense import svd_rows
from sixpoint.kernels.types import Floats
from sixpoint.motion.points import Points
from sixpoint.solvers._kernels.dls import dls_step
from sixpoint.solvers._kernels.svd_steps import filtered_step, selective_step
from sixpoint.solvers._kernels.transpose import transpose_step

from .canvas import (
    FAINT,
    GHOST,
    GREEN,
    LEFT,
    ORANGE,
    RIGHT,
    Pen,
    place,
    plot,
    save,
    sheet,
    still,
    view,
)
from .sweeps import FLAT, TITLE, draw_chain

BENT = np.array([0.3, 0.5, 0.4])
"""Angles of a planar arm with three unit links."""
ASKED = np.array([-0.9, 0.1])
"""Where its tip is asked to go, from where it is."""
DAMPING = 0.5
MOST = np.pi / 4.0
METHODS = {
    "transpose": ORANGE,
    "pseudo-inverse": RIGHT,
    "damped": LEFT,
    "selectively damped": GREEN,
}


def arm(angles: Floats) -> Floats:
    """Joints and tip (4, 3)."""
    at = np.cumsum(angles)
    steps = np.stack([np.cos(at), np.sin(at), np.zeros(3)], axis=-1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def arm_jacobian(angles: Floats) -> Floats:
    """How its tip moves with each joint (3, 3)."""
    places = arm(angles)
    across = np.cross((0.0, 0.0, 1.0), places[-1] - places[:-1])
    return np.ascontiguousarray(across.T)


def step_of(method: str, angles: Floats, asked: Floats) -> Floats:
    """The step that the solvers' own kernels take."""
    jacobian = arm_jacobian(angles)
    e = np.array([*asked, 0.0])
    step, part, x = np.zeros(3), np.zeros(3), np.zeros(3)
    square, u, v, sigma = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)
    if method == "transpose":
        transpose_step(jacobian, 3, 3, e, step)
    elif method == "damped":
        dls_step(jacobian, 3, 3, e, DAMPING, square, x, step)
    else:
        svd_rows(jacobian, 3, 3, u, v, sigma)
        if method == "pseudo-inverse":
            filtered_step(u, v, sigma, 3, 3, e, 0.0, 1e-6, step)
        else:
            selective_step(jacobian, u, v, sigma, 3, 3, e, MOST, False, part, step)
    return step


def draw_steps(figure: Any) -> None:
    """One step of each from a bent arm."""
    axes = place(figure, (0.0, 0.0, 0.31, 0.9), (-0.2, 2.5), (-0.2, 2.5))
    pen = Pen(axes, FLAT)
    start = arm(BENT)
    draw_chain(pen, start, GHOST)
    for name, colour in METHODS.items():
        draw_chain(pen, arm(BENT + step_of(name, BENT, ASKED)), colour, 2.2)
    pen.dots(start[-1] + (*ASKED, 0.0), size=80.0)
    figure.text(0.155, 0.93, "one step of each", **TITLE)


def draw_singular(figure: Any) -> None:
    """Size of the step as the arm becomes straight."""
    axes = plot(
        figure, (0.385, 0.17, 0.26, 0.71), "bend of the arm [degrees]", "largest turn [deg]"
    )
    bends = np.geomspace(0.1, 40.0, 120)
    for name, colour in METHODS.items():
        turns = []
        for bend in np.radians(bends):
            angles = np.array([0.3, bend, bend])
            tip = arm(angles)[-1][:2]
            step = step_of(name, angles, -0.3 * tip / np.linalg.norm(tip))
            turns.append(np.degrees(np.abs(step).max()))
        axes.plot(bends, turns, color=colour, linewidth=1.8, label=name)
    axes.set(xscale="log", yscale="log", ylim=(1e-2, 1e7))
    axes.legend(frameon=False, fontsize=9, loc="upper right")
    figure.text(0.515, 0.93, "asked to shorten, nearly straight", **TITLE)


def draw_progress(figure: Any) -> None:
    """Error after each iteration on a chain."""
    axes = plot(figure, (0.735, 0.17, 0.26, 0.71), "iterations", "missed, part of the length")
    chain, goal = Skeleton.chain(10), np.array([(0.5, 0.1, -0.3)])
    counts = range(1, 41)
    names = ("jacobian-transpose", "pseudoinverse", "dls", "sdls")
    for name, colour in zip(names, METHODS.values(), strict=True):
        left = [
            sp.solver(name, iterations=k, tolerance=0.0).prepare(chain).solve(goal).residuals[0]
            for k in counts
        ]
        axes.plot(counts, np.maximum(left, 1e-6), color=colour, linewidth=1.8)
    axes.axhline(1e-3, color=FAINT, linewidth=1.0, linestyle=":")
    axes.set(yscale="log", ylim=(1e-6, 2.0))
    figure.text(0.865, 0.93, "ten ball joints, from rest", **TITLE)


def jacobian(path: Path) -> None:
    """Three panels: one step, near a singularity, to the target."""
    figure = sheet(10.0, 3.8)
    draw_steps(figure)
    draw_singular(figure)
    draw_progress(figure)
    save(figure, path)


def draw_tree(pen: Pen, tree: Skeleton, world: Floats, colour: Callable[[str], str]) -> None:
    """Bones of a tree, each in the colour of its joint."""
    for child in range(1, tree.joint_count):
        name = tree.names[child]
        pen.line(world[tree.parents[child]], world[child], colour=colour(name), width=4.0, zorder=2)
    for k, (name, parent) in enumerate(zip(tree.site_names, tree.site_parents, strict=True)):
        end = world[tree.joint_count + k]
        pen.line(world[parent], end, colour=colour(name), width=4.0, zorder=2)
        pen.dots(end, colour=colour(name), size=40.0, zorder=3)
    pen.dots(world[: tree.joint_count], colour="white", size=22.0, zorder=3)


def draw_levels(figure: Any, left: float, words: str, levels: dict[str, int] | None) -> None:
    """Two tips that cannot both be where they shall."""
    tree = Skeleton.tree(2, 3, trunk=2, spread=1.0)
    goals = np.array([(-0.72, 0.62, 0.0), (0.72, 0.62, 0.0)])
    solver = sp.solver("pik", priorities=levels, iterations=2000)
    solution = solver.prepare(tree).solve(goals)
    axes = place(figure, (left, 0.0, 0.24, 0.9), (-1.0, 1.0), (-0.15, 1.1))
    pen = Pen(axes, FLAT)
    ends = tree.articulation.ends

    def colour(name: str) -> str:
        if name.startswith("trunk") or (name.startswith("branch") and name.endswith("_1")):
            return FAINT  # a bone belongs to the joint at its end
        return LEFT if name == ends[0] or name.startswith("branch_1") else RIGHT

    draw_tree(pen, tree, solution.pose.world()[0], colour)
    for k, goal in enumerate(goals):
        pen.cross(goal, LEFT if k == 0 else RIGHT)
        missed = 100.0 * solution.residuals[k]
        pen.text(goal, "met" if missed < 0.1 else f"{missed:.0f} % off", 0.0, 0.1)
    figure.text(left + 0.12, 0.93, words, **TITLE)


def draw_person(figure: Any, left: float) -> None:
    """A head out of reach costs the other points nothing."""
    clip = still(sp.builtin("boxing"), 60)
    points = clip.points()
    at = points.positions.copy()
    at[:, points.names.index("head")] += (0.0, 0.3, 0.0)
    frames = Points(points.names, np.repeat(at, 40, axis=0), points.rate)
    motion = sp.reconstruct(frames, clip.skeleton, "pik").motion
    axes = place(figure, (left, 0.0, 0.24, 0.9), (-1.0, 1.0), (-0.25, 1.95))
    pen = Pen(axes, view(35.0, 8.0))
    pen.body(motion, frame=len(motion) - 1)
    for name, where in zip(points.names, at[0], strict=True):
        if name == "head":
            pen.cross(where)
        else:
            pen.dots(where, size=45.0)
    figure.text(left + 0.12, 0.93, "a head out of reach", **TITLE)


def pik(path: Path) -> None:
    """Four panels: three orders of two tips, and a person."""
    figure = sheet(10.0, 3.2)
    orders: Sequence[tuple[str, dict[str, int] | None]] = (
        ("blue first", {"tip_1": 0, "tip_2": 1}),
        ("red first", {"tip_2": 0, "tip_1": 1}),
        ("one level", None),
    )
    for k, (words, levels) in enumerate(orders):
        draw_levels(figure, 0.25 * k, words, levels)
    draw_person(figure, 0.75)
    save(figure, path)
