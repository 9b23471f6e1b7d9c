from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.data.authoring import RATE, Footstep, Take, curve
from sixpoint.errors import UnknownName

TIMES = np.linspace(0.0, 4.0, 401)
KEYS = st.dictionaries(
    st.integers(0, 40).map(lambda k: k / 10.0), st.floats(-100.0, 100.0), min_size=1, max_size=8
)


def test_layers_add_up() -> None:
    take = Take(1.0)
    take.add("trunk.flexion", 5.0)
    take.add("trunk.flexion", {0.0: 0.0, 0.5: 10.0})
    take.add("trunk.flexion", take.times)
    assert take.values["trunk.flexion"][0] == 5.0
    assert take.values["trunk.flexion"][30] == pytest.approx(15.5)


def test_a_star_means_both_sides() -> None:
    take = Take(0.5)
    take.add("*_elbow.flexion", 30.0)
    assert (take.values["l_elbow.flexion"] == 30.0).all()
    assert (take.values["r_elbow.flexion"] == 30.0).all()


def test_an_unknown_channel_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"No channel 'trunk\.flex'\. Nearest: trunk\.flexion"):
        Take(0.5).add("trunk.flex", 1.0)


def test_a_step_leaves_and_arrives_on_time_and_touches_nothing_else() -> None:
    take = Take(2.0)
    take.stand("l", 0.1, 0.125, 0.0)
    take.stand("r", -0.1, 0.125, 0.0)
    take.step("r", Footstep(0.6, 1.0, (-0.1, 0.4, -20.0), strike=15.0))
    motion = take.motion()
    at = motion.skeleton.index
    left, ball, heel = np.moveaxis(
        motion.positions([at("l_ankle"), at("r_metatarsal"), at("r_calcaneous_post")]), 1, 0
    )
    start, end = int(0.6 * RATE), int(1.0 * RATE)
    assert np.ptp(left, axis=0) == pytest.approx(0.0, abs=1e-9)
    assert np.ptp(ball[: start + 1], axis=0) == pytest.approx(0.0, abs=1e-9)
    assert np.ptp(heel[end:], axis=0) == pytest.approx(0.0, abs=1e-9)
    assert ball[-1] == pytest.approx([-0.1, ball[0, 1], 0.4], abs=1e-9)
    assert ball[start:end, 1].max() > 0.04


def test_one_key_is_a_constant() -> None:
    assert np.array_equal(curve(TIMES, {1.0: 3.0}), np.full(401, 3.0))


def test_from_rest_to_rest_is_the_minimum_jerk_movement() -> None:
    u = TIMES / 4.0
    moved = curve(TIMES, {0.0: 0.0, 4.0: 1.0})
    assert moved == pytest.approx(10.0 * u**3 - 15.0 * u**4 + 6.0 * u**5, abs=1e-12)


def test_whole_numbers_are_keys_too() -> None:
    assert curve(np.array([0.5]), {0: 0, 1: 1})[0] == pytest.approx(0.5)


def test_a_hold_is_exactly_constant() -> None:
    held = curve(TIMES, {0.0: 0.3, 1.0: 0.7, 2.0: 0.7, 3.0: 0.1})
    assert np.all(held[(TIMES >= 1.0) & (TIMES <= 2.0)] == 0.7)
    assert np.ptp(held[TIMES >= 3.0]) == 0.0
    assert held[-1] == pytest.approx(0.1, abs=1e-15)


def test_a_steady_run_keeps_its_pace() -> None:
    run = curve(TIMES, {float(k): float(k) for k in range(5)})
    pace = np.gradient(run, TIMES)[150:250]
    assert pace.min() > 0.7
    assert pace.max() < 1.3


@given(KEYS)
def test_passes_through_its_keys_without_overshoot(keys: dict[float, float]) -> None:
    at = np.array(sorted(keys))
    values = np.array([keys[t] for t in at])
    assert curve(at, keys) == pytest.approx(values, abs=1e-9)
    inside = curve(TIMES, keys)
    span = np.ptp(values)
    assert inside.max() <= values.max() + 0.02 * span + 1e-9
    assert inside.min() >= values.min() - 0.02 * span - 1e-9


@given(KEYS)
def test_velocity_and_acceleration_are_continuous(keys: dict[float, float]) -> None:
    h = 1e-4
    for t in keys:
        before, at, after = curve(np.array([t - h, t, t + h]), keys)
        scale = 1.0 + max(abs(v) for v in keys.values())
        # Second difference over h^2 is the acceleration, zero at every key.
        assert abs(after - 2.0 * at + before) / h**2 < 5.0 * scale * (h / 0.1**3) * 60.0
