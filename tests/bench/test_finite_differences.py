from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.bench.finite_differences import finite_jacobian, finite_steps
from sixpoint.solvers import DampedSolver, TransposeSolver
from sixpoint.solvers.articulated.model import (
    Targets,
    joint_axes,
    model_forward,
    task_jacobian,
    task_residuals,
)


@pytest.mark.parametrize("name", ["balls", "hinges", "tree", "odd"])
def test_finite_differences_are_the_jacobian(name: str):
    pose = random_pose(FIGURES[name], 4, spread=1.0)
    c = DampedSolver().prepare(pose.skeleton, limits=None).run.context
    c.pose.local[:] = pose.skeleton.articulation.to_rest(pose.rotations)
    before = c.pose.local.copy()
    model_forward(c.model, c.pose)
    joint_axes(c.model, c.pose, c.scratch.axes)
    exact = np.zeros_like(c.scratch.jacobian)
    task_jacobian(c.model, c.pose, c.scratch.axes, exact)
    count = len(c.model.effector_joint)
    targets = Targets(np.zeros((count, 3)), np.full((count, 4), np.nan))
    task_residuals(c.model, c.pose, targets, c.scratch.residual)
    finite_jacobian(c, targets)
    np.testing.assert_allclose(c.scratch.jacobian, exact, atol=1e-6)
    np.testing.assert_array_equal(c.pose.local, before)


@pytest.mark.parametrize("kind", [TransposeSolver, DampedSolver])
def test_steps_by_finite_differences_reach(kind):
    context = kind().prepare(FIGURES["balls"], limits=None).run.context
    targets = Targets(np.array([[0.4, 0.5, 0.3]]), np.full((1, 4), np.nan))
    finite_steps(context, targets, 300)
    assert np.linalg.norm(context.pose.effectors[0] - targets.positions[0]) < 1e-3
