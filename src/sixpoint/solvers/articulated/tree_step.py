"""One Gauss-Newton step over a whole tree of joints, at a cost in proportion to their number.

A step turns each joint j by a small world rotation phi_j and moves its origin by x_j. A child c
whose origin lies at the arm r from its parent's moves along::

    x_c = x_j + phi_j x r        phi_c = phi_j + delta_c

where delta_c is free for a ball joint, along the axis for a hinge, and zero for a fixed joint. The
step minimizes the weighted squares of what is still missing at observed points and rotations, and
``k_c |delta_c + d_c|^2`` of all joints: d_c is how far the joint is already turned from the
predicted pose, so that the iteration ends at the most probable pose, whatever way it took.

The Jacobian of a body is sparse like the body. What the joints below a joint cost at best is a
quadratic function of how that joint moves (the *value* of dynamic programming)::

    V(x, phi) = x'Ax + 2 x'B phi + phi'C phi - 2 a'x - 2 b'phi

and eliminating a joint turns its value into a part of its parent's: a Riccati recursion from the
leaves to the root, then one pass back. The articulated-body algorithm of Featherstone 1983 does
the same for forces. With S the inverse of C + kI on the directions in which the joint can turn::

    delta = -S (C phi_j + B'x_c + p - b)     p = k d
    A <- A - BSB'   B <- B - BSC   C <- C - CSC   a <- a + BS(p - b)   b <- b + CS(p - b)

A direction n in which a limit holds a joint back (its *gate*) is taken out of S; afterwards the
gradient tells whether the joint would still leave through it.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

from ...kernels._jit import helper
from ...kernels.quaternion import quat_rotate
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import vec_add, vec_cross, vec_dot, vec_load, vec_scale, vec_store, vec_sub
from .model import HINGE, Model, ModelPose, parent_rotation

Symmetric: TypeAlias = tuple[float, float, float, float, float, float]
"""A symmetric 3x3 matrix: xx, xy, xz, yy, yz, zz."""
Rows: TypeAlias = tuple[Vec3, Vec3, Vec3]
"""Any 3x3 matrix by its rows."""
Value: TypeAlias = tuple[Symmetric, Rows, Symmetric, Vec3, Vec3]
"""A, B, C, a and b of a value."""

SILENT, PASSES, TURNS = 0, 1, 2
"""What observations ask of a joint: nothing of it nor of joints below it; only its place; or its
rotation as well."""
FREE, GATED, CORNERED, LOCKED = 0, 1, 2, 3
"""How a joint is held: not; in the direction `TreeStep.gate`; so that it can turn about that
direction only; wholly."""
LEAST_GIVE = 1e-14
"""A gated direction in which a joint gives way less than this [rad^2] is held already."""


class TreeStep(NamedTuple):
    """What a step reads and writes, for N joints. World axes throughout."""

    stiffness: Annotated[Floats, "N"]  # k of each joint [1 / rad^2]
    drift: Annotated[Floats, "N", 3]  # d of each joint [rad]
    asked: Annotated[Ints, "N"]  # `SILENT`, `PASSES` or `TURNS`
    held: Annotated[Ints, "N"]  # `FREE`, `GATED` or `LOCKED`
    gate: Annotated[Floats, "N", 3]  # unit direction that is held, outwards; or that is left
    slope: Annotated[Floats, "N", 3]  # gradient against which a held joint would turn, if it could
    value: Annotated[Floats, "N", 27]  # A, B, C, a, b: observations, then also joints below
    gain: Annotated[Floats, "N", 21]  # rows of SC and SB', then S(p - b)
    turn: Annotated[Floats, "N", 3]  # delta, the answer [rad]
    whole: Annotated[Floats, "N", 3]  # phi [rad]
    shift: Annotated[Floats, "N", 3]  # x [m]
    force: Annotated[Floats, "N", 3]  # what pulls at each joint from below after the step [1 / m]


@helper
def tree_clear(step: TreeStep) -> None:
    """Forget all observations."""
    value = step.value
    for joint in range(value.shape[0]):
        for k in range(value.shape[1]):
            value[joint, k] = 0.0


@helper
def tree_observe_point(step: TreeStep, joint: int, arm: Vec3, gap: Vec3, weight: float) -> None:
    """Ask a point of a joint, at `arm` from its origin, to move by `gap` [m]."""
    value = step.value[joint]
    x, y, z = arm
    value[0] += weight
    value[3] += weight
    value[5] += weight
    value[7] += weight * z
    value[8] -= weight * y
    value[9] -= weight * z
    value[11] += weight * x
    value[12] += weight * y
    value[13] -= weight * x
    value[15] += weight * (y * y + z * z)
    value[16] -= weight * x * y
    value[17] -= weight * x * z
    value[18] += weight * (x * x + z * z)
    value[19] -= weight * y * z
    value[20] += weight * (x * x + y * y)
    moment = vec_cross(arm, gap)
    for k in range(3):
        value[21 + k] += weight * gap[k]
        value[24 + k] += weight * moment[k]


@helper
def tree_observe_rotation(step: TreeStep, joint: int, gap: Vec3, weight: float) -> None:
    """Ask a joint to turn by the rotation vector `gap` in the world [rad]."""
    value = step.value[joint]
    value[15] += weight
    value[18] += weight
    value[20] += weight
    for k in range(3):
        value[24 + k] += weight * gap[k]


@helper
def tree_step(
    model: Model, pose: ModelPose, step: TreeStep, root_weight: float, root: Vec3
) -> None:
    """Find the best step from the observations of a pose whose joints are placed.

    Args:
        model: the tree; joint 0 is its only root.
        pose: where the joints are.
        step: observations, what holds the joints, and room for the answer.
        root_weight: weight of the square of how far the root moves from where it shall be [1/m^2].
        root: way from the root to where it shall be [m].
    """
    count = model.parent.shape[0]
    for k in range(count):
        joint = count - 1 - k
        if step.asked[joint] != SILENT:
            _eliminate(model, pose, step, joint)
            if joint > 0:
                _hand_over(model, pose, step, joint)
    if step.asked[0] == SILENT:
        return
    value = step.value[0]
    a = (
        value[0] + root_weight,
        value[1],
        value[2],
        value[3] + root_weight,
        value[4],
        value[5] + root_weight,
    )
    pull = vec_add((value[21], value[22], value[23]), vec_scale(root, root_weight))
    vec_store(step.shift, 0, _apply(_inverse(a), pull))
    for joint in range(count):
        if step.asked[joint] != SILENT:
            _follow(model, pose, step, joint)


@helper
def _follow(model: Model, pose: ModelPose, step: TreeStep, joint: int) -> None:
    """Find how a joint moves from how its parent does."""
    above = (0.0, 0.0, 0.0)
    x = vec_load(step.shift, joint)
    if joint > 0:
        parent = model.parent[joint]
        above = vec_load(step.whole, parent)
        arm = vec_sub(vec_load(pose.position, joint), vec_load(pose.position, parent))
        x = vec_add(vec_load(step.shift, parent), vec_cross(above, arm))
        vec_store(step.shift, joint, x)
        a, b, _, pull, _ = _load_value(step, joint)
        moved = vec_add(_apply(a, x), _times(b, above))
        vec_store(step.force, joint, vec_sub(pull, moved))
    if step.asked[joint] == PASSES:
        vec_store(step.turn, joint, (0.0, 0.0, 0.0))
        vec_store(step.whole, joint, above)
        return
    gain = step.gain[joint]
    delta = (
        -(_dot_at(gain, 0, above) + _dot_at(gain, 9, x) + gain[18]),
        -(_dot_at(gain, 3, above) + _dot_at(gain, 12, x) + gain[19]),
        -(_dot_at(gain, 6, above) + _dot_at(gain, 15, x) + gain[20]),
    )
    vec_store(step.turn, joint, delta)
    vec_store(step.whole, joint, vec_add(above, delta))
    if step.held[joint] != FREE:
        # What the joint's own value says of its parent's rotation, it says of its own (envelope).
        _, b, c, _, moment = _load_value(step, joint)
        own = vec_scale(vec_add(delta, vec_load(step.drift, joint)), step.stiffness[joint])
        slope = vec_add(_apply(c, above), _times(_transposed(b), x))
        vec_store(step.slope, joint, vec_add(own, vec_sub(slope, moment)))


@helper
def _eliminate(model: Model, pose: ModelPose, step: TreeStep, joint: int) -> None:
    """Replace the value of a joint by that of its place and its parent's rotation."""
    if step.asked[joint] == PASSES:
        return
    freedom = model.freedom[joint]
    if freedom == 0 or step.held[joint] == LOCKED:
        gain = step.gain[joint]
        for k in range(21):
            gain[k] = 0.0
    elif freedom == HINGE:
        axis = quat_rotate(parent_rotation(model, pose, joint), vec_load(model.axis, joint))
        _eliminate_hinge(step, joint, axis)
    elif step.held[joint] == CORNERED:
        _eliminate_hinge(step, joint, vec_load(step.gate, joint))
    else:
        _eliminate_ball(step, joint)


@helper
def _eliminate_hinge(step: TreeStep, joint: int, axis: Vec3) -> None:
    """Eliminate a joint that turns about one axis."""
    a, b, c, pull, moment = _load_value(step, joint)
    turned = _apply(c, axis)
    moved = (vec_dot(b[0], axis), vec_dot(b[1], axis), vec_dot(b[2], axis))
    k = step.stiffness[joint]
    lean = k * vec_dot(vec_load(step.drift, joint), axis) - vec_dot(moment, axis)
    give = 1.0 / (vec_dot(turned, axis) + k)
    if step.held[joint] == GATED:
        give = 0.0  # there is no other direction
    answer = vec_scale(axis, give)
    moves = _outer(answer, turned), _outer(answer, moved), vec_scale(answer, lean)
    _store_gain(step, joint, moves)
    value = (
        _plus_square(a, moved, -give),
        _plus_outer(b, moved, turned, -give),
        _plus_square(c, turned, -give),
        vec_add(pull, vec_scale(moved, give * lean)),
        vec_add(moment, vec_scale(turned, give * lean)),
    )
    _store_value(step, joint, value)


@helper
def _eliminate_ball(step: TreeStep, joint: int) -> None:
    """Eliminate a joint that turns about any axis, but for a gated one.

    With P the inverse of C + kI, C - CPC = kPC and B - BPC = kBP: without differences of large
    numbers. A gate n adds squares of v = CPn = n - kPn and w = BPn, divided by n'Pn.
    """
    a, b, c, pull, moment = _load_value(step, joint)
    k = step.stiffness[joint]
    p = _inverse((c[0] + k, c[1], c[2], c[3] + k, c[4], c[5] + k))
    lean = vec_scale(vec_load(step.drift, joint), k)
    rest = vec_sub(lean, moment)
    away = _apply(p, rest)
    turned = _symmetric_product(p, c)
    moved = (_apply(p, b[0]), _apply(p, b[1]), _apply(p, b[2]))  # rows of BP, columns of PB'
    new_c = (
        k * turned[0][0],
        k * turned[0][1],
        k * turned[0][2],
        k * turned[1][1],
        k * turned[1][2],
        k * turned[2][2],
    )
    new_b = (vec_scale(moved[0], k), vec_scale(moved[1], k), vec_scale(moved[2], k))
    new_a = (
        a[0] - vec_dot(b[0], moved[0]),
        a[1] - vec_dot(b[0], moved[1]),
        a[2] - vec_dot(b[0], moved[2]),
        a[3] - vec_dot(b[1], moved[1]),
        a[4] - vec_dot(b[1], moved[2]),
        a[5] - vec_dot(b[2], moved[2]),
    )
    new_pull = (
        pull[0] + vec_dot(moved[0], rest),
        pull[1] + vec_dot(moved[1], rest),
        pull[2] + vec_dot(moved[2], rest),
    )
    new_moment = vec_sub(lean, vec_scale(away, k))
    back = _transposed(moved)
    if step.held[joint] == GATED:
        gate = vec_load(step.gate, joint)
        given = _apply(p, gate)
        size = vec_dot(gate, given)
        v = vec_sub(gate, vec_scale(given, k))
        w = (vec_dot(moved[0], gate), vec_dot(moved[1], gate), vec_dot(moved[2], gate))
        push = vec_dot(given, rest)
        if size > LEAST_GIVE:
            share = 1.0 / size
            new_a = _plus_square(new_a, w, share)
            new_b = _plus_outer(new_b, w, v, share)
            new_c = _plus_square(new_c, v, share)
            new_pull = vec_sub(new_pull, vec_scale(w, share * push))
            new_moment = vec_sub(new_moment, vec_scale(v, share * push))
            turned = _plus_outer(turned, given, v, -share)
            back = _plus_outer(back, given, w, -share)
            away = vec_sub(away, vec_scale(given, share * push))
    _store_gain(step, joint, (turned, back, away))
    _store_value(step, joint, (new_a, new_b, new_c, new_pull, new_moment))


@helper
def _hand_over(model: Model, pose: ModelPose, step: TreeStep, joint: int) -> None:
    """Add the value of a joint, seen from its parent's origin, to its parent's."""
    parent = model.parent[joint]
    a, b, c, pull, moment = _load_value(step, joint)
    arm = vec_sub(vec_load(pose.position, joint), vec_load(pose.position, parent))
    value = step.value[parent]
    # Second order: a bone under tension resists turning aside, like a pendulum.
    tension = vec_dot(arm, vec_load(step.force, joint))
    if tension > 0.0:
        c = _plus_square(c, arm, -tension / vec_dot(arm, arm))
        c = (c[0] + tension, c[1], c[2], c[3] + tension, c[4], c[5] + tension)
    for k in range(6):
        value[k] += a[k]
    lever = (
        vec_cross(arm, (a[0], a[1], a[2])),
        vec_cross(arm, (a[1], a[3], a[4])),
        vec_cross(arm, (a[2], a[4], a[5])),
    )  # AR, with R phi = phi x arm
    both = (vec_add(b[0], lever[0]), vec_add(b[1], lever[1]), vec_add(b[2], lever[2]))
    for k in range(3):
        value[6 + k] += both[0][k]
        value[9 + k] += both[1][k]
        value[12 + k] += both[2][k]
    one, two = _cross_columns(arm, both), _cross_columns(arm, b)  # R'(B + AR) and R'B
    value[15] += c[0] + one[0][0] + two[0][0]
    value[16] += c[1] + one[0][1] + two[1][0]
    value[17] += c[2] + one[0][2] + two[2][0]
    value[18] += c[3] + one[1][1] + two[1][1]
    value[19] += c[4] + one[1][2] + two[2][1]
    value[20] += c[5] + one[2][2] + two[2][2]
    around = vec_add(moment, vec_cross(arm, pull))
    for k in range(3):
        value[21 + k] += pull[k]
        value[24 + k] += around[k]


@helper
def _load_value(step: TreeStep, joint: int) -> Value:
    v = step.value[joint]
    return (
        (v[0], v[1], v[2], v[3], v[4], v[5]),
        ((v[6], v[7], v[8]), (v[9], v[10], v[11]), (v[12], v[13], v[14])),
        (v[15], v[16], v[17], v[18], v[19], v[20]),
        (v[21], v[22], v[23]),
        (v[24], v[25], v[26]),
    )


@helper
def _store_value(step: TreeStep, joint: int, value: Value) -> None:
    v = step.value[joint]
    a, b, c, pull, moment = value
    v[0], v[1], v[2], v[3], v[4], v[5] = a
    v[6], v[7], v[8] = b[0]
    v[9], v[10], v[11] = b[1]
    v[12], v[13], v[14] = b[2]
    v[15], v[16], v[17], v[18], v[19], v[20] = c
    v[21], v[22], v[23] = pull
    v[24], v[25], v[26] = moment


@helper
def _store_gain(step: TreeStep, joint: int, gain: tuple[Rows, Rows, Vec3]) -> None:
    g = step.gain[joint]
    turned, moved, away = gain
    g[0], g[1], g[2] = turned[0]
    g[3], g[4], g[5] = turned[1]
    g[6], g[7], g[8] = turned[2]
    g[9], g[10], g[11] = moved[0]
    g[12], g[13], g[14] = moved[1]
    g[15], g[16], g[17] = moved[2]
    g[18], g[19], g[20] = away


@helper
def _dot_at(numbers: Floats, first: int, v: Vec3) -> float:
    return float(numbers[first] * v[0] + numbers[first + 1] * v[1] + numbers[first + 2] * v[2])


@helper
def _apply(m: Symmetric, v: Vec3) -> Vec3:
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[2] * v[0] + m[4] * v[1] + m[5] * v[2],
    )


@helper
def _times(m: Rows, v: Vec3) -> Vec3:
    return (vec_dot(m[0], v), vec_dot(m[1], v), vec_dot(m[2], v))


@helper
def _inverse(m: Symmetric) -> Symmetric:
    """Inverse of a positive matrix, by its factors L and D.

    The adjugate would lose half of the digits where a point far away fixes two directions and a
    joint's stiffness the third.
    """
    e0 = 1.0 / m[0]
    l10, l20 = m[1] * e0, m[2] * e0
    e1 = 1.0 / (m[3] - l10 * m[1])
    below = m[4] - l20 * m[1]
    l21 = below * e1
    e2 = 1.0 / (m[5] - l20 * m[2] - l21 * below)
    corner = l10 * l21 - l20
    return (
        e0 + l10 * l10 * e1 + corner * corner * e2,
        -l10 * e1 - corner * l21 * e2,
        corner * e2,
        e1 + l21 * l21 * e2,
        -l21 * e2,
        e2,
    )


@helper
def _symmetric_product(p: Symmetric, c: Symmetric) -> Rows:
    return (
        _apply(c, (p[0], p[1], p[2])),
        _apply(c, (p[1], p[3], p[4])),
        _apply(c, (p[2], p[4], p[5])),
    )


@helper
def _transposed(m: Rows) -> Rows:
    return (
        (m[0][0], m[1][0], m[2][0]),
        (m[0][1], m[1][1], m[2][1]),
        (m[0][2], m[1][2], m[2][2]),
    )


@helper
def _cross_columns(r: Vec3, m: Rows) -> Rows:
    """Rows of the matrix whose columns are r x the columns of another."""
    return (
        vec_sub(vec_scale(m[2], r[1]), vec_scale(m[1], r[2])),
        vec_sub(vec_scale(m[0], r[2]), vec_scale(m[2], r[0])),
        vec_sub(vec_scale(m[1], r[0]), vec_scale(m[0], r[1])),
    )


@helper
def _outer(left: Vec3, right: Vec3) -> Rows:
    return (vec_scale(right, left[0]), vec_scale(right, left[1]), vec_scale(right, left[2]))


@helper
def _plus_outer(m: Rows, left: Vec3, right: Vec3, scale: float) -> Rows:
    return (
        vec_add(m[0], vec_scale(right, scale * left[0])),
        vec_add(m[1], vec_scale(right, scale * left[1])),
        vec_add(m[2], vec_scale(right, scale * left[2])),
    )


@helper
def _plus_square(m: Symmetric, v: Vec3, scale: float) -> Symmetric:
    x, y, z = vec_scale(v, scale)
    return (
        m[0] + x * v[0],
        m[1] + x * v[1],
        m[2] + x * v[2],
        m[3] + y * v[1],
        m[4] + y * v[2],
        m[5] + z * v[2],
    )
