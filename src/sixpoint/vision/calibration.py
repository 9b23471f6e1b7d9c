"""Calibrated cameras: calibration files, and calibration from pictures of a board.

Files are our own JSON or those of Qualisys (.qca.txt)::

    {"format": "sixpoint cameras", "version": 1, "cameras": [
      {"name": "left", "size": [320, 240], "matrix": [[230, 0, 159.5], ...],
       "distortion": [0, 0, 0, 0, 0], "rotation": [[1, 0, 0], ...], "translation": [0, 0, 2]}]}

in metres and pixels; `rotation` and `translation` take the world (Y up) to the camera (Y down, Z
ahead). A board that is shown to both cameras at once, in many poses, gives the lens of each camera
and the pose of one relative to the other (Zhang 2000, as OpenCV does it).
"""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..atomic_write import atomic_write
from ..errors import FormatError, InputError, names_file
from ..kernels.types import Floats
from .camera import Camera
from .images import Picture, check_picture, opencv

FORMAT = "sixpoint cameras"
KEYS = ("name", "size", "matrix", "rotation", "translation")
"""Keys of a camera; `distortion` may be missing."""
LARGEST_CALIBRATION = 1 << 22
"""Largest size of a calibration file [bytes]."""
SUBPIXEL = 64.0
"""Units of a Qualisys calibration per pixel."""
Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Rotation from Z up to Y up, as in `sixpoint.subjects.conventions`."""
LEAST_VIEWS = 4
"""Least number of pairs of pictures that show the board; fewer do not determine a lens."""
LEAST_CORNERS = 6
"""Least number of visible corners of a ChArUco board in one picture."""

PathLike = str | os.PathLike[str]


@names_file
def read_bounded(path: PathLike, largest: int) -> bytes:
    """Return the content of a file, unless it cannot be opened or has over `largest` bytes."""
    try:
        with open(path, "rb") as file:
            data = file.read(largest + 1)
    except OSError as error:
        raise FormatError(f"Cannot be read: {error.strerror or error}.") from None
    if len(data) > largest:
        raise FormatError(f"Expected at most {largest} bytes.")
    return data


def parse_json(data: bytes, expected: str = "JSON") -> Any:
    """Parse JSON, or raise a `FormatError` that says what was expected."""
    try:
        return json.loads(data)
    except ValueError as error:
        raise FormatError(f"Expected {expected}: {error}.") from None


def save_cameras(cameras: Sequence[Camera], path: PathLike) -> None:
    """Write a calibration; the file is replaced when all is written."""
    arrays = ("matrix", "distortion", "rotation", "translation")
    rows = [
        {"name": camera.name, "size": list(camera.size)}
        | {key: getattr(camera, key).tolist() for key in arrays}
        for camera in cameras
    ]
    content = {"format": FORMAT, "version": 1, "cameras": rows}
    with atomic_write(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


@names_file
def load_cameras(path: PathLike) -> tuple[Camera, ...]:
    """Read a calibration: JSON written by `save_cameras`, or Qualisys XML."""
    data = read_bounded(path, LARGEST_CALIBRATION)
    xml = data.lstrip()[:1] == b"<"
    rows = _qualisys_nodes(data) if xml else _json_rows(data)
    cameras = []
    for k, row in enumerate(rows):
        try:
            cameras.append(_qualisys_camera(row, f"camera {k}") if xml else _json_camera(row))
        except (TypeError, ValueError, LookupError, OverflowError) as error:
            raise FormatError(f"Camera {k}: {error}") from None
    return tuple(cameras)


def _json_rows(data: bytes) -> list[Any]:
    content = parse_json(data, "JSON or Qualisys XML")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(f"Expected 'format': {FORMAT!r} in a calibration.")
    rows = content.get("cameras")
    if not isinstance(rows, list) or not rows:
        raise FormatError("Expected a list of 'cameras', got none.")
    return rows


def _json_camera(row: Any) -> Camera:
    missing = [key for key in KEYS if not isinstance(row, dict) or key not in row]
    if missing:
        raise InputError(f"expected the keys {', '.join(KEYS)}; {missing[0]!r} is missing.")
    size = (int(row["size"][0]), int(row["size"][1]))
    values = [*(row[key] for key in KEYS[2:]), row.get("distortion", [0] * 5)]
    return Camera(str(row["name"]), size, *(np.array(v, dtype=np.float64) for v in values))


def _qualisys_nodes(data: bytes) -> list[ET.Element]:
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise FormatError("Expected plain XML, got entity definitions.")
    try:
        nodes = list(ET.fromstring(data).iter("camera"))
    except ET.ParseError as error:
        raise FormatError(f"Expected Qualisys XML: {error}.") from None
    if not nodes:
        raise FormatError("Expected <camera> elements in Qualisys XML, got none.")
    return nodes


def _qualisys_camera(node: ET.Element, name: str) -> Camera:
    """Return one camera: the file has millimetres, Z up, picture axes X right, Y up, Z back."""
    parts = [node.find(tag) for tag in ("fov_video", "transform", "intrinsic")]
    fov, pose, lens = ({} if part is None else part.attrib for part in parts)
    left, right, top, bottom = (float(fov[key]) for key in ("left", "right", "top", "bottom"))
    axes = np.array([[float(pose[f"r{i}{j}"]) for j in (1, 2, 3)] for i in (1, 2, 3)])
    centre = np.array([float(pose[axis]) for axis in "xyz"]) / 1000.0
    number = {key: float(value) for key, value in lens.items()}
    u, _, v = np.linalg.svd(np.diag([1.0, -1.0, -1.0]) @ axes @ Z_UP.T)  # the file has seven digits
    rotation = u @ v
    matrix = np.array([
        [number["focalLengthU"], number["skew"], number["centerPointU"] - SUBPIXEL * left],
        [0.0, number["focalLengthV"], number["centerPointV"] - SUBPIXEL * top],
        [0.0, 0.0, SUBPIXEL],
    ])  # fmt: skip
    terms = ("radialDistortion1", "radialDistortion2", "tangentalDistortion1",
             "tangentalDistortion2", "radialDistortion3")  # fmt: skip
    return Camera(
        node.get("serial", name),
        (round(right - left) + 1, round(bottom - top) + 1),
        matrix / SUBPIXEL,
        rotation,
        -rotation @ (Z_UP @ centre),
        np.array([number[term] for term in terms]),
    )


def camera_from_projection(name: str, size: tuple[int, int], projection: Any) -> Camera:
    """Return the camera of a 3 x 4 matrix that takes the world [m] to pixels, up to scale."""
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


@dataclass(frozen=True)
class Board:
    """A chessboard, or a ChArUco board if `marker` is given."""

    columns: int
    """Inner corners along a row: one less than there are squares."""
    rows: int
    """Inner corners along a column."""
    square: float
    """Side of a square [m]."""
    marker: float | None = None
    """Side of a marker [m], for ChArUco boards of the dictionary 4X4_50."""

    def __post_init__(self) -> None:
        if min(self.columns, self.rows) < 2:
            raise InputError(
                f"Expected 2 inner corners or more each way, got {self.columns} x {self.rows}."
            )
        if not 0.0 < self.square < 10.0:
            raise InputError(f"Expected `square` in metres, got {self.square}.")
        if self.marker is not None and not 0.0 < self.marker < self.square:
            raise InputError(f"Expected a `marker` smaller than the square, got {self.marker}.")

    @property
    def corners(self) -> Floats:
        """Inner corners in the board's plane (N, 3) [m]: X along rows, Y down, row by row."""
        x, y = np.meshgrid(np.arange(self.columns), np.arange(self.rows))
        flat = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=-1)
        return np.asarray(flat * self.square, dtype=np.float64)

    def find(self, picture: Picture) -> Floats:
        """Return pixels of the inner corners (N, 2); NaN for those that are not visible."""
        cv = opencv()
        grey = cv.cvtColor(check_picture(picture), cv.COLOR_BGR2GRAY)
        out = np.full((self.columns * self.rows, 2), np.nan)
        if self.marker is not None:
            pixels, names = cv.aruco.CharucoDetector(self.charuco()).detectBoard(grey)[:2]
            if names is not None and len(names) >= LEAST_CORNERS:
                out[np.asarray(names).ravel()] = np.asarray(pixels).reshape(-1, 2)
            return out
        found, pixels = cv.findChessboardCorners(grey, (self.columns, self.rows))
        if found:
            stop = (cv.TERM_CRITERIA_EPS + cv.TERM_CRITERIA_COUNT, 30, 1e-3)
            fine = cv.cornerSubPix(grey, pixels, (5, 5), (-1, -1), stop).reshape(-1, 2)
            # A board has no top: take the order that runs to the right and down.
            out[:] = fine if fine[0].sum() < fine[-1].sum() else fine[::-1]
        return out

    def charuco(self) -> Any:
        """Return OpenCV's ChArUco board."""
        aruco = opencv().aruco
        words = aruco.getPredefinedDictionary(aruco.DICT_4X4_50)
        size = (self.columns + 1, self.rows + 1)
        return aruco.CharucoBoard(size, self.square, self.marker, words)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Two calibrated cameras, and how well they fit."""

    cameras: tuple[Camera, Camera]
    error: float
    """RMS reprojection error of the corners [px]."""
    views: int
    """Number of pairs of pictures used."""

    @property
    def baseline(self) -> float:
        """Distance between the cameras [m]."""
        one, other = self.cameras
        return float(sum((one.centre - other.centre) ** 2) ** 0.5)


def calibrate_pair(
    left: Sequence[Picture],
    right: Sequence[Picture],
    board: Board,
    *,
    origin: int = 0,
    height: float = 0.0,
) -> Calibration:
    """Calibrate two cameras.

    Args:
        left: pictures of the first camera.
        right: pictures of the second, taken at the same moments.
        board: the board that they show.
        origin: index, among the pairs in which both see the whole board, of the one in which it
            stands upright: its X becomes +X (a person's left), its top +Y, its face +Z.
        height: height of its first corner above the ground in that pair [m].
    """
    if len(left) != len(right):
        raise InputError(
            f"Expected as many pictures of both cameras, got {len(left)} and {len(right)}."
        )
    sizes = {tuple(np.shape(picture)[1::-1]) for view in (left, right) for picture in view}
    if len(sizes) > 1:
        listed = ", ".join(f"{w} x {h}" for w, h in sorted(sizes))
        raise InputError(f"Expected pictures of one size, got {listed}.")
    cv = opencv()
    corners, seen = list[Any](), (list[Any](), list[Any]())
    for pair in zip(left, right, strict=True):
        found = [board.find(picture) for picture in pair]
        both = np.isfinite(np.concatenate(found, axis=1)).all(axis=1)
        if both.sum() >= LEAST_CORNERS:
            corners.append(board.corners[both].astype(np.float32))
            for pixels, view in zip(seen, found, strict=True):
                pixels.append(view[both].astype(np.float32)[:, None])
    if len(corners) < LEAST_VIEWS:
        least = 12 if board.marker is None else 20  # about the width that is found
        raise InputError(
            f"Expected {LEAST_VIEWS} pairs of pictures or more in which both cameras see a board "
            f"of {board.columns} x {board.rows} inner corners; got {len(corners)} of {len(left)}. "
            f"Squares must be {least} pixels wide in the pictures: show the board "
            "nearer, or take one with larger squares."
        )
    if not 0 <= origin < len(corners):
        raise InputError(f"Expected `origin` in 0..{len(corners) - 1}, got {origin}.")
    size = next(iter(sizes))
    # A few pictures do not determine the third radial term: it would fit their noise.
    one, two = (
        cv.calibrateCamera(corners, pixels, size, None, None, flags=cv.CALIB_FIX_K3)
        for pixels in seen
    )
    result = cv.stereoCalibrate(
        corners, *seen, *one[1:3], *two[1:3], size, flags=cv.CALIB_FIX_INTRINSIC
    )
    error, across, offset = float(result[0]), np.asarray(result[5]), np.asarray(result[6]).ravel()
    # World to board: X stays, Y up instead of down, Z out of the board instead of into it.
    rotation = np.asarray(cv.Rodrigues(one[3][origin])[0]) @ np.diag([1.0, -1.0, -1.0])
    translation = np.asarray(one[4][origin]).ravel() - rotation @ np.array([0.0, height, 0.0])
    poses = (rotation, translation), (across @ rotation, across @ translation + offset)
    first, second = (
        Camera(name, size, lens[1], *pose, np.asarray(lens[2], dtype=np.float64).ravel()[:5])
        for name, lens, pose in zip(("left", "right"), (one, two), poses, strict=True)
    )
    return Calibration((first, second), error, len(corners))
