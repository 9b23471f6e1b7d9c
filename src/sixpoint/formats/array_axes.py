"""Unit, upward axis, handedness and floor of landmarks, found from the body that they show."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..body.anthropometry import ANKLE_HEIGHT
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..subjects.conventions import (
    GUESSED,
    PLAUSIBLE_STATURE,
    UNITS,
    UP,
    given_unit,
    likely_unit,
)
from ..subjects.landmarks import facing_of, stature_of

CENTRED = 0.02
"""Hips whose middle never leaves the origin by more than this part of the stature are the origin:
positions are relative to them."""
UPRIGHT = 0.85
"""Upward part of the direction from feet to shoulders, above which a body stands in a frame."""
LEAST_UPRIGHT, SECOND_AXIS = 0.2, 0.6
"""A body stands along the axis that points up in this part of the frames at least, and along any
other axis in no more than the second part of those."""
MIRRORED = 0.15
"""A body whose face and feet point to the back by more than this is a mirror image."""


def body_to_world(
    body: Mapping[str, Floats], unit: float | str | None, up: str | None
) -> tuple[dict[str, Floats], list[str]]:
    """Return landmarks in metres, Y up and right-handed, and notes on what was found.

    Args:
        body: name -> positions in any unit and axes, shape (F, 3).
        unit: metres per unit or its name; None: found from the size of the body.
        up: axis that points up, a key of `UP`; None: found from how the body stands.

    Raises:
        InputError: the body has no size of a person in any unit, or `up` is no axis.
    """
    found, notes = _upright(body, up)
    found, more = _right_handed(found)
    notes += more
    found, more = _in_metres(found, unit)
    notes += more
    found, more = _on_floor(found)
    return found, notes + more


def _upright(body: Mapping[str, Floats], up: str | None) -> tuple[dict[str, Floats], list[str]]:
    """Return landmarks with Y up, and a note unless Y was surely up already."""
    notes: list[str] = []
    if up is None:
        up, sure = _up_of(body)
        if up != "y" or not sure:
            notes.append(
                f"{GUESSED}{up.upper()} points up"
                + ("" if sure else "; the body hardly ever stands so: give `up` if you know it")
            )
    elif up.lower() not in UP:
        raise InputError(f"Expected an upward axis among {', '.join(UP)}; got {up!r}.")
    turn = np.array(UP[up.lower()])
    return {name: arrays.rotate(turn, at) for name, at in body.items()}, notes


def _up_of(body: Mapping[str, Floats]) -> tuple[str, bool]:
    """Return the axis along which the body stands, with its sign, and whether that is certain."""

    def middle(part: str) -> Floats | None:
        pair = [f"{side}_{part}" for side in "lr"]
        return 0.5 * (body[pair[0]] + body[pair[1]]) if body.keys() >= set(pair) else None

    levels = [middle(part) for part in ("shoulder", "hip", "knee", "ankle")]
    there = [level for level in levels if level is not None and np.isfinite(level).any()]
    if len(there) < 2:
        return "y", False
    rise = there[0] - there[-1]
    rise = rise / np.maximum(np.linalg.norm(rise, axis=1, keepdims=True), 1e-12)
    rise = rise[np.isfinite(rise).all(axis=1)]
    if not len(rise):
        return "y", False
    along = {"y": rise[:, 1], "z": rise[:, 2], "x": rise[:, 0], "-y": -rise[:, 1]}
    share = {axis: float((part > UPRIGHT).mean()) for axis, part in along.items()}
    best, second = sorted(share, key=share.__getitem__, reverse=True)[:2]
    if share[best] < LEAST_UPRIGHT or share[second] > SECOND_AXIS * share[best]:
        return "y", False
    return best, share[best] > 0.5


def _right_handed(body: Mapping[str, Floats]) -> tuple[dict[str, Floats], list[str]]:
    """Return landmarks of a body that is no mirror image of one, and a note if it was."""
    if not facing_of(body) < -MIRRORED:
        return dict(body), []
    return {name: at * (-1.0, 1.0, 1.0) for name, at in body.items()}, [
        f"{GUESSED}the axes are left-handed, or one has the wrong sign: face or feet point to the "
        "back; x was mirrored"
    ]


def _in_metres(
    body: Mapping[str, Floats], unit: float | str | None
) -> tuple[dict[str, Floats], list[str]]:
    """Return landmarks in metres, and a note where the unit was guessed."""
    size = stature_of(body)
    notes = []
    if unit is None:
        choices = {key: UNITS[key] for key in ("m", "cm", "mm", "inch", "foot")}
        name, metres = likely_unit(size, units=choices)
        if name != "m":
            notes.append(
                f"{GUESSED}unit {name}, which gives a stature of about {size * metres:.2f} m"
            )
    else:
        metres = given_unit(unit)
    low, high = PLAUSIBLE_STATURE
    if unit is None and not 0.9 * low <= size * metres <= 1.1 * high:
        raise InputError(
            f"Expected a person of {low:g} to {high:g} m, got one of {size:.3g} units: normalised "
            "positions? Give `unit`, metres per unit."
        )
    return {name: metres * at for name, at in body.items()}, notes


def _on_floor(body: Mapping[str, Floats]) -> tuple[dict[str, Floats], list[str]]:
    """Put a body whose hips never leave the origin on the floor, frame by frame."""
    centre = body.get("hips")
    if "l_hip" in body and "r_hip" in body:
        centre = 0.5 * (body["l_hip"] + body["r_hip"])
    origin = next((at for at in (centre, body.get("pelvis")) if at is not None), None)
    size = stature_of(body)
    if origin is None or len(origin) < 2:
        return dict(body), []
    away = np.linalg.norm(origin, axis=1)
    if not np.nanmax(away, initial=0.0) < CENTRED * size:
        return dict(body), []
    feet = [at[:, 1] for name, at in body.items() if name in ("l_ankle", "r_ankle")]
    if not feet:
        return dict(body), []
    lowest = np.fmin.reduce(feet)
    floor = float(np.nanmedian(lowest))
    lift = ANKLE_HEIGHT * size - np.where(np.isfinite(lowest), lowest, floor)
    moved = {name: at + lift[:, None] * (0.0, 1.0, 0.0) for name, at in body.items()}
    return moved, [
        "positions are relative to the hips: the body is put on the floor and stays in its place"
    ]
