"""Elbows out of the body by their swivel: a projection for the output of sequential IK (X6).

Where an arm lies in the trunk, the head, a leg or the other arm, its elbow turns about the line
from shoulder to wrist until it is free: the nearest swivel that is free and within the limits of
the shoulder, the hand where it was. `ElbowTorso` does this inside the solver for the elbow and the
torso alone; this one knows the whole body, and any motion.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..body.anatomy import anatomy_of
from ..body.pairs import free_pairs, pair_depths
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..limits import Limits
from ..motion.motion import Motion

SWIVELS = 72
"""Candidates around the circle: every five degrees, refined by halves."""
REFINE = 6
CLEAR = 0.0
"""Depth that is free [m]."""


def clear_elbows(motion: Motion, limits: Limits | None = None) -> tuple[Motion, Floats]:
    """Turn elbows out of the body where they are in it.

    Args:
        motion: of a person.
        limits: of the shoulders; None for none.

    Returns:
        The motion, and how far each elbow was turned [rad], shape (F, 2): left and right.
    """
    if not len(motion):
        raise InputError("Expected a motion of one frame or more, got none.")
    shape, pairs = free_pairs(motion.skeleton)
    rotations = motion.rotations.copy()
    turned = np.zeros((len(motion), 2))
    for side, letter in enumerate("lr"):
        arm = {f"{letter}_upper_arm", f"{letter}_forearm"}
        own = tuple((i, j) for i, j in pairs if (shape.names[i] in arm) != (shape.names[j] in arm))
        now = replace(motion, rotations=rotations)
        deep = pair_depths(shape, own, *now.world())[0].max(axis=1)
        for frame in np.flatnonzero(deep > CLEAR):
            pose = now.frames([int(frame)])
            answer = _swivel(pose, letter, shape, own, limits, float(deep[frame]))
            if answer is not None:
                angle, joint, local = answer
                rotations[frame, joint] = local
                turned[frame, side] = angle
    return replace(motion, rotations=rotations), turned


def _swivel(
    pose: Motion, side: str, shape: Any, pairs: Any, limits: Limits | None, before: float
) -> tuple[float, int, Floats] | None:
    """The least swivel that frees an arm: angle, shoulder joint, its local rotation."""
    anatomy = anatomy_of(pose.skeleton)
    shoulder = anatomy.node(f"{side}_shoulder")
    positions, world = pose.world()
    at = positions[0]
    axis = at[anatomy.node(f"{side}_wrist")] - at[shoulder]
    length = float(np.linalg.norm(axis))
    if length < 1e-6:
        return None
    above = world[0, pose.skeleton.parents[shoulder]]

    def tried(angles: Floats) -> tuple[Floats, Floats]:
        """Depth and local rotation of the shoulder for each swivel."""
        spin = arrays.from_axis_angle(axis / length, angles)
        local = arrays.multiply(arrays.conjugate(above), arrays.multiply(spin, world[0, shoulder]))
        many = pose.frames([0] * len(angles))
        rotations = many.rotations.copy()
        rotations[:, shoulder] = local
        moved = replace(many, rotations=rotations)
        deep = pair_depths(shape, pairs, *moved.world())[0].max(axis=1)
        if limits is not None:
            broken = limits.violations(moved)[:, shoulder]
            deep = np.where(broken > 1e-9, np.inf, deep)
        return deep, local

    angles = np.linspace(-np.pi, np.pi, SWIVELS, endpoint=False)
    angles = angles[np.argsort(np.abs(angles))]
    deep, local = tried(angles)
    free = np.flatnonzero(deep <= CLEAR)
    if not len(free):
        best = int(np.argmin(deep))
        return (float(angles[best]), shoulder, local[best]) if deep[best] < before else None
    inner, outer = 0.0, float(angles[free[0]])
    for _ in range(REFINE):  # the last that is free, as near as need be
        middle = 0.5 * (inner + outer)
        inner, outer = (inner, middle) if tried(np.array([middle]))[0][0] <= CLEAR else (
            middle, outer)  # fmt: skip
    return outer, shoulder, tried(np.array([outer]))[1][0]
