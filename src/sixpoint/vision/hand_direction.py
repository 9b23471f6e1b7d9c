"""Where a hand points, which tells where its wrist is: from two outlines and from the arm.

Ours; Boulic et al. 2006 cut the outline with the line from the elbow, which is not seen. A hand is
taken for a flat ellipsoid of the person's size, with half-axes h and rotation R. Where a camera's
projection has the derivative J, its outline is the ellipse with the matrix J Q J^T, Q = R diag(h^2)
R^T (the square of a semi-axis for each direction). Directions from all over the sphere, and turns
of the palm about them, are weighed by three questions:

- Do they explain both outlines? An outline does not change where the direction is reversed.
- Is the elbow where it can be? It follows the wrist at a forearm's length, is as far from the
  shoulder as the upper arm is long, and lies within both silhouettes, which Boulic et al. name as
  their next step (section 8).
- Is it near the elbow that inverse kinematics found in the frame before, if that is known?

The weighted mean is the direction; the spread of the weights says how sure it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ..kernels.types import Floats
from .blobs import Ellipse
from .body_measurement import HAND_HALF
from .camera import Camera
from .images import Mask

DIRECTIONS, PALM_TURNS = 400, 12
"""Directions on the sphere (10 degrees apart), and turns of the palm about each of them."""
LOST_RIM = 0.8
"""Width by which the mask of skin is narrower than the hand all around [px]: the blur that calms
noise (`chroma_of`) mixes the pixels at the rim with what is behind the hand."""
OUTLINE_NOISE, SHAPE_NOISE = 0.5, 0.1
"""Standard deviation of a semi-axis: a part in pixels, and a part of its length because hands are
no ellipsoids, and open and close."""
ARM_NOISE, ELBOW_NOISE = 0.1, 0.1
"""Standard deviations of the length of the upper arm, if the shoulder is a guess and the wrist is
taken to be straight (it bends by 16 degrees), and of an elbow of inverse kinematics [m]."""
FOREARM_PARTS, OUTSIDE_COST = (0.4, 0.7, 1.0), 2.0
"""Parts of the way from the wrist to the elbow that are looked up in the silhouettes, and cost of
each that lies outside of one, in squared deviations."""
LARGEST_COST = 25.0
"""Cost above the least one, in squared deviations, from which on a direction counts no more."""
STRAIGHT_ARM, LEAST_SIDE_VIEW = 0.9, 0.8
"""Distance of a hand from its shoulder over the length of the arm from which on the arm is so
straight that the elbow is known; and least foreshortening of the hand then, to be measured."""
SIZE_SPREAD = 0.1
"""Standard deviation of the length of people's hands over that of their stature's."""

ROW, COLUMN = np.triu_indices(3)
"""Indices of the six entries of a symmetric matrix."""


class Arm(NamedTuple):
    """Lengths of an arm [m]."""

    upper: float
    fore: float
    half_hand: float
    """From the wrist to the middle of the hand."""

    @property
    def length(self) -> float:
        """Length from the shoulder to the middle of the hand."""
        return self.upper + self.fore + self.half_hand


class SeenHand(NamedTuple):
    """A hand in both pictures, and what is known of its arm."""

    middle: Floats
    """[m], shape (3,)."""
    ellipses: Sequence[Ellipse]
    """Outline in each picture."""
    shoulder: Floats
    """Guessed position [m], shape (3,); NaN if unknown."""
    elbow: Floats
    """Position by inverse kinematics [m], shape (3,); NaN if unknown."""


@cache
def directions() -> tuple[Floats, Floats]:
    """Return evenly spread unit vectors (D, 3), and Q of a hand of unit stature for each turn.

    The six entries of each Q are its upper triangle, shape (D, T, 6).
    """
    step = np.arange(DIRECTIONS) + 0.5  # a Fibonacci lattice
    height, turn = 1.0 - 2.0 * step / DIRECTIONS, np.pi * (1.0 + np.sqrt(5.0)) * step
    ring = np.sqrt(1.0 - height**2)
    along = np.stack([ring * np.cos(turn), height, ring * np.sin(turn)], axis=-1)
    other = np.where(np.abs(height)[:, None] < 0.9, (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    first = np.cross(along, other)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(along, first)
    angle = np.arange(PALM_TURNS)[:, None] * np.pi / PALM_TURNS
    c, s = np.cos(angle), np.sin(angle)
    palm = c * first[:, None] + s * second[:, None]
    across = -s * first[:, None] + c * second[:, None]
    axes = np.stack([palm, np.broadcast_to(along[:, None], palm.shape), across], axis=-2)
    square = np.einsum("k,dtki,dtkj->dtij", HAND_HALF**2, axes, axes)
    return along, square[..., ROW, COLUMN]


def hand_direction(
    cameras: Sequence[Camera],
    hand: SeenHand,
    people: Sequence[Mask],
    arm: Arm,
) -> tuple[Floats, Floats]:
    """Return the mean direction from the middle of a hand to its wrist, and its covariance.

    The mean (3,) is shorter than 1 where the direction is unsure; the covariance is (3, 3).

    Args:
        cameras: the two views.
        hand: outlines in both pictures, shoulder and elbow.
        people: silhouettes of the person in both pictures.
        arm: lengths of the arm.
    """
    along, squares = directions()
    cost = _arm_cost(cameras, hand, people, arm)
    near = np.flatnonzero(cost < cost.min() + LARGEST_COST)
    # Half a hand's length along Y stands for the size of the whole hand.
    size = (arm.half_hand / HAND_HALF[1]) ** 2
    each = cost[near, None]
    for camera, ellipse in zip(cameras, hand.ellipses, strict=True):
        each = each + _outline_cost(camera.jacobian(hand.middle), ellipse, size * squares[near])
    weights = np.exp(-0.5 * (each - each.min())).sum(axis=1)
    weights /= weights.sum()
    mean = weights @ along[near]
    away = along[near] - mean
    return mean, np.asarray((weights[:, None] * away).T @ away)


def _arm_cost(
    cameras: Sequence[Camera], hand: SeenHand, people: Sequence[Mask], arm: Arm
) -> Floats:
    """Return the cost of the elbow that follows from each direction (D,)."""
    along, _ = directions()
    elbows = hand.middle + (arm.half_hand + arm.fore) * along
    cost = np.zeros(len(along))
    if np.isfinite(hand.shoulder).all():
        upper = np.linalg.norm(elbows - hand.shoulder, axis=1)
        cost += ((upper - arm.upper) / ARM_NOISE) ** 2
    if np.isfinite(hand.elbow).all():
        cost += (((elbows - hand.elbow) / ELBOW_NOISE) ** 2).sum(axis=1)
    for camera, mask in zip(cameras, people, strict=True):
        for part in FOREARM_PARTS:
            pixels = camera.project(hand.middle + (arm.half_hand + part * arm.fore) * along)
            last = np.array(camera.size) - 1
            u, v = np.clip(np.rint(np.nan_to_num(pixels)), 0, last).astype(int).T
            cost += OUTSIDE_COST * (mask[v, u] == 0)
    return cost


def _outline_cost(jacobian: Floats, ellipse: Ellipse, squares: Floats) -> Floats:
    """Return how badly each Q (..., 6) explains an outline (...,), in squared deviations."""
    c, s = np.cos(ellipse.angle), np.sin(ellipse.angle)
    # Derivatives of the position along the long and along the short axis of the outline.
    long, short = np.array([[c, s], [-s, c]]) @ jacobian
    forms = np.stack([_form(long, long), _form(short, short), _form(long, short)], axis=-1)
    seen = squares @ forms
    a, b = (axis + LOST_RIM for axis in ellipse.axes)
    noise_a, noise_b = (OUTLINE_NOISE + SHAPE_NOISE * axis for axis in (a, b))
    wide, thin = np.sqrt(seen[..., 0]), np.sqrt(seen[..., 1])
    tilt = seen[..., 2] / (wide * thin)  # a correlation; 0 where the axes agree
    return np.asarray(
        ((wide - a) / noise_a) ** 2
        + ((thin - b) / noise_b) ** 2
        + tilt**2 / ((noise_a / a) ** 2 + (noise_b / b) ** 2)
    )


def _form(one: Floats, other: Floats) -> Floats:
    """Return f (6,) such that f @ q is one^T Q other for the upper triangle q of a symmetric Q."""
    both = np.outer(one, other)
    return np.asarray((both + both.T)[ROW, COLUMN] * np.where(ROW == COLUMN, 0.5, 1.0))


class HandMeasure:
    """Measures how long a person's hands are, whenever an arm is straight, as when it hangs.

    Lengths are relative to what is usual for the stature. What one pair of pictures shows is off by
    a part of a pixel, always the same: many pairs are no better than one, so that hands of few
    pixels are taken to be as long as usual.
    """

    def __init__(self) -> None:
        self._sum, self._count, self._noise = 0.0, 0, np.inf

    @property
    def scale(self) -> float:
        """Length of the hands over the usual length; 1 where they were never measured."""
        if not self._count:
            return 1.0
        trust = SIZE_SPREAD**2 / (SIZE_SPREAD**2 + self._noise**2)
        return 1.0 + trust * (self._sum / self._count - 1.0)

    def add(self, cameras: Sequence[Camera], hand: SeenHand, elbow: Floats, arm: Arm) -> None:
        """Measure a hand that is seen by itself.

        Args:
            cameras: the two views.
            hand: outlines in both pictures, and the shoulder.
            elbow: where the elbow hangs [m], shape (3,).
            arm: lengths of the arm, with the usual length of half a hand.
        """
        if not np.linalg.norm(hand.shoulder - hand.middle) >= STRAIGHT_ARM * arm.length:
            return  # bent, or its shoulder is unknown
        way = elbow - hand.middle
        length = float(np.linalg.norm(way))
        for camera, ellipse in zip(cameras, hand.ellipses, strict=True):
            scale = float(camera.matrix[0, 0] / camera.depth(hand.middle))
            shown = float(np.linalg.norm(camera.jacobian(hand.middle) @ way)) / length
            if shown >= LEAST_SIDE_VIEW * scale:
                expected = arm.half_hand * shown
                self._sum += (ellipse.axes[0] + LOST_RIM) / expected
                self._count += 1
                self._noise = min(self._noise, OUTLINE_NOISE / expected)
