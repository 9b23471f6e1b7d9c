"""C3D: marker positions of laboratories, read by ezc3d (extra `c3d`)."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, MissingExtra
from ..motion.points import Points
from .plain_text import MAX_FILE
from .trc import standing
from .units import UNITS

LARGEST = 1e6
"""A coordinate beyond this is no place in a laboratory, in any unit."""


def read_points_c3d(path: str | os.PathLike[str], *, rate: float | None = None) -> Points:
    """Read markers; as roles where their names are recognised (see `marker_sets`).

    Z is up where head and ankles do not tell: laboratories have it so.

    Args:
        path: the file.
        rate: frames a second [Hz], if other than the file says.

    Raises:
        FormatError: ezc3d cannot read it, or there are no markers in it.
        MissingExtra: ezc3d is not installed.
    """
    try:
        ezc3d: Any = importlib.import_module("ezc3d")
    except ImportError as error:
        raise MissingExtra("ezc3d", "c3d", "Reading C3D") from error
    source = Path(path)
    if not source.is_file():
        raise FormatError("Cannot be read: no such file.", path=path)
    if not 512 <= source.stat().st_size <= MAX_FILE:
        raise FormatError(f"Expected 512 to {MAX_FILE} bytes of C3D.", path=path)
    try:
        content = ezc3d.c3d(str(source))
        values = np.asarray(content["data"]["points"], dtype=np.float64)
        group = content["parameters"]["POINT"]
        labels = _labels(group, values.shape[1])
        said = float(np.ravel(group["RATE"]["value"])[0])
        units = [str(unit).lower() for unit in group.get("UNITS", {}).get("value", [])]
    except Exception as error:  # ezc3d raises whatever C++ or its dictionaries raise
        raise FormatError(f"Expected C3D: {error}.", path=path) from None
    if values.ndim != 3 or not values.shape[1] or not values.shape[2]:
        raise FormatError("Expected markers, got none.", path=path)
    chosen = rate if rate is not None else said
    if not 0.0 < chosen < 1e6:
        raise FormatError(f"Expected a positive POINT:RATE, got {chosen}.", path=path)
    unit = units[0] if units and units[0] in UNITS else "mm"
    positions = np.moveaxis(values[:3], 0, -1).transpose(1, 0, 2) * UNITS[unit]
    positions[~(np.abs(positions) < LARGEST).all(axis=-1)] = np.nan
    # Some writers leave zeros where a marker was not seen.
    positions[(positions == 0.0).all(axis=-1)] = np.nan
    return standing(Points(labels, positions, chosen), "z")


def _labels(group: Any, count: int) -> tuple[str, ...]:
    """Names of all markers; LABELS2 and so on hold those beyond the 255th."""
    names = [str(name).strip() for name in group["LABELS"]["value"]]
    k = 2
    while f"LABELS{k}" in group:
        names += [str(name).strip() for name in group[f"LABELS{k}"]["value"]]
        k += 1
    names = (names + [""] * count)[:count]
    seen: dict[str, int] = {}
    out = []
    for k, name in enumerate(names):
        plain = name or f"marker {k + 1}"
        seen[plain] = seen.get(plain, 0) + 1
        out.append(plain if seen[plain] == 1 else f"{plain} ({seen[plain]})")
    return tuple(out)
