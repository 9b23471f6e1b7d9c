"""What the guided solver reads and writes besides the tables of sequential IK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ...kernels._jit import Kernel, frame_kernel
from ...kernels.limits import LimitTable
from ...kernels.types import Floats
from ..context import Frames, record_type
from ..people.tables import SPINE, Body, Settings, State, Work

STATIONS, LIMB_COUNT = 7, 4
HINGES = 2 * STATIONS
ENDS = HINGES + LIMB_COUNT
VECTORS = ENDS + 2 * LIMB_COUNT
"""Rows of the network's outputs: X and Y of each station, hinge axes, X and Y of hands and feet."""
POINTS, MEASURES = 5, 12
INPUTS = 3 * POINTS + 3 + POINTS + MEASURES
TASKS = 7
"""Rows of the exact step: three for the head, one for each limb that is too short."""

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
    ("latent", "f8", (VECTORS, 3)),  # filtered outputs of the network
    ("speeds", "f8", (VECTORS, 3)),  # their smoothed change [1/s]
    ("normals", "f8", (LIMB_COUNT, 3)),  # hinge axes solved last, in their parents' frames
    ("roots", "f8", (LIMB_COUNT, 4)),  # rotations of shoulders and hips solved last
    ("bends", "f8", (LIMB_COUNT,)),  # and angles of elbows and knees [rad]
    ("freed", "i8", (LIMB_COUNT,)),  # frame in which a limb last turned as it wished
    ("misses", "f8", (LIMB_COUNT,)),  # how far limits kept limbs from their points [m]
    ("helps", "f8", (SPINE + 1, 3)),  # turns for limbs held back, from the pelvis wished [rad]
    ("confidence", "f8"),
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
    ("back", "i8", (3 * VECTORS,)),
    ("back_signs", "f8", (3 * VECTORS,)),
    # Scratch memory; rows are the body and its mirror image.
    ("x", "f8", (2, INPUTS)),
    ("y", "f8", (2, 3 * VECTORS)),
    ("score", "f8", (2, 1)),  # of the plausibility network
    ("vectors", "f8", (VECTORS, 3)),  # the answer
    ("world", "f8", (STATIONS, 4)),  # stations, turned into the world
    ("lower", "f8", (1, 4)),  # world rotation of the lowest part of the spine
    ("levers", "f8", (TASKS, SPINE + 1, 3)),  # how each task of the exact step moves with a joint
    ("gaps", "f8", (TASKS,)),
    ("normal", "f8", (TASKS, TASKS)),
    ("turns", "f8", (SPINE + 1, 3)),  # rotation of each joint in a round [rad]
    ("helps", "f8", (SPINE + 1, 3)),  # rotations for limbs held back, all rounds together [rad]
    ("kept", "f8", (SPINE + 1, 3)),  # what is left of those of the frame before [rad]
    ("swivels", "f8", (LIMB_COUNT,)),  # of limbs before they were tried
    ("normals", "f8", (LIMB_COUNT, 3)),  # hinge axes of limbs before they were tried
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


def guided_kernel(
    solve_frame: Callable[[GuidedContext, Layers, Layers, Frames, int], None],
) -> Kernel[[GuidedTables, Frames, int, int], None]:
    """Return the loop that solves the frames of a clip one after the other."""

    def loop(tables: GuidedTables, frames: Frames, first: int, last: int) -> None:
        given = tables.context
        c = GuidedContext(
            given.body[0],
            given.settings[0],
            given.state[0],
            given.work[0],
            given.limits,
            given.rest,
            given.guide[0],
            given.memory[0],
            given.net[0],
        )
        for frame in range(first, last):
            solve_frame(c, tables.prior, tables.plausibility, frames, frame)

    return frame_kernel(solve_frame, loop)
