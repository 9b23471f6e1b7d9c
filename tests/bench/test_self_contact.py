"""What each remedy leaves of a body in itself (X6)."""

from __future__ import annotations

import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from rigs import folded_arms, still_motion
from sixpoint.bench.self_contact import FIGURES, bench_self_contact, penetration


def test_every_remedy_leaves_less():
    found = bench_self_contact(quick=True)["penetration_mm"]
    assert found["sik, elbows cleared"] < found["sik"]
    for name in FIGURES:
        assert found[f"{name}, Apart"] < 0.1 * found[name]


def test_penetration_is_summed_over_all_pairs():
    motion = folded_arms()
    assert penetration(motion) > 10.0
    assert penetration(still_motion(motion.skeleton)) == 0.0
