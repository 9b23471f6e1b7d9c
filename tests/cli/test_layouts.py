"""Arrays of joints on the command line: from a file to a BVH, and mistakes that write nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sixpoint.formats import load, load_points
from sixpoint.subjects import LAYOUTS, layout_positions


@pytest.fixture
def coco(clip, tmp_path):
    """An array of the clip's joints in a file."""
    np.save(tmp_path / "coco.npy", layout_positions(clip, LAYOUTS["coco17"]))
    return tmp_path / "coco.npy"


def test_layouts_are_listed(run, report):
    text = run("layouts").stdout
    for name, layout in LAYOUTS.items():
        assert name in text
        assert report("layouts")["layouts"][name]["joints"] == list(layout.landmarks)
    assert report("layouts")["layouts"]["body25"]["programs"] == ["openpose"]


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_becomes_a_bvh(name, clip, tmp_path, run, report):
    np.save(tmp_path / "a.npy", 1000.0 * layout_positions(clip, LAYOUTS[name])[..., [2, 0, 1]])
    out = tmp_path / "out.bvh"
    found = report("reconstruct", tmp_path / "a.npy", "-o", out, "--layout", name, "--rate", 30)
    made = load(out)
    assert len(made) == len(clip)
    assert made.rate == pytest.approx(30.0)
    assert found["target_mean_m"] < 0.006  # collars and chest of SMPL sit elsewhere on our figure
    assert made.skeleton.anatomy.stature == pytest.approx(clip.skeleton.anatomy.stature, rel=0.03)
    said = " ".join(found["warnings"])
    assert "guessed: unit mm" in said
    assert "guessed: Z points up" in said
    assert "bone lengths that the points show" in said


def test_a_height_scales_what_is_not_seen(coco, tmp_path, run):
    run("reconstruct", coco, "-o", tmp_path / "a.bvh", "--layout", "coco17", "--rate", 30,
        "--height", 1.75)  # fmt: skip
    assert load(tmp_path / "a.bvh").skeleton.anatomy.stature == pytest.approx(1.75, rel=0.03)


def test_a_folder_of_arrays_and_a_folder_of_frames(clip, tmp_path, report):
    values = layout_positions(clip, LAYOUTS["body25"])
    (tmp_path / "arrays").mkdir()
    (tmp_path / "frames").mkdir()
    for name in ("a", "b"):
        np.save(tmp_path / "arrays" / f"{name}.npy", values)
    (tmp_path / "arrays" / "limits.txt").write_text("{}")
    for k, frame in enumerate(np.concatenate([values, np.ones((len(values), 25, 1))], axis=2)):
        people = {"people": [{"pose_keypoints_3d": frame.ravel().tolist()}]}
        (tmp_path / "frames" / f"{k:03d}_keypoints.json").write_text(json.dumps(people))
    words = ["--layout", "openpose", "--rate", 30]
    both = report("reconstruct", tmp_path / "arrays", "-o", tmp_path / "out", *words)
    assert [entry["error"] for entry in both["files"]] == [None, None]
    one = report("reconstruct", tmp_path / "frames", "-o", tmp_path / "one.bvh", *words)
    assert one["frames"] == len(clip)
    a, b = load(tmp_path / "out" / "a.bvh"), load(tmp_path / "one.bvh")
    np.testing.assert_allclose(a.rotations, b.rotations, atol=1e-4)


def test_info_names_the_layout_as_a_guess(coco, run, report):
    found = report("info", coco)
    assert found["layout"] == "coco17"
    assert any("guessed: layout coco17" in note for note in found["notes"])
    assert "l_elbow" in run("info", coco, "--layout", "coco17", "--rate", 30).stdout


def test_arrays_are_converted_to_points(coco, tmp_path, report):
    found = report("convert", coco, tmp_path / "a.csv", "--layout", "coco17", "--frame-rate", 30)
    assert found["rate"] == 30.0
    assert "l_knee" in load_points(tmp_path / "a.csv").names


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--layout", "mediapipe33", "--rate", "30"], 1, "got 17; layouts with 17: coco17, h36m17"),
        (["--layout", "h36m17", "--rate", "30"], 1, "read as coco17 they would"),
        (["--layout", "coco17"], 1, "frames a second"),
        (["--layout", "coco18", "--rate", "30"], 2, "No layout 'coco18'"),
    ],
)
def test_mistakes_write_nothing(words, status, message, coco, tmp_path, run):
    out = tmp_path / "out.bvh"
    said = run("reconstruct", coco, "-o", out, *words, status=status).stderr
    assert message in " ".join(said.split())
    assert not out.exists()


def test_markers_play_the_roles_that_are_said(clip, tmp_path, run, report):
    points = clip.points()
    names = ["P1", "P2", "HD", "WA", "WB", "RW", "LA", "RA"]
    columns = [0, 0, 1, 2, 2, 3, 4, 5]
    shift = np.zeros((len(names), 3))
    shift[[0, 3], 0], shift[[1, 4], 0] = 0.02, -0.02
    from sixpoint.formats import save_points
    from sixpoint.motion.points import Points

    marked = Points(names, points.positions[:, columns] + shift, points.rate)
    save_points(marked, tmp_path / "m.trc")
    out = tmp_path / "out.bvh"
    words = ["reconstruct", tmp_path / "m.trc", "-o", out, "--height", 1.75]
    said = run(*words, status=1).stderr
    assert "recognised nothing among P1, P2" in said
    assert "recognised nothing" in run(*words[:-2], status=1).stderr
    assert any("--role" in text for text in report("info", tmp_path / "m.trc")["problems"])
    assert not out.exists()
    roles = ["pelvis=P1,P2", "head=HD", "l_wrist=WA,WB", "r_wrist=RW", "l_ankle=LA", "r_ankle=RA"]
    given = [word for role in roles for word in ("--role", role)]
    found = report(*words, *given)
    assert found["target_mean_m"] < 0.01
    assert not any("not seen" in text for text in found["warnings"])
    read = load_points(tmp_path / "m.trc", roles=dict(role.split("=") for role in roles))
    np.testing.assert_allclose(read.select(["l_wrist"]).positions,
                               points.select(["l_wrist"]).positions, atol=1e-6)  # fmt: skip
    assert "No marker 'XX'" in run(*words, "--role", "head=XX", status=1).stderr


def test_compare_of_two_rigs_and_of_two_rooms(clip, clip_path, tmp_path, report):
    from dataclasses import replace

    from sixpoint.formats import save
    from sixpoint.kernels import arrays

    names = tuple(name.replace("vc4", "neck2") for name in clip.skeleton.names)
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), 0.8)
    rotations = clip.rotations.copy()
    rotations[:, 0] = arrays.multiply(turn, rotations[:, 0])
    other = replace(clip, skeleton=replace(clip.skeleton, names=names), rotations=rotations,
                    root=arrays.rotate(turn, clip.root) + np.array((1.0, 0.0, 2.0)))  # fmt: skip
    save(other, tmp_path / "other.bvh")
    plain = report("compare", clip_path, tmp_path / "other.bvh")
    found = report("compare", clip_path, tmp_path / "other.bvh", "--align")
    assert any("different rigs" in text for text in found["warnings"])
    assert found["aligned"]
    assert not plain["aligned"]
    assert found["position_rms"] < 1e-3 < plain["position_rms"]
    assert found["orientation_rms"] < 1e-3
