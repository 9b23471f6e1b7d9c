"""`sixpoint solvers`: the capability table, made from `SOLVERS`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from .console import show_facts, show_table
from .options import Answer, json_option


@click.command("solvers")
@json_option
def command() -> Answer:
    """List the solvers, what they can do, and their settings."""
    from ..solvers import SOLVERS
    from ..solvers.settings import settings_of

    found = {
        name: {
            "title": kind.title,
            "capabilities": asdict(kind.capabilities),
            "settings": settings_of(kind),
        }
        for name, kind in SOLVERS.items()
    }
    return Answer({"solvers": found}, lambda: _show(found))


def _show(found: dict[str, dict[str, Any]]) -> None:
    abilities = list(next(iter(found.values()))["capabilities"])
    rows = [
        (name, it["title"], *("yes" if able else "-" for able in it["capabilities"].values()))
        for name, it in found.items()
    ]
    show_table(None, ("solver", "method", *abilities), rows)
    for name, it in found.items():
        facts = [(key, _text(value)) for key, value in it["settings"].items()]
        show_facts(f"Settings of {name}, for --set", facts)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(f"{part:g}" for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
