"""`bench vision`, its stories and the map of reach."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import sixpoint as sp
from sixpoint.cli import main
from sixpoint.collision import Box, Scene
from sixpoint.errors import InputError

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.bench import vision
from sixpoint.bench.reach_map import TAGS, map_reach
from sixpoint.bench.stories import forward_reach, sideways_reach


def test_the_bench_has_its_keys(monkeypatch, tmp_path):
    whole = vision.scene
    monkeypatch.setattr(vision, "scene", lambda name: whole(name).frames(slice(0, 14)))
    result = CliRunner().invoke(main, ["bench", "vision", "--quick", "--json", "-o", str(tmp_path)])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert json.loads((tmp_path / "vision.json").read_text())["bench"] == "vision"
    for key in (
        "point_error_mm_clean",
        "point_error_mm_noisy",
        "label_swaps",
        "com_drift_mm_one_step",
        "wrist_error_mm_by_steps",
        "pairs_per_second",
        "pik_step_us",
    ):
        assert found[key] is not None
    assert set(found["wrist_error_mm_by_steps"]) == {"1", "5", "10", "20"}
    assert found["point_error_mm_clean"] < 5.0
    assert found["label_swaps"] == 0
    assert found["com_drift_mm_one_step"] < 1.0
    assert found["length_error_percent"] < 1.0
    assert found["observer"]["with"]["wrist_error_mm"] < 5.0
    assert found["observer"]["without"]["wrist_error_mm"] > 20.0
    assert found["far_reach"]["simple"]["pelvis_mm"] < 0.0
    shown = found["table_2"]["analytic-upper"]["left"]
    assert shown["rms"] == pytest.approx(np.hypot(shown["mean"], shown["std"]))


def test_a_reach_ahead_ends_in_a_box_behind():  # S3.45, Fig. 14
    story = forward_reach()
    events = story.contacts.events()
    assert {event.part for event in events} <= {"pelvis", "belly", "l_thigh", "r_thigh"}
    assert events
    assert events[0].first > 10
    assert not story.contacts.highlight[0].any()
    assert story.contacts.highlight[-1].any()


def test_an_elbow_ends_in_a_box_beside():  # S3.46, Figs. 15 and 16
    story = sideways_reach()
    parts = {event.part for event in story.contacts.events()}
    assert parts == {"l_upper_arm", "l_forearm"}  # and not the hand, which the user watches
    assert not story.contacts.highlight[0].any()


def test_the_map_of_reach(tmp_path):  # S3.47
    body = sp.Skeleton.humanoid(1.75)
    shoulder = body.rest()[0][body.node_names.index("l_shoulder")]
    scene = Scene((Box("shelf", (0.2, 1.4, 0.55), (0.8, 0.4, 0.2)),))
    found = map_reach(body, sp.solver("pik-balance"), scene, step=0.3)
    away = np.linalg.norm(found.places - shoulder, axis=1)
    assert {int(tag) for tag in found.tags} == {0, 1, 2}
    assert (found.tags[away > 0.83] == TAGS.index("unreachable")).mean() > 0.7
    assert (found.misses[found.tags != 1] < 0.01).all()
    free = map_reach(body, sp.solver("pik-balance"), step=0.3)
    assert free.count("colliding") < found.count("colliding")
    for name in ("map.csv", "map.ply", "map.png"):
        found.write(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    assert (tmp_path / "map.csv").read_text().count("\n") == len(found.places) + 1
    assert f"element vertex {len(found.places)}" in (tmp_path / "map.ply").read_text()
    for call, message in (
        (lambda: found.write(tmp_path / "map.txt"), r"end in \.csv, \.ply, \.png"),
        (lambda: map_reach(body, sp.solver("sik"), side="x"), "`side` to be l or r"),
        (lambda: map_reach(body, sp.solver("sik"), step=0.001), "`step` of 5 mm or more"),
        (lambda: map_reach(body, sp.solver("sik"), step=0.01), "take a larger step"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_the_command_reach(tmp_path):
    out = tmp_path / "map.csv"
    result = CliRunner().invoke(main, ["reach", "-o", str(out), "--step", "0.4", "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["places"] == sum(report[tag] for tag in TAGS)
    assert out.exists()
