"""A Kalman filter for a point that moves at nearly constant speed (A3.14).

Position and velocity are the state; acceleration is white noise of spectral size q. Per axis::

    F = [[1, dt], [0, 1]]        Q = q [[dt^4/4, dt^3/2], [dt^3/2, dt^2]]

It smooths, it predicts where to look next, and its covariance says how far to look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.types import Floats


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
