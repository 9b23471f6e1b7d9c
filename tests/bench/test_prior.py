"""What the prior gains: rows by clip and subject, people kept aside, stresses."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.bench.measures import ALL
from sixpoint.bench.prior import (
    FOLLOWER_KEYS,
    NO_MISTAKE,
    bench_others,
    bench_prior,
    noisy,
    other_solvers,
    with_gaps,
    with_limbs,
    with_paper_weights,
)
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.priors.plausibility import MISTAKES
from sixpoint.priors.point_sets import POINT_SETS
from sixpoint.solvers import solver

SHORT = {
    "01_squat": builtin("squat").frames(slice(0, 60, 3)),
    "01_walk": builtin("walk").frames(slice(0, 40, 4)),
    "02_reach": builtin("reach").frames(slice(0, 60, 3)),
}


@pytest.fixture(scope="module")
def found():
    calls = []
    result = bench_prior(
        SHORT,
        people={"7": [SHORT["02_reach"]], "9": [SHORT["01_walk"]]},
        quick=True,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls[-1][0] == calls[-1][1] == len(calls)
    return result


def test_rows_tell_clip_subject_and_every_joint(found):
    assert {row["clip"] for row in found["rows"]} == set(SHORT)
    assert {row["subject"] for row in found["rows"]} == {"1", "2"}
    for row in (*found["rows"], *found["averages"], *found["subjects"]):
        assert {"l_elbow", "r_knee", "pelvis", "spine"} <= set(row["roles"])
        assert row["limit_violations"] == 0


def test_a_subject_is_all_frames_of_its_clips(found):
    for name in ("sik", "guided"):
        mine = [r for r in found["rows"] if (r["subject"], r["solver"]) == ("1", name)]
        (pooled,) = (r for r in found["subjects"] if (r["subject"], r["solver"]) == ("1", name))
        square = sum(r["frames"] * r["position_rms"] ** 2 for r in mine) / 30
        assert pooled["frames"] == 30
        assert pooled["position_rms"] == pytest.approx(np.sqrt(square))
        assert pooled["largest_step_deg"] == max(r["largest_step_deg"] for r in mine)
        elbow = sum(r["frames"] * r["roles"]["l_elbow"]["position"] for r in mine) / 30
        assert pooled["roles"]["l_elbow"]["position"] == pytest.approx(elbow)
        (average,) = (r for r in found["averages"] if r["solver"] == name)
        every = [r["position_rms"] for r in found["rows"] if r["solver"] == name]
        assert average["position_rms"] == pytest.approx(np.mean(every))


def test_people_kept_aside_stand_alone_and_together(found):
    rows = [row for row in found["kept_aside"] if row["solver"] == "guided"]
    assert [row["subject"] for row in rows] == ["7", "9", ALL]
    assert [row["frames"] for row in rows] == [20, 10, 30]


def test_confidence_is_told_of_right_names_and_of_every_mistake(found):
    first, *rest = found["mistakes"]
    assert first["mistake"] == NO_MISTAKE
    assert first["confidence"] > 0.7
    assert first["named"] == len(SHORT)  # rightly nothing
    assert [row["mistake"] for row in rest] == [mistake.words for mistake in MISTAKES]
    for row in rest:
        assert row["confidence"] < first["confidence"]
        assert 0 <= row["named"] <= row["clips"] == len(SHORT)


def test_every_set_of_points_is_measured(found):
    rows = {row["points"]: row for row in found["point_sets"]}
    assert set(rows) == {*POINT_SETS, "17 joints"}
    assert rows["17 joints"]["position_rms"] < rows["six"]["position_rms"]
    assert rows["six"]["position_rms"] < rows["head and hands"]["position_rms"]
    assert rows["six"]["expected_error_m"] < rows["head and hands"]["expected_error_m"]
    for row in rows.values():
        assert 0.0 <= row["within"] <= 1.0


def test_nothing_to_measure_is_refused():
    with pytest.raises(InputError, match="Expected at least one clip, got none"):
        bench_prior({})


def test_points_are_made_worse_as_said():
    clip = builtin("walk")
    points, rng = clip.points(), np.random.default_rng(1)
    away = noisy(points, 0.01, rng).positions - points.positions
    assert away.std() == pytest.approx(0.01, rel=0.1)
    assert with_gaps(points, 0.0, rng) is points
    lost = np.isnan(with_gaps(points, 0.2, rng).positions[..., 0]).mean()
    assert 0.02 < lost < 0.5
    longer = with_limbs(clip.skeleton, 1.1)
    before, after = clip.skeleton.anatomy, longer.anatomy
    for a, b, factor in (("l_shoulder", "l_wrist", 1.1), ("pelvis", "head", 1.0)):
        lengths = [np.linalg.norm(x.vector(x.node(a), x.node(b))) for x in (before, after)]
        assert lengths[1] == pytest.approx(factor * lengths[0])


def test_others_are_measured_with_and_without():
    clips = {name: builtin(name).frames(slice(0, 60, 3)) for name in ("squat", "reach")}
    solvers = other_solvers(quick=True)
    steps = []
    found = bench_others(clips, solvers, lambda: steps.append(1))
    rows = found["rows"]
    assert len(steps) == len(rows) == len(clips) * len(solvers)
    assert {(row["solver"], row["variant"]) for row in rows} == set(solvers)
    assert all(set(FOLLOWER_KEYS) <= set(row) for row in rows)
    mean = {(row["solver"], row["variant"]): row for row in found["averages"]}
    # Sequential IK meets every point of these clips, and the guided solver any.
    for variant in ("start of sik", "start of guided"):
        assert mean["dls", variant]["iterations"] <= mean["dls", "published"]["iterations"]
    assert mean["pik", "both of guided"]["iterations"] < 1.5


def test_a_full_run_has_every_solver_that_can_follow():
    full = other_solvers()
    assert {name for name, _ in full} >= {"ccd", "fabrik", "sdls", "mass-spring", "monte-carlo"}
    assert full["monte-carlo", "start of guided"].prior == "guided"
    assert full["tgbsik", "published"] == solver("tgbsik")


def test_paper_clips_get_the_paper_weights():
    assert with_paper_weights(solver("pik"), "01_03_playground").weights == (0.1, 0.1, 1.0)
    assert with_paper_weights(solver("guided"), "01_03_playground") == solver("guided")
    assert with_paper_weights(solver("pik"), "walk") == solver("pik")
