"""Where pictures come from: a folder, a video file, or a camera.

Two sources are read side by side. What does not fit together (sizes, numbers of pictures) is said
before anything is made of it, or as soon as it is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import FormatError, InputError
from .masks import Picture
from .opencv import opencv

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".ppm")
"""Pictures in a folder, in the order of their names."""
MOST_FRAMES = 1_000_000
"""A clip is no longer than this."""


@dataclass(frozen=True)
class Footage:
    """One source of pictures. Build it with `open_footage`."""

    name: str
    kind: str
    """"folder", "video" or "camera"."""
    size: tuple[int, int]
    """Width and height [px]."""
    count: int | None
    """Pictures in it; None for a camera, which has no end."""
    rate: float | None
    """Pictures a second, if the source says [Hz]."""
    files: tuple[Path, ...] = ()

    def pictures(self) -> Iterator[Picture]:
        """One picture after the other."""
        cv = opencv()
        if self.kind == "folder":
            for file in self.files:
                yield read_picture(file)
            return
        stream = _stream(self.name)
        try:
            while True:
                good, picture = stream.read()
                if not good:
                    return
                yield picture
        finally:
            stream.release()
            del cv


def open_footage(source: str) -> Footage:
    """A folder of pictures, a video file, or the number of a camera.

    Raises:
        FormatError: there is nothing there that can be read.
    """
    path = Path(source)
    if path.is_dir():
        files = tuple(sorted(f for f in path.iterdir() if f.suffix.lower() in ENDINGS))
        if not files:
            raise FormatError(f"Expected pictures ({', '.join(ENDINGS)}) in the folder, got none.",
                              path=source)  # fmt: skip
        tall, wide = read_picture(files[0]).shape[:2]
        return Footage(source, "folder", (wide, tall), len(files), None, files)
    if not source.isdigit() and not path.is_file():
        raise FormatError("Expected a folder of pictures, a video file or the number of a camera.",
                          path=source)  # fmt: skip
    stream = _stream(source)
    cv = opencv()
    try:
        good, picture = stream.read()
        if not good:
            raise FormatError("Expected a video, got no picture from it.", path=source)
        tall, wide = picture.shape[:2]
        rate = float(stream.get(cv.CAP_PROP_FPS))
        count = int(stream.get(cv.CAP_PROP_FRAME_COUNT))
    finally:
        stream.release()
    known = rate if 0.0 < rate < 1e4 else None
    if source.isdigit():
        return Footage(source, "camera", (wide, tall), None, known)
    return Footage(source, "video", (wide, tall), count if count > 0 else None, known)


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
    streams = [view.pictures() for view in views]
    for frame in range(MOST_FRAMES if most is None else most):
        pair = [next(stream, None) for stream in streams]
        if all(picture is None for picture in pair):
            return
        ended = [view.name for view, picture in zip(views, pair, strict=True) if picture is None]
        if ended:
            raise InputError(
                f"Expected as many pictures of every camera; {ended[0]} ends after {frame}."
            )
        for view, picture in zip(views, pair, strict=True):
            assert picture is not None
            if picture.shape[1::-1] != view.size:
                raise InputError(
                    f"Expected pictures of {view.size[0]} x {view.size[1]} in {view.name}; "
                    f"picture {frame} has {picture.shape[1]} x {picture.shape[0]}."
                )
        yield [picture for picture in pair if picture is not None]


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
