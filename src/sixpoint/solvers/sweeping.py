"""Methods that sweep over joints, one after the other: what CCD and FABRIK share.

On people the root is placed as in sequential IK. Then the spine is swept, then each clavicle with
its arm, then the legs, each from its pose in the frame before and until its own tip is near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels._jit import Kernel
from ._kernels.figure import Figure
from ._kernels.parts import Parts
from ._kernels.sweeps import sweep_figures, sweep_humans
from .human import HumanTracker
from .led import LedSolver
from .numeric import NumericTracker

LONGEST_STRIDE = 64.0
"""Most that a sweep is gone on at once."""


class SweepingTracker(NumericTracker):
    """A person followed part by part."""

    def _prepare(self) -> None:
        super()._prepare()
        self._scratch: Any = new_parts(self._figure, human_parts(self._figure))


@dataclass(frozen=True, kw_only=True)
class SweepingSolver(LedSolver):
    """Settings that methods of this kind have; lengths are parts of the figure's size."""

    kernel: ClassVar[Kernel[..., None]] = sweep_humans
    figure_kernel: ClassVar[Kernel[..., None]] = sweep_figures
    human_tracker: ClassVar[type[HumanTracker]] = SweepingTracker
    method: ClassVar[int]
    """Which sweep, as in `_kernels.sweeps`."""

    stride: bool | None = None
    """After each sweep, go on the way that it went as long as that helps. Unfolds long chains many
    times faster. Default: not for people by six points, as in the SIK paper; for other figures."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        if self.stride not in (None, True, False):
            raise InputError(f"Expected `stride` to be True, False or None, got {self.stride!r}.")

    def numbers(self) -> dict[str, Any]:
        """Settings for people."""
        stride = LONGEST_STRIDE if self.stride else 0.0
        return super().numbers() | {"method": self.method, "longest_stride": stride}

    def figure_numbers(self, figure: Figure) -> dict[str, Any]:
        """Settings for another figure."""
        stride = 0.0 if self.stride is False else LONGEST_STRIDE
        return super().figure_numbers(figure) | {"longest_stride": stride}

    def new_scratch(self, figure: Figure) -> Parts:
        """The whole figure as one part."""
        rows, tasks = range(len(figure.parent)), range(len(figure.task_kind))
        return new_parts(figure, [(rows, tasks)])


def human_parts(figure: Figure) -> list[tuple[range, range]]:
    """Rows and tasks of each part of a person: spine, left arm, right arm, left leg, right leg.

    Every part has one task, and its rows are those from its own first to the row of its tip.
    """
    spine_end = int(figure.tip_row[figure.task_tip[0]])
    limbs = [int(figure.tip_row[tip]) for tip in figure.task_tip[1:]]
    # Row 0 is the pelvis, placed with the loins; the row after the spine's last is the head.
    first = next((k for k in range(1, spine_end + 1) if figure.freedom[k]), spine_end + 1)
    starts = [first, spine_end + 2, *(end + 1 for end in limbs[:-1])]
    ends = [spine_end + 2, *(end + 1 for end in limbs)]
    rows = [range(a, b) for a, b in zip(starts, ends, strict=True)]
    return [(part, range(task, task + 1)) for task, part in enumerate(rows)]


def new_parts(figure: Figure, parts: Sequence[tuple[range, range]]) -> Parts:
    """Tables and scratch memory for the sweeps."""
    rows, tips = len(figure.parent), len(figure.tip_row)
    child = np.full(rows, -1, np.int64)
    sibling = np.full(rows + tips, -1, np.int64)
    above = np.concatenate([figure.parent, figure.tip_row])
    for node in reversed(range(rows + tips)):
        if above[node] >= 0:
            sibling[node] = child[above[node]]
            child[above[node]] = node
    reach = np.zeros(len(figure.task_kind))
    for part, tasks in parts:
        for task in tasks:
            tip = figure.task_tip[task]
            bones = np.linalg.norm(figure.offset[part], axis=1) * figure.moves[tip][part]
            reach[task] = bones[1:].sum() + np.linalg.norm(figure.tip_offset[tip])
    return Parts(
        first_row=np.array([part.start for part, _ in parts], np.int64),
        last_row=np.array([part.stop for part, _ in parts], np.int64),
        first_task=np.array([tasks.start for _, tasks in parts], np.int64),
        last_task=np.array([tasks.stop for _, tasks in parts], np.int64),
        reach=reach,
        child=child,
        sibling=sibling,
        wanted=np.zeros((rows + tips, 3)),
        votes=np.zeros(rows + tips),
        turns=arrays.identity(tips),
        kept=arrays.identity(rows),
        begun=arrays.identity(rows),
        swept=arrays.identity(rows),
    )
