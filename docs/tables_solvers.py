"""Tables of solvers and tasks: what they can do, their settings, reports and laws."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable
from functools import partial
from pathlib import Path

from docstrings import field_docs, first_line
from grid import rows

import sixpoint.tasks
from sixpoint.api import REPORT_KEYS
from sixpoint.motion.comparison import Comparison
from sixpoint.solvers import SOLVERS, Capabilities, Report, StopReason
from sixpoint.solvers.conformance import LAWS
from sixpoint.solvers.settings import settings_of
from sixpoint.tasks import Task

SOLVER_PAGES = [p for p in sorted(Path(__file__).parent.glob("solvers/*.md")) if p.stem in SOLVERS]
"""Every page of a solver shows its settings."""


def yes(fact: object) -> str:
    """A tick or a dash."""
    return "yes" if fact else "–"


def capabilities() -> str:
    """What each solver can do."""
    docs = field_docs(Capabilities)
    names = list(SOLVERS)
    return rows(
        ("", *(f"[`{name}`]({name}.md)" for name in names)),
        [
            ("method", *(SOLVERS[name].title for name in names)),
            *(
                (
                    f"**{key}** – {text}",
                    *(yes(getattr(SOLVERS[n].capabilities, key)) for n in names),
                )
                for key, text in docs.items()
            ),
        ],
    )


def settings(solver: str) -> str:
    """The options of one solver."""
    kind = SOLVERS[solver]
    docs = field_docs(kind)
    hints = typing.get_type_hints(kind)
    table = []
    for name, default in settings_of(kind).items():
        choices = typing.get_args(hints[name])
        words = [c for part in choices for c in (part, *typing.get_args(part))]
        words = [c for c in words if isinstance(c, str)]
        also = "; ".join(f'`"{c}"`' for c in words if c != default)
        table.append((f"`{name}`", f"`{_default(default)}`", also, docs[name]))
    return rows(("option", "default", "other choices", "meaning"), table)


def _default(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:.3g}" if isinstance(value, float) else f"{value}"


def report_keys() -> str:
    """What ``reconstruct --json`` prints."""
    docs = {**field_docs(Report), **field_docs(Comparison)}
    docs |= {
        "solver": "Name of the solver.",
        "frames": "Frames solved.",
        "joints": "Joints of the skeleton.",
        "warnings": "What a user should know: guesses and defects of the file, unused points, "
        "points that look wrongly named or turned.",
    }
    against = {f.name for f in dataclasses.fields(Comparison)} - {"frames", "rate", "warnings"}
    against -= {f.name for f in dataclasses.fields(Report)}
    return rows(
        ("key", "meaning"),
        [
            (f"`{key}`", docs[key] + (" `null` without an original." if key in against else ""))
            for key in REPORT_KEYS
        ],
    )


def stop_reasons() -> str:
    """Why a frame ended."""
    docs = field_docs(StopReason)
    return rows(("stop", "meaning"), [(f"`{m.value}`", docs[m.name]) for m in StopReason])


def laws() -> str:
    """What every solver must keep."""
    return rows(
        ("law", "what it says"),
        [(name.replace("_", " "), first_line(law)) for name, law in LAWS.items()],
    )


def tasks() -> str:
    """What can be asked of a pose."""
    found = [getattr(sixpoint.tasks, name) for name in sixpoint.tasks.__all__]
    kinds = [
        kind
        for kind in found
        if inspect.isclass(kind) and issubclass(kind, Task) and not inspect.isabstract(kind)
    ]
    return rows(
        ("task", "what it asks", "residual", "solvers"),
        [
            (f"`{kind.__name__}`", first_line(kind), first_line(kind.residual), _takers(kind))
            for kind in kinds
        ],
    )


def _takers(task: type) -> str:
    """Solvers that answer a kind of task."""
    takers = [
        name for name, kind in SOLVERS.items() if issubclass(task, getattr(kind, "answers", ()))
    ]
    others = len([kind for kind in SOLVERS.values() if hasattr(kind, "answers")]) - len(takers)
    return "all of any figure" if not others else ", ".join(f"`{name}`" for name in takers)


TABLES: dict[str, Callable[[], str]] = {
    "capabilities": capabilities,
    **{f"{page.stem}-settings": partial(settings, page.stem) for page in SOLVER_PAGES},
    "report": report_keys,
    "stop": stop_reasons,
    "laws": laws,
    "tasks": tasks,
}
"""Name in the mark -> what makes the table."""
