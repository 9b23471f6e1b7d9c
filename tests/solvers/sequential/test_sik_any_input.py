"""Sequential IK of any points: always a body, within its limits."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from oracles import assert_same_rotation
from rigs import random_rotations
from sixpoint.kernels import arrays
from sixpoint.limits import adult_limits
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import SequentialSolver, Solution, Tracker, solver

from ..bodies import HUMAN, standing
from ..clip_pieces import HEAD, L_ANKLE, L_WRIST, LIMBS, PELVIS, R_ANKLE, R_WRIST, clip_points

LIMITS = adult_limits(HUMAN)
PAIRS = ((PELVIS, HEAD), (L_WRIST, R_WRIST), (L_ANKLE, R_ANKLE))


each_limits = pytest.mark.parametrize("limited", [False, True], ids=["free", "limited"])


@cache
def tracker(limited: bool) -> Tracker:
    return SequentialSolver().prepare(HUMAN, limits="adult" if limited else None)


def solved(frame: np.ndarray, limited: bool = False) -> Solution:
    tracker(limited).reset()
    return tracker(limited).solve(frame)


def assert_sound(solution: Solution, limited: bool = False) -> None:
    pose = solution.pose
    assert np.isfinite(pose.root).all()
    assert np.abs(np.linalg.norm(pose.rotations, axis=-1) - 1.0).max() < 1e-9
    if limited:
        motion = Motion(HUMAN, pose.root[None], pose.rotations[None], 60.0)
        assert LIMITS.violations(motion).max() < 1e-6


seeds = st.integers(0, 2**32 - 1)
sizes = st.sampled_from([0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.3, 1.0, 10.0, 1e4, 1e8])


@given(seeds, sizes)
def test_any_cloud_of_points_gives_a_body(seed, size):
    frame = size * np.random.default_rng(seed).normal(size=(6, 3))
    for limited in (False, True):
        assert_sound(solved(frame, limited), limited)


@given(seeds, st.floats(0.05, 0.8))
def test_poses_of_the_same_body_are_met(seed, size):
    rng = np.random.default_rng(seed)
    turned = random_rotations(rng, HUMAN.joint_count, size=size)
    motion = Motion(HUMAN, rng.normal(size=(1, 3)), turned[None], 60.0)
    result = tracker(False).solve_clip(motion.points())
    reached = ~result.unreachable[0, LIMBS]
    assert result.residuals[0, LIMBS][reached].max(initial=0.0) < 1e-6
    assert not result.limited.any()
    # Out of reach: the limb is straight, so the miss is what is missing.
    assert np.isfinite(result.residuals).all()


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3), st.sampled_from([0.0, 1e-12, 1e-7, 1e-3]))
def test_all_six_at_one_place(place, jitter):
    frame = np.tile(place, (6, 1)) + jitter * np.random.default_rng(0).normal(size=(6, 3))
    for limited in (False, True):
        solution = solved(frame, limited)
        assert_sound(solution, limited)
        assert np.linalg.norm(solution.pose.root - place) < 1.0


@each_limits
@pytest.mark.parametrize("pair", PAIRS)
def test_two_points_at_one_place(pair, limited):
    frame = standing()
    frame[pair[1]] = frame[pair[0]]
    assert_sound(solved(frame, limited), limited)


@each_limits
@pytest.mark.parametrize("pair", PAIRS)
def test_two_points_swapped(pair, limited):
    frame = standing()
    frame[list(pair)] = frame[list(pair)[::-1]]
    assert_sound(solved(frame, limited), limited)


def test_wrists_and_ankles_swapped_is_a_body_turned_round():
    frame = standing()
    turned = frame[[0, 1, 3, 2, 5, 4]]
    rotation = solved(turned).pose.rotations[0]
    assert arrays.rotate(rotation, np.array((0.0, 0.0, 1.0)))[2] < -0.9


@pytest.mark.parametrize("place", [1e3, 1e6, 1e8])
def test_far_from_the_origin(place):
    frame = clip_points(count=1).positions[0]  # on guard: no limb is straight
    there, here = (solved(frame + shift) for shift in (np.array((place, 0.0, -place)), 0.0))
    assert_sound(there)
    last_bit = np.spacing(place)
    assert there.residuals == pytest.approx(here.residuals, abs=10.0 * last_bit)
    assert_same_rotation(there.pose.rotations, here.pose.rotations, atol=1e3 * last_bit)


@effort(max_examples=30)
@given(seeds, st.sampled_from(["frames", "swivel", "weights"]))
def test_any_stream_gives_bodies(seed, option):
    changed = {
        "frames": {"bend": "previous", "spine_mode": "incremental", "clavicle": "hold"},
        "swivel": {"swivel": "search", "collisions": True},
        "weights": {"weights": (0.0, 0.0, 1.0), "missing": "predict"},
    }[option]
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(12, 6, 3)) * 10.0 ** rng.uniform(-3, 1, (12, 1, 1))
    positions[rng.random((12, 6)) < 0.2] = np.nan
    rotations = random_rotations(rng, 12, 6)
    rotations[rng.random((12, 6)) < 0.5] = np.nan
    result = (
        solver("sik", **changed).prepare(HUMAN).solve_clip(Points(SIX, positions, 60.0, rotations))
    )
    assert np.isfinite(result.motion.rotations).all()
    assert LIMITS.violations(result.motion).max() < 1e-6
