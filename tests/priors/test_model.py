from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from sixpoint.errors import FormatError
from sixpoint.priors.layout import INPUTS, OUTPUTS
from sixpoint.priors.model import Prior, builtin_prior, card_text, prior_of


def rewritten(path, **changes):
    """The built-in model in a file, with some of its arrays changed or (None) left out."""
    builtin_prior().save(path)
    with np.load(path) as file:
        content = {key: file[key] for key in file.files} | changes
    np.savez(path, **{key: value for key, value in content.items() if value is not None})
    return path


def test_a_model_comes_back_as_it_was_saved(tmp_path):
    prior = builtin_prior()
    prior.save(tmp_path / "model.npz")
    again = Prior.load(tmp_path / "model.npz")
    x = np.random.default_rng(5).normal(size=(9, INPUTS))
    np.testing.assert_array_equal(prior.predict(x), again.predict(x))
    assert again.card == prior.card


def test_the_built_in_model_is_small_and_says_where_it_comes_from():
    from importlib import resources

    data = resources.files("sixpoint.priors").joinpath("people.npz").read_bytes()
    assert len(data) < 300_000
    text = card_text(builtin_prior())
    beside = resources.files("sixpoint.priors").joinpath("people.md").read_text(encoding="utf-8")
    assert beside == text
    assert "35 x 128 x 128 x 78" in text
    assert "35 x 32 x 32 x 1" in text
    assert "mocap.cs.cmu.edu" in text
    assert "NSF EIA-0196217" in text
    assert "Limits of use" in text
    assert "135" in text


def test_answers_are_finite_and_bounded_for_any_input():
    x = 1e9 * np.random.default_rng(6).normal(size=(20, INPUTS))
    out = builtin_prior().predict(x)
    assert out.shape == (20, OUTPUTS)
    assert np.abs(out).max() < 1e4
    assert (builtin_prior().distance(x) > builtin_prior().near).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": np.array(99)}, "Expected version 3 of a sixpoint prior, got version 99"),
        ({"format": np.array("sixpoint motion")}, "Expected a sixpoint prior file, got 'sixpoint"),
        ({"w1": np.zeros((7, 128))}, "Expected layers from 35 inputs to 78 outputs"),
        ({"critic_w3": np.zeros((32, 2))}, "Expected layers from 35 inputs to 1 outputs"),
        ({"critic_b1": None}, "critic_b1 is missing"),
        ({"w2": np.zeros(3)}, "Expected three layers of weights"),
        ({"mean": np.zeros(4)}, r"Expected `mean` of shape \(35,\), got \(4,\)"),
        ({"scale": np.zeros(35)}, "Expected positive `scale`"),
        ({"b3": np.full(78, np.nan)}, "Expected finite numbers"),
        ({"near": None}, "near is missing"),
        ({"near": np.array(0.0)}, "Expected a positive `near`, got 0"),
        ({"version": np.array(3.7)}, "got version 3.7"),
        ({"b1": np.zeros(128, complex)}, "Expected real numbers in b1, got complex128"),
        ({"b1": np.array(["a"] * 128)}, "Expected real numbers in b1"),
        (
            {"w1": np.zeros((35, 0)), "b1": np.zeros(0), "w2": np.zeros((0, 128))},
            "Expected at least 1 and at most 512 hidden units, got 0 and 128",
        ),
        ({"card": np.array("no JSON")}, "Expected a sixpoint prior file, got something else"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused(tmp_path, changes, message):
    path = rewritten(tmp_path / "model.npz", **changes)
    with pytest.raises(FormatError, match=message):
        Prior.load(path)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        Prior.load(tmp_path / "none.npz")
    for content in (b"", b"PK\x03\x04 garbage", b"text"):
        (tmp_path / "odd.npz").write_bytes(content)
        with pytest.raises(FormatError, match="Expected a sixpoint prior file"):
            Prior.load(tmp_path / "odd.npz")


def test_too_many_units_are_refused():
    prior = builtin_prior()
    wide = (
        np.zeros((INPUTS, 600)), np.zeros(600), np.zeros((600, 600)), np.zeros(600),
        np.zeros((600, OUTPUTS)), np.zeros(OUTPUTS),
    )  # fmt: skip
    with pytest.raises(FormatError, match="at most 512 hidden units, got 600"):
        replace(prior, weights=wide)


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "model.npz"
    builtin_prior().save(path)
    first = prior_of(str(path))
    assert prior_of(str(path)) is first
    replace(builtin_prior(), near=3.0).save(path)
    os.utime(path, ns=(1, 1))
    assert prior_of(str(path)).near == 3.0
