"""Trackers of any skeleton: what they take, and what they answer."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from figures import CROSSED, FIGURES, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.errors import RolesNotFound
from sixpoint.kernels import arrays
from sixpoint.limits import FixedLimit, FlexionLimit, Limits, adult_limits, hand_limits
from sixpoint.motion.points import SIX, Points
from sixpoint.motion.pose import Pose
from sixpoint.solvers import SOLVERS, StopReason
from sixpoint.solvers.articulated.plan import ArticulatedPersonPlan, SkeletonPlan
from sixpoint.tasks import Floor, Orient, Reach

CHAIN = Skeleton.chain(5)
TREE = Skeleton.tree(2, 3)
Z = (0.0, 0.0, 1.0)


def tip_of(pose: Pose, name: str = "tip"):
    return pose.world()[0][pose.skeleton.articulation.node(name)]


# What is followed how


def test_a_skeleton_is_followed_by_its_ends():
    tracker = sp.solver("dls").prepare(TREE)
    assert isinstance(tracker.plan, SkeletonPlan)
    assert tracker.names == ("tip_1", "tip_2")
    assert tracker.plan.length == pytest.approx(1.0)
    assert len(tracker.limits) == 0


def test_a_person_is_followed_by_six_points_unless_others_are_asked_for():
    person = FIGURES["person"]
    dls = sp.solver("dls")
    assert isinstance(dls.prepare(person).plan, ArticulatedPersonPlan)
    more = dls.prepare(person, names=[*SIX[::-1], "extra"])
    assert isinstance(more.plan, ArticulatedPersonPlan)
    parts = dls.prepare(person, names=["l_wrist", "head"])
    assert isinstance(parts.plan, SkeletonPlan)
    assert set(parts.limits) == set(adult_limits(person))
    asked = dls.prepare(person, tasks=[Reach("l_wrist"), Orient("l_wrist"), Reach("head")])
    assert asked.names == ("l_wrist", "head")


@pytest.mark.parametrize("name", ["dls", "pik"])
def test_positions_and_rotations_alone_have_a_kernel_that_knows_no_other_tasks(name: str):
    """The tables of other tasks would slow each of its iterations by a third."""
    points = [Reach("tip"), Orient("tip")]
    method = sp.solver(name)
    plan = method.prepare(CHAIN, tasks=points).plan
    assert plan.kernel is method.solve_skeletons
    assert plan.new_context(60.0).scratch.tasks is None
    plan = method.prepare(CHAIN, tasks=[*points, Floor("tip")]).plan
    assert plan.kernel is method.solve_tasks
    assert len(plan.new_context(60.0).scratch.tasks.kind) == 3


def test_both_kernels_answer_alike_where_other_tasks_ask_for_nothing():
    deep = Floor("tip", height=-9.0, lifts=True)
    target = np.array([(0.5, 0.3, 0.4)])
    alone, beside = (
        sp.solver("dls").prepare(CHAIN, tasks=tasks).solve(target)
        for tasks in ([Reach("tip")], [Reach("tip"), deep])
    )
    assert alone.iterations == beside.iterations
    np.testing.assert_allclose(alone.pose.rotations, beside.pose.rotations, atol=1e-12)


def test_a_rig_that_is_no_person_is_not_taken_for_one():
    with pytest.raises(RolesNotFound):
        sp.solver("dls").prepare(CHAIN, names=SIX)
    with pytest.raises(RolesNotFound):
        sp.reconstruct(builtin("squat").points(), CHAIN, "dls")
    with pytest.raises(RolesNotFound):
        sp.solver("sik").prepare(CHAIN)


def test_the_stop_rule_depends_on_what_is_followed():
    def rule(solver: sp.Solver, skeleton: Skeleton, names=None) -> tuple[float, float, float]:
        settings = solver.prepare(skeleton, names=names).run.context.settings[0]
        return (settings.iterations, settings.tolerance, settings.least_gain)

    person = FIGURES["person"]
    published = sp.solver("dls", variant="paper")
    assert rule(published, person) == pytest.approx((20, 0.01 / 1.83, 0.001 / 1.83))
    assert rule(sp.solver("dls"), person) == pytest.approx((40, 0.001 / 1.83, 0.00005 / 1.83))
    assert rule(sp.solver("pik"), person) == pytest.approx((20, 0.001 / 1.83, 0.0001 / 1.83))
    for name in ("dls", "pik"):
        assert rule(sp.solver(name), person, ["head"]) == (500, 1e-4, -np.inf)
        said = sp.solver(name, iterations=7, tolerance=0.25, least_gain=0.0)
        for skeleton in (person, CHAIN):
            assert rule(said, skeleton) == (7, 0.25, 0.0)


# What is answered


@pytest.mark.parametrize("name", [n for n, kind in SOLVERS.items() if kind.capabilities.chains])
def test_a_target_is_met_and_said_to_be(name: str):
    # Springs turn joints back to their first pose as time goes on; here nothing shall move.
    settings = {"return_rate": 0.0} if name.startswith("mass-spring") else {}
    tracker = sp.solver(name, **settings).prepare(CHAIN)
    target = np.array((0.3, 0.4, -0.2))
    solution = tracker.solve(target[None])
    assert solution.converged
    assert solution.stop is StopReason.CONVERGED
    assert solution.missing == ()
    assert solution.rotation_residuals is None
    assert 0 < solution.iterations < 500
    away = float(np.linalg.norm(tip_of(solution.pose) - target))
    assert away == pytest.approx(solution.residuals[0], abs=1e-12)
    assert away < 1e-4
    again = tracker.solve(target[None])  # from where it is
    assert again.converged
    if name == "pik":  # its posture settles while targets rest
        assert again.iterations == 1
    else:
        assert again.iterations == 0
        assert (again.pose.rotations == solution.pose.rotations).all()


def test_targets_may_be_for_any_joint_in_any_order():
    pose = random_pose(CHAIN, 1, spread=0.5)
    names = ("joint_5", "tip", "joint_3")
    places = np.array([tip_of(pose, name) for name in names]) - pose.root
    tracker = sp.solver("dls").prepare(CHAIN, names=names)
    solution = tracker.solve(places)
    assert solution.residuals.max() < 1e-4
    other = Points(("joint_3", "unused", "joint_5", "tip"), places[[[2, 0, 0, 1]]], 60.0)
    result = tracker.solve_clip(other)
    assert np.isnan(result.residuals[0, 1])
    np.testing.assert_array_equal(result.residuals[0, [2, 3, 0]], solution.residuals)
    assert result.report.warnings == ("point 'unused' is not used by solver 'dls'",)
    assert sp.reconstruct(other.select(names), CHAIN, "dls").report.target_max_m == pytest.approx(
        solution.residuals.max()
    )


def test_the_root_stays_where_the_skeleton_has_it():
    far = Skeleton.chain(3)
    moved = Skeleton(
        far.names,
        far.parents,
        far.offsets + np.array([(1.0, 2.0, 3.0), (0, 0, 0), (0, 0, 0)]),
        far.site_names,
        far.site_parents,
        far.site_offsets,
    )
    solution = sp.solver("dls").prepare(moved).solve(np.array([(1.2, 2.5, 3.0)]))
    assert solution.pose.root.tolist() == [1.0, 2.0, 3.0]
    assert np.linalg.norm(tip_of(solution.pose) - (1.2, 2.5, 3.0)) < 1e-4


def test_bind_poses_are_where_skeletons_begin():
    odd = FIGURES["odd"]
    tracker = sp.solver("dls").prepare(odd)
    nothing = np.full((2, 3), np.nan)
    pose = tracker.solve(nothing).pose
    hinged = [odd.names.index(name) for name in odd.hinges]
    balls = [j for j in range(odd.joint_count) if j not in hinged]
    assert odd.bind is not None
    assert arrays.angle_between(pose.rotations, odd.bind)[balls].max() < 1e-7


def test_people_move_in_parts_within_their_limits():
    person = FIGURES["person"]
    names = ("l_wrist", "r_ankle")
    places = person.rest()[0][[person.articulation.node(name) for name in names]]
    places += np.array([(0.0, 0.4, 0.3), (0.0, 0.1, 0.2)])
    tracker = sp.solver("dls").prepare(person, names=names)
    solution = tracker.solve(places)
    assert solution.converged
    motion = tracker.solve_clip(Points(names, places[None], 60.0)).motion
    assert adult_limits(person).violations(motion).max() < 1e-9
    head = person.articulation.node("head")
    unmoved = person.anatomy.from_anatomical(arrays.identity(person.joint_count))
    np.testing.assert_allclose(solution.pose.rotations[head], unmoved[head], atol=1e-12)


def test_weights_decide_between_targets_that_conflict():
    apart = np.array([(0.2, 0.5, 0.0), (-0.2, 0.5, 0.0)])
    body = Skeleton(
        ("a", "b"),
        np.array((-1, 0)),
        np.array([(0, 0, 0), (0, 0.5, 0.0)]),
        ("left", "right"),
        np.array((1, 1)),
        np.array([(0, 0.5, 0), (0, 0.5, 0)]),
    )
    missed = {}
    for weight in (0.2, 1.0, 5.0):
        tasks = [Reach("left", weight), Reach("right")]
        missed[weight] = sp.solver("dls").prepare(body, tasks=tasks).solve(apart).residuals
    assert missed[1.0] == pytest.approx([0.2, 0.2], abs=1e-3)
    # The least of w^2 a^2 + b^2 with a + b = 0.4.
    assert missed[5.0] == pytest.approx([0.4 / 26.0, 10.0 / 26.0], abs=1e-3)
    assert missed[0.2] == pytest.approx([10.0 / 26.0, 0.4 / 26.0], abs=1e-3)


def test_a_task_of_no_weight_asks_for_nothing():
    tracker = sp.solver("dls").prepare(TREE, tasks=[Reach("tip_1"), Reach("tip_2", 0.0)])
    solution = tracker.solve(np.array([(0.2, 0.5, 0.1), (9.0, 9.0, 9.0)]))
    assert solution.converged
    assert solution.residuals[1] > 10.0


def test_rotations_are_targets_of_orient():
    pose = random_pose(CHAIN, 3, spread=0.5)
    tasks = [Reach("tip"), Orient("tip")]
    target = Points(
        ("tip",),
        [[tip_of(pose) - pose.root]],
        60.0,
        rotations=[[2.0 * pose.world()[1][-1]]],  # of any length
    )
    tracker = sp.solver("dls").prepare(CHAIN, tasks=tasks)
    solution = tracker.solve(target)
    assert solution.converged
    assert solution.rotation_residuals is not None
    assert solution.rotation_residuals[0] < 1e-4
    assert solution.residuals[0] < 1e-4
    assert arrays.angle_between(solution.pose.world()[1][-1], pose.world()[1][-1]) < 1e-4
    result = tracker.solve_clip(target)
    assert result.rotation_residuals is not None
    np.testing.assert_array_equal(result.rotation_residuals[0], solution.rotation_residuals)
    placed = tracker.solve(target.positions[0])  # places alone: no rotation is asked for
    assert placed.rotation_residuals is not None
    assert np.isnan(placed.rotation_residuals[0])


def test_rotations_alone_can_be_asked_for():
    turn = arrays.from_axis_angle((1.0, 0.0, 0.0), 0.8)
    tracker = sp.solver("sdls").prepare(CHAIN, tasks=[Orient("joint_3")])
    nowhere = np.full((1, 1, 3), np.nan)
    solution = tracker.solve(Points(("joint_3",), nowhere, 60.0, turn[None, None]))
    assert solution.converged
    assert solution.missing == ()
    assert arrays.angle_between(solution.pose.world()[1][2], turn) < 1e-3


def test_a_hand_touches_with_five_fingers():
    hand = Skeleton.hand()
    limits = hand_limits(hand)
    rng = np.random.default_rng(2)
    rest = arrays.identity(hand.joint_count)
    for joint, name in enumerate(hand.names):
        if name in limits and name != "wrist":
            rest[joint] = arrays.slerp(rest[joint], limits[name].sample(rng), 0.5)
    pose = Pose(hand, np.zeros(3), hand.articulation.from_rest(rest))
    tips = pose.world()[0][hand.joint_count :]
    for name in ("dls", "sdls"):
        result = sp.reconstruct(
            Points(hand.site_names, tips[None], 60.0), hand, name, limits=limits
        )
        assert result.report.limit_violations == 0
        assert result.report.target_max_m < 1e-3


# What cannot be


def test_targets_out_of_reach_are_reported_and_approached():
    tracker = sp.solver("sdls").prepare(CHAIN)
    solution = tracker.solve(np.array([(0.0, 0.0, 4.0)]))
    assert solution.stop is StopReason.UNREACHABLE
    assert solution.residuals[0] == pytest.approx(3.0, abs=1e-3)
    places = np.array([[(0.0, 0.0, 4.0)], [(0.0, 0.0, 0.5)], [(np.nan,) * 3]])
    result = tracker.solve_clip(Points(("tip",), places, 60.0))
    assert result.unreachable[:, 0].tolist() == [True, False, False]
    assert result.missing[:, 0].tolist() == [False, False, True]
    assert result.report.unreachable == 1
    assert result.report.missed == 0
    assert result.report.missing == {"tip": 1}


def test_a_target_that_is_no_place_is_missing():
    for name in ("dls", "ccd", "pik"):
        solution = sp.solver(name).prepare(CHAIN).solve(np.array([(np.inf, 0.0, 0.0)]))
        assert solution.missing == ("tip",)
        assert np.isnan(solution.residuals[0])


@pytest.mark.parametrize("name", ["ccd", "fabrik", "dls", "pik"])
def test_a_frame_without_a_target_meets_none(name: str):
    tracker = sp.solver(name).prepare(Skeleton.chain(4))
    found = tracker.solve(np.full((1, 3), np.nan))
    assert not found.converged
    assert found.stop is StopReason.STALLED
    assert np.isnan(found.residuals).all()


def test_targets_too_near_are_out_of_reach_too():
    chain = Skeleton.chain(2, (1.0, 0.25))
    solution = sp.solver("dls").prepare(chain).solve(np.array([(0.1, 0.0, 0.0)]))
    assert solution.stop is StopReason.UNREACHABLE
    assert solution.residuals[0] == pytest.approx(0.65, abs=0.01)


def test_limits_in_the_way_are_reported():
    arm = Skeleton.chain(2, kind="hinge")
    limits = Limits({name: FlexionLimit.degrees(0.0, 45.0, Z) for name in arm.names})
    tracker = sp.solver("dls").prepare(arm, limits=limits)
    target = np.array([(0.9, 0.0, 0.0)])  # on the other side of what the hinges can do
    solution = tracker.solve(target)
    assert not solution.converged
    assert solution.stop is StopReason.LIMITS_SATURATED
    result = tracker.solve_clip(Points(("tip",), [target, [(-0.5, 0.8, 0.0)]], 60.0))
    assert result.limited[:, 0].tolist() == [True, False]
    assert result.report.limited == 1
    assert result.report.missed == 1
    assert result.report.limit_violations == 0


def test_joints_that_are_fixed_do_not_turn():
    limits = Limits({"joint_1": FixedLimit()})
    tracker = sp.solver("dls").prepare(CHAIN, limits=limits)
    solution = tracker.solve(np.array([(0.3, 0.5, 0.2)]))
    assert solution.converged
    assert solution.pose.rotations[0].tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["dls", "sdls", "pseudoinverse", "jacobian-transpose"])
@pytest.mark.parametrize("height", [0.5, -0.5, 0.0, -1.0])
def test_straight_chains_fold_to_targets_on_their_own_line(name: str, height: float):
    for chain in (Skeleton.chain(4), Skeleton.chain(4, kind="hinge", axis=CROSSED)):
        solution = sp.solver(name).prepare(chain).solve(np.array([(0.0, height, 0.0)]))
        assert solution.residuals[0] < 0.01


def test_chains_that_were_stretched_fold_again():
    tracker = sp.solver("dls").prepare(CHAIN)
    tracker.solve(np.array([(0.0, 0.0, 3.0)]))
    assert tracker.solve(np.array([(0.0, 0.0, 0.4)])).converged


def test_a_budget_that_is_spent_is_said_to_be():
    solution = sp.solver("sdls", iterations=2).prepare(CHAIN).solve(np.array([(0.0, -0.5, 0.3)]))
    assert solution.iterations == 2
    assert solution.stop is StopReason.MAX_ITERATIONS


def test_an_iteration_that_brings_too_little_is_the_last():
    lazy = sp.solver("sdls", least_gain=0.5).prepare(CHAIN)
    solution = lazy.solve(np.array([(0.3, -0.5, 0.3)]))
    assert solution.iterations == 1
    assert solution.stop is StopReason.STALLED


def test_no_frames_give_no_poses():
    result = sp.solver("dls").prepare(CHAIN).solve_clip(Points(("tip",), np.zeros((0, 1, 3)), 60.0))
    assert len(result.motion) == 0
    assert result.report.frames == 0


def test_reset_forgets():
    tracker = sp.solver("dls").prepare(CHAIN)
    target = np.array([(0.2, 0.5, 0.1)])
    first = tracker.solve(target).pose.rotations
    tracker.solve(-target)
    tracker.reset()
    np.testing.assert_array_equal(tracker.solve(target).pose.rotations, first)
    tracker.warm_up()
    np.testing.assert_array_equal(tracker.solve(target).pose.rotations, first)
