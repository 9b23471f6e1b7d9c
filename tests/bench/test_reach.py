"""Collision scenes, and the map of what a hand can reach."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import sixpoint as sp
from sixpoint.bench.reach import TAGS, map_reach, reach_scenes
from sixpoint.cli import main
from sixpoint.errors import InputError
from sixpoint.tasks import Box, Scene


def test_the_map_of_reach(tmp_path):
    body = sp.Skeleton.humanoid(1.75)
    scene = Scene((Box("shelf", (0.2, 1.4, 0.55), (0.8, 0.4, 0.2)),))
    found = map_reach(body, sp.solver("pik-balance"), scene, step=0.3)
    away = np.linalg.norm(found.places - found.shoulder, axis=1)
    assert {int(tag) for tag in found.tags} == {0, 1, 2}
    assert (found.tags[away > 0.83] == TAGS.index("unreachable")).mean() > 0.7
    assert (found.misses[found.tags != 1] < 0.01).all()
    for axis in range(3):  # planes through the shoulder, of which the picture is made
        near = found.places[found.slice(axis), axis]
        assert len(near) > 5
        np.testing.assert_allclose(near, found.shoulder[axis], atol=1e-9)
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


def test_a_reach_ahead_ends_in_a_box_behind():  # Fig. 14
    found, _ = reach_scenes()
    events = found.contacts.events()
    assert {event.part for event in events} <= {"pelvis", "belly", "l_thigh", "r_thigh"}
    assert events
    assert events[0].first > 10
    assert not found.contacts.highlight[0].any()
    assert found.contacts.highlight[-1].any()


def test_an_elbow_ends_in_a_box_beside():  # Figs. 15 and 16
    _, found = reach_scenes()
    parts = {event.part for event in found.contacts.events()}
    assert parts == {"l_upper_arm", "l_forearm"}  # and not the hand, which the user watches
    assert not found.contacts.highlight[0].any()
