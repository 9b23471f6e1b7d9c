"""Arrays of joint positions in .npy, .npz, .json and .csv, in the shapes that programs write.

What comes out is (frames, joints, 3) with a confidence where the file has one. Which joint stands
where is the business of a layout (`sixpoint.subjects.layouts`), unless the file names its joints.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, names_file
from ..kernels.types import Floats
from .npz import POINTS_KEYS, read_array_file, read_arrays
from .plain_text import number_or_nan, plain_bytes, read_bytes, text_of

NOBODY: list[Any] = []
ARRAY_KEYS = (
    "positions", "joints", "joints3d", "joints_3d", "keypoints_3d", "keypoints3d", "keypoints",
    "xyz", "world_landmarks", "worldlandmarks", "pose_world_landmarks", "landmarks",
    "pose_keypoints_3d", "motion", "points", "frames", "data", "arr_0",
)  # fmt: skip
"""Names under which programs store joint positions, the likeliest first; case does not matter."""
NAME_KEYS = ("names", "joint_names", "keypoint_names")
RATE_KEYS = ("rate", "fps", "frame_rate", "framerate", "mocap_framerate", "mocap_frame_rate")
CONFIDENCE_KEYS = ("confidence", "visibility", "score", "likelihood", "c")
COUNTERS = ("", "frame", "frames", "index", "time", "timestamp", "timestamps", "time_s", "t")
"""Columns of tables that are no coordinates, in lower case."""
COLUMN = re.compile(r"(.*?)[\s._:/-]*(x|y|z|confidence|visibility|score|likelihood)")
"""A column of a coordinate, in lower case: the joint and the axis."""
NO_LANDMARKS = "pose_keypoints_2d"


@dataclass(frozen=True, eq=False)
class JointArray:
    """Numbers of a file as they stand there."""

    values: Floats
    """An array of any shape; usually (F, N, 3) or, with a confidence, (F, N, 4)."""
    names: tuple[str, ...] | None = None
    """Names of the joints, if the file says them."""
    rate: float | None = None
    """Frames a second, if the file says it [Hz]."""


def holds_joint_array(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds an array of joint positions rather than named points.

    A table (.csv) is never taken for one: it takes a layout to read it so.
    """
    kind = Path(path).suffix.lower()
    if kind != ".npz":
        return kind in (".npy", ".json")
    try:
        content = read_arrays(path)
    except FormatError:
        return False
    own = {"format"}, set(POINTS_KEYS[:3]), {"poses", "trans"}, {"pose_body", "trans"}
    if any(content.keys() >= keys for keys in own):
        return False
    return any(array.ndim >= 3 for array in content.values())


@names_file
def read_joint_array(path: str | os.PathLike[str]) -> JointArray:
    """Read an array of joint positions: .npy, .npz, .json, .csv or a folder of OpenPose files.

    Raises:
        FormatError: the file holds no such array; says what it holds.
    """
    source = Path(path)
    if source.is_dir():
        return _folder(source)
    readers = {".npy": _npy, ".npz": _npz, ".json": _json, ".csv": _csv}
    kind = source.suffix.lower()
    if kind not in readers:
        raise FormatError(f"Expected an array in {', '.join(readers)}; got {kind or source.name}.")
    return readers[kind](source)


def _npy(path: Path) -> JointArray:
    return JointArray(_numbers(read_array_file(path), path.name))


def _npz(path: Path) -> JointArray:
    content = {key.lower(): value for key, value in read_arrays(path).items()}
    found = _named(content)
    if found is None:
        candidates = [k for k, v in content.items() if v.ndim >= 3 and v.dtype.kind in "fiu"]
        if len(candidates) != 1:
            raise FormatError(
                "Expected one array of joint positions, named for instance "
                f"{', '.join(ARRAY_KEYS[:3])}; got {', '.join(sorted(content)) or 'nothing'}."
            )
        found = candidates[0]
    values = _numbers(content[found], found)
    trust = next((content[key] for key in CONFIDENCE_KEYS if key in content), None)
    if trust is not None and trust.shape == values.shape[:-1] and values.shape[-1] == 3:
        values = np.concatenate([values, _numbers(trust, "confidence")[..., None]], axis=-1)
    return JointArray(values, _names(content), _rate(content))


def _named(content: Mapping[str, Any]) -> str | None:
    """Return the likeliest name of joint positions among the keys."""
    return next((key for key in ARRAY_KEYS if key in content), None)


def _names(content: Mapping[str, Any]) -> tuple[str, ...] | None:
    found = next((content[key] for key in NAME_KEYS if key in content), None)
    return None if found is None else tuple(str(name) for name in found)


def _rate(content: Mapping[str, Any]) -> float | None:
    found = next((content[key] for key in RATE_KEYS if key in content), None)
    try:
        return None if found is None else float(np.ravel(found)[0])
    except (TypeError, ValueError, IndexError):
        raise FormatError(f"Expected a number of frames a second, got {found!r}.") from None


def _numbers(values: Any, what: str) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise FormatError(f"Expected numbers in {what[:40]!r}, got {array.dtype}.")
    return array.astype(np.float64)


def _json(path: Path) -> JointArray:
    import json

    try:
        content = json.loads(text_of(plain_bytes(read_bytes(path))))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"Expected JSON: {error}.") from None
    return _from_json(content)


def _from_json(content: Any) -> JointArray:
    names, rate = None, None
    if isinstance(content, dict):
        lower = {str(key).lower(): value for key, value in content.items()}
        names, rate = _names(lower), _rate(lower)
        if "people" in lower:
            content = [content]
        else:
            key = _named(lower)
            if key is None:
                raise FormatError(
                    "Expected an object with joint positions under a name such as "
                    f"{', '.join(ARRAY_KEYS[:3])}; got {', '.join(list(lower)[:8]) or 'nothing'}."
                )
            content = lower[key]
    if not isinstance(content, list) or not content:
        raise FormatError("Expected a list of frames, got none.")
    return JointArray(_stacked([_frame(frame) for frame in content]), names, rate)


def _folder(path: Path) -> JointArray:
    """Read a folder with one JSON file a frame, as OpenPose writes it."""
    files = sorted(path.glob("*.json"), key=lambda p: [*map(int, re.findall(r"\d+", p.name))])
    if not files:
        raise FormatError("Expected a folder with one JSON file a frame, got none.")
    frames = [_json(file).values for file in files]
    return JointArray(_stacked([frame[0] for frame in frames]))


def _frame(frame: Any) -> Any:
    """Return one frame as nested lists of numbers; an empty list where nobody was seen."""
    if isinstance(frame, dict):
        lower = {str(key).lower(): value for key, value in frame.items()}
        if "people" in lower:
            return _openpose(lower["people"])
        if "x" in lower:
            trust = [lower[key] for key in CONFIDENCE_KEYS if key in lower][:1]
            try:
                return [lower["x"], lower["y"], lower["z"], *trust]
            except KeyError:
                raise FormatError(
                    "Expected x, y and z of each joint, got x without z: 2D keypoints need two "
                    "views (`sixpoint capture`) or a lifter."
                ) from None
        key = _named(lower)
        if key is None:
            raise FormatError(f"Expected joints in a frame, got {', '.join(list(lower)[:8])}.")
        return _frame(lower[key])
    if isinstance(frame, list):
        return [_frame(part) if isinstance(part, dict | list) else part for part in frame]
    return NOBODY if frame is None else frame


def _openpose(people: Any) -> Any:
    """Return the one person of a frame of OpenPose as rows of x, y, z and confidence."""
    if not isinstance(people, list) or not people:
        return NOBODY
    if len(people) > 1:
        raise FormatError(f"Expected one person in each frame, got {len(people)}: split the file.")
    flat = people[0].get("pose_keypoints_3d") if isinstance(people[0], dict) else None
    if not flat:
        raise FormatError(
            f"Expected pose_keypoints_3d, got {NO_LANDMARKS} only: 2D keypoints need two views "
            "(`sixpoint capture`)."
        )
    return [flat[k : k + 4] for k in range(0, len(flat), 4)]


def _stacked(frames: Sequence[Any]) -> Floats:
    """Return frames as one array; those in which nobody was seen are NaN."""
    try:
        rows = [np.array(frame, dtype=np.float64) for frame in frames]
    except (TypeError, ValueError):
        raise FormatError("Expected as many numbers for each joint of each frame.") from None
    shapes = {row.shape for row in rows if row.size}
    if len(shapes) != 1:
        raise FormatError(
            f"Expected the same shape in every frame, got {sorted(shapes) or 'nobody at all'}."
        )
    shape = shapes.pop()
    return np.stack([row if row.size else np.full(shape, np.nan) for row in rows])


def _csv(path: Path) -> JointArray:
    lines = text_of(plain_bytes(read_bytes(path))).splitlines()
    mark = next((d for d in ",;\t" if d in lines[0]), ",")
    try:
        rows = [row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if row]
    except csv.Error as error:
        raise FormatError(f"Expected CSV: {error}.") from None
    first = [cell.strip() for cell in rows[0]]
    head = first if any(number_or_nan(cell) is None for cell in first) else None
    body = rows if head is None else rows[1:]
    table = np.array(
        [_row(row, len(first), k) for k, row in enumerate(body, len(rows) - len(body))]
    )
    if not len(table):
        raise FormatError("Expected rows of numbers, got none.")
    if head is None:
        return JointArray(_without_counter(table))
    named = _by_name(head)
    if named:
        axes = ("x", "y", "z", *(["c"] if all("c" in cols for cols in named.values()) else []))
        missing = next((n for n, cols in named.items() if not set(axes) <= cols.keys()), None)
        if missing is not None:
            raise FormatError(f"Expected columns x, y and z of {missing!r}, got fewer.")
        columns = [[cols[axis] for axis in axes] for cols in named.values()]
        return JointArray(table[:, columns], tuple(named), _rate_of(head, table))
    kept = [k for k, cell in enumerate(head) if cell.lower() not in COUNTERS]
    return JointArray(table[:, kept], None, _rate_of(head, table))


def _row(row: Sequence[str], count: int, at: int) -> list[float]:
    if len(row) != count:
        raise FormatError(f"Expected {count} cells, got {len(row)}.", line=at + 1)
    numbers = [number_or_nan(cell) for cell in row]
    if None in numbers:
        raise FormatError(f"Expected a number, got {row[numbers.index(None)][:40]!r}.", line=at + 1)
    return [number for number in numbers if number is not None]


def _by_name(head: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return joint -> axis -> column of a header with columns such as ``l_wrist_x``."""
    named: dict[str, dict[str, int]] = {}
    for k, cell in enumerate(head):
        match = COLUMN.fullmatch(cell.lower())
        if cell.lower() in COUNTERS or match is None or not match[1] or match[1].isdigit():
            continue
        named.setdefault(match[1], {})[match[2] if len(match[2]) == 1 else "c"] = k
    return named


def _without_counter(table: Floats) -> Floats:
    """Return a table without a first column that counts frames or seconds."""
    counts = table.shape[1] % 3 == 1 and len(table) > 1 and (np.diff(table[:, 0]) > 0.0).all()
    return table[:, 1:] if counts else table


def _rate_of(head: Sequence[str], table: Floats) -> float | None:
    """Return the rate of a table with a column of seconds, None without [Hz]."""
    column = next((k for k, cell in enumerate(head) if cell.lower() in ("time", "time_s", "t")), -1)
    if column < 0 or len(table) < 2:
        return None
    step = float(np.median(np.diff(table[:, column])))
    if not step > 0.0:
        return None
    rate = 1.0 / step
    return float(round(rate)) if abs(rate - round(rate)) < 0.02 * rate else rate
