"""The error that the guided solver expects of its answers."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.data.clips import builtin
from sixpoint.motion.points import SIX
from sixpoint.solvers import solver
from sixpoint.solvers.guided.prediction import (
    BOUND_COUNTS,
    BOUND_FACTORS,
    error_bound,
)

HANDS = ("head", "l_wrist", "r_wrist")


def solved(clip, names=SIX, gap=slice(0)):
    points = clip.points(names)
    positions = points.positions.copy()
    positions[gap] = np.nan
    tracker = solver("guided").prepare(clip.skeleton, rate=clip.rate, names=names)
    return tracker.solve_clip(type(points)(names, positions, points.rate))


def test_each_joint_has_its_error_and_all_have_the_average():
    clip = builtin("reach").frames(slice(0, None, 4))
    result = solved(clip)
    extras = dict(result.extras)
    average = extras.pop("expected_error")
    names = [key.removeprefix("expected_error_") for key in extras]
    assert (
        {*SIX, "l_elbow", "r_knee", "chest"} <= set(names) <= set(clip.skeleton.anatomy.landmarks)
    )
    np.testing.assert_allclose(average, np.mean(list(extras.values()), axis=0))
    for k, name in enumerate(SIX):  # what is seen is as far off as it is
        np.testing.assert_allclose(extras[f"expected_error_{name}"], result.residuals[:, k])
    assert (extras["expected_error_l_elbow"] > 0.003).all()


def test_confidence_falls_with_the_expected_error():
    clip = builtin("boxing").frames(slice(0, None, 8))
    results = [solved(clip), solved(clip, HANDS)]
    expected, confidence = (
        np.concatenate(values)
        for values in zip(*((r.extras["expected_error"], r.confidence) for r in results),
                          strict=True)
    )  # fmt: skip
    order = np.argsort(expected)
    assert (np.diff(confidence[order]) <= 1e-12).all()
    assert results[0].confidence.mean() > 0.6 > 0.5 > results[1].confidence.mean()
    assert ((confidence > 0.0) & (confidence < 1.0)).all()


def test_where_nothing_is_seen_nothing_is_expected_and_nothing_trusted():
    result = solved(builtin("walk").frames(slice(0, 20)), gap=slice(5, 9))
    blind = np.arange(20)[5:9]
    assert np.isnan(result.extras["expected_error"][blind]).all()
    np.testing.assert_array_equal(result.confidence[blind], 0.0)
    assert np.isfinite(np.delete(result.extras["expected_error"], blind)).all()


def test_a_frame_says_what_a_clip_says():
    clip = builtin("walk").frames(slice(0, 6))
    whole, tracker = solved(clip), solver("guided").prepare(clip.skeleton, rate=clip.rate)
    for k, frame in enumerate(clip.points().positions):
        extras = tracker.solve(frame).extras
        assert extras["expected_error_r_elbow"] == whole.extras["expected_error_r_elbow"][k]


def test_more_points_mean_less_to_be_expected():
    found = [error_bound(count) for count in range(23)]
    assert (np.diff(found) <= 0.0).all()
    for count, factor in zip(BOUND_COUNTS, BOUND_FACTORS, strict=True):
        assert error_bound(int(count)) == pytest.approx(factor)


@pytest.mark.data
def test_most_frames_of_people_it_has_not_seen_are_within_it(shared_data):
    from sixpoint.formats.clip_folders import read_subjects
    from sixpoint.motion.metrics import compare

    ((_, clips),) = read_subjects(shared_data / "cmu-train" / "subject_135.npz")[0].items()
    for names in (SIX, HANDS):
        true, expected = [], []
        for clip in clips:
            result = solved(clip, names)
            height = clip.skeleton.anatomy.height
            true.append(height * compare(result.motion, clip).position_per_frame)
            expected.append(result.extras["expected_error"])
        happened, said = np.concatenate(true), np.concatenate(expected)
        # Seven of eight of many people, fewer or more of a single one.
        assert 0.6 < (happened <= said).mean() < 0.98
        assert np.corrcoef(happened, said)[0, 1] > 0.2  # within one person, too
