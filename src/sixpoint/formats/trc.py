"""TRC: marker positions as text, of Motion Analysis and OpenSim.

::

    PathFileType  4  (X/Y/Z)  walk.trc
    DataRate  CameraRate  NumFrames  NumMarkers  Units  ...
    100  100  487  66  mm  ...
    Frame#  Time  L.Wrist      R.Wrist      ...
            X1 Y1 Z1  X2 Y2 Z2 ...
    1  0.00  ...

Tabs or commas; an empty cell is a marker that was not seen. The upward axis is not in the file: it
is taken from head and ankles where they are recognised, else it is Y, as OpenSim has it.
"""

from __future__ import annotations

import os

import numpy as np

from ..atomic_write import atomic_write
from ..errors import FormatError
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.points import Points
from .marker_sets import as_roles, upright, with_head
from .plain_text import finite, plain_bytes, read_bytes, text_of
from .units import UNITS, UP

HEADER = 5
"""Lines before the numbers."""
MOST = 100_000
"""Markers in a file."""


def read_points_trc(path: str | os.PathLike[str], *, rate: float | None = None) -> Points:
    """Read markers; as roles where their names are recognised (see `marker_sets`).

    Args:
        path: the file.
        rate: frames a second [Hz], if other than the file says.

    Raises:
        FormatError: with the line at fault.
    """
    lines = text_of(plain_bytes(read_bytes(path), path)).splitlines()
    if not lines[0].startswith("PathFileType") or len(lines) < HEADER:
        raise FormatError("Expected 'PathFileType' and four more lines of header.", path=path,
                          line=1)  # fmt: skip
    mark = "\t" if "\t" in lines[1] else ","
    keys, values = (_cells(lines[k], mark) for k in (1, 2))
    head = dict(zip(keys, values, strict=False))
    names = [cell for cell in _cells(lines[3], mark)[2:] if cell]
    if not names or len(names) > MOST or len(set(names)) != len(names):
        raise FormatError(
            f"Expected the names of markers, each once; got {len(names)}.", path=path, line=4
        )
    said = finite(head.get("DataRate", ""))
    chosen = rate if rate is not None else said
    if chosen is None or chosen <= 0.0:
        raise FormatError(f"Expected a positive DataRate, got {head.get('DataRate')!r}.", path=path,
                          line=3)  # fmt: skip
    unit = head.get("Units", "mm")
    if unit not in UNITS:
        raise FormatError(f"Expected Units among {', '.join(UNITS)}; got {unit!r}.", path=path,
                          line=3)  # fmt: skip
    positions = _rows(lines, mark, len(names), path) * UNITS[unit]
    raw = Points(tuple(names), positions, chosen)
    return standing(raw, "y")


def standing(raw: Points, usual: str) -> Points:
    """Markers as roles, Y up."""
    points = as_roles(raw)
    turn = np.array(UP[upright(points, usual)])
    turned = Points(points.names, arrays.rotate(turn, points.positions), points.rate)
    return with_head(turned) if "head" not in raw.names else turned


def write_points_trc(points: Points, path: str | os.PathLike[str]) -> None:
    """Write points in millimetres; one that is not seen leaves its cells empty."""
    name = os.path.basename(os.fspath(path))
    count = len(points.names)
    frames = len(points)
    rows = [
        f"PathFileType\t4\t(X/Y/Z)\t{name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame"
        "\tOrigNumFrames",
        f"{points.rate:.10g}\t{points.rate:.10g}\t{frames}\t{count}\tmm\t{points.rate:.10g}\t1"
        f"\t{frames}",
        "Frame#\tTime\t" + "\t\t\t".join(points.names) + "\t\t",
        "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, count + 1)),
        "",
    ]
    for frame, places in enumerate(points.positions * 1000.0):
        cells = ["" if np.isnan(x) else f"{x:.6f}" for x in places.ravel()]
        rows.append("\t".join([str(frame + 1), f"{frame / points.rate:.9f}", *cells]))
    with atomic_write(path) as file:
        file.write(("\n".join(rows) + "\n").encode())


def _cells(line: str, mark: str) -> list[str]:
    return [cell.strip() for cell in line.split(mark)]


def _rows(lines: list[str], mark: str, count: int, path: object) -> Floats:
    """Positions (F, N, 3), NaN for empty cells."""
    table = []
    for at, line in enumerate(lines[HEADER:], HEADER + 1):
        cells = _cells(line, mark)
        if not any(cells):
            continue
        cells = (cells[2:] + [""] * (3 * count))[: 3 * count]
        row = []
        for cell in cells:
            value = np.nan if cell.lower() in ("", "nan") else finite(cell)
            if value is None:
                raise FormatError(f"Expected a number, got {cell[:40]!r}.", path=path, line=at)
            row.append(value)
        table.append(row)
    if not table:
        raise FormatError("Expected at least one row of numbers, got none.", path=path)
    positions = np.array(table, dtype=np.float64).reshape(len(table), count, 3)
    positions[np.isnan(positions).any(axis=-1)] = np.nan
    return positions
