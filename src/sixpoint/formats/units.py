"""What a file does not say: how long its unit is, and which of its axes points up.

BVH names neither. A body tells: people are between one and two and a half metres tall, and in most
frames the head is above the feet. Guesses are noted in `Motion.source` and can be given instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from ..body.roles import find_roles
from ..errors import InputError, RolesNotFound, UnknownName
from ..kernels import arrays
from ..kernels.types import Floats, Quat
from ..motion.motion import Motion

GUESSED = "guessed: "
"""How notes start that tell of a guess; all others tell of a defect."""

UNITS = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "inch": 0.0254,
    "cmu": 0.0254 / 0.45,
    "dm": 0.1,
    "foot": 0.3048,
}
"""Metres per unit. "cmu" is that of the CMU database: inches scaled by 0.45."""

RELUCTANCE = {"m": 0.0, "cm": 0.0, "mm": 0.05, "inch": 0.15, "cmu": 0.1, "dm": 0.2, "foot": 0.25}
"""How much further from a usual stature, as a logarithm, a rarer unit may not be."""

USUAL_STATURE = 1.70
"""[m]"""
PLAUSIBLE_STATURE = (1.0, 2.4)
"""A child of four and the tallest people [m]; outside, the guess is doubted."""

RISE_OF_HEAD = 0.926 - 0.039
"""Skull base over ankle as a part of stature (H-Anim; Drillis and Contini 1966)."""

HALF = math.sqrt(0.5)
UP: Mapping[str, Quat] = {
    "y": (1.0, 0.0, 0.0, 0.0),
    "z": (HALF, -HALF, 0.0, 0.0),
    "x": (HALF, 0.0, 0.0, HALF),
}
"""Axis that points up in a file -> rotation from the file's axes to ours.

Z up becomes (x, z, -y), so that a figure that faces -Y, as is usual there, faces +Z here."""

CERTAIN = 0.85
"""Mean of the upward part of the direction from ankles to head, above which frames overrule the
rest pose (a person who lies down for a whole clip gives less along any one axis)."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A motion in file units and axes, looked at as a person if it is one."""

    motion: Motion
    nodes: Mapping[str, int] | None
    """Role -> node, or None when the rig is not recognised as human."""

    @staticmethod
    def of(motion: Motion) -> Figure:
        """Look for a human in a motion."""
        try:
            return Figure(motion, find_roles(motion.skeleton).nodes)
        except RolesNotFound:
            return Figure(motion, None)

    @cached_property
    def size(self) -> float:
        """Stature in file units, estimated from bone lengths; else the extent of the rest pose."""
        rest = self.motion.skeleton.rest()[0]
        if self.nodes is None:
            return float(np.ptp(rest, axis=0).max())
        legs = sum(self._length(f"{s}_hip", f"{s}_ankle") for s in "lr") / 2.0
        hips = 0.5 * (rest[self.nodes["l_hip"]] + rest[self.nodes["r_hip"]])
        drop = float(np.linalg.norm(hips - rest[self.nodes["pelvis"]]))
        return (legs + drop + self._length("pelvis", "head")) / RISE_OF_HEAD

    def _length(self, start: str, end: str) -> float:
        """Length of the bones from one role to another below it."""
        assert self.nodes is not None
        skeleton = self.motion.skeleton
        path = skeleton.path(self.nodes[end])
        if self.nodes[start] in path:
            path = path[path.index(self.nodes[start]) + 1 :]
        return float(np.linalg.norm(skeleton.node_offsets[path], axis=-1).sum())

    def standing(self, positions: Floats) -> Floats:
        """How the body stands along X, Y and Z: upward part of ankles to head, shape (..., 3).

        Args:
            positions: node positions, shape (..., J+S, 3).

        Returns:
            From -1 to 1 for each axis.
        """
        assert self.nodes is not None
        at = {role: positions[..., node, :] for role, node in self.nodes.items()}
        up = at["head"] - 0.5 * (at["l_ankle"] + at["r_ankle"])
        length = np.linalg.norm(up, axis=-1, keepdims=True)
        return cast("Floats", up / np.maximum(length, 1e-12))

    def upright(self, positions: Floats, axis: int) -> bool:
        """Whether a pose stands along an axis: head over pelvis over ankles, hips side by side."""
        assert self.nodes is not None
        at = {role: positions[node] for role, node in self.nodes.items()}
        trunk = at["head"] - at["pelvis"]
        hips = at["l_hip"] - at["r_hip"]
        legs = at["pelvis"] - 0.5 * (at["l_ankle"] + at["r_ankle"])
        return bool(
            trunk[axis] > 0.7 * np.linalg.norm(trunk)
            and legs[axis] > 0.7 * np.linalg.norm(legs)
            and legs[axis] > 0.3 * self.size
            and abs(hips[axis]) < 0.5 * np.linalg.norm(hips)
            and np.linalg.norm(hips) > 0.02 * self.size
        )


def sample_frames(count: int, most: int = 200) -> list[int]:
    """Frames spread evenly over a clip."""
    return sorted({round(k) for k in np.linspace(0, count - 1, min(count, most))} if count else ())


def guess_unit(figure: Figure, divisor: float = 1.0) -> tuple[float, str]:
    """Metres per unit, and what to tell the user; a known unit may be divided by a number."""
    human = figure.nodes is not None
    size = figure.size
    if not size > 0.0 or not math.isfinite(size):
        return 1.0, f"{GUESSED}unit m, because the rest pose has no extent"
    far = {
        name: abs(math.log(size * metres / divisor / USUAL_STATURE)) + RELUCTANCE[name]
        for name, metres in UNITS.items()
        if human or name in ("m", "cm", "mm")
        if divisor == 1.0 or name != "cmu"  # which is inches divided by 0.45
    }
    name = min(far, key=far.__getitem__)
    metres = UNITS[name] / divisor
    name += "" if divisor == 1.0 else f" / {divisor:g}"
    stature = size * metres
    what = "a stature" if human else "an extent at rest"
    note = f"{GUESSED}unit {name} ({metres:.6g} m), which gives {what} of {stature:.2f} m"
    if not human:
        note += "; no human was recognised, so this is doubtful: give the unit if you know it"
    elif not PLAUSIBLE_STATURE[0] <= stature <= PLAUSIBLE_STATURE[1]:
        note += "; that is no usual stature: give the unit if you know it"
    return metres, note


def given_unit(unit: float | str) -> float:
    """Metres per unit from a number or a name of `UNITS`."""
    if isinstance(unit, str) and unit.lower() in UNITS:
        return UNITS[unit.lower()]
    try:
        metres = float(unit)
    except ValueError:
        raise UnknownName("unit", str(unit), ("auto", *UNITS)) from None
    if not (math.isfinite(metres) and metres > 0.0):
        raise InputError(f"Expected a positive `unit` in metres, got {unit}.")
    return metres


def guess_up(figure: Figure) -> tuple[str, str]:
    """The axis that points up, and what to tell the user unless it is surely Y."""
    motion = figure.motion
    if figure.nodes is None:
        return "y", f"{GUESSED}Y points up; no human was recognised, so this is doubtful"
    rest = motion.skeleton.rest()[0]
    stands = [name for axis, name in enumerate("xyz") if figure.upright(rest, axis)]
    frames = sample_frames(len(motion))
    if not frames:
        return (stands or ["y"])[0], ""
    posed = figure.standing(motion.frames(frames).positions())
    mean = dict(zip("xyz", posed.mean(axis=0), strict=True))
    best = max("yzx", key=mean.__getitem__)
    if mean[best] > CERTAIN:
        up = best
    elif stands:
        up = stands[0]
    else:
        up = best if mean[best] > mean["y"] + 0.3 else "y"
    doubt = bool(mean[up] < 0.5)
    note = f"{GUESSED}{up.upper()} points up" if doubt or up != "y" else ""
    return up, note + ("; the body hardly ever stands so: give `up` if you know it" * doubt)


def rotation_to_y_up(up: str) -> Quat:
    """Rotation from a file's axes to ours."""
    try:
        return UP[up.lower()]
    except KeyError:
        raise UnknownName("up axis", up, ("auto", *UP)) from None


def turn_basis(basis: Quat, rotations: Floats) -> Floats:
    """Rotations expressed in other axes: B q B*."""
    if basis == UP["y"]:
        return rotations
    turned = np.array(rotations)
    turned[..., 1:] = arrays.rotate(np.asarray(basis), rotations[..., 1:])
    return turned
