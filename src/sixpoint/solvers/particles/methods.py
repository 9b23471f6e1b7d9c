"""Sequential Monte Carlo IK: inverse kinematics as a particle filter.

Courty and Arnaud, "Sequential Monte Carlo Inverse Kinematics", INRIA research report 6426 (2007). A
few dozen poses, the particles, wander at random within their joint limits. Those that do better
what is asked weigh more and are drawn from more often, until they gather around a solution. Nothing
is ever differentiated or inverted: whatever can be judged can be asked, and the cost grows with the
number of joints and no faster.

**Good at** odd constraints, many of them, branched skeletons, targets that a straight chain cannot
see. **Bad at** precision for its time: a Jacobian method meets a plain target in a hundredth of it,
and at a hundred joints more than half are missed with the usual settings. The answer is random (but
repeats by its seed), and may be a local one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from ...errors import InputError, UnknownName
from ...kernels.types import Floats
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
from ..articulated.plan import ArticulatedSettings, StopRule, is_person
from ..base import Capabilities, Solver
from ..people.plan import PAPER_HEIGHT, PersonSettings
from ..plan import Plan
from ..problem import Problem
from ..settings import Count, Fraction, Interval, NonNegative, Number, Positive
from ..start import start_solver
from .frames import solve_frames
from .plan import PersonFilterPlan, SkeletonFilterPlan
from .rotation_noise import covariance_of

STARTS = ("sik", "constant", "velocity", "guided", "a file of `sixpoint train` (.npz)")
SEEDS = 2**63 - 1
"""The largest seed."""
PositiveFraction: TypeAlias = Annotated[float, Interval(0.0, 1.0, above=True)]
Shapes: TypeAlias = Mapping[str, Any] | tuple[tuple[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class MonteCarloSolver(ArticulatedSettings, PersonSettings, Solver):
    """Settings of the particle filter; lengths are parts of the skeleton's size."""

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
    """Most iterations in a frame. Default: 60 for people by six points, 500 for other skeletons."""
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
    """Annealed: noise of joints [rad, half angles] over what is missing of the size."""
    hardness: Positive = 0.1
    """Annealed: noise of tasks over what is missing."""
    lever: NonNegative = 0.5
    """Annealed: noise of a joint falls with this power of how far it reaches; 0: all alike."""
    largest: PositiveFraction = 0.5
    """Annealed: largest noise of joints [rad, half angles]."""
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
        return {
            **self.stop_rule(self.people_rule)._asdict(),
            **super().numbers(),
            "velocity": self.prior == "velocity",
            "previous": self.prior in ("constant", "velocity"),
        }

    def covariances(self, names: Sequence[str]) -> dict[str, Floats]:
        """Return covariances of joints by name (3, 3); only joints with these names turn."""
        found = {name: np.array(value) for name, value in dict(self.covariance or ()).items()}
        for name in found:
            if name not in names:
                raise UnknownName("joint to give a covariance", name, names)
        return found

    def plan(self, problem: Problem) -> Plan:
        """Return the tables and the kernel for one skeleton."""
        if is_person(problem):
            return PersonFilterPlan(self, problem)
        return SkeletonFilterPlan(self, problem)
