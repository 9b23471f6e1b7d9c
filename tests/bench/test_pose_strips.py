from __future__ import annotations

import io

import numpy as np
import pytest

from sixpoint.bench.pose_strips import draw_samples
from sixpoint.bench.table1_runs import STRIP, bench_table1

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def drawn(clips):
    table = bench_table1({"boxing": clips["boxing"]}, solvers=["sik"])
    return table.clips[0], draw_samples(table.clips[0], {"sik": table.runs["sik", "boxing"]})


def pixels(png: bytes) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def test_a_strip_shows_original_and_sik_at_the_picked_frames(drawn):
    clip, (strip, together) = drawn
    assert [sample.frame for sample in strip] == clip.picks[:-1]
    assert len(strip) == STRIP
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
