"""Pictures of the vision chain, one for each stage, and of the synthetic stage."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.vision.capture import Capture, Moment
from sixpoint.vision.debug import STAGES
from sixpoint.vision.stage import RATE, Conditions, Stage
from sixpoint.vision.stage_person import Actor
from sixpoint.vision.stage_scenes import scene

from .canvas import INK, save, sheet


def _moment(name: str, frame: int) -> tuple[Stage, tuple[np.ndarray, ...], Moment]:
    """A scene followed up to a frame."""
    motion = scene(name).frames(slice(max(0, frame - 20), frame + 1))
    stage = Stage((Actor(motion),), conditions=Conditions(noise=1.0))
    capture = Capture(stage.cameras, Skeleton.humanoid(), RATE)
    for pair in stage.pairs():
        moment = capture.step(pair)
    return stage, pair, moment


def stage(path: Path) -> None:
    """The synthetic stage: what the two cameras see in four scenes."""
    figure = sheet(8.0, 3.2)
    for k, (name, frame) in enumerate((("calibration", 0), ("gestures", 57), ("crossing", 60),
                                       ("box", 50))):  # fmt: skip
        views = Stage((Actor(scene(name)),)).views(frame)
        for row, view in enumerate(views):
            axes = figure.add_axes((0.005 + 0.25 * k, 0.47 - 0.465 * row, 0.24, 0.45))
            axes.imshow(view.picture[..., ::-1])
            axes.axis("off")
            if row == 0:
                axes.set_title(name, fontsize=9, color=INK, pad=3)
    save(figure, path)


def stages(path: Path) -> None:
    """Every stage of the chain, in both pictures."""
    shown, pair, moment = _moment("gestures", 57)
    names = ["picture", *STAGES]
    figure = sheet(9.0, 2.3)
    for k, name in enumerate(names):
        for view in range(2):
            picture = (
                pair[view]
                if k == 0
                else STAGES[name](pair[view], shown.cameras[view], moment, view)
            )
            axes = figure.add_axes((0.002 + k / 7, 0.45 - 0.45 * view, 0.139, 0.44))
            axes.imshow(picture[10:, 60:260, ::-1])
            axes.axis("off")
            if view == 0:
                axes.set_title(name, fontsize=8, color=INK, pad=2)
    save(figure, path)


def crossing(path: Path) -> None:
    """Hands that cross keep their names."""
    figure = sheet(8.0, 1.9)
    for k, frame in enumerate((30, 44, 52, 60, 76)):
        shown, pair, moment = _moment("crossing", frame)
        axes = figure.add_axes((0.004 + 0.2 * k, 0.01, 0.192, 0.85))
        axes.imshow(STAGES["tracks"](pair[0], shown.cameras[0], moment, 0)[20:150, 80:240, ::-1])
        axes.axis("off")
        axes.set_title(f"{frame / RATE:.1f} s", fontsize=8, color=INK, pad=2)
    save(figure, path)
