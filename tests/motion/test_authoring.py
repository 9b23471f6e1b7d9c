from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import UnknownName
from sixpoint.motion.authoring import RATE, Take


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
    take.step("r", 0.6, 1.0, (-0.1, 0.4, -20.0), strike=15.0)
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
