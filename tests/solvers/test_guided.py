"""What only the guided solver does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.rigs import insert_above, odd_rig

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import FormatError, InputError
from sixpoint.kernels import arrays
from sixpoint.kernels.limits import FREE_ROW, limit_table
from sixpoint.limits import Limits, SwingTwistLimit, adult_limits
from sixpoint.motion.clips import builtin
from sixpoint.motion.points import SIX, Points
from sixpoint.priors.layout import ENDS, inputs, measures
from sixpoint.priors.model import builtin_prior
from sixpoint.priors.poses import build_of
from sixpoint.solvers import GuidedSolver, SequentialSolver
from sixpoint.solvers._kernels.guide import FIRST_LOOKS, look
from sixpoint.solvers._kernels.guide_tables import MEMORY
from sixpoint.solvers._kernels.guided import HELPS
from sixpoint.solvers._kernels.guided_ease import LIMB_TURN, PATIENCE, ease_limb
from sixpoint.solvers._kernels.guided_help import (
    EASE,
    MOST_HELP,
    bring_ends,
    recall_help,
    remember_help,
)
from sixpoint.solvers._kernels.guided_trunk import MOST, gather_tasks, place_spine, solve_turns
from sixpoint.solvers.body_table import build_body, new_state, new_work
from sixpoint.solvers.guided import FAR, guide_of, net_of

IDENTITY = (1.0, 0.0, 0.0, 0.0)


def largest_step(motion):
    return float(arrays.angle_between(motion.rotations[:-1], motion.rotations[1:]).max())


def test_the_compiled_network_answers_like_the_one_in_numpy():
    clip = builtin("boxing")
    anatomy, prior = clip.skeleton.anatomy, builtin_prior()
    body, _ = build_body(anatomy)
    work, net = new_work(), net_of(prior)
    guide = guide_of(anatomy, prior)
    guide["trust"] = 1.0
    six = clip.points().positions[100]
    work["points"][0] = six
    facing, trust = look(body[0], guide[0], new_state()[0], work[0], IDENTITY, False, net)
    points = (six[1:] - six[0]) / anatomy.height
    frame = arrays.to_matrix(np.array(facing))
    x = inputs(points[None], frame[None], measures(build_of(anatomy))[None])
    np.testing.assert_allclose(net.vectors.ravel(), prior.predict(x)[0], atol=1e-12)
    assert FIRST_LOOKS > 1
    distance = float(prior.distance(x)[0])
    part = min(max((distance / prior.near - 1.0) / (FAR - 1.0), 0.0), 1.0)
    assert trust == pytest.approx(1.0 - part * part * (3.0 - 2.0 * part))


@pytest.fixture
def standing():
    """A body that stands in its stance without limits and meets its points."""
    anatomy = builtin("boxing").skeleton.anatomy
    body, _ = build_body(anatomy)
    guide, net, work = guide_of(anatomy, builtin_prior()), net_of(builtin_prior()), new_work()
    guide["period"] = 1.0 / 120.0
    free = limit_table([FREE_ROW] * 64)
    work["points"][0] = body["stance"][0]
    place_spine(body[0], free, work[0], net)
    work["points"][0, 1] = work["places"][0, body["joints"][0] - 1]
    work["ends"] = work["points"]
    return body[0], guide[0], work[0], net, free


@pytest.mark.parametrize("limb", range(4))
def test_pelvis_and_spine_bring_a_stiff_limb_to_its_point(standing, limb):
    body, guide, work, net, free = standing
    assert not bring_ends(body, guide, work, net, False, np.inf)
    carrier, end = body.carrier[limb], 2 + limb
    arm = work.ends[end] - work.places[carrier]
    away = np.array([0.0, 0.0, 0.02])
    work.points[end] += away
    for _ in range(HELPS):
        assert bring_ends(body, guide, work, net, False, np.inf)
        place_spine(body, free, work, net)
        work.ends[end] = work.places[carrier] + arrays.rotate(work.world[carrier], arm)
    missed = work.points[end] - work.ends[end]
    assert np.linalg.norm(missed) < 0.5 * np.linalg.norm(away)


def largest_help(net):
    return np.linalg.norm(net.helps, axis=1).max()


def test_help_grows_only_so_fast_and_so_far(standing):
    body, guide, work, net, _ = standing
    work.points[5] += (0.0, 0.0, 0.03)
    for _ in range(HELPS):
        bring_ends(body, guide, work, net, False, 0.01)
    assert largest_help(net) == pytest.approx(0.01)
    for _ in range(100):  # the end stays where it is: no help is enough
        bring_ends(body, guide, work, net, False, np.inf)
    assert largest_help(net) == pytest.approx(MOST_HELP)


def test_help_is_remembered_with_the_pelvis_and_goes_back(standing):
    body, guide, work, net, _ = standing
    memory = np.zeros(1, MEMORY)[0]
    net.helps[0] = (0.1, 0.0, 0.0)
    remember_help(body, memory, net, IDENTITY)
    about = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # the pelvis has turned from X to Y
    work.world[0] = about
    recall_help(body, guide, memory, work, net, False)
    left = 0.1 * np.exp(-guide.period / EASE)
    np.testing.assert_allclose(net.helps[0], (0.0, left, 0.0), atol=1e-12)
    assert arrays.angle_between(work.world[0], np.array(about)) == pytest.approx(left)
    recall_help(body, guide, memory, work, net, True)
    assert largest_help(net) == 0.0  # a pelvis that is known does not help


def test_a_round_that_would_turn_too_far_turns_all_joints_less(standing):
    body, guide, work, net, _ = standing
    turns = []
    for away in (0.01, 1.0):
        work.points[1] += (0.0, 0.0, away)
        tasks, _ = gather_tasks(body, guide, work, net, False, False)
        work.points[1] -= (0.0, 0.0, away)
        assert solve_turns(body, guide, net, tasks)
        turns.append(net.turns.copy())
    small, large = (np.linalg.norm(t, axis=1).max() for t in turns)
    assert small < MOST
    assert large == pytest.approx(MOST)
    np.testing.assert_allclose(turns[1] / large, turns[0] / small, atol=1e-9)


@pytest.mark.parametrize("missed", [False, True])
def test_only_a_limb_that_limits_held_back_is_eased(standing, missed):
    body, _, work, _, free = standing
    state, settings = new_state()[0], GuidedSolver().records(120.0)[0]
    memory = np.zeros(1, MEMORY)[0]
    memory.roots[:, 0] = 1.0
    memory.misses[0] = 1.0 if missed else 0.0
    row, aim = body.joints + 1, (0.0, -0.3, 0.2)
    wished = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
    most = LIMB_TURN * settings.turn

    def turned(frames):
        work.local[row], work.local[row + 1] = wished, IDENTITY
        state.frames = frames
        ease_limb(body, free, settings, state, work, memory, 0, IDENTITY, (0.0,) * 3, aim, aim, aim)
        return float(arrays.angle_between(work.local[row], np.array(IDENTITY)))

    assert turned(1) == pytest.approx(most if missed else 0.5 * np.pi)
    # Limits may bar the way: nobody waits for ever.
    assert turned(2 + int(PATIENCE * 120.0)) == pytest.approx(0.5 * np.pi)


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


def test_without_trust_it_is_sequential_ik_with_its_own_exact_step():
    clip = builtin("walk")
    weights = (1.0, 1.0, 1.0)
    plain = sp.reconstruct(
        clip.points(), clip.skeleton, solver=SequentialSolver(weights=weights, swivel="search")
    ).motion
    led = sp.reconstruct(clip.points(), clip.skeleton, solver="guided", trust=0.0).motion
    pelvis = clip.skeleton.anatomy.node("pelvis")
    gap = arrays.angle_between(plain.rotations[:, pelvis], led.rotations[:, pelvis])
    assert gap.max() < np.radians(3.0)


def test_confidence_falls_where_points_are_unlike_anything_seen():
    clip = builtin("boxing")
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    assert np.isnan(tracker.confidence)
    usual = clip.points().positions[10]
    tracker.solve(usual)
    assert tracker.confidence > 0.9
    tracker.reset()
    odd = usual[[0, 4, 1, 5, 2, 3]]  # head where an ankle was, wrist where the head was
    tracker.solve(odd)
    assert tracker.confidence < 0.2


def test_confidences_of_a_clip_are_those_of_its_frames():
    clip = builtin("squat").frames(slice(0, 30))
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    tracker.solve_clip(clip.points())
    whole = tracker.confidences
    assert whole.shape == (30,)
    streamed = []
    for frame in clip.points().positions:
        tracker.solve(frame)
        streamed.append(tracker.confidence)
    np.testing.assert_array_equal(whole, streamed)


@pytest.mark.parametrize("name", ["squat", "walk", "reach"])
def test_head_and_hands_alone_give_a_body_on_its_feet(name):
    clip = builtin(name)
    positions = clip.points().positions.copy()
    positions[:, [0, 4, 5]] = np.nan
    result = sp.reconstruct(Points(SIX, positions, clip.rate), clip.skeleton, solver="guided")
    at = result.motion.points().positions
    truth = clip.points().positions
    assert np.abs(at[:, 1:4] - positions[:, 1:4]).max() < 0.02
    assert largest_step(result.motion) < np.radians(30.0)
    ankles = at[:, 4:, 1]
    assert ankles.max() - ankles.min() < 0.02  # it stands on level ground
    assert np.abs(ankles.mean() - truth[0, 4:, 1].mean()) < 0.05
    assert (at[:, 0, 1] > ankles.max() + 0.1).all()
    upright = at[:, 1] - at[:, 0]
    assert (upright[:, 1] > 0.5 * np.linalg.norm(upright, axis=1)).all()


def test_a_squat_seen_by_head_and_hands_bends_the_knees():
    clip = builtin("squat")
    positions = clip.points().positions.copy()
    positions[:, [0, 4, 5]] = np.nan
    motion = sp.reconstruct(
        Points(SIX, positions, clip.rate), clip.skeleton, solver="guided"
    ).motion
    pelvis = motion.points().positions[:, 0, 1]
    truth = clip.points().positions[:, 0, 1]
    assert np.abs(pelvis - truth).max() < 0.1
    assert np.corrcoef(pelvis, truth)[0, 1] > 0.98


def seen_by_head_and_hands(clip):
    positions = clip.points().positions.copy()
    positions[:, [0, 4, 5]] = np.nan
    return Points(SIX, positions, clip.rate)


def across_hips(motion):
    anatomy = motion.skeleton.anatomy
    left, right = np.swapaxes(
        motion.positions([anatomy.node("l_hip"), anatomy.node("r_hip")]), 0, 1
    )
    return left - right


def test_hands_that_cross_do_not_turn_a_body_of_head_and_hands():
    clip = builtin("reach").frames(slice(0, 1))
    points = clip.points().positions[0]
    head = points[1]
    frames = np.repeat(points[None], 240, axis=0)
    frames[:, [0, 4, 5]] = np.nan
    # Forearms cross: a hand's breadth past each other, twice.
    apart = 0.085 + 0.165 * np.cos(np.linspace(0.0, 4.0 * np.pi, 240))
    for p, sign in ((2, 1.0), (3, -1.0)):
        frames[:, p] = head + np.stack(
            [sign * apart, np.full(240, -0.4), np.full(240, 0.35)], axis=1
        )
    motion = sp.reconstruct(Points(SIX, frames, 60.0), clip.skeleton, solver="guided").motion
    left = across_hips(motion)
    assert (left[:, 0] > 0.5 * np.linalg.norm(left, axis=1)).all()
    assert largest_step(motion) < np.radians(30.0)


def test_a_jump_is_no_new_ground():
    clip = builtin("squat")
    seen = seen_by_head_and_hands(clip)
    still = np.repeat(seen.positions[:1], 300, axis=0)
    flight = np.linspace(-1.0, 1.0, 36)
    still[60:96, :, 1] += 0.4 * (1.0 - flight**2)[:, None]
    motion = sp.reconstruct(replace(seen, positions=still), clip.skeleton, solver="guided").motion
    at = motion.points().positions
    assert at[78, 4:, 1].min() > at[0, 4:, 1].max() + 0.3  # feet leave the ground
    assert np.abs(at[100:] - at[0]).max() < 0.03  # and come back to it
    assert largest_step(motion) < np.radians(30.0)


@pytest.mark.parametrize(("first", "last"), [(100, 160), (200, 202), (150, 390)])
def test_a_body_comes_to_stand_and_back_without_a_pop(first, last):
    clip = builtin("walk")
    points = clip.points()
    positions = points.positions.copy()
    positions[first:last, [0, 4, 5]] = np.nan
    motion = sp.reconstruct(replace(points, positions=positions), clip.skeleton, solver="guided")
    speed = np.linalg.norm(np.diff(motion.motion.points().positions, axis=0), axis=-1)
    usual = np.linalg.norm(np.diff(points.positions, axis=0), axis=-1)
    assert speed.max() < 1.5 * usual.max()


def test_head_and_hands_are_streamed_like_a_clip():
    clip = builtin("boxing").frames(slice(0, 120))
    seen = seen_by_head_and_hands(clip)
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    whole = tracker.solve_clip(seen).motion
    for k, frame in enumerate(seen.positions):
        np.testing.assert_array_equal(tracker.solve(frame).pose.rotations, whole.rotations[k])


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


def test_hands_and_feet_can_stay_neutral():
    clip = builtin("boxing").frames(slice(0, 20))
    motion = sp.reconstruct(clip.points(), clip.skeleton, solver="guided", ends="neutral").motion
    anatomy = clip.skeleton.anatomy
    turns = anatomy.to_anatomical(motion.rotations)[
        :, [anatomy.node("l_wrist"), anatomy.node("r_ankle")]
    ]
    assert arrays.angle_between(turns, arrays.identity(1, 1)).max() < 1e-9


def test_the_filter_calms_noise():
    clip = builtin("squat")
    points = clip.points()
    noise = 0.005 * np.random.default_rng(7).normal(size=points.positions.shape)
    rough = replace(points, positions=points.positions + noise)
    pelvis = clip.skeleton.anatomy.node("pelvis")

    def shake(cutoff):
        motion = sp.reconstruct(rough, clip.skeleton, solver="guided", cutoff=cutoff).motion
        q = motion.rotations[:, pelvis]
        return float(arrays.angle_between(q[:-1], q[1:]).mean())

    assert shake(6.0) < 0.8 * shake(0.0)


def test_a_prior_of_ones_own_is_used(tmp_path):
    path = tmp_path / "mine.npz"
    prior = builtin_prior()
    still = [w.copy() for w in prior.weights]
    still[4][:] = 0.0
    still[5][:] = 0.0
    still[5][: 3 * ENDS].reshape(-1, 3)[0:14:2] = (1.0, 0.0, 0.0)
    still[5][: 3 * ENDS].reshape(-1, 3)[1:14:2] = (0.0, 1.0, 0.0)
    replace(prior, weights=tuple(still)).save(path)
    clip = builtin("boxing")
    mine = sp.reconstruct(clip.points(), clip.skeleton, solver="guided", prior=str(path)).motion
    usual = sp.reconstruct(clip.points(), clip.skeleton, solver="guided").motion
    assert sp.compare(mine, clip).position_rms > 1.2 * sp.compare(usual, clip).position_rms


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
    assert arrays.angle_between(together, hand).max() < 1e-9
    assert np.abs(twist[:, [1, 3]]).max() < 1e-12
    assert np.abs(wrist[:, 2]).max() < 1e-12
    assert arrays.angle_between(twist[0], np.array(IDENTITY)) > 0.05
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


def test_guessed_points_are_no_reason_for_confidence():
    clip = builtin("walk")
    tracker = GuidedSolver().prepare(clip.skeleton, rate=clip.rate)
    frame = clip.points().positions[20].copy()
    tracker.solve(frame)
    whole = tracker.confidence
    assert whole > 0.5
    for lost, part in ((1, 5.0 / 6.0), (4, 2.0 / 6.0), (6, 0.0)):
        frame[6 - lost :] = np.nan
        tracker.solve(frame)
        assert tracker.confidence <= part + 1e-12


@pytest.mark.parametrize("missing", ["hold", "predict"])
@pytest.mark.parametrize("solver", ["guided", "sik"])
@pytest.mark.parametrize("lost", [0.1, 0.3, 0.5])
def test_random_drop_outs_do_not_build_up(solver, missing, lost):
    clip = builtin("walk")
    points = clip.points()
    for seed in range(3):
        positions = points.positions.copy()
        gaps = np.random.default_rng(seed).random(positions.shape[:2]) < lost
        positions[gaps] = np.nan
        seen = replace(points, positions=positions)
        motion = sp.reconstruct(seen, clip.skeleton, solver=solver, missing=missing).motion
        assert np.linalg.norm(motion.root - clip.root, axis=1).max() < 0.5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"trust": 1.5}, r"Expected `trust` in \[0, 1\], got 1.5"),
        ({"cutoff": -1.0}, "Expected `cutoff` >= 0"),
        ({"quickness": float("nan")}, "Expected `quickness` >= 0"),
        ({"ends": "wild"}, "Expected `ends` to be one of predicted, neutral"),
    ],
)
def test_senseless_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        GuidedSolver(**settings)


def test_a_prior_that_is_none_is_refused_at_once(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        GuidedSolver(prior=str(tmp_path / "none.npz"))


PAPER = ("17_10_boxing", "90_05_jump_kick", "01_03_playground_climb_hang_swing")


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
    assert position <= 0.0150
    assert orientation <= 0.21
    assert with_twist <= 0.225
    assert errors[1][0] <= 0.0215  # the jump kick, no worse than sequential IK
    every = np.concatenate(missed)
    assert every.mean() < 0.001
    assert np.percentile(every, 99.0) < 0.005


ATHLETIC = ("75_16_jump_kick", "14_14_jumping_jacks_jog_squats_twists_stretches",
            "01_09_playground_climb_hang_swing_drop_sit", "87_03_backflip")  # fmt: skip


@pytest.mark.data
@pytest.mark.parametrize("name", ATHLETIC)
def test_limbs_that_limits_hold_back_do_not_make_a_body_jump(shared_data, name):
    paths = sorted((shared_data / "cmu").glob(f"*/{name}.bvh"))
    if not paths:
        pytest.skip(f"no {name}")
    clip = sp.load(paths[0])
    result = sp.reconstruct(clip.points(), clip.skeleton, solver="guided")
    assert largest_step(result.motion) < np.radians(45.0)
    assert result.report.limit_violations == 0


@pytest.mark.data
@pytest.mark.parametrize("name", PAPER)
def test_head_and_hands_alone_are_followed_through_quick_motion(shared_data, name):
    clip = sp.load(shared_data / "cmu" / "paper" / f"{name}.bvh")
    seen = seen_by_head_and_hands(clip)
    result = sp.reconstruct(seen, clip.skeleton, solver="guided")
    assert result.report.limit_violations == 0
    assert largest_step(result.motion) < np.radians(35.0)
    plain = sp.reconstruct(seen, clip.skeleton, solver="sik").motion
    assert sp.compare(result.motion, clip).position_rms < sp.compare(plain, clip).position_rms


@pytest.mark.data
def test_other_peoples_rigs_are_finite_and_within_limits(shared_data):
    for path in sorted((shared_data / "other" / "bvh").glob("*.bvh")):
        clip = sp.load(path)
        clip = clip.frames(slice(0, 200))
        result = sp.reconstruct(clip.points(), clip.skeleton, solver="guided")
        assert np.isfinite(result.motion.rotations).all(), path
        assert result.report.limit_violations == 0, path
