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
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import measured
import measured_particles
import measured_prior
import tables_commands
import tables_solvers
from docstrings import first_line
from grid import rows

from sixpoint.body.anthropometry import FRACTIONS, LENGTHS
from sixpoint.body.rig_names import SCHEMES
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import CLIPS
from sixpoint.formats import FORMATS
from sixpoint.formats.units import UNITS
from sixpoint.limits import Limits, adult
from sixpoint.limits.file import limits_text

FOLDER = Path(__file__).parent
MARKED = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


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
    **tables_solvers.TABLES,
    "formats": formats,
    "units": units,
    "schemes": schemes,
    "lengths": lengths,
    "clips": clips,
    "adult-limits": adult_limits,
    "limit-variants": limit_variants,
    "limit-file": limit_file,
    "rooms": rooms,
    **tables_commands.TABLES,
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
