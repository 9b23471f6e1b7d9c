from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.body.anthropometry import (
    FRACTIONS,
    LENGTHS,
    PAPER_HEIGHT,
    body_height,
    check_lengths,
    lengths_from_stature,
)
from sixpoint.errors import InputError, UnknownName


def test_there_are_eleven_lengths_and_each_has_a_fraction() -> None:
    assert len(LENGTHS) == 11
    assert set(FRACTIONS) == set(LENGTHS)


def test_segments_of_drillis_and_contini() -> None:
    lengths = lengths_from_stature(2.0)
    assert lengths["calf"] == pytest.approx(0.492)
    assert lengths["upper_arm"] == pytest.approx(0.372)
    assert lengths["foot"] == pytest.approx(0.304)


def test_height_of_the_paper_leaves_out_head_and_foot() -> None:
    parts = {"calf": 1.0, "thigh": 0.5, "pelvis": 0.25, "torso": 0.125, "neck": 0.0625}
    assert body_height({**lengths_from_stature(), **parts}) == 1.9375


@given(st.floats(0.4, 2.7))
def test_stature_and_lengths_are_inverse(height: float) -> None:
    assert body_height(lengths_from_stature(height)) / PAPER_HEIGHT == pytest.approx(
        height, rel=1e-12
    )


@pytest.mark.parametrize("height", [0.0, -1.0, float("nan"), float("inf"), 175.0])
def test_a_height_that_is_not_in_metres_is_refused(height: float) -> None:
    with pytest.raises(InputError, match=r"Expected `height` in metres, above 0 and below 3, got"):
        lengths_from_stature(height)


def test_an_unknown_length_lists_the_choices() -> None:
    with pytest.raises(UnknownName, match=r"No length 'upperarm'. Nearest: upper_arm"):
        check_lengths({"upperarm": 0.3})


@pytest.mark.parametrize("length", [0.0, -0.1, float("nan"), float("inf"), 30.0])
def test_a_length_that_no_person_has_is_refused(length: float) -> None:
    with pytest.raises(InputError, match="Expected `thigh` in metres"):
        check_lengths({"calf": 0.4, "thigh": length})
