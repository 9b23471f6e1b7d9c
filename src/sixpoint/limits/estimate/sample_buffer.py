"""Samples of motion, kept in the order in which they came, in a bounded memory.

Estimation goes over them twice: the frames in which angles are measured depend on all of them.
What is more than a few megabytes lies in a temporary file, so memory does not grow with the number
of clips.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator

import numpy as np

from ...kernels.types import Bools, Floats

IN_MEMORY = 8_000_000
"""Bytes that stay in memory."""
BLOCK = 1024
"""Samples that are read at a time; whatever pieces they came in, sums run over the same blocks."""


class SampleBuffer:
    """Rotations of J joints, sample after sample, with marks where time jumps."""

    def __init__(self, joints: int) -> None:
        self._joints = joints
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._starts: list[int] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, samples: Floats, jump: bool) -> None:
        """Append samples (n, J, 4); `jump`: they do not follow on those before."""
        if jump:
            self._starts.append(self._count)
        self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(samples, dtype=np.float64).tobytes())
        self._count += len(samples)

    def blocks(self) -> Iterator[tuple[Floats, Bools]]:
        """All samples in blocks (n, J, 4), and which of them follow on a jump (n,)."""
        starts = np.zeros(self._count, bool)
        starts[[k for k in self._starts if k < self._count]] = True
        self._file.seek(0)
        for first in range(0, self._count, BLOCK):
            rows = min(BLOCK, self._count - first)
            data = self._file.read(rows * self._joints * 32)
            yield np.frombuffer(data).reshape(rows, self._joints, 4), starts[first : first + rows]

    def sample(self, index: int) -> Floats:
        """One sample, shape (J, 4)."""
        self._file.seek(index * self._joints * 32)
        return np.frombuffer(self._file.read(self._joints * 32)).reshape(self._joints, 4).copy()
