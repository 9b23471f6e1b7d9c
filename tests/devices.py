"""Cameras that are plugged in nowhere: what OpenCV would do with two of them."""

from __future__ import annotations

import cv2
import numpy as np


class Bench:
    """Two devices; each can be opened once at a time, and has any size that it is asked for."""

    def __init__(self, shows=None) -> None:
        self.log: list[tuple[str, int]] = []
        self.opened = {0: 0, 1: 0, 7: 0}
        self.shows = shows
        """Frame, device -> picture; plain ones if None."""

    def open(self, number: int) -> Device:
        assert not self.opened[number], "a camera cannot be opened twice"
        self.opened[number] = 1
        return Device(self, number)


class Device:
    """Stands in for cv2.VideoCapture."""

    def __init__(self, bench: Bench, number: int) -> None:
        self.bench, self.number, self.size, self.frame = bench, number, [640, 480], -1

    def isOpened(self) -> bool:  # noqa: N802
        return self.number < 2

    def set(self, what: int, value: float) -> bool:
        self.size[{cv2.CAP_PROP_FRAME_WIDTH: 0, cv2.CAP_PROP_FRAME_HEIGHT: 1}[what]] = int(value)
        return True

    def get(self, what: int) -> float:
        return 25.0 if what == cv2.CAP_PROP_FPS else -1.0

    def grab(self) -> bool:
        self.bench.log.append(("grab", self.number))
        self.frame += 1
        return True

    def retrieve(self):
        self.bench.log.append(("picture", self.number))
        if self.bench.shows is not None:
            return True, self.bench.shows(self.frame, self.number)
        return True, np.full((self.size[1], self.size[0], 3), self.number, np.uint8)

    def read(self):
        self.grab()
        return self.retrieve()

    def release(self) -> None:
        self.bench.opened[self.number] = 0
