"""Limits: what the joints of a body may do, and the JSON file that holds it.

A file can be read and edited by people, angles in degrees. Besides its limit a joint may have a
`role`, a `type` (fixed, hinge or ball), limits of other families under `also` and, under
`estimate`, what is known about where it comes from. Readers use the limit; what stands under `also`
is checked and can be asked for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ..atomic_write import atomic_write
from ..body.skeleton import Skeleton
from ..body.values import Value
from ..errors import InputError, UnknownName, json_errors
from ..kernels.limits import (
    FREE_ROW,
    LimitTable,
    limit_project_frames,
    limit_table,
    limit_violation_frames,
)
from ..kernels.types import Floats
from ..motion.mirror import mirror_partners
from ..motion.motion import Motion, as_floats
from ..motion.pose import stripes
from .base import TYPES, JointLimit

FAMILIES = ("swing_twist", "zyz", "zyz_centred", "xyz")
"""Families of limits that a ball joint may be estimated in."""
FORMAT = "sixpoint limits"
VERSION = 2
READABLE = (1, 2)
"""Version 1 had no types."""
FILE_FIELDS = ("format", "version", "angles", "provenance", "joints")
LINE_DEPTH = {"provenance": 2, "joints": 4}
"""Field of the file -> how deep its objects are broken into lines; 4: joint, its fields, families,
theirs."""


@dataclass(frozen=True, eq=False)
class Limits(Mapping[str, JointLimit]):
    """A limit for each joint that has one, by the joint's name in its skeleton. Immutable.

    Limits speak of anatomical rotations: relative to the parent joint, identity in the neutral
    stance, whatever frames the rig itself has (see `sixpoint.body.anatomy`); for a skeleton that
    is no person, identity in its bind pose. Joints without a limit rotate freely.
    """

    joints: Mapping[str, JointLimit] = field(default_factory=dict)
    """Joint name -> limit."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Joint name -> what the joint is (l_shoulder, lumbar ...), for readers of the file."""
    remarks: tuple[str, ...] = ()
    """Changes that a solver had to make, for its report; not in files."""

    def __post_init__(self) -> None:
        for name, limit in self.joints.items():
            if not isinstance(name, str) or not isinstance(limit, JointLimit):
                raise InputError(
                    f"Expected joint names and limits, got {name!r}: {type(limit).__name__}."
                )
        for name in self.roles:
            if name not in self.joints:
                raise UnknownName("limited joint", name, self.joints)
        object.__setattr__(self, "joints", MappingProxyType(dict(self.joints)))
        object.__setattr__(self, "roles", MappingProxyType(dict(self.roles)))

    def __getitem__(self, name: str) -> JointLimit:
        try:
            return self.joints[name]
        except KeyError:
            raise UnknownName("limited joint", name, self.joints) from None

    def get(self, name: str, default: Any = None) -> Any:
        """Return the limit of a joint, or `default` where it has none.

        Unlike that of `Mapping` it raises no error on the way, whose list of similar names takes
        longer than solving a frame.
        """
        return self.joints.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self.joints

    def __iter__(self) -> Iterator[str]:
        return iter(self.joints)

    def __len__(self) -> int:
        return len(self.joints)

    def __repr__(self) -> str:
        names = list(self)
        shown = ", ".join([*names[:4], "..."] if len(names) > 4 else names)
        return f"Limits({len(self)} joints: {shown})"

    __reduce__ = Value.__reduce__

    def replace(self, joints: Mapping[str, JointLimit]) -> Limits:
        """Other limits for some joints, or limits for more of them."""
        return replace(self, joints={**self.joints, **joints})

    def without(self, *names: str) -> Limits:
        """Limits without those of some joints."""
        for name in names:
            self[name]  # raises for an unknown name
        return Limits(
            {name: limit for name, limit in self.items() if name not in names},
            {name: role for name, role in self.roles.items() if name not in names},
        )

    def mirror(self, skeleton: Skeleton) -> Limits:
        """The limits of the left side for the right, and the other way round."""
        partners = mirror_partners(skeleton)
        other = {name: skeleton.names[partners[j]] for j, name in enumerate(skeleton.names)}
        for name in self:
            if name not in other:
                raise UnknownName("joint", name, skeleton.names)
        return Limits(
            {other[name]: limit.mirror() for name, limit in self.items()},
            {other[name]: _other_side(role) for name, role in self.roles.items()},
        )

    def table(self, names: Sequence[str]) -> LimitTable:
        """The limits of some joints for the kernels, one row each; free where there is none.

        It is made once for each order of joints, as that takes longer than solving many frames.
        Kernels only read it.
        """
        key = tuple(names)
        if key not in self._tables:
            rows = [self.joints[n].row() if n in self.joints else FREE_ROW for n in key]
            self._tables[key] = limit_table(rows)
        return self._tables[key]

    @cached_property
    def _tables(self) -> dict[tuple[str, ...], LimitTable]:
        return {}

    def violations(self, motion: Motion) -> Floats:
        """How far each joint is beyond its limit in each frame [rad], shape (F, J)."""
        body = motion.skeleton.articulation
        table = self.table(motion.skeleton.names)
        out = np.zeros((len(motion), motion.skeleton.joint_count))
        for stripe in stripes(len(motion)):
            turned = as_floats(body.to_rest(motion.rotations[stripe]))
            limit_violation_frames(table, turned, out[stripe])
        return out

    def project(self, motion: Motion) -> Motion:
        """The motion with every joint brought inside its limit; what is inside stays to the bit."""
        body = motion.skeleton.articulation
        table = self.table(motion.skeleton.names)
        rotations = motion.rotations.copy()
        for stripe in stripes(len(motion)):
            turned = as_floats(body.to_rest(motion.rotations[stripe]))
            held = np.empty_like(turned)
            limit_project_frames(table, turned, held)
            moved = (held != turned).any(axis=-1)
            rotations[stripe][moved] = body.from_rest(held)[moved]
        return replace(motion, rotations=rotations)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file, angles in degrees; `load` gives back equal limits.

        Only the limits and roles are written. What else `sixpoint limits` puts into its files
        (`provenance`, `also`, `estimate`) is not kept by `load`: edit such files as text.

        Raises:
            CannotWrite: the file cannot be written.
        """
        with atomic_write(path) as file:
            file.write(limits_text(self).encode())

    @staticmethod
    def load(path: str | os.PathLike[str], family: str | None = None) -> Limits:
        """Read what `save` wrote, or `sixpoint limits`, or a person.

        Args:
            path: the file.
            family: of ball joints for which the file has limits of several families: which.

        Raises:
            UnknownName: there is no such family.
            FormatError: the file is no such JSON; the message names the joint and the field.
        """
        if family is not None and family not in FAMILIES:
            raise UnknownName("family of limits", str(family), FAMILIES)
        with json_errors(path, "limits"):
            return parse_limits(Path(path).read_text(encoding="utf-8"), family)


def _other_side(role: str) -> str:
    return {"l_": "r_", "r_": "l_"}.get(role[:2], role[:2]) + role[2:]


def limits_text(
    limits: Limits,
    notes: Mapping[str, Mapping[str, Any]] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> str:
    """Content of a file of limits: one line for each field of each joint.

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
    return nested_json({**head, "joints": joints}, "", LINE_DEPTH) + "\n"


def nested_json(value: Any, indent: str, nested: Mapping[str, int] | int) -> str:
    """Return JSON with one line for each field down to a depth, and one line for all below."""
    if not isinstance(value, dict) or not value or nested == 0:
        return json.dumps(value)
    inner = indent + "  "
    lines = [
        f"{inner}{json.dumps(key)}: "
        + nested_json(item, inner, nested - 1 if isinstance(nested, int) else nested.get(key, 0))
        for key, item in value.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def parse_limits(text: str, family: str | None = None) -> Limits:
    """Limits from the content of a file; of another family for joints that have one.

    Raises:
        InputError: the JSON does not describe limits.
    """
    data = strict_json(text)
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise InputError(f"Expected a JSON object with `format` {FORMAT!r}, got {found!r}.")
    version = data.get("version")
    if type(version) is not int or version not in READABLE:
        raise InputError(f"Expected `version` {VERSION} or 1, got {version!r}.")
    for name in data:
        if name not in FILE_FIELDS:
            raise UnknownName("field of a file of limits:", name, FILE_FIELDS)
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


def strict_json(text: str) -> Any:
    """Return what JSON text says; names that are there twice and NaN are refused.

    Raises:
        InputError: an object has a name twice, or a number is not finite.
    """
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: of two limits for a joint, neither is right."""
    for k, (name, _) in enumerate(pairs):
        if any(name == other for other, _ in pairs[:k]):
            raise InputError(f"Expected every name once, got {name!r} twice.")
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise InputError(f"Expected finite numbers, got {constant}.")
