"""Acclaim motion (AMC), with the skeleton (ASF) that belongs to it."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import FormatError, located, names_file
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.motion import Motion, Source
from ..subjects.conventions import GUESSED
from .asf import AsfText, fixed_axes, parse_asf, skeleton_of, words_of
from .plain_text import finite, plain_bytes, read_bytes
from .units import to_world

ASSUMED_RATE = 120.0
"""Frames per second of most of the CMU database [Hz]; the file does not say."""


@names_file
def read_amc(
    path: str | os.PathLike[str],
    *,
    skeleton: str | os.PathLike[str] | None = None,
    unit: float | str = "auto",
    up: str = "auto",
    rate: float | None = None,
    lenient: bool = False,
) -> Motion:
    """Read an AMC file and its ASF skeleton, or an ASF file alone (one unturned frame).

    Args:
        path: the .amc or .asf file.
        skeleton: the .asf file; default: beside the motion, with the same name up to the first
            underscore, or the only one there.
        unit: metres per file unit, a name such as "cm", or "auto": inches,
            centimetres ... divided by the ASF's `length`, whichever gives a human stature.
        up: the file's upward axis: "y", "z", "x" or "auto".
        rate: frames per second [Hz]; the file does not say, default 120.
        lenient: leave out a last frame that is cut off.

    Raises:
        FormatError: the files are not ASF and AMC, or do not fit each other; says the line.
    """
    path = Path(path)
    alone = path.suffix.lower() == ".asf"
    skeleton = path if alone else Path(skeleton) if skeleton else find_asf(path)
    with located(skeleton):
        text = parse_asf(read_bytes(skeleton))
    notes = list(text.notes)
    if alone:
        table, degrees = np.zeros((1, text.width)), text.degrees
        notes.append(f"{GUESSED}one frame of unturned joints, because this is a skeleton alone")
    else:
        table, degrees = _parse_amc(read_bytes(path), text, notes, lenient=lenient)
    if rate is None and not alone:
        notes.append(f"{GUESSED}{ASSUMED_RATE:g} frames a second, because the file does not say")
    source = Source("amc", str(path), notes=tuple(notes))
    motion = _motion(text, table, degrees, rate or ASSUMED_RATE, source)
    return to_world(motion, unit=unit, up=up, divisor=text.length)


def find_asf(amc: Path) -> Path:
    """Return the skeleton that belongs to a motion.

    Raises:
        FormatError: there is none, or several and none has the motion's name.
    """
    beside = sorted(p for p in amc.parent.glob("*") if p.suffix.lower() == ".asf")
    for stem in (amc.stem, amc.stem.split("_")[0]):
        for candidate in beside:
            if candidate.stem.lower() == stem.lower():
                return candidate
    if len(beside) == 1:
        return beside[0]
    listed = ", ".join(p.name for p in beside[:8]) or "none"
    raise FormatError(
        f"Expected a skeleton {amc.stem.split('_')[0]}.asf beside it, or only one .asf there; "
        f"got {listed}. Give it as `skeleton`.",
        path=amc,
    )


def _motion(text: AsfText, table: Floats, degrees: bool, rate: float, source: Source) -> Motion:
    """Return the motion in file units; slides and lengths below the root are ignored."""
    skeleton = skeleton_of(text)
    turn = np.pi / 180.0 if degrees else 1.0
    rotations = arrays.identity(len(table), skeleton.joint_count)
    root = np.zeros((len(table), 3))
    ignored = []
    for j, (bone, columns) in enumerate(zip(text.bones, text.slots.values(), strict=True)):
        order, angles = "", []
        for dof, values in zip(bone.dofs, table[:, columns].T, strict=True):
            if dof[0] == "r":
                order += dof[1].upper()
                angles.append(turn * values)
            elif dof[0] == "t" and j == 0:
                root[:, "xyz".index(dof[1])] = values
            else:
                ignored.append(f"{bone.name} {dof}")
        if order:
            local = fixed_axes(order, np.stack(angles, axis=-1))
            rotations[:, j] = arrays.multiply(
                arrays.multiply(bone.frame, local), arrays.conjugate(bone.frame)
            )
    if ignored:
        note = f"slides and changes of length were ignored: {', '.join(ignored[:4])}"
        source = replace(source, notes=(*source.notes, note))
    return Motion(skeleton, root, rotations, rate, source=source)


def _parse_amc(
    data: bytes, text: AsfText, notes: list[str], *, lenient: bool
) -> tuple[Floats, bool]:
    """Return the numbers of all frames in the skeleton's order, and whether they are degrees."""
    data = plain_bytes(data)
    start = re.search(rb"^[ \t]*+\d++[ \t]*+\r?$", data, re.MULTILINE)
    head = data[: start.start()] if start else data
    degrees = text.degrees
    for line in head.splitlines():
        word = line.split(b"#", 1)[0].strip().lower()
        if word in (b":degrees", b":radians"):
            degrees = word == b":degrees"
        elif word and not word.startswith(b":"):
            raise FormatError(
                f"Expected the number of the first frame, got {word[:40].decode('latin-1')!r}."
            )
    if start is None:
        raise FormatError("Expected frames, got none.")
    table = _even_frames(data[start.start() :], text)
    if table is None:
        table = _uneven_frames(data, text, notes, lenient=lenient)
    return table, degrees


def _even_frames(block: bytes, text: AsfText) -> Floats | None:
    """Parse quickly files in which every frame lists the same bones in the same order, or None."""
    tokens = block.split()
    slots, width = text.slots, text.width
    columns: dict[int, int] = {}  # column of the table -> position in a frame
    names: list[int] = []
    at, listed = 1, 0
    while at < len(tokens) and (slot := slots.get(tokens[at].decode("latin-1"))):
        names.append(at)
        size = slot.stop - slot.start
        columns |= zip(range(slot.start, slot.stop), range(at + 1, at + 1 + size), strict=True)
        at, listed = at + 1 + size, listed + size
    frames, rest = divmod(len(tokens), at)
    if rest or listed != width or len(columns) != width:
        return None
    if not all(token.isdigit() for token in tokens[::at]):
        return None
    if any(set(tokens[k::at]) != {tokens[k]} for k in names):
        return None
    table = np.empty((frames, width))
    try:
        for column, position in columns.items():
            table[:, column] = list(map(float, tokens[position::at]))
    except ValueError:
        return None
    return table if np.isfinite(table).all() else None


def _uneven_frames(data: bytes, text: AsfText, notes: list[str], *, lenient: bool) -> Floats:
    """Parse line by line: bones in any order; one that is missing keeps its value."""
    slots, width = text.slots, text.width
    needed = {bone.name for bone in text.bones if bone.dofs}
    rows, line = list[list[float]](), 0
    missing, seen = set[str](), set[str]()
    for line, words in words_of(data):
        name = words[0]
        if name.startswith(":"):
            continue
        with located(line=line):
            if len(words) == 1 and name.isascii() and name.isdigit():
                missing |= needed - seen if rows else set()
                rows.append(list(rows[-1]) if rows else [0.0] * width)
                seen = set()
                # Frames may list few bones: a table far larger than its file is refused.
                if len(rows) * width > 4 * len(data) + 1_000_000:
                    raise FormatError("Expected frames that list their bones.")
                continue
            if not rows:
                raise FormatError(f"Expected the number of the first frame, got {name[:40]!r}.")
            if name not in slots:
                raise FormatError(f"No bone {name[:40]!r} in the skeleton, which has {len(slots)}.")
            size = slots[name].stop - slots[name].start
            values = [v for v in map(finite, words[1:]) if v is not None]
            if not len(values) == len(words) - 1 == size or name in seen:
                if lenient and len(words) - 1 < size:
                    break
                got = "it a second time" if name in seen else repr(" ".join(words[1:])[:40])
                raise FormatError(f"Expected {size} finite numbers for bone {name!r}, got {got}.")
        rows[-1][slots[name]] = values
        seen.add(name)
    if rows and needed - seen:
        if len(rows) > 1 and lenient:
            rows.pop()
            notes.append("the last frame is cut off: left out")
        elif len(rows) > 1 and not needed - seen <= missing:
            raise FormatError(
                f"Expected all bones in the last frame, got {len(seen)} of {len(needed)}; "
                "read leniently to leave it out.",
                line=line,
            )
        else:
            missing |= needed - seen
    if missing:
        notes.append(
            f"bones missing in some frames kept their value: {', '.join(sorted(missing)[:4])}"
        )
    return np.array(rows)
