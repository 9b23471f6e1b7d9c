"""Points that are not seen: held with the body, brought back without a pop, and reported."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from sixpoint.data.clips import builtin
from sixpoint.kernels import arrays
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import SequentialSolver
from sixpoint.solvers.context import MISSING, RECOVERING
from sixpoint.solvers.people.plan import PREDICTION_TIME, is_place

from ..bodies import HUMAN, NOT_SEEN, Plain, angle, human, standing

PELVIS, HEAD, L_WRIST, R_WRIST, L_ANKLE, R_ANKLE = range(6)
ALL = frozenset(range(6))
each_point = pytest.mark.parametrize("lost", range(6), ids=SIX)


def facing(body: Plain) -> np.ndarray:
    """X axis of the pelvis as it was estimated."""
    return body.state.left.copy()


def without(frame, *lost):
    frame = np.array(frame)
    frame[list(lost)] = np.nan
    return frame


def walking(frames, step=(0.0, 0.0, 0.02)):
    """The standing figure pushed along, hands a little in front."""
    start = standing((0.0, 0.9, 0.0))
    start[[L_WRIST, R_WRIST]] += ((0.0, 0.2, 0.15), (0.0, 0.1, 0.2))
    return start + np.arange(frames)[:, None, None] * np.array(step)


def turning(frames, degrees=0.5):
    """The same figure turning on the spot to the left."""
    turns = arrays.from_axis_angle((0.0, 1.0, 0.0), np.radians(degrees) * np.arange(frames))
    return arrays.rotate(turns[:, None], walking(1)[0] * np.ones((frames, 1, 1)))


# --- what counts as seen --------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, -1e12])
@pytest.mark.parametrize("axis", range(3))
def test_a_place_is_finite_and_on_earth(bad, axis):
    place = [1.0, -2.0, 1e8]
    assert is_place(tuple(place))
    place[axis] = bad
    assert not is_place(tuple(place))


@each_point
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_bad_coordinate_is_enough(lost, bad):
    body = Plain().solve(walking(1)[0])
    frame = walking(2)[1]
    frame[lost, 1] = bad
    body.solve(frame)
    assert body.flags & (0x3F * MISSING) == MISSING << lost
    assert np.isnan(body.out.residuals[0, lost])
    assert np.isfinite(body.out.rotations).all()
    assert np.isfinite(body.used).all()


# --- holding --------------------------------------------------------------------------------------


@each_point
def test_a_lost_point_moves_with_the_body(lost):
    frames = walking(40)
    body = Plain()
    for k, frame in enumerate(frames):
        body.solve(frame if k < 10 else without(frame, lost))
        # The pelvis slowly turns to the line that is left, and takes the guess along.
        assert body.used == pytest.approx(frame, abs=0.01)


@pytest.mark.parametrize("lost", [(L_WRIST,), (R_ANKLE,), (L_WRIST, R_WRIST), (L_ANKLE, R_ANKLE)])
def test_a_lost_point_turns_with_the_body(lost):
    frames = turning(360)  # half a turn in six seconds
    body = Plain()
    for k, frame in enumerate(frames):
        body.solve(frame if k < 1 else without(frame, *lost))
    # It follows in about a second; left behind, it would be on the other side of the body.
    place, truth, before = (frame[list(lost)] for frame in (body.used, frames[-1], frames[0]))
    gap, way = (np.linalg.norm(truth - other, axis=-1).max() for other in (place, before))
    assert gap < 0.6 * way


def test_a_lost_pelvis_goes_where_the_head_goes():
    frames = walking(20)
    body = Plain().solve(frames[0])
    for frame in frames[1:]:
        body.solve(without(frame, PELVIS, *range(2, 6)))
        assert body.used == pytest.approx(frame, abs=1e-9)


def test_a_lost_pelvis_and_head_go_with_the_rest():
    frames = walking(20)
    body = Plain().solve(frames[0])
    for frame in frames[1:]:
        body.solve(without(frame, PELVIS, HEAD, L_WRIST))
        assert body.used == pytest.approx(frame, abs=0.01)


def test_nothing_seen_keeps_the_pose():
    body = Plain().solve(walking(1)[0])
    pose = body.out.rotations.copy()
    for _ in range(100):
        body.solve(np.full((6, 3), np.nan))
    assert body.used == pytest.approx(walking(1)[0], abs=1e-12)
    assert body.out.rotations == pytest.approx(pose, abs=1e-12)
    assert np.isnan(body.out.residuals).all()


# --- the first frame ------------------------------------------------------------------------------


@each_point
def test_first_frame_takes_a_lost_point_from_the_neutral_stance(lost):
    frame = standing((1.0, 0.9, 2.0))
    body = Plain().solve(without(frame, lost))
    assert np.linalg.norm(body.used - frame, axis=-1).max() < 0.02
    assert body.flags & (0x3F * MISSING) == MISSING << lost


@pytest.mark.parametrize("degrees", [0, 45, 90, 135, 180, -90])
@pytest.mark.parametrize(
    "lost", [(L_WRIST,), (R_ANKLE,), (L_WRIST, R_WRIST), (HEAD, L_ANKLE), (PELVIS, R_WRIST)]
)
def test_first_frame_may_face_anywhere(degrees, lost):
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), np.radians(degrees))
    frame = arrays.rotate(turn, standing()) + np.array((3.0, 0.9, 1.0))
    body = Plain().solve(without(frame, *lost))
    # Neutral seen from the pelvis; its tilt is a guess, so a few centimetres.
    assert np.linalg.norm(body.used - frame, axis=-1).max() < 0.06
    before = body.used
    body.solve(without(frame, *lost))
    assert body.used == pytest.approx(before, abs=1e-9)


def test_first_frame_with_nothing_stands_at_the_origin():
    body = Plain().solve(np.full((6, 3), np.nan))
    assert body.used == pytest.approx(human().stance)
    assert body.flags & (0x3F * MISSING) == 0x3F * MISSING


def test_a_point_seen_for_the_first_time_eases_in():
    frame = walking(1)[0]
    frame[L_WRIST] += (0.2, 0.4, 0.3)
    body = Plain(recovery=0.25)
    for _ in range(5):
        body.solve(without(frame, L_WRIST))
    before = body.used[L_WRIST]
    assert not body.solve(frame).flags & (0x3F * MISSING)
    assert np.linalg.norm(body.used[L_WRIST] - before) < 0.05
    for _ in range(20):
        body.solve(frame)
    assert np.array_equal(body.used, frame)


# --- coming back ----------------------------------------------------------------------------------


def largest_step(body, frames):
    """Longest way that any of the points used goes from one frame to the next [m]."""
    used = [body.solve(frame).used for frame in frames]
    return max(np.linalg.norm(b - a, axis=-1).max() for a, b in pairwise(used))


@pytest.mark.parametrize(
    "lost",
    [*((k,) for k in ALL), (PELVIS, HEAD), (L_WRIST, R_WRIST), (HEAD, L_ANKLE), tuple(ALL)],
    ids=lambda lost: "+".join(SIX[k] for k in lost),
)
@pytest.mark.parametrize("recovery", [0.1, 0.25, 1.0])
def test_points_come_back_without_a_pop(lost, recovery):
    jump = np.zeros((6, 3))
    jump[list(lost)] = (0.3, 0.1, -0.2)
    frames = walking(140)
    seen = [*frames[:10], *(without(f, *lost) for f in frames[10:20]), *(frames[20:] + jump)]
    # Smooth step: at most 1.5 times the mean speed, on top of the walk itself. Where the whole
    # body is lost it stands still meanwhile, and has that way to make up, too.
    rest = 10 * 0.02 if len(lost) == 6 else 0.0
    allowed = 1.5 * (np.linalg.norm(jump[lost[0]]) + rest) / (recovery * 60.0 + 1.0) + 0.02
    body = Plain(recovery=recovery)
    # A pelvis that comes back takes lost points along; two corrections add up at most.
    assert largest_step(body, seen) < 1.01 * allowed
    assert np.array_equal(body.used, seen[-1])
    assert not body.flags & RECOVERING


def test_head_back_before_the_pelvis_does_not_pop():
    frames = walking(60, step=(0.0, 0.0, 0.0))
    moved = frames + np.array((0.4, 0.0, 0.3))
    seen = [
        *frames[:5],
        *(without(f, *ALL) for f in frames[5:10]),
        *(without(f, PELVIS, L_WRIST) for f in moved[10:20]),
        *moved[20:],
    ]
    body = Plain(recovery=0.25)
    assert largest_step(body, seen) < 1.5 * 0.5 * 2.0 / 16.0
    assert np.array_equal(body.used, moved[-1])


def test_no_recovery_time_means_at_once():
    frames = walking(3)
    body = Plain(recovery=0.0).solve(frames[0]).solve(without(frames[1], L_WRIST))
    frames[2, L_WRIST] += 0.3
    assert np.array_equal(body.solve(frames[2]).used, frames[2])


def test_recovery_lasts_its_time():
    frame = walking(1)[0]
    target = frame.copy()
    target[L_WRIST] += (0.1, 0.2, 0.0)
    # Twice as long as the point was lost, at most half a second, which is 10 frames at 20 Hz.
    for lost, frames in ((1, 2), (3, 6), (5, 10), (40, 10)):
        body = Plain(recovery=0.5, rate=20.0).solve(frame)
        for _ in range(lost):
            body.solve(without(frame, L_WRIST))
        recovering = []
        for _ in range(14):
            body.solve(target)
            recovering.append(bool(body.flags & RECOVERING))
        assert recovering == [True] * frames + [False] * (14 - frames)
        assert np.array_equal(body.used, target)


@pytest.mark.parametrize("lost", [range(6), [L_WRIST], [PELVIS, HEAD]])
def test_points_that_blink_are_followed(lost):
    frames = builtin("walk").points().positions
    body = Plain()
    worst = 0.0
    for k, frame in enumerate(frames):
        body.solve(without(frame, *lost) if k % 3 == 1 else frame)
        worst = max(worst, np.linalg.norm(body.used - frame, axis=-1).max())
    assert worst < 0.16  # a swinging foot moves some centimetres a frame


def test_a_guess_does_not_turn_the_pelvis():
    frames = builtin("walk").points().positions
    whole = [facing(Plain().solve(frame)) for frame in frames[::20]]
    for lost in range(2, 6):
        body = Plain()
        for k, frame in enumerate(frames):
            body.solve(without(frame, lost) if 60 <= k < 200 else frame)
            if k % 20 == 0:
                assert angle(facing(body), whole[k // 20]) < np.radians(60.0)


def test_a_pelvis_that_lost_its_way_turns_back_no_faster_than_people_do():
    frames = turning(240)  # half a turn in two thirds of a second, unseen
    body = Plain(rate=60.0)
    before = None
    for k, frame in enumerate(np.concatenate([frames[::6], np.tile(frames[-1], (60, 1, 1))])):
        body.solve(without(frame, *range(2, 6)) if 5 < k < 40 else frame)
        left = facing(body)
        if before is not None and k > 6:
            assert angle(left, before) < np.radians(21.0)
        before = left
    assert angle(before, facing(Plain().solve(frames[-1]))) < 1e-6


def test_lost_again_while_coming_back():
    frame = walking(1)[0]
    target = frame.copy()
    target[R_WRIST] += (-0.2, 0.3, 0.1)
    gone = without(frame, R_WRIST)
    seen = [frame, *[gone] * 8, *[target] * 6, *[gone] * 8, *[target] * 40]
    body = Plain(recovery=0.25)
    assert largest_step(body, seen) < 1.5 * 0.38 / 16.0 * 1.01
    assert np.array_equal(body.used, target)


def test_while_it_eases_the_residual_is_honest():
    frame = walking(1)[0]
    target = frame.copy()
    target[L_WRIST] += (0.0, 0.2, 0.0)
    body = Plain(recovery=0.25).solve(frame)
    for _ in range(20):
        body.solve(without(frame, L_WRIST))
    body.solve(target)
    assert body.out.residuals[0, L_WRIST] > 0.15
    assert np.isfinite(body.out.residuals[0, :6]).all()


# --- prediction -----------------------------------------------------------------------------------


def test_predict_goes_on_with_the_last_speed_for_a_moment():
    frames = np.tile(walking(1)[0], (60, 1, 1))
    frames[:, L_WRIST, 1] += 0.01 * np.arange(60)
    hold, predict = Plain(), Plain(missing="predict")
    held, predicted = [], []
    for k, frame in enumerate(frames):
        seen = frame if k < 10 else without(frame, L_WRIST)
        held.append(hold.solve(seen).used[L_WRIST, 1])
        predicted.append(predict.solve(seen).used[L_WRIST, 1])
    assert held[10:] == pytest.approx([held[9]] * 50, abs=1e-3)
    steps = np.diff(np.array(predicted) - held)[9:]
    assert steps[0] == pytest.approx(0.01, abs=1e-4)
    assert steps[1:8] / steps[:7] == pytest.approx(
        np.exp(-1.0 / (60.0 * PREDICTION_TIME)), abs=0.02
    )
    assert predicted[-1] - predicted[9] < 0.11  # it stops


@each_point
def test_predict_survives_every_point(lost):
    body = Plain(missing="predict")
    frames = walking(60)
    for k, frame in enumerate(frames):
        body.solve(frame if k < 10 or k > 30 else without(frame, lost))
        assert np.linalg.norm(body.used - frame, axis=-1).max() < 0.05


# --- what a tracker says of them ------------------------------------------------------------------


def holes(frames=24, seed=3):
    """A walk with holes everywhere, its first and last frames whole."""
    positions = walking(frames)
    gone = np.random.default_rng(seed).random((frames, 6)) < 0.3
    gone[[0, -1]] = False
    positions[gone] = NOT_SEEN
    return Points(SIX, positions, 60.0), gone


def test_missing_points_are_reported():
    points, gone = holes()
    tracker = SequentialSolver().prepare(HUMAN)
    result = tracker.solve_clip(points)
    assert np.array_equal(result.missing, gone)
    assert result.report.missing == {
        name: int(gone[:, k].sum()) for k, name in enumerate(SIX) if gone[:, k].any()
    }
    assert np.array_equal(np.isnan(result.residuals), gone)
    for frame, lost in zip(points.positions, gone, strict=True):
        solution = tracker.solve(frame)
        assert solution.missing == tuple(np.array(SIX)[lost])
        assert np.array_equal(np.isnan(solution.residuals), lost)


def test_nothing_lost_nothing_reported():
    result = SequentialSolver().prepare(HUMAN).solve_clip(Points(SIX, walking(3), 60.0))
    assert (result.report.missing, result.report.warnings) == ({}, ())
    assert not result.missing.any()


def test_a_point_that_never_was_seen_is_a_warning():
    positions = walking(5)
    positions[:, L_ANKLE] = np.nan
    report = SequentialSolver().prepare(HUMAN).solve_clip(Points(SIX, positions, 60.0)).report
    assert any("never seen" in line and "l_ankle" in line for line in report.warnings)
    assert report.missing == {"l_ankle": 5}


def test_nothing_seen_is_not_convergence():
    solution = SequentialSolver().prepare(HUMAN).solve(np.full((6, 3), np.nan))
    assert not solution.converged
    assert solution.missing == SIX
    assert np.isnan(solution.residuals).all()


def test_infinity_in_a_stream_is_a_point_not_seen():
    frame = walking(1)[0]
    frame[HEAD, 2] = np.inf
    solution = SequentialSolver().prepare(HUMAN).solve(frame)
    assert solution.missing == ("head",)
    assert np.isfinite(solution.pose.rotations).all()


@effort(max_examples=40)
@given(st.lists(st.frozensets(st.sampled_from(range(6))), min_size=3, max_size=12), st.booleans())
def test_any_pattern_of_holes_gives_a_pose(pattern, predict):
    body = Plain(human(True), missing="predict" if predict else "hold")
    for frame, lost in zip(walking(len(pattern)), pattern, strict=True):
        body.solve(without(frame, *lost))
        assert np.isfinite(body.out.rotations).all()
        assert np.isfinite(body.out.root).all()
        found = {k for k in range(6) if body.flags & (MISSING << k)}
        assert found == lost
