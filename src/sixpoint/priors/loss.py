"""Loss of the network: errors of the body that follows from its outputs.

The errors are those by which solvers are judged (Unzueta et al. 2008, section 9): distances of
joints as parts of body height, and angles between rotations relative to the part below. Single
distances and angles are not squared: a few joints that nobody can guess must not decide. All are
smoothed near zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import autograd as ad
from .autograd import Array, Value
from .layout import ERRORS, ORIGIN, PARTS, POINTS, Sides
from .poses import ARMS, CHEST, HEAD, LIMBS, PELVIS, STATIONS, TORSO, TORSO_PARTS

TINY = 1e-8
"""Added to the squared length of a vector before it is normalized."""
SMOOTH_DISTANCE, SMOOTH_ANGLE = 1e-6, 1e-4
"""Squares of the distances (parts of height) and angles [rad] below which a cost is smooth."""
POSITION_COST, ROTATION_COST, LENGTH_COST, DOUBT_COST = 20.0, 1.0, 0.02, 0.02
"""What errors of positions, of rotations, directions of another length than 1, and wrong
expectations of errors cost."""
LEAST_ERROR = 1e-3
"""Added to distances before their logarithm is taken [parts of height]."""

HINGE_TINY = 1e-4
"""Added to the squared length of a hinge axis, which may lie along its limb."""
FULL = 0.9995
"""Part of a limb's length that it may reach."""
ROOT, HINGE, END = 8, 12, 16
"""First of the shoulders and hips, of the elbows and knees, of the wrists and ankles among the
positions."""
LIMB_PARTS = STATIONS + ARMS
"""First of the upper bones; lower bones, hands and feet follow, four of each."""
JOINTS = 24
"""Positions that the loss compares: those of `POINTS` and two more of the spine."""
OF_POINTS = {
    "pelvis": 0,
    "chest": 2,
    "neck": 3,
    "head": 5,
    **{f"{side}_{name}": 6 + 2 * k + (side == "r") for k, name in enumerate(
        ("clavicle", "shoulder", "hip", "elbow", "knee", "wrist", "ankle", "hand", "toe")
    ) for side in "lr"},
}  # fmt: skip
"""Which of the positions each point is."""
POINT_ROWS = [OF_POINTS[name] for name in POINTS]
JOINT_COSTS = np.ones(JOINTS, np.float32)
"""Weight of each distance: the 22 joints of the paper count once, its three at the pelvis together
three times; hands and toes, which nobody scores, count little."""
JOINT_COSTS[0] = 3.0
JOINT_COSTS[-4:] = 0.3
ROTATION_COSTS = np.ones(PARTS, np.float32)
"""Weight of the angle of each part; hands and feet count less, since they can hardly be seen."""
ROTATION_COSTS[-4:] = 0.7


class Body(NamedTuple):
    """Builds, one for each row; lengths as parts of height."""

    parts: Array
    """Parts of torso and neck, shape (N, 5, 3)."""
    bases: Array
    """Hips from the pelvis, clavicles from the base of the neck, shape (N, 4, 3)."""
    clavicles: Array
    """Shape (N, 2, 3)."""
    bones: Array
    """Shape (N, 4, 2)."""
    ends: Array
    """Shape (N, 4, 3)."""


class Batch(NamedTuple):
    """What answers are compared with, in the facing; lengths as parts of height."""

    body: Body
    rotations: Array
    """Rotations of the parts, shape (N, 21, 3, 3)."""
    joints: Array
    """Positions as `joints_of` returns them, from the origin, shape (N, 24, 3)."""
    pelvis_seen: Array
    """1 where the pelvis is the origin, shape (N,)."""
    aimed: Array
    """1 for limbs whose end is seen and whose elbow or knee is not, shape (N, 4)."""


class Constants(NamedTuple):
    """Tables that the loss needs where the batch is (see `training`), in 32 bits."""

    even: Array
    """Columns of the outputs as sums of both sides, (151, 78)."""
    odd: Array
    """And as differences, (151, 73)."""
    joint_costs: Array
    rotation_costs: Array


def constants(sides: Sides) -> Constants:
    """Return the tables for outputs told apart by what a mirror does to them."""
    even, odd = (matrix.astype(np.float32) for matrix in sides)
    return Constants(even, odd, JOINT_COSTS, ROTATION_COSTS)


def loss(answer: tuple[Value, Value], batch: Batch, tables: Constants) -> Value:
    """Return the cost of answers: half-sums and half-differences of the outputs."""
    total, difference = answer
    outputs = total @ tables.even.T + difference @ tables.odd.T
    count = outputs.shape[0]
    axes = outputs[:, :ORIGIN].reshape(count, PARTS, 2, 3)
    rotations = frames(axes[:, :, 0], axes[:, :, 1])
    unseen = (1.0 - batch.pelvis_seen)[:, None]
    pelvis = (outputs[:, ORIGIN:ERRORS] * unseen).reshape(count, 1, 3)
    joints = joints_of(rotations, batch.body) + pelvis
    rotations, joints = aimed(rotations, joints, batch)
    gap = joints - batch.joints
    distances = ad.sqrt((gap * gap).sum(axis=-1) + SMOOTH_DISTANCE)
    twist = relative(rotations) - relative(Value(batch.rotations))
    # |A - B|^2 = 8 sin^2(angle / 2), so this is the angle where it is small, and less where not.
    angles = ad.sqrt((twist * twist).sum(axis=(-2, -1)) * 0.5 + SMOOTH_ANGLE)
    excess = ad.dot(axes, axes) - 1.0
    happened = np.log(distances.array[:, POINT_ROWS] + LEAST_ERROR)
    surprise = outputs[:, ERRORS:] - happened
    cost: Value = (
        (distances * tables.joint_costs).mean() * POSITION_COST
        + (angles * tables.rotation_costs).mean() * ROTATION_COST
        + (excess * excess).mean() * LENGTH_COST
        + (surprise * surprise).mean() * DOUBT_COST
    )
    return cost


def aimed(rotations: Value, joints: Value, batch: Batch) -> tuple[Value, Value]:
    """Return rotations and positions with limbs brought to their ends where these are seen.

    The solver does the same to the last bit; here by two bones in the plane of the hinge axis.
    """
    mark = batch.aimed[..., None]
    upper, lower = batch.body.bones[..., :1], batch.body.bones[..., 1:]
    roots, ends = joints[:, ROOT : ROOT + LIMBS], batch.joints[:, END : END + LIMBS]
    turned = [rotations[:, LIMB_PARTS + k * LIMBS : LIMB_PARTS + (k + 1) * LIMBS] for k in range(3)]
    aim = ends - roots
    distance = ad.sqrt(ad.dot(aim, aim) + TINY)
    along = aim / distance
    reach = ad.maximum(ad.minimum(distance, FULL * (upper + lower)), np.abs(upper - lower) + 1e-3)
    cosine = (upper * upper - lower * lower + reach * reach) / (reach * (2.0 * upper))
    cosine = ad.maximum(ad.minimum(cosine, 1.0 - 1e-6), -1.0 + 1e-6)
    sine = ad.sqrt(1.0 - cosine * cosine)
    axis = turned[0][..., 0] + turned[1][..., 0]
    hinge = axis - ad.dot(axis, along) * along
    hinge = hinge / ad.sqrt(ad.dot(hinge, hinge) + HINGE_TINY)
    # Elbows stand off to the back, knees to the front.
    bend = np.where(np.arange(LIMBS) < ARMS, 1.0, -1.0).astype(np.float32)[:, None]
    side = ad.cross(hinge, along) * bend
    bone = along * cosine + side * sine
    middles = roots + bone * upper
    rest = unit(roots + along * reach - middles)
    keep, take = 1.0 - mark, mark
    hinges = joints[:, HINGE : HINGE + LIMBS] * keep + middles * take
    found = [hanging(hinge, bone), hanging(hinge, rest)]
    keeps, takes = keep[..., None], take[..., None]
    bones = [old * keeps + new * takes for old, new in zip(turned[:2], found, strict=True)]
    tips = joints[:, END : END + LIMBS] * keep + ends * take
    return (
        ad.concatenate([rotations[:, :LIMB_PARTS], *bones, turned[2]], axis=1),
        ad.concatenate([joints[:, :HINGE], hinges, tips, joints[:, END + LIMBS :]], axis=1),
    )


def hanging(hinge: Value, bone: Value) -> Value:
    """Return rotations of bones that hang along -Y, with X along the hinge axis."""
    up = -bone
    return ad.stack([hinge, up, ad.cross(hinge, up)], axis=-1)


def frames(x: Value, y: Value) -> Value:
    """Return rotations with Y along y and X as near to x as can be, columns X, Y, Z."""
    y = unit(y)
    x = unit(x - ad.dot(x, y) * y)
    return ad.stack([x, y, ad.cross(x, y)], axis=-1)


def unit(v: Value) -> Value:
    """Return vectors at length 1."""
    return v / ad.sqrt(ad.dot(v, v) + TINY)


def joints_of(rotations: Value, body: Body) -> Value:
    """Return positions from the pelvis (N, 24, 3), for world rotations of the parts.

    In order: pelvis, ends of the five parts of torso and neck (the head last), clavicles,
    shoulders, hips, elbows, knees, wrists, ankles, hands, toes; left before right.
    """
    spine = ad.cumsum(_rotated(rotations[:, TORSO:HEAD], body.parts))
    chest, pelvis = rotations[:, CHEST : CHEST + 1], rotations[:, PELVIS : PELVIS + 1]
    neck = spine[:, TORSO_PARTS - 1 : TORSO_PARTS]
    clavicles = neck + _rotated(chest, body.bases[:, :ARMS])
    shoulders = clavicles + _rotated(rotations[:, STATIONS:LIMB_PARTS], body.clavicles)
    hips = _rotated(pelvis, body.bases[:, ARMS:])
    roots = ad.concatenate([shoulders, hips], axis=1)
    upper, lower, ends = (
        rotations[:, LIMB_PARTS + k * LIMBS : LIMB_PARTS + (k + 1) * LIMBS] for k in range(3)
    )
    # Bones hang: they point along -Y of their part.
    hinges = roots - upper[..., 1] * body.bones[:, :, :1]
    wrists = hinges - lower[..., 1] * body.bones[:, :, 1:]
    tips = wrists + _rotated(ends, body.ends)
    origin = spine[:, :1] * 0.0
    return ad.concatenate([origin, spine, clavicles, roots, hinges, wrists, tips], axis=1)


def relative(rotations: Value) -> Value:
    """Return rotations relative to the part below (N, 21, 3, 3); that of the pelvis stays."""
    chest, pelvis = rotations[:, CHEST : CHEST + 1], rotations[:, PELVIS : PELVIS + 1]
    below: list[Any] = [
        rotations[:, PELVIS:HEAD],
        chest,
        chest,
        rotations[:, STATIONS:LIMB_PARTS],
        pelvis,
        pelvis,
        rotations[:, LIMB_PARTS : LIMB_PARTS + 2 * LIMBS],
    ]
    parents = ad.concatenate(below, axis=1)
    return ad.concatenate([pelvis, parents.transposed() @ rotations[:, TORSO:]], axis=1)


def _rotated(rotations: Value, vectors: Array) -> Value:
    return (rotations * vectors[..., None, :]).sum(axis=-1)
