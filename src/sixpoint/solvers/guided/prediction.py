"""What the prior predicts for one frame: from points to inputs, from outputs to a pose."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...body.anatomy import Anatomy
from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_conj,
    quat_from_columns,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_slerp,
    quat_store,
)
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_sub,
    vec_unit,
)
from ...motion.points import SIX
from ...priors.layout import (
    AT,
    ERRORS,
    FEET,
    HEIGHT,
    LINES,
    ORIGIN,
    ORIGINS,
    PARTS,
    PER_POINT,
    TURNS,
    measures,
)
from ...priors.layout import POINTS as INPUT_POINTS
from ...priors.poses import ARMS, HEAD, LIMBS, STATIONS, build_of, spine_map
from ..articulated.model import HINGE, ModelPose, hold_joint
from ..articulated.whole_body import WholeBody
from ..people.body import LIMB_ROLES
from .network import Network, run_network

NO_DIRECTION = 1e-9
"""A direction that is shorter says nothing."""
BEFORE = 6.0
"""How much the frame before decides where a body faces, beside `LINES` and `TURNS`: the prior is at
its best in the facing of the pelvis, which the points alone show less well."""
POINTS = (*SIX, *(name for name in INPUT_POINTS if name not in SIX))
"""Points that the solver reads, the six first."""
INPUT_OF = np.array([AT[name] for name in POINTS])
"""Place of each point among the inputs of the prior."""
PLACE = {name: k for k, name in enumerate(POINTS)}

LINE_POINTS = np.array([[PLACE[f"{side}_{name}"] for side in "lr"] for name, _ in LINES])
LINE_WEIGHTS = np.array([weight for _, weight in LINES])
TURN_POINTS = np.array([PLACE[name] for name, _ in TURNS])
TURN_WEIGHTS = np.array([weight for _, weight in TURNS])
ORIGIN_POINTS = np.array([[PLACE[group[0]], PLACE[group[-1]]] for group in ORIGINS])
FOOT_POINTS = np.array([int(np.flatnonzero(place == INPUT_OF)[0]) for place in FEET])

BOUND_COUNTS = np.array([3, 4, 5, 6, 8, 10, 11, 17])
BOUND_FACTORS = np.array([1.55, 1.55, 1.40, 1.20, 1.17, 1.03, 0.71, 0.70])
"""Mean errors of the joints stay below the expected ones times this factor in seven of eight
frames, by the number of positions that are known. Fitted to subjects 2, 49, 86 and 118 of the CMU
database, who are kept out of training; the exact step makes errors smaller the more points are
met."""
MISS_SHARE = 0.3
"""Share of the largest residual that is added to the expected error of points that are not seen:
where limits keep a point from being met, its neighbours are wrong, too."""


class Prediction(NamedTuple):
    """How a body of N joints follows the prior, and scratch memory."""

    measures: Floats  # (12,)
    height: Floats  # [m], (1,)
    low: Ints  # each joint of the model turns like a mixture of two parts, (N,)
    high: Ints
    share: Floats  # of the second
    parts: Floats  # world rotations of the parts, (21, 4)


def new_prediction(anatomy: Anatomy, body: WholeBody) -> Prediction:
    """Return how a body follows the prior."""
    spine = spine_map(anatomy)
    blend = spine.parts
    parts = list(zip(blend.low.tolist(), blend.high.tolist(), blend.share.tolist(), strict=True))
    mixtures = dict(zip(anatomy.bends[1:-1], parts[1:], strict=True))
    if spine.lower >= 0:
        mixtures[spine.lower] = parts[0]
    mixtures[anatomy.node("head")] = (HEAD, HEAD, 0.0)
    mixtures[anatomy.node("pelvis")] = (0, 0, 0.0)
    first = STATIONS + ARMS
    for limb, (clavicle, *roles) in enumerate(LIMB_ROLES):
        if anatomy.has(clavicle) and limb < ARMS:
            mixtures[anatomy.node(clavicle)] = (STATIONS + limb, STATIONS + limb, 0.0)
        for bone, role in enumerate(roles):
            part = first + bone * LIMBS + limb
            mixtures[anatomy.node(role)] = (part, part, 0.0)
    model = body.model
    count = len(model.parent)
    rows: list[tuple[int, int, float]] = [(0, 0, 0.0)] * count
    for joint in reversed(range(count)):
        rig = int(model.rig[joint])
        if rig in mixtures:
            rows[joint] = mixtures[rig]
        else:  # a forearm's twist turns like the hand; sites do not turn
            children = np.flatnonzero(model.parent == joint)
            rows[joint] = rows[int(children[0])] if len(children) else (0, 0, 0.0)
    low, high, share = (np.array(column) for column in zip(*rows, strict=True))
    return Prediction(
        measures(build_of(anatomy)),
        np.array([anatomy.height]),
        low,
        high,
        share,
        np.zeros((PARTS, 4)),
    )


@helper
def is_known(v: float) -> bool:
    """Whether a number is one."""
    return not math.isnan(v)


@helper
def quat_x(q: Quat) -> Vec3:
    """Image of the X axis."""
    return quat_rotate(q, (1.0, 0.0, 0.0))


@helper
def find_left(positions: Floats, rotations: Floats) -> Vec3:
    """Where the left of the body is, as far as the points tell; of any length."""
    left = (0.0, 0.0, 0.0)
    for k in range(LINE_WEIGHTS.shape[0]):
        a, b = LINE_POINTS[k, 0], LINE_POINTS[k, 1]
        if is_known(positions[a, 0]) and is_known(positions[b, 0]):
            line = vec_sub(vec_load(positions, a), vec_load(positions, b))
            weight = LINE_WEIGHTS[k] / (vec_length(line) + 1e-9)
            left = vec_add(left, vec_scale(line, weight))
    for k in range(TURN_WEIGHTS.shape[0]):
        p = TURN_POINTS[k]
        if is_known(rotations[p, 0]):
            left = vec_add(left, vec_scale(quat_x(quat_load(rotations, p)), TURN_WEIGHTS[k]))
    return left


@helper
def find_origin(positions: Floats) -> Vec3:
    """Where the body is told from: the best point that is seen, or the mean of all that are."""
    for k in range(ORIGIN_POINTS.shape[0]):
        a, b = ORIGIN_POINTS[k, 0], ORIGIN_POINTS[k, 1]
        if is_known(positions[a, 0]) and is_known(positions[b, 0]):
            return vec_scale(vec_add(vec_load(positions, a), vec_load(positions, b)), 0.5)
    total, count = (0.0, 0.0, 0.0), 0
    for p in range(positions.shape[0]):
        if is_known(positions[p, 0]):
            total = vec_add(total, vec_load(positions, p))
            count += 1
    return vec_scale(total, 1.0 / max(count, 1))


@helper
def predict(
    body: WholeBody,
    prediction: Prediction,
    net: Network,
    points: tuple[Floats, Floats],
    pose: ModelPose,
    before: Vec3,
) -> Vec3:
    """Write the local rotations that the prior predicts; return the position of the pelvis [m].

    Args:
        body: the person.
        prediction: how it follows the prior.
        net: the network; its outputs stay in it.
        points: positions (22, 3) and rotations (22, 4), NaN where they are not known.
        pose: gets the local and world rotations.
        before: where the left of the pelvis was in the frame before; zero in the first.
    """
    positions, rotations = points
    height = prediction.height[0]
    left = vec_add(find_left(positions, rotations), vec_scale(before, BEFORE))
    x, z = left[0], left[2]
    size = math.sqrt(x * x + z * z)
    x, z = (x / size, z / size) if size > NO_DIRECTION else (1.0, 0.0)
    # Columns of the facing: (x, 0, z), Y, (-z, 0, x); its rotation is about Y.
    facing = quat_from_columns(((x, 0.0, z), (0.0, 1.0, 0.0), (-z, 0.0, x)))
    back = quat_conj(facing)
    start = find_origin(positions)
    write_inputs(prediction, net.x, points, back, start)
    run_network(net)
    for part in range(PARTS):
        quat_store(prediction.parts, part, quat_mul(facing, read_rotation(net.y, 6 * part)))
    model = body.model
    for joint in range(model.parent.shape[0]):
        above = model.parent[joint]
        carrier = quat_load(pose.world, above) if above >= 0 else (1.0, 0.0, 0.0, 0.0)
        local = (1.0, 0.0, 0.0, 0.0)
        if model.freedom[joint] > 0:
            rotation = quat_load(prediction.parts, prediction.low[joint])
            if prediction.share[joint] > 0.0:
                other = quat_load(prediction.parts, prediction.high[joint])
                rotation = quat_slerp(rotation, other, prediction.share[joint])
            local = quat_normalize(quat_mul(quat_conj(carrier), rotation))
            if model.freedom[joint] == HINGE:
                local = hold_joint(model, joint, local)
        quat_store(pose.local, joint, local)
        quat_store(pose.world, joint, quat_mul(carrier, local))
    if is_known(positions[0, 0]):
        return vec_load(positions, 0)
    away = (net.y[ORIGIN], net.y[ORIGIN + 1], net.y[ORIGIN + 2])
    return vec_add(start, vec_scale(quat_rotate(facing, away), height))


@helper
def write_inputs(
    prediction: Prediction, x: Floats, points: tuple[Floats, Floats], back: Quat, start: Vec3
) -> None:
    """Inputs of the prior, in the facing whose inverse is given."""
    positions, rotations = points
    height = prediction.height[0]
    any_seen = False
    for p in range(positions.shape[0]):
        at = PER_POINT * INPUT_OF[p]
        for k in range(PER_POINT):
            x[at + k] = 0.0
        if is_known(positions[p, 0]):
            any_seen = True
            away = quat_rotate(back, vec_sub(vec_load(positions, p), start))
            for k in range(3):
                x[at + k] = away[k] / height
            x[at + 9] = 1.0
        if is_known(rotations[p, 0]):
            turn = quat_mul(back, quat_load(rotations, p))
            across, along = quat_x(turn), quat_rotate(turn, (0.0, 1.0, 0.0))
            for k in range(3):
                x[at + 3 + k], x[at + 6 + k] = across[k], along[k]
            x[at + 10] = 1.0
    grounded = any_seen
    for k in range(FOOT_POINTS.shape[0]):
        grounded = grounded and not is_known(positions[FOOT_POINTS[k], 0])
    x[HEIGHT] = start[1] / height if grounded else 0.0
    x[HEIGHT + 1] = 1.0 if grounded else 0.0
    for k in range(prediction.measures.shape[0]):
        x[HEIGHT + 2 + k] = prediction.measures[k]


@helper
def read_rotation(y: Floats, at: int) -> Quat:
    """Rotation with Y along the second of two axes and X as near to the first as can be."""
    along = vec_unit((y[at + 3], y[at + 4], y[at + 5]), (0.0, 1.0, 0.0))
    across = vec_reject((y[at], y[at + 1], y[at + 2]), along)
    if vec_length(across) < 1e-6:
        across = vec_reject((1.0, 0.0, 0.0) if abs(along[0]) < 0.9 else (0.0, 0.0, 1.0), along)
    across = vec_unit(across, (1.0, 0.0, 0.0))
    return quat_from_columns((across, along, vec_cross(across, along)))


@helper
def expected_error(y: Floats, point: int) -> float:
    """Return how far a point is likely to be predicted from the truth, as a part of height."""
    return math.exp(y[ERRORS + INPUT_OF[point]])


@helper
def error_bound(seen: int) -> float:
    """Return the factor from expected errors to what seven of eight frames stay below.

    Args:
        seen: how many positions are known.
    """
    factor = float(BOUND_FACTORS[0])
    for k in range(1, BOUND_FACTORS.shape[0]):
        low, high = BOUND_COUNTS[k - 1], BOUND_COUNTS[k]
        share = min(max((seen - low) / (high - low), 0.0), 1.0)
        factor += share * (BOUND_FACTORS[k] - BOUND_FACTORS[k - 1])
    return factor
