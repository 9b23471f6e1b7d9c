"""What commands share: their options, what these mean, and what is said on which stream.

Reports go to standard output, everything else to standard error.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ..motion.motion import Motion
    from ..solvers import Solver


class Answer(NamedTuple):
    """What a command found, for programs and for people."""

    report: Mapping[str, Any]
    show: Callable[[], None]
    """Prints it as tables."""
    status: int = 0
    """Exit status."""


def json_option(command: Callable[..., Answer]) -> Callable[..., None]:
    """Add ``--json`` to a command, and print its answer."""

    @wraps(command)
    def wrapped(as_json: bool, **given: Any) -> None:
        answer = command(**given)
        if as_json:
            emit(answer.report)
        else:
            answer.show()
        if answer.status:
            raise click.exceptions.Exit(answer.status)

    text = "Print one JSON object instead of a table."
    return click.option("--json", "as_json", is_flag=True, help=text)(wrapped)


quick_option = click.option("--quick", is_flag=True, help="Fewer frames and runs, the same keys.")


def file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options that say how to read a motion file; the command receives a `Reading`."""

    @wraps(command)
    def wrapped(unit: str, up: str, frame_rate: float | None, **given: Any) -> Any:
        said = {
            "roles": given.pop("roles", ()),
            "lenient": given.pop("lenient", False),
            "layout": given.pop("layout", None),
        }
        rate = given.pop("array_rate", None)
        frame_rate = frame_rate if rate is None else rate
        return command(reading=Reading(unit, up, frame_rate, **said), **given)

    for option in (
        click.option("--frame-rate", type=float, metavar="HZ",
                     help="The file's frame rate, if it says none or a wrong one."),
        click.option("--up", type=click.Choice(["auto", "y", "z", "x", "-y", "-z", "-x"],
                                               case_sensitive=False),
                     default="auto", show_default=True, help="The file's upward axis."),
        click.option("--unit", default="auto", show_default=True,
                     help="The file's unit: m, cm, mm, inch, foot, or a number of metres."),
    ):  # fmt: skip
        wrapped = option(wrapped)
    return wrapped


layout_option = click.option(
    "--layout", metavar="NAME", help="Order of the joints of an array: see `sixpoint layouts`."
)


def layout_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options of arrays of joints, for commands with `file_options`."""
    rate = click.option(
        "--rate",
        "array_rate",
        type=float,
        metavar="HZ",
        help="Frames a second of an array; the same as --frame-rate.",
    )
    wrapped: Callable[..., Any] = layout_option(rate(command))
    return wrapped


role_option = click.option("--role", "roles", multiple=True, metavar="ROLE=JOINT",
                           help="Which joint plays a role (l_wrist=LeftHand), or which markers it "
                           "lies between (l_wrist=LWRA,LWRB); repeat for more.")  # fmt: skip
set_option = click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                          help="A setting of the solver.")  # fmt: skip
height_option = click.option("--height", type=click.FloatRange(min=0.5, max=2.6), default=1.75,
                             show_default=True, metavar="METRES", help="How tall the person is."
                             )  # fmt: skip
lenient_option = click.option(
    "--lenient", is_flag=True, help="Read what is whole of a damaged file."
)


@dataclass(frozen=True)
class Reading:
    """How to read a motion file, as options say, checked."""

    unit: str = "auto"
    up: str = "auto"
    frame_rate: float | None = None
    roles: tuple[str, ...] = ()
    lenient: bool = False
    layout: str | None = None

    def __post_init__(self) -> None:
        from ..subjects import find_layout
        from ..subjects.conventions import given_unit

        with wrong_call():
            if self.unit != "auto":
                given_unit(self.unit)
            if self.frame_rate is not None:
                check_rate(self.frame_rate, "--frame-rate")
            read_roles(self.roles)
            if self.layout is not None:
                find_layout(self.layout)

    @property
    def options(self) -> dict[str, Any]:
        """Options of `sixpoint.load`; only those that were given."""
        said = {
            "unit": None if self.unit == "auto" else self.unit,
            "up": None if self.up == "auto" else self.up,
            "rate": self.frame_rate,
            "lenient": self.lenient or None,
            "roles": read_roles(self.roles) or None,
            "layout": self.layout,
        }
        return {key: value for key, value in said.items() if value is not None}

    def load(self, path: str) -> Motion:
        """Read a motion."""
        from .. import formats

        return formats.load(path, **self.options)


@contextmanager
def wrong_call(kind: type[Exception] | None = None) -> Iterator[None]:
    """Turn errors of a kind (default: all of sixpoint) into wrong calls, exit status 2."""
    from ..errors import SixpointError

    refused = SixpointError if kind is None else kind
    try:
        yield
    except refused as error:
        raise click.UsageError(str(error)) from error


def check_rate(rate: float, option: str) -> None:
    """Refuse a rate that makes no sense."""
    if not 0.0 < rate < 1e6:
        text = f"expected a rate above 0 and below 1e6 Hz, got {rate:g}"
        raise click.BadParameter(text, param_hint=option)


def read_roles(pairs: Sequence[str]) -> dict[str, str]:
    """Return ROLE=JOINT arguments as a mapping."""
    from ..body.roles import ROLES
    from ..errors import UnknownName
    from ..subjects import CANONICAL

    choices = tuple(dict.fromkeys((*ROLES, *CANONICAL)))
    roles = {}
    for pair in pairs:
        role, sign, joint = pair.partition("=")
        if not (role and sign and joint):
            raise click.BadParameter(f"expected ROLE=JOINT, got {pair!r}", param_hint="--role")
        if role not in choices:
            raise UnknownName("role", role, choices)
        roles[role] = joint
    return roles


def make_solver(name: str, settings: Sequence[str], **given: Any) -> Solver:
    """Return a solver from its name, from ``--set name=value`` and from options of their own."""
    from .. import solvers
    from ..errors import UnknownName
    from ..solvers.settings import settings_of

    with wrong_call():
        if name not in solvers.SOLVERS:
            raise UnknownName("solver", name, solvers.SOLVERS)
        defaults = settings_of(solvers.SOLVERS[name])
        values: dict[str, Any] = {}
        for pair in settings:
            key, sign, text = pair.partition("=")
            if not (key and sign):
                raise click.BadParameter(f"expected NAME=VALUE, got {pair!r}", param_hint="--set")
            values[key] = _read_value(key, text, defaults.get(key))
        values |= {key: value for key, value in given.items() if value is not None}
        return solvers.solver(name, **values)


def _read_value(name: str, text: str, default: Any) -> Any:
    """Return text as the kind of value that the default is."""

    def wrong(expected: str) -> click.BadParameter:
        return click.BadParameter(f"expected {expected}, got {text!r}", param_hint="--set")

    if isinstance(default, str) or default == ():  # a list by name: the solver reads it
        return text
    if isinstance(default, bool):
        words = dict.fromkeys(("true", "yes", "on", "1"), True)
        words |= dict.fromkeys(("false", "no", "off", "0"), False)
        if text.lower() not in words:
            raise wrong(f"{name}=true or false")
        return words[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = text
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, int | float) and not number:
        raise wrong(f"a number for {name}")
    if isinstance(default, tuple):
        parts = value if isinstance(value, tuple | list) else ()
        if not all(isinstance(p, int | float) for p in parts) or len(parts) != len(default):
            example = ",".join(f"{p:g}" for p in default)
            raise wrong(f"{len(default)} numbers for {name}, such as {name}={example}")
        return tuple(float(part) for part in parts)
    return value


def check_output(path: str, choices: Sequence[str], inputs: Sequence[str] = ()) -> None:
    """Refuse, before the work begins, an output of unknown kind or one that is also an input."""
    if Path(path).suffix.lower() not in choices:
        raise click.UsageError(f"Expected the output to end in {', '.join(choices)}; got {path!r}.")
    if not Path(path).parent.is_dir():
        from ..errors import CannotWrite

        raise CannotWrite("the folder does not exist", path=path)
    for other in inputs:
        if Path(other).exists() and Path(path).exists() and Path(other).samefile(path):
            raise click.UsageError(f"The output {path!r} is also an input; give it another name.")


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
