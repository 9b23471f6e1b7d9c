"""The compiled network that tells right points from wrong ones, and what confidence becomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sixpoint.data.clips import builtin
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.priors.layout import INPUTS
from sixpoint.priors.model import always_plausible, builtin_prior
from sixpoint.priors.plausibility import MISTAKES
from sixpoint.solvers import GuidedSolver, Result
from sixpoint.solvers.sequential.network import plausibility

from .guided_body import opened, tables


def test_the_compiled_network_says_what_the_one_in_numpy_says():
    prior, given = builtin_prior(), tables()
    c, layers = opened(given.context), given.plausibility
    for x in 2.0 * np.random.default_rng(9).normal(size=(20, INPUTS)):
        raw = x * prior.scale + prior.mean
        c.net.x[0] = prior.scaled(raw)
        c.net.x[1] = prior.scaled(raw[c.net.order] * c.net.signs)
        wanted = float(prior.plausibility(raw[None])[0])
        assert plausibility(c, layers) == pytest.approx(wanted, abs=1e-12)


def guided(clip: Motion, positions: np.ndarray, **settings) -> Result:
    """A clip's body with other points."""
    tracker = GuidedSolver(**settings).prepare(clip.skeleton, rate=clip.rate)
    return tracker.solve_clip(Points(SIX, positions, clip.rate))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.words)
def test_confidence_falls_where_names_or_axes_are_wrong(mistake):
    clip = builtin("reach")
    points = clip.points().positions
    right = guided(clip, points).confidence.mean()
    assert right > 0.9
    assert guided(clip, mistake.made(points)).confidence.mean() < 0.5 * right


def test_doubt_does_not_change_the_pose(tmp_path):
    path = tmp_path / "trusting.npz"
    replace(builtin_prior(), plausibility_weights=always_plausible()).save(path)
    clip = builtin("boxing")
    wrong = MISTAKES[0].made(clip.points().positions)
    doubting, trusting = guided(clip, wrong), guided(clip, wrong, prior=str(path))
    assert np.array_equal(doubting.motion.rotations, trusting.motion.rotations)
    assert np.array_equal(doubting.motion.root, trusting.motion.root)
    assert doubting.confidence.mean() < trusting.confidence.mean()
