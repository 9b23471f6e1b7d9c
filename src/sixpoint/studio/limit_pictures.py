"""Pictures of estimated limits: the samples of a joint, its angles, its boundary, its motions.

Figures are those of the paper on joint limits from motion capture; see `sixpoint.limits`.
"""

from __future__ import annotations

import io
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..limits.estimate.classify import BALL, HINGE
from ..limits.estimate.fit import hinge_angles, swing_angles
from ..limits.estimate.intervals import contiguous_interval
from .limit_figures import draw_reach, draw_types
from .pictures import INK, new_figure

if TYPE_CHECKING:
    from ..limits import Estimate, LimitEstimator

SAMPLES, EDGE = "#0072B2", "#222222"
CLIPS = ("#0072B2", "#D55E00", "#009E73")
"""Colours of the palette of Okabe and Ito."""
MAX_SAMPLES = 4000
"""Largest number of samples in one cloud."""
WINDOW = 100
"""Number of samples of one clip of which angles are shown in time, as in the paper."""
DPI = 110


def draw_limits(estimator: LimitEstimator, estimate: Estimate) -> dict[str, bytes]:
    """Draw Figs. 1, 2, 4, 7 and 9 of the paper, and swing boundaries.

    Returns:
        Names of files and their content, in the order in which the documentation explains them.
    """
    samples, starts = estimator.samples()
    joints = _chosen(estimate)
    drawn = {}
    with suppress(InputError):  # not every rig can be solved
        drawn["reach"] = draw_reach(estimator.skeleton, estimate, samples)
    drawn |= {
        "types": draw_types(estimate, joints),
        "cloud": draw_clouds(estimate, samples, joints),
        "unwrapping": draw_unwrapping(estimate, *wrapping(estimator, estimate, joints[0])),
        "boundary": draw_boundary(estimate, samples, joints[0]),
        "motions": draw_motions(estimate, samples, starts, joints[0]),
    }
    content = {}
    for name, figure in drawn.items():
        file = io.BytesIO()
        figure.savefig(file, format="png", metadata={"Software": None})
        content[f"{name}.png"] = file.getvalue()
    return content


def _chosen(estimate: Estimate) -> list[int]:
    """Return a ball and a hinge to show: left shoulder and elbow where there are such."""
    spread = estimate.classes.spreads[:, 0]
    out = []
    for role, kind in (("l_shoulder", BALL), ("l_elbow", HINGE)):
        named = [j for j, n in enumerate(estimate.names) if estimate.roles.get(n) == role]
        alike = np.flatnonzero(estimate.classes.types == kind)
        best = int(alike[np.argmax(spread[alike])]) if len(alike) else int(np.argmax(spread))
        out.append(named[0] if named else best)
    return out


def wrapping(estimator: LimitEstimator, estimate: Estimate, usual: int) -> tuple[Floats, int]:
    """Return samples of one clip (n, J, 4) and the ball whose angles lose the most jumps in them.

    The usual ball is preferred, if it loses any.
    """
    balls = estimate.classes.types == BALL
    windows = estimator.windows(WINDOW)
    best, found = (False, -np.inf), (windows[0], usual)
    for window in windows:
        angles = arrays.to_zyz(window)
        # Near the singularity of ZYZ angles jumps remain, whatever is done.
        change = _jumps(angles) - 10.0 * _jumps(_unwrapped(angles)[0])
        lost = np.where(balls, change, -np.inf)
        for joint in {usual, int(np.argmax(lost))}:
            score = (joint == usual and bool(lost[joint] > 0.0), float(lost[joint]))
            if score > best:
                best, found = score, (window, joint)
    return found


def _unwrapped(angles: Floats) -> tuple[Floats, Floats, Floats]:
    """Return angles in their contiguous interval, and its two ends."""
    low, high, _ = contiguous_interval(angles)
    return low + np.mod(angles - low, 2.0 * np.pi), low, high


def _jumps(angles: Floats) -> Floats:
    """Count steps of more than half a turn of the angles (N, J, A) of each joint, shape (J,)."""
    return np.asarray((np.abs(np.diff(angles, axis=0)) > np.pi).sum(axis=(0, 2)), np.float64)


def _from_mean(estimate: Estimate, samples: Floats, joint: int) -> Floats:
    """Return vector parts (n, 3) of a joint's rotations from their mean, at most `MAX_SAMPLES`."""
    mean = arrays.conjugate(estimate.fit.centre[joint])
    return _few(arrays.canonical(arrays.multiply(mean, samples[:, joint]))[:, 1:])


def _few(samples: Floats) -> Floats:
    return samples[:: max(1, -(-len(samples) // MAX_SAMPLES))]


def _figure(height: float) -> Any:
    return new_figure("A picture of limits", (9.0, height), DPI)


def _title(axes: Any, text: str) -> None:
    axes.set_title(text, fontsize=10, color=INK)


def _label(estimate: Estimate, joint: int) -> str:
    name = estimate.names[joint]
    role = estimate.roles.get(name)
    return f"{name} ({role})" if role and role != name else name


def draw_clouds(estimate: Estimate, samples: Floats, joints: list[int]) -> Any:
    """Draw rotations from their mean (Fig. 4): a ball fills space, a hinge a line."""
    figure = _figure(4.4)
    for k, joint in enumerate(joints):
        v = _from_mean(estimate, samples, joint)
        axes = figure.add_subplot(1, len(joints), k + 1, projection="3d")
        axes.scatter(*v.T, s=4.0, c=SAMPLES, alpha=0.5, linewidths=0.0)
        reach = max(float(np.abs(v).max()), 0.05)
        span = (-reach, reach)
        axes.set(xlim=span, ylim=span, zlim=span, xlabel="x", ylabel="y", zlabel="z")
        share = estimate.classes.eigenvalues[joint]
        part = 100.0 * share / max(float(share.sum()), 1e-300)
        kind = estimate.types[estimate.names[joint]]
        variance = " / ".join(f"{value:.1f}" for value in part[:3])
        _title(axes, f"{_label(estimate, joint)}: {kind}\nvariance {variance} %")
    return figure


def draw_unwrapping(estimate: Estimate, samples: Floats, joint: int) -> Any:
    """Draw angles of one clip in time (Fig. 7), before and after they are made contiguous."""
    figure = _figure(4.6)
    first = samples[:, joint]
    if estimate.types[estimate.names[joint]] == "hinge":
        turned = arrays.multiply(arrays.conjugate(estimate.classes.reference[joint]), first)
        angles, names = hinge_angles(turned, estimate.classes.axes[joint])[0][:, None], "θ"
    else:
        angles, names = arrays.to_zyz(first), "φψθ"
    after, low, high = _unwrapped(angles)
    for row, (values, title) in enumerate(((angles, "before"), (after, "after"))):
        axes = figure.add_subplot(2, 1, row + 1)
        for k, name in enumerate(names):
            axes.plot(np.degrees(values[:, k]), ".", ms=2.5, color=CLIPS[k], label=name)
            if row:
                axes.axhspan(*np.degrees((low[k], high[k])), color=CLIPS[k], alpha=0.08)
        jumps = int(_jumps(values[:, None])[0])
        _title(axes, f"{_label(estimate, joint)}, {title}: {jumps} jumps of a turn")
        axes.set_ylabel("degrees", color=INK)
        axes.legend(frameon=False, fontsize=8, loc="upper right", ncols=3)
    axes.set_xlabel("sample", color=INK)
    figure.subplots_adjust(hspace=0.45)
    return figure


def draw_boundary(estimate: Estimate, samples: Floats, joint: int) -> Any:
    """Draw where the bone points, and its boundary, on the sphere and on its map."""
    figure = _figure(4.6)
    limit = estimate.limit(joint, "swing_twist", type=BALL)
    bone, e1, e2 = (np.array(v) for v in (limit.bone, limit.e1, limit.e2))
    theta = np.linspace(-np.pi, np.pi, 721)
    most = limit.amplitude(theta)
    heading = np.cos(theta)[:, None] * e1 + np.sin(theta)[:, None] * e2
    edge = np.cos(most)[:, None] * bone + np.sin(most)[:, None] * heading
    at = arrays.rotate(_few(samples[:, joint]), bone)
    axes = figure.add_subplot(1, 2, 1, projection="3d")
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 25), np.linspace(0.0, np.pi, 13))
    # The picture's third axis points up: x, z, y.
    ball = np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)
    axes.plot_wireframe(*ball, color="#D9DDE2", linewidth=0.5)
    axes.scatter(*at.T[[0, 2, 1]], s=3.0, c=SAMPLES, alpha=0.5, linewidths=0.0)
    axes.plot(*edge.T[[0, 2, 1]], color=EDGE, linewidth=1.8)
    axes.set_box_aspect((1.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.view_init(elev=12.0, azim=60.0)
    _title(axes, f"{_label(estimate, joint)}: where the bone points")
    axes = figure.add_subplot(1, 2, 2, projection="polar")
    around, away = (
        _few(angles[:, joint]) for angles in swing_angles(samples, estimate.fit.frames)[:2]
    )
    axes.scatter(around, np.degrees(away), s=3.0, c=SAMPLES, alpha=0.4, linewidths=0.0)
    axes.plot(theta, np.degrees(most), color=EDGE, linewidth=1.6)
    axes.set_rlabel_position(250.0)
    twist = np.degrees(limit.twist)
    _title(axes, f"swing ψ(θ), twist {twist[0]:.0f}..{twist[1]:.0f}")
    return figure


def draw_motions(estimate: Estimate, samples: Floats, starts: list[int], joint: int) -> Any:
    """Draw the samples of one joint in three clips, or thirds of one (Fig. 9).

    Of more than three clips the first, the middle and the last are shown: clips of one kind often
    stand together.
    """
    spans = list(pairwise([*starts, len(samples)]))
    names: list[str] = [clip["name"] for clip in estimate.provenance["clips"]]
    if len(spans) >= 3:
        chosen = (0, len(spans) // 2, len(spans) - 1)
        spans, names = [spans[k] for k in chosen], [names[k] for k in chosen]
    else:
        cuts = np.linspace(0, len(samples), 4).astype(int).tolist()
        spans, names = list(pairwise(cuts)), ["first", "second", "third"]
    figure = _figure(3.4)
    for k, (first, last) in enumerate(spans):
        v = _from_mean(estimate, samples[first:last], joint)
        axes = figure.add_subplot(1, 3, k + 1, projection="3d")
        axes.plot(*v.T, color=CLIPS[k], linewidth=0.8)
        axes.scatter(*v.T, s=3.0, c=CLIPS[k], linewidths=0.0)
        axes.set(xlim=(-1.0, 1.0), ylim=(-1.0, 1.0), zlim=(-1.0, 1.0))
        _title(axes, str(names[k])[:28])
    figure.suptitle(_label(estimate, joint), fontsize=11, color=INK)
    return figure
