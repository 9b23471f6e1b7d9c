"""Derivatives by finite differences: the Jacobian that they give, and what comes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from figures import FIGURES, random_pose
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.motion.points import Points
from sixpoint.solvers.articulated.model import joint_axes, model_forward, task_jacobian
from sixpoint.solvers.jacobian.differences import finite_jacobian
from sixpoint.tasks import Orient, Reach

METHODS = ("jacobian-transpose", "pseudoinverse", "dls", "dls-svd", "sdls")


@pytest.mark.parametrize("name", ["balls", "hinges", "tree", "odd"])
def test_finite_differences_are_the_jacobian(name: str):
    pose = random_pose(FIGURES[name], 4, spread=1.0)
    ends = pose.skeleton.articulation.ends
    tasks = [Reach(ends[0], weight=0.7), Orient(ends[0]), *(Reach(end) for end in ends[1:])]
    c = sp.solver("dls").prepare(pose.skeleton, limits=None, tasks=tasks).run.context
    c.pose.local[:] = pose.skeleton.articulation.to_rest(pose.rotations)
    model_forward(c.model, c.pose)
    before = [array.copy() for array in c.pose]
    joint_axes(c.model, c.pose, c.scratch.axes)
    exact = np.zeros_like(c.scratch.jacobian)
    task_jacobian(c.model, c.pose, c.scratch.axes, exact)
    finite_jacobian(c)
    np.testing.assert_allclose(c.scratch.jacobian, exact, atol=1e-6)
    for array, kept in zip(c.pose, before, strict=True):
        np.testing.assert_array_equal(array, kept)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_goes_the_same_way_by_differences(method: str):
    # One step: after many, rounding may part them.
    arm, target = sp.Skeleton.chain(4), np.array([[0.4, 0.5, 0.3]])
    start = random_pose(arm, 1, spread=0.5)
    places = []
    for derivatives in ("exact", "differences"):
        tracker = sp.solver(method, derivatives=derivatives, iterations=1).prepare(arm)
        tracker.reset(start)
        places.append(tracker.solve(target).pose.world()[0])
    moved = np.abs(places[0] - start.world()[0]).max()
    assert moved > 1e-3
    np.testing.assert_allclose(places[1], places[0], atol=1e-6)


@pytest.mark.parametrize("method", ["jacobian-transpose", "dls"])
def test_targets_are_reached_by_differences(method: str):
    tracker = sp.solver(method, derivatives="differences").prepare(FIGURES["balls"], limits=None)
    assert tracker.solve(np.array([[0.4, 0.5, 0.3]])).converged


def test_people_are_followed_by_differences():
    points = builtin("reach").points()
    few = Points(points.names, points.positions[:30], points.rate)
    exact = sp.solver("dls")
    motions = [
        method.prepare(sp.Skeleton.humanoid(1.75)).solve_clip(few).motion.world()[0]
        for method in (exact, replace(exact, derivatives="differences"))
    ]
    np.testing.assert_allclose(motions[1], motions[0], atol=1e-4)


def test_other_derivatives_are_refused():
    with pytest.raises(InputError, match="derivatives"):
        sp.solver("dls", derivatives="guessed")
