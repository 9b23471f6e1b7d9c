"""The vision part of `bench vision`."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.bench import capturing
from sixpoint.bench.capturing import jitter, lag, measured_body, meetings

TIME = np.arange(150) / 30.0
MOVED = np.stack([np.sin(2.0 * TIME), np.cos(3.0 * TIME), 0.2 * TIME], axis=-1)[:, None]


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


def test_every_scene_in_which_hands_meet_is_counted(monkeypatch):
    whole = capturing.scene
    monkeypatch.setattr(capturing, "scene", lambda *who: whole(*who).frames(slice(0, 36)))
    found = meetings(quick=True)
    assert [row["scene"] for row in found["meetings"]] == list(capturing.MEETINGS)
    assert found["label_swaps"] == 0
    assert all(row["wrongly_sure"] == 0 for row in found["meetings"])
