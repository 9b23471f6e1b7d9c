"""Jacobian methods: what they share around their steps.

Ball joints are split into three one-axis joints (X, Y, Z in follower order), elbows and knees keep
one. On people the root is placed as in sequential IK and the pose of the frame before is the start,
unless another solver goes ahead (`led`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import InputError
from ..kernels._jit import Kernel
from ..kernels.types import Floats
from ..tasks import Orient, Reach, SelfCollision, Task
from ._kernels.descent import Descent
from ._kernels.figure import Figure, FigurePose
from ._kernels.numeric import solve_figures, solve_humans
from ._kernels.tables import FrameTable, RecordArray
from .body_table import clear_state, new_state
from .figure import figure_depth, human_figure, new_descent, new_pose, reset_pose
from .human import HumanTracker
from .led import LedSolver, LedTracker

NUMBERS = ("damping", "cut", "task_step", "joint_step")


class NumericTracker(LedTracker):
    """A person followed by a Jacobian method."""

    def _prepare(self) -> None:
        super()._prepare()
        self._figure = human_figure(self.skeleton.anatomy, self.limits)
        self._scratch = new_descent(self._figure)

    def _new_own(self) -> tuple[RecordArray, FigurePose]:
        return new_state(), new_pose(self._figure)

    def _clear_own(self, memory: Any) -> None:
        state, pose = memory
        clear_state(state)
        reset_pose(self._figure, pose)

    def _follow(
        self,
        settings: RecordArray,
        memory: Any,
        lead: FrameTable,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        state, pose = memory
        self._kernel(
            self._body,
            settings,
            state,
            self._work,
            self._figure,
            pose,
            self._scratch,
            lead,
            self._ahead,
            seen,
            turned,
            out,
            first,
            last,
        )


@dataclass(frozen=True, kw_only=True)
class NumericSolver(LedSolver):
    """Settings that all Jacobian methods have; lengths are parts of the figure's size."""

    kernel: ClassVar[Kernel[..., None]] = solve_humans
    figure_kernel: ClassVar[Kernel[..., None]] = solve_figures
    human_tracker: ClassVar[type[HumanTracker]] = NumericTracker
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach, Orient, SelfCollision)
    method: ClassVar[int]
    """Which step, as in `_kernels.descent`."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        for name in NUMBERS:
            value = getattr(self, name, 1.0)
            if not (value > 0.0 if name == "joint_step" else value >= 0.0):
                sign = ">" if name == "joint_step" else ">="
                raise InputError(f"Expected `{name}` {sign} 0, got {value}.")

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernels read them: fields with the names of `SETTINGS`."""
        own = {name: getattr(self, name) for name in NUMBERS if hasattr(self, name)}
        return super().numbers() | {"joint_step": math.pi, **own, "method": self.method}

    def figure_numbers(self, figure: Figure) -> dict[str, Any]:
        """The joints of a long chain together turn by half a circle in an iteration, not more.

        Beyond that the Jacobian is no guide: a hundred joints would wind the chain into a ball.
        """
        numbers = super().figure_numbers(figure)
        return numbers | {"joint_step": min(numbers["joint_step"], math.pi / figure_depth(figure))}

    def new_scratch(self, figure: Figure) -> Descent:
        """Room for a Jacobian and its decomposition."""
        return new_descent(figure)
