from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from sixpoint.cli import main

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.formats import load_points


def run(*args: object, code: int = 0):
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stage")
    run("stage", "-o", folder, "--frames", 24, "--json")
    return folder


def test_pictures_become_points_and_a_body(stage, tmp_path):
    out = tmp_path / "points.npz"
    report = json.loads(
        run("capture", stage / "left", stage / "right", "--calibration", stage / "cameras.json",
            "--marks", stage / "marks.json", "--debug", tmp_path / "debug", "-o", out, "--json",
            ).stdout
    )  # fmt: skip
    assert report["frames"] == 24
    assert report["rules_broken"] == {}
    assert min(report["seen"].values()) == 1.0
    assert (tmp_path / "debug" / "stages_00000.png").stat().st_size > 10_000
    points, truth = load_points(out), load_points(stage / "truth.npz")
    off = (
        points.select(["face", "l_hand", "r_hand"]).positions
        - truth.select(["face", "l_hand", "r_hand"]).positions
    )
    assert np.linalg.norm(off, axis=-1).mean() < 0.005
    solved = json.loads(
        run(
            "reconstruct",
            out,
            "--height",
            1.75,
            "-o",
            tmp_path / "a.bvh",
            "--json",
            "--solver",
            "sik",
        ).stdout
    )
    assert "the feet are kept where they stood" in " ".join(solved["warnings"])
    assert solved["limit_violations"] == 0
    from sixpoint.formats import load

    ankles = load(tmp_path / "a.bvh").points(["l_ankle", "r_ankle"]).positions
    assert np.ptp(ankles, axis=0).max() < 0.03


def test_keypoints_become_points(stage, tmp_path):
    from sixpoint.vision.calibration import load_cameras

    truth = load_points(stage / "truth.npz")
    names = ["l_wrist", "r_wrist", "l_elbow", "r_elbow"]
    paths = []
    for camera in load_cameras(stage / "cameras.json"):
        pixels = camera.project(truth.select(names).positions)
        rows = np.concatenate([pixels, np.ones((*pixels.shape[:2], 1))], axis=-1)
        paths.append(tmp_path / f"{camera.name}.json")
        paths[-1].write_text(json.dumps({"names": names, "rate": 30, "frames": rows.tolist()}))
    out = tmp_path / "points.csv"
    run("capture", *paths, "--calibration", stage / "cameras.json", "-o", out)
    np.testing.assert_allclose(
        load_points(out).select(names).positions, truth.select(names).positions, atol=1e-4
    )


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["left", "right", "-o", "a.txt"], 2, "end in .npz"),
        (["left", "-o", "a.npz"], 2, "two views or more, got 1"),
        (["left", "right", "-o", "a.npz"], 2, "Expected --calibration FILE"),
        (["left", "right", "--calibration", "no.json", "-o", "a.npz"], 1, "no.json: Cannot be"),
        (["left", "right", "left", "--calibration", "cameras.json", "-o", "a.npz"], 2,
         "as many views as cameras"),
        (["left", "right", "--calibration", "cameras.json", "-o", "a.npz", "--cameras",
          "left,middle"], 2, "No camera 'middle'"),
        (["left", "right", "--calibration", "cameras.json", "-o", "a.npz", "--cameras", "left"], 2,
         "as many views as cameras (left), got 2"),
        (["0", "1", "--calibration", "cameras.json", "-o", "a.npz", "--frames", "2"], 1,
         "0: Cannot be opened"),
        (["left", "nothing", "--calibration", "cameras.json", "-o", "a.npz"], 1,
         "nothing: Expected a folder of pictures"),
        (["left", "right", "--calibration", "cameras.json", "-o", "a.npz", "--key", "green"], 2,
         "expected R,G,B or auto"),
        (["left", "right", "--calibration", "cameras.json", "-o", "a.npz", "--height", "1.8",
          "--marks", "marks.json"], 2, "not both"),
    ],
)  # fmt: skip
def test_a_wrong_call_says_what_is_wrong(stage, monkeypatch, args, code, message):
    monkeypatch.chdir(stage)
    result = run("capture", *args, code=code)
    assert message in result.stderr


def test_a_wall_of_another_colour_is_named_and_gives_nothing(stage, tmp_path):
    report = json.loads(
        run("capture", stage / "left", stage / "right", "--calibration", stage / "cameras.json",
            "--key", "200,30,30", "-o", tmp_path / "p.npz", "--json").stdout
    )  # fmt: skip
    assert report["rules_broken"] == {"KEY_BACKGROUND": 24}
    assert "not of the key colour" in report["warnings"][0]
    assert not load_points(tmp_path / "p.npz").seen.any()
    auto = json.loads(
        run("capture", stage / "left", stage / "right", "--calibration", stage / "cameras.json",
            "--key", "auto", "--feedback", "none", "-o", tmp_path / "p.npz", "--json").stdout
    )  # fmt: skip
    assert auto["seen"]["head"] == 1.0


def test_views_are_those_of_the_cameras_that_they_are_named_after(stage, tmp_path):
    points = []
    for order in (("left", "right"), ("right", "left")):
        out = tmp_path / f"{order[0]}.npz"
        run("capture", *(stage / side for side in order), "--calibration", stage / "cameras.json",
            "--feedback", "none", "-o", out)  # fmt: skip
        points.append(load_points(out).positions)
    np.testing.assert_allclose(points[0], points[1], atol=1e-9)


def test_one_view_twice_gives_nothing_and_says_so(stage, tmp_path):
    said = run("capture", stage / "left", stage / "left", "--calibration", stage / "cameras.json",
               "-o", tmp_path / "p.npz").stderr  # fmt: skip
    assert "both cameras show the same picture" in said
    assert not load_points(tmp_path / "p.npz").seen.any()


def test_two_running_cameras_become_points(stage, tmp_path, monkeypatch):
    import cv2

    from devices import Bench
    from sixpoint.vision.images import open_footage, read_together

    pairs = list(read_together([open_footage(str(stage / side)) for side in ("left", "right")]))
    # The first picture of each only says how large they are.
    bench = Bench(lambda frame, number: pairs[max(frame - 1, 0)][number])
    monkeypatch.setattr(cv2, "VideoCapture", bench.open)
    call = ("capture", 0, 1, "--calibration", stage / "cameras.json", "--feedback", "none", "--key",
            "auto", "--rate", 30, "-o", tmp_path / "live.npz")  # fmt: skip
    assert "Expected --frames N with cameras" in run(*call, code=2).stderr
    bench.opened.update({0: 0, 1: 0})
    run(*call, "--frames", 10)
    assert not any(bench.opened.values())
    run("capture", stage / "left", stage / "right", "--calibration", stage / "cameras.json",
        "--feedback", "none", "--key", "auto", "-o", tmp_path / "files.npz")  # fmt: skip
    live, files = (load_points(tmp_path / f"{name}.npz") for name in ("live", "files"))
    np.testing.assert_allclose(live.positions, files.positions[:10], atol=1e-9)


@pytest.mark.parametrize("views", [("cam01", "cam02"), ("cam03", "cam04")])
def test_two_of_four_real_cameras_load_and_are_refused_by_the_rules(shared_data, tmp_path, views):
    """Loads with its calibration, two of four cameras; there is no wall of one colour behind it."""
    folder = shared_data / "other" / "video_multicam"
    report = json.loads(
        run("capture", *(folder / f"{view}.mp4" for view in views), "--calibration",
            folder / "Calib.qca.txt", "--frames", 2, "-o", tmp_path / "p.npz", "--json").stdout
    )  # fmt: skip
    assert report["rules_broken"] == {"KEY_BACKGROUND": 2}
    cut = [text for text in report["warnings"] if "1080 x 1920, calibrated were 1088" in text]
    assert len(cut) == (2 if views[0] == "cam01" else 0)


def test_a_capture_in_which_nobody_was_seen_reconstructs_to_a_warning(tmp_path):
    from sixpoint.formats import save_points
    from sixpoint.motion.points import Points
    from sixpoint.vision.capture import UPPER

    nobody = Points(UPPER, np.full((5, len(UPPER), 3), np.nan), 30.0)
    save_points(nobody, tmp_path / "n.npz")
    for solver in ("sik", "analytic-upper", "pik-balance"):
        call = ("reconstruct", tmp_path / "n.npz", "--height", 1.75, "--solver", solver,
                "-o", tmp_path / "n.bvh")  # fmt: skip
        report = json.loads(run(*call, "--json").stdout)
        assert report["target_mean_m"] is None
        assert report["target_max_m"] is None
        assert "no point was seen in any frame" in report["warnings"][0]
        assert "none was seen" in run(*call).stdout
