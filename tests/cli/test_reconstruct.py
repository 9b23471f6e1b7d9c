from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from sixpoint.api import REPORT_KEYS
from sixpoint.data.clips import builtin
from sixpoint.formats import load, save, save_points
from sixpoint.limits import adult_limits, recorded_limits
from sixpoint.limits.by_role import recorded
from sixpoint.priors.model import CERTAIN, always_plausible, builtin_prior


def test_a_motion_becomes_a_motion_with_the_same_shape(clip, clip_path, tmp_path, run):
    out = tmp_path / "out.bvh"
    text = run("reconstruct", clip_path, "-o", out)
    assert "position error" in text.stdout
    made = load(out)
    assert made.skeleton.names == clip.skeleton.names
    assert len(made) == len(clip)
    assert made.rate == pytest.approx(clip.rate)
    before, after = clip_path.read_text(), out.read_text()
    assert before.split("MOTION")[0] == after.split("MOTION")[0]


def test_the_report_has_exactly_the_promised_keys(clip, clip_path, tmp_path, report):
    found = report("reconstruct", clip_path, "-o", tmp_path / "out.npz")
    assert tuple(found) == REPORT_KEYS
    assert found["solver"] == "guided"
    assert found["frames"] == len(clip)
    assert found["joints"] == clip.skeleton.joint_count
    assert 0.0 <= found["position_mean"] <= found["position_rms"] < 0.2
    assert found["limit_violations"] == 0
    assert found["median_us"] > 0.0


def test_tracked_points_need_a_body(clip, clip_path, tmp_path, run, report):
    points = tmp_path / "points.csv"
    save_points(clip.points(), points)
    out = tmp_path / "out.bvh"
    said = run("reconstruct", points, "-o", out, status=2).stderr
    assert "by `skeleton`, a file, or `height` in metres" in " ".join(said.split())
    run("reconstruct", points, "-o", out, "--height", 1.75, "--skeleton", clip_path, status=2)
    assert not out.exists()
    found = report("reconstruct", points, "-o", out, "--height", 1.75)
    assert found["position_rms"] is None
    assert load(out).skeleton.joint_count == 34
    found = report("reconstruct", points, "-o", out, "--skeleton", clip_path)
    assert found["target_mean_m"] < 0.05
    assert "x>0.0" in run("reconstruct", points, "-o", out, "--height", -3, status=2).stderr


def test_points_may_have_another_unit(clip, tmp_path, report, run):
    points = clip.points()
    wrong = type(points)(points.names, 1000.0 * points.positions, points.rate)
    save_points(wrong, tmp_path / "mm.csv")
    asked = ("reconstruct", tmp_path / "mm.csv", "-o", tmp_path / "o.bvh", "--height", 1.75)
    assert any("unit" in text for text in report(*asked)["warnings"])
    found = report(*asked, "--unit", "mm")
    assert found["target_mean_m"] < 0.05
    assert not any("unit" in text for text in found["warnings"])
    assert report(*asked, "--unit", "mm", "--frame-rate", 30)["rate"] == 30.0


def test_a_missing_folder_is_noticed_before_the_work(clip_path, tmp_path, run):
    said = run("reconstruct", clip_path, "-o", tmp_path / "none" / "o.bvh", status=1).stderr
    assert "does not exist" in said
    assert "compil" not in said


def test_points_that_were_not_seen_are_reported(clip, tmp_path, report):
    positions = np.array(clip.points().positions)
    positions[3:6, 2] = np.nan
    points = type(clip.points())(clip.points().names, positions, clip.rate)
    save_points(points, tmp_path / "p.npz")
    found = report("reconstruct", tmp_path / "p.npz", "-o", tmp_path / "o.bvh", "--height", 1.75)
    assert any("'l_wrist' was not seen in 3 of" in text for text in found["warnings"])


def test_trackers_that_were_mixed_up_are_refused(clip, tmp_path, run, report):
    points = clip.points()
    order = [0, 1, 3, 2, 4, 5]
    wrong = type(points)(points.names, points.positions[:, order], points.rate)
    save_points(wrong, tmp_path / "p.npz")
    save_points(points, tmp_path / "right.npz")
    words = ("-o", tmp_path / "o.bvh", "--height", 1.75)
    said = run("reconstruct", tmp_path / "p.npz", *words, status=1).stderr
    assert "The points look as if left and right wrist were exchanged" in said
    assert not (tmp_path / "o.bvh").exists()
    *average, said = report("reconstruct", tmp_path / "p.npz", *words, "--names", "given")[
        "warnings"
    ]
    assert said.startswith("the points look as if left and right wrist were exchanged")
    assert report("reconstruct", tmp_path / "right.npz", *words)["warnings"] == average
    nobody = np.random.default_rng(1).uniform(-1.0, 1.0, points.positions.shape)
    save_points(type(points)(points.names, nobody, points.rate), tmp_path / "p.npz")
    said = run("reconstruct", tmp_path / "p.npz", *words, status=1).stderr
    assert "two people in one file" in said


def test_points_are_judged_by_the_critic_of_ones_own_prior(clip, tmp_path, report):
    prior = builtin_prior()
    never = (*always_plausible()[:-2], np.full(1, -CERTAIN), always_plausible()[-1])
    replace(prior, critic=never).save(tmp_path / "never.npz")
    save_points(clip.points(), tmp_path / "p.npz")
    words = ("reconstruct", tmp_path / "p.npz", "-o", tmp_path / "o.bvh", "--height", 1.75)
    (average,) = report(*words, "--solver", "guided")["warnings"]
    assert "an average body of 1.75 m is used" in average
    _, said = report(*words, "--prior", tmp_path / "never.npz")["warnings"]
    assert "these points look wrong" in said


def test_head_and_hands_are_given_a_body_by_guided(clip, tmp_path, report):
    points = clip.points().select(("head", "l_wrist", "r_wrist"))
    save_points(points, tmp_path / "p.csv")
    words = ("reconstruct", tmp_path / "p.csv", "-o", tmp_path / "o.bvh", "--height", 1.75)
    led = ("--solver", "dls", "--set", "start=guided")
    for solver in (("--solver", "guided"), led):
        assert report(*words, *solver)["target_max_m"] < 0.005
    save_points(clip.points().select(("pelvis", *points.names)), tmp_path / "q.csv")
    hung = report("reconstruct", tmp_path / "q.csv", *words[2:], "--solver", "guided")
    assert hung["target_max_m"] < 0.005
    assert not any("feet" in text for text in hung["warnings"])
    plain = report(*words, "--solver", "sik")["warnings"]
    assert any("feet are kept where they stood" in text for text in plain)


def test_settings_change_the_result(clip_path, tmp_path, report):
    plain = report("reconstruct", clip_path, "-o", tmp_path / "a.bvh")
    turned = report("reconstruct", clip_path, "-o", tmp_path / "a.bvh", "--weights", 0, 1, 0)
    freely = report("reconstruct", clip_path, "-o", tmp_path / "a.bvh", "--no-limits",
                    "--set", "bend=sagittal", "--collisions")  # fmt: skip
    numbers = {round(found["position_rms"], 9) for found in (plain, turned, freely)}
    assert len(numbers) > 1


def test_feet_that_a_solver_cannot_keep_are_told_of(clip, tmp_path, report):
    points = clip.points(("pelvis", "head", "l_wrist", "r_wrist"))
    positions = points.positions.copy()
    positions[5:, :2, 1] += 0.15  # a leap, for all that is known
    save_points(type(points)(points.names, positions, points.rate), tmp_path / "p.npz")
    for solver, told in (("sik", True), ("pik-balance", False)):
        found = report("reconstruct", tmp_path / "p.npz", "-o", tmp_path / "o.bvh",
                       "--height", 1.75, "--solver", solver)  # fmt: skip
        said = " ".join(found["warnings"])
        assert "the feet are kept where they stood" in said
        assert ("leaves them by up to" in said) == told


def test_elbows_are_cleared_after_any_solver(clip_path, tmp_path, report):
    for solver in ("sik", "analytic-upper"):
        found = report("reconstruct", clip_path, "-o", tmp_path / "a.bvh", "--solver", solver,
                       "--clear-elbows")  # fmt: skip
        (note,) = (text for text in found["warnings"] if "elbows swivelled" in text)
        after, before = re.findall(r"([0-9.]+) mm", note)
        assert float(after) <= float(before)
        assert (tmp_path / "a.bvh").exists()


def test_limits_from_a_file_are_those_of_the_file(clip, clip_path, tmp_path, report):
    adult_limits(clip.skeleton).save(tmp_path / "limits.json")
    default = report("reconstruct", clip_path, "-o", tmp_path / "a.bvh")
    given = report("reconstruct", clip_path, "-o", tmp_path / "a.bvh",
                   "--limits", tmp_path / "limits.json")  # fmt: skip
    assert given["position_rms"] == pytest.approx(default["position_rms"], abs=1e-6)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--solver", "nonsense"], 2, "No solver 'nonsense'"),
        (["--limits", "x.json", "--no-limits"], 2, "not both"),
        (["--limits", "no-such-limits.json"], 1, "no-such-limits.json"),
        (["--role", "l_wrist=Nothing"], 1, "Nothing"),
        (["--height", "1.8"], 2, "`height` is for points"),
        (["--skeleton", "other.bvh"], 2, "leave out `skeleton`"),
        (["--jobs", "0"], 2, "--jobs"),
        (["--solver", "sik", "--set", "collisions=2"], 2, "true or false"),
        (["--solver", "mass-spring", "--set", "masses=LeftArm:-2"], 2, "> 0, got -2"),
        (["--solver", "mass-spring", "--set", "masses=heavy"], 2, "joints with numbers"),
        (["--unit", "parsec"], 2, "No unit 'parsec'"),
    ],
)
def test_wrong_calls_and_failures(words, status, said, clip_path, tmp_path, run):
    result = run("reconstruct", clip_path, "-o", tmp_path / "o.bvh", *words, status=status)
    assert said in result.stderr
    assert (tmp_path / "o.bvh").exists() == (status == 0)


def test_an_output_is_untouched_when_the_input_is_bad(tmp_path, run):
    bad, out = tmp_path / "bad.bvh", tmp_path / "out.bvh"
    bad.write_bytes(b"\x00\xff binary")
    out.write_text("precious")
    said = run("reconstruct", bad, "-o", out, status=1).stderr
    assert "bad.bvh" in said
    assert out.read_text() == "precious"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("out", "status"), [("out.fbx", 2), ("clip.bvh", 2), ("nowhere/out.bvh", 1), ("", 2)]
)
def test_outputs_that_cannot_be_are_refused(out, status, clip_path, tmp_path, run):
    before = clip_path.read_bytes()
    run("reconstruct", clip_path, "-o", tmp_path / out if out else "", status=status)
    assert clip_path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["clip.bvh"]


def test_a_motion_without_frames_is_refused(clip, tmp_path, run):
    save(clip.frames(slice(0, 0)), tmp_path / "empty.npz")
    said = run("reconstruct", tmp_path / "empty.npz", "-o", tmp_path / "o.npz", status=1).stderr
    assert "empty.npz: there are no frames" in said
    assert not (tmp_path / "o.npz").exists()


def test_points_of_files_are_cleaned_and_what_was_done_is_said(tmp_path, run, report):
    clip = builtin("walk").frames(slice(0, 200))
    points = clip.points()
    noise = 0.003 * np.random.default_rng(0).normal(size=points.positions.shape)
    file = 100.0 * (points.positions + noise)[..., [2, 0, 1]]
    file[50, 3] += 300.0
    save_points(replace(points, positions=file), tmp_path / "p.csv")
    save(clip, tmp_path / "body.bvh")
    words = ("reconstruct", tmp_path / "p.csv", "--skeleton", tmp_path / "body.bvh",
             "-o", tmp_path / "o.bvh", "--solver", "guided")  # fmt: skip
    said = report(*words)["warnings"]
    for word in ("unit cm", "Z points up", "r_wrist 1 frames", "noise of 2."):
        assert any(word in text for text in said), (word, said)
    smooth, raw = (load(tmp_path / "o.bvh"), report(*words, "--smooth", "off", "--keep-outliers"))
    assert not any("noise of" in text for text in raw["warnings"])
    trembling = load(tmp_path / "o.bvh")

    def jitter(motion):
        return np.abs(np.diff(motion.positions(), n=2, axis=0)).mean()

    assert jitter(smooth) < 0.4 * jitter(trembling)
    assert any("6 Hz" in text for text in report(*words, "--smooth", "6")["warnings"])
    said = run(*words, "--smooth", "much", status=2).stderr
    assert "auto, off or a frequency" in said
    wrong = report(*words, "--unit", "m", "--up", "y", "--names", "given", "--keep-outliers",
                   "--hand", "right")  # fmt: skip
    assert not any("guessed" in text for text in wrong["warnings"])


def test_trackers_without_names_are_named(tmp_path, run, report):
    clip = builtin("walk").frames(slice(0, 100))
    names = tuple(f"tracker {k}" for k in range(6))
    order = [4, 2, 0, 5, 1, 3]
    points = type(clip.points())(names, clip.points().positions[:, order], clip.rate)
    save_points(points, tmp_path / "p.npz")
    words = ("reconstruct", tmp_path / "p.npz", "--height", 1.75, "-o", tmp_path / "o.bvh")
    said = report(*words, "--names", "auto")["warnings"]
    assert any("tracker 0 is l_ankle" in text and "tracker 5 is r_wrist" in text for text in said)
    run(*words, status=1)


@pytest.mark.parametrize("limits", ["recorded", "FILE"])
def test_limits_of_recorded_people_are_kept(clip, clip_path, tmp_path, report, limits):
    kept = recorded_limits(clip.skeleton)
    if limits == "FILE":
        recorded().save(tmp_path / "limits.json")
        limits = tmp_path / "limits.json"
    found = report("reconstruct", clip_path, "-o", tmp_path / "o.bvh", "--limits", limits)
    assert found["limit_violations"] == 0
    assert kept.violations(load(tmp_path / "o.bvh")).max() < 1e-3
