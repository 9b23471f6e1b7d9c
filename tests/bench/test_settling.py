"""Whether bodies in balance come to rest, as the bench measures it."""

from __future__ import annotations

import pytest

from sixpoint.bench import settling


@pytest.fixture(scope="module")
def found():
    return settling.bench_settling(quick=True)


def test_bodies_come_to_rest_and_balance(found):
    assert {row["body"] for row in found["still"]} == {"simple", "legs"}
    assert max(row["motion_mm"] for row in found["still"]) < 1.0
    assert max(row["drift_mm"] for row in found["still"]) < 1.0


def test_heads_shake_less_than_goals(found):
    assert all(row["head_jitter_mm"] < row["input_jitter_mm"] for row in found["noisy"])


def test_levels_hold_whatever_is_asked(found):
    kept, loose = found["levels"]
    assert max(kept["feet_mm"], kept["balance_mm"]) < 0.5
    assert loose["balance_mm"] > 50.0  # who is not asked to balance does not


def test_everything_is_shown(found):
    assert len(list(settling.show(found))) == 3
