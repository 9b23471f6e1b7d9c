"""Clavicles, arms and legs of sequential IK, against the numbers and claims of the SIK paper."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from sixpoint.kernels import arrays
from sixpoint.kernels.limits import limit_project
from sixpoint.limits import FixedLimit, FlexionLimit, SwingTwistLimit
from sixpoint.solvers._kernels.limb import MISS, limb_aim, limb_finish
from sixpoint.solvers._kernels.limb_ends import level_foot, solve_clavicle, triangle_angle
from sixpoint.solvers._kernels.tables import CLAVICLE, COLLIDED, LIMITED, UNREACHABLE
from strategies import directions, spans

from .bodies import (
    HUMAN,
    IDENTITY,
    L_ARM,
    L_LEG,
    R_ARM,
    Limb,
    Plain,
    angle,
    human,
    limb_body,
    limb_row,
    memory,
    settings,
    standing,
    turned_about,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ARM = limb_body(0.30, 0.25)
LEG = limb_body(0.42, 0.40)
G8_TARGET = (0.05, -0.25, 0.35)
SHOULDER = SwingTwistLimit.degrees(
    (0.0, -1.0, 0.0), Z, X, {-180: 50, -90: 30, 0: 180, 90: 180, 180: 50}, (-80, 95)
)
TIGHT = SwingTwistLimit.degrees(
    (0.0, -1.0, 0.0), Z, X, {-180: 20, -90: 25, 0: 70, 90: 40, 180: 20}, (-25, 30)
)
ELBOW, KNEE = FlexionLimit.degrees(-145, 0), FlexionLimit.degrees(0, 135)


def held_body(limb: int, shoulder=TIGHT, hinge=ELBOW, upper=0.30, lower=0.25):
    body = limb_body(upper, lower)
    return body.with_limits({limb_row(body, limb, 1): shoulder, limb_row(body, limb, 2): hinge})


ARM_HELD = held_body(L_ARM)
LEG_HELD = held_body(L_LEG, TIGHT, KNEE, 0.42, 0.40)


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sides", "degrees"),
    [((3, 4, 5), 90.0), ((1, 1, 1), 60.0), ((1, 1, 3), 180.0), ((3, 1, 1), 0.0), ((0, 1, 1), 0.0)],
)
def test_triangle_angle(sides, degrees):  # singular triangles are clamped, never an error
    assert triangle_angle(*map(float, sides)) == pytest.approx(math.radians(degrees))


def test_swivel_circle_of_two_bones():  # G8
    upper, lower = 0.30, 0.25
    target = np.array(G8_TARGET)
    distance = np.linalg.norm(target)
    aim = target / distance
    at_root = triangle_angle(upper, distance, lower)
    centre, radius = upper * math.cos(at_root) * aim, upper * math.sin(at_root)
    assert distance == pytest.approx(0.433013, abs=1e-6)
    assert centre == pytest.approx((0.028667, -0.143333, 0.200667), abs=1e-6)
    assert radius == pytest.approx(0.168424, abs=1e-6)
    # The elbow lies on it.
    elbow = Limb(ARM).solve(target).elbow
    assert np.linalg.norm(elbow - centre) == pytest.approx(radius, abs=1e-12)
    assert (elbow - centre) @ aim == pytest.approx(0.0, abs=1e-12)


def test_arm():  # G17, S0.23
    arm = Limb(ARM).solve(G8_TARGET)
    assert math.degrees(triangle_angle(0.30, 0.4330127, 0.25)) == pytest.approx(34.1536, abs=1e-4)
    assert arm.elbow == pytest.approx((0.038632, -0.279469, 0.102003), abs=1e-6)
    assert math.degrees(arm.flexion) == pytest.approx(-76.5066, abs=1e-4)
    assert arm.miss < 1e-12
    assert arm.flags == 0


def test_swivel_of_the_arm():  # G17: against straight down
    arm = Limb(ARM).solve(G8_TARGET)
    aim = np.array(G8_TARGET) / np.linalg.norm(G8_TARGET)
    down = -np.array(Y) + aim[1] * aim
    across = arm.elbow - (arm.elbow @ aim) * aim
    assert math.degrees(angle(across, down)) == pytest.approx(8.130102, abs=1e-6)


def test_leg():  # G17, S0.24, A0.14, A0.15
    leg = Limb(LEG, L_LEG).solve((0.05, -0.70, 0.15))
    assert leg.elbow == pytest.approx((0.024334, -0.319699, 0.271294), abs=1e-6)
    assert math.degrees(leg.flexion) == pytest.approx(57.8899, abs=1e-4)
    assert leg.miss < 1e-12
    # A0.14: aligning +Z would turn the thigh by half a turn.
    front = arrays.rotate(leg.turn(1), np.array(Z))
    assert front[2] > 0.5


def test_unreachable_arm_points_at_its_target():  # G17, S0.25
    target = np.array((0.3, -0.3, 0.5))
    arm = Limb(ARM).solve(target)
    assert arm.end == pytest.approx((0.251623, -0.251623, 0.419371), abs=1e-6)
    assert arm.miss == pytest.approx(0.105744, abs=1e-6)
    assert arm.flexion == pytest.approx(0.0, abs=1e-6)
    assert angle(arm.end, target) < 1e-9
    assert arm.flags == UNREACHABLE << L_ARM


def test_arm_straight_up():  # G17, A0.16: about X, so that the elbow comes forward
    arm = Limb(ARM).solve((0.0, 0.4, 0.0))
    assert arm.elbow == pytest.approx((0.0, 0.234375, 0.187265), abs=1e-6)
    assert arm.miss < 1e-12


def test_left_and_right_mirror_each_other():
    left = Limb(ARM, L_ARM).solve((0.1, -0.2, 0.3))
    right = Limb(ARM, R_ARM).solve((-0.1, -0.2, 0.3))
    assert left.elbow * (-1.0, 1.0, 1.0) == pytest.approx(right.elbow, abs=1e-15)


# --- clavicle -------------------------------------------------------------------------------------

G16_BODY = limb_body(0.30, 0.23, clavicle=(0.15, 0.0, 0.0))
G16_TARGET = np.array((0.30, 1.98, 0.20)) - (0.03, 1.45, 0.0)


def test_clavicle_brings_the_shoulder_near_enough():  # G16, S0.22, A0.8, A0.9
    row = limb_row(G16_BODY, L_ARM, 0)
    turn, moved = solve_clavicle(
        G16_BODY.body, G16_BODY.limits, settings(), memory(), L_ARM, row, tuple(G16_TARGET)
    )
    w, *v = turn
    size = float(np.linalg.norm(v))
    assert moved
    assert math.degrees(2.0 * math.atan2(size, w)) == pytest.approx(20.506076, abs=1e-6)
    assert np.array(v) / size == pytest.approx((0.0, -0.353057, 0.935602), abs=1e-6)
    shoulder = arrays.rotate(np.array(turn), np.array((0.15, 0.0, 0.0)))
    place = shoulder + np.array((0.03, 1.45, 0.0))
    assert place == pytest.approx((0.170495, 1.499162, 0.018552), abs=1e-6)
    assert np.linalg.norm(G16_TARGET - shoulder) == pytest.approx(0.53, abs=1e-9)


def test_angles_of_the_clavicle():  # G16
    a, d, reach = 0.15, float(np.linalg.norm(G16_TARGET)), 0.53
    beyond = float(np.linalg.norm(G16_TARGET - (a, 0.0, 0.0)))
    assert (d, beyond) == (pytest.approx(0.627535, abs=1e-6), pytest.approx(0.579051, abs=1e-6))
    assert math.degrees(triangle_angle(a, d, reach)) == pytest.approx(44.010181, abs=1e-6)
    assert math.degrees(triangle_angle(a, d, beyond)) == pytest.approx(64.516257, abs=1e-6)


def test_the_wrist_follows_the_clavicle():  # S0.22
    arm = Limb(G16_BODY).solve(G16_TARGET)
    assert arm.miss < 1e-6
    assert arm.flags & (CLAVICLE << L_ARM)


@given(directions(), st.floats(0.0, 1.0))
def test_clavicle_rests_when_the_arm_reaches(direction, part):  # S0.21, to the bit
    target = np.array((0.15, 0.0, 0.0)) + part * (0.53 - 1e-9) * np.array(direction)
    arm = Limb(G16_BODY).solve(target)
    assert tuple(arm.turn(0)) == IDENTITY
    assert not arm.flags & (CLAVICLE << L_ARM)


@given(directions(), st.floats(0.0, 3.0))
def test_clavicle_helps_and_never_hurts(direction, distance):  # S0.22
    target = distance * np.array(direction)
    free, fixed = (
        Limb(G16_BODY),
        Limb(G16_BODY.with_limits({limb_row(G16_BODY, 0, 0): FixedLimit()})),
    )
    helped, alone = free.solve(target).miss, fixed.solve(target).miss
    assert helped <= alone + 1e-9
    if distance > 0.15 + 0.53:  # out of reach: everything points at the target
        assert helped == pytest.approx(distance - 0.68, abs=1e-6)
    elif distance > 0.53 - 0.15:
        assert helped < 1e-6


def test_clavicle_stays_within_its_limit():  # Algorithm 4 line 10
    limit = SwingTwistLimit.degrees(X, Y, Z, {-180: 10, -90: 10, 0: 10, 90: 10, 180: 10}, (-5, 5))
    body = G16_BODY.with_limits({limb_row(G16_BODY, L_ARM, 0): limit})
    arm = Limb(body).solve(G16_TARGET)
    assert max(arm.violations()) == 0.0
    assert 2.0 * math.acos(arm.turn(0)[0]) == pytest.approx(math.radians(10.0), abs=1e-6)
    assert arm.miss > 0.01


def test_a_held_clavicle_stays_raised():  # A0.10: the paper's words
    arm = Limb(G16_BODY, clavicle="hold", clavicle_relax=0.0).solve(G16_TARGET)
    raised = arm.turn(0)
    for _ in range(5):
        arm.solve((0.15, -0.4, 0.1))
        assert arm.turn(0) == pytest.approx(raised, abs=1e-12)
        assert arm.miss < 1e-9


def test_a_held_clavicle_relaxes():  # A0.10: with a rate
    arm = Limb(G16_BODY, clavicle="hold", clavicle_relax=0.1).solve(G16_TARGET)
    turns = [arm.turn(0), *(arm.solve((0.15, -0.4, 0.1)).turn(0) for _ in range(5))]
    lift = [2.0 * math.acos(turn[0]) for turn in turns]
    assert [b / a for a, b in pairwise(lift)] == pytest.approx([0.9] * 5, abs=1e-9)


def test_a_resting_clavicle_remembers_nothing():  # A0.10: default
    arm = Limb(G16_BODY).solve(G16_TARGET).solve((0.15, -0.4, 0.1))
    assert tuple(arm.turn(0)) == IDENTITY


# --- laws -----------------------------------------------------------------------------------------

bones = st.tuples(st.floats(0.1, 0.6), st.floats(0.1, 0.6))
limbs = st.sampled_from([L_ARM, R_ARM, L_LEG])


@given(
    bones, limbs, directions(), st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 1e-9, 1.0]))
)
def test_what_is_reachable_is_reached(lengths, limb, direction, part):  # S0.1, S0.23, S0.24
    upper, lower = lengths
    nearest = abs(upper - lower)
    distance = nearest + part * (upper + lower - nearest)
    solved = Limb(limb_body(upper, lower), limb).solve(distance * np.array(direction))
    assert solved.miss < 1e-6
    assert not solved.flags & (LIMITED << limb)


@given(bones, limbs, directions(), st.floats(0.0, 5.0))
def test_an_unlimited_limb_comes_as_near_as_its_bones_allow(lengths, limb, direction, distance):
    upper, lower = lengths
    solved = Limb(limb_body(upper, lower), limb).solve(distance * np.array(direction))
    best = max(0.0, distance - (upper + lower), abs(upper - lower) - distance)
    assert solved.miss == pytest.approx(best, abs=1e-6)


@given(limbs, directions(), st.floats(0.0, 1.5))
def test_hinges_turn_about_one_axis_and_one_way(limb, direction, distance):  # S0.32
    body = held_body(limb, hinge=KNEE if limb == L_LEG else ELBOW)
    solved = Limb(body, limb).solve(distance * np.array(direction))
    _, _, y, z = solved.turn(2)
    assert (y, z) == (0.0, 0.0)
    sign = 1.0 if limb == L_LEG else -1.0
    assert -1e-9 <= sign * solved.flexion <= math.radians(145.0) + 1e-9
    assert max(solved.violations()) == 0.0


@given(directions(), st.floats(0.0501, 0.5499))
def test_without_limits_elbows_bend_forwards_and_knees_backwards(direction, distance):  # A0.15
    target = distance * np.array(direction)
    assert Limb(ARM).solve(target).flexion <= 1e-9
    assert Limb(limb_body(0.30, 0.25), L_LEG).solve(target).flexion >= -1e-9


@given(st.sampled_from([(ARM_HELD, L_ARM), (LEG_HELD, L_LEG)]), directions(), st.floats(0.0, 1.2))
def test_turn_and_flexion_make_up_for_a_clamped_root(held, direction, distance):  # S0.27
    body, limb = held
    row = limb_row(body, limb, 1)
    aim = tuple((distance * np.array(direction)).tolist())
    upper, lower = body.bones[limb]
    state = memory()
    free = limb_aim(settings(), state, limb, body.bend[limb], upper, lower, aim)
    clamped = limit_project(body.limits, row, free)
    _, _, miss, _ = limb_finish(body.body, body.limits, limb, row, clamped, aim)
    straight = arrays.rotate(np.array(clamped), np.array((0.0, -(upper + lower), 0.0)))
    assert miss <= np.linalg.norm(straight - aim) + 1e-9
    # And no flexion within its range would do better.
    held_turn, hinge, _, _ = limb_finish(body.body, body.limits, limb, row, clamped, aim)
    knee = arrays.rotate(np.array(held_turn), np.array((0.0, -upper, 0.0)))
    limit = KNEE if limb == L_LEG else ELBOW
    angles = np.linspace(limit.low, limit.high, 200)
    shank = np.stack([0 * angles, -lower * np.cos(angles), -lower * np.sin(angles)], axis=-1)
    ends = knee + arrays.rotate(np.array(held_turn), shank)
    assert miss <= np.linalg.norm(ends - aim, axis=-1).min() + 1e-9
    assert limit.low <= hinge <= limit.high


@given(st.lists(st.tuples(directions(), st.floats(0.0, 1.0)), min_size=2, max_size=6), st.randoms())
def test_swivel_does_not_depend_on_frames_before(targets, random):  # S0.26
    body = held_body(L_ARM)
    frames = [distance * np.array(direction) for direction, distance in targets]

    def solved(order):
        arm = Limb(body)
        return {k: (*arm.solve(frames[k]).turn(1), *arm.turn(2)) for k in order}

    order = list(range(len(frames)))
    shuffled = list(order)
    random.shuffle(shuffled)
    assert solved(order) == solved(shuffled)


@given(directions(), st.floats(0.05, 0.54))
def test_limits_are_reported_where_they_bind(direction, distance):
    target = distance * np.array(direction)
    free, held = Limb(ARM).solve(target), Limb(ARM_HELD).solve(target)
    same = all(np.allclose(free.turn(k), held.turn(k), atol=1e-12) for k in (1, 2))
    assert bool(held.flags & (LIMITED << L_ARM)) != same
    assert same or held.miss >= free.miss - 1e-12


@pytest.mark.parametrize("limb", [L_ARM, L_LEG])
@pytest.mark.parametrize("body", [ARM, limb_body(0.25, 0.30), limb_body(0.3, 0.3)])
def test_target_at_the_root(body, limb):
    solved = Limb(body, limb).solve((0.0, 0.0, 0.0))
    assert np.isfinite(solved.work.local).all()
    assert solved.miss == pytest.approx(abs(body.bones[0, 0] - body.bones[0, 1]), abs=1e-9)


def test_a_straight_limb_does_not_feel_the_end_of_its_hinge():
    rng = np.random.default_rng(0)
    for _ in range(50):
        direction = np.array((0.0, -1.0, 0.0)) + 0.05 * rng.normal(size=3)
        target = 0.55 * direction / np.linalg.norm(direction)
        assert not Limb(ARM_HELD).solve(target).flags & (LIMITED << L_ARM)


@pytest.mark.parametrize("limb", [L_ARM, L_LEG])
@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-9, 1e-6])
def test_straight_limb(limb, gap):
    for direction in (X, Z, (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.6, 0.0, 0.8)):
        target = (0.55 - gap) * np.array(direction)
        assert Limb(ARM, limb).solve(target).miss < 1e-6


@given(directions(), st.floats(0.1, 0.53), spans(1e-7))
def test_a_little_more_of_the_target_turns_a_little_more(direction, distance, small):
    # Except near straight up, where the swivel is open (A0.16), and at the root.
    assume(direction[1] < 0.9)
    target = distance * np.array(direction)
    here = Limb(ARM).solve(target)
    there = Limb(ARM).solve(np.array(target) + small)
    assert arrays.angle_between(here.turn(1), there.turn(1)) < 1e-4


# --- options --------------------------------------------------------------------------------------


def overhead(frames=40):
    """A hand that trembles around straight up, within two degrees."""
    turn = np.linspace(0.0, 4.0 * np.pi, frames)
    tremble = 0.01 * np.stack([np.cos(turn), 0.0 * turn, np.sin(turn)], axis=-1)
    return np.array((0.0, 0.4, 0.0)) + tremble


def test_overhead_hysteresis_keeps_the_elbow_calm():  # A0.16
    start = (0.0, 0.35, 0.2)  # comes up from the front
    calm, nervous = (Limb(ARM, overhead_hysteresis=on).solve(start) for on in (True, False))
    steps = {}
    for arm in (calm, nervous):
        elbows = [arm.solve(target).elbow for target in overhead()]
        steps[arm] = max(np.linalg.norm(b - a) for a, b in pairwise(elbows))
        assert arm.miss < 1e-9
    assert steps[nervous] > 0.05
    assert steps[calm] < 0.02


def test_overhead_hysteresis_keeps_the_way_the_arm_came_up():  # A0.16
    for start in ((0.0, 0.3, 0.25), (0.25, 0.3, 0.0), (0.2, 0.3, 0.2)):
        arm = Limb(ARM, overhead_hysteresis=True).solve(start)
        before = arm.elbow
        heading = [
            np.array(start) * (1.0 - t) + np.array((0, 0.4, 0)) * t for t in np.linspace(0, 1, 50)
        ]
        for target in heading:
            arm.solve(target)
            assert np.linalg.norm(arm.elbow - before) < 0.02
            before = arm.elbow


@given(directions(), st.floats(0.1, 0.54))
@effort(max_examples=10)
def test_swivel_search_reaches_no_less(direction, distance):
    target = distance * np.array(direction)
    neutral, search = Limb(ARM_HELD), Limb(ARM_HELD, swivel="search")
    for _ in range(40):  # it eases to its place
        search.solve(target)
    assert search.solve(target).miss <= neutral.solve(target).miss + 1e-9
    assert max(search.violations()) == 0.0


def test_swivel_search_reaches_where_the_neutral_swivel_cannot():
    target = (-0.25, -0.1, 0.25)  # across the chest: the neutral swivel turns the arm too far
    neutral = Limb(ARM_HELD).solve(target)
    search = Limb(ARM_HELD, swivel="search")
    for _ in range(60):
        search.solve(target)
    assert neutral.miss > 0.02
    assert search.miss < 0.5 * neutral.miss


def test_swivel_search_leaves_a_limb_alone_that_reaches():
    search, neutral = Limb(ARM_HELD, swivel="search"), Limb(ARM_HELD)
    target = (0.1, -0.4, 0.2)
    assert neutral.solve(target).miss < MISS * human().height
    assert np.array_equal(search.solve(target).work.local, neutral.work.local)


def test_collisions_push_the_elbow_out():  # S0.36: and the wrist stays on its target
    frame = standing()
    frame[2] = (0.02, 0.25, 0.22)  # left hand before the belly
    inside, outside = Plain(collisions=False).solve(frame), Plain(collisions=True).solve(frame)
    flag = COLLIDED << L_ARM
    assert (inside.flags & flag, outside.flags & flag) == (0, flag)
    assert np.linalg.norm(outside.ends[2] - frame[2]) < 1e-6


def test_limb_ends_where_forward_kinematics_says():
    frame = standing()
    frame[2:] += ((0.1, 0.3, 0.2), (-0.2, 0.1, 0.3), (0.0, 0.1, 0.3), (0.1, 0.05, 0.0))
    solved = Plain(human(True)).solve(frame)
    moves = HUMAN.offsets.copy()
    moves[0] = solved.out.root[0]
    positions, _ = arrays.forward(HUMAN.parents, moves, solved.out.rotations[0])
    nodes = [HUMAN.anatomy.node(role) for role in ("pelvis", "head", "l_wrist", "r_wrist")]
    assert positions[nodes] == pytest.approx(solved.ends[:4], abs=1e-12)


def test_level_feet_keep_the_sole_level():
    """As far as an ankle goes, and not at all when the shank lies down."""
    up = np.array((0.0, 1.0, 0.0))

    def sole(shank):
        return arrays.rotate(arrays.multiply(np.array(shank), np.array(level_foot(shank))), up)

    for degrees in (-40.0, -10.0, 0.0, 15.0):
        assert sole(turned_about(X, degrees)) == pytest.approx(up, abs=1e-12)
    assert level_foot(turned_about(X, 90.0)) == IDENTITY
    bent = sole(turned_about(X, 40.0))  # a deep crouch: the heel comes off the ground
    assert math.degrees(angle(bent, up)) == pytest.approx(40.0 - 20.0, abs=1e-9)


def test_level_feet_leave_everything_else_alone():
    frame = standing()
    frame[0, 1] -= 0.1
    level, plain = Plain(feet="level").solve(frame), Plain().solve(frame)
    assert np.array_equal(level.ends, plain.ends)
    changed = np.abs(level.out.rotations - plain.out.rotations).max(axis=(0, 2)) > 0.0
    assert {HUMAN.names[j] for j in np.flatnonzero(changed)} == {"l_ankle", "r_ankle"}


# --- feet -----------------------------------------------------------------------------------------


@given(st.floats(-180.0, 180.0), st.floats(-19.0, 44.0), st.floats(-14.0, 14.0))
def test_a_level_foot_keeps_its_sole_on_the_ground(heading, forward, sideways):
    shank = arrays.multiply(
        arrays.from_axis_angle(Y, np.radians(heading)),
        arrays.from_rotvec(np.radians((-forward, 0.0, sideways))),
    )
    foot = arrays.multiply(shank, np.array(level_foot(tuple(shank))))
    tilt = angle(arrays.rotate(foot, np.array(Y)), np.array(Y))
    assert tilt < 1e-9 or abs(sideways) > 13.0 or forward < -18.0 or forward > 43.0
    # And it looks where the shin looks.
    ahead, shin = (arrays.rotate(q, np.array(Z)) * (1.0, 0.0, 1.0) for q in (foot, shank))
    assert angle(ahead, shin) < np.radians(12.0)


@given(directions(), st.floats(0.0, 180.0))
def test_a_level_foot_stays_within_the_range_of_ankles(axis, degrees):
    shank = arrays.from_axis_angle(axis, np.radians(degrees))
    pitch, roll, yaw = arrays.to_euler("XZY", np.array(level_foot(tuple(shank))))
    assert -np.radians(20.001) <= pitch <= np.radians(45.001)
    assert abs(roll) <= np.radians(15.001)
    assert abs(yaw) < 1e-12


def test_a_foot_in_the_air_is_neutral():
    for lying in (80.0, 90.0, 180.0):
        assert level_foot(tuple(arrays.from_axis_angle(X, np.radians(lying)))) == IDENTITY
    assert level_foot(IDENTITY) == pytest.approx(IDENTITY)


def test_a_level_foot_eases_between_standing_and_lying():
    turns = [
        np.array(level_foot(tuple(arrays.from_axis_angle(X, np.radians(lean)))))
        for lean in np.arange(-90.0, 90.0, 0.5)
    ]
    steps = [float(arrays.angle_between(a, b)) for a, b in pairwise(turns)]
    assert max(steps) < np.radians(2.0)


def test_level_feet_move_only_feet():
    frame = standing()
    frame[0:2] += (0.0, -0.03, 0.0)  # knees a little bent
    neutral, level = (Plain(human(True), feet=feet).solve(frame) for feet in ("neutral", "level"))
    ankles = [HUMAN.index("l_ankle"), HUMAN.index("r_ankle")]
    rest = [j for j in range(HUMAN.joint_count) if j not in ankles]
    a, b = neutral.out.rotations[0], level.out.rotations[0]
    assert np.array_equal(a[rest], b[rest])
    assert np.array_equal(neutral.ends, level.ends)
    assert np.array_equal(a[ankles], arrays.identity(2))
    moves = np.concatenate([level.out.root, HUMAN.offsets[1:]])
    _, world = arrays.forward(HUMAN.parents, moves, b)
    for ankle in ankles:
        sole = arrays.rotate(world[ankle], np.array(Y))
        assert angle(sole, np.array(Y)) < np.radians(1.0)
