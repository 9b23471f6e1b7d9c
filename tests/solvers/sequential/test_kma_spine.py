"""The spine of KMA by cyclic coordinate descent: sweeps, limits, stop rule, shared error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from sixpoint.kernels import arrays
from sixpoint.kernels.limits import limit_violation
from sixpoint.kernels.types import Quat, Vec3
from sixpoint.limits import FixedLimit
from sixpoint.solvers import KMASolver
from sixpoint.solvers.context import OUT_OF_STEPS, SPINE_LIMITED, SPINE_STRETCHED
from sixpoint.solvers.sequential.kma import (
    solve_spine_ccd,
    spine_sweep,
    stand_spine,
    turn_head,
)
from sixpoint.solvers.sequential.trunk import spine_forward
from strategies import directions

from ..bodies import (
    CURVED_BODY,
    CURVED_SPINE,
    IDENTITY,
    ORIGIN,
    STIFF_BODY,
    Figure,
    context,
    settings,
    spine_body,
    straight_spine,
    turned_about,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LENGTH = float(np.linalg.norm(CURVED_SPINE, axis=1).sum())
NEUTRAL = float(np.linalg.norm(CURVED_SPINE.sum(axis=0)))


class Spine:
    """A spine swept once or until the stop rule ends it, from the standing pose."""

    def __init__(self, body: Figure, **changed) -> None:
        self.body = body
        self.settings = settings(kind=KMASolver, **changed)
        self.context = context(body, self.settings)
        self.work = self.context.work
        self.stand(IDENTITY)

    def stand(self, pelvis: Quat, head: Quat | None = None) -> Spine:
        stand_spine(self.context, pelvis, head or IDENTITY, head is not None)
        return self

    def solve(self, head: Vec3, pelvis: Vec3 = ORIGIN) -> Spine:
        self.work.points[0], self.work.points[1] = pelvis, head
        self.steps, self.flags = solve_spine_ccd(self.context)
        self.misses = np.linalg.norm(self.places[[0, -1]] - (pelvis, head), axis=-1)
        return self

    @property
    def places(self) -> np.ndarray:
        return self.work.places[: self.body.joints].copy()

    @property
    def local(self) -> np.ndarray:
        return self.work.local[: self.body.joints].copy()

    def violation(self) -> float:
        rows = range(1, self.body.joints)
        limits = self.body.limits
        return max(limit_violation(limits, k, tuple(self.work.local[k])) for k in rows)


# --- one sweep ------------------------------------------------------------------------------------


def test_sweep_of_the_planar_chain():
    # The pelvis, and three hinges at unit distances in the plane X-Y; the first at the pelvis.
    c = context(spine_body([ORIGIN, X, X, X]), settings(kind=KMASolver))
    for k, theta in enumerate((0.0, 0.3, 0.5, 0.4)):
        c.work.trial[k] = arrays.from_axis_angle(Z, theta)
    target = (1.5, 1.8, 0.0)
    assert spine_forward(c, ORIGIN) == pytest.approx((2.014401, 1.944915, 0.0), abs=1e-6)
    assert not spine_sweep(c, target)
    angles = 2.0 * np.arctan2(c.work.trial[1:4, 3], c.work.trial[1:4, 0])
    assert angles == pytest.approx((0.276473, 0.442642, 0.961609), abs=1e-6)
    assert np.linalg.norm(np.subtract(target, spine_forward(c, ORIGIN))) == pytest.approx(
        0.163556, abs=1e-6
    )
    spine_sweep(c, target)
    assert np.linalg.norm(np.subtract(target, spine_forward(c, ORIGIN))) == pytest.approx(
        0.083870, abs=1e-6
    )


@given(directions(), st.floats(0.0, 2.0))
def test_a_sweep_never_makes_it_worse(direction, distance):
    spine = Spine(CURVED_BODY)
    goal = (distance * direction[0], distance * direction[1], distance * direction[2])
    before = np.subtract(goal, spine_forward(spine.context, ORIGIN))
    spine_sweep(spine.context, goal)
    after = np.subtract(goal, spine_forward(spine.context, ORIGIN))
    assert np.linalg.norm(after) <= np.linalg.norm(before) + 1e-12


def test_the_head_bends_first():  # why it looks like a snake
    spine = Spine(straight_spine(6, 0.1)).solve((0.0, 0.42, 0.2))
    turned = arrays.angle_between(spine.local, arrays.identity(6))
    assert turned[0] == 0.0
    assert (np.diff(turned[1:5]) > 0.05).all()  # each joint bends more than the one below it


def test_a_head_on_the_line_of_the_spine_is_a_dead_end():  # all that turns is turned round, about X
    spine = Spine(straight_spine(5, 0.1)).solve((0.0, -0.1, 0.0))
    assert spine.flags == 0
    assert np.abs(spine.places[:, [0, 2]]).max() < 1e-12
    assert np.isfinite(spine.local).all()


# --- limits, the stop rule, the shared error ------------------------------------------------------


@given(directions(), st.floats(0.0, 3.0))
def test_limits_are_kept_and_the_error_is_shared(direction, distance):
    head = (distance * direction[0], distance * direction[1], distance * direction[2])
    for body in (CURVED_BODY, STIFF_BODY):
        spine = Spine(body).solve(head)
        assert np.isfinite(spine.places).all()
        assert spine.violation() < 1e-9
        assert spine.misses[0] == pytest.approx(spine.misses[1], abs=1e-12)
        assert spine.local[0] == pytest.approx(IDENTITY)  # the pelvis keeps its rotation
        bones = np.linalg.norm(np.diff(spine.places, axis=0), axis=-1)
        assert bones == pytest.approx(np.linalg.norm(CURVED_SPINE, axis=1), abs=1e-12)


@effort(max_examples=50)
@given(directions(), st.floats(0.3, 0.9))
def test_reachable_heads_are_reached(direction, part):  # without limits, with patience
    middle = CURVED_SPINE[0]  # the first segment goes with the pelvis
    reach = LENGTH - np.linalg.norm(middle)
    head = tuple(middle + part * reach * np.array(direction))
    spine = Spine(CURVED_BODY, iterations=1000, least_gain=0.0).solve(head)
    near = spine.settings.tolerance * CURVED_BODY.height
    assert spine.misses.max() <= near or spine.steps == 1000
    assert spine.misses.max() < 4.0 * near


def test_a_head_that_is_near_needs_no_sweep():  # 1 cm
    near = 0.01 / 1.83 * CURVED_BODY.height
    neutral = CURVED_SPINE.sum(axis=0)
    for off, steps in ((0.99 * near, 0), (1.01 * near, 1)):
        spine = Spine(CURVED_BODY).solve(tuple(neutral + off * np.array(X)))
        assert spine.steps == steps
        assert spine.flags == 0
    assert spine.misses.max() < near


def test_too_little_gain_ends_it():  # 1 mm
    spine = Spine(STIFF_BODY).solve((0.0, 0.0, 0.5))
    assert 1 < spine.steps < 20
    assert spine.flags & SPINE_LIMITED
    assert not spine.flags & OUT_OF_STEPS


def test_the_budget_ends_it():  # 20 sweeps
    hurried, patient = (
        Spine(straight_spine(5, 0.1), iterations=most).solve((0.0, -0.1, 0.15)) for most in (2, 20)
    )
    assert (hurried.steps, hurried.flags) == (2, OUT_OF_STEPS)
    assert 2 < patient.steps < 20
    assert patient.misses.max() < hurried.misses.max()
    assert KMASolver().iterations == 20


def test_a_head_out_of_reach():
    head = (0.0, LENGTH + 0.4, 0.0)
    spine = Spine(CURVED_BODY).solve(head)
    assert spine.flags & SPINE_STRETCHED
    assert np.linalg.norm(spine.places[-1] - spine.places[0]) > NEUTRAL
    assert spine.misses[0] == pytest.approx(spine.misses[1])


def test_everything_at_one_place():
    spine = Spine(CURVED_BODY).solve(ORIGIN)
    assert np.isfinite(spine.local).all()
    assert np.linalg.norm(spine.local, axis=-1) == pytest.approx(1.0)


@pytest.mark.parametrize("joints", [2, 3])
def test_spines_of_few_joints(joints):
    spine = Spine(straight_spine(joints, 0.2)).solve((0.1, 0.2, 0.0))
    assert np.isfinite(spine.places).all()
    assert spine.misses[0] == pytest.approx(spine.misses[1], abs=1e-12)


def test_size_does_not_matter():
    small, large = (
        Spine(spine_body(size * CURVED_SPINE)).solve((0.0, 0.4 * size, 0.25 * size))
        for size in (1.0, 2.0)
    )
    assert small.steps == large.steps
    assert small.local == pytest.approx(large.local, abs=1e-12)


# --- rotations that are known ---------------------------------------------------------------------


def test_the_twist_of_the_head_is_shared():
    body = spine_body(CURVED_SPINE, lumbar=(1, 2))
    spine = Spine(body).stand(IDENTITY, turned_about(Y, 30.0))
    twists = 2.0 * np.arctan2(spine.work.trial[:6, 2], spine.work.trial[:6, 0])
    assert np.degrees(twists) == pytest.approx((0.0, 0.0, 0.0, 10.0, 10.0, 0.0), abs=1e-9)
    spine.solve((0.0, 0.5, 0.1))
    turn_head(spine.context, turned_about(Y, 30.0))
    assert spine.work.world[5] == pytest.approx(turned_about(Y, 30.0), abs=1e-12)


def test_a_head_turns_only_as_far_as_it_can():
    stiff = spine_body(CURVED_SPINE, {5: FixedLimit()})
    spine = Spine(stiff).solve((0.0, 0.5, 0.1))
    before = spine.work.world[4].copy()
    turn_head(spine.context, turned_about(Y, 90.0))
    assert spine.work.local[5] == pytest.approx(IDENTITY)
    assert spine.work.world[5] == pytest.approx(before)


def test_the_pelvis_carries_the_spine():
    pelvis = turned_about((0.6, 0.0, 0.8), 40.0)
    still, moved = Spine(CURVED_BODY), Spine(CURVED_BODY).stand(pelvis)
    head, base = np.array((0.1, 0.4, 0.2)), np.array((1.0, 2.0, 3.0))
    still.solve(tuple(head))
    moved.solve(tuple(arrays.rotate(np.array(pelvis), head) + base), tuple(base))
    assert moved.local[1:] == pytest.approx(still.local[1:], abs=1e-12)
    expected = arrays.rotate(np.array(pelvis), still.places) + base
    assert moved.places == pytest.approx(expected, abs=1e-12)
