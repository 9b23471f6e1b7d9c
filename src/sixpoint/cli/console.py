"""What commands say and where: reports on standard output, everything else on standard error."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text


def messages() -> Console:
    """Return standard error: messages, spinners and progress bars."""
    return Console(stderr=True, highlight=False)


def say(text: str) -> None:
    """Print a message on standard error."""
    click.echo(text, err=True)


def say_notes(notes: Iterable[str]) -> None:
    """Print notes on standard error, one a line."""
    for note in notes:
        say(f"note: {note}")


def emit(report: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output; numbers that are not finite become null."""
    click.echo(_text(report))


def save_report(report: Mapping[str, Any], path: Path) -> None:
    """Write the same to a file, whose folder is made if there is none."""
    from ..atomic_write import atomic_write

    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(f"{_text(report)}\n".encode())
    say(f"wrote {path}")


def _text(report: Mapping[str, Any]) -> str:
    return json.dumps(_plain(report), indent=2)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return value
    if isinstance(value, Sequence):
        return [_plain(inner) for inner in value]
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)


def show_table(title: str | None, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: fitted to a terminal, in a pipe as wide as it must be."""
    # Text: square brackets in units, names and paths are not markup.
    table = Table(header_style="bold")
    for k, name in enumerate(columns):
        table.add_column(Text(name), justify="left" if k == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=10_000)
        console.width = console.measure(table).maximum
    _print_title(console, title)
    console.print(table)


def show_facts(title: str | None, facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values, one fact a line; folded only on a terminal."""
    console = Console(highlight=False)
    _print_title(console, title)
    if not console.is_terminal:
        wide = max((len(name) for name, _ in facts), default=0)
        for name, value in facts:
            click.echo(f"  {name:<{wide}}  {value}")
        return
    table = Table(box=None, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(name), Text(value))
    console.print(table)


def _print_title(console: Console, title: str | None) -> None:
    if title is not None:
        console.print(Text(title, style="bold"), soft_wrap=True)


@contextmanager
def progress(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error, if that is a terminal; call it with done and total."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    console = messages()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def compiling() -> Iterator[None]:
    """Print which kernels are compiled within the block, with a spinner on a terminal.

    Only those that no earlier run has left on disk: later runs are silent.
    """
    from ..kernels import _jit

    console = messages()
    status = console.status("")
    started = False

    def tell(name: str) -> None:
        nonlocal started
        text = f"compiling {name} (once after installation, up to half a minute) ..."
        if not console.is_terminal:
            say(text)
            return
        status.update(text)
        if not started:
            status.start()
            started = True

    with _jit.watching(tell):
        try:
            yield
        finally:
            if started:
                status.stop()
