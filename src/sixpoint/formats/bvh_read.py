"""BVH to Motion.

There is no official specification; this reads what exporters write. The hierarchy is a stream of
tokens, not of lines; keywords may have any case; names may hold spaces and colons. Everything is
bounded by the size of the file, so that no input can make the reader slow or large.
"""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import dataclass, replace

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import FormatError, names_file
from ..kernels import arrays
from ..kernels.types import Bools, Floats
from ..motion.motion import Motion, Source
from .plain_text import LARGEST, finite, line_at, plain_bytes, read_bytes, text_of
from .units import to_world

MAX_JOINTS = 2_000
"""Largest number of joints: film rigs with hair and cloth stay below."""
MAX_NAME = 256
"""Longest name of a joint, in bytes."""
POSITIONS = ("Xposition", "Yposition", "Zposition")
CHANNELS = {c.lower(): c for c in (*POSITIONS, "Xrotation", "Yrotation", "Zrotation")}
"""Channel names in lower case -> as they are written."""
FIXED_BONE = 1e-5
"""Position channels that vary by less than this part of the body's extent are fixed bones."""
SHORTEST_FRAME = 1e-5
"""Least frame time [s]: no camera is faster, a lower one must be a mistake."""

_TOKEN = re.compile(rb"[{}]|[^\s{}]+")
# Possessive repeats: a run of spaces is tried once, not once for every place to split it.
_MOTION_KEY = re.compile(rb"\s*+(frame\s*+time|frames?)\s*+:?\s*+([^\s:]{1,64})", re.IGNORECASE)


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
        unit: metres per file unit, a name from `sixpoint.subjects.conventions.UNITS`, or "auto".
        up: the file's upward axis: "y", "z", "x" or "auto".
        rate: frames per second [Hz], if the file's frame time is wrong.
        lenient: read the whole rows of a truncated file instead of raising.

    Raises:
        FormatError: the file is not a BVH; says the line.
    """
    text = parse_bvh(read_bytes(path), lenient=lenient)
    motion = motion_of(text, path=str(path))
    if rate is not None:
        motion = replace(motion, rate=rate)
    return to_world(motion, unit=unit, up=up)


@dataclass(frozen=True)
class BvhText:
    """Contents of a BVH file: hierarchy, channels and a table of numbers, nothing interpreted."""

    names: tuple[str, ...]
    """Joint names as written, parents first."""
    parents: tuple[int, ...]
    """Parent of each joint, -1 for a root."""
    offsets: Floats
    """OFFSET of each joint in file units, shape (J, 3)."""
    channels: tuple[tuple[str, ...], ...]
    """Channel names of each joint, such as "Xposition", in file order."""
    site_parents: tuple[int, ...]
    """Joint of each End Site."""
    site_offsets: Floats
    """OFFSET of each End Site in file units, shape (S, 3)."""
    frame_time: float
    """Seconds from frame to frame, as written."""
    values: Floats
    """The motion block, one row a frame, shape (F, sum of channels)."""
    notes: tuple[str, ...]
    """Deviations that were tolerated."""


class _Tokens:
    """Tokens of the hierarchy, one at a time, each knowing its line."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = self.end = 0
        self._matches = _TOKEN.finditer(data)

    def next(self, expected: str) -> str:
        match = next(self._matches, None)
        if match is None:
            self.at = len(self.data)
            raise self.error(f"Expected {expected}, got the end of the file.")
        self.at, self.end = match.span()
        # Only the start of a monstrous token is ever looked at.
        return text_of(self.data[self.at : min(self.end, self.at + MAX_NAME + 1)])

    def vector(self) -> list[float]:
        """Return the three numbers after OFFSET."""
        expected, values = "three finite numbers after OFFSET", list[float]()
        for _ in range(3):
            token = self.next(expected)
            value = finite(token)
            if value is None:
                raise self.error(f"Expected {expected}, got {token[:40]!r}.")
            values.append(value)
        return values

    def name(self, keyword: str) -> str:
        """Return everything up to the brace: names may contain spaces."""
        expected, words = f"a name and an opening brace after {keyword}", list[str]()
        while (token := self.next(expected)) != "{":
            words.append(token)
            if token == "}" or sum(map(len, words)) + len(words) > MAX_NAME:
                text = " ".join(words)
                text = text if len(text) <= 60 else text[:57] + "..."
                raise self.error(f"Expected {expected}, got {text!r}.")
        return " ".join(words)

    def error(self, message: str) -> FormatError:
        return FormatError(message, line=line_at(self.data, self.at))


def parse_bvh(data: bytes, *, lenient: bool = False) -> BvhText:
    """Parse the bytes of a BVH file; `lenient` takes fewer rows than it says, or none."""
    tokens = _Tokens(plain_bytes(data))
    names, parents, site_parents = list[str](), list[int](), list[int]()
    offsets, site_offsets = dict[int, list[float]](), list[list[float]]()
    channels: dict[int, tuple[str, ...]] = {}
    stack: list[int] = []

    token = tokens.next("HIERARCHY")
    if token.upper() != "HIERARCHY":
        raise tokens.error(f"Expected HIERARCHY, the first word of a BVH file, got {token[:40]!r}.")
    while True:
        where = "ROOT or MOTION" if not stack else "JOINT, End Site, OFFSET, CHANNELS or }"
        token = tokens.next(where)
        word, joint = token.upper(), stack[-1] if stack else -1
        if word in ("ROOT", "JOINT") and (word == "ROOT") == (not stack):
            names.append(tokens.name(word) or f"joint_{len(names)}")
            parents.append(joint)
            stack.append(len(names) - 1)
            if len(names) > MAX_JOINTS:
                raise tokens.error(f"Expected at most {MAX_JOINTS} joints, got more.")
        elif word == "MOTION" and not stack:
            break
        elif not stack:
            raise tokens.error(f"Expected {where}, got {token[:40]!r}.")
        elif word in ("END", "ENDSITE"):
            tokens.name("End Site")
            site_parents.append(joint)
            site_offsets.append(_end_site(tokens))
            if len(site_parents) > MAX_JOINTS:
                raise tokens.error(f"Expected at most {MAX_JOINTS} End Sites, got more.")
        elif word == "OFFSET" and joint not in offsets:
            offsets[joint] = tokens.vector()
        elif word == "CHANNELS" and joint not in channels:
            channels[joint] = _channels(tokens)
        elif token == "}":
            stack.pop()
            if joint not in offsets:
                raise tokens.error(f"Expected an OFFSET in joint {names[joint]!r}, got none.")
        else:
            again = " a second time" if word in ("OFFSET", "CHANNELS") else ""
            raise tokens.error(f"Expected {where}, got {token[:40]!r}{again}.")

    if not names:
        raise tokens.error("Expected a ROOT before MOTION, got none.")
    layout = tuple(channels.get(j, ()) for j in range(len(names)))
    frames, frame_time = _motion_header(tokens)
    values, notes = _motion_rows(tokens, frames, layout, lenient=lenient)
    return BvhText(
        names=tuple(names),
        parents=tuple(parents),
        offsets=np.array([offsets[j] for j in range(len(names))], dtype=np.float64),
        channels=layout,
        site_parents=tuple(site_parents),
        site_offsets=np.array(site_offsets, dtype=np.float64).reshape(-1, 3),
        frame_time=frame_time,
        values=values,
        notes=notes,
    )


def _end_site(tokens: _Tokens) -> list[float]:
    """Read the inside of an End Site: an offset, and in some files an empty list of channels."""
    offset: list[float] | None = None
    while (token := tokens.next("OFFSET in an End Site")) != "}":
        if token.upper() == "OFFSET" and offset is None:
            offset = tokens.vector()
        elif token.upper() != "CHANNELS" or tokens.next("0 channels") != "0":
            raise tokens.error(f"Expected OFFSET in an End Site, got {token[:40]!r}.")
    if offset is None:
        raise tokens.error("Expected an OFFSET in an End Site, got none.")
    return offset


def _channels(tokens: _Tokens) -> tuple[str, ...]:
    token = tokens.next("a number of channels")
    if not (token.isascii() and token.isdigit() and len(token) < 3 and int(token) <= 6):
        raise tokens.error(f"Expected CHANNELS and a number from 0 to 6, got {token[:40]!r}.")
    found: list[str] = []
    for _ in range(int(token)):
        word = tokens.next("a channel name")
        channel = CHANNELS.get(word.lower())
        if channel is None:
            choices = ", ".join(CHANNELS.values())
            raise tokens.error(f"No channel {word[:40]!r}; there are {choices}.")
        if channel in found and channel in POSITIONS:
            raise tokens.error(f"Expected each position channel once, got {channel} twice.")
        found.append(channel)
    if sum(c.endswith("rotation") for c in found) > 3:
        raise tokens.error("Expected at most three rotation channels, got more.")
    return tuple(found)


def _motion_header(tokens: _Tokens) -> tuple[int, float]:
    """Read the number of frames and the frame time; `tokens.at` is then where numbers start."""
    found: dict[str, str] = {}
    tokens.at = tokens.end
    while len(found) < 2:
        match = _MOTION_KEY.match(tokens.data, tokens.at)
        missing = "'Frames:' and a number" if "frames" not in found else "'Frame Time:' and seconds"
        if match is None:
            raise tokens.error(f"Expected {missing} after MOTION.")
        key = "time" if match[1].lower().endswith(b"time") else "frames"
        if key in found:
            raise tokens.error(f"Expected {missing}, got another {text_of(match[1])!r}.")
        found[key] = text_of(match[2])
        tokens.at = match.end()
    frames, time = found["frames"], finite(found["time"])
    if not (frames.isascii() and frames.isdigit()):
        raise tokens.error(f"Expected 'Frames:' and a whole number, got {frames!r}.")
    if time is None or time < 0.0:
        raise tokens.error(f"Expected 'Frame Time:' and seconds, got {found['time']!r}.")
    return int(frames), time


def _motion_rows(
    tokens: _Tokens, frames: int, layout: tuple[tuple[str, ...], ...], *, lenient: bool
) -> tuple[Floats, tuple[str, ...]]:
    """Return the table of numbers (F, channels), and a note if there are more or fewer rows."""
    width, note = sum(map(len, layout)), ""
    if width == 0:
        raise tokens.error("Expected at least one channel in the hierarchy, got none.")
    numbers = parse_numbers(tokens.data[tokens.at :])
    if numbers is None:
        raise _bad_number(tokens)
    rows, rest = divmod(len(numbers), width)
    if rows < frames:
        found = f"{rows} rows" + (f" and {rest} of {width} numbers of another" if rest else "")
        if not lenient:
            raise tokens.error(
                f"Expected {frames} frames of {width} numbers ('Frames: {frames}'), got {found}; "
                "read leniently to take the whole rows."
            )
        note = f"the file says {frames} frames and has {found}: the whole rows were read"
    elif rows > frames or rest:
        note = f"the file says {frames} frames and has more numbers: the rest was ignored"
    rows = min(rows, frames)
    if rows == 0 and not lenient:
        raise tokens.error("Expected at least one frame, got none.")
    if rows * len(layout) > 4 * len(tokens.data) + 1_000_000:
        raise tokens.error(
            f"Expected channels for most joints, got {rows} frames of {len(layout)} joints "
            f"with {width} channels: too large for what it holds."
        )
    return numbers[: rows * width].reshape(rows, width), (note,) if note else ()


def parse_numbers(block: bytes) -> Floats | None:
    """Return white-space separated finite numbers, or None when there is anything else.

    `np.fromstring` takes 36 ms for 2000 x 96 numbers where `np.array(block.split())` takes 42 and
    needs ten times the memory.
    """
    if not block.strip():
        return np.zeros(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # NumPy before 2.4 only warns
            numbers = np.fromstring(block, dtype=np.float64, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    sound = np.abs(numbers).max() <= LARGEST  # false for NaN and infinity too
    return numbers if sound else None


def _bad_number(tokens: _Tokens) -> FormatError:
    """Return the error for the token at fault: first its piece of the file is found, then it."""
    block = tokens.at
    for piece in re.finditer(rb"\s*+(?:\S++\s*+){1,4096}+", tokens.data[block:]):
        if parse_numbers(piece[0]) is not None:
            continue
        for match in re.finditer(rb"\S++", piece[0]):
            if finite(text_of(match[0])) is None:
                tokens.at = block + piece.start() + match.start()
                return tokens.error(f"Expected a finite number, got {text_of(match[0][:40])!r}.")
    return tokens.error("Expected finite numbers.")


def motion_of(text: BvhText, *, path: str | None = None) -> Motion:
    """Return the motion in the file's own units and axes."""
    notes = list(text.notes)
    frames, joints = len(text.values), len(text.names)
    names, site_names = _unique_names(text, notes)
    rotations = arrays.identity(frames, joints)
    moves = np.broadcast_to(text.offsets, (frames, joints, 3)).copy()
    moving = np.zeros((joints, 3), dtype=bool)
    columns = iter(text.values.T)
    for joint, channels in enumerate(text.channels):
        order, angles = "", list[Floats]()
        for channel, values in zip(channels, columns, strict=False):
            if channel in POSITIONS:
                axis = POSITIONS.index(channel)
                moves[:, joint, axis] = values
                moving[joint, axis] = True
            else:
                order += channel[0]
                angles.append(np.radians(values))
        if order:
            rotations[:, joint] = arrays.from_euler(order, np.stack(angles, axis=-1))

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
    """Return names of joints and sites, the second and later of equal ones numbered."""
    taken: dict[str, int] = {}  # name -> how often it was asked for

    def unique(name: str) -> str:
        candidate = name
        while candidate in taken:
            taken[name] += 1
            candidate = f"{name}_{taken[name]}"
        taken[candidate] = 1
        return candidate

    joints = tuple(map(unique, text.names))
    twice = [name for name, own in zip(text.names, joints, strict=True) if own != name]
    if twice:
        notes.append(f"joint names that stand more than once were numbered: {', '.join(twice[:4])}")
    return joints, tuple(unique(f"{joints[p]}_end") for p in text.site_parents)


def _relative_positions(text: BvhText, moves: Floats, moving: Bools) -> bool:
    """Return whether position channels below the root hold differences from OFFSET (MakeHuman)."""
    length = np.linalg.norm(text.offsets, axis=-1)
    long = length > 1e-3 * length.max()
    told = [j for j, p in enumerate(text.parents) if p >= 0 and moving[j].all() and long[j]]
    if len(told) < 3 or not len(moves):
        return False  # one sliding pelvis may well be near the origin
    channel = np.linalg.norm(np.median(moves[:, told], axis=0), axis=-1)
    return bool(np.mean(channel < 0.1 * length[told]) > 0.8)


def _fold_constant(text: BvhText, moves: Floats, moving: Bools) -> tuple[Floats, list[int]]:
    """Return offsets with constant position channels put in, and the joints that really slide."""
    offsets = np.array(text.offsets)
    if not len(moves):
        return offsets, []
    low, high = moves.min(axis=0), moves.max(axis=0)
    below = moving.any(axis=-1) & (np.arange(len(offsets)) > 0)
    still = (high - low).max(axis=-1) <= FIXED_BONE * _extent(text)
    fixed = below & still
    offsets[fixed] = 0.5 * (low + high)[fixed]
    moves[:, fixed] = offsets[fixed]
    return offsets, np.flatnonzero(below & ~still).tolist()


def _extent(text: BvhText) -> float:
    """Return the sum of the bones of the longest chain: a measure of the body without a pose."""
    reach = np.zeros(len(text.names))
    for j, parent in enumerate(text.parents):
        if parent >= 0:
            reach[j] = reach[parent] + np.linalg.norm(text.offsets[j])
    return float(reach.max())


def _rate(text: BvhText, notes: list[str]) -> float:
    """Return frames per second; 1/0.0083333 is meant to be 120."""
    if text.frame_time < SHORTEST_FRAME:
        notes.append(
            f"a frame time of {text.frame_time:g} s is impossible: 30 frames a second assumed"
        )
        return 30.0
    rate = 1.0 / text.frame_time
    whole = round(rate)
    return float(whole) if whole and abs(rate - whole) < 2e-4 * rate else rate
