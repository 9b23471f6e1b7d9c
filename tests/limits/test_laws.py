"""Laws that every kind of limit obeys. A new kind joins by a strategy in `LIMITS`."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.limits import (
    EulerBoxLimit,
    FixedLimit,
    FlexionLimit,
    JointLimit,
    SwingTwistLimit,
)
from sixpoint.motion.mirror import REFLECT_ROTATION
from strategies import bases, directions, rotation_arrays, rotations

TURN = 2.0 * math.pi
angles = st.floats(-180.0, 180.0)
intervals = st.tuples(angles, angles).map(lambda pair: (min(pair), max(pair)))


@st.composite
def swing_twists(draw) -> SwingTwistLimit:
    bone, e1, e2 = draw(bases())
    steps = np.cumsum(draw(st.lists(st.floats(0.1, 1.0), min_size=1, max_size=8)))
    thetas = [-180.0, *(360.0 * steps / steps[-1] - 180.0).tolist()[:-1], 180.0]
    amplitudes = draw(st.lists(st.floats(0.0, 180.0), min_size=len(steps), max_size=len(steps)))
    return SwingTwistLimit.degrees(
        bone,
        e1,
        e2 if draw(st.booleans()) else tuple(-c for c in e2),
        dict(zip(thetas, [*amplitudes, amplitudes[0]], strict=True)),
        draw(intervals),
        draw(st.sampled_from(["clamped", "periodic", "pchip"])),
    )


frames = st.one_of(st.just((1.0, 0.0, 0.0, 0.0)), rotations())


@st.composite
def euler_boxes(draw) -> EulerBoxLimit:
    order = draw(st.sampled_from(["XYZ", "ZYZ"]))
    # Wide, narrow and empty intervals of the middle angle, at its ends and across them too.
    end = st.one_of(
        st.floats(0.0, 180.0), st.sampled_from([0.0, 1e-4, 1e-3, 90.0, 179.999, 179.9999, 180.0])
    )
    low, high = sorted(draw(st.tuples(end, end)))
    middle = (low, high) if order == "ZYZ" else (low - 90.0, high - 90.0)
    outer = st.one_of(intervals, st.just((-180.0, 180.0)), angles.map(lambda a: (a, a)))
    return EulerBoxLimit.degrees(
        order, (draw(outer), middle, draw(outer)), draw(frames), draw(frames)
    )


LIMITS = {
    "swing_twist": swing_twists(),
    "flexion": st.builds(
        lambda i, axis, q: FlexionLimit.degrees(*i, axis, q), intervals, directions(), frames
    ),
    "fixed": st.builds(FixedLimit, frames),
    "euler_box": euler_boxes(),
}
limits = st.one_of(*LIMITS.values())


def same(a, b, atol: float) -> bool:
    return bool((arrays.angle_between(np.asarray(a), np.asarray(b)) <= atol).all())


def is_ambiguous(limit: JointLimit, q) -> bool:
    """Midway between both ends of an interval, where the bone points backwards, or in a lock.

    A side has to be taken there: mirrored rotations may take the other.
    """
    row = limit.row()
    inner = arrays.multiply(arrays.conjugate(np.array(row.before)), np.array(q))
    if isinstance(limit, EulerBoxLimit):
        phi, psi, theta = arrays.to_zyz(
            arrays.multiply(inner, arrays.conjugate(np.array(row.after)))
        )
        ways = [math.remainder(a - 0.5 * sum(row.box[k]), TURN) for k, a in ((0, phi), (2, theta))]
        return not 3e-5 < psi < math.pi - 3e-5 or max(map(abs, ways)) > math.pi - 1e-6
    bone = row.frame[0]
    turned = float(arrays.rotate(inner, bone) @ bone)
    opposite = 2.0 * math.atan2(inner[1:] @ bone, inner[0]) - 0.5 * sum(row.interval)
    return turned < -1.0 + 1e-6 or abs(math.remainder(opposite, TURN)) > math.pi - 1e-6


def test_every_kind_has_laws():
    assert set(LIMITS) == set(JointLimit.kinds)


@st.composite
def cases(draw) -> tuple[JointLimit, np.ndarray]:
    """A limit, and any rotation or one at the edges of what the limit measures."""
    limit = draw(limits)
    if not (isinstance(limit, EulerBoxLimit) and draw(st.booleans())):
        return limit, np.array(draw(rotations()))
    step = st.sampled_from([0.0, 1e-12, 1e-9, 1e-7, 1e-5, 2e-5, 1e-2, math.pi])
    ends = [draw(st.sampled_from(pair)) for pair in limit.row().box]
    ends[1] = draw(st.sampled_from([ends[1], 0.0, math.pi]))
    near = [end + draw(step) * draw(st.sampled_from([-1.0, 1.0])) for end in ends]
    inner = arrays.from_euler("ZYZ", np.array(near))
    row = limit.row()
    q = arrays.multiply(arrays.multiply(np.array(row.before), inner), np.array(row.after))
    return limit, arrays.normalize(q)


@given(cases())
def test_projection_lands_inside_and_stays(case):
    limit, q = case
    held = limit.project(q)
    assert limit.contains(held)
    assert np.array_equal(limit.project(held), held)


@given(cases())
def test_violation_is_zero_just_inside_where_nothing_moves(case):
    limit, q = case
    inside = bool(limit.contains(q))
    assert (limit.violation(q) == 0.0) == inside
    assert np.array_equal(limit.project(q), q) == inside
    assert limit.violation(q) >= 0.0


@given(cases())
def test_both_signs_are_one_rotation(case):
    limit, q = case
    flipped = -np.array(q)
    # On the seam of theta the last bit may differ.
    assert limit.violation(flipped) == pytest.approx(limit.violation(q), abs=1e-13)
    assert limit.contains(flipped) == limit.contains(q)
    assert same(limit.project(flipped), limit.project(q), 1e-7)


@given(limits, st.integers(0, 2**32 - 1))
def test_samples_are_inside(limit, seed):
    samples = limit.sample(np.random.default_rng(seed), 20)
    assert samples.shape == (20, 4)
    assert limit.contains(samples).all()
    assert limit.sample(np.random.default_rng(seed)).shape == (4,)


@given(limits)
def test_mirroring_twice_gives_it_back(limit):
    assert limit.mirror().mirror() == limit


@given(limits, rotations())
def test_mirror_commutes_with_projection(limit, q):
    assume(not is_ambiguous(limit, q))
    mirrored = np.array(q) * REFLECT_ROTATION
    assert limit.mirror().violation(mirrored) == pytest.approx(limit.violation(q), abs=1e-8)
    assert same(limit.mirror().project(mirrored), limit.project(q) * REFLECT_ROTATION, 1e-7)


@given(limits)
def test_a_dictionary_gives_back_the_same_limit(limit):
    text = json.dumps(limit.as_dict())
    assert JointLimit.from_dict(json.loads(text)) == limit
    assert hash(JointLimit.from_dict(json.loads(text))) == hash(limit)


@given(limits, rotation_arrays(2, 3))
def test_arrays_and_single_rotations_agree_to_the_bit(limit, q):
    held, violation = limit.project(q), limit.violation(q)
    assert held.shape == (2, 3, 4)
    assert violation.shape == (2, 3)
    for at in np.ndindex(2, 3):
        assert np.array_equal(held[at], limit.project(q[at]))
        assert violation[at] == limit.violation(q[at])


@given(limits)
def test_no_rotations_are_no_rotations(limit):
    assert limit.project(np.zeros((0, 4))).shape == (0, 4)
    assert limit.violation(np.zeros((5, 0, 4))).shape == (5, 0)


def test_the_input_is_left_alone():
    q = np.array([[0.0, 1.0, 0.0, 0.0]])
    q.setflags(write=False)
    FixedLimit().project(q)
    assert q.tolist() == [[0.0, 1.0, 0.0, 0.0]]


@pytest.mark.parametrize("bad", [1.0, [1.0, 0.0, 0.0], np.zeros((4, 3))])
def test_other_shapes_are_refused(bad):
    with pytest.raises(InputError, match=r"Expected quaternions of shape \(\.\.\., 4\), got shape"):
        FixedLimit().project(bad)


@pytest.mark.parametrize("bad", [[2.0, 0.0, 0.0, 0.0], [math.nan] * 4, [0.0] * 4])
def test_other_lengths_are_refused(bad):
    with pytest.raises(InputError, match="Expected unit quaternions"):
        FixedLimit().violation(bad)


@pytest.mark.parametrize("kind", ["ball", None, ["fixed"], 3])
def test_unknown_kinds_are_refused(kind):
    with pytest.raises(
        UnknownName, match=r"No kind of limit .* euler_box, fixed, flexion, swing_twist"
    ):
        JointLimit.from_dict({"kind": kind})
