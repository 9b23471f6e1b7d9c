"""What a tracker is prepared for: a skeleton, its limits, the rate, points and tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..body.skeleton import Skeleton
from ..errors import UnknownName
from ..limits import Limits, adult_limits, hand_limits, recorded_limits
from ..limits.as_hinge import hinge_limits
from ..tasks import Task

LimitsChoice: TypeAlias = Limits | Literal["adult", "recorded"] | None
"""Limits to keep: a set of limits, the adult defaults (for people and hands; other skeletons have
none), those within which recorded people moved (for people alone), or none."""


@dataclass(frozen=True)
class Problem:
    """What a tracker is prepared for."""

    skeleton: Skeleton
    limits: Limits
    rate: float
    """Frames a second [Hz]."""
    names: tuple[str, ...] | None
    """Points in the order of arrays; None if the method shall choose."""
    tasks: tuple[Task[Any], ...] | None
    """What is asked of the points; None for all to be reached."""


def resolve_limits(limits: LimitsChoice, skeleton: Skeleton) -> Limits:
    """Return the set of limits that a choice stands for; an empty one for none.

    "adult" are those of a healthy adult: for people, and for the hand of `Skeleton.hand`. Other
    skeletons have none.

    Limits of elbows, knees and other hinges become those about the axes that solvers bend them
    about (see `limits.as_hinge`).
    """
    if isinstance(limits, Limits):
        for name in limits:
            if name not in skeleton.names:
                raise UnknownName("joint to limit", name, skeleton.names)
        return hinge_limits(limits, skeleton.articulation)
    if limits is None or (limits == "adult" and skeleton.kind == "other"):
        return Limits({})
    if limits == "adult":
        return hand_limits(skeleton) if skeleton.kind == "hand" else adult_limits(skeleton)
    if limits == "recorded" and skeleton.kind == "human":
        return recorded_limits(skeleton)
    raise UnknownName("set of limits", str(limits), ("adult", "recorded"))
