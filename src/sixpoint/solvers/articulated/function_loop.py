"""Tasks that are Python functions, for methods that follow derivatives.

Kernels cannot call Python. So a function is replaced by its value and its slopes around the present
pose, found by differences; the kernel takes one step with that; and the function is asked again. A
step over which it was far from straight, and no better, is taken back and tried with smaller turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...kernels import arrays
from ...kernels.types import Floats
from ...motion.motion import Motion
from ...motion.pose import Pose
from ...tasks import FunctionTask
from ..context import NOT_MET, Frames
from .context import SkeletonContext

if TYPE_CHECKING:
    from .plan import SkeletonPlan

STEP = 1e-6
"""Step of the central differences: an angle [rad], or a part of the size."""
ROUNDS = 100
"""Most steps of a frame."""
CURVED = 0.5
"""A function that differs from what its slopes say by more than this part of its change is not
straight over a step."""
SHRINK, GROW = 0.25, 2.0
"""What the largest turn of a joint is multiplied by after a step taken back, and after another."""
LEAST_TURN = 1e-5
"""A frame ends where joints turn less than this [rad]."""


class FunctionLoop:
    """Solves frames of a context step by step."""

    def __init__(self, plan: SkeletonPlan, context: SkeletonContext, frames: Frames) -> None:
        self._plan, self._context, self._frames = plan, context, frames
        self._table = context.scratch.tasks
        self._tasks = [(k, t) for k, t in enumerate(plan.tasks) if isinstance(t, FunctionTask)]
        self._run = plan.kernel.bind(context, frames)
        self._turn = float(context.settings["joint_step"][0])
        self._rounds = min(ROUNDS, int(context.settings["iterations"][0]))
        context.settings["restarts"] = 0

    def solve(self, first: int, last: int) -> None:
        """Solve the frames `first` to `last - 1`."""
        for frame in range(first, last):
            self._solve(frame)

    def _solve(self, frame: int) -> None:
        local, root = self._context.pose.local, self._context.pose.position
        turn, rounds = self._turn, 0
        self._linearise()
        for _ in range(self._rounds):
            before = local.copy(), root[0].copy()
            self._step(frame, 1, turn)
            rounds += 1
            moved = self._moved()
            said = self._table.values + self._table.slopes @ moved
            change = np.linalg.norm(said - self._table.values)
            given, held = self._values(), np.linalg.norm(self._table.values)
            curved = np.linalg.norm(given - said) > CURVED * change
            if curved and np.linalg.norm(given) >= held:
                local[:], root[0] = before
                turn *= SHRINK
                if turn < LEAST_TURN:
                    break
                continue
            turn = min(self._turn, GROW * turn)
            self._linearise()
            if np.abs(moved).max(initial=0.0) < LEAST_TURN:
                break
        self._step(frame, 0, turn)
        self._finish(frame, rounds)

    def _step(self, frame: int, iterations: int, turn: float) -> None:
        """Let the kernel take some steps in which no joint turns farther than `turn` [rad]."""
        settings = self._context.settings
        settings["iterations"], settings["joint_step"] = iterations, turn
        judgement: Any = getattr(self._context.scratch, "judgement", None)
        if judgement is not None:
            judgement.begun[0] = 0  # functions have other slopes now
        self._run(frame, frame + 1)

    def _finish(self, frame: int, rounds: int) -> None:
        """Say what the functions themselves lack."""
        out, pose = self._frames.out, self._pose()
        out.iterations[frame] = rounds
        near = float(self._context.settings["tolerance"][0]) * float(self._plan.model.size[0])
        for k, task in self._tasks:
            out.numbers[frame, k] = lack = task.residual_norm(pose)
            if task.weight > 0.0 and lack > near:
                out.flags[frame] |= NOT_MET

    def _pose(self) -> Pose:
        rotations = self._plan.body.from_rest(self._context.pose.local)
        skeleton = self._plan.skeleton
        return Pose(skeleton, self._context.pose.position[0].copy(), arrays.normalize(rotations))

    def _moved(self) -> Floats:
        """What each joint turned, and the root moved, since the slopes were found (3 N + 3,)."""
        table, pose = self._table, self._context.pose
        turned: Floats = arrays.to_rotvec(
            arrays.multiply(pose.local, arrays.conjugate(table.around))
        )
        moved: Floats = np.concatenate([turned.ravel(), pose.position[0] - table.origin[0]])
        return moved

    def _values(self) -> Floats:
        """What all functions give now, padded to whole slots (3 F,)."""
        local, root = self._context.pose.local, self._context.pose.position[:1]
        given: Floats = self._of(local[None], root)[0]
        return given

    def _linearise(self) -> None:
        """Write values and slopes around the present pose."""
        table, pose, model = self._table, self._context.pose, self._plan.model
        table.around[:], table.origin[0] = pose.local, pose.position[0]
        size = float(model.size[0])
        local, root, columns = [pose.local], [pose.position[0]], []
        for joint in np.flatnonzero(model.freedom).tolist():
            for axis in range(3):
                columns.append((3 * joint + axis, 2.0 * STEP))
                for sign in (1.0, -1.0):
                    turn = arrays.from_rotvec(sign * STEP * np.eye(3)[axis])
                    turned = pose.local.copy()
                    turned[joint] = arrays.multiply(turn, turned[joint])
                    local.append(turned)
                    root.append(pose.position[0])
        for axis in range(3):
            columns.append((3 * len(pose.local) + axis, 2.0 * STEP * size))
            for sign in (1.0, -1.0):
                local.append(pose.local)
                root.append(pose.position[0] + sign * STEP * size * np.eye(3)[axis])
        found = self._of(np.array(local), np.array(root))
        table.values[:] = found[0]
        for k, (column, width) in enumerate(columns):
            table.slopes[:, column] = (found[2 * k + 1] - found[2 * k + 2]) / width

    def _of(self, local: Floats, root: Floats) -> Floats:
        """What all functions give of poses (P, N, 4), (P, 3), padded to whole slots (P, 3 F)."""
        plan, table = self._plan, self._table
        rotations = arrays.normalize(plan.body.from_rest(local))
        out = np.zeros((len(local), len(table.values)))
        places: Any = None
        for k, task in self._tasks:
            first = 3 * int(table.first[k])
            if task.batched:
                if places is None:
                    places = Motion(plan.skeleton, root, rotations, 1.0).world()[0]
                out[:, first] = task.call(places, poses=len(local))
                continue
            for row, at, turns in zip(out, root, rotations, strict=True):
                given = task.measure(Pose(plan.skeleton, at.copy(), turns.copy()))
                room = 3 * int(table.last_slot[k] - table.slot[k])
                row[first : first + len(given)] = given[:room]
        return out
