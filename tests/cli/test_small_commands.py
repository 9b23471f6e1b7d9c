from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sixpoint.data.clips import builtin
from sixpoint.formats import load, load_points, save, save_points
from sixpoint.solvers import SOLVERS


def test_info_shows_what_a_motion_holds(clip, clip_path, run, report):
    text = run("info", clip_path).stdout
    for word in ("34 joints", "30 at", "stature", "pelvis="):
        assert word in text
    found = report("info", clip_path)
    assert found["frames"] == 30
    assert found["holds"] == "motion"
    assert found["roles"]["head"] == clip.skeleton.node_names[clip.skeleton.anatomy.node("head")]


def test_info_shows_what_points_hold(clip, tmp_path, run):
    save_points(clip.points(), tmp_path / "p.csv")
    text = run("info", tmp_path / "p.csv").stdout
    assert "6 points" in text
    assert "1 m, y up, right-handed" in text
    assert "noise [mm]" in text


def test_info_says_what_is_wrong(tmp_path, run):
    (tmp_path / "x.bvh").write_text("not a file of motion")
    said = run("info", tmp_path / "x.bvh", status=1).stderr
    assert "x.bvh" in said
    assert "sixpoint:" in said
    assert ".bvh" in run("info", tmp_path / "x.xyz", status=1).stderr


def test_compare_of_a_motion_with_itself_is_zero(clip_path, tmp_path, run, report):
    found = report("compare", clip_path, clip_path)
    assert found["position_rms"] == 0.0
    assert found["orientation_mean"] == pytest.approx(0.0, abs=1e-7)
    text = run("compare", clip_path, clip_path).stdout
    for word in ("position", "orientation", "l_elbow", "swivel", "position [mm]"):
        assert word in text


def test_compare_measures_the_second_against_the_first(clip, clip_path, tmp_path, report):
    save(clip.frames(slice(0, 20)), tmp_path / "short.bvh")
    run_twice = [report("compare", clip_path, clip_path) for _ in range(2)]
    assert run_twice[0] == run_twice[1]


def test_compare_refuses_motions_that_do_not_match(clip, clip_path, tmp_path, run):
    save(clip.frames(slice(0, 20)), tmp_path / "short.bvh")
    assert "20" in run("compare", clip_path, tmp_path / "short.bvh", status=1).stderr


def test_convert_between_formats_and_rates(clip, clip_path, tmp_path, run, report):
    found = report("convert", clip_path, tmp_path / "a.npz")
    assert found["frames"] == 30
    assert len(load(tmp_path / "a.npz")) == 30
    found = report("convert", clip_path, tmp_path / "b.bvh", "--rate", clip.rate / 2.0)
    assert found["rate"] == pytest.approx(clip.rate / 2.0)
    assert len(load(tmp_path / "b.bvh")) == found["frames"] == 15
    assert "wrote" in run("convert", clip_path, tmp_path / "c.bvh").stderr


def test_convert_takes_the_unit_of_its_input(clip_path, tmp_path, run):
    run("convert", clip_path, tmp_path / "a.npz", "--unit", 0.5)
    run("convert", clip_path, tmp_path / "b.npz", "--unit", "m")
    heights = [load(tmp_path / name).skeleton.anatomy.stature for name in ("a.npz", "b.npz")]
    assert heights[0] == pytest.approx(heights[1] / 2.0)


def test_convert_points(clip, tmp_path, run):
    save_points(clip.points(), tmp_path / "p.csv")
    run("convert", tmp_path / "p.csv", tmp_path / "p.npz")
    assert load_points(tmp_path / "p.npz").names == clip.points().names
    assert "points keep" in run(
        "convert", tmp_path / "p.csv", tmp_path / "q.npz", "--rate", 10, status=2
    ).stderr  # fmt: skip
    run("convert", tmp_path / "p.csv", tmp_path / "q.bvh", status=2)


@pytest.mark.parametrize("rate", ["0", "-1", "nan"])
def test_convert_refuses_odd_rates(rate, clip_path, tmp_path, run):
    said = run("convert", clip_path, tmp_path / "a.npz", "--rate", rate, status=2).stderr
    assert "a rate above 0" in said


def test_render_draws_one_or_several(clip_path, tmp_path, run, report):
    pytest.importorskip("matplotlib")
    found = report("render", clip_path, clip_path, "-o", tmp_path / "a.png", "--poses", 2)
    assert [m["frames"] for m in found["motions"]] == [30, 30]
    assert (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    run("render", clip_path, "-o", tmp_path / "a.gif", "--fps", 5, "--no-points", "--yaw", 90)
    assert (tmp_path / "a.gif").read_bytes()[:3] == b"GIF"


def test_render_shows_another_manner_beside_the_motion(clip_path, tmp_path, run, report):
    found = report("render", clip_path, "-o", tmp_path / "a.png", "--poses", 2,
                   "--express", "amplitude=1.3,power=0.5", "--express", "speed=2")  # fmt: skip
    assert found["expressed"] == ["amplitude=1.3,power=0.5", "speed=2"]
    done = run("render", clip_path, "-o", tmp_path / "b.png", "--express", "mood=1", status=2)
    assert "amplitude, acceleration, swivel, tension, recruit; got 'mood=1'" in done.output


def test_render_makes_a_page(clip_path, tmp_path, run):
    pytest.importorskip("viser")
    assert "wrote" in run("render", clip_path, "-o", tmp_path / "a.html").stderr
    assert "<title>clip</title>" in (tmp_path / "a.html").read_text()


def test_render_refuses_other_kinds_of_output(clip_path, run):
    assert ".png, .gif, .mp4, .html" in run("render", clip_path, "-o", "a.svg", status=2).stderr


def test_solvers_come_from_their_table(run, report):
    text = run("solvers").stdout
    found = report("solvers")["solvers"]
    assert list(found) == list(SOLVERS)
    for name, kind in SOLVERS.items():
        assert kind.title in text
        assert found[name]["capabilities"]["humans"] == kind.capabilities.humans
        for setting, value in found[name]["settings"].items():
            assert setting in text
            assert not (isinstance(value, float) and math.isnan(value))


def test_bench_speed_writes_what_it_prints(tmp_path, report, clip_path):
    import json

    found = report("bench", "speed", "--quick", "--data", tmp_path, "-o", tmp_path / "out")
    assert json.loads((tmp_path / "out" / "speed.json").read_text()) == found
    assert found["bench"] == "speed"
    assert [row["collisions"] for row in found["results"]] == [False, True]


def test_bench_shows_a_table_and_refuses_an_empty_folder(tmp_path, run, clip_path):
    text = run("bench", "speed", "--quick", "--data", tmp_path).stdout
    assert "stream median us" in text
    assert "frames per s" in text
    (tmp_path / "none").mkdir()
    said = run("bench", "speed", "--data", tmp_path / "none", status=1).stderr
    assert "found none" in said


def test_info_says_unit_axes_noise_and_mistakes_of_points(tmp_path, run, report):
    points = builtin("reach").frames(slice(0, 300)).points()
    noise = 0.004 * np.random.default_rng(0).normal(size=points.positions.shape)
    order = [0, 1, 3, 2, 4, 5]
    file = 1000.0 * (points.positions[:, order] + noise)[..., [2, 0, 1]]
    save_points(replace(points, positions=file), tmp_path / "p.csv")
    found = report("info", tmp_path / "p.csv")
    assert (found["unit"], found["up"], found["hand"]) == (0.001, "z", "right")
    assert found["noise"]["head"] == pytest.approx(0.004, rel=0.3)
    assert found["height"] == pytest.approx(1.75, abs=0.15)
    assert any("left and right wrist were exchanged" in text for text in found["problems"])
    text = run("info", tmp_path / "p.csv").stdout
    for word in ("points", "0.001 m, z up, right-handed", "noise [mm]", "stature"):
        assert word in text
    given = report("info", tmp_path / "p.csv", "--unit", "mm", "--up", "z")
    assert not any("guessed" in text for text in given["notes"])
