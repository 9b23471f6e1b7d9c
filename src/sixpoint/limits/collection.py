"""Limits: what the joints of a body may do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from ..body.skeleton import Skeleton
from ..body.values import Value
from ..errors import InputError, UnknownName
from ..kernels.limits import (
    FREE_ROW,
    LimitTable,
    limit_project_frames,
    limit_table,
    limit_violation_frames,
)
from ..kernels.types import Floats
from ..motion.mirror import mirror_partners
from ..motion.motion import STRIPE, Motion, as_floats
from .base import JointLimit


@dataclass(frozen=True, eq=False)
class Limits(Mapping[str, JointLimit]):
    """A limit for each joint that has one, by the joint's name in its skeleton. Immutable.

    Limits speak of anatomical rotations: relative to the parent joint, identity in the neutral
    stance, whatever frames the rig itself has (see `sixpoint.body.anatomy`); for a figure that is
    no person, identity in its bind pose. Joints that are not named turn freely.
    """

    joints: Mapping[str, JointLimit] = field(default_factory=dict)
    """Joint name -> limit."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Joint name -> what the joint is (l_shoulder, lumbar ...), for readers of the file."""
    remarks: tuple[str, ...] = ()
    """What a solver had to change about them, for its report; not in files."""

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
        """Set some joints free."""
        for name in names:
            self[name]  # raises for an unknown name
        return Limits(
            {name: limit for name, limit in self.items() if name not in names},
            {name: role for name, role in self.roles.items() if name not in names},
        )

    def mirror(self, skeleton: Skeleton) -> Limits:
        """What the left side may do given to the right, and the other way round."""
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
        """The limits of some joints for the kernels, one row each; free where there is none."""
        return limit_table([self.joints[n].row() if n in self.joints else FREE_ROW for n in names])

    def violations(self, motion: Motion) -> Floats:
        """How far each joint is beyond its limit in each frame [rad], shape (F, J)."""
        body = motion.skeleton.articulation
        table = self.table(motion.skeleton.names)
        out = np.zeros((len(motion), motion.skeleton.joint_count))
        for f in range(0, len(motion), STRIPE):
            turned = as_floats(body.to_rest(motion.rotations[f : f + STRIPE]))
            limit_violation_frames(table, turned, out[f : f + STRIPE])
        return out

    def project(self, motion: Motion) -> Motion:
        """The motion with every joint brought inside its limit; what is inside stays to the bit."""
        body = motion.skeleton.articulation
        table = self.table(motion.skeleton.names)
        rotations = motion.rotations.copy()
        for f in range(0, len(motion), STRIPE):
            stripe = slice(f, f + STRIPE)
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
        from .file import write_limits

        write_limits(self, path)

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
        from .file import read_limits

        return read_limits(path, family)


def _other_side(role: str) -> str:
    return {"l_": "r_", "r_": "l_"}.get(role[:2], role[:2]) + role[2:]
