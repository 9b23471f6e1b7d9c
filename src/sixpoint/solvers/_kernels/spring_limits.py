"""The angular constraint solver: what is beyond a joint's limit is passed on to its parent.

From the tips to the root, every joint is cut back to its limit. If that takes away a turn by alpha,
the tip is L2 away from the joint and the bone of its parent L1 long, the parent turns about the
same axis by beta, so that the tip moves along about the same arc (Fig. 3 of the paper)::

    alpha L2 = beta (L1 + L2)

Then the parent is cut back, and so on; the root is only cut. Any kind of limit will do; a hinge is
one that allows turns about its axis only.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_to_rotvec,
    quat_twist_angle,
)
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from .figure import HINGE, Figure, FigurePose
from .missing import is_place
from .parts import Parts, rotation_above

FELT = 1e-9
"""Joints turned back by less than this have met no limit [rad]."""
ALONG_BONES, STRAIGHT_ON = 0, 1
"""Lever of the parent: L1 + L2, the paper's; or its distance from the tip (A4.9)."""


@helper
def within(figure: Figure, row: int, local: Quat) -> Quat:
    """The nearest rotation that a joint allows."""
    if figure.freedom[row] == HINGE:
        axis = vec_load(figure.axis, row)
        angle = limit_clamp_angle(figure.limits, row, quat_twist_angle(local, axis))
        return quat_from_axis_angle(axis, angle)
    return limit_project(figure.limits, row, local)


@helper
def cut(figure: Figure, pose: FigurePose, row: int) -> Vec3:
    """Cut a joint back to its limit; what was taken away, as a rotation vector in the world."""
    local = quat_load(pose.local, row)
    held = within(figure, row, local)
    excess = quat_to_rotvec(quat_mul(quat_conj(held), local))
    if vec_length(excess) <= FELT:
        quat_store(pose.local, row, held)
        return (0.0, 0.0, 0.0)
    world = quat_mul(rotation_above(figure, pose, row), held)
    quat_store(pose.local, row, held)
    quat_store(pose.world, row, world)
    return quat_rotate(world, excess)


@helper
def turn_tips(figure: Figure, pose: FigurePose, row: int, turn: Vec3) -> None:
    """Where the tips that a row moves are after it has turned in the world."""
    rotation = quat_from_rotvec(turn)
    base = vec_load(pose.place, row)
    for tip in range(figure.tip_row.shape[0]):
        if figure.moves[tip, row]:
            arm = vec_sub(vec_load(pose.tips, tip), base)
            vec_store(pose.tips, tip, vec_add(base, quat_rotate(rotation, arm)))


@helper
def effector(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, row: int, places: Floats
) -> tuple[Vec3, float]:
    """Middle of the tips with targets that a row moves, by their weights; the sum of these."""
    middle, weight = (0.0, 0.0, 0.0), 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        tip = figure.task_tip[task]
        if figure.moves[tip, row] and is_place(vec_load(places, tip)):
            share = figure.task_weight[task]
            middle = vec_add(middle, vec_scale(vec_load(pose.tips, tip), share))
            weight += share
    if weight > 0.0:
        middle = vec_scale(middle, 1.0 / weight)
    return middle, weight


@helper
def pass_on(
    figure: Figure, pose: FigurePose, row: int, excess: Vec3, end: Vec3, straight: bool
) -> None:
    """Turn the parent of a row so that the tip moves along the arc that was taken away."""
    above = figure.parent[row]
    here, base = vec_load(pose.place, row), vec_load(pose.place, above)
    arm = vec_distance(here, end)
    lever = vec_distance(base, end) if straight else vec_distance(base, here) + arm
    if not lever > 0.0:
        return
    turn = vec_scale(excess, min(arm / lever, 1.0))
    world = quat_normalize(quat_mul(quat_from_rotvec(turn), quat_load(pose.world, above)))
    quat_store(pose.world, above, world)
    local = quat_mul(quat_conj(rotation_above(figure, pose, above)), world)
    quat_store(pose.local, above, quat_normalize(local))
    turn_tips(figure, pose, above, turn)


@helper
def constrain(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, places: Floats, straight: bool
) -> bool:
    """One sweep from the tips to the root of a part that has been placed; whether a limit was felt.

    All joints are within their limits afterwards; rows and tips must be placed anew.
    """
    first = parts.first_row[part]
    limited = False
    for row in range(parts.last_row[part] - 1, first - 1, -1):
        if figure.freedom[row] == 0:
            continue
        excess = cut(figure, pose, row)
        if vec_length(excess) <= FELT:
            continue
        limited = True
        turn_tips(figure, pose, row, vec_scale(excess, -1.0))
        above = figure.parent[row]
        if above < first or figure.freedom[above] == 0:
            continue
        end, weight = effector(figure, pose, parts, part, row, places)
        if weight > 0.0:
            pass_on(figure, pose, row, excess, end, straight)
    return limited
