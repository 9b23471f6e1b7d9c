"""Units and axes of files: what a file does not say is guessed from the body that it shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..body.anthropometry import ANKLE_HEIGHT, SKULL_BASE_HEIGHT
from ..body.roles import find_roles
from ..body.skeleton import Skeleton
from ..errors import RolesNotFound
from ..kernels import arrays
from ..kernels.arrays import as_vec
from ..kernels.rotation import rotation_between
from ..kernels.types import Floats
from ..motion.motion import Motion, Source
from ..subjects.conventions import (
    COMMON_UNITS,
    GUESSED,
    PLAUSIBLE_STATURE,
    UNITS,
    UP,
    given_unit,
    likely_unit,
    rotation_to_y_up,
    turn_basis,
)

CERTAIN_RISE = 0.85
"""Mean of the upward part of the direction from ankles to head, above which frames overrule the
rest pose (a person who lies down for a whole clip gives less along any one axis)."""
FORWARD_FOOT = 0.5
"""Cosine between a foot and straight ahead, below which it does not point ahead."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A motion in file units and axes, with the roles of its nodes if it is human."""

    motion: Motion
    nodes: Mapping[str, int] | None
    """Role -> node, or None when the rig is not recognised as human."""

    @classmethod
    def of(cls, motion: Motion) -> Figure:
        """Look for a human in a motion."""
        try:
            return cls(motion, find_roles(motion.skeleton).nodes)
        except RolesNotFound:
            return cls(motion, None)

    def by_role(self, positions: Floats) -> dict[str, Floats]:
        """Return positions (..., 3) of roles and of "ankles", their middle, from all nodes'."""
        assert self.nodes is not None
        at = {role: positions[..., node, :] for role, node in self.nodes.items()}
        return at | {"ankles": 0.5 * (at["l_ankle"] + at["r_ankle"])}

    @cached_property
    def size(self) -> float:
        """Stature in file units, estimated from bone lengths; else the extent of the rest pose."""
        rest = self.motion.skeleton.rest()[0]
        if self.nodes is None:
            return float(np.ptp(rest, axis=0).max())
        legs = sum(self._length(f"{s}_hip", f"{s}_ankle") for s in "lr") / 2.0
        hips = 0.5 * (rest[self.nodes["l_hip"]] + rest[self.nodes["r_hip"]])
        drop = float(np.linalg.norm(hips - rest[self.nodes["pelvis"]]))
        return (legs + drop + self._length("pelvis", "head")) / (SKULL_BASE_HEIGHT - ANKLE_HEIGHT)

    def _length(self, start: str, end: str) -> float:
        """Return the length of the bones from one role to another below it."""
        assert self.nodes is not None
        skeleton = self.motion.skeleton
        path = skeleton.path(self.nodes[end])
        if self.nodes[start] in path:
            path = path[path.index(self.nodes[start]) + 1 :]
        return float(np.linalg.norm(skeleton.node_offsets[path], axis=-1).sum())

    def upright(self, positions: Floats, axis: int) -> bool:
        """Return whether a pose stands along an axis: head over pelvis over ankles, hips level."""
        at = self.by_role(positions)
        trunk, legs = at["head"] - at["pelvis"], at["pelvis"] - at["ankles"]
        hips = at["l_hip"] - at["r_hip"]
        return bool(
            trunk[axis] > 0.7 * np.linalg.norm(trunk)
            and legs[axis] > 0.7 * np.linalg.norm(legs)
            and legs[axis] > 0.3 * self.size
            and abs(hips[axis]) < 0.5 * np.linalg.norm(hips)
            and np.linalg.norm(hips) > 0.02 * self.size
        )


def sample_frames(count: int, most: int = 200) -> list[int]:
    """Return at most `most` frames, spread evenly over a clip."""
    return sorted({round(k) for k in np.linspace(0, count - 1, min(count, most))} if count else ())


def guess_unit(figure: Figure, divisor: float = 1.0) -> tuple[float, str]:
    """Return metres per unit and a note for the user; a known unit may be divided by a number."""
    human, size = figure.nodes is not None, figure.size
    if not size > 0.0 or not math.isfinite(size):
        return 1.0, f"{GUESSED}unit m, because the rest pose has no extent"
    choices = {
        name: metres
        for name, metres in UNITS.items()
        if human or name in COMMON_UNITS
        if divisor == 1.0 or name != "cmu"  # which is inches divided by 0.45
    }
    name, metres = likely_unit(size / divisor, units=choices)
    metres /= divisor
    name += "" if divisor == 1.0 else f" / {divisor:g}"
    stature = size * metres
    what = "a stature" if human else "an extent at rest"
    note = f"{GUESSED}unit {name} ({metres:.6g} m), which gives {what} of {stature:.2f} m"
    if not human:
        note += "; no human was recognised, so this is doubtful: give the unit if you know it"
    elif not PLAUSIBLE_STATURE[0] <= stature <= PLAUSIBLE_STATURE[1]:
        note += "; that is no usual stature: give the unit if you know it"
    return metres, note


def guess_up(figure: Figure) -> tuple[str, str]:
    """Return the axis that points up, and a note for the user unless it is surely Y."""
    motion = figure.motion
    if figure.nodes is None:
        return "y", f"{GUESSED}Y points up; no human was recognised, so this is doubtful"
    rest = motion.skeleton.rest()[0]
    stands = [name for axis, name in enumerate("xyz") if figure.upright(rest, axis)]
    frames = sample_frames(len(motion))
    if not frames:
        return (stands or ["y"])[0], ""
    at = figure.by_role(motion.frames(frames).positions())
    rise = at["head"] - at["ankles"]
    rise = rise / np.maximum(np.linalg.norm(rise, axis=-1, keepdims=True), 1e-12)
    mean = dict(zip("xyz", rise.mean(axis=0), strict=True))
    best = max("yzx", key=mean.__getitem__)
    if mean[best] > CERTAIN_RISE:
        up = best
    elif stands:
        up = stands[0]
    else:
        up = best if mean[best] > mean["y"] + 0.3 else "y"
    doubt = bool(mean[up] < 0.5)
    note = f"{GUESSED}{up.upper()} points up" if doubt or up != "y" else ""
    return up, note + ("; the body hardly ever stands so: give `up` if you know it" * doubt)


def to_world(
    motion: Motion, *, unit: float | str = "auto", up: str = "auto", divisor: float = 1.0
) -> Motion:
    """Bring a motion in file units and axes into ours.

    Args:
        motion: as it stands in the file.
        unit: metres per unit, or its name, or "auto": guessed from the body's size.
        up: "y", "z" or "x", or "auto": guessed from how the body stands.
        divisor: what a guessed unit is divided by, where the file says that (ASF).

    Returns:
        The same motion in metres and Y up; `source` says what was done. If the unturned joints do
        not form a standing figure, the skeleton's `bind` is its most upright frame.
    """
    figure = Figure.of(motion)
    notes = list(motion.source.notes)
    if isinstance(unit, str) and unit.lower() == "auto":
        metres, note = guess_unit(figure, divisor)
        notes.append(note)
    else:
        metres = given_unit(unit)
    if up.lower() == "auto":
        up, note = guess_up(figure)
        notes += [note] if note else []
    source = replace(motion.source, unit=metres, axes=rotation_to_y_up(up))
    ours = converted(motion, metres, source)
    bind = _standing_frame(replace(figure, motion=ours))
    if bind is not None:
        notes.append(
            f"{GUESSED}the most upright frame as rest pose, because unturned joints do not form a "
            "standing figure"
        )
        ours = replace(ours, skeleton=replace(ours.skeleton, bind=bind))
    return replace(ours, source=replace(source, notes=tuple(notes)))


def to_file(motion: Motion) -> Motion:
    """Bring a motion back into the units and axes of its source."""
    w, x, y, z = motion.source.axes
    away = replace(motion.source, axes=(w, -x, -y, -z))
    return replace(converted(motion, 1.0 / motion.source.unit, away), source=motion.source)


def converted(motion: Motion, factor: float, source: Source) -> Motion:
    """Return a motion with lengths times a factor and axes turned by `source.axes`."""
    body, basis = motion.skeleton, np.asarray(source.axes)

    def lengths(vectors: Floats) -> Floats:
        turned = source.axes != UP["y"]
        return factor * (arrays.rotate(basis, vectors) if turned else vectors)

    hinges = {name: as_vec(arrays.rotate(basis, np.array(v))) for name, v in body.hinges.items()}
    skeleton = replace(
        body,
        offsets=lengths(body.offsets),
        site_offsets=lengths(body.site_offsets),
        bind=None if body.bind is None else turn_basis(source.axes, body.bind),
        hinges=hinges,
    )
    return replace(
        motion,
        skeleton=skeleton,
        root=lengths(motion.root),
        rotations=turn_basis(source.axes, motion.rotations),
        translations=None if motion.translations is None else lengths(motion.translations),
        source=source,
    )


def _standing_frame(figure: Figure) -> Floats | None:
    """Return local rotations of the most upright, most extended frame; None if the rest stands."""
    motion, nodes = figure.motion, figure.nodes
    skeleton = motion.skeleton
    if nodes is None or len(motion) == 0 or figure.upright(skeleton.rest()[0], axis=1):
        return None
    frames = sample_frames(len(motion), 500)
    at = figure.by_role(motion.frames(frames).positions())
    rise = at["head"] - at["ankles"]
    # Arms that hang or reach out sideways show their length; folded ones hide their direction.
    arms = sum(np.linalg.norm(at[f"{s}_wrist"] - at[f"{s}_shoulder"], axis=-1) for s in "lr")
    lean = np.linalg.norm(rise[:, ::2], axis=-1)
    best = frames[int(np.argmax(rise[:, 1] - 0.5 * lean + 0.25 * arms))]
    bind = np.array(motion.rotations[best])
    # What hangs from wrists and ankles is not seen by the six points, so it must not show here.
    ends = {nodes[f"{side}_{part}"] for side in "lr" for part in ("wrist", "ankle")}
    for j in range(skeleton.joint_count):
        if ends.intersection(skeleton.path(j)):
            bind[j] = arrays.identity()
    if (skeleton.parents < 0).sum() == 1:
        # The body turns about the vertical to face +Z, its left towards +X.
        positions = replace(skeleton, bind=bind).rest()[0]
        left = positions[nodes["l_hip"]] - positions[nodes["r_hip"]]
        facing = arrays.from_axis_angle((0.0, 1.0, 0.0), np.arctan2(left[2], left[0]))
        bind[0] = arrays.multiply(facing, bind[0])
    for side in "lr":
        _put_forward(skeleton, bind, nodes[f"{side}_ankle"])
    return bind


def _put_forward(skeleton: Skeleton, bind: Floats, ankle: int) -> None:
    """Turn a foot that does not point ahead, as where every bone lies along one axis; in place."""
    below = np.flatnonzero(skeleton.node_parents == ankle)
    if ankle >= skeleton.joint_count or not len(below):
        return
    positions, world = replace(skeleton, bind=bind).rest()
    toes = positions[below[0]] - positions[ankle]
    length = float(np.linalg.norm(toes))
    if length > 0.0 and toes[2] < FORWARD_FOOT * length:
        turn = np.array(rotation_between(as_vec(toes), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
        above = skeleton.parents[ankle]
        inside = world[above] if above >= 0 else arrays.identity()
        bind[ankle] = arrays.multiply(arrays.conjugate(inside), arrays.multiply(turn, world[ankle]))
