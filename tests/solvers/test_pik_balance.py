from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import Limits, adult_limits
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers._kernels.centre_of_mass import Masses, mass_centre, mass_column
from sixpoint.solvers._kernels.figure import HINGE, POSITION, figure_forward
from sixpoint.solvers._kernels.pik_step import turn_axes
from sixpoint.solvers._kernels.priority import Damping, level_step
from sixpoint.solvers.balance_tables import simple_body, standing_figure, standing_tables
from sixpoint.solvers.figure import Row, Tip, build_figure, new_pose
from sixpoint.solvers.pik_balance import BalanceSolver
from sixpoint.vision.stage_scenes import scene

BODY = sp.Skeleton.humanoid(1.75)
X, Y, Z = np.eye(3)


def follow(clip: sp.Motion, limits="adult", **settings):
    """Wrist errors (F, 2) [m], drift of the centre of mass (F,) [m], poses."""
    tracker = BalanceSolver(**settings).prepare(clip.skeleton, rate=clip.rate, limits=limits)
    errors, drifts, poses = [], [], []
    for frame in clip.points().positions:
        solution = tracker.solve(frame)
        errors.append(solution.residuals[2:4])
        drifts.append(tracker.drift)
        poses.append(solution.pose)
    return np.array(errors), np.array(drifts), poses


def arms_only(skeleton) -> Limits:
    """Limits of shoulders and elbows, which the paper names (section 6.1)."""
    adult = adult_limits(skeleton)
    nodes = [skeleton.anatomy.node(f"{s}_{part}") for s in "lr" for part in ("shoulder", "elbow")]
    return Limits({skeleton.names[j]: adult[skeleton.names[j]] for j in nodes})


def golden_figure():
    """The trunk of G27 as one-axis joints: foot X Z, back X Z, thorax X Y Z."""
    plan = [(0.0, X), (0.0, Z), (0.95, X), (0.0, Z), (0.25, X), (0.0, Y), (0.0, Z)]
    one = arrays.identity()
    rows = [
        Row(k, k - 1, np.array([0.0, height, 0.0]), HINGE, axis, one, one)
        for k, (height, axis) in enumerate(plan)
    ]
    skeleton = sp.Skeleton.chain(7)
    figure = build_figure(
        skeleton, rows, [Tip(6, 0.2 * Y)], [(POSITION, 0, 1.0)], Limits({}), size=1.4,
        rest=arrays.identity(7), anchor=np.zeros(3), anchor_turn=one,
    )  # fmt: skip
    masses = Masses(
        row=np.array([1, 3, 6]),
        offset=np.array([[0, 0.70, 0], [0, 0.125, 0], [0, 0.2, 0]]),
        share=np.array([0.5, 0.25, 0.25]),
        moves=np.array([[k <= row for k in range(7)] for row in (1, 3, 6)], np.int64),
        place=np.zeros((3, 3)),
        support=np.zeros((1, 2)),
    )
    return figure, masses


def test_golden_centre_of_mass():  # G27
    figure, masses = golden_figure()
    pose = new_pose(figure)
    pose.local[:] = arrays.identity(7)
    figure_forward(figure, pose)
    np.testing.assert_allclose(mass_centre(pose, masses), (0.0, 0.96875, 0.0), atol=1e-9)
    angles = (0.1, 0.05, -0.2, 0.1, 0.15, 0.3, -0.05)
    for row, angle in enumerate(angles):
        pose.local[row] = arrays.from_axis_angle(figure.axis[row], angle)
    figure_forward(figure, pose)
    centre = mass_centre(pose, masses)
    np.testing.assert_allclose(centre, (-0.060202, 0.961803, 0.074629), atol=1e-6)
    axes = np.zeros((7, 3))
    turn_axes(figure, pose, axes)
    columns = np.array([mass_column(pose, masses, k, tuple(axes[k])) for k in range(7)])
    np.testing.assert_allclose(
        columns[:, 0],
        (0, -0.964448, -0.001088, -0.141997, 0.000508, -0.000760, -0.047364),
        atol=1e-6,
    )
    np.testing.assert_allclose(
        columns[:, 2],
        (0.961803, -0.006010, 0.142716, 0.000480, 0.049912, -0.002381, 0.015103),
        atol=1e-6,
    )


def test_the_body_has_fifteen_freedoms_and_the_paper_s_masses():  # S3.21, S3.23
    plan = simple_body(BODY.anatomy)
    figure = standing_figure(BODY.anatomy, Limits({}), plan)
    assert int(figure.freedom.sum()) == 15
    stand = standing_tables(BODY.anatomy, figure, plan, "paper", True)
    np.testing.assert_allclose(stand.masses.share, (0.5, 0.25, 0.25))
    for mass in ("winter", "male", "female"):
        other = standing_tables(BODY.anatomy, figure, plan, mass, True)
        assert other.masses.share.sum() == pytest.approx(1.0)
        assert abs(other.masses.support[0, 0]) < 1e-9  # in the middle, left as right


def test_ranks_of_the_levels():  # S3.25, A3.6: 2, 6, 5, and two swivels are left
    tracker = BalanceSolver().prepare(BODY, limits=None)
    frame = scene("box").points().positions[60]
    for _ in range(10):
        tracker.solve(frame)
    work = tracker._scratch
    ladder, levels = work.ladder, work.table.levels
    ladder.step[:] = 0.0
    rank, ranks = 0, []
    for level in range(3):
        after = level_step(work.jacobian, work.asked, levels[level], levels[level + 1],
                           Damping(0.0, 0.0, 1e-3), 1.0, ladder, rank)  # fmt: skip
        ranks.append(after - rank)
        rank = after
    assert ranks == [2, 6, 5]
    assert 15 - rank == 2


def test_table_2():  # S3.36, S3.43
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


@pytest.mark.parametrize("body", ["simple", "legs"])
def test_the_hips_go_against_a_far_reach(body):  # S3.33, Fig. 11
    stance = scene("calibration").points()
    frames = np.repeat(stance.positions[:1], 60, axis=0)
    reach = np.linspace(0.0, 1.0, 60)[:, None]
    shoulder = scene("calibration").points(["l_shoulder"]).positions[0, 0]
    far = shoulder + np.array([0.95, 0.0, 0.0])
    frames[:, 3] = (-0.25, 1.05, 0.22)  # an arm that hangs straight down would hold the trunk
    frames[:, 2] = (1.0 - reach) * frames[0, 2] + reach * far
    tracker = BalanceSolver(body=body, steps=20).prepare(BODY, rate=30.0, limits=arms_only(BODY))
    for frame in frames:
        solution = tracker.solve(frame)
    at = solution.pose.world()[0]
    anatomy = BODY.anatomy
    pelvis = at[anatomy.node("pelvis")] - frames[0, 0]
    shoulder_now = at[anatomy.node("l_shoulder")]
    assert shoulder_now[0] > shoulder[0] + 0.04  # the trunk goes with the hand
    if body == "simple":
        assert pelvis[0] < -0.02  # and the hips against it
    assert tracker.drift < 0.001
    if body == "legs":
        ankles = at[[anatomy.node("l_ankle"), anatomy.node("r_ankle")]]
        np.testing.assert_allclose(ankles, frames[0, 4:], atol=0.02)


def test_only_the_height_of_the_centre_is_free():  # S3.24
    tracker = BalanceSolver(steps=10).prepare(BODY, rate=30.0)
    heights = []
    for frame in scene("box").points().positions:
        tracker.solve(frame)
        stand = tracker._memory[2]
        heights.append(mass_centre(tracker._memory[1], stand.masses)[1])
        assert tracker.drift < 0.001
    assert np.ptp(heights) > 0.002


def test_the_observer_bends_a_straight_arm():  # S3.30
    stance = scene("calibration").points()
    still = sp.Motion(BODY, BODY.rest()[0][:1], arrays.identity(1, BODY.joint_count), 30.0)
    frame = still.points().positions[0]
    shoulder = still.points(["l_shoulder"]).positions[0, 0]
    moved = {}
    for observer in (True, False):
        tracker = BalanceSolver(steps=5, observer=observer).prepare(BODY, rate=30.0)
        tracker.solve(frame)
        goal = frame.copy()
        goal[2] = frame[2] + 0.3 * (shoulder - frame[2])
        for _ in range(12):
            solution = tracker.solve(goal)
        elbow = solution.pose.rotations[BODY.anatomy.node("l_elbow")]
        trunk = solution.pose.world()[0][BODY.anatomy.node("l_shoulder")] - shoulder
        moved[observer] = (
            float(solution.residuals[2]), 2 * np.arctan2(-elbow[1], elbow[0]),
            float(np.linalg.norm(trunk)),
        )  # fmt: skip
    assert moved[True][0] < 0.005  # met
    assert moved[True][1] > 0.5  # by a bent elbow
    assert moved[False][1] < 0.2  # without: the elbow stays straight, others do its work
    assert moved[False][0] > moved[True][0] or moved[False][2] > moved[True][2]
    assert len(stance) > 0


def test_damping_calms_noise_and_lags():  # S3.28, S3.29, S3.48
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


def test_no_head_and_no_pelvis_are_needed():  # S3.49
    points = scene("gestures").points()
    places = points.positions.copy()
    places[:, :2] = np.nan
    whole = sp.reconstruct(points, BODY, "pik-balance")
    blind = sp.reconstruct(Points(SIX, places, 30.0), BODY, "pik-balance")
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


def test_tasks_of_its_own():
    with pytest.raises(InputError, match="has its own hierarchy"):
        BalanceSolver().prepare(BODY, tasks=[])


def test_full_flexion_and_back_to_extension():  # S3.32
    still = sp.Motion(BODY, BODY.rest()[0][:1], arrays.identity(1, BODY.joint_count), 30.0)
    frame = still.points().positions[0]
    shoulder = still.points(["l_shoulder"]).positions[0, 0]
    tracker = BalanceSolver(steps=5).prepare(BODY, rate=30.0)
    bends, misses = [], []
    for part in [*np.linspace(0.0, 1.0, 60), *np.linspace(1.0, 0.0, 60)]:
        goal = frame.copy()
        goal[2] = frame[2] + part * (0.62 * (shoulder - frame[2]) + np.array([0.0, 0.0, 0.12]))
        solution = tracker.solve(goal)
        elbow = solution.pose.rotations[BODY.anatomy.node("l_elbow")]
        bends.append(2.0 * np.arctan2(-elbow[1], elbow[0]))
        misses.append(solution.residuals[2])
    assert max(bends) > np.radians(100.0)
    assert bends[-1] < np.radians(25.0)  # nearly straight again
    assert np.mean(misses) < 0.01
    assert min(bends) > -1e-9  # and never the wrong way
