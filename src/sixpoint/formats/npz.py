"""NPZ: a motion or tracked points exactly as they are in memory, for NumPy users.

Points hold the keys ``names, positions, rate`` and, where known, ``rotations, confidence``. Nothing
is ever unpickled, and no array is made before the file has shown that it holds its bytes.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..atomic_write import atomic_write
from ..body.skeleton import Skeleton
from ..errors import FormatError, InputError, names_file
from ..kernels.arrays import as_quat, as_vec
from ..motion.motion import Motion, Source
from ..motion.points import Points
from .plain_text import read_bytes

MOTION_FORMAT = "sixpoint motion"
VERSION = 1
MAX_BYTES = 1 << 32
"""Largest content of one array."""

POINTS_KEYS = ("names", "positions", "rate", "rotations", "confidence")
_POINTS_NEEDED = POINTS_KEYS[:3]
_TREE_KEYS = ("names", "parents", "offsets", "site_names", "site_parents", "site_offsets")
_MOTION_NEEDED = (*_TREE_KEYS, "root", "rotations", "rate", "hinges", "source")


def write_motion_npz(motion: Motion, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write a motion without loss: skeleton, sites, roles, bind pose, hinges and source too."""
    body = motion.skeleton
    content: dict[str, Any] = {
        "format": MOTION_FORMAT,
        "version": VERSION,
        **{key: _stored(getattr(body, key)) for key in _TREE_KEYS},
        "hinges": json.dumps(dict(body.hinges)),
        "root": motion.root,
        "rotations": motion.rotations,
        "rate": motion.rate,
        "source": json.dumps(asdict(motion.source)),
    }
    roles = None if body.roles is None else json.dumps(dict(body.roles))
    optional = {"bind": body.bind, "roles": roles, "translations": motion.translations}
    content |= {key: value for key, value in optional.items() if value is not None}
    with atomic_write(path) as file:
        np.savez(file, **content)
    return ()


@names_file
def read_motion_npz(path: str | os.PathLike[str]) -> Motion:
    """Read a motion written by `write_motion_npz`."""
    content = read_arrays(path)
    if "format" not in content:
        points = set(_POINTS_NEEDED) <= content.keys() and "parents" not in content
        hint = "; these are tracked points: use load_points" if points else ""
        keys = ", ".join(sorted(content)[:12]) or "nothing"
        raise FormatError(f"Expected a {MOTION_FORMAT} file, got the keys {keys}{hint}.")
    try:
        kind, version = str(content["format"]), int(content["version"])
        if kind != MOTION_FORMAT or version != VERSION:
            raise FormatError(
                f"Expected a {MOTION_FORMAT} file of version {VERSION}, "
                f"got {kind[:40]!r} of version {version}."
            )
        _demand(content, _MOTION_NEEDED)
        text = {key: json.loads(str(content[key])) for key in ("hinges", "source")}
        roles = json.loads(str(content["roles"])) if "roles" in content else None
        tree: dict[str, Any] = {key: content[key] for key in _TREE_KEYS}
        tree |= {key: tuple(map(str, tree[key])) for key in ("names", "site_names")}
        skeleton = Skeleton(
            **tree,
            bind=content.get("bind"),
            roles=roles,
            hinges={name: as_vec(axis) for name, axis in text["hinges"].items()},
        )
        return Motion(
            skeleton,
            root=content["root"],
            rotations=content["rotations"],
            rate=float(content["rate"]),
            translations=content.get("translations"),
            source=_source(text["source"]),
        )
    except (InputError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise FormatError(f"Not a sound {MOTION_FORMAT} file: {error}") from None


def write_points_npz(points: Points, path: str | os.PathLike[str]) -> None:
    """Write tracked points with the keys of `POINTS_KEYS`; optional ones only if known."""
    known = {key: getattr(points, key) for key in POINTS_KEYS}
    content = {key: _stored(value) for key, value in known.items() if value is not None}
    with atomic_write(path) as file:
        np.savez(file, **content)


@names_file
def read_points_npz(path: str | os.PathLike[str], *, rate: float | None = None) -> Points:
    """Read tracked points; a given rate [Hz] replaces the file's."""
    content = read_arrays(path)
    if "format" in content:
        raise FormatError("Expected tracked points, got a motion: use load.")
    if rate is not None:
        content["rate"] = np.asarray(rate)
    _demand(content, _POINTS_NEEDED)
    unknown = sorted(content.keys() - set(POINTS_KEYS))
    if unknown:
        raise FormatError(f"No key {unknown[0]!r} in points; there are {', '.join(POINTS_KEYS)}.")
    try:
        return Points(
            names=tuple(map(str, content["names"])),
            positions=content["positions"],
            rate=float(content["rate"]),
            rotations=content.get("rotations"),
            confidence=content.get("confidence"),
        )
    except (InputError, ValueError, TypeError) as error:
        raise FormatError(f"Not sound points: {error}") from None


@names_file
def read_arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Return all arrays of an NPZ file, each checked against its own size before it is made."""
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                name = member.filename.removesuffix(".npy")
                arrays[name] = _read_array(archive, member)
    except OSError as error:
        raise FormatError(f"Cannot be read: {error.strerror or error}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FormatError(f"Expected an NPZ file, got no sound ZIP: {error}.") from None
    return arrays


@names_file
def read_array_file(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Return the array of an NPY file, checked against the size of the file before it is made."""
    return _array_of(read_bytes(path, MAX_BYTES), os.path.basename(os.fspath(path)))


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    if member.file_size > MAX_BYTES:
        raise FormatError(
            f"Expected arrays of at most {MAX_BYTES} bytes, got {member.file_size} "
            f"in {member.filename[:40]!r}."
        )
    return _array_of(archive.read(member), member.filename)


def _array_of(data: bytes, name: str) -> NDArray[Any]:
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = header(stream)
        if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(data) - stream.tell():
            raise ValueError("its header does not fit its content")
        stream.seek(0)
        return np.lib.format.read_array(stream, allow_pickle=False)
    except (ValueError, KeyError, TypeError, EOFError, RecursionError, MemoryError) as error:
        raise FormatError(f"Expected an array in {name[:40]!r}, but {error}.") from None


def _stored(value: Any) -> Any:
    return np.array(value, dtype=np.str_) if isinstance(value, tuple) else value


def _demand(content: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    missing = [key for key in keys if key not in content]
    if missing:
        raise FormatError(f"Expected the keys {', '.join(keys)}; {', '.join(missing)} not found.")


def _source(text: Mapping[str, Any]) -> Source:
    channels = text["channels"]
    return Source(
        format=str(text["format"]),
        path=None if text["path"] is None else str(text["path"]),
        unit=float(text["unit"]),
        axes=as_quat(text["axes"]),
        channels=None if channels is None else tuple(tuple(map(str, row)) for row in channels),
        notes=tuple(map(str, text["notes"])),
    )
