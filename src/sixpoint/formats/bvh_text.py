"""BVH as it stands in the file: hierarchy, channels and a table of numbers, nothing interpreted.

There is no official specification; this reads what exporters write. The hierarchy is a stream of
tokens, not of lines; keywords may have any case; names may hold spaces and colons. Everything is
bounded by the size of the file, so that no input can make the reader slow or large.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import FormatError
from ..kernels.types import Floats
from .plain_text import LARGEST, finite, line_at, plain_bytes, text_of

MAX_JOINTS = 2_000
"""Beyond this it is not a body: the largest film rigs, hair and cloth included, stay below."""
MAX_NAME = 256
"""Longest name of a joint, in bytes."""

POSITION = {"xposition": "Xposition", "yposition": "Yposition", "zposition": "Zposition"}
ROTATION = {"xrotation": "Xrotation", "yrotation": "Yrotation", "zrotation": "Zrotation"}
CHANNELS = POSITION | ROTATION
"""Channel names in lower case -> as they are written."""

_TOKEN = re.compile(rb"[{}]|[^\s{}]+")
# Possessive repeats: a run of spaces is tried once, not once for every place to split it.
_MOTION_KEY = re.compile(rb"\s*+(frame\s*+time|frames?)\s*+:?\s*+([^\s:]{1,64})", re.IGNORECASE)


@dataclass(frozen=True)
class BvhText:
    """What one BVH file says."""

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
        self.at = 0
        self.end = 0
        self._matches: Iterator[re.Match[bytes]] = _TOKEN.finditer(data)

    def next(self, expected: str) -> str:
        match = next(self._matches, None)
        if match is None:
            self.at = len(self.data)
            raise self.error(f"Expected {expected}, got the end of the file.")
        self.at, self.end = match.span()
        # Only the start of a monstrous token is ever looked at.
        return text_of(self.data[self.at : min(self.end, self.at + MAX_NAME + 1)])

    def number(self, expected: str) -> float:
        token = self.next(expected)
        value = finite(token)
        if value is None:
            raise self.error(f"Expected {expected}, got {token[:40]!r}.")
        return value

    def name(self, keyword: str) -> str:
        """Everything up to the brace: names may contain spaces."""
        words: list[str] = []
        while (token := self.next(f"a name and an opening brace after {keyword}")) != "{":
            words.append(token)
            if token == "}" or sum(map(len, words)) + len(words) > MAX_NAME:
                raise self.error(
                    f"Expected a name and an opening brace after {keyword}, got {shown(words)}."
                )
        return " ".join(words)

    def error(self, message: str) -> FormatError:
        return FormatError(message, line=line_at(self.data, self.at))


def shown(words: list[str]) -> str:
    """Some words of the file, short enough for a message."""
    text = " ".join(words)
    return repr(text if len(text) <= 60 else text[:57] + "...")


def parse_bvh(data: bytes, *, lenient: bool = False) -> BvhText:
    """Read the bytes of a BVH file.

    Args:
        data: the file's content.
        lenient: read the whole rows of a file that has fewer of them than it says, or none.

    Raises:
        FormatError: with the line at fault.
    """
    data = plain_bytes(data)
    tokens = _Tokens(data)
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float] | None] = []
    channels: list[tuple[str, ...] | None] = []
    site_parents: list[int] = []
    site_offsets: list[list[float]] = []
    stack: list[int] = []

    token = tokens.next("HIERARCHY")
    if token.upper() != "HIERARCHY":
        raise tokens.error(f"Expected HIERARCHY, the first word of a BVH file, got {token[:40]!r}.")
    while True:
        where = "ROOT or MOTION" if not stack else "JOINT, End Site, OFFSET, CHANNELS or }"
        token = tokens.next(where)
        word = token.upper()
        if word in ("ROOT", "JOINT") and (word == "ROOT") == (not stack):
            names.append(tokens.name(word) or f"joint_{len(names)}")
            parents.append(stack[-1] if stack else -1)
            offsets.append(None)
            channels.append(None)
            stack.append(len(names) - 1)
            if len(names) > MAX_JOINTS:
                raise tokens.error(f"Expected at most {MAX_JOINTS} joints, got more.")
        elif word == "MOTION" and not stack:
            break
        elif not stack:
            raise tokens.error(f"Expected {where}, got {token[:40]!r}.")
        elif word in ("END", "ENDSITE"):
            tokens.name("End Site")
            site_parents.append(stack[-1])
            site_offsets.append(_end_site(tokens))
            if len(site_parents) > MAX_JOINTS:
                raise tokens.error(f"Expected at most {MAX_JOINTS} End Sites, got more.")
        elif word == "OFFSET" and offsets[stack[-1]] is None:
            offsets[stack[-1]] = _vector(tokens)
        elif word == "CHANNELS" and channels[stack[-1]] is None:
            channels[stack[-1]] = _channels(tokens)
        elif token == "}":
            joint = stack.pop()
            if offsets[joint] is None:
                raise tokens.error(f"Expected an OFFSET in joint {names[joint]!r}, got none.")
        else:
            again = " a second time" if word in ("OFFSET", "CHANNELS") else ""
            raise tokens.error(f"Expected {where}, got {token[:40]!r}{again}.")

    if not names:
        raise tokens.error("Expected a ROOT before MOTION, got none.")
    layout = tuple(c or () for c in channels)
    frames, frame_time, block = _motion_header(tokens)
    values, notes = _motion_rows(tokens, block, frames, layout, lenient)
    return BvhText(
        names=tuple(names),
        parents=tuple(parents),
        offsets=np.array(offsets, dtype=np.float64),
        channels=layout,
        site_parents=tuple(site_parents),
        site_offsets=np.array(site_offsets, dtype=np.float64).reshape(-1, 3),
        frame_time=frame_time,
        values=values,
        notes=tuple(notes),
    )


def _vector(tokens: _Tokens) -> list[float]:
    return [tokens.number("three finite numbers after OFFSET") for _ in range(3)]


def _end_site(tokens: _Tokens) -> list[float]:
    """The inside of an End Site: an offset, and in some files an empty list of channels."""
    offset: list[float] | None = None
    while (token := tokens.next("OFFSET in an End Site")) != "}":
        if token.upper() == "OFFSET" and offset is None:
            offset = _vector(tokens)
        elif token.upper() == "CHANNELS" and tokens.next("0 channels") == "0":
            continue
        else:
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
        if channel in found and channel.lower() in POSITION:
            raise tokens.error(f"Expected each position channel once, got {channel} twice.")
        found.append(channel)
    if sum(c.endswith("rotation") for c in found) > 3:
        raise tokens.error("Expected at most three rotation channels, got more.")
    return tuple(found)


def _motion_header(tokens: _Tokens) -> tuple[int, float, int]:
    """Frames, frame time and where the numbers start."""
    found: dict[str, bytes] = {}
    at = tokens.end
    while len(found) < 2:
        match = _MOTION_KEY.match(tokens.data, at)
        tokens.at = at
        missing = "'Frames:' and a number" if "frames" not in found else "'Frame Time:' and seconds"
        if match is None:
            raise tokens.error(f"Expected {missing} after MOTION.")
        key = "time" if match[1].lower().endswith(b"time") else "frames"
        if key in found:
            raise tokens.error(f"Expected {missing}, got another {text_of(match[1])!r}.")
        found[key] = match[2]
        at = match.end()
    frames, time = text_of(found["frames"]), finite(text_of(found["time"]))
    tokens.at = at
    if not (frames.isascii() and frames.isdigit()):
        raise tokens.error(f"Expected 'Frames:' and a whole number, got {frames!r}.")
    if time is None or time < 0.0:
        raise tokens.error(f"Expected 'Frame Time:' and seconds, got {text_of(found['time'])!r}.")
    return int(frames), time, at


def _motion_rows(
    tokens: _Tokens, block: int, frames: int, layout: tuple[tuple[str, ...], ...], lenient: bool
) -> tuple[Floats, list[str]]:
    data, width, notes = tokens.data, sum(map(len, layout)), list[str]()
    tokens.at = block
    if width == 0:
        raise tokens.error("Expected at least one channel in the hierarchy, got none.")
    numbers = parse_numbers(data[block:])
    if numbers is None:
        raise _bad_number(tokens, block)
    rows, rest = divmod(len(numbers), width)
    if rows < frames:
        partly = f" and {rest} of {width} numbers of another" if rest else ""
        found = f"{rows} rows{partly}"
        if not lenient:
            raise tokens.error(
                f"Expected {frames} frames of {width} numbers ('Frames: {frames}'), got {found}; "
                "read leniently to take the whole rows."
            )
        notes.append(f"the file says {frames} frames and has {found}: the whole rows were read")
    elif rows > frames or rest:
        notes.append(f"the file says {frames} frames and has more numbers: the rest was ignored")
    rows = min(rows, frames)
    if rows == 0 and not lenient:
        raise tokens.error("Expected at least one frame, got none.")
    if rows * len(layout) > 4 * len(data) + 1_000_000:
        raise tokens.error(
            f"Expected channels for most joints, got {rows} frames of {len(layout)} joints "
            f"with {width} channels: too large for what it holds."
        )
    return numbers[: rows * width].reshape(rows, width), notes


def parse_numbers(block: bytes) -> Floats | None:
    """White-space separated finite numbers, or None when there is anything else.

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


def _bad_number(tokens: _Tokens, block: int) -> FormatError:
    """Find the token at fault, now that there is one: first its piece of the file, then itself."""
    for piece in re.finditer(rb"\s*+(?:\S++\s*+){1,4096}+", tokens.data[block:]):
        if parse_numbers(piece[0]) is not None:
            continue
        for match in re.finditer(rb"\S++", piece[0]):
            if finite(text_of(match[0])) is None:
                tokens.at = block + piece.start() + match.start()
                return tokens.error(f"Expected a finite number, got {text_of(match[0][:40])!r}.")
    return tokens.error("Expected finite numbers.")
