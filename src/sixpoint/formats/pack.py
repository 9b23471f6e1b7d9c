"""Packs: the clips of one person in one NPZ file, for fitting models.

Keys: `names` (J,) and `parents` (J,) of the joints, `offsets` (J, 3) in the file's unit, `angles`
(F, 3 J) Z, Y, X rotations in that order, intrinsic, in hundredths of a degree (int16), `root`
(F, 3), `starts` (C,) first frame and `clips` (C,) name of each clip; optionally `rate` [Hz] and
`unit` [m]. Without these two the pack is of the CMU database at 15 frames a second.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

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
    unit = float(held.get("unit", CMU_UNIT))
    rate = float(held.get("rate", CMU_RATE))
    names = tuple(str(name) for name in held["names"])
    joints = len(names)
    angles, root = held["angles"], held["root"]
    ends = [*held["starts"][1:], len(angles)]
    if angles.ndim != 2 or angles.shape[1] != 3 * joints or root.shape != (len(angles), 3):
        raise FormatError(
            f"Expected `angles` of shape (F, {3 * joints}) and `root` of shape (F, 3); got "
            f"{angles.shape} and {root.shape}.",
            path=str(path),
        )
    skeleton = Skeleton(names, held["parents"], held["offsets"] * unit)
    motions = {}
    for clip, first, last in zip(held["clips"], held["starts"], ends, strict=True):
        turns = np.radians(angles[first:last].reshape(-1, joints, 3) / 100.0)
        rotations = arrays.normalize(arrays.from_euler("ZYX", turns))
        motions[str(clip)] = Motion(skeleton, root[first:last] * unit, rotations, rate)
    return motions
