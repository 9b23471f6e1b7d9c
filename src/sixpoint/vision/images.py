"""Pictures from folders, video files and cameras, and the door to OpenCV."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..atomic_write import atomic_write
from ..errors import FormatError, InputError, MissingExtra

Picture = NDArray[np.uint8]
"""Colour picture, (height, width, 3), in the order blue, green, red as OpenCV reads it."""
Mask = NDArray[np.uint8]
"""Binary picture with values 0 or 255, (height, width)."""
Box = tuple[slice, slice]
"""Rows and columns of a part of a picture."""

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".ppm")
"""Endings of the pictures in a folder."""
MAX_FRAMES = 1_000_000
"""Largest number of frames in a clip."""


@cache
def opencv() -> Any:
    """Return the module `cv2`, set to one thread: callers may have their own threads."""
    try:
        module = importlib.import_module("cv2")
    except ImportError as error:
        raise MissingExtra("OpenCV", "vision", "Looking at pictures") from error
    module.setNumThreads(1)
    return module


def check_picture(picture: Picture) -> Picture:
    """Return the picture, or raise if it is not a colour picture of bytes."""
    array = np.asarray(picture)
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8:
        raise InputError(
            "Expected a colour picture of bytes, shape (height, width, 3), "
            f"got {array.dtype} of shape {array.shape}."
        )
    return array


def binary_mask(flags: NDArray[np.bool_]) -> Mask:
    """Convert flags to a mask of 0 and 255."""
    return flags.astype(np.uint8) * np.uint8(255)


def read_picture(path: Path) -> Picture:
    """Read one picture from a file."""
    picture: Picture | None = opencv().imread(str(path), opencv().IMREAD_COLOR)
    if picture is None:
        raise FormatError("Expected a picture, got something that cannot be read.", path=path)
    return picture


def write_png(path: Path, picture: Picture) -> None:
    """Write one picture as PNG; folders are made if they are new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    good, data = opencv().imencode(".png", picture)
    assert good
    with atomic_write(path) as file:
        file.write(data.tobytes())


@dataclass(frozen=True, eq=False)
class Footage:
    """One source of pictures. Build it with `open_footage`."""

    name: str
    kind: str
    """"folder", "video" or "camera"."""
    first: Picture
    """First picture, to look at; a camera's is not shown again."""
    count: int | None
    """Number of pictures; None for a camera, which has no end."""
    rate: float | None = None
    """Pictures per second, if the source says [Hz]."""
    files: tuple[Path, ...] = ()
    """Pictures of a folder."""
    camera: Any = None
    """The open camera; nobody else can open it in the meantime."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [px]."""
        return (int(self.first.shape[1]), int(self.first.shape[0]))

    def stream(self) -> Generator[Callable[[], Picture | None]]:
        """Take pictures one by one; each item decodes the last one taken, None if it is broken."""
        if self.kind == "folder":
            for file in self.files:
                yield partial(read_picture, file)
            return
        device = _opened(self.name) if self.camera is None else self.camera

        def decode() -> Picture | None:
            good, picture = device.retrieve()
            return picture if good else None

        try:
            while device.grab():
                yield decode
        finally:
            device.release()


def open_footage(source: str, size: tuple[int, int] | None = None) -> Footage:
    """Open a folder of pictures, a video file, or a camera by its number.

    A camera is asked for pictures of a `size` [px]; it may deliver others.
    """
    path = Path(source)
    if path.is_dir():
        files = [f for f in path.iterdir() if f.suffix.lower() in SUFFIXES]
        if not files:
            message = f"Expected pictures ({', '.join(SUFFIXES)}) in the folder, got none."
            raise FormatError(message, path=source)
        files.sort(key=natural_order)
        return Footage(source, "folder", read_picture(files[0]), len(files), files=tuple(files))
    is_camera = source.isdigit()
    if not is_camera and not path.is_file():
        message = "Expected a folder of pictures, a video file or the number of a camera."
        raise FormatError(message, path=source)
    stream, cv = _opened(source), opencv()
    if is_camera and size is not None:
        stream.set(cv.CAP_PROP_FRAME_WIDTH, size[0])
        stream.set(cv.CAP_PROP_FRAME_HEIGHT, size[1])
    good, picture = stream.read()
    rate = float(stream.get(cv.CAP_PROP_FPS))
    count = int(stream.get(cv.CAP_PROP_FRAME_COUNT))
    if not is_camera or not good:
        stream.release()
    if not good:
        raise FormatError("Expected a video, got no picture from it.", path=source)
    known = rate if 0.0 < rate < 1e4 else None
    if is_camera:
        return Footage(source, "camera", picture, None, known, camera=stream)
    return Footage(source, "video", picture, count if count > 0 else None, known)


def natural_order(path: Path) -> list[tuple[int, str]]:
    """Return a sort key for file names with numbers: f2 before f10."""
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def read_together(views: Sequence[Footage], most: int | None = None) -> Iterator[list[Picture]]:
    """Yield pictures of all views, one of each at a time.

    Cameras must take their pictures at the same moment: first all take one, which is quick, then
    all are decoded, which takes time.

    Sources must have the same number of pictures, each of one size; at most `most` are read.
    """
    counts = {view.count for view in views if view.count is not None}
    if len(counts) > 1:
        listed = ", ".join(f"{view.count} in {view.name}" for view in views)
        raise InputError(f"Expected as many pictures of every camera, got {listed}.")
    streams = [view.stream() for view in views]
    try:
        for frame in range(MAX_FRAMES if most is None else most):
            taken = [next(stream, None) for stream in streams]
            # A picture that was taken may be broken, as the last of some videos is.
            pictures = [None if decode is None else decode() for decode in taken]
            if all(picture is None for picture in pictures):
                return
            for view, picture in zip(views, pictures, strict=True):
                if picture is None:
                    raise InputError(
                        f"Expected as many pictures of every camera; {view.name} ends after "
                        f"{frame}."
                    )
                if picture.shape[1::-1] != view.size:
                    raise InputError(
                        f"Expected pictures of {view.size[0]} x {view.size[1]} in {view.name}; "
                        f"picture {frame} has {picture.shape[1]} x {picture.shape[0]}."
                    )
            yield cast("list[Picture]", pictures)
    finally:
        for stream in streams:
            stream.close()


def _opened(source: str) -> Any:
    stream = opencv().VideoCapture(int(source) if source.isdigit() else source)
    if not stream.isOpened():
        stream.release()
        raise FormatError("Cannot be opened as a video or a camera.", path=source)
    return stream
