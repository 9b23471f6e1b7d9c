"""Which pixels of the person are skin: a Gaussian in colours without brightness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.skeleton import frozen_array
from ..errors import InputError
from ..kernels.types import Floats
from .masks import DARKEST, Chroma, Mask, Picture, _bytes, chroma_of

LEAST_PIXELS = 30
"""Fewer pixels do not tell how skin varies."""


@dataclass(frozen=True, eq=False)
class SkinModel:
    """Skin as (r, g) = (R, G) / (R + G + B), which hardly depends on how light or dark it is."""

    mean: tuple[float, float] = (0.435, 0.316)
    """Middle of the colours. The default covers skins from very light to very dark in white light;
    one that is fitted to the person is narrower and tells skin from wood and leather."""
    covariance: tuple[tuple[float, float], tuple[float, float]] = (
        (0.00075, -0.0002),
        (-0.0002, 0.00015),
    )
    threshold: float = 2.5
    """Standard deviations within which a colour is skin."""
    darkest: float = 70.0
    """A sum R + G + B below this is too dark to be called skin: black shoes have red noise."""

    def __post_init__(self) -> None:
        spread = frozen_array(self.covariance)
        if spread.shape != (2, 2) or np.linalg.eigvalsh(spread).min() <= 0.0:
            raise InputError("Expected `covariance` to be 2 x 2 and positive definite.")
        if not self.threshold > 0.0:
            raise InputError(f"Expected `threshold` > 0, got {self.threshold}.")

    def mask(self, chroma: Chroma, person: Mask) -> Mask:
        """Pixels of the person that have the colour of skin."""
        inverse = np.linalg.inv(np.array(self.covariance))
        a, b, c = (np.float32(x) for x in (inverse[0, 0], 2.0 * inverse[0, 1], inverse[1, 1]))
        red, green = chroma.red - np.float32(self.mean[0]), chroma.green - np.float32(self.mean[1])
        away = a * red * red + b * red * green + c * green * green
        near = (away < np.float32(self.threshold**2)) & (chroma.total >= self.darkest)
        return _bytes(near) & person


def fit_skin(pictures: Sequence[Picture], masks: Sequence[Mask], widen: float = 1.5) -> SkinModel:
    """The skin of one person from pixels that are known to be skin.

    Args:
        pictures: blue, green, red.
        masks: where skin is in each.
        widen: how much wider than measured the model is, for other light.
    """
    if len(pictures) != len(masks):
        raise InputError(f"Expected as many masks as pictures, got {len(masks)}, {len(pictures)}.")
    samples: list[Floats] = []
    for picture, mask in zip(pictures, masks, strict=True):
        chroma = chroma_of(picture)
        chosen = (np.asarray(mask) > 0) & (chroma.total >= DARKEST)
        samples.append(np.stack([chroma.red[chosen], chroma.green[chosen]], -1).astype(float))
    colours = np.concatenate(samples) if samples else np.zeros((0, 2))
    if len(colours) < LEAST_PIXELS:
        raise InputError(f"Expected {LEAST_PIXELS} pixels of skin or more, got {len(colours)}.")
    centre = np.median(colours, axis=0)
    near = colours[(np.abs(colours - centre) < 0.1).all(axis=1)]
    # A floor as wide as the noise of one grey level: a drawn skin has no variance at all.
    spread = widen**2 * np.cov(near.T) + np.diag([4e-5, 4e-5])
    return SkinModel(
        (float(centre[0]), float(centre[1])),
        ((float(spread[0, 0]), float(spread[0, 1])), (float(spread[1, 0]), float(spread[1, 1]))),
        3.0,
    )
