"""The one file that knows OpenCV: imported at the first picture, asked for by name if absent."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from ..errors import MissingExtra


@cache
def opencv() -> Any:
    """The module `cv2`, on one thread: frames are small, and a caller may have its own threads."""
    try:
        module = importlib.import_module("cv2")
    except ImportError as error:
        raise MissingExtra("OpenCV", "vision", "Looking at pictures") from error
    module.setNumThreads(1)
    return module
