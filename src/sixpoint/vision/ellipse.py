"""Ellipses in a picture, fitted to blobs by their moments."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats

THINNEST = 0.5
"""Half of a pixel: the least semi-axis that a blob of whole pixels can have [px]."""


@dataclass(frozen=True)
class Ellipse:
    """A blob as its first and second moments see it."""

    centre: tuple[float, float]
    """(u, v) [px]."""
    axes: tuple[float, float]
    """Semi-axes, the longer first [px]."""
    angle: float
    """From the u axis to the longer one, towards v [rad]."""

    def __post_init__(self) -> None:
        if not (self.axes[0] >= self.axes[1] > 0.0 and math.isfinite(self.axes[0])):
            raise InputError(f"Expected two semi-axes > 0, the longer first; got {self.axes}.")

    @classmethod
    def from_moments(cls, centre: Floats, covariance: Floats) -> Ellipse:
        """The filled ellipse with these moments: its semi-axes are 2 sqrt(eigenvalue)."""
        a, b, c = covariance[0, 0], covariance[0, 1], covariance[1, 1]
        middle, off = 0.5 * (a + c), math.hypot(0.5 * (a - c), b)
        axes = [2.0 * math.sqrt(max(value, 0.0)) for value in (middle + off, middle - off)]
        angle = 0.5 * math.atan2(2.0 * b, a - c)
        return cls(
            (float(centre[0]), float(centre[1])),
            (max(axes[0], THINNEST), max(axes[1], THINNEST)),
            angle,
        )

    @property
    def area(self) -> float:
        """[px^2]."""
        return math.pi * self.axes[0] * self.axes[1]

    @property
    def shape(self) -> Floats:
        """Matrix S with (x - centre)^T S (x - centre) = 1 on the outline, shape (2, 2)."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        turn = np.array([[c, s], [-s, c]])
        return np.asarray(turn.T @ np.diag([self.axes[0] ** -2, self.axes[1] ** -2]) @ turn)

    def moved(self, centre: Floats) -> Ellipse:
        """The same ellipse elsewhere."""
        return Ellipse((float(centre[0]), float(centre[1])), self.axes, self.angle)

    def reach(self, pixels: Floats) -> Floats:
        """Distance (...,) of pixels (..., 2) from the centre, 1 on the outline."""
        away = pixels - np.array(self.centre)
        s = self.shape
        x, y = away[..., 0], away[..., 1]
        return np.asarray(np.sqrt(s[0, 0] * x * x + 2.0 * s[0, 1] * x * y + s[1, 1] * y * y))

    def outline(self, count: int = 48) -> Floats:
        """Points on it (count, 2) [px]."""
        turn = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
        x, y = self.axes[0] * np.cos(turn), self.axes[1] * np.sin(turn)
        c, s = math.cos(self.angle), math.sin(self.angle)
        return np.array(self.centre) + np.stack([c * x - s * y, s * x + c * y], axis=-1)

    def crossing(self, start: Floats, through: Floats) -> tuple[Floats, float, bool]:
        """Where the line from `start` through another pixel first meets the outline (S3.9).

        Where it does not meet it at all, the point of the outline in the direction of the line's
        nearest point, measured by the ellipse itself (A3.16).

        Returns:
            The pixel (2,), the part t of the way from `start` to `through`, and whether the line
            meets the outline.
        """
        begin, way = np.asarray(start, float), np.asarray(through, float) - start
        s, out = self.shape, begin - np.array(self.centre)
        a, b, c = way @ s @ way, out @ s @ way, out @ s @ out - 1.0
        if a < 1e-18:
            return begin, 0.0, False
        root = b * b - a * c
        if root >= 0.0:
            t = (-b - math.sqrt(root)) / a
            return begin + t * way, float(t), True
        t = -b / a
        away = out + t * way
        return np.array(self.centre) + away / math.sqrt(away @ s @ away), float(t), False
