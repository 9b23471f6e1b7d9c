from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from sixpoint.errors import FormatError
from sixpoint.priors.layout import INPUTS, OUTPUTS
from sixpoint.priors.model import (
    Prior,
    always_plausible,
    builtin_prior,
    card_text,
    prior_of,
)
from sixpoint.priors.network import new_layers


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
    assert len(data) < 500_000
    text = card_text(builtin_prior())
    beside = resources.files("sixpoint.priors").joinpath("people.md").read_text(encoding="utf-8")
    assert beside == text
    assert "3 hidden layers of 384 units" in text
    assert "2 hidden layers of 64 units" in text
    assert "mocap.cs.cmu.edu" in text
    assert "NSF EIA-0196217" in text
    assert "Limits of use" in text
    assert "135" in text


def test_answers_are_finite_and_bounded_for_any_input():
    x = 1e9 * np.random.default_rng(6).normal(size=(20, INPUTS))
    out = builtin_prior().predict(x)
    assert out.shape == (20, OUTPUTS)
    assert np.abs(out).max() < 1e4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": np.array(99)}, "Expected version 4 of a sixpoint prior, got version 99"),
        ({"format": np.array("sixpoint motion")}, "Expected a sixpoint prior file, got 'sixpoint"),
        ({"layers_0": np.zeros((7, 192))}, "Expected layers of the shapes"),
        ({"critic_6": np.zeros((32, 2))}, "Expected layers of the shapes"),
        ({"critic_1": None}, "which holds critic_1; it is missing"),
        ({"layers_11": None}, "Expected two layers or more of three arrays each, got 11"),
        ({"layers_3": np.zeros(3)}, "Expected layers of the shapes"),
        ({"layers_1": np.zeros((2, 2))}, "Expected 1 to 512 pairs of hidden units"),
        ({"layers_10": np.full(78, np.nan)}, "Expected finite numbers"),
        ({"version": np.array(3)}, "got version 3; train it anew"),
        ({"version": np.array(3.7)}, "got version 3.7"),
        ({"version": None}, "which holds version"),
        ({"layers_1": np.zeros(192, complex)}, "Expected layers of real numbers, got complex128"),
        ({"layers_1": np.array(["a"] * 192)}, "Expected layers of real numbers, got <U1"),
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
    layers = new_layers(np.random.default_rng(1), (141, 115), (600,), (78, 73))
    with pytest.raises(FormatError, match="Expected 1 to 512 pairs of hidden units, got"):
        replace(builtin_prior(), layers=tuple(layers))


def test_points_are_beyond_doubt_for_a_critic_that_knows_nothing():
    believer = replace(builtin_prior(), critic=always_plausible())
    x = np.random.default_rng(8).normal(size=(5, INPUTS))
    np.testing.assert_allclose(believer.plausibility(x), 1.0)


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "model.npz"
    builtin_prior().save(path)
    first = prior_of(str(path))
    assert prior_of(str(path)) is first
    replace(builtin_prior(), card={"name": "another"}).save(path)
    os.utime(path, ns=(1, 1))
    assert prior_of(str(path)).card["name"] == "another"
