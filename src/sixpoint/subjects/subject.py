"""Subject: who was tracked, and how the trackers were worn."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..body.humanoid import measure_lengths
from ..body.skeleton import Skeleton
from ..body.values import Value, frozen_array
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.points import Points
from .file import read_fields, write_fields

FARTHEST_MOUNT = 0.5
"""No tracker is worn farther than this from its joint [m]: larger numbers are a mistake."""
UNIT_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Mount(Value):
    """How a tracker is worn: where it sits on its bone, and how it is turned there."""

    role: str
    """Joint of the bone that carries the tracker."""
    offset: Floats
    """Tracker minus joint in the anatomical frame of the bone [m], shape (3,)."""
    alignment: Floats
    """Rotation that takes the bone's anatomical frame from the tracker's: the bone's rotation is
    the tracker's times this, unit quaternion, shape (4,)."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "offset", frozen_array(self.offset))
        put(self, "alignment", frozen_array(self.alignment))
        for name, shape in (("offset", (3,)), ("alignment", (4,))):
            array = getattr(self, name)
            if array.shape != shape or not np.isfinite(array).all():
                raise InputError(
                    f"Expected `{name}` of the mount on {self.role} to be {shape[0]} finite "
                    f"numbers, got {array.tolist()}."
                )
        if (far := float(np.linalg.norm(self.offset))) > FARTHEST_MOUNT:
            raise InputError(
                f"Expected the mount on {self.role} within {FARTHEST_MOUNT} m of the joint, got "
                f"{far:.3g} m."
            )
        if abs(float(np.linalg.norm(self.alignment)) - 1.0) > UNIT_TOLERANCE:
            raise InputError(
                f"Expected a unit quaternion as `alignment` of the mount on {self.role}, got "
                f"{self.alignment.tolist()}."
            )

    @property
    def angle_deg(self) -> float:
        """How far the tracker is turned against its bone, in degrees."""
        return float(np.degrees(arrays.angle_between(arrays.identity(), self.alignment)))

    def __repr__(self) -> str:
        x, y, z = (100.0 * self.offset).tolist()
        turned = f"turned {self.angle_deg:.0f} degrees"
        return f"Mount({self.role}: ({x:.1f}, {y:.1f}, {z:.1f}) cm, {turned})"


@dataclass(frozen=True, eq=False)
class Subject(Value):
    """A tracked person: the body, and where the trackers sit on it. Immutable.

    Made by `fit_subject`, kept in a file by `save` and `load`.
    """

    skeleton: Skeleton
    """The body."""
    mounts: Mapping[str, Mount] = field(default_factory=dict)
    """Name of a point -> how its tracker is worn. Points without one are joints themselves."""
    floor: float = 0.0
    """Height of the floor [m]."""
    deviations: Mapping[str, float] = field(default_factory=dict)
    """Bone length, as in `sixpoint.body.anthropometry.LENGTHS` -> its standard deviation [m]."""
    found: tuple[str, ...] = ()
    """How this was found: the stance, the frames, what was assumed."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "mounts", MappingProxyType(dict(self.mounts)))
        put(self, "deviations", MappingProxyType(dict(self.deviations)))
        put(self, "found", tuple(self.found))
        put(self, "floor", float(self.floor))
        for name, value in (("floor", self.floor), *self.deviations.items()):
            if not np.isfinite(value):
                raise InputError(f"Expected a finite number as {name}, got {value}.")
        for mount in self.mounts.values():
            self.skeleton.anatomy.node(mount.role)  # raises for an unknown role

    def __repr__(self) -> str:
        stature = self.skeleton.anatomy.stature
        worn = ", ".join(self.mounts) or "none"
        return f"Subject({stature:.2f} m tall, mounts: {worn})"

    def joint_points(self, points: Points, bones: Mapping[str, Floats] | None = None) -> Points:
        """Return where the joints were that carried the trackers, and how their bones were turned.

        With the rotation of a tracker, place and rotation of its joint follow exactly. Without it
        the offset cannot be subtracted unless the rotation of the bone is known otherwise.

        Args:
            points: the trackers.
            bones: name of a point -> world anatomical rotation of its bone (F, 4), used where the
                tracker shows none; the result then has no rotation there.
        """
        bones = bones or {}
        positions = points.positions.copy()
        rotations = None if points.rotations is None else points.rotations.copy()
        for k, name in enumerate(points.names):
            if (mount := self.mounts.get(name)) is None:
                continue
            turned = np.full((len(points), 4), np.nan)
            if rotations is not None:
                turned = rotations[:, k] = arrays.multiply(rotations[:, k], mount.alignment)
            known = np.isfinite(turned).all(axis=-1)
            if name in bones:
                turned = np.where(known[:, None], turned, bones[name])
                known = np.isfinite(turned).all(axis=-1)
            positions[known, k] -= arrays.rotate(turned[known], mount.offset)
        return Points(points.names, positions, points.rate, rotations, points.confidence)

    def unresolved(self, points: Points) -> tuple[str, ...]:
        """Return points that have an offset which the rotations of trackers do not resolve."""
        return tuple(
            name
            for k, name in enumerate(points.names)
            if (mount := self.mounts.get(name)) is not None
            and mount.offset.any()
            and (points.rotations is None or np.isnan(points.rotations[points.seen[:, k], k]).any())
        )

    def lengths(self) -> dict[str, float]:
        """Return the lengths that have a standard deviation [m]; none for a body from a file."""
        if not self.deviations:
            return {}
        found = measure_lengths(self.skeleton)
        return {name: found[name] for name in self.deviations}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file; `load` gives back an equal subject.

        Raises:
            CannotWrite: the file cannot be written.
        """
        told = self.as_dict()
        fields = {key: told[key] for key in ("floor", "mounts", "found")}
        write_fields(fields | {"deviations": dict(self.deviations)}, self.skeleton, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Subject:
        """Read what `save` wrote.

        Raises:
            FormatError: the file is no such JSON; the message names the field.
        """

        def make(body: Skeleton, mounts: Mapping[str, Any], *others: Any) -> Subject:
            worn = {name: Mount(*mount) for name, mount in mounts.items()}
            return Subject(body, worn, *others)

        return read_fields(path, make)

    def as_dict(self) -> dict[str, Any]:
        """Return what is known of the person, ready for JSON: lengths, mounts, floor, remarks."""
        return {
            "stature": float(self.skeleton.anatomy.stature),
            "lengths": {
                name: {"length": length, "deviation": self.deviations[name]}
                for name, length in self.lengths().items()
            },
            "mounts": {
                name: {
                    "role": mount.role,
                    "offset": mount.offset.tolist(),
                    "alignment": mount.alignment.tolist(),
                }
                for name, mount in self.mounts.items()
            },
            "floor": self.floor,
            "found": list(self.found),
        }
