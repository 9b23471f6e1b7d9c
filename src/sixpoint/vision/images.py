"""Pictures: OpenCV, folders of images, video files and cameras."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError, InputError, MissingExtra

Picture = NDArray[np.uint8]
"""Colour, (height, width, 3), in the order blue, green, red as OpenCV reads it."""
Mask = NDArray[np.uint8]
"""0 or 255, (height, width)."""

Box = tuple[slice, slice]
"""Rows and columns of a part of a picture."""


@cache
def opencv() -> Any:
    """The module `cv2`, on one thread: frames are small, and a caller may have its own threads."""
    try:
        module = importlib.import_module("cv2")
    except ImportError as error:
        raise MissingExtra("OpenCV", "vision", "Looking at pictures") from error
    module.setNumThreads(1)
    return module


ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".ppm")
"""Pictures in a folder, in the order of their names; f2 comes before f10."""
MOST_FRAMES = 1_000_000
"""A clip is no longer than this."""


def check_picture(picture: Picture) -> Picture:
    """Refuse what is not a colour picture."""
    array = np.asarray(picture)
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8:
        raise InputError(
            "Expected a colour picture of bytes, shape (height, width, 3), "
            f"got {array.dtype} of shape {array.shape}."
        )
    return array


@dataclass(frozen=True, eq=False)
class Footage:
    """One source of pictures. Build it with `open_footage`."""

    name: str
    kind: str
    """"folder", "video" or "camera"."""
    first: Picture
    """Its first picture, to look at; a camera's is not shown again."""
    count: int | None
    """Pictures in it; None for a camera, which has no end."""
    rate: float | None
    """Pictures a second, if the source says [Hz]."""
    files: tuple[Path, ...] = ()
    stream: Any = None
    """The open camera; nobody else can open it in the meantime."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [px]."""
        return (int(self.first.shape[1]), int(self.first.shape[0]))

    def reader(self) -> Reader:
        """Begin to read."""
        if self.kind == "folder":
            return Reader(files=iter(self.files))
        return Reader(stream=_stream(self.name) if self.stream is None else self.stream)


class Reader:
    """Takes one picture after the other, in two steps.

    Several cameras are to take their pictures at the same moment: all `grab`, which is quick, then
    all hand over their `picture`, which takes time.
    """

    def __init__(self, files: Iterator[Path] | None = None, stream: Any = None) -> None:
        self._files, self._stream = files, stream
        self._file: Path | None = None

    def grab(self) -> bool:
        """Take the next picture; False at the end."""
        if self._files is not None:
            self._file = next(self._files, None)
            return self._file is not None
        return bool(self._stream.grab())

    def picture(self) -> Picture | None:
        """The picture that was taken; None if it is broken, as the last of some videos is."""
        if self._files is not None:
            return None if self._file is None else read_picture(self._file)
        good, picture = self._stream.retrieve()
        return picture if good else None

    def close(self) -> None:
        """Let go of it."""
        if self._stream is not None:
            self._stream.release()


def open_footage(source: str, size: tuple[int, int] | None = None) -> Footage:
    """A folder of pictures, a video file, or the number of a camera.

    Args:
        source: what it is called.
        size: of the pictures that a camera is asked for [px]; it may give others.

    Raises:
        FormatError: there is nothing there that can be read.
    """
    path = Path(source)
    if path.is_dir():
        files = [f for f in path.iterdir() if f.suffix.lower() in ENDINGS]
        if not files:
            raise FormatError(f"Expected pictures ({', '.join(ENDINGS)}) in the folder, got none.",
                              path=source)  # fmt: skip
        files.sort(key=counted)
        return Footage(source, "folder", read_picture(files[0]), len(files), None, tuple(files))
    if not source.isdigit() and not path.is_file():
        raise FormatError("Expected a folder of pictures, a video file or the number of a camera.",
                          path=source)  # fmt: skip
    stream = _stream(source)
    cv = opencv()
    camera = source.isdigit()
    if camera and size is not None:
        stream.set(cv.CAP_PROP_FRAME_WIDTH, size[0])
        stream.set(cv.CAP_PROP_FRAME_HEIGHT, size[1])
    good, picture = stream.read()
    rate = float(stream.get(cv.CAP_PROP_FPS))
    count = int(stream.get(cv.CAP_PROP_FRAME_COUNT))
    if not camera or not good:
        stream.release()
    if not good:
        raise FormatError("Expected a video, got no picture from it.", path=source)
    known = rate if 0.0 < rate < 1e4 else None
    if camera:
        return Footage(source, "camera", picture, None, known, stream=stream)
    return Footage(source, "video", picture, count if count > 0 else None, known)


def counted(path: Path) -> list[tuple[int, str]]:
    """A key that sorts names as people count: f2 before f10."""
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def read_together(views: Sequence[Footage], most: int | None = None) -> Iterator[list[Picture]]:
    """Pictures of all views, one of each at a time.

    Args:
        views: sources of equal numbers of pictures; cameras have no end.
        most: stop after this many.

    Raises:
        InputError: one source has more pictures than another.
    """
    counts = {view.count for view in views if view.count is not None}
    if len(counts) > 1:
        listed = ", ".join(f"{view.count} in {view.name}" for view in views)
        raise InputError(f"Expected as many pictures of every camera, got {listed}.")
    readers = [view.reader() for view in views]
    try:
        for frame in range(MOST_FRAMES if most is None else most):
            grabbed = [reader.grab() for reader in readers]
            pair = [reader.picture() if good else None
                    for reader, good in zip(readers, grabbed, strict=True)]  # fmt: skip
            if all(picture is None for picture in pair):
                return
            yield [
                _checked(view, picture, frame) for view, picture in zip(views, pair, strict=True)
            ]
    finally:
        for reader in readers:
            reader.close()


def _checked(view: Footage, picture: Picture | None, frame: int) -> Picture:
    if picture is None:
        raise InputError(
            f"Expected as many pictures of every camera; {view.name} ends after {frame}."
        )
    if picture.shape[1::-1] != view.size:
        raise InputError(
            f"Expected pictures of {view.size[0]} x {view.size[1]} in {view.name}; "
            f"picture {frame} has {picture.shape[1]} x {picture.shape[0]}."
        )
    return picture


def _stream(source: str) -> Any:
    cv = opencv()
    stream = cv.VideoCapture(int(source) if source.isdigit() else source)
    if not stream.isOpened():
        stream.release()
        raise FormatError("Cannot be opened as a video or a camera.", path=source)
    return stream


def read_picture(path: Path) -> Picture:
    """One picture from a file, blue, green, red."""
    picture: Picture | None = opencv().imread(str(path), opencv().IMREAD_COLOR)
    if picture is None:
        raise FormatError("Expected a picture, got something that cannot be read.", path=path)
    return picture
