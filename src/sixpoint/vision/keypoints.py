"""Keypoints of a 2D detector in two or more calibrated views, triangulated to points in space.

A detector (OpenPose, RTMPose, AlphaPose, MMPose ...) finds joints in ordinary pictures: no green
wall, no long sleeves. Its JSON is read and triangulated where views agree. Detectors themselves are
not part of this package.

Three kinds of JSON are read: a folder with one OpenPose file a frame (``people[].
pose_keypoints_2d``), a COCO list of results (``image_id``, ``keypoints``), and our own, for
everything else::

    {"names": ["l_wrist", "r_wrist", ...], "rate": 30, "frames": [[[u, v, confidence], ...], ...]}

Names may be those of COCO (``left_wrist``) or of others (``LWrist``, ``RightHip``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, InputError, names_file
from ..kernels.types import Floats
from ..motion.points import Points
from ..subjects.layouts import find_layout
from .calibration import parse_json, read_bounded
from .camera import AGREEMENT, Camera, check_views, triangulate_robust
from .images import natural_order

LAYOUTS: Mapping[int, tuple[str, ...]] = {
    len(it): it.landmarks for it in map(find_layout, ("coco17", "body25", "halpe26"))
}
"""Number of keypoints -> their names."""
PELVIS_RISE = 0.060 / 0.110
"""Height of the pelvis role above the middle of the hips, over the distance of the hips."""
LIMBS = (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
"""Segments of constant length, from the trunk outwards."""
LARGEST_STRETCH = 1.4
"""Largest factor between the length of a segment and its median."""
SIDED = re.compile(r"(?:(left|right|l|r)_(\w+)|(\w+)_(left|right|l|r))")
"""A name with a side, in lower case."""
LARGEST_FILE = 1 << 28
"""Largest size of a file of keypoints [bytes]."""
NOBODY = np.zeros((0, 3))
"""Keypoints of a frame without people."""


@dataclass(frozen=True, eq=False)
class Keypoints:
    """Keypoints of one view."""

    names: tuple[str, ...]
    pixels: Floats
    """Pixels (F, K, 2); NaN where nothing was seen."""
    confidence: Floats
    """Confidence (F, K), 0 to 1."""
    rate: float | None = None
    """Frames per second, if the file says [Hz]."""


def is_keypoints(source: str) -> bool:
    """Return whether a view is keypoints, not pictures: a JSON file or a folder of such files."""
    path = Path(source)
    return path.suffix.lower() == ".json" or (path.is_dir() and any(path.glob("*.json")))


@names_file
def load_keypoints(path: str | Path) -> Keypoints:
    """Read the keypoints of one view: a folder of OpenPose files, or one JSON file."""
    if Path(path).is_dir():
        files = sorted(Path(path).glob("*.json"), key=natural_order)
        if not files:
            raise FormatError("Expected a folder of JSON files, got none.")
        return _stacked(list(map(_openpose_file, files)))
    content = _content(path)
    if isinstance(content, dict) and "people" in content:
        return _stacked([_openpose(content)])
    if isinstance(content, dict) and {"names", "frames"} <= content.keys():
        return _own(content)
    if isinstance(content, list) and content:
        return _coco(content)
    raise FormatError(
        "Expected keypoints: a folder of OpenPose files, a COCO list of results, or "
        "an object with 'names' and 'frames'."
    )


def triangulate_keypoints(
    cameras: Sequence[Camera],
    views: Sequence[Keypoints],
    rate: float | None = None,
    agreement: float = AGREEMENT,
) -> Points:
    """Triangulate keypoints that the views agree on, named by roles where they are joints.

    Ears make the `head`, hips the `pelvis`, a little above their middle. Confidence is that of the
    detector, times the share of the views that agree. A joint is NaN where fewer than half of the
    views that see it agree on it, and where its limb is much longer or shorter than its median.

    Args:
        cameras: two or more.
        views: keypoints of each, the same number of frames.
        rate: frames per second [Hz], where no file says.
        agreement: largest reprojection error of views that agree [px].
    """
    check_views(cameras)
    if len(views) != len(cameras):
        raise InputError(f"Expected keypoints for {len(cameras)} cameras, got {len(views)}.")
    if len({len(view.pixels) for view in views}) > 1:
        listed = ", ".join(str(len(view.pixels)) for view in views)
        raise InputError(f"Expected as many frames in every view, got {listed}.")
    chosen = next((r for r in (rate, *(view.rate for view in views)) if r is not None), None)
    if chosen is None:
        raise InputError("Expected a `rate` in Hz; the files of keypoints do not say one.")
    names = [name for name in views[0].names if all(name in view.names for view in views)]
    columns = [[view.names.index(name) for name in names] for view in views]
    shape = (len(views[0].pixels), len(names))
    pixels = [view.pixels[:, k].reshape(-1, 2) for view, k in zip(views, columns, strict=True)]
    sure = [view.confidence[:, k].ravel() for view, k in zip(views, columns, strict=True)]
    at, trust, _ = triangulate_robust(cameras, np.stack(pixels), np.stack(sure), agreement)
    rows = np.concatenate([at, trust[:, None]], axis=1).reshape(*shape, 4)
    found = {name: rows[:, k] for k, name in enumerate(names)}
    _bound_limbs(found)
    _add_roles(found)
    rows = np.stack(list(found.values()), axis=1)
    return Points(tuple(found), rows[..., :3], chosen, confidence=rows[..., 3])


def role_name(name: str) -> str:
    """Return a keypoint's name as a role: ``left_wrist``, ``LWrist`` and ``wrist_l`` alike."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=^[LR])(?=[A-Z])", "_", name.strip())
    plain = re.sub(r"[\s.-]+", "_", plain).lower()
    match = SIDED.fullmatch(plain)
    if match is None:
        return plain
    before, part, other, after = match.groups()
    return f"{(before or after)[0]}_{part or other}"


def _bound_limbs(found: dict[str, Floats]) -> None:
    """Remove ends of limbs whose length is far from its median from rows (F, 4), in place."""
    for near, far in LIMBS:
        lengths = {
            f"{side}_{far}": np.linalg.norm((found[f"{side}_{far}"] - start)[:, :3], axis=1)
            for side in "lr"
            if (start := found.get(f"{side}_{near}")) is not None and f"{side}_{far}" in found
        }
        known = [length[np.isfinite(length)] for length in lengths.values()]
        if not known or not np.concatenate(known).size:
            continue
        usual = float(np.median(np.concatenate(known)))
        for name, length in lengths.items():
            with np.errstate(invalid="ignore"):
                wrong = (length > LARGEST_STRETCH * usual) | (length < usual / LARGEST_STRETCH)
            found[name][wrong] = (np.nan, np.nan, np.nan, 0.0)


def _add_roles(found: dict[str, Floats]) -> None:
    """Add head and pelvis, which no detector has where a skeleton has them, in place."""

    def add(role: str, position: Floats, sources: Sequence[str]) -> None:
        trust = np.minimum.reduce([found[name][:, 3] for name in sources])
        found[role] = np.column_stack([position, trust])

    def middle(part: str) -> Floats:
        return np.asarray(0.5 * (found[f"l_{part}"] + found[f"r_{part}"])[:, :3])

    if {"l_ear", "r_ear"} <= found.keys():
        add("head", middle("ear"), ("l_ear", "r_ear"))
    needed = ("l_hip", "l_shoulder", "r_hip", "r_shoulder")
    if set(needed) <= found.keys():
        hips, across = middle("hip"), (found["l_hip"] - found["r_hip"])[:, :3]
        width = np.linalg.norm(across, axis=1, keepdims=True)
        up = middle("shoulder") - hips
        up = up / np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-9)
        add("pelvis", hips + PELVIS_RISE * width * up, needed)


def _content(path: str | Path) -> Any:
    return parse_json(read_bounded(path, LARGEST_FILE))


@names_file
def _openpose_file(path: Path) -> Floats:
    return _openpose(_content(path))


def _openpose(content: Any) -> Floats:
    """Return the person of highest confidence in one frame (K, 3); no rows if there is nobody."""
    people = content.get("people") if isinstance(content, dict) else None
    if not isinstance(people, list):
        raise FormatError("Expected 'people' in a file of OpenPose.")
    rows = [_triples(person.get("pose_keypoints_2d", [])) for person in people
            if isinstance(person, dict)]  # fmt: skip
    return max(rows, key=lambda row: float(row[:, 2].sum()), default=NOBODY)


def _triples(values: Any) -> Floats:
    try:
        row = np.array(values, dtype=np.float64).reshape(-1, 3)
    except (TypeError, ValueError):
        raise FormatError("Expected keypoints as u, v, confidence, ...") from None
    if len(row) not in LAYOUTS and len(row):
        raise FormatError(
            f"Expected {', '.join(map(str, sorted(LAYOUTS)))} keypoints (COCO, BODY_25, "
            f"HALPE_26); got {len(row)}."
        )
    return row


def _stacked(frames: Sequence[Floats]) -> Keypoints:
    counts = sorted({len(frame) for frame in frames if len(frame)})
    if len(counts) != 1:
        got = f"{counts} keypoints" if counts else "nobody in any frame"
        raise FormatError(f"Expected one number of keypoints in all frames, got {got}.")
    empty = np.full((counts[0], 3), np.nan)
    stack = np.stack([frame if len(frame) else empty for frame in frames])
    return _keypoints(LAYOUTS[counts[0]], stack)


def _keypoints(names: tuple[str, ...], stack: Floats, rate: float | None = None) -> Keypoints:
    sure = np.nan_to_num(np.clip(stack[..., 2], 0.0, 1.0))
    seen = (sure > 0.0) & np.isfinite(stack).all(axis=-1)
    pixels = np.where(seen[..., None], stack[..., :2], np.nan)
    return Keypoints(names, pixels, np.where(seen, sure, 0.0), rate)


def _coco(content: Sequence[Any]) -> Keypoints:
    best: dict[int, tuple[float, Floats]] = {}
    for k, row in enumerate(content):
        try:
            frame, score = int(row["image_id"]), float(row.get("score", 1.0))
            values = row["keypoints"]
        except (TypeError, KeyError, ValueError, AttributeError):
            message = f"Result {k}: expected 'image_id' (a number), 'keypoints' and 'score'."
            raise FormatError(message) from None
        if frame not in best or score > best[frame][0]:
            best[frame] = (score, _triples(values))
    first, last = min(best), max(best)
    if last - first > 100 * len(best) + 1000:
        raise FormatError("Expected image_id to count frames.")
    return _stacked([best.get(f, (0.0, NOBODY))[1] for f in range(first, last + 1)])


def _own(content: Mapping[str, Any]) -> Keypoints:
    try:
        names = tuple(role_name(str(name)) for name in content["names"])
        stack = np.array(content["frames"], dtype=np.float64)
        rate = None if content.get("rate") is None else float(content["rate"])
    except (TypeError, ValueError):
        raise FormatError("Expected 'frames' as [[u, v, confidence], ...] lists.") from None
    if stack.ndim != 3 or stack.shape[1:] != (len(names), 3) or len(set(names)) != len(names):
        raise FormatError(
            f"Expected 'frames' of shape (F, {len(names)}, 3) for {len(names)} different names, "
            f"got {stack.shape}."
        )
    return _keypoints(names, stack, rate)
