"""What trackers of any skeleton refuse, and in which words."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from figures import FIGURES
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.limits import FixedLimit, Limits
from sixpoint.motion.points import Points
from sixpoint.tasks import Posture, Reach

CHAIN = Skeleton.chain(5)
TREE = Skeleton.tree(2, 3)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"names": ("toe",)}, UnknownName, "No joint 'toe'"),
        ({"names": ()}, InputError, "one point or more, each once; got none"),
        ({"names": ("tip", "tip")}, InputError, "each once; got tip, tip"),
        ({"tasks": ()}, InputError, "one point or more, each once; got none"),
        ({"tasks": (Reach("toe"),)}, UnknownName, "No joint 'toe'"),
        ({"tasks": (Posture(),)}, InputError, "pose `like` of the task 'posture'.*got none"),
        ({"tasks": (Reach("tip"), Reach("tip"))}, InputError, "one Reach task for 'tip', got two"),
        ({"tasks": ("tip",)}, InputError, "of Reach, Orient, .*, FunctionTask; got str"),
        (
            {"tasks": (Reach("tip"),), "names": ("joint_2",)},
            InputError,
            "hold every point of a task; got joint_2, without tip",
        ),
        ({"rate": 0.0}, InputError, "positive `rate` in Hz, got 0.0"),
        (
            {"limits": Limits({"knee": FixedLimit()})},
            UnknownName,
            r"No joint to limit 'knee'.* joint_1",
        ),
    ],
)
def test_senseless_questions_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        sp.solver("dls").prepare(CHAIN, **options)


def test_limits_of_joints_that_are_not_there_are_refused_for_people_too():
    with pytest.raises(UnknownName, match="No joint to limit 'tail'"):
        sp.solver("sik").prepare(FIGURES["person"], limits=Limits({"tail": FixedLimit()}))


def test_solvers_of_people_take_no_tasks():
    with pytest.raises(InputError, match="solver of any skeleton for `tasks`, got 'sik'"):
        sp.solver("sik").prepare(FIGURES["person"], tasks=[Reach("head")])


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 4), (1, 1, 3)])
def test_targets_of_wrong_shape_are_refused(shape):
    with pytest.raises(InputError, match=r"shape \(1, 3\) in the order tip; got shape"):
        sp.solver("dls").prepare(CHAIN).solve(np.zeros(shape))


def test_points_that_lack_a_name_are_refused():
    tracker = sp.solver("dls").prepare(TREE)
    with pytest.raises(InputError, match="the 2 points tip_1, tip_2; got tip_1, without tip_2"):
        tracker.solve_clip(Points(("tip_1",), np.zeros((1, 1, 3)), 60.0))
    with pytest.raises(InputError, match="one frame of points, got 2"):
        tracker.solve(Points(("tip_1", "tip_2"), np.zeros((2, 2, 3)), 60.0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"iterations": 0}, "`iterations` in"),
        ({"tolerance": -1.0}, "`tolerance` in"),
        ({"least_gain": 2.0}, "`least_gain` <= 1"),
        ({"damping": -0.1}, "`damping` >= 0"),
        ({"joint_step": 0.0}, "`joint_step` > 0"),
        ({"damping": np.nan}, "`damping` >= 0"),
    ],
)
def test_senseless_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        sp.solver("dls", **settings)


@pytest.mark.parametrize("name", ["ccd", "dls", "pik", "mass-spring"])
def test_two_tasks_of_one_kind_on_one_point_are_refused(name: str):
    tasks = [Reach("tip", priority=0), Reach("tip", priority=1)]
    with pytest.raises(InputError, match="one Reach task for 'tip', got two or more"):
        sp.solver(name).prepare(Skeleton.chain(3), tasks=tasks)


@pytest.mark.parametrize("name", ["ccd", "kma", "pik"])
def test_iterations_are_whole_numbers(name: str):
    for bad in (2.5, True, "many"):
        with pytest.raises(InputError, match="`iterations` to be a whole number"):
            sp.solver(name, iterations=bad)


@pytest.mark.parametrize("length", ["a", None, ["a", 1.0, 2.0]])
def test_lengths_of_chains_are_numbers(length: object):
    with pytest.raises(InputError, match="`length` in metres"):
        Skeleton.chain(3, length)
