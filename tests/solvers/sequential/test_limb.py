"""Arms and legs of sequential IK, against the numbers and claims of the SIK paper."""

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
from sixpoint.limits import FlexionLimit, SwingTwistLimit
from sixpoint.solvers.context import COLLIDED, LIMITED, UNREACHABLE
from sixpoint.solvers.sequential.limb import MISS, LimbBase, limb_aim, limb_finish, triangle_angle
from strategies import directions, spans

from ..bodies import (
    HUMAN,
    IDENTITY,
    L_ARM,
    L_LEG,
    ORIGIN,
    R_ARM,
    Limb,
    Plain,
    angle,
    context,
    human,
    limb_body,
    limb_row,
    standing,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ARM = limb_body(0.30, 0.25)
LEG = limb_body(0.42, 0.40)
TARGET = (0.05, -0.25, 0.35)
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


def test_swivel_circle_of_two_bones():
    upper, lower = 0.30, 0.25
    target = np.array(TARGET)
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


def test_arm():
    arm = Limb(ARM).solve(TARGET)
    assert math.degrees(triangle_angle(0.30, 0.4330127, 0.25)) == pytest.approx(34.1536, abs=1e-4)
    assert arm.elbow == pytest.approx((0.038632, -0.279469, 0.102003), abs=1e-6)
    assert math.degrees(arm.flexion) == pytest.approx(-76.5066, abs=1e-4)
    assert arm.miss < 1e-12
    assert arm.flags == 0


def test_swivel_of_the_arm():  # against straight down
    arm = Limb(ARM).solve(TARGET)
    aim = np.array(TARGET) / np.linalg.norm(TARGET)
    down = -np.array(Y) + aim[1] * aim
    across = arm.elbow - (arm.elbow @ aim) * aim
    assert math.degrees(angle(across, down)) == pytest.approx(8.130102, abs=1e-6)


def test_leg():
    leg = Limb(LEG, L_LEG).solve((0.05, -0.70, 0.15))
    assert leg.elbow == pytest.approx((0.024334, -0.319699, 0.271294), abs=1e-6)
    assert math.degrees(leg.flexion) == pytest.approx(57.8899, abs=1e-4)
    assert leg.miss < 1e-12
    # Aligning +Z would turn the thigh by half a turn.
    front = arrays.rotate(leg.turn(1), np.array(Z))
    assert front[2] > 0.5


def test_unreachable_arm_points_at_its_target():
    target = np.array((0.3, -0.3, 0.5))
    arm = Limb(ARM).solve(target)
    assert arm.end == pytest.approx((0.251623, -0.251623, 0.419371), abs=1e-6)
    assert arm.miss == pytest.approx(0.105744, abs=1e-6)
    assert arm.flexion == pytest.approx(0.0, abs=1e-6)
    assert angle(arm.end, target) < 1e-9
    assert arm.flags == UNREACHABLE << L_ARM


def test_arm_straight_up():  # about X, so that the elbow comes forward
    arm = Limb(ARM).solve((0.0, 0.4, 0.0))
    assert arm.elbow == pytest.approx((0.0, 0.234375, 0.187265), abs=1e-6)
    assert arm.miss < 1e-12


def test_left_and_right_mirror_each_other():
    left = Limb(ARM, L_ARM).solve((0.1, -0.2, 0.3))
    right = Limb(ARM, R_ARM).solve((-0.1, -0.2, 0.3))
    assert left.elbow * (-1.0, 1.0, 1.0) == pytest.approx(right.elbow, abs=1e-15)


# --- laws -----------------------------------------------------------------------------------------

bones = st.tuples(st.floats(0.1, 0.6), st.floats(0.1, 0.6))
limbs = st.sampled_from([L_ARM, R_ARM, L_LEG])


@given(
    bones, limbs, directions(), st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 1e-9, 1.0]))
)
def test_what_is_reachable_is_reached(lengths, limb, direction, part):
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
def test_hinges_turn_about_one_axis_and_one_way(limb, direction, distance):
    body = held_body(limb, hinge=KNEE if limb == L_LEG else ELBOW)
    solved = Limb(body, limb).solve(distance * np.array(direction))
    _, _, y, z = solved.turn(2)
    assert (y, z) == (0.0, 0.0)
    sign = 1.0 if limb == L_LEG else -1.0
    assert -1e-9 <= sign * solved.flexion <= math.radians(145.0) + 1e-9
    assert max(solved.violations()) == 0.0


@given(directions(), st.floats(0.0501, 0.5499))
def test_without_limits_elbows_bend_forwards_and_knees_backwards(direction, distance):
    target = distance * np.array(direction)
    assert Limb(ARM).solve(target).flexion <= 1e-9
    assert Limb(limb_body(0.30, 0.25), L_LEG).solve(target).flexion >= -1e-9


@given(st.sampled_from([(ARM_HELD, L_ARM), (LEG_HELD, L_LEG)]), directions(), st.floats(0.0, 1.2))
def test_turn_and_flexion_make_up_for_a_clamped_root(held, direction, distance):
    body, limb = held
    c = context(body)
    row = limb_row(body, limb, 0)
    aim = tuple((distance * np.array(direction)).tolist())
    upper, lower = body.bones[limb]
    base = LimbBase(limb, row, IDENTITY, ORIGIN, aim)
    clamped = limit_project(body.limits, row + 1, limb_aim(c, limb, aim))
    held_turn, hinge, miss, _ = limb_finish(c, base, clamped)
    straight = arrays.rotate(np.array(clamped), np.array((0.0, -(upper + lower), 0.0)))
    assert miss <= np.linalg.norm(straight - aim) + 1e-9
    # And no flexion within its range would do better.
    knee = arrays.rotate(np.array(held_turn), np.array((0.0, -upper, 0.0)))
    limit = KNEE if limb == L_LEG else ELBOW
    angles = np.linspace(limit.low, limit.high, 200)
    shank = np.stack([0 * angles, -lower * np.cos(angles), -lower * np.sin(angles)], axis=-1)
    ends = knee + arrays.rotate(np.array(held_turn), shank)
    assert miss <= np.linalg.norm(ends - aim, axis=-1).min() + 1e-9
    assert limit.low <= hinge <= limit.high


@given(st.lists(st.tuples(directions(), st.floats(0.0, 1.0)), min_size=2, max_size=6), st.randoms())
def test_swivel_does_not_depend_on_frames_before(targets, random):
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
    # Except near straight up, where the swivel is open, and at the root.
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


def test_overhead_hysteresis_keeps_the_elbow_calm():
    start = (0.0, 0.35, 0.2)  # comes up from the front
    calm, nervous = (Limb(ARM, overhead_hysteresis=on).solve(start) for on in (True, False))
    steps = {}
    for arm in (calm, nervous):
        elbows = [arm.solve(target).elbow for target in overhead()]
        steps[arm] = max(np.linalg.norm(b - a) for a, b in pairwise(elbows))
        assert arm.miss < 1e-9
    assert steps[nervous] > 0.05
    assert steps[calm] < 0.02


def test_overhead_hysteresis_keeps_the_way_the_arm_came_up():
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


def test_collisions_push_the_elbow_out():  # and the wrist stays on its target
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
