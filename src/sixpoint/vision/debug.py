"""Drawings of every stage of a capture, made over the pictures that it was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ..kernels.types import Floats
from .camera import Camera
from .capture import CaptureFrame
from .images import Mask, Picture, opencv
from .segmentation import silhouette_centre

Colour = tuple[int, int, int]
BLUE, VERMILION, YELLOW, WHITE = (178, 114, 0), (0, 94, 213), (66, 228, 240), (255, 255, 255)
"""Colours of Okabe and Ito, as blue, green, red."""
GREY = (40, 40, 40)
"""Colour of text and rims."""
ZOOM = 2
"""Drawings are this much larger than the pictures: marks would hide what they mark."""
LABEL_COLOURS = (YELLOW, BLUE, VERMILION)
"""Colours of head, left and right hand."""

Stage = Callable[[Picture, Camera, CaptureFrame, int], Picture]
"""Function of a picture, its camera, the frame and the number of the view."""


def draw_person(picture: Picture, camera: Camera, frame: CaptureFrame, view: int) -> Picture:
    """Draw the segmented person; everything else is pale."""
    return _only(picture, frame.observations[view].person.mask)


def draw_skin(picture: Picture, camera: Camera, frame: CaptureFrame, view: int) -> Picture:
    """Draw the skin of the person."""
    return _only(picture, frame.observations[view].skin)


def draw_blobs(picture: Picture, camera: Camera, frame: CaptureFrame, view: int) -> Picture:
    """Draw the ellipses of skin blobs."""
    out = _pale(picture)
    for blob in frame.observations[view].blobs:
        _line(out, blob.ellipse.outline(), WHITE, closed=True)
    return out


def draw_tracks(picture: Picture, camera: Camera, frame: CaptureFrame, view: int) -> Picture:
    """Draw tracks of head and hands, projected back (Boulic et al. 2006, Fig. 4)."""
    out = _pale(picture)
    for track, colour in zip(frame.tracks, LABEL_COLOURS, strict=True):
        if track is None:
            continue
        if track.confidence > 0.0:
            _line(out, track.ellipses[view].outline(), colour, closed=True)
        _cross(out, camera.project(track.position), colour)
    return out


def draw_wrists(picture: Picture, camera: Camera, frame: CaptureFrame, view: int) -> Picture:
    """Draw wrists on the outlines of the hands (Fig. 5)."""
    out = draw_tracks(picture, camera, frame, view)
    for position in frame.positions[2:4]:
        _dot(out, camera.project(position), WHITE)
    return out


def draw_trunk(picture: Picture, camera: Camera, frame: CaptureFrame, view: int) -> Picture:
    """Draw the middle of the silhouette (Fig. 6), a cross; trunk (white) and pelvis (yellow)."""
    mask = frame.observations[view].person.mask
    out = _only(picture, mask)
    for k, colour in ((0, YELLOW), (4, WHITE)):
        _dot(out, camera.project(frame.positions[k]), colour)
    _cross(out, silhouette_centre(mask), VERMILION)
    return out


STAGES: Mapping[str, Stage] = MappingProxyType(
    {
        "person": draw_person,
        "skin": draw_skin,
        "blobs": draw_blobs,
        "tracks": draw_tracks,
        "wrists": draw_wrists,
        "trunk": draw_trunk,
    }
)
"""Name of each stage -> function that draws it."""


def debug_sheet(
    pictures: Sequence[Picture], cameras: Sequence[Camera], frame: CaptureFrame
) -> Picture:
    """Draw all stages of one frame: a row for each view, the picture itself first."""
    cv, rows = opencv(), []
    for view, (picture, camera) in enumerate(zip(pictures, cameras, strict=True)):
        tiles = {camera.name: _large(picture)}
        tiles |= {name: draw(picture, camera, frame, view) for name, draw in STAGES.items()}
        for name, out in tiles.items():
            cv.putText(out, name, (12, 28), cv.FONT_HERSHEY_SIMPLEX, 0.8, GREY, 2, cv.LINE_AA)
        rows.append(np.hstack(list(tiles.values())))
    return np.vstack(rows)


def _large(picture: Picture) -> Picture:
    return np.ascontiguousarray(picture.repeat(ZOOM, axis=0).repeat(ZOOM, axis=1))


def _pale(picture: Picture) -> Picture:
    return (0.35 * _large(picture) + 0.65 * 235.0).astype(np.uint8)


def _only(picture: Picture, mask: Mask) -> Picture:
    return np.where(_large(mask)[..., None] > 0, _large(picture), _pale(picture))


def _drawn(pixels: Floats) -> Floats | None:
    """Return pixels of the picture in sixteenths of a pixel of the drawing; None if far outside."""
    if not np.isfinite(pixels).all() or np.abs(pixels).max() >= 1e5:
        return None
    return np.rint(((pixels + 0.5) * ZOOM - 0.5) * 16).astype(np.int32)


def _line(out: Picture, pixels: Floats, colour: Colour, *, closed: bool) -> None:
    at, cv = _drawn(pixels), opencv()
    if at is not None:
        cv.polylines(out, [at[:, None]], closed, colour, 2, cv.LINE_AA, 4)


def _cross(out: Picture, pixel: Floats, colour: Colour) -> None:
    for way in ((5.0, 0.0), (0.0, 5.0)):
        _line(out, np.stack([pixel - way, pixel + way]), colour, closed=False)


def _dot(out: Picture, pixel: Floats, colour: Colour) -> None:
    at, cv = _drawn(pixel), opencv()
    if at is not None:
        for radius, paint in ((6, GREY), (4, colour)):
            cv.circle(out, tuple(at.tolist()), radius * 16, paint, -1, cv.LINE_AA, 4)
