"""Where head and hands are: what one frame hands on to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from .ellipse import Ellipse
from .hypotheses import LABELS
from .kalman import Track, new_track
from .pairs import WORST_PAIR, Pair

FIRST_SPREAD, FIRST_SPEED = 0.02, 1.0
"""Standard deviations of a point that is seen for the first time [m], [m/s]."""


@dataclass(frozen=True, kw_only=True)
class FollowSettings:
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
