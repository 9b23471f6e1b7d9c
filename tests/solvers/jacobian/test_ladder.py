"""Strict priorities: the golden numbers of a planar arm, and what the recursion promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixpoint.solvers.jacobian.ladder import (
    Damping,
    ladder_step,
    new_ladder,
    project_free,
    squared_damping,
)

PLAIN = Damping(0.0, 0.0, 1e-3)
"""Pseudo-inverses without damping, as in the golden numbers."""
ANGLES = (0.3, 0.5, 0.4)
"""Three unit links, hinges about Z."""
TIP = np.array(((-1.944915, -1.649395, -0.932039), (2.014401, 1.059064, 0.362358)))
"""Jacobian of its tip in the plane."""


def step_of(tasks, wish=None, damping: Damping = PLAIN, held=()) -> tuple[np.ndarray, int]:
    """Step and rank for levels [(Jacobian, residual), ...]; held are (joint, angle)."""
    levels = [0, *np.cumsum([len(jacobian) for jacobian, _ in tasks])]
    ladder = new_ladder(levels, tasks[0][0].shape[1])
    ladder.jacobian[:] = np.concatenate([jacobian for jacobian, _ in tasks])
    ladder.residual[:] = np.concatenate([residual for _, residual in tasks])
    for k, (joint, angle) in enumerate(held):
        ladder.basis[k, joint] = 1.0
        ladder.low[k], ladder.high[k] = joint, joint + 1
        ladder.step[joint] = angle
    if wish is not None:
        ladder.secondary[:] = wish
    rank = ladder_step(ladder, damping, len(held))
    return ladder.step, rank


def middle() -> np.ndarray:
    """Jacobian of the end of the second link."""
    a, b = np.cumsum(ANGLES[:2])
    inner = np.array((np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)))
    outer = np.array((np.cos(b), np.sin(b)))
    return np.array(((-inner[1], -outer[1], 0.0), (inner[0], outer[0], 0.0)))


def near(*values: float, tolerance: float = 1e-5):
    return pytest.approx(values, abs=tolerance)


FIRST, SECOND = (-0.1, 0.05), (0.05, 0.1)


def test_one_level():
    step, rank = step_of([(TIP, FIRST)])
    assert step == near(-0.005586, 0.043443, 0.042069)
    assert len(ANGLES) - rank == 1  # the trace of P


def test_two_levels():
    step, rank = step_of([(TIP, FIRST), (middle(), SECOND)])
    assert step == near(0.028335, -0.058713, 0.152066)
    assert rank == 3
    assert TIP @ step - FIRST == near(0.0, 0.0)
    assert middle() @ step - SECOND == near(-0.036582, -0.094095)


def test_two_levels_the_other_way_round():
    step, _ = step_of([(middle(), SECOND), (TIP, FIRST)])
    assert step == near(0.222289, -0.383563, 0.282962)
    assert TIP @ step - FIRST == near(0.036582, 0.094095)
    assert middle() @ step - SECOND == near(0.0, 0.0)


def test_one_level_for_both_is_a_compromise():  # stacked, both miss by half
    step, _ = step_of([(np.concatenate([TIP, middle()]), (*FIRST, *SECOND))])
    assert step == near(0.125312, -0.221138, 0.217514)
    halves = np.array((0.036582, 0.094095)) / 2.0
    assert TIP @ step - FIRST == near(*halves)
    assert middle() @ step - SECOND == near(*-halves)


def test_levels_that_agree_and_a_wish():
    step, _ = step_of([(TIP[:1], FIRST[:1]), (TIP[1:], FIRST[1:])], wish=(0.0, 0.0, 0.2))
    assert step == near(0.025920, -0.051439, 0.144234)
    assert TIP @ step == near(*FIRST)


def test_others_make_up_for_what_is_held():
    step, rank = step_of([(TIP, FIRST)], held=[(1, 0.02)])
    assert step == near(0.002198, 0.020000, 0.067312)
    assert TIP @ step == near(*FIRST)
    assert rank == 3


def test_what_is_held_turns_as_said_whatever_is_asked():
    step, _ = step_of(
        [(TIP, (9.0, 9.0)), (middle(), (-9.0, 3.0))], (1.0, 1.0, 1.0), held=[(1, 0.02)]
    )
    assert step[1] == pytest.approx(0.02, abs=1e-12)
    step, rank = step_of([(TIP, FIRST)], held=[(0, 0.1), (1, 0.2), (2, 0.3)])
    assert step == near(0.1, 0.2, 0.3)
    assert rank == 3


def recursion(tasks, wish, damping: float, cut: float) -> np.ndarray:
    """The recursion of Baerlocher and Boulic with whole matrices, by NumPy."""
    d = tasks[0][0].shape[1]
    free, step = np.eye(d), np.zeros(d)
    for jacobian, asked in tasks:
        u, sigma, v = np.linalg.svd(jacobian @ free, full_matrices=False)
        kept = sigma > 1e-6
        gain = np.where(kept, sigma / np.where(kept, sigma**2 + damping**2, 1.0), 0.0)
        step = step + v.T @ (gain * (u.T @ (asked - jacobian @ step)))
        strong = v[sigma > cut]
        free = free - strong.T @ strong
    return step + free @ wish


def random_tasks(seed: int, d: int, rows: list[int], repeat: bool) -> list:
    rng = np.random.default_rng(seed)
    tasks = [(rng.normal(size=(m, d)), rng.normal(size=m)) for m in rows]
    if repeat and len(tasks) > 1:  # a lower level wants the same as a higher one, and more
        m = min(len(tasks[0][0]), len(tasks[1][0]))
        tasks[1][0][:m] = tasks[0][0][:m]
    return tasks


SHAPES = (
    st.integers(0, 2**32 - 1),
    st.integers(4, 20),
    st.lists(st.integers(1, 6), min_size=1, max_size=4),
    st.booleans(),
)


@given(*SHAPES, st.sampled_from((0.05, 0.5)))
@settings(max_examples=80)
def test_steps_are_those_of_whole_matrices(seed, d, rows, repeat, damping: float):
    tasks = random_tasks(seed, d, rows, repeat)
    wish = np.random.default_rng(seed).normal(size=d)
    step, _ = step_of(tasks, wish, Damping(damping, 0.0, 1e-3))
    np.testing.assert_allclose(step, recursion(tasks, wish, damping, 1e-3), atol=1e-6)


@given(*SHAPES)
@settings(max_examples=80)
def test_a_level_does_not_feel_those_below(seed, d, rows, repeat):
    tasks = random_tasks(seed, d, rows, repeat)
    wish = np.random.default_rng(seed).normal(size=d)
    for damping in (PLAIN, Damping(0.3, 0.0, 1e-3)):
        for upper in range(1, len(tasks)):
            alone, _ = step_of(tasks[:upper], None, damping)
            among, _ = step_of(tasks, wish, damping)
            for jacobian, _ in tasks[:upper]:
                # Directions below the cut are left to lower levels: 1e-3 is all they can do.
                np.testing.assert_allclose(jacobian @ among, jacobian @ alone, atol=0.05)
            strong = np.linalg.svd(tasks[0][0], compute_uv=False).min() > 0.01
            if strong:
                np.testing.assert_allclose(
                    tasks[0][0] @ among,
                    tasks[0][0] @ step_of(tasks[:1], None, damping)[0],
                    atol=1e-8,
                )


def test_nothing_asked_leaves_all_to_the_wish():
    step, rank = step_of([(np.zeros((3, 4)), (1.0, 2.0, 3.0))], (0.1, 0.2, 0.3, 0.4))
    assert step == near(0.1, 0.2, 0.3, 0.4)
    assert rank == 0


def test_a_level_that_asks_for_little_is_damped_less():
    damping = Damping(0.2, 0.1, 1e-3)
    assert squared_damping(damping, np.array((0.3, 0.4)), 2) == pytest.approx(0.04)
    assert squared_damping(damping, np.array((0.0, 0.025)), 2) == pytest.approx(0.01)
    assert squared_damping(damping, np.zeros(2), 2) == 0.0
    assert squared_damping(Damping(0.2, 0.0, 1e-3), np.zeros(2), 2) == pytest.approx(0.04)


def test_projection_takes_directions_away_once():
    ladder = new_ladder([0, 1], 3)
    ladder.basis[0] = (0.6, 0.8, 0.0)
    ladder.high[0] = 2
    vector = np.array((1.0, 1.0, 1.0))
    project_free(ladder, 1, vector)
    assert ladder.basis[0] @ vector == pytest.approx(0.0, abs=1e-15)
    again = vector.copy()
    project_free(ladder, 1, again)
    assert again == pytest.approx(vector, abs=1e-15)
