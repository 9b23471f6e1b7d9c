"""Rows of tasks in slots, against the tasks themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixpoint as sp
from figures import FIGURES, random_pose
from sixpoint.motion.pose import Pose
from sixpoint.solvers.articulated.build import new_pose
from sixpoint.solvers.articulated.model import joint_axes, model_forward
from sixpoint.solvers.articulated.task_rows import other_residuals, other_rows
from sixpoint.tasks import Balance, Coupling, Floor, LookAt, Posture, Smoothness

PERSON, HAND, CHAIN = FIGURES["person"], sp.Skeleton.hand(), sp.Skeleton.chain(5)
SOLE = ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.2), (-0.1, 0.2))
CASES = {
    "look": (PERSON, LookAt("head", at=(2.0, 1.0, 1.0), weight=0.7)),
    "look of a site": (HAND, LookAt("index_tip", at=(0.2, 1.0, 1.0), axis=(1.0, 2.0, 0.0))),
    "point": (PERSON, Balance(over=((0.3, -0.2),), weight=2.0)),
    "edge": (PERSON, Balance(over=((1.0, -9.0), (2.0, -9.0), (2.0, 9.0), (1.0, 9.0)))),
    "plank": (PERSON, Balance(over=((1.0, -1.0), (1.2, 1.0)))),
    "root": (PERSON, Balance()),
    "floor": (PERSON, Floor("l_wrist", height=0.7, weight=3.0)),
    "below the floor": (PERSON, Floor("l_wrist", height=1.9, lifts=True)),
    "coupling": (HAND, Coupling("index_end", "index_middle", 0.4, weight=0.3)),
    "posture": (PERSON, Posture(like=random_pose(PERSON, 5, 0.5), weight=0.2, priority=1)),
}
"""Figures, and tasks that are no inequalities that hold."""


def rows_of(task, pose: Pose, solver: str = "dls"):
    """Rows (3 S, D), residuals (3 S,), worst and summed error, and the table of a task."""
    plan = sp.solver(solver).prepare(pose.skeleton, limits=None, tasks=[task]).plan
    model, table = plan.model, plan.table
    tables = new_pose(model)
    tables.local[:] = pose.skeleton.articulation.to_rest(pose.rotations)
    tables.position[0] = pose.root
    model_forward(model, tables)
    freedom = int(model.freedom.sum())
    axes, rows = np.zeros((freedom, 3)), np.zeros((3 * len(model.task_kind), freedom))
    residual = np.zeros(len(rows))
    found = other_residuals(model, table, tables, residual, (0.0, 0.0))
    joint_axes(model, tables, axes)
    other_rows(model, table, tables, axes, rows)
    return rows, residual, found, table


def filled(rows: np.ndarray) -> np.ndarray:
    """Rows that hold something, in any order that is kept."""
    return rows[np.abs(rows.reshape(len(rows), -1)).max(axis=1) > 0.0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CASES)
def test_rows_are_those_of_the_task(name, seed):
    skeleton, task = CASES[name]
    pose = random_pose(skeleton, seed, 0.4)
    unit = skeleton.articulation.length if task.angular else 1.0
    rows, residual, found, table = rows_of(task, pose)
    wanted = task.weight * unit * task.residual(pose)
    slopes = task.weight * unit * task.jacobian(pose)
    length = unit * task.residual_norm(pose)
    assert np.linalg.norm(residual) == pytest.approx(task.weight * length, rel=1e-9)
    assert found == pytest.approx((length, length), rel=1e-9)
    # What a step changes, and what is asked, in whatever rows.
    np.testing.assert_allclose(rows.T @ residual, slopes.T @ wanted, atol=1e-9)
    np.testing.assert_allclose(rows.T @ rows, slopes.T @ slopes, atol=1e-9)
    assert np.isnan(table.room).all()


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_smoothness_are_the_change_of_its_pairs(seed):
    task, step = Smoothness(window=2), 1e-6
    pose = random_pose(CHAIN, seed, 0.4)
    body = CHAIN.articulation
    rows, residual, found, table = rows_of(task, pose)
    angles = body.angles(pose.rotations)
    for k in range(body.count):
        ends = []
        for sign in (1.0, -1.0):
            turned = angles.copy()
            turned[k] += sign * step
            moved = Pose(CHAIN, pose.root, body.rotations(turned))
            ends.append(rows_of(task, moved)[1])
        np.testing.assert_allclose((ends[1] - ends[0]) / (2.0 * step), rows[:, k], atol=1e-7)
    pairs = residual.reshape(-1, 3) / body.length
    energy = np.linalg.norm(pairs, axis=1).sum()
    assert energy == pytest.approx(float(task.measure(pose)[0]), rel=1e-9)
    assert table.soft[0] == 0  # nothing else is asked
    assert found[0] > 0.0


def test_an_inequality_that_holds_asks_for_nothing_and_says_how_far_it_may_go():
    pose = random_pose(PERSON, 1, 0.2)
    low = float(pose.world()[0][PERSON.anatomy.node("l_wrist"), 1]) - 0.25
    rows, residual, found, table = rows_of(Floor("l_wrist", height=low, lifts=True), pose, "pik")
    assert not residual.any()
    assert found == (0.0, 0.0)
    assert table.room[0] == pytest.approx(-0.25)
    assert rows.any()  # for those who look ahead
    wide = Balance(over=((-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)))
    _, residual, found, table = rows_of(wide, pose, "pik")
    assert not residual.any()
    assert not math.isnan(table.room[0])
