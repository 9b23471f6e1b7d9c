"""Body measurement: how large somebody appears to cameras, and segment lengths from marked joints.

Sizes and the reach of the arms tell which skin blobs can be a head or a hand of this person. To be
measured, the person stands symmetric, arms along the body; shoulders, elbows, wrists and, as an
option, the back are marked (Boulic et al. 2006, sections 4 and 6.3). Other lengths follow by fixed
proportions.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..body.anthropometry import DEFAULT_STATURE, FRACTIONS
from ..body.shapes import HEAD_AHEAD, HEAD_HEIGHT, HEAD_TOP
from ..body.skeleton import Skeleton
from ..errors import FormatError, InputError, names_file
from ..kernels.types import Floats
from .calibration import parse_json, read_bounded
from .camera import Camera, reprojection_errors, triangulate

LABELS = ("head", "l_hand", "r_hand")
"""What is tracked, in this order everywhere."""
HEAD, HANDS = 0, (1, 2)
"""Indices of `LABELS`."""
HEAD_HALF = np.array([0.044, 0.5 * HEAD_HEIGHT, 0.052])
"""Half-axes of the head as parts of stature: left, up, forward."""
HAND_HALF = np.array([0.012, 0.054, 0.025])
"""Half-axes of a hand: palm, along, across; it is .108 of stature long (Drillis, Contini 1966)."""
FACE_OFFSET = np.array([0.0, HEAD_TOP - 0.5 * HEAD_HEIGHT, HEAD_AHEAD])
"""Middle of the head relative to the head joint, as a part of stature."""
HEAD_AREA = math.pi * HEAD_HALF[1] * 0.5 * (HEAD_HALF[0] + HEAD_HALF[2])
"""Area of the outline of a head seen from the height of its eyes, over the square of stature."""
HAND_AREA = math.pi * HAND_HALF[1] * HAND_HALF[2]
"""Area of the largest outline of a hand, over the square of stature."""
HEAD_ABOVE_SHOULDERS = 0.12
"""Height of the middle of the head above the shoulders, over stature."""
REACH_SLACK = 1.15
"""Largest distance of a hand from its shoulder, over the length of the arm: the shoulder may be
raised, the person turned, the stature a guess."""
UP = np.array([0.0, 1.0, 0.0])
MARKS = ("l_shoulder", "r_shoulder", "l_elbow", "r_elbow", "l_wrist", "r_wrist")
"""The joints that must be marked."""
BACK = "back"
"""Optional mark at the beginning of the spine, the lumbosacral joint."""
LARGEST_MARK_ERROR = 6.0
"""Largest reprojection error of marks that were put on the same joint [px]."""
LARGEST_ARM_DIFFERENCE = 0.15
"""Largest relative difference between the left and the right arm."""
LARGEST_FILE = 1 << 20
"""Largest size of a file of marks [bytes]."""


@dataclass(frozen=True)
class PersonModel:
    """Somebody of known stature who faces some cameras."""

    stature: float
    """Standing height [m]."""
    cameras: tuple[Camera, ...]

    def areas(self, label: int, position: Floats) -> Floats:
        """Return the largest outline of a head (label 0) or hand there, in each view [px^2]."""
        share = HEAD_AREA if label == HEAD else HAND_AREA
        return np.array([share * self.height_in(camera, position) ** 2 for camera in self.cameras])

    def height_in(self, camera: Camera, position: Floats) -> float:
        """Return the height in the camera's picture of somebody at a position [px]."""
        depth = max(float(camera.depth(position)), 0.1)
        return float(camera.matrix[0, 0]) * self.stature / depth

    def reaches(self, label: int, head: Floats, hand: Floats) -> bool:
        """Return whether the left (1) or right (2) hand can be there, by the length of the arm.

        Both are middles [m], shape (3,).
        """
        side = 0.5 * FRACTIONS["torso_width"] * (1.0 if label == 1 else -1.0)
        shoulder = head + self.stature * (
            side * leftwards(head, self.cameras) - HEAD_ABOVE_SHOULDERS * UP
        )
        arm = FRACTIONS["upper_arm"] + FRACTIONS["forearm"] + float(HAND_HALF[1])
        return bool(np.linalg.norm(hand - shoulder) <= REACH_SLACK * arm * self.stature)


def leftwards(position: Floats, cameras: Sequence[Camera]) -> Floats:
    """Return the unit vector to the left of somebody at a position (3,) who faces the cameras."""
    left = np.cross(UP, np.mean([camera.centre for camera in cameras], axis=0) - position)
    return np.asarray(left / max(float(np.linalg.norm(left)), 1e-9))


@dataclass(frozen=True, eq=False)
class MeasuredBody:
    """Result of `measure_body`."""

    lengths: dict[str, float]
    """`upper_arm`, `forearm`, `torso_width` and, with the back, `back_to_shoulders` [m]."""
    positions: dict[str, Floats]
    """Position of each marked joint [m]."""
    stature: float
    """Standing height estimated from the lengths [m]."""
    skeleton: Skeleton
    """The built-in humanoid with these lengths, all others in proportion."""


def measure_body(cameras: Sequence[Camera], marks: Sequence[Mapping[str, Any]]) -> MeasuredBody:
    """Measure somebody by joints that are marked in both pictures.

    Args:
        cameras: the two views.
        marks: for each picture, joint -> (u, v), or several of them, of which the mean counts: one
            mark is off by a pixel, and lengths by some percent. All of `MARKS`, and `BACK` if it
            is known.

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
    positions = triangulate(cameras, pixels)
    off = reprojection_errors(cameras, pixels, positions).max(axis=0)
    worst = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
    if not off[worst] <= LARGEST_MARK_ERROR:
        raise InputError(
            f"Expected the marks of {names[worst]!r} on the same joint in both pictures; "
            f"their rays pass {off[worst]:.1f} pixels from each other."
        )
    at = dict(zip(names, positions, strict=True))
    for part in ("shoulder", "elbow", "wrist"):
        if leftwards(at[f"l_{part}"], cameras) @ (at[f"l_{part}"] - at[f"r_{part}"]) <= 0.0:
            raise InputError(
                f"Expected l_{part} at the left of somebody who faces the cameras, which is at the "
                "right of the pictures; left and right are exchanged."
            )
    own = {
        "upper_arm": _arm(at, "shoulder", "elbow"),
        "forearm": _arm(at, "elbow", "wrist"),
        "torso_width": float(np.linalg.norm(at["l_shoulder"] - at["r_shoulder"])),
    }
    lengths = dict(own)
    if BACK in at:
        lengths["back_to_shoulders"] = _back_length(at, at[BACK])
        anatomy = Skeleton.humanoid(DEFAULT_STATURE).anatomy
        usual = {role: anatomy.positions[node] for role, node in anatomy.roles.nodes.items()}
        share = _back_length(usual, usual["pelvis"]) / DEFAULT_STATURE
        stature = lengths["back_to_shoulders"] / share
    else:
        stature = float(np.mean([length / FRACTIONS[name] for name, length in own.items()]))
    return MeasuredBody(lengths, at, stature, Skeleton.humanoid(stature, lengths=own))


@names_file
def load_marks(path: str | os.PathLike[str]) -> list[dict[str, tuple[float, float]]]:
    """Read marks of two pictures: ``{"left": {"l_shoulder": [u, v], ...}, "right": ...}`` in JSON.

    A mark may also be a list of several [u, v], of which the mean is taken.
    """
    content = parse_json(read_bounded(path, LARGEST_FILE))
    if not isinstance(content, dict) or not {"left", "right"} <= content.keys():
        raise FormatError("Expected the keys 'left' and 'right', each with marks.")
    out = []
    for side in ("left", "right"):
        try:
            out.append({str(k): _pixel(v, str(k)) for k, v in content[side].items()})
        except (AttributeError, InputError):
            raise FormatError(f"Expected joint: [u, v] under {side!r}.") from None
    return out


def _pixel(mark: Any, name: str) -> tuple[float, float]:
    """Return the mean of one or several (u, v)."""
    try:
        pixels = np.array(mark, dtype=np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        pixels = np.full((1, 2), np.nan)
    if not len(pixels) or not np.isfinite(pixels).all():
        raise InputError(f"Expected a mark of {name!r} as (u, v) in pixels, got {mark!r}.")
    u, v = pixels.mean(axis=0)
    return float(u), float(v)


def _arm(at: Mapping[str, Floats], start: str, end: str) -> float:
    """Return the mean length of a segment on both sides."""
    left, right = (
        float(np.linalg.norm(at[f"{side}_{start}"] - at[f"{side}_{end}"])) for side in "lr"
    )
    if abs(left - right) > LARGEST_ARM_DIFFERENCE * max(left, right):
        raise InputError(
            f"Expected arms of one length, got {left:.3f} m and {right:.3f} m from {start} to "
            f"{end}: put the marks anew."
        )
    return 0.5 * (left + right)


def _back_length(at: Mapping[str, Floats], back: Floats) -> float:
    """Return the distance from the lumbosacral joint to the middle of the shoulders [m]."""
    return float(np.linalg.norm(0.5 * (at["l_shoulder"] + at["r_shoulder"]) - back))
