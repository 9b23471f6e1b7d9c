"""Iterative methods for any articulated skeleton, people among them: settings and plans.

A method brings two kernels: one for people, whose pelvis follows its point, and one for any
skeleton, whose root stays. Both start from the pose of the frame before, and both stop by the same
rule with other numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from ...body.anatomy import Anatomy
from ...errors import InputError
from ...kernels import arrays
from ...kernels._jit import Kernel
from ...kernels.arrays import as_quat
from ...kernels.limits import limit_project
from ...kernels.types import Bools, Floats
from ...limits import FixedLimit, FlexionLimit, Limits
from ...motion.motion import Motion
from ...motion.points import SIX
from ...motion.pose import Pose
from ...tasks import (
    Balance,
    Coupling,
    Floor,
    FunctionTask,
    LookAt,
    Orient,
    Posture,
    Reach,
    SelfCollision,
    Smoothness,
    Task,
)
from ..base import Capabilities, Solver
from ..context import LIMITED, MISSING, NOT_MET, OUT_OF_STEPS, UNASKED, Frames, Output
from ..people.plan import FARTHEST, PAPER_HEIGHT, TOLERANCE, PersonPlan
from ..plan import Plan, Status
from ..problem import Problem
from ..settings import Count, Fraction, Interval, Number, settings_record
from ..solution import StopReason
from .build import TaskSpec, new_pose, person_model, skeleton_model
from .context import PersonContext, SkeletonContext
from .function_loop import FunctionLoop
from .model import ORIENTATION, POSITION, Model, copied, read_pose
from .self_collision import new_capsules
from .task_table import (
    TaskTable,
    no_tasks,
    numbered_labels,
    skeleton_tasks,
    slot_kind,
    task_nodes,
    task_slots,
    unmet_tasks,
    with_slots,
)

TASKS: tuple[type[Task[Any]], ...] = (
    Reach,
    Orient,
    LookAt,
    Balance,
    Floor,
    Coupling,
    Smoothness,
    Posture,
    SelfCollision,
    FunctionTask,
)
"""Kinds of tasks that methods take which follow derivatives."""
MISSED = 1e-3
"""A point farther from its target than this part of the skeleton's length has missed it."""
AT_LIMIT = 1e-6
"""A joint that may not turn this much further stands at its limit [rad]."""


class StopRule(NamedTuple):
    """When to stop; lengths are parts of the skeleton's size."""

    iterations: int
    tolerance: float
    least_gain: float


PEOPLE = StopRule(20, 0.01 / PAPER_HEIGHT, 0.001 / PAPER_HEIGHT)
"""The rule of the comparison of Unzueta et al. 2008, section 9: 20 iterations, 1 cm, 1 mm."""
PRECISE = StopRule(40, 0.001 / PAPER_HEIGHT, 0.00005 / PAPER_HEIGHT)
"""For people beyond that comparison: 40 iterations, 1 mm, a twentieth of one."""
RETRY = 0.01 / PAPER_HEIGHT
"""A person is tried again where a point is missed by more than this part of the height (1 cm)."""
SKELETONS = StopRule(500, 1e-4, -math.inf)
"""Until a target is met to a ten-thousandth of the length, whatever an iteration brings."""


@dataclass(frozen=True, kw_only=True)
class ArticulatedSettings:
    """Settings of all iterative methods; lengths are parts of the skeleton's size.

    The size is the height of a person (without foot and head), or the longest way from the root of
    a skeleton along its bones.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    solve_people: ClassVar[Kernel[[Any, Frames, int, int], None]]
    """Kernel for people by their six points."""
    solve_skeletons: ClassVar[Kernel[[Any, Frames, int, int], None]]
    """Kernel for any skeleton."""
    solve_tasks: ClassVar[Kernel[[Any, Frames, int, int], None] | None] = None
    """Kernel for any skeleton with tasks that fill slots of the model, for methods that take tasks
    other than positions and rotations."""
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach, Orient)
    """Kinds of tasks that can be given."""
    welds: ClassVar[bool] = False
    """Whether joints of skeletons that a `FixedLimit` holds are left out of the degrees of freedom;
    methods that move joint by joint hold them by the limit."""
    weighs_axes: ClassVar[bool] = False
    """Whether tasks may have a covariance of their own."""
    people_rule: ClassVar[StopRule] = PEOPLE
    """When to stop with people, unless the settings say something else."""
    skeletons_rule: ClassVar[StopRule] = SKELETONS
    """When to stop with other skeletons, unless the settings say something else."""
    person_extras: ClassVar[tuple[str, ...]] = ()
    """Names of what the kernel of people says besides, in `Output.numbers`."""

    iterations: Count | None = None
    """Most iterations in a frame. Default: 20 for people by six points; 500 for other skeletons,
    besides those of other starts (`restarts`)."""
    tolerance: Fraction | None = None
    """A largest error below this part of the size ends the frame. Default: 0.0055 for people (1 cm
    at 1.83 m), 0.0001 for other skeletons."""
    least_gain: Annotated[float, Interval(-math.inf, 1.0)] | None = None
    """An iteration that improves the sum of errors by less than this part of the size is the last.
    Default: 0.00055 for people (1 mm at 1.83 m), no such rule for other skeletons."""

    if TYPE_CHECKING:  # of `Solver` and `StartSettings`, beside which this is inherited
        name: ClassVar[str]

        @property
        def first(self) -> Solver | None:
            """The solver that goes first, if there is one."""

        def numbers(self) -> dict[str, Number]:
            """Return the settings as numbers."""

    def plan(self, problem: Problem) -> Plan:
        """Return the tables and the kernel for one skeleton."""
        kind = ArticulatedPersonPlan if is_person(problem) else SkeletonPlan
        return kind(self, problem)

    @property
    def closeness(self) -> float:
        """What is near enough to end the iteration is met."""
        return max(TOLERANCE, self.person_rule().tolerance)

    def person_rule(self) -> StopRule:
        """Return when to stop with people."""
        return self.stop_rule(self.people_rule)

    def stop_rule(self, usual: StopRule) -> StopRule:
        """Return the usual rule with what the settings say."""
        said = {name: getattr(self, name) for name in StopRule._fields}
        return usual._replace(**{name: value for name, value in said.items() if value is not None})

    def person_model(self, anatomy: Anatomy, limits: Limits) -> Model:
        """Return a person as a model."""
        return person_model(anatomy, limits)

    def person_scratch(self, plan: ArticulatedPersonPlan) -> Any:
        """Return tables and scratch memory for the kernel of people."""
        raise NotImplementedError

    def person_settings(self, plan: ArticulatedPersonPlan) -> dict[str, Number]:
        """Return the settings for people as numbers; the plan has its tables."""
        return {**self.numbers(), **self.person_rule()._asdict()}

    def times(self, rate: float) -> dict[str, Number]:
        """Return what depends on the rate of the frames, as numbers."""
        return {}

    def check_tasks(self, plan: SkeletonPlan) -> None:
        """Refuse tasks of a skeleton that make no sense together."""

    def task_levels(self, plan: SkeletonPlan) -> list[int]:
        """Return where each task stands in the order of the model, the least first."""
        return [0] * len(plan.tasks)

    def slot_count(self, plan: SkeletonPlan, task: Task[Any]) -> int:
        """Return how many slots of the model a task fills: three rows each."""
        return 0 if self.solve_tasks is None else task_slots(plan.body, task)

    def skeleton_scratch(self, plan: SkeletonPlan) -> Any:
        """Return tables and scratch memory for the kernel of any skeleton."""
        raise NotImplementedError

    def skeleton_settings(self, plan: SkeletonPlan) -> dict[str, Number]:
        """Return the settings for another skeleton as numbers; the plan has its tables."""
        return {**self.numbers(), **self.stop_rule(self.skeletons_rule)._asdict()}


@dataclass(frozen=True, kw_only=True)
class VariantSettings:
    """Settings of the methods that Unzueta et al. 2008 compare, as they do it or better."""

    if TYPE_CHECKING:  # of `ArticulatedSettings`, beside which this is inherited

        def stop_rule(self, usual: StopRule) -> StopRule:
            """Return the usual rule with what the settings say."""

    best_rule: ClassVar[StopRule] = PRECISE
    """When to stop with people, unless as published or the settings say something else."""

    variant: Literal["best", "paper"] = "best"
    """How a person by six points is solved: as well as this method can, where what is missed is
    tried again with a pelvis that turns and from other poses; or as in the comparison of Unzueta et
    al. 2008, with its stop rule and no second attempt."""

    def person_rule(self) -> StopRule:
        """Return when to stop with people."""
        return self.stop_rule(PEOPLE if self.variant == "paper" else self.best_rule)

    def person_model(self, anatomy: Anatomy, limits: Limits) -> Model:
        """Return a person as a model, whose pelvis can turn unless as published."""
        return person_model(anatomy, limits, floating=self.variant != "paper")


def is_person(problem: Problem) -> bool:
    """Whether a person is to be followed by the six points."""
    if problem.tasks is not None:
        return False
    if problem.names is None:
        return problem.skeleton.kind == "human"
    return set(SIX) <= set(problem.names)


class ArticulatedPersonPlan(PersonPlan):
    """A person as an articulated model whose end effectors are the six points."""

    solver: ArticulatedSettings

    def __init__(self, solver: ArticulatedSettings, problem: Problem) -> None:
        super().__init__(solver, problem)
        self.kernel = solver.solve_people
        self.start = None if solver.first is None else solver.first.plan(problem)
        self.detailed, self.numbers = bool(solver.person_extras), len(solver.person_extras)
        self.model = solver.person_model(self.skeleton.anatomy, self.limits)
        self.scratch = solver.person_scratch(self)
        self.settings = solver.person_settings(self)

    def numbers_of_method(self) -> Mapping[str, Number]:
        """Return what the kernel reads besides the times of `PersonSettings`."""
        return self.settings

    def new_context(self, rate: float) -> PersonContext:
        """Return the tables of the kernel, with fresh memory."""
        body = self.new_body_tables(rate)
        return PersonContext(*body, self.model, new_pose(self.model), copied(self.scratch))

    def begin(self, context: PersonContext, pose: Pose) -> None:
        """Let a fresh context start from a pose."""
        self.begin_state(context.state, pose)
        read_pose(self.model, pose.rotations, context.pose.local)

    def extras(self, out: Output) -> dict[str, Floats]:
        """Return what else the method says of each frame, (F,), by name."""
        return {name: out.numbers[:, k].copy() for k, name in enumerate(self.solver.person_extras)}


class SkeletonPlan(Plan):
    """Any skeleton whose root stays where it is; its points are the end effectors of a model.

    Points are nodes of the skeleton, or roles of a person: those that are given, those of the tasks
    or, without tasks, the ends of the skeleton.
    """

    solver: ArticulatedSettings

    def __init__(self, solver: ArticulatedSettings, problem: Problem) -> None:
        super().__init__(solver, problem)
        self.body = problem.skeleton.articulation
        self.points = _names(self.body.ends, problem.names, problem.tasks)
        self.rotated = len(self.points)
        self.tasks = self.known_tasks()
        self.nodes = [self.body.node(name) for name in self.points]
        self.model = self.new_model()
        self.slotted = any(self.slots)
        """Whether some tasks fill slots of the model."""
        self.kernel = solver.solve_skeletons
        if self.slotted and solver.solve_tasks is not None:
            self.kernel = solver.solve_tasks
        self._sought = self._asked(Reach)
        self._turned = self._asked(Orient)
        self._least, self._most = self._reaches()
        self.labels: tuple[str, ...] = numbered_labels(self.tasks)
        self.table = self.new_tasks()
        self.numbers = len(self.labels) if self.slotted else 0
        self.detailed = self.slotted or bool(self._turned.any())
        self.scratch: Any = solver.skeleton_scratch(self)
        self.settings: dict[str, Number] = solver.skeleton_settings(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Points in the order of the arrays that users give."""
        return self.points

    @property
    def length(self) -> float:
        """Longest way from the root along the bones, the unit of all tolerances [m]."""
        return self.body.length

    def known_tasks(self) -> tuple[Task[Any], ...]:
        """Return the tasks, refusing those that the solver cannot answer."""
        if self.problem.tasks is None:
            return tuple(Reach(name) for name in self.points)
        kinds = self.solver.answers
        for task in self.problem.tasks:
            if not isinstance(task, kinds):
                listed = ", ".join(kind.__name__ for kind in kinds)
                raise InputError(
                    f"Expected `tasks` of solver {self.solver.name!r} to be of {listed}; "
                    f"got {type(task).__name__}."
                )
            if task.covariance is not None and not self.solver.weighs_axes:
                raise InputError(
                    f"Expected no `covariance` of the task {task.label!r}: solver "
                    f"{self.solver.name!r} knows only its weight."
                )
        _refuse_twins(self.problem.tasks)
        return self.problem.tasks

    def new_model(self) -> Model:
        """Return the skeleton as a model, with one end effector for each point."""
        self.solver.check_tasks(self)
        levels = self.solver.task_levels(self)
        self.levels: list[int] = []
        """Level of each task of the model."""
        self.slots = [range(0)] * len(levels)
        """Tasks of the model that are slots of each task."""
        tasks: list[TaskSpec] = []
        for k in sorted(range(len(levels)), key=levels.__getitem__):
            specs = self.task_specs(self.tasks[k])
            if not isinstance(self.tasks[k], Reach | Orient):
                self.slots[k] = range(len(tasks), len(tasks) + len(specs))
            tasks += specs
            self.levels += [levels[k]] * len(specs)
        # Other tasks speak of any joint.
        whole = any(not isinstance(task, Reach | Orient) for task in self.tasks)
        nodes, weld = self.effector_nodes(), self.solver.welds
        return skeleton_model(self.body, self.limits, nodes, tasks, whole=whole, weld=weld)

    def effector_nodes(self) -> list[int]:
        """Return the nodes that are end effectors of the model: points, then nodes of tasks."""
        return task_nodes(self.body, self.points, self.tasks)

    def task_specs(self, task: Task[Any]) -> list[TaskSpec]:
        """Return what stands for a task in the model."""
        if isinstance(task, Reach | Orient):
            kind = POSITION if isinstance(task, Reach) else ORIENTATION
            return [(kind, self.points.index(task.node), task.weight)]
        return [(slot_kind(task), 0, task.weight)] * self.solver.slot_count(self, task)

    def new_tasks(self) -> TaskTable:
        """Return the tasks as rows of numbers; none if all are positions and rotations."""
        if not self.slotted:
            return no_tasks(len(self.model.parent))
        table = skeleton_tasks(self.body, self.points, self.tasks)
        for task, slots in zip(self.tasks, self.slots, strict=True):
            if isinstance(task, SelfCollision):
                capsules = new_capsules(self.skeleton, task, self.model)
                first = np.array([slots.start], np.int64)
                table = table._replace(capsules=capsules._replace(first=first))
        return with_slots(table, self.model, self.slots)

    def new_context(self, rate: float) -> SkeletonContext:
        """Return the tables of the kernel, with fresh memory."""
        settings = settings_record({**self.settings, **self.solver.times(rate)})
        scratch = copied(self.scratch)
        return SkeletonContext(settings, self.model, new_pose(self.model), scratch)

    def bind(self, context: SkeletonContext, frames: Frames) -> Callable[[int, int], None]:
        """Return a function that solves the frames from a first to before a last one."""
        if self.slotted and any(isinstance(task, FunctionTask) for task in self.tasks):
            return FunctionLoop(self, context, frames).solve
        return super().bind(context, frames)

    def begin(self, context: SkeletonContext, pose: Pose) -> None:
        """Let a fresh context start from a pose; joints that cannot turn stay where they are."""
        read_pose(self.model, pose.rotations, context.pose.local)
        for joint in np.flatnonzero(self.model.freedom == 0):
            held = limit_project(self.model.limits, int(joint), as_quat(context.pose.local[joint]))
            context.pose.local[joint] = held

    def pose(self, out: Output) -> Pose:
        """Return the pose of the first frame, in arrays of its own."""
        return Pose(self.skeleton, out.root[0].copy(), out.rotations[0].copy())

    def motion(self, out: Output, rate: float) -> Motion:
        """Return the motion of all frames."""
        return Motion(self.skeleton, out.root, out.rotations, rate)

    def stop_reason(self, frames: Frames, frame: int) -> StopReason:
        """Say why the method stopped on a frame; one without targets has met nothing."""
        flags = int(frames.out.flags[frame])
        if not flags & (NOT_MET | UNASKED):
            return StopReason.CONVERGED
        at = slice(frame, frame + 1)
        if self._unreachable(frames.positions[at]).any():
            return StopReason.UNREACHABLE
        if flags & LIMITED or self._limited(frames.out.rotations[at]).any():
            return StopReason.LIMITS_SATURATED
        return StopReason.MAX_ITERATIONS if flags & OUT_OF_STEPS else StopReason.STALLED

    def missing(self, frames: Frames) -> tuple[str, ...]:
        """Return the points that were to be reached and not seen in the first frame."""
        return super().missing(frames) if frames.out.flags[0] & MISSING else ()

    def status(self, frames: Frames) -> Status:
        """Say what happened to each point in each frame."""
        seen, out = frames.positions, frames.out
        unreachable = self._unreachable(seen)
        limited = self._limited(out.rotations) & ((out.flags & NOT_MET) != 0)[:, None]
        limited |= ((out.flags & LIMITED) != 0)[:, None] & self._sought
        missing = ~(np.abs(seen) < FARTHEST).all(axis=-1) & self._sought
        missed = (out.residuals[:, :-1] > MISSED * self.length) & self._sought & ~unreachable
        return Status(unreachable, limited, np.zeros_like(limited), missing, missed)

    def rotation_residuals(self, frames: Frames) -> Floats | None:
        """Angle of each point from the rotation asked for [rad], (F, N); None if none is."""
        if not self._turned.any():
            return None
        world = self.motion(frames.out, 1.0).world()[1]
        joints = [self.body.skeleton.carrier(node) for node in self.nodes]
        now = arrays.multiply(world[:, joints], arrays.conjugate(self.body.neutral[joints]))
        asked = frames.rotations
        known = np.isfinite(asked).all(axis=-1) & self._turned
        return np.where(
            known, arrays.angle_between(now, np.where(known[..., None], asked, now)), np.nan
        )

    def task_residuals(self, out: Output) -> dict[str, Floats]:
        """Residual of each task in each frame, (F,), where some are no positions or rotations.

        By its label; [m], or [rad] of angles.
        """
        if not self.slotted:
            return {}
        lengths = out.numbers / self.table.unit
        return {label: lengths[:, k] for k, label in enumerate(self.labels)}

    def remarks(self, frames: Frames) -> list[str]:
        """Warn of tasks that are not met; points that are missed are counted already."""
        near = self.solver.stop_rule(self.solver.skeletons_rule).tolerance * self.model.size[0]
        remarks = super().remarks(frames)
        if self.slotted:
            remarks += unmet_tasks(self.table, self.labels, frames.out.numbers, near)
        return remarks

    def _asked(self, kind: type[Reach] | type[Orient]) -> Bools:
        """Return the points of which tasks of a kind speak, (N,)."""
        nodes = [t.node for t in self.tasks if isinstance(t, kind) and t.weight > 0.0]
        return np.array([name in nodes for name in self.points], np.bool_)

    def _reaches(self) -> tuple[Floats, Floats]:
        """Return the least and greatest distance of each point from the root [m]."""
        least, most = np.zeros(len(self.points)), np.zeros(len(self.points))
        for k, node in enumerate(self.nodes):
            bones = np.linalg.norm(self.body.offsets[self.skeleton.path(node)[1:]], axis=1)
            most[k] = bones.sum()
            least[k] = max(0.0, 2.0 * bones.max(initial=0.0) - most[k])
        return least, most

    def _unreachable(self, seen: Floats) -> Bools:
        """Return the targets that the bones cannot reach, however they turn, (F, N)."""
        away = np.linalg.norm(seen - (self.model.anchor + self.model.offset[0]), axis=-1)
        slack = 1e-9 * self.length
        far = (away > self._most + slack) | (away < self._least - slack)
        return np.asarray(far & self._sought)

    def _limited(self, rotations: Floats) -> Bools:
        """Return the points that a joint at its limit moves, (F, N)."""
        local = self.body.to_rest(rotations)
        out = np.zeros((len(rotations), len(self.points)), np.bool_)
        for joint, name in enumerate(self.skeleton.names):
            limit = self.limits.get(name)
            if limit is None or isinstance(limit, FixedLimit):
                continue
            moved = np.array([self.body.moving(node)[joint] for node in self.nodes], np.bool_)
            axes = np.array(limit.axis)[None] if isinstance(limit, FlexionLimit) else np.eye(3)
            for axis in (*axes, *-axes):
                further = arrays.multiply(local[:, joint], arrays.from_axis_angle(axis, AT_LIMIT))
                out |= (limit.violation(further) > 0.1 * AT_LIMIT)[:, None] & moved
        return out


def _refuse_twins(tasks: Sequence[Task[Any]]) -> None:
    """Refuse two tasks that ask the same of one point: a frame brings one target for both.

    Likewise two tasks of self-collision, which have one set of slots.
    """
    if sum(isinstance(task, SelfCollision) for task in tasks) > 1:
        raise InputError("Expected one SelfCollision task, got two or more.")
    known: set[tuple[type[Task[Any]], str]] = set()
    for task in tasks:
        if isinstance(task, Reach | Orient):
            key = (type(task), task.node)
            if key in known:
                raise InputError(
                    f"Expected one {key[0].__name__} task for {task.node!r}, got two or more."
                )
            known.add(key)


def _names(
    ends: Sequence[str], names: Sequence[str] | None, tasks: Sequence[Task[Any]] | None
) -> tuple[str, ...]:
    """Return the points in the order of arrays."""
    nodes = [task.node for task in tasks or () if isinstance(task, Reach | Orient)]
    if names is None:
        names = ends if tasks is None else tuple(dict.fromkeys(nodes))
    for node in nodes:
        if node not in names:
            raise InputError(
                f"Expected `names` to hold every point of a task; got {', '.join(names)}, "
                f"without {node}."
            )
    others = any(not isinstance(task, Reach | Orient) for task in tasks or ())
    if not (names or others) or len(set(names)) != len(names):
        raise InputError(
            f"Expected the names of one point or more, each once; got {', '.join(names) or 'none'}."
        )
    return tuple(names)
