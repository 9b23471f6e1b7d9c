"""The analytic upper body: its closed forms, its claims, and hands that cross."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.kernels.rotation import rotation_between
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import AnalyticUpperSolver, Result
from sixpoint.solvers.sequential.tgb import (
    HALF_RANGE,
    MID_RANGE,
    MIDDLE,
    SwivelCost,
    range_cost,
    swivel_search,
    swivelled,
    tgb_limb,
)
from sixpoint.vision.synthetic.scenes import scene

BODY = sp.Skeleton.humanoid(1.75)
WRISTS = slice(2, 4)


def solved(points: Points, limits: str | None = "adult", **settings) -> Result:
    solver = AnalyticUpperSolver(**settings)
    return solver.prepare(BODY, limits=limits, rate=points.rate).solve_clip(points)


def trunk_frame(motion: sp.Motion) -> tuple[np.ndarray, np.ndarray]:
    """Direction from pelvis to head, and the pelvis's X (F, 3)."""
    at = motion.points(["pelvis", "head"]).positions
    line = at[:, 1] - at[:, 0]
    side = arrays.rotate(motion.rotations[:, 0], np.array([1.0, 0, 0]))
    return line / np.linalg.norm(line, axis=1, keepdims=True), side


def test_the_trunk_lies_along_its_axes_and_the_head_is_exact():
    points = scene("box").points()
    motion = solved(points).motion
    head, pelvis = points.positions[:, 1], points.positions[:, 0]
    line, side = trunk_frame(motion)
    wanted = (head - pelvis) / np.linalg.norm(head - pelvis, axis=1, keepdims=True)
    np.testing.assert_allclose(line, wanted, atol=1e-9)
    np.testing.assert_allclose(motion.points(["head"]).positions[:, 0], head, atol=1e-9)
    hands = points.positions[:, 2] - points.positions[:, 3]
    flat = hands * (1, 0, 1)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    for f in range(1, len(points)):
        mean = 0.5 * flat[f] + 0.5 * side[f - 1]
        across = mean - (mean @ wanted[f]) * wanted[f]
        np.testing.assert_allclose(side[f], across / np.linalg.norm(across), atol=1e-9)


def test_the_three_moves_in_their_order_end_where_the_one_does():  # Fig. 7b
    points = scene("box").points()
    motion = solved(points).motion
    chord = BODY.anatomy.vector(BODY.anatomy.node("pelvis"), BODY.anatomy.node("head"))
    before, after = (arrays.normalize(motion.rotations[f, 0]) for f in (40, 60))
    line, side = trunk_frame(motion)
    was = arrays.rotate(before, chord / np.linalg.norm(chord))
    first = np.array(rotation_between(tuple(was), tuple(line[60]), (1.0, 0.0, 0.0)))
    turned = arrays.multiply(first, before)  # one: along L
    x = arrays.rotate(turned, np.array([1.0, 0, 0]))
    angle = np.arctan2(np.cross(x, side[60]) @ line[60], x @ side[60])
    turned = arrays.multiply(arrays.from_axis_angle(line[60], angle), turned)  # two: about L
    assert arrays.angle_between(turned, after) < 1e-7


def test_wrists_are_exact_within_reach_and_lengths_never_change():
    points = scene("box").points()
    result = solved(points, limits=None)
    reachable = ~result.unreachable[:, WRISTS]
    assert result.residuals[:, WRISTS][reachable].max() < 1e-9
    assert result.residuals[:, WRISTS][~reachable].size < 20
    arm = result.motion.points(["l_shoulder", "l_elbow", "l_wrist"]).positions
    bones = np.linalg.norm(np.diff(arm, axis=1), axis=-1)
    assert np.ptp(bones, axis=0).max() < 1e-12


def test_the_swivel_is_the_best_of_a_dense_search():
    rng = np.random.default_rng(8)
    for side in (1.0, -1.0):
        for _ in range(10):
            aim = rng.normal(size=3)
            aim = tuple((aim / np.linalg.norm(aim) * rng.uniform(0.25, 0.5)).tolist())
            n = tuple(np.array(aim) / np.linalg.norm(aim))
            u = np.cross(n, (0.3, 0.5, 0.8))
            turn, _ = tgb_limb(0.3, 0.25, 1.0, aim, tuple(u / np.linalg.norm(u)))
            phi = swivel_search(turn, n, SwivelCost(MID_RANGE, 1.0, 0.0, 0.0), side, 0.0)
            dense = min(range_cost(swivelled(turn, n, a), side)
                        for a in np.arange(-np.pi, np.pi, 0.002))  # fmt: skip
            assert range_cost(swivelled(turn, n, phi), side) <= dense + 0.01
    assert range_cost((1.0, 0.0, 0.0, 0.0), 1.0) == pytest.approx(
        sum((m / h) ** 2 for m, h in zip(MIDDLE, HALF_RANGE, strict=True))
    )


def leaning(frames: int = 20) -> Points:
    """Somebody who leans to the left by 35 degrees and reaches as far as the arm goes."""
    still = sp.Motion(BODY, BODY.rest()[0][:1], arrays.identity(1, BODY.joint_count), 30.0)
    roles = (*SIX, "l_shoulder")
    stance = still.points(roles).positions[0]
    out = np.empty((frames, len(SIX), 3))
    for f, part in enumerate(np.linspace(0.0, 1.0, frames)):
        turn = arrays.from_axis_angle(np.array([0.0, 0, 1.0]), -np.radians(35.0) * part)
        tilted = stance[0] + arrays.rotate(turn, stance - stance[0])
        out[f] = stance[: len(SIX)]
        out[f, 1] = tilted[1]
        out[f, 2] = (1.0 - part) * stance[2] + part * (tilted[6] + np.array([0.57, 0.0, 0.0]))
    return Points(SIX, out, 30.0)


def test_without_trunk_control_far_hands_are_missed():  # Fig. 12
    free, stiff = (solved(leaning(), limits=None, trunk=trunk) for trunk in (True, False))
    assert stiff.residuals[-1, 2] > 0.1
    assert free.residuals[-1, 2] < 0.02


def trunk_yaw(motion: sp.Motion) -> np.ndarray:
    """Where the shoulders face, (F,) [degrees]."""
    at = motion.points(["l_shoulder", "r_shoulder"]).positions
    line = at[:, 0] - at[:, 1]
    return np.degrees(np.arctan2(-line[:, 2], line[:, 0]))


@pytest.mark.parametrize("limits", ["adult", None])
@pytest.mark.parametrize("feet", [True, False])
def test_crossing_hands_are_met_and_do_not_turn_the_trunk_round(limits, feet):
    points = scene("crossing").points()
    places = points.positions.copy()
    if not feet:
        places[:, 4:] = np.nan
    result = solved(Points(SIX, places, 30.0), limits)
    assert not result.unreachable[:, WRISTS].any()
    assert result.residuals[:, WRISTS].max() < 1e-6
    assert np.abs(trunk_yaw(result.motion)).max() < 60.0  # the plain mean: 152
    assert np.abs(trunk_yaw(result.motion)[-10:]).max() < 5.0  # and it comes back


def test_a_person_who_turns_is_followed():
    frames = np.empty((150, 6, 3))
    stance = scene("calibration").points().positions[0]
    for f in range(150):  # half a turn in three seconds, then still
        angle = np.pi * min(f / 90.0, 1.0)
        frames[f] = arrays.rotate(arrays.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle), stance)
    motion = solved(Points(SIX, frames, 30.0)).motion
    assert abs(trunk_yaw(motion)[-1]) > 175.0


def test_hands_at_one_place_say_nothing():
    stance = scene("calibration").points().positions[0].copy()
    stance[3] = stance[2]
    tracker = AnalyticUpperSolver().prepare(BODY)
    for _ in range(3):
        assert np.isfinite(tracker.solve(stance).pose.rotations).all()


def test_trunk_and_arms_need_no_ankles():
    points = scene("gestures").points()
    places = points.positions.copy()
    places[:, 4:] = np.nan
    result = solved(Points(SIX, places, 30.0), limits=None)
    assert np.nanmax(result.residuals[:, 1:4][~result.unreachable[:, 2]]) < 0.05


def test_senseless_settings_are_refused():
    with pytest.raises(InputError, match=r"`hands` in \[0, 1\], got 2"):
        AnalyticUpperSolver(hands=2.0)
