from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.limits import Limits, RoleLimits


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    path = tmp_path_factory.mktemp("clips") / "boxing.bvh"
    sp.save(sp.builtin("boxing").frames(slice(0, 150)), path)
    return path


def test_clips_become_limits_and_limits_a_solve(run, clip, tmp_path):
    out = tmp_path / "limits.json"
    report = json.loads(run("limits", clip, "-o", out, "--json").stdout)
    data = json.loads(out.read_text())
    assert data["version"] == 2
    assert data["joints"]["l_elbow"]["type"] == report["types"]["l_elbow"] == "hinge"
    assert data["provenance"]["clips"][0]["name"] == "boxing.bvh"
    assert {"confidence", "bind_feasible", "axis"} <= report["joints"]["l_elbow"].keys()
    solved = run("reconstruct", clip, "-o", tmp_path / "out.bvh", "--limits", out, "--json")
    assert json.loads(solved.stdout)["limit_violations"] == 0


def test_all_frames_can_be_taken(run, clip, tmp_path):
    out = tmp_path / "limits.json"
    report = json.loads(run("limits", clip, "-o", out, "--rate", "all", "--json").stdout)
    assert report["samples"] == len(sp.load(clip))
    assert json.loads(out.read_text())["provenance"]["samples_per_second"] == "all frames"
    wrong = run("limits", clip, "-o", tmp_path / "no.json", "--rate", "1e9", status=1)
    assert "boxing.bvh: expected a `rate` that gives at most" in wrong.stderr
    assert not (tmp_path / "no.json").exists()


def test_an_edited_file_is_used(run, clip, tmp_path):
    out = tmp_path / "limits.json"
    run("limits", clip, "-o", out)
    data = json.loads(out.read_text())
    data["joints"]["l_elbow"]["high"] += 5.0
    out.write_text(json.dumps(data))
    edited = Limits.load(out)["l_elbow"]
    assert np.degrees(edited.high) == pytest.approx(data["joints"]["l_elbow"]["high"])
    data["joints"]["l_elbow"]["low"] = 400.0
    out.write_text(json.dumps(data))
    wrong = run("reconstruct", clip, "-o", tmp_path / "out.bvh", "--limits", out, status=1)
    assert "Joint 'l_elbow': Expected low <= high" in wrong.stderr
    data["joints"] = {"nose": data["joints"]["l_wrist"]}
    out.write_text(json.dumps(data))
    wrong = run("reconstruct", clip, "-o", tmp_path / "out.bvh", "--limits", out, status=1)
    assert f"No joint to limit, as {out} does: 'nose'" in " ".join(wrong.stderr.split())
    assert not (tmp_path / "out.bvh").exists()


def test_the_table_and_the_exports(run, clip, tmp_path):
    args = ("--csv", tmp_path / "l.csv", "--urdf", tmp_path / "l.urdf", "--family", "xyz")
    shown = run("limits", clip, "-o", tmp_path / "l.json", *args)
    assert "l_shoulder" in shown.stdout
    assert "confidence" in shown.stdout
    rows = list(csv.DictReader(io.StringIO((tmp_path / "l.csv").read_text())))
    assert sum(row["joint"] == "l_elbow" for row in rows) == 1
    limits = Limits.load(tmp_path / "l.json")
    balls = [row for row in rows if row["type"] == "ball"]
    assert len(balls) % 3 == 0
    first = balls[0]
    low, high = np.degrees(limits[first["joint"]].intervals[0])
    assert (float(first["low_deg"]), float(first["high_deg"])) == pytest.approx(
        (low, high), abs=1e-5
    )
    robot = ET.parse(tmp_path / "l.urdf").getroot()
    links = {link.get("name") for link in robot.iter("link")}
    joints = list(robot.iter("joint"))
    children = [joint.find("child").get("link") for joint in joints]
    assert len(children) == len(set(children)) == len(links) - 1
    assert {joint.find("parent").get("link") for joint in joints} <= links
    elbow = next(joint for joint in joints if joint.get("name") == "l_elbow")
    assert elbow.get("type") == "revolute"
    for limit in robot.iter("limit"):  # in the turn in which the middle is nearest to zero
        assert abs(float(limit.get("lower")) + float(limit.get("upper"))) <= 2.0 * np.pi + 1e-6
    for row in rows:
        assert abs(float(row["low_deg"]) + float(row["high_deg"])) <= 360.0 + 1e-4
    assert float(elbow.find("limit").get("upper")) == pytest.approx(
        limits["l_elbow"].high, abs=1e-6
    )


def test_pictures(run, clip, tmp_path):
    report = json.loads(
        run(
            "limits", clip, "-o", tmp_path / "l.json", "--pictures", tmp_path / "p", "--json"
        ).stdout
    )
    assert [path.rsplit("/", 1)[-1] for path in report["pictures"]] == [
        "reach.png", "types.png", "cloud.png", "unwrapping.png", "boundary.png", "motions.png",
    ]  # fmt: skip
    for path in report["pictures"]:
        with open(path, "rb") as file:
            assert file.read(4) == b"\x89PNG"


@pytest.mark.parametrize("wrong", ["a_file", "a_file/p", "/proc/nope"])
def test_pictures_that_cannot_be_written_leave_nothing(run, clip, tmp_path, wrong):
    (tmp_path / "a_file").write_text("mine")
    args = ("-o", tmp_path / "l.json", "--pictures", tmp_path / wrong)
    assert "cannot be written" in run("limits", clip, *args, status=1).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a_file"]
    assert (tmp_path / "a_file").read_text() == "mine"


def test_limits_that_cannot_be_written_leave_no_pictures(run, clip, tmp_path):
    args = ("-o", tmp_path / "no" / "l.json", "--pictures", tmp_path / "p")
    assert "cannot be written" in run("limits", clip, *args, status=1).stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--margin", "-3"), "Expected `margin` from 0 to 180 degrees, got -3"),
        (("--share", "2"), "Expected `share` between 0 and 1"),
        (("--repair", "best"), "Expected a repair midpoint, circular_mean or frame:NUMBER"),
        (("--quantile", "0"), "Expected `quantile` above 0"),
        (("--rate", "0"), "Expected a positive `rate`"),
        (("--rate", "every"), "Expected a positive `rate` in Hz, or all; got 'every'"),
        (("--family", "cone"), "'cone' is not one of"),
    ],
)
def test_wrong_calls(run, clip, tmp_path, args, message):
    assert message in run("limits", clip, "-o", tmp_path / "l.json", *args, status=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_few_keys_warn(run, clip, tmp_path):
    motion = sp.load(clip)
    sp.save(motion.frames([0, len(motion) // 3]), tmp_path / "keys.bvh")
    said = run("limits", tmp_path / "keys.bvh", "-o", tmp_path / "l.json")
    assert "keys.bvh has 2 key frames" in said.stdout + said.stderr
    assert (tmp_path / "l.json").exists()


def test_wrong_clips_leave_nothing(run, clip, tmp_path):
    out = tmp_path / "out" / "l.json"
    out.parent.mkdir()
    motion = sp.load(clip)
    cases = {
        "one": (motion.frames(slice(0, 1)), "no joint moves"),
        "still": (
            replace(motion, rotations=np.tile(motion.rotations[:1], (len(motion), 1, 1))),
            "no joint moves",
        ),
    }
    for name, (wrong, message) in cases.items():
        path = tmp_path / f"{name}.bvh"
        sp.save(wrong, path)
        assert message in run("limits", path, "-o", out, status=1).stderr
    names = list(motion.skeleton.names)
    names[names.index("l_wrist")] = "l_hand"
    other = tmp_path / "other.bvh"
    sp.save(replace(motion, skeleton=replace(motion.skeleton, names=tuple(names))), other)
    wrong = run("limits", clip, other, "-o", out, status=1).stderr
    assert "other.bvh: expected the joints of the clips before, got a rig without l_wrist" in wrong
    lost = run("limits", clip, "-o", out, "--csv", out.parent / "no" / "l.csv", status=1).stderr
    assert "cannot be written" in lost
    assert (
        "Expected the output to end in .json" in run("limits", clip, "-o", "a.bvh", status=2).stderr
    )
    assert "found none" in run("limits", out.parent, "-o", out, status=1).stderr
    assert "Cannot be read" in run("limits", tmp_path / "no.bvh", "-o", out, status=1).stderr
    assert list(out.parent.iterdir()) == []


def test_the_envelope_of_people_fits_any_rig(tmp_path, run, report):
    folder = tmp_path / "people"
    folder.mkdir()
    for k, name in enumerate(("squat", "walk", "reach", "boxing")):
        sp.save(sp.builtin(name).frames(slice(0, 60)), folder / f"{k}_{name}.bvh")
    words = ("limits", folder, "--by-role", "-o", tmp_path / "roles.json")
    found = report(*words, "--leave-out", "3", "--people", 2)
    assert found["people"] == 3
    assert found["left_out"] == ["3"]
    assert found["margin"] == 5.0
    assert "l_knee" in found["roles"]
    loaded = RoleLimits.load(tmp_path / "roles.json")
    assert loaded.provenance["names"] == ["0", "1", "2"]
    assert "by role" in run(*words).stdout
    assert "person to leave out" in run(*words, "--leave-out", "9", status=1).stderr
    assert "5 people or more" in run(*words, "--people", 5, status=1).stderr
    assert "one folder" in run("limits", folder, folder, "--by-role", "-o", "x.json",
                               status=2).stderr  # fmt: skip
