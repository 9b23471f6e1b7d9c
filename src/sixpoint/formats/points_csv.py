"""Tracked points as CSV: one row a frame, seconds and metres, empty where a point was not seen.

::

    time,pelvis.x,pelvis.y,pelvis.z,head.x,head.y,head.z,l_wrist.x,...
    0.000,0.01,0.93,0.00,0.02,1.61,0.03,,,

Further columns of a point, if known: ``pelvis.qw, .qx, .qy, .qz`` (world rotation) and
``pelvis.confidence``. Names may be spelled ``left_wrist``, ``LeftWrist`` or ``wrist_l``, columns
``pelvis_x`` or ``pelvis pos x``.
"""

from __future__ import annotations

import csv
import io
import os
import re
from typing import Any

import numpy as np

from ..atomic_write import atomic_write
from ..errors import FormatError, located, names_file
from ..kernels.types import Floats, Ints
from ..motion.people import MARK
from ..motion.points import Points
from ..subjects.aliases import point_name, role_names
from ..subjects.timing import evenly_timed
from .plain_text import number_or_nan, plain_bytes, read_bytes, text_of

JITTER, ROUNDING = 0.1, 1.05e-3
"""Steps of time may differ from even ones by the first part of a step, or by the second number of
seconds if that is less than half a step: times are often rounded to milliseconds."""
MOST_GAPS = 20
"""Most frames for each row."""
POSITION, ROTATION = ("x", "y", "z"), ("qw", "qx", "qy", "qz")
PARTS = (*POSITION, *ROTATION, "confidence")
"""Parts of a point that a column may hold."""
TURNED = re.compile(
    r"(.+?)(?:[._ :/-]+(?:[qQ]|rot|Rot|rotation|Rotation|quat|Quat|orientation|Orientation)"
    r"|Q|Rot|Rotation|Quat|Orientation)[._ :/-]*([wxyzWXYZ])"
)
"""Title of a column of a rotation in other spellings: ``head_qw``, ``head_rot_w``, ``headQW``."""
PLACED = re.compile(
    r"(.+?)(?:[._ :/-]+(?:pos|Pos|position|Position)|Pos|Position)?[._ :/-]*([xyzXYZ])"
)
"""Title of a column of a position in other spellings: ``pelvis_x``, ``head pos y``, ``headZ``."""
TRUSTED = re.compile(r"(.+?)[._ :/-]+confidence", re.IGNORECASE)
LONGEST_TITLE = 200
"""Longer titles are not looked into."""
TIME = re.compile(r"(?:time|t|timestamp|seconds)[ _]*[(\[]?(?P<unit>s|ms)?[)\]]?", re.IGNORECASE)
"""Title of the first column."""
MILLISECONDS = 1.5
"""Steps of time longer than this are milliseconds: nobody is tracked so slowly [s]."""

Columns = dict[tuple[str, str], int]
"""(Point, part) -> column of the table."""


@names_file
def read_points_csv(path: str | os.PathLike[str], *, rate: float | None = None) -> Points:
    """Read tracked points.

    Frames lie on an even grid of time, found from the steps; rows missing from it become frames in
    which nothing was seen. Rows whose times fit no grid are resampled, see `subjects.timing`, with
    a note.

    A `rate` [Hz] overrides the times, and is needed for a single row.
    """
    lines = text_of(plain_bytes(read_bytes(path))).splitlines()
    delimiter = next((d for d in ",;\t" if d in lines[0]), ",")
    rows = csv.reader(lines, delimiter=delimiter)
    try:
        header = [cell.strip() for cell in next(rows, [])]
        with located(line=1):
            columns, names = _columns(header)
        values, at = _values(rows, header)
    except csv.Error as error:
        raise FormatError(f"Expected CSV: {error}.") from None
    if not len(values):
        raise FormatError("Expected at least one row of numbers, got none.")
    times, notes = _seconds(values[:, 0], header[0])
    slots, found = np.arange(len(values)), rate
    if rate is None:
        grid = _grid(times, at)
        found = 1.0
        if grid is not None:
            slots, found = grid
    assert found is not None
    # The last column is NaN, for parts that some points lack.
    table = np.full((int(slots[-1]) + 1, len(header) + 1), np.nan)
    table[slots, :-1] = values

    def gather(parts: tuple[str, ...]) -> Floats | None:
        """Return some parts of all points (F, N, parts), None if no point has them."""
        if not any((name, parts[0]) in columns for name in names):
            return None
        return table[:, [[columns.get((name, part), -1) for part in parts] for name in names]]

    positions, trust = gather(POSITION), gather(("confidence",))
    assert positions is not None
    positions[np.isnan(positions).any(axis=-1)] = np.nan
    confidence = None if trust is None else np.nan_to_num(trust[..., 0])
    points = Points(role_names(names), positions, found, gather(ROTATION), confidence, notes)
    return evenly_timed(times, points) if rate is None and grid is None else points


def _columns(header: list[str]) -> tuple[Columns, tuple[str, ...]]:
    """Return the column of each (point, part), and the points in order of appearance."""
    if not header or not TIME.fullmatch(header[0]):
        got = repr(header[0][:40]) if header else "nothing"
        raise FormatError(f"Expected 'time' as the first column, got {got}.")
    columns: Columns = {}
    for k, cell in enumerate(header[1:], 1):
        point, part = _cell(cell)
        key = (point_name(point), part)
        if key[1] not in PARTS or not point:
            raise FormatError(
                f"Expected a column such as 'pelvis.x' (parts: {', '.join(PARTS)}), "
                f"got {cell[:40]!r}."
            )
        if key in columns:
            raise FormatError(
                f"Column {'.'.join(key)!r} is there twice; of two people, name the points "
                f"'anna{MARK}{key[0]}' and 'ben{MARK}{key[0]}'."
            )
        columns[key] = k
    names = tuple(dict.fromkeys(point for point, _ in columns))
    if not names:
        raise FormatError("Expected columns of points, got only the time.")
    for name in names:
        for group in (POSITION, ROTATION):
            have = [part for part in group if (name, part) in columns]
            if have != list(group) and (have or group is POSITION):
                raise FormatError(
                    f"Expected the columns {', '.join(f'{name}.{part}' for part in group)}, "
                    f"got {', '.join(have) or 'none of them'}."
                )
    return columns, names


def _cell(title: str) -> tuple[str, str]:
    """Return point and part of a title such as ``pelvis.x``; nothing where it is another."""
    point, _, part = title.rpartition(".")
    if len(title) > LONGEST_TITLE or part.lower() in (*ROTATION, "confidence"):
        return point, part.lower()
    turned, placed = TURNED.fullmatch(title), PLACED.fullmatch(title)
    if turned is not None:
        return turned[1], f"q{turned[2].lower()}"
    if placed is not None:
        return placed[1], placed[2].lower()
    trusted = TRUSTED.fullmatch(title)
    return ("", "") if trusted is None else (trusted[1], "confidence")


def _seconds(times: Floats, title: str) -> tuple[Floats, tuple[str, ...]]:
    """Return times in seconds, with a note if they were given in milliseconds."""
    said = TIME.fullmatch(title)
    assert said is not None
    if said["unit"] == "ms":
        return 1e-3 * times, ()
    if len(times) > 1 and said["unit"] is None and np.median(np.diff(times)) > MILLISECONDS:
        return 1e-3 * times, ("times are taken for milliseconds, because their steps are long",)
    return times, ()


def _values(rows: Any, header: list[str]) -> tuple[Floats, list[int]]:
    """Return the table, NaN for empty cells, and the line of each row."""
    values: list[list[float]] = []
    at: list[int] = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        with located(line=rows.line_num):
            if len(row) != len(header):
                raise FormatError(
                    f"Expected {len(header)} cells, as in the header, got {len(row)}."
                )
            numbers = []
            for name, cell in zip(header, row, strict=True):
                number = number_or_nan(cell)
                if number is None or (name is header[0] and number != number):
                    got = cell.strip()[:40]
                    raise FormatError(f"Expected a finite number in column {name!r}, got {got!r}.")
                numbers.append(number)
        values.append(numbers)
        at.append(rows.line_num)
    return np.array(values, dtype=np.float64).reshape(len(values), len(header)), at


def _grid(times: Floats, at: list[int]) -> tuple[Ints, float] | None:
    """Return the frame of each row on an even grid of time, and its rate [Hz]; None if uneven."""
    if len(times) < 2:
        raise FormatError("Expected at least two rows, to see the rate; got one: give the rate.")
    steps = np.diff(times)
    if not (steps > 0.0).all():
        row = int(np.argmin(steps > 0.0)) + 1
        raise FormatError(
            f"Expected times that increase, got {times[row]:g} s after {times[row - 1]:g} s.",
            line=at[row],
        )
    counts = np.maximum(1, np.round(steps / np.median(steps)))
    slots = np.concatenate([[0], np.cumsum(counts)])
    step = float((times[-1] - times[0]) / slots[-1])
    off = np.abs(steps - counts * step) > max(JITTER * step, min(ROUNDING, 0.4 * step)) * counts
    if slots[-1] > MOST_GAPS * len(times):
        row = int(np.argmax(counts)) + 1
        raise FormatError(
            f"Expected at most {MOST_GAPS} times as many frames as rows, got a step of "
            f"{steps[row - 1]:g} s where {np.median(steps):g} s is usual; give the rate to take "
            "the rows as they come.",
            line=at[row],
        )
    if off.any():
        return None
    rate = 1.0 / step
    whole = round(rate)
    # Times that stray from the grid, because they were rounded, leave the rate so far uncertain.
    stray = float(np.abs(times - times[0] - slots * step).max()) + 1e-9
    near = bool(whole and abs(rate - whole) <= 2.0 * rate * stray / (times[-1] - times[0]))
    return slots.astype(np.int64), float(whole) if near else rate


def write_points_csv(points: Points, path: str | os.PathLike[str]) -> None:
    """Write tracked points, lengths to a micrometre; NaN becomes an empty cell."""
    header, columns = ["time"], [np.arange(len(points)) / points.rate]
    for k, name in enumerate(points.names):
        parts = list(zip(POSITION, points.positions[:, k].T, strict=True))
        if points.rotations is not None:
            parts += zip(ROTATION, points.rotations[:, k].T, strict=True)
        if points.confidence is not None:
            parts.append(("confidence", points.confidence[:, k]))
        header += [f"{name}.{part}" for part, _ in parts]
        columns += [column for _, column in parts]
    table = np.stack(columns, axis=-1)
    with atomic_write(path) as file:
        names = io.StringIO()
        csv.writer(names, lineterminator="\n").writerow(header)
        file.write(names.getvalue().encode())
        line = ",".join(["%.9f"] + ["%.6f"] * (len(columns) - 1)) + "\n"
        for row in (table + 0.0).tolist():
            file.write((line % tuple(row)).replace("nan", "").encode())
