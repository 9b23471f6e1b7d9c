"""Iterative solvers of any articulated figure, people among them: what they share.

A method brings two kernels: one for people, whose pelvis follows its point, and one for any figure,
whose root stays. Both start from the pose of the frame before, and both stop by the same rule with
other numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..body.articulation import person
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels._jit import Kernel
from ..motion.points import SIX
from ..tasks import Orient, Reach, Task
from ._kernels.figure import Figure
from ._kernels.tables import SETTINGS, RecordArray
from .base import LimitsChoice, Tracker, check_whole, resolve_limits
from .figure_tracker import FigureTracker
from .human import TOLERANCE, HumanSolver, HumanTracker
from .iterative import PAPER_HEIGHT


class StopRule(NamedTuple):
    """When to stop; lengths are parts of the figure's size."""

    iterations: int
    tolerance: float
    least_gain: float


PEOPLE = StopRule(20, 0.01 / PAPER_HEIGHT, 0.001 / PAPER_HEIGHT)
"""The rule of the SIK paper's comparison (S0.49): 20 iterations, 1 cm, 1 mm."""
FIGURES = StopRule(500, 1e-4, -math.inf)
"""Until a target is met to a ten-thousandth of the length, whatever an iteration brings."""


@dataclass(frozen=True, kw_only=True)
class FigureSolver(HumanSolver):
    """Settings of iterative methods; lengths are parts of the figure's size.

    The size is the height of a person (without foot and head), or the longest way from the root of
    a figure along its bones.
    """

    figure_kernel: ClassVar[Kernel[..., None]]
    """Solves some frames of any figure; arguments as of `_kernels.numeric.solve_figures`."""
    human_tracker: ClassVar[type[HumanTracker]]
    """Follows people by their six points."""
    figure_tracker: ClassVar[type[FigureTracker]] = FigureTracker
    """Follows any other figure."""
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach, Orient)
    """Kinds of tasks that can be given."""
    weighs_axes: ClassVar[bool] = False
    """Whether tasks may have a covariance of their own."""

    iterations: int | None = None
    """Most iterations in a frame. Default: 20 for people by six points, 500 for other figures."""
    tolerance: float | None = None
    """A largest error below this part of the size ends the frame. Default: 0.0055 for people (1 cm
    at 1.83 m), 0.0001 for other figures."""
    least_gain: float | None = None
    """An iteration that improves the sum of errors by less than this part of the size is the last.
    Default: 0.00055 for people (1 mm at 1.83 m), no such rule for other figures."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        if self.iterations is not None:
            check_whole("iterations", self.iterations, 1, 100_000)
        if self.tolerance is not None and not 0.0 <= self.tolerance <= 1.0:
            raise InputError(f"Expected `tolerance` in [0, 1], got {self.tolerance}.")
        if self.least_gain is not None and not self.least_gain <= 1.0:
            raise InputError(f"Expected `least_gain` <= 1, got {self.least_gain}.")

    def prepare(
        self,
        skeleton: Skeleton,
        *,
        limits: LimitsChoice = "adult",
        rate: float = 60.0,
        names: Sequence[str] | None = None,
        tasks: Sequence[Task[Any]] | None = None,
    ) -> Tracker:
        """Build the tables for one skeleton; see `Solver.prepare`."""
        kept = resolve_limits(limits, skeleton)
        if tasks is None and names is None and person(skeleton) is not None:
            names = SIX
        if tasks is None and names is not None and set(SIX) <= set(names):
            return self.human_tracker(self, skeleton, kept, rate, names)
        return self.figure_tracker(self, skeleton, kept, rate, names, tasks)

    @property
    def closeness(self) -> float:
        """What is near enough to end the iteration is met."""
        return max(TOLERANCE, self.stop_rule(PEOPLE).tolerance)

    def stop_rule(self, usual: StopRule) -> StopRule:
        """The usual rule with what the settings say."""
        said = {name: getattr(self, name) for name in StopRule._fields}
        return usual._replace(**{name: value for name, value in said.items() if value is not None})

    def numbers(self) -> dict[str, Any]:
        """Settings for people, as fields of `SETTINGS`."""
        return self.stop_rule(PEOPLE)._asdict()

    def figure_numbers(self, figure: Figure) -> dict[str, Any]:
        """Settings for another figure."""
        return self.numbers() | self.stop_rule(FIGURES)._asdict()

    def figure_records(self, figure: Figure) -> RecordArray:
        """Settings for another figure, as the kernels read them."""
        settings = np.zeros(1, SETTINGS)
        for name, value in self.figure_numbers(figure).items():
            settings[name] = value
        return settings

    def new_scratch(self, figure: Figure) -> Any:
        """Scratch memory that `figure_kernel` is given."""
        raise NotImplementedError
