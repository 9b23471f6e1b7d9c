from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.tracks import KalmanState


def test_golden_kalman():
    start = KalmanState(np.array([0.0, 0.3]), np.diag([1e-4, 1e-2]))
    ahead = start.predict(1.0 / 30.0, 1.0)
    np.testing.assert_allclose(ahead.state, [0.01, 0.3])
    after = ahead.update(np.array([0.02]), np.array([[1e-4]]))
    np.testing.assert_allclose(after.state, [0.015270, 0.316642], atol=1e-6)


def test_kalman_halves_the_jitter_of_a_still_hand():
    rng = np.random.default_rng(3)
    seen = rng.normal(0.0, 0.005, (200, 3))
    track = KalmanState.start(seen[0], 0.01, 1.0)
    out = []
    for place in seen[1:]:
        track = track.predict(1 / 30, 1.0).update(place, 0.005**2 * np.eye(3))
        out.append(track.position)
    jitter = np.diff(np.array(out)[50:], n=2, axis=0).std() / np.diff(seen[50:], 2, axis=0).std()
    assert jitter < 0.5
    assert track.mahalanobis(track.position + 1.0, 1e-6 * np.eye(3)) > 100.0


def test_what_is_slowed_stops_where_it_is():
    track = KalmanState(np.array([1.0, 0.6]), np.eye(2))
    for _ in range(30):
        track = track.slowed(1 / 30).predict(1 / 30, 0.0)
    assert track.state[1] < 0.01
    assert 1.0 < track.position[0] < 1.0 + 0.6 * 0.15
