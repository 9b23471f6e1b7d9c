"""Warm starts: another solver that goes first gives the initial pose, or the posture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from rigs import insert_above, odd_rig
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.errors import FormatError, InputError
from sixpoint.kernels import arrays
from sixpoint.motion.points import Points
from sixpoint.solvers import SOLVERS
from sixpoint.solvers.start import StartSettings

CLIP = builtin("boxing").frames(slice(0, 400, 8))
EASY = builtin("reach").frames(slice(0, 400, 8))
"""Sequential IK meets every point of it."""
FIRST = ("sik", "guided")
"""Solvers that can go first."""
FOLLOWERS = [name for name, kind in SOLVERS.items() if issubclass(kind, StartSettings)]


def started(name: str, first: str, **settings) -> sp.Solver:
    """A solver that starts at the pose of another one."""
    option = "prior" if name == "monte-carlo" else "start"
    return sp.solver(name, **{option: first}, **settings)


def turned_by(a, b) -> float:
    return float(arrays.angle_between(a.rotations, b.rotations).max())


def with_gaps(points: Points) -> Points:
    positions = points.positions.copy()
    positions[10:20, 2] = np.nan
    positions[25:30, 0] = np.nan
    positions[40:, 3:] = np.nan
    return replace(points, positions=positions)


def test_the_numeric_solvers_of_people_can_be_started():
    assert set(FOLLOWERS) >= {
        "ccd", "fabrik", "jacobian-transpose", "pseudoinverse", "dls", "dls-svd", "sdls", "pik",
    }  # fmt: skip
    for name in FOLLOWERS:
        assert SOLVERS[name]().start == "previous"
        assert SOLVERS[name]().first is None


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("name", ["ccd", "fabrik", "dls", "mass-spring"])
def test_a_pose_that_meets_the_points_stays(name, first):
    points = with_gaps(EASY.points())
    ahead = sp.reconstruct(points, EASY.skeleton, first)
    result = sp.reconstruct(points, EASY.skeleton, started(name, first))
    done = result.iterations == 0
    assert done.any()
    # The guided solver leaves a tenth of a millimetre, which followers share between points.
    near = 2e-4 if first == "guided" else 1e-9
    np.testing.assert_allclose(result.residuals[done], ahead.residuals[done], atol=near)
    for f in np.flatnonzero(done):
        assert turned_by(result.motion.frames([f]), ahead.motion.frames([f])) < 1e-7
    np.testing.assert_array_equal(result.missing, ahead.missing)


@pytest.mark.parametrize("make", [Skeleton.humanoid, odd_rig, lambda: insert_above(
    Skeleton.humanoid(), "HumanoidRoot", "ground")], ids=["plain", "odd", "above"])  # fmt: skip
def test_the_start_is_the_pose_of_the_first_on_any_rig(make):
    skeleton = make()
    points = CLIP.points()
    ahead = sp.reconstruct(points, skeleton, "guided")
    result = sp.reconstruct(points, skeleton, "dls", start="guided", tolerance=1.0)
    assert (result.iterations == 0).all()
    assert turned_by(result.motion, ahead.motion) < 1e-7
    np.testing.assert_allclose(result.motion.root, ahead.motion.root, atol=2e-4)


@pytest.mark.parametrize("name", [*FOLLOWERS, "monte-carlo"])
def test_a_start_of_guided_leaves_less_to_do(name):
    plain = sp.reconstruct(CLIP.points(), CLIP.skeleton, name)
    warm = sp.reconstruct(CLIP.points(), CLIP.skeleton, started(name, "guided"))
    assert warm.iterations.sum() < plain.iterations.sum()
    assert warm.report.limit_violations == 0


@pytest.mark.parametrize("first", FIRST)
def test_streamed_gaps_are_filled_like_those_of_a_clip(first):
    points = with_gaps(CLIP.points())
    tracker = sp.solver("pik", start=first, missing="predict").prepare(
        CLIP.skeleton, rate=points.rate
    )
    whole = tracker.solve_clip(points).motion
    for f, frame in enumerate(points.positions):
        np.testing.assert_array_equal(tracker.solve(frame).pose.rotations, whole.rotations[f])


def test_nothing_but_the_first_solver_remembers():
    tracker = sp.solver("dls", start="sik", weights=(1.0, 1.0, 0.0)).prepare(CLIP.skeleton)
    frames = CLIP.points().positions
    first = tracker.solve(frames[20]).pose
    tracker.solve(frames[0])
    tracker.reset()
    np.testing.assert_array_equal(tracker.solve(frames[20]).pose.rotations, first.rotations)


@pytest.mark.parametrize("rate", [30.0, 49.0])
def test_a_clip_of_another_rate_starts_at_its_own(rate):
    points = replace(with_gaps(CLIP.points()), rate=rate)
    chosen = sp.solver("dls", start="guided", missing="predict")
    other, same = (chosen.prepare(CLIP.skeleton, rate=r) for r in (120.0, rate))
    np.testing.assert_array_equal(
        other.solve_clip(points).motion.rotations, same.solve_clip(points).motion.rotations
    )


def test_pik_is_drawn_to_the_pose_of_the_first():
    points = CLIP.points()
    ahead = sp.reconstruct(points, CLIP.skeleton, "guided").motion

    def away(**settings) -> float:
        motion = sp.reconstruct(points, CLIP.skeleton, "pik", **settings).motion
        return float(arrays.angle_between(motion.rotations, ahead.rotations).mean())

    assert away(towards="guided") < 0.7 * away()
    assert away(towards="guided", start="guided") < 0.1 * away()


def test_the_first_solver_treats_points_as_its_follower():
    made = sp.solver("pik", start="sik", weights=(0.0, 0.0, 1.0), missing="predict", recovery=1.0)
    assert made.first == sp.solver("sik", weights=(0.0, 0.0, 1.0), missing="predict", recovery=1.0)
    made = sp.solver("pik", towards="guided", recovery=1.0)
    assert made.first == sp.solver("guided", recovery=1.0)


def test_settings_that_make_no_sense_are_refused(tmp_path):
    np.savez(tmp_path / "odd.npz", a=np.zeros(3))
    odd = str(tmp_path / "odd.npz")
    with pytest.raises(InputError, match="Expected `start` to be one of previous, sik, guided"):
        sp.solver("dls", start="kma")
    with pytest.raises(InputError, match="Expected `towards` to be one of stance, sik, guided"):
        sp.solver("pik", towards="previous")
    with pytest.raises(InputError, match="one solver to go first, got start='sik' and towards"):
        sp.solver("pik", start="sik", towards="guided")
    for settings in ({}, {"start": "sik"}):
        with pytest.raises(InputError, match=r"Expected `prior` only where solver 'dls' follows"):
            sp.solver("dls", prior=odd, **settings)
    with pytest.raises(InputError, match=r"as with prior_weight=1; got"):
        sp.solver("tgbsik", prior=odd)
    for made in (
        lambda: sp.solver("dls", start="guided", prior=odd),
        lambda: sp.solver("pik", towards="guided", prior=odd),
        lambda: sp.solver("tgbsik", prior_weight=1.0, prior=odd),
        lambda: sp.solver("monte-carlo", prior=odd),
    ):
        with pytest.raises(FormatError, match="Expected a sixpoint prior file"):
            made()
    with pytest.raises(InputError, match="Expected `prior` to be one of sik, constant, velocity"):
        sp.solver("monte-carlo", prior="kma")
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(InputError, match=r"Expected `prior_weight` in \[0, 1e\+06\], got"):
            sp.solver("tgbsik", prior_weight=bad)


def test_swivels_are_drawn_to_those_of_the_guided_solver():
    points = CLIP.points()
    ahead = sp.reconstruct(points, CLIP.skeleton, "guided").motion
    elbows = [CLIP.skeleton.anatomy.node(f"{side}_elbow") for side in "lr"]

    def away(weight: float) -> float:
        motion = sp.reconstruct(points, CLIP.skeleton, "tgbsik", prior_weight=weight).motion
        gap = motion.world()[0][:, elbows] - ahead.world()[0][:, elbows]
        return float(np.linalg.norm(gap, axis=-1).mean())

    assert away(100.0) < away(1.0) < away(0.0)


@pytest.mark.data
def test_a_real_kick_is_nearer_to_the_person_with_the_prior(shared_data):
    clip = sp.load(shared_data / "cmu" / "fight" / "135_04_front_kick.bvh")

    def errors(name: str, **settings):
        result = sp.reconstruct(clip.points(), clip.skeleton, name, **settings)
        found = sp.compare(result.motion, clip)
        elbow = np.mean([found.roles[f"{side}_elbow"].position for side in "lr"])
        return found.position_rms, elbow, result.iterations.mean()

    assert errors("tgbsik", prior_weight=1.0)[1] < 0.85 * errors("tgbsik")[1]
    for name in ("ccd", "dls", "pik"):
        plain, warm = errors(name), errors(name, start="guided")
        assert warm[0] < plain[0]
        assert warm[2] < 0.6 * plain[2]
    assert errors("pik", towards="guided")[0] < errors("pik")[0]
