"""The prior of the guided solver, evaluated: from six points to rotations and hinge axes.

The points are expressed in a facing: Y from pelvis to head, X where the pelvis's left was a frame
ago. The network answers with directions in that facing (see `priors.layout`). It was trained with
facings that are off by tens of degrees and corrects them, so it is evaluated again in the facing
that follows from its answer.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

from ...kernels._jit import helper
from ...kernels.limits import LimitTable
from ...kernels.quaternion import (
    quat_from_columns,
    quat_load,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
    as3,
    vec_add,
    vec_cross,
    vec_distance,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ...priors.layout import ENDS, HINGES, INPUTS, MEASURES, POINTS, ROWS
from ..context import record_type
from ..people.tables import HEAD, LIMBS, PELVIS, SPINE, Body, Settings, State, Work

STATIONS = HINGES // 2
"""Stations of the spine, whose X and Y axes are the first rows of the network's outputs."""
TASKS = 7
"""Rows of the exact step: three for the head, one for each limb that is too short."""
LARGEST_INPUT = 6.0
"""Inputs further from their mean than this many deviations are taken to be no further."""
FIRST_LOOKS, LOOKS = 4, 2
"""Times that the network is asked in the first frame and in later ones."""
SPEED_CUTOFF = 1.0
"""One-euro filter: cutoff of the speed [Hz] (Casiez, Roussel and Vogel, CHI 2012)."""
DOUBT = 0.5
"""Points less likely than this to be right are doubted: at equal odds, more likely wrong."""

Guide: TypeAlias = Any
"""How one body follows the prior, a record of `GUIDE`."""
Memory: TypeAlias = Any
"""What the guided solver remembers besides `State`, a record of `MEMORY`."""
Net: TypeAlias = Any
"""Inputs and outputs of the prior, and scratch memory, a record of `NET`."""

GUIDE = record_type(
    ("measures", "f8", (MEASURES,)),  # of the body, as inputs
    ("low", "i8", (SPINE,)),  # stations around each part of the spine
    ("high", "i8", (SPINE,)),
    ("share", "f8", (SPINE,)),  # and the part of the higher
    ("give", "f8", (SPINE + 1,)),  # how readily each joint turns to be exact; see `trunk_fit`
    ("near", "f8"),  # distance from what was seen up to which the prior is trusted
    ("far", "f8"),  # and from which it is not
    ("trust", "f8"),  # most that it is trusted, from 0 (plain sequential IK) to 1
    ("cutoff", "f8"),  # one-euro filter: slowest cutoff [Hz]; 0 for no filter
    ("quickness", "f8"),  # and how it grows with speed [1]
    ("ends", "i8"),  # whether hands and feet are predicted
)

MEMORY = record_type(
    ("known", "i8"),  # whether there was a frame
    ("latent", "f8", (ROWS, 3)),  # filtered outputs of the network
    ("speeds", "f8", (ROWS, 3)),  # their smoothed change [1/s]
    ("normals", "f8", (LIMBS, 3)),  # hinge axes solved last, in their parents' frames
    ("roots", "f8", (LIMBS, 4)),  # rotations of shoulders and hips solved last
    ("bends", "f8", (LIMBS,)),  # and angles of elbows and knees [rad]
    ("freed", "i8", (LIMBS,)),  # frame in which a limb last turned as it wished
    ("misses", "f8", (LIMBS,)),  # how far limits kept limbs from their points [m]
    ("helps", "f8", (SPINE + 1, 3)),  # turns for limbs held back, from the pelvis wished [rad]
    ("handless", "i8"),  # whether neither hand was seen in the frame before; then:
    ("hands", "f8", (2, 3)),  # where they are, seen from the facing [m]
    ("grounded", "i8"),  # whether only head and hands were seen in the frame before; then:
    ("ground", "f8"),  # height of its ankles [m]
    ("feet", "f8", (2,)),  # x, z between them [m]
    ("speed", "f8", (2,)),  # x, z of the head, smoothed [m/s]
    ("swing", "f8", (2,)),  # x, z by which the pelvis was swung aside for the hands, in trunks
    ("eased", "f8", (3, 3)),  # how far pelvis and ankles still are from where they are put [m]
)

NET = record_type(
    # Of the prior: means and factors of the inputs, and what mirrors inputs and outputs.
    ("input_mean", "f8", (INPUTS,)),
    ("input_scale", "f8", (INPUTS,)),
    ("whitening", "f8", (INPUTS, INPUTS)),
    ("order", "i8", (INPUTS,)),
    ("signs", "f8", (INPUTS,)),
    ("back", "i8", (3 * ROWS,)),
    ("back_signs", "f8", (3 * ROWS,)),
    # Scratch memory; rows are the body and its mirror image.
    ("x", "f8", (2, INPUTS)),
    ("y", "f8", (2, 3 * ROWS)),
    ("score", "f8", (2, 1)),  # of the plausibility network
    ("vectors", "f8", (ROWS, 3)),  # the answer
    ("world", "f8", (STATIONS, 4)),  # stations, turned into the world
    ("lower", "f8", (1, 4)),  # world rotation of the lowest part of the spine
    ("levers", "f8", (TASKS, SPINE + 1, 3)),  # how each task of the exact step moves with a joint
    ("gaps", "f8", (TASKS,)),
    ("normal", "f8", (TASKS, TASKS)),
    ("turns", "f8", (SPINE + 1, 3)),  # rotation of each joint in a round [rad]
    ("helps", "f8", (SPINE + 1, 3)),  # rotations for limbs held back, all rounds together [rad]
    ("kept", "f8", (SPINE + 1, 3)),  # what is left of those of the frame before [rad]
    ("swivels", "f8", (LIMBS,)),  # of limbs before they were tried
    ("normals", "f8", (LIMBS, 3)),  # hinge axes of limbs before they were tried
)


class Layers(NamedTuple):
    """Weights of a network of two hidden layers, with room for their outputs."""

    w1: Floats
    b1: Floats
    w2: Floats
    b2: Floats
    w3: Floats
    b3: Floats
    h1: Floats
    """(2, units)."""
    h2: Floats
    """(2, units)."""


class GuidedContext(NamedTuple):
    """One person and a prior; arrays of one record outside of kernels, records inside."""

    body: Body
    settings: Settings
    state: State
    work: Work
    limits: LimitTable
    rest: Floats
    guide: Guide
    memory: Memory
    net: Net


class GuidedTables(NamedTuple):
    """What the kernel is given: a context, and networks that only the prior's functions read."""

    context: GuidedContext
    prior: Layers
    plausibility: Layers


@helper
def dense(x: Floats, w: Floats, b: Floats, out: Floats, bent: bool) -> None:
    """One layer for the two rows of x: out = x W + b, and the bend of hidden units.

    Sums run over the outputs inside, so that the compiler can take several at once without changing
    the order of additions.
    """
    width = w.shape[1]
    for j in range(width):
        out[0, j] = b[j]
        out[1, j] = b[j]
    for i in range(w.shape[0]):
        straight, mirrored = x[0, i], x[1, i]
        for j in range(width):
            out[0, j] += straight * w[i, j]
            out[1, j] += mirrored * w[i, j]
    if bent:
        for j in range(width):
            a, b_ = out[0, j], out[1, j]
            out[0, j] = 0.5 * (a + math.sqrt(a * a + 1.0))
            out[1, j] = 0.5 * (b_ + math.sqrt(b_ * b_ + 1.0))


@helper
def write_inputs(c: GuidedContext, facing: Quat) -> None:
    """Fill the two rows of inputs, the body's and its mirror image's."""
    body, guide, work, net = c.body, c.guide, c.work, c.net
    pelvis = vec_load(work.points, PELVIS)
    unit = 1.0 / body.height
    inputs = net.y[0]
    for p in range(POINTS):
        away = vec_sub(vec_load(work.points, HEAD + p), pelvis)
        seen = vec_scale(quat_unrotate(facing, away), unit)
        inputs[3 * p], inputs[3 * p + 1], inputs[3 * p + 2] = seen
    at = 3 * POINTS
    inputs[at], inputs[at + 1], inputs[at + 2] = quat_unrotate(facing, (0.0, 1.0, 0.0))
    head = vec_load(work.points, HEAD)
    arm = guide.measures[0] + guide.measures[1]
    leg = guide.measures[2] + guide.measures[3]
    at += 3
    inputs[at] = unit * vec_distance(head, pelvis) / guide.measures[11]
    for side in range(1, 3):
        wrist, ankle = vec_load(work.points, HEAD + side), vec_load(work.points, HEAD + 2 + side)
        inputs[at + side] = unit * vec_distance(wrist, head) / arm
        inputs[at + 2 + side] = unit * vec_distance(ankle, pelvis) / leg
    at += POINTS
    for k in range(MEASURES):
        inputs[at + k] = guide.measures[k]
    for i in range(INPUTS):
        other = net.order[i]
        straight = (inputs[i] - net.input_mean[i]) * net.input_scale[i]
        mirrored = (inputs[other] * net.signs[i] - net.input_mean[i]) * net.input_scale[i]
        net.x[0, i] = min(max(straight, -LARGEST_INPUT), LARGEST_INPUT)
        net.x[1, i] = min(max(mirrored, -LARGEST_INPUT), LARGEST_INPUT)


@helper
def feed_forward(layers: Layers, x: Floats, y: Floats) -> None:
    """Outputs of a network for two rows of inputs."""
    dense(x, layers.w1, layers.b1, layers.h1, True)
    dense(layers.h1, layers.w2, layers.b2, layers.h2, True)
    dense(layers.h2, layers.w3, layers.b3, y, False)


@helper
def ask(c: GuidedContext, layers: Layers) -> None:
    """Outputs for the inputs, into `vectors`: the mean of the body and of its mirror image."""
    net = c.net
    feed_forward(layers, net.x, net.y)
    for v in range(ROWS):
        for k in range(3):
            i = 3 * v + k
            net.vectors[v, k] = 0.5 * (net.y[0, i] + net.y[1, net.back[i]] * net.back_signs[i])


@helper
def trust_in_inputs(c: GuidedContext) -> float:
    """From 1, where inputs are near to what the network was fitted to, smoothly to 0, far from it.

    Of the body and its mirror image the farther counts.
    """
    guide, net = c.guide, c.net
    worst = 0.0
    for row in range(2):
        total = 0.0
        for j in range(INPUTS):
            part = 0.0
            for i in range(INPUTS):
                part += net.x[row, i] * net.whitening[i, j]
            total += part * part
        worst = max(worst, total)
    x = min(max((math.sqrt(worst) - guide.near) / (guide.far - guide.near), 0.0), 1.0)
    return float(guide.trust * (1.0 - x * x * (3.0 - 2.0 * x)))


@helper
def facing_towards(points: Floats, left: Vec3, fallback: Vec3) -> Quat:
    """The facing whose X is nearest to `left`."""
    pelvis = vec_load(points, PELVIS)
    up = vec_unit(vec_sub(vec_load(points, HEAD), pelvis), (0.0, 1.0, 0.0))
    across = vec_reject(left, up)
    if vec_length(across) < 1e-6 * vec_length(left):
        across = vec_reject(fallback, up)
    if vec_length(across) < 1e-9:
        across = vec_reject((0.0, 0.0, 1.0), up)
    x = vec_unit(across, (1.0, 0.0, 0.0))
    return quat_from_columns((x, up, vec_cross(x, up)))


@helper
def look(c: GuidedContext, layers: Layers, estimate: Quat, fixed: bool) -> tuple[Quat, float]:
    """Ask the network about the points in `work`, in a facing that agrees with its answer.

    Where the pelvis's rotation is known, or points are guesses and no evidence of it, the estimate
    is the facing (`fixed`). Returns the facing, and how far its points are trusted.
    """
    state, work, net = c.state, c.work, c.net
    known = state.frames > 0
    guess = quat_rotate(estimate, (1.0, 0.0, 0.0))
    left = as3(state.left)
    if fixed:
        left = guess
    elif not known:  # by the lines between wrists and between ankles, each by its length
        wrists = vec_sub(vec_load(work.points, 2), vec_load(work.points, 3))
        left = vec_add(wrists, vec_sub(vec_load(work.points, 4), vec_load(work.points, 5)))
    facing = facing_towards(work.points, left, guess)
    looks = LOOKS if known else FIRST_LOOKS
    for count in range(looks):
        write_inputs(c, facing)
        ask(c, layers)
        if fixed or count == looks - 1:
            break
        facing = facing_towards(
            work.points,
            quat_rotate(facing, vec_load(net.vectors, 0)),
            quat_rotate(facing, (1.0, 0.0, 0.0)),
        )
    return facing, trust_in_inputs(c)


@helper
def smooth(c: GuidedContext, facing: Quat) -> None:
    """One-euro filter over the directions, turned into the world; the filtered ones in `vectors`.

    Slow directions are calmed, quick ones pass: the cutoff grows with the speed. Hands and feet,
    seen from their limbs, are filtered as they are.
    """
    guide, memory, net = c.guide, c.memory, c.net
    for v in range(ENDS):
        vec_store(net.vectors, v, quat_rotate(facing, vec_load(net.vectors, v)))
    if guide.cutoff <= 0.0 or memory.known == 0:
        for v in range(ROWS):
            vec_store(memory.latent, v, vec_load(net.vectors, v))
            vec_store(memory.speeds, v, (0.0, 0.0, 0.0))
        memory.known = 1
        return
    dt = c.settings.period
    calm = 1.0 / (1.0 + 1.0 / (2.0 * math.pi * SPEED_CUTOFF * dt))
    for v in range(ROWS):
        now, before = vec_load(net.vectors, v), vec_load(memory.latent, v)
        change = vec_scale(vec_sub(now, before), 1.0 / dt)
        speed = vec_load(memory.speeds, v)
        speed = vec_add(speed, vec_scale(vec_sub(change, speed), calm))
        vec_store(memory.speeds, v, speed)
        cutoff = guide.cutoff + guide.quickness * vec_length(speed)
        part = 1.0 / (1.0 + 1.0 / (2.0 * math.pi * cutoff * dt))
        now = vec_add(before, vec_scale(vec_sub(now, before), part))
        vec_store(memory.latent, v, now)
        vec_store(net.vectors, v, now)


@helper
def unit_across(across: Vec3, line: Vec3) -> Vec3:
    """Unit direction of a vector across a line; if it has no length, of any other across it."""
    if vec_length(across) < 1e-6:
        across = vec_reject((1.0, 0.0, 0.0), line)
        if vec_length(across) < 1e-6:
            across = (0.0, 0.0, 1.0)
    return vec_unit(across, (1.0, 0.0, 0.0))


@helper
def rotation_of(vectors: Floats, first: int) -> Quat:
    """The rotation with the second of two directions as Y, and X as near as can be to the first."""
    y = vec_unit(vec_load(vectors, first + 1), (0.0, 1.0, 0.0))
    x = unit_across(vec_reject(vec_load(vectors, first), y), y)
    return quat_from_columns((x, y, vec_cross(x, y)))


@helper
def hand_of(vectors: Floats, first: int) -> tuple[Quat, Quat]:
    """Twist of the forearm by the X axis that it turns, and swing of the hand by its Y axis."""
    x, y = vec_load(vectors, first), vec_load(vectors, first + 1)
    half = 0.5 * math.atan2(-x[2], x[0])
    up = (0.0, 1.0, 0.0)
    swing = rotation_between(up, vec_unit(y, up), (1.0, 0.0, 0.0))
    return (math.cos(half), 0.0, math.sin(half), 0.0), swing


@helper
def read_stations(c: GuidedContext) -> None:
    """Directions in `vectors` to the world rotations of the stations."""
    net = c.net
    for station in range(STATIONS):
        quat_store(net.world, station, rotation_of(net.vectors, 2 * station))


@helper
def part_turn(c: GuidedContext, part: int) -> Quat:
    """World rotation that the prior gives a part of the rig's spine."""
    guide, net = c.guide, c.net
    low, high = quat_load(net.world, guide.low[part]), quat_load(net.world, guide.high[part])
    return quat_slerp(low, high, guide.share[part])


@helper
def plausibility(c: GuidedContext, layers: Layers) -> float:
    """How likely the inputs in `x` are right, if right and wrong ones were equally frequent."""
    net = c.net
    feed_forward(layers, net.x, net.score)
    return 0.5 + 0.5 * math.tanh(0.25 * (net.score[0, 0] + net.score[1, 0]))
