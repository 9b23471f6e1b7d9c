"""Mass-spring ("energy transfer") IK: joints are masses, bones are springs.

Huang and Pelachaud, "An Efficient Energy Transfer Inverse Kinematics Solution" (2012). Positions
are solved first, as a chain of masses and springs that comes to rest with its tip at the target;
rotations follow in closed form; what they have beyond a limit is passed on to the parent.

**Good at** changing the pose little: all joints share what is asked, little rolls up, nothing is
singular, and several targets with weights need nothing new. **Bad at** long chains in a hurry:
waves run along them, so that steps grow with the number of joints; and it has parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..kernels._jit import Kernel
from ..tasks import Reach, Task
from ._kernels.figure import Figure
from ._kernels.mass_spring import Scratch, spring_figures, spring_humans
from ._kernels.spring_limits import ALONG_BONES, STRAIGHT_ON
from ._kernels.spring_turns import FIT, PRIORITY, WEIGHT
from ._kernels.springs import FORCE, POSITION_BASED, RULE, Springs
from .base import Capabilities, one_of
from .figure_solver import StopRule
from .figure_tracker import FigureTracker
from .human import HumanTracker
from .led import LedSolver
from .spring_tables import (
    largest_step,
    most_springs,
    named_masses,
    new_springs,
    preferred_children,
    whole,
)
from .spring_tracker import SpringFigureTracker, SpringTracker
from .sweeping import new_parts

NUMBERS = ("step", "damping", "strain", "force", "clamp")
BRANCHES = {"fit": FIT, "weight": WEIGHT, "priority": PRIORITY}


class Preset(NamedTuple):
    """Numbers that belong together."""

    step: float
    damping: float
    strain: float
    force: float
    clamp: float
    tolerance: float


PRESETS = {
    "exact": Preset(0.7, 0.3, 1e-3, 1e-3, 0.02, 5e-4),
    "paper": Preset(0.85, 0.3, 1e-2, 1e-2, 0.1, 1e-2),
}
"""For use, and for Table 1 of the paper. It names no number of its own: these come near to its
iterations (`sixpoint bench energy` maps them over step and damping). The clamp of `exact` was
chosen by a scan of how much chains wind."""
SAFE = 0.95
"""A step that nobody has set is at most this part of the stability bound."""
FIGURE_STEPS = StopRule(20_000, math.nan, 1e-6)
"""Of any figure; the tolerance is the preset's."""
PEOPLE_STEPS = StopRule(2_000, math.nan, 1e-5)
"""Of people."""


@dataclass(frozen=True, kw_only=True)
class SpringSolver(LedSolver):
    """Settings of both mass-spring methods; lengths are parts of the figure's size."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=True,
    )
    kernel: ClassVar[Kernel[..., None]] = spring_humans
    figure_kernel: ClassVar[Kernel[..., None]] = spring_figures
    human_tracker: ClassVar[type[HumanTracker]] = SpringTracker
    figure_tracker: ClassVar[type[FigureTracker]] = SpringFigureTracker
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach,)
    method: ClassVar[int]
    """Which of the paper's two, as in `_kernels.springs`."""

    iterations: int | None = None
    """Most steps in a frame. Default: 2000 for a part of a person, 20000 for other figures."""
    tolerance: float | None = None
    """A largest error below this part of the size, bones rigid again, ends the frame. Default: by
    the preset."""
    least_gain: float | None = None
    """Where limits, hinges or branches need several sweeps: one that improves the error by less
    than this part of the size, three times in a row, is the last. Default: 0.00001 for people,
    0.000001 for other figures."""
    preset: Literal["exact", "paper"] = "exact"
    """Numbers that belong together. `exact`, for use: bones right to a thousandth, the target met
    to 0.0005 of the size. `paper`, for comparison with its Table 1: a hundredth for both."""
    step: float | None = None
    """Time step. Together with stiffness and mass it must be stable: step < sqrt((1 - damping / 2)
    mass / stiffness). Default: by the preset, 0.7 or 0.85."""
    damping: float | None = None
    """Part of its speed that a mass loses in a step, above 0 and below 1. Default: 0.3; with the
    preset `exact` less for chains of more than seven joints, whose slowest wave it just lets
    die away."""
    stiffness: float = 1.0
    """Of the springs, > 0."""
    mass: float = 1.0
    """Of every joint, > 0; more where more than two bones meet, in proportion."""
    masses: tuple[tuple[str, float], ...] = ()
    """Joints by name with a mass of their own: heavy ones move late. Pairs, a mapping, or text such
    as `LeftArm:2,Spine:3`."""
    clamp: float | None = None
    """Most that a target moves ahead of its mass in a step, in chain lengths. A tip that is put on
    a far target at once makes the chain behind it crumple. Default: by the preset, 0.02 or 0.1."""
    strain: float | None = None
    """Masses rest when no bone's length is farther off than this part of it. Default: by the
    preset, 0.001 or 0.01."""
    force: float | None = None
    """And when no force on a free mass is greater than this part of the stiffness times a mean
    bone. Default: by the preset, 0.001 or 0.01."""
    rebuild: Literal["places", "pairs"] = "places"
    """Bones point from where they really begin to the next mass, which does not add up what springs
    are too long; or from mass to mass, as the paper says."""
    branch: Literal["fit", "weight", "priority"] = "fit"
    """A joint with several chains takes the rotation that brings all their first bones nearest to
    the masses. Or, as the paper says, the mean of the rotations that they ask for, by their
    weights; or that of the preferred one: the first priority of its tasks, then the heaviest."""
    braces: bool = True
    """Springs also between the ends of bones that one joint carries, which are rigid to each other;
    the paper has none."""
    lever: Literal["bones", "straight"] = "bones"
    """What a limit cuts off turns the parent by the arc rule of the paper, its lever measured along
    the bones; or straight from the parent to the tip."""
    sweeps: int = 20
    """Most times that springs and limits take turns in a frame."""

    def check(self) -> None:
        """Refuse settings that make no sense, or that would blow up."""
        super().check()
        one_of("preset", self.preset, tuple(PRESETS))
        one_of("rebuild", self.rebuild, ("places", "pairs"))
        one_of("branch", self.branch, tuple(BRANCHES))
        one_of("lever", self.lever, ("bones", "straight"))
        object.__setattr__(self, "masses", named_masses(self.masses))
        for name in ("stiffness", "mass"):
            _above_zero(name, getattr(self, name))
        for joint, mass in self.masses:
            _above_zero(f"masses[{joint!r}]", mass)
        for name in ("strain", "force"):
            if not 0.0 < self._number(name) < 1.0:
                raise InputError(
                    f"Expected `{name}` above 0 and below 1, got {self._number(name)}."
                )
        _above_zero("clamp", self._number("clamp"))
        if not (isinstance(self.sweeps, int) and 1 <= self.sweeps <= 10_000):
            raise InputError(f"Expected `sweeps` in [1, 10000], got {self.sweeps!r}.")
        self._check_stable()

    def _check_stable(self) -> None:
        step, damping = self._number("step"), self._number("damping")
        if not 0.0 < damping < 1.0:
            raise InputError(
                "Expected `damping` above 0 and below 1, without which masses never rest; got "
                f"{damping}."
            )
        if not 0.0 < step < self.largest_step:
            raise InputError(
                f"Expected `step` above 0 and below the stability bound {self.largest_step:.6g} = "
                f"sqrt({self._bound()}) of these masses and springs, got {step}."
            )

    @property
    def largest_step(self) -> float:
        """Steps from here on blow up, where targets are at tips; see `spring_tables.largest_step`.

        No mode of a chain or tree has more than four times stiffness over mass, since joints of
        many bones are heavier in proportion.
        """
        return math.sqrt((1.0 - 0.5 * self._number("damping")) * self._lightest() / self._stiff())

    def _bound(self) -> str:
        return "(1 - damping / 2) mass / stiffness"

    def _lightest(self) -> float:
        return min([self.mass, *(mass for _, mass in self.masses)])

    def _stiff(self) -> float:
        return self.stiffness

    def _number(self, name: str) -> float:
        """What is set, or what the preset says."""
        value = getattr(self, name)
        return _number(name, getattr(PRESETS[self.preset], name) if value is None else value)

    def _critical(self, count: int) -> float:
        """Damping that suits the slowest wave of a chain of springs between two fixed ends.

        Its frequency is 2 sqrt(k / m) sin(pi / 2n). Less would let it swing, more would let it
        creep: steps grow with n, not with its square.
        """
        frequency = 2.0 * math.sqrt(self.stiffness / self.mass) * math.sin(0.5 * math.pi / count)
        return frequency * self._number("step")

    def numbers(self) -> dict[str, Any]:
        """Settings for people, as fields of `SETTINGS`."""
        usual = PEOPLE_STEPS._replace(tolerance=PRESETS[self.preset].tolerance)
        return self.stop_rule(usual)._asdict()

    def figure_numbers(self, figure: Figure) -> dict[str, Any]:
        """Settings for another figure."""
        usual = FIGURE_STEPS._replace(tolerance=PRESETS[self.preset].tolerance)
        return self.numbers() | self.stop_rule(usual)._asdict()

    def rule(self) -> dict[str, Any]:
        """Settings as fields of `RULE`."""
        own = {name: self._number(name) for name in NUMBERS}
        return own | {
            "method": self.method,
            "stiffness": self.stiffness,
            "pairs": self.rebuild == "pairs",
            "branch": BRANCHES[self.branch],
            "arc": STRAIGHT_ON if self.lever == "straight" else ALONG_BONES,
            "sweeps": self.sweeps,
        }

    def new_scratch(self, figure: Figure) -> Scratch:
        """The whole figure as one part, all joints alike."""
        return self.scratch(figure, whole(figure))

    def scratch(
        self,
        figure: Figure,
        parts: Sequence[tuple[range, range]],
        skeleton: Skeleton | None = None,
        ranks: Sequence[int] = (),
    ) -> Scratch:
        """Tables of masses and springs.

        Args:
            figure: of N rows.
            parts: rows and tasks of each part.
            skeleton: whose joints `masses` names.
            ranks: priority of each task, 1 first; none for all alike.
        """
        rule = np.zeros(1, RULE)
        for name, value in self.rule().items():
            rule[name] = value
        rows = {} if skeleton is None else _rows_by_name(figure, skeleton)
        for name, _ in self.masses:
            if skeleton is not None and name not in rows:
                raise UnknownName("joint in `masses`", name, tuple(rows))
        if self.damping is None and self.preset == "exact":
            rule["damping"] = min(self._number("damping"), self._critical(most_springs(figure)))
        springs = new_springs(
            figure,
            parts,
            rule,
            mass=self.mass,
            masses={rows[name]: mass for name, mass in self.masses if name in rows},
            preferred=preferred_children(figure, ranks),
            braces=self.braces,
        )
        self._keep_stable(springs, figure)
        return Scratch(new_parts(figure, parts), springs)

    def _keep_stable(self, springs: Springs, figure: Figure) -> None:
        """Shorten the preset's step where targets in the middle of chains need it."""
        rule = springs.rule
        bound = largest_step(springs, figure, float(rule["pull"][0]))
        if self.step is not None and not self.step < bound:
            raise InputError(
                f"Expected `step` below the stability bound {bound:.6g} of this figure and its "
                f"targets, sqrt((1 - damping / 2) mass / (stiffness + pull / 4)) where they are in "
                f"the middle of a chain; got {self.step}."
            )
        rule["step"] = min(float(rule["step"][0]), SAFE * bound)


@dataclass(frozen=True, kw_only=True)
class SpringForceSolver(SpringSolver):
    """Settings of the force-based mass-spring method."""

    name: ClassVar[str] = "mass-spring-force"
    title: ClassVar[str] = "Mass-spring IK, targets pull"
    method: ClassVar[int] = FORCE

    pull: float = 1.0
    """Stiffness of the springs by which targets pull, > 0; that of lighter targets is less, in
    proportion to their weights. Targets in the middle of a chain need a smaller step: below
    sqrt((1 - damping / 2) mass / (stiffness + pull / 4))."""

    def check(self) -> None:
        """Refuse settings that make no sense, or that would blow up."""
        _above_zero("pull", self.pull)
        super().check()

    def _bound(self) -> str:
        return "(1 - damping / 2) mass / max(stiffness, (2 stiffness + pull) / 4)"

    def _stiff(self) -> float:
        return max(self.stiffness, 0.25 * (2.0 * self.stiffness + self.pull))

    def rule(self) -> dict[str, Any]:
        """Settings as fields of `RULE`."""
        return super().rule() | {"pull": self.pull}


@dataclass(frozen=True, kw_only=True)
class SpringPositionSolver(SpringSolver):
    """Settings of the position-based mass-spring method."""

    name: ClassVar[str] = "mass-spring"
    title: ClassVar[str] = "Mass-spring IK, tips put on their targets"
    method: ClassVar[int] = POSITION_BASED

    relax: Literal["verlet", "projection"] = "verlet"
    """How masses move: by steps of their motion; or straight to the lengths of bones, one after the
    other, which has neither step nor damping."""

    def check(self) -> None:
        """Refuse settings that make no sense, or that would blow up."""
        super().check()
        one_of("relax", self.relax, ("verlet", "projection"))

    def rule(self) -> dict[str, Any]:
        """Settings as fields of `RULE`."""
        return super().rule() | {"projection": self.relax == "projection"}


def _rows_by_name(figure: Figure, skeleton: Skeleton) -> dict[str, int]:
    return {skeleton.names[joint]: row for row, joint in enumerate(figure.rig) if joint >= 0}


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InputError(f"Expected a number for `{name}`, got {value!r}.")
    return float(value)


def _above_zero(name: str, value: object) -> None:
    number = _number(name, value)
    if not (math.isfinite(number) and number > 0.0):
        raise InputError(f"Expected `{name}` > 0, got {value}.")
