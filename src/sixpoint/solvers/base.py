"""The contract of solvers: settings in, tracker out, one frame or one clip at a time.

A `Solver` is frozen settings. `prepare` flattens a skeleton and its limits into tables once and
gives a `Tracker`, which owns what changes from frame to frame. `Tracker.solve` answers one frame,
`Tracker.solve_clip` a whole clip in a compiled loop, with the same bits.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from ..body.articulation import person
from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..kernels.types import Floats
from ..limits import Limits, adult_limits, hand_limits, is_hand
from ..limits.as_hinge import hinge_limits
from ..motion.points import SIX, Points
from ..tasks import Task
from .solution import Result, Solution

LimitsChoice: TypeAlias = Limits | Literal["adult"] | None
"""Limits to keep: a set of limits, the adult defaults (figures that are no people have none), or
none."""


@dataclass(frozen=True)
class Capabilities:
    """What a solver can do; the tables in the docs and the laws in `check` read this."""

    humans: bool
    """Reconstructs a whole human from the six points."""
    chains: bool
    """Works on any articulated figure."""
    limits: bool
    """Keeps joint limits."""
    rotations: bool
    """Uses the rotations of pelvis and head where points have them."""
    missing: bool
    """Carries on when points are not seen."""
    history: bool
    """The answer depends on earlier frames, even when all points are seen."""
    exact: bool
    """Meets a reachable target to a millimetre when no limit is in the way."""
    random: bool = False
    """Draws random numbers: repeats itself by its seed, but does not mirror."""


@dataclass(frozen=True, kw_only=True)
class Solver(abc.ABC):
    """Frozen settings and one verb. Subclasses are dataclasses; each field is an option."""

    name: ClassVar[str]
    """Key in `SOLVERS`."""
    title: ClassVar[str]
    """The method in a few words."""
    capabilities: ClassVar[Capabilities]

    @property
    def needed(self) -> tuple[str, ...]:
        """Points of a person that must be there, if not seen at all times; others may be absent."""
        return SIX

    @abc.abstractmethod
    def prepare(
        self,
        skeleton: Skeleton,
        *,
        limits: LimitsChoice = "adult",
        rate: float = 60.0,
        names: Sequence[str] | None = None,
        tasks: Sequence[Task[Any]] | None = None,
    ) -> Tracker:
        """Build the tables for one skeleton.

        A person whose six points are given is followed as a whole, the pelvis where its point is.
        Any other figure, and a person of whom other points are given, is solved as it stands: its
        root keeps its place, and its joints turn until the points are met.

        Args:
            skeleton: the body to move. People need joints with recognisable names.
            limits: limits to keep.
            rate: frames a second, for what lasts a time [Hz].
            names: order of the points in arrays given to `Tracker.solve`. Default: the six of a
                person; the sites of any other figure, or the ends of its chains.
            tasks: what is asked of the points, for solvers of any figure. Default: to be reached,
                all alike.
        """

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:  # noqa: B027  (a solver without settings has nothing to refuse)
        """Raise `InputError` for settings that make no sense."""


class Tracker(abc.ABC):
    """Follows one body through time. Not to be shared between threads."""

    names: tuple[str, ...]
    """Order of the points in arrays and in `Solution.residuals`."""
    limits: Limits
    """What joints are kept within."""

    @abc.abstractmethod
    def solve(self, frame: Floats | Points) -> Solution:
        """Pose for one frame: an array (N, 3) in the order of `names`, or one frame of `Points`."""

    @abc.abstractmethod
    def solve_clip(self, points: Points) -> Result:
        """Poses for a clip, from a fresh start."""

    @abc.abstractmethod
    def reset(self) -> None:
        """Forget earlier frames."""

    @abc.abstractmethod
    def warm_up(self) -> None:
        """Compile what is not compiled yet, so that the first frame is as quick as the others."""


def resolve_limits(limits: LimitsChoice, skeleton: Skeleton) -> Limits:
    """The set of limits that a choice stands for; an empty one for none.

    "adult" are those of a healthy adult: for people, and for the hand of `Skeleton.hand`. Other
    figures have none.

    Limits of elbows, knees and other hinges become those about the axes that solvers bend them
    about (see `limits.as_hinge`).
    """
    if isinstance(limits, Limits):
        for name in limits:
            if name not in skeleton.names:
                raise UnknownName("joint to limit", name, skeleton.names)
        return hinge_limits(limits, skeleton.articulation)
    if limits is None:
        return Limits({})
    if limits == "adult":
        if is_hand(skeleton):
            return hand_limits(skeleton)
        return Limits({}) if person(skeleton) is None else adult_limits(skeleton)
    raise UnknownName("set of limits", str(limits), ("adult",))


def settings_of(kind: type[Solver]) -> dict[str, Any]:
    """Names of the settings of a solver, and their defaults."""
    return {field.name: field.default for field in dataclasses.fields(kind) if field.init}


def with_settings(kind: type[Solver], settings: dict[str, Any]) -> Solver:
    """A solver with some settings changed; unknown names are refused with the choices."""
    known = settings_of(kind)
    for name in settings:
        if name not in known:
            raise UnknownName(f"setting of solver {kind.name!r}", name, known)
    try:
        return kind(**settings)
    except TypeError as error:
        raise InputError(f"Bad settings for solver {kind.name!r}: {error}") from error


def check_whole(name: str, value: Any, least: int, most: int) -> None:
    """Refuse a setting that is no whole number in a range."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole:
        raise InputError(f"Expected `{name}` to be a whole number, got {value!r}.")
    if not least <= value <= most:
        raise InputError(f"Expected `{name}` in [{least}, {most}], got {value}.")


def one_of(name: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a setting that is not one of its choices."""
    if value not in choices:
        raise InputError(f"Expected `{name}` to be one of {', '.join(choices)}; got {value!r}.")
