"""Prioritized IK: strict levels, limits as equalities, posture; what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixpoint as sp
from figures import FIGURES, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.limits import FlexionLimit, Limits, SwingTwistLimit, adult_limits
from sixpoint.motion.points import SIX, Points
from sixpoint.motion.pose import Pose
from sixpoint.solvers import StopReason
from sixpoint.solvers.articulated.build import new_pose, skeleton_model
from sixpoint.solvers.articulated.context import SkeletonContext
from sixpoint.solvers.articulated.model import (
    POSITION,
    Targets,
    joint_axes,
    model_forward,
    task_jacobian,
    task_residuals,
)
from sixpoint.solvers.jacobian.priority import PrioritizedSolver
from sixpoint.solvers.jacobian.priority_descent import is_blind
from sixpoint.solvers.jacobian.priority_step import (
    adapt_damping,
    cap_rotations,
    hold_limits,
    limited_step,
    new_work,
    release_joints,
    scale_tasks,
    take_step,
)
from sixpoint.solvers.settings import settings_record
from sixpoint.solvers.tracker import count_violations
from sixpoint.tasks import Orient, Posture, Reach

ARM = Skeleton.chain(3, 3.0, kind="hinge", bone=(1.0, 0.0, 0.0))
"""A planar arm: three unit links, hinges about Z."""
ANGLES = np.array((0.3, 0.5, 0.4))
CHAIN = Skeleton.chain(6)
TREE = Skeleton.tree(2, 3, trunk=2)


def context_of(skeleton: Skeleton, limits: Limits) -> SkeletonContext:
    """One end effector at the tip, undamped, without a posture."""
    body = skeleton.articulation
    model = skeleton_model(body, limits, [body.node("tip")], [(POSITION, 0, 1.0)])
    numbers = sp.solver("pik", damping=0.0, task_step=10.0, cut=1e-6, posture=0.0).numbers()
    return SkeletonContext(
        settings_record(numbers)[0], model, new_pose(model), new_work(model, [0])
    )


class Step:
    """One step of the arm, undamped, towards a change of its tip."""

    def __init__(self, change, limits: Limits | None = None) -> None:
        body = ARM.articulation
        self.context = c = context_of(ARM, limits or Limits({}))
        self.work, self.ladder = c.scratch, c.scratch.ladder
        c.pose.local[:] = body.to_rest(body.rotations(ANGLES))
        model_forward(c.model, c.pose)
        targets = Targets(c.pose.effectors + np.array([(*change, 0.0)]), np.full((1, 4), np.nan))
        task_residuals(c.model, c.pose, targets, self.ladder.residual)
        joint_axes(c.model, c.pose, self.work.axes, False)
        task_jacobian(c.model, c.pose, self.work.axes, self.ladder.jacobian)
        scale_tasks(c, targets)
        release_joints(c, False)

    def run(self) -> np.ndarray:
        limited_step(self.context, self.context.settings.task_step, math.inf)
        return self.ladder.step

    @property
    def tip_change(self) -> np.ndarray:
        """What the step changes to first order."""
        return self.context.model.size[0] * (self.ladder.jacobian @ self.ladder.step)[:2]


def near(*values: float, tolerance: float = 1e-5):
    return pytest.approx(values, abs=tolerance)


# Golden numbers


def test_a_step_of_the_arm():
    step = Step((-0.1, 0.05))
    assert step.run() == near(-0.005586, 0.043443, 0.042069)
    assert step.tip_change == near(-0.1, 0.05)
    assert step.work.held.tolist() == [0, 0, 0]


def test_a_joint_on_its_limit_is_held_there_and_made_up_for():
    limits = Limits({ARM.names[1]: FlexionLimit(-1.0, 0.52, (0.0, 0.0, 1.0))})
    step = Step((-0.1, 0.05), limits)
    assert step.run() == near(0.002198, 0.020000, 0.067312)
    assert step.tip_change == near(-0.1, 0.05)
    assert step.work.held.tolist() == [0, 1, 0]
    take_step(step.context)
    local = step.context.pose.local
    assert 2.0 * math.atan2(local[1, 3], local[1, 0]) == pytest.approx(0.52, abs=1e-12)


def test_a_step_that_every_limit_forbids_is_none():
    limits = Limits(
        {n: FlexionLimit(a, a, (0.0, 0.0, 1.0)) for n, a in zip(ARM.names, ANGLES, strict=True)}
    )
    step = Step((-0.1, 0.05), limits)
    assert step.run() == near(0.0, 0.0, 0.0, tolerance=1e-12)
    assert step.work.held.tolist() == [1, 1, 1]


def test_a_ball_slides_along_its_boundary():
    cone = SwingTwistLimit.degrees(
        (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), {-180.0: 30.0, 180.0: 30.0}, (-90, 90)
    )
    chain = Skeleton.chain(1)
    c = context_of(chain, Limits({chain.names[0]: cone}))
    work = c.scratch
    c.pose.local[0] = arrays.from_axis_angle((1.0, 0.0, 0.0), math.radians(29.9))
    # Outwards and sideways at once: the first is held, the second is done.
    work.ladder.step[:] = (0.2, 0.0, 0.1)
    release_joints(c, False)
    assert hold_limits(c)
    assert work.held[0] == 1
    # Across the boundary: about X, mostly.
    assert abs(work.normal[0] @ (1.0, 0.0, 0.0)) > 0.85
    work.ladder.step[:] = (0.4, 0.0, 0.1)  # out again: now wholly
    assert hold_limits(c)
    assert work.held[0] == 3
    turned = arrays.multiply(arrays.from_rotvec(work.goal[0]), c.pose.local[0])
    assert cone.violation(turned) < 1e-9


def test_steps_are_capped_together():
    step = Step((0.0, 0.0))
    turns = np.array((0.1, -0.4, 0.2))
    assert cap_rotations(step.context.model, turns, 0.2) == pytest.approx(0.4)
    assert turns == near(0.05, -0.2, 0.1)


# Strict priorities


def conflict(name: str, seed: int, levels: int = 2) -> float:
    """By how much the first of several levels that cannot all be met misses [m]."""
    skeleton = FIGURES[name]
    body = skeleton.articulation
    rng = np.random.default_rng(seed)
    first = body.ends[seed % len(body.ends)]
    others = [node for node in (*body.ends, *skeleton.names[1:]) if node != first]
    picked = [first, *rng.choice(others, levels - 1, replace=False)]
    tasks = [Reach(node, priority=k + 1) for k, node in enumerate(picked)]
    # Stop rule and limits off, and enough steps.
    solver = PrioritizedSolver(iterations=3000, tolerance=0.0)
    tracker = solver.prepare(skeleton, limits=None, tasks=tasks)
    places = rng.normal(size=(levels, 3)) * 3.0 * skeleton.articulation.length
    pose = random_pose(skeleton, seed, spread=0.8)
    places[0] = pose.world()[0][body.node(first)] - pose.root + skeleton.offsets[0]
    solution = tracker.solve(places)
    assert not solution.converged
    assert solution.residuals[1] > 0.01 * skeleton.articulation.length
    return float(solution.residuals[0])


@pytest.mark.parametrize("name", ["balls", "hinges", "tree", "hand", "odd"])
def test_a_conflict_costs_the_higher_level_nothing(name: str):
    assert max(conflict(name, seed) for seed in range(12)) < 1e-6


@pytest.mark.parametrize("name", ["balls", "tree", "hand"])
def test_three_levels_in_conflict(name: str):
    assert max(conflict(name, seed, levels=3) for seed in range(6)) < 1e-6


def test_priorities_say_who_wins():
    apart = np.array([(0.75, 0.45, 0.0), (-0.75, 0.45, 0.0)])  # one end or the other
    body = TREE.articulation
    for winner, loser in (("tip_1", "tip_2"), ("tip_2", "tip_1")):
        solver = sp.solver("pik", priorities={winner: 0, loser: 1})
        solution = solver.prepare(TREE).solve(apart)
        met, missed = (solution.residuals[body.ends.index(n)] for n in (winner, loser))
        assert met < 2e-3
        assert missed > 0.1


def test_points_without_a_level_come_last():
    solver = sp.solver("pik", priorities={"tip_2": 3})
    assert solver.levels_of(("tip_1", "tip_2", "x")) == [4, 3, 4]
    assert sp.solver("pik").levels_of(("a", "b")) == [0, 0]


def test_one_level_shares_what_cannot_be_met():
    apart = np.array([(2.0, 0.3, 0.0), (-2.0, 0.3, 0.0)])
    residuals = sp.solver("pik").prepare(TREE).solve(apart).residuals
    alone = sp.solver("pik", priorities={"tip_1": 0}).prepare(TREE).solve(apart).residuals
    assert alone[0] + 0.2 < residuals.min()
    assert residuals.max() + 0.2 < alone[1]


def test_rotations_and_places_have_levels_too():
    turn = arrays.from_axis_angle((1.0, 0.0, 0.0), 1.0)
    tasks = [Orient("tip", priority=1), Reach("tip", priority=2)]
    tracker = PrioritizedSolver(iterations=2000, tolerance=0.0).prepare(CHAIN, tasks=tasks)
    far = Points(("tip",), [[(3.0, 0.0, 0.0)]], 60.0, rotations=[[turn]])
    solution = tracker.solve(far)
    assert solution.rotation_residuals is not None
    assert solution.rotation_residuals[0] < 1e-5
    assert solution.residuals[0] > 2.0
    tracker = sp.solver("pik").prepare(CHAIN, tasks=tasks)
    reachable = Points(("tip",), [[(0.3, 0.5, 0.1)]], 60.0, rotations=[[turn]])
    assert tracker.solve(reachable).converged


def test_people_reach_with_the_pelvis_before_the_head():
    clip = builtin("reach")
    points = clip.points()
    places = points.positions.copy()
    places[:, 1] += (0.0, 0.5, 0.0)  # a head that is out of reach
    result = sp.reconstruct(Points(points.names, places, points.rate), clip.skeleton, "pik")
    assert result.residuals[10:, 0].max() < 1e-3
    assert result.residuals[10:, 1].min() > 0.3
    head_first = sp.solver("pik", priorities={"head": 0})
    result = sp.reconstruct(Points(points.names, places, points.rate), clip.skeleton, head_first)
    assert np.median(result.residuals[10:, 1]) < 1e-3


# Limits and posture


@pytest.mark.parametrize("seed", range(4))
def test_clamped_joints_never_pass_their_limits(seed: int):
    person = FIGURES["person"]
    limits = adult_limits(person)
    rng = np.random.default_rng(seed)
    rest = person.rest()[0][[person.anatomy.node(name) for name in SIX]]
    places = rest + rng.normal(size=(40, len(SIX), 3)) * 10.0 ** rng.uniform(-2, 1, (40, 1, 1))
    result = sp.reconstruct(Points(SIX, places, 60.0), person, "pik", limits=limits)
    assert count_violations(result.motion, limits) == 0


def test_what_is_left_is_drawn_to_the_posture():
    target = np.array([(0.3, 0.55, 0.2)])
    start = random_pose(CHAIN, 3, spread=1.0)
    bends = {}
    for pull in (0.0, 0.1):
        tracker = sp.solver("pik", posture=pull).prepare(CHAIN)
        tracker.reset(start)
        for _ in range(60):
            solution = tracker.solve(target)
        assert solution.converged
        turns = CHAIN.articulation.to_rest(solution.pose.rotations)
        bends[pull] = arrays.angle_between(turns, arrays.identity()).sum()
    assert bends[0.1] < 0.8 * bends[0.0]


def test_elbows_stay_behind_and_knees_in_front():
    clip = builtin("squat")
    result = sp.reconstruct(clip.points(), clip.skeleton, "pik")
    local = clip.skeleton.anatomy.to_anatomical(result.motion.rotations)
    for role, sign in (("l_elbow", -1.0), ("r_elbow", -1.0), ("l_knee", 1.0), ("r_knee", 1.0)):
        hinge = local[:, clip.skeleton.anatomy.node(role)]
        assert (sign * 2.0 * np.arctan2(hinge[:, 1], hinge[:, 0]) > -1e-6).all()


def test_a_straight_chain_finds_out_of_its_line():
    solution = sp.solver("pik").prepare(CHAIN).solve(np.array([(0.0, 0.5, 0.0)]))
    assert solution.converged


def test_a_task_along_a_straight_chain_sees_no_way():
    step = Step((0.0, 0.0))
    step.ladder.residual[:] = (0.0, 0.0, 1.0)  # out of the plane
    assert is_blind(step.context)
    step.ladder.residual[:] = (0.0, 1.0, 0.0)
    assert not is_blind(step.context)


def test_levels_that_come_no_nearer_are_damped_more():
    step = Step((-0.1, 0.05))
    ladder = step.ladder
    ladder.residual[:] = (0.1, 0.0, 0.0)
    adapt_damping(step.context, 0.0)
    adapt_damping(step.context, 0.0)  # the same error again
    assert (ladder.damping_scale > 1.0).all()
    before = ladder.damping_scale.copy()
    ladder.residual[:] *= 0.5
    adapt_damping(step.context, 0.0)
    assert (ladder.damping_scale < before).all()


def test_out_of_reach_it_points_at_the_target():
    solution = sp.solver("pik").prepare(CHAIN).solve(np.array([(0.0, 0.0, -3.0)]))
    assert solution.stop is StopReason.UNREACHABLE
    assert solution.residuals[0] == pytest.approx(2.0, abs=0.01)


# What is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"damping": -1.0}, "Expected `damping` >= 0, got -1.0"),
        ({"cut": math.nan}, "Expected `cut` >= 0"),
        ({"task_step": 0.0}, "Expected `task_step` > 0"),
        ({"joint_step": math.inf}, "Expected `joint_step` > 0"),
        ({"posture": 2.0}, r"Expected `posture` in \[0, 1\], got 2.0"),
        ({"give": (1.0, 0.0, 1.0)}, r"`give` to be three numbers in \(0, 1\]"),
        ({"give": (1.0, 1.0)}, "`give` to be three numbers"),
        ({"priorities": 5}, "mapping of points to levels, got 5"),
        ({"priorities": [("tip",)]}, "mapping of points to levels"),
        ({"priorities": {}}, "at least one point in `priorities`"),
        ({"priorities": {"tip": -1}}, "level of 'tip' to be an integer >= 0, got -1"),
        ({"priorities": {"tip": 1.5}}, "integer >= 0, got 1.5"),
        ({"priorities": {"tip": True}}, "integer >= 0, got True"),
        (
            {"priorities": [("tip", 1), ("tip", 2)]},
            "one level for 'tip' in `priorities`, got 1 and 2",
        ),
    ],
)
def test_senseless_settings_are_refused(options, words: str):
    with pytest.raises(InputError, match=words):
        sp.solver("pik", **options)


def test_priorities_of_unknown_points_are_refused():
    with pytest.raises(UnknownName, match="elbow"):
        sp.solver("pik", priorities={"elbow": 0}).prepare(CHAIN)
    with pytest.raises(UnknownName, match="l_elbow"):
        sp.solver("pik", priorities={"l_elbow": 0}).prepare(FIGURES["person"])


def test_conflicting_priorities_are_refused():
    solver = sp.solver("pik", priorities={"tip_1": 0})
    with pytest.raises(InputError, match="conflicting ones in both"):
        solver.prepare(TREE, tasks=[Reach("tip_1", priority=2), Reach("tip_2")])
    solver.prepare(TREE, tasks=[Reach("tip_1"), Reach("tip_2")])  # the usual ones do not conflict
    with pytest.raises(InputError, match="integer >= 0"):
        sp.solver("pik").prepare(TREE, tasks=[Reach("tip_1", priority=-3)])


def test_tasks_that_are_not_known_are_refused():
    reach = Reach("tip")
    with pytest.raises(InputError, match="a target for the task 'posture', got none"):
        sp.solver("pik").prepare(CHAIN, tasks=[reach, Posture()])
    rest = random_pose(CHAIN, 1)
    with pytest.raises(
        InputError, match="at most one Posture without a `priority` beside them; got 0 and 1"
    ):
        sp.solver("pik").prepare(CHAIN, tasks=[Posture(like=rest)])
    with pytest.raises(InputError, match="got 1 and 2"):
        sp.solver("pik").prepare(CHAIN, tasks=[reach, Posture(like=rest), Posture(like=rest)])
    other = random_pose(Skeleton.chain(3), 1)
    with pytest.raises(InputError, match="of the same skeleton"):
        sp.solver("pik").prepare(CHAIN, tasks=[reach, Posture(like=other)])


def test_a_posture_decides_what_points_leave_open():
    chain = Skeleton.chain(6)
    like = Pose(chain, np.zeros(3), random_pose(chain, 3, 0.8).rotations)
    target = Reach("tip").measure(like)
    near = {}
    for name, tasks in {
        "none": [Reach("tip")],
        "weightless": [Reach("tip"), Posture(like=like, weight=0.0)],
        "drawn": [Reach("tip"), Posture(like=like)],
    }.items():
        tracker = sp.solver("pik").prepare(chain, tasks=tasks)
        for _ in range(200):
            found = tracker.solve(target[None])
        assert found.residuals[0] < 1e-3
        near[name] = float(np.abs(Posture(like=like).residual(found.pose)).max())
    assert near["drawn"] < 0.02
    assert min(near["none"], near["weightless"]) > 0.2
