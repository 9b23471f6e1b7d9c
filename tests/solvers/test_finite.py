from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.limits import Limits
from sixpoint.solvers import DampedSolver, TransposeSolver
from sixpoint.solvers._kernels.figure import (
    POSITION,
    figure_axes,
    figure_forward,
    figure_jacobian,
    figure_residuals,
)
from sixpoint.solvers._kernels.finite import finite_jacobian, finite_steps
from sixpoint.solvers.figure import new_descent, new_pose, plain_figure


@pytest.mark.parametrize("name", ["balls", "hinges", "tree", "odd"])
def test_finite_differences_are_the_jacobian(name: str):
    # S2.2: within 1e-6.
    pose = random_pose(FIGURES[name], 4, spread=1.0)
    body = pose.skeleton.articulation
    nodes = [body.node(end) for end in body.ends]
    tasks = [(POSITION, k, 1.0) for k in range(len(nodes))]
    figure = plain_figure(body, Limits({}), nodes, tasks)
    rows, scratch = new_pose(figure), new_descent(figure)
    rows.local[:] = body.to_rest(pose.rotations)
    before = rows.local.copy()
    figure_forward(figure, rows)
    figure_axes(figure, rows, scratch.axes)
    exact = np.zeros_like(scratch.jacobian)
    figure_jacobian(figure, rows, scratch.axes, exact)
    places, turns = np.zeros((len(nodes), 3)), np.full((len(nodes), 4), np.nan)
    figure_residuals(figure, rows, places, turns, scratch.asked)
    finite_jacobian(figure, rows, scratch, places, turns)
    np.testing.assert_allclose(scratch.jacobian, exact, atol=1e-6)
    np.testing.assert_array_equal(rows.local, before)


@pytest.mark.parametrize("kind", [TransposeSolver, DampedSolver])
def test_steps_by_finite_differences_reach(kind):
    tracker = kind().prepare(FIGURES["balls"], limits=None)
    figure = tracker._figure
    pose, scratch = new_pose(figure), tracker.solver.new_scratch(figure)
    target, turns = np.array([[0.4, 0.5, 0.3]]), np.full((1, 4), np.nan)
    finite_steps(tracker._settings, figure, pose, scratch, target, turns, 300)
    assert np.linalg.norm(pose.tips[0] - target[0]) < 1e-3
