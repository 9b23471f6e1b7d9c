"""`sixpoint solvers`: the capability table, made from `SOLVERS`."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from .console import emit, show_facts, show_table
from .options import json_option


@click.command("solvers")
@json_option
def command(as_json: bool) -> None:
    """List the solvers, what they can do, and their settings."""
    from ..solvers import SOLVERS, Capabilities

    if as_json:
        emit({"solvers": {name: _describe(kind) for name, kind in SOLVERS.items()}})
        return
    abilities = [field.name for field in dataclasses.fields(Capabilities)]
    show_table(
        None,
        ("solver", "method", *abilities),
        [
            (
                name,
                kind.title,
                *("yes" if getattr(kind.capabilities, ability) else "-" for ability in abilities),
            )
            for name, kind in SOLVERS.items()
        ],
    )
    for name, kind in SOLVERS.items():
        settings = _describe(kind)["settings"]
        show_facts(
            f"Settings of {name}, for --set", [(k, _text(value)) for k, value in settings.items()]
        )


def _describe(kind: Any) -> dict[str, Any]:
    from ..solvers.settings import settings_of

    return {
        "title": kind.title,
        "capabilities": dataclasses.asdict(kind.capabilities),
        "settings": settings_of(kind),
    }


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(f"{part:g}" for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
