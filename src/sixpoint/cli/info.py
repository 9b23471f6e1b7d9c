"""`sixpoint info`: what is in a file, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .console import show_facts
from .options import Answer, Reading, file_options, json_option

if TYPE_CHECKING:
    from ..formats import FileInfo


@click.command("info")
@click.argument("path", metavar="FILE")
@file_options
@json_option
def command(path: str, reading: Reading) -> Answer:
    """Show format, joints, roles, frames, rate, height and problems of FILE.

    Damaged files are read as far as they go.
    """
    from ..formats import inspect

    found = inspect(path, **reading.options)
    return Answer(found.as_dict(), lambda: show_facts(found.path, _facts(found)))


def _facts(found: FileInfo) -> list[tuple[str, str]]:
    bodies = f"{found.joints} joints, {found.sites} end sites"
    facts = [
        ("format", f"{found.format}, {found.holds}"),
        ("frames", f"{found.frames} at {found.rate:g} Hz, {found.duration:.2f} s"),
        ("skeleton", bodies if found.holds == "motion" else f"{found.joints} points"),
    ]
    if found.holds == "motion":
        facts.append(("unit, up", f"{found.unit:g} m, {found.up}"))
    if found.height is not None:
        facts.append(("stature", f"{found.height:.2f} m"))
    if found.roles is not None and found.holds == "motion":
        named = ", ".join(f"{role}={name}" for role, name in found.roles.items())
        facts.append(("roles", f"{named}  ({found.scheme})"))
    facts += [("note", note) for note in found.notes]
    return facts + [("problem", problem) for problem in found.problems]
