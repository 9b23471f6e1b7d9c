"""Cleaning at the door: what is done to tracked points of a file before they are reconstructed.

Unit, axes and handedness are brought to metres, Y up and right-handed; names are recognised;
samples that no body can have made count as not seen; noise is smoothed away. Gaps stay: solvers
fill them better, because they know the body (see `gaps`). Whatever was done is said in notes.
Points that need none of this come back as they are, to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from ..body.roles import ROLES
from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..kernels.types import Floats
from ..motion.people import MARK
from ..motion.points import SIX, Points
from ..priors.plausibility import find_mistake
from .aliases import role_names
from .conventions import HANDS, PLAUSIBLE_STATURE, Convention, find_convention
from .mistakes import refuse_jumps, refuse_mistakes
from .naming import find_names
from .outliers import find_outliers, without
from .smoothing import (
    POSITION_FLOOR,
    QUATERNION_ANGLE,
    ROTATION_FLOOR,
    continuous,
    denoised,
    lowpassed,
    noise_of,
    put_rotations,
    rotation_noise,
)

Names = Literal["check", "given", "auto"]


@dataclass(frozen=True, kw_only=True)
class Cleaning:
    """What is done to tracked points before they are reconstructed."""

    unit: float | str = "auto"
    """Metres per unit of the points, or its name; "auto": from the size of the person."""
    up: str = "auto"
    """Axis that points up: y, z, x, or one of them with a minus; "auto": the head is above."""
    hand: str = "auto"
    """"left" or "right": handedness of the axes; "auto": from how people reach and stand."""
    names: Names = "check"
    """"check": points are refused that look as if their names were exchanged. "given": they are
    taken as they are. "auto": trackers are named by trying which of them is which."""
    outliers: bool = True
    """Whether samples that no body can have made count as not seen."""
    bridge_gaps: bool = True
    """Whether files are solved a second time, with gaps bridged by the first answer."""
    smooth: float | Literal["auto", "off"] = "auto"
    """"auto": as strongly as the measured noise asks for; "off"; or a cutoff frequency [Hz]."""

    def __post_init__(self) -> None:
        if self.hand not in ("auto", *HANDS):
            raise UnknownName("handedness", self.hand, ("auto", *HANDS))
        if self.names not in get_args(Names):
            raise UnknownName("way to name points", self.names, get_args(Names))
        if isinstance(self.smooth, str):
            if self.smooth not in ("auto", "off"):
                raise UnknownName("way to smooth", self.smooth, ("auto", "off", "a frequency"))
        elif not (math.isfinite(self.smooth) and self.smooth > 0.0):
            raise InputError(f"Expected a positive `smooth` in Hz, got {self.smooth}.")


@dataclass(frozen=True)
class Cleaned:
    """Points that were cleaned, and what was found and done."""

    points: Points
    """The points in metres, Y up, right-handed axes."""
    convention: Convention
    """Unit and axes that they had."""
    noise: dict[str, float]
    """Standard deviation of the noise of each point in each coordinate [m]; NaN if unknown."""
    outliers: dict[str, int] = field(default_factory=dict)
    """Samples of each point that count as not seen, where there are some."""
    notes: tuple[str, ...] = ()
    """What was assumed and done, one sentence each."""


def clean(points: Points, skeleton: Skeleton | None = None, **settings: Any) -> Cleaned:
    """Return tracked points as solvers want them, and what was done to them.

    Args:
        points: as they stand in a file.
        skeleton: the person's body, if it is known: unit and names are recognised more surely.
        **settings: fields of `Cleaning`.

    Raises:
        InputError: the points cannot be those of one person in space, or their names look
            exchanged; the message names the likely mistake.
        UnknownName: a setting that does not exist.
    """
    known = Cleaning.__dataclass_fields__
    for name in settings:
        if name not in known:
            raise UnknownName("setting of cleaning", name, known)
    return clean_as(points, Cleaning(**settings), skeleton)


def clean_as(points: Points, how: Cleaning, skeleton: Skeleton | None = None) -> Cleaned:
    """Return cleaned points as `clean` does, with settings in one object."""
    notes = list(points.notes)
    refuse_mistakes(points)
    renamed = role_names(points.names)
    if renamed != points.names:
        pairs = [f"{old} as {new}" for old, new in zip(points.names, renamed, strict=True)
                 if old != new]  # fmt: skip
        notes.append(f"names: {', '.join(pairs)}")
        points = replace(points, names=renamed)
    points, convention = _in_our_axes(points, how, skeleton, notes)
    wrong = find_outliers(points) if how.outliers else np.zeros(points.seen.shape, bool)
    if how.outliers:
        refuse_jumps(points, int(wrong.sum()))
    counts = {name: int(n) for name, n in zip(points.names, wrong.sum(axis=0), strict=True) if n}
    if counts:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        notes.append(f"outliers: jumps that no body can make, taken as not seen: {listed} frames")
    points = without(points, wrong)
    if how.names != "given":
        _refuse_strangers(points)
        for text in exchanged_names(points, convention, skeleton):
            raise InputError(
                f"{text[0].upper()}{text[1:]}: mend their names or axes, or say that the names are "
                "right (`names`: given)."
            )
    noise = noise_of(points.positions, points.rate)
    points = _smoothed(points, how.smooth, noise, notes)
    return Cleaned(
        replace(points, notes=tuple(notes)),
        convention,
        dict(zip(points.names, noise.tolist(), strict=True)),
        counts,
        tuple(notes),
    )


def _in_our_axes(
    points: Points, how: Cleaning, skeleton: Skeleton | None, notes: list[str]
) -> tuple[Points, Convention]:
    """Return points in metres, Y up, right-handed, with names where they are to be found."""
    convention = find_convention(points, skeleton, unit=how.unit, up=how.up, hand=how.hand)
    points = convention.applied(points)
    notes += convention.notes
    if how.names == "auto" and not set(SIX) <= set(points.names):
        found = find_names(points, skeleton or _body(convention))
        points = found.applied(points)
        listed = ", ".join(f"{tracker} is {role}" for tracker, role in found.names.items())
        notes.append(f"{listed} (plausibility {found.plausibility:.0%})")
    return points, convention


def _body(convention: Convention) -> Skeleton:
    """Return a body of the stature that the points show, or a usual one."""
    low, high = PLAUSIBLE_STATURE
    stature = convention.stature
    return (
        Skeleton.humanoid() if stature is None else Skeleton.humanoid(min(max(stature, low), high))
    )


def _refuse_strangers(points: Points) -> None:
    """Refuse points of which none is known to belong to a person."""
    bare = [name.rpartition(MARK)[2] for name in points.names]
    if not {*SIX, *ROLES}.intersection(bare):
        shown = ", ".join(bare[:8]) + (" ..." if len(bare) > 8 else "")
        raise InputError(
            f"Expected points of a person ({', '.join(SIX)}), got {shown}: name them, or let six "
            "trackers or more be named automatically (`names`: auto)."
        )


def exchanged_names(
    points: Points, convention: Convention, skeleton: Skeleton | None = None
) -> list[str]:
    """Return which names or axes of points look exchanged, as a sentence; empty if none do.

    Args:
        points: in metres, Y up, right-handed axes.
        convention: how they were found, for the stature of the person.
        skeleton: the person's body, if it is known.
    """
    mistake, plausible = find_mistake(points, skeleton or _body(convention))
    if mistake is None:
        return []
    return [f"the points look as if {mistake.words} (plausibility as they are: {plausible:.0%})"]


def _smoothed(points: Points, smooth: float | str, noise: Floats, notes: list[str]) -> Points:
    """Return points without their noise; rotations likewise."""
    if smooth == "off":
        return points
    rate, rotations = points.rate, points.rotations
    steady = None if rotations is None else continuous(rotations)
    calm: Floats | None = None
    if isinstance(smooth, float | int):
        positions = lowpassed(points.positions, rate, smooth)
        calm = None if steady is None else lowpassed(steady, rate, smooth)
        notes.append(f"smoothed at {smooth:g} Hz, without delay")
    else:
        noisy = np.where(noise >= POSITION_FLOOR, noise, 0.0)
        positions = denoised(points.positions, rate, noisy)
        if noisy.any():
            notes.append(
                f"noise of {1e3 * noisy[noisy > 0.0].min():.1f} to {1e3 * noisy.max():.1f} mm: "
                "smoothed, without delay"
            )
        if steady is not None:
            turning = rotation_noise(steady, rate)
            shaky = np.where(turning >= ROTATION_FLOOR, turning, 0.0)
            calm = denoised(steady, rate, shaky / QUATERNION_ANGLE)
            if shaky.any():
                notes.append(
                    f"rotations tremble by up to {math.degrees(shaky.max()):.2f} degrees: "
                    "smoothed, without delay"
                )
    if rotations is not None and steady is not None and calm is not None:
        rotations = put_rotations(rotations, steady, calm)
    return replace(points, positions=positions, rotations=rotations)
