"""Chains, trees and hands: sweeps, Jacobian methods, springs, and all solvers at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from measured import FOUND

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels.types import Floats
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import Points
from sixpoint.solvers.articulated.model import Targets, model_forward
from sixpoint.solvers.springs.expression import Expression, widen
from sixpoint.solvers.springs.masses import gather, place_masses
from sixpoint.solvers.springs.relaxation import Rest, relax
from sixpoint.solvers.springs.solve import set_goals, weigh_nodes
from sixpoint.studio.pictures import INK
from sixpoint.tasks import Reach

from . import canvas as c

GOAL = np.array([2.9, 1.1, 0.0])
SWEEPS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500)
LONG, FAR = 30, 0.95
"""Joints of the chain whose errors are plotted; distance of its target over its length."""
JACOBIAN = {"jacobian-transpose": c.ORANGE, "pseudoinverse": c.RIGHT, "dls": c.LEFT,
            "sdls": c.GREEN}  # fmt: skip
KINDS = {
    "sequential": (("sik", "kma", "tgbsik"), c.LEFT),
    "sweeps": (("ccd", "fabrik"), c.GREEN),
    "Jacobian": (("jacobian-transpose", "pseudoinverse", "dls", "dls-svd", "sdls"), c.ORANGE),
    "priorities": (("pik",), c.RIGHT),
}
"""Family -> solvers, colour. Solvers that are not listed are in a family of their own."""
LEFT_OUT = ("pik-balance",)
"""Feet that stay where they are do not follow people who walk."""
BESIDE = {"dls-svd": (-9, -3), "sdls": (8, -4), "pseudoinverse": (7, 4), "mass-spring": (-8, -3),
          "mass-spring-force": (-8, -4), "ccd": (7, -8), "monte-carlo": (-8, -3)}  # fmt: skip
"""Where the name stands from its dot [points], if not to the right."""


@c.picture("choosing", 8.0, 3.9)
def choosing(figure: Any) -> None:
    """Position error over time a frame."""
    table = {n: each["average"] for n, each in FOUND["table1"].items() if n not in LEFT_OUT}
    axes = c.plot(figure, (0.1, 0.15, 0.86, 0.8), "time a frame [us]", "position error, of height")
    listed = {name for names, _ in KINDS.values() for name in names}
    others = tuple(name for name in table if name not in listed)
    for kind, (names, colour) in {**KINDS, "others": (others, INK)}.items():
        x, y = ([table[n][key] for n in names] for key in ("median_us", "position_rms"))
        axes.scatter(x, y, s=70.0, c=colour, label=kind, zorder=3)
        for name, *at in zip(names, x, y, strict=True):
            shift = BESIDE.get(name, (7, -3))
            axes.annotate(name, at, xytext=shift, textcoords="offset points", color=INK,
                          ha="right" if shift[0] < 0 else "left", fontsize=10)  # fmt: skip
    axes.set_xscale("log")
    axes.margins(x=0.12, y=0.12)
    axes.legend(frameon=False, fontsize=10, loc="upper left")


def bent(bones: int = 4) -> Floats:
    """A chain of unit bones that leans to the right (n + 1, 3)."""
    angles = np.radians(np.linspace(80.0, 20.0, bones))
    steps = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=-1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def missed(name: str, counts: Sequence[int], chain: Skeleton, goal: Any, **settings: Any) -> Floats:
    """Residual of the end effector after so many iterations from rest, as a part of the length."""
    left = []
    for count in counts:
        solver = sp.solver(name, iterations=count, tolerance=0.0, **settings)
        left.append(float(solver.prepare(chain).solve(np.array([goal])).residuals[0]))
    return np.maximum(left, 1e-6)


def draw_errors(figure: Any, curves: Mapping[str, Floats], counts: Sequence[int]) -> None:
    """Residual after each iteration, on the right of a picture."""
    axes = c.plot(figure, (0.69, 0.17, 0.3, 0.71), "iterations", "residual / length",
                  f"{LONG} joints, a target at {FAR:g}")  # fmt: skip
    for (label, curve), colour in zip(curves.items(), (c.LEFT, c.SKY, c.RIGHT, c.ORANGE),
                                      strict=False):  # fmt: skip
        axes.plot(counts, curve, color=colour, linewidth=1.8, label=label)
    axes.axhline(1e-3, color=c.FAINT, linewidth=1.0, linestyle=":")
    axes.set(xscale="log", yscale="log", ylim=(1e-6, 2.0))
    axes.legend(frameon=False, fontsize=9, loc="lower left")


def long_errors(name: str, **settings: Any) -> Floats:
    """Residuals on a long chain with a far target."""
    return missed(name, SWEEPS, Skeleton.chain(LONG), FAR * np.array((0.48, 0.6, 0.64)), **settings)


@c.picture("ccd", 10.0, 3.8)
def ccd(figure: Any) -> None:
    """Three panels: one sweep, sweep after sweep, errors."""
    pen = c.Pen(figure, (0.0, 0.0, 0.3, 0.88), (-0.4, 3.6), (-0.9, 3.2), c.FLAT,
                "one sweep, from the end effector to the root")  # fmt: skip
    chain = bent()
    pen.chain(chain, c.GHOST)
    for n, colour in enumerate((c.SKY, c.GREEN, c.ORANGE, c.LEFT), 1):
        k = len(chain) - 1 - n
        a, b = chain[-1] - chain[k], GOAL - chain[k]
        angle = np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b)
        rotation = np.array([(np.cos(angle), np.sin(angle), 0.0),
                             (-np.sin(angle), np.cos(angle), 0.0), (0.0, 0.0, 1.0)])  # fmt: skip
        chain = np.concatenate([chain[:k], chain[k] + (chain[k:] - chain[k]) @ rotation])
        pen.chain(chain, colour, 4.0 if n == 4 else 2.0)
        pen.text(chain[-1], f"{n}", 0.22, 0.1, color=colour, fontsize=13)
    pen.dots(GOAL, size=80.0)
    pen = c.Pen(figure, (0.3, 0.0, 0.3, 0.88), (-0.55, 0.75), (-0.2, 1.1), c.FLAT,
                "after 1, 2 and 20 sweeps")  # fmt: skip
    hinges = Skeleton.chain(10, kind="hinge", axis=(0.0, 0.0, 1.0))
    goal = np.array([(0.55, 0.45, 0.0)])
    for count, colour in ((1, c.SKY), (2, c.GREEN), (20, c.LEFT)):
        solver = sp.solver("ccd", iterations=count, tolerance=0.0, stride=False)
        pen.chain(solver.prepare(hinges).solve(goal).pose.world()[0], colour)
    pen.dots(goal, size=80.0)
    curves = {"plain": long_errors("ccd", stride=False), "with strides": long_errors("ccd")}
    draw_errors(figure, curves, SWEEPS)


@c.picture("fabrik", 10.0, 3.8)
def fabrik(figure: Any) -> None:
    """Three panels: backwards, forwards, errors."""
    start = bent()
    backward, forward = start.copy(), start.copy()
    backward[-1] = GOAL
    for k in range(len(start) - 2, -1, -1):  # all bones have length 1
        way = start[k] - backward[k + 1]
        backward[k] = backward[k + 1] + way / np.linalg.norm(way)
    for k in range(len(start) - 1):
        way = backward[k + 1] - forward[k]
        forward[k + 1] = forward[k] + way / np.linalg.norm(way)
    for left, before, after, colours, words in (
        (0.0, start, backward, (c.GHOST, c.ORANGE), "backward: the end effector is at the target"),
        (0.31, backward, forward, (c.ORANGE, c.LEFT), "forward: the root is back"),
    ):
        pen = c.Pen(figure, (left, 0.0, 0.3, 0.88), (-0.5, 3.5), (-0.9, 3.2), c.FLAT, words)
        pen.chain(before, colours[0], 2.5)
        pen.chain(after, colours[1])
        for here, there in zip(before, after, strict=True):
            if np.linalg.norm(there - here) > 0.05:
                pen.arrow(here, there, INK, 0.9)
        pen.dots(GOAL, size=80.0)
    curves = {"FABRIK": long_errors("fabrik", stride=False), "with strides": long_errors("fabrik"),
              "CCD": long_errors("ccd", stride=False),
              "CCD with strides": long_errors("ccd")}  # fmt: skip
    draw_errors(figure, curves, SWEEPS)


def arm(angles: Floats) -> Floats:
    """Joints and end of a planar arm with three unit links (4, 3)."""
    at = np.cumsum(angles)
    steps = np.stack([np.cos(at), np.sin(at), np.zeros(3)], axis=-1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def first_steps(angles: Floats, error: Floats) -> list[Floats]:
    """One step of the transpose, the pseudo-inverse and damped least squares."""
    positions = arm(angles)
    J = np.cross((0.0, 0.0, 1.0), positions[-1] - positions[:-1]).T[:2]
    along = J @ J.T @ error
    return [
        (error @ along) / (along @ along) * J.T @ error,
        np.linalg.pinv(J) @ error,
        J.T @ np.linalg.solve(J @ J.T + 0.25 * np.eye(2), error),
    ]


@c.picture("jacobian", 10.0, 3.8)
def jacobian(figure: Any) -> None:
    """Three panels: one step, near a singularity, to the target."""
    start, error = np.array([0.3, 0.5, 0.4]), np.array([-0.9, 0.1])
    colours = list(JACOBIAN.values())
    pen = c.Pen(figure, (0.0, 0.0, 0.31, 0.88), (-0.2, 2.5), (-0.2, 2.5), c.FLAT,
                "one step of each")  # fmt: skip
    pen.chain(arm(start), c.GHOST)
    for step, colour in zip(first_steps(start, error), colours, strict=False):
        pen.chain(arm(start + step), colour, 2.2)
    pen.dots(arm(start)[-1] + (*error, 0.0), size=80.0)
    axes = c.plot(figure, (0.385, 0.17, 0.26, 0.71), "bend of the arm [degrees]",
                  "largest rotation [deg]", "asked to shorten, nearly straight")  # fmt: skip
    bends = np.geomspace(0.1, 40.0, 120)
    steps = []
    for bend in np.radians(bends):
        end = arm(np.array([0.3, bend, bend]))[-1][:2]
        step = first_steps(np.array([0.3, bend, bend]), -0.3 * end / np.linalg.norm(end))
        steps.append([np.degrees(np.abs(each).max()) for each in step])
    names = ("transpose", "pseudo-inverse", "damped")
    for name, curve, colour in zip(names, np.transpose(steps), colours, strict=False):
        axes.plot(bends, curve, color=colour, linewidth=1.8, label=name)
    axes.set(xscale="log", yscale="log")
    axes.legend(frameon=False, fontsize=9)
    axes = c.plot(figure, (0.735, 0.17, 0.26, 0.71), "iterations", "residual / length",
                  "ten ball joints, from rest")  # fmt: skip
    for name, colour in JACOBIAN.items():
        curve = missed(name, range(1, 41), Skeleton.chain(10), (0.5, 0.1, -0.3))
        axes.plot(range(1, 41), curve, color=colour, linewidth=1.8, label=name)
    axes.set(yscale="log", ylim=(1e-6, 2.0))
    axes.legend(frameon=False, fontsize=9)


def draw_tree(pen: c.Pen, tree: Skeleton, at: Floats, colours: Mapping[str, str]) -> None:
    """Bones of a tree; those of a branch in its colour."""
    names = [*tree.names, *tree.site_names]
    parents = [*tree.parents, *tree.site_parents]
    for child, parent in enumerate(parents):
        if parent >= 0:
            owner = names[parent] if child < len(tree.names) else names[child]
            colour = next((v for k, v in colours.items() if owner.startswith(k)), c.FAINT)
            pen.line(at[parent], at[child], colour=colour, width=4.0, zorder=2)
    pen.dots(at[: len(tree.names)], "white", 22.0, zorder=3)


@c.picture("pik", 10.0, 3.2)
def pik(figure: Any) -> None:
    """Two end effectors that cannot both reach, by their priorities; and a person."""
    tree = Skeleton.tree(2, 3, trunk=2, spread=1.0)
    goals = np.array([(-0.72, 0.62, 0.0), (0.72, 0.62, 0.0)])
    one, two = tree.articulation.ends
    orders: dict[str, dict[str, int] | None] = {
        "blue first": {one: 0, two: 1}, "red first": {two: 0, one: 1}, "one level": None,
    }  # fmt: skip
    for k, (words, levels) in enumerate(orders.items()):
        solver = sp.solver("pik", priorities=levels, iterations=2000)
        solution = solver.prepare(tree).solve(goals)
        pen = c.Pen(figure, (0.25 * k, 0.0, 0.24, 0.86), (-1.0, 1.0), (-0.15, 1.1), c.FLAT, words)
        draw_tree(pen, tree, solution.pose.world()[0],
                  {"branch_1": c.LEFT, one: c.LEFT, "branch_2": c.RIGHT, two: c.RIGHT})  # fmt: skip
        for goal, colour, left in zip(goals, (c.LEFT, c.RIGHT), solution.residuals, strict=True):
            pen.cross(goal, colour)
            pen.text(goal, "met" if left < 1e-3 else f"{100.0 * left:.0f} % off", 0.0, 0.1)
    clip = c.still(sp.builtin("boxing"), 60)
    points = clip.points()
    at = points.positions.copy()
    at[:, points.names.index("head")] += (0.0, 0.3, 0.0)
    frames = Points(points.names, np.repeat(at, 40, axis=0), points.rate)
    pen = c.Pen(figure, (0.75, 0.0, 0.24, 0.86), (-1.0, 1.0), (-0.25, 1.95), c.view(35.0, 8.0),
                "a head out of reach")  # fmt: skip
    pen.body(sp.reconstruct(frames, clip.skeleton, "pik").motion, frame=39)
    for name, where in zip(points.names, at[0], strict=True):
        (pen.cross if name == "head" else pen.dots)(where)


def masses_after(skeleton: Skeleton, targets: Floats, steps: int) -> Floats:
    """Masses so many steps after the end effectors were put on their targets (J + N, 3).

    Springs are as long as they are then, not yet as long as their bones.
    """
    solver = sp.solver("mass-spring", clamp=1e6, step=0.5, damping=0.25)
    context: Any = solver.prepare(skeleton).plan.new_context(60.0)
    context = context._replace(settings=context.settings[0])
    scratch = context.scratch
    goals = Targets(targets, np.full((len(targets), 4), np.nan))
    model_forward(context.model, context.pose)
    demand = weigh_nodes(context, 0, goals)
    set_goals(context, 0, goals, demand)
    gather(context, 0)
    place_masses(context, 0)
    if steps:
        relax(context, 0, Rest(steps, 1e-4, 0.0, demand.reach, 1.0))
    return np.array(scratch.masses.position[scratch.springs.mass_of])


@c.picture("springs", 10.0, 4.6)
def springs(figure: Any) -> None:
    """A chain and a tree with two end effectors come to rest (Figs. 1 and 2 of the paper)."""
    chain = Skeleton.chain(3, [1.0, 1.0, 1.0], bone=(1.0, 0.0, 0.0))
    tree = Skeleton(
        ("base", "fork", "upper", "lower"),
        np.array([-1, 0, 1, 1]),
        np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.8, 0.6, 0.0), (0.8, -0.6, 0.0)]),
        ("one", "two"),
        np.array([2, 3]),
        np.array([(1.0, 0.0, 0.0), (1.0, 0.0, 0.0)]),
    )
    rows = ((chain, np.array([(1.5, 1.5, 0.0)]), 0.51, -0.7),
            (tree, np.array([(1.6, 1.6, 0.0), (2.2, -0.3, 0.0)]), 0.01, -0.95))  # fmt: skip
    panels = {"at first": [0], "end effectors on their targets": [1],
              "springs pull": [1, 2, 3, 4, 6, 9], "at rest": [200]}  # fmt: skip
    for skeleton, targets, bottom, low in rows:
        parents = [*skeleton.parents, *skeleton.site_parents]
        for k, (title, counts) in enumerate(panels.items()):
            pen = c.Pen(figure, (k / 4.0, bottom, 0.25, 0.42), (-0.35, 3.25), (low, low + 2.75),
                        c.FLAT, title if skeleton is chain else "")  # fmt: skip
            for count in counts:
                at, last = masses_after(skeleton, targets, count), count == counts[-1]
                for node, parent in enumerate(parents):
                    if parent >= 0:
                        pen.line(at[parent], at[node], colour=c.LEFT if last else c.SKY,
                                 width=3.2 if last else 1.0, zorder=4 if last else 3)  # fmt: skip
            pen.dots(at, "white", 30.0, edgecolors=c.LEFT, linewidths=1.4, zorder=5)
            for target in targets:
                pen.cross(target, c.RIGHT)


@c.picture("springs_weights", 10.0, 2.9)
def springs_weights(figure: Any) -> None:
    """A joint in the middle and the end effector cannot both reach their targets."""
    chain = Skeleton.chain(6)
    end = chain.articulation.ends[0]
    targets = np.array([(0.45, 0.12, 0.0), (-0.3, 0.72, 0.0)])
    for k, weight in enumerate((0.05, 0.35, 0.65, 0.95)):
        tasks = [Reach("joint_4", weight=weight), Reach(end, weight=1.0 - weight)]
        pose = sp.solver("mass-spring").prepare(chain, tasks=tasks).solve(targets).pose
        at = np.asarray(pose.world()[0])
        pen = c.Pen(figure, (k / 4.0, 0.0, 0.25, 0.86), (-0.5, 0.65), (-0.12, 0.85), c.FLAT,
                    f"{weight:g} : {1.0 - weight:.2g}")  # fmt: skip
        pen.chain(at)
        for node, target, colour in ((3, targets[0], c.GREEN), (6, targets[1], c.RIGHT)):
            pen.line(at[node], target, colour=colour, width=1.0, linestyle=":")
            pen.cross(target, colour)
            pen.dots(at[node], colour)


@c.picture("springs_people", 10.0, 4.3)
def springs_people(figure: Any) -> None:
    """The same six points without limits and with them."""
    for k, (name, frame, angle) in enumerate((("boxing", 335, 30.0), ("walk", 25, 60.0))):
        clip = sp.builtin(name)
        points = clip.points()
        for n, (title, limits) in enumerate((("no limits", None), ("limits", "adult"))):
            motion = sp.reconstruct(points, clip.skeleton, "mass-spring", limits=limits).motion  # type: ignore[arg-type]
            six = points.positions[frame]
            pen = c.Pen(figure, (0.5 * k + 0.25 * n, 0.0, 0.25, 0.88), (-0.62, 0.62), (-0.12, 1.82),
                        c.view(angle, 8.0), f"{name}, {title}", six[0] * (1, 0, 1))  # fmt: skip
            pen.body(motion, frame=frame)
            pen.dots(six)


@c.picture("springs_express", 10.0, 4.0)
def springs_express(figure: Any) -> None:
    """The way from key to key by power and tension; a wide reach with and without recruiting."""
    u = np.linspace(0.0, 1.0, 200)
    axes = c.plot(figure, (0.06, 0.15, 0.27, 0.74), "time between two keys", "way")
    manners = (("calm", {}, c.LEFT), ("power 1", {"power": 1.0}, c.RIGHT),
               ("tension 4", {"tension": 4.0}, c.GREEN),
               ("tension 0.3", {"tension": 0.3}, c.ORANGE))  # fmt: skip
    for label, settings, colour in manners:
        axes.plot(u, Expression(**settings).response(u), color=colour, linewidth=2.0, label=label)
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    key = sp.builtin("reach").frames([168])
    shapes: dict[str, Motion] = {
        "key pose": key,
        "amplitude 1.6, arms alone": widen(key, Expression(amplitude=1.6, recruit=0.0)),
        "recruiting": widen(key, Expression(amplitude=1.6)),
    }
    for k, (title, motion) in enumerate(shapes.items()):
        pen = c.Pen(figure, (0.36 + 0.21 * k, 0.0, 0.22, 0.88), (-0.85, 0.6), (-0.1, 1.9),
                    c.view(55.0, 8.0), title)  # fmt: skip
        pen.body(c.still(motion, 0))
