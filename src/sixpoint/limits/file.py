"""Limits in a file: JSON that a person can read and edit, angles in degrees."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..errors import FormatError, InputError
from ..replacing import replacing
from .base import JointLimit
from .collection import Limits

FORMAT = "sixpoint limits"
VERSION = 1


def write_limits(limits: Limits, path: str | os.PathLike[str]) -> None:
    """Write limits; an existing file is replaced when the new one is complete."""
    with replacing(path) as file:
        file.write(limits_text(limits).encode())


def limits_text(limits: Limits) -> str:
    """The content of the file: one line for each field of each joint."""
    joints = []
    for name, limit in limits.items():
        fields = {"role": limits.roles[name]} if name in limits.roles else {}
        fields |= limit.as_dict()
        lines = ",\n".join(f"      {json.dumps(k)}: {json.dumps(v)}" for k, v in fields.items())
        joints.append(f"    {json.dumps(name)}: {{\n{lines}\n    }}")
    body = ",\n".join(joints)
    return (
        f'{{\n  "format": "{FORMAT}",\n  "version": {VERSION},\n  "angles": "degrees",\n'
        f'  "joints": {{\n{body}\n  }}\n}}\n'
    )


def read_limits(path: str | os.PathLike[str]) -> Limits:
    """Read a file; see `Limits.load`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path=path) from error
    except UnicodeDecodeError as error:
        raise FormatError("expected JSON text, got binary data", path=path) from error
    try:
        return parse_limits(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"expected JSON: {error.msg}", path=path, line=error.lineno) from error
    except RecursionError:
        raise FormatError("expected limits, got JSON nested too deeply", path=path) from None
    except ValueError as error:  # an InputError, or a number of thousands of digits
        raise FormatError(str(error), path=path) from error


def parse_limits(text: str) -> Limits:
    """Limits from the content of a file.

    Raises:
        InputError: the JSON does not describe limits.
    """
    data = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise InputError(f"Expected a JSON object with `format` {FORMAT!r}, got {found!r}.")
    if data.get("version") != VERSION:
        raise InputError(f"Expected `version` {VERSION}, got {data.get('version')!r}.")
    if data.get("angles") != "degrees":
        raise InputError(f"Expected `angles` in 'degrees', got {data.get('angles')!r}.")
    entries = data.get("joints")
    if not isinstance(entries, dict):
        raise InputError(f"Expected `joints` to map names to limits, got {entries!r:.60}.")
    joints: dict[str, JointLimit] = {}
    roles: dict[str, str] = {}
    for name, entry in entries.items():
        if not isinstance(entry, dict):
            raise InputError(f"Joint {name!r}: expected the fields of a limit, got {entry!r:.60}.")
        fields = dict(entry)
        if "role" in fields:
            roles[name] = str(fields.pop("role"))
        try:
            joints[name] = JointLimit.from_dict(fields)
        except InputError as error:
            raise InputError(f"Joint {name!r}: {error}") from error
    return Limits(joints, roles)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: of two limits for a joint, neither is right."""
    for k, (name, _) in enumerate(pairs):
        if any(name == other for other, _ in pairs[:k]):
            raise InputError(f"Expected every name once, got {name!r} twice.")
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise InputError(f"Expected finite numbers, got {constant}.")
