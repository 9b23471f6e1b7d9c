"""Prioritized IK: any number of strict levels, limits as equalities, a posture for what is left.

Baerlocher and Boulic 2004, as Unzueta et al. 2008 compare with it (section 9): the pelvis comes
first, then the ankles, the wrists and the head, and all that they leave open is drawn to a relaxed
stance. Nothing that a lower level asks for ever costs a higher one.

There is always a step, so that the posture settles while targets rest. A straight chain cannot see
that it could fold: where a task has a residual that no joint can lessen, joints are nudged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, cast

import numpy as np

from ...body.anatomy import Anatomy
from ...errors import InputError, UnknownName
from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_conj,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_store,
    quat_to_rotvec,
)
from ...kernels.types import Bools, Floats
from ...kernels.vector import vec_length, vec_load, vec_scale, vec_store
from ...limits import Limits
from ...motion.points import SIX
from ...motion.pose import Pose
from ...tasks import Orient, Posture, Reach, Smoothness, Task
from ..articulated.build import (
    build_model,
    floating_figure,
    lumbar_joint,
    person_compliance,
    relaxed_posture,
)
from ..articulated.context import (
    Context,
    PersonContext,
    SkeletonContext,
    begin_person,
    person_kernel,
    stop_flags,
    write_person,
)
from ..articulated.descent import descent_kernel
from ..articulated.model import (
    ORIENTATION,
    POSITION,
    Model,
    Targets,
    read_pose,
)
from ..articulated.plan import (
    TASKS,
    ArticulatedPersonPlan,
    ArticulatedSettings,
    SkeletonPlan,
    StopRule,
    is_person,
)
from ..articulated.restart import RestartSettings, restarting
from ..base import Capabilities, Solver
from ..context import Frames
from ..people.plan import PAPER_HEIGHT, PersonSettings, end_frame, known_rotation
from ..people.tables import HEAD, PELVIS
from ..plan import Plan
from ..problem import Problem
from ..settings import Fraction, Interval, NonNegative, Number, Numbers, Positive, Triple
from ..start import StartSettings, check_prior, start_solver
from .priority_descent import descend, descend_judged, measure, measure_points
from .priority_step import (
    PriorityWork,
    limb_flags,
    new_work,
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
FIRST = -1
"""Level of self-collision, before all that have a number."""
AHEAD = 2.0
"""Parts that are nearer than so many of the longest steps of a point are kept in view."""
JUDGED_ON_LIMIT = 1e-6
"""A ball joint this little beyond its limits is brought back without a new step where steps are
judged: to first order, what brings it back is no part of the step [rad]."""
MOST_ROOT_OFFSET = 0.25
"""The root starts a frame turned against its estimate as before, but by no more than this [rad].
Without, the start would miss by all that the root had turned; with more, a pelvis whose estimate
flipped might never come back."""


def solve_prioritized_person(c: PersonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person whose root starts at its estimate and moves like all joints.

    End effectors are the six points, in their order. The pose of the frame before is the start, and
    a relaxed stance the posture; or the pose of a solver that goes first is one of them or both.
    """
    pose, work = c.pose, c.scratch
    flags, estimate = begin_person(c, frames, frame)
    if c.settings.towards != 0:
        read_pose(c.model, frames.start.rotations[frame], work.posture)
    _, root_known = known_rotation(frames.rotations[frame], PELVIS)
    if not root_known and c.settings.start == 0:
        turn = quat_to_rotvec(quat_load(work.root_offset, 0))
        turn = vec_scale(turn, min(1.0, MOST_ROOT_OFFSET / max(MOST_ROOT_OFFSET, vec_length(turn))))
        quat_store(pose.local, 0, quat_normalize(quat_mul(estimate, quat_from_rotvec(turn))))
    targets = Targets(c.work.points, frames.rotations[frame])
    steps, reason = descend(c, targets, estimate, root_known, c.settings.iterations)
    quat_store(work.root_offset, 0, quat_mul(quat_conj(estimate), quat_load(pose.local, 0)))
    for p in range(pose.effectors.shape[0]):
        vec_store(c.work.ends, p, vec_load(pose.effectors, p))
    write_person(c, frames, frame)
    frames.out.iterations[frame] = steps
    # Lost points go with the estimate, not with the root: a lost head that leaned with the root
    # would make the next estimate lean, and so on.
    end_frame(c, frames, frame, estimate, estimate, flags | stop_flags(reason) | limb_flags(c))


solve_people = person_kernel(solve_prioritized_person)


@helper
def descend_points(c: Context, targets: Targets, iterations: int, fresh: bool) -> tuple[int, int]:
    """Iterate to positions and rotations alone; the root stays, and no step is judged."""
    return descend(c, targets, (1.0, 0.0, 0.0, 0.0), False, iterations)


def descending(
    iterate: Callable[[Context, Targets, int, bool], tuple[int, int]],
    measure: Callable[[Context, Targets], tuple[float, float]],
) -> Callable[[Context, Targets], tuple[int, int]]:
    """Return a descent of a skeleton, with other starts where the pose before leads nowhere.

    Args:
        iterate: iterates from the pose given, so often at most; the last argument says whether that
            has nothing to do with the frame before. Returns iterations taken, and why it ended.
        measure: returns the largest and summed length that tasks still ask for [m].
    """

    @helper
    def descend_first(c: Context, targets: Targets) -> tuple[int, int, bool]:
        """Iterate from the pose given; iterations taken, why it ended, and whether all is met."""
        steps, reason = iterate(c, targets, c.settings.iterations, False)
        worst, _ = measure(c, targets)
        return steps, reason, worst <= c.settings.tolerance * c.model.size[0]

    @helper
    def descend_again(c: Context, targets: Targets, iterations: int) -> tuple[int, bool]:
        """Iterate from a random pose; how often it was, and whether all is met."""
        steps, _ = iterate(c, targets, iterations, True)
        worst, _ = measure(c, targets)
        return steps, worst <= c.settings.tolerance * c.model.size[0]

    return restarting(descend_first, descend_again)


solve_skeletons = descent_kernel(
    descending(descend_points, measure_points), slots=False, module=__name__
)
solve_tasks = descent_kernel(descending(descend_judged, measure), slots=True, module=__name__)


@dataclass(frozen=True, kw_only=True)
class PrioritizedSolver(
    RestartSettings, ArticulatedSettings, StartSettings, PersonSettings, Solver
):
    """Settings of prioritized IK; lengths are parts of the skeleton's size."""

    name: ClassVar[str] = "pik"
    title: ClassVar[str] = "Prioritized IK"
    capabilities: ClassVar[Capabilities] = replace(
        ArticulatedSettings.capabilities, rotations=True, exact=True
    )
    solve_people = solve_people
    solve_skeletons = solve_skeletons
    solve_tasks = solve_tasks
    answers: ClassVar[tuple[type[Task[Any]], ...]] = TASKS
    welds: ClassVar[bool] = True
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
    root: Literal["held", "free"] = "held"
    """Whether the root of a skeleton stays in its place, or moves and turns like all joints: feet
    can then be `Reach` tasks of the first level. That of people by six points always moves."""
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
        names = ("start", "towards", "restarts", "damping", "task_step", "joint_step", "cut")
        return {name: own[name] for name in (*names, "posture")}

    def plan(self, problem: Problem) -> Plan:
        """Return the tables and the kernel for one skeleton."""
        if self.root == "free" and not is_person(problem):
            return FreeRootPlan(self, problem)
        return super().plan(problem)

    def person_model(self, anatomy: Anatomy, limits: Limits) -> Model:
        """Return a person whose pelvis moves, with tasks in the order of their levels."""
        order, _ = self._person_levels()
        # The rotation of the head, where it is known, comes after all positions.
        tasks = [(POSITION, point, 1.0) for point in order] + [(ORIENTATION, HEAD, 1.0)]
        return build_model(floating_figure(anatomy, lumbar=True), limits, tasks)

    def person_scratch(self, plan: ArticulatedPersonPlan) -> PriorityWork:
        """Return the relaxed stance, the levels, and scratch memory."""
        figure = floating_figure(plan.skeleton.anatomy, lumbar=True)
        return new_work(
            plan.model,
            self._person_levels()[1],
            posture=relaxed_posture(figure, self.bent),
            compliance=person_compliance(figure, self.give),
            floating=True,
            lumbar=lumbar_joint(figure),
        )

    def _person_levels(self) -> tuple[list[int], list[int]]:
        """Return the six points in the order of their levels, and the levels of all tasks."""
        levels = self.levels_of(SIX, ORDER)
        order = sorted(range(len(SIX)), key=levels.__getitem__)
        return order, [*(levels[point] for point in order), max(levels) + 1]

    def check_tasks(self, plan: SkeletonPlan) -> None:
        """Refuse two postures of the lowest level, one alone, and one of another skeleton."""
        count = len(plan.tasks)
        postures = [task for task in plan.tasks if is_lowest(task)]
        if len(postures) > 1 or len(postures) == count:
            raise InputError(
                "Expected one task or more, and at most one Posture without a `priority` beside "
                f"them; got {count - len(postures)} and {len(postures)}."
            )
        for task in postures:
            assert isinstance(task, Posture)
            if task.aim(None).skeleton != plan.skeleton:
                raise InputError("Expected a Posture of the same skeleton, got one of another.")

    def task_levels(self, plan: SkeletonPlan) -> list[int]:
        """Return the level of each task: its own, or that of its point if the solver has levels."""
        own = [
            FIRST if task.priority is None else _level(task.label, task.priority)
            for task in plan.tasks
        ]
        if self.priorities is not None:
            nodes = {k: t.node for k, t in enumerate(plan.tasks) if isinstance(t, Reach | Orient)}
            if {own[k] for k in nodes} - {Reach.priority}:
                raise InputError(
                    "Expected priorities in the tasks or in the solver, got conflicting ones in "
                    "both."
                )
            levels = dict(zip(plan.points, self.levels_of(plan.points), strict=True))
            for k, node in nodes.items():
                own[k] = levels[node]
        # Smoothness without a level comes after all others, self-collision before them: whatever is
        # to be reached, parts of a body are not in each other.
        last = max(own, default=0) + 1
        return [
            last if task.priority is None and isinstance(task, Smoothness) else level
            for task, level in zip(plan.tasks, own, strict=True)
        ]

    def slot_count(self, plan: SkeletonPlan, task: Task[Any]) -> int:
        """Return how many slots a task fills; the posture of the lowest level has no rows."""
        return 0 if is_lowest(task) else super().slot_count(plan, task)

    def skeleton_scratch(self, plan: SkeletonPlan) -> PriorityWork:
        """Return the posture, the levels, what shall stay apart, and scratch memory."""
        task = posture_of(plan)
        posture = None if task is None else plan.body.to_rest(task.aim(None).rotations)
        floating = self.root == "free"
        if not (floating or plan.slotted):
            return new_work(plan.model, plan.levels, posture=posture)
        plan.table.capsules.ahead[0] = AHEAD * self.task_step * plan.length
        work = new_work(
            plan.model, plan.levels, posture=posture, tasks=plan.table, floating=floating
        )
        work.on_limit[0] = JUDGED_ON_LIMIT
        return work

    def skeleton_settings(self, plan: SkeletonPlan) -> dict[str, Number]:
        """Return the settings as numbers."""
        task = posture_of(plan)
        weight = 1.0 if task is None else task.weight
        numbers: dict[str, Number] = super().skeleton_settings(plan)
        numbers["posture"] = min(1.0, self.posture * weight)
        first = cast("int", numbers["iterations"])
        return numbers | self.restart_numbers(first, self.iterations, self.least_gain)


class FreeRootPlan(SkeletonPlan):
    """Any skeleton whose root moves, and turns like all joints whatever its limit."""

    solver: PrioritizedSolver

    def __init__(self, solver: PrioritizedSolver, problem: Problem) -> None:
        root = problem.skeleton.names[0]
        kept = {name: limit for name, limit in problem.limits.items() if name != root}
        super().__init__(solver, replace(problem, limits=Limits(kept)))
        self.kernel = solver.solve_tasks
        # Other starts and the way back from them would have to know where the root was.
        self.settings |= {"restarts": 0}

    def begin(self, context: SkeletonContext, pose: Pose) -> None:
        """Let a fresh context start from a pose, its root included."""
        super().begin(context, pose)
        context.pose.position[0] = pose.root

    def _unreachable(self, seen: Floats) -> Bools:
        return np.zeros(seen.shape[:-1], np.bool_)  # it goes where it must


def posture_of(plan: SkeletonPlan) -> Posture | None:
    """Return the posture of the lowest level among the tasks of a plan."""
    for task in plan.tasks:
        if isinstance(task, Posture) and is_lowest(task):
            return task
    return None


def is_lowest(task: Task[Any]) -> bool:
    """Whether a task is a posture for what all levels leave open."""
    return isinstance(task, Posture) and task.priority is None


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
