"""Reading of text files of any encoding and line ends, of bounded size, and of their numbers."""

from __future__ import annotations

import math
import os

from ..errors import FormatError

MAX_FILE = 1 << 30
"""Largest file that is read, in bytes: an hour of a film rig at 120 Hz is below this."""
LARGEST = 1e12
"""Larger numbers are not lengths or angles in any unit; their squares must not overflow."""


def read_bytes(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the content of a file, unless it cannot be opened or has more than `most` bytes."""
    most = MAX_FILE if most is None else most
    try:
        with open(path, "rb") as file:
            # In pieces: a device or pipe may never end, and read() reserves all it is asked for.
            pieces, size = list[bytes](), 0
            while size <= most and (piece := file.read(1 << 24)):
                pieces.append(piece)
                size += len(piece)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"Cannot be read: {reason}.", path=path) from None
    if size > most:
        raise FormatError(f"Expected at most {most} bytes, got more.", path=path)
    return b"".join(pieces)


def plain_bytes(data: bytes) -> bytes:
    """Return text without byte-order mark, in an ASCII-compatible encoding; refuse other data."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            raise FormatError("Expected text, got broken UTF-16.") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise FormatError("Expected text, got an empty file.")
    if b"\0" in data:
        raise FormatError("Expected text, got binary data (it contains zero bytes).")
    return data


def text_of(data: bytes) -> str:
    """Decode UTF-8 where it is valid, else Latin-1, which always is."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def finite(token: str) -> float | None:
    """Return the number, or None when it is not a finite one of sensible size."""
    try:
        value = float(token)
    except ValueError:
        return None
    sound = math.isfinite(value) and abs(value) <= LARGEST and "_" not in token
    return value if sound and token.isascii() else None


def number_or_nan(cell: str) -> float | None:
    """Return the number in a cell of a table, NaN for an empty one, None if it is no number."""
    text = cell.strip()
    return math.nan if text.lower() in ("", "nan") else finite(text)


def line_at(data: bytes, position: int) -> int:
    """Return the line number of a byte, counted from 1; CR, LF and CRLF all end lines."""
    head = data[:position]
    return 1 + head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n")
