"""What the particle filter makes of one skeleton: a person by six points, or any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Bools, Floats
from ...motion.points import SIX
from ...motion.pose import Pose
from ...tasks import FunctionTask, LookAt, Orient, Reach, Task
from ..articulated.build import new_pose, skeleton_model
from ..articulated.context import SkeletonContext
from ..articulated.model import ORIENTATION, POSITION, Model, ModelPose, read_pose, write_pose
from ..articulated.plan import ArticulatedPersonPlan, SkeletonPlan
from ..context import Frames, Output, RecordArray
from ..plan import Plan
from ..problem import Problem
from ..settings import Number, settings_record
from .filter import Filter
from .loop import FilterLoop
from .population import new_particles, store_pose
from .rotation_noise import Noise, build_noise, longest_below, scaled_noise
from .task_cost import TaskTable, person_tasks, skeleton_tasks, task_nodes

if TYPE_CHECKING:
    from .methods import MonteCarloSolver

EXTRAS = ("rejections", "projections", "effective", "runs")
"""What is said of each frame besides the residuals of tasks: draws of joints that limits rejected,
joints projected into their limits, the effective number of particles in the last iteration, and
populations. They stand after the residuals in `Output.numbers`."""


class FilterPlan(Plan):
    """The particle filter for one skeleton: what people and other skeletons have in common."""

    model: Model
    noise: Noise
    table: TaskTable
    labels: tuple[str, ...]
    """Names of the tasks, each once."""
    functions: Sequence[tuple[int, FunctionTask]] = ()
    """Tasks that are functions, with their places among the tasks."""

    if TYPE_CHECKING:  # of the plans beside which this is inherited

        def numbers_of_method(self) -> Mapping[str, Number]:
            """Return what the kernel reads."""

    def set_tasks(self, labels: Sequence[str], table: TaskTable) -> None:
        """Take the tasks by their names."""
        self.labels, self.table = tuple(labels), table
        self.numbers = len(labels) + len(EXTRAS)
        self.detailed = True

    def new_noise(self, names: Sequence[str], drawn: Sequence[str], reach: Floats) -> Noise:
        """Return how joints are drawn, by their names; those in `drawn` may have a covariance."""
        solver = self.solver
        paper = solver.sampler == "paper"
        covariances = solver.covariances(drawn)
        noise = build_noise(self.model, names, self.limits, covariances, paper)
        # Constant noise is what the settings say.
        return scaled_noise(noise, reach, solver.lever if solver.schedule == "annealed" else 0.0)

    def new_settings(self, rate: float) -> RecordArray:
        """Return the settings as the kernel reads them."""
        return settings_record(self.numbers_of_method())

    def new_context(self, rate: float) -> Any:
        """Return the tables of the kernel, with fresh memory."""
        model, table = self.model, copied(self.table)
        particles = new_particles(model, self.solver, len(self.labels), len(table.node_joint))
        scratch = Filter(self.noise, table, particles)
        return SkeletonContext(self.new_settings(rate), model, new_pose(model), scratch)

    def bind(self, context: SkeletonContext, frames: Frames) -> Callable[[int, int], None]:
        """Return a function that solves the frames from a first to before a last one."""
        if self.functions:
            return FilterLoop(self, context, frames).solve
        return super().bind(context, frames)

    def pose_of(self, rows: Floats, frames: Frames, frame: int = 0) -> Pose:
        """Return rows (N + 1, 4) as a pose; joints that are not in the model stay."""
        start = frames.start.rotations
        out = self.new_output(1)
        pose = ModelPose(rows[:-1], rows[:-1], rows[-1:, :3], rows[-1:, :3])
        rest = start[frame] if len(start) else self.model.rest
        write_pose(self.model, pose, rest, out.rotations[0], out.root[0])
        return self.pose(out)

    def task_residuals(self, out: Output) -> dict[str, Floats]:
        """Residual of each task in each frame, (F,), by its label: [m], or [rad] of angles."""
        return {
            label: out.numbers[:, k] / self.table.unit[k] for k, label in enumerate(self.labels)
        }

    def extras(self, out: Output) -> dict[str, Floats]:
        """What else the filter says of each frame, (F,); see `EXTRAS`."""
        last = out.numbers[:, len(self.labels) :]
        return {name: last[:, k].copy() for k, name in enumerate(EXTRAS)}

    def remarks(self, frames: Frames) -> list[str]:
        """Warn of tasks that are not met; points that are missed are counted already."""
        table, count = self.table, len(frames.out.numbers)
        near = self.new_settings(0.0)[0].tolerance * self.model.size[0]
        remarks = super().remarks(frames)
        for k, label in enumerate(self.labels):
            residuals = frames.out.numbers[:, k]
            unmet = int((residuals > near).sum())
            wish = table.soft[k] or not table.weight[k] > 0.0 or table.kind[k] == POSITION
            if unmet and not wish:
                most = residuals.max() / table.unit[k]
                unit = "m" if table.unit[k] == 1.0 else "rad"
                remarks.append(
                    f"task {label!r} is not met in {unmet} of {count} frames: its residual is up "
                    f"to {most:.3g} {unit}"
                )
        return remarks


class PersonFilterPlan(FilterPlan, ArticulatedPersonPlan):
    """A person by six points, from where sequential IK or the guided solver left each frame."""

    def __init__(self, solver: MonteCarloSolver, problem: Problem) -> None:
        super().__init__(solver, problem)
        if solver.root > 0.0:
            raise InputError(
                f"Expected `root` = 0 for people by six points, whose pelvis is seen; "
                f"got {solver.root}."
            )
        model = self.model
        labels = [*(f"reach {name}" for name in SIX[1:]), "posture"]
        self.set_tasks(labels, person_tasks(model, solver.posture))
        names = ["" if rig < 0 else self.skeleton.names[rig] for rig in model.rig]
        free = [name for name, freedom in zip(names, model.freedom, strict=True) if freedom > 0]
        parents = np.concatenate([model.parent, model.effector_joint])
        offsets = np.concatenate([model.offset, model.effector_offset])
        reach = longest_below(parents, offsets)[: len(names)]
        self.noise = self.new_noise(names, free, reach)

    def begin(self, context: Any, pose: Pose) -> None:
        """Let a fresh context start from a pose; what goes first starts there, too."""
        local, particles = context.pose.local, context.scratch.particles
        read_pose(self.model, pose.rotations, local)
        store_pose(local, context.pose.position, 0, particles.before[0])
        particles.state["frames"] = 1


class SkeletonFilterPlan(FilterPlan, SkeletonPlan):
    """Any skeleton, with every kind of task; its root moves if the solver lets it."""

    def __init__(self, solver: MonteCarloSolver, problem: Problem) -> None:
        super().__init__(solver, problem)
        self.functions = [
            (k, task) for k, task in enumerate(self.tasks) if isinstance(task, FunctionTask)
        ]
        self.set_tasks(_numbered(self.tasks), skeleton_tasks(self.body, self.points, self.tasks))
        self._root_moves = solver.root > 0.0
        names = self.skeleton.names
        self.noise = self.new_noise(names, names, self._reach())

    def known_tasks(self) -> tuple[Task[Any], ...]:
        """Return the tasks; functions of one name get a number, for messages too."""
        known = super().known_tasks()
        return tuple(
            replace(task, name=label) if isinstance(task, FunctionTask) else task
            for task, label in zip(known, _numbered(known), strict=True)
        )

    def new_model(self) -> Model:
        """Return the skeleton as a model; end effectors are the points, then nodes of tasks."""
        points = [task for task in self.tasks if isinstance(task, Reach | Orient)]
        tasks = [
            (
                POSITION if isinstance(task, Reach) else ORIENTATION,
                self.points.index(task.node),
                task.weight,
            )
            for task in points
        ]
        nodes = task_nodes(self.body, self.points, self.tasks)
        whole = len(points) < len(self.tasks)  # other tasks speak of any joint
        return skeleton_model(self.body, self.limits, nodes, tasks, whole=whole)

    def begin(self, context: Any, pose: Pose) -> None:
        """Let a fresh context start from a pose, its root included."""
        context.pose.local[:] = arrays.normalize(self.body.to_rest(pose.rotations))
        context.pose.position[0] = pose.root

    def _reach(self) -> Floats:
        """How far each joint moves what is asked for, (J,) [m].

        To rotations that are asked for all joints matter alike: a radian counts like the size.
        """
        reach = longest_below(self.skeleton.node_parents, self.body.offsets)
        reach = reach[: self.skeleton.joint_count]
        for task in self.tasks:
            if isinstance(task, Orient | LookAt):
                reach[self.body.moving(self.body.node(task.node))] = self.length
        return reach

    def _unreachable(self, seen: Floats) -> Bools:
        if self._root_moves:  # it goes where it must
            return np.zeros(seen.shape[:-1], np.bool_)
        return super()._unreachable(seen)


def _numbered(tasks: Sequence[Task[Any]]) -> tuple[str, ...]:
    """Return the labels of tasks, each once: those that repeat one have a number."""
    found: dict[str, None] = {}
    for task in tasks:
        label, count = task.label, 2
        while label in found:
            label, count = f"{task.label} ({count})", count + 1
        found[label] = None
    return tuple(found)


def copied(table: Any) -> Any:
    """Return a copy of a tuple of arrays, in which there may be others."""
    if isinstance(table, np.ndarray):
        return table.copy()
    return type(table)(*map(copied, table))
