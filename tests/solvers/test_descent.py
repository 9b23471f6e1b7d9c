"""Steps of the Jacobian methods, with the golden numbers of a planar arm; the loop on figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels.linalg import svd_rows
from sixpoint.limits import Limits
from sixpoint.solvers import solver
from sixpoint.solvers._kernels.descent import method_step
from sixpoint.solvers._kernels.dls import dls_step
from sixpoint.solvers._kernels.figure import (
    ORIENTATION,
    POSITION,
    figure_axes,
    figure_forward,
    figure_jacobian,
    figure_residuals,
)
from sixpoint.solvers._kernels.figure_descent import task_squares
from sixpoint.solvers._kernels.svd_steps import clamp_largest, filtered_step, selective_step
from sixpoint.solvers._kernels.transpose import transpose_step
from sixpoint.solvers.figure import new_descent, new_pose, plain_figure

ARM = Skeleton.chain(3, 3.0, kind="hinge", bone=(1.0, 0.0, 0.0))
"""The planar arm of G2 to G7: three unit links, hinges about Z."""
BENT, STRAIGHT = (0.3, 0.5, 0.4), (0.3, 0.02, 0.02)
GAMMA = math.pi / 4.0


def arm_jacobian(angles) -> tuple[np.ndarray, np.ndarray]:
    """Tip (3,) and Jacobian (3, 3) from the kernels; the third row, Z, is zero."""
    body = ARM.articulation
    figure = plain_figure(body, Limits({}), [body.node("tip")], [(POSITION, 0, 1.0)])
    pose, scratch = new_pose(figure), new_descent(figure)
    pose.local[:] = body.to_rest(body.rotations(np.array(angles)))
    figure_forward(figure, pose)
    figure_axes(figure, pose, scratch.axes)
    figure_jacobian(figure, pose, scratch.axes, scratch.jacobian)
    return pose.tips[0], scratch.jacobian


def step_of(method: str, angles, error, **options) -> np.ndarray:
    _, jacobian = arm_jacobian(angles)
    m, d = jacobian.shape
    asked = np.array((*error, 0.0))
    step, part, x = np.zeros(d), np.zeros(d), np.zeros(m)
    square, u, v, sigma = np.zeros((m, m)), np.zeros((m, m)), np.zeros((m, d)), np.zeros(m)
    if method == "transpose":
        transpose_step(jacobian, m, d, asked, step)
        return step
    if method == "dls":
        dls_step(jacobian, m, d, asked, options["damping"], square, x, step)
        return step
    svd_rows(jacobian, m, d, u, v, sigma)
    if method == "sdls":
        soft = options.get("soft", False)
        selective_step(jacobian, u, v, sigma, m, d, asked, GAMMA, soft, part, step)
    else:
        damping, cut = options.get("damping", 0.0), options.get("cut", 1e-3)
        filtered_step(u, v, sigma, m, d, asked, damping, cut, step)
    return step


def near(*values: float, tolerance: float = 1e-6):
    return pytest.approx(values, abs=tolerance)


def test_the_arm_of_g2():
    tip, jacobian = arm_jacobian(BENT)
    assert tip == near(2.014401, 1.944915, 0.0)
    assert jacobian[0] == near(-1.944915, -1.649395, -0.932039)
    assert jacobian[1] == near(2.014401, 1.059064, 0.362358)
    assert not jacobian[2].any()
    assert np.linalg.svd(jacobian, compute_uv=False)[:2] == near(3.525838, 0.501096)


def test_steps_of_g2():
    error = (-0.3, 0.15)
    downhill = step_of("transpose", BENT, error)
    assert downhill == near(0.071323, 0.052643, 0.026895)
    along = arm_jacobian(BENT)[1].T @ (*error, 0.0)
    assert downhill / along == near(*[0.080533] * 3)  # alpha
    inverse = near(-0.016759, 0.130329, 0.126208)
    assert step_of("pseudoinverse", BENT, error) == inverse
    damped = near(0.026610, 0.089736, 0.075134)
    assert step_of("dls", BENT, error, damping=0.5) == damped
    assert step_of("dls-svd", BENT, error, damping=0.5) == damped
    assert step_of("sdls", BENT, error) == inverse  # nothing clamps


def test_steps_of_g3_near_a_singularity():
    error = (-1.0, -0.3)
    _, jacobian = arm_jacobian(STRAIGHT)
    assert np.linalg.svd(jacobian, compute_uv=False)[:2] == near(3.741211, 0.023298)
    wild = step_of("pseudoinverse", STRAIGHT, error)
    assert wild == near(-24.709, 21.973, 30.211, tolerance=1e-3)
    assert step_of("dls", STRAIGHT, error, damping=0.5) == near(-0.046330, 0.052403, 0.067848)
    assert step_of("sdls", STRAIGHT, error) == near(0.002822, 0.008916, 0.007975)


def test_the_soft_clamp_of_sdls_never_exceeds_the_hard_one():
    error = (-1.0, -0.3)
    soft = step_of("sdls", STRAIGHT, error, soft=True)
    assert np.abs(soft).max() < np.abs(step_of("sdls", STRAIGHT, error)).max()
    # Far from singularities, and for little, it does nothing to speak of.
    little = (-3e-4, 1.5e-4)
    assert step_of("sdls", BENT, little, soft=True) == pytest.approx(
        step_of("pseudoinverse", BENT, little), rel=5e-3
    )


def test_the_pseudoinverse_drops_small_singular_values():
    kept = step_of("pseudoinverse", STRAIGHT, (-1.0, -0.3), cut=0.01)
    assert np.abs(kept).max() < 0.2
    _, jacobian = arm_jacobian(STRAIGHT)
    expected = np.linalg.pinv(jacobian, rcond=0.01) @ (-1.0, -0.3, 0.0)
    assert kept == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 12))
@settings(max_examples=50)
def test_steps_are_those_of_linear_algebra(seed: int, tips: int, d: int):
    rng = np.random.default_rng(seed)
    m = 3 * tips
    jacobian, asked = rng.normal(size=(m, d)), rng.normal(size=m)
    step, x, square = np.zeros(d), np.zeros(m), np.zeros((m, m))
    dls_step(jacobian, m, d, asked, 0.3, square, x, step)
    inverse = np.linalg.inv(jacobian @ jacobian.T + 0.09 * np.eye(m))
    np.testing.assert_allclose(step, jacobian.T @ inverse @ asked, rtol=1e-9, atol=1e-9)
    u, v, sigma, other = np.zeros((m, m)), np.zeros((m, d)), np.zeros(m), np.zeros(d)
    svd_rows(jacobian, m, d, u, v, sigma)
    filtered_step(u, v, sigma, m, d, asked, 0.3, 0.0, other)
    np.testing.assert_allclose(other, step, rtol=1e-9, atol=1e-9)
    transpose_step(jacobian, m, d, asked, step)
    along = jacobian @ jacobian.T @ asked
    np.testing.assert_allclose(step, (asked @ along) / (along @ along) * (jacobian.T @ asked))


def test_steps_of_nothing_are_zero():
    m, d = 3, 2
    zero, asked = np.zeros((m, d)), np.ones(m)
    step, part, x = np.ones(d), np.zeros(d), np.zeros(m)
    u, v, sigma, square = np.zeros((m, m)), np.zeros((m, d)), np.zeros(m), np.zeros((m, m))
    transpose_step(zero, m, d, asked, step)
    assert not step.any()
    svd_rows(zero, m, d, u, v, sigma)
    filtered_step(u, v, sigma, m, d, asked, 0.0, 0.01, step)
    assert not step.any()
    selective_step(zero, u, v, sigma, m, d, asked, GAMMA, False, part, step)
    assert not step.any()
    dls_step(zero, m, d, asked, 0.0, square, x, step)  # no factor: no step, not NaN
    assert not step.any()


def test_steps_are_scaled_to_their_largest_component():
    step = np.array((0.1, -0.4, 0.2))
    clamp_largest(step, 3, 0.2)
    assert step == near(0.05, -0.2, 0.1)
    clamp_largest(step, 3, 0.2)
    assert step == near(0.05, -0.2, 0.1)


def asked_of(figure, weight: float, most: float) -> tuple[np.ndarray, np.ndarray]:
    """What a task asks for in one iteration, and its Jacobian, with a limit on the first."""
    pose, scratch = new_pose(figure), new_descent(figure)
    settings = solver("sdls", task_step=most).figure_records(figure)
    places = np.array([(1.0, 3.0, 0.0)])
    turns = np.array([(np.cos(0.5), np.sin(0.5), 0.0, 0.0)])  # a radian about X
    figure_forward(figure, pose)
    figure_residuals(figure, pose, places, turns, scratch.asked)
    method_step(figure, settings[0], pose, scratch)
    return scratch.asked, scratch.jacobian


@pytest.mark.parametrize("weight", [1.0, 5.0])
def test_what_tasks_ask_for_is_shortened_whatever_they_weigh(weight: float):
    body = Skeleton.chain(2, 2.0).articulation
    figure = plain_figure(body, Limits({}), [body.node("tip")], [(POSITION, 0, weight)])
    asked, _ = asked_of(figure, weight, 0.0)
    assert asked == near(weight, weight, 0.0)  # from (0, 2, 0) to (1, 3, 0)
    asked, _ = asked_of(figure, weight, 0.1)
    assert np.linalg.norm(asked) == pytest.approx(0.2 * weight)  # a tenth of the length


def test_a_radian_counts_like_the_length_of_the_figure():
    body = Skeleton.chain(2, 2.0).articulation
    figure = plain_figure(body, Limits({}), [body.node("tip")], [(ORIENTATION, 0, 3.0)])
    asked, jacobian = asked_of(figure, 3.0, 0.0)
    assert asked == near(6.0, 0.0, 0.0)
    assert jacobian[:, 0] == near(6.0, 0.0, 0.0)
    pose, scratch = new_pose(figure), new_descent(figure)
    figure_forward(figure, pose)
    turns = np.array([(np.cos(0.5), np.sin(0.5), 0.0, 0.0)])
    figure_residuals(figure, pose, np.zeros((1, 3)), turns, scratch.asked)
    assert task_squares(figure, scratch.asked) == pytest.approx(36.0)
