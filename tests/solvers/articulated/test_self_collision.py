"""Solvers that keep parts of a body apart."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from figures import random_pose
from sixpoint.errors import InputError
from sixpoint.kernels.capsule import segment_gap
from sixpoint.limits import Limits
from sixpoint.motion.points import Points
from sixpoint.solvers.articulated.build import new_pose, skeleton_model
from sixpoint.solvers.articulated.model import joint_axes, model_forward
from sixpoint.solvers.articulated.self_collision import (
    SLOTS,
    collision_slots,
    find_touching,
    nearest_points,
    new_capsules,
    touching_rows,
)
from sixpoint.tasks import Orient, Reach, SelfCollision, SelfContact
from sixpoint.vision.synthetic.scenes import scene

BODY = sp.Skeleton.humanoid(1.75)
TAKERS = ("dls", "dls-svd", "sdls", "pseudoinverse", "jacobian-transpose", "pik")
REACHED = ("l_wrist", "r_wrist", "head")


def test_nearest_points_are_those_of_arrays():
    rng = np.random.default_rng(3)
    cases = rng.normal(size=(200, 4, 3))
    cases[:40, 1] = cases[:40, 0]  # a point and a line
    cases[40:80, 3] = cases[40:80, 2] + (cases[40:80, 1] - cases[40:80, 0])  # parallel
    first, second, gap = segment_gap(*np.moveaxis(cases, 1, 0))
    for k, case in enumerate(cases):
        one, other = nearest_points(*(tuple(place) for place in case.tolist()))
        assert np.linalg.norm(np.subtract(one, other)) == pytest.approx(gap[k], abs=1e-9)
        if k >= 80:  # parallel lines have many nearest points
            np.testing.assert_allclose(one, first[k], atol=1e-9)
            np.testing.assert_allclose(other, second[k], atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_those_of_the_task(seed):
    task = SelfCollision(margin=0.01)
    model = skeleton_model(BODY.articulation, Limits({}), [], collision_slots(task), whole=True)
    capsules = new_capsules(BODY, task, model)
    pose = random_pose(BODY, seed, 0.9)
    tables = new_pose(model)
    tables.local[:] = BODY.articulation.to_rest(pose.rotations)
    tables.position[0] = pose.root
    model_forward(model, tables)
    count = BODY.articulation.count
    axes, rows, asked = np.zeros((count, 3)), np.zeros((3 * SLOTS, count)), np.zeros(3 * SLOTS)
    deepest, total = find_touching(model, tables, capsules, asked)
    joint_axes(model, tables, axes)
    touching_rows(model, tables, capsules, axes, rows)
    depths, slopes = task.measure(pose), task.jacobian(pose)
    assert deepest == pytest.approx(depths.max(), abs=1e-9)
    assert total == pytest.approx(depths.sum(), abs=1e-9)
    assert depths.max() > 0.0
    wanted = set(np.argsort(-depths)[:SLOTS]) & set(np.flatnonzero(depths))
    assert set(capsules.chosen[capsules.chosen >= 0]) == wanted
    for slot, pair in enumerate(capsules.chosen):
        if pair >= 0:
            assert asked[3 * slot] == pytest.approx(-depths[pair], abs=1e-9)
            np.testing.assert_allclose(rows[3 * slot], slopes[pair], atol=1e-9)
        assert not rows[3 * slot + 1 : 3 * slot + 3].any()


@pytest.mark.parametrize("name", TAKERS)
def test_crossing_hands_miss_each_other(name):
    clip = scene("crossing").frames(slice(0, None, 3))
    at = clip.points(("pelvis", *REACHED)).positions
    goals = at[:, 1:] + BODY.rest()[0][BODY.anatomy.node("pelvis")] - at[:, :1]
    depths, misses = {}, {}
    for apart in (False, True):
        tasks = [*(Reach(role) for role in REACHED), *([SelfCollision()] if apart else [])]
        tracker = sp.solver(name).prepare(BODY, rate=clip.rate, tasks=tasks)
        motion = tracker.solve_clip(Points(REACHED, goals, clip.rate)).motion
        depths[apart] = np.maximum(SelfContact(BODY).depths(motion), 0.0).sum(axis=1)
        misses[apart] = np.linalg.norm(motion.points(REACHED).positions - goals, axis=-1)
    assert depths[False].max() > 0.05
    assert depths[True].max() < 0.1 * depths[False].max()
    assert np.median(misses[True]) < 0.001
    assert misses[True].max() < 0.02


@pytest.mark.parametrize("name", TAKERS)
def test_a_body_that_stands_free_asks_for_nothing(name):
    tracker = sp.solver(name).prepare(BODY, tasks=[SelfCollision()])
    solution = tracker.solve(np.zeros((0, 3)))
    assert solution.converged
    free = sp.solver(name).prepare(BODY, tasks=[Reach("l_wrist"), SelfCollision()])
    plain = sp.solver(name).prepare(BODY, tasks=[Reach("l_wrist")])
    goal = BODY.rest()[0][BODY.anatomy.node("l_wrist")] + (0.2, 0.3, 0.2)
    assert free.solve(goal[None]).residuals[0] < 0.001
    assert plain.solve(goal[None]).residuals[0] < 0.001


def test_pik_serves_it_first():
    wrists = [BODY.rest()[0][BODY.anatomy.node(f"{side}_wrist")] for side in "lr"]
    one_place = np.tile(BODY.rest()[0][0] + np.array([0.0, 0.2, 0.35]), (2, 1))
    tracker = sp.solver("pik").prepare(
        BODY, tasks=[Reach("l_wrist"), Reach("r_wrist"), SelfCollision()]
    )
    for part in np.linspace(0.0, 1.0, 20):
        solution = tracker.solve((1.0 - part) * np.array(wrists) + part * one_place)
    pose = solution.pose
    motion = sp.Motion(BODY, pose.root[None], pose.rotations[None], 30.0)
    assert np.maximum(SelfContact(BODY).depths(motion), 0.0).sum() < 0.002
    assert solution.residuals.sum() > 0.05  # two hands are not at one place


@pytest.mark.parametrize("name", TAKERS)
def test_forearms_whose_lines_cross_part_or_are_told(name):
    person = sp.Skeleton.humanoid(1.75)
    tasks = [Reach("l_wrist"), Reach("r_wrist"), SelfCollision()]
    tracker = sp.solver(name).prepare(person, tasks=tasks)
    crossed = np.array([[-0.05, 1.2, 0.3], [0.05, 1.2, 0.3]])  # symmetric: the lines do meet
    for _ in range(10):
        solution = tracker.solve(crossed)
    pose = solution.pose
    motion = sp.Motion(person, pose.root[None], pose.rotations[None], 30.0)
    depth = np.maximum(SelfContact(person).depths(motion), 0.0).sum()
    assert depth < 0.002 or not solution.converged
    if name == "pik":
        assert depth < 0.002


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="one SelfCollision task, got two or more"):
        sp.solver("dls").prepare(BODY, tasks=[SelfCollision(), SelfCollision(margin=0.1)])
    with pytest.raises(InputError, match="of Reach, Orient; got SelfCollision"):
        sp.solver("ccd").prepare(BODY, tasks=[Reach("l_wrist"), SelfCollision()])
    both = [Orient("head"), SelfCollision()]
    assert sp.solver("pik").prepare(BODY, tasks=both).plan.tasks == tuple(both)
