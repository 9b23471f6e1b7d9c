from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles import assert_same_rotation, quaternions, scipy_rotation
from sixpoint.kernels import arrays
from strategies import rotation_arrays

PARENTS = np.array([-1, 0, 1, 0, 3, -1, 5])
"""Two roots and a fork."""
JOINTS = len(PARENTS)


def offsets(*shape):
    count = int(np.prod(shape)) * 3
    return st.lists(st.floats(-2.0, 2.0), min_size=count, max_size=count).map(
        lambda values: np.array(values).reshape(*shape, 3)
    )


def slow_forward(parents, moves, rotations):
    """Walk from each joint up to its root, with SciPy's rotations."""
    turns = scipy_rotation(rotations)
    positions, world = [], []
    for node, joint in enumerate(parents):
        point, whole = moves[node], turns[node]
        while joint >= 0:
            point = moves[joint] + turns[joint].apply(point)
            whole = turns[joint] * whole
            joint = parents[joint]
        positions.append(point)
        world.append(quaternions(whole))
    return np.array(positions), np.array(world)


@given(offsets(JOINTS), rotation_arrays(JOINTS))
def test_every_joint_stands_where_the_walk_to_its_root_puts_it(moves, rotations):
    positions, world = arrays.forward(PARENTS, moves, rotations)
    expected_positions, expected_world = slow_forward(PARENTS, moves, rotations)
    np.testing.assert_allclose(positions, expected_positions, atol=1e-14)
    assert_same_rotation(world, expected_world, 1e-14)


@given(offsets(2, JOINTS), rotation_arrays(2, JOINTS))
def test_frames_are_placed_one_by_one(moves, rotations):
    positions, world = arrays.forward(PARENTS, moves, rotations)
    for frame in range(2):
        alone = arrays.forward(PARENTS, moves[frame], rotations[frame])
        np.testing.assert_array_equal(positions[frame], alone[0])
        np.testing.assert_array_equal(world[frame], alone[1])


def test_an_unturned_chain_adds_its_offsets():
    moves = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    positions, world = arrays.forward(np.array([-1, 0, 1]), moves, arrays.identity(3))
    np.testing.assert_array_equal(positions, [[1, 0, 0], [1, 2, 0], [1, 2, 3]])
    np.testing.assert_array_equal(world, arrays.identity(3))
