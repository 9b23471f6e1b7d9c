"""Where a body stands: ankles, heading, support, legs."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers.jacobian.balance import BalanceSolver
from sixpoint.vision.synthetic.scenes import scene

BODY = sp.Skeleton.humanoid(1.75)
STANCE = scene("calibration").points().positions[0]
Y = np.array([0.0, 1.0, 0.0])


def standing(frame: np.ndarray, body: str = "legs"):
    """Memory of a body after one frame."""
    tracker = BalanceSolver(body=body).prepare(BODY, rate=30.0)
    solution = tracker.solve(frame)
    return tracker.run.context.stance, solution


@pytest.mark.parametrize("spread", [1.0, 0.6, 1.8])
@pytest.mark.parametrize("turn", [0.0, 0.7, -2.5])
def test_the_support_is_the_hull_of_the_soles(turn, spread):
    spin = arrays.from_axis_angle(Y, turn)
    frame = STANCE.copy()
    frame[4:] *= (spread, 1.0, 1.0)
    frame = arrays.rotate(spin, frame) + np.array([0.3, 0.0, -0.2])
    stance, _ = standing(frame)
    corners = []
    for ankle in frame[4:]:
        sole = np.stack([stance.sole[:, 0], np.zeros(4), stance.sole[:, 1]], axis=1)
        corners.append(ankle + arrays.rotate(spin, sole))
    flat = np.concatenate(corners)[:, [0, 2]]
    wanted = flat.mean(axis=0) + 0.8 * (flat - flat.mean(axis=0))
    local = np.stack([stance.support[:, 0], np.zeros(8), stance.support[:, 1]], axis=1)
    heading = arrays.normalize(stance.heading[0])
    found = (stance.position[0] + arrays.rotate(heading, local))[:, [0, 2]]
    angles = np.linspace(0.0, 2.0 * np.pi, 64)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    np.testing.assert_allclose((found @ ways).max(axis=0), (wanted @ ways).max(axis=0), atol=1e-9)
    edges = np.roll(found, -1, axis=0) - found
    to_middle = flat.mean(axis=0) - found
    assert (edges[:, 0] * to_middle[:, 1] - edges[:, 1] * to_middle[:, 0] > -1e-12).all()


@pytest.mark.parametrize("body", ["simple", "legs"])
@pytest.mark.parametrize("turn", [0.0, 1.2, np.pi])
def test_the_line_between_the_ankles_says_where_the_feet_face(body, turn):
    frame = STANCE.copy()
    frame[2:4] = frame[[3, 2]]  # hands crossed from the first frame on
    frame = arrays.rotate(arrays.from_axis_angle(Y, turn), frame)
    stance, solution = standing(frame, body)
    side = arrays.rotate(arrays.normalize(stance.heading[0]), np.array([1.0, 0.0, 0.0]))
    line = frame[4] - frame[5]
    np.testing.assert_allclose(side, line / np.linalg.norm(line), atol=1e-9)
    assert solution.residuals[4:].max() < 0.001


@pytest.mark.parametrize("body", ["simple", "legs"])
def test_feet_far_apart_lower_the_hips(body):
    frame = STANCE.copy()
    frame[4, 0] += 0.2
    frame[5, 0] -= 0.2
    _, solution = standing(frame, body)
    pelvis = solution.pose.world()[0][BODY.anatomy.node("pelvis")]
    assert pelvis[1] < STANCE[0, 1] - 0.015
    assert solution.residuals[4:].max() < 0.001


@pytest.mark.parametrize("body", ["simple", "legs"])
def test_a_foot_that_is_not_seen_stays_and_eases_back(body):
    frames = np.repeat(STANCE[None], 60, axis=0)
    frames[30:, 4] += (0.05, 0.0, 0.08)  # moved while it was out of sight
    frames[20:30, 4] = np.nan
    result = sp.reconstruct(Points(SIX, frames, 30.0), BODY, "pik-balance", body=body)
    ankle = result.motion.points(["l_ankle"]).positions[:, 0]
    np.testing.assert_allclose(ankle[20:30], np.tile(STANCE[4], (10, 1)), atol=0.001)
    assert np.linalg.norm(np.diff(ankle, axis=0), axis=1).max() < 0.04  # no jump of 9 cm
    np.testing.assert_allclose(ankle[-1], frames[-1, 4], atol=0.001)


def test_feet_at_one_place_say_nothing():
    frame = STANCE.copy()
    frame[4] = frame[5]
    tracker = BalanceSolver().prepare(BODY, rate=30.0)
    tracker.solve(STANCE)
    before = tracker.run.context.stance.heading[0].copy()
    for _ in range(5):
        assert np.isfinite(tracker.solve(frame).pose.rotations).all()
    np.testing.assert_allclose(tracker.run.context.stance.heading[0], before, atol=1e-12)
