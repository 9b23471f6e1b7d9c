from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.errors import FormatError, InputError, MissingExtra, UnknownName
from sixpoint.formats import FORMATS, load, load_points, save, save_points

from .samples import BVH, standing_person


def test_every_format_does_something_and_endings_are_its_own():
    for form in FORMATS.values():
        assert form.description
        assert any((form.read, form.write, form.read_points, form.write_points))
    endings = [suffix for form in FORMATS.values() for suffix in form.suffixes]
    assert len(endings) == len(set(endings))


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if f.read and f.write])
def test_motions_come_back(tmp_path, name):
    person = standing_person()
    path = tmp_path / f"a{FORMATS[name].suffixes[0]}"
    save(person, path)
    joints = range(person.skeleton.joint_count)
    np.testing.assert_allclose(
        load(path).positions(joints), person.positions(joints), atol=1e-4 * 1.75
    )


@pytest.mark.parametrize(
    "name", [n for n, f in FORMATS.items() if f.read_points and f.write_points]
)
def test_points_come_back(tmp_path, name):
    points = standing_person().points()
    path = tmp_path / f"a{FORMATS[name].suffixes[0]}"
    save_points(points, path)
    np.testing.assert_allclose(load_points(path).positions, points.positions, atol=1e-6)


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.binary(max_size=600))
def test_arbitrary_bytes_are_content_or_a_format_error(tmp_path_factory, name, data):
    form = FORMATS[name]
    path = tmp_path_factory.getbasetemp() / f"any{form.suffixes[0]}"
    path.write_bytes(data)
    refused = []
    for can, read in ((form.read, load), (form.read_points, load_points)):
        try:
            if can is not None:
                read(path)
        except MissingExtra as error:
            pytest.skip(str(error))
        except FormatError as error:
            refused.append(str(error))
    assert all(message.startswith(str(path)) for message in refused)


def test_endings_may_be_in_capitals(tmp_path):
    (tmp_path / "A.BVH").write_text(BVH)
    assert len(load(tmp_path / "A.BVH")) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load("a.fbx"), r"No motion format '\.fbx'.*\.bvh, \.amc, \.asf, \.npz"),
        (lambda: load("nothing"), "No motion format 'nothing'"),
        (lambda: load("a.csv"), r"No motion format '\.csv'"),
        (lambda: save(standing_person(), "a.amc"), r"No motion format to write '\.amc'"),
        (lambda: load_points("a.bvh"), r"No points format '\.bvh'.*\.npz, \.csv"),
        (lambda: save_points(standing_person().points(), "a.txt"), "No points format"),
    ],
)
def test_unknown_endings_are_refused_with_the_choices(call, message):
    with pytest.raises(UnknownName, match=message):
        call()


def test_options_belong_to_formats(tmp_path):
    (tmp_path / "a.bvh").write_text(BVH)
    with pytest.raises(InputError, match=r"No option 'skeleton' for \.bvh files; there are: unit"):
        load(tmp_path / "a.bvh", skeleton="b.asf")
    with pytest.raises(InputError, match=r"No option 'unit' for \.npz files; there are: joints"):
        load(tmp_path / "a.npz", unit="cm")
    assert len(load(tmp_path / "a.bvh", skeleton=None, rate=None)) == 2


def test_a_rate_must_make_sense():
    for rate in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="Expected a positive `rate`"):
            load_points("a.csv", rate=rate)


def test_reading_a_file_does_not_load_the_compiler():
    code = "import sys, sixpoint.formats; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
