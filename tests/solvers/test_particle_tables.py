"""How far joints reach, and what that makes of their noise."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.bench.particle_scenes import hand_scene
from sixpoint.body.skeleton import Skeleton
from sixpoint.solvers import MonteCarloSolver
from sixpoint.solvers.particle_tables import longest_below, reach_scales
from sixpoint.tasks import Orient, Reach


def test_reach_is_the_longest_way_below():
    hand = Skeleton.hand()
    reach = longest_below(hand.node_parents, hand.articulation.offsets)
    assert reach[0] == pytest.approx(hand.articulation.length)
    assert not reach[hand.joint_count :].any()  # nothing hangs on the tips
    for node, parent in enumerate(hand.node_parents[1:], 1):
        assert reach[parent] > reach[node]


def test_noise_falls_with_reach():
    reach = np.array((4.0, 3.0, 2.0, 1.0))
    every = np.ones(4, np.bool_)
    found = reach_scales(reach, every, 0.5)
    np.testing.assert_allclose(found / found[0], np.sqrt(4.0 / reach))
    # All together move the tip as far.
    assert (found * reach) @ (found * reach) == pytest.approx(reach @ reach)
    np.testing.assert_allclose(reach_scales(reach, every, 0.0), 1.0)
    np.testing.assert_allclose(reach_scales(np.zeros(4), every, 0.5), 1.0)
    np.testing.assert_allclose(reach_scales(reach, ~every, 0.5), 1.0)


def test_rotations_that_are_asked_for_make_joints_alike():
    # To the rotation of the tip a radian of any joint is a radian.
    chain = Skeleton.chain(4)
    for tasks, alike in (([Reach("tip")], False), ([Reach("tip"), Orient("tip")], True)):
        noise = MonteCarloSolver().prepare(chain, limits=None, tasks=tasks)._noise
        assert (np.ptp(noise.shape[:, 0, 0]) < 1e-12) == alike
    constant = MonteCarloSolver(schedule="constant").prepare(chain, limits=None)
    np.testing.assert_array_equal(constant._noise.shape, np.tile(np.eye(3), (4, 1, 1)))


def test_fingers_are_drawn_more_than_the_arm():
    tracker, _ = hand_scene()
    size = tracker._noise.shape[:, 0, 0]
    hand = tracker.skeleton
    assert (
        size[hand.index("index_end")]
        > 2.0 * np.abs(tracker._noise.shape[hand.index("elbow")]).max()
    )
