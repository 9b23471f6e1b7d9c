"""Prioritized IK: any number of strict levels, limits as equalities, a posture for what is left.

Baerlocher and Boulic 2004, as the SIK paper compares with it (section 9, S0.54): the pelvis comes
first, then the ankles, the wrists and the head, and all that they leave open is drawn to a relaxed
stance. Nothing that a lower level wants ever costs a higher one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels._jit import Kernel
from ..kernels.types import Floats
from ..motion.points import SIX
from ..tasks import Orient, Posture, Reach, SelfCollision, Task
from ._kernels.figure import ORIENTATION, POSITION, Figure, FigurePose
from ._kernels.pik import prioritize_figures, prioritize_humans
from ._kernels.pik_step import PikWork
from ._kernels.tables import FrameTable, RecordArray
from .apart_tables import apart_slots
from .base import Capabilities, one_of
from .body_table import clear_state, new_state
from .figure import new_pose, plain_figure, reset_pose
from .figure_solver import StopRule
from .figure_tracker import FigureTracker
from .human import TOLERANCE, HumanSolver, HumanTracker
from .iterative import PAPER_HEIGHT
from .led import LEADERS, LedSolver, LedTracker, leader_of
from .pik_tables import (
    HEAD,
    floating_figure,
    floating_rows,
    human_give,
    human_posture,
    loins_of,
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
"""What comes first in the SIK paper's comparison (S0.54)."""
PEOPLE = StopRule(20, 0.001 / PAPER_HEIGHT, 0.0001 / PAPER_HEIGHT)
"""Twenty steps, a millimetre, a tenth of it: ten times as strict as the rule of Table 1's other
methods (`IterativeSolver`), since damped steps that end a centimetre short show no priorities."""
NUMBERS = ("damping", "task_step", "joint_step")


class PrioritizedTracker(LedTracker):
    """A person followed by prioritized IK."""

    solver: PrioritizedSolver

    def _prepare(self) -> None:
        super()._prepare()
        solver, anatomy = self.solver, self.skeleton.anatomy
        levels = solver.levels_of(SIX, ORDER)
        order = sorted(range(len(SIX)), key=levels.__getitem__)
        # The rotation of the head, where it is known, comes after all places.
        tasks = [(POSITION, tip, 1.0) for tip in order] + [(ORIENTATION, HEAD, 1.0)]
        ranks = [*(levels[tip] for tip in order), max(levels) + 1]
        rows, tips = floating_rows(anatomy, loins=True)
        self._figure = floating_figure(anatomy, self.limits, rows, tips, tasks)
        self._scratch = new_work(
            self._figure,
            ranks,
            pull=solver.posture,
            cut=solver.cut,
            posture=human_posture(rows, solver.bent),
            give=human_give(anatomy, rows, solver.give),
            floats=True,
            loins=loins_of(anatomy, rows),
        )

    def _new_own(self) -> tuple[RecordArray, FigurePose, Floats]:
        return new_state(), new_pose(self._figure), arrays.identity(1)

    def _clear_own(self, memory: Any) -> None:
        state, pose, lean = memory
        clear_state(state)
        reset_pose(self._figure, pose)
        lean[:] = arrays.identity(1)

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
        state, pose, lean = memory
        self._kernel(
            self._body,
            settings,
            state,
            self._work,
            self._figure,
            pose,
            lean,
            self._scratch,
            lead,
            self._ahead,
            seen,
            turned,
            out,
            first,
            last,
        )


class PrioritizedFigureTracker(FigureTracker):
    """Any other figure followed by prioritized IK."""

    solver: PrioritizedSolver

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        pull, cut = self.solver.posture, self.solver.cut
        posture = None
        for task in self.tasks:
            if isinstance(task, Posture):
                posture = self.body.to_rest(task.aim(None).rotations)
                pull = min(1.0, pull * task.weight)
        work = new_work(self._figure, self._ranks, pull=pull, cut=cut, posture=posture)
        self._scratch = self._with_capsules(work)

    def _known(
        self, tasks: Sequence[Task[Any]] | None, names: Sequence[str] | None
    ) -> tuple[Task[Any], ...]:
        """Tasks that this solver answers: points, and one posture that is always the same."""
        known = super()._known(tasks, names)
        postures = [task for task in known if isinstance(task, Posture)]
        if len(postures) > 1 or len(postures) == len(known):
            raise InputError(
                "Expected one task or more of Reach, Orient and at most one Posture beside them; "
                f"got {len(known) - len(postures)} and {len(postures)}."
            )
        for task in postures:
            if task.aim(None).skeleton != self.skeleton:
                raise InputError("Expected a Posture of the same skeleton, got one of another.")
        return known

    def _build_figure(self) -> Figure:
        asked = [task for task in self.tasks if isinstance(task, Reach | Orient)]
        ranked = []
        for task, level in zip(asked, self._levels(asked), strict=True):
            kind = POSITION if isinstance(task, Reach) else ORIENTATION
            ranked.append((level, kind, self.names.index(task.node), task.weight))
        for apart in (task for task in self.tasks if isinstance(task, SelfCollision)):
            # Before all: whatever is asked, parts of a body are not in each other.
            ranked += [(-1, *slot) for slot in apart_slots(apart)]
        ranked.sort(key=lambda task: task[0])
        figure = plain_figure(
            self.body,
            self.limits,
            self._nodes,
            [task[1:] for task in ranked],
            whole=any(isinstance(task, Posture | SelfCollision) for task in self.tasks),
        )
        self._ranks = [task[0] for task in ranked]
        return figure

    def _levels(self, asked: Sequence[Reach | Orient]) -> list[int]:
        """Level of each task: its own, or that of its point if the solver has priorities."""
        own = [_level(task.node, task.priority) for task in asked]
        if self.solver.priorities is None:
            return own
        if set(own) - {Reach.priority}:
            raise InputError(
                "Expected priorities in the tasks or in the solver, got conflicting ones in both."
            )
        levels = dict(zip(self.names, self.solver.levels_of(self.names), strict=True))
        return [levels[task.node] for task in asked]


@dataclass(frozen=True, kw_only=True)
class PrioritizedSolver(LedSolver):
    """Settings of prioritized IK; lengths are parts of the figure's size."""

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
    kernel: ClassVar[Kernel[..., None]] = prioritize_humans
    figure_kernel: ClassVar[Kernel[..., None]] = prioritize_figures
    human_tracker: ClassVar[type[HumanTracker]] = PrioritizedTracker
    figure_tracker: ClassVar[type[FigureTracker]] = PrioritizedFigureTracker
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach, Orient, Posture, SelfCollision)

    priorities: Mapping[str, int] | Priorities | None = None
    """Level of each point, 0 or more, the least first: ``{"l_wrist": 0, "head": 1}``. Points that
    are not named come after all others. Default: pelvis, ankles, wrists, head; for other figures
    the priorities of tasks."""
    iterations: int | None = None
    """Most steps in a frame. Default: 20 for people by six points, 500 for other figures."""
    tolerance: float | None = None
    """A largest error below this part of the size ends the frame. Default: 0.00055 for people (1 mm
    at 1.83 m), 0.0001 for other figures."""
    least_gain: float | None = None
    """A step that changes the sum of errors by less than this part of the size is the last.
    Default: 0.000055 for people (0.1 mm at 1.83 m), no such rule for other figures."""
    damping: float = 0.1
    """Singular values well below this hardly move a joint: how calm a stretched limb is."""
    task_step: float = 0.1 / PAPER_HEIGHT
    """Most that a point is asked to move in one step. One that is nearer is damped less."""
    joint_step: float = math.radians(45.0)
    """Most that a joint turns in one step [rad]."""
    cut: float = 1e-3
    """Directions with singular values below this are left to lower levels."""
    posture: float = 0.1
    """Part of the way to the relaxed posture in each step, as far as no point minds. Figures are
    drawn to the pose of a `Posture` task, where there is one, times its weight."""
    towards: Literal["stance", "sik", "guided"] = "stance"
    """That posture of a person: the relaxed stance, or the pose of sequential IK or of the guided
    solver in the same frame, whose pelvis is taken for the estimate then."""
    bent: float = 0.6
    """Bend of elbows and knees in the relaxed stance of a person [rad]."""
    give: tuple[float, float, float] = (0.2, 0.3, 0.2)
    """How readily pelvis, spine and clavicles of a person turn, compared with arms and legs. The
    paper has (1, 1, 1): clavicles then do what shoulders should."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        one_of("towards", self.towards, ("stance", *LEADERS))
        super().check()
        if self.start in LEADERS and self.towards in LEADERS and self.start != self.towards:
            raise InputError(
                "Expected one solver to go ahead, got start="
                f"{self.start!r} and towards={self.towards!r}."
            )
        for name in ("damping", "cut", "posture", "bent"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InputError(f"Expected `{name}` >= 0, got {getattr(self, name)}.")
        for name in ("task_step", "joint_step"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise InputError(f"Expected `{name}` > 0, got {getattr(self, name)}.")
        if self.posture > 1.0:
            raise InputError(f"Expected `posture` <= 1, got {self.posture}.")
        if len(self.give) != 3 or not all(0.0 < part <= 1.0 for part in self.give):
            raise InputError(f"Expected `give` to be three numbers in (0, 1], got {self.give!r}.")
        if self.priorities is not None:
            object.__setattr__(self, "priorities", _pairs(self.priorities))

    def levels_of(self, names: Sequence[str], usual: Priorities = ()) -> list[int]:
        """Level of each point."""
        pairs = cast(Priorities, self.priorities or usual)
        for name, _ in pairs:
            if name not in names:
                raise UnknownName("point to give a priority", name, names)
        levels = dict(pairs)
        last = max(levels.values(), default=-1) + 1
        return [levels.get(name, last) for name in names]

    @property
    def leader(self) -> HumanSolver | None:
        """Who goes ahead."""
        names = [name for name in (self.start, self.towards) if name in LEADERS]
        return leader_of(names[0], self, self.prior) if names else None

    def records(self, rate: float) -> RecordArray:
        """All settings as the kernels read them."""
        settings = super().records(rate)
        settings["led_posture"] = self.towards != "stance"
        return settings

    @property
    def closeness(self) -> float:
        """What is near enough to end the steps is met."""
        return max(TOLERANCE, self.stop_rule(PEOPLE).tolerance)

    def numbers(self) -> dict[str, Any]:
        """Settings for people, as fields of `SETTINGS`."""
        own = {name: getattr(self, name) for name in NUMBERS}
        return own | self.stop_rule(PEOPLE)._asdict()

    def new_scratch(self, figure: Figure) -> PikWork:
        """For tasks that are all alike."""
        return new_work(figure, [0] * len(figure.task_kind), pull=self.posture, cut=self.cut)


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
