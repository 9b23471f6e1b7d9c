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

from ..errors import FormatError, InputError
from ..kernels.types import Floats
from ..motion.points import Points
from .calibration import parse_json, read_bounded
from .camera import AGREEMENT, Camera, check_views, triangulate_robust
from .images import natural_order

COCO = (
    "nose", "l_eye", "r_eye", "l_ear", "r_ear", "l_shoulder", "r_shoulder", "l_elbow", "r_elbow",
    "l_wrist", "r_wrist", "l_hip", "r_hip", "l_knee", "r_knee", "l_ankle", "r_ankle",
)  # fmt: skip
BODY_25 = (
    "nose", "neck", "r_shoulder", "r_elbow", "r_wrist", "l_shoulder", "l_elbow", "l_wrist",
    "mid_hip", "r_hip", "r_knee", "r_ankle", "l_hip", "l_knee", "l_ankle", "r_eye", "l_eye",
    "r_ear", "l_ear", "l_toe", "l_small_toe", "l_heel", "r_toe", "r_small_toe", "r_heel",
)  # fmt: skip
HALPE_26 = (
    *COCO, "head_top", "neck", "mid_hip", "l_toe", "r_toe", "l_small_toe", "r_small_toe", "l_heel",
    "r_heel",
)  # fmt: skip
LAYOUTS: Mapping[int, tuple[str, ...]] = {17: COCO, 25: BODY_25, 26: HALPE_26}
"""Number of keypoints -> their names."""
PELVIS_RISE = 0.060 / 0.110
"""Height of the pelvis role above the middle of the hips, over the distance of the hips."""
LIMBS = (
    ("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"),
)  # fmt: skip
"""Segments of constant length, from the trunk outwards."""
STRETCH = 1.4
"""Largest factor between the length of a segment and its median."""
SIDED = re.compile(r"(?:(left|right|l|r)_(\w+)|(\w+)_(left|right|l|r))")
"""A name with a side, in lower case."""
LARGEST_FILE = 1 << 28
"""Largest size of a file of keypoints [bytes]."""


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


def load_keypoints(path: str | Path) -> Keypoints:
    """Read the keypoints of one view.

    Args:
        path: a folder of OpenPose files, or one JSON file.

    Raises:
        FormatError: with the file at fault.
    """
    source = Path(path)
    if source.is_dir():
        files = sorted(source.glob("*.json"), key=natural_order)
        if not files:
            raise FormatError("Expected a folder of JSON files, got none.", path=path)
        return _stacked([_openpose(_content(file), file) for file in files], path)
    content = _content(source)
    if isinstance(content, dict) and "people" in content:
        return _stacked([_openpose(content, source)], path)
    if isinstance(content, dict) and {"names", "frames"} <= content.keys():
        return _own(content, path)
    if isinstance(content, list) and content:
        return _coco(content, path)
    raise FormatError(
        "Expected keypoints: a folder of OpenPose files, a COCO list of results, or "
        "an object with 'names' and 'frames'.",
        path=path,
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
    at = [[view.names.index(name) for name in names] for view in views]
    frames, count = len(views[0].pixels), len(names)
    pixels = np.stack([v.pixels[:, k] for v, k in zip(views, at, strict=True)])
    sure = np.stack([v.confidence[:, k] for v, k in zip(views, at, strict=True)])
    places, trust, _ = triangulate_robust(
        cameras,
        pixels.reshape(len(views), frames * count, 2),
        sure.reshape(len(views), frames * count),
        agreement,
    )
    found = dict(zip(names, places.reshape(frames, count, 3).transpose(1, 0, 2), strict=True))
    trusts = dict(zip(names, trust.reshape(frames, count).T, strict=True))
    _bound_limbs(found, trusts)
    _roles(found, trusts)
    order = tuple(found)
    return Points(
        order,
        np.stack([found[name] for name in order], axis=1),
        chosen,
        confidence=np.stack([trusts[name] for name in order], axis=1),
    )


def role_name(name: str) -> str:
    """Return a keypoint's name as a role: ``left_wrist``, ``LWrist`` and ``wrist_l`` alike."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=^[LR])(?=[A-Z])", "_", name.strip())
    plain = re.sub(r"[\s.-]+", "_", plain).lower()
    match = SIDED.fullmatch(plain)
    if match is None:
        return plain
    before, part, other, after = match.groups()
    return f"{(before or after)[0]}_{part or other}"


def _bound_limbs(found: dict[str, Floats], trust: dict[str, Floats]) -> None:
    """Remove ends of limbs whose length is far from its median, in place."""
    for near, far in LIMBS:
        pairs = [(f"{side}_{near}", f"{side}_{far}") for side in "lr"]
        lengths = {
            b: np.linalg.norm(found[b] - found[a], axis=1)
            for a, b in pairs
            if a in found and b in found
        }
        known = [row[np.isfinite(row)] for row in lengths.values()]
        if not known or not np.concatenate(known).size:
            continue
        usual = float(np.median(np.concatenate(known)))
        for name, length in lengths.items():
            with np.errstate(invalid="ignore"):
                wrong = (length > STRETCH * usual) | (length < usual / STRETCH)
            found[name] = np.where(wrong[:, None], np.nan, found[name])
            trust[name] = np.where(wrong, 0.0, trust[name])


def _roles(found: dict[str, Floats], trust: dict[str, Floats]) -> None:
    """Add head and pelvis, which no detector has where a skeleton has them, in place."""
    if {"l_ear", "r_ear"} <= found.keys():
        found["head"] = 0.5 * (found["l_ear"] + found["r_ear"])
        trust["head"] = np.minimum(trust["l_ear"], trust["r_ear"])
    needed = {"l_hip", "r_hip", "l_shoulder", "r_shoulder"}
    if needed <= found.keys():
        hips, shoulders = (
            0.5 * (found[f"l_{part}"] + found[f"r_{part}"]) for part in ("hip", "shoulder")
        )
        width = np.linalg.norm(found["l_hip"] - found["r_hip"], axis=1, keepdims=True)
        up = shoulders - hips
        up = up / np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-9)
        found["pelvis"] = hips + PELVIS_RISE * width * up
        trust["pelvis"] = np.minimum.reduce([trust[name] for name in sorted(needed)])


def _content(path: Path) -> Any:
    return parse_json(read_bounded(path, LARGEST_FILE), path)


def _openpose(content: Any, path: Path) -> Floats:
    """Return the person of highest confidence in one frame (K, 3); no rows if there is nobody."""
    people = content.get("people") if isinstance(content, dict) else None
    if not isinstance(people, list):
        raise FormatError("Expected 'people' in a file of OpenPose.", path=path)
    rows = [_triples(person.get("pose_keypoints_2d", []), path) for person in people
            if isinstance(person, dict)]  # fmt: skip
    return max(rows, key=lambda row: float(row[:, 2].sum()), default=np.zeros((0, 3)))


def _triples(values: Any, path: object) -> Floats:
    try:
        row = np.array(values, dtype=np.float64).reshape(-1, 3)
    except (TypeError, ValueError):
        raise FormatError("Expected keypoints as u, v, confidence, ...", path=path) from None
    if len(row) not in LAYOUTS and len(row):
        raise FormatError(
            f"Expected {', '.join(map(str, sorted(LAYOUTS)))} keypoints (COCO, BODY_25, "
            f"HALPE_26); got {len(row)}.",
            path=path,
        )
    return row


def _stacked(frames: Sequence[Floats], path: object, rate: float | None = None) -> Keypoints:
    counts = {len(frame) for frame in frames if len(frame)}
    if len(counts) != 1:
        got = "nobody in any frame" if not counts else f"{sorted(counts)} keypoints"
        raise FormatError(f"Expected one number of keypoints in all frames, got {got}.", path=path)
    count = counts.pop()
    empty = np.full((count, 3), np.nan)
    stack = np.stack([frame if len(frame) else empty for frame in frames])
    return _keypoints(LAYOUTS[count], stack, rate)


def _keypoints(names: tuple[str, ...], stack: Floats, rate: float | None) -> Keypoints:
    sure = np.nan_to_num(np.clip(stack[..., 2], 0.0, 1.0))
    seen = (sure > 0.0) & np.isfinite(stack).all(axis=-1)
    pixels = np.where(seen[..., None], stack[..., :2], np.nan)
    return Keypoints(names, pixels, np.where(seen, sure, 0.0), rate)


def _coco(content: Sequence[Any], path: object) -> Keypoints:
    best: dict[int, tuple[float, Floats]] = {}
    for k, row in enumerate(content):
        try:
            frame, score = int(row["image_id"]), float(row.get("score", 1.0))
            values = row["keypoints"]
        except (TypeError, KeyError, ValueError, AttributeError):
            raise FormatError(
                f"Result {k}: expected 'image_id' (a number), 'keypoints' and 'score'.", path=path
            ) from None
        if frame not in best or score > best[frame][0]:
            best[frame] = (score, _triples(values, path))
    first, last = min(best), max(best)
    if last - first > 100 * len(best) + 1000:
        raise FormatError("Expected image_id to count frames.", path=path)
    nobody = (0.0, np.zeros((0, 3)))
    return _stacked([best.get(f, nobody)[1] for f in range(first, last + 1)], path)


def _own(content: Mapping[str, Any], path: object) -> Keypoints:
    try:
        names = tuple(role_name(str(name)) for name in content["names"])
        stack = np.array(content["frames"], dtype=np.float64)
        rate = None if content.get("rate") is None else float(content["rate"])
    except (TypeError, ValueError):
        raise FormatError("Expected 'frames' as [[u, v, confidence], ...] lists.", path=path
                          ) from None  # fmt: skip
    if stack.ndim != 3 or stack.shape[1:] != (len(names), 3) or len(set(names)) != len(names):
        raise FormatError(
            f"Expected 'frames' of shape (F, {len(names)}, 3) for {len(names)} different names, "
            f"got {stack.shape}.",
            path=path,
        )
    return _keypoints(names, stack, rate)
