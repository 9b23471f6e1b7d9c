"""The table of formats, and loading and saving by a file's name."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName, located_input
from ..motion.motion import Motion
from ..motion.points import Points
from ..subjects.conventions import points_to_world
from .amass import read_npz
from .amc import read_amc
from .arrays import holds_joint_array, read_joint_array
from .bvh_read import read_bvh
from .bvh_write import write_bvh
from .joint_arrays import PointsRead, points_from_array
from .markers import as_roles, read_points_c3d, read_points_trc, write_points_trc
from .npz import read_points_npz, write_motion_npz, write_points_npz
from .points_csv import read_points_csv, write_points_csv
from .urdf import read_urdf

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Format:
    """One kind of file, with the functions that read and write it."""

    description: str
    suffixes: tuple[str, ...]
    """File name endings in lower case, with the dot."""
    read: Callable[..., Motion] | None = None
    """Function of the path; its keyword arguments are options of `load`."""
    write: Callable[[Motion, PathLike], tuple[str, ...]] | None = None
    """Function of the motion and the path; returns what could not be kept."""
    read_points: Callable[..., Points] | None = None
    """Function of the path and the keyword argument `rate`; of markers also `roles`."""
    write_points: Callable[[Points, PathLike], None] | None = None
    own_unit: bool = False
    """Whether its points come with their unit and have their upward axis found."""

    @property
    def options(self) -> tuple[str, ...]:
        """Keyword arguments that `load` takes for it."""
        return () if self.read is None else tuple(signature(self.read).parameters)[1:]


def read_points_array(path: PathLike, *, rate: float | None = None) -> Points:
    """Read joint positions in the layout that fits best; see `points_from_array`."""
    return points_from_array(read_joint_array(path), rate=rate).points


FORMATS: Mapping[str, Format] = {
    "bvh": Format(
        "Biovision hierarchy: skeleton and motion as text",
        (".bvh",),
        read=read_bvh,
        write=write_bvh,
    ),
    "amc": Format("Acclaim motion with its .asf skeleton", (".amc", ".asf"), read=read_amc),
    "npz": Format(
        "NumPy archive: a motion or tracked points without loss, SMPL parameters (AMASS), or an "
        "array of joints in a [layout](layouts.md)",
        (".npz",),
        read=read_npz,
        write=write_motion_npz,
        read_points=read_points_npz,
        write_points=write_points_npz,
    ),
    "urdf": Format(
        "robots, hands and humanoids with limits: the figure at rest; `load_robot` has all of it",
        (".urdf",),
        read=read_urdf,
    ),
    "csv": Format(
        "tracked points as a table: time,pelvis.x,pelvis.y,pelvis.z,...",
        (".csv",),
        read_points=read_points_csv,
        write_points=write_points_csv,
    ),
    "npy": Format(
        "NumPy array of joint positions, (frames, joints, 3), in a [layout](layouts.md)",
        (".npy",),
        read_points=read_points_array,
        own_unit=True,
    ),
    "json": Format(
        "joint positions as lists, OpenPose's 3D keypoints; in a [layout](layouts.md)",
        (".json",),
        read_points=read_points_array,
        own_unit=True,
    ),
    "trc": Format(
        "markers of Motion Analysis and OpenSim as text; joints from the usual marker sets",
        (".trc",),
        read_points=read_points_trc,
        write_points=write_points_trc,
        own_unit=True,
    ),
    "c3d": Format(
        "markers of laboratories, read by ezc3d; joints from the usual marker sets",
        (".c3d",),
        read_points=read_points_c3d,
        own_unit=True,
    ),
}
"""Name -> format. A new format needs an entry here and nothing else."""


def format_of(path: PathLike, task: str = "read") -> Format:
    """Return the format of a file name's ending that can do a task (see `suffixes`)."""
    able, suffix = _able(task), Path(path).suffix.lower()
    if suffix not in able:
        kinds = {"read": "motion format", "write": "motion format to write"}
        raise UnknownName(kinds.get(task, "points format"), suffix or Path(path).name, able)
    return able[suffix]


def suffixes(task: str) -> tuple[str, ...]:
    """Return file name endings that can "read", "write", "read_points" or "write_points"."""
    return tuple(_able(task))


def _able(task: str) -> dict[str, Format]:
    return {s: form for form in FORMATS.values() if getattr(form, task) for s in form.suffixes}


def has_own_unit(path: PathLike) -> bool:
    """Return whether a file of points says its unit and shows which axis is up."""
    return format_of(path, "read_points").own_unit


def takes_skeleton(path: PathLike) -> bool:
    """Return whether a motion file keeps its skeleton in another file."""
    form = _able("read").get(Path(path).suffix.lower())
    return form is not None and "skeleton" in form.options


def load(path: PathLike, *, roles: Mapping[str, str] | None = None, **options: Any) -> Motion:
    """Read a motion: BVH, AMC with ASF, NPZ, or another of `FORMATS` that can be read.

    Args:
        path: the file; its ending says the format.
        roles: role -> joint, such as ``l_wrist``, where the names of joints do not say it.
        **options: those of the format, such as `unit` (metres per file unit or a name such as
            "cm"), `up` ("y", "z", "x", "-y"), `rate` [Hz], `lenient`, `skeleton` (.asf), `joints`
            and `height` (the body of SMPL parameters, .npz); None is default.

    Raises:
        FormatError: the file cannot be read; says where.
    """
    form = format_of(path)
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in form.options:
            raise InputError(
                f"No option {key!r} for {Path(path).suffix} files; "
                f"there are: {', '.join(form.options) or 'none'}."
            )
    assert form.read is not None
    motion = form.read(path, **given)
    if not roles:
        return motion
    return replace(motion, skeleton=replace(motion.skeleton, roles=dict(roles)))


def load_skeleton(
    path: PathLike, *, roles: Mapping[str, str] | None = None, **options: Any
) -> Skeleton:
    """Read the skeleton of a motion file or of a robot (URDF), without its motion.

    Limits, couplings and collision shapes of a URDF come with `load_robot`.

    Args:
        path: the file; its ending says the format.
        roles: role -> joint, as in `load`.
        **options: those of `load`.

    Raises:
        FormatError: the file cannot be read; says where.
    """
    return load(path, roles=roles, **options).skeleton


def save(motion: Motion, path: PathLike) -> tuple[str, ...]:
    """Write a motion: BVH or NPZ. The file is replaced when all is written, untouched on failure.

    Returns:
        What could not be kept as it was in the motion's source; usually nothing.

    Raises:
        CannotWrite: the file cannot be written.
    """
    write = format_of(path, "write").write
    assert write is not None
    return write(motion, path)


def load_points(path: PathLike, **options: Any) -> Points:
    """Read tracked points: NPZ, CSV, the markers of TRC and C3D, or an array of joints.

    Args:
        path: the file; its ending says the format.
        **options: those of `read_points`.

    Raises:
        FormatError: the file cannot be read; says where.
        InputError: an option makes no sense, or an array is none of a body.
    """
    return read_points(path, **options).points


def read_points(
    path: PathLike,
    *,
    rate: float | None = None,
    unit: float | str | None = None,
    up: str | None = None,
    layout: str | None = None,
    roles: Mapping[str, str] | None = None,
) -> PointsRead:
    """Read tracked points, and say what was guessed.

    Args:
        path: the file; its ending says the format. With a layout also a folder with one file of
            OpenPose for each frame.
        rate: frames per second [Hz], if other than the file says.
        unit: metres per unit of the file or its name, if other than metres; of arrays it is found.
        up: "z", "x" or "-y", if other than Y points up; of arrays it is found.
        layout: order of the joints of an array (`sixpoint.subjects.LAYOUTS`); default: the one that
            fits, where the file is an array.
        roles: role -> one marker or several, separated by commas, whose mean it is.

    Raises:
        FormatError: the file cannot be read; says where.
        InputError: an option makes no sense, or an array is none of a body.
    """
    if rate is not None and not (math.isfinite(rate) and rate > 0.0):
        raise InputError(f"Expected a positive `rate` in Hz, got {rate}.")
    if layout is not None or holds_joint_array(path):
        with located_input(path):
            return points_from_array(read_joint_array(path), layout, rate=rate, unit=unit, up=up)
    form = format_of(path, "read_points")
    assert form.read_points is not None
    as_it_is = unit is None and up is None
    if form.own_unit and not as_it_is:
        raise InputError(
            f"Expected neither `unit` nor `up` for {Path(path).suffix} files, which say their unit "
            "and show what is up."
        )
    if form.own_unit:
        points = form.read_points(path, rate=rate, roles=roles)
    else:
        points = form.read_points(path, rate=rate)
        points = points if as_it_is else points_to_world(points, unit=unit, up=up)
        points = points if not roles else as_roles(points, roles)
    return PointsRead(points, "", ())


def save_points(points: Points, path: PathLike) -> None:
    """Write tracked points: NPZ, CSV or TRC. The file is replaced when all is written.

    Raises:
        CannotWrite: the file cannot be written.
    """
    write = format_of(path, "write_points").write_points
    assert write is not None
    write(points, path)
