"""Acclaim skeletons (ASF): bones with a direction, a length, and a frame for their rotations.

Each bone's `direction` and `axis` are given in global axes, so unturned joints all stand parallel
to the world. The joint named X is at the *start* of bone X: a child starts where its parent ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import FormatError, located
from ..kernels import arrays
from ..kernels.types import Floats, Vec3
from .bvh_read import MAX_JOINTS, MAX_NAME
from .plain_text import finite, plain_bytes, text_of

DOFS = ("rx", "ry", "rz", "tx", "ty", "tz", "l")
"""Degrees of freedom that a bone or root may have; `l` is the bone's length."""
ALONG_BONE = 0.7
"""A single axis nearer to its bone than this cosine twists it; others bend it."""


@dataclass(eq=False)
class AsfBone:
    """One bone, or the root, as its lines in the file say."""

    name: str = ""
    direction: tuple[float, ...] = (0.0, 0.0, 0.0)
    length: float = 0.0
    angles: tuple[float, ...] = (0.0, 0.0, 0.0)
    """Angles of its axes about fixed axes."""
    order: str = "XYZ"
    """Order of those angles."""
    dofs: tuple[str, ...] = ()
    """Names from `DOFS`, in the order of the AMC's numbers."""
    numbers: list[float] = field(default_factory=list)
    """Lowest and highest value of each degree of freedom, where given, in file units."""
    turn: float = 1.0
    """Radians per unit of its angles."""

    @property
    def end(self) -> Floats:
        """Vector from its start to its end, unturned, in file units, shape (3,)."""
        direction = np.array(self.direction)
        norm = float(np.linalg.norm(direction))
        return direction * (self.length / norm) if norm > 0.0 else np.zeros(3)

    @property
    def frame(self) -> Floats:
        """Rotation C of its axes; its rotation is C L C* with L from the AMC, shape (4,)."""
        return fixed_axes(self.order, self.turn * np.array(self.angles))

    @property
    def limits(self) -> tuple[tuple[float, float], ...]:
        """Lowest and highest value of each degree of freedom; empty if not all are given."""
        pairs = self.numbers if len(self.numbers) == 2 * len(self.dofs) else []
        return tuple(zip(pairs[::2], pairs[1::2], strict=True))


@dataclass(frozen=True, eq=False)
class AsfText:
    """Contents of an ASF file."""

    bones: tuple[AsfBone, ...]
    """The root first, parents before children."""
    parents: tuple[int, ...]
    """Parent of each bone, -1 for the root."""
    length: float
    """The `length` unit: lengths are to be divided by it."""
    degrees: bool
    """Whether angles are in degrees, not radians."""
    notes: tuple[str, ...]
    """Deviations that were tolerated."""

    @cached_property
    def slots(self) -> dict[str, slice]:
        """Columns of each bone in a table of the AMC's numbers."""
        ends = np.cumsum([0, *(len(bone.dofs) for bone in self.bones)]).tolist()
        return {b.name: slice(*span) for b, span in zip(self.bones, pairwise(ends), strict=True)}

    @property
    def width(self) -> int:
        """Number of columns of that table."""
        return sum(len(bone.dofs) for bone in self.bones)


def words_of(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and words; comments gone, commas and parentheses are white space."""
    clean = plain_bytes(data).translate(bytes.maketrans(b"(),", b"   "))
    for number, line in enumerate(clean.splitlines(), 1):
        words = text_of(line.split(b"#", 1)[0]).split()
        if words:
            yield number, words


def parse_asf(data: bytes) -> AsfText:
    """Parse the bytes of an ASF file; errors name the line."""
    found, section = _Contents(), ""
    for line, words in words_of(data):
        key, rest = words[0].lower(), words[1:]
        with located(line=line):
            if key.startswith(":"):
                section, found.open_bone = key, None
            elif section == ":units":
                found.read_unit(key, rest)
            elif section == ":root":
                found.read_root(key, rest)
            elif section == ":bonedata":
                found.read_bone(key, words)
            elif section == ":hierarchy" and key not in ("begin", "end"):
                found.children.setdefault(words[0], []).extend(rest)
                found.child_line.update(dict.fromkeys(rest, line))
            elif not section:
                raise FormatError(f"Expected an ASF section such as :units, got {words[0][:40]!r}.")
    if not found.bones and not found.children:
        raise FormatError("Expected :bonedata and :hierarchy, got neither.")
    notes = []
    if any(found.root.numbers):
        notes.append("the root's own position and orientation are replaced by the motion's")
    names, parents = found.tree()
    unused = [name for name in found.bones if name not in set(names)]
    if unused:
        notes.append(f"bones outside the hierarchy were left out: {', '.join(unused[:4])}")
    bones = tuple(found.bones.get(name, found.root) for name in names)
    for bone in bones:
        bone.turn = np.pi / 180.0 if found.degrees else 1.0
    return AsfText(bones, tuple(parents), found.length, found.degrees, tuple(notes))


class _Contents:
    """Contents of the sections, filled line by line."""

    def __init__(self) -> None:
        self.length, self.degrees = 1.0, True
        self.root = AsfBone("root", dofs=("tx", "ty", "tz", "rx", "ry", "rz"))
        self.bones: dict[str, AsfBone] = {}
        self.open_bone: AsfBone | None = None
        self.children: dict[str, list[str]] = {}
        self.child_line: dict[str, int] = {}

    def read_unit(self, key: str, rest: list[str]) -> None:
        if key == "length":
            (self.length,) = _numbers(rest, 1, "length")
            if self.length <= 0.0:
                raise FormatError(f"Expected a positive length unit, got {self.length:g}.")
        elif key == "angle":
            word = rest[0].lower() if rest else ""
            if word[:3] not in ("deg", "rad"):
                raise FormatError(f"Expected angle deg or rad, got {word[:40]!r}.")
            self.degrees = word.startswith("deg")

    def read_root(self, key: str, rest: list[str]) -> None:
        root = self.root
        if key == "order":
            root.dofs = _dofs(rest)
        elif key == "axis" and rest:
            root.order = _order(rest[0])
        elif key == "position":
            root.numbers += _numbers(rest, 3, key)
        elif key == "orientation":
            root.angles = _numbers(rest, 3, key)
            root.numbers += root.angles

    def read_bone(self, key: str, words: list[str]) -> None:
        bone, rest = self.open_bone, words[1:]
        if bone is None:
            if key != "begin":
                raise FormatError(f"Expected 'begin' of a bone, got {words[0][:40]!r}.")
            self.open_bone = AsfBone()
        elif key == "end":
            if not bone.name or bone.name in self.bones or bone.name == "root":
                raise FormatError(f"Expected a bone with a name of its own, got {bone.name!r}.")
            self.bones[bone.name] = bone
            if len(self.bones) > MAX_JOINTS:
                raise FormatError(f"Expected at most {MAX_JOINTS} bones, got more.")
            self.open_bone = None
        elif key == "name" and rest and len(rest[0]) <= MAX_NAME:
            bone.name = rest[0]
        elif key == "direction":
            bone.direction = _numbers(rest, 3, key)
        elif key == "length":
            (bone.length,) = _numbers(rest, 1, key)
        elif key == "axis":
            bone.angles = _numbers(rest, 3, key)
            bone.order = _order(rest[3] if len(rest) > 3 else "XYZ")
        elif key == "dof":
            bone.dofs = _dofs(rest)
        elif key == "limits" or _limit(words[0]) is not None:
            values = [_limit(word) for word in (rest if key == "limits" else words)]
            if any(v is None for v in values):
                raise FormatError(f"Expected pairs of limits, got {' '.join(words)[:40]!r}.")
            bone.numbers += [v for v in values if v is not None]
        elif key not in ("id", "bodymass", "cofmass"):
            raise FormatError(f"Expected a property of a bone, got {words[0][:40]!r}.")

    def tree(self) -> tuple[list[str], list[int]]:
        """Return the names of joints and their parents, depth first; every bone once."""
        names, parents, seen = list[str](), list[int](), {"root"}
        stack = [("root", -1)]
        while stack:
            name, parent = stack.pop()
            at = len(names)
            names.append(name)
            parents.append(parent)
            for child in reversed(self.children.get(name, [])):
                with located(line=self.child_line[child]):
                    if child in seen:
                        raise FormatError(f"Bone {child[:40]!r} has two parents.")
                    if child not in self.bones:
                        raise FormatError(f"No bone {child[:40]!r} in :bonedata.")
                seen.add(child)
                stack.append((child, at))
        for name, below in self.children.items():
            if name not in seen and below:
                message = f"Bone {name[:40]!r} is not connected to the root."
                raise FormatError(message, line=self.child_line[below[0]])
        return names, parents


def _numbers(words: list[str], count: int, what: str) -> tuple[float, ...]:
    values = [v for v in map(finite, words[:count]) if v is not None]
    if len(values) != count:
        got = " ".join(words)[:40]
        raise FormatError(f"Expected {count} finite numbers after {what}, got {got!r}.")
    return tuple(values)


def _limit(word: str) -> float | None:
    """Return a number as `finite` does; limits may be infinite."""
    return float(word) if word.lower() in ("inf", "-inf", "+inf") else finite(word)


def _order(word: str) -> str:
    if sorted(word.upper()) != ["X", "Y", "Z"]:
        raise FormatError(f"Expected an axis order such as XYZ, got {word[:40]!r}.")
    return word.upper()


def _dofs(words: list[str]) -> tuple[str, ...]:
    dofs = tuple(word.lower() for word in words)
    wrong = [word for word in dofs if word not in DOFS]
    if wrong or len(set(dofs)) != len(dofs):
        got = wrong[0][:40] if wrong else " ".join(dofs)[:40]
        raise FormatError(f"Expected different ones of {', '.join(DOFS)}, got {got!r}.")
    return dofs


def fixed_axes(order: str, angles: Floats) -> Floats:
    """Return rotations about fixed axes, the first in `order` first: R3 R2 R1; angles (..., n)."""
    return arrays.from_euler(order[::-1], angles[..., ::-1])


def skeleton_of(text: AsfText) -> Skeleton:
    """Return the skeleton in file units; hinges where one axis alone bends a bone."""
    bones = text.bones
    leaves = sorted(set(range(1, len(bones))) - set(text.parents))
    taken = {bone.name for bone in bones}
    site_names = []
    for j in leaves:
        name = f"{bones[j].name}_end"
        while name in taken:
            name += "_"
        taken.add(name)
        site_names.append(name)
    return Skeleton(
        names=tuple(bone.name for bone in bones),
        parents=np.array(text.parents),
        offsets=np.array([np.zeros(3) if p < 0 else bones[p].end for p in text.parents]),
        site_names=tuple(site_names),
        site_parents=np.array(leaves, dtype=np.int64),
        site_offsets=np.array([bones[j].end for j in leaves]).reshape(-1, 3),
        hinges={b.name: axis for b in bones if (axis := _hinge(b)) is not None},
    )


def _hinge(bone: AsfBone) -> Vec3 | None:
    """Return the axis of a bone that only bends, positive towards the wider limit, else None."""
    if len(bone.dofs) != 1 or bone.dofs[0] not in ("rx", "ry", "rz") or not bone.limits:
        return None
    axis = arrays.rotate(bone.frame, np.asarray(arrays.AXES[bone.dofs[0][1].upper()]))
    length = float(np.linalg.norm(bone.end))
    if abs(axis @ bone.end) > ALONG_BONE * length:
        return None
    low, high = bone.limits[0]
    return arrays.as_vec(axis if abs(high) >= abs(low) else -axis)
