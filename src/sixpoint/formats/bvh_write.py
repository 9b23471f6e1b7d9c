"""Motion to BVH."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..atomic_write import atomic_write
from ..body.skeleton import Skeleton
from ..body.tree import depth_first
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.motion import Motion, Source
from .bvh_read import POSITIONS
from .units import to_file

CENTIMETRES = Source(unit=0.01)
"""What a motion without a source is written in: the unit that most BVH readers expect."""
ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
"""Rotation channels where the source does not say; the order that most programs write."""
ANGLE_DIGITS = 6
"""Decimals of a degree: 1e-8 rad, a hundredth of a micrometre at arm's length."""
BLOCK = 512
"""Frames formatted at a time."""


Columns = dict[str, Floats]
"""Channels of one joint, in order -> lengths in file units or angles in degrees, shape (F,)."""


def write_bvh(motion: Motion, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write a BVH file; return what had to differ from the source's layout.

    A motion that came from a file is written in that file's unit and axes, with the same joints,
    names and channels, frames and rate. One made in memory is written in centimetres, Y up, with
    channels Z X Y. Position channels hold what replaces the OFFSET; sites become End Sites.
    """
    if not motion.source.format:
        motion = replace(motion, source=CENTIMETRES)
    away = to_file(motion)
    notes: list[str] = []
    columns = _columns(away, notes)
    names = _clean_names(away.skeleton.names, notes)
    digits = _decimals(away)
    with atomic_write(path) as file:
        lines = [*_hierarchy(away.skeleton, names, columns, digits), "MOTION"]
        lines += [f"Frames: {len(away)}", f"Frame Time: {1.0 / away.rate:.12g}"]
        file.write(("\n".join(lines) + "\n").encode())
        for block in _rows(away, columns, digits):
            file.write(block)
    return tuple(notes)


def _columns(motion: Motion, notes: list[str]) -> list[Columns]:
    """Return layout and values of every joint: the source's where it can hold the motion."""
    skeleton = motion.skeleton
    count = skeleton.joint_count
    layout = motion.source.channels
    if layout is None or len(layout) != count:
        layout = ((*POSITIONS, *ROTATIONS), *([ROTATIONS] * (count - 1)))
    size = float(np.abs(skeleton.offsets[1:]).sum()) or 1.0
    changes, columns = list[str](), list[Columns]()
    for j, name in enumerate(skeleton.names):
        turns = tuple(c for c in layout[j] if c.endswith("rotation"))
        channels = layout[j]
        moves = np.broadcast_to(skeleton.offsets[j], (len(motion), 3))
        if j == 0:
            moves = motion.root
        elif motion.translations is not None:
            moves = motion.translations[:, j]
        # An axis without a channel is as good as written where it never leaves the OFFSET.
        strays = np.abs(moves - skeleton.offsets[j]).max(axis=0, initial=0.0) > 1e-7 * size
        if any(stray and c not in channels for c, stray in zip(POSITIONS, strays, strict=True)):
            channels = (*POSITIONS, *turns)  # in front: that is where most readers look
            changes.append(f"{name} moves: it got position channels")
        angles = _angles(turns, motion.rotations[:, j])
        if angles is None:
            channels, turns = (*(c for c in channels if c in POSITIONS), *ROTATIONS), ROTATIONS
            angles = _angles(turns, motion.rotations[:, j])
            order = "".join(c[0] for c in turns)
            changes.append(f"{name} turns about more axes than it had channels: it got {order}")
        assert angles is not None  # three different axes hold any rotation
        values = dict(zip((*POSITIONS, *turns), (*moves.T, *angles.T), strict=True))
        columns.append({channel: values[channel] for channel in channels})
    if motion.source.channels is not None:
        notes += changes
    return columns


def _angles(turns: tuple[str, ...], rotations: Floats) -> Floats | None:
    """Return continuous angles of channels in degrees (F, n); None if they cannot express them."""
    order = "".join(channel[0] for channel in turns)
    if len(set(order)) != len(order):
        return None
    full = order + "".join(axis for axis in "XYZ" if axis not in order)
    angles = continuous(arrays.to_euler(full, rotations))
    for choice in (angles, _exchanged(angles)):
        if len(order) == 3 or np.abs(_wrapped(choice[:, len(order) :])).max(initial=0.0) < 1e-7:
            return np.degrees(choice[:, : len(order)])
    return None


def _exchanged(angles: Floats) -> Floats:
    """Return the other angles of the same rotations."""
    return angles * (1.0, -1.0, 1.0) + math.pi


def continuous(angles: Floats) -> Floats:
    """Return Euler angles (F, 3) [rad] of the same rotations, without jumps where possible.

    (a, b, c) and (a + pi, pi - b, c + pi) are the same rotation. Exchanging them keeps distances
    between frames, so whether to exchange a frame is the parity of the exchanges before it.
    """
    if len(angles) < 2:
        return angles
    other = _exchanged(angles)
    keep = np.abs(_wrapped(angles[1:] - angles[:-1])).sum(axis=-1)
    swap = np.abs(_wrapped(other[1:] - angles[:-1])).sum(axis=-1)
    swapped = np.concatenate([[False], np.cumsum(swap < keep) % 2 == 1])
    return np.unwrap(np.where(swapped[:, None], other, angles), axis=0)


def _wrapped(angles: Floats) -> Floats:
    return (angles + math.pi) % (2.0 * math.pi) - math.pi


def _clean_names(names: tuple[str, ...], notes: list[str]) -> list[str]:
    """Return names that a BVH can hold: single spaces, no braces, not empty."""
    clean = [" ".join(re.sub(r"[{}\x00-\x1f]", " ", name).split()) or "joint" for name in names]
    changed = [a for a, b in zip(names, clean, strict=True) if a != b]
    if changed:
        notes.append(f"names that a BVH cannot hold were changed: {', '.join(changed[:4])!r}")
    return clean


def _decimals(motion: Motion) -> int:
    """Return decimals for lengths: a millionth of the body at least, and no fewer than six."""
    size = float(np.abs(motion.skeleton.offsets[1:]).sum())
    return 6 if size >= 1.0 or size <= 0.0 else min(15, 6 + math.ceil(-math.log10(size)))


def _hierarchy(
    skeleton: Skeleton, names: list[str], columns: list[Columns], digits: int
) -> Iterator[str]:
    """Yield lines of the tree; with a stack, because rigs may be deeper than Python's."""

    def offset(vector: Floats) -> str:
        return "OFFSET " + " ".join(f"{x + 0.0:.{digits}f}" for x in np.round(vector, digits))

    children = _children(skeleton)
    yield "HIERARCHY"
    stack: list[tuple[str, int, int]] = [(*item, 0) for item in children[-1][::-1]]
    while stack:
        kind, k, depth = stack.pop()
        indent = "\t" * depth
        if kind == "close":
            yield f"{indent}}}"
            continue
        if kind == "site":
            head, inside = "End Site", [offset(skeleton.site_offsets[k])]
        else:
            head = f"{'JOINT' if depth else 'ROOT'} {names[k]}"
            listed = f"CHANNELS {len(columns[k])} {' '.join(columns[k])}".rstrip()
            inside = [offset(skeleton.offsets[k]), listed]
        yield f"{indent}{head}"
        yield f"{indent}{{"
        yield from (f"{indent}\t{line}" for line in inside)
        stack.append(("close", k, depth))
        if kind == "joint":
            stack += [(*item, depth + 1) for item in children.get(k, [])[::-1]]


def _children(skeleton: Skeleton) -> dict[int, list[tuple[str, int]]]:
    """Return joints and sites below each joint, so that a reader numbers the sites alike."""
    first = np.full(skeleton.joint_count, len(skeleton.site_names))  # lowest site in the subtree
    np.minimum.at(first, skeleton.site_parents, np.arange(len(skeleton.site_names)))
    children: dict[int, list[tuple[str, int]]] = {}
    for j in range(skeleton.joint_count - 1, -1, -1):
        parent = int(skeleton.parents[j])
        children.setdefault(parent, []).insert(0, ("joint", j))
        if parent >= 0:
            first[parent] = min(first[parent], first[j])
    for s, parent in enumerate(skeleton.site_parents):
        row = children.setdefault(int(parent), [])
        later = (k for k, (kind, c) in enumerate(row) if kind == "joint" and first[c] > s)
        row.insert(next(later, len(row)), ("site", s))
    return children


def _rows(motion: Motion, columns: list[Columns], digits: int) -> Iterator[bytes]:
    """Yield the motion block, some frames at a time.

    One format string for many rows: 0.1 us a number, six times as fast as `np.savetxt`.
    """
    parts, formats = [], []
    for j in depth_first(list(motion.skeleton.parents)):
        for channel, values in columns[j].items():
            places = digits if channel.endswith("position") else ANGLE_DIGITS
            parts.append(np.round(values, places))
            formats.append(f"%.{places}f")
    line = " ".join(formats) + "\n"
    for start in range(0, len(motion), BLOCK):
        block = np.stack([part[start : start + BLOCK] for part in parts], axis=-1) + 0.0
        yield ((line * len(block)) % tuple(block.ravel().tolist())).encode()
