from __future__ import annotations

import math

import numpy as np
import pytest

from sixpoint.api import reconstruct
from sixpoint.bench.claims import CLAIMS
from sixpoint.bench.experiment import choose_solvers
from sixpoint.bench.published import AVERAGE, CLIPS, published
from sixpoint.bench.table1 import (
    ALSO_TIMED,
    QUICK_FRAMES,
    SELECTED,
    WEIGHTS,
    averages,
    bench_table1,
    settings_of,
)
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError, UnknownName
from sixpoint.motion.metrics import compare
from sixpoint.solvers import SOLVERS

from .conftest import Refusing


def test_every_solver_meets_every_clip(clips, rivals):
    rivals("ccd")
    told = []
    table = bench_table1(clips, progress=lambda *n: told.append(n))
    assert set(table.runs) == {(s, c) for s in ("sik", "ccd") for c in clips}
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert table.names == ["sik", "ccd"]
    assert set(table.originals) == set(clips)
    row = table.runs["sik", "squat"].row
    assert row["frames"] == len(clips["squat"])
    assert row["weights"] == list(WEIGHTS)
    assert row["time_ratio_to_sik"] == 1.0
    assert 0.0 < row["median_us"] <= row["p99_us"]
    assert row["target_mean_m"] <= row["target_p95_m"] <= row["target_max_m"]


def test_numbers_are_those_of_the_public_way(clips, rivals):
    rivals()
    run = bench_table1(clips).runs["sik", "boxing"]
    clip = clips["boxing"]
    result = reconstruct(clip.points(), clip.skeleton, "sik", weights=WEIGHTS)
    found = compare(result.motion, clip)
    for key in ("position_rms", "position_mean", "orientation_rms", "orientation_mean"):
        assert run.row[key] == getattr(found, key)
    for key in ("target_mean_m", "target_max_m", "limit_violations", "steps_over_30deg"):
        assert run.row[key] == getattr(result.report, key)
    assert np.array_equal(run.position, found.position_per_frame)
    assert np.array_equal(run.orientation, found.orientation_per_frame)
    assert run.missed == pytest.approx(result.residuals.max(axis=1))


def test_the_paper_s_clips_come_first_and_get_their_weights(paper_clips, clips, rivals):
    rivals()
    table = bench_table1({**clips, **paper_clips}, weights=(1.0, 2.0, 3.0))
    names = [clip.paper.name if clip.paper else clip.name for clip in table.clips]
    assert names == [*(clip.name for clip in CLIPS), *clips]
    assert [clip.weights for clip in table.clips] == [
        *(clip.weights for clip in CLIPS), (1.0, 2.0, 3.0), (1.0, 2.0, 3.0),
    ]  # fmt: skip
    row = table.runs["sik", table.clips[2].name].row
    assert row["weights"] == [0.1, 0.1, 1.0]
    assert len([note for note in table.notes if "the paper's clip has" in note]) == 3


def test_a_t_pose_in_front_is_left_out(rivals):
    rivals()
    kick = CLIPS[1]
    long = builtin("boxing").frames([k % 400 for k in range(kick.frames + 1)])
    table = bench_table1({"90_05": long})
    assert len(table.clips[0].motion) == kick.frames
    assert np.array_equal(table.clips[0].motion.root, long.root[1:])
    assert "first frame left out" in table.notes[0]
    assert table.clips[0].pose == kick.pose
    assert table.clips[0].picks[-1] == kick.pose
    assert len(table.clips[0].picks) == SELECTED + 1


def test_quick_looks_at_an_excerpt_around_the_paper_s_pose(rivals):
    rivals()
    motions = {"90_05": builtin("boxing").frames([k % 400 for k in range(CLIPS[1].frames)])}
    quick, full = (bench_table1(motions, quick=q) for q in (True, False))
    clip = quick.clips[0]
    assert len(clip.motion) == QUICK_FRAMES
    assert not clip.whole
    assert clip.first + clip.pose == CLIPS[1].pose
    rows = [table.runs["sik", "90_05"].row for table in (quick, full)]
    assert rows[0].keys() == rows[1].keys()
    assert rows[0]["first_frame"] == clip.first > 0
    assert full.clips[0].whole


def test_other_clips_are_shown_where_people_reach_far(clips):
    clip = bench_table1(clips, solvers=["sik"]).clips[1]
    at = clip.motion.points().positions
    reach = np.linalg.norm(at[:, 2:] - at[:, :1], axis=-1).sum(axis=-1)
    assert reach[clip.pose] == reach.max()


def test_averages_are_means_over_clips(clips, rivals):
    rivals("ccd")
    table = bench_table1(clips)
    mean = {row["solver"]: row for row in averages(table)}["ccd"]
    rows = [table.runs["ccd", name].row for name in clips]
    assert mean["position_rms"] == pytest.approx(np.mean([row["position_rms"] for row in rows]))
    times = [[table.runs[s, c].row["median_us"] for c in clips] for s in ("ccd", "sik")]
    assert mean["time_ratio_to_sik"] == pytest.approx(np.mean(times[0]) / np.mean(times[1]))
    assert set(mean) == set(rows[0]) - {"frames", "first_frame", "weights"}


def test_a_solver_that_refuses_a_clip_is_a_note(clips, rivals, monkeypatch):
    rivals()
    monkeypatch.setitem(SOLVERS, "kma", Refusing)
    told = []
    table = bench_table1(clips, progress=lambda *n: told.append(n))
    assert table.names == ["sik"]
    assert table.notes[0] == "kma could not do squat: not today"
    assert told[-1] == (4, 4)
    assert math.isnan(table.average("kma", "position_rms"))
    with pytest.raises(InputError, match="No solver could reconstruct any clip: kma could not"):
        bench_table1(clips, solvers=["kma"])


def test_without_sik_there_is_no_ratio(clips, rivals):
    rivals("ccd")
    table = bench_table1(clips, solvers=["ccd"])
    assert table.runs["ccd", "squat"].row["time_ratio_to_sik"] is None
    assert averages(table)[0]["time_ratio_to_sik"] is None


def test_collisions_are_off_and_settings_are_told(rivals):
    rivals("ccd")
    for each in choose_solvers(None, collisions=False):
        assert each.collisions is False
        assert "weights" not in settings_of(each)
        assert settings_of(each)["collisions"] is False


def test_wrong_choices_are_refused(clips):
    with pytest.raises(UnknownName, match="No solver of people 'sikk'"):
        bench_table1(clips, solvers=["sikk"])
    with pytest.raises(InputError, match="at least one clip with frames"):
        bench_table1({"empty": clips["squat"].frames(slice(0, 0))}, solvers=["sik"])


@pytest.fixture(scope="module")
def paper_table(shared_data):
    from sixpoint.formats import load

    paths = sorted((shared_data / "cmu" / "paper").glob("*.bvh"))
    solvers = ["sik", "kma", "ccd", "dls", "dls-svd", "pik"]
    return bench_table1({path.stem: load(path) for path in paths}, solvers=solvers)


@pytest.mark.data
def test_the_paper_s_clips_reproduce_its_sik(paper_table):
    assert paper_table.notes == []
    assert all(clip.whole and clip.paper for clip in paper_table.clips)
    assert paper_table.average("sik", "position_rms") == pytest.approx(0.0246, rel=0.1)
    assert paper_table.average("sik", "orientation_rms") == pytest.approx(0.2942, rel=0.1)


@pytest.mark.data
def test_the_paper_s_clips_reproduce_its_rivals(paper_table):
    for clip in paper_table.clips:
        for name in ("sik", "kma", "ccd"):
            found = paper_table.paper_runs[name, clip.name].row["position_rms"]
            assert found == pytest.approx(
                published("position_rms", clip.paper.name, name), rel=0.25
            )
        one, other = (paper_table.paper_runs[s, clip.name].row for s in ("dls", "dls-svd"))
        assert one["position_rms"] == pytest.approx(other["position_rms"], abs=0.0005)
        assert one["orientation_rms"] == pytest.approx(other["orientation_rms"], abs=0.0005)
    for key in ("position_rms", "orientation_rms"):
        theirs = published(key, AVERAGE, "pik")
        assert paper_table.average("pik", key, as_published=True) == pytest.approx(theirs, rel=0.05)
        assert paper_table.average("pik", key) < theirs


def test_pik_is_also_run_as_published(clips):
    table = bench_table1({"squat": clips["squat"]}, solvers=["pik"], quick=True)
    (run,) = table.as_published.values()
    assert run.row["solver"] == "pik"
    assert run.row["position_rms"] != table.runs["pik", "squat"].row["position_rms"]
    assert table.average("pik", "position_rms", as_published=True) == run.row["position_rms"]
    assert math.isnan(table.average("sik", "position_rms", as_published=True))


def test_times_of_sik_and_kma_come_with_what_explains_them(clips):
    table = bench_table1({"squat": clips["squat"]}, solvers=["sik", "kma"], quick=True)
    assert {label for label, _ in table.also_timed} == set(ALSO_TIMED)
    claim = next(claim for claim in CLAIMS if claim.id == "sik-fastest")
    found = claim.measure(table)
    assert set(ALSO_TIMED) <= set(found)
    precise = table.also_timed["kma, spine to a micrometre", "squat"].row
    assert precise["iterations_mean"] > 3.0 * table.runs["kma", "squat"].row["iterations_mean"]
