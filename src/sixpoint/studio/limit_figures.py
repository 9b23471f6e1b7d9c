"""The first two figures of the paper on joint limits from motion capture, of one's own rig.

Fig. 1: the same targets reached with free joints and with estimated limits. Fig. 2: the two types
of joints, a hinge about one axis and a ball.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..body.plot import stick_figures
from ..kernels import arrays
from ..kernels.types import Floats
from ..limits.estimate.classify import HINGE
from ..motion.motion import Motion
from ..solvers import solver
from .pictures import INK, new_figure

if TYPE_CHECKING:
    from ..body.skeleton import Skeleton
    from ..limits import Estimate

LIMIT, BONE, SPHERE = "#0072B2", "#D55E00", "#D9DDE2"
SOLVER = "dls"
"""Solver of Fig. 1: one that knows nothing of anatomy but the limits."""
DRAWN = 300
"""Directions of a bone that are drawn."""
DPI = 110


def draw_reach(skeleton: Skeleton, estimate: Estimate, samples: Floats) -> Any:
    """Draw one recorded pose, and what its end effectors alone become without and with limits.

    The pose is that of the samples (n, J', 4) which is farthest from the mean of all.
    """
    away = arrays.angle_between(samples, estimate.fit.centre).sum(axis=1)
    joints = [skeleton.names.index(name) for name in estimate.names]
    turned = arrays.identity(skeleton.joint_count)
    turned[joints] = samples[int(away.argmax())]
    rotations = skeleton.articulation.from_rest(turned)[None]
    recorded = Motion(skeleton, np.zeros((1, 3)), rotations, 60.0)
    ends = None if skeleton.kind == "human" else skeleton.articulation.ends
    points = recorded.points() if ends is None else recorded.points(ends)
    poses, titles = [recorded.world()[0][0]], ["recorded"]
    for limits, title in ((None, "no limits"), (estimate.limits(), "estimated limits")):
        tracker = solver(SOLVER).prepare(skeleton, limits=limits, rate=60.0, names=ends)
        solution = tracker.solve(points.positions[0])
        solved = Motion(skeleton, solution.pose.root[None], solution.pose.rotations[None], 60.0)
        poses.append(solved.world()[0][0])
        titles.append(f"{title}\n{1e3 * np.nanmax(solution.residuals):.0f} mm off")
    figure = stick_figures(skeleton, np.stack(poses), titles)
    figure.set_size_inches(9.0, 4.0)
    figure.set_dpi(DPI)
    return figure


def draw_types(estimate: Estimate, joints: list[int]) -> Any:
    """Draw where the bone of each of some joints can point: a hinge an arc, a ball a region."""
    figure = new_figure("A picture of limits", (9.0, 4.4), DPI)
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 25), np.linspace(0.0, np.pi, 13))
    sphere = np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)
    for k, joint in enumerate(joints):
        limit = estimate.limit(joint)
        bone = estimate.fit.frames[0, joint]
        axes = figure.add_subplot(1, len(joints), k + 1, projection="3d")
        axes.plot_wireframe(*sphere, color=SPHERE, linewidth=0.5)
        if estimate.classes.types[joint] == HINGE:
            turns = arrays.from_axis_angle(
                np.array(limit.axis), np.linspace(limit.low, limit.high, DRAWN)
            )
            at = arrays.rotate(arrays.multiply(np.array(limit.reference), turns), bone)
            axis = arrays.rotate(np.array(limit.reference), np.array(limit.axis))
            axes.plot(*_seen(np.stack([-1.3 * axis, 1.3 * axis])).T, color=INK, linewidth=1.2)
        else:
            at = arrays.rotate(limit.sample(np.random.default_rng(0), DRAWN), bone)
        axes.scatter(*_seen(at).T, s=6.0, c=LIMIT, linewidths=0.0)
        middle = at.mean(axis=0) / max(float(np.linalg.norm(at.mean(axis=0))), 1e-9)
        axes.plot(*_seen(np.stack([np.zeros(3), middle])).T, color=BONE, linewidth=3.0)
        span = (-1.0, 1.0)
        axes.set(xlim=span, ylim=span, zlim=span)
        axes.set_box_aspect((1.0, 1.0, 1.0), zoom=1.3)
        axes.set_axis_off()
        axes.view_init(elev=12.0, azim=60.0)
        name = estimate.names[joint]
        axes.set_title(f"{name}: {estimate.types[name]}", fontsize=10, color=INK)
    return figure


def _seen(points: Floats) -> Floats:
    """Return points with the upward axis last, as matplotlib draws them."""
    return points[:, [0, 2, 1]]
