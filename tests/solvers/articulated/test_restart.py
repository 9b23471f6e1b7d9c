"""Descents that begin again from random poses."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.bench.arm import ARM, random_targets
from sixpoint.formats import load_robot
from sixpoint.kernels import arrays
from sixpoint.kernels.random import random_state
from sixpoint.limits import FixedLimit, FlexionLimit, Limits, SwingTwistLimit
from sixpoint.motion.points import Points
from sixpoint.solvers.articulated.build import new_pose, skeleton_model
from sixpoint.solvers.articulated.restart import MOST_WAIT, scatter_joints
from sixpoint.tasks import Orient, Reach

ROBOT = load_robot(ARM)
TASKS = [Reach("flange"), Orient("flange")]
SOLVERS = ["dls", "pik", "sdls"]


def prepared(name: str, **settings):
    return sp.solver(name, **settings).prepare(ROBOT.skeleton, limits=ROBOT.limits, tasks=TASKS)


def barred(count: int = 100) -> Points:
    """Targets that are not met from rest without other starts."""
    points, _ = random_targets(ROBOT, count)
    tracker, chosen = prepared("dls", restarts=0), []
    for k in range(count):
        tracker.reset()
        if not tracker.solve(points.frames([k])).converged:
            chosen.append(k)
    assert len(chosen) > 5
    return points.frames(chosen)


@pytest.mark.parametrize("name", SOLVERS)
def test_other_starts_meet_what_one_does_not(name: str):
    points = barred()
    met = {}
    for restarts in (0, 40):
        tracker = prepared(name, restarts=restarts)
        found = []
        for k in range(len(points)):
            tracker.reset()
            found.append(tracker.solve(points.frames([k])).converged)
        met[restarts] = np.mean(found)
    assert met[40] >= 0.9
    assert met[40] > met[0]


@pytest.mark.parametrize("name", SOLVERS)
def test_a_target_that_nothing_meets_is_answered_as_with_one_start(name: str):
    # The flange upside down above the reach of the wrist: within the bones, beyond the limits.
    places = np.array([[[0.0, 0.02, 0.0]]])
    turns = arrays.from_axis_angle((0.0, 0.0, 1.0), np.pi / 2)[None, None]
    points = Points(("flange",), places, 60.0, turns)
    once, again = prepared(name, restarts=0), prepared(name)
    first, second = once.solve(points), again.solve(points)
    assert not first.converged
    assert not second.converged
    np.testing.assert_allclose(first.pose.rotations, second.pose.rotations, atol=1e-12)
    assert second.iterations > first.iterations
    # The next frames wait, longer each time, and at last try again.
    steady = once.solve(points).iterations
    tried = [again.solve(points).iterations > steady + 100 for _ in range(2 * MOST_WAIT)]
    assert not tried[0]
    assert any(tried)
    assert sum(tried) < 10


def test_scattered_joints_keep_their_limits_and_fill_them():
    cone = SwingTwistLimit.degrees(
        (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), {-180: 20, 0: 50, 180: 20}, (-30, 10)
    )
    bend = FlexionLimit.degrees(-10.0, 80.0, (0.0, 0.0, 1.0))
    for skeleton, limit in (
        (sp.Skeleton.chain(3), cone),
        (sp.Skeleton.chain(3, kind="hinge"), bend),
    ):
        limits = Limits(dict.fromkeys(skeleton.names, limit))
        model = skeleton_model(skeleton.articulation, limits, [3], [(0, 0, 1.0)])
        pose, random, angles = new_pose(model), random_state(1), []
        for _ in range(200):
            scatter_joints(model, pose, random)
            assert limit.violation(pose.local).max() < 1e-9
            angles.append(2.0 * np.arctan2(pose.local[0, 3], pose.local[0, 0]))
        if limit is bend:
            assert np.degrees(min(angles)) < -5.0
            assert np.degrees(max(angles)) > 75.0


def test_fixed_joints_have_no_degrees_of_freedom():
    skeleton = sp.Skeleton.chain(3)
    limits = Limits({"joint_2": FixedLimit()})
    model = skeleton_model(skeleton.articulation, limits, [3], [(0, 0, 1.0)], weld=True)
    assert model.freedom.tolist() == [3, 0, 3]
    for name in ("dls", "pik", "ccd", "mass-spring", "monte-carlo"):
        tracker = sp.solver(name).prepare(skeleton, limits=limits)
        bent = sp.Pose(skeleton, np.zeros(3), arrays.from_rotvec(np.full((3, 3), 0.4)))
        tracker.reset(bent)  # a start that breaks the limit is brought back
        solution = tracker.solve(np.array([[0.5, 0.5, 0.2]]))
        assert solution.residuals[0] < 1e-2, name
        assert limits["joint_2"].violation(solution.pose.rotations[1]) < 1e-9
