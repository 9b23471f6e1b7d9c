"""Prioritized IK with balance: the paper's table, the support, legs, clamping, the observer."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.kernels.tasks import mass_centre
from sixpoint.limits import adult_limits
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers.jacobian.balance import BalanceSolver
from sixpoint.solvers.jacobian.ladder import Damping, level_step
from sixpoint.vision.synthetic.scenes import scene

BODY = sp.Skeleton.humanoid(1.75)
X, Y, Z = np.eye(3)


def follow(clip: sp.Motion, limits="adult", **settings):
    """Wrist errors (F, 2) [m], drift of the centre of mass (F,) [m], poses."""
    tracker = BalanceSolver(**settings).prepare(clip.skeleton, rate=clip.rate, limits=limits)
    errors, drifts, poses = [], [], []
    for frame in clip.points().positions:
        solution = tracker.solve(frame)
        errors.append(solution.residuals[2:4])
        drifts.append(solution.extras["drift"])
        poses.append(solution.pose)
    return np.array(errors), np.array(drifts), poses


def places(poses, *roles: str) -> np.ndarray:
    """Places of joints (F, N, 3) [m]."""
    nodes = [poses[0].skeleton.anatomy.node(role) for role in roles]
    return np.array([pose.world()[0][nodes] for pose in poses])


def elbow_bend(pose) -> float:
    """Of the left elbow [rad]."""
    elbow = pose.rotations[BODY.anatomy.node("l_elbow")]
    return 2.0 * np.arctan2(-elbow[1], elbow[0])


def stance() -> tuple[np.ndarray, np.ndarray]:
    """The six points of the neutral stance, and its left shoulder."""
    still = sp.Motion(BODY, BODY.rest()[0][:1], arrays.identity(1, BODY.joint_count), 30.0)
    at = still.points((*SIX, "l_shoulder")).positions[0]
    return at[:6], at[6]


def test_defaults_are_those_of_the_paper():
    solver = BalanceSolver()
    lengths = np.array([solver.damping, solver.task_step]) * 1.83
    np.testing.assert_allclose(lengths, (0.05, 0.03))
    assert (solver.steps, solver.cut, solver.posture) == (5, 1e-3, 0.1)
    solution = solver.prepare(BODY).solve(stance()[0])
    assert solution.extras["drift"] < 1e-6  # the line is the one of the calibration, above the foot


def test_ranks_of_the_levels():  # and two swivels are left
    tracker = BalanceSolver().prepare(BODY, limits=None)
    frame = scene("box").points().positions[60]
    for _ in range(10):
        tracker.solve(frame)
    ladder = tracker.run.context.scratch.ladder
    ladder.step[:] = 0.0
    rank, ranks = 0, []
    for level in range(3):
        after = level_step(ladder, level, Damping(0.0, 0.0, 1e-3), rank)
        ranks.append(after - rank)
        rank = after
    assert ranks == [2, 6, 5]
    assert 15 - rank == 2


def test_table_2():
    clip = scene("box")
    means, drifts = {}, {}
    for steps in (1, 5, 10, 20):
        errors, drift, _ = follow(clip, steps=steps)
        means[steps], drifts[steps] = errors.mean(axis=0), drift.max()
    assert (means[1] > 5.0 * means[5]).all()
    assert (means[10] - means[20] < 0.001).all()
    assert (means[5] < 0.005).all()
    assert drifts[1] < 0.001
    assert max(drifts.values()) < 0.001


SCENES = ("box", "crossing", "far_reach", "gestures")


@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("name", SCENES)
def test_balance_and_feet_hold_with_legs_too(name, steps):
    clip = scene(name)
    _, drift, poses = follow(clip, steps=steps, body="legs")
    assert drift.max() < 0.001
    ankles = places(poses, "l_ankle", "r_ankle")
    assert np.linalg.norm(ankles - clip.points().positions[:, 4:], axis=-1).max() < 0.001


@pytest.mark.parametrize("limits", ["adult", None])
@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("body", ["simple", "legs"])
def test_no_goal_takes_the_centre_of_mass_away(body, steps, limits):
    frame, shoulder = stance()
    for goal in ((0.95, 0.0, 0.0), (0.1, -0.1, 0.85), (0.6, -1.0, 0.3)):
        tracker = BalanceSolver(body=body, steps=steps).prepare(BODY, rate=30.0, limits=limits)
        drift, feet = [], []
        for part in [*np.linspace(0.0, 1.0, 40), *np.ones(20)]:
            asked = frame.copy()
            asked[2] = (1.0 - part) * frame[2] + part * (shoulder + goal)
            solution = tracker.solve(asked)
            drift.append(solution.extras["drift"])
            feet.append(solution.residuals[4:].max())
        assert max(drift) < 0.001
        if body == "legs":
            assert max(feet) < 0.001


@pytest.mark.parametrize("body", ["simple", "legs"])
def test_crossing_hands_do_not_turn_the_feet(body):
    clip = scene("crossing")
    _, _, poses = follow(clip, body=body)
    at = places(poses, "l_ankle", "r_ankle", "l_hip", "r_hip")
    feet = np.linalg.norm(at[:, :2] - clip.points().positions[:, 4:], axis=-1)
    assert feet.max() < 0.005
    hips = at[:, 2] - at[:, 3]
    assert np.degrees(np.abs(np.arctan2(hips[:, 2], hips[:, 0]))).max() < 5.0


def test_the_hips_go_against_a_far_reach():  # Fig. 11: all defaults
    clip = scene("far_reach")
    errors, drift, poses = follow(clip)
    far = int(np.argmax(clip.points().positions[:, 2, 0]))
    at = places(poses, "pelvis", "l_shoulder", "l_wrist")
    arm = np.linalg.norm(np.diff(clip.points(["l_shoulder", "l_elbow", "l_wrist"]).positions[0],
                                 axis=0), axis=1).sum()  # fmt: skip
    assert at[far, 2, 0] - at[0, 1, 0] > arm + 0.02  # no arm is so long
    assert errors[far].max() < 0.005
    moved = at[far, :2, 0] - at[0, :2, 0]
    assert moved[0] < -0.02  # the hips to the right
    assert moved[1] > 0.02  # the shoulder to the left
    assert drift.max() < 0.001


def test_with_legs_the_weight_goes_along_as_far_as_the_soles_reach():
    frame, shoulder = stance()
    moved = {}
    for body in ("simple", "legs"):
        tracker = BalanceSolver(body=body).prepare(BODY, rate=30.0)
        for part in [*np.linspace(0.0, 1.0, 60), *np.ones(20)]:
            asked = frame.copy()
            asked[2] = (1.0 - part) * frame[2] + part * (shoulder + np.array([0.95, 0.0, 0.0]))
            solution = tracker.solve(asked)
        at = places([solution.pose], "pelvis", "l_shoulder")[0]
        moved[body] = (at[0, 0], at[1, 0] - shoulder[0], float(solution.residuals[2]))
    assert moved["simple"][0] < -0.02
    assert moved["simple"][2] > 0.1  # a line for the centre of mass: out of reach
    assert moved["legs"][2] < 0.005  # two soles: within
    assert 0.0 < moved["legs"][0] < moved["legs"][1]


@pytest.mark.parametrize("steps", [1, 5, 10])
def test_the_trunk_does_not_bow_the_other_way(steps):
    frames = scene("box").points().positions
    tracker = BalanceSolver(steps=steps).prepare(BODY, rate=30.0)
    for frame in [*frames, *np.repeat(frames[80:81], 40, axis=0)]:
        solution = tracker.solve(frame)
    trunk = solution.pose.rotations[[BODY.index("vl5"), BODY.index("vt12")]]
    assert np.degrees(arrays.angle_between(trunk, arrays.identity(2))).max() < 1.0
    shoulders = places([solution.pose], "l_shoulder", "r_shoulder")[0]
    np.testing.assert_allclose(shoulders, tracker.run.context.stance.goals[6:], atol=0.001)


def test_only_the_height_of_the_centre_is_free():
    tracker = BalanceSolver(steps=10).prepare(BODY, rate=30.0)
    heights = []
    for frame in scene("box").points().positions:
        solution = tracker.solve(frame)
        context = tracker.run.context
        pose, masses = context.pose, context.stance.masses
        heights.append(mass_centre(masses, pose.world, pose.position)[1])
        assert solution.extras["drift"] < 0.001
    assert np.ptp(heights) > 0.002


def test_the_observer_bends_a_straight_arm():
    frame, shoulder = stance()
    goal = frame.copy()
    goal[2] = frame[2] + 0.3 * (shoulder - frame[2])
    found = {}
    for limits in ("adult", adult_limits(BODY)):
        for observer in (True, False):
            tracker = BalanceSolver(steps=1, observer=observer).prepare(
                BODY, rate=30.0, limits=limits
            )
            tracker.solve(frame)
            misses, trunk = [], []
            for _ in range(20):
                solution = tracker.solve(goal)
                misses.append(float(solution.residuals[2]))
                at = places([solution.pose], "l_shoulder")[0, 0]
                trunk.append(np.linalg.norm(at - shoulder))
            found[limits == "adult", observer] = misses, max(trunk), elbow_bend(solution.pose)
    for wide in (True, False):
        assert found[wide, True][0][-1] < 0.001  # met ...
        assert found[wide, True][2] > 0.5  # ... by a bent elbow
        assert found[wide, False][1] > 1.5 * found[wide, True][1]  # without: the trunk does it
    assert min(found[False, False][0]) > 0.1  # and within the limits of single joints it cannot
    assert found[False, False][2] < 0.2


def test_outer_loop_and_clamping_loop():  # Fig. 10
    frame, shoulder = stance()
    solver = BalanceSolver(steps=1, observer=False)
    tracker = solver.prepare(BODY, rate=30.0)
    tracker.solve(frame)
    goal = frame.copy()
    goal[2] = shoulder + np.array([0.3, 0.1, 0.25])
    before, errors = frame[2], []
    for _ in range(60):
        solution = tracker.solve(goal)
        wrist = places([solution.pose], "l_wrist")[0, 0]
        assert np.linalg.norm(wrist - before) < 1.2 * solver.task_step * BODY.anatomy.height
        pose = solution.pose
        motion = sp.Motion(BODY, pose.root[None], pose.rotations[None], 30.0)
        assert tracker.limits.violations(motion).max() < 1e-6
        errors.append(float(solution.residuals[2]))
        before = wrist
    assert np.diff(errors).max() < 0.001  # until the goal is met
    assert errors[-1] < 0.0005


def test_elbows_stop_before_they_are_folded():
    frame, shoulder = stance()
    tracker = BalanceSolver().prepare(BODY, rate=30.0)
    goal = frame.copy()
    goal[2] = shoulder + np.array([0.02, -0.02, 0.05])  # nearer than the elbow alone lets it
    least = np.pi
    for part in np.linspace(0.0, 1.0, 60):
        solution = tracker.solve((1.0 - part) * frame + part * goal)
        least = min(least, np.pi - elbow_bend(solution.pose))
    assert np.degrees(least) == pytest.approx(35.0, abs=0.1)  # 180 less 145 of flexion


def test_level_four_lets_elbows_hang():
    clip = scene("gestures")
    heights = {}
    for posture in (0.0, 0.1):
        _, _, poses = follow(clip, posture=posture)
        at = places(poses, "l_elbow", "r_elbow", "l_shoulder", "r_shoulder")[30:]
        heights[posture] = (at[:, :2, 1] - at[:, 2:, 1]).mean()
    assert heights[0.1] < heights[0.0] - 0.005


def test_damping_calms_noise_and_lags():
    clip = scene("gestures")
    rng = np.random.default_rng(4)
    noisy = clip.points().positions + rng.normal(0.0, 0.004, (len(clip), 6, 3))
    noisy[:, 4:] = clip.points().positions[:, 4:]
    jitter = {}
    for damping in (0.01, 0.3):
        solver = BalanceSolver(damping=damping, steps=1)
        motion = sp.reconstruct(Points(SIX, noisy, 30.0), clip.skeleton, solver).motion
        wrists = motion.points(["l_wrist", "r_wrist"]).positions
        jitter[damping] = np.diff(wrists, n=2, axis=0).std()
    assert jitter[0.3] < 0.8 * jitter[0.01]


def test_no_head_and_no_pelvis_are_needed():
    points = scene("gestures").points()
    unseen = points.positions.copy()
    unseen[:, :2] = np.nan
    whole = sp.reconstruct(points, BODY, "pik-balance")
    blind = sp.reconstruct(Points(SIX, unseen, 30.0), BODY, "pik-balance")
    assert np.nanmean(blind.residuals[:, 2:4]) < 0.01
    assert np.nanmean(whole.residuals[:, 2:4]) < 0.01


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"body": "cat"}, "`body` to be one of simple, legs"),
        ({"mass": "heavy"}, "`mass` to be one of paper, winter"),
        ({"steps": 0}, r"`steps` in \[1, 10000\]"),
        ({"damping": -1.0}, r"`damping` in \[0, 1\]"),
        ({"task_step": 0.0}, "`task_step` > 0"),
        ({"give": (1.0, 2.0, 1.0)}, r"`give` to be three numbers in \(0, 1\]"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        BalanceSolver(**settings)


def test_tasks_are_refused():
    with pytest.raises(InputError, match="moves people by six points"):
        BalanceSolver().prepare(BODY, tasks=[])


@pytest.mark.parametrize("body", ["simple", "legs"])
def test_a_pose_is_a_start(body):
    frames = scene("gestures").points().positions[:40]
    tracker = BalanceSolver(body=body).prepare(BODY, rate=30.0)
    poses = [tracker.solve(frame).pose for frame in frames]
    tracker.reset(poses[-2])
    again = tracker.solve(frames[-1]).pose
    gap = arrays.angle_between(again.rotations, poses[-1].rotations).max()
    assert gap < 1e-6


def test_a_clip_says_how_far_the_centre_of_mass_was_off():
    clip = scene("box")
    solver = BalanceSolver(steps=1)
    _, drifts, _ = follow(clip, steps=1)
    result = sp.reconstruct(clip.points(), clip.skeleton, solver)
    np.testing.assert_array_equal(result.extras["drift"], drifts)


def test_full_flexion_and_back_to_extension():
    frame, shoulder = stance()
    tracker = BalanceSolver(steps=5).prepare(BODY, rate=30.0)
    bends, misses = [], []
    for part in [*np.linspace(0.0, 1.0, 60), *np.linspace(1.0, 0.0, 60)]:
        goal = frame.copy()
        goal[2] = frame[2] + part * (0.62 * (shoulder - frame[2]) + np.array([0.0, 0.0, 0.12]))
        solution = tracker.solve(goal)
        bends.append(elbow_bend(solution.pose))
        misses.append(solution.residuals[2])
    assert max(bends) > np.radians(100.0)
    assert bends[-1] < np.radians(25.0)  # nearly straight again
    assert np.mean(misses) < 0.01
    assert min(bends) > -1e-9  # and never the wrong way


def joints_over(body: str, goals: np.ndarray, **settings) -> np.ndarray:
    """Places of all joints (F, N, 3) [m] as a person's left wrist follows goals (F, 3)."""
    frame = stance()[0].copy()
    tracker = BalanceSolver(body=body, **settings).prepare(BODY, rate=30.0)
    places = []
    for goal in goals:
        frame[2] = goal
        places.append(tracker.solve(frame).pose.world()[0])
    return np.array(places)


STILL = ((0.95, 0.0, 0.0), (0.1, 0.9, 0.1), (0.6, -1.0, 0.3), (0.3, 0.1, 0.25), (0.02, -0.02, 0.05))


@pytest.mark.parametrize("body", ["simple", "legs"])
def test_a_goal_that_keeps_still_leaves_a_body_at_rest(body):  # within reach or not
    _, shoulder = stance()
    for away in STILL:
        places = joints_over(body, np.tile(shoulder + away, (130, 1)))
        assert np.ptp(places[60:], axis=0).max() < 0.001


@pytest.mark.parametrize("body", ["simple", "legs"])
def test_noise_on_a_goal_out_of_reach_does_not_shake_the_head(body):
    _, shoulder = stance()
    wrist, head = (BODY.anatomy.node(role) for role in ("l_wrist", "head"))
    for way in ((1.0, 0.0, 0.0), (0.2, -0.3, -0.6)):
        far = shoulder + 2.0 * np.array(way) / np.linalg.norm(way)
        reached = joints_over(body, np.tile(far, (120, 1)))[-1, wrist]
        goal = reached + 0.03 * (far - reached) / np.linalg.norm(far - reached)
        goals = goal + np.random.default_rng(0).normal(0.0, 0.003, (200, 3))
        moved = joints_over(body, goals)[60:, head]
        jitter, noise = (np.diff(x, n=2, axis=0).std() for x in (moved, goals[60:]))
        assert jitter < noise
