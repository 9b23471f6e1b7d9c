"""The loops of the Jacobian methods: what tasks ask for in an iteration, and how it is measured."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.solvers import solver
from sixpoint.solvers.articulated.context import SkeletonContext
from sixpoint.solvers.articulated.model import (
    ORIENTATION,
    POSITION,
    Targets,
    model_forward,
    task_residuals,
)
from sixpoint.solvers.jacobian.damped_descent import find_rows, finish_step, task_squares
from sixpoint.tasks import Orient, Reach

TARGETS = Targets(
    np.array([(1.0, 3.0, 0.0)]),
    np.array([(np.cos(0.5), np.sin(0.5), 0.0, 0.0)]),  # a radian about X
)


def near(*values: float):
    return pytest.approx(values, abs=1e-6)


def measured(kind: int, weight: float, task_step: float) -> SkeletonContext:
    """A chain of length 2 that is far from what its one task asks for."""
    task = (Reach if kind == POSITION else Orient)("tip", weight=weight)
    chosen = solver("sdls", task_step=task_step)
    context = chosen.prepare(Skeleton.chain(2, 2.0), tasks=[task]).plan.new_context(60.0)
    c = SkeletonContext(context.settings[0], *context[1:])
    model_forward(c.model, c.pose)
    task_residuals(c.model, c.pose, TARGETS, c.scratch.residual)
    return c


def find_step(c: SkeletonContext) -> None:
    """The step of a task of position or rotation."""
    find_rows(c)
    finish_step(c)


@pytest.mark.parametrize("weight", [1.0, 5.0])
def test_what_tasks_ask_for_is_shortened_whatever_they_weigh(weight: float):
    c = measured(POSITION, weight, 0.0)
    find_step(c)
    assert c.scratch.residual == near(weight, weight, 0.0)  # from (0, 2, 0) to (1, 3, 0)
    c = measured(POSITION, weight, 0.1)
    find_step(c)
    assert np.linalg.norm(c.scratch.residual) == pytest.approx(0.2 * weight)  # 0.1 of the length


def test_a_radian_counts_like_the_length_of_the_skeleton():
    c = measured(ORIENTATION, 3.0, 0.0)
    assert c.scratch.residual == near(3.0, 0.0, 0.0)
    assert task_squares(c.model, c.scratch.residual) == pytest.approx(36.0)
    find_step(c)
    assert c.scratch.residual == near(6.0, 0.0, 0.0)
    assert c.scratch.jacobian[:, 0] == near(6.0, 0.0, 0.0)


@pytest.mark.parametrize("name", ["dls", "dls-svd", "sdls", "pseudoinverse"])
@pytest.mark.parametrize("clip", ["boxing", "reach"])
def test_people_are_missed_less_than_as_published(name: str, clip: str):
    """Second attempts free limbs from corners of their limits, and turn the pelvis."""
    motion = builtin(clip).frames(slice(None, None, 3))
    literal, best = (
        solver(name, variant=variant).prepare(motion.skeleton).solve_clip(motion.points())
        for variant in ("paper", "best")
    )
    assert best.report.target_mean_m < 0.5 * literal.report.target_mean_m
    assert best.report.target_mean_m < 0.002
    assert best.report.limit_violations == 0


def test_a_known_pelvis_is_not_turned():
    motion = builtin("reach").frames(slice(0, None, 4))
    points = motion.points(rotations=True)
    result = solver("dls").prepare(motion.skeleton).solve_clip(points)
    pelvis = motion.skeleton.anatomy.node("pelvis")
    away = arrays.angle_between(result.motion.rotations[:, pelvis], motion.rotations[:, pelvis])
    assert away.max() < 1e-6


def test_only_the_published_variant_has_the_published_stop_rule():
    rules = {v: solver("dls", variant=v).person_rule() for v in ("paper", "best")}
    assert rules["paper"].iterations == 20
    assert rules["paper"].tolerance * 1.83 == pytest.approx(0.01)
    assert rules["best"].tolerance < 0.2 * rules["paper"].tolerance
    assert solver("dls", iterations=7).person_rule().iterations == 7
    with pytest.raises(InputError, match="`variant` to be one of best, paper"):
        solver("dls", variant="papier")
