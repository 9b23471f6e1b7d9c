"""Folders of clips, sorted by the person who moves."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import FormatError, InputError, RolesNotFound
from ..motion.motion import Motion
from .bvh_read import read_bvh
from .pack import is_pack, read_pack

SHORTEST = 3
"""Clips of fewer frames say nothing."""


def read_subjects(folder: str | Path) -> tuple[dict[str, list[Motion]], list[str]]:
    """All clips below a folder by subject, and notes on what was left out.

    A pack is one subject, named by its number (``subject_002.npz``: "2"). BVH clips belong to the
    same subject when their names agree up to the first underscore (``13_29_jumps.bvh``: "13").

    Raises:
        InputError: there is no clip of a human.
    """
    place = Path(folder)
    if not place.exists():
        raise InputError(f"{folder}: expected a folder with BVH clips or packs, found no such one.")
    paths = [place] if place.is_file() else sorted(place.rglob("*"))
    found: dict[str, list[Motion]] = {}
    notes: list[str] = []
    for path in paths:
        suffix = path.suffix.lower()
        if suffix not in (".bvh", ".npz"):
            continue
        if suffix == ".npz" and not is_pack(path):
            notes.append(f"{path.name}: left out: no pack of a subject, or not whole")
            continue
        try:
            motions = list(read_pack(path).values()) if suffix == ".npz" else [read_bvh(path)]
            motions[0].skeleton.anatomy  # noqa: B018  (found here, or it is no human)
        except (FormatError, RolesNotFound, InputError, IndexError) as error:
            notes.append(f"{path.name}: left out: {str(error).splitlines()[0]}")
            continue
        long = [m for m in motions if len(m) >= SHORTEST]
        if len(long) < len(motions):
            left = len(motions) - len(long)
            notes.append(f"{path.name}: left out: {left} clips of fewer than {SHORTEST} frames")
        found.setdefault(subject_name(path), []).extend(long)
    found = {name: motions for name, motions in found.items() if motions}
    if not found:
        raise InputError(
            f"{folder}: expected BVH clips or packs of humans, found none that can be used."
            + "".join(f"\n  {note}" for note in notes[:5])
        )
    return found, notes


def subject_name(path: Path) -> str:
    """Whose clip a file is, by its name."""
    stem = path.stem
    number = re.fullmatch(r"(?:subject_?)?0*(\d+)", stem)
    if number:
        return number[1]
    head = stem.split("_", 1)[0]
    return head.lstrip("0") or head
