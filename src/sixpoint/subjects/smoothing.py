"""Noise of tracked points: how much there is, and smoothing that fits it.

Offline the points are split into bands of frequencies an octave wide. In each band, and around each
moment, what is left after the power of the noise is taken away is kept: still points are smoothed
strongly, quick ones hardly (a Wiener filter in each band). Nothing is delayed. Live, a one-euro
filter (Casiez, Roussel and Vogel 2012) does what can be done without knowing the future; it delays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Bools, Floats

DIFFERENCES = 6
"""Order of the differences from which noise is measured: of what people do they leave nothing."""
WHITENED = math.sqrt(sum(comb(DIFFERENCES, k) ** 2 for k in range(DIFFERENCES + 1)))
"""How much such differences enlarge white noise."""
WINDOW, LEAST_WINDOW = 0.5, 32
"""Noise is measured in windows of so many seconds, or frames if that is more."""
CALM = 0.25
"""The quantile of the windows that counts: in the others the point moves too quickly."""
ALIKE = 2.0
"""Trackers of one person are not noisier than the middle one by more than this factor: what looks
so is a limb that never rests."""
POSITION_FLOOR = 0.0005
"""Positions with less noise than this are not smoothed [m]: motion capture of laboratories."""
ROTATION_FLOOR = math.radians(0.1)
"""Rotations with less noise than this about each axis are not smoothed [rad]."""
QUATERNION_ANGLE = 2.0 * math.sqrt(4.0 / 3.0)
"""Noise about each axis [rad] for that of a quaternion's numbers: a small rotation by v has the
quaternion (1, v / 2), of whose four numbers three have noise."""
LOWEST_BAND = 2.0
"""Below this everything is motion [Hz]."""
BANDS = 6
"""Number of octaves above that; what is beyond is noise."""
ORDER = 3
"""Order of the edges of bands, and of the low-pass filter: Butterworth filters of this order that
run forwards and backwards have the same response."""
POWER_SPAN = 0.5
"""Standard deviation of the time over which the power of a band is averaged, in periods of its
lower edge."""
CAUTION = 1.5
"""Noise is taken to have this much more power than was measured: its power in one place is chance,
and what slips through is seen as trembling."""
PADDING = 0.5
"""Tracks are continued so far at both ends, as their image in a point, for the filters [s]."""
PLAIN_CUTOFF = 3.0e-3
"""Cutoff of a one-euro filter for a point at rest, times the noise [Hz m]."""
SPEED_CUTOFF = 15.0e-3
"""How much of it is added for each m/s, times the noise [Hz s]."""
CUTOFFS = (0.5, 10.0)
"""Least and greatest cutoff for a point at rest [Hz]."""
SPEED_SMOOTHING = 3.0
"""Cutoff at which a one-euro filter smooths the speed [Hz]."""


def noise_of(values: Floats, rate: float) -> Floats:
    """Return the standard deviation of the white noise of tracks, in each coordinate.

    Calm stretches tell it: there the differences of sixth order are nothing but noise. Slow
    drifts and what a filter already removed are not seen.

    Args:
        values: shape (F, N, C); NaN where a track was not seen.
        rate: frames a second [Hz].

    Returns:
        The noise in the unit of the values, shape (N,); NaN for tracks that are too short.
    """
    differences = np.diff(values, n=DIFFERENCES, axis=0) / WHITENED
    power = (differences**2).mean(axis=2)
    length = max(LEAST_WINDOW, round(WINDOW * rate))
    out = np.full(values.shape[1], np.nan)
    for k in range(values.shape[1]):
        known = power[np.isfinite(power[:, k]), k]
        count = len(known) // length
        if count:
            windows = known[: count * length].reshape(count, length).mean(axis=1)
            out[k] = math.sqrt(float(np.quantile(windows, CALM)))
        elif len(known) >= LEAST_WINDOW // 4:
            out[k] = math.sqrt(float(known.mean()))
    moving = out[out > 0.0]  # without points that were put somewhere and stay there
    return np.minimum(out, ALIKE * float(np.median(moving))) if len(moving) else out


def continuous(rotations: Floats) -> Floats:
    """Return quaternions (F, N, 4) with signs that do not jump from one seen frame to the next."""
    out = np.array(rotations)
    for k in range(out.shape[1]):
        seen = np.isfinite(out[:, k]).all(axis=1)
        if seen.any():
            out[seen, k] = arrays.same_hemisphere(out[seen, k])
    return out


def rotation_noise(rotations: Floats, rate: float) -> Floats:
    """Return the noise of rotations (F, N, 4) about each axis [rad], shape (N,)."""
    return QUATERNION_ANGLE * noise_of(continuous(rotations), rate)


def denoised(values: Floats, rate: float, noise: Floats) -> Floats:
    """Return tracks without their noise and without delay.

    Args:
        values: shape (F, N, C); NaN where a track was not seen, which stays so.
        rate: frames a second [Hz].
        noise: standard deviation in each coordinate, shape (N,); tracks with 0 or NaN stay as they
            are, to the bit.
    """
    out = np.array(values)
    for k in np.flatnonzero(noise > 0.0):
        out[:, k] = _denoised_track(values[:, k], rate, float(noise[k]))
    return out


def lowpassed(values: Floats, rate: float, cutoff: float) -> Floats:
    """Return tracks (F, N, C) without what is quicker than a frequency [Hz], without delay."""
    if not 0.0 < cutoff < math.inf:
        raise InputError(f"Expected a positive frequency to smooth with, got {cutoff} Hz.")
    out = np.array(values)
    for k in range(values.shape[1]):
        spectrum = _Spectrum.of(values[:, k], rate)
        if spectrum is not None:
            out[:, k] = spectrum.track(spectrum.below(cutoff), trend=True)
    return out


def put_rotations(rotations: Floats, steady: Floats, smooth: Floats) -> Floats:
    """Return rotations (F, N, 4) with the smoothed ones, as unit quaternions, where they changed.

    Args:
        rotations: as they were.
        steady: the same, `continuous`.
        smooth: those smoothed.
    """
    changed = (smooth != steady).any(axis=-1) & np.isfinite(smooth).all(axis=-1)
    out = np.array(rotations)
    out[changed] = arrays.normalize(smooth[changed])
    return out


@dataclass(frozen=True)
class _Spectrum:
    """The frequencies of one track, prolonged at both ends and bridged where it was not seen."""

    amplitudes: NDArray[np.complex128]
    """Fourier transform, shape (K, C)."""
    trend: Floats
    """Straight line that was taken away before, shape (n, C)."""
    rate: float
    pad: int
    """Frames by which each end was prolonged."""
    seen: Bools
    """Frames of the track in which it was seen, shape (F,)."""

    @classmethod
    def of(cls, track: Floats, rate: float) -> _Spectrum | None:
        """Transform a track (F, C); None where fewer than two frames were seen."""
        seen = np.asarray(np.isfinite(track).all(axis=1))
        if seen.sum() < 2:
            return None
        at, known = np.arange(len(track)), np.flatnonzero(seen)
        whole = np.stack([np.interp(at, known, column[seen]) for column in track.T], axis=1)
        pad = min(len(track) - 1, round(PADDING * rate))
        begin, end = whole[pad:0:-1], whole[-2 : -2 - pad : -1]
        long = np.concatenate([2.0 * whole[:1] - begin, whole, 2.0 * whole[-1:] - end])
        trend = long[:1] + (long[-1:] - long[:1]) * np.linspace(0.0, 1.0, len(long))[:, None]
        return cls(np.fft.rfft(long - trend, axis=0), trend, rate, pad, seen)

    @property
    def count(self) -> int:
        """Number of frames with both prolonged ends."""
        return len(self.trend)

    def below(self, cutoff: float) -> Floats:
        """Return the response of the zero-phase low-pass filter at each frequency, shape (K,)."""
        highest = 0.5 * self.rate
        ratio = np.tan(0.5 * math.pi * np.minimum(self._frequencies / highest, 1.0 - 1e-9))
        edge = math.tan(0.5 * math.pi * min(cutoff / highest, 1.0 - 1e-6))
        return np.asarray(1.0 / (1.0 + (ratio / edge) ** (2 * ORDER)))

    def band(self, response: Floats) -> Floats:
        """Return what a response leaves of the prolonged track, shape (n, C)."""
        return np.asarray(np.fft.irfft(self.amplitudes * response[:, None], self.count, axis=0))

    def share(self, response: Floats) -> float:
        """Return the part of the power of white noise that a response lets through."""
        both = np.full(len(response), 2.0)
        both[0] = 1.0
        if self.count % 2 == 0:
            both[-1] = 1.0
        return float((both * response**2).sum() / self.count)

    def averaged(self, power: Floats, span: float) -> Floats:
        """Return a course of time (n,) averaged with a normal window of a span [s]."""
        window = np.exp(-0.5 * (2.0 * math.pi * self._frequencies * span) ** 2)
        return np.fft.irfft(np.fft.rfft(power) * window, self.count)

    def track(self, response: Floats, *, trend: bool) -> Floats:
        """Return what a response leaves of the track itself, NaN where it was not seen."""
        return self.cut(self.band(response) + (self.trend if trend else 0.0))

    def cut(self, long: Floats) -> Floats:
        """Return the track itself from the prolonged one, NaN where it was not seen."""
        out = long[self.pad : self.pad + len(self.seen)]
        out[~self.seen] = np.nan
        return out

    @property
    def _frequencies(self) -> Floats:
        return np.asarray(np.fft.rfftfreq(self.count, 1.0 / self.rate), np.float64)


def _denoised_track(track: Floats, rate: float, noise: float) -> Floats:
    """Return one track (F, C) without its noise."""
    spectrum = _Spectrum.of(track, rate)
    if spectrum is None:
        return track
    edges = [LOWEST_BAND * 2.0**k for k in range(BANDS) if LOWEST_BAND * 2.0**k < 0.5 * rate]
    if not edges:
        return track
    responses = [spectrum.below(edge) for edge in edges]
    out = spectrum.band(responses[0]) + spectrum.trend
    for edge, lower, upper in zip(edges, responses, responses[1:], strict=False):
        band = spectrum.band(upper - lower)
        expected = CAUTION * track.shape[1] * noise**2 * spectrum.share(upper - lower)
        power = spectrum.averaged((band**2).sum(axis=1), POWER_SPAN / edge)
        kept = np.clip(1.0 - expected / np.maximum(power, 1e-300), 0.0, 1.0)
        out += kept[:, None] * band
    return spectrum.cut(out)


class OneEuroFilter:
    """Smooths points as they arrive; points at rest strongly, quick ones hardly.

    One-euro filter: Casiez, Roussel and Vogel, CHI 2012. All points of a frame go in at once; NaN
    comes out for what was not seen, and a point that comes back is taken as it is.
    """

    def __init__(self, rate: float, *, noise: float) -> None:
        """Prepare for points of a rate [Hz] and a noise [m], which say how strongly to smooth."""
        if not (math.isfinite(rate) and rate > 0.0):
            raise InputError(f"Expected a positive `rate` in Hz, got {rate}.")
        if not (math.isfinite(noise) and noise > 0.0):
            raise InputError(f"Expected a positive `noise` in metres, got {noise}.")
        self.rate = float(rate)
        self.cutoff = min(max(PLAIN_CUTOFF / noise, CUTOFFS[0]), CUTOFFS[1])
        """Cutoff for a point at rest [Hz]."""
        self.slope = SPEED_CUTOFF / noise
        """How much is added to the cutoff for each m/s [Hz s / m]."""
        self.reset()

    def reset(self) -> None:
        """Forget the frames so far."""
        self._last: Floats | None = None
        self._place = self._speed = np.zeros((0, 3))

    def lag(self, speed: float) -> float:
        """Return by how much a point of a constant speed [m/s] comes late [s]."""
        share = self._share(np.array(self.cutoff + self.slope * abs(speed)))
        return float((1.0 / share - 1.0) / self.rate)

    def step(self, positions: Floats) -> Floats:
        """Return the smoothed positions (N, 3) of the next frame [m]."""
        now = np.asarray(positions, dtype=np.float64)
        if now.ndim != 2 or (self._last is not None and now.shape != self._last.shape):
            expected = "(N, 3)" if self._last is None else str(self._last.shape)
            raise InputError(f"Expected positions of shape {expected}, got {now.shape}.")
        if self._last is None:
            self._last = np.full_like(now, np.nan)
            self._place, self._speed = now.copy(), np.zeros_like(now)
        new = np.asarray(~np.isfinite(self._last).all(axis=1))
        step = np.where(new[:, None], 0.0, (now - self._last) * self.rate)
        share = self._share(np.array(SPEED_SMOOTHING))
        self._speed = np.where(new[:, None], 0.0, self._speed + share * (step - self._speed))
        cutoff = self.cutoff + self.slope * np.linalg.norm(self._speed, axis=1, keepdims=True)
        moved = self._place + self._share(cutoff) * (now - self._place)
        self._place = np.where(new[:, None], now, moved)
        self._last = now.copy()
        return self._place.copy()

    def _share(self, cutoff: Floats) -> Floats:
        """Return how much of a new value counts, for a cutoff [Hz]."""
        return np.asarray(1.0 / (1.0 + self.rate / (2.0 * math.pi * cutoff)))
