"""Write the tables of the documentation from the code: ``python docs/tables.py [--check]``.

A page marks where a table stands, and the text between the marks is replaced::

    <!-- table: capabilities -->
    ...
    <!-- end -->

With ``--check`` nothing is written; the exit status says whether every table is current.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
import tomllib
import typing
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click
import measured
from markdown import field_docs, first_line, table

import sixpoint.tasks
from sixpoint.api import REPORT_KEYS
from sixpoint.body.anthropometry import FRACTIONS, LENGTHS
from sixpoint.body.rig_names import SCHEMES
from sixpoint.body.skeleton import Skeleton
from sixpoint.cli import COMMANDS, main
from sixpoint.data.clips import CLIPS
from sixpoint.formats import FORMATS
from sixpoint.formats.markers import ROLES as MARKER_ROLES
from sixpoint.limits import Limits, adult
from sixpoint.limits.collection import limits_text
from sixpoint.motion.comparison import Comparison
from sixpoint.solvers import SOLVERS, Capabilities, Report, StopReason
from sixpoint.solvers.conformance import LAWS
from sixpoint.solvers.settings import settings_of
from sixpoint.subjects import LAYOUTS
from sixpoint.subjects.conventions import UNITS

FOLDER = Path(__file__).parent
MARKED = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """All pages, in order."""
    return sorted(p for p in FOLDER.rglob("*.md") if "_build" not in p.parts)


def formats() -> str:
    """Which files are read and written."""

    def ways(read: object, write: object) -> str:
        return " and ".join(w for w, able in (("read", read), ("write", write)) if able) or "–"

    return table(
        ("ending", "what it is", "motion", "tracked points", "options of `load`"),
        [
            (
                ", ".join(f"`{suffix}`" for suffix in form.suffixes),
                form.description[0].upper() + form.description[1:],
                ways(form.read, form.write),
                ways(form.read_points, form.write_points),
                ", ".join(f"`{option}`" for option in form.options) or "–",
            )
            for form in FORMATS.values()
        ],
    )


def units() -> str:
    """Units that can be named."""
    return table(
        ("unit", *(f"`{name}`" for name in UNITS)),
        [("metres", *(f"{metres:.6g}" for metres in UNITS.values()))],
    )


def layouts() -> str:
    """Orders of joints in arrays."""
    return table(
        ("layout", "joints", "arrays of", "cannot tell"),
        [(f"`{n}`", len(it), it.title, it.lacks) for n, it in LAYOUTS.items()],
    )


def marker_sets() -> str:
    """Which markers make which role."""
    return table(
        ("role", "markers, the better first"),
        [
            (f"`{role}`", "; ".join(" ".join(f"`{m}`" for m in names.split()) for names in sets))
            for role, sets in MARKER_ROLES.items()
            if not role.startswith("r_")
        ],
    )


def schemes() -> str:
    """Families of rigs that are recognised."""
    return table(("scheme", "rigs"), [(f"`{s.name}`", s.rigs) for s in SCHEMES])


def lengths() -> str:
    """The eleven lengths of a body."""
    return table(
        ("length", "from ... to", "of stature"),
        [(f"`{name}`", words, f"{FRACTIONS[name]:.4g}") for name, words in LENGTHS.items()],
    )


def clips() -> str:
    """Built-in motion."""
    return table(
        ("clip", "content", "length"),
        [(f"`{n}`", first_line(c.write), f"{c.duration:.1f} s") for n, c in CLIPS.items()],
    )


def _range(entry: adult.MotionRange) -> str:
    return ", ".join(f"{name} {angle:g}°" for name, angle in entry.angles.items())


def adult_limits() -> str:
    """The default ranges and where they come from."""
    entries = {**adult.LIMBS, **{f"{name} spine": entry for name, entry in adult.SPINE.items()}}
    return table(
        ("joint", "range", "source"),
        [(f"**{name}**", _range(entry), entry.source) for name, entry in entries.items()],
    )


def limit_variants() -> str:
    """Other published ranges."""
    return table(
        ("`VARIANTS[...]`", "range", "source"),
        [(f'`"{n}"`', _range(entry), entry.source) for n, entry in adult.VARIANTS.items()],
    )


def limit_file() -> str:
    """Two joints of a limits file."""
    limits = adult.adult_limits(Skeleton.humanoid())
    names = ("l_shoulder", "l_elbow")
    some = Limits({n: limits[n] for n in names}, {n: limits.roles[n] for n in names})
    return f"```json\n{limits_text(some).rstrip()}\n```"


def packages() -> str:
    """The packages, the highest first, as the import contract orders them."""
    project = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name.strip() for layer in layers for name in layer.split("|")]
    there = [name for name in names if not name.startswith(("(", "_"))]
    return table(
        ("package", "contents"),
        [(f"`{n}`", first_line(importlib.import_module(f"sixpoint.{n}"))) for n in there],
    )


def model_card() -> str:
    """The card of the built-in prior, as a section of a page."""
    from sixpoint.priors.model import builtin_prior, card_text

    text = card_text(builtin_prior()).replace("\n## ", "\n### ")
    return text.replace("# Model", "## Model", 1).strip()


def capabilities() -> str:
    """What each solver can do."""
    flags = field_docs(Capabilities)
    body: list[list[str]] = [["method", *(kind.title for kind in SOLVERS.values())]]
    for key, text in flags.items():
        able = (getattr(kind.capabilities, key) for kind in SOLVERS.values())
        body.append([f"**{key}** – {text}", *("yes" if each else "–" for each in able)])
    return table(("", *(f"[`{name}`]({name}.md)" for name in SOLVERS)), body)


def settings(solver: str) -> str:
    """The options of one solver."""
    kind = SOLVERS[solver]
    docs, hints = field_docs(kind), typing.get_type_hints(kind)
    body = []
    for name, default in settings_of(kind).items():
        parts = typing.get_args(hints[name])
        words = [c for part in parts for c in (part, *typing.get_args(part))]
        also = "; ".join(f'`"{c}"`' for c in words if isinstance(c, str) and c != default)
        shown = f"{default:.3g}" if isinstance(default, float) else f"{default}"
        shown = f'"{default}"' if isinstance(default, str) else shown
        body.append((f"`{name}`", f"`{shown}`", also, docs[name]))
    return table(("option", "default", "other choices", "meaning"), body)


def report_keys() -> str:
    """What ``reconstruct --json`` prints."""
    docs = {**field_docs(Report), **field_docs(Comparison)}
    docs |= {
        "solver": "Name of the solver.",
        "frames": "Frames solved.",
        "joints": "Joints of the skeleton.",
        "warnings": "What a user should know: guesses and defects of the file, unused points, "
        "points that look wrongly named or rotated.",
    }
    against = {f.name for f in dataclasses.fields(Comparison)} - {"frames", "rate", "warnings"}
    against -= {f.name for f in dataclasses.fields(Report)}
    return table(
        ("key", "meaning"),
        [
            (f"`{key}`", docs[key] + (" `null` without an original." if key in against else ""))
            for key in REPORT_KEYS
        ],
    )


def stop_reasons() -> str:
    """Why a frame ended."""
    docs = field_docs(StopReason)
    return table(("stop", "meaning"), [(f"`{m.value}`", docs[m.name]) for m in StopReason])


def laws() -> str:
    """What every solver must keep."""
    return table(
        ("law", "what it says"),
        [(name.replace("_", " "), first_line(law)) for name, law in LAWS.items()],
    )


def tasks() -> str:
    """What can be asked of a pose."""
    found = [getattr(sixpoint.tasks, name) for name in sixpoint.tasks.__all__]
    general = {name: kind for name, kind in SOLVERS.items() if hasattr(kind, "answers")}
    body = []
    for kind in found:
        if not inspect.isclass(kind) or inspect.isabstract(kind) or not hasattr(kind, "residual"):
            continue
        takers = [f"`{name}`" for name, s in general.items() if issubclass(kind, s.answers)]
        who = "all general solvers" if len(takers) == len(general) else ", ".join(takers)
        body.append((f"`{kind.__name__}`", first_line(kind), first_line(kind.residual), who))
    return table(("task", "what it asks", "residual", "solvers"), body)


def commands() -> str:
    """Every command with its arguments and options."""
    context = click.Context(main, info_name="sixpoint")
    parts: list[str] = []
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            for part in command.list_commands(context):
                below = command.get_command(context, part)
                assert below is not None
                parts.append(_command(f"{name} {part}", below))
        else:
            parts.append(_command(name, command))
    return "\n\n".join(parts)


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
    return "\n\n".join([*parts, table(("option", "meaning"), [_option(o) for o in options])])


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


def _option(option: click.Option) -> tuple[str, str]:
    """Names of an option with its value, and its help."""
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    if value := _value(option):
        names += f" `{value}`"
    text = option.help or ""
    if option.multiple and "repeat" not in text:
        text += " May be repeated."
    if option.required:
        text += " Required."
    if option.show_default and not option.is_flag:
        text += f" Default: `{option.default}`."
    return names, text.strip()


SOLVER_PAGES = [p.stem for p in sorted(FOLDER.glob("solvers/*.md")) if p.stem in SOLVERS]
TABLES: dict[str, Callable[[], str]] = {
    "capabilities": capabilities,
    **{f"{name}-settings": partial(settings, name) for name in SOLVER_PAGES},
    "report": report_keys,
    "stop": stop_reasons,
    "laws": laws,
    "tasks": tasks,
    "formats": formats,
    "units": units,
    "schemes": schemes,
    "layouts": layouts,
    "marker-sets": marker_sets,
    "lengths": lengths,
    "clips": clips,
    "adult-limits": adult_limits,
    "limit-variants": limit_variants,
    "limit-file": limit_file,
    "packages": packages,
    "commands": commands,
    "model-card": model_card,
    **measured.TABLES,
}
"""Name in the mark -> function that makes the table."""


def renewed(text: str) -> str:
    """A page with its tables made anew."""
    return MARKED.sub(lambda m: f"{m[1]}\n{TABLES[m[2]]()}\n\n{m[3]}", text)


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
