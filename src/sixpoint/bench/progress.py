"""How benches tell how far they are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

Progress = Callable[[int, int], None]
"""Called with the number of parts done and their total."""


def counted(progress: Progress | None, total: int) -> Callable[[], None]:
    """What to call after each of `total` parts."""
    done = count(1)

    def tell() -> None:
        if progress is not None:
            progress(next(done), total)

    return tell
