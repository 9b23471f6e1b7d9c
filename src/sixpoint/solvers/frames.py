"""Points in the order and layout that kernels read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats, Ints
from ..motion.points import SIX, Points

TURNED = 2
"""Of the six points, rotations of the first two are of use: pelvis and head."""


class FrameReader:
    """Takes points in any order to those that a tracker wants, by default the six.

    Buffers are allocated once; a streamed frame is copied into them.

    Args:
        names: order of the points that are given.
        wanted: order of the points that kernels read.
        turns: of how many of them, counted from the first, rotations are of use.
        needed: those that must be there; others may be absent, and are never seen then. None: all.
    """

    def __init__(
        self,
        names: Sequence[str],
        wanted: Sequence[str] = SIX,
        turns: int = TURNED,
        needed: Sequence[str] | None = None,
    ) -> None:
        self.names = tuple(names)
        self.wanted = tuple(wanted)
        self._turns = turns
        self._needed = self.wanted if needed is None else tuple(needed)
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
        self._into = np.array([self.wanted.index(name) for name in there])
        self._order = np.array([self.names.index(name) for name in there])
        order = {name: k for k, name in enumerate(self.wanted)}
        self.order_back: Ints = np.array([order.get(n, len(order)) for n in self.names], np.int64)
        """Column of `FrameTable.residuals` for each given point; the last, NaN, if not used."""
        self._plain = self.names == self.wanted
        self._seen = np.full((1, len(self.wanted), 3), np.nan)
        self._turned = np.full((1, turns, 4), np.nan)
        self._shape = (len(self.names), 3)

    def read(self, frame: Floats | Points) -> tuple[Floats, Floats]:
        """One frame as positions (1, N, 3) and rotations (1, T, 4); see `read_clip`."""
        if isinstance(frame, Points):
            if len(frame) != 1:
                raise InputError(f"Expected one frame of points, got {len(frame)}.")
            again = FrameReader(frame.names, self.wanted, self._turns, self._needed)
            return again.read_clip(frame)
        try:
            positions = np.asarray(frame, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"Expected an array of numbers or Points, got {type(frame).__name__}."
            ) from error
        if positions.shape != self._shape:
            raise InputError(
                f"Expected an array of shape {self._shape} in the order {', '.join(self.names)}; "
                f"got shape {positions.shape}."
            )
        if self._plain:
            self._seen[0] = positions
        else:
            self._seen[0, self._into] = positions[self._order]
        return self._seen, self._turned

    def read_clip(self, points: Points) -> tuple[Floats, Floats]:
        """All frames as positions (F, N, 3) of the wanted points, and rotations (F, T, 4).

        Rotations are those of the first T points: of the six, pelvis and head.
        """
        seen = np.full((len(points), len(self.wanted), 3), np.nan)
        seen[:, self._into] = points.positions[:, self._order]
        turned = np.full((len(points), self._turns, 4), np.nan)
        if points.rotations is not None:
            of_use = self._into < self._turns
            turned[:, self._into[of_use]] = points.rotations[:, self._order[of_use]]
            norm = np.linalg.norm(turned, axis=-1, keepdims=True)
            known = np.isfinite(norm) & (norm > 1e-6)
            turned = np.where(known, turned / np.where(known, norm, 1.0), np.nan)
        return seen, turned

    def place(self, wanted: Floats) -> Floats:
        """The wanted points (N, 3) as a frame in the order given, NaN for others."""
        return np.concatenate([wanted, np.full((1, 3), np.nan)])[self.order_back]

    def missing(self, bits: int) -> tuple[str, ...]:
        """Names of the wanted points whose bit is set."""
        return tuple(name for k, name in enumerate(self.wanted) if bits >> k & 1)
