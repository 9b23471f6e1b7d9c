"""The step over a tree of joints, against a dense least-squares problem."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from sixpoint.kernels import arrays
from sixpoint.solvers.articulated.model import BALL, HINGE, Model, ModelPose, new_memory
from sixpoint.solvers.articulated.tree_step import (
    FREE,
    GATED,
    LOCKED,
    SILENT,
    TURNS,
    TreeStep,
    tree_clear,
    tree_observe_point,
    tree_observe_rotation,
    tree_step,
)

N = 9


@dataclass
class Tree:
    """A random tree, what is observed, and the same as rows of a dense problem."""

    seed: int
    exact: float = 100.0
    rows: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        rng = self.rng
        parents = np.array([-1, *(rng.integers(max(0, k - 3), k) for k in range(1, N))])
        freedom = rng.choice([0, HINGE, BALL, BALL], N)
        freedom[0] = BALL
        axis = rng.normal(size=(N, 3))
        axis /= np.linalg.norm(axis, axis=1, keepdims=True)
        names = {"N": N, "E": 0}
        self.pose = new_memory(ModelPose, names)
        self.pose.world[:] = arrays.normalize(rng.normal(size=(N, 4)))
        self.pose.position[:] = rng.normal(size=(N, 3))
        self.step = new_memory(TreeStep, names)
        tables = dict.fromkeys(Model._fields, np.zeros(0))
        tables |= {"parent": parents, "freedom": freedom, "axis": axis}
        self.model = Model(**tables)  # type: ignore[arg-type]
        self.root = rng.normal(size=3) * 0.1
        self.step.stiffness[:] = rng.uniform(0.5, 20.0, N)
        self.step.drift[:] = rng.normal(size=(N, 3)) * 0.2
        self.step.asked[:] = TURNS
        tree_clear(self.step)

    def world_axis(self, joint: int) -> np.ndarray:
        """Axis of a hinge in the world."""
        above = self.model.parent[joint]
        return arrays.rotate(self.pose.world[above], self.model.axis[joint])

    def motions(self) -> tuple[np.ndarray, np.ndarray]:
        """Matrices from all delta and the root's x to every joint's x and phi, (N, 3, 3 N + 3)."""
        x, phi = np.zeros((2, N, 3, 3 * N + 3))
        for joint in range(N):
            above = self.model.parent[joint]
            own = np.zeros((3, 3 * N + 3))
            own[:, 3 * joint : 3 * joint + 3] = np.eye(3)
            if above < 0:
                x[joint, :, 3 * N :] = np.eye(3)
                phi[joint] = own
                continue
            arm = self.pose.position[joint] - self.pose.position[above]
            x[joint] = x[above] + np.cross(phi[above], arm, axisa=0, axisb=0).T
            phi[joint] = phi[above] + own
        return x, phi

    def observe(self, *, agree: bool = False) -> None:
        """Ask for some points and rotations; if they `agree`, a step of the tree meets them all."""
        rng = self.rng
        x, phi = self.motions()
        step = np.zeros(3 * N + 3)
        for joint in range(N):
            allowed = self.allowed(joint)
            step[3 * joint : 3 * joint + 3] = allowed @ rng.normal(size=allowed.shape[1]) * 0.2
        for joint in range(N):
            if joint >= N - 2 or rng.random() < 0.5:
                arm, gap = rng.normal(size=(2, 3)) * 0.3
                weight = self.exact * rng.uniform(0.1, 1.0)
                moved = x[joint] + np.cross(phi[joint], arm, axisa=0, axisb=0).T
                gap = moved @ step if agree else gap
                args = tuple(arm), tuple(gap), weight
                tree_observe_point(self.step, joint, *args)  # type: ignore[arg-type]
                self.rows.append((np.sqrt(weight) * moved, np.sqrt(weight) * gap))
            if rng.random() < 0.4:
                gap, weight = rng.normal(size=3) * 0.3, rng.uniform(1.0, 50.0)
                gap = phi[joint] @ step if agree else gap
                tree_observe_rotation(self.step, joint, tuple(gap), weight)  # type: ignore[arg-type]
                self.rows.append((np.sqrt(weight) * phi[joint], np.sqrt(weight) * gap))

    def allowed(self, joint: int) -> np.ndarray:
        """Directions in which a joint may turn, as columns (3, n)."""
        freedom, held = self.model.freedom[joint], self.step.held[joint]
        if freedom == 0 or held == LOCKED or (freedom == HINGE and held == GATED):
            return np.zeros((3, 0))
        if freedom == HINGE:
            return self.world_axis(joint)[:, None]
        if held == GATED:
            return np.linalg.svd(self.step.gate[joint][None])[2][1:].T
        return np.eye(3)

    def dense(self, root_weight: float) -> tuple[np.ndarray, np.ndarray]:
        """The best delta of all joints (N, 3) and x of the root, by QR."""
        columns = []
        for joint in range(N):
            block = np.zeros((3 * N + 3, self.allowed(joint).shape[1]))
            block[3 * joint : 3 * joint + 3] = self.allowed(joint)
            columns.append(block)
        last = np.zeros((3 * N + 3, 3))
        last[3 * N :] = np.eye(3)
        basis = np.hstack([*columns, last])
        rows = list(self.rows)
        for joint in range(N):
            own = np.zeros((3, 3 * N + 3))
            own[:, 3 * joint : 3 * joint + 3] = np.eye(3)
            scale = np.sqrt(self.step.stiffness[joint])
            drift = self.step.drift[joint]
            if self.model.freedom[joint] == HINGE:
                axis = self.world_axis(joint)
                own, drift = np.outer(axis, axis) @ own, axis * (axis @ drift)
            rows.append((scale * own, -scale * drift))
        rows.append((np.sqrt(root_weight) * last.T, np.sqrt(root_weight) * self.root))
        matrix = np.vstack([row @ basis for row, _ in rows])
        answer = np.linalg.lstsq(matrix, np.hstack([gap for _, gap in rows]), rcond=None)[0]
        full = basis @ answer
        return full[: 3 * N].reshape(N, 3), full[3 * N :]

    def solve(self, root_weight: float) -> None:
        """Run the kernel on the tree."""
        tree_step(self.model, self.pose, self.step, root_weight, tuple(self.root))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("held", [FREE, GATED, LOCKED])
def test_the_step_is_that_of_the_dense_problem(seed: int, held: int):
    tree = Tree(seed)
    tree.observe()
    gated = tree.rng.random(N) < 0.5
    tree.step.held[gated] = held
    for joint in range(N):
        gate = tree.rng.normal(size=3)
        if tree.model.freedom[joint] == HINGE:
            gate = tree.world_axis(joint) * tree.rng.choice([-1.0, 1.0])
        tree.step.gate[joint] = gate / np.linalg.norm(gate)
    tree.solve(7.0)
    turns, shift = tree.dense(7.0)
    turns[tree.model.freedom == 0] = 0.0
    np.testing.assert_allclose(tree.step.turn, turns, atol=1e-9)
    np.testing.assert_allclose(tree.step.shift[0], shift, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_points_that_are_almost_exact_lose_no_digits_that_matter(seed: int):
    tree = Tree(seed, exact=1e7)
    tree.observe(agree=True)
    tree.solve(100.0)
    turns, shift = tree.dense(100.0)
    turns[tree.model.freedom == 0] = 0.0
    np.testing.assert_allclose(tree.step.turn, turns, atol=1e-4)
    np.testing.assert_allclose(tree.step.shift[0], shift, atol=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_the_slope_says_whether_a_joint_would_leave_through_its_gate(seed: int):
    tree = Tree(seed)
    tree.observe()
    (joint, *_) = np.flatnonzero((tree.model.freedom == BALL) & (np.arange(N) > 0))
    gate = tree.rng.normal(size=3)
    tree.step.gate[joint] = gate / np.linalg.norm(gate)
    values = tree.step.value.copy()
    tree.solve(7.0)
    free = tree.step.turn[joint] @ tree.step.gate[joint]
    tree.step.value[:], tree.step.force[:] = values, 0.0
    tree.step.held[joint] = GATED
    tree.solve(7.0)
    assert abs(tree.step.turn[joint] @ tree.step.gate[joint]) < 1e-12
    assert (tree.step.slope[joint] @ tree.step.gate[joint] < 0.0) == (free > 0.0)


def test_a_tree_of_which_nothing_is_asked_stays():
    tree = Tree(3)
    tree.step.asked[:] = SILENT
    tree.step.turn[:] = tree.step.shift[:] = 0.0
    tree.solve(7.0)
    assert not tree.step.turn.any()
    assert not tree.step.shift.any()
