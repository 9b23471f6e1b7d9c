"""Calibrations as files: our own JSON, and those of Qualisys (.qca.txt).

::

    {"format": "sixpoint cameras", "version": 1, "cameras": [
      {"name": "left", "size": [320, 240], "matrix": [[230, 0, 159.5], ...],
       "distortion": [0, 0, 0, 0, 0], "rotation": [[1, 0, 0], ...], "translation": [0, 0, 2]}]}

Metres and pixels; `rotation` and `translation` take the world (Y up) to the camera (Y down, Z
ahead).
"""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..atomic_write import atomic_write
from ..errors import FormatError, InputError
from .camera import Camera

FORMAT = "sixpoint cameras"
LARGEST = 1 << 22
"""No calibration has more bytes than this."""
SUBPIXEL = 64.0
"""Qualisys counts in parts of a pixel."""
Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""From Z up to Y up, as in `sixpoint.formats.units`."""

PathLike = str | os.PathLike[str]


def save_cameras(cameras: Sequence[Camera], path: PathLike) -> None:
    """Write a calibration; the file is replaced when all is written."""
    content = {
        "format": FORMAT,
        "version": 1,
        "cameras": [
            {
                "name": camera.name,
                "size": list(camera.size),
                "matrix": camera.matrix.tolist(),
                "distortion": camera.distortion.tolist(),
                "rotation": camera.rotation.tolist(),
                "translation": camera.translation.tolist(),
            }
            for camera in cameras
        ],
    }
    with atomic_write(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def load_cameras(path: PathLike) -> tuple[Camera, ...]:
    """Read a calibration: JSON written by `save_cameras`, or Qualisys XML.

    Raises:
        FormatError: it is neither, or something in it is missing or makes no sense.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise FormatError(f"Cannot be read: {error.strerror or error}.", path=path) from None
    if len(data) > LARGEST:
        raise FormatError(f"Expected a calibration of at most {LARGEST} bytes.", path=path)
    if data.lstrip()[:1] == b"<":
        return _qualisys(data, path)
    try:
        content = json.loads(data)
    except ValueError as error:
        raise FormatError(f"Expected JSON or Qualisys XML: {error}.", path=path) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(f"Expected 'format': {FORMAT!r} in a calibration.", path=path)
    rows = content.get("cameras")
    if not isinstance(rows, list) or not rows:
        raise FormatError("Expected a list of 'cameras', got none.", path=path)
    return tuple(_camera(row, k, path) for k, row in enumerate(rows))


def _camera(row: Any, k: int, path: object) -> Camera:
    keys = ("name", "size", "matrix", "rotation", "translation")
    missing = [key for key in keys if not isinstance(row, dict) or key not in row]
    if missing:
        raise FormatError(f"Camera {k}: expected the keys {', '.join(keys)}; "
                          f"{missing[0]!r} is missing.", path=path)  # fmt: skip
    try:
        return Camera(
            str(row["name"]),
            (int(row["size"][0]), int(row["size"][1])),
            np.array(row["matrix"], dtype=np.float64),
            np.array(row["rotation"], dtype=np.float64),
            np.array(row["translation"], dtype=np.float64),
            np.array(row.get("distortion", [0.0] * 5), dtype=np.float64),
        )
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise FormatError(f"Camera {k}: {error}", path=path) from None


def _qualisys(data: bytes, path: object) -> tuple[Camera, ...]:
    """Cameras of a Qualisys calibration: millimetres, Z up, picture axes X right, Y up, Z back."""
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise FormatError("Expected plain XML, got entity definitions.", path=path)
    try:
        tree = ET.fromstring(data)
    except ET.ParseError as error:
        raise FormatError(f"Expected Qualisys XML: {error}.", path=path) from None
    cameras = []
    for k, node in enumerate(tree.iter("camera")):
        parts = {name: node.find(name) for name in ("fov_video", "transform", "intrinsic")}
        try:
            fov, place, lens = (dict(part.attrib) for part in parts.values() if part is not None)
            cameras.append(_qualisys_camera(node.get("serial", f"camera {k}"), fov, place, lens))
        except (ValueError, KeyError, InputError) as error:
            raise FormatError(f"Camera {k}: {error}", path=path) from None
    if not cameras:
        raise FormatError("Expected <camera> elements in Qualisys XML, got none.", path=path)
    return tuple(cameras)


def _qualisys_camera(
    name: str, fov: dict[str, str], place: dict[str, str], lens: dict[str, str]
) -> Camera:
    left, right, top, bottom = (float(fov[key]) for key in ("left", "right", "top", "bottom"))
    axes = np.array([[float(place[f"r{i}{j}"]) for j in (1, 2, 3)] for i in (1, 2, 3)])
    stand = np.array([float(place[axis]) for axis in "xyz"]) / 1000.0
    flipped = np.diag([1.0, -1.0, -1.0]) @ axes @ Z_UP.T
    u, _, v = np.linalg.svd(flipped)  # the file has seven digits
    rotation = u @ v
    number = {key: float(value) for key, value in lens.items()}
    matrix = np.array(
        [
            [number["focalLengthU"], number["skew"], number["centerPointU"] - SUBPIXEL * left],
            [0.0, number["focalLengthV"], number["centerPointV"] - SUBPIXEL * top],
            [0.0, 0.0, SUBPIXEL],
        ]
    )
    distortion = [
        number["radialDistortion1"],
        number["radialDistortion2"],
        number["tangentalDistortion1"],
        number["tangentalDistortion2"],
        number["radialDistortion3"],
    ]
    return Camera(
        name,
        (round(right - left) + 1, round(bottom - top) + 1),
        matrix / SUBPIXEL,
        rotation,
        -rotation @ (Z_UP @ stand),
        np.array(distortion),
    )


def camera_from_projection(name: str, size: tuple[int, int], projection: Any) -> Camera:
    """A camera from a known 3 x 4 matrix that takes the world [m] to pixels, up to scale."""
    p = np.asarray(projection, dtype=np.float64)
    if p.shape != (3, 4) or not np.isfinite(p).all() or abs(np.linalg.det(p[:, :3])) < 1e-12:
        raise InputError(f"Expected a `projection` of rank 3, shape (3, 4), got {p.shape}.")
    # RQ of the left part: QR of the rows from below.
    q, r = np.linalg.qr(p[::-1, :3].T)
    matrix, rotation = r.T[::-1, ::-1], q.T[::-1]
    signs = np.diag(np.sign(np.diag(matrix)))
    matrix, rotation = matrix @ signs, signs @ rotation
    translation = np.linalg.solve(matrix, p[:, 3])
    if np.linalg.det(rotation) < 0.0:
        rotation, translation = -rotation, -translation
    return Camera(name, size, matrix / matrix[2, 2], rotation, translation)
