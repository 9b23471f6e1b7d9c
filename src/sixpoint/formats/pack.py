"""Packs: the clips of one person in one NPZ file, for fitting models.

Keys: `names` (J,) and `parents` (J,) of the joints, `offsets` (J, 3) in the file's unit, `angles`
(F, 3 J) Z, Y, X rotations in that order, intrinsic, in hundredths of a degree (int16), `root`
(F, 3), `starts` (C,) first frame and `clips` (C,) name of each clip; optionally `rate` [Hz] and
`unit` [m]. Without these two the pack is of the CMU database at 15 frames a second.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..body.skeleton import Skeleton
from ..errors import FormatError
from ..kernels import arrays
from ..motion.motion import Motion

KEYS = ("names", "parents", "offsets", "angles", "root", "starts", "clips")
CMU_RATE, CMU_UNIT = 15.0, 0.0564444
"""Frames a second, and metres per unit, of packs that do not say."""


def is_pack(path: str | Path) -> bool:
    """Whether a file is a pack, by its keys."""
    try:
        with np.load(path, allow_pickle=False) as data:
            return set(KEYS) <= set(data.files)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError):
        return False


def read_pack(path: str | Path) -> dict[str, Motion]:
    """The clips of a pack, by their names."""
    try:
        with np.load(path, allow_pickle=False) as data:
            lost = [key for key in KEYS if key not in data.files]
            if lost:
                raise FormatError(
                    f"Expected a pack with the keys {', '.join(KEYS)}; got none named "
                    f"{', '.join(lost)}.",
                    path=str(path),
                )
            held = {key: data[key] for key in data.files}
    except (ValueError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise FormatError(f"Expected a pack in NPZ format: {error}", path=str(path)) from error
    try:
        _check(held)
    except FormatError as error:
        raise FormatError(str(error), path=str(path)) from error
    unit, rate = float(held.get("unit", CMU_UNIT)), float(held.get("rate", CMU_RATE))
    names = tuple(str(name) for name in held["names"])
    joints = len(names)
    angles, root = held["angles"], held["root"]
    ends = [*held["starts"][1:], len(angles)]
    skeleton = Skeleton(names, held["parents"], held["offsets"] * unit)
    motions = {}
    for clip, first, last in zip(held["clips"], held["starts"], ends, strict=True):
        turns = np.radians(angles[first:last].reshape(-1, joints, 3) / 100.0)
        rotations = arrays.normalize(arrays.from_euler("ZYX", turns))
        motions[str(clip)] = Motion(skeleton, root[first:last] * unit, rotations, rate)
    return motions


def _check(held: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that are not those of a pack."""
    for key in ("parents", "offsets", "angles", "root", "starts", "unit", "rate"):
        if key in held and (held[key].dtype.kind not in "iuf" or not np.isfinite(held[key]).all()):
            raise FormatError(f"Expected finite numbers in `{key}`, got {held[key].dtype}.")
    for key in ("unit", "rate"):
        if key in held and (held[key].ndim != 0 or not held[key] > 0.0):
            raise FormatError(f"Expected one positive number as `{key}`, got {held[key]}.")
    joints, angles, root = held["names"].size, held["angles"], held["root"]
    frames = angles.shape[0] if angles.ndim == 2 else 0
    if angles.shape != (frames, 3 * joints) or root.shape != (frames, 3):
        raise FormatError(
            f"Expected `angles` of shape (F, {3 * joints}) and `root` of shape (F, 3); got "
            f"{angles.shape} and {root.shape}."
        )
    starts, clips = held["starts"], held["clips"]
    if starts.ndim != 1 or starts.shape != clips.shape or not len(starts):
        raise FormatError(
            f"Expected `starts` and `clips` of one shape (C,); got {starts.shape} and "
            f"{clips.shape}."
        )
    if starts[0] != 0 or (np.diff(starts) < 1).any() or starts[-1] >= max(frames, 1):
        raise FormatError(
            f"Expected `starts` to rise from 0 to less than the {frames} frames; got {starts}."
        )
