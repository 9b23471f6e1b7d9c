"""`sixpoint info`: what is in a file, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .console import emit, show_facts
from .options import Reading, file_options, json_option

if TYPE_CHECKING:
    from ..formats import FileInfo


@click.command("info")
@click.argument("path", metavar="FILE")
@file_options
@json_option
def command(path: str, unit: str, up: str, frame_rate: float | None, as_json: bool) -> None:
    """Show format, joints, roles, frames, rate, height and problems of FILE.

    Damaged files are read as far as they go.
    """
    from ..formats import inspect

    found = inspect(path, **Reading(unit, up, frame_rate).options)
    if as_json:
        emit(found.as_dict())
    else:
        _show(found)


def _show(found: FileInfo) -> None:
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
    facts += [("problem", problem) for problem in found.problems]
    show_facts(found.path, facts)
