"""The compiled critic, and what it makes of the guided solver's confidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sixpoint.data.clips import builtin
from sixpoint.motion.points import SIX, Points
from sixpoint.priors.layout import INPUTS
from sixpoint.priors.model import always_plausible, builtin_prior
from sixpoint.priors.plausibility import MISTAKES
from sixpoint.solvers import GuidedSolver
from sixpoint.solvers._kernels.critic import DOUBT, belief, plausibility
from sixpoint.solvers.guided import net_of


def test_the_compiled_critic_says_what_the_one_in_numpy_says():
    prior = builtin_prior()
    net = net_of(prior)
    for x in 2.0 * np.random.default_rng(9).normal(size=(20, INPUTS)):
        raw = x * prior.scale + prior.mean
        net.x[0] = prior.scaled(raw)
        net.x[1] = prior.scaled(raw[net.order] * net.signs)
        wanted = float(prior.plausibility(raw[None])[0])
        assert plausibility(net) == pytest.approx(wanted, abs=1e-12)
        assert belief(net) == pytest.approx(min(wanted / DOUBT, 1.0), abs=1e-12)


def confidences(clip, positions):
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    tracker.solve_clip(Points(SIX, positions, clip.rate))
    return tracker.confidences


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.words)
def test_confidence_falls_where_names_or_axes_are_wrong(mistake):
    clip = builtin("reach")
    points = clip.points().positions
    right = confidences(clip, points).mean()
    assert right > 0.9
    assert confidences(clip, mistake.made(points)).mean() < 0.5 * right


def test_the_critic_does_not_change_the_pose():
    clip = builtin("boxing")
    doubting = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    trusting = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    trusting._net = net_of(replace(builtin_prior(), plausibility_weights=always_plausible()))
    wrong = Points(SIX, MISTAKES[0].made(clip.points().positions), clip.rate)
    poses = [tracker.solve_clip(wrong).motion.rotations for tracker in (doubting, trusting)]
    np.testing.assert_array_equal(*poses)
    assert doubting.confidences.mean() < trusting.confidences.mean()
