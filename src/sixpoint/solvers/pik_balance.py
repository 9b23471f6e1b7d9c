"""Prioritized IK with balance: a body that stands, from its wrists alone.

Boulic, Varona, Unzueta, Peinado, Suescun and Perales, "Evaluation of on-line analytic and numeric
inverse kinematics approaches driven by partial vision input", Virtual Reality 10 (2006), section 6.
Four levels of strict priority (Table 1): the centre of mass stays above its support, the wrists go
where they were seen, the shoulders stay where they stood, and what is left goes back to the
standing posture. Head and pelvis need not be seen (S3.49).

**Good at** postures that do not fall over: reach far to one side, and the hips go to the other.
**Bad at** anything but standing: feet stay or follow the ankles, steps are not taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..body.mass import MASS_TABLES
from ..errors import InputError
from ..kernels import arrays
from ..kernels._jit import Kernel
from ..kernels.limits import limit_project
from ..kernels.types import Floats
from ._kernels.feet import Stand
from ._kernels.figure import FigurePose
from ._kernels.pik_balance import balance_humans
from ._kernels.tables import FrameTable, RecordArray
from .balance_tables import simple_body, simple_limits, standing_figure, standing_tables, whole_body
from .base import Capabilities, LimitsChoice, Tracker, one_of, resolve_limits
from .body_table import clear_state, new_state
from .figure import new_pose, reset_pose
from .human import HumanSolver, HumanTracker
from .iterative import PAPER_HEIGHT
from .pik_tables import human_give, human_posture, new_work

BODIES = ("simple", "legs")
SOFT = 0.2
"""Bend of elbows and knees in the posture of a body with legs [rad]: to first order a straight leg
does not know that it can bend, and feet would leave the ground."""


class BalanceTracker(HumanTracker):
    """A person who stands, followed by prioritized IK."""

    solver: BalanceSolver

    def _prepare(self) -> None:
        super()._prepare()
        solver, anatomy = self.solver, self.skeleton.anatomy
        self._plan = whole_body(anatomy) if solver.body == "legs" else simple_body(anatomy)
        self._figure = standing_figure(anatomy, self.limits, self._plan)
        posture, give = arrays.identity(len(self._plan.rows)), None
        if solver.body == "legs":
            posture = human_posture(self._plan.rows, SOFT)
            give = human_give(anatomy, self._plan.rows, solver.give)
        self._scratch = new_work(
            self._figure,
            self._plan.ranks,
            pull=solver.posture,
            cut=solver.cut,
            posture=posture,
            give=give,
            floats=self._plan.floats,
        )
        self._no_turns = np.full((len(self._plan.tips), 4), np.nan)

    def _new_memory(self) -> tuple[RecordArray, FigurePose, Stand]:
        stand = standing_tables(
            self.skeleton.anatomy,
            self._figure,
            self._plan,
            self.solver.mass,
            self.solver.observer,
        )
        pose = new_pose(self._figure)
        memory = (new_state(), pose, stand)
        self._clear(memory)
        return memory

    def _clear(self, memory: Any) -> None:
        state, pose, stand = memory
        clear_state(state)
        reset_pose(self._figure, pose)
        if self.solver.body == "simple":
            for k in range(len(pose.local)):  # the calibration pose: arms straight
                pose.local[k] = limit_project(self._figure.limits, k, (1.0, 0.0, 0.0, 0.0))
        stand.drift[:] = 0.0

    def _run(
        self,
        settings: RecordArray,
        memory: Any,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        state, pose, stand = memory
        self._kernel(
            self._body,
            settings,
            state,
            self._work,
            self._limits,
            self._figure,
            pose,
            self._scratch,
            stand,
            seen,
            turned,
            self._no_turns,
            out,
            first,
            last,
        )

    @property
    def drift(self) -> float:
        """How far the centre of mass was from its support after the last streamed frame [m]."""
        return float(self._memory[2].drift[0])


@dataclass(frozen=True, kw_only=True)
class BalanceSolver(HumanSolver):
    """Settings of prioritized IK with balance; lengths are parts of the body height."""

    name: ClassVar[str] = "pik-balance"
    title: ClassVar[str] = "Prioritized IK with balance"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=False,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    kernel: ClassVar[Kernel[..., None]] = balance_humans

    body: Literal["simple", "legs"] = "simple"
    """The 15 degrees of freedom of the paper on a virtual foot, or the whole person with both feet
    pinned and the centre of mass anywhere above the soles."""
    steps: int = 5
    """Most steps in a frame. The paper compares 1, 5, 10 and 20, and takes 5."""
    mass: str = "paper"
    """Where the mass is: half at mid-thigh and a quarter each in back and chest (the paper), or the
    segment masses ``winter``, ``male``, ``female``."""
    damping: float = 0.05 / PAPER_HEIGHT
    """Singular values well below this hardly move a joint: calm against lag (5 cm at 1.83 m)."""
    ease: bool = False
    """Damp wrists that are nearer than a step less, as `pik` does: quicker, and less calm. The
    paper damps all alike."""
    task_step: float = 0.03 / PAPER_HEIGHT
    """Most that a wrist is asked to move in one step (3 cm at 1.83 m)."""
    joint_step: float = math.radians(45.0)
    """Most that a joint turns in one step [rad]."""
    tolerance: float = 0.0005 / PAPER_HEIGHT
    """Wrists and balance nearer than this end the frame (0.5 mm at 1.83 m)."""
    cut: float = 1e-3
    """Directions with singular values below this are left to lower levels."""
    posture: float = 0.1
    """Part of the way back to the standing posture in each step, as far as no level minds."""
    observer: bool = True
    """Bend a straight arm whose goal lies towards its shoulder."""
    give: tuple[float, float, float] = (0.4, 0.4, 0.2)
    """With legs: how readily pelvis, spine and clavicles turn, compared with arms and legs."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        one_of("body", self.body, BODIES)
        one_of("mass", self.mass, ("paper", *MASS_TABLES))
        if not 1 <= self.steps <= 10_000:
            raise InputError(f"Expected `steps` in [1, 10000], got {self.steps}.")
        for name in ("damping", "tolerance", "cut", "posture"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"Expected `{name}` in [0, 1], got {getattr(self, name)}.")
        for name in ("task_step", "joint_step"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise InputError(f"Expected `{name}` > 0, got {getattr(self, name)}.")
        if len(self.give) != 3 or not all(0.0 < part <= 1.0 for part in self.give):
            raise InputError(f"Expected `give` to be three numbers in (0, 1], got {self.give!r}.")

    def prepare(self, skeleton: Any, *, limits: LimitsChoice = "adult", rate: float = 60.0,
                names: Any = None, tasks: Any = None) -> Tracker:  # fmt: skip
        """Build the tables for one skeleton; see `Solver.prepare`."""
        from ..motion.points import SIX

        if tasks is not None:
            raise InputError(
                f"Expected a solver of any figure for `tasks`, got {self.name!r}, which has its "
                "own hierarchy."
            )
        kept = resolve_limits(limits, skeleton)
        if limits == "adult" and self.body == "simple":
            kept = simple_limits(skeleton.anatomy, kept)
        return BalanceTracker(self, skeleton, kept, rate, SIX if names is None else names)

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernel reads them."""
        return {
            "iterations": self.steps,
            "tolerance": self.tolerance,
            "damping": self.damping,
            "task_step": self.task_step,
            "near": self.task_step if self.ease else 0.0,
            "joint_step": self.joint_step,
            "fixed_clavicle": True,
            "level_feet": True,
        }
