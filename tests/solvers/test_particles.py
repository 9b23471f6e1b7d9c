"""Weights, resampling, and every kind of task as the kernel judges it."""

from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.kernels import arrays
from sixpoint.limits import Limits
from sixpoint.motion.pose import Pose
from sixpoint.solvers._kernels.asked import judge_pose, pose_cost
from sixpoint.solvers._kernels.figure import figure_forward
from sixpoint.solvers._kernels.particles import normalize_weights, systematic_index
from sixpoint.solvers.figure import new_pose, plain_figure
from sixpoint.solvers.particle_tables import asked_nodes, build_asked
from sixpoint.tasks import (
    Balance,
    Coupling,
    Floor,
    LookAt,
    Orient,
    Posture,
    Reach,
    Smoothness,
)


def test_weights_of_the_golden_example():
    # G25.
    log_weight, weight = np.zeros(4), np.zeros(4)
    log_weight -= np.array((0.0, 0.1, 0.2, 0.4)) ** 2 / 0.01
    chosen, effective = normalize_weights(log_weight, weight)
    np.testing.assert_allclose(weight, (0.721399, 0.265388, 0.013213, 8e-8), atol=1e-6)
    assert effective == pytest.approx(1.691984, abs=1e-6)
    assert chosen == 0
    log_weight -= np.array((0.2, 0.1, 0.05, 0.4)) ** 2 / 0.01
    chosen, effective = normalize_weights(log_weight, weight)
    np.testing.assert_allclose(weight, (0.109077, 0.805974, 0.084949, 0.0), atol=1e-6)
    assert effective == pytest.approx(1.495420, abs=1e-6)
    assert chosen == 1
    index = np.zeros(4, np.int64)
    systematic_index(weight, 0.1, index)
    assert index.tolist() == [0, 1, 1, 1]


def test_weights_survive_absurd_costs():
    log_weight, weight = np.array((-1e300, -1e18, -5e17)), np.zeros(3)
    chosen, effective = normalize_weights(log_weight, weight)
    assert weight.tolist() == [0.0, 0.0, 1.0]
    assert (chosen, effective) == (2, 1.0)


def test_resampling_is_unbiased():
    rng = np.random.default_rng(3)
    weight = rng.dirichlet(np.full(8, 0.5))
    index, taken = np.zeros(8, np.int64), np.zeros(8)
    offsets = rng.uniform(size=12_500)  # 1e5 draws
    for offset in offsets:
        systematic_index(weight, float(offset), index)
        counts = np.bincount(index, minlength=8)
        assert (np.abs(counts - 8 * weight) < 1.0).all()
        taken += counts
    np.testing.assert_allclose(taken / taken.sum(), weight, atol=2e-3)


def test_one_particle_with_all_the_weight_is_taken_always():
    index = np.zeros(5, np.int64)
    systematic_index(np.array((0.0, 0.0, 1.0, 0.0, 0.0)), 0.999, index)
    assert index.tolist() == [2] * 5
    systematic_index(np.full(5, 0.2), 0.5, index)
    assert index.tolist() == [0, 1, 2, 3, 4]


def judged(pose: Pose, tasks, places, turns):
    """Cost and lengths as the kernel finds them."""
    skeleton = pose.skeleton
    body = skeleton.articulation
    names = tuple(dict.fromkeys(t.node for t in tasks if isinstance(t, Reach | Orient)))
    nodes = asked_nodes(body, names, tasks)
    figure = plain_figure(body, Limits({}), nodes, [], whole=True)
    asked = build_asked(body, names, nodes, tasks, body.length)
    rows = new_pose(figure)
    rows.local[:] = body.to_rest(pose.rotations)
    rows.place[0] = pose.root
    figure_forward(figure, rows)
    lengths = np.zeros(len(tasks))
    worst = judge_pose(figure, asked, rows, places, turns, lengths)
    return pose_cost(figure, asked, rows, places, turns), lengths, worst, asked


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
        Reach(nodes[-1], 2.0),
        Orient(nodes[-1], 0.5),
        LookAt(nodes[-2], (0.5, 1.0, -2.0), (0.0, 3.0, 4.0), 0.7),
        Balance(over=corners),
        Balance(over=((0.3, -0.2),), weight=3.0),
        Smoothness(skeleton.names[:3], window=2, weight=0.1),
        Floor(nodes[-2], 0.2, weight=0.3),
        Floor(nodes[1], -0.4, lifts=True),
        Floor(nodes[1], 0.9, lifts=True),
        Posture(0.2, like),
        *(Coupling(hinges[0], hinges[1], 0.4) for _ in range(len(hinges) > 1)),
    ]
    (demands, wishes), lengths, worst, asked = judged(pose, tasks, place, turn)
    targets = [place[0], turn[0], *[None] * (len(tasks) - 2)]
    expected = []
    for task, target in zip(tasks, targets, strict=True):
        if isinstance(task, Posture):
            turned = skeleton.articulation.to_rest(np.stack([pose.rotations, like.rotations]))
            expected.append(np.linalg.norm(arrays.angle_between(turned[0], turned[1])))
        else:
            expected.append(np.linalg.norm(task.residual(pose, target)))
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
