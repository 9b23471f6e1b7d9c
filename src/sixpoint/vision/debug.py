"""A picture for every stage of the chain: what it saw, drawn over what it was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..kernels.types import Floats
from .blobs import Ellipse
from .camera import Camera
from .capture import Moment
from .images import Mask, Picture, opencv
from .segmentation import silhouette_centre

BLUE, VERMILION, YELLOW, WHITE = (178, 114, 0), (0, 94, 213), (66, 228, 240), (255, 255, 255)
"""Of Okabe and Ito, as blue, green, red; left, right, head."""
ZOOM = 2
"""Pictures are drawn this much larger than they are: marks would hide what they mark."""
COLOURS = (YELLOW, BLUE, VERMILION)
"""Of `hypotheses.LABELS`."""


def person_picture(picture: Picture, camera: Camera, moment: Moment, view: int) -> Picture:
    """Chroma key: the person as they are, everything else pale."""
    return _only(picture, moment.looks[view].person.mask)


def skin_picture(picture: Picture, camera: Camera, moment: Moment, view: int) -> Picture:
    """Skin inside the person."""
    return _only(picture, moment.looks[view].skin)


def blobs_picture(picture: Picture, camera: Camera, moment: Moment, view: int) -> Picture:
    """Patches of skin and their ellipses."""
    out = _faint(picture)
    for blob in moment.looks[view].blobs:
        _ellipse(out, blob.ellipse, WHITE)
    return out


def tracks_picture(picture: Picture, camera: Camera, moment: Moment, view: int) -> Picture:
    """Head and hands as they are followed, projected back (Fig. 4 of the paper)."""
    out = _faint(picture)
    for fix, colour in zip(moment.fixes, COLOURS, strict=True):
        if fix is None:
            continue
        if fix.confidence > 0.0:
            _ellipse(out, fix.ellipses[view], colour)
        _cross(out, camera.project(fix.track.position), colour)
    return out


def wrists_picture(picture: Picture, camera: Camera, moment: Moment, view: int) -> Picture:
    """Wrists on the outlines of the hands (Fig. 5)."""
    out = tracks_picture(picture, camera, moment, view)
    for place in moment.positions[2:4]:
        _dot(out, camera.project(place), WHITE)
    return out


def trunk_picture(picture: Picture, camera: Camera, moment: Moment, view: int) -> Picture:
    """Middle of the silhouette (Fig. 6), a cross; trunk (white) and pelvis in space (yellow)."""
    mask = moment.looks[view].person.mask
    out = _only(picture, mask)
    pelvis, trunk = moment.positions[[0, 4]]
    _dot(out, camera.project(pelvis), YELLOW)
    _dot(out, camera.project(trunk), WHITE)
    _cross(out, silhouette_centre(mask), VERMILION)
    return out


STAGES: Mapping[str, Callable[[Picture, Camera, Moment, int], Picture]] = MappingProxyType(
    {
        "person": person_picture,
        "skin": skin_picture,
        "blobs": blobs_picture,
        "tracks": tracks_picture,
        "wrists": wrists_picture,
        "trunk": trunk_picture,
    }
)
"""Stage -> what draws it."""


def debug_sheet(pictures: Sequence[Picture], cameras: Sequence[Camera], moment: Moment) -> Picture:
    """All stages of one moment: a row for each view, the picture itself first."""
    rows = []
    for view, (picture, camera) in enumerate(zip(pictures, cameras, strict=True)):
        tiles = [_named(_large(picture), camera.name)]
        for name, draw in STAGES.items():
            tiles.append(_named(draw(picture, camera, moment, view), name))
        rows.append(np.hstack(tiles))
    return np.vstack(rows)


def _only(picture: Picture, mask: Mask) -> Picture:
    return np.where(_large(mask)[..., None] > 0, _large(picture), _faint(picture))


def _faint(picture: Picture) -> Picture:
    return (0.35 * _large(picture) + 0.65 * 235.0).astype(np.uint8)


def _large(picture: Picture) -> Picture:
    return np.ascontiguousarray(picture.repeat(ZOOM, axis=0).repeat(ZOOM, axis=1))


def _at(pixels: Floats) -> Floats:
    """Where a pixel of the picture is in the drawing."""
    return np.asarray((pixels + 0.5) * ZOOM - 0.5)


def _ellipse(out: Picture, ellipse: Ellipse, colour: Any) -> None:
    _lines(out, ellipse.outline(), colour, True)


def _lines(out: Picture, pixels: Floats, colour: Any, closed: bool) -> None:
    if np.isfinite(pixels).all() and np.abs(pixels).max() < 1e5:
        fixed = np.rint(_at(pixels) * 16).astype(np.int32)[:, None]
        opencv().polylines(out, [fixed], closed, colour, 2, opencv().LINE_AA, 4)


def _cross(out: Picture, pixel: Floats, colour: Any) -> None:
    for way in ((5.0, 0.0), (0.0, 5.0)):
        _lines(out, np.stack([pixel - way, pixel + way]), colour, False)


def _dot(out: Picture, pixel: Floats, colour: Any) -> None:
    if np.isfinite(pixel).all() and np.abs(pixel).max() < 1e5:
        centre = tuple(round(16 * float(x)) for x in _at(pixel))
        opencv().circle(out, centre, 6 * 16, (40, 40, 40), -1, opencv().LINE_AA, 4)
        opencv().circle(out, centre, 4 * 16, colour, -1, opencv().LINE_AA, 4)


def _named(out: Picture, name: str) -> Picture:
    cv = opencv()
    cv.putText(out, name, (12, 28), cv.FONT_HERSHEY_SIMPLEX, 0.8, (40, 40, 40), 2, cv.LINE_AA)
    return out
