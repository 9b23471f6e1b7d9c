"""Every kind of task for every solver that follows derivatives, and strict levels of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError
from sixpoint.formats.urdf import load_robot
from sixpoint.tasks import (
    Balance,
    Floor,
    LookAt,
    PlacesFunction,
    PoseFunction,
    Reach,
    SelfCollision,
    Task,
)

PERSON = sp.Skeleton.humanoid(1.75)
REST = PERSON.rest()[0]
TAKERS = ("dls", "dls-svd", "sdls", "pseudoinverse", "jacobian-transpose", "pik")
SOLES = ((-0.12, -0.1), (0.12, -0.1), (0.12, 0.2), (-0.12, 0.2))


def at(role: str) -> np.ndarray:
    """Where a person's joint is at rest [m]."""
    return REST[PERSON.anatomy.node(role)]


def away(x: float, y: float, z: float) -> np.ndarray:
    """A goal for the left wrist, as seen from where it is at rest (1, 3) [m]."""
    return at("l_wrist")[None] + np.array((x, y, z))


@pytest.mark.parametrize("name", TAKERS)
def test_several_kinds_at_once(name):
    tasks: list[Task] = [
        Reach("l_wrist"),
        LookAt("head", at=(2.0, 1.6, 2.0)),
        Balance(over=SOLES),
        Floor("r_wrist", height=1.0),
        Floor("l_elbow", height=1.2, lifts=True),
        SelfCollision(),
    ]
    tracker = sp.solver(name).prepare(PERSON, tasks=tasks)
    solution = tracker.solve(away(0.2, 0.35, 0.35))
    assert solution.converged
    assert set(solution.tasks) == {task.label for task in tasks}
    # Not by what the solver says of itself.
    assert tasks[1].residual_norm(solution.pose) < 2e-4
    assert solution.pose.world()[0][PERSON.anatomy.node("r_wrist"), 1] == pytest.approx(
        1.0, abs=4e-4
    )
    assert solution.pose.world()[0][PERSON.anatomy.node("l_elbow"), 1] > 1.2 - 4e-4
    assert tasks[2].residual_norm(solution.pose) < 4e-4


@pytest.mark.parametrize("name", ["dls", "pik"])
def test_what_is_not_met_is_told(name):
    tasks = [Reach("l_wrist"), Floor("l_wrist", height=0.2)]
    tracker = sp.solver(name).prepare(PERSON, tasks=tasks)
    result = tracker.solve_clip(sp.Points(("l_wrist",), at("l_wrist")[None, None], 60.0))
    assert not tracker.solve(at("l_wrist")[None]).converged
    assert any("'floor l_wrist' is not met in 1 of 1 frames" in w for w in result.report.warnings)


CONFLICT: dict[str, Task] = {
    "reach l_wrist": Reach("l_wrist"),
    "floor l_wrist": Floor("l_wrist", height=0.4),
    "balance": Balance(over=((0.0, -0.03),)),
}
"""Tasks that cannot be met together: a hand far out, the same near the ground, and balance."""
FAR = away(0.6, 0.4, 0.5)


@cache
def conflict(*priorities: int) -> dict[str, float]:
    """What each task lacks at these levels."""
    pairs = zip(CONFLICT.values(), priorities, strict=True)
    tasks = [replace(task, priority=level) for task, level in pairs]  # type: ignore[call-arg]
    tracker = sp.solver("pik").prepare(PERSON, tasks=tasks)
    solutions = [tracker.solve(FAR) for _ in range(3)]
    assert not solutions[-1].converged
    return dict(solutions[-1].tasks)


@pytest.mark.parametrize(
    ("priorities", "first"),
    [((1, 2, 3), "reach l_wrist"), ((2, 1, 3), "floor l_wrist"), ((2, 3, 1), "balance")],
)
def test_levels_decide_who_wins(priorities, first):
    missed = conflict(*priorities)
    others = [conflict(*p)[first] for p in ((1, 2, 3), (2, 1, 3), (2, 3, 1)) if p != priorities]
    assert missed[first] < min(others) + 1e-4
    assert max(missed.values()) > 0.05
    if first != "reach l_wrist":  # which is out of reach for all
        assert missed[first] < 4e-4


def test_a_lower_level_never_worsens_a_higher_one():
    rng = np.random.default_rng(3)
    feet = [Reach("l_ankle", priority=0), Reach("r_ankle", priority=0)]
    tasks = [
        *feet,
        Balance(over=SOLES, priority=1),
        Reach("l_wrist", priority=2),
        LookAt("head", at=(-3.0, 1.0, -1.0), priority=3),
    ]
    tracker = sp.solver("pik", root="free", iterations=20).prepare(PERSON, tasks=tasks)
    pinned = np.array([at("l_ankle"), at("r_ankle")])
    for _ in range(6):  # wild goals, most of them out of reach
        goal = at("l_wrist") + rng.normal(size=3) * 0.8
        for _ in range(6):
            solution = tracker.solve(np.vstack([pinned, goal]))
        assert solution.residuals[:2].max() < 4e-4
        assert tasks[2].residual_norm(solution.pose) < 4e-4


def test_still_goals_come_to_rest_reachable_or_not():
    feet = [Reach("l_ankle", priority=0), Reach("r_ankle", priority=0)]
    tasks = [*feet, Balance(over=SOLES, priority=1), Reach("l_wrist", priority=2)]
    for far in ((0.3, 0.4, 0.3), (1.5, 0.9, 0.9), (0.4, 1.5, -0.3)):
        tracker = sp.solver("pik", root="free", iterations=5).prepare(PERSON, tasks=tasks)
        goals = np.array([at("l_ankle"), at("r_ankle"), *away(*far)])
        places = np.array([tracker.solve(goals).pose.world()[0] for _ in range(120)])
        assert np.ptp(places[80:], axis=0).max() < 0.001


def test_gaze_is_a_level():
    goal = away(0.2, 0.5, 0.6)
    misses = []
    for look in ([], [LookAt("head", at=(0.5, 1.2, 2.0), priority=2)]):
        tracker = sp.solver("pik").prepare(PERSON, tasks=[Reach("l_wrist"), *look])
        solution = tracker.solve(goal)
        misses.append(solution.residuals[0])
        assert solution.converged
    assert max(misses) < 4e-4
    assert look[0].residual_norm(solution.pose) < 4e-4


ROBOT = """<robot name="biped"><link name="pelvis"/>
{legs}
<link name="torso"><inertial><mass value="20"/><origin xyz="0 0 0.3"/></inertial></link>
<joint name="waist" type="spherical"><parent link="pelvis"/><child link="torso"/>
<origin xyz="0 0 0.1"/></joint>
<link name="arm"/><joint name="shoulder" type="spherical"><parent link="torso"/>
<child link="arm"/><origin xyz="0 0 0.5"/></joint>
<link name="hand"/><joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/>
<origin xyz="0.5 0 0"/></joint></robot>"""
LEG = """<link name="{s}_thigh"/><joint name="{s}_hip" type="spherical"><parent link="pelvis"/>
<child link="{s}_thigh"/><origin xyz="0 {y} 0"/></joint>
<link name="{s}_shank"/><joint name="{s}_knee" type="spherical"><parent link="{s}_thigh"/>
<child link="{s}_shank"/><origin xyz="0 0 -0.4"/></joint>
<link name="{s}_foot"/><joint name="{s}_ankle" type="fixed"><parent link="{s}_shank"/>
<child link="{s}_foot"/><origin xyz="0 0 -0.4"/></joint>"""


def in_the_ball(places: np.ndarray) -> np.ndarray:
    """How deep the middle of a chain is in a ball [m], of many poses at once."""
    return np.maximum(0.3 - np.linalg.norm(places[:, 2] - (0.0, 0.5, 0.0), axis=1), 0.0)


@pytest.mark.parametrize("name", ["dls", "pik"])
def test_functions_need_no_derivatives(name):
    arm = sp.Skeleton.chain(4)
    tracker = sp.solver(name).prepare(arm, tasks=[Reach("tip"), PlacesFunction(in_the_ball)])
    goal = np.array([[0.4, 0.5, 0.2]])
    solution = tracker.solve(goal)
    assert solution.converged
    places = solution.pose.world()[0]
    assert np.linalg.norm(places[arm.index("tip")] - goal[0]) < 2e-4
    assert in_the_ball(places[None])[0] < 2e-4
    level = PoseFunction(lambda pose: pose.world()[0][4, [1, 0]] - (0.3, 0.4))
    tracker = sp.solver(name).prepare(arm, tasks=[level])
    assert tracker.solve(np.zeros((0, 3))).converged
    assert np.abs(level.measure(tracker.solve(np.zeros((0, 3))).pose)).max() < 2e-4


def test_functions_have_levels():
    arm = sp.Skeleton.chain(4)
    goal = np.array([[0.4, 0.5, 0.2]])
    low = PoseFunction(lambda pose: pose.world()[0][arm.index("tip"), 1] - 0.2)
    missed = {}
    for first in (True, False):
        task = replace(low, priority=1 if first else 3)
        tracker = sp.solver("pik").prepare(arm, tasks=[Reach("tip", priority=2), task])
        solution = tracker.solve(goal)
        assert not solution.converged
        missed[first] = solution.residuals[0], abs(float(low.measure(solution.pose)[0]))
    assert missed[True][1] < 2e-4  # the height, then the place
    assert missed[True][0] == pytest.approx(0.3, abs=1e-3)
    assert missed[False][0] < 2e-4
    assert missed[False][1] == pytest.approx(0.3, abs=1e-3)


def test_functions_that_fail_are_named():
    def broken(places):
        raise ValueError("no such pose")

    with pytest.raises(InputError, match="the task 'broken' to judge a pose; it raised ValueError"):
        sp.solver("pik").prepare(sp.Skeleton.chain(3), tasks=[PlacesFunction(broken)])


@pytest.fixture(scope="module")
def biped(tmp_path_factory):
    """A robot of one's own: two legs, a trunk and an arm."""
    legs = "".join(LEG.format(s=side, y=y) for side, y in (("l", 0.1), ("r", -0.1)))
    path = tmp_path_factory.mktemp("robot") / "biped.urdf"
    path.write_text(ROBOT.format(legs=legs))
    return load_robot(path)


def test_a_robot_balances_on_its_feet(biped):  # the four levels of Boulic et al. 2006
    skeleton = biped.skeleton
    rest = skeleton.rest()[0]
    nodes = {name: rest[skeleton.articulation.node(name)] for name in ("l_foot", "r_foot", "hand")}
    feet = [Reach(name, priority=0) for name in ("l_foot", "r_foot")]
    under = [nodes["l_foot"], nodes["r_foot"]]
    soles = tuple(
        (x + dx, z + dz) for x, _, z in under for dx in (-0.05, 0.12) for dz in (-0.04, 0.04)
    )
    balance = Balance(over=soles, priority=1)
    tasks = [*feet, balance, Reach("hand", priority=2)]
    drift = {}
    for kept in (True, False):
        chosen = tasks if kept else [*feet, tasks[3]]
        tracker = sp.solver("pik", root="free", iterations=50).prepare(
            skeleton, limits=biped.limits, tasks=chosen
        )
        for part in np.linspace(0.0, 1.0, 12):
            goal = nodes["hand"] + part * np.array((0.3, -0.3, 0.3))
            solution = tracker.solve(np.vstack([*under, goal]))
            drift[kept] = max(drift.get(kept, 0.0), balance.residual_norm(solution.pose))
            assert solution.residuals[:2].max() < 5e-4
        assert solution.residuals[2] < 0.01
    assert drift[True] < 5e-4
    assert drift[False] > 0.02  # without the task it would fall


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match=r"position `at` of the task 'look head'.*got none"):
        sp.solver("dls").prepare(PERSON, tasks=[LookAt("head")])
    with pytest.raises(InputError, match="level of 'floor l_wrist' to be an integer >= 0, got -2"):
        sp.solver("pik").prepare(PERSON, tasks=[Floor("l_wrist", priority=-2)])
    with pytest.raises(InputError, match="`root` to be one of held, free"):
        sp.solver("pik", root="loose")
    with pytest.raises(InputError, match="knows only its weight"):
        sp.solver("pik").prepare(PERSON, tasks=[LookAt("head", at=(1, 1, 1), covariance=(1, 2, 1))])
