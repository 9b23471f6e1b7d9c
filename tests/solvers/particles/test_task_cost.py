"""Every kind of task as the kernel judges it."""

from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.kernels import arrays
from sixpoint.limits import Limits
from sixpoint.motion.pose import Pose
from sixpoint.solvers.articulated.build import new_pose, skeleton_model
from sixpoint.solvers.articulated.model import Targets, model_forward
from sixpoint.solvers.articulated.task_table import skeleton_tasks, task_nodes
from sixpoint.solvers.particles.task_cost import judge_pose, pose_cost
from sixpoint.tasks import (
    Balance,
    Coupling,
    Floor,
    LookAt,
    Orient,
    Posture,
    Reach,
    SelfCollision,
    Smoothness,
)

MATRIX = ((2.0, 0.3, 0.0), (0.3, 1.0, -0.2), (0.0, -0.2, 0.5))


def judged(pose: Pose, tasks, places, turns):
    """Cost and lengths as the kernel finds them."""
    skeleton = pose.skeleton
    body = skeleton.articulation
    names = tuple(dict.fromkeys(t.node for t in tasks if isinstance(t, Reach | Orient)))
    model = skeleton_model(body, Limits({}), task_nodes(body, names, tasks), [], whole=True)
    table = skeleton_tasks(body, names, tasks)
    rows = new_pose(model)
    rows.local[:] = body.to_rest(pose.rotations)
    rows.position[0] = pose.root
    model_forward(model, rows)
    residuals, targets = np.zeros(len(tasks)), Targets(places, turns)
    worst = judge_pose(model, table, rows, targets, residuals)
    return pose_cost(model, table, rows, targets), residuals, worst, table


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["balls", "hinges", "tree", "hand", "odd", "person"])
def test_the_kernel_judges_as_tasks_do(name: str, seed: int):
    skeleton = FIGURES[name]
    pose, like = (random_pose(skeleton, s) for s in (seed, seed + 100))
    rng = np.random.default_rng(seed)
    place, turn = rng.normal(size=(1, 3)), arrays.normalize(rng.normal(size=(1, 4)))
    nodes = skeleton.node_names
    hinges = [skeleton.names[j] for j in np.flatnonzero(skeleton.articulation.freedom == 1)]
    corners = tuple(map(tuple, rng.normal(size=(5, 2)).tolist()))
    tasks = [
        Reach(nodes[-1], 2.0, covariance=(1.0, 3.0, np.inf)),
        Orient(nodes[-1], 0.5, covariance=MATRIX),
        LookAt(nodes[-2], (0.5, 1.0, -2.0), (0.0, 3.0, 4.0), 0.7, covariance=(2.0, 1.0, 1.0)),
        Balance(weight=0.4),
        Balance(over=corners),
        Balance(over=((0.3, -0.2),), weight=3.0),
        Smoothness(skeleton.names[:3], window=2, weight=0.1),
        Floor(nodes[-2], 0.2, weight=0.3),
        Floor(nodes[1], -0.4, lifts=True),
        Floor(nodes[1], 0.9, lifts=True),
        Posture(0.2, like),
        *(SelfCollision(margin=0.02, weight=0.5) for _ in range(name == "person")),
        *(Coupling(hinges[0], hinges[1], 0.4) for _ in range(len(hinges) > 1)),
    ]
    (demands, wishes), lengths, worst, asked = judged(pose, tasks, place, turn)
    targets = [place[0], turn[0], *[None] * (len(tasks) - 2)]
    expected = []
    for task, target in zip(tasks, targets, strict=True):
        if isinstance(task, Posture):  # the kernel takes what hinges do besides their axis too
            turned = skeleton.articulation.to_rest(np.stack([pose.rotations, like.rotations]))
            expected.append(np.linalg.norm(arrays.angle_between(turned[0], turned[1])))
        else:
            expected.append(task.residual_norm(pose, target))
    np.testing.assert_allclose(lengths, np.array(expected) * asked.unit, atol=1e-7)
    squares = (asked.weight * lengths) ** 2
    soft = asked.soft.astype(bool)
    assert [type(t) for t, s in zip(tasks, soft, strict=True) if s] == [Smoothness, Posture]
    assert demands == pytest.approx(squares[~soft].sum())
    assert wishes == pytest.approx(squares[soft].sum())
    assert worst == pytest.approx(lengths[~soft].max())


def test_unknown_targets_ask_for_nothing():
    pose = random_pose(FIGURES["balls"], 1)
    none = np.full((1, 3), np.nan), np.full((1, 4), np.nan)
    (demands, _), _, worst, _ = judged(pose, [Reach("tip"), Orient("tip")], *none)
    assert demands == worst == 0.0


def test_wishes_alone_are_to_be_met():
    pose = random_pose(FIGURES["balls"], 1)
    none = np.full((1, 3), np.nan), np.full((1, 4), np.nan)
    (demands, wishes), *_ = judged(pose, [Smoothness()], *none)
    assert demands > 0.0
    assert wishes == 0.0


def test_constraints_are_added_one_by_one():
    # Courty and Arnaud, Eq. (14): costs of independent constraints add up.
    pose = random_pose(FIGURES["balls"], 3)
    tip = pose.world()[0][-1]
    met = np.array([tip]), np.full((1, 4), np.nan)
    tasks = [Reach("tip"), Floor("joint_3", 0.1), Balance(over=((0.1, 0.2),)), Floor("tip", tip[1])]
    total = 0.0
    for count in range(1, len(tasks) + 1):
        (demands, _), *_ = judged(pose, tasks[:count], *met)
        total += tasks[count - 1].cost(pose, tip if count == 1 else None)
        assert demands == pytest.approx(total, abs=1e-15)
    assert total > 0.0
    assert judged(pose, [tasks[0], tasks[3]], *met)[0][0] == pytest.approx(0.0, abs=1e-15)
