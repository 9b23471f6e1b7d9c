"""Files appear whole or not at all: written beside, then renamed."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import CannotWrite


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of `path` when the block ends well.

    On any error the new content is thrown away and an existing file stays as it was. A link is
    followed; permissions of an existing file are kept.

    Raises:
        CannotWrite: the folder is missing or not writable, the disk is full, the path is no file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise CannotWrite("expected the name of a file, got a folder or a device", path=path)
    beside = target.with_name(f".{target.name[:100]}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(beside, "wb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except OSError as error:
        raise CannotWrite((error.strerror or str(error)).lower(), path=path) from error
    finally:
        with suppress(OSError):
            beside.unlink()
