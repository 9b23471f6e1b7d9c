"""Options that several commands share, and what their values mean."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ..motion.motion import Motion
    from ..solvers import Solver

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of a table."
)


quick_option = click.option("--quick", is_flag=True, help="Fewer frames and runs, the same keys.")


role_option = click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="ROLE=JOINT",
    help="Which joint plays a role (l_wrist=LeftHand); repeat for more.",
)


def file_options(command: F) -> F:
    """How to read a motion file: unit, upward axis, rate."""
    for option in (
        click.option(
            "--frame-rate",
            type=float,
            metavar="HZ",
            help="The file's frame rate, if it says none or a wrong one.",
        ),
        click.option(
            "--up",
            type=click.Choice(["auto", "y", "z", "x"], case_sensitive=False),
            default="auto",
            show_default=True,
            help="The file's upward axis.",
        ),
        click.option(
            "--unit",
            default="auto",
            show_default=True,
            help="The file's unit: m, cm, mm, inch, foot, or a number of metres.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Reading:
    """The values of `file_options` and `role_option`, checked."""

    unit: str = "auto"
    up: str = "auto"
    frame_rate: float | None = None
    roles: tuple[str, ...] = ()
    lenient: bool = False

    def __post_init__(self) -> None:
        from ..formats.units import given_unit

        with wrong_call():
            if self.unit != "auto":
                given_unit(self.unit)
            if self.frame_rate is not None and not 0.0 < self.frame_rate < 1e6:
                raise click.BadParameter(
                    f"expected a rate above 0 and below 1e6 Hz, got {self.frame_rate:g}",
                    param_hint="--frame-rate",
                )
            read_roles(self.roles)

    @property
    def options(self) -> dict[str, Any]:
        """For `sixpoint.formats.load`; only what was said."""
        said = {
            "unit": None if self.unit == "auto" else self.unit,
            "up": None if self.up == "auto" else self.up,
            "rate": self.frame_rate,
            "lenient": self.lenient or None,
        }
        return {key: value for key, value in said.items() if value is not None}

    @property
    def of_points(self) -> dict[str, Any]:
        """For `sixpoint.formats.load_points`; only what was said."""
        return {key: value for key, value in self.options.items() if key != "lenient"}


@contextmanager
def wrong_call() -> Iterator[None]:
    """What goes wrong in the block is the caller's mistake: exit status 2."""
    from ..errors import SixpointError

    try:
        yield
    except SixpointError as error:
        raise click.UsageError(str(error)) from error


def read_roles(pairs: Sequence[str]) -> dict[str, str]:
    """ROLE=JOINT arguments as a mapping."""
    from ..body.roles import ROLES
    from ..errors import UnknownName

    roles = {}
    for pair in pairs:
        role, sign, joint = pair.partition("=")
        if not (role and sign and joint):
            raise click.BadParameter(f"expected ROLE=JOINT, got {pair!r}", param_hint="--role")
        if role not in ROLES:
            raise UnknownName("role", role, ROLES)
        roles[role] = joint
    return roles


def load_motion(path: str, reading: Reading, **options: Any) -> Motion:
    """Read a motion as the options say."""
    from .. import formats

    motion = formats.load(path, **reading.options, **options)
    if reading.roles:
        skeleton = dataclasses.replace(motion.skeleton, roles=read_roles(reading.roles))
        motion = dataclasses.replace(motion, skeleton=skeleton)
    return motion


def suffixes(task: str) -> tuple[str, ...]:
    """File name endings that can "read", "write", "read_points" or "write_points"."""
    from ..formats import FORMATS

    able = [form for form in FORMATS.values() if getattr(form, task) is not None]
    return tuple(suffix for form in able for suffix in form.suffixes)


def holds_points(path: str) -> bool:
    """Whether a file holds tracked points rather than a motion, as far as can be seen."""
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes("read"):
        return suffix in suffixes("read_points")
    if suffix not in suffixes("read_points"):
        return False
    from ..errors import FormatError
    from ..formats import inspect

    try:
        return inspect(path).holds == "points"
    except FormatError:
        return False  # whoever reads it will say what is wrong


def takes_skeleton(path: str) -> bool:
    """Whether a motion file keeps its skeleton in another file."""
    from ..formats import FORMATS

    suffix = Path(path).suffix.lower()
    return any(suffix in form.suffixes and "skeleton" in form.options for form in FORMATS.values())


def make_solver(name: str, settings: Sequence[str], **given: Any) -> Solver:
    """A solver from its name, from ``--set name=value`` and from options of their own."""
    from .. import solvers
    from ..errors import UnknownName
    from ..solvers.settings import settings_of

    with wrong_call():
        if name not in solvers.SOLVERS:
            raise UnknownName("solver", name, solvers.SOLVERS)
        kind = solvers.SOLVERS[name]
        defaults = settings_of(kind)
        values: dict[str, Any] = {}
        for pair in settings:
            key, sign, text = pair.partition("=")
            if not (key and sign):
                raise click.BadParameter(f"expected NAME=VALUE, got {pair!r}", param_hint="--set")
            values[key] = _read_value(key, text, defaults.get(key))
        values |= {key: value for key, value in given.items() if value is not None}
        return solvers.solver(name, **values)


def check_uses(name: str, option: str) -> None:
    """Refuse an option of the command line that a solver has no setting for."""
    from ..solvers import SOLVERS
    from ..solvers.settings import settings_of

    able = [key for key, kind in SOLVERS.items() if option in settings_of(kind)]
    if name in SOLVERS and name not in able:
        raise click.UsageError(
            f"--{option} is for the solvers {', '.join(able)}; {name!r} does not use it."
        )


def _read_value(name: str, text: str, default: Any) -> Any:
    """Text as the kind of value that the default is."""
    if isinstance(default, str) or default == ():  # a list by name: the solver reads it
        return text
    if isinstance(default, bool):
        words = {"true": True, "yes": True, "on": True, "1": True}
        words |= {"false": False, "no": False, "off": False, "0": False}
        if text.lower() not in words:
            raise click.BadParameter(
                f"expected {name}=true or false, got {text!r}", param_hint="--set"
            )
        return words[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = text
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, int | float) and not number:
        raise click.BadParameter(f"expected a number for {name}, got {text!r}", param_hint="--set")
    if isinstance(default, tuple):
        parts = value if isinstance(value, tuple | list) else ()
        if not all(isinstance(p, int | float) for p in parts) or len(parts) != len(default):
            raise click.BadParameter(
                f"expected {len(default)} numbers for {name}, such as "
                f"{name}={','.join(f'{p:g}' for p in default)}; got {text!r}",
                param_hint="--set",
            )
        return tuple(float(part) for part in parts)
    return value


def check_output(path: str, choices: Sequence[str], inputs: Sequence[str] = ()) -> None:
    """Refuse, before the work begins, an output of unknown kind or one that is also an input."""
    suffix = Path(path).suffix.lower()
    if suffix not in choices:
        raise click.UsageError(f"Expected the output to end in {', '.join(choices)}; got {path!r}.")
    if not Path(path).parent.is_dir():
        from ..errors import CannotWrite

        raise CannotWrite("the folder does not exist", path=path)
    for other in inputs:
        if Path(other).exists() and Path(path).exists() and Path(other).samefile(path):
            raise click.UsageError(f"The output {path!r} is also an input; give it another name.")
