"""From masses back to joints: the rotations of a figure whose bones point where springs do.

The root first, every joint turns its bone from where it points to where the masses are, by the
smallest rotation. The *up vector* across the bone is carried along by that rotation from the pose
before, so that nothing twists; for two vectors this is the closed-form answer to absolute
orientation (Horn 1987) that the paper uses. Where the next joint is a hinge its axis is the up
vector, and the plane in which the limb bends says where it points (A4.11).
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle
from ...kernels.quaternion import (
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_angle,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_sub,
    vec_unit,
)
from .fabrik import is_hinge, lever, next_asked, node_offset
from .figure import HINGE, Figure, FigurePose, rows_forward
from .joint_turn import NO_AXIS, fit_ball, fit_hinge, fit_nothing, fit_place, fit_turn
from .parts import Parts, rotation_above
from .springs import Springs

STRAIGHT = 1e-3
"""Sine of the bend below which a limb is straight: the plane in which it bends is noise."""


WEIGHT, PRIORITY, FIT = 0, 1, 2
"""How a sub-base turns."""


@helper
def bone_turn(here: Vec3, there: Vec3) -> Quat:
    """What a bone asks of its joint: the smallest rotation, which carries the up vector along."""
    return rotation_between(here, there, NO_AXIS)


@helper
def hinge_sense(figure: Figure, hinge: int, bend: float, axis: Vec3, normal: Vec3) -> float:
    """1 or -1: whether a hinge bends by `bend` along its axis or against it.

    The way that its limits allow; where both are as good, the one that twists less.
    """
    gap_plus = abs(limit_clamp_angle(figure.limits, hinge, bend) - bend)
    gap_minus = abs(limit_clamp_angle(figure.limits, hinge, -bend) + bend)
    if gap_plus != gap_minus:
        return 1.0 if gap_plus < gap_minus else -1.0
    return 1.0 if vec_dot(axis, normal) >= 0.0 else -1.0


@helper
def align_hinge(
    figure: Figure, pose: FigurePose, parts: Parts, turned: Quat, hinge: int, bone: Vec3
) -> tuple[Quat, bool]:
    """Turn a joint about its bone so that the hinge after it bends in the plane of the masses.

    Everything in the frame of the joint's parent but the masses, which `bone` has been taken from.

    Args:
        figure: of the hinge.
        pose: of the joints so far.
        parts: with masses as goals.
        turned: local rotation of the joint whose bone points the right way.
        hinge: row after it.
        bone: unit vector along its bone, in the world.

    Returns:
        Its local rotation; and whether it will do. Masses that bend a knee backwards would turn the
        leg around.
    """
    arm, end = lever(figure, pose, parts, next_asked(parts, parts.child[hinge]))
    if end < 0:
        return turned, True
    below = rotation_above(figure, pose, figure.parent[hinge])
    onwards = vec_sub(vec_load(parts.wanted, end), vec_load(parts.wanted, hinge))
    normal = vec_cross(bone, onwards)
    if vec_length(normal) < STRAIGHT * vec_length(arm):
        return turned, True
    axis = quat_rotate(quat_mul(below, turned), vec_load(figure.axis, hinge))
    across = vec_reject(axis, bone)
    sense = hinge_sense(figure, hinge, vec_angle(bone, onwards), across, normal)
    if sense * vec_dot(across, normal) < 0.0:
        return turned, False
    twist = rotation_between(across, vec_scale(normal, sense), bone)
    seen = quat_unrotate(below, (twist[1], twist[2], twist[3]))
    return quat_normalize(quat_mul((twist[0], seen[0], seen[1], seen[2]), turned)), True


@helper
def aim_past_hinges(
    figure: Figure, pose: FigurePose, parts: Parts, row: int, turned: Quat, hinge: int, base: Vec3
) -> Quat:
    """Turn a joint so that what the hinges after it carry, bent as they will, points to its mass.

    A limit that has cut off a twist would do so again if the up vector were asked for again. So it
    stays as it is: the limb swings as one, and the masses of its hinges follow.
    """
    below = rotation_above(figure, pose, row)
    turn, place, node = quat_mul(below, turned), base, hinge
    while is_hinge(figure, node):
        place = vec_add(place, quat_rotate(turn, node_offset(figure, node)))
        child = next_asked(parts, parts.child[node])
        arm, end = lever(figure, pose, parts, child)
        if end < 0:
            return turned
        axis = vec_load(figure.axis, node)
        bend = quat_load(pose.local, node)
        there = quat_unrotate(turn, vec_sub(vec_load(parts.wanted, end), place))
        fit = fit_place(fit_nothing(), quat_rotate(bend, arm), there, 1.0)
        angle = quat_twist_angle(bend, axis) + fit_hinge(fit, axis)
        bend = quat_from_axis_angle(axis, limit_clamp_angle(figure.limits, node, angle))
        turn, node = quat_mul(turn, bend), child
    place = vec_add(place, quat_rotate(turn, node_offset(figure, node)))
    here = quat_unrotate(below, vec_sub(place, base))
    there = quat_unrotate(below, vec_sub(vec_load(parts.wanted, node), base))
    if figure.freedom[row] == HINGE:
        axis = vec_load(figure.axis, row)
        fit = fit_place(fit_nothing(), here, there, 1.0)
        return quat_from_axis_angle(axis, quat_twist_angle(turned, axis) + fit_hinge(fit, axis))
    return quat_normalize(quat_mul(bone_turn(here, there), turned))


@helper
def preferred_child(parts: Parts, springs: Springs, row: int) -> int:
    """The child whose chain decides: the one that was chosen, or the first of the heaviest."""
    chosen = springs.preferred[row]
    if chosen >= 0 and parts.votes[chosen] > 0.0:
        return int(chosen)
    best = next_asked(parts, parts.child[row])
    child = best
    while child >= 0:
        if parts.votes[child] > parts.votes[best]:
            best = child
        child = next_asked(parts, parts.sibling[child])
    return best


@helper
def rebuild(
    figure: Figure, pose: FigurePose, parts: Parts, springs: Springs, part: int, aligned: bool
) -> None:
    """Turn every joint of a part to its masses, the root first; limits are not looked at.

    A joint that carries several chains, a *sub-base*, takes the mean of the rotations that they
    ask for, by their weights, or that of the preferred one (S4.12); or the one that takes all of
    them together nearest to their masses. Joints before hinges take the
    plane in which these bend (`aligned`) or keep their twist. Rows and their rotations are placed
    anew on the way, tips are not.
    """
    rule = springs.rule[0]
    for row in range(parts.first_row[part], parts.last_row[part]):
        rows_forward(figure, pose, row, row + 1)
        if figure.freedom[row] == 0 or not parts.votes[row] > 0.0:
            continue
        below = rotation_above(figure, pose, row)
        place = vec_load(parts.wanted, row) if rule.pairs else vec_load(pose.place, row)
        local = quat_load(pose.local, row)
        only = preferred_child(parts, springs, row) if rule.branch == PRIORITY else -1
        fit, asked, last = fit_nothing(), 0, -1
        bone, arm_now, goal_now = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        child = next_asked(parts, parts.child[row])
        while child >= 0:
            arm, node = lever(figure, pose, parts, child)
            if node >= 0 and (only < 0 or child == only):
                here = quat_rotate(local, arm)
                bone = vec_sub(vec_load(parts.wanted, node), place)
                there = quat_unrotate(below, bone)
                if figure.freedom[row] == HINGE or rule.branch == FIT:
                    fit = fit_place(fit, here, there, parts.votes[node])
                else:
                    fit = fit_turn(fit, bone_turn(here, there), 1.0, parts.votes[node])
                arm_now, goal_now = here, there
                asked += 1
                last = child if node == child else -1
            child = next_asked(parts, parts.sibling[child])
        if asked == 0:
            continue
        if figure.freedom[row] == HINGE:
            axis = vec_load(figure.axis, row)
            angle = quat_twist_angle(local, axis) + fit_hinge(fit, axis)
            turned = quat_from_axis_angle(axis, angle)
        else:
            turn = bone_turn(arm_now, goal_now) if asked == 1 else fit_ball(fit)
            turned = quat_normalize(quat_mul(turn, local))
        if asked == 1 and last >= 0 and is_hinge(figure, last):
            done = False
            if aligned and figure.freedom[row] != HINGE:
                along = vec_unit(bone, (0.0, 0.0, 0.0))
                turned, done = align_hinge(figure, pose, parts, turned, last, along)
            if not done:
                turned = aim_past_hinges(figure, pose, parts, row, turned, last, place)
        quat_store(pose.local, row, turned)
        quat_store(pose.world, row, quat_mul(below, turned))
