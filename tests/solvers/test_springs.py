"""Masses and springs against numbers worked out by hand: forces, steps, projection, rest."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.limits import Limits
from sixpoint.solvers import SpringPositionSolver
from sixpoint.solvers._kernels.figure import POSITION, figure_forward
from sixpoint.solvers._kernels.spring_goals import set_goals, weigh_nodes
from sixpoint.solvers._kernels.springs import (
    AT_REST,
    BASE,
    HELD,
    SOLVED,
    gather,
    hold_masses,
    largest_force,
    place_masses,
    projection_step,
    relax,
    spring_energy,
    spring_forces,
    verlet_step,
)
from sixpoint.solvers.figure import new_pose, plain_figure

NOT_TURNED = np.full((5, 4), np.nan)
FAR = 1e9
"""A clamp that clamps nothing."""


class Masses:
    """The masses of a skeleton, its named nodes asked to be somewhere."""

    def __init__(self, skeleton: Skeleton, targets: dict[str, tuple[float, float, float]], **rule):
        nodes = [skeleton.index(name) for name in targets]
        tasks = [(POSITION, tip, 1.0) for tip in range(len(nodes))]
        self.figure = plain_figure(skeleton.articulation, Limits({}), nodes, tasks)
        self.pose = new_pose(self.figure)
        self.parts, self.springs = SpringPositionSolver(**rule).new_scratch(self.figure)
        places = np.array(list(targets.values()))
        figure_forward(self.figure, self.pose)
        _, greatest = weigh_nodes(self.figure, self.parts, 0, places, NOT_TURNED)
        figure, pose, parts, springs = self.figure, self.pose, self.parts, self.springs
        set_goals(figure, pose, parts, springs, 0, places, NOT_TURNED, greatest)
        self.count, self.moving = gather(self.parts, self.springs, 0)
        place_masses(self.figure, self.pose, self.springs, 0)

    def step(self, step: float = 0.5, damping: float = 0.25) -> None:
        hold_masses(self.springs, self.moving, FAR)
        spring_forces(self.springs, self.count, self.moving, 1.0)
        verlet_step(self.springs, self.moving, step, damping, True)

    def energy(self, step: float) -> float:
        """Of springs and of speed."""
        speed = (self.springs.place - self.springs.before) / step
        return spring_energy(self.springs, self.count, 1.0) + 0.5 * float((speed**2).sum())


def planar() -> Masses:
    """Three bones of length 1 along X, the tip to be at (1.5, 1.5)."""
    chain = Skeleton.chain(3, [1.0, 1.0, 1.0], bone=(1.0, 0.0, 0.0))
    return Masses(chain, {"tip": (1.5, 1.5, 0.0)}, step=0.5, damping=0.25, force=1e-4, clamp=FAR)


def test_steps_are_those_worked_out_by_hand():  # S4.1, G32
    masses = planar()
    masses.step()
    assert masses.springs.place[2, :2] == pytest.approx((1.954057, 0.137829), abs=1e-6)
    masses.step()
    assert masses.springs.place[1, :2] == pytest.approx((0.991083, -0.001288), abs=1e-6)
    assert masses.springs.place[2, :2] == pytest.approx((1.894059, 0.345861), abs=1e-6)


def test_rest_is_reached_where_and_when_it_was_by_hand():  # G32
    masses = planar()
    taken, ended = relax(masses.springs, 0, masses.count, masses.moving, 500, 1e-3, 1e-9, 3.0, 1.0)
    assert (taken, ended) == (57, SOLVED)
    assert masses.springs.place[1, :2] == pytest.approx((0.999978, 0.008187), abs=1e-6)
    assert masses.springs.place[2, :2] == pytest.approx((1.835331, 0.557890), abs=1e-6)


def test_forces_of_springs_cancel():  # A4.2: their sum says nothing, the largest does
    masses = planar()
    for _ in range(5):
        masses.step()
    place = masses.springs.place
    bones = np.diff(place, axis=0)
    length = np.linalg.norm(bones, axis=1, keepdims=True)
    pull = (length - 1.0) * bones / length
    expected = np.array([pull[0], pull[1] - pull[0], pull[2] - pull[1], -pull[2]])
    spring_forces(masses.springs, masses.count, masses.moving, 1.0)
    assert masses.springs.force[1:] == pytest.approx(expected[1:], abs=1e-12)
    assert expected.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert largest_force(masses.springs, masses.moving, True) > 0.01


def test_projection_is_that_worked_out_by_hand():  # S4.6, G33
    masses = planar()
    hold_masses(masses.springs, masses.moving, FAR)
    projection_step(masses.springs, masses.count)
    assert masses.springs.place[1] == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)
    assert masses.springs.place[2, :2] == pytest.approx((1.816228, 0.551317), abs=1e-6)
    over = spring_forces(masses.springs, masses.count, masses.moving, 1.0)
    assert over == pytest.approx(0.015024, abs=1e-6)
    for _ in range(6):
        projection_step(masses.springs, masses.count)
    assert masses.springs.place[1, :2] == pytest.approx((0.999932, -0.006770), abs=1e-6)
    assert masses.springs.place[2, :2] == pytest.approx((1.827192, 0.555042), abs=1e-6)
    over = spring_forces(masses.springs, masses.count, masses.moving, 1.0)
    assert over == pytest.approx(4.5e-5, abs=1e-6)


def test_damping_takes_energy_away():  # S4.2
    masses = planar()
    energies = []
    for _ in range(60):
        masses.step(0.1, 0.05)
        energies.append(masses.energy(0.1))
    # A spring's length is not linear in places: within a swing, energy is kept to second order.
    assert energies[-1] < 0.3 * energies[1]
    assert np.diff(energies[1:]).max() < 0.005 * energies[1]


def test_without_damping_masses_swing_for_ever():  # A4.4
    masses = planar()
    for _ in range(3000):
        masses.step(0.5, 0.0)
    assert masses.energy(0.5) > 0.05


def euler_step(masses: Masses, speed: np.ndarray, step: float) -> np.ndarray:
    """The explicit step of Euler, which the paper does without."""
    hold_masses(masses.springs, masses.moving, FAR)
    spring_forces(masses.springs, masses.count, masses.moving, 1.0)
    free = masses.springs.state == 0
    faster = speed + step * masses.springs.force
    masses.springs.place[free] += step * speed[free]
    return faster


@pytest.mark.parametrize("step", [0.2, 0.5, 0.8])
def test_verlet_stays_where_euler_blows_up(step):  # S4.3
    verlet, euler = planar(), planar()
    speed = np.zeros_like(euler.springs.place)
    for _ in range(400):
        verlet.step(step, 0.0)
        speed = euler_step(euler, speed, step)
        if np.abs(euler.springs.place).max() > 100.0:
            break
    assert np.abs(euler.springs.place).max() > 10.0
    assert np.abs(verlet.springs.place).max() < 5.0


@pytest.mark.parametrize(("step", "stable"), [(0.9, True), (1.2, False)])
def test_the_bound_of_the_step_is_where_steps_blow_up(step, stable):  # A4.4
    chain = Skeleton.chain(12, [1.0] * 12)
    masses = Masses(chain, {"tip": (3.0, 9.0, 2.0)})
    for _ in range(2000):
        masses.step(step, 0.1)
        if np.abs(masses.springs.place).max() > 1e6:
            break
    assert (np.abs(masses.springs.place).max() < 100.0) == stable


def test_nodes_at_one_place_share_a_mass():  # S4.4
    tree = Skeleton.tree(3, 2, trunk=2)
    springs = Masses(tree, {f"tip_{k}": (0.1 * k, 0.5, 0.2) for k in (1, 2, 3)}).springs
    branches = [springs.mass_of[tree.index(f"branch_{k}_1")] for k in (1, 2, 3)]
    assert len(set(branches)) == 1
    assert len(springs.node_of) == 2 + 1 + 3 * 2
    # Four bones meet there: as heavy as two joints of a chain.
    assert springs.weight[branches[0]] == 2.0
    assert springs.state[springs.mass_of[0]] == BASE
    assert (springs.state == HELD).sum() == 3


def test_chains_without_a_target_are_left_alone():
    tree = Skeleton.tree(2, 3, trunk=1)
    masses = Masses(tree, {"tip_1": (0.2, 0.6, 0.3)})
    idle = [tree.index(f"branch_2_{k}") for k in (2, 3)]
    before = masses.springs.place.copy()
    for _ in range(20):
        masses.step()
    for node in idle:
        mass = masses.springs.mass_of[node]
        assert np.array_equal(masses.springs.place[mass], before[mass])


def test_a_target_out_of_reach_ends_in_a_balance():
    masses = Masses(Skeleton.chain(4), {"tip": (0.0, 0.0, 5.0)})
    _, ended = relax(masses.springs, 0, masses.count, masses.moving, 5000, 1e-3, 1e-9, 1.0, 1.0)
    assert ended == AT_REST
    assert masses.springs.place[:, :2] == pytest.approx(np.zeros((5, 2)), abs=1e-3)


def test_the_clamp_keeps_far_targets_from_overshooting():  # S4.7
    highest = []
    for clamp in (FAR, 0.1):
        masses = Masses(Skeleton.chain(6), {"tip": (0.0, -0.6, 0.3)}, clamp=clamp)
        most = 0.0
        for _ in range(60):
            hold_masses(masses.springs, masses.moving, clamp)
            over = spring_forces(masses.springs, masses.count, masses.moving, 1.0)
            verlet_step(masses.springs, masses.moving, 0.7, 0.3, True)
            most = max(most, over)
        highest.append(most)
    assert highest[1] < 0.3 * highest[0]


def test_a_sub_base_rests_where_forces_balance():  # S4.11: no centroid
    tree = Skeleton.tree(3, 1, trunk=1, spread=1.0)
    targets = {"tip_1": (-0.6, 0.7, 0.1), "tip_2": (0.1, 0.9, 0.4), "tip_3": (0.7, 0.5, 0.0)}
    masses = Masses(tree, targets)
    relax(masses.springs, 0, masses.count, masses.moving, 5000, 1e-12, 1e-9, 1.0, 1.0)
    base, sub, *tips = masses.springs.place
    total = np.zeros(3)
    for end, rest in zip((base, *tips), masses.springs.rest, strict=True):
        away = end - sub
        length = np.linalg.norm(away)
        total += (length - rest) * away / length
    assert total == pytest.approx(np.zeros(3), abs=1e-4)
