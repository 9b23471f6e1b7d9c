"""Draw the pictures of the documentation: ``python docs/pictures.py [NAME...]``.

Everything is drawn by the package from its own built-in figure and clips, so the pictures show what
the code does and not what it should do. The same code gives the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from drawing import chains, layouts, particles, people, scenes, sequential  # noqa: F401  (fill the table)
from drawing.canvas import PICTURES

FOLDER = Path(__file__).parent / "_pictures"
LARGEST = 150_000
"""No picture is larger than this [bytes]."""


def main(names: Sequence[str]) -> int:
    """Draw the named pictures, or all."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or PICTURES:
        path = FOLDER / f"{name}.png"
        PICTURES[name](path)
        size = path.stat().st_size
        sys.stdout.write(f"{path.name:<24} {size / 1000:6.1f} kB\n")
        if size > LARGEST:
            sys.stderr.write(f"{path.name} is larger than {LARGEST / 1000:.0f} kB\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
