"""The border: a motion in a file's units and axes becomes one in metres, Y up, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels import arrays
from ..kernels.rotation import rotation_between
from ..kernels.types import Floats, Vec3
from ..motion.motion import Motion, Source
from ..motion.points import Points
from .units import (
    GUESSED,
    Figure,
    given_unit,
    guess_unit,
    guess_up,
    rotation_to_y_up,
    sample_frames,
    turn_basis,
)

AHEAD = 0.5
"""Cosine between a foot and straight ahead, below which it does not point ahead."""


def admit(
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
    basis = rotation_to_y_up(up)
    source = replace(motion.source, unit=metres, axes=basis, notes=tuple(notes))
    ours = converted(motion, metres, source)
    bind = _standing_frame(replace(figure, motion=ours))
    if bind is None:
        return ours
    notes.append(
        f"{GUESSED}the most upright frame as rest pose, because unturned joints do not form a "
        "standing figure"
    )
    return replace(
        ours,
        skeleton=replace(ours.skeleton, bind=bind),
        source=replace(source, notes=tuple(notes)),
    )


def admit_points(points: Points, *, unit: float | str | None, up: str | None) -> Points:
    """Bring tracked points in a file's unit and axes into ours; None is what they are already."""
    metres = 1.0 if unit is None else given_unit(unit)
    basis = rotation_to_y_up("y" if up is None else up)
    turn = np.asarray(basis)
    rotations = points.rotations
    return replace(
        points,
        positions=metres * arrays.rotate(turn, points.positions),
        rotations=None if rotations is None else turn_basis(basis, rotations),
    )


def expel(motion: Motion) -> Motion:
    """Bring a motion back into the units and axes of its source."""
    source = motion.source
    w, x, y, z = source.axes
    away = replace(source, axes=(w, -x, -y, -z))
    back = converted(motion, 1.0 / source.unit, away)
    return replace(back, source=source)


def converted(motion: Motion, factor: float, source: Source) -> Motion:
    """Lengths times a factor, axes turned by `source.axes`."""
    basis = np.asarray(source.axes)
    turned = source.axes != (1.0, 0.0, 0.0, 0.0)

    def lengths(vectors: Floats) -> Floats:
        return factor * (arrays.rotate(basis, vectors) if turned else vectors)

    body = motion.skeleton
    hinges: dict[str, Vec3] = {}
    for name, axis in body.hinges.items():
        x, y, z = arrays.rotate(basis, np.asarray(axis)).tolist()
        hinges[name] = (x, y, z)
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
    """Local rotations of the most upright, most extended frame, if the rest pose does not stand."""
    motion = figure.motion
    if figure.nodes is None or len(motion) == 0:
        return None
    if figure.upright(motion.skeleton.rest()[0], axis=1):
        return None
    frames = sample_frames(len(motion), 500)
    positions = motion.frames(frames).positions()
    at = {role: positions[:, node] for role, node in figure.nodes.items()}
    ankles = 0.5 * (at["l_ankle"] + at["r_ankle"])
    rise = (at["head"] - ankles)[:, 1]
    # Arms that hang or reach out sideways show their length; folded ones hide their direction.
    arms = sum(np.linalg.norm(at[f"{s}_wrist"] - at[f"{s}_shoulder"], axis=-1) for s in "lr")
    lean = np.linalg.norm((at["head"] - ankles)[:, ::2], axis=-1)
    best = frames[int(np.argmax(rise - 0.5 * lean + 0.25 * arms))]
    bind = np.array(motion.rotations[best])
    # What hangs from wrists and ankles is not seen by the six points, so it must not show here.
    ends = [figure.nodes[f"{side}_{part}"] for side in "lr" for part in ("wrist", "ankle")]
    for j in range(motion.skeleton.joint_count):
        if set(ends) & set(motion.skeleton.path(j)):
            bind[j] = arrays.identity()
    roots = [j for j, parent in enumerate(motion.skeleton.parents) if parent < 0]
    if len(roots) == 1:
        bind[0] = arrays.multiply(_facing_z(motion.skeleton, bind, figure), bind[0])
    for side in "lr":
        _put_forward(motion.skeleton, bind, figure.nodes[f"{side}_ankle"])
    return bind


def _facing_z(skeleton: Skeleton, bind: Floats, figure: Figure) -> Floats:
    """Turn about the vertical that makes a bind pose face +Z, its left towards +X."""
    assert figure.nodes is not None
    positions = replace(skeleton, bind=bind).rest()[0]
    left = positions[figure.nodes["l_hip"]] - positions[figure.nodes["r_hip"]]
    return arrays.from_axis_angle((0.0, 1.0, 0.0), np.arctan2(left[2], left[0]))


def _put_forward(skeleton: Skeleton, bind: Floats, ankle: int) -> None:
    """Turn a foot that does not point ahead, as where every bone lies along one axis; in place."""
    below = np.flatnonzero(skeleton.node_parents == ankle)
    if ankle >= skeleton.joint_count or not len(below):
        return
    places, turns = replace(skeleton, bind=bind).rest()
    toes = places[below[0]] - places[ankle]
    length = float(np.linalg.norm(toes))
    if length > 0.0 and toes[2] < AHEAD * length:
        x, y, z = toes.tolist()
        turn = np.array(rotation_between((x, y, z), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
        above = skeleton.parents[ankle]
        inside = turns[above] if above >= 0 else arrays.identity()
        bind[ankle] = arrays.multiply(arrays.conjugate(inside), arrays.multiply(turn, turns[ankle]))
