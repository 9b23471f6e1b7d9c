"""Measures on motions whose answers are known."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from sixpoint.bench.measures import (
    NEARLY_STRAIGHT,
    angular_jerk,
    arm_swivel_errors,
    averages,
    cancelled,
    error_row,
    evaluate,
    growth,
    jerk,
    motion_statistics,
    nearly_straight,
    pelvis_rotation_rate,
    pelvis_steps,
    spine_bends,
    stretch,
)
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.kernels import arrays
from sixpoint.limits import adult_limits
from sixpoint.motion.motion import Motion
from sixpoint.solvers import solver

BODY = Skeleton.humanoid()
ANATOMY = BODY.anatomy
LIMITS = adult_limits(BODY)
RATE = 60.0


def standing(frames: int = 12) -> np.ndarray:
    """Anatomical rotations of the neutral stance, shape (F, J, 4)."""
    return arrays.identity(frames, BODY.joint_count)


def motion_of(turns: np.ndarray) -> Motion:
    return Motion(BODY, np.zeros((len(turns), 3)), ANATOMY.from_anatomical(turns), RATE)


def about(axis: tuple[float, float, float], degrees: float | np.ndarray) -> np.ndarray:
    return arrays.from_axis_angle(axis, np.radians(degrees))


def statistics(turns: np.ndarray) -> SimpleNamespace:
    motion = motion_of(turns)
    return SimpleNamespace(**motion_statistics(motion, LIMITS, nearly_straight(motion)))


def with_bent_arms(turns: np.ndarray, degrees: float = 90.0) -> np.ndarray:
    for side in "lr":
        turns[:, ANATOMY.node(f"{side}_elbow")] = about((1.0, 0.0, 0.0), -degrees)
    return turns


def test_a_statue_has_no_statistics():
    found = statistics(standing())
    assert found.pelvis_flips == found.swivel_jumps == found.steps_over_30deg == 0
    assert found.limit_violations == 0
    assert found.jerk == found.straight_jerk == pytest.approx(0.0, abs=1e-6)
    assert found.clavicle_mean_deg == found.snake_deg == pytest.approx(0.0, abs=1e-6)
    assert math.isnan(found.swivel_jump_max_deg)  # straight limbs show no swivel


def test_jerk_of_a_cubic_is_constant():
    time = np.arange(20) / RATE
    path = np.stack([2.0 * time**3, 0.0 * time, time**2], axis=-1)[:, None]
    assert jerk(path, RATE) == pytest.approx(np.full((17, 1), 12.0), rel=1e-6)


def test_angular_jerk_of_a_cubic_angle_is_constant():
    time = np.arange(20) / RATE
    turns = arrays.from_axis_angle((0.0, 0.6, 0.8), 0.5 * time**3)[:, None]
    assert angular_jerk(turns, RATE) == pytest.approx(np.full((17, 1), 3.0), rel=1e-4)


def test_jerk_near_straight_sees_only_straight_limbs():
    shaken = with_bent_arms(standing(40))
    noise = np.random.default_rng(0).normal(0.0, 3.0, 40)
    shaken[:, ANATOMY.node("l_shoulder")] = about((0.0, 0.0, 1.0), noise)
    assert statistics(shaken).straight_jerk == pytest.approx(0.0, abs=1e-6)
    straight = shaken.copy()
    straight[:, ANATOMY.node("l_elbow")] = arrays.identity()
    assert statistics(straight).straight_jerk > 1e3
    assert statistics(straight).straight_jerk_p95 > 1e3
    assert statistics(straight).jerk > 1.0


def test_a_swivel_jump_is_measured_in_degrees():
    turns = with_bent_arms(standing())
    # Turning the shoulder about the line from shoulder to wrist moves the elbow alone.
    at = motion_of(turns).positions([ANATOMY.node("l_shoulder"), ANATOMY.node("l_wrist")])[0]
    axis = (at[1] - at[0]) / np.linalg.norm(at[1] - at[0])
    turns[6:, ANATOMY.node("l_shoulder")] = about(tuple(axis), 50.0)
    found = statistics(turns)
    assert found.swivel_jump_max_deg == pytest.approx(50.0, abs=0.1)
    assert found.swivel_jumps == 1
    assert found.steps_over_30deg == 1


def test_a_flip_of_the_pelvis_is_no_swivel_jump_and_no_jerk():
    turns = with_bent_arms(standing())
    turns[6:, ANATOMY.node("pelvis")] = about((0.0, 1.0, 0.0), 170.0)
    found = statistics(turns)
    assert found.pelvis_flips == 1
    assert found.swivel_jumps == 0
    assert found.jerk == pytest.approx(0.0, abs=1e-6)
    assert np.degrees(pelvis_steps(motion_of(turns))).round() == pytest.approx(
        [0] * 5 + [170] + [0] * 5
    )


def test_bends_are_measured_about_x_and_z_without_twist():
    forward, side = about((1.0, 0.0, 0.0), 20.0), about((0.0, 0.0, 1.0), -30.0)
    twisted = arrays.multiply(forward, about((0.0, 1.0, 0.0), 40.0))
    bends = np.degrees(spine_bends(np.stack([forward, side, twisted])[None]))[0]
    assert bends == pytest.approx(np.array([[20.0, 0.0], [0.0, -30.0], [20.0, 0.0]]), abs=1e-9)


def test_a_bow_does_not_snake_and_an_s_does():
    spine = list(ANATOMY.spine)
    bow, snake = standing(), standing()
    bow[:, spine] = about((1.0, 0.0, 0.0), 5.0)
    signs = np.where(np.arange(len(spine)) % 2 == 0, 1.0, -1.0)
    snake[:, spine] = about((1.0, 0.0, 0.0), 5.0 * signs)
    assert statistics(bow).snake_deg == pytest.approx(0.0, abs=1e-9)
    assert statistics(bow).spine_bend_deg == pytest.approx(5.0 * len(spine))
    assert statistics(snake).spine_bend_deg == pytest.approx(5.0 * len(spine))
    undone = 5.0 * len(spine) - abs(5.0 * signs.sum())
    assert statistics(snake).snake_deg == pytest.approx(undone)
    assert cancelled(np.zeros((3, 4, 2))) == pytest.approx(np.zeros(3))


def test_bending_near_the_head_is_high():
    low, high = standing(), standing()
    low[:, ANATOMY.spine[0]] = about((1.0, 0.0, 0.0), 10.0)
    high[:, ANATOMY.spine[-1]] = about((1.0, 0.0, 0.0), 10.0)
    assert 0.0 < statistics(low).bend_height < statistics(high).bend_height < 1.0
    assert math.isnan(statistics(standing()).bend_height)


def test_clavicles_are_averaged_over_both_sides():
    turns = standing()
    turns[:, ANATOMY.node("l_clavicle")] = about((0.0, 0.0, 1.0), 12.0)
    assert statistics(turns).clavicle_mean_deg == pytest.approx(6.0)


def test_stretch_is_one_for_straight_limbs_and_the_chord_for_bent_ones():
    assert stretch(motion_of(standing(1))) == pytest.approx(np.ones((1, 4)), abs=1e-3)
    bent = motion_of(with_bent_arms(standing(1)))
    upper, lower = (
        np.linalg.norm(ANATOMY.vector(*(ANATOMY.node(f"l_{part}") for part in pair)))
        for pair in (("shoulder", "elbow"), ("elbow", "wrist"))
    )
    assert stretch(bent)[0, 0] == pytest.approx(
        math.hypot(upper, lower) / (upper + lower), abs=1e-3
    )
    assert (stretch(bent) > NEARLY_STRAIGHT).tolist() == [[False, False, True, True]]


def test_swivel_errors_of_arms_are_averaged_where_known():
    turns = with_bent_arms(standing(4))
    truth = motion_of(turns)
    at = truth.positions([ANATOMY.node("l_shoulder"), ANATOMY.node("l_wrist")])[0]
    axis = tuple((at[1] - at[0]) / np.linalg.norm(at[1] - at[0]))
    turned = turns.copy()
    turned[:, ANATOMY.node("l_shoulder")] = about(axis, 40.0)
    assert np.degrees(arm_swivel_errors(motion_of(turned), truth)) == pytest.approx(
        [20.0] * 4, abs=0.1
    )
    turned[:, ANATOMY.node("r_elbow")] = arrays.identity()  # straight: the other arm counts alone
    assert np.degrees(arm_swivel_errors(motion_of(turned), truth)) == pytest.approx(
        [40.0] * 4, abs=0.1
    )
    straight = motion_of(standing(4))
    assert np.isnan(arm_swivel_errors(straight, straight)).all()


@pytest.mark.parametrize(
    ("curve", "found"),
    [
        ([1.0, 1.0, 1.0, 1.0], 0.0),
        ([1.0, 2.0, 3.0], 1.0),
        ([3.0, 2.0, 1.0], -1.0),
        ([1.0, math.nan, 3.0], 1.0),
        ([2.0], math.nan),
        ([0.0, 0.0], math.nan),
        ([math.nan, math.nan], math.nan),
    ],
)
def test_growth_is_the_rise_over_the_mean(curve, found):
    assert growth(np.array(curve)) == pytest.approx(found, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_pelvis_rotation_rate_of_a_steady_turn(direction):
    turns = standing(240)
    turns[:, ANATOMY.node("pelvis")] = about((0.0, 1.0, 0.0), direction * np.arange(240) * 2.0)
    assert np.degrees(pelvis_rotation_rate(motion_of(turns))) == pytest.approx(
        [2.0 * RATE] * 240, rel=1e-6
    )
    assert pelvis_rotation_rate(motion_of(standing(1))).tolist() == [0.0]


@pytest.mark.parametrize("frames", range(5))
def test_the_shortest_clips_have_statistics_too(frames):
    clip = builtin("squat").frames(slice(0, frames))
    found = motion_statistics(clip, LIMITS, nearly_straight(clip))
    assert math.isnan(found["jerk"]) == (frames < 4)
    assert found["swivel_jumps"] == 0


def test_statistics_do_not_depend_on_where_a_person_stands():
    clip = builtin("boxing").frames(slice(0, 120))
    moved = replace(clip, root=clip.root + np.array([10.0, 1.0, -3.0]))
    one, other = (motion_statistics(m, LIMITS, nearly_straight(m)) for m in (clip, moved))
    assert one["jerk"] == pytest.approx(other["jerk"], rel=1e-6)
    key = "swivel_jump_max_deg"
    assert one[key] == pytest.approx(other[key], abs=1e-6)


def test_rows_merge_by_their_keys():
    row = error_row(*evaluate(solver("sik"), builtin("squat").frames(slice(0, 60, 3))))
    rows = [{"solver": "a", **row}, {"solver": "b", **row}, {"solver": "a", **row}]
    merged = averages(rows, ("solver",), pooled=True)
    assert [m["solver"] for m in merged] == ["a", "b"]
    assert [m["frames"] for m in merged] == [40.0, 20.0]
    unknown = {"roles": {"head": {"position": 0.1, "orientation": None}}, "frames": 1}
    merged = averages([unknown, unknown], (), pooled=True)
    assert merged[0]["roles"] == {"head": {"position": pytest.approx(0.1), "orientation": None}}
