"""The particle filter at work: random rotations, an arm, a long chain, a hand, a person."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixpoint.bench.particle_scenes import (
    bent_chain,
    hand_scene,
    long_chain,
    person_scene,
    tracker_of,
)
from sixpoint.body.hand import FINGERS
from sixpoint.motion.motion import Motion
from sixpoint.motion.pose import Pose
from sixpoint.solvers import ParticleStream
from sixpoint.studio.pictures import INK
from sixpoint.tasks import Balance

from . import canvas as c

TARGET = np.array([1.3, 0.95, 0.5])
"""Target of the arm, whose end effector starts 2 units away."""
COLOURS = (c.LEFT, c.RIGHT, c.GREEN, c.PURPLE, c.ORANGE, c.SKY)
FLOOR = np.array([(-0.32, 0, -0.25), (0.32, 0, -0.25), (0.32, 0, 0.45), (-0.32, 0, 0.45)])
SIGMAS = {
    "three degrees of freedom (1, 1, 1)": (1.0, 1.0, 1.0),
    "two, with slack (1, 1, 0.05)": (1.0, 1.0, 0.05),
    "one, with slack (1, 0.1, 0.05)": (1.0, 0.1, 0.05),
}


@c.picture("rotation_noise", 10.0, 3.7)
def rotation_noise(figure: Any) -> None:
    """Axes of a thousand random rotations, coloured by their angle (Courty and Arnaud, Fig. 1)."""
    basis = c.view(35.0, 20.0)
    draws = np.random.default_rng(1)
    for k, (title, sigmas) in enumerate(SIGMAS.items()):
        half_angles = sigmas * draws.standard_normal((8000, 3))
        angles = np.linalg.norm(half_angles, axis=1)
        half_angles = half_angles[angles < 0.5 * np.pi][:1000]
        angles = angles[angles < 0.5 * np.pi][:1000]
        pen = c.Pen(figure, (0.31 * k, 0.0, 0.31, 0.88), (-1.15, 1.15), (-1.15, 1.15), basis, title)
        pen.area(c.circle((0.0, 0.0, 0.0), *basis[:2], 1.0), "#F4F5F7", edgecolor=c.FAINT)
        sphere = half_angles / angles[:, None]
        front = sphere @ basis[2] > 0.0
        # Those on the far side are smaller, and shine through.
        for side, size, alpha in ((~front, 3.0, 0.35), (front, 9.0, 1.0)):
            at = pen.flat(sphere[side])
            shown = pen.axes.scatter(at[:, 0], at[:, 1], s=size, c=2.0 * np.degrees(angles[side]),
                                     alpha=alpha, vmin=0.0, vmax=180.0, zorder=4)  # fmt: skip
    bar = figure.colorbar(shown, cax=figure.add_axes((0.94, 0.15, 0.012, 0.65)), ticks=(0, 90, 180))
    bar.ax.set_yticklabels(("0°", "90°", "180°"), fontsize=9, color=INK)


def arm_run(seed: int) -> tuple[list[Pose], Any]:
    """Estimates of every iteration of an arm, and positions of its end effector."""
    start = bent_chain(4)
    tracker = tracker_of(start.skeleton, seed=seed, tolerance=4e-4, iterations=60)
    stream = ParticleStream(tracker)
    stream.begin(start, seed)
    poses = [start, *(iterate.estimate for iterate in stream.iterates(TARGET[None]))]
    return poses, np.array([pose.world()[0][-1] for pose in poses])


@c.picture("particles_arm", 10.0, 3.9)
def arm(figure: Any) -> None:
    """An arm of 12 degrees of freedom, twenty runs with other seeds (Fig. 2 a to c)."""
    runs = [arm_run(seed) for seed in range(20)]
    views = {"start and solution": 0.0, "paths of the end effector": 0.7}
    for k, (title, left) in enumerate(views.items()):
        pen = c.Pen(figure, (left, 0.0, 0.3, 0.88), (-0.95, 1.7), (-0.35, 2.75),
                    c.view(20.0, 12.0), title)  # fmt: skip
        if k == 0:
            pen.chain(runs[0][0][0].world()[0], c.FAINT)
            pen.chain(runs[0][0][-1].world()[0], c.LEFT, 5.0)
        for (_, ends), colour in zip(runs[: 6 * k], COLOURS, strict=False):
            pen.line(*ends, colour=colour, width=1.4, zorder=3)
        pen.dots(TARGET, size=70.0)
    axes = c.plot(figure, (0.39, 0.16, 0.27, 0.72), "iteration", "residual", "twenty runs")
    for _, ends in runs:
        left_over = np.maximum(np.linalg.norm(ends - TARGET, axis=1), 1e-5)
        axes.semilogy(left_over, color=c.LEFT, linewidth=0.9, alpha=0.6)
    axes.axhline(1e-3, color=c.RIGHT, linewidth=1.0, linestyle=":")


@c.picture("particles_chain", 8.0, 4.4)
def chain(figure: Any) -> None:
    """90 degrees of freedom, even, and balanced above the root (Fig. 3)."""
    tracker, target = long_chain()
    poses = {"start": bent_chain(30), "solution": tracker.solve(target).pose}
    for k, (title, pose) in enumerate(poses.items()):
        pen = c.Pen(figure, (k / 2.0, 0.0, 0.5, 0.88), (-1.45, 1.45), (-0.25, 2.65),
                    c.view(25.0, 10.0), title)  # fmt: skip
        pen.line((0.0, 0.0, 0.0), (0.0, 2.5, 0.0), colour=c.FAINT, width=1.2, linestyle="--")
        pen.chain(pose.world()[0])
        pen.dots(Balance().centre(pose), c.ORANGE, 80.0)
        pen.dots(target, size=70.0)


def draw_hand(pen: c.Pen, pose: Pose) -> None:
    """Forearm, palm and fingers as thick strokes, the farthest first."""
    at = dict(zip(pose.skeleton.node_names, pose.world()[0], strict=True))
    skin = "#E3C9AE"
    roots = [at[f"{finger}_{FINGERS[finger].joints[0]}"] for finger in FINGERS]
    pen.line(at["elbow"], at["wrist"], colour=skin, width=30.0, zorder=2)
    palm = np.array([at["wrist"], *roots[1:]])
    pen.area(palm, skin, edgecolor=skin, linewidth=15.0, joinstyle="round", zorder=2.5)
    pen.line(at["wrist"], roots[0], colour=skin, width=15.0, zorder=2.5)
    strokes = []
    for finger, shape in FINGERS.items():
        ends = [*(f"{finger}_{joint}" for joint in shape.joints), f"{finger}_tip"]
        joints = [at[name] for name in ends]
        strokes.append((float(np.mean(joints, axis=0) @ pen.basis[2]), joints))
    for z, (_, joints) in enumerate(sorted(strokes, key=lambda stroke: stroke[0])):
        for n, (colour, width) in enumerate((("white", 12.5), (skin, 10.0), (c.FAINT, 1.2))):
            pen.line(*joints, colour=colour, width=width, zorder=3.0 + 0.1 * z + 0.02 * n)


@c.picture("particles_hand", 10.0, 5.5)
def hand(figure: Any) -> None:
    """Fingertips to one set of targets, then to another; smoothed poses on the way (Fig. 6)."""
    tracker, sets = hand_scene()
    titles = ("iteration 1", "iteration 15", "iteration 40", "solution")
    for line, targets in enumerate(sets):
        poses = [iterate.pose for iterate in ParticleStream(tracker).iterates(targets)]
        frames = [poses[min(k, len(poses) - 1)] for k in (0, 14, 39)]
        for k, pose in enumerate([*frames, tracker.solve(targets).pose]):
            box = (k / 4.0, 0.47 * (1 - line), 0.25, 0.45)
            pen = c.Pen(figure, box, (-0.10, 0.26), (-0.47, -0.11), c.view(-70.0, 6.0),
                        "" if line else titles[k])  # fmt: skip
            draw_hand(pen, pose)
            pen.dots(targets, size=30.0)


@c.picture("particles_person", 10.0, 4.0)
def person(figure: Any) -> None:
    """Both feet on the floor, a target for each hand, and a pelvis that moves (Fig. 5)."""
    tracker, targets = person_scene()
    poses = [iterate.pose for iterate in ParticleStream(tracker).iterates(targets)]
    tracker.reset()
    frames = {f"iteration {k + 1}": poses[k] for k in (0, 14, 39, 99)}
    frames["solution"] = tracker.solve(targets).pose
    for k, (title, pose) in enumerate(frames.items()):
        pen = c.Pen(figure, (k / 5.0, 0.0, 0.2, 0.88), (-0.62, 0.58), (-0.25, 1.85),
                    c.view(48.0, 10.0), title, (0.0, 0.0, 0.15))  # fmt: skip
        pen.area(FLOOR, "#EDEFF2", edgecolor=c.FAINT, zorder=0.5)
        pen.body(Motion(pose.skeleton, pose.root[None], pose.rotations[None], 60.0))
        pen.dots(targets[-2], c.SKY, 60.0)
        pen.dots(targets[-1], size=60.0)
