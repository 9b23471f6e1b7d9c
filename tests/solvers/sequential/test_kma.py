"""KMA through its front door, against the claims of the SIK paper's section 9."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import sixpoint as sp
from oracles import assert_same_rotation
from rigs import odd_rig, random_rotations
from sixpoint.data.clips import CLIPS, builtin
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import adult_limits
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import SOLVERS, KMASolver, StopReason, solver
from sixpoint.solvers.people.plan import pelvis_frame

from ..bodies import HUMAN, context, reconstruct, standing, uncompiled

PELVIS, HEAD, L_WRIST, R_WRIST, L_ANKLE, R_ANKLE = range(6)
LIMITS = adult_limits(HUMAN)
PAPER = {
    "17_10_boxing": ((1.0, 1.0, 0.0), 0.0281),
    "90_05_jump_kick": ((1.0, 1.0, 0.0), 0.0256),
    "01_03_playground_climb_hang_swing": ((0.1, 0.1, 1.0), 0.0295),
}
"""Weights and position error of the SIK paper's Table 1 for each clip."""


def kma(points: Points, **changed):
    return reconstruct(points, HUMAN, "kma", **changed)


def estimates(points: Points) -> np.ndarray:
    """Rotation of the pelvis that every method gets, with weights (1, 1, 0)."""
    return np.array([pelvis_frame(context(), frame) for frame in points.positions])


# --- settings -------------------------------------------------------------------------------------


def test_the_stop_rule_is_that_of_the_paper():  # on figures of 1.83 m
    chosen = solver("kma")
    assert chosen == SOLVERS["kma"]() == KMASolver()
    assert chosen.iterations == 20
    assert chosen.tolerance * 1.83 == pytest.approx(0.01)
    assert chosen.least_gain * 1.83 == pytest.approx(0.001)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"iterations": 0}, r"Expected `iterations` in \[1, 100000\], got 0"),
        ({"tolerance": -0.1}, r"Expected `tolerance` in \[0, 1\], got -0\.1"),
        ({"tolerance": np.nan}, r"Expected `tolerance` in \[0, 1\], got nan"),
        ({"least_gain": 2.0}, r"Expected `least_gain` in \[0, 1\], got 2\.0"),
        ({"weights": (0.0, 0.0, 0.0)}, "Expected at least one of the `weights` to be above zero"),
    ],
)
def test_settings_that_make_no_sense(changed, message):
    with pytest.raises(InputError, match=message):
        KMASolver(**changed)


# --- what the paper says of it --------------------------------------------------------------------


def test_the_order_of_frames_does_not_matter():  # stateless, to the bit
    points = builtin("boxing").frames(slice(0, 200, 4)).points()
    order = np.random.default_rng(3).permutation(len(points))
    shuffled = kma(replace(points, positions=points.positions[order])).motion
    straight = kma(points).motion
    assert np.array_equal(shuffled.rotations, straight.rotations[order])
    assert np.array_equal(shuffled.root, straight.root[order])


def test_the_pelvis_keeps_the_estimated_rotation():
    points = builtin("boxing").frames(slice(0, 300, 5)).points()
    assert_same_rotation(kma(points).motion.rotations[:, 0], estimates(points), atol=1e-12)


def test_clavicles_rest():
    points = builtin("overhead").points()
    turned = kma(points).motion.rotations
    helped = reconstruct(points, HUMAN).motion.rotations
    for name in ("l_sternoclavicular", "r_sternoclavicular"):
        joint = HUMAN.index(name)
        assert np.array_equal(turned[:, joint], arrays.identity(len(points)))
        assert not np.array_equal(helped[:, joint], arrays.identity(len(points)))


@pytest.mark.parametrize(
    ("parts", "reference", "fallback"),
    [
        (("shoulder", "elbow", "wrist"), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)),
        (("hip", "knee", "ankle"), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
    ],
)
def test_swivels_are_zero_against_the_pelvis(parts, reference, fallback):
    points = builtin("walk").frames(slice(0, 300, 3)).points()
    places = kma(points, limits=None).motion.positions()
    frames = estimates(points)
    for side in "lr":
        a, b, d = (places[:, HUMAN.index(f"{side}_{part}")] for part in parts)
        line = (d - a) / np.linalg.norm(d - a, axis=-1, keepdims=True)
        first, second, out = (
            v - (v * line).sum(axis=-1, keepdims=True) * line
            for v in (*(arrays.rotate(frames, np.array(r)) for r in (reference, fallback)), b - a)
        )
        aligned = np.linalg.norm(first, axis=-1) < 0.03
        zero = np.where(aligned[:, None], second, first)
        bent = np.linalg.norm(out, axis=-1) > 1e-6
        assert bent.sum() > 30
        sine = np.linalg.norm(np.cross(out, zero), axis=-1)
        assert np.arctan2(sine, (out * zero).sum(axis=-1))[bent].max() < 1e-6


def test_pelvis_and_head_share_the_error():
    residuals = kma(builtin("reach").points()).residuals
    assert residuals[:, PELVIS] == pytest.approx(residuals[:, HEAD], abs=1e-12)
    assert residuals[:, PELVIS].max() > 1e-3  # it stops near, not at the target


@pytest.mark.parametrize("name", CLIPS)
def test_built_in_clips_are_reconstructed(name):
    clip = builtin(name)
    result = kma(clip.points())
    free = ~result.limited & ~result.unreachable
    assert result.residuals[:, 2:][free[:, 2:]].max() < 1e-9
    assert result.residuals[:, :2].max() < 0.03
    assert result.report.limit_violations == 0
    assert (result.iterations <= 20).all()
    assert sp.compare(result.motion, clip).position_rms < 0.06
    assert result.report.solver == "kma"


def test_hinges_only_flex():
    turned = kma(builtin("squat").points()).motion.rotations
    for name in ("l_elbow", "r_elbow", "l_knee", "r_knee"):
        assert np.abs(turned[:, HUMAN.index(name), 2:]).max() < 1e-15


def test_a_finer_stop_rule_comes_nearer():
    points = builtin("reach").frames(slice(0, None, 10)).points()
    coarse, fine = (
        kma(points, limits=None, tolerance=t, least_gain=0.0, iterations=500)
        for t in (0.01 / 1.83, 1e-5)
    )
    assert fine.residuals[:, :2].mean() < 0.1 * coarse.residuals[:, :2].mean()
    assert fine.iterations.mean() > coarse.iterations.mean()


# --- answers --------------------------------------------------------------------------------------


def test_stop_reasons():
    tracker = KMASolver().prepare(HUMAN)
    frame = builtin("boxing").points().positions[30]
    solution = tracker.solve(frame)
    assert (solution.converged, solution.stop) == (True, StopReason.CONVERGED)
    far = frame.copy()
    far[L_WRIST] += (2.0, 0.0, 0.0)
    assert tracker.solve(far).stop is StopReason.UNREACHABLE
    tall = frame.copy()
    tall[HEAD] += (0.0, 0.5, 0.0)
    assert tracker.solve(tall).stop is StopReason.UNREACHABLE
    behind = standing()
    behind[R_ANKLE] += (0.0, 0.4, -0.7)
    arms_lead = KMASolver(weights=(1.0, 0.0, 0.0))
    held, free = (arms_lead.prepare(HUMAN, limits=limits) for limits in ("adult", None))
    assert held.solve(behind).stop is StopReason.LIMITS_SATURATED
    assert free.solve(behind).converged
    duck = builtin("boxing").points(rotations=True).frames(slice(160, 161))
    hurried = KMASolver(iterations=1, tolerance=1e-4).prepare(HUMAN, limits=None)
    assert hurried.solve(duck).stop is StopReason.MAX_ITERATIONS
    stubborn = KMASolver(least_gain=1.0, tolerance=1e-4).prepare(HUMAN, limits=None)
    assert stubborn.solve(duck).stop is StopReason.STALLED


def test_a_head_that_comes_straight_nearer_is_hardly_followed():
    # The estimated pelvis points at the head, so the spine does, too: no joint sees a way to turn.
    frame = standing()
    frame[HEAD] *= 0.93
    swept, bent = (solver(name).prepare(HUMAN).solve(frame) for name in ("kma", "sik"))
    assert swept.residuals[HEAD] > 0.01
    assert bent.residuals[HEAD] < 1e-6


def test_near_enough_is_converged():  # to a centimetre, as the paper says, and no farther
    frame = standing()
    frame[HEAD] += (0.0, 0.0, 0.1)
    tight = KMASolver(tolerance=0.0).prepare(HUMAN).solve(frame)
    loose = KMASolver().prepare(HUMAN).solve(frame)
    assert loose.converged
    assert loose.residuals.max() > 1e-3 * HUMAN.anatomy.height
    assert tight.residuals.max() < loose.residuals.max()


def test_known_rotations_are_used():
    clip = builtin("reach")
    known, guessed = (kma(clip.points(rotations=known)).motion for known in (True, False))
    assert_same_rotation(known.rotations[:, 0], clip.rotations[:, 0], atol=1e-9)
    head = HUMAN.index("skullbase")
    gap = arrays.angle_between(known.world()[1][:, head], clip.world()[1][:, head])
    assert np.median(gap) < 1e-6
    better, worse = sp.compare(known, clip), sp.compare(guessed, clip)
    assert better.position_rms < worse.position_rms  # rotations: loins do what the clip's spine did


def test_residuals_are_what_forward_kinematics_says():
    points = builtin("overhead").points()
    result = kma(points)
    nodes = [HUMAN.anatomy.node(role) for role in SIX]
    off = np.linalg.norm(result.motion.positions(nodes) - points.positions, axis=-1)
    assert result.residuals == pytest.approx(off, abs=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_joint_frames_of_the_rig_do_not_matter(seed):
    points = builtin("boxing").frames(slice(0, 100)).points()
    rig = odd_rig(seed)
    names = HUMAN.node_names
    places = reconstruct(points, rig, "kma").motion.positions([rig.index(name) for name in names])
    assert places == pytest.approx(kma(points).motion.positions(), abs=1e-7)


@effort(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_any_stream_gives_bodies(seed):
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(12, 6, 3)) * 10.0 ** rng.uniform(-3, 1, (12, 1, 1))
    positions[rng.random((12, 6)) < 0.2] = np.nan
    rotations = random_rotations(rng, 12, 6)
    rotations[rng.random((12, 6)) < 0.5] = np.nan
    motion = kma(Points(SIX, positions, 60.0, rotations)).motion
    assert np.isfinite(motion.rotations).all()
    assert LIMITS.violations(motion).max() < 1e-6


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="no compiler")
@pytest.mark.parametrize("rotations", [False, True], ids=["positions", "rotations"])
def test_compiled_and_plain_give_the_same_bits(rotations):
    points = builtin("boxing").frames(slice(0, 40)).points(rotations=rotations)
    fast = KMASolver().prepare(HUMAN)
    one, other = (tracker.solve_clip(points) for tracker in (fast, uncompiled(fast)))
    assert np.array_equal(one.motion.rotations, other.motion.rotations)
    assert np.array_equal(one.motion.root, other.motion.root)
    assert np.array_equal(one.iterations, other.iterations)


# --- real motion ----------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.parametrize("name", PAPER)
def test_errors_are_near_those_of_the_paper(shared_data, name):  # Table 1
    weights, published = PAPER[name]
    clip = sp.load(shared_data / "cmu" / "paper" / f"{name}.bvh")
    result = sp.reconstruct(clip.points(), clip.skeleton, "kma", weights=weights)
    assert sp.compare(result.motion, clip).position_rms == pytest.approx(published, rel=0.25)
    assert result.report.limit_violations == 0
