from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
    folder = tmp_path / "cache"
    monkeypatch.setattr(_jit, "cache_folder", lambda: folder)
    return folder


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
        "from sixpoint.kernels import _jit, arrays, chain, linalg, quaternion, rotation, vector\n"
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
    monkeypatch.setattr(_jit, "cache_folder", lambda: blocked / "cache")
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
        assert str(cache) == numba.config.CACHE_DIR
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
        "from sixpoint.kernels.chain import chain_forward_frames as forward\n"
        "positions, world = np.empty((1, 1, 3)), np.empty((1, 1, 4))\n"
        "turn = np.array([[[1.0, 0.0, 0.0, 0.0]]])\n"
        "forward(np.array([-1]), np.ones((1, 1, 3)), turn, positions, world)\n"
        "assert positions.tolist() == [[[1.0, 1.0, 1.0]]]\n"
        "assert forward.compiled is forward.function\n",
        NUMBA_DISABLE_JIT="1",
    )
    assert result.returncode == 0, result.stderr


@pytest.fixture
def sources(tmp_path):
    """A package of kernels in miniature."""
    for folder in _jit.KERNEL_FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.py").write_text("x = 1\n")
    return tmp_path


@pytest.mark.parametrize("folder", _jit.KERNEL_FOLDERS)
def test_changing_any_source_changes_the_hash(sources, folder):
    before = _jit._source_hash(sources)
    assert _jit._source_hash(sources) == before
    (sources / folder / "a.py").write_text("x = 2\n")
    assert _jit._source_hash(sources) != before


def test_cache_folder_is_named_by_the_hash():
    folder = _jit.cache_folder.__wrapped__()  # afresh: sources may have been edited meanwhile
    assert folder.name == f"kernels-{_jit._source_hash(_jit.PACKAGE)}"
    assert folder.parent == _jit._cache_home() / "sixpoint"


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


def test_kernels_live_only_where_the_hash_looks():
    marked = [
        path.parent.relative_to(_jit.PACKAGE).as_posix()
        for path in _jit.PACKAGE.rglob("*.py")
        if "_jit import" in path.read_text(encoding="utf-8")
        and any(m in path.read_text(encoding="utf-8") for m in ("@helper", "@kernel"))
    ]
    assert marked
    assert set(marked) <= set(_jit.KERNEL_FOLDERS)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_cache_is_compiled_anew(tmp_path, suffix):
    code = (
        "import numpy as np\n"
        "from sixpoint.kernels.chain import chain_forward_frames as k\n"
        "one = np.zeros((1, 1, 4)); one[..., 0] = 1\n"
        "p, w = np.ones((1, 1, 3)), np.zeros((1, 1, 4))\n"
        "k(np.array([-1]), np.zeros((1, 1, 3)), one, p, w); print(w[0, 0, 0], p.sum())"
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
