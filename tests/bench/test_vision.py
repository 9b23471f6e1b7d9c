"""`bench vision`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from sixpoint.cli import main

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.bench import balance, capturing, self_contact


def test_the_bench_has_its_keys(monkeypatch, tmp_path):
    whole = capturing.scene
    for room in (balance, self_contact, capturing):
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
    assert found["com_drift_mm_one_step"] < 1.0
    assert found["length_error_percent"] < 1.0
    assert found["observer"]["with"]["wrist_error_mm"] < 5.0
    assert found["observer"]["without"]["wrist_error_mm"] > 20.0
    assert found["penetration_mm"]["pik, Apart"] <= found["penetration_mm"]["pik"]
    shown = found["table_2"]["analytic-upper"]["left"]
    assert shown["rms"] == pytest.approx(np.hypot(shown["mean"], shown["std"]))  # A3.1
