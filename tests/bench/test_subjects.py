from __future__ import annotations

import numpy as np
import pytest

from sixpoint.bench.subjects import (
    CLAIMS,
    EXPERIMENT,
    bench_subjects,
    draw_mounts,
    recordings,
    stance_motion,
)
from sixpoint.data.clips import builtin
from sixpoint.errors import UnknownName
from sixpoint.kernels import arrays
from sixpoint.subjects.stance import WRIST_TOLERANCE, WRISTS


@pytest.mark.parametrize("mirrored", [True, False])
def test_mounts_are_as_far_as_people_wear_trackers(mirrored):
    away = [
        np.linalg.norm(draw_mounts(np.random.default_rng(k), mirrored=mirrored).offsets, axis=1)
        for k in range(50)
    ]
    assert np.min(away) > 0.0
    assert np.max(away) < 0.16
    assert np.mean(away) == pytest.approx(0.075, abs=0.01)


@pytest.mark.parametrize("stance", WRISTS)
def test_stances_stand_on_flat_feet_with_the_arms_as_they_are_recognised(stance):
    body = builtin("squat").skeleton
    held = stance_motion(body, stance, 0.05, np.random.default_rng(0))
    names = ("head", "l_wrist", "r_wrist", "l_ankle", "r_ankle")
    points = held.points(names, rotations=True)
    head, *wrists = points.positions[0, :3, 1]
    low = points.positions[0, 3:, 1].mean()
    apart = np.linalg.norm(points.positions[0, 1] - points.positions[0, 2])
    shares = np.array([np.mean(wrists) - low, apart]) / (head - low)
    assert shares == pytest.approx(WRISTS[stance], abs=0.5 * WRIST_TOLERANCE)
    soles = arrays.rotate(points.rotations[0, 3:], np.array([0.0, 1.0, 0.0]))
    assert soles[:, 1].min() > 0.9999


def test_recordings_join_the_clips_of_a_person():
    clip = builtin("squat")
    found = recordings({"7_a": clip, "7_b": clip, "8_c": clip}, 4.0)
    assert list(found) == ["7", "8"]
    assert {len(motion) for motion in found.values()} == {120}


def test_a_quick_run_has_all_keys():
    told = []
    found = bench_subjects(
        {"reach": builtin("reach")}, quick=True, progress=lambda *n: told.append(n)
    )
    assert told == [(1, 1)]
    assert {row["scenario"] for row in found["mounts"]} == set(CLAIMS)
    by = {(row["scenario"], row["worn"]): row for row in found["mounts"]}
    for worn in ("as people do", "in any direction"):
        assert by["stance, exact", worn]["error"] < 0.5 * by["as joints", worn]["error"]
    assert {row["points"] for row in found["lengths"]} >= {"dense joints", "six points"}
    assert len(list(EXPERIMENT.show(found))) == 3


def test_people_are_chosen_by_name():
    with pytest.raises(UnknownName, match="No person 'nobody'"):
        EXPERIMENT.inputs({"data": None, "people": "nobody", "draws": None})
    given, _ = EXPERIMENT.inputs({"data": None, "people": "squat", "draws": None})
    assert list(given["clips"]) == ["squat"]
