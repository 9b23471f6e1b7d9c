"""Where hands point: laws on outlines that are drawn exactly, then hands in pictures."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.blobs import Ellipse
from sixpoint.vision.body_measurement import HAND_HALF
from sixpoint.vision.hand_direction import (
    LOST_RIM,
    Arm,
    HandMeasure,
    SeenHand,
    directions,
    hand_direction,
)
from sixpoint.vision.synthetic.room import room_cameras

CAMERAS = room_cameras()
STATURE = 1.75
ARM = Arm(0.32, 0.26, float(HAND_HALF[1]) * STATURE)
EVERYWHERE = [np.full((240, 320), 255, np.uint8)] * 2
UNKNOWN = np.full(3, np.nan)
rng = np.random.default_rng(12)


def unit(vector) -> np.ndarray:
    return np.asarray(vector) / np.linalg.norm(vector)


def outlines(middle, along, across, size=1.0) -> list[Ellipse]:
    """Outlines of a hand, from points on its surface, as a mask of skin shows them."""
    along = unit(along)
    across = unit(across - (across @ along) * along)
    axes = size * STATURE * HAND_HALF[:, None] * np.array([np.cross(along, across), along, across])
    ball = rng.normal(size=(40_000, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    out = []
    for camera in CAMERAS:
        pixels = camera.project(middle + ball @ axes)
        hull = pixels - pixels.mean(axis=0)
        # Half-widths of an ellipse in all directions: h(t)^2 = t^T S t.
        turn = np.linspace(0.0, np.pi, 60, endpoint=False)
        way = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        widest = (hull @ way.T).max(axis=0) ** 2
        terms = np.stack([way[:, 0] ** 2, 2.0 * way[:, 0] * way[:, 1], way[:, 1] ** 2], axis=-1)
        a, b, c = np.linalg.lstsq(terms, widest, rcond=None)[0]
        (short, long), vectors = np.linalg.eigh([[a, b], [b, c]])
        angle = float(np.arctan2(vectors[1, 1], vectors[0, 1]))
        semi = float(np.sqrt(long)) - LOST_RIM, float(np.sqrt(short)) - LOST_RIM
        out.append(Ellipse(tuple(camera.project(middle)), semi, angle))
    return out


def bent_arm(middle, along, bend=1.2) -> tuple[np.ndarray, np.ndarray]:
    """Elbow and shoulder of a hand that points away from its wrist, which is not bent."""
    elbow = middle + (ARM.half_hand + ARM.fore) * unit(along)
    aside = unit(np.cross(along, rng.normal(size=3)))
    upper = np.cos(bend) * unit(along) + np.sin(bend) * aside
    return elbow, elbow + ARM.upper * upper


def test_directions_are_spread_evenly_and_a_hand_keeps_its_size_when_it_turns():
    along, squares = directions()
    np.testing.assert_allclose(np.linalg.norm(along, axis=1), 1.0)
    apart = np.sort(np.arccos(np.clip(along @ along.T, -1.0, 1.0)), axis=1)[:, 1]
    assert np.degrees(apart.min()) > 6.0
    assert np.degrees(apart.max()) < 14.0
    traces = squares[..., [0, 3, 5]].sum(axis=-1)
    np.testing.assert_allclose(traces, (HAND_HALF**2).sum())
    # Along its direction a hand is as long as it is, whatever way the palm turns.
    full = np.empty((*squares.shape[:2], 3, 3))
    row, column = np.triu_indices(3)
    full[..., row, column] = full[..., column, row] = squares
    lengths = np.einsum("di,dtij,dj->dt", along, full, along)
    np.testing.assert_allclose(lengths, HAND_HALF[1] ** 2)


def test_outlines_and_the_length_of_the_arm_tell_where_a_hand_points():
    off, known = [], []
    for _ in range(60):
        middle = np.array([0.0, 1.2, 0.3]) + rng.uniform(-0.25, 0.25, 3)
        along, across = unit(rng.normal(size=3)), rng.normal(size=3)
        _, shoulder = bent_arm(middle, along)
        hand = SeenHand(middle, outlines(middle, along, across), shoulder, UNKNOWN)
        mean, spread = hand_direction(CAMERAS, hand, EVERYWHERE, ARM)
        assert np.linalg.eigvalsh(spread).min() > -1e-12
        # What is not in the mean is in the spread: both together are a unit vector.
        assert mean @ mean + np.trace(spread) == pytest.approx(1.0)
        wrong = float(np.linalg.norm(mean - along))
        off.append(wrong)
        known.append(wrong < 3.0 * np.sqrt(np.trace(spread)) + 0.1)
    assert np.median(off) * ARM.half_hand < 0.015
    assert np.mean(known) > 0.95  # where it errs, it says so


def test_an_elbow_tells_a_direction_from_its_opposite():
    middle, along = np.array([0.2, 1.2, 0.3]), unit([0.3, -1.0, 0.2])
    seen = outlines(middle, along, np.array([1.0, 0.0, 0.0]))
    nothing, doubt = hand_direction(
        CAMERAS, SeenHand(middle, seen, UNKNOWN, UNKNOWN), EVERYWHERE, ARM
    )
    assert np.linalg.norm(nothing) < 0.2
    assert np.trace(doubt) > 0.9
    for sign in (1.0, -1.0):
        elbow, _ = bent_arm(middle, sign * along)
        hand = SeenHand(middle, seen, UNKNOWN, elbow + 0.08)
        mean, _ = hand_direction(CAMERAS, hand, EVERYWHERE, ARM)
        assert mean @ along * sign > 0.95


def test_a_forearm_lies_within_the_silhouettes():
    middle, along = np.array([0.2, 1.2, 0.3]), unit([0.2, -1.0, 0.1])
    seen = outlines(middle, along, np.array([0.0, 0.0, 1.0]))
    people = []
    for camera in CAMERAS:  # the picture below the hand
        row = round(float(camera.project(middle)[1]))
        people.append(np.where(np.arange(240)[:, None] >= row, 255, 0) * np.ones((1, 320), int))
    mean, _ = hand_direction(CAMERAS, SeenHand(middle, seen, UNKNOWN, UNKNOWN), people, ARM)
    assert mean @ along > 0.95


@pytest.mark.parametrize("size", [0.8, 1.0, 1.25])
def test_hands_of_straight_arms_are_measured(size):
    middle, along = np.array([0.25, 0.8, 0.05]), np.array([0.0, 1.0, 0.0])
    arm, measure = ARM, HandMeasure()
    assert measure.scale == 1.0
    seen = outlines(middle, along, np.array([0.0, 0.0, 1.0]), size)
    straight = middle + 0.98 * arm.length * along
    elbow = middle + (arm.half_hand + arm.fore) * along
    measure.add(CAMERAS, SeenHand(middle, seen, UNKNOWN, UNKNOWN), elbow, arm)
    bent = SeenHand(middle, seen, middle + 0.8 * arm.length * along, UNKNOWN)
    measure.add(CAMERAS, bent, elbow, arm)
    ahead = unit(CAMERAS[0].centre - middle)  # it points away from the cameras
    pointing = SeenHand(middle, seen, middle + 0.98 * arm.length * ahead, UNKNOWN)
    measure.add(CAMERAS, pointing, middle + (arm.half_hand + arm.fore) * ahead, arm)
    assert measure.scale == 1.0
    for _ in range(3):
        measure.add(CAMERAS, SeenHand(middle, seen, straight, UNKNOWN), elbow, arm)
    # Hands of few pixels are taken to be a little more usual than they look.
    assert measure.scale == pytest.approx(1.0 + 0.87 * (size - 1.0), abs=0.03)
