"""Sequential IK frame by frame: the bits of a clip at once, compiled or not."""

from __future__ import annotations

import os

import numpy as np
import pytest

from sixpoint.motion.points import SIX
from sixpoint.solvers import SequentialSolver, solver

from ..bodies import HUMAN, uncompiled
from ..clip_pieces import clip_points, holed

VARIANTS = {
    "default": {},
    "literal": {
        "weights": (0.1, 0.1, 1.0),
        "bend": "previous",
        "spine_mode": "incremental",
        "spine_search": "two-phase",
        "clavicle": "hold",
        "project_previous": False,
    },
    "ours": {
        "swivel": "search",
        "collisions": True,
        "missing": "predict",
        "feet": "level",
    },
}
variants = pytest.mark.parametrize("changed", VARIANTS.values(), ids=VARIANTS.keys())


@variants
@pytest.mark.parametrize("rotations", [False, True], ids=["positions", "rotations"])
def test_streaming_gives_the_bits_of_the_clip(changed, rotations):
    points = holed(clip_points("boxing", 90, rotations))
    whole = solver("sik", **changed).prepare(HUMAN).solve_clip(points)
    tracker = solver("sik", **changed).prepare(HUMAN, rate=points.rate)
    for k in range(len(points)):
        solution = tracker.solve(points.frames(slice(k, k + 1)))
        assert np.array_equal(solution.pose.rotations, whole.motion.rotations[k])
        assert np.array_equal(solution.pose.root, whole.motion.root[k])
        assert np.array_equal(solution.residuals, whole.residuals[k], equal_nan=True)
        assert solution.iterations == whole.iterations[k]
        assert solution.missing == tuple(np.array(SIX)[whole.missing[k]])


def test_arrays_and_points_give_the_same():
    points = clip_points(count=10)
    a, b = (SequentialSolver().prepare(HUMAN) for _ in range(2))
    for k, frame in enumerate(points.positions):
        one, other = a.solve(frame), b.solve(points.frames(slice(k, k + 1)))
        assert np.array_equal(one.pose.rotations, other.pose.rotations)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="no compiler")
@variants
def test_compiled_and_plain_give_the_same_bits(changed):
    points = holed(clip_points("boxing", 40, rotations=True), seed=2)
    tracker = solver("sik", **changed).prepare(HUMAN)
    fast, plain = tracker.solve_clip(points), uncompiled(tracker).solve_clip(points)
    assert np.array_equal(plain.motion.rotations, fast.motion.rotations)
    assert np.array_equal(plain.motion.root, fast.motion.root)
    assert np.array_equal(plain.residuals, fast.residuals, equal_nan=True)


def test_warm_up_leaves_no_trace():
    points = clip_points(count=3)
    warm, cold = (SequentialSolver(weights=(0.1, 0.1, 1.0)).prepare(HUMAN) for _ in range(2))
    warm.warm_up()
    for frame in points.positions:
        assert np.array_equal(warm.solve(frame).pose.rotations, cold.solve(frame).pose.rotations)


def test_a_clip_does_not_disturb_the_stream():
    points = clip_points(count=20)
    disturbed, alone = (SequentialSolver(weights=(0.1, 0.1, 1.0)).prepare(HUMAN) for _ in range(2))
    for k, frame in enumerate(points.positions):
        if k == 10:
            disturbed.solve_clip(clip_points("walk", 20))
        assert np.array_equal(
            disturbed.solve(frame).pose.rotations, alone.solve(frame).pose.rotations
        )


def test_order_of_the_points_does_not_matter():
    names = SIX[::-1]
    tracker, usual = (SequentialSolver().prepare(HUMAN, names=n) for n in (names, SIX))
    assert tracker.names == names
    for frame in clip_points("overhead", 100).positions[::10]:
        here, there = tracker.solve(frame[::-1]), usual.solve(frame)
        assert np.array_equal(here.pose.rotations, there.pose.rotations)
        assert np.array_equal(here.residuals[::-1], there.residuals)
