"""Points: tracked positions over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..body.values import Value, frozen_array
from ..errors import InputError, UnknownName
from ..kernels.types import Floats

SIX = ("pelvis", "head", "l_wrist", "r_wrist", "l_ankle", "r_ankle")
"""Names of the six tracked points."""


@dataclass(frozen=True, eq=False)
class Points(Value):
    """Tracked positions over time; NaN where a point was not seen. Immutable."""

    names: tuple[str, ...]
    """Roles, such as those of `SIX`."""
    positions: Floats
    """World positions [m], shape (F, N, 3)."""
    rate: float
    """Frames a second [Hz]."""
    rotations: Floats | None = None
    """World rotations relative to the neutral stance, shape (F, N, 4); NaN where unknown."""
    confidence: Floats | None = None
    """Confidence from 0 (guess) to 1 (certain), shape (F, N)."""
    notes: tuple[str, ...] = ()
    """What was assumed or mended in reading; not in files."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", tuple(self.names))
        put(self, "notes", tuple(self.notes))
        put(self, "rate", float(self.rate))
        for name in ("positions", "rotations", "confidence"):
            if getattr(self, name) is not None:
                put(self, name, frozen_array(getattr(self, name)))
        n = len(self.names)
        if len(set(self.names)) != n:
            raise InputError(f"Point names must be unique, got {', '.join(self.names)}.")
        frames = len(self.positions)
        for name, shape in (
            ("positions", (frames, n, 3)),
            ("rotations", (frames, n, 4)),
            ("confidence", (frames, n)),
        ):
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                raise InputError(f"Expected `{name}` to have shape {shape}, got {array.shape}.")
        if np.isinf(self.positions).any():
            raise InputError("Expected finite positions, or NaN for a missing point; got infinity.")
        if not (np.isfinite(self.rate) and self.rate > 0.0):
            raise InputError(f"Expected a positive `rate` in Hz, got {self.rate}.")

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"Points({len(self)} frames at {self.rate:g} Hz: {', '.join(self.names)})"

    @property
    def seen(self) -> Any:
        """Whether each point was seen, shape (F, N)."""
        return np.isfinite(self.positions).all(axis=-1)

    def frames(self, which: slice | Sequence[int] | Any) -> Points:
        """Some of the frames, in the order given; the rate is kept."""
        return self._taken(self.names, lambda array: array[which])

    def select(self, names: Sequence[str]) -> Points:
        """Some of the points, in the order given."""
        unknown = [n for n in names if n not in self.names]
        if unknown:
            raise UnknownName("point", unknown[0], self.names)
        at = [self.names.index(n) for n in names]
        return self._taken(tuple(names), lambda array: array[:, at])

    def _taken(self, names: tuple[str, ...], take: Callable[[Floats], Floats]) -> Points:
        rotations, confidence = (
            None if array is None else take(array) for array in (self.rotations, self.confidence)
        )
        taken = take(self.positions)
        return Points(names, taken, self.rate, rotations, confidence, self.notes)
