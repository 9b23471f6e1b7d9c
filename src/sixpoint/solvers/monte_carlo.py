"""Sequential Monte Carlo IK: inverse kinematics as a particle filter.

Courty and Arnaud, "Sequential Monte Carlo Inverse Kinematics", INRIA research report 6426 (2007). A
few dozen poses, the particles, wander at random within their joint limits. Those that do better
what is asked weigh more and are drawn from more often, until they gather around a solution. Nothing
is ever differentiated or inverted: whatever can be judged can be asked, and the cost grows with the
number of joints and no faster.

**Good at** odd constraints, many of them, branched figures, targets that a straight chain cannot
see. **Bad at** precision for its time: a Jacobian method meets a plain target in a hundredth of it,
and at a hundred joints more than half are missed with the usual settings. The answer is random (but
repeats by its seed), and may be a local one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels._jit import Kernel
from ..kernels.types import Floats
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..priors.model import prior_of
from ..tasks import (
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
from ._kernels.filter_steps import person_begin, person_end
from ._kernels.monte_carlo import filter_figures, filter_humans
from ._kernels.particles import BEST, MEAN, RULES, SMOOTH, Filter
from ._kernels.tables import LIMB_ROWS, FrameTable, RecordArray
from .base import Capabilities, check_whole, one_of
from .body_table import LIMB_ROLES, clear_state, new_state
from .figure import human_figure, human_rows, new_pose, reset_pose
from .figure_solver import FigureSolver, StopRule
from .figure_tracker import FigureTracker
from .frames import TURNED, FrameReader
from .human import TOLERANCE, HumanSolver, HumanTracker
from .iterative import PAPER_HEIGHT
from .led import LedMemory, LedTracker, leader_of
from .particle_solution import ParticleResult, ParticleSolution
from .particle_stream import SEEDS, Memory, ParticleStream
from .particle_tables import (
    build_noise,
    clear_swarm,
    covariance_of,
    human_asked,
    longest_below,
    new_swarm,
)
from .particle_tracker import ParticleTracker
from .sik import SequentialSolver

FEWEST = 3
"""Particles. The effective number of two is never below half of them."""
PEOPLE = StopRule(60, 0.001 / PAPER_HEIGHT, -math.inf)
"""Sixty iterations, a millimetre."""
LEAST_NOISE, FINEST = 1e-5, 1e-6
"""Joints and tasks have some noise always [rad], and as a part of the size."""
PRIORS = ("sik", "constant", "velocity")
ANSWERS = {"best": BEST, "mean": MEAN, "smooth": SMOOTH}
Shapes = Mapping[str, Any] | tuple[tuple[str, Any], ...]


class PersonTracker(ParticleStream, LedTracker):
    """A person followed by the particle filter, from where sequential IK or a leader begins."""

    solver: MonteCarloSolver

    def _prepare(self) -> None:
        super()._prepare()
        solver, anatomy = self.solver, self.skeleton.anatomy
        if solver.root > 0.0:
            raise InputError(
                f"Expected `root` = 0 for people by six points, whose pelvis is seen; "
                f"got {solver.root}."
            )
        self._figure = human_figure(anatomy, self.limits)
        names = ["" if j < 0 else self.skeleton.names[j] for j in self._figure.rig]
        free = self._figure.freedom > 0
        self._noise = build_noise(
            self._figure,
            names,
            self.limits,
            solver.covariances([name for name, turns in zip(names, free, strict=True) if turns]),
            literal=solver.sampler == "paper",
            root=0.0,
            tries=solver.tries,
            lever=solver.levers(),
            reach=longest_below(
                np.concatenate([self._figure.parent, self._figure.tip_row]),
                np.concatenate([self._figure.offset, self._figure.tip_offset]),
            )[: len(names)],
        )
        spine = len(anatomy.bends)
        lumbar = int(self._body[0].lumbar)
        rows = [0, *([lumbar] if lumbar >= 0 else []), *range(1, spine)]
        for limb, (clavicle, *_) in enumerate(LIMB_ROLES):
            first = spine + limb * LIMB_ROWS
            rows += [first + k for k in range(3) if k > 0 or anatomy.has(clavicle)]
        assert len(rows) == len(human_rows(anatomy)[0])
        self._rows = np.array(rows, np.int64)
        self._last = np.full((1, len(SIX), 3), np.nan), np.full((1, TURNED, 4), np.nan)

    def _labels(self) -> Sequence[str]:
        return (*(f"reach {name}" for name in SIX[1:]), "posture")

    def _own(self, memory: LedMemory) -> Memory:
        own = memory.own
        assert isinstance(own, Memory)
        return own

    def _new_own(self) -> Memory:
        solver = self.solver
        asked = human_asked(self._figure, solver.posture)
        swarm = new_swarm(self._figure, solver.particles, len(asked.kind), solver.runs, solver.seed)
        filt = Filter(solver.rules(), self._noise, asked, swarm)
        return Memory(new_pose(self._figure), filt, new_state())

    def _clear_own(self, memory: Memory) -> None:
        clear_state(memory.state)
        reset_pose(self._figure, memory.pose)
        clear_swarm(memory.filter.swarm, self.solver.seed)

    def _follow(
        self,
        settings: RecordArray,
        memory: Memory,
        lead: FrameTable,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        if memory is self._memory.own:
            self._last = seen.copy(), turned.copy()
        self._kernel(
            self._body, settings, memory.state, self._work, self._limits, self._rest, self._rows,
            self._figure, memory.pose, memory.filter, lead, self._ahead, seen, turned, out,
            first, last,
        )  # fmt: skip

    def _begin(
        self, memory: LedMemory, seen: Floats, turned: Floats, out: FrameTable, frame: int
    ) -> None:
        own = self._own(memory)
        self._go_ahead(memory, seen, turned, frame, frame + 1)
        person_begin(
            self._body, self._settings, own.state, self._work, self._limits, self._rest,
            self._rows, self._figure, own.pose, own.filter, self._lead, self._ahead, seen, turned,
            out, frame,
        )  # fmt: skip

    def _end(
        self, memory: LedMemory, seen: Floats, turned: Floats, out: FrameTable, frame: int
    ) -> None:
        own = self._own(memory)
        person_end(
            self._settings, self._work, self._figure, own.pose, own.filter, self._lead, seen,
            turned, out, frame,
        )  # fmt: skip

    def _still(self) -> Floats:
        return self._lead.rotations[0] if len(self._lead.flags) else self._figure.rest

    def solve(self, frame: Floats | Points) -> ParticleSolution:
        """Pose for one frame; see `Tracker.solve`."""
        return self._solution(super().solve(frame))

    def _report(
        self, motion: Motion, reader: FrameReader, out: FrameTable, spent_us: Floats
    ) -> ParticleResult:
        return self._clip(super()._report(motion, reader, out, spent_us), out.more)


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
        SelfCollision,
        FunctionTask,
    )
    weighs_axes: ClassVar[bool] = True

    iterations: int | None = None
    """Most iterations in a frame. Default: 60 for people by six points, 500 for other figures."""
    tolerance: float | None = None
    """A largest error below this part of the size ends the frame. Default: 0.00055 for people (1 mm
    at 1.83 m), 0.0001 for other figures."""
    least_gain: float | None = field(default=None, init=False, repr=False)
    """No setting: a population that gains nothing cools, and ends."""
    particles: int = 30
    """How many poses are tried at once: 3 or more, of fewer none is ever drawn anew."""
    seed: int = 0
    """Of the random numbers: the same seed, the same answer."""
    schedule: Literal["annealed", "constant"] = "annealed"
    """Noise as large as what is still missing, or always the same (the paper's words)."""
    spread: float = 0.1
    """Annealed: noise of joints [rad, half angles] over what is missing of the size."""
    hardness: float = 0.1
    """Annealed: noise of tasks over what is missing."""
    lever: float = 0.5
    """Annealed: noise of a joint falls with this power of how far it reaches; 0: all alike."""
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
    runs: int = 1
    """Populations that try a frame one after the other, although the first has met it: `modes` says
    what they found. All share the iterations of the frame."""
    tries: int = 20
    """Most draws of a joint that its limit rejects; then the last is brought inside."""
    resample: float = 0.5
    """Draw a new generation when fewer than this part of the particles carry the weight."""
    answer: Literal["best", "mean", "smooth"] = "best"
    """Answer a frame with the best particle found, the weighted mean of the last generation, or the
    smoothed estimate."""
    smoothing: float = 0.1
    """Part of the way that the smoothed estimate goes to each new one."""
    prior: Literal["sik", "constant", "velocity", "guided"] | str = "sik"
    """Where a frame begins: people at sequential IK's pose of the same frame; at the pose of the
    frame before; there, moved on with the same velocity; or at the guided solver's pose, with the
    model built in or that of a file (`mine.npz`). The first frame of people begins at sequential IK
    or the guided solver always, and other figures take these two for "constant"."""
    posture: float = 0.01
    """How much people are drawn to that pose of sequential IK or of the guided solver, as the
    weight of a posture task."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        check_whole("particles", self.particles, FEWEST, 1_000_000)
        check_whole("seed", self.seed, 0, SEEDS)
        check_whole("tries", self.tries, 1, 100_000)
        check_whole("runs", self.runs, 1, 1000)
        one_of("schedule", self.schedule, ("annealed", "constant"))
        one_of("sampler", self.sampler, ("gaussian", "paper"))
        one_of("answer", self.answer, tuple(ANSWERS))
        if self._follows and self.prior != "guided":
            prior_of(self.prior)  # a file that cannot be used is refused at once
        elif not self._follows:
            one_of("prior", self.prior, (*PRIORS, "guided", "a file of `sixpoint train` (.npz)"))
        for name in ("spread", "hardness", "largest", "noise", "sigma", "smoothing"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise InputError(f"Expected `{name}` > 0, got {getattr(self, name)}.")
        for name in ("root", "start", "posture", "resample", "lever"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InputError(f"Expected `{name}` >= 0, got {getattr(self, name)}.")
        for name in ("smoothing", "resample", "start", "largest"):
            if not getattr(self, name) <= 1.0:
                raise InputError(f"Expected `{name}` <= 1, got {getattr(self, name)}.")
        if self.covariance is not None:
            try:
                given = dict(self.covariance)
            except (TypeError, ValueError):
                raise InputError(
                    "Expected `covariance` by the names of joints, as in {'knee': (1, 0, 0)}; "
                    f"got {self.covariance!r}."
                ) from None
            pairs = tuple((n, tuple(map(_plain, covariance_of(n, v)))) for n, v in given.items())
            object.__setattr__(self, "covariance", pairs)

    @property
    def _follows(self) -> bool:
        """Whether frames begin at the guided solver's pose."""
        return self.prior == "guided" or self.prior.endswith(".npz")

    @property
    def leader(self) -> HumanSolver | None:
        """Who goes ahead; sequential IK is part of the kernel."""
        if not self._follows:
            return None
        return leader_of("guided", self, "" if self.prior == "guided" else self.prior)

    def records(self, rate: float) -> RecordArray:
        """All settings as the kernels read them."""
        settings = super().records(rate)
        settings["led_start"] = self._follows
        return settings

    def covariances(self, names: Sequence[str]) -> dict[str, Floats]:
        """Covariances of joints by name (3, 3); only joints with these names turn."""
        found = {name: np.array(value) for name, value in dict(self.covariance or ()).items()}
        for name in found:
            if name not in names:
                raise UnknownName("joint to give a covariance", name, names)
        return found

    def levers(self) -> float:
        """The power of reach that noise falls with: constant noise is what the settings say."""
        return self.lever if self.schedule == "annealed" else 0.0

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
        rules["runs"] = self.runs
        rules["least"], rules["most"], rules["finest"] = LEAST_NOISE, self.largest, FINEST
        rules["answer"] = ANSWERS[self.answer]
        rules["velocity"] = self.prior == "velocity"
        rules["previous"] = self.prior in ("constant", "velocity")
        return rules

    def new_scratch(self, figure: Any) -> None:
        """The particles belong to the memory of a tracker."""


def _plain(row: Floats) -> tuple[float, ...]:
    return tuple(float(x) for x in row)
