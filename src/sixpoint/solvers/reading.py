"""Points in the order and layout that kernels read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels.types import Floats, Ints
from ..motion.points import SIX, Points
from .context import Frames

T = TypeVar("T", bound=np.generic)


class FrameReader:
    """Brings points from the order in which they are given to that of a kernel.

    Args:
        names: order of the points that are given.
        wanted: order of the points that the kernel reads.
        rotated: of how many of them, counted from the first, it reads rotations.
        needed: those that must be given; others may be absent, and are never seen then.
    """

    def __init__(
        self, names: Sequence[str], wanted: Sequence[str], rotated: int, needed: Sequence[str]
    ) -> None:
        self.names = tuple(names)
        self.wanted = tuple(wanted)
        self._rotated = rotated
        self._needed = tuple(needed)
        lost = [name for name in self._needed if name not in self.names]
        if lost:
            many = "six" if self._needed == SIX else str(len(self._needed))
            raise InputError(
                f"Expected the {many} points {', '.join(self._needed)}; "
                f"got {', '.join(names) or 'none'}, without {', '.join(lost)}. "
                "A point that is seen only at times is NaN, not absent."
            )
        self.unused = tuple(name for name in self.names if name not in self.wanted)
        there = [name for name in self.wanted if name in self.names]
        self._into = np.array([self.wanted.index(name) for name in there], np.int64)
        self._order = np.array([self.names.index(name) for name in there], np.int64)
        order = {name: k for k, name in enumerate(self.wanted)}
        self.columns: Ints = np.array([order.get(n, len(order)) for n in self.names], np.int64)
        """For each given point its place among the wanted ones; the number of these if unused."""
        self._plain = self.names == self.wanted
        self._shape = (len(self.names), 3)

    def read(self, frame: Any, frames: Frames) -> None:
        """Write one frame into the first of `frames`.

        Args:
            frame: an array (N, 3) in the order of `names`, one frame of `Points`, or positions by
                name; a name that is left out is a point that was not seen.
            frames: for the kernel.
        """
        if isinstance(frame, Points):
            if len(frame) != 1:
                raise InputError(f"Expected one frame of points, got {len(frame)}.")
            reader = self.for_names(frame.names)
            reader.read_clip(frame, frames)
            return
        positions = self._array(frame)
        frames.rotations.fill(np.nan)  # those of an earlier frame of `Points` are not this frame's
        if self._plain:
            frames.positions[0] = positions
        else:
            frames.positions[0] = np.nan  # nor are points that only such a frame had
            frames.positions[0, self._into] = positions[self._order]

    def read_clip(self, points: Points, frames: Frames) -> None:
        """Write all frames of points that have this reader's names; rotations are normalized."""
        frames.positions[...] = np.nan
        frames.positions[:, self._into] = points.positions[:, self._order]
        if points.rotations is None:
            frames.rotations[...] = np.nan
            return
        rotated = np.full(frames.rotations.shape, np.nan)
        of_use = self._into < self._rotated
        rotated[:, self._into[of_use]] = points.rotations[:, self._order[of_use]]
        norm = np.linalg.norm(rotated, axis=-1, keepdims=True)
        known = np.isfinite(norm) & (norm > 1e-6)
        frames.rotations[...] = np.where(known, rotated / np.where(known, norm, 1.0), np.nan)

    def for_names(self, names: Sequence[str]) -> FrameReader:
        """Return the reader of points that are given in another order."""
        if tuple(names) == self.names:
            return self
        return FrameReader(names, self.wanted, self._rotated, self._needed)

    def as_given(self, values: np.ndarray[Any, np.dtype[T]], unused: Any) -> Any:
        """Return values of the wanted points (..., N) in the order given; others get `unused`."""
        rest = np.full((*values.shape[:-1], 1), unused, values.dtype)
        return np.concatenate([values, rest], axis=-1)[..., self.columns]

    def _array(self, frame: Any) -> Floats:
        if not isinstance(frame, np.ndarray) and isinstance(frame, Mapping):
            for name in frame:
                if name not in self.names:
                    raise UnknownName("point of this tracker", str(name), self.names)
            frame = [frame.get(name, (np.nan, np.nan, np.nan)) for name in self.names]
        try:
            positions = np.asarray(frame, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                "Expected an array of numbers, positions by name, or Points; got "
                f"{type(frame).__name__}."
            ) from error
        if positions.shape != self._shape:
            raise InputError(
                f"Expected an array of shape {self._shape} in the order {', '.join(self.names)}; "
                f"got shape {positions.shape}."
            )
        return positions
