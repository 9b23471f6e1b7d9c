"""Limits by role: ranges of motion that fit any person's skeleton, and the file that holds them.

`Limits` speak of the joints of one skeleton. Here a range belongs to a role of the left side
(``l_knee``), whose mirror image is the right one, or to a region of the spine (``lumbar``,
``thoracic``, ``cervical``), whose range its joints share, however many a skeleton has there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..atomic_write import atomic_write
from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName, json_errors
from .adult import LIMBS, SPINE, adult_limits
from .base import JointLimit
from .collection import Limits, nested_json, strict_json
from .models import SwingTwistLimit

FORMAT, VERSION = "sixpoint limits by role", 1
FILE_FIELDS = ("format", "version", "angles", "provenance", "roles")
ROLES = (*(f"l_{part}" for part in LIMBS), *SPINE)
"""Roles and regions that may have a range; those without one keep that of adults."""
LINE_DEPTH = {"provenance": 2, "roles": 2}


@dataclass(frozen=True)
class RoleLimits:
    """A range of motion for each role of the left side and for each region of the spine."""

    roles: Mapping[str, JointLimit]
    """Role or region -> its range; that of a region is shared by its joints."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Where the ranges come from, as it stands in the file."""

    def __post_init__(self) -> None:
        for role, limit in self.roles.items():
            if role not in ROLES:
                raise UnknownName("role with limits", role, ROLES)
            if role in SPINE and not isinstance(limit, SwingTwistLimit):
                raise InputError(
                    f"Expected a swing-twist limit of the {role} spine, whose joints share it; "
                    f"got {type(limit).__name__}."
                )

    def limits(self, skeleton: Skeleton) -> Limits:
        """Return the limits of a person's skeleton; roles without a range have that of adults.

        Raises:
            RolesNotFound: the skeleton is no human, or its joints have unknown names.
        """
        adult = adult_limits(skeleton)
        regions = {
            name: "cervical" if role == "head" else role for name, role in adult.roles.items()
        }
        shares = Counter(regions.values())
        found: dict[str, JointLimit] = {}
        for name, role in regions.items():
            left = f"l{role[1:]}" if role[:2] == "r_" else role
            if left not in self.roles:
                continue
            limit = self.roles[left]
            if isinstance(limit, SwingTwistLimit) and role in SPINE:
                limit = scaled(limit, 1.0 / shares[role])
            found[name] = limit.mirror() if left != role else limit
        return adult.replace(found)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file, angles in degrees; `load` gives back equal ranges.

        Raises:
            CannotWrite: the file cannot be written.
        """
        content = {
            "format": FORMAT,
            "version": VERSION,
            "angles": "degrees",
            "provenance": dict(self.provenance),
            "roles": {role: limit.as_dict() for role, limit in self.roles.items()},
        }
        with atomic_write(path) as file:
            file.write((nested_json(content, "", LINE_DEPTH) + "\n").encode())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> RoleLimits:
        """Read what `save` wrote.

        Raises:
            FormatError: the file is no such JSON; the message names the role and the field.
        """
        with json_errors(path, "limits"):
            return _parsed(Path(path).read_text(encoding="utf-8"))


def scaled(limit: SwingTwistLimit, factor: float) -> SwingTwistLimit:
    """Return a limit with the angles of its swing boundary and twist times a factor."""
    low, high = limit.twist
    amplitudes = tuple(factor * psi for psi in limit.amplitudes)
    return replace(limit, amplitudes=amplitudes, twist=(factor * low, factor * high))


@cache
def recorded() -> RoleLimits:
    """Return the ranges within which recorded people moved, which are part of the package.

    They are those of 68 people of the CMU motion capture database; `provenance` says how they were
    found, and with which command.
    """
    text = files("sixpoint.limits").joinpath("recorded.json").read_text(encoding="utf-8")
    return _parsed(text)


def recorded_limits(skeleton: Skeleton) -> Limits:
    """Return limits within which recorded people moved, on a person's skeleton.

    Elbows and knees, shoulders, hips and the spine have the envelope of 68 people of the CMU motion
    capture database; clavicles, which were not measured there, have the range of `adult_limits`.

    Raises:
        RolesNotFound: the skeleton is no human, or its joints have unknown names.
    """
    return recorded().limits(skeleton)


def is_by_role(path: str | os.PathLike[str]) -> bool:
    """Return whether a file says that it holds limits by role, as far as its start shows."""
    try:
        with Path(path).open("rb") as file:
            return f'"{FORMAT}"'.encode() in file.read(200)
    except OSError:
        return False


def _parsed(text: str) -> RoleLimits:
    data = strict_json(text)
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise InputError(f"Expected a JSON object with `format` {FORMAT!r}, got {found!r}.")
    for name in data:
        if name not in FILE_FIELDS:
            raise UnknownName("field of a file of limits:", name, FILE_FIELDS)
    for key, expected in (("version", VERSION), ("angles", "degrees")):
        if data.get(key) != expected:
            raise InputError(f"Expected `{key}` {expected!r}, got {data.get(key)!r}.")
    entries, provenance = data.get("roles"), data.get("provenance", {})
    if not isinstance(entries, dict) or not isinstance(provenance, dict):
        raise InputError(f"Expected `roles` to map names to limits, got {entries!r:.60}.")
    roles: dict[str, JointLimit] = {}
    for role, fields in entries.items():
        if not isinstance(fields, dict):
            raise InputError(f"Role {role!r}: expected the fields of a limit, got {fields!r:.60}.")
        try:
            roles[role] = JointLimit.from_dict(fields)
        except InputError as error:
            raise InputError(f"Role {role!r}: {error}") from error
    return RoleLimits(roles, provenance)
