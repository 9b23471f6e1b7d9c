"""Pelvis and spine that help limbs, and limbs that are held back."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.bodies import IDENTITY, largest_step

import sixpoint as sp
from sixpoint.data.clips import builtin
from sixpoint.kernels import arrays
from sixpoint.kernels.limits import FREE_ROW, limit_table
from sixpoint.priors.model import builtin_prior
from sixpoint.solvers import GuidedSolver
from sixpoint.solvers._kernels.guide_tables import MEMORY
from sixpoint.solvers._kernels.guided import HELPS
from sixpoint.solvers._kernels.guided_ease import LIMB_TURN, PATIENCE, ease_limb
from sixpoint.solvers._kernels.guided_help import (
    EASE,
    MOST_HELP,
    bring_ends,
    help_growth,
    recall_help,
    remember_help,
)
from sixpoint.solvers._kernels.guided_trunk import MOST, gather_tasks, place_spine, solve_turns
from sixpoint.solvers.body_table import build_body, new_state, new_work
from sixpoint.solvers.guided import guide_of, net_of

ATHLETIC = ("75_16_jump_kick", "14_14_jumping_jacks_jog_squats_twists_stretches",
            "01_09_playground_climb_hang_swing_drop_sit", "87_03_backflip")  # fmt: skip


@pytest.fixture
def standing():
    """A body that stands in its stance without limits and meets its points."""
    anatomy = builtin("boxing").skeleton.anatomy
    body, _ = build_body(anatomy)
    guide, net, work = guide_of(anatomy, builtin_prior()), net_of(builtin_prior()), new_work()
    guide["period"] = 1.0 / 120.0
    free = limit_table([FREE_ROW] * 64)
    work["points"][0] = body["stance"][0]
    place_spine(body[0], free, work[0], net)
    work["points"][0, 1] = work["places"][0, body["joints"][0] - 1]
    work["ends"] = work["points"]
    return body[0], guide[0], work[0], net, free


@pytest.mark.parametrize("limb", range(4))
def test_pelvis_and_spine_bring_a_stiff_limb_to_its_point(standing, limb):
    body, guide, work, net, free = standing
    assert not bring_ends(body, guide, work, net, False, np.inf)
    carrier, end = body.carrier[limb], 2 + limb
    arm = work.ends[end] - work.places[carrier]
    away = np.array([0.0, 0.0, 0.02])
    work.points[end] += away
    for _ in range(HELPS):
        assert bring_ends(body, guide, work, net, False, np.inf)
        place_spine(body, free, work, net)
        work.ends[end] = work.places[carrier] + arrays.rotate(work.world[carrier], arm)
    missed = work.points[end] - work.ends[end]
    assert np.linalg.norm(missed) < 0.5 * np.linalg.norm(away)


def largest_help(net):
    return np.linalg.norm(net.helps, axis=1).max()


def test_help_grows_only_so_fast_and_so_far(standing):
    body, guide, work, net, _ = standing
    work.points[5] += (0.0, 0.0, 0.03)
    for _ in range(HELPS):
        bring_ends(body, guide, work, net, False, 0.01)
    assert largest_help(net) == pytest.approx(0.01)
    for _ in range(100):  # the end stays where it is: no help is enough
        bring_ends(body, guide, work, net, False, np.inf)
    assert largest_help(net) == pytest.approx(MOST_HELP)


def test_help_comes_as_slowly_as_it_goes(standing):
    _, guide, *_ = standing
    state = new_state()[0]
    assert help_growth(guide, state) == np.inf  # nothing to start from
    state.frames = 1
    guide.period = 0.01
    assert help_growth(guide, state) == pytest.approx(0.01 * MOST_HELP / EASE)


def test_help_is_remembered_with_the_pelvis_and_goes_back(standing):
    body, guide, work, net, _ = standing
    memory = np.zeros(1, MEMORY)[0]
    net.helps[0] = (0.1, 0.0, 0.0)
    remember_help(body, memory, net, IDENTITY)
    about = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # the pelvis has turned from X to Y
    work.world[0] = about
    recall_help(body, guide, memory, work, net, False)
    left = 0.1 * np.exp(-guide.period / EASE)
    np.testing.assert_allclose(net.helps[0], (0.0, left, 0.0), atol=1e-12)
    assert arrays.angle_between(work.world[0], np.array(about)) == pytest.approx(left)
    recall_help(body, guide, memory, work, net, True)
    assert largest_help(net) == 0.0  # a pelvis that is known does not help


def test_a_round_that_would_turn_too_far_turns_all_joints_less(standing):
    body, guide, work, net, _ = standing
    turns = []
    for away in (0.01, 1.0):
        work.points[1] += (0.0, 0.0, away)
        tasks, _ = gather_tasks(body, guide, work, net, False, False)
        work.points[1] -= (0.0, 0.0, away)
        assert solve_turns(body, guide, net, tasks)
        turns.append(net.turns.copy())
    small, large = (np.linalg.norm(t, axis=1).max() for t in turns)
    assert small < MOST
    assert large == pytest.approx(MOST)
    np.testing.assert_allclose(turns[1] / large, turns[0] / small, atol=1e-9)


@pytest.mark.parametrize("missed", [False, True])
def test_only_a_limb_that_limits_held_back_is_eased(standing, missed):
    body, _, work, _, free = standing
    state, settings = new_state()[0], GuidedSolver().records(120.0)[0]
    memory = np.zeros(1, MEMORY)[0]
    memory.roots[:, 0] = 1.0
    memory.misses[0] = 1.0 if missed else 0.0
    row, aim = body.joints + 1, (0.0, -0.3, 0.2)
    wished = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
    most = LIMB_TURN * settings.turn

    def turned(frames):
        work.local[row], work.local[row + 1] = wished, IDENTITY
        state.frames = frames
        ease_limb(body, free, settings, state, work, memory, 0, IDENTITY, (0.0,) * 3, aim, aim, aim)
        return float(arrays.angle_between(work.local[row], np.array(IDENTITY)))

    assert turned(1) == pytest.approx(most if missed else 0.5 * np.pi)
    # Limits may bar the way: nobody waits for ever.
    assert turned(2 + int(PATIENCE * 120.0)) == pytest.approx(0.5 * np.pi)


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
