"""The particle filter at work: samples of joints, an arm, a long chain, a hand, a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from sixpoint.bench.particle_pictures import success_chart, times_chart
from sixpoint.bench.particle_scenes import (
    bent_chain,
    hand_scene,
    long_chain,
    person_scene,
    tracker_of,
)
from sixpoint.bench.particles import DOF, INNER, SEED, TRIALS, success_cell
from sixpoint.body.hand import FINGERS
from sixpoint.kernels.random import random_state
from sixpoint.kernels.types import Floats
from sixpoint.limits import Limits
from sixpoint.motion.motion import Motion
from sixpoint.motion.pose import Pose
from sixpoint.solvers._kernels.qutem import qutem_fill
from sixpoint.solvers.figure import plain_figure
from sixpoint.solvers.particle_tables import build_noise, covariance_of
from sixpoint.studio.pictures import INK
from sixpoint.tasks import Balance

from .canvas import (
    FAINT,
    GHOST,
    GREEN,
    LEFT,
    ORANGE,
    PURPLE,
    RIGHT,
    SKY,
    Pen,
    circle,
    place,
    plot,
    save,
    sheet,
    view,
)

KEPT = json.loads((Path(__file__).parents[1] / "measured.json").read_text(encoding="utf-8"))
TARGET = np.array([1.3, 0.95, 0.5])
"""Of the arm, whose tip starts 2 units away."""
PART = 0.31
"""Of the width of the picture of samples, for each of three."""
COLOURS = (LEFT, RIGHT, GREEN, PURPLE, ORANGE, SKY)
FLOOR = ((-0.32, -0.25), (0.32, -0.25), (0.32, 0.45), (-0.32, 0.45))
"""Under the person, x and z [m]."""
TITLE: dict[str, Any] = {"fontsize": 12, "color": INK, "ha": "center"}


def qutem(path: Path) -> None:
    """Fig. 1: axes of a thousand random turns, coloured by their angle."""
    figure = sheet(10.0, 3.7)
    basis = view(35.0, 20.0)
    one = bent_chain(1).skeleton
    table = plain_figure(one.articulation, Limits({}), [1], [(0, 0, 1.0)])
    for k, (title, sigmas) in enumerate(
        (
            ("three degrees of freedom (1, 1, 1)", (1.0, 1.0, 1.0)),
            ("two, with slack (1, 1, 0.05)", (1.0, 1.0, 0.05)),
            ("one, with slack (1, 0.1, 0.05)", (1.0, 0.1, 0.05)),
        )
    ):
        shape = {"joint_1": covariance_of("joint_1", sigmas)}
        noise = build_noise(table, one.names, Limits({}), shape, literal=False, root=0.0, tries=1)
        turns = np.empty((1000, 3))
        qutem_fill(noise, 0, 1.0, random_state(1), turns)
        angles = np.linalg.norm(turns, axis=1)
        axes = place(figure, (k * PART, 0.0, PART, 0.9), (-1.15, 1.15), (-1.15, 1.15))
        pen = Pen(axes, basis)
        pen.area(circle((0.0, 0.0, 0.0), basis[0], basis[1], 1.0), "#F4F5F7", edgecolor=FAINT)
        on_sphere = turns / angles[:, None]
        front = on_sphere @ basis[2] > 0.0
        # Those on the far side are smaller, and shine through.
        for side, size, alpha in ((~front, 3.0, 0.35), (front, 9.0, 1.0)):
            at = pen.flat(on_sphere[side])
            shown = axes.scatter(
                at[:, 0], at[:, 1], s=size, c=2.0 * np.degrees(angles[side]), alpha=alpha,
                cmap="viridis", vmin=0.0, vmax=180.0, zorder=4 if alpha == 1.0 else 3,
            )  # fmt: skip
        figure.text((k + 0.5) * PART, 0.93, title, **TITLE)
    key = figure.add_axes((0.94, 0.15, 0.012, 0.65))
    bar = figure.colorbar(shown, cax=key, ticks=(0, 90, 180))
    bar.ax.set_yticklabels(("0°", "90°", "180°"), fontsize=9, color=INK)
    bar.outline.set_visible(False)
    figure.text(0.955, 0.85, "turned by", fontsize=9, color=INK, ha="center")
    save(figure, path)


def _arm(seed: int, **settings: Any) -> tuple[list[Pose], Floats, list[tuple[Floats, Floats]]]:
    """Estimates of every iteration, what they miss, and the particles."""
    start = bent_chain(4)
    tracker = tracker_of(start.skeleton, seed=seed, tolerance=4e-4, iterations=60, **settings)
    tracker.begin(start, seed)
    poses, swarms = [start], []
    for iterate in tracker.iterates(TARGET[None]):
        poses.append(iterate.estimate)
        swarms.append(tracker.particles())
    tips = np.array([pose.world()[0][-1] for pose in poses])
    return poses, np.linalg.norm(tips - TARGET, axis=1), swarms


def arm(path: Path) -> None:
    """Fig. 2 a to c: an arm of 12 degrees of freedom, twenty runs with other random numbers."""
    figure = sheet(10.0, 3.9)
    basis = view(20.0, 12.0)
    runs = [_arm(seed) for seed in range(20)]
    axes = place(figure, (0.0, 0.0, 0.3, 0.9), (-0.95, 1.7), (-0.35, 2.75))
    pen = Pen(axes, basis)
    for pose, colour, width in ((runs[0][0][0], FAINT, 4.0), (runs[0][0][-1], LEFT, 5.0)):
        joints = pose.world()[0]
        pen.line(*joints, colour=colour, width=width, zorder=4)
        pen.dots(joints[:-1], colour="white", size=30.0)
    pen.dots(TARGET, size=70.0)
    figure.text(0.15, 0.93, "start and answer", **TITLE)
    axes = plot(figure, (0.39, 0.16, 0.27, 0.72), "iteration", "distance to the target")
    for _, missed, _ in runs:
        axes.semilogy(np.maximum(missed, 1e-5), color=LEFT, linewidth=0.9, alpha=0.6)
    axes.axhline(1e-3, color=RIGHT, linewidth=1.0, linestyle=":")
    figure.text(0.52, 0.93, "twenty runs", **TITLE)
    axes = place(figure, (0.7, 0.0, 0.3, 0.9), (-0.95, 1.7), (-0.35, 2.75))
    pen = Pen(axes, basis)
    for k, (poses, _, _) in enumerate(runs[:6]):
        pen.curve(np.array([pose.world()[0][-1] for pose in poses]), COLOURS[k], 1.4, zorder=3)
    pen.dots(TARGET, size=70.0)
    figure.text(0.85, 0.93, "paths of the tip, not smoothed", **TITLE)
    save(figure, path)


def weights(path: Path) -> None:
    """Fig. 2 d: particles and their weights over six iterations."""
    figure = sheet(10.0, 2.3)
    _, _, swarms = _arm(3)
    from matplotlib import colormaps

    for k in range(6):
        places, weight = swarms[k]
        axes = place(figure, (k / 6.0, 0.0, 1 / 6.0, 0.9), (-1.8, 1.8), (-0.9, 2.9))
        pen = Pen(axes, view(20.0, 12.0))
        shades = colormaps["Greens"](0.15 + 0.85 * weight / weight.max())
        for i in np.argsort(weight):
            pen.line(*places[i], colour=shades[i], width=1.0 + 2.0 * weight[i] / weight.max())
        pen.dots(TARGET, size=36.0)
        figure.text((k + 0.5) / 6.0, 0.92, f"iteration {k + 1}", **TITLE)
    save(figure, path)


def chain(path: Path) -> None:
    """Fig. 3: 90 degrees of freedom, even, and balanced above the root."""
    figure = sheet(8.0, 4.4)
    tracker, target = long_chain()
    answer = tracker.solve(target).pose
    for k, (title, pose) in enumerate((("start", bent_chain(30)), ("answer", answer))):
        axes = place(figure, (k / 2.0, 0.0, 0.5, 0.9), (-1.45, 1.45), (-0.25, 2.65))
        pen = Pen(axes, view(25.0, 10.0))
        joints = pose.world()[0]
        pen.line((0.0, 0.0, 0.0), (0.0, 2.5, 0.0), colour=FAINT, width=1.2, linestyle="--")
        pen.line(*joints, colour=LEFT, width=5.0, zorder=4)
        pen.dots(joints, colour="white", size=12.0, linewidths=0.5)
        pen.dots(Balance().centre(pose), colour=ORANGE, size=80.0)
        pen.dots(target, size=70.0)
        figure.text((k + 0.5) / 2.0, 0.93, title, **TITLE)
    save(figure, path)


def success(path: Path) -> None:
    """Fig. 4 a: success against the number of particles, as many targets as in the table."""
    counts = (3, 4, 5, 7, 10, 20, 30)
    rows = [success_cell(dof, n, TRIALS, SEED, 0.0, INNER) for dof in DOF for n in counts]
    save(success_chart(rows), path)


def times(path: Path) -> None:
    """Fig. 4 b: time of an iteration against degrees of freedom, as it was measured last."""
    save(times_chart(KEPT["particles"]["times"]), path)


def _draw_hand(pen: Pen, pose: Pose, faint: bool = False) -> None:
    """Forearm, palm and fingers as thick strokes, the farthest first."""
    at = dict(zip(pose.skeleton.node_names, pose.world()[0], strict=True))
    skin = GHOST if faint else "#E3C9AE"
    roots = [at[f"{finger}_{FINGERS[finger].joints[0]}"] for finger in FINGERS]
    pen.line(at["elbow"], at["wrist"], colour=skin, width=30.0, zorder=2)
    palm = np.array([at["wrist"], *roots[1:]])
    pen.area(palm, skin, edgecolor=skin, linewidth=15.0, joinstyle="round", zorder=2.5)
    pen.line(at["wrist"], roots[0], colour=skin, width=15.0, zorder=2.5)
    strokes = []
    for finger, shape in FINGERS.items():
        joints = [at[f"{finger}_{joint}"] for joint in shape.joints] + [at[f"{finger}_tip"]]
        strokes.append((float(np.mean(joints, axis=0) @ pen.basis[2]), joints))
    for z, (_, joints) in enumerate(sorted(strokes, key=lambda stroke: stroke[0])):
        pen.line(*joints, colour="white", width=12.5, zorder=3.0 + 0.1 * z)
        pen.line(*joints, colour=skin, width=10.0, zorder=3.05 + 0.1 * z, solid_joinstyle="round")
        pen.line(*joints, colour=FAINT, width=1.2, zorder=3.06 + 0.1 * z)


def hand(path: Path) -> None:
    """Fig. 6: fingertips to one set of targets, then to another; smoothed iterates on the way."""
    figure = sheet(10.0, 5.5)
    tracker, sets = hand_scene()
    for line, targets in enumerate(sets):
        poses = [iterate.pose for iterate in tracker.iterates(targets)]
        shown = [0, 14, 39]
        frames = [poses[min(k, len(poses) - 1)] for k in shown]
        frames.append(tracker.solve(targets).pose)
        for k, pose in enumerate(frames):
            box = (k / 4.0, 0.47 * (1 - line), 0.25, 0.46)
            axes = place(figure, box, (-0.10, 0.26), (-0.47, -0.11))
            pen = Pen(axes, view(-70.0, 6.0))
            _draw_hand(pen, pose)
            pen.dots(targets, size=30.0)
            if line == 0:
                words = f"iteration {shown[k] + 1}" if k < len(shown) else "answer"
                figure.text((k + 0.5) / 4.0, 0.955, words, **TITLE)
    save(figure, path)


def person(path: Path) -> None:
    """Fig. 5: both feet on the floor, a target for each hand, and a pelvis that moves."""
    figure = sheet(10.0, 4.0)
    tracker, targets = person_scene()
    poses = [iterate.pose for iterate in tracker.iterates(targets)]
    tracker.reset()
    poses.append(tracker.solve(targets).pose)
    for k, at in enumerate((0, 14, 39, 99, len(poses) - 1)):
        axes = place(figure, (k / 5.0, 0.0, 0.2, 0.9), (-0.62, 0.58), (-0.25, 1.85))
        pen = Pen(axes, view(48.0, 10.0), (0.0, 0.0, 0.15))
        pose = poses[at]
        floor = np.array([(x, 0.0, z) for x, z in FLOOR])
        pen.area(floor, "#EDEFF2", edgecolor=FAINT, zorder=0.5)
        pen.body(Motion(pose.skeleton, pose.root[None], pose.rotations[None], 60.0))
        pen.dots(targets[-2], colour=SKY, size=60.0)
        pen.dots(targets[-1], size=60.0)
        words = f"iteration {at + 1}" if at < len(poses) - 1 else "answer"
        figure.text((k + 0.5) / 5.0, 0.93, words, **TITLE)
    save(figure, path)
