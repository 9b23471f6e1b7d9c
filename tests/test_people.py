"""Several people at once: labelled points in one file, a tracker and a motion for each."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import sixpoint as sp
from sixpoint.cli import main
from sixpoint.errors import InputError, UnknownName
from sixpoint.motion import Points, join_people, people_of
from sixpoint.motion.points import SIX

HEIGHTS = {"anna": 1.62, "ben": 1.85}


@pytest.fixture(scope="module")
def people() -> dict[str, sp.Motion]:
    """Two people of unlike height who do unlike things beside each other."""
    found = {}
    for (label, height), name in zip(HEIGHTS.items(), ("walk", "squat"), strict=True):
        clip = sp.builtin(name).frames(slice(0, 30))
        root = clip.root + np.array((2.0 * len(found), 0.0, 0.0))
        scale = height / clip.skeleton.anatomy.stature
        body = sp.Skeleton.humanoid(height)
        found[label] = sp.Motion(body, root * scale, clip.rotations, 60.0)
    return found


@pytest.fixture(scope="module")
def together(people) -> Points:
    return join_people({label: motion.points() for label, motion in people.items()})


def test_points_are_joined_and_parted(people, together):
    assert together.names[0] == "anna:pelvis"
    assert len(together.names) == 12
    parted = people_of(together)
    assert list(parted) == ["anna", "ben"]
    for label, motion in people.items():
        assert parted[label].names == SIX
        assert np.array_equal(parted[label].positions, motion.points().positions)


def test_one_person_is_nobody_else(people):
    points = people["anna"].points()
    assert people_of(points) == {"": points}
    labelled = join_people({"anna": points})
    assert people_of(labelled)["anna"] is labelled


def test_half_labelled_points_and_odd_labels_are_refused(people, together):
    names = ("pelvis", *together.names[1:])
    half = Points(names, together.positions, together.rate)
    with pytest.raises(InputError, match="all points to say whose they are"):
        people_of(half)
    points = people["anna"].points()
    with pytest.raises(InputError, match="Expected a label without"):
        join_people({"a:b": points})
    with pytest.raises(InputError, match="Expected 30 frames at 60 Hz of every person"):
        join_people({"anna": points, "ben": points.frames(slice(0, 3))})
    with pytest.raises(InputError, match="one person or more"):
        join_people({})


def test_each_has_a_tracker_of_their_own(people, together):
    bodies = {label: motion.skeleton for label, motion in people.items()}
    results = sp.reconstruct_people(together, bodies)
    for label, motion in people.items():
        alone = sp.reconstruct(motion.points(), motion.skeleton)
        assert np.array_equal(results[label].motion.rotations, alone.motion.rotations)
        assert np.array_equal(results[label].motion.root, alone.motion.root)
    with pytest.raises(UnknownName, match="No body of 'ben'"):
        sp.reconstruct_people(together, {"anna": bodies["anna"]})
    with pytest.raises(UnknownName, match="No person 'eva'"):
        sp.reconstruct_people(together, {**bodies, "eva": bodies["anna"]})


@pytest.mark.parametrize("ending", ["csv", "npz", "trc"])
def test_files_keep_the_people_apart(together, tmp_path, ending):
    path = tmp_path / f"two.{ending}"
    sp.save_points(together, path)
    again = sp.load_points(path)
    assert set(again.names) == set(together.names)
    placed = again.select(together.names).positions
    assert placed == pytest.approx(together.positions, abs=2e-6)


def test_names_of_other_makers_become_roles_of_each(people, together, tmp_path):
    given = {"l_wrist": "LeftWrist", "r_wrist": "RightWrist"}
    names = tuple(
        ":".join((label, given.get(role, role)))
        for label, _, role in (name.partition(":") for name in together.names)
    )
    sp.save_points(Points(names, together.positions, together.rate), tmp_path / "two.csv")
    assert set(sp.load_points(tmp_path / "two.csv").names) == set(together.names)


def test_marker_sets_of_several_people_are_recognised(together, tmp_path):
    """Vicon's names: the subject before each marker."""
    sets = {"head": ("LFHD", "RFHD", "LBHD", "RBHD"), "l_ankle": ("LANK",), "r_ankle": ("RANK",)}
    names, columns = [], []
    for k, name in enumerate(together.names):
        label, _, role = name.partition(":")
        for marker in sets.get(role, ()):
            names.append(f"{label}:{marker}")
            columns.append(together.positions[:, k])
    made = Points(tuple(names), np.stack(columns, axis=1), 60.0)
    sp.save_points(made, tmp_path / "two.trc")
    found = sp.load_points(tmp_path / "two.trc")
    assert set(found.names) == {f"{p}:{r}" for p in HEIGHTS for r in sets}
    heads = [found.positions[:, found.names.index(f"{p}:head"), 1] for p in HEIGHTS]
    truth = [together.positions[:, together.names.index(f"{p}:head"), 1] for p in HEIGHTS]
    for head, true in zip(heads, truth, strict=True):
        assert head == pytest.approx(true - 0.05, abs=1e-5)  # the band lies above the skull base


def test_the_command_writes_a_motion_for_each(people, together, tmp_path):
    sp.save_points(together, tmp_path / "two.npz")
    words = ["reconstruct", tmp_path / "two.npz", "-o", tmp_path / "out.bvh", "--json"]
    words += [w for label, h in HEIGHTS.items() for w in ("--person", f"{label}={h}")]
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert [entry["person"] for entry in report["files"]] == ["anna", "ben"]
    assert all(entry["target_mean_m"] < 0.01 for entry in report["files"])
    for label, motion in people.items():
        found = sp.load(tmp_path / f"out.{label}.bvh")
        assert len(found) == len(motion)
        assert found.skeleton.anatomy.stature == pytest.approx(HEIGHTS[label], abs=0.01)


def test_wrong_people_are_refused(together, tmp_path):
    sp.save_points(together, tmp_path / "two.npz")
    words = ["reconstruct", str(tmp_path / "two.npz"), "-o", str(tmp_path / "out.bvh")]
    nobody = CliRunner().invoke(main, [*words, "--person", "eva=1.7"])
    assert nobody.exit_code == 1
    assert "No person 'eva'" in nobody.output
    odd = CliRunner().invoke(main, [*words, "--person", "anna=tall"])
    assert odd.exit_code == 2
    assert "LABEL=METRES" in odd.output
    bodiless = CliRunner().invoke(main, [*words, "--person", "anna=1.62"])
    assert "No body was given" in bodiless.output
