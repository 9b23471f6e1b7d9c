from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import InputError
from sixpoint.studio.panels import Panel, check_panels, common_view, shoot


def test_frames_are_chosen_by_time_and_the_last_is_held(squat):
    panel = Panel(squat)
    assert panel.frame_at(0.0) == 0
    assert panel.frame_at(2.0 / squat.rate) == 2
    assert panel.frame_at(1e6) == len(squat) - 1


def test_the_anchor_is_on_the_ground_below_the_body(squat):
    shot = shoot(Panel(squat), squat.times)
    assert np.ptp(shot.anchor[:, 1]) == 0.0
    assert abs(shot.anchor[0, 1]) < 0.05
    assert np.abs(shot.anchor[:, ::2] - squat.root[:, ::2]).max() < 0.5


def test_all_panels_share_one_scale(squat, snake):
    shots = [shoot(Panel(motion), np.zeros(1)) for motion in (squat, snake)]
    _, (half, low, high) = common_view(shots, None)
    for shot in shots:
        one = common_view([shot], None)[1]
        assert half >= one[0] - 0.5
        assert low <= one[1] + 0.5
        assert high >= one[2] - 0.5


def test_nothing_to_draw_is_refused(squat):
    with pytest.raises(InputError, match="at least one motion"):
        check_panels([])
    with pytest.raises(InputError, match="walk has no frames"):
        check_panels([Panel(squat.frames(slice(0, 0)), "walk")])
