"""What can go wrong, in one tree.

::

    SixpointError
    ├── FormatError          a file cannot be read as what it claims to be (path, line)
    ├── CannotWrite          an output file cannot be written (path)
    ├── InputError           numbers or settings that make no sense (also a ValueError)
    │   ├── UnknownName      a solver, joint, role or format that does not exist (also a KeyError)
    │   └── RolesNotFound    a rig whose joints cannot be recognised
    └── MissingExtra         an optional package is needed and not installed

Messages name what was expected, what came, and the choices. Missing a target is a result, not an
error: solvers report it in their `Solution`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


class SixpointError(Exception):
    """Base of every error that sixpoint raises on purpose."""


class FormatError(SixpointError):
    """A file cannot be read; says where.

    Attributes:
        message: what is wrong, without the place.
        path: the file, if it has a name.
        line: the line at fault, counted from 1, if there is one.
    """

    def __init__(self, message: str, *, path: object = None, line: int | None = None) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        place = ":".join(str(part) for part in (self.path, line) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)


@contextmanager
def located(path: object = None, line: int | None = None) -> Iterator[None]:
    """Add file and line to format errors that are raised inside, where they do not say them."""
    try:
        yield
    except FormatError as error:
        path = path if error.path is None else error.path
        line = line if error.line is None else error.line
        raise FormatError(error.message, path=path, line=line) from error.__cause__


@contextmanager
def located_input(path: object) -> Iterator[None]:
    """Put the file in front of input errors that are raised inside, if they do not name it."""
    try:
        yield
    except InputError as error:
        if type(error) is not InputError or str(path) in str(error):
            raise
        raise InputError(f"{path}: {error}") from error.__cause__


@contextmanager
def json_errors(path: object, what: str, *others: type[Exception]) -> Iterator[None]:
    """Turn whatever goes wrong in reading a JSON file into a `FormatError`.

    Args:
        path: the file.
        what: it should hold, such as "limits".
        others: what the reader may raise besides `ValueError`.
    """
    import json  # only where JSON is read

    refused: tuple[type[Exception], ...] = (ValueError, *others)
    try:
        yield
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path=path) from error
    except UnicodeDecodeError as error:
        raise FormatError("expected JSON text, got binary data", path=path) from error
    except json.JSONDecodeError as error:
        raise FormatError(f"expected JSON: {error.msg}", path=path, line=error.lineno) from error
    except RecursionError:
        raise FormatError(f"expected {what}, got JSON nested too deeply", path=path) from None
    except refused as error:  # an InputError, or a number of thousands of digits
        raise FormatError(str(error), path=path) from error


def names_file(read: F) -> F:
    """Decorate a function whose first argument is a path: its format errors name that file."""

    @wraps(read)
    def wrapped(path: object, *args: Any, **options: Any) -> Any:
        with located(path):
            return read(path, *args, **options)

    return cast("F", wrapped)


class CannotWrite(SixpointError):
    """An output file cannot be written; whatever stood there is untouched.

    Attributes:
        path: the file.
    """

    def __init__(self, reason: str, *, path: object) -> None:
        self.path = str(path)
        super().__init__(f"{self.path}: cannot be written: {reason}")


class InputError(SixpointError, ValueError):
    """An argument makes no sense."""


class UnknownName(InputError, KeyError):
    """A name that is not in its table; the message lists the nearest and all choices."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        self.name = name
        self.choices = tuple(choices)
        near = difflib.get_close_matches(name, self.choices, n=3, cutoff=0.5)
        hint = f" Nearest: {', '.join(near)}." if near else ""
        listed = ", ".join(self.choices) if self.choices else "none"
        super().__init__(f"No {kind} {name!r}.{hint} There are {len(self.choices)}: {listed}")

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would print the repr


class RolesNotFound(InputError):
    """A rig whose joints do not map to a human; carries what was found."""

    def __init__(self, message: str, *, missing: Iterable[str], found: dict[str, str]) -> None:
        self.missing = tuple(missing)
        self.found = dict(found)
        super().__init__(message)


class MissingExtra(SixpointError, ImportError):
    """An optional package is needed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed: pip install 'sixpoint[{extra}]'"
        )
