"""Forward kinematics over a parent array, compiled.

Nodes come parents first. Those that have a rotation are joints; nodes after them are sites, fixed
to their parent joint.
"""

from __future__ import annotations

from ._jit import helper
from .quaternion import quat_load, quat_mul, quat_rotate, quat_store
from .types import Floats, Ints
from .vector import vec_add, vec_load, vec_store


@helper
def chain_forward(
    parents: Ints, offsets: Floats, rotations: Floats, positions: Floats, world: Floats
) -> None:
    """Place every node of one pose.

    Args:
        parents: (N,) parent of each node, smaller than its own number, -1 for a root.
        offsets: (N, 3) in the parent's frame [m]; a root's is its world position.
        rotations: (J, 4) of the joints, relative to the parent; J <= N.
        positions: (N, 3), receives the world positions [m].
        world: (J, 4), receives the world rotations.
    """
    joints = rotations.shape[0]
    for node in range(parents.shape[0]):
        parent = parents[node]
        offset = vec_load(offsets, node)
        if parent < 0:
            vec_store(positions, node, offset)
            quat_store(world, node, quat_load(rotations, node))
            continue
        turn = quat_load(world, parent)
        vec_store(positions, node, vec_add(vec_load(positions, parent), quat_rotate(turn, offset)))
        if node < joints:
            quat_store(world, node, quat_mul(turn, quat_load(rotations, node)))
