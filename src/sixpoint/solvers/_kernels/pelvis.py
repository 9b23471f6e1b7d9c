"""Where the pelvis of sequential IK faces (section 4 of the SIK paper)."""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_from_columns,
)
from ...kernels.types import (
    Floats,
    Quat,
    Vec3,
)
from ...kernels.vector import (
    as3,
    vec_add,
    vec_cross,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_sub,
    vec_unit,
)
from .tables import (
    Settings,
    State,
)

PARALLEL = 1e-6
"""A direction whose part across the axis is shorter than this says nothing about it."""
OPPOSED = 1e-3
"""Directions that cancel to less than this part of their weights leave the axis open."""


@helper
def flat_direction(v: Vec3, up: Vec3) -> tuple[Vec3, float]:
    """Unit direction of v across `up`, and 1; or zeros where v says nothing."""
    flat = vec_reject(v, up)
    length = vec_length(flat)
    if length < PARALLEL:
        return (0.0, 0.0, 0.0), 0.0
    return vec_scale(flat, 1.0 / length), 1.0


@helper
def pelvis_frame(settings: Settings, state: State, points: Floats) -> Quat:
    """Estimated rotation of the pelvis: section 4, S0.4.

    Y points to the head; X is the weighted mean of the line between the wrists, the line between
    the ankles and the X axis of the frame before. The last is projected like the others (A0.7:
    otherwise X is not perpendicular to Y), unless the literal form is asked for.
    """
    pelvis = vec_load(points, 0)
    known = state.frames > 0
    previous = as3(state.left) if known else (1.0, 0.0, 0.0)
    up = vec_unit(vec_sub(vec_load(points, 1), pelvis), (0.0, 1.0, 0.0))
    wrists, has_wrists = flat_direction(vec_sub(vec_load(points, 2), vec_load(points, 3)), up)
    ankles, has_ankles = flat_direction(vec_sub(vec_load(points, 4), vec_load(points, 5)), up)
    before, has_before = flat_direction(previous, up)
    w1 = settings.weights[0] * has_wrists
    w2 = settings.weights[1] * has_ankles
    w3 = settings.weights[2] * has_before if known else 0.0
    third = before if settings.project_previous else previous
    total = vec_add(vec_add(vec_scale(wrists, w1), vec_scale(ankles, w2)), vec_scale(third, w3))
    total = vec_reject(total, up)
    if vec_length(total) > OPPOSED * (w1 + w2 + w3) and w1 + w2 + w3 > 0.0:
        left = vec_unit(total, before)
    elif has_before > 0.0:
        left = before
    else:  # straight along the axis of before: any direction across will do
        left = vec_unit(vec_reject((0.0, 0.0, 1.0), up), (0.0, 1.0, 0.0))
    return quat_from_columns((left, up, vec_cross(left, up)))
