"""What experiments share: their declaration, tables, clips, solvers, trials, clock and machine.

`Experiment.run` takes the options, ``quick`` (fewer trials and frames, the same keys) and
``progress`` (called with the number of parts done and their total), and returns numbers for JSON.
"""

from __future__ import annotations

import gc
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..kernels.types import Floats
from ..motion.motion import Motion
from ..solvers import SOLVERS, Solver, solver

Measurements = dict[str, Any]
"""Measured numbers, ready for JSON."""
Row = Mapping[str, Any]
Progress = Callable[[int, int], None] | None

SEED = 20080408
"""Seed of random targets, noise and drop-outs."""


class Column(NamedTuple):
    """One column of a table: which number of a row it shows, and how."""

    title: str
    key: str
    """Key in the row; ``a.b`` looks up ``b`` in the row's mapping ``a``."""
    form: str = ""
    """Format specification; default four digits for fractions."""
    factor: float = 1.0
    """Numbers are multiplied by it before they are printed, for instance 1e3 for millimetres."""

    def cell(self, row: Row) -> str:
        """Return the text of this column for a row; ``-`` for what is unknown."""
        value: Any = row
        for part in [self.key] if self.key in row else self.key.split("."):
            value = None if value is None else value.get(part)
        if value is None:
            return "-"
        if self.factor != 1.0:
            value = self.factor * value
        return format(value, self.form or (".4g" if isinstance(value, float) else ""))


def columns(keys: str) -> list[Column]:
    """Return a column for each ``KEY`` or ``KEY:FORMAT`` of a text; keys are also their titles."""
    pairs = (key.partition(":") for key in keys.split())
    return [Column(re.sub(r"[._]", " ", key), key, form) for key, _, form in pairs]


class Table(NamedTuple):
    """A table of measurements."""

    title: str
    columns: list[Column]
    rows: Sequence[Row]

    def cells(self) -> list[list[str]]:
        """Return the text of each column for each row."""
        return [[column.cell(row) for column in self.columns] for row in self.rows]


class Facts(NamedTuple):
    """Single measurements, one a line: name and text."""

    title: str | None
    pairs: Sequence[tuple[str, str]]


def table(title: str, keys: str, rows: Sequence[Row] | Mapping[str, Row]) -> Table:
    """Return a table with columns as in `columns`; rows may also be a mapping by name."""
    if isinstance(rows, Mapping):
        rows = [{"name": name, **row} for name, row in rows.items()]
        keys = f"name {keys}"
    return Table(title, columns(keys), rows)


def facts(title: str, keys: str, found: Row) -> Facts:
    """Return single numbers of a report, with keys as in `columns`."""
    return Facts(title, [(column.title, column.cell(found)) for column in columns(keys)])


def pivot(
    title: str, rows: Iterable[Row], keys: tuple[str, str, str], heads: tuple[str, str, str]
) -> Table:
    """Return a table with a row for each value of one key and a column for each of another.

    Args:
        title: of the table.
        rows: what was measured.
        keys: key of the rows, key of the columns, key of the numbers.
        heads: title of the first column with the format of its values after a colon, title of the
            other columns with ``{}`` for the value, format of the numbers.
    """
    down, across, value = keys
    found: dict[Any, dict[str, Any]] = {}
    for row in rows:
        found.setdefault(row[down], {down: row[down]})[str(row[across])] = row[value]
    others = dict.fromkeys(key for row in found.values() for key in row if key != down)
    head, _, form = heads[0].partition(":")
    shown = [Column(heads[1].format(key), key, heads[2]) for key in others]
    return Table(title, [Column(head, down, form), *shown], list(found.values()))


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in (head, *rows)]
    escaped.insert(1, ["---"] * len(head))
    return ["| " + " | ".join(row) + " |" for row in escaped]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A measurement that `sixpoint bench NAME` repeats and shows."""

    about: str
    """What it measures, for the help, below the line in `EXPERIMENTS`."""
    run: Callable[..., Any]
    """Called with the options, `quick` and `progress`; returns what it measured. The command adds
    the name of the experiment, `quick` and the machine."""
    show: Callable[[Measurements], Iterator[Table | Facts]]
    """The tables that are printed."""
    options: Sequence[click.Option] = ()
    solvers: Callable[[Mapping[str, Any]], Iterable[Solver]]
    """Solvers that these options ask for, to be compiled first; raises if the options are wrong."""
    body: Callable[[], Skeleton] = Skeleton.humanoid
    """Skeleton on which they are compiled."""
    inputs: Callable[[dict[str, Any]], tuple[dict[str, Any], Sequence[str]]] = lambda given: (
        given,
        (),
    )
    """Reads files: options as given -> arguments of `run`, and notes for the user."""
    report: Callable[[Any], Measurements] = dict
    """What `run` returned, as numbers for JSON."""
    files: Callable[[Any, Path, Mapping[str, Any]], Iterable[Path]] | None = None
    """Writes pictures and other files into a folder: (what `run` returned, folder, arguments)."""
    json_name: str = ""
    """File of the numbers in the output folder; default ``NAME.json``."""
    output: str | None = None
    """Default output folder; None: files are written only where -o is given."""
    output_help: str = ""


def solvers_option(
    default: str = "all",
    metavar: str = "all|NAME,NAME...",
    text: str = "Which solvers; see `sixpoint solvers`.",
) -> click.Option:
    """Return the option for several solvers: a list of names, None for all."""

    def names(ctx: click.Context, param: click.Parameter, text: str) -> list[str] | None:
        return None if text == "all" else [name.strip() for name in text.split(",")]

    return click.Option(["--solvers"], default=default, show_default=True, metavar=metavar,
                        callback=names, help=text)  # fmt: skip


def trials_option(text: str, least: int = 1) -> click.Option:
    """Return the option for the number of trials."""
    return click.Option(["--trials"], type=click.IntRange(least), metavar="N", help=text)


DATA_OPTION = click.Option(
    ["--data"], metavar="DIR", help="A BVH clip or a folder of them; default the built-in clips."
)


def read_clips(options: dict[str, Any]) -> tuple[dict[str, Any], Sequence[str]]:
    """Replace the option `data` by `clips`, see `load_clips`."""
    given = dict(options)
    return given | {"clips": load_clips(given.pop("data"))}, ()


def load_clips(data: str | None) -> dict[str, Motion]:
    """Load the clips of a file or folder by file name without ending; or all built-in ones."""
    from ..data import clips
    from ..formats import load

    if data is None:
        return {name: clips.builtin(name) for name in clips.CLIPS}
    paths = clip_paths(data)
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):  # clips of the same name in several folders
        names = [str(path.relative_to(data).with_suffix("")) for path in paths]
    return {name: load(path) for name, path in zip(names, paths, strict=True)}


def clip_paths(data: str) -> list[Path]:
    """Return a file itself, or all BVH files below a folder, sorted."""
    folder = Path(data)
    paths = sorted(folder.rglob("*.bvh")) if folder.is_dir() else [folder]
    if not paths:
        raise InputError(f"{data}: expected a folder with BVH clips, found none.")
    return paths


def choose_solvers(
    names: Sequence[str] | None, ability: str = "humans", **settings: Any
) -> list[Solver]:
    """Return solvers by name, each once.

    Args:
        names: keys of `SOLVERS`; None for all that are able.
        ability: a capability that they need, "humans" or "chains".
        settings: used for those solvers that have a setting of that name.
    """
    what = {"humans": "solver of people", "chains": "solver of any figure"}[ability]
    able = [name for name, kind in SOLVERS.items() if getattr(kind.capabilities, ability)]
    chosen = []
    for name in able if names is None else names:
        if name not in able:
            raise UnknownName(what, name, able)
        used = {key: value for key, value in settings.items() if has_setting(SOLVERS[name], key)}
        chosen.append(solver(name, **used))
    if not chosen:
        raise InputError(f"Expected at least one solver, got none; there are {', '.join(able)}.")
    return list(dict.fromkeys(chosen))


def has_setting(kind: type[Solver] | Solver, name: str) -> bool:
    """Return whether a solver has a setting of that name."""
    return name in getattr(kind, "__dataclass_fields__", {})


def excerpt(clip: Motion, frames: int, first: int | None = None) -> Motion:
    """Return at most so many frames of a clip, from its middle or from `first`."""
    start = max(0, (len(clip) - frames) // 2) if first is None else first
    return clip.frames(slice(start, start + frames))


def counted(progress: Progress, total: int) -> Callable[[], None]:
    """Return what to call after each of `total` parts."""
    done = count(1)
    return lambda: None if progress is None else progress(next(done), total)


def timed(work: Callable[..., Any], *arguments: Any, runs: int = 1) -> tuple[float, Any]:
    """Return the shortest wall time of several calls [us], and the result of the last.

    Whatever disturbs a call (other programs, a cold cache) only makes it slower. Garbage is not
    collected while the clock runs, as in `timeit`.
    """
    best, result, collecting = float("inf"), None, gc.isenabled()
    gc.disable()
    try:
        for _ in range(runs):
            begin = time.perf_counter_ns()
            result = work(*arguments)
            best = min(best, (time.perf_counter_ns() - begin) / 1e3)
    finally:
        if collecting:
            gc.enable()
    return best, result


class Trials(NamedTuple):
    """Solves of a chain, one for each target."""

    distances: Floats
    """Distance of the end effector from the target [m], shape (T,)."""
    iterations: Floats
    """Number of iterations, shape (T,)."""
    us: Floats
    """Wall time of a call, the shortest of several [us], shape (T,)."""


def solve_each(
    tracker: Any, targets: Floats, begin: Callable[[int], object] | None = None, repeats: int = 1
) -> Trials:
    """Solve for each of the targets (T, 3) of the first point.

    Args:
        tracker: of one point.
        targets: one for each trial [m].
        begin: called with the number of the trial before each solve; default `Tracker.reset`.
        repeats: solves of each target; the quickest is timed.
    """
    found = Trials(*np.empty((3, len(targets))))
    for k, target in enumerate(targets[:, None]):
        found.us[k] = np.inf
        for _ in range(repeats):
            if begin is None:
                tracker.reset()
            else:
                begin(k)
            us, solution = timed(tracker.solve, target)
            found.us[k] = min(found.us[k], us)
        found.distances[k] = solution.residuals[0]
        found.iterations[k] = solution.iterations
    return found


def machine() -> dict[str, Any]:
    """Return what timings depend on: processor, cores, versions."""
    try:
        cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        cpu = None
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": cpu[1].strip() if cpu else platform.processor() or "unknown",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }
