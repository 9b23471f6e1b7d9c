"""Poses of original and reconstructions as small pictures, in the manner of Figs. 10-12 and 19-21.

Drawn as in the studio. On a reconstruction, a thin dark line shows the bones of the original.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..body.anatomy import anatomy_of
from ..kernels.types import Floats
from ..motion.metrics import LIMBS
from ..motion.motion import Motion
from ..studio.mannequin import POINT_COLOUR
from ..studio.panels import MARGIN, Panel, Shot, View, facing_of, shoot
from ..studio.pictures import draw_pose, new_figure, pose_axes
from .table1_runs import Clip, Run

TALL = 2.1
"""Height of a picture [inch]."""
DPI = 150
SHADES = 48
"""Colours in a picture: a mannequin has few, and the page stays small."""


@dataclass(frozen=True)
class Sample:
    """One moment."""

    frame: int
    """Its number in the recording."""
    pictures: Mapping[str, bytes]
    """"original" or solver -> PNG."""


def draw_samples(clip: Clip, runs: Mapping[str, Run]) -> tuple[list[Sample], Sample]:
    """The strip of a clip (original and SIK), and the moment in which all methods are shown.

    Args:
        clip: with the original motion.
        runs: solver -> what it did on this clip.
    """
    picks = clip.picks
    original = clip.motion.frames(picks)
    points = clip.motion.points().frames(picks)
    shown = "sik" if "sik" in runs else next(iter(runs))
    times = np.arange(len(picks)) / original.rate
    truth = shoot(Panel(original, points=points), times)
    shots = {
        name: replace(shoot(Panel(run.poses, points=points), times), anchor=truth.anchor)
        for name, run in runs.items()
    }
    views = [View().basis(facing_of(original.frames(slice(k, k + 1)))) for k in range(len(picks))]
    bones = _bones(original)
    last = len(picks) - 1
    near = _bounds([truth, shots[shown]], views, range(last))
    strip = [
        Sample(
            clip.first + picks[k],
            {
                "original": _picture(truth, k, views[k], near, None),
                shown: _picture(shots[shown], k, views[k], near, bones[k]),
            },
        )
        for k in range(last)
    ]
    wide = _bounds([truth, *shots.values()], views, range(last, last + 1))
    together = {"original": _picture(truth, last, views[last], wide, None)}
    for name, shot in shots.items():
        together[name] = _picture(shot, last, views[last], wide, bones[last])
    return strip, Sample(clip.first + picks[last], together)


def _bounds(shots: list[Shot], views: list[Floats], moments: range) -> tuple[float, float, float]:
    """Half width, lowest and highest point of all pictures around the original's position [m]."""
    pad = 2.0 * MARGIN * shots[0].panel.mannequin.stature
    corners = np.concatenate(
        [(s.corners[k] - s.anchor[k]) @ views[k].T for s in shots for k in moments]
    )
    return (
        float(np.abs(corners[:, 0]).max()) + pad,
        min(float(corners[:, 1].min()), 0.0) - pad,
        float(corners[:, 1].max()) + pad,
    )


def _bones(motion: Motion) -> list[list[Floats]]:
    """Lines along spine and limbs in each frame [m]."""
    anatomy = anatomy_of(motion.skeleton)
    node = anatomy.node
    paths = [
        list(anatomy.bends),
        *([node(role) for role in roles] for roles in LIMBS.values()),
        [node("l_shoulder"), anatomy.chest, node("r_shoulder")],
        [node("l_hip"), node("pelvis"), node("r_hip")],
    ]
    at = motion.positions()
    return [[at[f, path] for path in paths] for f in range(len(motion))]


def _picture(
    shot: Shot,
    k: int,
    basis: Floats,
    bounds: tuple[float, float, float],
    bones: list[Floats] | None,
) -> bytes:
    half, low, high = bounds
    figure = new_figure("A picture of a pose", (TALL * 2.0 * half / (high - low), TALL), DPI)
    from matplotlib.collections import LineCollection  # there: a figure could be made
    from PIL import Image, ImageColor

    axes = pose_axes(figure, (0.0, 0.0, 1.0, 1.0), bounds)
    draw_pose(axes, shot, k, basis)
    if bones is not None:
        flat = [((line - shot.anchor[k]) @ basis.T)[:, :2] for line in bones]
        axes.add_collection(LineCollection(flat, colors="#111418", linewidths=0.9, zorder=2.5))
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
    # The points are so small that the palette would do without their colour: give it some lines.
    swatch = np.tile(np.array(ImageColor.getrgb(POINT_COLOUR), np.uint8), (8, pixels.shape[1], 1))
    palette = Image.fromarray(np.concatenate([pixels, swatch])).quantize(SHADES)
    out = io.BytesIO()
    picture = Image.fromarray(pixels).quantize(palette=palette, dither=Image.Dither.NONE)
    shades = picture.getpalette() or []
    paper = 3 * int(np.asarray(picture)[0, 0])  # white, but for the shades it was averaged with
    shades[paper : paper + 3] = [255, 255, 255]
    picture.putpalette(shades)
    picture.save(out, format="PNG", optimize=True)
    return out.getvalue()
