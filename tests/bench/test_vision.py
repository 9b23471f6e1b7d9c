"""`bench vision`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from sixpoint.cli import main

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import sixpoint as sp
from sixpoint.bench import balance, hands, vision
from sixpoint.bench.hands import bent_wrists
from sixpoint.bench.vision import (
    draw_jitter,
    draw_meetings,
    jitter,
    lag,
    measured_body,
    scenes_played,
)

TIME = np.arange(150) / 30.0
MOVED = np.stack([np.sin(2.0 * TIME), np.cos(3.0 * TIME), 0.2 * TIME], axis=-1)[:, None]
PNG = b"\x89PNG"


def test_the_bench_has_its_keys(monkeypatch, tmp_path):
    whole = vision.scene
    for room in (balance, hands, vision):
        monkeypatch.setattr(room, "scene", lambda *who: whole(*who).frames(slice(0, 50)))
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
    assert found["label_swaps"] == max(row["swaps"] for row in found["meetings"]) == 0
    for name in ("jitter.png", "meetings.png"):
        assert (tmp_path / name).stat().st_size > 5_000
    wrists = found["wrist_capture_error_mm"]
    assert max(wrists["outlines"], wrists["outlines, fed back"]) < min(20.0, wrists["fed back"])
    assert found["com_drift_mm_one_step"] < 1.0
    assert found["length_error_percent"] < 1.0
    assert found["observer"]["with"]["wrist_error_mm"] < 5.0
    assert found["observer"]["without"]["wrist_error_mm"] > 20.0
    assert found["penetration_mm"]["pik, Apart"] <= found["penetration_mm"]["pik"]
    shown = found["table_2"]["analytic-upper"]["left"]
    assert shown["rms"] == pytest.approx(np.hypot(shown["mean"], shown["std"]))


def delayed(frames: float) -> np.ndarray:
    at = np.maximum(np.arange(150) - frames, 0.0) / 30.0
    return np.stack([np.sin(2.0 * at), np.cos(3.0 * at), 0.2 * at], axis=-1)[:, None]


@pytest.mark.parametrize("frames", [0.0, 0.5, 2.25, 6.0])
def test_lag_is_measured_in_parts_of_a_frame(frames):
    assert lag(delayed(frames), MOVED) == pytest.approx(frames, abs=0.13)


def test_jitter_is_what_shakes_and_not_what_moves():
    rng = np.random.default_rng(1)
    noise = rng.normal(0.0, 0.002, MOVED.shape)
    still = jitter(MOVED + 0.05, MOVED, 0.0)
    assert still < 1e-9
    # The second difference of white noise is wider by the root of 1 + 4 + 1.
    wide = pytest.approx(0.002 * np.sqrt(6.0), rel=0.2)
    assert jitter(MOVED + noise, MOVED, 0.0) == wide
    assert jitter(delayed(2.5) + noise, MOVED, 2.5) == wide


def test_marks_that_are_off_cost_percents_and_several_cost_less():
    found = measured_body(draws=20)
    by_marks = found["length_error_percent_by_marks"]
    assert found["length_error_percent"] < 1e-6
    assert by_marks["0.5 px"] < by_marks["1 px"] < by_marks["2 px"]
    assert by_marks["1 px, 5 times"] < by_marks["1 px"]


def test_every_scene_is_counted(monkeypatch):
    whole = vision.scene
    monkeypatch.setattr(vision, "scene", lambda *who: whole(*who).frames(slice(0, 36)))
    found = scenes_played(quick=True)
    assert [row["scene"] for row in found["meetings"]] == list(vision.MEETINGS)
    assert found["label_swaps"] == 0
    assert all(row["wrongly_sure"] == 0 for row in found["meetings"])
    assert list(found["wrist_error_mm_by_scene"]) == list(vision.SCENES)
    for errors in found["wrist_error_mm_by_scene"].values():
        assert max(errors.values()) < 20.0


def test_wrists_are_bent_towards_the_palm_and_stay_where_they_are():
    clip = sp.builtin("squat")
    assert np.allclose(bent_wrists(clip, 0.0).rotations, clip.rotations)
    bent = bent_wrists(clip, 40.0)
    names = [f"{side}_{part}" for side in "lr" for part in ("elbow", "wrist")]
    before, after = (motion.points(names).positions for motion in (clip, bent))
    np.testing.assert_allclose(after, before, atol=1e-12)
    tips = [clip.skeleton.node_names.index(f"{side}_middle_distal_tip") for side in "lr"]
    wrists = [clip.skeleton.anatomy.node(f"{side}_wrist") for side in "lr"]
    straight, turned = (m.world()[0][0][tips] - m.world()[0][0][wrists] for m in (clip, bent))
    assert straight[0, 0] - turned[0, 0] > 0.02  # the left hand goes to the right, to the thigh
    assert turned[1, 0] - straight[1, 0] > 0.02


def test_charts_are_pictures(tmp_path):
    rows = [
        {"acceleration": a, "damping": d, "jitter_mm": a * d, "lag_ms": 10.0 / a}
        for a in (1.0, 4.0)
        for d in (0.1, 0.3)
    ]
    draw_jitter(rows, tmp_path / "one.png")
    draw_jitter(rows[:2], tmp_path / "two.png")
    met = {"scene": "rest", "height_m": 1.75, "distance_m": 2.0, "noise": 8.0, "worst_mm": 9.0,
           "hands_seen": 0.5}  # fmt: skip
    draw_meetings([met, met | {"scene": "clap", "noise": 0.0}], tmp_path / "three.png")
    made = [(tmp_path / f"{name}.png").read_bytes() for name in ("one", "two", "three")]
    assert all(data.startswith(PNG) for data in made)
    assert len(set(made)) == 3
