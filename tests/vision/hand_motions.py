"""Patches of skin without pictures: outlines of a head and two hands, drawn where they are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from sixpoint.vision.blobs import Blob, Ellipse, find_blobs
from sixpoint.vision.body_measurement import HAND_HALF, HEAD_HALF, PersonModel
from sixpoint.vision.synthetic.room import RATE, room_cameras
from sixpoint.vision.tracking import TrackingStep, update_tracks
from sixpoint.vision.tracks import NO_TRACKS, TrackingSettings, Tracks

CAMERAS = room_cameras()
PERSON = PersonModel(1.75, CAMERAS)
HEAD = np.array([0.0, 1.62, 0.02])
GRID = np.stack(np.meshgrid(np.arange(320.0), np.arange(240.0)), axis=-1)


def patches(hands, head=HEAD, cameras=CAMERAS) -> list[list[Blob]]:
    """What both cameras see of a head and of hands, flat ones that lie across."""
    out = []
    for camera in cameras:
        mask = np.zeros((240, 320), np.uint8)
        for place, half, angle in (
            (head, (HEAD_HALF[1], HEAD_HALF[0]), np.pi / 2),
            *((hand, HAND_HALF[1:], 0.0) for hand in hands),
        ):
            if place is not None:
                scale = PERSON.height_in(camera, np.asarray(place))
                axes = (scale * float(half[0]), scale * float(half[1]))
                outline = Ellipse(tuple(camera.project(place)), axes, angle)
                mask[outline.reach(GRID) < 1.0] = 255
        out.append(find_blobs(mask, 8))
    return out


def followed(left, right, head=None) -> Iterator[Tracks]:
    """Frame by frame: hands at places (F, 3), NaN where they are hidden."""
    tracks, step = NO_TRACKS, TrackingStep(PERSON, 1.0 / RATE, TrackingSettings())
    for f in range(len(left)):
        hands = [None if np.isnan(hand[f]).any() else hand[f] for hand in (left, right)]
        seen = patches(hands, HEAD if head is None else head[f])
        tracks = update_tracks(tracks, seen, step)
        yield tracks


def path(*stops, frames=30) -> np.ndarray:
    """From stop to stop, softly."""
    part = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, frames))[:, None]
    legs = [(1 - part) * np.array(a) + part * np.array(b) for a, b in pairwise(stops)]
    return np.concatenate(legs)
