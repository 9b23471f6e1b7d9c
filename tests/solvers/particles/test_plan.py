"""Every kind of task, on any figure."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import FlexionLimit, Limits, adult_limits
from sixpoint.motion.points import Points
from sixpoint.motion.pose import Pose
from sixpoint.solvers import DampedSolver
from sixpoint.solvers.particles.stream import ParticleStream
from sixpoint.tasks import (
    Balance,
    Coupling,
    Floor,
    LookAt,
    PlacesFunction,
    PoseFunction,
    Posture,
    Reach,
    SelfCollision,
    Smoothness,
)

from .arms import ARM, TARGET, particles_of, tracker


def test_functions_give_the_same_bits_as_built_in_tasks():
    # A function with nothing to say: the loop runs outside the kernel, with the same numbers.
    quiet = [PlacesFunction(lambda p: np.zeros(len(p))), PoseFunction(lambda pose: 0.0)]
    plain = tracker(ARM, [Reach("tip")], momentum=0.0).solve(TARGET)
    asked = tracker(ARM, [Reach("tip"), *quiet], momentum=0.0).solve(TARGET)
    np.testing.assert_array_equal(plain.pose.rotations, asked.pose.rotations)
    points = Points(("tip",), np.stack([TARGET, -TARGET]), 60.0)
    clips = [
        tracker(ARM, [Reach("tip"), *more], momentum=0.0).solve_clip(points).motion.rotations
        for more in ([], quiet)
    ]
    np.testing.assert_array_equal(*clips)


@pytest.mark.parametrize("kind", ["pose", "places"])
def test_any_function_can_be_asked(kind: str):
    # the elbow outside of a ball, whatever the tip does.
    def inside(places):
        return np.maximum(0.0, 0.3 - np.linalg.norm(places[:, 2] - (0.0, 0.5, 0.0), axis=1))

    task = (
        PlacesFunction(inside, name="outside")
        if kind == "places"
        else PoseFunction(lambda pose: inside(pose.world()[0][None]), name="outside")
    )
    solution = tracker(ARM, [Reach("tip"), task]).solve(TARGET)
    assert solution.converged
    assert solution.tasks["outside"] < 1e-4
    assert np.linalg.norm(solution.pose.world()[0][2] - (0.0, 0.5, 0.0)) > 0.3 - 1e-4


def test_a_function_alone_is_a_task():
    # Nothing to reach: no points.
    run = tracker(ARM, [PlacesFunction(lambda p: p[:, -1, 1] - 0.3, name="low")], names=())
    solution = run.solve(np.zeros((0, 3)))
    assert abs(solution.tasks["low"]) <= 1e-4
    assert solution.converged


def test_a_glance_alone_is_a_task():
    # Also beside a point that has no target in this frame.
    look = LookAt("tip", at=(2.0, 0.5, 0.0), axis=(0.0, 1.0, 0.0))
    for tasks, frame in (([look], np.zeros((0, 3))), ([look, Reach("tip")], TARGET * np.nan)):
        solution = tracker(ARM, tasks).solve(frame)
        assert solution.converged
        assert solution.stop.value == "converged"
        assert solution.tasks["look tip"] <= 1e-4
    assert not tracker(ARM, [Reach("tip")]).solve(TARGET * np.nan).converged


def test_weights_do_not_make_functions_met():
    # What is missing is not weighted, as with other tasks.
    for weight in (1e-3, 1.0):
        task = PlacesFunction(lambda p: np.full(len(p), 0.05), weight=weight)
        solution = tracker(ARM, [Reach("tip"), task], iterations=100).solve(TARGET)
        assert not solution.converged
        assert solution.tasks["function"] == pytest.approx(0.05)
    off = PlacesFunction(lambda p: np.full(len(p), 0.05), weight=0.0)
    assert tracker(ARM, [Reach("tip"), off]).solve(TARGET).converged


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda p: 1.0 / 0.0, "task 'mine' to judge a pose; it raised ZeroDivisionError"),
        (lambda p: np.zeros((len(p), 2)), r"task 'mine' to give the shape \(30,\), got \(30, 2\)"),
        (
            lambda p: np.full(len(p), np.nan),
            r"task 'mine' to give finite .*, got nan",
        ),
    ],
)
def test_functions_that_fail_are_named(function, message):
    first = True

    def later(places):  # well at first, so that the loop is on its way
        nonlocal first
        if first:
            first = False
            return np.ones(len(places))
        return function(places)

    run = tracker(ARM, [Reach("tip"), PlacesFunction(later, name="mine")])
    with pytest.raises(InputError, match=message):
        run.solve(TARGET)


def test_functions_without_names_are_told_apart():
    quiet, bad = (PoseFunction(f) for f in (lambda pose: 0.0, lambda pose: np.nan))
    with pytest.raises(InputError, match=r"the task 'function \(2\)' to give finite"):
        tracker(ARM, [Reach("tip"), quiet, bad]).solve(TARGET)


def test_contradictory_tasks_are_a_result():
    # One point in two places; the floor above the ceiling of what is left.
    solution = tracker(ARM, [Reach("tip"), Floor("tip", 0.9), Floor("tip", 0.1)]).solve(TARGET)
    assert not solution.converged
    assert set(solution.tasks) == {"reach tip", "floor tip", "floor tip (2)"}
    assert solution.tasks["floor tip"] + solution.tasks["floor tip (2)"] == pytest.approx(0.8)
    assert solution.tasks["reach tip"] < 0.1


def test_clips_say_what_tasks_lack():
    points = Points(("tip",), np.stack([TARGET] * 3), 60.0)
    run = tracker(ARM, [Reach("tip"), Floor("tip", 0.9), Floor("tip", 0.1)])
    result = run.solve_clip(points)
    assert [*result.tasks] == ["reach tip", "floor tip", "floor tip (2)"]
    floors = result.tasks["floor tip"] + result.tasks["floor tip (2)"]  # the tip is between
    np.testing.assert_allclose(floors, np.full(3, 0.8), atol=1e-9)
    assert {label: values[0] for label, values in result.tasks.items()} == run.solve(TARGET).tasks
    assert result.report.tasks["floor tip"] == pytest.approx(0.4, abs=0.1)
    assert any("'floor tip' is not met in 3 of 3 frames" in w for w in result.report.warnings)
    fine = tracker().solve_clip(points)
    assert fine.report.warnings == ()


def test_clips_count_what_limits_did():
    chain = Skeleton.chain(3, kind="hinge")
    narrow = FlexionLimit.degrees(0.0, 1e-6, (0.0, 0.0, 1.0))
    run = tracker(chain, None, Limits(dict.fromkeys(chain.names, narrow)), iterations=20)
    result = run.solve_clip(Points(("tip",), np.full((2, 1, 3), 0.5), 60.0))
    rejections, projections = result.extras["rejections"], result.extras["projections"]
    assert (projections > 100).all()
    assert (rejections >= 20 * projections).all()


def test_a_covariance_says_what_matters():
    # Between two places that exclude each other, each direction is decided by its own variances.
    other = np.array((0.0, 0.6, -0.3))

    def away(pose):
        return pose.world()[0][-1] - other

    asked = [Reach("tip", covariance=(1.0, 1.0, 3.0)), PoseFunction(away, name="other")]
    target = np.array([[0.3, 0.6, 0.3]])
    solution = tracker(ARM, asked, iterations=600, particles=60).solve(target)
    tip = solution.pose.world()[0][-1]
    assert tip[0] == pytest.approx(0.15, abs=0.02)  # half way
    assert tip[2] == pytest.approx(-0.3 + 0.6 * 0.1, abs=0.03)  # one to nine
    # A direction that does not matter: everything is met, however far that is.
    free = tracker(ARM, [Reach("tip", covariance=(1.0, 1.0, np.inf)), Floor("tip", 0.6)])
    solution = free.solve(np.array([[0.3, 0.6, 5.0]]))
    assert solution.converged
    assert solution.residuals[0] > 4.0
    assert solution.tasks["reach tip"] <= 1e-4


def test_other_solvers_refuse_covariances():
    with pytest.raises(InputError, match="no `covariance` of the task 'reach tip': solver 'dls'"):
        DampedSolver().prepare(ARM, tasks=[Reach("tip", covariance=(1.0, 1.0, 2.0))])


def test_balance_goes_with_the_root():
    start = Pose(ARM, np.array((5.0, 0.0, 0.0)), arrays.identity(4))
    run = tracker(ARM, [Balance()])
    run.reset(start)
    assert run.solve(np.zeros((0, 3))).converged
    run = tracker(ARM, [Reach("tip"), Balance()], root=1.0, iterations=2000)
    solution = run.solve(np.array([[3.0, 0.5, 0.0]]))
    assert solution.converged
    assert solution.tasks["balance"] <= 1e-4
    assert np.linalg.norm(Balance().residual(solution.pose)) == pytest.approx(
        solution.tasks["balance"], abs=1e-9
    )


def test_parts_of_a_person_stay_apart():
    # Both wrists in one place: forearms meet, unless they are asked not to.
    person = Skeleton.humanoid(1.75)
    limits = adult_limits(person)
    place = np.array([(0.0, 1.1, 0.35)] * 2)
    asked = [Reach("l_wrist", weight=0.3), Reach("r_wrist", weight=0.3), SelfCollision()]
    for seed in range(5):
        settings = {"iterations": 300, "spread": 0.1, "seed": seed}
        kept = tracker(person, asked, limits, **settings).solve(place)
        free = tracker(person, asked[:2], limits, **settings).solve(place)
        assert free.residuals.max() < 2e-3
        assert SelfCollision().residual_norm(free.pose) > 0.05
        assert kept.tasks["self_collision"] == pytest.approx(
            SelfCollision().residual_norm(kept.pose), abs=1e-9
        )
        assert kept.tasks["self_collision"] < 0.3 * SelfCollision().residual_norm(free.pose)


def test_a_person_looks_and_keeps_its_balance():
    person = Skeleton.humanoid(1.75)
    stand = Pose(
        person,
        person.offsets[0],
        person.articulation.from_rest(arrays.identity(person.joint_count)),
    )
    feet = ("l_forefoot_tip", "l_calcaneous_post", "r_forefoot_tip", "r_calcaneous_post")
    run = tracker(
        person,
        [
            LookAt("head", at=(2.0, 2.0, 1.0)),
            Reach("l_wrist"),
            Balance.under(stand, feet),
            Posture(0.05, stand),
        ],
        adult_limits(person),
        iterations=500,
        spread=0.1,
    )
    solution = run.solve(np.array([(0.35, 1.2, 0.45)]))
    assert solution.tasks["look head"] < 0.02  # [rad]
    assert solution.tasks["balance"] < 1e-3
    assert solution.residuals[0] < 0.02


def test_a_chain_becomes_even():
    rough = Pose(
        ARM,
        np.zeros(3),
        ARM.articulation.rotations(np.random.default_rng(1).uniform(-1, 1, 12)),
    )
    run = tracker(ARM, [Reach("tip"), Smoothness(weight=0.5)], spread=0.1, hardness=0.3)
    run.reset(rough)
    even = run.solve(TARGET)
    run = tracker(ARM, [Reach("tip")], spread=0.1, hardness=0.3)
    run.reset(rough)
    plain = run.solve(TARGET)
    energies = [float(Smoothness().measure(s.pose)[0]) for s in (even, plain)]
    assert even.converged
    assert energies[0] < 0.5 * energies[1]


def test_limits_that_reject_everything_are_reported():
    chain = Skeleton.chain(3, kind="hinge")
    narrow = FlexionLimit.degrees(0.0, 1e-6, (0.0, 0.0, 1.0))
    limits = Limits(dict.fromkeys(chain.names, narrow))
    solution = tracker(chain, None, limits, iterations=50).solve(np.array([[0.5, 0.5, 0.0]]))
    assert solution.extras["projections"] > 1000
    assert solution.extras["rejections"] >= 20 * solution.extras["projections"]
    assert solution.stop.value == "limits_saturated"


# The state, and its answers.


def test_a_root_that_moves_goes_where_it_must():
    far = np.array([[3.0, 1.0, 2.0]])
    fixed = tracker().solve(far)
    assert fixed.stop.value == "unreachable"
    moved = tracker(root=1.0, iterations=800).solve(far)
    assert moved.converged
    assert np.linalg.norm(moved.pose.root) > 1.5
    np.testing.assert_array_equal(fixed.pose.root, 0.0)


def test_velocity_goes_on():
    # A target that moves evenly: from the second frame on the start is nearer to it.
    angles = np.linspace(0.0, 1.0, 20)
    path = np.stack([0.7 * np.sin(angles), 0.7 * np.cos(angles), 0.0 * angles], axis=1)
    points = Points(("tip",), path[:, None], 60.0)
    steps = {}
    for prior in ("constant", "velocity"):
        result = tracker(prior=prior).solve_clip(points)
        assert result.residuals.max() < 2e-4
        steps[prior] = result.iterations[3:].mean()
    assert steps["velocity"] < steps["constant"]


def test_a_joint_that_starts_beside_its_axis_stays_there():
    # A covariance about one axis: what the joint is turned besides is neither lost nor changed.
    arm = Skeleton.chain(1)
    start = arrays.from_euler("XYZ", np.array((0.4, 0.9, -0.5)))
    run = tracker(arm, covariance={"joint_1": (1.0, 0.0, 0.0)}, iterations=50, tolerance=0.0)
    run.reset(Pose(arm, np.zeros(3), start[None]))
    for iterate in ParticleStream(run).iterates(np.array([[0.0, 0.3, 0.9]])):
        turn = arrays.multiply(arrays.conjugate(start), iterate.estimate.rotations[0])
        np.testing.assert_allclose(turn[2:], 0.0, atol=1e-12)


def test_slack_does_not_drift_in_the_filter():
    # the twist of a joint of two axes with some slack stays within three deviations of it.
    run = tracker(
        Skeleton.chain(3),
        covariance=dict.fromkeys(("joint_1", "joint_2", "joint_3"), (1.0, 0.05, 1.0)),
        schedule="constant", noise=0.1, iterations=500, tolerance=0.0,
    )  # fmt: skip
    run.solve(np.array([[0.3, 0.2, 0.3]]))
    q = particles_of(run).local
    twist = arrays.wrap(2.0 * np.arctan2(q[..., 2], q[..., 0]))
    assert 0.01 < np.abs(twist).max() <= 2.0 * 3.0 * 0.05 + 1e-9


def test_targets_of_their_own_are_needed():
    with pytest.raises(InputError, match="a position `at` of the task 'look tip'"):
        tracker(ARM, [Reach("tip"), LookAt("tip")])
    with pytest.raises(InputError, match="a pose `like` of the task 'posture'"):
        tracker(ARM, [Reach("tip"), Posture()])
    with pytest.raises(InputError, match="same skeleton, with 4 joints; got one with 2"):
        tracker(ARM, [Posture(like=Pose(Skeleton.chain(2), np.zeros(3), arrays.identity(2)))])
    with pytest.raises(InputError, match="hinge to couple"):
        tracker(ARM, [Reach("tip"), Coupling("joint_1", "joint_2")])
