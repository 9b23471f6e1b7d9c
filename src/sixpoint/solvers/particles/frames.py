"""Frames of the particle filter: how they begin and end, for people and for any skeleton.

A frame of a person starts where another solver, which goes first, left it: that pose is the start,
or the posture to stay near. Any other skeleton starts at its pose of the frame before.

`FilterLoop` runs the iterations of a frame outside of the kernel, with the bits of the compiled
loop, so that tasks which are Python functions can judge the particles, and iterations can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...kernels import arrays
from ...kernels._jit import helper, kernel
from ...kernels.limits import limit_project
from ...kernels.quaternion import quat_conj, quat_load, quat_mul, quat_normalize, quat_store
from ...kernels.types import Floats
from ...kernels.vector import vec_distance, vec_load, vec_store
from ...motion.pose import Pose
from ...tasks import FunctionTask
from ..articulated.context import (
    SkeletonContext,
    end_skeleton,
    has_start,
    skeleton_kernel,
    stop_flags,
)
from ..articulated.model import Targets, copy_rotations, model_forward, read_pose, write_pose
from ..articulated.task_table import ORIENTATION, POSITION
from ..context import LIMITED, MET, OUT_OF_STEPS, SPENT, STILL, UNASKED, Frames
from ..people.plan import is_place
from ..people.tables import FIRST_LIMB, LIMBS, PELVIS
from .filter import (
    Particles,
    add_to_begin,
    begin_filter,
    explore,
    goes_on,
    is_met,
    judge_answer,
    load_pose,
    store_pose,
    weigh,
)

if TYPE_CHECKING:
    from .methods import FilterPlan

BEGIN, GOES_ON, EXPLORE, WEIGH, END = range(5)
"""Phases of a frame: its start, the question whether to iterate, the two halves of an iteration,
and its end."""


def solve_frame(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Solve one frame by the particle filter."""
    targets = frame_targets(frames, frame)
    begin_frame(c, frames, frame)
    while goes_on(c):
        explore(c, targets)
        weigh(c, targets)
    end_frame(c, frames, frame)


solve_frames = skeleton_kernel(solve_frame)


@kernel
def run_phase(context: SkeletonContext, frames: Frames, frame: int, phase: int) -> bool:
    """Run one phase of a frame, for loops outside; whether it goes on, if that is asked.

    Functions that are tasks are called outside, between `EXPLORE` and `WEIGH`; iterations that are
    shown end with `WEIGH`.
    """
    c = SkeletonContext(context.settings[0], *context[1:])
    targets = frame_targets(frames, frame)
    if phase == BEGIN:
        begin_frame(c, frames, frame)
    elif phase == GOES_ON:
        return goes_on(c)
    elif phase == EXPLORE:
        explore(c, targets)
    elif phase == WEIGH:
        weigh(c, targets)
    else:
        end_frame(c, frames, frame)
    return False


@helper
def frame_targets(frames: Frames, frame: int) -> Targets:
    """What is asked of the end effectors: of people the points in use, guesses included."""
    positions = frames.start.points[frame] if has_start(frames) else frames.positions[frame]
    return Targets(positions, frames.rotations[frame])


@helper
def begin_frame(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Start a frame at its first pose."""
    targets, pose, particles = frame_targets(frames, frame), c.pose, c.scratch.particles
    state = particles.state[0]
    if has_start(frames):
        posture = c.scratch.tasks.posture[0]
        read_pose(c.model, frames.start.rotations[frame], posture)
        copy_answer(frames, frame)
        if c.settings.previous and state.frames > 0:
            predict_pose(c)
            quat_store(pose.local, 0, quat_load(posture, 0))
        else:
            copy_rotations(posture, pose.local)
        vec_store(pose.position, 0, vec_load(targets.positions, PELVIS))
        begin_filter(c, targets)
        return
    if state.frames > 1 and c.settings.velocity:
        # Where nothing is asked that is not met already, the skeleton keeps still.
        load_pose(c.model, particles.before[0], pose)
        begin_filter(c, targets)
        if state.worst == 0.0:
            return
    predict_pose(c)
    begin_filter(c, targets)


@helper
def copy_answer(frames: Frames, frame: int) -> None:
    """Take the answer of the solver that went first, until there is a better one."""
    first, out = frames.start, frames.out
    copy_rotations(first.rotations[frame], out.rotations[frame])
    vec_store(out.root, frame, vec_load(first.root, frame))
    for p in range(out.points.shape[1]):
        vec_store(out.points[frame], p, vec_load(first.points[frame], p))
        out.residuals[frame, p] = first.residuals[frame, p]
    out.iterations[frame] = 0
    out.flags[frame] = first.flags[frame]


@helper
def predict_pose(c: SkeletonContext) -> None:
    """Take the pose of the frame before or, by constant velocity, one such step further."""
    model, pose, limits = c.model, c.pose, c.model.limits
    particles = c.scratch.particles
    frames, joints = particles.state[0].frames, pose.local.shape[0]
    if frames == 0:
        for joint in range(joints):
            q = limit_project(limits, joint, quat_load(pose.local, joint))
            quat_store(pose.local, joint, q)
        return
    last, earlier = particles.before[0], particles.before[1]
    load_pose(model, last, pose)
    if not c.settings.velocity or frames < 2:
        return
    for joint in range(joints):
        if model.freedom[joint] == 0:
            continue
        now = quat_load(last, joint)
        step = quat_mul(quat_conj(quat_load(earlier, joint)), now)
        further = quat_normalize(quat_mul(now, step))
        quat_store(pose.local, joint, limit_project(limits, joint, further))
    if c.settings.root > 0.0:
        for k in range(3):
            pose.position[0, k] = 2.0 * last[joints, k] - earlier[joints, k]
    model_forward(model, pose)


@helper
def end_frame(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Write the answer, remember it, and say what it misses."""
    particles, out = c.scratch.particles, frames.out
    state = particles.state[0]
    judge_answer(c, frame_targets(frames, frame))
    copy_rotations(particles.before[0], particles.before[1])
    store_pose(c.pose.local, c.pose.position, 0, particles.before[0])
    state.frames += 1
    tasks = particles.residuals.shape[0]
    for task in range(tasks):
        out.numbers[frame, task] = particles.residuals[task]
    out.numbers[frame, tasks] = state.rejected
    out.numbers[frame, tasks + 1] = state.projected
    out.numbers[frame, tasks + 2] = state.effective
    out.numbers[frame, tasks + 3] = state.runs
    reason = MET if is_met(c) else SPENT if state.steps >= c.settings.iterations else STILL
    if has_start(frames):
        if state.steps > 0 or c.settings.previous:  # otherwise the start's to the last bit
            end_person(c, frames, frame, reason)
        return
    end_skeleton(c, frames, frame, state.steps, stop_flags(reason))
    for task in range(tasks):
        kind = c.scratch.tasks.kind[task]
        if kind != POSITION and kind != ORIENTATION and c.scratch.tasks.weight[task] > 0.0:
            out.flags[frame] &= ~UNASKED  # it asks in every frame


@helper
def end_person(c: SkeletonContext, frames: Frames, frame: int, reason: int) -> None:
    """Write the answer to a frame of a person; joints that are not in the model stay."""
    pose, out = c.pose, frames.out
    rest = frames.start.rotations[frame]
    write_pose(c.model, pose, rest, out.rotations[frame], out.root[frame])
    for p in range(pose.effectors.shape[0]):
        position = vec_load(frames.positions[frame], p)
        if is_place(position):
            out.residuals[frame, p] = vec_distance(vec_load(pose.effectors, p), position)
    out.iterations[frame] = c.scratch.particles.state[0].steps
    points, near = frame_targets(frames, frame).positions, c.settings.tolerance * c.model.size[0]
    flags = out.flags[frame]
    for limb in range(LIMBS):  # what reaches where the start could not is held by no limit
        p = FIRST_LIMB + limb
        if vec_distance(vec_load(pose.effectors, p), vec_load(points, p)) <= near:
            flags &= ~(LIMITED << limb)
    out.flags[frame] = flags | (OUT_OF_STEPS if reason == SPENT else 0)


class FilterLoop:
    """Solves frames of a context phase by phase."""

    def __init__(self, plan: FilterPlan, context: SkeletonContext, frames: Frames) -> None:
        self._plan = plan
        self._context = context
        self._frames = frames
        self._particles: Particles = context.scratch.particles
        self._run = run_phase.bind(context, frames)

    def solve(self, first: int, last: int) -> None:
        """Solve the frames `first` to `last - 1`."""
        for frame in range(first, last):
            for _ in self.iterate(frame):
                pass

    def iterate(self, frame: int = 0) -> Iterator[None]:
        """Solve a frame, and stop after each iteration; left early, its answer is that so far."""
        self._run(frame, BEGIN)
        if self._plan.functions:
            cost, worst = judge_by_functions(
                self._plan.functions, [self._pose(self._particles.start, frame)]
            )
            opened = self._context._replace(settings=self._context.settings[0])
            add_to_begin(opened, float(cost[0]), float(worst[0]))
        try:
            while self._run(frame, GOES_ON):
                self._run(frame, EXPLORE)
                self._judge_particles()
                self._run(frame, WEIGH)
                self._judge_answer(frame)
                yield
        except GeneratorExit:
            self._end(frame)
            raise
        self._end(frame)

    def _judge_particles(self) -> None:
        plan, particles = self._plan, self._particles
        if not plan.functions:
            return
        poses = []
        if not all(task.batched for _, task in plan.functions):
            rotations = arrays.normalize(plan.skeleton.articulation.from_rest(particles.local))
            poses = [
                Pose(plan.skeleton, root, local)
                for root, local in zip(particles.root.copy(), rotations, strict=True)
            ]
        nodes = particles.nodes if particles.nodes.size else None
        particles.extra[:] = np.transpose(judge_by_functions(plan.functions, poses, nodes))

    def _judge_answer(self, frame: int) -> None:
        """Judge an answer that is no particle; the residuals of particles are known."""
        answer, particles = self._plan.solver.answer, self._particles
        if self._plan.functions and answer != "best":
            rows = particles.estimate if answer == "mean" else particles.smooth
            _, worst = judge_by_functions(self._plan.functions, [self._pose(rows, frame)])
            particles.state["worst"] = np.maximum(particles.state["worst"], worst)

    def _end(self, frame: int) -> None:
        self._run(frame, END)
        if self._plan.functions:
            answer = self._pose(self._particles.before[0], frame)
            for k, task in self._plan.functions:
                self._frames.out.numbers[frame, k] = task.residual_norm(answer)

    def _pose(self, rows: Floats, frame: int) -> Pose:
        return self._plan.pose_of(rows, self._frames, frame)


def judge_by_functions(
    functions: Sequence[tuple[int, FunctionTask]],
    poses: Sequence[Pose],
    nodes: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return what functions ask of poses: weighted, squared and summed [m^2], and the largest [m].

    `functions` have their places among the tasks; those of many poses read `nodes` (M, K, 3) [m],
    if given.
    """
    count = len(poses) if nodes is None else len(nodes)
    cost, worst = np.zeros(count), np.zeros(count)
    for _, task in functions:
        if task.batched and nodes is not None:
            residuals = np.abs(task.call(nodes, poses=count))
        else:
            residuals = np.array([task.residual_norm(pose) for pose in poses])
        cost += (task.weight * residuals) ** 2
        if task.weight > 0.0:
            worst = np.maximum(worst, residuals)
    return cost, worst
