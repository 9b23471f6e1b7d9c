"""Body measurement: sizes of head and hands, reach of the arms, and lengths from marked joints."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..body.anatomy import anatomy_of
from ..body.anthropometry import DEFAULT_STATURE, FRACTIONS
from ..body.shapes import HEAD_HEIGHT
from ..body.skeleton import Skeleton
from ..errors import FormatError, InputError
from ..kernels.types import Floats
from .camera import Camera, misses, triangulate

HEAD_HALF = np.array([0.044, 0.5 * HEAD_HEIGHT, 0.052])
"""Half-axes of the head as parts of stature: left, up, forward."""
HAND_HALF = np.array([0.012, 0.054, 0.025])
"""Half-axes of a hand: palm, along, across; it is .108 of stature long (Drillis, Contini 1966)."""
HEAD_AREA = math.pi * HEAD_HALF[1] * 0.5 * (HEAD_HALF[0] + HEAD_HALF[2])
"""Of the outline of a head seen from the height of its eyes, over the square of stature."""
HAND_AREA = math.pi * HAND_HALF[1] * HAND_HALF[2]
"""The largest outline of a hand, over the square of stature."""
NECK = 0.12
"""Shoulders below the middle of the head, over stature ..."""
SLACK = 1.15
"""... and how much farther than an arm is long a hand can be from there: the shoulder is raised,
the person turned, the stature a guess."""
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Sizes:
    """Of one person."""

    stature: float = 1.75
    """[m]."""

    def areas(self, label: int, cameras: Sequence[Camera], place: Floats) -> Floats:
        """The largest outline that head (label 0) or hand can have there, in each view [px^2]."""
        share = HEAD_AREA if label == 0 else HAND_AREA
        return np.array([share * self.tall(camera, place) ** 2 for camera in cameras])

    def tall(self, camera: Camera, place: Floats) -> float:
        """How tall somebody at a place is in a picture [px]."""
        depth = max(float(camera.depth(place)), 0.1)
        return float(camera.matrix[0, 0]) * self.stature / depth

    def reaches(self, label: int, head: Floats, hand: Floats, cameras: Sequence[Camera]) -> bool:
        """Whether the left (1) or right (2) hand of somebody who faces the cameras can be there.

        Args:
            label: which hand.
            head: its middle [m], shape (3,).
            hand: its middle [m], shape (3,).
            cameras: the views.
        """
        side = 0.5 * FRACTIONS["torso_width"] * (1.0 if label == 1 else -1.0)
        shoulder = head + self.stature * (side * leftwards(head, cameras) - NECK * UP)
        arm = FRACTIONS["upper_arm"] + FRACTIONS["forearm"] + float(HAND_HALF[1])
        return bool(np.linalg.norm(hand - shoulder) <= SLACK * arm * self.stature)


def leftwards(place: Floats, cameras: Sequence[Camera]) -> Floats:
    """The left of somebody at a place (3,) who faces the cameras, shape (3,)."""
    left = np.cross(UP, np.mean([camera.centre for camera in cameras], axis=0) - place)
    return np.asarray(left / max(float(np.linalg.norm(left)), 1e-9))


MARKS = ("l_shoulder", "r_shoulder", "l_elbow", "r_elbow", "l_wrist", "r_wrist")
"""The six joints."""
BACK = "back"
"""The beginning of the spine: the lumbosacral joint."""
WORST_MARK = 6.0
"""Marks whose rays miss each other by more than this were not put on the same joint [px]."""
LOPSIDED = 0.15
"""Left and right that differ by more than this part were marked wrongly."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A measured body."""

    lengths: dict[str, float]
    """`upper_arm`, `forearm`, `torso_width` and, with the back, `back_to_shoulders` [m]."""
    places: dict[str, Floats]
    """Where the joints are in space [m]."""
    stature: float
    """Estimated from the lengths [m]."""
    skeleton: Skeleton
    """The built-in figure with these lengths, all others in proportion."""


def measure_body(cameras: Sequence[Camera], marks: Sequence[Mapping[str, Any]]) -> Measured:
    """Measure somebody by marks in both pictures.

    Args:
        cameras: the two views.
        marks: for each picture, joint -> (u, v), or several of them, of which the mean counts: a
            joint pointed at once is off by a pixel, and lengths by some percent. All of `MARKS`,
            and `BACK` if it is known.

    Raises:
        InputError: a mark is missing or no pixel, two marks are not on the same joint, or left and
            right are exchanged.
    """
    if len(marks) != len(cameras):
        raise InputError(f"Expected marks in {len(cameras)} pictures, got {len(marks)}.")
    for camera, given in zip(cameras, marks, strict=True):
        missing = [name for name in MARKS if name not in given]
        if missing:
            raise InputError(
                f"Expected marks of {', '.join(MARKS)} in the picture of camera {camera.name!r}; "
                f"got none of {', '.join(missing)}."
            )
    names = [name for name in (*MARKS, BACK) if all(name in given for given in marks)]
    pixels = np.array([[_pixel(given[name], name) for name in names] for given in marks])
    places = triangulate(cameras, pixels)
    off = misses(cameras, pixels, places).max(axis=0)
    worst = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
    if not off[worst] <= WORST_MARK:
        raise InputError(
            f"Expected the marks of {names[worst]!r} on the same joint in both pictures; "
            f"their rays pass {off[worst]:.1f} pixels from each other."
        )
    at = dict(zip(names, places, strict=True))
    _check_sides(at, cameras)
    lengths = {
        "upper_arm": _arm(at, "shoulder", "elbow"),
        "forearm": _arm(at, "elbow", "wrist"),
        "torso_width": float(np.linalg.norm(at["l_shoulder"] - at["r_shoulder"])),
    }
    plain = {name: length / FRACTIONS[name] for name, length in lengths.items()}
    if BACK in at:
        middle = 0.5 * (at["l_shoulder"] + at["r_shoulder"])
        lengths["back_to_shoulders"] = float(np.linalg.norm(middle - at[BACK]))
        stature = lengths["back_to_shoulders"] / _back_share()
    else:
        stature = float(np.mean(list(plain.values())))
    own = {name: lengths[name] for name in plain}
    return Measured(lengths, at, stature, Skeleton.humanoid(stature, lengths=own))


def load_marks(path: str | os.PathLike[str]) -> list[dict[str, tuple[float, float]]]:
    """Marks of two pictures from JSON: ``{"left": {"l_shoulder": [u, v], ...}, "right": ...}``.

    A mark may also be a list of several [u, v], of which the mean is taken.
    """
    try:
        with open(path, "rb") as file:
            content: Any = json.loads(file.read(1 << 20))
    except OSError as error:
        raise FormatError(f"Cannot be read: {error.strerror or error}.", path=path) from None
    except ValueError as error:
        raise FormatError(f"Expected JSON: {error}.", path=path) from None
    if not isinstance(content, dict) or not {"left", "right"} <= content.keys():
        raise FormatError("Expected the keys 'left' and 'right', each with marks.", path=path)
    out = []
    for side in ("left", "right"):
        try:
            out.append({str(k): _pixel(v, str(k)) for k, v in content[side].items()})
        except (AttributeError, InputError):
            raise FormatError(f"Expected joint: [u, v] under {side!r}.", path=path) from None
    return out


def _pixel(mark: Any, name: str) -> tuple[float, float]:
    """The mean of one or several (u, v)."""
    try:
        pixels = np.array(mark, dtype=np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        pixels = np.full((1, 2), np.nan)
    if not len(pixels) or not np.isfinite(pixels).all():
        raise InputError(f"Expected a mark of {name!r} as (u, v) in pixels, got {mark!r}.")
    u, v = pixels.mean(axis=0)
    return float(u), float(v)


def _check_sides(at: Mapping[str, Floats], cameras: Sequence[Camera]) -> None:
    """Somebody faces the cameras: every left joint is at their left."""
    for part in ("shoulder", "elbow", "wrist"):
        across = at[f"l_{part}"] - at[f"r_{part}"]
        if leftwards(at[f"l_{part}"], cameras) @ across <= 0.0:
            raise InputError(
                f"Expected l_{part} at the left of somebody who faces the cameras, which is at the "
                "right of the pictures; left and right are exchanged."
            )


def _arm(at: Mapping[str, Floats], start: str, end: str) -> float:
    """Mean length of both sides."""
    left, right = (
        float(np.linalg.norm(at[f"{side}_{start}"] - at[f"{side}_{end}"])) for side in "lr"
    )
    if abs(left - right) > LOPSIDED * max(left, right):
        raise InputError(
            f"Expected arms of one length, got {left:.3f} m and {right:.3f} m from {start} to "
            f"{end}: put the marks anew."
        )
    return 0.5 * (left + right)


def _back_share() -> float:
    """Lumbosacral joint to mid-shoulder over stature, on the built-in figure."""
    anatomy = anatomy_of(Skeleton.humanoid(DEFAULT_STATURE))
    shoulders = [anatomy.positions[anatomy.node(f"{side}_shoulder")] for side in "lr"]
    back = anatomy.positions[anatomy.node("pelvis")]
    return float(np.linalg.norm(0.5 * (shoulders[0] + shoulders[1]) - back)) / DEFAULT_STATURE
