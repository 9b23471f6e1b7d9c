"""A body of which the guided solver sees only head and hands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import adult_limits
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import GuidedSolver, Result, solver

from ..bodies import PAPER, largest_step

PELVIS, HEAD, LEFT, RIGHT = range(4)
RATE = 60.0
X = np.array([1.0, 0.0, 0.0])


def follow(points, skeleton, name="guided") -> Result:
    """A person as a solver sees the points: `sp.reconstruct` would let feet stand for some."""
    return solver(name).prepare(skeleton, rate=points.rate, names=points.names).solve_clip(points)


def seen_by_headset(clip, *, looking=False):
    """Head and hands of a clip, with or without how the head is turned."""
    points = clip.points(rotations=True)
    positions, rotations = points.positions.copy(), np.full_like(points.rotations, np.nan)
    positions[:, [PELVIS, 4, 5]] = np.nan
    rotations[:, HEAD] = points.rotations[:, HEAD]
    return Points(SIX, positions, clip.rate, rotations if looking else None)


def standing_with(hands):
    """A person who stands still and moves the hands: places from the shoulders, in arms' lengths.

    Takes (F, 2, 3), left and right; X is to the left, Z to the front.
    """
    skeleton = builtin("reach").skeleton
    anatomy = skeleton.anatomy
    clip = builtin("squat").frames(slice(0, 1))
    at = clip.positions([anatomy.node(f"{s}_{j}") for j in ("shoulder", "elbow", "wrist")
                         for s in "lr"])[0]  # fmt: skip
    arm = np.linalg.norm(at[2] - at[0]) + np.linalg.norm(at[4] - at[2])
    frames = np.repeat(clip.points().positions, len(hands), axis=0)
    frames[:, [PELVIS, 4, 5]] = np.nan
    frames[:, [LEFT, RIGHT]] = at[:2] + arm * hands
    return skeleton, Points(SIX, frames, RATE)


def mirrored(left):
    return np.stack([left, left * (-1.0, 1.0, 1.0)], axis=1)


def turns(count, first=0.0, last=2.0 * np.pi):
    return np.linspace(first, last, count)


def circle_overhead(count):
    """Straight arms go up in front, over the head, and down again at the sides."""
    t = 0.5 * np.pi * (1.0 - np.cos(turns(count)))
    aside = np.where(turns(count) < np.pi, 0.15, 0.15 + np.sin(t))
    place = np.stack([aside, -np.cos(t), np.sin(t)], axis=1)
    return mirrored(0.93 * place / np.linalg.norm(place, axis=1, keepdims=True))


def jumping_jack(count):
    t = 0.5 * np.pi * (1.0 - np.cos(turns(count, last=6.0 * np.pi)))
    place = np.stack([np.sin(t) + 0.1, -np.cos(t), 0.1 + 0.0 * t], axis=1)
    return mirrored(0.93 * place / np.linalg.norm(place, axis=1, keepdims=True))


def clap_behind(count):
    """From a clap before the body round to one behind the back, at the height of the hips."""
    t = np.pi * np.abs(np.sin(0.5 * turns(count)))
    place = np.stack([0.75 * np.sin(t) - 0.2, -0.55 + 0.0 * t, 0.45 * np.cos(t)], axis=1)
    return mirrored(place)


def wave_high(count):
    """One hand waves over the head, the other hangs."""
    t = turns(count, last=8.0 * np.pi)
    rise = np.minimum(turns(count, last=6.0), 1.0)
    left = np.stack([0.3 * np.sin(t), -0.9 + 1.6 * rise, 0.2 + 0.0 * t], axis=1)
    right = np.tile([-0.05, -0.93, 0.05], (count, 1))
    return np.stack([left, right], axis=1)


def swim(count):
    """A backstroke: straight arms circle beside the body, one half a turn after the other."""
    t = turns(count, last=4.0 * np.pi)
    arms = []
    for side, phase in ((1.0, 0.0), (-1.0, np.pi)):
        a = t + phase
        reach = np.stack([0.0 * a + 0.35 * side, -np.cos(a), 0.55 * np.sin(a) + 0.2], axis=1)
        arms.append(0.9 * reach / np.linalg.norm(reach, axis=1, keepdims=True))
    return np.stack(arms, axis=1)


def windmill(count):
    """One hand high, the other low across the body, and the reverse."""
    t = turns(count, last=4.0 * np.pi)
    high, low = np.array([0.35, 0.75, 0.25]), np.array([-0.35, -0.65, 0.45])
    part = 0.5 - 0.5 * np.cos(t)[:, None]
    left = (1.0 - part) * high + part * low + np.sin(part * np.pi) * (0.45, 0.0, 0.2)
    part = 1.0 - part
    right = (1.0 - part) * high + part * low + np.sin(part * np.pi) * (0.45, 0.0, 0.2)
    return np.stack([left, right * (-1.0, 1.0, 1.0)], axis=1)


def reach_far(towards):
    """The left hand goes further than a stiff body's arm is long, and comes back."""

    def move(count):
        part = 0.5 - 0.5 * np.cos(turns(count))[:, None]
        hang = np.array([0.1, -0.9, 0.1])
        far = np.array(towards)
        left = (1.0 - part) * hang + part * far + np.sin(part * np.pi) * (0.0, 0.0, 0.2)
        right = np.tile([-0.1, -0.9, 0.1], (count, 1))
        return np.stack([left, right], axis=1)

    return move


FAR = {
    "down": (0.15, -1.08, 0.1),
    "back": (0.1, -0.4, -1.05),
    "aside": (1.06, -0.2, 0.1),
    "front": (-0.2, 0.1, 1.2),
    "across": (-0.9, 0.0, 0.6),
}
MOVES = [circle_overhead, jumping_jack, clap_behind, wave_high, swim, windmill]


@pytest.mark.parametrize("move", MOVES)
def test_hands_that_swing_overhead_or_behind_toss_nothing(move):
    skeleton, points = standing_with(move(360))
    result = follow(points, skeleton)
    assert largest_step(result.motion) < np.radians(30.0)
    assert np.nanmax(result.residuals) < 0.005
    assert result.report.limit_violations == 0
    left = arrays.rotate(result.motion.points(rotations=True).rotations[:, PELVIS], X)
    assert (left[:, 0] > 0.7).all()  # nobody turns round for it


@pytest.mark.parametrize("towards", FAR.values(), ids=FAR)
def test_a_body_bends_and_turns_for_a_hand_that_is_far(towards):
    skeleton, points = standing_with(reach_far(towards)(240))
    result = follow(points, skeleton)
    assert np.nanmax(result.residuals) < 0.005
    assert largest_step(result.motion) < np.radians(30.0)
    assert result.report.limit_violations == 0


def test_a_head_at_standing_height_is_that_of_a_body_that_stands():
    clip = builtin("squat").frames(slice(0, 1))
    seen = seen_by_headset(clip)
    still = np.repeat(seen.positions, 120, axis=0)
    motion = follow(replace(seen, positions=still), clip.skeleton).motion
    truth = clip.points().positions[0]
    at = motion.points().positions
    assert np.abs(at[:, PELVIS] - truth[PELVIS]).max() < 0.06
    assert np.abs(at[:, 4:, 1] - truth[4:, 1]).max() < 0.03


def test_a_head_whose_rotation_is_known_shows_more_of_the_body():
    errors = np.zeros(2)
    for name in ("walk", "reach", "boxing", "overhead"):
        clip = builtin(name)
        for looking in (False, True):
            result = follow(seen_by_headset(clip, looking=looking), clip.skeleton)
            assert result.report.limit_violations == 0
            errors[int(looking)] += sp.compare(result.motion, clip).position_rms
    assert errors[1] < errors[0]


def test_a_body_faces_between_where_its_head_looks_and_its_hands_are():
    clip = builtin("squat").frames(slice(0, 1))
    seen = seen_by_headset(clip, looking=True)
    aside = arrays.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(60.0))
    rotations = np.repeat(seen.rotations, 240, axis=0)
    rotations[:, HEAD] = arrays.multiply(aside, rotations[:, HEAD])
    positions = np.repeat(seen.positions, 240, axis=0)
    looks = Points(SIX, positions, RATE, rotations)
    motion = follow(looks, clip.skeleton).motion
    left = arrays.rotate(motion.points(rotations=True).rotations[-1, PELVIS], X)
    turned = np.degrees(np.arctan2(-left[2], left[0]))
    assert 10.0 < turned < 50.0


def test_a_known_head_is_streamed_like_a_clip():
    clip = builtin("boxing").frames(slice(0, 90))
    seen = seen_by_headset(clip, looking=True)
    tracker = GuidedSolver().prepare(
        clip.skeleton, rate=clip.rate, limits=adult_limits(clip.skeleton)
    )
    whole = tracker.solve_clip(seen).motion
    for k in range(90):
        pose = tracker.solve(seen.frames(slice(k, k + 1))).pose
        np.testing.assert_array_equal(pose.rotations, whole.rotations[k])


@pytest.mark.data
def test_head_and_hands_of_a_fighter_are_met(shared_data):
    """A pelvis that stayed upright below the head missed a wrist by 92 mm here."""
    clip = sp.load(shared_data / "cmu" / "paper" / "90_05_jump_kick.bvh")
    result = follow(seen_by_headset(clip), clip.skeleton)
    assert (np.nan_to_num(result.residuals).max(axis=1) > 0.005).mean() < 0.02
    assert largest_step(result.motion) < np.radians(30.0)


@pytest.mark.parametrize("name", ["squat", "walk", "reach"])
def test_head_and_hands_alone_give_a_body_on_its_feet(name):
    clip = builtin(name)
    positions = clip.points().positions.copy()
    positions[:, [0, 4, 5]] = np.nan
    result = follow(Points(SIX, positions, clip.rate), clip.skeleton)
    at = result.motion.points().positions
    truth = clip.points().positions
    assert np.abs(at[:, 1:4] - positions[:, 1:4]).max() < 0.02
    assert largest_step(result.motion) < np.radians(30.0)
    ankles = at[:, 4:, 1]
    assert ankles.max() - ankles.min() < 0.15  # it stays on the ground, more or less
    assert np.abs(ankles.mean() - truth[0, 4:, 1].mean()) < 0.05
    assert (at[:, 0, 1] > ankles.max() + 0.1).all()
    upright = at[:, 1] - at[:, 0]
    assert (upright[:, 1] > 0.5 * np.linalg.norm(upright, axis=1)).all()


def test_a_squat_seen_by_head_and_hands_bends_the_knees():
    clip = builtin("squat")
    positions = clip.points().positions.copy()
    positions[:, [0, 4, 5]] = np.nan
    motion = follow(Points(SIX, positions, clip.rate), clip.skeleton).motion
    pelvis = motion.points().positions[:, 0, 1]
    truth = clip.points().positions[:, 0, 1]
    assert np.abs(pelvis - truth).max() < 0.1
    assert np.corrcoef(pelvis, truth)[0, 1] > 0.98


def across_hips(motion):
    anatomy = motion.skeleton.anatomy
    left, right = np.swapaxes(
        motion.positions([anatomy.node("l_hip"), anatomy.node("r_hip")]), 0, 1
    )
    return left - right


def test_hands_that_cross_do_not_turn_a_body_of_head_and_hands():
    clip = builtin("reach").frames(slice(0, 1))
    points = clip.points().positions[0]
    head = points[1]
    frames = np.repeat(points[None], 240, axis=0)
    frames[:, [0, 4, 5]] = np.nan
    # Forearms cross: a hand's breadth past each other, twice.
    apart = 0.085 + 0.165 * np.cos(np.linspace(0.0, 4.0 * np.pi, 240))
    for p, sign in ((2, 1.0), (3, -1.0)):
        frames[:, p] = head + np.stack(
            [sign * apart, np.full(240, -0.4), np.full(240, 0.35)], axis=1
        )
    motion = follow(Points(SIX, frames, 60.0), clip.skeleton).motion
    left = across_hips(motion)
    assert (left[:, 0] > 0.5 * np.linalg.norm(left, axis=1)).all()
    assert largest_step(motion) < np.radians(30.0)


def test_a_jump_is_no_new_ground():
    clip = builtin("squat")
    seen = seen_by_headset(clip)
    still = np.repeat(seen.positions[:1], 300, axis=0)
    flight = np.linspace(-1.0, 1.0, 36)
    still[60:96, :, 1] += 0.4 * (1.0 - flight**2)[:, None]
    motion = follow(replace(seen, positions=still), clip.skeleton).motion
    at = motion.points().positions
    assert at[78, 4:, 1].min() > at[0, 4:, 1].max() + 0.3  # feet leave the ground
    assert np.abs(at[100:] - at[0]).max() < 0.03  # and come back to it
    assert largest_step(motion) < np.radians(30.0)


@pytest.mark.parametrize(("first", "last"), [(100, 160), (200, 202), (150, 390)])
def test_a_body_comes_to_stand_and_back_without_a_pop(first, last):
    clip = builtin("walk")
    points = clip.points()
    positions = points.positions.copy()
    positions[first:last, [0, 4, 5]] = np.nan
    motion = follow(replace(points, positions=positions), clip.skeleton)
    speed = np.linalg.norm(np.diff(motion.motion.points().positions, axis=0), axis=-1)
    usual = np.linalg.norm(np.diff(points.positions, axis=0), axis=-1)
    assert speed.max() < 2.5 * usual.max()


def test_a_body_of_which_nothing_is_seen_stays_where_it_is():
    clip = builtin("walk")
    still = clip.points().positions[0]
    tracker = GuidedSolver().prepare(clip.skeleton, rate=RATE)
    before = [tracker.solve(still) for _ in range(3)][-1].pose
    for _ in range(120):
        after = tracker.solve(np.full_like(still, np.nan)).pose
    np.testing.assert_array_equal(after.root, before.root)
    np.testing.assert_allclose(after.rotations, before.rotations, atol=1e-12)


@pytest.mark.parametrize("start", [100, 140, 180, 220])
def test_a_body_whose_hands_are_lost_for_a_moment_keeps_its_front(start):
    clip = builtin("walk")
    points = clip.points().positions.copy()
    points[start : start + 45, [LEFT, RIGHT]] = np.nan
    found = follow(Points(SIX, points, clip.rate), clip.skeleton).motion
    away = arrays.angle_between(found.rotations[:, 0], clip.rotations[:, 0])
    # The ankles of somebody who walks swing, and the front with them.
    assert away.max() < np.radians(90.0)
    assert largest_step(found) < np.radians(45.0)


def test_points_that_were_never_tracked_may_be_absent():
    clip = builtin("walk")
    names = ("r_wrist", "head", "l_wrist")
    points = clip.points().select(names)
    absent = follow(points, clip.skeleton)
    padded = follow(seen_by_headset(clip), clip.skeleton)
    np.testing.assert_array_equal(absent.motion.rotations, padded.motion.rotations)
    assert absent.residuals.shape == (len(clip), 3)
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate, names=names)
    streamed = [tracker.solve(frame).pose.rotations for frame in points.positions[:40]]
    np.testing.assert_array_equal(streamed, padded.motion.rotations[:40])
    with pytest.raises(InputError, match="Expected at least one of the points pelvis, head"):
        GuidedSolver().prepare(clip.skeleton, names=("nose",))
    for name in ("sik", "tgbsik"):
        with pytest.raises(InputError, match="Expected the six points"):
            follow(points, clip.skeleton, name)


def test_head_and_hands_are_streamed_like_a_clip():
    clip = builtin("boxing").frames(slice(0, 120))
    seen = seen_by_headset(clip)
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    whole = tracker.solve_clip(seen).motion
    for k, frame in enumerate(seen.positions):
        np.testing.assert_array_equal(tracker.solve(frame).pose.rotations, whole.rotations[k])


@pytest.mark.data
@pytest.mark.parametrize("name", PAPER)
def test_head_and_hands_alone_are_followed_through_quick_motion(shared_data, name):
    clip = sp.load(shared_data / "cmu" / "paper" / f"{name}.bvh")
    seen = seen_by_headset(clip)
    result = follow(seen, clip.skeleton)
    assert result.report.limit_violations == 0
    assert largest_step(result.motion) < np.radians(35.0)
    plain = follow(seen, clip.skeleton, "sik").motion
    assert sp.compare(result.motion, clip).position_rms < sp.compare(plain, clip).position_rms
