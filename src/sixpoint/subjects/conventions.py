"""Units, upward axis and handedness of tracked points: guessed from the person whom they show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..body.anthropometry import ANKLE_HEIGHT, SKULL_BASE_HEIGHT
from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.types import Floats, Quat
from ..motion.points import SIX, Points
from ..priors.plausibility import MIRRORED, find_mistake

GUESSED = "guessed: "
"""Start of notes about a guess; all others are about a defect."""
UNITS = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45, "dm": 0.1,
    "foot": 0.3048,
}  # fmt: skip
"""Metres per unit. "cmu" is that of the CMU database: inches scaled by 0.45."""
RARITY = {"m": 0.0, "cm": 0.0, "mm": 0.05, "inch": 0.15, "cmu": 0.1, "dm": 0.2, "foot": 0.25}
"""How much nearer to the usual stature, as a logarithm, a rarer unit must bring the body."""
COMMON_UNITS = ("m", "cm", "mm")
"""Units that are told apart where no stature can be measured."""
USUAL_STATURE = 1.70
"""Stature of an adult [m]."""
PLAUSIBLE_STATURE = (1.0, 2.4)
"""A child of four and the tallest people [m]; outside, the guess is doubted."""
HALF = math.sqrt(0.5)
UP: Mapping[str, Quat] = {
    "y": (1.0, 0.0, 0.0, 0.0),
    "z": (HALF, -HALF, 0.0, 0.0),
    "x": (HALF, 0.0, 0.0, HALF),
    "-y": (0.0, 1.0, 0.0, 0.0),
    "-z": (HALF, HALF, 0.0, 0.0),
    "-x": (HALF, 0.0, 0.0, -HALF),
}
"""Axis that points up in a file -> rotation from the file's axes to ours.

Z up becomes (x, z, -y), so that a figure that faces -Y, as is usual there, faces +Z here."""
HANDS = ("right", "left")
"""Handedness of axes; Unity and Unreal have left-handed ones."""
CERTAIN_RISE = 0.5
"""Mean of the upward part of the direction from below to the head, from which an axis is up."""
CLEARER_RISE = 0.3
"""By how much another axis must be clearer than Y to be preferred to it."""
ARM_REACH = 0.45
"""Usual distance from the head to a wrist of a stretched arm, as a part of stature."""
STRETCHED = 95.0
"""Percentile of a distance over time that is taken for that of a stretched limb."""


@dataclass(frozen=True)
class Convention:
    """Unit and axes of tracked points."""

    unit: float = 1.0
    """Metres per unit."""
    up: str = "y"
    """Axis that points up: a key of `UP`."""
    hand: str = "right"
    """Handedness of the axes: one of `HANDS`."""
    stature: float | None = None
    """Estimated stature of the person [m]; None where the points do not show it."""
    notes: tuple[str, ...] = ()
    """What was guessed, if it is not metres, Y up and right-handed axes, and what is doubtful."""

    def applied(self, points: Points) -> Points:
        """Return points in metres, Y up, right-handed axes; to the bit where they are already."""
        if (self.unit, self.up) != (1.0, "y"):
            points = points_to_world(points, unit=self.unit, up=self.up)
        # A level axis is turned round, whichever was up.
        return mirrored(points) if self.hand == "left" else points


def given_unit(unit: float | str) -> float:
    """Return metres per unit from a number or a name of `UNITS`."""
    if isinstance(unit, str) and unit.lower() in UNITS:
        return UNITS[unit.lower()]
    try:
        metres = float(unit)
    except ValueError:
        raise UnknownName("unit", str(unit), ("auto", *UNITS)) from None
    if not (math.isfinite(metres) and metres > 0.0):
        raise InputError(f"Expected a positive `unit` in metres, got {unit}.")
    return metres


def likely_unit(
    size: float, *, usual: float = USUAL_STATURE, units: Mapping[str, float] | None = None
) -> tuple[str, float]:
    """Return the unit that brings a size nearest to the usual one, rarer units being held back.

    Args:
        size: a stature in an unknown unit.
        usual: what it usually is [m].
        units: name -> metres; default `UNITS`.

    Returns:
        Name of the unit and metres per unit.
    """
    choices = UNITS if units is None else units

    def distance(name: str) -> float:
        return abs(math.log(size * choices[name] / usual)) + RARITY[name]

    name = min(choices, key=distance)
    return name, choices[name]


def rotation_to_y_up(up: str) -> Quat:
    """Return the rotation from a file's axes to ours."""
    try:
        return UP[up.lower()]
    except KeyError:
        raise UnknownName("up axis", up, ("auto", *UP)) from None


def turn_basis(basis: Quat, rotations: Floats) -> Floats:
    """Return rotations expressed in other axes: B q B*."""
    if basis == UP["y"]:
        return rotations
    turned = np.array(rotations)
    turned[..., 1:] = arrays.rotate(np.asarray(basis), rotations[..., 1:])
    return turned


def points_to_world(points: Points, *, unit: float | str | None, up: str | None) -> Points:
    """Bring tracked points in a file's unit and axes into ours; None is what they are already."""
    metres = 1.0 if unit is None else given_unit(unit)
    basis = rotation_to_y_up("y" if up is None else up)
    return replace(
        points,
        positions=metres * arrays.rotate(np.asarray(basis), points.positions),
        rotations=None if points.rotations is None else turn_basis(basis, points.rotations),
    )


def mirrored(points: Points) -> Points:
    """Return points whose X axis is turned round: left-handed axes become right-handed ones."""
    rotations = points.rotations
    return replace(
        points,
        positions=points.positions * (-1.0, 1.0, 1.0),
        rotations=None if rotations is None else rotations * (1.0, 1.0, -1.0, -1.0),
    )


def find_convention(
    points: Points,
    skeleton: Skeleton | None = None,
    *,
    unit: float | str = "auto",
    up: str = "auto",
    hand: str = "auto",
) -> Convention:
    """Return unit and axes of tracked points, guessed where they are not given.

    The head is above what carries it; a person is about as tall as people are, or as the skeleton;
    and people reach forwards, which tells left from right, so that a mirrored person is recognised
    where all six points are known.

    Args:
        points: as they stand in the file.
        skeleton: the person's body, if it is known.
        unit: metres per unit, its name, or "auto".
        up: a key of `UP`, or "auto".
        hand: "right" or "left" axes, or "auto".
    """
    notes: list[str] = []
    if hand not in ("auto", *HANDS):
        raise UnknownName("handedness", hand, ("auto", *HANDS))
    if up.lower() == "auto":
        up, note = _guess_up(points)
        notes += note
    else:
        rotation_to_y_up(up)
    usual = USUAL_STATURE if skeleton is None else skeleton.anatomy.stature
    size, share = _size(points)
    if unit != "auto":
        metres = given_unit(unit)
    elif size is None:
        metres = 1.0
    else:
        metres, note = _guess_unit(size / share, usual, certain=share > ARM_REACH)
        notes += note
    stature = None if size is None or share <= ARM_REACH else metres * size / share
    found = Convention(metres, up.lower(), "right" if hand == "auto" else hand, stature)
    if hand == "auto":
        seen = found.applied(points)
        if is_mirrored(seen, skeleton or Skeleton.humanoid(_person(stature))):
            found = replace(found, hand="left")
            notes.append(
                f"{GUESSED}left-handed axes, as of Unity, because left and right are exchanged: X "
                "is turned round; if the names are exchanged instead, mend them and say that the "
                "axes are right-handed"
            )
    return replace(found, notes=tuple(notes))


def is_mirrored(points: Points, skeleton: Skeleton) -> bool:
    """Return whether points [m], Y up, look like those of a person in a mirror.

    False where not all six points are known.
    """
    mistake, _ = find_mistake(points, skeleton)
    return mistake is MIRRORED


def _person(stature: float | None) -> float:
    low, high = PLAUSIBLE_STATURE
    return USUAL_STATURE if stature is None else min(max(stature, low), high)


def _tracks(points: Points) -> dict[str, Floats]:
    """Return positions (F, 3) of the points that were ever seen, by name."""
    seen = points.seen.any(axis=0)
    return {name: points.positions[:, k] for k, name in enumerate(points.names) if seen[k]}


def _guess_up(points: Points) -> tuple[str, list[str]]:
    """Return the axis that points up, with notes unless it is surely Y."""
    at = _tracks(points)
    below = next(
        (
            [at[name] for name in names if name in at]
            for names in (("l_ankle", "r_ankle"), ("pelvis",), ("l_wrist", "r_wrist"))
            if any(name in at for name in names)
        ),
        None,
    )
    if "head" not in at or below is None:
        return "y", []
    rise = np.concatenate([at["head"] - lower for lower in below])
    rise = rise[np.isfinite(rise).all(axis=1)]
    length = np.linalg.norm(rise, axis=1)
    rise = rise[length > 0.0] / length[length > 0.0, None]
    if not len(rise):
        return "y", []
    mean = rise.mean(axis=0)
    by_axis = {f"{sign}{axis}": float(s * m) for s, sign in ((1, ""), (-1, "-"))
               for axis, m in zip("xyz", mean, strict=True)}  # fmt: skip
    best = max(UP, key=by_axis.__getitem__)
    if best == "y" or by_axis[best] < by_axis["y"] + CLEARER_RISE:
        best = "y"
    elif by_axis[best] < CERTAIN_RISE:
        best = "y"
        return best, [f"{GUESSED}Y points up, but the head is hardly ever above the feet: give "
                      "the upward axis if it is another"]  # fmt: skip
    return best, [] if best == "y" else [f"{GUESSED}{best.upper()} points up"]


def _size(points: Points) -> tuple[float | None, float]:
    """Return a length of the body in the points' unit, and which part of stature it usually is."""
    at = _tracks(points)
    whole = SKULL_BASE_HEIGHT - ANKLE_HEIGHT

    def reach(one: str, other: str) -> float:
        lengths = np.linalg.norm(at[one] - at[other], axis=1)
        lengths = lengths[np.isfinite(lengths)]
        return float(np.percentile(lengths, STRETCHED)) if len(lengths) else 0.0

    def longest(one: str, others: tuple[str, ...]) -> float:
        return max((reach(one, other) for other in others if other in at), default=0.0)

    if "head" not in at:
        return None, 1.0
    if "pelvis" in at and (leg := longest("pelvis", SIX[4:])) > 0.0:
        return reach("head", "pelvis") + leg, whole
    if (height := longest("head", SIX[4:])) > 0.0:
        return height, whole
    if (arm := longest("head", SIX[2:4])) > 0.0:
        return arm, ARM_REACH
    return None, 1.0


def _guess_unit(size: float, usual: float, certain: bool) -> tuple[float, list[str]]:
    """Return metres per unit for an estimated stature in that unit, with notes."""
    if not (size > 0.0 and math.isfinite(size)):
        return 1.0, []
    units = UNITS if certain else {name: UNITS[name] for name in COMMON_UNITS}
    name, metres = likely_unit(size, usual=usual, units=units)
    stature = size * metres
    notes = []
    if name != "m":
        notes.append(
            f"{GUESSED}unit {name} ({metres:.6g} m), which gives a stature of {stature:.2f} m"
        )
    low, high = PLAUSIBLE_STATURE
    if certain and not low <= stature <= high:
        notes.append(
            f"a stature of {stature:.2f} m is unusual: give the unit if you know it, and check the "
            "names of the points"
        )
    return metres, notes
