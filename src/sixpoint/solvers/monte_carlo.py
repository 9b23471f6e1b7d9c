"""Sequential Monte Carlo IK: inverse kinematics as a particle filter.

Courty and Arnaud, "Sequential Monte Carlo Inverse Kinematics", INRIA research report 6426 (2007). A
few dozen poses, the particles, wander at random within their joint limits. Those that do better
what is asked weigh more and are drawn from more often, until they gather around a solution. Nothing
is ever differentiated or inverted: whatever can be judged can be asked, and the cost grows with the
number of joints and no faster.

**Good at** odd constraints, many of them, branched figures, hundreds of joints, targets that a
straight chain cannot see. **Bad at** precision for its time: a Jacobian method meets a plain target
in a tenth of it. The answer is random (but repeats by its seed), and may be a local one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..errors import InputError
from ..kernels._jit import Kernel
from ..kernels.types import Floats
from ..tasks import (
    Balance,
    Coupling,
    Floor,
    FunctionTask,
    LookAt,
    Orient,
    Posture,
    Reach,
    Smoothness,
    Task,
)
from ._kernels.monte_carlo import BEST, ESTIMATE, SMOOTH, filter_figures, filter_humans
from ._kernels.particles import RULES, Filter
from ._kernels.tables import LIMB_ROWS, FrameTable, RecordArray
from .base import Capabilities, one_of
from .body_table import LIMB_ROLES, clear_state, new_state
from .figure import human_figure, human_rows, new_pose, reset_pose
from .figure_solver import FigureSolver, StopRule
from .figure_tracker import FigureTracker
from .human import TOLERANCE, HumanTracker
from .iterative import PAPER_HEIGHT
from .particle_tables import build_noise, clear_swarm, covariance_of, human_asked, new_swarm
from .particle_tracker import Memory, ParticleTracker
from .sik import SequentialSolver

PEOPLE = StopRule(60, 0.001 / PAPER_HEIGHT, -math.inf)
"""Sixty iterations, a millimetre."""
LEAST_NOISE, FINEST = 1e-5, 1e-6
"""Joints and tasks have some noise always [rad], and as a part of the size."""
ANSWERS = {"best": BEST, "mean": ESTIMATE, "smooth": SMOOTH}
Shapes = Mapping[str, Any] | tuple[tuple[str, Any], ...]


class PersonTracker(HumanTracker):
    """A person followed by the particle filter, from where sequential IK begins."""

    solver: MonteCarloSolver

    def _prepare(self) -> None:
        super()._prepare()
        solver, anatomy = self.solver, self.skeleton.anatomy
        self._figure = human_figure(anatomy, self.limits)
        names = ["" if j < 0 else self.skeleton.names[j] for j in self._figure.rig]
        self._noise = build_noise(
            self._figure,
            names,
            self.limits,
            {name: value for name, value in solver.covariances().items() if name in names},
            literal=solver.sampler == "paper",
            root=0.0,
            tries=solver.tries,
        )
        spine = len(anatomy.bends)
        lumbar = int(self._body[0].lumbar)
        rows = [0, *([lumbar] if lumbar >= 0 else []), *range(1, spine)]
        for limb, (clavicle, *_) in enumerate(LIMB_ROLES):
            first = spine + limb * LIMB_ROWS
            rows += [first + k for k in range(3) if k > 0 or anatomy.has(clavicle)]
        assert len(rows) == len(human_rows(anatomy)[0])
        self._rows = np.array(rows, np.int64)

    def _new_memory(self) -> tuple[RecordArray, Memory]:
        solver = self.solver
        asked = human_asked(self._figure, solver.posture)
        swarm = new_swarm(self._figure, solver.particles, len(asked.kind), solver.seed)
        filt = Filter(solver.rules(), self._noise, asked, swarm)
        return new_state(), Memory(new_pose(self._figure), filt)

    def _clear(self, memory: tuple[RecordArray, Memory]) -> None:
        state, (pose, filt) = memory
        clear_state(state)
        reset_pose(self._figure, pose)
        clear_swarm(filt.swarm, self.solver.seed)

    def _run(
        self,
        settings: RecordArray,
        memory: tuple[RecordArray, Memory],
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        state, (pose, filt) = memory
        self._kernel(
            self._body,
            settings,
            state,
            self._work,
            self._limits,
            self._rest,
            self._rows,
            self._figure,
            pose,
            filt,
            seen,
            turned,
            out,
            first,
            last,
        )


@dataclass(frozen=True, kw_only=True)
class MonteCarloSolver(FigureSolver):
    """Settings of the particle filter; lengths are parts of the figure's size."""

    name: ClassVar[str] = "monte-carlo"
    title: ClassVar[str] = "Sequential Monte Carlo IK"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=True,
        missing=True,
        history=True,
        exact=False,
        random=True,
    )
    kernel: ClassVar[Kernel[..., None]] = filter_humans
    figure_kernel: ClassVar[Kernel[..., None]] = filter_figures
    human_tracker: ClassVar[type[HumanTracker]] = PersonTracker
    figure_tracker: ClassVar[type[FigureTracker]] = ParticleTracker
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (
        Reach,
        Orient,
        LookAt,
        Balance,
        Smoothness,
        Coupling,
        Floor,
        Posture,
        FunctionTask,
    )

    iterations: int | None = None
    """Most iterations in a frame. Default: 60 for people by six points, 500 for other figures."""
    tolerance: float | None = None
    """A largest error below this part of the size ends the frame. Default: 0.00055 for people (1 mm
    at 1.83 m), 0.0001 for other figures."""
    particles: int = 30
    """How many poses are tried at once."""
    seed: int = 0
    """Of the random numbers: the same seed, the same answer."""
    schedule: Literal["annealed", "constant"] = "annealed"
    """Noise as large as what is still missing, or always the same (the paper's words)."""
    spread: float = 0.2
    """Annealed: noise of joints [rad, half angles] over what is missing of the size."""
    hardness: float = 0.1
    """Annealed: noise of tasks over what is missing."""
    largest: float = 0.5
    """Annealed: largest noise of joints [rad, half angles]."""
    noise: float = 0.02
    """Constant: noise of joints [rad, half angles]."""
    sigma: float = 0.05
    """Constant: noise of tasks, the square root of the paper's covariance. Annealed: noise of
    wishes (smoothness, posture), which never harden."""
    sampler: Literal["gaussian", "paper"] = "gaussian"
    """Draw turns with the covariance of a joint, or by Algorithm 2 as it is printed, which draws
    direction and angle apart and has another covariance."""
    covariance: Shapes | None = None
    """What joints can do, by their names: three deviations about X, Y and Z at rest, or a matrix.
    ``{"knee": (1, 0, 0)}`` makes a hinge, ``(1, 1, 0.05)`` two axes with some slack."""
    root: float = 0.0
    """Noise of the root's place, compared with that of joints; 0: it stays. Not for people by six
    points, whose pelvis is seen."""
    start: float = 0.0
    """Spread of the particles when a frame begins [rad, half angles]; 0: all alike."""
    tries: int = 20
    """Most draws of a joint that its limit rejects; then the last is brought inside."""
    resample: float = 0.5
    """Draw a new generation when fewer than this part of the particles carry the weight."""
    answer: Literal["best", "mean", "smooth"] = "best"
    """Answer a frame with the best particle found, the weighted mean of the last generation, or the
    smoothed estimate."""
    smoothing: float = 0.1
    """Part of the way that the smoothed estimate goes to each new one."""
    prior: Literal["sik", "constant", "velocity"] = "sik"
    """Where a frame begins: people at sequential IK's pose of the same frame; at the pose of the
    frame before; or there, moved on with the same velocity. The first frame of people begins at
    sequential IK always, and other figures take "sik" for "constant"."""
    posture: float = 0.01
    """How much people are drawn to sequential IK's pose, as the weight of a posture task."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        for name, low, high in (
            ("particles", 1, 1_000_000),
            ("seed", 0, 2**63 - 1),
            ("tries", 1, 100_000),
        ):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not (whole and low <= value <= high):
                raise InputError(f"Expected `{name}` from {low} to {high}, got {value!r}.")
        one_of("schedule", self.schedule, ("annealed", "constant"))
        one_of("sampler", self.sampler, ("gaussian", "paper"))
        one_of("answer", self.answer, tuple(ANSWERS))
        one_of("prior", self.prior, ("sik", "constant", "velocity"))
        for name in ("spread", "hardness", "largest", "noise", "sigma", "smoothing"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise InputError(f"Expected `{name}` > 0, got {getattr(self, name)}.")
        for name in ("root", "start", "posture", "resample"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InputError(f"Expected `{name}` >= 0, got {getattr(self, name)}.")
        for name in ("smoothing", "resample", "start", "largest"):
            if not getattr(self, name) <= 1.0:
                raise InputError(f"Expected `{name}` <= 1, got {getattr(self, name)}.")
        if self.covariance is not None:
            given = dict(self.covariance)
            pairs = tuple((n, tuple(map(_plain, covariance_of(n, v)))) for n, v in given.items())
            object.__setattr__(self, "covariance", pairs)

    def covariances(self) -> dict[str, Floats]:
        """Covariances of joints by name (3, 3)."""
        return {name: np.array(value) for name, value in dict(self.covariance or ()).items()}

    @property
    def closeness(self) -> float:
        """What is near enough to end the iterations is met."""
        return max(TOLERANCE, self.stop_rule(PEOPLE).tolerance)

    def numbers(self) -> dict[str, Any]:
        """Settings for people: those of sequential IK, and when to stop."""
        return SequentialSolver().numbers() | self.stop_rule(PEOPLE)._asdict()

    def rules(self) -> RecordArray:
        """Settings as the filter reads them."""
        rules = np.zeros(1, RULES)
        for name in ("noise", "sigma", "spread", "hardness", "start", "resample", "smoothing"):
            rules[name] = getattr(self, name)
        rules["anneal"] = self.schedule == "annealed"
        rules["least"], rules["most"], rules["finest"] = LEAST_NOISE, self.largest, FINEST
        rules["mean"] = self.answer == "mean"
        rules["answer"] = ANSWERS[self.answer]
        rules["velocity"] = self.prior == "velocity"
        rules["previous"] = self.prior != "sik"
        return rules

    def new_scratch(self, figure: Any) -> None:
        """The particles belong to the memory of a tracker."""


def _plain(row: Floats) -> tuple[float, ...]:
    return tuple(float(x) for x in row)
