"""Whole bodies: the order of solving, a built-in clip, another swivel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.cli.demo import SETTINGS
from sixpoint.cli.options import make_solver
from sixpoint.motion.points import SIX
from sixpoint.studio.mannequin import COLOURS, Limb, mannequin_of
from sixpoint.studio.panels import Panel, common_view, shoot
from sixpoint.studio.pictures import INK, draw_pose, pose_axes

from .canvas import GHOST, LEFT, ORANGE, PURPLE, Part, Pen, place, save, sheet, view
from .limb import standing

STEPS = ("pelvis", "spine", "legs", "clavicles", "arms")
FRAME = 126
"""Of the clip "overhead": on the toes, one hand at a high shelf."""


def step_of(skeleton: Skeleton) -> Callable[[Part], str]:
    """Which step of the solver places a part of the mannequin."""
    anatomy = skeleton.anatomy
    nodes = {anatomy.node(role): role for role in anatomy.roles.nodes}
    first = mannequin_of(skeleton).masses[0]

    def find(part: Part) -> str:
        if not isinstance(part, Limb):
            return "pelvis" if part == first else "spine"
        role = nodes.get(part.start, "")
        if role.endswith(("hip", "knee", "ankle")):
            return "legs"
        if role.endswith("clavicle"):
            return "clavicles"
        return "arms" if role[2:] in ("shoulder", "elbow", "wrist") else "spine"

    return find


def order(path: Path) -> None:
    """Six points, then part by part."""
    clip = sp.builtin("overhead")
    points = clip.points()
    motion = sp.reconstruct(points, clip.skeleton).motion
    one = motion.frames([FRAME])
    six = points.positions[FRAME]
    find = step_of(clip.skeleton)
    figure = sheet(10.0, 4.2)
    basis = view(24.0, 10.0)
    origin = six[0] * (1.0, 0.0, 1.0)
    for k in range(len(STEPS) + 1):
        done = STEPS[:k]
        axes = place(figure, (k / 6.0, 0.0, 1 / 6.0, 0.9), (-0.52, 0.52), (-0.14, 2.28))
        pen = Pen(axes, basis, origin)

        def colour(part: Part, done: tuple[str, ...] = done) -> str | None:
            return COLOURS[part.side] if find(part) in done else None

        pen.body(one, colour)
        if k <= 1:
            lines = (("pelvis", "head", INK), ("r_wrist", "l_wrist", ORANGE),
                     ("r_ankle", "l_ankle", PURPLE))  # fmt: skip
            for a, b, paint in lines:
                pen.line(six[SIX.index(a)], six[SIX.index(b)], colour=paint, width=1.6,
                         linestyle="--" if k else "-", alpha=0.5 if k else 1.0)  # fmt: skip
        if k == 1:
            pelvis = clip.skeleton.anatomy.node("pelvis")
            pen.triad(six[0], one.world()[1][0, pelvis], 0.24, 2.2)
        pen.dots(six, size=34.0)
        title = f"{k}  {STEPS[k - 1]}" if k else "six points"
        figure.text((k + 0.5) / 6.0, 0.94, title, fontsize=12, color=INK, ha="center")
    save(figure, path)


def strip(name: str, moments: Sequence[float]) -> Callable[[Path], None]:
    """A built-in clip and its reconstruction, the same moments [s] below each other."""

    def draw(path: Path) -> None:
        original = sp.builtin(name)
        points = original.points()
        solver = make_solver("sik", SETTINGS["sik"])  # as `sixpoint demo` shows it
        result = sp.reconstruct(points, original.skeleton, solver).motion
        off = sp.compare(result, original).position_rms
        panels = [
            Panel(original, f"built-in clip “{name}”", points),
            Panel(
                result, f"from six points, joints {100.0 * off:.1f} % of body height off", points
            ),
        ]
        shots = [shoot(panel, np.array(moments)) for panel in panels]
        basis, bounds = common_view(shots, None)
        half, low, high = bounds
        cell = 10.0 / len(moments) * (high - low) / (2.0 * half)
        line = 0.27
        figure = sheet(10.0, 2.0 * (cell + line))
        size = figure.get_size_inches()[1]
        for row, shot in enumerate(shots):
            top = size - row * (cell + line)
            figure.text(0.01, (top - line / 2) / size, shot.panel.title, fontsize=11, color=INK,
                        va="center")  # fmt: skip
            for k in range(len(moments)):
                corner = (k / len(moments), (top - line - cell) / size)
                axes = pose_axes(figure, (*corner, 1.0 / len(moments), cell / size), bounds)
                draw_pose(axes, shot, k, basis)
        save(figure, path)

    return draw


def swivel(path: Path) -> None:
    """A raised arm that limits keep from its target, and the swivel that reaches it."""
    body = Skeleton.humanoid()
    at = dict(zip(body.names, body.anatomy.positions, strict=False))
    shoulder = at["l_shoulder"]
    reach = float(np.linalg.norm(at["l_wrist"] - shoulder))
    rise = np.radians(150.0)
    target = shoulder + 0.93 * reach * np.array([np.sin(rise), -np.cos(rise), 0.0])
    figure = sheet(10.0, 4.1)
    find = step_of(body)

    def arm(part: Part) -> str | None:
        return LEFT if part.side == "left" and find(part) == "arms" else None

    for k, name in enumerate(("neutral", "search")):
        motion = standing(body, target, swivel=name)
        now = motion.positions()[0]
        gap = 1e3 * float(np.linalg.norm(now[body.index("l_wrist")] - target))
        for n, (yaw, words) in enumerate(((0.0, "from the front"), (90.0, "from the left"))):
            x = (-0.30, 0.62) if n == 0 else (-0.44, 0.48)
            box = ((2 * k + n) / 4.0, 0.0, 0.25, 0.88)
            axes = place(figure, box, x, (-0.08, 1.16))
            pen = Pen(axes, view(yaw, 0.0))
            pen.body(motion, lambda part: GHOST if part.side != "left" else None, zorder=1.0)
            pen.body(motion, arm, zorder=3.0)
            pen.dots(target, size=70.0)
            axes.text(sum(x) / 2, -0.03, words, fontsize=10, color=INK, ha="center")
        title = f'swivel="{name}": {gap:.0f} mm off'
        figure.text(0.25 + 0.5 * k, 0.93, title, fontsize=12, color=INK, ha="center")
    save(figure, path)
