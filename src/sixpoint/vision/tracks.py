"""Tracks of head and hands: a Kalman filter for each, and the state kept from frame to frame.

The filter models a point that moves at nearly constant speed; acceleration is white noise of
spectral size q. Per axis::

    F = [[1, dt], [0, 1]]        Q = q [[dt^4/4, dt^3/2], [dt^3/2, dt^2]]

The prediction says where to look next, its covariance how far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from .blobs import LARGEST_MISS, Ellipse, Match
from .body_measurement import LABELS

FIRST_SPREAD, FIRST_SPEED = 0.02, 1.0
"""Standard deviations of position and velocity of a new track [m], [m/s]."""
FADE_TIME = 0.15
"""Time constant with which a point that is not seen slows down [s]."""
LARGEST_JUMP = 6.0
"""Mahalanobis distance of a measurement from which on a smoothed point starts anew."""


class KalmanState(NamedTuple):
    """Estimate of a point in D dimensions."""

    state: Floats
    """Position, then velocity, shape (2 D,)."""
    covariance: Floats
    """(2 D, 2 D)."""

    @property
    def position(self) -> Floats:
        """Position [m], shape (D,)."""
        return self.state[: len(self.state) // 2]

    @classmethod
    def start(cls, position: Floats, spread: float, speed: float) -> KalmanState:
        """Return the state of a point (D,) that is seen for the first time.

        Standard deviations are `spread` of its position [m], `speed` of its velocity [m/s].
        """
        variances = np.repeat([spread**2, speed**2], len(position))
        return cls(np.concatenate([position, np.zeros(len(position))]), np.diag(variances))

    def predict(self, dt: float, q: float) -> KalmanState:
        """Return the state after `dt` seconds."""
        one = np.eye(len(self.state) // 2)
        step = np.kron(np.array([[1.0, dt], [0.0, 1.0]]), one)
        noise = q * np.kron(np.array([[dt**4 / 4.0, dt**3 / 2.0], [dt**3 / 2.0, dt**2]]), one)
        return KalmanState(step @ self.state, step @ self.covariance @ step.T + noise)

    def slowed(self, dt: float) -> KalmanState:
        """Return the state with a velocity that has faded for `dt` seconds."""
        state = self.state.copy()
        state[len(state) // 2 :] *= np.exp(-dt / FADE_TIME)
        return KalmanState(state, self.covariance)

    def update(self, seen: Floats, noise: Floats) -> KalmanState:
        """Return a prediction corrected by a measured position (D,) of covariance `noise`."""
        d = len(seen)
        spread = self.covariance[:d, :d] + noise
        gain = np.asarray(np.linalg.solve(spread, self.covariance[:d]).T, np.float64)
        state = self.state + gain @ (seen - self.position)
        covariance = self.covariance - gain @ self.covariance[:d]
        return KalmanState(state, 0.5 * (covariance + covariance.T))

    def mahalanobis(self, seen: Floats, noise: Floats) -> float:
        """Return the Mahalanobis distance of a measurement (D,) from the prediction."""
        d = len(seen)
        away = seen - self.position
        return float(np.sqrt(away @ np.linalg.solve(self.covariance[:d, :d] + noise, away)))


class Smoother:
    """Filters a measured point of an expected acceleration [m/s^2]; starts anew after a jump."""

    def __init__(self, acceleration: float) -> None:
        self.acceleration = acceleration
        self.state: KalmanState | None = None
        """After the last measurement; None at first."""

    def add(self, seen: Floats, noise: Floats, dt: float) -> Floats:
        """Return the smoothed position (3,) after one seen `dt` seconds later with some `noise`."""
        ahead = None if self.state is None else self.state.predict(dt, self.acceleration**2)
        if ahead is None or ahead.mahalanobis(seen, noise) > LARGEST_JUMP:
            self.state = KalmanState.start(seen, float(np.sqrt(noise.max())), 1.0)
        else:
            self.state = ahead.update(seen, noise)
        return self.state.position


@dataclass(frozen=True, kw_only=True)
class TrackingSettings:
    """Options of the tracking of head and hands."""

    noise: float = 0.35
    """Standard deviation of the centre of a blob [px]."""
    acceleration: tuple[float, float, float] = (4.0, 12.0, 12.0)
    """Expected accelerations of head and hands [m/s^2]: less is smoother and lags more."""
    gate: float = 4.0
    """Largest Mahalanobis distance of a match from the prediction."""
    slack: float = 0.02
    """Standard deviation of what the filter does not model, such as a hand that opens [m]."""
    patience: float = 0.4
    """Time after which a part that is not seen by itself is searched anew [s]."""

    def __post_init__(self) -> None:
        for name in ("noise", "gate", "slack", "patience"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise InputError(f"Expected `{name}` > 0, got {getattr(self, name)}.")
        if len(self.acceleration) != len(LABELS) or min(self.acceleration) <= 0.0:
            raise InputError(f"Expected three `acceleration` > 0, got {self.acceleration}.")


@dataclass(frozen=True, eq=False)
class Track:
    """Track of the head or a hand."""

    filter: KalmanState
    seen: Floats
    """Measured position, not smoothed [m], shape (3,); NaN if it was not seen."""
    ellipses: tuple[Ellipse, ...]
    """Outline in each picture when it was last seen."""
    confidence: float
    """1: its own blob in both pictures; 0.5: shared in one; less: in both, or what is seen does
    not fit; 0: not seen."""
    clear: Floats
    """Last position at which it was seen by itself [m], shape (3,)."""
    ratio: float
    """Recent ratio of its sizes in the two pictures."""
    miss: float = np.nan
    """Distance between the rays of its own two blobs, over the focal length."""
    lost: float = 0.0
    """Time since it was seen by itself in at least one picture [s]."""
    both_hands: bool = False
    """Whether it is a hand that is one blob with the other in both pictures."""

    @classmethod
    def start(cls, match: Match, label: int, most: float = 1.0) -> Track:
        """Return the track of a head or hand that is first seen; `most` is its best confidence."""
        state = KalmanState.start(match.position, FIRST_SPREAD, FIRST_SPEED)
        outline = tuple(detection.blob.ellipse for detection in match.pair)
        sure = min(most, match.quality(label, match.ratio))
        at, miss = match.position, LARGEST_MISS * match.miss
        return cls(state, at, outline, sure, at, match.ratio, miss)

    @property
    def position(self) -> Floats:
        """Smoothed position [m], shape (3,)."""
        return self.filter.position

    @property
    def alone(self) -> bool:
        """Whether it is seen, and by itself in both pictures."""
        return bool(np.isfinite(self.miss))


Tracks = tuple[Track | None, Track | None, Track | None]
"""Tracks of `LABELS`; None for what was never seen or is lost."""
NO_TRACKS: Tracks = (None, None, None)
