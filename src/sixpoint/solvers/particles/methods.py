"""Sequential Monte Carlo IK: inverse kinematics as a particle filter.

Courty and Arnaud, "Sequential Monte Carlo Inverse Kinematics", INRIA research report 6426 (2007). A
few dozen poses, the particles, wander at random within their joint limits. Those that do better
what is asked weigh more and are drawn from more often, until they gather around a solution. Nothing
is ever differentiated or inverted: whatever can be judged can be asked, and the cost grows with the
number of joints and no faster.

**Good at** odd constraints, many of them, branched skeletons, targets that a straight chain cannot
see. **Bad at** precision for its time: a Jacobian method meets a plain target in a hundredth of it,
and at a hundred joints a straight chain misses most targets in the last fiftieth of its reach. The
answer is random (but
repeats by its seed), and may be a local one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, cast

import numpy as np

from ...errors import InputError, UnknownName
from ...kernels import arrays
from ...kernels.types import Bools, Floats
from ...motion.points import SIX
from ...motion.pose import Pose
from ...priors.model import prior_of
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
from ..articulated.build import model_depth, new_pose, person_model
from ..articulated.context import SkeletonContext
from ..articulated.model import Model, ModelPose, copied, read_pose, write_pose
from ..articulated.plan import ArticulatedSettings, SkeletonPlan, StopRule, is_person
from ..articulated.task_table import numbered_labels, skeleton_tasks, unmet_tasks
from ..base import Capabilities, Solver
from ..context import Frames, Output
from ..people.plan import PAPER_HEIGHT, PersonPlan, PersonSettings
from ..plan import Plan
from ..problem import Problem
from ..settings import Count, Fraction, Interval, NonNegative, Number, Positive, settings_record
from ..start import start_solver
from .filter import Filter, new_particles, store_pose
from .frames import FilterLoop, solve_frames
from .rotation_noise import (
    FIXED,
    Noise,
    build_noise,
    covariance_of,
    longest_below,
    reach_scales,
)
from .task_cost import person_tasks

STARTS = ("sik", "constant", "velocity", "guided", "a file of `sixpoint train` (.npz)")
POSE_ITERATIONS = 2000
"""Iterations for places with rotations, which have few answers within limits."""
USUAL_MOMENTUM = 0.9
"""Setting `momentum` of skeletons without limits whose tasks are positions."""
USUAL_LEVER = 0.5
"""Setting `lever` of skeletons with several end effectors: a finger that is drawn like the elbow
waits until the elbow draws next to nothing."""
MOST_JOINTS = 20
"""Joints in a row that are drawn with the noise that `spread` says; of more, each is drawn with
less, or a chain that is straight would become a ball before any selection could tell."""
SEEDS = 2**63 - 1
"""The largest seed."""
PositiveFraction: TypeAlias = Annotated[float, Interval(0.0, 1.0, above=True)]
Shapes: TypeAlias = Mapping[str, Any] | tuple[tuple[str, Any], ...]
EXTRAS = ("rejections", "projections", "effective", "runs")
"""What is said of each frame besides the residuals of tasks: draws of joints that limits rejected,
joints projected into their limits, the effective number of particles in the last iteration, and
populations. They stand after the residuals in `Output.numbers`."""


@dataclass(frozen=True, kw_only=True)
class MonteCarloSolver(ArticulatedSettings, PersonSettings, Solver):
    """Settings of the particle filter; lengths are parts of the skeleton's size."""

    name: ClassVar[str] = "monte-carlo"
    title: ClassVar[str] = "Sequential Monte Carlo IK"
    capabilities: ClassVar[Capabilities] = replace(
        ArticulatedSettings.capabilities, rotations=True, random=True
    )
    solve_people = solve_frames
    solve_skeletons = solve_frames
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (
        Reach,
        Orient,
        LookAt,
        Balance,
        Smoothness,
        Coupling,
        Floor,
        Posture,
        SelfCollision,
        FunctionTask,
    )
    weighs_axes: ClassVar[bool] = True
    people_rule: ClassVar[StopRule] = StopRule(60, 0.001 / PAPER_HEIGHT, -math.inf)

    iterations: Count | None = None
    """Most iterations in a frame. Default: 60 for people by six points; for other skeletons 500, or
    2000 where a rotation is asked for."""
    tolerance: Fraction | None = None
    """A largest error below this part of the size ends the frame. Default: 0.00055 for people (1 mm
    at 1.83 m), 0.0001 for other skeletons."""
    least_gain: float | None = field(default=None, init=False, repr=False)
    """No setting: a population that gains nothing cools, and ends."""
    particles: Annotated[int, Interval(3, 1_000_000)] = 30
    """How many poses are tried at once: 3 or more, of fewer none is ever drawn anew."""
    seed: Annotated[int, Interval(0, SEEDS)] = 0
    """Of the random numbers: the same seed, the same answer."""
    schedule: Literal["annealed", "constant"] = "annealed"
    """Noise as large as what is still missing, or always the same (the paper's words)."""
    spread: Positive = 0.1
    """Annealed: noise of joints [rad, half angles] over what is missing of the size. Chains of more
    than twenty joints are drawn with less, so that all together they turn no farther."""
    hardness: Positive = 0.1
    """Annealed: noise of tasks over what is missing."""
    lever: NonNegative | None = None
    """Annealed: noise of a joint falls with this power of how far it reaches; 0: all alike.
    Default: 0.5, or 0 where one end effector is all that is asked for."""
    largest: PositiveFraction = 0.5
    """Annealed: largest noise of joints [rad, half angles]."""
    path: NonNegative = 1.0
    """Annealed: how far particles go on along the smoothed way of the best one, at random, instead
    of with `momentum`, where a skeleton has tasks of rotation; 0 as published."""
    momentum: Annotated[float, Interval(0.0, 0.99)] | None = None
    """Annealed: part of the draw before with which a joint goes on; 0: every draw is independent,
    as published. What selection favours is tried again, which straightens and bends long chains in
    a third of the iterations; limits reject more of such draws. Default: 0.9 for skeletons without
    limits whose tasks are positions, 0 otherwise."""
    noise: Positive = 0.02
    """Constant: noise of joints [rad, half angles]."""
    sigma: Positive = 0.05
    """Constant: noise of tasks, the square root of the paper's covariance. Annealed: noise of soft
    tasks (smoothness, posture), which never harden."""
    sampler: Literal["gaussian", "paper"] = "gaussian"
    """Draw rotations with the covariance of a joint, or by Algorithm 2 as it is printed, which
    draws direction and angle apart and has another covariance."""
    covariance: Shapes | None = None
    """What joints can do, by their names: three deviations about X, Y and Z at rest, or a matrix.
    ``{"knee": (1, 0, 0)}`` makes a hinge, ``(1, 1, 0.05)`` two axes with some slack."""
    root: NonNegative = 0.0
    """Noise of the root's position, compared with that of joints; 0: it stays. Not for people by
    six points, whose pelvis is seen."""
    start: Fraction = 0.0
    """Spread of the particles when a frame begins [rad, half angles]; 0: all alike."""
    runs: Annotated[int, Interval(1, 1000)] = 1
    """Populations that try a frame one after the other, although the first has met it:
    `ParticleStream.modes` says what they found. All share the iterations of the frame."""
    tries: Count = 20
    """Most draws of a joint that its limit rejects; then the last is projected into the limit."""
    resample: Fraction = 0.5
    """Draw a new generation when fewer than this part of the particles carry the weight."""
    answer: Literal["best", "mean", "smooth"] = "best"
    """Answer a frame with the best particle found, the weighted mean of the last generation, or the
    smoothed estimate."""
    smoothing: PositiveFraction = 0.1
    """Part of the way that the smoothed estimate goes to each new one."""
    prior: Literal["sik", "constant", "velocity", "guided"] | str = "sik"
    """Where a frame begins: people at sequential IK's pose of the same frame; at the pose of the
    frame before; there, moved on with the same velocity; or at the guided solver's pose, with the
    model built in or that of a file (`mine.npz`). The first frame of people begins at sequential IK
    or the guided solver always, and other skeletons take these two for "constant"."""
    posture: NonNegative = 0.01
    """How much people are drawn to that pose of sequential IK or of the guided solver, as the
    weight of a posture task."""

    def check(self) -> None:
        """Refuse a prior that is neither known nor a model, and covariances of no use."""
        if self.prior.endswith(".npz"):
            prior_of(self.prior)  # a file that cannot be used is refused at once
        elif self.prior not in STARTS:
            raise InputError(
                f"Expected `prior` to be one of {', '.join(STARTS)}; got {self.prior!r}."
            )
        if self.covariance is not None:
            try:
                given = dict(self.covariance)
            except (TypeError, ValueError):
                raise InputError(
                    "Expected `covariance` by the names of joints, as in {'knee': (1, 0, 0)}; "
                    f"got {self.covariance!r}."
                ) from None
            plain = tuple(
                (name, tuple(map(tuple, covariance_of(name, value).tolist())))
                for name, value in given.items()
            )
            object.__setattr__(self, "covariance", plain)

    @property
    def first(self) -> Solver:
        """The solver that goes first for people: its pose is the start, or the posture."""
        if self.prior == "guided":
            return start_solver("guided", self)
        if self.prior.endswith(".npz"):
            return start_solver("guided", self, self.prior)
        return start_solver("sik", self)

    @property
    def needed(self) -> tuple[str, ...]:
        """Those of the solver that goes first: it guesses the others."""
        return self.first.needed

    def numbers(self) -> dict[str, Number]:
        """Return the settings as numbers, always in the same order."""
        own = {
            name: value
            for name, value in super().numbers().items()
            if name not in ("lever", "momentum")
        }
        return {
            **self.stop_rule(self.people_rule)._asdict(),
            **own,
            "momentum": (self.momentum or 0.0) if self.schedule == "annealed" else 0.0,
            "velocity": self.prior == "velocity",
            "previous": self.prior in ("constant", "velocity"),
            "path": 0.0,
        }

    def skeleton_settings(self, plan: SkeletonPlan) -> dict[str, Number]:
        """Return the settings for another skeleton as numbers."""
        numbers = super().skeleton_settings(plan)
        if self.schedule == "annealed" and self.momentum is None:
            plain = all(isinstance(task, Reach) for task in plan.tasks) and not plan.limits
            numbers["momentum"] = USUAL_MOMENTUM if plain else 0.0
        if not any(isinstance(task, Orient) for task in plan.tasks):
            return numbers
        if self.iterations is None:
            numbers["iterations"] = POSE_ITERATIONS
        path = self.path if self.schedule == "annealed" else 0.0
        return numbers | {"path": path} | ({"momentum": 0.0} if path > 0.0 else {})

    def covariances(self, names: Sequence[str]) -> dict[str, Floats]:
        """Return covariances of joints by name (3, 3); only joints with these names turn."""
        found = {name: np.array(value) for name, value in dict(self.covariance or ()).items()}
        for name in found:
            if name not in names:
                raise UnknownName("joint to give a covariance", name, names)
        return found

    def scaled(self, noise: Noise, model: Model, reach: Floats) -> Noise:
        """Return noise by how far each joint reaches (N,) [m], and by how many joints add up.

        Constant noise is left alone.
        """
        if self.schedule != "annealed":
            return noise
        single = len(model.effector_joint) == 1
        lever = self.lever if self.lever is not None else 0.0 if single else USUAL_LEVER
        scales = reach_scales(reach, noise.kind != FIXED, lever)
        scales *= min(1.0, MOST_JOINTS / max(1, model_depth(model)))
        return noise._replace(shape=noise.shape * scales[:, None, None])

    def skeleton_scratch(self, plan: SkeletonPlan) -> Filter:
        """Return how joints are drawn, tasks, and memory for the particles."""
        assert isinstance(plan, SkeletonFilterPlan)
        names = plan.skeleton.names
        covariances = self.covariances(names)
        noise = build_noise(plan.model, names, plan.limits, covariances, self.sampler)
        tasks = skeleton_tasks(plan.body, plan.points, plan.tasks)
        particles = new_particles(plan.model, self, tasks)
        return Filter(self.scaled(noise, plan.model, plan.reach()), tasks, particles)

    def plan(self, problem: Problem) -> Plan:
        """Return the tables and the kernel for one skeleton."""
        return (PersonFilterPlan if is_person(problem) else SkeletonFilterPlan)(self, problem)


class FilterPlan(Plan):
    """The particle filter for one skeleton: what people and other skeletons have in common."""

    model: Model
    scratch: Filter
    settings: dict[str, Number]
    labels: tuple[str, ...]
    """Names of the tasks, each once."""
    functions: Sequence[tuple[int, FunctionTask]] = ()
    """Tasks that are functions, with their places among the tasks."""

    def set_labels(self, labels: Sequence[str]) -> None:
        """Take the names of the tasks."""
        self.labels, self.detailed = tuple(labels), True
        self.numbers = len(labels) + len(EXTRAS)

    def new_context(self, rate: float) -> SkeletonContext:
        """Return the tables of the kernel, with fresh memory."""
        settings, scratch = settings_record(self.settings), copied(self.scratch)
        return SkeletonContext(settings, self.model, new_pose(self.model), scratch)

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
            label: out.numbers[:, k] / self.scratch.tasks.unit[k]
            for k, label in enumerate(self.labels)
        }

    def extras(self, out: Output) -> dict[str, Floats]:
        """What else the filter says of each frame, (F,); see `EXTRAS`."""
        last = out.numbers[:, len(self.labels) :]
        return {name: last[:, k].copy() for k, name in enumerate(EXTRAS)}

    def remarks(self, frames: Frames) -> list[str]:
        """Warn of tasks that are not met; points that are missed are counted already."""
        near = float(cast("float", self.settings["tolerance"])) * self.model.size[0]
        residuals = frames.out.numbers[:, : len(self.labels)]
        unmet = unmet_tasks(self.scratch.tasks, self.labels, residuals, near)
        return super().remarks(frames) + unmet


class PersonFilterPlan(FilterPlan, PersonPlan):
    """A person by six points, from where sequential IK or the guided solver left each frame."""

    def __init__(self, solver: MonteCarloSolver, problem: Problem) -> None:
        super().__init__(solver, problem)
        if solver.root > 0.0:
            raise InputError(
                f"Expected `root` = 0 for people by six points, whose pelvis is seen; "
                f"got {solver.root}."
            )
        self.kernel, self.start = solver.solve_people, solver.first.plan(problem)
        self.settings = solver.numbers()
        self.model = model = person_model(self.skeleton.anatomy, self.limits)
        self.set_labels([*(f"reach {name}" for name in SIX[1:]), "posture"])
        names = ["" if rig < 0 else self.skeleton.names[rig] for rig in model.rig]
        free = [name for name, freedom in zip(names, model.freedom, strict=True) if freedom > 0]
        parents = np.concatenate([model.parent, model.effector_joint])
        offsets = np.concatenate([model.offset, model.effector_offset])
        noise = build_noise(model, names, self.limits, solver.covariances(free), solver.sampler)
        noise = solver.scaled(noise, model, longest_below(parents, offsets)[: len(names)])
        tasks = person_tasks(model, solver.posture)
        self.scratch = Filter(noise, tasks, new_particles(model, solver, tasks))

    def begin(self, context: SkeletonContext, pose: Pose) -> None:
        """Let a fresh context start from a pose; what goes first starts there, too."""
        local, particles = context.pose.local, context.scratch.particles
        read_pose(self.model, pose.rotations, local)
        store_pose(local, context.pose.position, 0, particles.before[0])
        particles.state["frames"] = 1


class SkeletonFilterPlan(FilterPlan, SkeletonPlan):
    """Any skeleton, with every kind of task; its root moves if the solver lets it."""

    solver: MonteCarloSolver

    def __init__(self, solver: MonteCarloSolver, problem: Problem) -> None:
        super().__init__(solver, problem)
        self.functions = [
            (k, task) for k, task in enumerate(self.tasks) if isinstance(task, FunctionTask)
        ]
        self.set_labels(numbered_labels(self.tasks))

    def known_tasks(self) -> tuple[Task[Any], ...]:
        """Return the tasks; functions of one name get a number, for messages too."""
        known = super().known_tasks()
        return tuple(
            replace(task, name=label) if isinstance(task, FunctionTask) else task
            for task, label in zip(known, numbered_labels(known), strict=True)
        )

    def begin(self, context: SkeletonContext, pose: Pose) -> None:
        """Let a fresh context start from a pose, its root included."""
        context.pose.local[:] = arrays.normalize(self.body.to_rest(pose.rotations))
        context.pose.position[0] = pose.root

    def reach(self) -> Floats:
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
        if self.solver.root > 0.0:  # it goes where it must
            return np.zeros(seen.shape[:-1], np.bool_)
        return super()._unreachable(seen)
