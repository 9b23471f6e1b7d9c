"""The laws that solvers of any skeleton keep, on chains and trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...body.skeleton import Skeleton
from ...kernels import arrays
from ...limits import FlexionLimit, Limits, SwingTwistLimit
from ...motion.points import Points
from ...motion.pose import Pose
from ...tasks import (
    Balance,
    Coupling,
    Floor,
    LookAt,
    Orient,
    Posture,
    Reach,
    Smoothness,
    Task,
)
from ..base import Solver
from ..solution import StopReason
from .law import (
    EQUAL,
    SAME,
    SEED,
    hold,
    hold_residuals,
    hold_stream,
    hold_untouched,
    largest_turn,
    laws_in,
    solve,
)

RATE = 60.0
NEAR_TARGET = 0.01
"""A target nearer than this part of the length is met."""
MOST_TARGETS = 0.9
"""Part of the reachable targets that every solver meets; `sixpoint bench chains` says how many."""
BENT = 0.6
"""Joints of poses that targets are taken from turn by no more than this about each axis [rad]."""
STRETCHED = 0.1
"""A skeleton misses what is out of reach by no more of its length than it must, and this part."""

SQUARE = ((-0.02, -0.02), (0.02, -0.02), (0.02, 0.02), (-0.02, 0.02))
"""Corners of a support, as seen from its middle [m]."""
CROSSED = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
"""Axes of hinges in turn, so that a chain of them fills space."""


def _skeletons() -> dict[str, Skeleton]:
    return {
        "chain of balls": Skeleton.chain(6),
        "chain of hinges": Skeleton.chain(8, kind="hinge", axis=CROSSED),
        "tree": Skeleton.tree(2, 4),
    }


def _poses(skeleton: Skeleton, count: int) -> list[Pose]:
    """Random poses, moderately bent."""
    rng = np.random.default_rng(SEED)
    body = skeleton.articulation
    angles = rng.uniform(-BENT, BENT, (count, body.count))
    return [Pose(skeleton, skeleton.offsets[0], body.rotations(a)) for a in angles]


def _targets(skeleton: Skeleton, count: int = 20) -> Points:
    """Where the ends of random poses are."""
    nodes = [skeleton.articulation.node(name) for name in skeleton.articulation.ends]
    places = np.array([pose.world()[0][nodes] for pose in _poses(skeleton, count)])
    return Points(skeleton.articulation.ends, places, RATE)


def _wild(skeleton: Skeleton, frames: int = 60) -> Points:
    """Targets near and far in all directions, then degenerate ones."""
    rng = np.random.default_rng(SEED)
    ends = skeleton.articulation.ends
    cloud = rng.normal(size=(frames, len(ends), 3)) * 10.0 ** rng.uniform(-3, 2, (frames, 1, 1))
    odd = np.zeros((6, len(ends), 3))  # the first: all at the root
    odd[1, :, 1] = 0.5  # on the line of a straight chain
    odd[2, :, 1] = -1.0  # at its length on the other side
    odd[3, :, 0] = 1e9
    odd[4] = 1e-12 * cloud[0]
    odd[5] = np.nan
    return Points(ends, np.concatenate([odd, cloud, odd]), RATE)


def law_skeletons_reach_the_reachable(solver: Solver) -> None:
    """Targets taken from poses of a chain or a tree are met, nine of ten at the least."""
    for name, skeleton in _skeletons().items():
        points = _targets(skeleton)
        result = solve(solver, points, skeleton)
        # Measured here, not taken from what the solver says of itself.
        ends = result.motion.positions([skeleton.index(end) for end in points.names])
        missed = np.linalg.norm(ends - points.positions, axis=-1)
        met = float((missed.max(axis=1) < NEAR_TARGET * skeleton.articulation.length).mean())
        hold(met >= MOST_TARGETS, f"only {met:.0%} of the targets of a {name} are met")
        hold(result.report.unreachable == 0, f"reachable targets of a {name} count as unreachable")


def law_skeletons_report_true_residuals(solver: Solver) -> None:
    """Reported residuals are the distances of the answer's points, by forward kinematics."""
    for name, skeleton in _skeletons().items():
        points = _targets(skeleton)
        result = solve(solver, points, skeleton)
        hold_residuals(result, skeleton, points, f"a {name}")


def law_skeletons_report_the_unreachable(solver: Solver) -> None:
    """A target out of reach of a chain is answered by stretching, and with a pose that says so."""
    for target in ((0.0, 3.0, 0.0), (0.0, -3.0, 0.0), (2.0, 1.0, 1.0)):
        away = float(np.linalg.norm(target))
        solution = solver.prepare(Skeleton.chain(6)).solve(np.array([target]))
        hold(not solution.converged, "an unreachable target counts as converged")
        hold(solution.stop is StopReason.UNREACHABLE, f"stops as {solution.stop.value}")
        hold(np.isfinite(solution.pose.rotations).all(), "rotations are not finite")
        missed = float(solution.residuals[0])
        hold(
            away - 1.0 - SAME < missed < away - 1.0 + STRETCHED,
            f"a chain of length 1 misses a target at {away} by {missed}",
        )


def law_skeletons_are_finite(solver: Solver) -> None:
    """Any target gives unit quaternions, and a root that stays."""
    for name, skeleton in _skeletons().items():
        motion = solve(solver, _wild(skeleton), skeleton).motion
        norms = np.linalg.norm(motion.rotations, axis=-1)
        hold(np.abs(norms - 1.0).max() < EQUAL, f"a rotation of a {name} is no unit quaternion")
        hold((motion.root == skeleton.offsets[0]).all(), f"the root of a {name} moves")


def law_skeletons_keep_limits(solver: Solver) -> None:
    """No joint of a chain ever leaves its limits, whatever is asked."""
    if not solver.capabilities.limits:
        return
    cone = SwingTwistLimit.degrees(
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0),
        (1.0, 0.0, 0.0),
        {-180.0: 20.0, 0.0: 50.0, 180.0: 20.0},
        (-30.0, 10.0),
    )
    balls, hinges = Skeleton.chain(5), Skeleton.chain(5, kind="hinge")
    bend = FlexionLimit.degrees(-10.0, 80.0, (0.0, 0.0, 1.0))
    for skeleton, limit in ((balls, cone), (hinges, bend)):
        limits = Limits(dict.fromkeys(skeleton.names, limit))
        result = solve(solver, _wild(skeleton), skeleton, limits)
        worst = float(limits.violations(result.motion).max())
        hold(worst < SAME, f"a joint is {worst} rad beyond its limit")
        hold(result.report.limit_violations == 0, "the report counts broken limits")


def law_skeletons_repeat_themselves(solver: Solver) -> None:
    """The same targets give the same bits, one frame at a time or a clip at once."""
    for name, skeleton in _skeletons().items():
        points = _wild(skeleton, 20)
        tracker = solver.prepare(skeleton)
        whole = tracker.solve_clip(points).motion
        again = solve(solver, points, skeleton).motion
        hold(np.array_equal(whole.rotations, again.rotations), f"two runs of a {name} differ")
        hold_stream(tracker, points, whole, f"a {name}")


def law_skeletons_scale(solver: Solver) -> None:
    """A skeleton twice as large with targets twice as far turns its joints alike."""
    for name, skeleton in _skeletons().items():
        points = _targets(skeleton)
        twice = Points(points.names, 2.0 * points.positions, RATE)
        small = solve(solver, points, skeleton).motion
        large = solve(solver, twice, skeleton.scaled(2.0)).motion
        gap = largest_turn(small.rotations, large.rotations)
        hold(gap < SAME, f"rotations of a {name} change with its scale: {gap} rad")


def law_skeletons_move(solver: Solver) -> None:
    """A skeleton moved elsewhere with its targets, or turned if it has hinges only, bends alike."""
    shift = np.array((0.5, -2.0, 0.25))
    for name, skeleton in _skeletons().items():
        points = _targets(skeleton, 5)
        offsets = skeleton.offsets + shift * (skeleton.parents < 0)[:, None]
        moved = replace(skeleton, offsets=offsets)
        there = Points(points.names, points.positions + shift, RATE)
        here = solve(solver, points, skeleton).motion.rotations
        gap = largest_turn(here, solve(solver, there, moved).motion.rotations)
        hold(gap < SAME, f"rotations of a {name} change with its position: {gap} rad")
    turn = arrays.from_axis_angle(np.array((0.6, 0.0, 0.8)), 1.0)
    straight = _skeletons()["chain of hinges"]
    turned = Skeleton.chain(
        8,
        kind="hinge",
        axis=arrays.rotate(turn, np.array(CROSSED)),
        bone=arrays.rotate(turn, np.array((0.0, 1.0, 0.0))),
    )
    points = _targets(straight, 5)
    there = Points(points.names, arrays.rotate(turn, points.positions), RATE)
    here = solve(solver, points, straight).motion.rotations
    expected = arrays.multiply(arrays.multiply(turn, here), arrays.conjugate(turn))
    found = solve(solver, there, turned).motion.rotations
    gap = largest_turn(expected, found)
    hold(gap < SAME, f"a chain of hinges bends otherwise when turned: {gap} rad")


def law_skeletons_leave_input_alone(solver: Solver) -> None:
    """Targets are not written to, and earlier answers do not change."""
    skeleton = Skeleton.chain(4)
    hold_untouched(solver.prepare(skeleton), _targets(skeleton, 2).positions.copy())


def law_skeletons_do_without_targets(solver: Solver) -> None:
    """A point without a target asks for nothing: the others are met, and it is reported."""
    skeleton = Skeleton.tree(2, 4)
    places = _targets(skeleton, 10).positions.copy()
    places[:, 1] = np.nan
    result = solve(solver, Points(skeleton.site_names, places, RATE), skeleton)
    met = float((result.residuals[:, 0] < NEAR_TARGET * skeleton.articulation.length).mean())
    hold(met >= MOST_TARGETS, f"with one target only {met:.0%} are met")
    hold(np.isnan(result.residuals[:, 1]).all(), "a point without a target has a residual")
    hold(result.report.missing == {"tip_2": 10}, f"missing: {result.report.missing}")
    tracker = solver.prepare(skeleton)
    pose = tracker.solve(places[0]).pose
    idle = tracker.solve(np.full((2, 3), np.nan)).pose
    gap = largest_turn(pose.rotations, idle.rotations)
    hold(gap < SAME, "a frame without targets moves the skeleton")


def law_skeletons_meet_rotations(solver: Solver) -> None:
    """Rotations are met as well as positions, by solvers that take such tasks."""
    if Orient not in getattr(solver, "answers", ()):
        return
    skeleton = Skeleton.chain(6)
    joint = skeleton.joint_count - 1
    world = [pose.world() for pose in _poses(skeleton, 20)]
    places = np.array([places[[skeleton.index("tip")]] for places, _ in world])
    turns = np.array([turns[[joint]] for _, turns in world])
    tracker = solver.prepare(skeleton, tasks=[Reach("tip"), Orient("tip")])
    result = tracker.solve_clip(Points(("tip",), places, RATE, turns))
    hold(result.rotation_residuals is not None, "no angles are reported for tasks of orientation")
    assert result.rotation_residuals is not None
    met = (result.residuals[:, 0] < NEAR_TARGET) & (result.rotation_residuals[:, 0] < NEAR_TARGET)
    hold(met.mean() >= MOST_TARGETS, f"only {met.mean():.0%} of positions and rotations are met")


def _demands() -> list[tuple[Skeleton, Task[Any]]]:
    """Return a task of each kind but positions and rotations; each can be met."""
    chain, hand = Skeleton.chain(6), Skeleton.hand()
    pose = _poses(chain, 1)[0]
    places = pose.world()[0]
    under = Balance().centre(pose)[[0, 2]]
    edge = [(float(under[0]) + x, float(under[1]) + z) for x, z in SQUARE]
    low = float(places[chain.index("joint_4"), 1])
    return [
        (chain, LookAt("tip", at=(0.9, 0.8, 0.4))),
        (chain, Floor("tip", height=float(places[chain.index("tip"), 1]))),
        (chain, Floor("joint_4", height=low, lifts=True)),
        (chain, Balance(over=((float(under[0]), float(under[1])),))),
        (chain, Balance(over=tuple(edge))),
        (chain, Posture(like=pose, priority=1)),
        (chain, Smoothness()),
        (hand, Coupling("index_end", "index_middle")),
    ]


def law_skeletons_meet_every_task(solver: Solver) -> None:
    """Whatever kind of task a solver takes, alone it is met where it can be met."""
    answers = getattr(solver, "answers", ())
    for skeleton, task in _demands():
        if not isinstance(task, answers):
            continue
        tracker = solver.prepare(skeleton, tasks=[task])
        tracker.reset(_poses(skeleton, 2)[1])
        solution = tracker.solve(np.zeros((0, 3)))
        missed = task.residual_norm(solution.pose)
        near = NEAR_TARGET * (1.0 if task.angular else skeleton.articulation.length)
        hold(missed < near, f"the task {task.label!r} of a figure lacks {missed}")


SKELETON_LAWS = laws_in(globals(), "chains")
"""Every law of solvers of any skeleton, by its name."""
