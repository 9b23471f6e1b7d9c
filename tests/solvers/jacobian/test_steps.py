"""Steps of the Jacobian methods: the golden numbers of a planar arm, and linear algebra."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixpoint.body.skeleton import Skeleton
from sixpoint.limits import Limits
from sixpoint.solvers.articulated.build import new_pose, skeleton_model
from sixpoint.solvers.articulated.model import POSITION, joint_axes, model_forward, task_jacobian
from sixpoint.solvers.jacobian.steps import (
    DLS,
    DLS_SVD,
    PSEUDOINVERSE,
    SDLS,
    TRANSPOSE,
    clamp_largest,
    method_step,
)

ARM = Skeleton.chain(3, 3.0, kind="hinge", bone=(1.0, 0.0, 0.0))
"""A planar arm: three unit links, hinges about Z."""
BENT, STRAIGHT = (0.3, 0.5, 0.4), (0.3, 0.02, 0.02)
GAMMA = math.pi / 4.0


def arm_jacobian(angles) -> tuple[np.ndarray, np.ndarray]:
    """End (3,) and Jacobian (3, 3) from the kernels; the third row, Z, is zero."""
    body = ARM.articulation
    model = skeleton_model(body, Limits({}), [body.node("tip")], [(POSITION, 0, 1.0)])
    pose = new_pose(model)
    pose.local[:] = body.to_rest(body.rotations(np.array(angles)))
    model_forward(model, pose)
    axes, jacobian = np.zeros((3, 3)), np.zeros((3, 3))
    joint_axes(model, pose, axes)
    task_jacobian(model, pose, axes, jacobian)
    return pose.effectors[0], jacobian


def step_of(method: int, jacobian, residual, *, size: float = 3.0, **changed) -> np.ndarray:
    """The step of a method; damping is in metres, and by default no step is too long."""
    m, d = jacobian.shape
    numbers = {"damping": 0.0, "cut": 0.0, "joint_step": math.inf, "soft": False} | changed
    numbers["damping"] /= size
    scratch = SimpleNamespace(
        jacobian=np.array(jacobian),
        residual=np.array(residual, float),
        square=np.zeros((m, m)),
        u=np.zeros((m, m)),
        v=np.zeros((m, d)),
        sigma=np.zeros(m),
        x=np.zeros(m),
        part=np.ones(d),
        step=np.ones(d),
    )
    context = SimpleNamespace(
        settings=SimpleNamespace(method=method, **numbers),
        model=SimpleNamespace(size=np.array([size])),
        scratch=scratch,
    )
    method_step(context)
    np.testing.assert_array_equal(scratch.jacobian, jacobian)
    np.testing.assert_array_equal(scratch.residual, residual)
    return scratch.step


def arm_step(method: int, angles, error, **changed) -> np.ndarray:
    return step_of(method, arm_jacobian(angles)[1], (*error, 0.0), **changed)


def near(*values: float, tolerance: float = 1e-6):
    return pytest.approx(values, abs=tolerance)


def test_the_planar_arm():
    end, jacobian = arm_jacobian(BENT)
    assert end == near(2.014401, 1.944915, 0.0)
    assert jacobian[0] == near(-1.944915, -1.649395, -0.932039)
    assert jacobian[1] == near(2.014401, 1.059064, 0.362358)
    assert not jacobian[2].any()
    assert np.linalg.svd(jacobian, compute_uv=False)[:2] == near(3.525838, 0.501096)


def test_steps_of_the_bent_arm():
    error = (-0.3, 0.15)
    downhill = arm_step(TRANSPOSE, BENT, error)
    assert downhill == near(0.071323, 0.052643, 0.026895)
    along = arm_jacobian(BENT)[1].T @ (*error, 0.0)
    assert downhill / along == near(*[0.080533] * 3)  # alpha
    inverse = near(-0.016759, 0.130329, 0.126208)
    assert arm_step(PSEUDOINVERSE, BENT, error, cut=1e-3) == inverse
    damped = near(0.026610, 0.089736, 0.075134)
    assert arm_step(DLS, BENT, error, damping=0.5) == damped
    assert arm_step(DLS_SVD, BENT, error, damping=0.5, cut=1e-3) == damped
    assert arm_step(SDLS, BENT, error, joint_step=GAMMA) == inverse  # nothing clamps


def test_steps_near_a_singularity():
    error = (-1.0, -0.3)
    _, jacobian = arm_jacobian(STRAIGHT)
    assert np.linalg.svd(jacobian, compute_uv=False)[:2] == near(3.741211, 0.023298)
    wild = arm_step(PSEUDOINVERSE, STRAIGHT, error, cut=1e-3)
    assert wild == near(-24.709, 21.973, 30.211, tolerance=1e-3)
    damped = near(-0.046330, 0.052403, 0.067848)
    assert arm_step(DLS, STRAIGHT, error, damping=0.5) == damped
    assert arm_step(DLS_SVD, STRAIGHT, error, damping=0.5) == damped
    clamped = near(0.002822, 0.008916, 0.007975)
    assert arm_step(SDLS, STRAIGHT, error, joint_step=GAMMA) == clamped


def test_the_soft_clamp_of_sdls_never_exceeds_the_hard_one():
    error = (-1.0, -0.3)
    soft, hard = (
        arm_step(SDLS, STRAIGHT, error, joint_step=GAMMA, soft=soft) for soft in (True, False)
    )
    assert np.abs(soft).max() < np.abs(hard).max()
    # Far from singularities, and for little, it does nothing to speak of.
    little = (-3e-4, 1.5e-4)
    assert arm_step(SDLS, BENT, little, joint_step=GAMMA, soft=True) == pytest.approx(
        arm_step(PSEUDOINVERSE, BENT, little, cut=1e-3), rel=5e-3
    )


def test_the_pseudoinverse_drops_small_singular_values():
    kept = arm_step(PSEUDOINVERSE, STRAIGHT, (-1.0, -0.3), cut=0.01)
    assert np.abs(kept).max() < 0.2
    _, jacobian = arm_jacobian(STRAIGHT)
    expected = np.linalg.pinv(jacobian, rcond=0.01) @ (-1.0, -0.3, 0.0)
    assert kept == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 12))
@settings(max_examples=50)
def test_steps_are_those_of_linear_algebra(seed: int, effectors: int, d: int):
    rng = np.random.default_rng(seed)
    m = 3 * effectors
    jacobian, residual = rng.normal(size=(m, d)), rng.normal(size=m)
    step = step_of(DLS, jacobian, residual, damping=0.3)
    inverse = np.linalg.inv(jacobian @ jacobian.T + 0.09 * np.eye(m))
    np.testing.assert_allclose(step, jacobian.T @ inverse @ residual, rtol=1e-9, atol=1e-9)
    other = step_of(DLS_SVD, jacobian, residual, damping=0.3)
    np.testing.assert_allclose(other, step, rtol=1e-9, atol=1e-9)
    along = jacobian @ jacobian.T @ residual
    downhill = (residual @ along) / (along @ along) * (jacobian.T @ residual)
    np.testing.assert_allclose(step_of(TRANSPOSE, jacobian, residual), downhill)


def test_steps_of_nothing_are_zero():
    zero = np.zeros((3, 2))
    for method in (TRANSPOSE, PSEUDOINVERSE, DLS, DLS_SVD, SDLS):  # no factor: no step, not NaN
        step = step_of(method, zero, np.ones(3), cut=0.01, joint_step=GAMMA)
        assert np.array_equal(step, (0.0, 0.0))


@pytest.mark.parametrize("method", [TRANSPOSE, PSEUDOINVERSE, DLS, DLS_SVD, SDLS])
def test_joints_turn_no_farther_than_they_may(method):
    most = 0.02
    damping = 0.0 if method == PSEUDOINVERSE else 0.1
    whole = arm_step(method, BENT, (-1.0, 0.5), damping=damping, cut=1e-3)
    assert np.abs(whole).max() > 2.0 * most
    step = arm_step(method, BENT, (-1.0, 0.5), damping=damping, cut=1e-3, joint_step=most)
    assert np.abs(step).max() <= most * (1.0 + 1e-12)
    if method != SDLS:  # which clamps each direction by itself
        assert step == pytest.approx(whole * most / np.abs(whole).max())


def test_steps_are_scaled_to_their_largest_component():
    step = np.array((0.1, -0.4, 0.2))
    clamp_largest(step, 0.2)
    assert step == near(0.05, -0.2, 0.1)
    clamp_largest(step, 0.2)
    assert step == near(0.05, -0.2, 0.1)
