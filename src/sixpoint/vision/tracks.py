"""Tracks of head and hands: a Kalman filter, and what one frame hands on to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from .blobs import LABELS, WORST_PAIR, Ellipse, Pair


class Track(NamedTuple):
    """What is believed of a point in D dimensions."""

    state: Floats
    """Position, then velocity, shape (2 D,)."""
    covariance: Floats
    """(2 D, 2 D)."""

    @property
    def position(self) -> Floats:
        """[m], shape (D,)."""
        return self.state[: len(self.state) // 2]

    @property
    def velocity(self) -> Floats:
        """[m/s], shape (D,)."""
        return self.state[len(self.state) // 2 :]


def new_track(position: Floats, spread: float, speed: float) -> Track:
    """A point seen for the first time.

    Args:
        position: (D,) [m].
        spread: standard deviation of the position [m].
        speed: standard deviation of the unknown velocity [m/s].
    """
    d = len(position)
    variances = np.concatenate([np.full(d, spread**2), np.full(d, speed**2)])
    return Track(np.concatenate([position, np.zeros(d)]), np.diag(variances))


def predict(track: Track, dt: float, q: float) -> Track:
    """Where the point will be `dt` seconds on."""
    d = len(track.state) // 2
    step = np.eye(2 * d)
    step[:d, d:] = dt * np.eye(d)
    noise = q * np.kron(np.array([[dt**4 / 4.0, dt**3 / 2.0], [dt**3 / 2.0, dt**2]]), np.eye(d))
    return Track(step @ track.state, step @ track.covariance @ step.T + noise)


def slowed(track: Track, dt: float, fade: float = 0.15) -> Track:
    """The same point, its speed less by what `dt` takes of the time `fade` [s]."""
    d = len(track.state) // 2
    state = track.state.copy()
    state[d:] *= np.exp(-dt / fade)
    return Track(state, track.covariance)


def update(track: Track, seen: Floats, noise: Floats) -> tuple[Track, Floats]:
    """Take a measurement in.

    Args:
        track: the prediction.
        seen: where the point was seen (D,) [m].
        noise: covariance of that (D, D) [m^2].

    Returns:
        What is believed now, and the gain (2 D, D).
    """
    d = len(seen)
    spread = track.covariance[:d, :d] + noise
    gain: Floats = np.linalg.solve(spread, track.covariance[:d]).T.astype(np.float64)
    state = track.state + gain @ (seen - track.position)
    covariance = track.covariance - gain @ track.covariance[:d]
    return Track(state, 0.5 * (covariance + covariance.T)), gain


def surprise(track: Track, seen: Floats, noise: Floats) -> float:
    """How many standard deviations a measurement (D,) is from the prediction (Mahalanobis)."""
    d = len(seen)
    away = seen - track.position
    return float(np.sqrt(away @ np.linalg.solve(track.covariance[:d, :d] + noise, away)))


FIRST_SPREAD, FIRST_SPEED = 0.02, 1.0
"""Standard deviations of a point that is seen for the first time [m], [m/s]."""


@dataclass(frozen=True, kw_only=True)
class TrackingSettings:
    """How head and hands are followed."""

    noise: float = 0.35
    """Standard deviation of the centre of a patch [px]."""
    acceleration: tuple[float, float, float] = (4.0, 12.0, 12.0)
    """How briskly head and hands change their speed [m/s^2]: less is smoother and lags more."""
    gate: float = 4.0
    """Standard deviations within which a pair may be the one looked for."""
    slack: float = 0.02
    """Added to what the filter expects, for what it does not know: a hand that opens [m]."""
    patience: float = 0.4
    """Time after which what is not seen by itself is looked for anew [s]."""

    def __post_init__(self) -> None:
        for name in ("noise", "gate", "slack", "patience"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise InputError(f"Expected `{name}` > 0, got {getattr(self, name)}.")
        if len(self.acceleration) != len(LABELS) or min(self.acceleration) <= 0.0:
            raise InputError(f"Expected three `acceleration` > 0, got {self.acceleration}.")


@dataclass(frozen=True, eq=False)
class Fix:
    """Where one of head and hands is."""

    track: Track
    seen: Floats
    """Where it was seen, not smoothed [m], shape (3,); NaN if it was not."""
    ellipses: tuple[Ellipse, ...]
    """Its outline in each picture when it was seen last."""
    confidence: float
    """1: its own patch in both pictures; 0.5: shared in one; less: in both, or what is seen does
    not fit; 0: not seen."""
    clear: Floats
    """Where it was while it was seen by itself [m], shape (3,)."""
    ratio: float
    """Of its sizes in the two pictures, of late."""
    miss: float = np.nan
    """How far the rays of its own two patches miss each other, over the focal length."""
    lost: float = 0.0
    """Time since it was seen by itself in a picture at least [s]."""
    together: bool = False
    """Whether it is a hand that is one patch with the other in both pictures."""

    @property
    def alone(self) -> bool:
        """Whether it is seen, and by itself in both pictures."""
        return bool(np.isfinite(self.miss))


Fixes = tuple[Fix | None, Fix | None, Fix | None]
"""Of `LABELS`; None for what was never seen or is lost."""
NOBODY: Fixes = (None, None, None)


def first_fix(pair: Pair, label: int, most: float = 1.0) -> Fix:
    """Something that is seen for the first time, and is no surer than `most`."""
    track = new_track(pair.place, FIRST_SPREAD, FIRST_SPEED)
    outline = tuple(sight.blob.ellipse for sight in pair.sights)
    sure = min(most, pair.quality(label, pair.ratio))
    miss = WORST_PAIR * pair.miss
    return Fix(track, pair.place, outline, sure, pair.place, pair.ratio, miss)
