"""Tools for writing motion in code: keyed channels in anatomical degrees, footsteps, breathing.

A `Take` has the channels of a `Puppet`, such as ``trunk.flexion`` or ``l_elbow.flexion``, with one
value a frame. Values are added in layers: first the movement itself, then `breathe` and `sway`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import UnknownName
from ..kernels.types import Floats
from ..motion.motion import Motion
from .puppet import CHANNELS, SIDES, Puppet

RATE = 60.0
"""Frames per second of the built-in clips [Hz]."""
BALL = 0.125
"""Distance of the ball of the foot in front of the hips when standing [m]."""
MAX_KEY_SPEED = 2.4
"""Largest velocity at a key over the smaller of the mean velocities on its two sides: a piece that
starts at rest overshoots from 2.5 on."""


class Footstep(NamedTuple):
    """One movement of a foot to another position on the ground."""

    start: float
    """Time at which the toes leave the ground [s]."""
    end: float
    """Time at which the foot lands [s]."""
    to: tuple[float, float, float]
    """Position x, z of the ball [m] and yaw [degrees] after the step."""
    lift: float = 0.05
    """Height of the sole on the way [m]."""
    push: float = 30.0
    """How far the heel has risen when the toes leave [degrees]."""
    strike: float = 0.0
    """How far the toes are up when the heel lands [degrees]."""
    roll: tuple[float, float] = (0.25, 0.12)
    """How long the heel rises before `start`, and the toes come down after `end` [s]."""


class Take:
    """A motion that is being written, at `RATE`.

    Args:
        duration: length [s].
    """

    def __init__(self, duration: float) -> None:
        self.times: Floats = np.arange(round(duration * RATE)) / RATE
        """Time of each frame [s], shape (F,)."""
        self.values = {name: np.zeros(len(self.times)) for name in CHANNELS}
        """Channel -> value in each frame, shape (F,)."""
        self.feet: dict[str, tuple[float, float, float]] = {}
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

    def add_all(
        self, layers: Mapping[str, Mapping[float, float] | Floats | float], start: float = 0.0
    ) -> None:
        """Add a layer to each of several channels; times of keys count from `start` [s]."""
        for channel, values in layers.items():
            if isinstance(values, Mapping):
                values = {start + time: value for time, value in values.items()}
            self.add(channel, values)

    def stand(self, side: str, x: float, z: float, yaw: float) -> None:
        """Put a foot on the ground: its ball at x, z [m], turned to the left by yaw [degrees]."""
        self.feet[side] = (x, z, yaw)
        for name, value in zip(("x", "z", "yaw"), (x, z, yaw), strict=True):
            self.add(f"{side}_foot.{name}", value)

    def stand_straight(self, half_width: float, yaw: float) -> None:
        """Put both feet below the hips, toes turned outwards by yaw [degrees]."""
        for side, sign in SIDES.items():
            self.stand(side, sign * half_width, BALL, sign * yaw)

    def step(self, side: str, step: Footstep) -> None:
        """Move the foot of one side ("l" or "r") to another position."""
        foot = f"{side}_foot"
        start, end, push = step.start, step.end, step.push
        before, after = step.roll
        way, late = end - start, end + after
        for name, a, b in zip(("x", "z", "yaw"), self.feet[side], step.to, strict=True):
            self.add(f"{foot}.{name}", {start: 0.0, end: b - a})
        self.feet[side] = step.to
        self.add(f"{foot}.lift", {start: 0.0, start + 0.4 * way: step.lift, end: 0.0})
        rise = {start - before: 0.0, start - 0.4 * before: 0.24 * push, start + 0.15 * way: push}
        self.add(f"{foot}.pitch", rise | {end: -step.strike, late: 0.0})
        if step.strike > 0.0:
            on_heel = {start + 0.3 * way: 0.0, end - 0.15 * way: 1.0, late: 1.0, late + 0.1: 0.0}
            self.add(f"{foot}.heel", on_heel)

    def relax(self) -> None:
        """Let the arms hang relaxed and soften the knees."""
        self.add_all({
            "pelvis.y": -0.004,
            "pelvis.z": 0.02,
            "*_shoulder.abduction": 9.0,
            "*_shoulder.twist": 12.0,
            "*_elbow.flexion": 16.0,
            "*_wrist.pronation": 25.0,
            "*_wrist.flexion": 6.0,
            "*_hand.curl": 0.3,
        })  # fmt: skip

    def breathe(self, period: float = 3.6, depth: float = 1.0) -> None:
        """Let the chest rise and fall; period [s], depth 1 for a body at rest."""
        air = depth * (0.5 - 0.5 * np.cos(2.0 * np.pi * self.times / period))
        self.add("trunk.flexion", -1.2 * air)
        self.add("*_clavicle.elevation", 1.6 * air)
        self.add("*_shoulder.abduction", 0.6 * air)

    def sway(self, size: float = 1.0) -> None:
        """Add slow wandering of some millimetres and tenths of a degree, as in quiet standing."""
        amounts = {"pelvis.x": 0.004, "pelvis.z": 0.003, "pelvis.yaw": 0.4, "trunk.bend": 0.4,
                   "trunk.flexion": 0.4, "gaze.yaw": 0.8, "gaze.pitch": 0.6,
                   "l_shoulder.flexion": 0.7, "r_shoulder.flexion": 0.7,
                   "l_elbow.flexion": 0.8, "r_elbow.flexion": 0.8}  # fmt: skip
        # Two sines whose periods have no common multiple, shifted from channel to channel.
        slow, quick = 2.0 * np.pi * self.times / 3.1, 2.0 * np.pi * self.times / 1.37
        for k, (channel, amount) in enumerate(amounts.items()):
            drift = 0.7 * np.sin(slow + 2.4 * k) + 0.3 * np.sin(quick + 3.7 * k)
            self.add(channel, size * amount * drift)

    def motion(self) -> Motion:
        """Return the finished motion."""
        return Puppet(Skeleton.humanoid(), self.values).motion(RATE)


def hold(value: float, start: float, reached: float, left: float, end: float) -> dict[float, float]:
    """Return keys that go from zero to a value, hold it for a while, and go back to zero."""
    return {start: 0.0, reached: value, left: value, end: 0.0}


def hold_all(amounts: Mapping[str, float], *times: float) -> dict[str, dict[float, float]]:
    """Return such keys for several channels (channel -> value) at the same four times."""
    return {channel: hold(value, *times) for channel, value in amounts.items()}


def curve(times: Floats, keys: Mapping[float, float]) -> Floats:
    """Return values at `times` (F,) [s] of the curve through keys (time [s] -> value).

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
    """Return the velocity at each key, from lengths and mean velocities of the pieces between.

    Between rests it is that of a cubic spline with continuous acceleration, limited so that nothing
    overshoots.
    """
    n = len(span) + 1
    system, right = np.eye(n), np.zeros(n)
    for k in range(1, n - 1):
        if mean[k - 1] * mean[k] > 0.0:
            before, after = 1.0 / span[k - 1], 1.0 / span[k]
            system[k, k - 1 : k + 2] = before, 2.0 * (before + after), after
            right[k] = 3.0 * (before * mean[k - 1] + after * mean[k])
    velocities = np.linalg.solve(system, right)
    least = np.minimum(np.abs(mean[:-1]), np.abs(mean[1:])) * MAX_KEY_SPEED
    velocities[1:-1] = np.clip(velocities[1:-1], -least, least)
    return cast("Floats", velocities)
