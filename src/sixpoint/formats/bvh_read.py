"""BVH to Motion."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import names_file
from ..kernels import arrays
from ..kernels.types import Bools, Floats
from ..motion.motion import Motion, Source
from .bvh_text import BvhText, parse_bvh
from .plain_text import read_bytes
from .units import to_world

CONSTANT = 1e-5
"""Position channels that vary by less than this part of the body's extent are fixed bones."""

SHORTEST_FRAME = 1e-5
"""[s] No camera is faster; the frame time must be a mistake."""


@names_file
def read_bvh(
    path: str | os.PathLike[str],
    *,
    unit: float | str = "auto",
    up: str = "auto",
    rate: float | None = None,
    lenient: bool = False,
) -> Motion:
    """Read a BVH file.

    Position channels replace the OFFSET of their joint, the root's too: most exporters repeat the
    offset in them, and a root's OFFSET is then only where it stood when the rig was made. Files in
    which nearly all position channels below the root stay near zero hold differences from the
    OFFSET; they are read so, with a note. Channels that never change are folded into the skeleton;
    others become `Motion.translations`.

    Args:
        path: the file.
        unit: metres per file unit, a name from `sixpoint.formats.units.UNITS`, or "auto".
        up: the file's upward axis: "y", "z", "x" or "auto".
        rate: frames a second [Hz], if the file's frame time is wrong.
        lenient: read the whole rows of a truncated file instead of raising.

    Raises:
        FormatError: the file is not a BVH; says the line.
    """
    text = parse_bvh(read_bytes(path), lenient=lenient)
    motion = motion_of(text, path=str(path))
    if rate is not None:
        motion = replace(motion, rate=rate)
    return to_world(motion, unit=unit, up=up)


def motion_of(text: BvhText, *, path: str | None = None) -> Motion:
    """The motion in the file's own units and axes."""
    notes = list(text.notes)
    frames, joints = len(text.values), len(text.names)
    names, site_names = _unique_names(text, notes)
    rotations = arrays.identity(frames, joints)
    moves = np.broadcast_to(text.offsets, (frames, joints, 3)).copy()
    moving = np.zeros((joints, 3), dtype=bool)
    by_order: dict[str, list[tuple[int, list[int]]]] = {}
    column = 0
    for joint, channels in enumerate(text.channels):
        turns = [(c[0], column + k) for k, c in enumerate(channels) if c.endswith("rotation")]
        for k, channel in enumerate(channels):
            if channel.endswith("position"):
                axis = "XYZ".index(channel[0])
                moves[:, joint, axis] = text.values[:, column + k]
                moving[joint, axis] = True
        order = "".join(letter for letter, _ in turns)
        by_order.setdefault(order, []).append((joint, [at for _, at in turns]))
        column += len(channels)
    for order, members in by_order.items():
        if order:
            columns = np.array([at for _, at in members])
            angles = np.radians(text.values[:, columns])
            rotations[:, [joint for joint, _ in members]] = arrays.from_euler(order, angles)

    if _relative_positions(text, moves, moving):
        below = moving & (np.array(text.parents) >= 0)[:, None]
        moves += np.where(below, text.offsets, 0.0)
        notes.append("position channels are relative to the OFFSETs in this file: added to them")
    offsets, slides = _fold_constant(text, moves, moving)
    if slides:
        shown = ", ".join(names[j] for j in slides[:4]) + (" ..." if len(slides) > 4 else "")
        notes.append(f"joints besides the root slide: {shown}")
    rate = _rate(text, notes)
    skeleton = Skeleton(
        names, np.array(text.parents), offsets, site_names, np.array(text.site_parents, dtype=int),
        text.site_offsets,
    )  # fmt: skip
    return Motion(
        skeleton,
        root=moves[:, 0],
        rotations=rotations,
        rate=rate,
        translations=moves if slides else None,
        source=Source("bvh", path, channels=text.channels, notes=tuple(notes)),
    )


def _unique_names(text: BvhText, notes: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of joints and sites, the second and later of equal ones numbered."""
    taken: dict[str, int] = {}  # name -> how often it was asked for
    twice: list[str] = []

    def unique(name: str) -> str:
        candidate = name
        while candidate in taken:
            taken[name] += 1
            candidate = f"{name}_{taken[name]}"
        taken[candidate] = 1
        return candidate

    joints = []
    for name in text.names:
        joints.append(unique(name))
        if joints[-1] != name:
            twice.append(name)
    if twice:
        notes.append(f"joint names that stand more than once were numbered: {', '.join(twice[:4])}")
    return tuple(joints), tuple(unique(f"{joints[p]}_end") for p in text.site_parents)


def _relative_positions(text: BvhText, moves: Floats, moving: Bools) -> bool:
    """Whether position channels below the root hold the difference from OFFSET (MakeHuman)."""
    length = np.linalg.norm(text.offsets, axis=-1)
    long = length > 1e-3 * length.max()
    told = [j for j, p in enumerate(text.parents) if p >= 0 and moving[j].all() and long[j]]
    if len(told) < 3 or not len(moves):
        return False  # one sliding pelvis may well be near the origin
    channel = np.linalg.norm(np.median(moves[:, told], axis=0), axis=-1)
    return bool(np.mean(channel < 0.1 * length[told]) > 0.8)


def _fold_constant(text: BvhText, moves: Floats, moving: Bools) -> tuple[Floats, list[int]]:
    """Offsets with the constant position channels put in, and the joints that really slide."""
    offsets = np.array(text.offsets)
    if not len(moves):
        return offsets, []
    low, high = moves.min(axis=0), moves.max(axis=0)
    size = _extent(text)
    still = (high - low).max(axis=-1) <= CONSTANT * size
    slides = [j for j in range(1, len(offsets)) if moving[j].any() and not still[j]]
    for j in range(1, len(offsets)):
        if moving[j].any() and still[j]:
            offsets[j] = 0.5 * (low[j] + high[j])
            moves[:, j] = offsets[j]
    return offsets, slides


def _extent(text: BvhText) -> float:
    """Sum of the bones of the longest chain: a measure of the body that needs no pose."""
    reach = np.zeros(len(text.names))
    for j, parent in enumerate(text.parents):
        if parent >= 0:
            reach[j] = reach[parent] + np.linalg.norm(text.offsets[j])
    return float(reach.max())


def _rate(text: BvhText, notes: list[str]) -> float:
    """Frames a second; 1/0.0083333 is meant to be 120."""
    if text.frame_time < SHORTEST_FRAME:
        notes.append(
            f"a frame time of {text.frame_time:g} s is impossible: 30 frames a second assumed"
        )
        return 30.0
    rate = 1.0 / text.frame_time
    whole = round(rate)
    return float(whole) if whole and abs(rate - whole) < 2e-4 * rate else rate
