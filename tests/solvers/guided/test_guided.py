"""What only the guided solver does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from rigs import insert_above, odd_rig
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.errors import FormatError
from sixpoint.kernels import arrays
from sixpoint.limits import Limits, SwingTwistLimit, adult_limits
from sixpoint.solvers import GuidedSolver, SequentialSolver

from ..bodies import IDENTITY, PAPER, largest_step


@pytest.mark.parametrize("name", ["boxing", "walk", "reach", "squat", "overhead"])
def test_points_are_met_within_limits_and_nothing_jumps(name):
    clip = builtin(name)
    result = sp.reconstruct(clip.points(), clip.skeleton, solver="guided")
    missed = result.residuals[:, 1:]
    assert missed.mean() < 0.001
    assert np.percentile(missed, 99.0) < 0.005
    assert result.report.limit_violations == 0
    # A punch stretches the elbow, where a centimetre is many degrees.
    assert largest_step(result.motion) < max(np.radians(30.0), 3.0 * largest_step(clip))


def test_other_solvers_do_not_say_how_far_they_are_to_be_trusted():
    clip = builtin("boxing").frames(slice(0, 3))
    tracker = SequentialSolver().prepare(clip.skeleton)
    assert np.isnan(tracker.solve(clip.points().positions[0]).confidence)
    assert np.isnan(tracker.solve_clip(clip.points()).confidence).all()


def test_after_a_reset_to_a_pose_points_are_met_at_once():
    clip = builtin("walk")
    positions = clip.points().positions
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    for frame in positions[:50]:
        pose = tracker.solve(frame).pose
    tracker.reset(pose)
    assert tracker.solve(positions[50]).residuals.max() < 1e-3


def test_confidences_of_a_clip_are_those_of_its_frames():
    clip = builtin("squat").frames(slice(0, 30))
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    whole = tracker.solve_clip(clip.points()).confidence
    assert whole.shape == (30,)
    streamed = [tracker.solve(frame).confidence for frame in clip.points().positions]
    np.testing.assert_array_equal(whole, streamed)


def test_other_rigs_of_the_same_person_move_alike():
    clip = builtin("reach")
    points = clip.points()
    places = {}
    bodies = (clip.skeleton, odd_rig(), insert_above(Skeleton.humanoid(), "l_elbow", "l_twist"))
    for k, body in enumerate(bodies):
        motion = sp.reconstruct(points, body, solver="guided").motion
        nodes = [body.anatomy.node(role) for role in ("l_elbow", "r_knee", "l_shoulder", "r_hip")]
        places[k] = motion.positions(nodes)
    for k in (1, 2):
        assert np.abs(places[k] - places[0]).max() < 1e-6


def test_limits_of_the_joint_at_the_pelvis_are_kept_when_they_are_given():
    clip = builtin("reach")
    lower = clip.skeleton.names[clip.skeleton.anatomy.colocated[-1]]
    adult = adult_limits(clip.skeleton)
    spine = next(limit for name, limit in adult.items() if name == "vt12")
    limits = sp.Limits({**dict(adult.items()), lower: spine})
    result = GuidedSolver().prepare(clip.skeleton, limits=limits).solve_clip(clip.points())
    assert result.report.limit_violations == 0


def twist_rig(skeleton):
    return insert_above(skeleton, "l_wrist", "l_forearm_twist")


def test_a_twist_bone_in_the_forearm_twists_the_hand():
    clip = builtin("boxing")
    plain, rig = clip.skeleton, twist_rig(clip.skeleton)
    points = clip.points()
    one = sp.reconstruct(points, plain, solver="guided").motion
    two = sp.reconstruct(points, rig, solver="guided").motion
    wrist, twist = (two.rotations[:, rig.index(n)] for n in ("l_wrist", "l_forearm_twist"))
    hand = one.rotations[:, plain.index("l_wrist")]
    # Together they turn the hand as the wrist does alone, about the forearm and across it.
    together = arrays.multiply(twist, wrist)
    assert arrays.angle_between(together, hand).max() < 0.02
    assert np.abs(twist[:, [1, 3]]).max() < 1e-12
    assert np.abs(wrist[:, 2]).max() < 1e-12
    assert arrays.angle_between(twist, np.array(IDENTITY)).max() > 0.05
    apart = np.linalg.norm(two.world()[0][:, rig.index("l_wrist")]
                           - one.world()[0][:, plain.index("l_wrist")], axis=1)  # fmt: skip
    assert apart.max() < 1e-9


def test_limits_of_a_twist_bone_are_kept():
    clip = builtin("boxing")
    rig = twist_rig(clip.skeleton)
    narrow = SwingTwistLimit.degrees((0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0),
                                     {-180.0: 1.0, 0.0: 1.0, 180.0: 1.0}, (-2.0, 2.0))  # fmt: skip
    limits = Limits({**adult_limits(rig), "l_forearm_twist": narrow})
    result = sp.reconstruct(clip.points(), rig, solver="guided", limits=limits)
    assert result.report.limit_violations == 0
    turned = arrays.angle_between(
        result.motion.rotations[:, rig.index("l_forearm_twist")], np.array(IDENTITY)
    )
    assert 0.0 < turned.max() <= np.radians(2.0) + 1e-9


@pytest.mark.parametrize(
    ("solver", "settings"), [("guided", {}), ("sik", {}), ("sik", {"missing": "predict"})]
)
@pytest.mark.parametrize("lost", [0.1, 0.3])
def test_random_drop_outs_do_not_build_up(solver, settings, lost):
    clip = builtin("walk")
    points = clip.points()
    for seed in range(3):
        positions = points.positions.copy()
        gaps = np.random.default_rng(seed).random(positions.shape[:2]) < lost
        positions[gaps] = np.nan
        seen = replace(points, positions=positions)
        motion = sp.reconstruct(seen, clip.skeleton, solver=solver, **settings).motion
        assert np.linalg.norm(motion.root - clip.root, axis=1).max() < 0.5


def test_a_prior_that_is_none_is_refused_at_once(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        GuidedSolver(prior=str(tmp_path / "none.npz"))


@pytest.mark.data
def test_on_the_papers_clips_it_is_better_than_sequential_ik_by_a_third(shared_data):
    errors, missed = [], []
    for name in PAPER:
        clip = sp.load(shared_data / "cmu" / "paper" / f"{name}.bvh")
        result = sp.reconstruct(clip.points(), clip.skeleton, solver="guided")
        found = sp.compare(result.motion, clip)
        errors.append((found.position_rms, found.orientation_rms_own, found.orientation_rms))
        missed.append(result.residuals[:, 1:].ravel())
        assert (result.residuals.max(axis=1) > 0.005).mean() < 0.005  # pelvis and spine help
        assert result.report.limit_violations == 0
        assert largest_step(result.motion) < np.radians(30.0)
        plain = sp.reconstruct(clip.points(), clip.skeleton, solver="sik").motion
        assert found.jitter_ratio <= sp.compare(plain, clip).jitter_ratio
    position, orientation, with_twist = np.mean(errors, axis=0)
    assert position <= 0.0160
    assert orientation <= 0.22
    assert with_twist <= 0.23
    every = np.concatenate(missed)
    assert every.mean() < 0.001
    assert np.percentile(every, 99.0) < 0.005


@pytest.mark.data
def test_other_peoples_rigs_are_finite_and_within_limits(shared_data):
    for path in sorted((shared_data / "other" / "bvh").glob("*.bvh")):
        clip = sp.load(path)
        clip = clip.frames(slice(0, 200))
        result = sp.reconstruct(clip.points(), clip.skeleton, solver="guided")
        assert np.isfinite(result.motion.rotations).all(), path
        assert result.report.limit_violations == 0, path
