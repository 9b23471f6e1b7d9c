"""The one file that knows the compiler.

Kernels are plain Python. `helper` marks a small function that other kernels call: it stays an
ordinary Python function and is compiled into its callers (`register_jitable`: four times faster to
compile than a dispatcher for each). `kernel` marks an entry point, compiled at its first use.

Numba is imported at that first use and not before, so that reading a file or printing help does not
pay for it. With ``NUMBA_DISABLE_JIT=1`` everything runs as plain Python.

Numba's on-disk cache does not notice changes in helpers that live in other files; the cache folder
is therefore named by a hash over all kernel sources. Where it cannot be written, kernels are
compiled anew in every process.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

PACKAGE = Path(__file__).parent.parent

KERNEL_FOLDERS = ("kernels", "solvers/_kernels")
"""Where helpers and kernels may live, relative to the package: what the cache depends on."""

_lock = threading.Lock()
_pending: list[Callable[..., Any]] = []
_watchers: list[Callable[[str], None]] = []


@contextmanager
def watching(watcher: Callable[[str], None]) -> Iterator[None]:
    """Within the block, call with the name of each kernel that is about to be compiled anew."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def helper(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that kernels may call. Returns it unchanged."""
    _pending.append(function)
    return function


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark an entry point: compiled at its first call, cached on disk, releases the GIL."""
    return Kernel(function)


class Kernel(Generic[P, R]):
    """A function that is compiled when it is first called."""

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.compiled(*args, **kwargs)

    @functools.cached_property
    def compiled(self) -> Callable[P, R]:
        """The compiled function itself, for callers that count microseconds."""
        return _compile(self)

    def is_cached(self) -> bool:
        """Whether a compiled copy lies on disk, so that the first call will be quick."""
        name = f"{Path(self.function.__code__.co_filename).stem}.{self.function.__name__}-"
        return any(entry.name.startswith(name) for entry in cache_folder().rglob("*.nbi"))


def _compile(entry: Kernel[P, R]) -> Callable[P, R]:
    import numba
    from numba.extending import register_jitable

    config: Any = numba.config  # its names are made at run time
    if config.DISABLE_JIT:
        return entry.function
    if _watchers and not entry.is_cached():
        for watcher in _watchers:
            watcher(entry.function.__name__)
    with _lock:
        while _pending:
            register_jitable(_pending.pop())
        # The folder is set for this one function only: other users of numba keep theirs.
        before = config.CACHE_DIR
        config.CACHE_DIR = str(cache_folder())
        try:
            # Not left to numba, which would fall back to a folder that knows no hash.
            cache = _is_writable(cache_folder())
            # Without numba's runtime (_nrt) nothing can be allocated, which kernels must not do
            # anyway, and no references are counted, which took half of the time of a frame.
            options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
            compiled = numba.njit(cache=cache, **options)(entry.function)
            _survive_damage(compiled)
        finally:
            config.CACHE_DIR = before
    return cast("Callable[P, R]", compiled)


def _survive_damage(compiled: Any) -> None:
    """A damaged file in the cache is thrown away with its folder, and the kernel compiled anew."""
    cache: Any = getattr(compiled, "_cache", None)
    load = getattr(cache, "load_overload", None)
    if load is None:
        return  # not cached, or another numba

    def load_overload(*args: Any) -> Any:
        try:
            return load(*args)
        except Exception:  # whatever pickle makes of garbage
            shutil.rmtree(cache_folder(), ignore_errors=True)
            cache_folder().mkdir(parents=True, exist_ok=True)
            return None

    cache.load_overload = load_overload


@functools.cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: one folder for each version of their sources."""
    return _cache_home() / "sixpoint" / f"kernels-{_source_hash(PACKAGE)}"


def _cache_home() -> Path:
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        if os.environ.get(variable):
            return Path(os.environ[variable])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"


def _source_hash(package: Path) -> str:
    from importlib.metadata import version  # 12 ms, and only here

    digest = hashlib.sha256(f"{sys.version} numba {version('numba')}".encode())
    for folder in KERNEL_FOLDERS:
        for source in sorted((package / folder).glob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
