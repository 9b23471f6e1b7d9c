from __future__ import annotations

import io
import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from sixpoint.bench.charts import (
    COLUMNS,
    HEIGHT,
    STRONG,
    WIDTH,
    bar_chart,
    colours,
    draw_samples,
    line_chart,
    nice_ticks,
    thinned,
)
from sixpoint.bench.table1 import SELECTED, bench_table1
from sixpoint.solvers import SOLVERS


@pytest.mark.parametrize(
    ("span", "start", "ticks"),
    [
        (10.0, 0.0, [0, 2, 4, 6, 8, 10]),
        (0.09, 0.0, [0, 0.02, 0.04, 0.06, 0.08]),
        (1000.0, 1500.0, [1600, 1800, 2000, 2200, 2400]),
        (0.0, 3.0, [3.0]),
    ],
)
def test_ticks_are_round_and_inside(span, start, ticks):
    found = nice_ticks(span, start)
    assert found == pytest.approx(ticks)


def test_a_long_curve_keeps_its_extremes():
    values = np.sin(np.arange(20_000) / 50.0)
    values[777] = 9.0
    at, kept = thinned(values)
    assert len(at) <= 2 * COLUMNS
    assert kept.max() == 9.0
    assert at[kept.argmax()] == 777
    assert (np.diff(at) > 0).all()
    assert kept.tolist() == values[at.astype(int)].tolist()


def test_a_short_curve_is_kept_and_gaps_are_left_out():
    at, kept = thinned(np.array([1.0, np.nan, 3.0]))
    assert at.tolist() == [0.0, 2.0]
    assert kept.tolist() == [1.0, 3.0]


def test_curves_are_inside_the_picture_and_sik_lies_on_top():
    curves = {"sik": np.linspace(0.0, 0.3, 50), "ccd": np.linspace(0.4, 0.1, 50)}
    tree = ElementTree.fromstring(line_chart(curves, 100, "a & b"))
    paths = [p for p in tree.iter("path") if p.get("class", "").startswith("c ")]
    assert [p.get("class") for p in paths] == ["c c-ccd", "c c-sik"]
    for path in paths:
        numbers = np.array(re.findall(r"[\d.]+", path.get("d")), float).reshape(-1, 2)
        assert len(numbers) == 50
        assert (numbers >= 0.0).all()
        assert (numbers <= (WIDTH, HEIGHT)).all()
    rises = np.array(re.findall(r"[\d.]+", paths[1].get("d")), float).reshape(-1, 2)[:, 1]
    assert rises[0] > rises[-1]  # up is a smaller number
    assert "100" in [text.text for text in tree.iter("text")]


def test_one_frame_and_errors_of_zero_can_be_drawn():
    for values in (np.zeros(1), np.zeros(5)):
        assert "NaN" not in line_chart({"sik": values}, 0, "")


@pytest.mark.parametrize("logarithmic", [False, True])
def test_bars_are_as_long_as_numbers_are_large(logarithmic):
    rows = [("sik", 1.0, 2.0), ("ccd", 4.0, None), ("pik", None, 8.0), ("kma", 0.0, None)]
    tree = ElementTree.fromstring(bar_chart(rows, "{:.1f}", "", logarithmic=logarithmic))
    bars = {r.get("class")[4:]: float(r.get("width")) for r in tree.iter("rect")}
    assert set(bars) == {"sik", "ccd", "kma"}
    assert 0.0 == bars["kma"] < bars["sik"] < bars["ccd"]
    if not logarithmic:
        assert bars["ccd"] == pytest.approx(4.0 * bars["sik"], abs=0.2)
    assert len([p for p in tree.iter("path") if p.get("class") == "p"]) == 2
    assert [t.text for t in tree.iter("text")][1::2] == ["1.0", "4.0", "–", "0.0"]


def test_nothing_known_is_an_empty_chart():
    tree = ElementTree.fromstring(bar_chart([("sik", None, None)], "{}", ""))
    assert list(tree.iter("rect")) == []


def test_every_method_has_a_colour_and_sik_the_strong_one():
    names = [f"solver {k}" for k in range(13)]
    found = colours([*names, "sik"])
    assert found["sik"] == STRONG
    assert len(set(found.values())) == 14


def test_no_two_solvers_have_like_colours():
    """By the distance of CIE 1976; 2.3 is just noticeable, the closest here are two blues."""
    shades = colours([name for name, kind in SOLVERS.items() if kind.capabilities.humans])
    labs = {name: _lab(shade) for name, shade in shades.items()}
    for one, other in combinations(labs, 2):
        assert np.linalg.norm(labs[one] - labs[other]) > 20.0, (one, other)


def _lab(shade: str) -> np.ndarray:
    c = np.array([int(shade[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
    c = np.where(c > 0.04045, ((c + 0.055) / 1.055) ** 2.4, c / 12.92)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x = to_xyz @ c / np.array([0.9505, 1.0, 1.089])
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


@pytest.fixture(scope="module")
def drawn(clips):
    pytest.importorskip("matplotlib")
    table = bench_table1({"boxing": clips["boxing"]}, solvers=["sik"])
    return table.clips[0], draw_samples(table.clips[0], {"sik": table.runs["sik", "boxing"]})


def pixels(png: bytes) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def test_a_strip_shows_original_and_sik_at_the_picked_frames(drawn):
    clip, (strip, together) = drawn
    assert [sample.frame for sample in strip] == clip.picks[:-1]
    assert len(strip) == SELECTED
    assert all(list(sample.pictures) == ["original", "sik"] for sample in strip)
    assert together.frame == clip.pose
    sizes = {pixels(png).shape for sample in strip for png in sample.pictures.values()}
    assert len(sizes) == 1


def test_pictures_show_a_person_with_points_and_the_bones_of_the_original(drawn):
    _, (strip, _) = drawn
    original, sik = (pixels(strip[2].pictures[name]) for name in ("original", "sik"))
    yellow = (np.abs(original - (240, 228, 66)).sum(axis=-1) < 40).sum()
    assert yellow > 20
    dark = [(picture.sum(axis=-1) < 150).sum() for picture in (original, sik)]
    assert dark[1] > 3 * dark[0]
    assert original[0, 0].tolist() == sik[0, 0].tolist() == [255, 255, 255]
    blue = (original[..., 2] > original[..., 0] + 60).sum()
    assert blue > 500
