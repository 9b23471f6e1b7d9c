"""Contacts of capsules on a skeleton with boxes and floors, frame by frame."""

from __future__ import annotations

from typing import NamedTuple

from ._jit import helper, kernel
from .capsule import segment_box_gap
from .quaternion import quat_load, quat_mul, quat_rotate, quat_store
from .types import Floats, Ints, Vec3
from .vector import vec_add, vec_load, vec_scale, vec_store, vec_sub

BOX, FLOOR = 0, 1
"""Kinds of things."""


class CapsuleTable(NamedTuple):
    """C capsules on a skeleton of J joints."""

    parent: Ints  # parent joint, -1 for a root, (J,)
    joint: Ints  # joint that carries each capsule, (C,)
    start: Floats  # one end of its line in the joint's frame [m], (C, 3)
    end: Floats  # the other end [m], (C, 3)
    radius: Floats  # radius of each [m], (C,)


class ThingTable(NamedTuple):
    """T boxes and floors."""

    kind: Ints  # `BOX` or `FLOOR`, (T,)
    centre: Floats  # middle of a box, or any place on a floor [m], (T, 3)
    half: Floats  # half the sizes of a box [m], (T, 3)
    turn: Floats  # rotation from the world to a box, (T, 4)


class Poses(NamedTuple):
    """F poses of one skeleton."""

    root: Floats  # world positions of the root [m], (F, 3)
    moves: Floats  # local translations [m], (F, J, 3), or (1, J, 3) for all; row 0 is not read
    rotations: Floats  # local rotations, (F, J, 4)


@helper
def thing_depth(
    things: ThingTable, t: int, start: Vec3, end: Vec3, radius: float
) -> tuple[float, Vec3]:
    """Depth of a capsule in a thing [m], negative for the gap, and where it is deepest."""
    centre = vec_load(things.centre, t)
    if things.kind[t] == FLOOR:
        place = start if start[1] < end[1] else end
        return radius - (place[1] - centre[1]), place
    turn = quat_load(things.turn, t)
    one = quat_rotate(turn, vec_sub(start, centre))
    other = quat_rotate(turn, vec_sub(end, centre))
    gap, part = segment_box_gap(one, other, vec_load(things.half, t))
    return radius - gap, vec_add(start, vec_scale(vec_sub(end, start), part))


@kernel
def measure_contacts(
    capsules: CapsuleTable,
    things: ThingTable,
    poses: Poses,
    world: Floats,
    depths: Floats,
    places: Floats,
) -> None:
    """Write how deep every capsule is in every thing, and where, for all frames.

    Args:
        capsules: on the joints of the skeleton.
        things: boxes and floors.
        poses: of the skeleton.
        world: scratch: position and rotation of every joint in the world (J, 7).
        depths: written [m], (F, C, T).
        places: written [m], (F, C, T, 3).
    """
    position, rotation = world[:, :3], world[:, 3:]
    still = poses.moves.shape[0] == 1
    for f in range(poses.root.shape[0]):
        moves, local = poses.moves[0 if still else f], poses.rotations[f]
        for j in range(capsules.parent.shape[0]):
            above = capsules.parent[j]
            if above < 0:
                vec_store(position, j, vec_load(poses.root, f))
                quat_store(rotation, j, quat_load(local, j))
            else:
                turn = quat_load(rotation, above)
                away = quat_rotate(turn, vec_load(moves, j))
                vec_store(position, j, vec_add(vec_load(position, above), away))
                quat_store(rotation, j, quat_mul(turn, quat_load(local, j)))
        for c in range(capsules.joint.shape[0]):
            joint = capsules.joint[c]
            turn, at = quat_load(rotation, joint), vec_load(position, joint)
            start = vec_add(at, quat_rotate(turn, vec_load(capsules.start, c)))
            end = vec_add(at, quat_rotate(turn, vec_load(capsules.end, c)))
            for t in range(things.kind.shape[0]):
                depth, place = thing_depth(things, t, start, end, capsules.radius[c])
                depths[f, c, t] = depth
                vec_store(places[f, c], t, place)
