"""Write the tables of the documentation from the code: ``python docs/tables.py [--check]``.

A page marks where a table stands, and the text between the marks is replaced::

    <!-- table: capabilities -->
    ...
    <!-- end -->

With ``--check`` nothing is written; the exit status says whether every table is current.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
import sys
import textwrap
import tomllib
import typing
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import measured
import measured_particles
import measured_prior
from grid import rows

import sixpoint.tasks
from sixpoint.body.anthropometry import FRACTIONS, LENGTHS
from sixpoint.body.rig_names import SCHEMES
from sixpoint.body.skeleton import Skeleton
from sixpoint.cli import COMMANDS, main
from sixpoint.cli.job import REPORT_KEYS
from sixpoint.formats import FORMATS
from sixpoint.formats.units import UNITS
from sixpoint.limits import Limits, adult
from sixpoint.limits.file import limits_text
from sixpoint.motion.clips import CLIPS
from sixpoint.motion.comparison import Comparison
from sixpoint.solvers import SOLVERS, Capabilities, Report, StopReason
from sixpoint.solvers.base import settings_of
from sixpoint.solvers.check import LAWS

FOLDER = Path(__file__).parent
SOLVER_PAGES = [p for p in sorted(FOLDER.glob("solvers/*.md")) if p.stem in SOLVERS]
"""Every page of a solver shows its settings."""
MARKED = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def field_docs(kind: type) -> dict[str, str]:
    """The docstring under each field or member of a class, inherited ones too, as one line."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("sixpoint."):
            docs |= _own_docs(base)
    return docs


def _own_docs(kind: type) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(tree, ast.ClassDef)
    docs: dict[str, str] = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if not (isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)):
            continue
        target: ast.expr | None = field.target if isinstance(field, ast.AnnAssign) else None
        if isinstance(field, ast.Assign):
            target = field.targets[0]
        if isinstance(target, ast.Name):
            docs[target.id] = " ".join(str(text.value.value).split())
    return docs


def first_line(thing: Any) -> str:
    """The summary of a docstring."""
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")


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
        "warnings": "What a user should know: guesses and defects of the file, unused points.",
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


def formats() -> str:
    """Which files are read and written."""
    return rows(
        ("ending", "what it is", "motion", "tracked points", "options of `load`"),
        [
            (
                ", ".join(f"`{suffix}`" for suffix in form.suffixes),
                form.description[0].upper() + form.description[1:],
                _ways(form.read, form.write),
                _ways(form.read_points, form.write_points),
                ", ".join(f"`{option}`" for option in form.options) or "–",
            )
            for form in FORMATS.values()
        ],
    )


def _ways(read: object, write: object) -> str:
    return " and ".join(w for w, able in (("read", read), ("write", write)) if able) or "–"


def units() -> str:
    """Units that can be named."""
    return rows(
        ("unit", *(f"`{name}`" for name in UNITS)),
        [("metres", *(f"{metres:.6g}" for metres in UNITS.values()))],
    )


def schemes() -> str:
    """Families of rigs that are recognised."""
    return rows(("scheme", "rigs"), [(f"`{s.name}`", s.rigs) for s in SCHEMES])


def lengths() -> str:
    """The eleven lengths of a body."""
    return rows(
        ("length", "from ... to", "of stature"),
        [(f"`{name}`", words, f"{FRACTIONS[name]:.4g}") for name, words in LENGTHS.items()],
    )


def clips() -> str:
    """Built-in motion."""
    table = []
    for name, make in CLIPS.items():
        motion = make()
        table.append((f"`{name}`", first_line(make), f"{motion.duration:.1f} s"))
    return rows(("clip", "what happens", "length"), table)


def tasks() -> str:
    """What can be asked of a pose."""
    found = [getattr(sixpoint.tasks, name) for name in sixpoint.tasks.__all__]
    kinds = [kind for kind in found if inspect.isclass(kind) and not inspect.isabstract(kind)]
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


def laws() -> str:
    """What every solver must keep."""
    return rows(
        ("law", "what it says"),
        [(name.replace("_", " "), first_line(law)) for name, law in LAWS.items()],
    )


def _range(entry: Any) -> str:
    return ", ".join(
        f"{field.name} {getattr(entry, field.name):g}°"
        for field in dataclasses.fields(entry)
        if field.name != "source"
    )


def adult_limits() -> str:
    """The default ranges and where they come from."""
    entries = {**adult.LIMBS, **{f"{name} spine": entry for name, entry in adult.SPINE.items()}}
    return rows(
        ("joint", "range", "source"),
        [(f"**{name}**", _range(entry), entry.source) for name, entry in entries.items()],
    )


def limit_variants() -> str:
    """Other published ranges."""
    return rows(
        ("`VARIANTS[...]`", "range", "source"),
        [(f'`"{n}"`', _range(entry), entry.source) for n, entry in adult.VARIANTS.items()],
    )


def limit_file() -> str:
    """Two joints of a limits file."""
    limits = adult.adult_limits(Skeleton.humanoid())
    names = ("l_shoulder", "l_elbow")
    some = Limits({n: limits[n] for n in names}, {n: limits.roles[n] for n in names})
    return f"```json\n{limits_text(some).rstrip()}\n```"


def rooms() -> str:
    """The packages, the highest first, as the import contract orders them."""
    project = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name.strip() for layer in layers for name in layer.split("|")]
    there = [name for name in names if not name.startswith(("(", "_"))]
    return rooms_of(there)


def rooms_of(names: Iterable[str]) -> str:
    """Name and summary of packages."""
    return rows(
        ("room", "what it holds"),
        [(f"`{n}`", first_line(importlib.import_module(f"sixpoint.{n}"))) for n in names],
    )


def commands() -> str:
    """Every command with its arguments and options."""
    context = click.Context(main, info_name="sixpoint")
    return "\n\n".join(
        _command(words, command)
        for name in COMMANDS
        for words, command in _with_parts(name, main.get_command(context, name))
    )


def _with_parts(name: str, command: click.Command | None) -> list[tuple[str, click.Command]]:
    """A command, or those below it."""
    assert command is not None
    if isinstance(command, click.Group):
        return [(f"{name} {part}", below) for part, below in command.commands.items()]
    return [(name, command)]


def _command(name: str, command: click.Command) -> str:
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option)]
    needed = [f"{o.opts[0]} {_value(o)}" for o in options if o.required]
    usage = " ".join(["sixpoint", name, *(_metavar(a) for a in arguments), *needed, "[OPTIONS]"])
    parts = [f"## {name}", f"```text\n{usage}\n```"]
    for paragraph in (command.help or "").split("\n\n"):
        text = inspect.cleandoc(paragraph)
        if text.startswith("\b"):  # click's mark for lines that stay as they are
            lines = "\n".join(f"$ {line.strip()}" for line in text.splitlines()[1:])
            parts.append(f"```console\n{lines}\n```")
        elif text:
            parts.append(" ".join(text.split()))
    if command.epilog:
        parts.append(" ".join(command.epilog.split()).replace("\b", ""))
    table = [(_names(option), _help(option)) for option in options]
    return "\n\n".join([*parts, rows(("option", "meaning"), table)])


def _metavar(argument: click.Argument) -> str:
    if isinstance(argument.type, click.Choice):
        return "|".join(argument.type.choices)
    return argument.metavar or (argument.name or "").upper()


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(option.type.choices)
    return "N" if isinstance(option.type, (click.IntRange, click.FloatRange)) else "NAME"


def _names(option: click.Option) -> str:
    value = _value(option)
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    return f"{names} `{value}`" if value else names


def _help(option: click.Option) -> str:
    text = option.help or ""
    if option.multiple and "repeat" not in text:
        text += " May be repeated."
    if option.required:
        text += " Required."
    if option.show_default and not option.is_flag:
        text += f" Default: `{option.default}`."
    return text.strip()


def model_card() -> str:
    """The card of the built-in prior, as a section of a page."""
    from sixpoint.priors.card import card_text
    from sixpoint.priors.model import builtin_prior

    return (
        card_text(builtin_prior())
        .replace("\n## ", "\n### ")
        .replace("# Model", "## Model", 1)
        .strip()
    )


TABLES: dict[str, Callable[[], str]] = {
    "capabilities": capabilities,
    **{f"{page.stem}-settings": partial(settings, page.stem) for page in SOLVER_PAGES},
    "report": report_keys,
    "stop": stop_reasons,
    "formats": formats,
    "units": units,
    "schemes": schemes,
    "lengths": lengths,
    "clips": clips,
    "laws": laws,
    "tasks": tasks,
    "adult-limits": adult_limits,
    "limit-variants": limit_variants,
    "limit-file": limit_file,
    "rooms": rooms,
    "commands": commands,
    **measured.TABLES,
    **measured_particles.TABLES,
    **measured_prior.TABLES,
    "model-card": model_card,
}
"""Name in the mark -> what makes the table."""


def renewed(text: str) -> str:
    """A page with its tables made anew."""
    return MARKED.sub(lambda m: f"{m[1]}\n{TABLES[m[2]]()}\n\n{m[3]}", text)


def pages() -> list[Path]:
    """All pages, in order."""
    return sorted(FOLDER.glob("*.md")) + sorted(FOLDER.glob("solvers/*.md"))


def run(arguments: Sequence[str]) -> int:
    """Renew all pages, or say which are stale."""
    stale = 0
    for page in pages():
        old = page.read_text(encoding="utf-8")
        new = renewed(old)
        if new == old:
            continue
        stale += 1
        if "--check" not in arguments:
            page.write_text(new, encoding="utf-8")
        sys.stdout.write(f"{page.relative_to(FOLDER)}: tables renewed\n")
    return int("--check" in arguments and stale > 0)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
