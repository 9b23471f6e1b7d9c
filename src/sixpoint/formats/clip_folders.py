"""Folders of clips by person: BVH files, and archives with all clips of one person.

A clip archive is an NPZ file with the keys `names` (J,) and `parents` (J,) of the joints, `offsets`
(J, 3) in the file's unit, `angles` (F, 3 J) Z, Y, X rotations in that order, intrinsic, in
hundredths of a degree (int16), `root` (F, 3), `starts` (C,) first frame and `clips` (C,) name of
each clip; optionally `rate` [Hz] and `unit` [m]. Without these two it is of the CMU database at 15
frames per second.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..body.skeleton import Skeleton
from ..errors import FormatError, InputError, RolesNotFound, names_file
from ..kernels import arrays
from ..motion.motion import Motion
from .bvh_read import read_bvh
from .npz import read_arrays

KEYS = ("names", "parents", "offsets", "angles", "root", "starts", "clips")
DEFAULTS = {"rate": 15.0, "unit": 0.0564444}
"""Frames per second, and metres per unit, of archives that do not say."""
FEWEST_FRAMES = 3
"""Least number of frames of a clip."""


def is_clip_archive(path: str | Path) -> bool:
    """Return whether a file is a clip archive, by its keys."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {f"{key}.npy" for key in KEYS} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


@names_file
def read_clip_archive(path: str | Path) -> dict[str, Motion]:
    """Read the clips of an archive by their names."""
    held = {key: np.asarray(value) for key, value in DEFAULTS.items()} | read_arrays(path)
    lost = [key for key in KEYS if key not in held]
    if lost:
        raise FormatError(
            f"Expected a clip archive with the keys {', '.join(KEYS)}; got none named "
            f"{', '.join(lost)}."
        )
    _check(held)
    unit, rate = float(held["unit"]), float(held["rate"])
    skeleton = Skeleton(tuple(map(str, held["names"])), held["parents"], held["offsets"] * unit)
    turns = held["angles"].reshape(-1, skeleton.joint_count, 3)
    ends = [*held["starts"][1:], len(turns)]
    motions = {}
    for clip, first, last in zip(held["clips"], held["starts"], ends, strict=True):
        local = arrays.from_euler("ZYX", np.radians(turns[first:last] / 100.0))
        motions[str(clip)] = Motion(
            skeleton, held["root"][first:last] * unit, arrays.normalize(local), rate
        )
    return motions


def _check(held: Mapping[str, NDArray[Any]]) -> None:
    """Raise if arrays are not those of a clip archive."""
    for key in ("parents", "offsets", "angles", "root", "starts", "unit", "rate"):
        if held[key].dtype.kind not in "iuf" or not np.isfinite(held[key]).all():
            raise FormatError(f"Expected finite numbers in `{key}`, got {held[key].dtype}.")
    for key in DEFAULTS:
        if held[key].ndim != 0 or not held[key] > 0.0:
            raise FormatError(f"Expected one positive number as `{key}`, got {held[key]}.")
    width, angles, root = 3 * held["names"].size, held["angles"], held["root"]
    frames = angles.shape[0] if angles.ndim == 2 else 0
    if angles.shape != (frames, width) or root.shape != (frames, 3):
        raise FormatError(
            f"Expected `angles` of shape (F, {width}) and `root` of shape (F, 3); got "
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


def read_subjects(folder: str | Path) -> tuple[dict[str, list[Motion]], list[str]]:
    """Read all clips below a folder by subject, with notes on what was left out.

    An archive is one subject, named by its number (``subject_002.npz``: "2"). BVH clips are of the
    same subject when their names agree up to the first underscore (``13_29_jumps.bvh``: "13").

    Raises:
        InputError: there is no clip of a human.
    """
    top = Path(folder)
    if not top.exists():
        raise InputError(
            f"{folder}: expected a folder with BVH clips or archives, found no such one."
        )
    found: dict[str, list[Motion]] = {}
    notes: list[str] = []
    for path in [top] if top.is_file() else sorted(top.rglob("*")):
        suffix = path.suffix.lower()
        if suffix not in (".bvh", ".npz"):
            continue
        if suffix == ".npz" and not is_clip_archive(path):
            notes.append(f"{path.name}: left out: no clip archive of a subject, or not whole")
            continue
        try:
            archive = suffix == ".npz"
            motions = [*read_clip_archive(path).values()] if archive else [read_bvh(path)]
            motions[0].skeleton.anatomy  # noqa: B018  (found here, or it is no human)
        except (FormatError, RolesNotFound, InputError, IndexError) as error:
            notes.append(f"{path.name}: left out: {str(error).splitlines()[0]}")
            continue
        long = [motion for motion in motions if len(motion) >= FEWEST_FRAMES]
        if len(long) < len(motions):
            left = len(motions) - len(long)
            notes.append(
                f"{path.name}: left out: {left} clips of fewer than {FEWEST_FRAMES} frames"
            )
        found.setdefault(subject_name(path), []).extend(long)
    found = {name: motions for name, motions in found.items() if motions}
    if not found:
        raise InputError(
            f"{folder}: expected BVH clips or archives of humans, found none that can be used."
            + "".join(f"\n  {note}" for note in notes[:5])
        )
    return found, notes


def subject_name(path: Path) -> str:
    """Return whose clip a file is, by its name."""
    number = re.fullmatch(r"(?:subject_?)?0*(\d+)", path.stem)
    if number:
        return number[1]
    head = path.stem.split("_", 1)[0]
    return head.lstrip("0") or head
