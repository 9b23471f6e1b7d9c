"""Mass-spring ("energy transfer") IK: joints are masses, bones are springs.

Huang and Pelachaud, "An Efficient Energy Transfer Inverse Kinematics Solution" (2012). Positions
are solved first, as a chain of masses and springs that comes to rest with its end effector at the
target; rotations follow in closed form; what they have beyond a limit is passed on to the parent.

**Good at** changing the pose little: all joints share what is asked, little rolls up, nothing is
singular, and several targets with weights need nothing new. **Bad at** long chains in a hurry:
waves run along them, so that steps grow with the number of joints; and it has parameters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, cast

import numpy as np

from ...errors import InputError, UnknownName
from ...motion.points import SIX
from ...tasks import Reach, Task
from ..articulated.model import Model
from ..articulated.parts import Ranges, person_parts, whole_part
from ..articulated.plan import (
    PEOPLE,
    ArticulatedPersonPlan,
    ArticulatedSettings,
    SkeletonPlan,
    StopRule,
)
from ..base import Capabilities, Solver
from ..people.plan import PersonSettings
from ..settings import Interval, Number, Positive
from ..start import StartSettings
from .masses import (
    FORCE,
    POSITION_BASED,
    NodeWeights,
    Scratch,
    Springs,
    new_scratch,
    new_springs,
)
from .solve import solve_people, solve_skeletons

PARTS = ("spine", "l_arm", "r_arm", "l_leg", "r_leg")
"""Parts of a person, in the order of `person_parts`."""


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
PRESET_NUMBERS = ("step", "damping", "strain", "force", "clamp")
RETURN_RATE = 10.0
"""Of joints to the first pose [1/s]."""
SAFE_STEP = 0.95
"""A step that nobody has set is at most this part of the stability bound."""
OpenFraction = Annotated[float, Interval(0.0, 1.0, above=True, below=True)]


@dataclass(frozen=True, kw_only=True)
class SpringSolver(ArticulatedSettings, StartSettings, PersonSettings, Solver):
    """Settings of both mass-spring methods; lengths are parts of the skeleton's size."""

    capabilities: ClassVar[Capabilities] = replace(ArticulatedSettings.capabilities, exact=True)
    solve_people = solve_people
    solve_skeletons = solve_skeletons
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach,)
    people_rule: ClassVar[StopRule] = StopRule(2_000, math.nan, 1e-5)  # tolerances by the preset
    skeletons_rule: ClassVar[StopRule] = StopRule(20_000, math.nan, 1e-6)
    # Energy of the springs of each part when its target was first asked for; zero where a target
    # was met without a step, or where there was none.
    person_extras: ClassVar[tuple[str, ...]] = tuple(f"energy_{part}" for part in PARTS)
    method: ClassVar[int]
    """Which of the paper's two, as in `masses`."""

    iterations: Annotated[int, Interval(1, 100_000)] | None = None
    """Most steps in a frame. Default: 2000 for a part of a person, 20000 for other skeletons."""
    tolerance: Annotated[float, Interval(0.0, 1.0)] | None = None
    """A largest error below this part of the size, bones rigid again, ends the frame. Default: by
    the preset."""
    least_gain: Annotated[float, Interval(-math.inf, 1.0)] | None = None
    """Where limits, hinges or branches need several sweeps: one that improves the error by less
    than this part of the size, three times in a row, is the last. Default: 0.00001 for people,
    0.000001 for other skeletons."""
    preset: Literal["exact", "paper"] = "exact"
    """Numbers that belong together. `exact`, for use: bones right to a thousandth, the target met
    to 0.0005 of the size. `paper`, for comparison with its Table 1: a hundredth for both."""
    step: Positive | None = None
    """Time step. Together with stiffness and mass it must be stable: step < sqrt((1 - damping / 2)
    mass / stiffness). Default: by the preset, 0.7 or 0.85, and less where that is not stable."""
    damping: OpenFraction | None = None
    """Part of its speed that a mass loses in a step, above 0, without which masses never rest, and
    below 1. Default: 0.3; with the preset `exact` less for chains of more than seven joints, whose
    slowest wave it just lets die away."""
    stiffness: Positive = 1.0
    """Of the springs, > 0."""
    mass: Positive = 1.0
    """Of every joint, > 0; more where more than two bones meet, in proportion."""
    masses: tuple[tuple[str, float], ...] = ()
    """Joints by name with a mass of their own: heavy ones move late. Pairs, a mapping, or text such
    as `LeftArm:2,Spine:3`."""
    stiffnesses: tuple[tuple[str, float], ...] = ()
    """Bones with a stiffness of their own, by the name of the joint or end that they lead to: soft
    ones stretch at first and pass on less of what is asked. Given like `masses`."""
    clamp: Positive | None = None
    """Most that a target moves ahead of its mass in a step, in chain lengths. An end effector that
    is put on a far target at once makes the chain behind it crumple. Default: by the preset, 0.02
    or 0.1."""
    strain: OpenFraction | None = None
    """Masses rest when no bone's length is farther off than this part of it. Default: by the
    preset, 0.001 or 0.01."""
    force: OpenFraction | None = None
    """And when no force on a free mass is greater than this part of the stiffness times a mean
    bone. Default: by the preset, 0.001 or 0.01."""
    rebuild: Literal["places", "pairs"] = "places"
    """Bones point from where they really begin to the next mass, which does not add up what springs
    are too long; or from mass to mass, as the paper says."""
    branch: Literal["fit", "weight", "priority"] = "fit"
    """A joint with several chains takes the rotation that brings all their first bones nearest to
    the masses. Or, as the paper says, the mean of the rotations that they ask for, by their
    weights; or that of the preferred one: the first priority of its tasks, then the heaviest."""
    twist: Literal["first", "carried"] = "first"
    """How far bones are twisted: as in the first pose, so that twist comes back when bones do; or
    by what the smallest rotations from frame to frame add up to, as the paper says."""
    return_rate: Annotated[float, Interval(0.0, 1000.0)] = RETURN_RATE
    """How fast joints turn back to the first pose where their targets leave that open [1/s]: the
    time constant is one over it. 0: they stay where springs have left them, as published, so that
    elbows drift under a hand that moves in circles."""
    cones: bool = False
    """Also keep masses to where the limits of ball joints allow bones to point, in every step, as
    FABRIK does. Limits are kept in any case."""
    braces: bool = True
    """Springs also between the ends of bones that one joint carries, which are rigid to each other;
    the paper has none."""
    lever: Literal["bones", "straight"] = "bones"
    """What a limit cuts off turns the parent by the arc rule of the paper, its lever measured along
    the bones; or straight from the parent to the end effector."""
    sweeps: Annotated[int, Interval(1, 10_000)] = 20
    """Most times that springs and limits take turns in a frame."""

    def check(self) -> None:
        """Refuse masses that make no sense, and steps that would blow up."""
        super().check()
        for name in ("masses", "stiffnesses"):
            object.__setattr__(self, name, named_numbers(getattr(self, name), name))
        bound = self.largest_step
        if self.step is not None and not self.step < bound:
            by_force = self.method == FORCE
            stiffest = "max(stiffness, (2 stiffness + pull) / 4)" if by_force else "stiffness"
            raise InputError(
                f"Expected `step` below the stability bound {bound:.6g} = sqrt((1 - damping / 2) "
                f"mass / {stiffest}) of these masses and springs, got {self.step}."
            )

    @property
    def largest_step(self) -> float:
        """Steps from here on blow up, where targets are at end effectors.

        No mode of a chain or tree has more than four times stiffness over mass, since joints of
        many bones are heavier in proportion; see `largest_step`.
        """
        lightest = min([self.mass, *(mass for _, mass in self.masses)])
        pull = getattr(self, "pull", 0.0)
        hardest = max([self.stiffness, *(value for _, value in self.stiffnesses)])
        stiffest = max(hardest, 0.25 * (2.0 * hardest + pull))
        return math.sqrt((1.0 - 0.5 * self.preset_number("damping")) * lightest / stiffest)

    def preset_number(self, name: str) -> float:
        """Return what is set, or what the preset says."""
        value = getattr(self, name)
        return float(getattr(PRESETS[self.preset], name) if value is None else value)

    @property
    def closeness(self) -> float:
        """A point is met as to other iterative methods, and where it ends a part of a frame."""
        usual = PEOPLE.tolerance if self.tolerance is None else 0.0
        return max(super().closeness, usual)

    def stop_rule(self, usual: StopRule) -> StopRule:
        """Return the usual rule, the tolerance by the preset, with what the settings say."""
        return super().stop_rule(usual._replace(tolerance=PRESETS[self.preset].tolerance))

    def numbers(self) -> dict[str, Number]:
        """Return the settings as numbers: the same names for both, so that they share a kernel."""
        own = super().numbers()
        names = ("start", "rebuild", "branch", "lever", "twist", "cones")
        choices = {name: own.get(name, 0) for name in names}
        return {
            **choices,
            **{name: self.preset_number(name) for name in PRESET_NUMBERS},
            "relax": own.get("relax", 0),
            "method": self.method,
            "stiffness": float(self.stiffness),
            "pull": float(getattr(self, "pull", 0.0)),
            "sweeps": self.sweeps,
        }

    def times(self, rate: float) -> dict[str, Number]:
        """Return the part of the way back to the first pose that joints turn in a frame."""
        return {"home": 1.0 - math.exp(-self.return_rate / rate)}

    def person_numbers(self, rate: float) -> dict[str, Number]:
        """Return what the kernels of the six points read, times in frames."""
        return super().person_numbers(rate) | self.times(rate)

    def new_scratch(
        self,
        plan: ArticulatedPersonPlan | SkeletonPlan,
        ranges: Ranges,
        ends: Sequence[str],
        ranks: Sequence[int] = (),
    ) -> Scratch:
        """Return the springs of a plan and their memory.

        Args:
            plan: of a person or another skeleton.
            ranges: joints and tasks of each part.
            ends: names of the end effectors.
            ranks: priorities of tasks.
        """
        model, names = plan.model, plan.skeleton.names
        joints = {names[rig]: joint for joint, rig in enumerate(model.rig) if rig >= 0}
        nodes = {name: len(model.parent) + end for end, name in enumerate(ends)} | joints
        springs = new_springs(
            model,
            ranges,
            mass=self.mass,
            weights=NodeWeights(
                by_node("joint in `masses`", self.masses, joints, self.mass),
                by_node("bone in `stiffnesses`", self.stiffnesses, nodes, self.stiffness),
            ),
            preferred=preferred_children(model, ranks),
            braces=self.braces,
        )
        return new_scratch(model, ranges, springs)

    def suited_numbers(self, plan: ArticulatedPersonPlan | SkeletonPlan) -> dict[str, Number]:
        """Return damping and step that suit the springs of a plan."""
        model, numbers = plan.model, self.numbers()
        if self.damping is None and self.preset == "exact":
            longest = max(1, int(model.moves.sum(axis=1).max(initial=1)))
            numbers["damping"] = min(self.preset_number("damping"), self._critical(longest))
        bound = largest_step(plan.scratch.springs, model, numbers)
        if self.step is not None and not self.step < bound:
            raise InputError(
                f"Expected `step` below the stability bound {bound:.6g} of this skeleton and its "
                f"targets, sqrt((1 - damping / 2) mass / (stiffness + pull / 4)) where they are in "
                f"the middle of a chain; got {self.step}."
            )
        step = min(self.preset_number("step"), SAFE_STEP * bound)
        return {"damping": numbers["damping"], "step": step}

    def person_scratch(self, plan: ArticulatedPersonPlan) -> Scratch:
        """Return the springs of the five parts of a person, and memory for them."""
        return self.new_scratch(plan, person_parts(plan.model), SIX)

    def person_settings(self, plan: ArticulatedPersonPlan) -> dict[str, Number]:
        """Return the settings for people as numbers."""
        return super().person_settings(plan) | self.suited_numbers(plan)

    def skeleton_scratch(self, plan: SkeletonPlan) -> Scratch:
        """Return the springs of a skeleton as one part, and memory for them."""
        ranks = [task.priority for task in plan.tasks if isinstance(task, Reach)]
        return self.new_scratch(plan, whole_part(plan.model), plan.points, ranks)

    def skeleton_settings(self, plan: SkeletonPlan) -> dict[str, Number]:
        """Return the settings for another skeleton as numbers."""
        return super().skeleton_settings(plan) | self.suited_numbers(plan)

    def _critical(self, count: int) -> float:
        """Return the damping that suits the slowest wave of a chain of springs, ends fixed.

        Its frequency is 2 sqrt(k / m) sin(pi / 2n). Less would let it swing, more would let it
        creep: steps grow with n, not with its square.
        """
        frequency = 2.0 * math.sqrt(self.stiffness / self.mass) * math.sin(0.5 * math.pi / count)
        return frequency * self.preset_number("step")


@dataclass(frozen=True, kw_only=True)
class SpringForceSolver(SpringSolver):
    """Settings of the force-based mass-spring method."""

    name: ClassVar[str] = "mass-spring-force"
    title: ClassVar[str] = "Mass-spring IK, targets pull"
    method: ClassVar[int] = FORCE
    # Springs pull at the target, and rest where joints that turn back and bones pull as much.
    capabilities: ClassVar[Capabilities] = ArticulatedSettings.capabilities

    pull: Positive = 1.0
    """Stiffness of the springs by which targets pull, > 0; that of lighter targets is less, in
    proportion to their weights. Targets in the middle of a chain need a smaller step: below
    sqrt((1 - damping / 2) mass / (stiffness + pull / 4))."""


@dataclass(frozen=True, kw_only=True)
class SpringPositionSolver(SpringSolver):
    """Settings of the position-based mass-spring method."""

    name: ClassVar[str] = "mass-spring"
    title: ClassVar[str] = "Mass-spring IK, end effectors put on their targets"
    method: ClassVar[int] = POSITION_BASED

    relax: Literal["verlet", "projection"] = "verlet"
    """How masses move: by steps of their motion; or straight to the lengths of bones, one after the
    other, which has neither step nor damping."""


def named_numbers(value: Any, setting: str) -> tuple[tuple[str, float], ...]:
    """Return numbers of joints by name: from pairs, a mapping, or text, ``NAME:NUMBER,...``."""
    pairs = value
    if isinstance(value, str):
        pairs = [part.strip().rpartition(":")[::2] for part in value.split(",")]
    elif isinstance(value, Mapping):
        pairs = value.items()
    try:
        found = tuple((name, float(mass)) for name, mass in pairs)
    except (TypeError, ValueError):
        found = (("", 0.0),)
    if not all(isinstance(name, str) and name for name, _ in found):
        raise InputError(
            f"Expected `{setting}` as joints with numbers, such as 'LeftArm:2,Spine:3'; "
            f"got {value!r}."
        )
    for name, number in found:
        if not 0.0 < number < math.inf:
            raise InputError(f"Expected `{setting}[{name!r}]` > 0, got {number:g}.")
    return cast("tuple[tuple[str, float], ...]", found)


def by_node(
    kind: str, numbers: Sequence[tuple[str, float]], known: Mapping[str, int], usual: float
) -> dict[int, float]:
    """Return numbers by node, over the usual one; `kind` says what a name is that is not known."""
    for name, _ in numbers:
        if name not in known:
            raise UnknownName(kind, name, tuple(known))
    return {known[name]: number / usual for name, number in numbers}


def preferred_children(model: Model, ranks: Sequence[int]) -> dict[int, int]:
    """Return the child node of each joint that leads to the task of the first rank.

    Nothing is preferred where all ranks are alike.
    """
    out: dict[int, int] = {}
    if len(set(ranks)) <= 1:
        return out
    for task in np.argsort(ranks, kind="stable")[::-1]:  # the first rank last, so that it stays
        effector = int(model.task_effector[task])
        child, joint = len(model.parent) + effector, int(model.effector_joint[effector])
        while joint >= 0:
            out[joint] = child
            child, joint = joint, int(model.parent[joint])
    return out


def largest_step(springs: Springs, model: Model, numbers: Mapping[str, Any]) -> float:
    """Return the time step from which on steps blow up, for a model with its targets.

    A mode with eigenvalue w^2 is stable under the damped steps just where step^2 w^2 is below
    4 - 2 damping, and no w^2 is greater than the greatest row sum of stiffness over mass
    (Gershgorin): (4 k + pull) / m for a target in the middle of a chain, (2 k + pull) / m at its
    end.
    """
    count = len(springs.node_of)
    bones = np.bincount(springs.ends.ravel(), np.repeat(springs.hardness, 2), count)
    held = np.zeros(count)
    held[springs.mass_of[len(model.parent) + model.task_effector]] = numbers["pull"]
    sums = (2.0 * numbers["stiffness"] * bones + held) * springs.lightness
    return float(np.sqrt((4.0 - 2.0 * numbers["damping"]) / sums.max(initial=1e-300)))
