"""The one file that knows the compiler.

Kernels are plain Python. `helper` marks a small function that other kernels call: it stays an
ordinary Python function and is compiled into its callers (`register_jitable`: four times faster to
compile than a dispatcher for each). `kernel` marks an entry point, compiled at its first use, and
`frame_kernel` makes one from a function that solves a single frame.

Numba is imported at that first use and not before, so that reading a file or printing help does not
pay for it. With ``NUMBA_DISABLE_JIT=1`` everything runs as plain Python.

Numba's on-disk cache does not notice changes in helpers that live in other files. Each kernel is
therefore cached in a folder of its own, named by a hash over the bytecode of every function that it
calls, directly or not, and over the constants and tuple types that those use. Where the folder
cannot be written, the kernel is compiled anew in every process.
"""

# mypy: disallow-untyped-calls=False
from __future__ import annotations

import functools
import gc
import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

HASH_LENGTH = 12
KEPT_VERSIONS = 4
"""How many versions of a kernel stay in the cache, for installations that share it."""

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


def frame_kernel(
    solve_frame: Callable[..., None], loop: Callable[..., None]
) -> Kernel[[Any, Any, int, int], None]:
    """Return a loop over frames as an entry point, named after the function that solves a frame.

    ``loop(context, frames, first, last)`` calls ``solve_frame(context, frames, frame)`` for the
    frames `first` to `last - 1`, and is a closure over it. `solve_frame` becomes a helper.
    """
    helper(solve_frame)
    loop.__module__ = solve_frame.__module__
    loop.__name__ = loop.__qualname__ = f"{solve_frame.__name__}s"
    loop.__doc__ = solve_frame.__doc__
    return Kernel(loop)


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

    def bind(self, *args: Any) -> Callable[[int, int], R]:
        """Return a function of the last two arguments, `first` and `last`, for the others given.

        It is compiled, or loaded, at once. A call costs less than a microsecond, where the kernel
        itself looks at the type of every array in its arguments, each time. What is in the arrays
        may change between calls.
        """
        compiled: Any = self.compiled
        if compiled is self.function:  # NUMBA_DISABLE_JIT
            return functools.partial(self.function, *args)
        import numba

        signature = (*map(numba.typeof, args), numba.types.int64, numba.types.int64)
        compiled.compile(signature)
        return functools.partial(compiled.overloads[signature].entry_point, *args)

    @functools.cached_property
    def cache_folder(self) -> Path:
        """Where compiled copies are kept: one folder for each version of all that is compiled."""
        name = f"{self.function.__module__}.{self.function.__name__}"
        return _cache_home() / "sixpoint" / f"{name}-{source_hash(self.function)}"

    def is_cached(self) -> bool:
        """Whether a compiled copy lies on disk, so that the first call will be quick."""
        return any(self.cache_folder.rglob("*.nbi"))


def _compile(entry: Kernel[P, R]) -> Callable[P, R]:
    import numba

    config: Any = numba.config  # its names are made at run time
    if config.DISABLE_JIT:
        return entry.function
    if not entry.is_cached():
        for watcher in _watchers:
            watcher(entry.function.__name__)
    with _lock:
        # The folder is set for this one function only: other users of numba keep theirs.
        before = config.CACHE_DIR
        config.CACHE_DIR = str(entry.cache_folder)
        try:
            # Not left to numba, which would fall back to a folder that knows no hash.
            cache = _prepare_folder(entry.cache_folder)
            # Without numba's runtime (_nrt) nothing can be allocated, which kernels must not do
            # anyway, and no references are counted, which took half of the time of a frame.
            options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
            pipeline = _pipelines()[0]
            compiled = numba.njit(cache=cache, pipeline_class=pipeline, **options)(entry.function)
            _load_lightly(compiled, entry.cache_folder)
        finally:
            config.CACHE_DIR = before
    return cast("Callable[P, R]", compiled)


@functools.cache
def _pipelines() -> tuple[type[Any], type[Any]]:
    """Return how numba compiles kernels, and how it compiles helpers.

    By default numba optimizes each helper together with all that it calls, and makes machine code
    of it, although helpers run only inside kernels. Here helpers stay intermediate code, which is
    linked, optimized and made machine code once, with the kernel. That halves the time to compile.
    """
    from numba.core import codegen
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import NativeLowering
    from numba.extending import register_jitable

    class HelperLibrary(codegen.JITCodeLibrary):
        """Intermediate code of one helper."""

        def finalize(self) -> None:
            self._finalized = True
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "external":
                    function.linkage = "linkonce_odr"  # gone where it was inlined everywhere

        def _get_module_for_linking(self) -> Any:
            self._ensure_finalized()
            return self._final_module

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

    class KernelLibrary(codegen.JITCodeLibrary):
        """Code of a kernel and of all helpers that it calls, directly or not."""

        def finalize(self) -> None:
            found = dict.fromkeys(self._linking_libraries)
            pending = list(found)
            while pending:
                library = pending.pop()
                if isinstance(library, HelperLibrary):
                    pending += [more for more in library._linking_libraries if more not in found]
                    found.update(dict.fromkeys(library._linking_libraries))
            self._linking_libraries = list(found)
            super().finalize()

    @register_pass(mutates_CFG=True, analysis_only=False)
    class HelperLowering(NativeLowering):
        _name = "sixpoint_helper_lowering"

        def run_pass(self, state: Any) -> bool:
            state.library = HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
            state.flags.no_compile = True
            super().run_pass(state)
            # Callers find the code by this entry point, which nobody calls; numba wants a builtin.
            entry_point: Any = [].append
            state.targetctx.insert_user_function(entry_point, state["cr"].fndesc, [state.library])
            state["cr"] = state["cr"]._replace(cfunc=entry_point)
            return True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class KernelLowering(NativeLowering):
        _name = "sixpoint_kernel_lowering"

        def run_pass(self, state: Any) -> bool:
            state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.flags.no_cfunc_wrapper = True
            return bool(super().run_pass(state))

    def passes(state: Any, lowering: type[Any]) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(state)
        manager.passes = [
            (lowering if step is NativeLowering else step, why) for step, why in manager.passes
        ]
        return [manager]

    class HelperCompiler(CompilerBase):
        def define_pipelines(self) -> list[Any]:
            return passes(self.state, HelperLowering)

    class KernelCompiler(CompilerBase):
        def define_pipelines(self) -> list[Any]:
            return passes(self.state, KernelLowering)

        def compile_extra(self, function: Any) -> Any:
            # Only here, because kernels from the cache need no helpers.
            while _pending:
                register_jitable(pipeline_class=HelperCompiler)(_pending.pop())
            self.state.typingctx.refresh()
            collects = gc.isenabled()
            gc.disable()  # a tenth of the time, for nothing
            try:
                return super().compile_extra(function)
            finally:
                if collects:
                    gc.enable()

    return KernelCompiler, HelperCompiler


def _load_lightly(compiled: Any, folder: Path) -> None:
    """Load cached code without what only compiling needs, and survive a damaged cache.

    Numba would first import and register all functions of NumPy and Python that it can compile,
    which takes several times as long as loading a kernel. A damaged file is thrown away with its
    folder, and the kernel compiled anew.
    """
    cache: Any = getattr(compiled, "_cache", None)
    load = getattr(cache, "_load_overload", None)
    if load is None:
        return  # not cached, or another numba

    def load_overload(*args: Any) -> Any:
        try:
            return load(*args)
        except Exception:  # whatever pickle makes of garbage
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
            return None

    cache.load_overload = load_overload


def _cache_home() -> Path:
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        if os.environ.get(variable):
            return Path(os.environ[variable])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"


def source_hash(function: Callable[..., Any]) -> str:
    """Return a hash of everything that a kernel is compiled from, except its arguments."""
    import numba

    digest = hashlib.sha256(f"{sys.version} numba {numba.__version__}".encode())
    digest.update(Path(__file__).read_bytes())  # has the options of the compiler
    pending: list[Any] = [function]
    seen: dict[int, Any] = {}
    while pending:
        value = pending.pop()
        text, parts = _describe(value)
        digest.update(text.encode())  # each time: small numbers are one object wherever they stand
        if id(value) not in seen:
            seen[id(value)] = value
            pending += parts
    return digest.hexdigest()[:HASH_LENGTH]


def _describe(value: Any) -> tuple[str, list[Any]]:
    """Return what the compiler takes from a value, as text, and the values that it refers to."""
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
    if isinstance(value, Kernel):
        return name, [value.function]
    if isinstance(value, FunctionType):
        if _is_foreign(value.__module__):
            return name, []
        codes = list(_nested_codes(value.__code__))
        names = {name for code in codes for name in code.co_names} | _words(value.__annotations__)
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        parts = [*_found(names, value.__globals__), *cells, *(value.__defaults__ or ())]
        return "".join(map(_code_text, codes)), parts
    if isinstance(value, type):
        if issubclass(value, Enum):
            return f"{name} {list(value)!r}", []
        fields = getattr(value, "_fields", ())  # of a NamedTuple
        words = _words(value.__annotations__) if fields else set()
        return f"{name} {fields}", _found(words, vars(sys.modules[value.__module__]))
    if isinstance(value, ModuleType):
        if _is_foreign(value.__name__) or value.__file__ is None:
            return value.__name__, []
        functions = [part for part in vars(value).values() if isinstance(part, FunctionType)]
        return Path(value.__file__).read_text(encoding="utf-8"), functions
    if isinstance(value, tuple):
        return f"tuple of {len(value)}", list(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}", []
    text = repr(value)
    return (name if " at 0x" in text else text), []


def _is_foreign(module: str) -> bool:
    """Whether a module is known by its version: part of Python, NumPy or Numba."""
    package = module.partition(".")[0]
    return package in ("numpy", "numba") or package in sys.stdlib_module_names


def _found(names: set[str], namespace: dict[str, Any]) -> list[Any]:
    return [namespace[name] for name in sorted(names) if name in namespace]


def _nested_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions inside it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _nested_codes(const)


def _code_text(code: CodeType) -> str:
    consts = [const for const in code.co_consts if not isinstance(const, CodeType)]
    names = (code.co_names, code.co_varnames, code.co_freevars)
    return f"{code.co_name} {code.co_code.hex()} {names} {consts!r}"


def _words(annotations: dict[str, Any]) -> set[str]:
    """Return the names that annotations mention, whether these are evaluated or text."""
    parts = (getattr(part, "__name__", part) for part in annotations.values())
    return set(re.findall(r"\w+", " ".join(map(str, parts))))


def _prepare_folder(folder: Path) -> bool:
    """Make a folder, remove old ones of the same kernel, and tell whether it can be written."""
    name = folder.name.rpartition("-")[0]
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            versions = folder.parent.glob(f"{name}-{'[0-9a-f]' * HASH_LENGTH}")
            others = [version for version in versions if version != folder]
            by_age = sorted(others, key=lambda version: version.stat().st_mtime, reverse=True)
            for old in by_age[KEPT_VERSIONS - 1 :]:
                shutil.rmtree(old, ignore_errors=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
