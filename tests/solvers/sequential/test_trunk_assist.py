"""Pelvis and spine that help limbs, and limbs that are held back."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.solvers.people.tables import FIRST_LIMB, HEAD
from sixpoint.solvers.sequential.guided import ASSIST_ROUNDS
from sixpoint.solvers.sequential.limb import LimbBase
from sixpoint.solvers.sequential.network import GuidedContext
from sixpoint.solvers.sequential.trunk_fit import (
    HELP_TIME,
    LIMB_TURN,
    LONGEST_EASING,
    MOST_HELP,
    MOST_TURN,
    bring_ends,
    ease_limb,
    gather_tasks,
    help_growth,
    place_spine,
    recall_help,
    remember_help,
    solve_turns,
)

from ..bodies import IDENTITY, ORIGIN, largest_step
from .guided_body import opened, tables

ATHLETIC = ("75_16_jump_kick", "14_14_jumping_jacks_jog_squats_twists_stretches",
            "01_09_playground_climb_hang_swing_drop_sit", "87_03_backflip")  # fmt: skip
RATE = 120.0


@pytest.fixture
def standing() -> GuidedContext:
    """A body that stands in its stance without limits and meets its points."""
    c = opened(tables(rate=RATE).context)
    c.work.points[:] = c.body.stance
    place_spine(c)
    c.work.points[HEAD] = c.work.places[c.body.joints - 1]
    c.work.ends[:] = c.work.points
    return c


@pytest.mark.parametrize("limb", range(4))
def test_pelvis_and_spine_bring_a_stiff_limb_to_its_point(standing, limb):
    body, work = standing.body, standing.work
    assert not bring_ends(standing, False, np.inf)
    carrier, end = body.carrier[limb], FIRST_LIMB + limb
    arm = work.ends[end] - work.places[carrier]
    away = np.array([0.0, 0.0, 0.02])
    work.points[end] += away
    for _ in range(ASSIST_ROUNDS):
        assert bring_ends(standing, False, np.inf)
        place_spine(standing)
        work.ends[end] = work.places[carrier] + arrays.rotate(work.world[carrier], arm)
    missed = work.points[end] - work.ends[end]
    assert np.linalg.norm(missed) < 0.5 * np.linalg.norm(away)


def largest_help(c: GuidedContext) -> float:
    """Of any joint [rad]."""
    return float(np.linalg.norm(c.net.helps, axis=1).max())


def test_help_grows_only_so_fast_and_so_far(standing):
    standing.work.points[5] += (0.0, 0.0, 0.03)
    for _ in range(ASSIST_ROUNDS):
        bring_ends(standing, False, 0.01)
    assert largest_help(standing) == pytest.approx(0.01)
    for _ in range(100):  # the end stays where it is: no help is enough
        bring_ends(standing, False, np.inf)
    assert largest_help(standing) == pytest.approx(MOST_HELP)


def test_help_comes_as_slowly_as_it_goes(standing):
    assert help_growth(standing) == np.inf  # nothing to start from
    standing.state.frames = 1
    assert help_growth(standing) == pytest.approx(MOST_HELP / (HELP_TIME * RATE))


def test_help_is_remembered_with_the_pelvis_and_goes_back(standing):
    net, world = standing.net, standing.work.world
    net.helps[0] = (0.1, 0.0, 0.0)
    remember_help(standing, IDENTITY)
    about = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # the pelvis has turned from X to Y
    world[0] = about
    recall_help(standing, False)
    left = 0.1 * np.exp(-1.0 / (HELP_TIME * RATE))
    np.testing.assert_allclose(net.helps[0], (0.0, left, 0.0), atol=1e-12)
    assert arrays.angle_between(world[0], np.array(about)) == pytest.approx(left)
    recall_help(standing, True)
    assert largest_help(standing) == 0.0  # a pelvis that is known does not help


def test_a_round_that_would_turn_too_far_turns_all_joints_less(standing):
    head = standing.work.points[HEAD]
    turns = []
    for away in (0.01, 1.0):
        head += (0.0, 0.0, away)
        tasks, _ = gather_tasks(standing, False, False)
        head -= (0.0, 0.0, away)
        assert solve_turns(standing, tasks)
        turns.append(standing.net.turns.copy())
    small, large = (np.linalg.norm(t, axis=1).max() for t in turns)
    assert small < MOST_TURN
    assert large == pytest.approx(MOST_TURN)
    np.testing.assert_allclose(turns[1] / large, turns[0] / small, atol=1e-9)


@pytest.mark.parametrize("missed", [False, True])
def test_only_a_limb_that_limits_held_back_is_eased(standing, missed):
    local, memory = standing.work.local, standing.memory
    memory.roots[:, 0] = 1.0
    memory.misses[0] = 1.0 if missed else 0.0
    clavicle, aim = standing.body.joints, (0.0, -0.3, 0.2)
    base = LimbBase(0, clavicle, IDENTITY, ORIGIN, aim)
    root, hinge = clavicle + 1, clavicle + 2
    wished = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
    most = LIMB_TURN * standing.settings.turn

    def turned(frames):
        local[root], local[hinge] = wished, IDENTITY
        standing.state.frames = frames
        standing.work.ends[FIRST_LIMB] = aim
        ease_limb(standing, base, aim)
        return float(arrays.angle_between(local[root], np.array(IDENTITY)))

    assert turned(1) == pytest.approx(most if missed else 0.5 * np.pi)
    # Limits may bar the way: nobody waits for ever.
    assert turned(2 + int(LONGEST_EASING * RATE)) == pytest.approx(0.5 * np.pi)


@pytest.mark.data
@pytest.mark.parametrize("name", ATHLETIC)
def test_limbs_that_limits_hold_back_do_not_make_a_body_jump(shared_data, name):
    paths = sorted((shared_data / "cmu").glob(f"*/{name}.bvh"))
    if not paths:
        pytest.skip(f"no {name}")
    clip = sp.load(paths[0])
    result = sp.reconstruct(clip.points(), clip.skeleton, solver="guided")
    assert largest_step(result.motion) < np.radians(45.0)
    assert result.report.limit_violations == 0
