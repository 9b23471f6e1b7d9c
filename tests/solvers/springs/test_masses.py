"""Masses and springs against numbers worked out by hand: forces, steps, projection, rest."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.solvers import SpringPositionSolver
from sixpoint.solvers.articulated.context import SkeletonContext
from sixpoint.solvers.articulated.model import Targets, model_forward
from sixpoint.solvers.springs.masses import (
    BASE,
    HELD,
    gather,
    hold_masses,
    largest_force,
    place_masses,
    projection_step,
    spring_energy,
    spring_forces,
    verlet_step,
)
from sixpoint.solvers.springs.relaxation import AT_REST, SOLVED, Rest, relax
from sixpoint.solvers.springs.solve import set_goals, weigh_nodes

FAR = 1e9
"""A clamp that clamps nothing."""


class Example:
    """The masses of a skeleton, some named nodes of which have targets."""

    def __init__(self, skeleton: Skeleton, targets: dict[str, tuple[float, float, float]], **rule):
        plan = SpringPositionSolver(**rule).prepare(skeleton, names=list(targets)).plan
        context = plan.new_context(60.0)
        self.context = SkeletonContext(context.settings[0], *context[1:])
        self.springs, self.masses = context.scratch.springs, context.scratch.masses
        wanted = Targets(np.array(list(targets.values())), np.full((len(targets), 4), np.nan))
        model_forward(context.model, context.pose)
        set_goals(self.context, 0, wanted, weigh_nodes(self.context, 0, wanted))
        gather(self.context, 0)
        place_masses(self.context, 0)

    def relax(self, rest: Rest) -> tuple[int, int]:
        return relax(self.context, 0, rest)

    def step(self, step: float = 0.5, damping: float = 0.25) -> None:
        hold_masses(self.masses, FAR)
        spring_forces(self.masses, 1.0)
        verlet_step(self.springs, self.masses, step, damping, True)

    def energy(self, step: float) -> float:
        """Of springs and of speed."""
        speed = (self.masses.position - self.masses.before) / step
        return spring_energy(self.masses, 1.0) + 0.5 * float((speed**2).sum())


def planar() -> Example:
    """Three bones of length 1 along X, the tip to be at (1.5, 1.5)."""
    chain = Skeleton.chain(3, [1.0, 1.0, 1.0], bone=(1.0, 0.0, 0.0))
    return Example(chain, {"tip": (1.5, 1.5, 0.0)}, step=0.5, damping=0.25, force=1e-4, clamp=FAR)


def test_steps_are_those_worked_out_by_hand():
    example = planar()
    example.step()
    assert example.masses.position[2, :2] == pytest.approx((1.954057, 0.137829), abs=1e-6)
    example.step()
    assert example.masses.position[1, :2] == pytest.approx((0.991083, -0.001288), abs=1e-6)
    assert example.masses.position[2, :2] == pytest.approx((1.894059, 0.345861), abs=1e-6)


def test_rest_is_reached_where_and_when_it_was_by_hand():
    example = planar()
    taken, ended = example.relax(Rest(500, 1e-3, 1e-9, 3.0, 1.0))
    assert (taken, ended) == (57, SOLVED)
    assert example.masses.position[1, :2] == pytest.approx((0.999978, 0.008187), abs=1e-6)
    assert example.masses.position[2, :2] == pytest.approx((1.835331, 0.557890), abs=1e-6)


def test_forces_of_springs_cancel():  # their sum says nothing, the largest does
    example = planar()
    for _ in range(5):
        example.step()
    place = example.masses.position
    bones = np.diff(place, axis=0)
    length = np.linalg.norm(bones, axis=1, keepdims=True)
    pull = (length - 1.0) * bones / length
    expected = np.array([pull[0], pull[1] - pull[0], pull[2] - pull[1], -pull[2]])
    spring_forces(example.masses, 1.0)
    assert example.masses.force[1:] == pytest.approx(expected[1:], abs=1e-12)
    assert expected.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert largest_force(example.masses, True) > 0.01


def test_projection_is_that_worked_out_by_hand():
    example = planar()
    hold_masses(example.masses, FAR)
    projection_step(example.masses)
    assert example.masses.position[1] == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)
    assert example.masses.position[2, :2] == pytest.approx((1.816228, 0.551317), abs=1e-6)
    over = spring_forces(example.masses, 1.0)
    assert over == pytest.approx(0.015024, abs=1e-6)
    for _ in range(6):
        projection_step(example.masses)
    assert example.masses.position[1, :2] == pytest.approx((0.999932, -0.006770), abs=1e-6)
    assert example.masses.position[2, :2] == pytest.approx((1.827192, 0.555042), abs=1e-6)
    over = spring_forces(example.masses, 1.0)
    assert over == pytest.approx(4.5e-5, abs=1e-6)


def test_damping_takes_energy_away():
    example = planar()
    energies = []
    for _ in range(60):
        example.step(0.1, 0.05)
        energies.append(example.energy(0.1))
    # A spring's length is not linear in places: within a swing, energy is kept to second order.
    assert energies[-1] < 0.3 * energies[1]
    assert np.diff(energies[1:]).max() < 0.005 * energies[1]


def test_without_damping_masses_swing_for_ever():
    example = planar()
    for _ in range(3000):
        example.step(0.5, 0.0)
    assert example.energy(0.5) > 0.05


def euler_step(example: Example, speed: np.ndarray, step: float) -> np.ndarray:
    """The explicit step of Euler, which the paper does without."""
    hold_masses(example.masses, FAR)
    spring_forces(example.masses, 1.0)
    free = example.masses.state == 0
    faster = speed + step * example.masses.force
    example.masses.position[free] += step * speed[free]
    return faster


@pytest.mark.parametrize("step", [0.2, 0.5, 0.8])
def test_verlet_stays_where_euler_blows_up(step):
    verlet, euler = planar(), planar()
    speed = np.zeros_like(euler.masses.position)
    for _ in range(400):
        verlet.step(step, 0.0)
        speed = euler_step(euler, speed, step)
        if np.abs(euler.masses.position).max() > 100.0:
            break
    assert np.abs(euler.masses.position).max() > 10.0
    assert np.abs(verlet.masses.position).max() < 5.0


@pytest.mark.parametrize(("step", "stable"), [(0.9, True), (1.2, False)])
def test_the_bound_of_the_step_is_where_steps_blow_up(step, stable):
    chain = Skeleton.chain(12, [1.0] * 12)
    example = Example(chain, {"tip": (3.0, 9.0, 2.0)})
    for _ in range(2000):
        example.step(step, 0.1)
        if np.abs(example.masses.position).max() > 1e6:
            break
    assert (np.abs(example.masses.position).max() < 100.0) == stable


def test_nodes_at_one_place_share_a_mass():
    tree = Skeleton.tree(3, 2, trunk=2)
    example = Example(tree, {f"tip_{k}": (0.1 * k, 0.5, 0.2) for k in (1, 2, 3)})
    springs, masses = example.springs, example.masses
    branches = [springs.mass_of[tree.index(f"branch_{k}_1")] for k in (1, 2, 3)]
    assert len(set(branches)) == 1
    assert len(springs.node_of) == 2 + 1 + 3 * 2
    # Four bones meet there: as heavy as two joints of a chain.
    assert springs.lightness[branches[0]] == 0.5
    assert masses.state[springs.mass_of[0]] == BASE
    assert (masses.state == HELD).sum() == 3


def test_chains_without_a_target_are_left_alone():
    tree = Skeleton.tree(2, 3, trunk=1)
    example = Example(tree, {"tip_1": (0.2, 0.6, 0.3)})
    idle = [tree.index(f"branch_2_{k}") for k in (2, 3)]
    before = example.masses.position.copy()
    for _ in range(20):
        example.step()
    for node in idle:
        mass = example.springs.mass_of[node]
        assert np.array_equal(example.masses.position[mass], before[mass])


def test_a_target_out_of_reach_ends_in_a_balance():
    example = Example(Skeleton.chain(4), {"tip": (0.0, 0.0, 5.0)})
    _, ended = example.relax(Rest(5000, 1e-3, 1e-9, 1.0, 1.0))
    assert ended == AT_REST
    assert example.masses.position[:, :2] == pytest.approx(np.zeros((5, 2)), abs=1e-3)


def test_the_clamp_keeps_far_targets_from_overshooting():
    highest = []
    for clamp in (FAR, 0.1):
        example = Example(Skeleton.chain(6), {"tip": (0.0, -0.6, 0.3)}, clamp=clamp)
        most = 0.0
        for _ in range(60):
            hold_masses(example.masses, clamp)
            over = spring_forces(example.masses, 1.0)
            verlet_step(example.springs, example.masses, 0.7, 0.3, True)
            most = max(most, over)
        highest.append(most)
    assert highest[1] < 0.3 * highest[0]


def test_a_sub_base_rests_where_forces_balance():  # no centroid
    tree = Skeleton.tree(3, 1, trunk=1, spread=1.0)
    targets = {"tip_1": (-0.6, 0.7, 0.1), "tip_2": (0.1, 0.9, 0.4), "tip_3": (0.7, 0.5, 0.0)}
    example = Example(tree, targets)
    example.relax(Rest(5000, 1e-12, 1e-9, 1.0, 1.0))
    base, sub, *tips = example.masses.position
    total = np.zeros(3)
    for end, rest in zip((base, *tips), example.springs.rest, strict=True):
        away = end - sub
        length = np.linalg.norm(away)
        total += (length - rest) * away / length
    assert total == pytest.approx(np.zeros(3), abs=1e-4)
