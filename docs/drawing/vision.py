"""Pictures of the vision chain, one for each stage, and of the synthetic stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from sixpoint.bench.capturing import NOISE, jitter_and_lag, play
from sixpoint.bench.vision_pictures import draw_jitter
from sixpoint.body.skeleton import Skeleton
from sixpoint.vision.capture import Capture, Moment
from sixpoint.vision.debug import STAGES, ZOOM
from sixpoint.vision.synthetic.person import Actor
from sixpoint.vision.synthetic.room import RATE, Conditions, Room
from sixpoint.vision.synthetic.scenes import scene

from .canvas import INK, save, sheet


def _moments(
    name: str, frames: Sequence[int]
) -> tuple[Room, list[tuple[tuple[np.ndarray, ...], Moment]]]:
    """A scene that is followed from 20 frames before the first of some frames to the last."""
    begin = max(0, frames[0] - 20)
    motion = scene(name).frames(slice(begin, frames[-1] + 1))
    stage = Room((Actor(motion),), conditions=Conditions(noise=1.0))
    capture = Capture(stage.cameras, Skeleton.humanoid(), RATE)
    seen = [(pair, capture.step(pair)) for pair in stage.pairs()]
    return stage, [seen[frame - begin] for frame in frames]


def stage(path: Path) -> None:
    """The synthetic stage: what the two cameras see in four scenes."""
    figure = sheet(8.0, 3.2)
    for k, (name, frame) in enumerate((("gestures", 57), ("crossing", 60), ("clap", 55),
                                       ("face", 62))):  # fmt: skip
        views = Room((Actor(scene(name)),)).views(frame)
        for row, view in enumerate(views):
            axes = figure.add_axes((0.005 + 0.25 * k, 0.47 - 0.465 * row, 0.24, 0.45))
            axes.imshow(view.picture[..., ::-1])
            axes.axis("off")
            if row == 0:
                axes.set_title(name, fontsize=9, color=INK, pad=3)
    save(figure, path)


def one_stage(name: str) -> Callable[[Path], None]:
    """One stage of the chain, in both pictures."""

    def draw(path: Path) -> None:
        shown, [(pair, moment)] = _moments("gestures", [57])
        figure = sheet(6.4, 3.6)
        for view, camera in enumerate(shown.cameras):
            drawn = STAGES[name](pair[view], camera, moment, view)
            axes = figure.add_axes((0.005 + 0.5 * view, 0.01, 0.49, 0.98))
            axes.imshow(drawn[ZOOM * 15 : ZOOM * 235, ZOOM * 60 : ZOOM * 260, ::-1])
            axes.axis("off")
        save(figure, path)

    return draw


def jitter(path: Path) -> None:
    """Jitter against lag, as `sixpoint bench vision` measures them."""
    rows = jitter_and_lag(play("gestures", NOISE))["jitter_and_lag"]
    draw_jitter(rows, path)


def crossing(path: Path) -> None:
    """Hands that cross keep their names."""
    figure = sheet(8.0, 1.9)
    frames = (30, 44, 49, 60, 76)
    shown, seen = _moments("crossing", frames)
    for k, (frame, (pair, moment)) in enumerate(zip(frames, seen, strict=True)):
        axes = figure.add_axes((0.004 + 0.2 * k, 0.01, 0.192, 0.85))
        axes.imshow(
            STAGES["tracks"](pair[0], shown.cameras[0], moment, 0)[
                ZOOM * 20 : ZOOM * 150, ZOOM * 80 : ZOOM * 240, ::-1
            ]
        )
        axes.axis("off")
        axes.set_title(f"{frame / RATE:.1f} s", fontsize=8, color=INK, pad=2)
    save(figure, path)
