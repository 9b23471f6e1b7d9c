"""Limits in a file: JSON that a person can read and edit, angles in degrees.

Besides its limit a joint may have a `role`, a `type` (fixed, hinge or ball), limits of other
families under `also` and, under `estimate`, what is known about where it comes from. Readers use
the limit; what stands under `also` is checked and can be asked for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..atomic_write import atomic_write
from ..errors import FormatError, InputError, UnknownName
from .base import JointLimit
from .collection import Limits
from .estimate.classify import TYPES
from .estimate.estimate import FAMILIES

FORMAT = "sixpoint limits"
VERSION = 2
READABLE = (1, 2)
"""Version 1 had no types."""
FIELDS = ("format", "version", "angles", "provenance", "joints")
"""Of the file."""


def write_limits(limits: Limits, path: str | os.PathLike[str]) -> None:
    """Write limits; an existing file is replaced when the new one is complete."""
    with atomic_write(path) as file:
        file.write(limits_text(limits).encode())


def limits_text(
    limits: Limits,
    notes: Mapping[str, Mapping[str, Any]] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> str:
    """The content of the file: one line for each field of each joint.

    Args:
        limits: what to write.
        notes: joint name -> further fields (`also`, `estimate`).
        provenance: where the limits come from, for the head of the file.
    """
    head: dict[str, Any] = {"format": FORMAT, "version": VERSION, "angles": "degrees"}
    if provenance is not None:
        head["provenance"] = dict(provenance)
    joints = {}
    for name, limit in limits.items():
        fields = {"role": limits.roles[name]} if name in limits.roles else {}
        fields |= {"type": limit.joint_type, **limit.as_dict(), **(notes or {}).get(name, {})}
        joints[name] = fields
    return _text({**head, "joints": joints}, "", NESTED) + "\n"


NESTED = {"provenance": 2, "joints": 4}
"""Name -> how deep its objects are broken into lines; 4: joint, its fields, families, theirs."""


def _text(value: Any, indent: str, nested: Mapping[str, int] | int) -> str:
    """JSON with one line for each field down to a depth, and one line for all below."""
    if not isinstance(value, dict) or not value or nested == 0:
        return json.dumps(value)
    inner = indent + "  "
    lines = [
        f"{inner}{json.dumps(key)}: "
        + _text(item, inner, nested - 1 if isinstance(nested, int) else nested.get(key, 0))
        for key, item in value.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def read_limits(path: str | os.PathLike[str], family: str | None = None) -> Limits:
    """Read a file; see `Limits.load`."""
    if family is not None and family not in FAMILIES:
        raise UnknownName("family of limits", str(family), FAMILIES)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path=path) from error
    except UnicodeDecodeError as error:
        raise FormatError("expected JSON text, got binary data", path=path) from error
    try:
        return parse_limits(text, family)
    except json.JSONDecodeError as error:
        raise FormatError(f"expected JSON: {error.msg}", path=path, line=error.lineno) from error
    except RecursionError:
        raise FormatError("expected limits, got JSON nested too deeply", path=path) from None
    except ValueError as error:  # an InputError, or a number of thousands of digits
        raise FormatError(str(error), path=path) from error


def parse_limits(text: str, family: str | None = None) -> Limits:
    """Limits from the content of a file; of another family for joints that have one.

    Raises:
        InputError: the JSON does not describe limits.
    """
    data = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise InputError(f"Expected a JSON object with `format` {FORMAT!r}, got {found!r}.")
    version = data.get("version")
    if type(version) is not int or version not in READABLE:
        raise InputError(f"Expected `version` {VERSION} or 1, got {version!r}.")
    for name in data:
        if name not in FIELDS:
            raise UnknownName("field of a file of limits:", name, FIELDS)
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
        try:
            if "role" in fields:
                roles[name] = _role(fields.pop("role"))
            limit, also = _joint(fields)
        except InputError as error:
            raise InputError(f"Joint {name!r}: {error}") from error
        joints[name] = also.get(family or "", limit)
    return Limits(joints, roles)


def _role(role: Any) -> str:
    if not isinstance(role, str):
        raise InputError(f"Expected text in `role`, got {role!r:.60}.")
    return role


def _joint(fields: dict[str, Any]) -> tuple[JointLimit, dict[str, JointLimit]]:
    """The limit of one entry, and those of other families."""
    fields.pop("estimate", None)
    others = fields.pop("also", {})
    if not isinstance(others, dict):
        raise InputError(f"expected `also` to map families to limits, got {others!r:.60}.")
    said = fields.pop("type", None)
    if said is not None and said not in TYPES:
        raise UnknownName("type of joint", str(said), TYPES)
    limit = JointLimit.from_dict(fields)
    if said not in (None, limit.joint_type):
        raise InputError(
            f"Expected `type` {limit.joint_type!r} with a limit of kind {limit.kind!r}, "
            f"got {said!r}."
        )
    also = {}
    for family, other in others.items():
        if family not in FAMILIES:
            raise UnknownName("family of limits in `also`:", family, FAMILIES)
        if not isinstance(other, dict):
            raise InputError(f"expected the fields of a limit in `also.{family}`, got {other!r}.")
        try:
            also[family] = JointLimit.from_dict(other)
        except InputError as error:
            raise InputError(f"in `also.{family}`: {error}") from error
    return limit, also


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: of two limits for a joint, neither is right."""
    for k, (name, _) in enumerate(pairs):
        if any(name == other for other, _ in pairs[:k]):
            raise InputError(f"Expected every name once, got {name!r} twice.")
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise InputError(f"Expected finite numbers, got {constant}.")
