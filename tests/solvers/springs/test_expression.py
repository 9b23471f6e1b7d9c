"""Expressive motion between key poses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import adult_limits
from sixpoint.motion.mirror import mirror_motion
from sixpoint.solvers.springs.expression import (
    Expression,
    arm_effort,
    express,
    swivel_elbows,
    widen,
)

U = np.linspace(0.0, 1.0, 201)


@pytest.mark.parametrize("power", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("tension", [0.2, 1.0, 4.0])
def test_every_way_goes_from_key_to_key_and_rests_there(power, tension):
    manner = Expression(power=power, tension=tension)
    assert manner.response(np.array((0.0, 1.0))) == pytest.approx((0.0, 1.0), abs=1e-12)
    little = 1e-6
    near = manner.response(np.array((little, 1.0 - little))) - (0.0, 1.0)
    assert near / little == pytest.approx((0.0, 0.0), abs=1e-3)


def test_power_overshoots_and_calm_does_not():
    highest = [Expression(power=power).response(U).max() for power in (0.0, 0.4, 0.7, 1.0)]
    assert highest[0] <= 1.0 + 1e-9
    assert (np.diff(highest) > 0.0).all()
    assert highest[-1] > 1.2


@pytest.mark.parametrize("power", [0.0, 0.6])
def test_acceleration_decides_how_fast_joints_start_and_nothing_else(power):
    little, starts, fastest, highest = 1e-4, [], [], []
    for acceleration in (0.25, 1.0, 4.0):
        manner = Expression(acceleration=acceleration, power=power)
        assert manner.response(np.array((0.0, 1.0))) == pytest.approx((0.0, 1.0), abs=1e-12)
        starts.append(float(manner.response(np.array([little]))[0]))
        way = manner.response(np.linspace(0.0, 1.0, 4001))
        fastest.append(int(np.diff(way).argmax()))
        highest.append(way.max())
    assert starts[1] / starts[0] == pytest.approx(4.0, rel=0.01)
    assert starts[2] / starts[1] == pytest.approx(4.0, rel=0.01)
    assert fastest[0] > fastest[1] > fastest[2]
    assert highest == pytest.approx([highest[0]] * 3, abs=1e-5)


def test_a_swivel_lifts_elbows_and_leaves_hands():
    clip = sp.builtin("boxing")
    anatomy = clip.skeleton.anatomy
    poses = clip.frames(range(0, len(clip), 20))
    elbows = [anatomy.node(f"{side}_elbow") for side in "lr"]
    hands = [anatomy.node(f"{side}_wrist") for side in "lr"]
    lifted, lowered = (swivel_elbows(poses, angle) for angle in (0.4, -0.4))
    for moved in (lifted, lowered):
        assert moved.positions(hands) == pytest.approx(poses.positions(hands), abs=1e-9)
        turned = arrays.angle_between(moved.world()[1][:, hands], poses.world()[1][:, hands])
        assert turned.max() < 1e-6
        assert float(adult_limits(clip.skeleton).violations(moved).max()) < 1e-6
    heights = [m.positions(elbows)[..., 1].mean(axis=0) for m in (lowered, poses, lifted)]
    assert (np.diff(heights, axis=0) > 0.01).all()
    mirrored = mirror_motion(swivel_elbows(mirror_motion(poses), 0.4))
    assert float(arrays.angle_between(mirrored.rotations, lifted.rotations).max()) < 1e-6


def test_a_swivel_is_the_angle_about_the_line_to_the_hand():
    clip = sp.builtin("boxing")
    anatomy = clip.skeleton.anatomy
    poses = clip.frames([0, 100, 200])
    moved = swivel_elbows(poses, 0.3, limits=None)
    for side, sense in (("l", 1.0), ("r", -1.0)):
        nodes = [anatomy.node(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
        angles = []
        for motion in (poses, moved):
            a, b, d = np.moveaxis(motion.positions(nodes), 1, 0)
            line = (d - a) / np.linalg.norm(d - a, axis=1, keepdims=True)
            up = np.cross(line, (0.3, 0.9, 0.1))
            up /= np.linalg.norm(up, axis=1, keepdims=True)
            off = b - a
            across = np.cross(line, up)
            angles.append(np.arctan2((off * across).sum(axis=1), (off * up).sum(axis=1)))
        assert (angles[1] - angles[0]) * sense == pytest.approx(np.full(3, 0.3), abs=1e-6)


def test_express_keeps_the_hands_of_swivelled_keys():
    clip = sp.builtin("boxing")
    hands = [clip.skeleton.anatomy.node(f"{side}_wrist") for side in "lr"]
    keys = [0, 60, 150, 300]
    moved = express(clip, keys=keys, swivel=0.4)
    assert moved.positions(hands)[keys] == pytest.approx(clip.positions(hands)[keys], abs=1e-6)
    assert arrays.angle_between(moved.rotations[keys], clip.rotations[keys]).max() > 0.2


def test_tension_snaps():
    half = [int(np.argmax(Expression(tension=t).response(U) > 0.5)) for t in (0.5, 1.0, 2.0, 4.0)]
    assert (np.diff(half) < 0).all()


def test_key_poses_are_kept_and_speed_shortens():
    clip = sp.builtin("reach")
    keys = [0, 60, 150, 300]
    calm = express(clip, keys=keys)
    assert len(calm) == 301
    assert arrays.angle_between(calm.rotations[keys], clip.rotations[keys]).max() < 1e-6
    assert calm.root[keys] == pytest.approx(clip.root[keys], abs=1e-9)
    fast = express(clip, keys=keys, speed=2.0)
    assert len(fast) == 151
    assert arrays.angle_between(fast.rotations[30], clip.rotations[60]).max() < 1e-6


def test_amplitude_moves_hands_and_the_rest_stays():
    clip = sp.builtin("reach")
    anatomy = clip.skeleton.anatomy
    poses = clip.frames(range(0, len(clip), 30))
    same = widen(poses, Expression(amplitude=1.0), limits=None)
    assert arrays.angle_between(same.rotations, poses.rotations).max() < 1e-9
    wrist = anatomy.node("r_wrist")
    ranges = []
    for amplitude in (0.6, 1.0, 1.3):
        moved = widen(poses, Expression(amplitude=amplitude, recruit=0.0))
        ranges.append(np.linalg.norm(np.ptp(moved.positions([wrist]), axis=0)))
        legs = [anatomy.node(f"{side}_{part}") for side in "lr" for part in ("hip", "knee")]
        assert np.array_equal(moved.rotations[:, legs], poses.rotations[:, legs])
        spine = list(anatomy.spine)
        assert arrays.angle_between(moved.rotations[:, spine], poses.rotations[:, spine]).max() < (
            1e-6
        )
    assert (np.diff(ranges) > 0.02).all()


def test_hands_reach_their_new_places_within_limits():
    clip = sp.builtin("boxing")
    poses = clip.frames(range(0, len(clip), 20))
    skeleton = clip.skeleton
    wrist = skeleton.anatomy.node("l_wrist")
    moved = widen(poses, Expression(amplitude=0.8))
    arms = [skeleton.names[skeleton.anatomy.node(f"l_{part}")] for part in ("shoulder", "elbow")]
    limits = adult_limits(skeleton)
    violations = limits.violations(moved)
    columns = [skeleton.index(name) for name in arms]
    assert float(violations[:, columns].max()) < 1e-6
    way = np.linalg.norm(moved.positions([wrist]) - poses.positions([wrist]), axis=-1)
    assert float(np.median(way)) > 0.02


def test_energy_recruits_clavicle_and_torso():
    clip = sp.builtin("boxing")
    anatomy = clip.skeleton.anatomy
    poses = clip.frames(range(0, len(clip), 10))
    joints = [*anatomy.spine, anatomy.node("l_clavicle")]
    places = poses.positions([anatomy.node("l_wrist")])[:, 0]
    energies, turns = [], []
    for amplitude in (1.0, 1.2, 1.5):
        moved = widen(poses, Expression(amplitude=amplitude))
        turns.append(
            arrays.angle_between(moved.rotations[:, joints], poses.rotations[:, joints]).mean()
        )
        away = (amplitude - 1.0) * np.array((0.0, 0.0, 0.6))
        energies.append(arm_effort(poses, "l", places + away).mean())
    assert energies[0] == pytest.approx(0.0, abs=1e-12)
    assert turns[0] == pytest.approx(0.0, abs=1e-9)
    assert turns[0] < turns[1] < turns[2]
    alone = widen(poses, Expression(amplitude=1.5, recruit=0.0))
    still = arrays.angle_between(alone.rotations[:, joints[:-1]], poses.rotations[:, joints[:-1]])
    assert float(still.max()) < 1e-6


@pytest.mark.parametrize("clip", ["boxing", "reach"])
@pytest.mark.parametrize(
    "shape",
    [
        {"amplitude": 1.5},
        {"amplitude": 1.6, "recruit": 4.0},
        {"power": 1.0},
        {"amplitude": 0.3, "power": 0.7},
    ],
    ids=str,
)
def test_all_joints_stay_within_limits(clip, shape):
    motion = sp.builtin(clip)
    moved = express(motion, **shape)
    assert float(adult_limits(motion.skeleton).violations(moved).max()) < 1e-6


def test_the_torso_leans_up_to_the_chest_and_no_farther():
    clip = sp.builtin("boxing")
    anatomy = clip.skeleton.anatomy
    poses = clip.frames(range(0, len(clip), 10))
    moved = widen(poses, Expression(amplitude=1.6), limits=None)
    turned = arrays.angle_between(moved.rotations, poses.rotations).max(axis=0)
    arms = {anatomy.node(f"{s}_{part}") for s in "lr" for part in ("clavicle", "shoulder", "elbow")}
    torso = {joint for joint in anatomy.spine if joint in clip.skeleton.path(anatomy.chest)}
    for joint in range(clip.skeleton.joint_count):
        assert (turned[joint] > 1e-6) == (joint in arms | torso), clip.skeleton.names[joint]
    chest = arrays.angle_between(
        moved.world()[1][:, anatomy.chest], poses.world()[1][:, anatomy.chest]
    )
    assert np.radians(10.0) < chest.max() <= np.radians(25.0) + 1e-9


def test_left_and_right_are_treated_alike():
    clip = sp.builtin("boxing")
    poses = clip.frames(range(0, len(clip), 10))
    manner = Expression(amplitude=1.5)
    one = mirror_motion(widen(mirror_motion(poses), manner))
    other = widen(poses, manner)
    assert float(arrays.angle_between(one.rotations, other.rotations).max()) < 1e-6


def test_joints_beyond_a_limit_in_a_key_pose_are_left_alone():
    clip = sp.builtin("reach")
    anatomy = clip.skeleton.anatomy
    knee = anatomy.node("l_knee")
    rotations = clip.rotations.copy()
    rotations[:, knee] = arrays.from_axis_angle((0.0, 0.0, 1.0), 0.5)
    odd = replace(clip, rotations=rotations)
    calm = express(odd, keys=[0, 60, 150])
    assert arrays.angle_between(calm.rotations[:, knee], rotations[:151, knee]).max() < 1e-6


@pytest.mark.parametrize("away", [0.05, 0.2])
def test_effort_is_the_energy_that_a_tracker_tells(away):
    clip = sp.builtin("boxing")
    anatomy = clip.skeleton.anatomy
    # The spine must not turn back in between: it carries the arm.
    solver = sp.solver("mass-spring", weights=(0.0, 0.0, 1.0), return_rate=0.0)
    tracker = solver.prepare(clip.skeleton)
    frame = clip.points().positions[0].copy()
    for _ in range(3):
        pose = tracker.solve(frame).pose
    frame[2] += (0.0, 0.0, away)
    energy = tracker.solve(frame).extras["energy_l_arm"]
    arm = [anatomy.node(f"l_{part}") for part in ("clavicle", "shoulder", "elbow", "wrist")]
    most = 0.5 * sum(float(np.linalg.norm(anatomy.vector(a, b))) for a, b in pairwise(arm))
    still = sp.Motion(clip.skeleton, pose.root[None], pose.rotations[None], 60.0)
    effort = arm_effort(still, "l", frame[2][None])[0]
    assert energy == pytest.approx(0.5 * effort * most**2, rel=1e-9)


def test_expressions_are_read_from_text():
    assert Expression.parse("speed=1.5, power=0.6") == Expression(speed=1.5, power=0.6)
    with pytest.raises(InputError, match=r"one of speed, power, amplitude, .*recruit; got"):
        Expression.parse("mood=3")
    with pytest.raises(InputError, match="a number for `speed`, got 'fast'"):
        Expression.parse("speed=fast")


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"speed": 0.0}, r"`speed` in \[0.01, 100\], got 0.0"),
        ({"speed": 1e-7}, r"`speed` in \[0.01, 100\], got 1e-07"),
        ({"tension": -1.0}, r"`tension` in \[0.01, 100\], got -1.0"),
        ({"power": 1.5}, r"`power` in \[0, 1\], got 1.5"),
        ({"amplitude": -0.1}, r"`amplitude` in \[0, 3\], got -0.1"),
        ({"recruit": float("nan")}, r"`recruit` in \[0, 10\], got nan"),
        ({"acceleration": 0.0}, r"`acceleration` in \[0.01, 100\], got 0.0"),
        ({"swivel": 4.0}, r"`swivel` in \[-3.14159, 3.14159\], got 4.0"),
        ({"mood": 1.0}, "fields of Expression, got mood"),
    ],
    ids=str,
)
def test_senseless_manners_are_refused(shape, message):
    with pytest.raises(InputError, match=message):
        express(sp.builtin("reach"), **shape)


@pytest.mark.parametrize("keys", [[0], [5, 5], [5, 3], [-1, 4], [0, 10_000]], ids=str)
def test_senseless_keys_are_refused(keys):
    with pytest.raises(InputError, match="two `keys` or more, rising, from 0 to"):
        express(sp.builtin("reach"), keys=keys)


def test_one_way_to_say_it():
    with pytest.raises(InputError, match="an `expression` or its fields, got speed too"):
        express(sp.builtin("reach"), Expression(), speed=2.0)
