from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from sixpoint.kernels import _jit
from sixpoint.kernels._jit import Kernel, helper, kernel

needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"),
    reason="NUMBA_DISABLE_JIT is set: nothing is compiled",
)


@helper
def twice(x):
    return 2.0 * x


@helper
def twice_and_one(x):
    return twice(x) + 1.0


@kernel
def two_x_plus_one(x):
    """Two x plus one."""
    return twice_and_one(x)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache folder."""
    monkeypatch.setattr(_jit, "_cache_home", lambda: tmp_path)
    return tmp_path


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_importing_kernels_does_not_import_numba():
    result = run_python(
        "import sys, sixpoint\n"
        "from sixpoint.kernels import _jit, arrays, linalg, quaternion, rotation, vector\n"
        "assert rotation.angle_wrap(7.0) < 1.0\n"
        "heavy = {'numba', 'llvmlite', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    assert result.returncode == 0, result.stderr


def test_helper_stays_the_function_it_was():
    assert twice_and_one(3.0) == 7.0
    assert twice_and_one.__module__ == __name__


def test_kernel_keeps_name_and_docstring():
    assert two_x_plus_one.__name__ == "two_x_plus_one"
    assert two_x_plus_one.__doc__ == "Two x plus one."


def test_kernel_computes_what_its_function_computes():
    assert two_x_plus_one(3.0) == two_x_plus_one.function(3.0) == 7.0


@needs_compiler
def test_kernel_is_compiled():
    two_x_plus_one(3.0)
    assert len(two_x_plus_one.compiled.signatures) == 1


@needs_compiler
def test_is_cached_only_after_compilation(cache):
    fresh = Kernel(two_x_plus_one.function)
    assert not fresh.is_cached()
    assert fresh(3.0) == 7.0
    assert fresh.is_cached()
    assert list(cache.rglob("*.nbc"))


@needs_compiler
def test_a_compiled_copy_is_taken_from_the_cache(cache):
    Kernel(two_x_plus_one.function)(3.0)
    again = Kernel(two_x_plus_one.function)
    assert again(3.0) == 7.0
    assert sum(again.compiled.stats.cache_hits.values()) == 1


@needs_compiler
def test_a_cache_that_cannot_be_written_is_done_without(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setattr(_jit, "_cache_home", lambda: blocked)
    fresh = Kernel(two_x_plus_one.function)
    assert fresh(3.0) == 7.0
    assert not fresh.is_cached()
    assert fresh.compiled.stats.cache_path is None  # numba found no other place either


@needs_compiler
def test_other_users_of_numba_keep_their_cache_folder(cache, monkeypatch):
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", "theirs")
    Kernel(two_x_plus_one.function)(3.0)
    assert numba.config.CACHE_DIR == "theirs"

    def broken(*args, **kwargs):
        assert numba.config.CACHE_DIR.startswith(str(cache))
        raise RuntimeError("no compiler today")

    monkeypatch.setattr(numba, "njit", broken)
    with pytest.raises(RuntimeError, match="no compiler today"):
        Kernel(two_x_plus_one.function)(3.0)
    assert numba.config.CACHE_DIR == "theirs"


@needs_compiler
def test_watchers_hear_of_new_compilations_only(cache):
    heard = []
    with _jit.watching(heard.append):
        Kernel(two_x_plus_one.function)(3.0)
        assert heard == ["two_x_plus_one"]
        Kernel(two_x_plus_one.function)(3.0)  # from the cache
    assert heard == ["two_x_plus_one"]


@needs_compiler
def test_watchers_hear_nothing_after_their_block_even_if_it_fails(cache):
    heard = []
    with pytest.raises(ZeroDivisionError), _jit.watching(heard.append):
        raise ZeroDivisionError
    Kernel(two_x_plus_one.function)(3.0)
    assert heard == []


@needs_compiler
def test_helpers_marked_after_a_compilation_are_known_to_the_next(cache):
    Kernel(two_x_plus_one.function)(3.0)

    @helper
    def thrice(x):
        return 3.0 * x

    @kernel
    def late(x):
        return thrice(x)

    assert late(2.0) == 6.0


@needs_compiler
def test_threads_may_compile_at_the_same_time(cache, monkeypatch):
    import numba.extending

    register = numba.extending.register_jitable

    def slowly(function):
        time.sleep(0.1)
        return register(function)

    monkeypatch.setattr(numba.extending, "register_jitable", slowly)

    @helper
    def half(x):
        return 0.5 * x

    def halved(x):
        return half(x)

    def compile_and_call(entry):
        # Not entry(3.0): the cached_property of Python 3.11 happens to hold a lock of its own.
        return _jit._compile(entry)(3.0)

    kernels = [Kernel(halved) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(compile_and_call, kernels)) == [1.5] * 3


def test_without_compiler_everything_runs_as_python():
    result = run_python(
        "import numpy as np\n"
        "from sixpoint.kernels.capsule import nearest_points_of_all as nearest\n"
        "a, b, c, d = (np.full((1, 3), x) for x in (0.0, 1.0, 2.0, 3.0))\n"
        "first, second = np.empty((2, 1, 3))\n"
        "nearest(a, b, c, d, first, second)\n"
        "assert first.tolist() == [[1.0, 1.0, 1.0]]\n"
        "assert nearest.compiled is nearest.function\n",
        NUMBA_DISABLE_JIT="1",
    )
    assert result.returncode == 0, result.stderr


KERNEL_MODULE = """
from __future__ import annotations
import math
from typing import NamedTuple
import numpy as np
from sixpoint.kernels._jit import frame_kernel, helper, kernel
from own_helpers import TABLE, State, unused, used

@kernel
def entry(state: State, x):
    return used(x) + TABLE[0] + math.sin(x)

@kernel
def other(x):
    return x

@kernel
def by_module(x):
    return own_helpers.used(x)

import own_helpers

def set_frame(context: State, frames, frame):
    frames[frame] = context.a[0] + used(frame)

def double_frame(context, frames, frame):
    frames[frame] *= 2.0

def frames_kernel(solve_frame):
    def loop(context, frames, first, last):
        for frame in range(first, last):
            solve_frame(context, frames, frame)
    return frame_kernel(solve_frame, loop)

set_frames = frames_kernel(set_frame)
double_frames = frames_kernel(double_frame)
"""

HELPER_MODULE = """
from __future__ import annotations
from typing import NamedTuple
import numpy as np
from sixpoint.kernels._jit import helper

TABLE = (1.0, 2.0)
FACTOR = 2.0

class Part(NamedTuple):
    x: np.ndarray
    y: np.ndarray

class State(NamedTuple):
    a: np.ndarray
    part: Part

@helper
def used(x):
    return FACTOR * inner(x)

@helper
def inner(x, less=1.0):
    return x - less

@helper
def unused(x):
    return x + 3.0
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """A function that writes the two modules, with a change, and returns the first, imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(old="", new=""):
        assert old in HELPER_MODULE
        (tmp_path / "own_helpers.py").write_text(HELPER_MODULE.replace(old, new, 1))
        (tmp_path / "own_kernels.py").write_text(KERNEL_MODULE)
        for name in ("own_helpers", "own_kernels"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module("own_kernels")

    return load


def hashes(module):
    """The hashes of three kernels of a module."""
    kernels = (module.entry, module.other, module.by_module)
    return [_jit.source_hash(kernel.function) for kernel in kernels]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("TABLE = (1.0, 2.0)", "TABLE = (1.0, 3.0)"),
        ("FACTOR = 2.0", "FACTOR = 2"),
        ("x - less", "less - x"),
        ("less=1.0", "less=2.0"),
        ("    x: np.ndarray\n    y: np.ndarray", "    y: np.ndarray\n    x: np.ndarray"),
        ("    a: np.ndarray\n    part: Part", "    part: Part\n    a: np.ndarray"),
    ],
    ids=["constant", "type", "helper of a helper", "default", "nested tuple", "tuple"],
)
def test_a_kernel_hash_covers_all_that_the_kernel_uses(load, old, new):
    before, after = hashes(load()), hashes(load(old, new))
    assert before[0] != after[0]
    assert before[1] == after[1]


@pytest.mark.parametrize(
    ("old", "new"), [("x + 3.0", "x + 4.0"), ("\nFACTOR", "\n# a comment\n\nFACTOR"), ("", "")]
)
def test_a_kernel_hash_ignores_what_the_kernel_does_not_use(load, old, new):
    assert hashes(load())[:2] == hashes(load(old, new))[:2]


def test_a_kernel_hash_covers_modules_that_are_used_by_name(load):
    assert hashes(load())[2] != hashes(load("x - less", "less - x"))[2]


def test_kernel_hashes_are_the_same_in_every_process():
    code = (
        "from sixpoint.solvers.guided.solver import solve_frames as k;"
        "from sixpoint.kernels._jit import source_hash; print(source_hash(k.function))"
    )
    hashes = {run_python(code, PYTHONHASHSEED=seed).stdout for seed in "12"}
    assert len(hashes) == 1
    assert len(hashes.pop().strip()) == _jit.HASH_LENGTH


@needs_compiler
def test_old_versions_of_a_kernel_leave_the_cache(cache):
    fresh = Kernel(two_x_plus_one.function)
    name = fresh.cache_folder.name[: -_jit.HASH_LENGTH]
    others = [fresh.cache_folder.with_name(f"{name}{i:0{_jit.HASH_LENGTH}}") for i in range(9)]
    stranger = fresh.cache_folder.with_name(f"more_{name}{0:0{_jit.HASH_LENGTH}}")
    for folder in (*others, stranger):
        folder.mkdir(parents=True)
    fresh(3.0)
    assert fresh.is_cached()
    assert stranger.exists()
    assert sum(folder.exists() for folder in others) == _jit.KEPT_VERSIONS - 1


@needs_compiler
def test_a_frame_kernel_runs_the_frames_in_its_range(cache, load):
    module = load()
    state = module.State(np.array([10.0]), part=module.own_helpers.Part(np.zeros(1), np.zeros(1)))
    frames = np.zeros(5)
    module.set_frames(state, frames, 1, 4)
    assert frames.tolist() == [0.0, 10.0, 12.0, 14.0, 0.0]
    module.set_frames.function(state, frames, 0, 1)
    assert frames[0] == 8.0


def test_a_bound_kernel_runs_frames_on_the_arrays_it_was_given(cache, load):
    module = load()
    state = module.State(np.array([10.0]), part=module.own_helpers.Part(np.zeros(1), np.zeros(1)))
    frames = np.zeros(4)
    run = module.set_frames.bind(state, frames)
    assert frames.tolist() == [0.0, 0.0, 0.0, 0.0]
    run(1, 3)
    assert frames.tolist() == [0.0, 10.0, 12.0, 0.0]
    state.a[0] = 20.0
    del state
    run(0, 2)
    assert frames.tolist() == [18.0, 20.0, 12.0, 0.0]


@needs_compiler
def test_binding_takes_the_compiled_copy_that_calls_use(cache, load):
    module = load()
    module.double_frames.bind(1.0, np.ones(2))(0, 2)
    module.double_frames(1.0, np.ones(2), 0, 2)
    assert len(module.double_frames.compiled.signatures) == 1
    again = Kernel(module.double_frames.function)
    again.bind(1.0, np.ones(2))
    assert sum(again.compiled.stats.cache_hits.values()) == 1


@needs_compiler
def test_frame_kernels_are_told_apart_in_the_cache(cache, load):
    module = load()
    heard = []
    with _jit.watching(heard.append):
        module.double_frames(1.0, np.zeros(2), 0, 2)
        assert module.double_frames.is_cached()
        assert not module.set_frames.is_cached()
    assert heard == ["double_frames"]


@needs_compiler
def test_a_second_process_takes_frame_kernels_from_the_cache(cache, load):
    load()
    code = (
        "import sys, numpy as np, own_kernels as m\n"
        "frames = np.ones(2)\n"
        "m.double_frames(1.0, frames, 0, 2)\n"
        "print(frames.sum(), sum(m.double_frames.compiled.stats.cache_hits.values()))"
    )
    places = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join([str(cache), *sys.path])}
    outputs = [run_python(code, **places) for _ in "12"]
    assert [output.stdout.split() for output in outputs] == [["4.0", "0"], ["4.0", "1"]]
    after = run_python(
        code + "\nprint(m.other(2.0), 'numba.np.arraymath' in sys.modules)", **places
    )
    assert after.stdout.split() == ["4.0", "1", "2.0", "True"], after.stderr
    light = run_python(code + "\nprint('numba.np.arraymath' in sys.modules)", **places)
    assert light.stdout.split() == ["4.0", "1", "False"], light.stderr


def test_a_frame_kernel_runs_as_python_without_the_compiler(tmp_path, load):
    load()
    code = (
        "import own_kernels as m\n"
        "frames = [1.0, 1.0]\n"
        "m.double_frames(1.0, frames, 1, 2)\n"
        "print(frames)"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    output = run_python(code, PYTHONPATH=path, NUMBA_DISABLE_JIT="1")
    assert output.stdout.strip() == "[1.0, 2.0]", output.stderr


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"])
def test_cache_home_can_be_given(monkeypatch, tmp_path, variable):
    for other in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    assert _jit._cache_home() == tmp_path


@pytest.mark.parametrize(
    ("platform", "folder"), [("linux", ".cache"), ("darwin", "Library/Caches")]
)
def test_cache_home_by_platform(monkeypatch, platform, folder):
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    assert _jit._cache_home() == Path.home() / folder


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_cache_is_compiled_anew(tmp_path, suffix):
    code = (
        "import numpy as np\n"
        "from sixpoint.kernels.capsule import nearest_points_of_all as k\n"
        "a, b, c, d = (np.full((1, 3), x) for x in (0.0, 1.0, 2.0, 3.0))\n"
        "p, w = np.empty((2, 1, 3))\n"
        "k(a, b, c, d, p, w); print(p.sum(), w.sum())"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}

    def run():
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )

    first = run()
    assert first.returncode == 0, first.stderr
    files = list(tmp_path.rglob(f"*{suffix}"))
    assert files
    for file in files:
        file.write_bytes(b"garbage")
    second = run()
    assert (second.returncode, second.stdout) == (0, first.stdout), second.stderr
