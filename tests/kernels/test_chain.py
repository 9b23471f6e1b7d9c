from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles import assert_same_rotation, quaternions, scipy_rotation
from sixpoint.kernels import arrays
from sixpoint.kernels._jit import kernel
from sixpoint.kernels.chain import chain_forward
from strategies import rotation_arrays

PARENTS = np.array([-1, 0, 1, 0, 3, -1, 5, 2, 6])
"""Two roots, a fork, and two sites (the last two)."""
JOINTS = 7
NODES = len(PARENTS)


@kernel
def chain_forward_frames(parents, moves, rotations, positions, world):
    for frame in range(rotations.shape[0]):
        chain_forward(parents, moves[frame], rotations[frame], positions[frame], world[frame])


def offsets(*shape):
    count = int(np.prod(shape)) * 3
    return st.lists(st.floats(-2.0, 2.0), min_size=count, max_size=count).map(
        lambda values: np.array(values).reshape(*shape, 3)
    )


def slow_forward(parents, moves, rotations):
    """Walk from each node up to its root, with SciPy's rotations."""
    turns = scipy_rotation(rotations)
    positions, world = [], []
    for node in range(len(parents)):
        point, joint = moves[node], parents[node]
        whole = turns[node] if node < len(rotations) else None
        while joint >= 0:
            point = moves[joint] + turns[joint].apply(point)
            if whole is not None:
                whole = turns[joint] * whole
            joint = parents[joint]
        positions.append(point)
        if whole is not None:
            world.append(quaternions(whole))
    return np.array(positions), np.array(world)


@given(offsets(NODES), rotation_arrays(JOINTS))
def test_every_node_stands_where_the_walk_to_its_root_puts_it(moves, rotations):
    positions, world = np.full((NODES, 3), np.nan), np.full((JOINTS, 4), np.nan)
    chain_forward(PARENTS, moves, rotations, positions, world)
    expected_positions, expected_world = slow_forward(PARENTS, moves, rotations)
    np.testing.assert_allclose(positions, expected_positions, atol=1e-14)
    assert_same_rotation(world, expected_world, 1e-14)


@given(offsets(2, JOINTS), rotation_arrays(2, JOINTS))
def test_the_array_version_gives_the_same_bits(moves, rotations):
    parents = PARENTS[:JOINTS]
    positions, world = np.empty((2, JOINTS, 3)), np.empty((2, JOINTS, 4))
    chain_forward_frames(parents, moves, rotations, positions, world)
    expected_positions, expected_world = arrays.forward(parents, moves, rotations)
    np.testing.assert_array_equal(positions, expected_positions)
    np.testing.assert_array_equal(world, expected_world)


@given(offsets(3, NODES), rotation_arrays(3, JOINTS))
def test_compiled_and_plain_give_the_same_bits(moves, rotations):
    outputs = []
    for run in (chain_forward_frames, chain_forward_frames.function):
        positions, world = np.empty((3, NODES, 3)), np.empty((3, JOINTS, 4))
        run(PARENTS, moves, rotations, positions, world)
        outputs.append((positions, world))
    np.testing.assert_array_equal(outputs[0][0], outputs[1][0])
    np.testing.assert_array_equal(outputs[0][1], outputs[1][1])


def test_an_unturned_chain_adds_its_offsets():
    positions, world = np.empty((3, 3)), np.empty((2, 4))
    moves = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    chain_forward(np.array([-1, 0, 1]), moves, arrays.identity(2), positions, world)
    np.testing.assert_array_equal(positions, [[1, 0, 0], [1, 2, 0], [1, 2, 3]])
    np.testing.assert_array_equal(world, arrays.identity(2))
