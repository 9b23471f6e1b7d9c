"""Writes a temporary file and renames it, so that a file is replaced whole or not at all."""

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
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` when the block ends without an error.

    On an error the new content is discarded and an existing file stays as it was. Symbolic links
    are followed; permissions of an existing file are kept.

    Raises:
        CannotWrite: the folder is missing or not writable, the disk is full, the path is no file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise CannotWrite("expected the name of a file, got a folder or a device", path=path)
    temporary = target.with_name(f".{target.name[:100]}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(temporary, "wb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise CannotWrite((error.strerror or str(error)).lower(), path=path) from error
    finally:
        with suppress(OSError):
            temporary.unlink()
