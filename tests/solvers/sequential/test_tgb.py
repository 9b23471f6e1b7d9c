"""TGBSIK as users call it, against the claims of the SIK paper's section 9."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import sixpoint as sp
from rigs import random_rotations
from sixpoint.data.clips import CLIPS, builtin
from sixpoint.errors import InputError
from sixpoint.limits import adult_limits
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import SOLVERS, SequentialSolver, TGBSolver, solver
from sixpoint.solvers.sequential.tgb import swivel_cost

from ..bodies import HUMAN, uncompiled
from ..clip_pieces import LIMBS

LIMITS = adult_limits(HUMAN)
ROOTS = ("l_shoulder", "r_shoulder", "l_hip", "r_hip")
PAPER = {
    "17_10_boxing": ((1.0, 1.0, 0.0), 0.0312),
    "90_05_jump_kick": ((1.0, 1.0, 0.0), 0.0208),
    "01_03_playground_climb_hang_swing": ((0.1, 0.1, 1.0), 0.0266),
}
"""Weights and position error of the SIK paper's Table 1 for each clip."""


def costs(result, weight: float = 1.0) -> np.ndarray:
    """swing^2 + weight twist^2 of shoulders and hips (F, 4)."""
    turned = result.motion.rotations[:, [HUMAN.index(name) for name in ROOTS]]
    return np.array([[swivel_cost(tuple(q), weight) for q in frame] for frame in turned])


def test_settings():
    assert solver("tgbsik") == SOLVERS["tgbsik"]() == TGBSolver()
    assert TGBSolver().twist_weight == 1.0
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(InputError, match=r"Expected `twist_weight` in \[0, 1e\+06\], got"):
            TGBSolver(twist_weight=bad)
    with pytest.raises(InputError, match="Expected `missing` to be one of hold, predict; got 'x'"):
        TGBSolver(missing="x")


@pytest.mark.parametrize("rotations", [False, True], ids=["positions", "rotations"])
def test_everything_but_the_limbs_is_sequential_ik(rotations):  # to the bit
    points = builtin("overhead").frames(slice(0, None, 5)).points(rotations=rotations)
    ours, theirs = (
        sp.reconstruct(points, HUMAN, kind()).motion for kind in (TGBSolver, SequentialSolver)
    )
    limbs = [
        j
        for j, name in enumerate(HUMAN.names)
        if name.endswith(("shoulder", "elbow", "hip", "knee"))
    ]
    rest = [j for j in range(HUMAN.joint_count) if j not in limbs]
    assert np.array_equal(ours.rotations[:, rest], theirs.rotations[:, rest])
    assert np.array_equal(ours.root, theirs.root)
    assert not np.array_equal(ours.rotations[:, limbs], theirs.rotations[:, limbs])


@pytest.mark.parametrize("weight", [0.0, 1.0, 4.0])
def test_no_other_method_turns_less(weight):
    points = builtin("boxing").frames(slice(0, 400, 10)).points()
    found = sp.reconstruct(points, HUMAN, "tgbsik", limits=None, twist_weight=weight)
    sik = sp.reconstruct(points, HUMAN, "sik", limits=None)
    assert (costs(found, weight) <= costs(sik, weight) + 0.01).all()  # the grid's 0.01 rad
    assert costs(found, weight).mean() < 0.98 * costs(sik, weight).mean()


def test_the_weight_of_twist_tells():
    points = builtin("boxing").frames(slice(0, 400, 10)).points()
    light, heavy = (
        sp.reconstruct(points, HUMAN, "tgbsik", limits=None, twist_weight=w) for w in (0.0, 10.0)
    )
    twists = [costs(result, 1.0) - costs(result, 0.0) for result in (light, heavy)]
    assert twists[1].mean() < 0.5 * twists[0].mean()


@pytest.mark.parametrize("name", CLIPS)
def test_built_in_clips_are_reconstructed(name):
    clip = builtin(name)
    result = sp.reconstruct(clip.points(), clip.skeleton, "tgbsik")
    free = ~(result.limited | result.unreachable)[:, LIMBS]
    assert free.mean() > 0.5
    assert result.residuals[:, LIMBS][free].max() < 1e-6
    assert result.report.limit_violations == 0
    assert sp.compare(result.motion, clip).position_rms < 0.06


def test_hinges_only_flex():
    turned = sp.reconstruct(builtin("squat").points(), HUMAN, "tgbsik").motion.rotations
    for name in ("l_elbow", "r_elbow", "l_knee", "r_knee"):
        assert np.abs(turned[:, HUMAN.index(name), 2:]).max() < 1e-15


def test_residuals_are_what_forward_kinematics_says():
    points = builtin("overhead").points()
    result = sp.reconstruct(points, HUMAN, "tgbsik")
    nodes = [HUMAN.anatomy.node(role) for role in SIX]
    off = np.linalg.norm(result.motion.positions(nodes) - points.positions, axis=-1)
    assert result.residuals == pytest.approx(off, abs=1e-9)


@effort(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_any_stream_gives_bodies(seed):
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(12, 6, 3)) * 10.0 ** rng.uniform(-3, 1, (12, 1, 1))
    positions[rng.random((12, 6)) < 0.2] = np.nan
    rotations = random_rotations(rng, 12, 6)
    rotations[rng.random((12, 6)) < 0.5] = np.nan
    motion = sp.reconstruct(Points(SIX, positions, 60.0, rotations), HUMAN, "tgbsik").motion
    assert np.isfinite(motion.rotations).all()
    assert LIMITS.violations(motion).max() < 1e-6


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="no compiler")
def test_compiled_and_plain_give_the_same_bits():
    points = builtin("boxing").frames(slice(0, 20)).points()
    fast = TGBSolver().prepare(HUMAN)
    one, other = (tracker.solve_clip(points).motion for tracker in (fast, uncompiled(fast)))
    assert np.array_equal(one.rotations, other.rotations)
    assert np.array_equal(one.root, other.root)


@pytest.mark.data
@pytest.mark.parametrize("name", PAPER)
def test_errors_are_near_those_of_the_paper(shared_data, name):  # Table 1
    weights, published = PAPER[name]
    clip = sp.load(shared_data / "cmu" / "paper" / f"{name}.bvh")
    result = sp.reconstruct(clip.points(), clip.skeleton, "tgbsik", weights=weights)
    assert sp.compare(result.motion, clip).position_rms == pytest.approx(published, rel=0.25)
    assert result.report.limit_violations == 0
