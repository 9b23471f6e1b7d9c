"""The 11 lengths that describe a body, and what they are for a given stature.

Lengths are between joint centres, those of torso and neck along the bones of the spine. The SIK
paper's height is the part of the body that six points at ankles, pelvis and head can see: calf +
thigh + pelvis + torso + neck, without foot and head.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import InputError, UnknownName

LENGTHS: Mapping[str, str] = {
    "foot": "heel to toe tip",
    "calf": "knee to ankle",
    "thigh": "hip to knee",
    "pelvis": "height of the lumbosacral joint above the hips",
    "pelvis_width": "hip to hip",
    "torso": "lumbosacral joint to the base of the neck (C7), along the spine",
    "torso_width": "shoulder to shoulder",
    "neck": "base of the neck (C7) to the skull base, along the spine",
    "upper_arm": "shoulder to elbow",
    "forearm": "elbow to wrist",
    "hand": "wrist to tip of the middle finger",
}
"""Name -> what is measured."""

DEFAULT_STATURE = 1.75
"""Standing height of the built-in figure [m]; H-Anim's own is 1.7504."""

ANKLE_HEIGHT = 0.039
"""Height of the ankle as a fraction of stature (Drillis and Contini)."""

FRACTIONS: Mapping[str, float] = {
    # Drillis and Contini (1966), in Winter, Biomechanics and Motor Control of Human Movement,
    # Fig. 4.1: heights of ankle .039, knee .285, hip .530.
    "foot": 0.152,
    "calf": 0.246,
    "thigh": 0.245,
    "upper_arm": 0.186,
    "forearm": 0.146,
    "hand": 0.108,
    # H-Anim joint centres (ISO/IEC 19774-1:2019, Table A.8) over its stature 1.7504 m. Drillis
    # and Contini give outer breadths (.191 and .259), which are not distances of joints.
    "pelvis_width": 0.110,
    "torso_width": 0.232,
    # Heights .590, .860, .926 of lumbosacral joint, C7 and skull base; torso and neck are 1.7
    # and 5 % longer than that for the curve of the spine. C7: de Leva (1996), vertex to
    # cervicale .2429 m of 1.741 m. Skull base: H-Anim. Lumbosacral joint: ours, for want of a
    # table.
    "pelvis": 0.060,
    "torso": 0.2746,
    "neck": 0.0693,
}
"""Each length as a fraction of stature."""

SKULL_BASE_HEIGHT = 0.926
"""Height of the skull base as a fraction of stature (H-Anim)."""

VERTICAL = ("calf", "thigh", "pelvis", "torso", "neck")
"""The lengths that add up to the SIK paper's body height."""

PAPER_HEIGHT = sum(FRACTIONS[name] for name in VERTICAL)
"""The SIK paper's body height as a fraction of stature."""

PAPER_FIGURES: Mapping[str, float] = {"boxing": 1.86, "jump kick": 1.82, "playground": 1.83}
"""Figure of the SIK paper -> its height [m], in the paper's sense: without foot and head. Named
after the clip that it reconstructs (Unzueta et al. 2008, section 9)."""

LONGEST = 3.0
"""No length of a human body reaches this [m]: larger numbers are centimetres or inches."""


def lengths_from_stature(height: float = DEFAULT_STATURE) -> dict[str, float]:
    """The 11 lengths [m] of an average adult of this stature [m], soles to top of the head."""
    _check_length("height", height)
    return {name: FRACTIONS[name] * height for name in LENGTHS}


def stature_of_figure(figure: str) -> float:
    """Stature [m] of one of the SIK paper's figures, a key of `PAPER_FIGURES`."""
    if figure not in PAPER_FIGURES:
        raise UnknownName("figure of the SIK paper", figure, PAPER_FIGURES)
    return PAPER_FIGURES[figure] / PAPER_HEIGHT


def body_height(lengths: Mapping[str, float]) -> float:
    """The SIK paper's height [m]: calf + thigh + pelvis + torso + neck."""
    return sum(lengths[name] for name in VERTICAL)


def check_lengths(lengths: Mapping[str, float]) -> None:
    """Raise unless every name is one of `LENGTHS` and every length can belong to a person."""
    for name, length in lengths.items():
        if name not in LENGTHS:
            raise UnknownName("length", name, LENGTHS)
        _check_length(name, length)


def _check_length(name: str, length: float) -> None:
    if not (np.isfinite(length) and 0.0 < length < LONGEST):
        raise InputError(
            f"Expected `{name}` in metres, above 0 and below {LONGEST:g}, got {length}."
        )
