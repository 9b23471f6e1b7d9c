"""Targets of mass-spring IK: on the line of a chain, out of reach, in its middle, in any order."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.solvers import SpringForceSolver, solve_batch, solve_positions
from sixpoint.tasks import Reach

both = pytest.mark.parametrize("method", ["mass-spring", "mass-spring-force"])


@both
@pytest.mark.parametrize("joints", [4, 7])
def test_positions_on_the_line_of_a_chain_or_out_of_reach_keep_bones(method, joints):
    tracker = sp.solver(method).prepare(Skeleton.chain(joints))
    on_line = [(0, 0.5, 0), (0, -0.5, 0), (0, 0.1, 0), (0, 0, 0)]
    beyond = [(0, 3, 0), (0, -3, 0), (2, 1, 0.5)]
    targets = np.array([*on_line, *beyond, (0.4, 0.5, 0.1)], float)[:, None]
    positions, _, converged = solve_positions(tracker, targets)
    bones = np.linalg.norm(np.diff(positions, axis=1), axis=2)
    assert bones == pytest.approx(np.full_like(bones, 1 / joints), rel=1.01e-3)
    assert converged.tolist() == [True] * len(on_line) + [False] * len(beyond) + [True]
    assert positions[converged, -1] == pytest.approx(targets[converged, 0], abs=5e-4)
    straight = targets[~converged, 0] / np.linalg.norm(targets[~converged, 0], axis=1)[:, None]
    assert positions[~converged, -1] == pytest.approx(straight, abs=1e-3)
    again, _, _ = solve_positions(tracker, targets[-1:])  # one target leaves no trace in the next
    assert np.array_equal(again[0], positions[-1])


@both
def test_the_order_of_tasks_does_not_matter(method):
    chain = Skeleton.chain(8)
    names = ("joint_3", "joint_6", "tip")
    targets = np.array([(0.1, 0.2, 0.05), (0.35, 0.45, 0.1), (0.2, 0.6, 0.3)])
    found, positions = [], []
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        tasks = [Reach(names[k], weight=1.0 + k) for k in order]
        tracker = sp.solver(method).prepare(chain, tasks=tasks)
        assert tracker.names == tuple(names[k] for k in order)
        found.append(tracker.solve(targets[order]).pose.rotations)
        positions.append(solve_positions(tracker, targets[None, order])[0][0, :8])
    for k in (1, 2):
        assert arrays.angle_between(found[0], found[k]).max() < 1e-6
        assert positions[k] == pytest.approx(positions[0], abs=1e-9)


def agreeing(chain: Skeleton, names: tuple[str, ...], count: int) -> np.ndarray:
    """Targets of some nodes that one pose meets."""
    rng = np.random.default_rng(11)
    nodes = [chain.index(name) for name in names]
    turns = rng.uniform(-0.4, 0.4, (count, chain.articulation.count))
    poses = [Pose(chain, np.zeros(3), chain.articulation.rotations(turn)) for turn in turns]
    return np.array([pose.world()[0][nodes] for pose in poses])


@pytest.mark.parametrize("pull", [0.5, 1.0, 3.0])
def test_just_below_the_bound_inner_targets_are_met(pull):
    chain = Skeleton.chain(8)
    names = (*(f"joint_{k}" for k in range(2, 9)), "tip")
    bound = (0.85 / (1.0 + 0.25 * pull)) ** 0.5
    targets = agreeing(chain, names, 20)
    solver = SpringForceSolver(pull=pull, step=0.99 * bound, damping=0.3)
    found = solve_batch(solver.prepare(chain, names=names), targets)
    assert found.converged.all()
    with pytest.raises(InputError, match=f"stability bound {bound:.6g} of this skeleton"):
        SpringForceSolver(pull=pull, step=1.001 * bound, damping=0.3).prepare(chain, names=names)


def test_the_papers_step_is_shortened_for_inner_targets():
    chain = Skeleton.chain(8)
    names = ("joint_4", "joint_6", "tip")
    solver = SpringForceSolver(preset="paper")
    found = solve_batch(solver.prepare(chain, names=names), agreeing(chain, names, 20))
    assert found.residuals.max() < 0.011
