"""Prioritized IK: any number of strict levels, limits as equalities, a posture for what is left.

Baerlocher and Boulic 2004, as Unzueta et al. 2008 compare with it (section 9): the pelvis comes
first, then the ankles, the wrists and the head, and all that they leave open is drawn to a relaxed
stance. Nothing that a lower level asks for ever costs a higher one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, cast

import numpy as np

from ...errors import InputError, UnknownName
from ...motion.points import SIX
from ...tasks import Orient, Posture, Reach, SelfCollision, Task
from ..articulated.build import anatomy_model, skeleton_model
from ..articulated.model import ORIENTATION, POSITION, Model
from ..articulated.plan import (
    ArticulatedPersonPlan,
    IterativeSettings,
    SkeletonPlan,
    StopRule,
    is_person,
)
from ..articulated.self_collision import collision_slots
from ..base import Capabilities, Solver
from ..people.plan import PAPER_HEIGHT, PersonSettings
from ..plan import Plan
from ..problem import Problem
from ..settings import Fraction, Interval, NonNegative, Number, Numbers, Positive, Triple
from ..start import check_prior, start_solver
from .priority_descent import solve_people, solve_skeletons
from .priority_step import PriorityWork
from .priority_tables import (
    HEAD,
    floating_joints,
    lumbar_joint,
    new_work,
    person_compliance,
    relaxed_posture,
)

Priorities = tuple[tuple[str, int], ...]
"""Points and their levels."""
ORDER: Priorities = (
    ("pelvis", 0),
    ("l_ankle", 1),
    ("r_ankle", 1),
    ("l_wrist", 2),
    ("r_wrist", 2),
    ("head", 3),
)
"""What comes first in the comparison of Unzueta et al. 2008."""


@dataclass(frozen=True, kw_only=True)
class PrioritizedSolver(IterativeSettings, PersonSettings, Solver):
    """Settings of prioritized IK; lengths are parts of the skeleton's size."""

    name: ClassVar[str] = "pik"
    title: ClassVar[str] = "Prioritized IK"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=True,
        missing=True,
        history=True,
        exact=True,
    )
    solve_people = solve_people
    solve_skeletons = solve_skeletons
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach, Orient, Posture, SelfCollision)
    # A millimetre and a tenth of it, ten times as strict as the rule of the other methods: damped
    # steps that end a centimetre short show no priorities.
    people_rule: ClassVar[StopRule] = StopRule(20, 0.001 / PAPER_HEIGHT, 0.0001 / PAPER_HEIGHT)

    priorities: Mapping[str, int] | Priorities | None = None
    """Level of each point, 0 or more, the least first: ``{"l_wrist": 0, "head": 1}``. Points that
    are not named come after all others. Default: pelvis, ankles, wrists, head; for other skeletons
    the priorities of tasks."""
    tolerance: Fraction | None = None
    """A largest error below this part of the size ends the frame. Default: 0.00055 for people (1 mm
    at 1.83 m), 0.0001 for other skeletons."""
    least_gain: Annotated[float, Interval(-math.inf, 1.0)] | None = None
    """A step that changes the sum of errors by less than this part of the size is the last.
    Default: 0.000055 for people (0.1 mm at 1.83 m), no such rule for other skeletons."""
    damping: NonNegative = 0.1
    """Singular values well below this hardly move a joint: how calm a stretched limb is."""
    task_step: Positive = 0.1 / PAPER_HEIGHT
    """Most that a point is to move in one step. One that is nearer is damped less."""
    joint_step: Positive = math.radians(45.0)
    """Most that a joint turns in one step [rad]."""
    cut: NonNegative = 1e-3
    """Directions with singular values below this are left to lower levels."""
    posture: Fraction = 0.1
    """Part of the way to the relaxed posture in each step, as far as no point is moved by it. Other
    skeletons are drawn to the pose of a `Posture` task, where there is one, times its weight."""
    towards: Literal["stance", "sik", "guided"] = "stance"
    """That posture of a person: the relaxed stance, or the pose of sequential IK or of the guided
    solver in the same frame, whose pelvis is taken for the estimate then."""
    bent: NonNegative = 0.6
    """Bend of elbows and knees in the relaxed stance of a person [rad]."""
    give: Annotated[Triple, Numbers(3, Interval(0.0, 1.0, above=True))] = (0.2, 0.3, 0.2)
    """How readily pelvis, spine and clavicles of a person turn, compared with arms and legs. The
    paper has (1, 1, 1): clavicles then do what shoulders should."""

    def check(self) -> None:
        """Refuse two solvers that go first, a model that nobody would read, and odd priorities."""
        first = self._first_names
        if len(first) > 1:
            raise InputError(
                "Expected one solver to go first, got start="
                f"{self.start!r} and towards={self.towards!r}."
            )
        check_prior(self, self.prior, "guided" in first, 'start="guided"')
        if self.priorities is not None:
            object.__setattr__(self, "priorities", _pairs(self.priorities))

    @property
    def first(self) -> Solver | None:
        """The solver that goes first, if there is one: for the start, the posture or both."""
        return next((start_solver(name, self, self.prior) for name in self._first_names), None)

    @property
    def _first_names(self) -> set[str]:
        return {name for name in (self.start, self.towards) if name in ("sik", "guided")}

    def levels_of(self, names: Sequence[str], usual: Priorities = ()) -> list[int]:
        """Return the level of each point."""
        levels = dict(cast(Priorities, self.priorities or usual))
        for name in levels:
            if name not in names:
                raise UnknownName("point to give a priority", name, names)
        last = max(levels.values(), default=-1) + 1
        return [levels.get(name, last) for name in names]

    def numbers(self) -> dict[str, Number]:
        """Return the settings that kernels read as numbers."""
        own = super().numbers()
        names = ("start", "towards", "damping", "task_step", "joint_step", "cut", "posture")
        return {name: own[name] for name in names}

    def plan(self, problem: Problem) -> Plan:
        """Return the tables and the kernel for one skeleton."""
        kind = PrioritizedPersonPlan if is_person(problem) else PrioritizedSkeletonPlan
        return kind(self, problem)


class PrioritizedPersonPlan(ArticulatedPersonPlan):
    """A person whose pelvis moves like all other joints."""

    solver: PrioritizedSolver

    def new_model(self) -> Model:
        """Return the person as a model, its tasks in the order of their levels."""
        levels = self.solver.levels_of(SIX, ORDER)
        order = sorted(range(len(SIX)), key=levels.__getitem__)
        # The rotation of the head, where it is known, comes after all positions.
        tasks = [(POSITION, point, 1.0) for point in order] + [(ORIENTATION, HEAD, 1.0)]
        self.ranks = [*(levels[point] for point in order), max(levels) + 1]
        anatomy = self.skeleton.anatomy
        self.joints, effectors = floating_joints(anatomy, lumbar=True)
        return anatomy_model(anatomy, self.limits, self.joints, effectors, tasks)

    def new_scratch(self) -> PriorityWork:
        """Return the relaxed stance, the levels, and scratch memory."""
        anatomy = self.skeleton.anatomy
        return new_work(
            self.model,
            self.ranks,
            posture=relaxed_posture(self.joints, self.solver.bent),
            compliance=person_compliance(anatomy, self.joints, self.solver.give),
            floating=True,
            lumbar=lumbar_joint(anatomy, self.joints),
        )


class PrioritizedSkeletonPlan(SkeletonPlan):
    """Any other skeleton, with levels of tasks and a posture below them."""

    solver: PrioritizedSolver

    def known_tasks(self) -> tuple[Task[Any], ...]:
        """Return the tasks: points, and at most one posture that is always the same."""
        known = super().known_tasks()
        postures = [task for task in known if isinstance(task, Posture)]
        if len(postures) > 1 or len(postures) == len(known):
            raise InputError(
                "Expected one task or more of Reach, Orient and at most one Posture beside them; "
                f"got {len(known) - len(postures)} and {len(postures)}."
            )
        self.posture = postures[0] if postures else None
        if self.posture and self.posture.aim(None).skeleton != self.skeleton:
            raise InputError("Expected a Posture of the same skeleton, got one of another.")
        return known

    def new_model(self) -> Model:
        """Return the skeleton as a model, its tasks in the order of their levels."""
        ranked = []
        nodes = [task for task in self.tasks if isinstance(task, Reach | Orient)]
        for task, level in zip(nodes, self._levels(nodes), strict=True):
            kind = POSITION if isinstance(task, Reach) else ORIENTATION
            ranked.append((level, kind, self.points.index(task.node), task.weight))
        for collision in (task for task in self.tasks if isinstance(task, SelfCollision)):
            # Before all: whatever is to be reached, parts of a body are not in each other.
            ranked += [(-1, *slot) for slot in collision_slots(collision)]
        ranked.sort(key=lambda task: task[0])
        self.ranks = [task[0] for task in ranked]
        whole = any(isinstance(task, Posture | SelfCollision) for task in self.tasks)
        tasks = [task[1:] for task in ranked]
        return skeleton_model(self.body, self.limits, self.nodes, tasks, whole=whole)

    def new_scratch(self) -> PriorityWork:
        """Return the posture, the levels, what shall stay apart, and scratch memory."""
        pose = None if self.posture is None else self.posture.aim(None)
        posture = None if pose is None else self.body.to_rest(pose.rotations)
        work: PriorityWork = self.with_capsules(new_work(self.model, self.ranks, posture=posture))
        return work

    def numbers_of_method(self) -> Mapping[str, Number]:
        """Return the settings as numbers."""
        weight = 1.0 if self.posture is None else self.posture.weight
        return {
            **super().numbers_of_method(),
            "posture": min(1.0, self.solver.posture * weight),
        }

    def _levels(self, tasks: Sequence[Reach | Orient]) -> list[int]:
        """Level of each task: its own, or that of its point if the solver has priorities."""
        own = [_level(task.node, task.priority) for task in tasks]
        if self.solver.priorities is None:
            return own
        if set(own) - {Reach.priority}:
            raise InputError(
                "Expected priorities in the tasks or in the solver, got conflicting ones in both."
            )
        levels = dict(zip(self.points, self.solver.levels_of(self.points), strict=True))
        return [levels[task.node] for task in tasks]


def _pairs(priorities: Mapping[str, int] | Iterable[tuple[str, int]]) -> Priorities:
    """Priorities as pairs, each point once."""
    try:
        given = priorities.items() if isinstance(priorities, Mapping) else priorities
        pairs = [(name, level) for name, level in given]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Expected `priorities` as a mapping of points to levels, got {priorities!r}."
        ) from error
    if not pairs:
        raise InputError("Expected the level of at least one point in `priorities`, got none.")
    levels: dict[str, int] = {}
    for name, level in pairs:
        if levels.setdefault(name, _level(name, level)) != level:
            raise InputError(
                f"Expected one level for {name!r} in `priorities`, got {levels[name]} and {level}."
            )
    return tuple(levels.items())


def _level(name: str, level: Any) -> int:
    whole = isinstance(level, int | np.integer) and not isinstance(level, bool)
    if not whole or level < 0:
        raise InputError(f"Expected the level of {name!r} to be an integer >= 0, got {level!r}.")
    return int(level)
