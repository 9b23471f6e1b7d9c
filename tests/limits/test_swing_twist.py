from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.limits import JointLimit, SwingTwistLimit

GOLDEN = SwingTwistLimit.degrees(
    bone=(0.0, -1.0, 0.0),
    e1=(0.0, 0.0, 1.0),
    e2=(1.0, 0.0, 0.0),
    boundary={-180: 50, -90: 40, 0: 170, 90: 150, 180: 50},
    twist=(-80, 95),
)


def test_boundary_of_the_paper_is_clipped_to_half_a_turn():
    at = np.radians([[-135.0, -45.0], [45.0, 135.0], [170.0, 530.0]])
    np.testing.assert_allclose(
        np.degrees(GOLDEN.amplitude(at)),
        [[27.8571, 104.4643], [180.0, 94.6429], [57.1840, 57.1840]],
        atol=5e-5,
    )


def test_other_splines_through_the_same_points():
    periodic = replace(GOLDEN, spline="periodic")
    assert math.degrees(periodic.amplitude(math.radians(-135.0))) == pytest.approx(23.4375)
    pchip = replace(GOLDEN, spline="pchip")
    dense = np.degrees(pchip.amplitude(np.linspace(-math.pi, math.pi, 200)))
    assert dense.min() >= 40.0 - 1e-9
    assert dense.max() <= 170.0 + 1e-9
    for limit in (GOLDEN, periodic, pchip):
        np.testing.assert_allclose(limit.amplitude(limit.thetas), limit.amplitudes, atol=1e-12)


def test_rotation_from_its_three_angles():
    q = GOLDEN.rotation(*np.radians([40.0, 100.0, -35.0]))
    np.testing.assert_allclose(q, (0.613037, -0.707733, 0.193290, 0.293153), atol=1e-6)


def test_swing_and_twist_are_clamped_apart():
    cone = replace(GOLDEN, amplitudes=(math.radians(45.0),) * 5)
    q = cone.rotation(*np.radians([40.0, 100.0, 120.0]))
    np.testing.assert_allclose(
        cone.project(q), cone.rotation(*np.radians([40.0, 45.0, 95.0])), atol=1e-12
    )
    assert math.degrees(cone.violation(q)) == pytest.approx(55.0 + 25.0)


def test_twist_intervals_may_lie_across_the_seam():
    limit = replace(GOLDEN, twist=tuple(np.radians([150.0, 200.0])))
    for given, held in ((-170.0, 190.0), (-100.0, 200.0), (100.0, 150.0), (20.0, 150.0)):
        q = limit.project(limit.rotation(0.0, 0.2, math.radians(given)))
        expected = limit.rotation(0.0, 0.2, math.radians(held))
        assert float(arrays.angle_between(q, expected)) < 1e-9


def test_samples_fill_the_solid_angle_evenly():
    hemisphere = replace(GOLDEN, amplitudes=(math.pi / 2.0,) * 5)
    q = hemisphere.sample(np.random.default_rng(1), 4000)
    down = arrays.rotate(q, np.array(hemisphere.bone)) @ hemisphere.bone
    # The height of a uniform point on a hemisphere is uniform.
    assert np.quantile(down, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.03)
    lopsided = replace(GOLDEN, amplitudes=tuple(np.radians([10.0, 45.0, 90.0, 45.0, 10.0])))
    d = arrays.rotate(lopsided.sample(np.random.default_rng(2), 2000), np.array(lopsided.bone))
    assert (d @ lopsided.e1 > 0.0).mean() > 0.8


def test_mirrored_twist_turns_the_other_way():
    mirrored = GOLDEN.mirror()
    assert mirrored.e2 == (-1.0, 0.0, 0.0)
    np.testing.assert_allclose(np.degrees(mirrored.twist), (-95.0, 80.0))


def test_nearly_square_frames_are_squared():
    slanted = (2e-7, 0.0, 1.0)
    limit = SwingTwistLimit((0.0, -1.0, 0.0), slanted, (1.0, 0.0, 0.0), *_angles(GOLDEN))
    assert abs(np.dot(limit.e1, limit.e2)) < 1e-15


def _angles(limit):
    return limit.thetas, limit.amplitudes, limit.twist


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bone": (0.0, -2.0, 0.0)}, "Expected a unit vector in `bone`"),
        ({"e1": (0.0, 1.0, 0.0)}, "Expected `bone` and `e1` to be at right angles"),
        ({"e2": (0.0, 0.0, 1.0)}, "Expected `e1` and `e2` to be at right angles"),
        ({"thetas": (-math.pi, 0.0, math.pi)}, "Expected as many `amplitudes` as `thetas`"),
        ({"thetas": (), "amplitudes": ()}, "Expected `thetas` from -180 to 180 .* got none"),
        (
            {"thetas": (-3.0, -1.0, 0.0, 1.0, math.pi)},
            "Expected `thetas` from -180 to 180 degrees, got -171.887, -57.29",
        ),
        ({"thetas": (-math.pi, 1.0, 0.0, 2.0, math.pi)}, "Expected `thetas` to rise"),
        ({"amplitudes": (1.0, 4.0, 1.0, 1.0, 1.0)}, "Expected `amplitudes` from 0 to 180"),
        ({"amplitudes": (1.0, 1.0, -0.1, 1.0, 1.0)}, "Expected `amplitudes` from 0 to 180"),
        ({"amplitudes": (1.0, 1.0, 1.0, 1.0, 0.5)}, "Expected the same first and last of"),
        ({"amplitudes": 1.0}, "Expected numbers in `amplitudes`, got 1.0"),
        ({"twist": (1.0, 0.0)}, "Expected low <= high .* in `twist`, got 57.29.* and 0 degrees"),
        ({"twist": (1.0,)}, "Expected 2 numbers in `twist`, got 1"),
    ],
)
def test_nonsense_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(GOLDEN, **changes)


def test_unknown_splines_are_refused():
    with pytest.raises(UnknownName, match=r"No spline 'perodic'\. Nearest: periodic"):
        replace(GOLDEN, spline="perodic")


def test_dictionaries_are_checked():
    data = GOLDEN.as_dict()
    with pytest.raises(InputError, match="Expected pairs of angles in `boundary`, got 3"):
        JointLimit.from_dict({**data, "boundary": 3})
    with pytest.raises(InputError, match="Expected 2 numbers in `boundary`, got 1"):
        JointLimit.from_dict({**data, "boundary": [[1.0]]})
    with pytest.raises(InputError, match="Expected a field `twist`"):
        JointLimit.from_dict({k: v for k, v in data.items() if k != "twist"})
