from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits.estimate.classify import (
    BALL,
    FIXED,
    HINGE,
    Classes,
    Moments,
    Noise,
    TypeRules,
    classify,
)
from sixpoint.limits.estimate.fit import hinge_angles
from sixpoint.limits.estimate.trials import (
    ball_trial,
    fixed_trial,
    hinge_trial,
    hinge_with_axis,
    noisy,
)


def judged(samples, rules: TypeRules | None = None) -> Classes:
    """One joint (N, 4), or several (N, J, 4)."""
    samples = samples[:, None] if samples.ndim == 2 else samples
    joints = samples.shape[1]
    noise = Noise(joints)
    noise.add(samples, True)
    moments = Moments.of(joints, lambda: [samples])
    return classify(moments, noise.deviation(), rules or TypeRules())


def about(axis, degrees):
    return arrays.from_axis_angle(np.array(axis), np.radians(degrees))


Y = (0.0, 1.0, 0.0)
LITERAL = TypeRules(reference="identity")


@pytest.mark.parametrize("angle", [30.0, 90.0, -50.0])
def test_hinge_angles_have_a_sense(angle):
    """As printed, Eqs. (9)-(12) give 150, 90 and 130 degrees."""
    found, across = hinge_angles(about(Y, angle), np.array(Y))
    assert np.degrees(found) == pytest.approx(angle)
    assert across == pytest.approx(0.0, abs=1e-12)


def test_a_symmetric_hinge_has_an_axis():
    """The vector parts cancel, so that Eq. (8) has no direction."""
    samples = about(Y, np.array([-40.0, -20.0, 0.0, 20.0, 40.0]))
    assert samples[:, 1:].sum(axis=0) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    scatter = samples[:, 1:].T @ samples[:, 1:]
    assert np.linalg.eigvalsh(scatter) == pytest.approx((0.0, 0.0, 0.294263), abs=1e-6)
    found = judged(samples, LITERAL)
    assert found.types[0] == HINGE
    assert found.axes[0] == pytest.approx(Y)


def test_the_axis_is_that_of_the_summed_vector_parts():
    """Eq. (8), where nothing cancels."""
    found = judged(about((0.6, 0.0, -0.8), np.linspace(-10.0, 70.0, 50)), LITERAL)
    assert found.axes[0] == pytest.approx((0.6, 0.0, -0.8))


def test_the_scatter_is_that_of_equations_4_to_7():
    samples = ball_trial(np.random.default_rng(3))
    found = judged(samples, LITERAL)
    v = arrays.same_hemisphere(samples)[:, 1:]
    expected = np.linalg.eigvalsh(np.cov(v.T, bias=True))[::-1]
    assert found.eigenvalues[0] == pytest.approx(expected, abs=1e-12)


def test_signs_of_quaternions_do_not_matter():
    rng = np.random.default_rng(4)
    for trial in (hinge_trial(rng), ball_trial(rng)):
        flipped = trial * rng.choice([-1.0, 1.0], (len(trial), 1))
        a, b = judged(trial), judged(flipped)
        assert a.eigenvalues == pytest.approx(b.eigenvalues, abs=1e-12)
        assert np.abs(np.sum(a.axes * b.axes)) == pytest.approx(1.0)


@pytest.mark.parametrize("rest", [70.0, 120.0, 180.0])
def test_a_turned_rest_frame_makes_an_arc_unless_measured_from_the_mean(rest):
    """Second eigenvalue over the first, range 150 degrees."""
    hinge = about((1.0, 0.0, 0.0), np.linspace(-75.0, 75.0, 400))
    samples = arrays.multiply(about(Y, rest), hinge)
    literal = judged(samples, LITERAL).eigenvalues[0]
    assert 0.009 < literal[1] / literal[0] < 0.031
    measured = judged(samples).eigenvalues[0]
    assert measured[1] / measured[0] < 1e-12


def test_a_hinge_through_the_neutral_stance_is_measured_from_there():
    found = judged(about((1.0, 0.0, 0.0), np.linspace(20.0, 100.0, 50)))
    assert found.reference[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    turned = arrays.multiply(about(Y, 30.0), about((1.0, 0.0, 0.0), np.linspace(20.0, 100.0, 50)))
    assert np.degrees(arrays.angle_between(judged(turned).reference[0], arrays.identity())) > 20.0


def test_both_rules_can_be_chosen():
    """4 degrees across a wide hinge are little to one rule and much to the other."""
    rng = np.random.default_rng(5)
    t = np.linspace(0.0, 1.0, 200)
    wide = np.stack([1.2 * np.sin(6.0 * t), 0.1 * np.sin(17.0 * t), 0.0 * t], axis=-1)
    samples = arrays.multiply(arrays.from_rotvec(wide), arrays.from_rotvec(rng.normal(size=3)))
    assert judged(samples).types[0] == HINGE
    assert judged(samples, TypeRules(rule="absolute")).types[0] == BALL


def test_the_fixed_threshold_knows_the_noise():
    """With 0.5 degrees no fixed joint would survive 1 degree of noise."""
    rng = np.random.default_rng(6)
    for noise in (0.0, 0.2, 1.0, 3.0):
        samples = noisy(fixed_trial(rng), np.radians(noise), rng)
        found = judged(samples)
        assert np.degrees(found.noise[0]) == pytest.approx(noise, rel=0.2, abs=1e-6)
        assert found.types[0] == FIXED
    slow = about(Y, 2.0 * np.sin(np.linspace(0.0, 6.0, 100)))
    assert judged(slow).types[0] == HINGE  # 1.4 degrees of spread, but no noise
    assert judged(slow, TypeRules(fixed_spread=np.radians(2.5))).types[0] == FIXED


@pytest.mark.parametrize(
    ("trial", "kind"), [(fixed_trial, FIXED), (hinge_trial, HINGE), (ball_trial, BALL)]
)
def test_synthetic_joints_with_one_degree_of_noise(trial, kind):
    """At least 99 % of 1000."""
    rng = np.random.default_rng(7)
    samples = np.stack([noisy(trial(rng), np.radians(1.0), rng) for _ in range(1000)], axis=1)
    found = judged(samples)
    assert (found.types == kind).mean() >= 0.99


def test_axes_of_noisy_hinges_are_nearly_as_good_as_they_can_be():
    """Within a degree on average, not always: no estimator could be, of hinges that go 30 degrees.

    Across the axis, y = c1 + c2 exp(-i angle) + noise, where c1 is the error of the axis, times -i:
    the bound of Cramer and Rao on its deviation is noise / sqrt(n (1 - |mean exp(-i angle)|^2)).
    """
    rng = np.random.default_rng(8)
    noise, off, least = np.radians(1.0), [], []
    for _ in range(1000):
        samples, axis = hinge_with_axis(rng)
        angles = hinge_angles(arrays.multiply(arrays.conjugate(samples[0]), samples), axis)[0]
        spread = 1.0 - np.abs(np.exp(-1j * angles).mean()) ** 2
        least.append(np.degrees(noise / np.sqrt(len(samples) * spread)))
        found = judged(noisy(samples, noise, rng))
        off.append(np.degrees(np.arccos(min(abs(float(found.axes[0] @ axis)), 1.0))))
    bound = np.sqrt(0.5 * np.pi) * np.mean(least)  # errors have two components: Rayleigh
    above = np.exp(-0.5 / np.square(least)).mean()
    assert 0.9 * bound < np.mean(off) < 1.15 * bound < 0.4
    assert np.mean(np.array(off) > 1.0) < above + 0.01


def test_joints_are_judged_on_their_own():
    rng = np.random.default_rng(9)
    samples = np.stack([hinge_trial(rng), ball_trial(rng), fixed_trial(rng)], axis=1)
    together, alone = judged(samples), [judged(samples[:, j]) for j in range(3)]
    assert together.types.tolist() == [int(one.types[0]) for one in alone]
    assert together.axes == pytest.approx(np.concatenate([one.axes for one in alone]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "pca"}, "Expected `rule` to be one of share, absolute; got 'pca'"),
        ({"reference": "rest"}, "Expected `reference` to be one of mean, bind, identity"),
        ({"share": 1.5}, "Expected `share` between 0 and 1, got 1.5"),
        ({"fixed_spread": -1.0}, "Expected `fixed_spread` in"),
    ],
)
def test_senseless_rules_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        TypeRules(**options)
