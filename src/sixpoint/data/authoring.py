"""Tools for writing motion in code: key values in anatomical degrees, steps, breath.

A `Take` has the channels of a `Puppet`, such as ``trunk.flexion`` or ``l_elbow.flexion``, with one
value a frame. Values are added in layers: a clip writes what the body means to do, then `breathe`
and `sway` add what it cannot help doing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import UnknownName
from ..kernels.types import Floats
from ..motion.motion import Motion
from .puppet import CHANNELS, SIDES, Puppet

RATE = 60.0
"""Frames a second of the built-in clips [Hz]."""


class Take:
    """A motion in the making, at `RATE`.

    Args:
        duration: length [s].
    """

    def __init__(self, duration: float) -> None:
        self.times: Floats = np.arange(round(duration * RATE)) / RATE
        """Time of each frame [s], shape (F,)."""
        self.values = {name: np.zeros(len(self.times)) for name in CHANNELS}
        """Channel -> value in each frame, shape (F,)."""
        self.places: dict[str, tuple[float, float, float]] = {}
        """Side -> x, z and yaw of the foot after its last step."""

    def add(self, channel: str, values: Mapping[float, float] | Floats | float) -> None:
        """Add a layer: keys (time -> value), an array (F,) or a constant.

        A channel that starts with ``*_`` means both sides.
        """
        if isinstance(values, Mapping):
            values = curve(self.times, values)
        names = [side + channel[1:] for side in SIDES] if channel[0] == "*" else [channel]
        for name in names:
            if name not in self.values:
                raise UnknownName("channel", name, CHANNELS)
            self.values[name] += values

    def stand(self, side: str, x: float, z: float, yaw: float) -> None:
        """Put a foot on the ground: its ball at x, z [m], turned to the left by yaw [degrees]."""
        self.places[side] = (x, z, yaw)
        for name, value in zip(("x", "z", "yaw"), (x, z, yaw), strict=True):
            self.add(f"{side}_foot.{name}", value)

    def step(
        self,
        side: str,
        start: float,
        end: float,
        to: tuple[float, float, float],
        *,
        lift: float = 0.05,
        push: float = 30.0,
        strike: float = 0.0,
        roll: tuple[float, float] = (0.25, 0.12),
    ) -> None:
        """Move a foot to another place.

        Args:
            side: "l" or "r".
            start: when the toes leave the ground [s].
            end: when the foot lands [s].
            to: x, z [m] of the ball and yaw [degrees].
            lift: of the sole on the way [m].
            push: how far the heel has risen when the toes leave [degrees].
            strike: how far the toes are up when the heel lands [degrees].
            roll: how long the heel rises before `start`, and the toes come down after `end` [s].
        """
        foot = f"{side}_foot"
        before, after = roll
        way, late = end - start, end + after
        for name, a, b in zip(("x", "z", "yaw"), self.places[side], to, strict=True):
            self.add(f"{foot}.{name}", {start: 0.0, end: b - a})
        self.places[side] = to
        self.add(f"{foot}.lift", {start: 0.0, start + 0.4 * way: lift, end: 0.0})
        self.add(
            f"{foot}.pitch",
            {start - before: 0.0, start - 0.4 * before: 0.24 * push, start + 0.15 * way: push}
            | {end: -strike, late: 0.0},
        )
        if strike > 0.0:
            self.add(
                f"{foot}.heel",
                {start + 0.3 * way: 0.0, end - 0.15 * way: 1.0, late: 1.0, late + 0.1: 0.0},
            )

    def relax(self) -> None:
        """Arms that hang as arms do, soft knees."""
        self.add("pelvis.y", -0.004)
        self.add("pelvis.z", 0.02)
        for channel, degrees in (
            ("shoulder.flexion", 0.0),
            ("shoulder.abduction", 9.0),
            ("shoulder.twist", 12.0),
            ("elbow.flexion", 16.0),
            ("wrist.pronation", 25.0),
            ("wrist.flexion", 6.0),
        ):
            self.add(f"*_{channel}", degrees)
        self.add("*_hand.curl", 0.3)

    def breathe(self, period: float = 3.6, depth: float = 1.0) -> None:
        """The chest rises and falls; period [s], depth 1 for a body at rest."""
        air = depth * (0.5 - 0.5 * np.cos(2.0 * np.pi * self.times / period))
        self.add("trunk.flexion", -1.2 * air)
        self.add("*_clavicle.elevation", 1.6 * air)
        self.add("*_shoulder.abduction", 0.6 * air)

    def sway(self, size: float = 1.0) -> None:
        """Nobody stands still: slow wandering of some millimetres and tenths of a degree."""
        for k, (channel, amount) in enumerate(
            (
                ("pelvis.x", 0.004),
                ("pelvis.z", 0.003),
                ("pelvis.yaw", 0.4),
                ("trunk.bend", 0.4),
                ("trunk.flexion", 0.4),
                ("gaze.yaw", 0.8),
                ("gaze.pitch", 0.6),
                ("l_shoulder.flexion", 0.7),
                ("r_shoulder.flexion", 0.7),
                ("l_elbow.flexion", 0.8),
                ("r_elbow.flexion", 0.8),
            )
        ):
            # Two sines whose periods have no common multiple, shifted from channel to channel.
            slow, quick = 2.0 * np.pi * self.times / 3.1, 2.0 * np.pi * self.times / 1.37
            drift = 0.7 * np.sin(slow + 2.4 * k) + 0.3 * np.sin(quick + 3.7 * k)
            self.add(channel, size * amount * drift)

    def motion(self) -> Motion:
        """The finished motion."""
        return Puppet(Skeleton.humanoid(), self.values).motion(RATE)


STEEPEST = 2.4
"""Velocity at a key over the smaller of the mean velocities on its two sides: a piece that starts
at rest overshoots from 2.5 on."""


def curve(times: Floats, keys: Mapping[float, float]) -> Floats:
    """Values at `times` (F,) [s] of the curve through keys (time [s] -> value).

    It rests at the first and the last key and wherever the values turn or stay, and passes through
    the other keys. Pieces are quintic, with zero acceleration at the keys: from rest to rest that
    is the minimum-jerk movement (Flash and Hogan 1985). Two equal neighbours make an exactly
    constant piece; before the first and after the last key the curve is constant.
    """
    at = np.array(sorted(keys), dtype=np.float64)
    values = np.array([keys[t] for t in at], dtype=np.float64)
    if len(at) == 1:
        return np.full(len(times), values[0])
    span = np.diff(at)
    velocities = _velocities(span, np.diff(values) / span)
    piece = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(span) - 1)
    u = np.clip((times - at[piece]) / span[piece], 0.0, 1.0)
    rise = values[piece + 1] - values[piece]
    start, end = velocities[piece] * span[piece], velocities[piece + 1] * span[piece]
    cubic = 10.0 * rise - 6.0 * start - 4.0 * end
    quartic = -15.0 * rise + 8.0 * start + 7.0 * end
    quintic = 6.0 * rise - 3.0 * start - 3.0 * end
    moved = u * (start + u * u * (cubic + u * (quartic + u * quintic)))
    return values[piece] + moved


def _velocities(span: Floats, mean: Floats) -> Floats:
    """Velocity at each key, from the lengths and mean velocities of the pieces between them.

    Between rests that of the natural choice, a cubic spline with continuous acceleration; limited,
    so that nothing overshoots.
    """
    n = len(span) + 1
    system, right = np.eye(n), np.zeros(n)
    for k in range(1, n - 1):
        if mean[k - 1] * mean[k] > 0.0:
            before, after = 1.0 / span[k - 1], 1.0 / span[k]
            system[k, k - 1 : k + 2] = before, 2.0 * (before + after), after
            right[k] = 3.0 * (before * mean[k - 1] + after * mean[k])
    velocities = np.linalg.solve(system, right)
    least = np.minimum(np.abs(mean[:-1]), np.abs(mean[1:])) * STEEPEST
    velocities[1:-1] = np.clip(velocities[1:-1], -least, least)
    return cast("Floats", velocities)
