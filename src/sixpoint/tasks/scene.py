"""Things around a body: boxes, and the ground."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, InputError
from ..kernels import arrays
from ..kernels.capsule import segment_box_gap
from ..kernels.types import Floats


@dataclass(frozen=True)
class Box:
    """A box, which may be rotated about the vertical."""

    name: str
    centre: tuple[float, float, float]
    """[m]."""
    size: tuple[float, float, float]
    """Width, height, depth [m]."""
    yaw: float = 0.0
    """Rotation to the left about the vertical [rad]."""

    def __post_init__(self) -> None:
        numbers = np.array([*self.centre, *self.size, self.yaw], dtype=np.float64)
        if numbers.shape != (7,) or not np.isfinite(numbers).all() or min(self.size) <= 0.0:
            raise InputError(
                f"Expected box {self.name!r} to have a finite centre and three sizes > 0, "
                f"got {self.centre} and {self.size}."
            )

    def depth(self, starts: Floats, ends: Floats, radii: Floats) -> tuple[Floats, Floats]:
        """How deep capsules (..., 3) are in it [m], negative for the gap; and where (..., 3)."""
        back = arrays.from_axis_angle(np.array([0.0, 1.0, 0.0]), -self.yaw)
        middle = np.array(self.centre)
        a, b = (arrays.rotate(back, at - middle) for at in (starts, ends))
        gap, part = segment_box_gap(a, b, 0.5 * np.array(self.size))
        return radii - gap, starts + part[..., None] * (ends - starts)


@dataclass(frozen=True)
class Ground:
    """A floor at some height. Feet may touch it."""

    height: float = 0.0
    """[m]."""
    name: str = "ground"

    def depth(self, starts: Floats, ends: Floats, radii: Floats) -> tuple[Floats, Floats]:
        """How deep capsules are below it [m], negative for the gap; and where (..., 3)."""
        lower = starts[..., 1] < ends[..., 1]
        place = np.where(lower[..., None], starts, ends)
        return radii - (place[..., 1] - self.height), place


@dataclass(frozen=True)
class Scene:
    """Boxes and ground around a body, each with a name of its own."""

    things: tuple[Box | Ground, ...]

    def __post_init__(self) -> None:
        names = [thing.name for thing in self.things]
        if len(set(names)) != len(names):
            raise InputError(f"Expected things of different names, got {', '.join(names)}.")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the things, in their order."""
        return tuple(thing.name for thing in self.things)

    @classmethod
    def load(cls, path: str | Path) -> Scene:
        """Read JSON: ``{"ground": 0.0, "boxes": [{"name", "centre", "size", "yaw"}]}``.

        Lengths in metres, `yaw` in degrees.

        Raises:
            FormatError: it is not that.
        """
        try:
            content = json.loads(Path(path).read_bytes())
        except OSError as error:
            raise FormatError(f"Cannot be read: {error.strerror or error}.", path=path) from None
        except ValueError as error:
            raise FormatError(f"Expected JSON: {error}.", path=path) from None
        if not isinstance(content, dict) or not {"ground", "boxes"} & content.keys():
            raise FormatError("Expected 'ground' or 'boxes' in a scene.", path=path)
        try:
            things: list[Box | Ground] = [_box(row) for row in content.get("boxes", [])]
            if content.get("ground") is not None:
                things.append(Ground(float(content["ground"])))
            return cls(tuple(things))
        except (TypeError, ValueError, KeyError) as error:
            said = f"Expected boxes with name, centre and size: {error}"
            raise FormatError(said, path=path) from None


def _box(row: Mapping[str, Any]) -> Box:
    (x, y, z), (wide, tall, deep) = (map(float, row[key]) for key in ("centre", "size"))
    yaw = float(np.radians(float(row.get("yaw", 0.0))))
    return Box(str(row["name"]), (x, y, z), (wide, tall, deep), yaw)
