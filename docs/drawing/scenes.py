"""From cameras to points, balance and collision: scenes of the vision-driven paper."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from sixpoint.api import reconstruct
from sixpoint.bench.reach import TAGS, map_reach, reach_scenes, stance_points
from sixpoint.body.skeleton import Skeleton
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers.jacobian.balance import BalanceSolver
from sixpoint.studio.pictures import INK
from sixpoint.vision.capture import Capture, CaptureFrame
from sixpoint.vision.debug import STAGES, ZOOM
from sixpoint.vision.synthetic.room import RATE, Actor, Conditions, Room
from sixpoint.vision.synthetic.scenes import scene

from . import canvas as c


def show(figure: Any, box: Sequence[float], image: Any, title: str = "") -> None:
    """An image of OpenCV on a part of the picture."""
    axes = figure.add_axes(box)
    axes.imshow(image[..., ::-1])
    axes.axis("off")
    axes.set_title(title, fontsize=9, color=INK, pad=3)


def captured(
    name: str, frames: Sequence[int]
) -> tuple[Room, list[tuple[tuple[np.ndarray, ...], CaptureFrame]]]:
    """A scene that is followed from 20 frames before the first of some frames to the last."""
    begin = max(0, frames[0] - 20)
    motion = scene(name).frames(slice(begin, frames[-1] + 1))
    stage = Room((Actor(motion),), conditions=Conditions(noise=1.0))
    capture = Capture(stage.cameras, Skeleton.humanoid(), RATE)
    seen = [(pair, capture.step(pair)) for pair in stage.pairs()]
    return stage, [seen[frame - begin] for frame in frames]


@c.picture("stage", 8.0, 3.2)
def stage(figure: Any) -> None:
    """The synthetic stage: what the two cameras see in four scenes."""
    frames = {"gestures": 57, "crossing": 60, "clap": 55, "face": 62}
    for k, (name, frame) in enumerate(frames.items()):
        for row, view in enumerate(Room((Actor(scene(name)),)).views(frame)):
            box = (0.005 + 0.25 * k, 0.47 - 0.465 * row, 0.24, 0.45)
            show(figure, box, view.picture, "" if row else name)


def one_stage(figure: Any, name: str) -> None:
    """One stage of the chain from picture to points, in both pictures."""
    shown, [(pair, moment)] = captured("gestures", [57])
    for view, camera in enumerate(shown.cameras):
        drawn = STAGES[name](pair[view], camera, moment, view)
        part = drawn[ZOOM * 15 : ZOOM * 235, ZOOM * 60 : ZOOM * 260]
        show(figure, (0.005 + 0.5 * view, 0.01, 0.49, 0.98), part)


for _name in STAGES:
    c.picture(f"vision_{_name}", 6.4, 3.6)(partial(one_stage, name=_name))


@c.picture("crossing", 8.0, 1.9)
def crossing(figure: Any) -> None:
    """Hands that cross keep their names."""
    frames = (30, 44, 49, 60, 76)
    shown, seen = captured("crossing", frames)
    for k, (frame, (pair, moment)) in enumerate(zip(frames, seen, strict=True)):
        drawn = STAGES["tracks"](pair[0], shown.cameras[0], moment, 0)
        part = drawn[ZOOM * 20 : ZOOM * 150, ZOOM * 80 : ZOOM * 240]
        show(figure, (0.004 + 0.2 * k, 0.01, 0.192, 0.85), part, f"{frame / RATE:.1f} s")


def solved(
    name: str, *solvers: tuple[str, str, dict[str, Any]]
) -> tuple[Points, dict[str, Motion]]:
    """A scene and what solvers make of its points; each is a title, a name and settings."""
    clip = scene(name)
    points = clip.points()
    found = {title: reconstruct(points, clip.skeleton, kind, **settings).motion
             for title, kind, settings in solvers}  # fmt: skip
    return points, {"original": clip, **found}


@c.picture("far_reach", 9.0, 3.4)
def far_reach(figure: Any) -> None:
    """The lower body goes against the reach (Boulic et al. 2006, Fig. 11)."""
    points, motions = solved(
        "far_reach",
        ("15 degrees of freedom", "pik-balance", {"body": "simple"}),
        ("legs", "pik-balance", {"body": "legs"}),
    )
    far = int(np.argmax(points.positions[:, 2, 0]))
    for k, (title, motion) in enumerate(motions.items()):
        pen = c.Pen(figure, (k / 3, 0.0, 1 / 3, 0.9), (-0.75, 1.1), (-0.1, 1.85),
                    c.view(0.0, 6.0), title)  # fmt: skip
        pen.line((0.0, 0.0, 0.0), (0.0, 1.8, 0.0), colour=c.FAINT, width=1.0, linestyle=":")
        pen.body(motion, c.GHOST, frame=0, zorder=1.0)
        pen.body(motion, frame=far)
        pen.cross(points.positions[far, 2])


@c.picture("box_carried", 8.0, 6.4)
def box_carried(figure: Any) -> None:
    """An imaginary box is carried (Boulic et al. 2006, Fig. 13)."""
    names = ("analytic-upper", "pik-balance")
    points, motions = solved("box", *((name, name, {}) for name in names))
    for r, (name, motion) in enumerate(motions.items()):
        for k, frame in enumerate((0, 32, 52, 82, 112, 140)):
            pen = c.Pen(figure, (k / 6, 0.67 - r / 3, 1 / 6, 0.28), (-0.95, 0.55), (-0.1, 1.85),
                        c.view(25.0, 8.0), "" if k else name)  # fmt: skip
            pen.body(motion, frame=frame)
            pen.dots(points.positions[frame, 2:4], size=18.0)


@c.picture("collision_scenes", 8.0, 4.6)
def collision_scenes(figure: Any) -> None:
    """A box changes colour when the body is in it (Boulic et al. 2006, Figs. 14 to 16)."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    edges = [(a, b) for a in range(8) for b in range(a) if np.abs(signs[a] - signs[b]).sum() == 2]
    for r, (story, yaw) in enumerate(zip(reach_scenes(), (70.0, 20.0), strict=True)):
        hit = story.contacts.highlight[:, 0]
        first = int(np.argmax(hit))
        box: Any = story.scene.things[0]
        corners = np.array(box.centre) + signs * 0.5 * np.array(box.size)
        figure.text(0.01, 0.97 - 0.5 * r, story.title, **(c.TITLE | {"ha": "left"}))
        for k, frame in enumerate((0, max(0, first - 12), first, len(hit) - 1)):
            pen = c.Pen(figure, (k / 4, 0.5 - 0.5 * r, 0.25, 0.44), (-1.0, 1.0), (-0.05, 1.85),
                        c.view(yaw, 8.0))  # fmt: skip
            pen.body(story.motion, frame=frame)
            for a, b in edges:
                pen.line(corners[a], corners[b], colour=c.RIGHT if hit[frame] else c.FAINT)


@c.picture("reach", 7.0, 3.6)
def reach(figure: Any) -> None:
    """What the left hand reaches, in two planes through its shoulder."""
    body = Skeleton.humanoid()
    found = map_reach(body, BalanceSolver(), step=0.07)
    stance = reconstruct(Points(SIX, stance_points(body)[None], 30.0), body, "pik-balance").motion
    colours = {"unreachable": c.FAINT, "reachable": c.GREEN, "colliding": c.RIGHT}
    planes = ((0.0, "from the front", 2), (90.0, "from the left", 0))
    for k, (yaw, title, depth) in enumerate(planes):
        pen = c.Pen(figure, (0.5 * k, 0.0, 0.5, 0.9), (-1.1, 1.2), (0.0, 2.3), c.view(yaw, 0.0),
                    title)  # fmt: skip
        pen.body(stance, c.GHOST)
        for tag, colour in colours.items():
            at = found.places[found.slice(depth) & (found.tags == TAGS.index(tag))]
            pen.dots(at, colour, 4.0 if tag == "unreachable" else 14.0, linewidths=0.0)
