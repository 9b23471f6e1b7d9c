"""subject.json: a subject as text that people can read and edit."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..atomic_write import atomic_write
from ..body.skeleton import Skeleton
from ..errors import FormatError, InputError, json_errors

T = TypeVar("T")

FORMAT, VERSION = "sixpoint subject", 1
MAX_BYTES = 16 << 20
"""Largest file that is read: a body of a thousand joints takes half a megabyte."""
FIELDS = ("format", "version", "floor", "mounts", "deviations", "found", "skeleton")
TREE = ("names", "parents", "offsets", "site_names", "site_parents", "site_offsets", "hinges")
TREE_OPTIONAL = ("bind", "roles")


def write_fields(fields: Mapping[str, Any], body: Skeleton, path: str | os.PathLike[str]) -> None:
    """Write the fields of a subject, ready for JSON, and its body."""
    tree = {key: _plain(getattr(body, key)) for key in (*TREE, *TREE_OPTIONAL)}
    content = {
        "format": FORMAT,
        "version": VERSION,
        **fields,
        "skeleton": {key: value for key, value in tree.items() if value is not None},
    }
    with atomic_write(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def read_fields(path: str | os.PathLike[str], make: Callable[..., T]) -> T:
    """Return what `make` makes of the fields of a file, checked for their kinds.

    Args:
        path: the file.
        make: called with skeleton, mounts (name -> role, offset, alignment), floor, deviations and
            remarks.

    Raises:
        FormatError: the file is no subject, or `make` refuses what it holds.
    """
    with json_errors(path, "a subject", TypeError, OverflowError):
        size = Path(path).stat().st_size
        if size > MAX_BYTES:
            raise FormatError(
                f"expected a subject of at most {MAX_BYTES >> 20} MiB, got {size >> 20} MiB",
                path=path,
            )
        return make(*_fields(json.loads(Path(path).read_text(encoding="utf-8"))))


def _fields(content: Any) -> tuple[Any, ...]:
    """Return what `make` is called with, from a JSON document."""
    held = _object(content, "the file")
    if held.get("format") != FORMAT:
        raise InputError(f'expected "format": "{FORMAT}", got {held.get("format")!r}')
    if held.get("version") != VERSION:
        raise InputError(f"expected version {VERSION} of the format, got {held.get('version')!r}")
    _only(held, FIELDS, "the file")
    lost = [key for key in FIELDS if key not in held]
    if lost:
        raise InputError(f"expected the fields {', '.join(FIELDS)}; got none named {lost[0]}")
    mounts = {}
    for name, mount in _object(held["mounts"], "mounts").items():
        told = _object(mount, f"mounts.{name}")
        _only(told, ("role", "offset", "alignment"), f"mounts.{name}")
        try:
            mounts[name] = (str(told["role"]), told["offset"], told["alignment"])
        except KeyError as error:
            raise InputError(f"expected mounts.{name} to have a field {error}") from error
    deviations = _object(held["deviations"], "deviations")
    for name, value in (("floor", held["floor"]), *deviations.items()):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"expected a number as {name}, got {value!r}")
    found = held["found"]
    if not isinstance(found, list) or not all(isinstance(note, str) for note in found):
        raise InputError(f"expected a list of texts as found, got {found!r}")
    return _skeleton(held["skeleton"]), mounts, held["floor"], deviations, tuple(found)


def _skeleton(content: Any) -> Skeleton:
    held = _object(content, "skeleton")
    _only(held, (*TREE, *TREE_OPTIONAL), "skeleton")
    for key in ("names", "site_names"):
        texts = held.get(key)
        if not isinstance(texts, list) or not all(isinstance(name, str) for name in texts):
            raise InputError(f"expected a list of names as skeleton.{key}, got {texts!r}")
    hinges = {
        name: tuple(map(float, axis))
        for name, axis in _object(held.get("hinges"), "skeleton.hinges").items()
    }
    try:
        return Skeleton(**{**held, "hinges": hinges})
    except TypeError as error:
        raise InputError(f"skeleton: {error}") from error


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"expected {place} to be a JSON object, got {type(value).__name__}")
    return value


def _only(held: Mapping[str, Any], allowed: tuple[str, ...], place: str) -> None:
    odd = [key for key in held if key not in allowed]
    if odd:
        raise InputError(
            f"expected {place} to have the fields {', '.join(allowed)}; got {odd[0]!r}"
        )
