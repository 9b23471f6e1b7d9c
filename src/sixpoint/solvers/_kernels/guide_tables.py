"""What the guided solver reads and writes besides the tables of sequential IK."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ...kernels.types import Floats, Ints
from .tables import SPINE, record_type

STATIONS, LIMB_COUNT = 7, 4
HINGES = 2 * STATIONS
ENDS = HINGES + LIMB_COUNT
VECTORS = ENDS + 2 * LIMB_COUNT
"""Rows of the network's outputs: X and Y of each station, hinge axes, X and Y of hands and feet."""
POINTS, MEASURES = 5, 12
INPUTS = 3 * POINTS + 3 + POINTS + MEASURES
TASKS = 7
"""Rows of the exact step: three for the head, one for each limb that is too short."""

Guide: TypeAlias = np.record
"""How one body follows the prior, a record of `GUIDE`."""
Memory: TypeAlias = np.record
"""What the guided solver remembers besides `State`, a record of `MEMORY`."""

GUIDE = record_type(
    ("measures", "f8", (MEASURES,)),  # of the body, as inputs
    ("low", "i8", (SPINE,)),  # stations around each part of the spine
    ("high", "i8", (SPINE,)),
    ("share", "f8", (SPINE,)),  # and the part of the higher
    ("give", "f8", (SPINE + 1,)),  # how readily each joint turns to be exact; see `guided_trunk`
    ("near", "f8"),  # distance from what was seen up to which the prior is trusted
    ("far", "f8"),  # and from which it is not
    ("trust", "f8"),  # most that it is trusted, from 0 (plain sequential IK) to 1
    ("cutoff", "f8"),  # one-euro filter: slowest cutoff [Hz]; 0 for no filter
    ("quickness", "f8"),  # and how it grows with speed [1]
    ("period", "f8"),  # time between frames [s]
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


class Net(NamedTuple):
    """The networks and their scratch memory; h1, h2, k1 and k2 hidden units."""

    w1: Floats
    """(35, h1)."""
    b1: Floats
    w2: Floats
    """(h1, h2)."""
    b2: Floats
    w3: Floats
    """(h2, 78)."""
    b3: Floats
    mean: Floats
    """(35,)."""
    scale: Floats
    """Factors of the inputs, (35,)."""
    whitening: Floats
    """(35, 35)."""
    order: Ints
    """Inputs of the mirrored body, (35,)."""
    signs: Floats
    back: Ints
    """Outputs of the mirrored body, (78,)."""
    back_signs: Floats
    x: Floats
    """Inputs of the body and of its mirror image, (2, 35)."""
    h1: Floats
    """(2, h1)."""
    h2: Floats
    """(2, h2)."""
    y: Floats
    """Outputs, (2, 78)."""
    c1: Floats
    """The critic: (35, k1)."""
    d1: Floats
    c2: Floats
    """(k1, k2)."""
    d2: Floats
    c3: Floats
    """(k2, 1)."""
    d3: Floats
    g1: Floats
    """(2, k1)."""
    g2: Floats
    """(2, k2)."""
    score: Floats
    """What it says of both, (2, 1)."""
    vectors: Floats
    """The answer, (26, 3)."""
    world: Floats
    """Stations, turned into the world, (7, 4)."""
    lower: Floats
    """World rotation of the lowest part of the spine, (1, 4)."""
    levers: Floats
    """How each task of the exact step moves with each joint, (7, SPINE + 1, 3)."""
    gaps: Floats
    """(7,)."""
    normal: Floats
    """(7, 7)."""
    turns: Floats
    """Turn of each joint in a round, (SPINE + 1, 3) [rad]."""
    helps: Floats
    """Turns for the sake of stiff limbs, all rounds of a frame together, (SPINE + 1, 3) [rad]."""
    kept: Floats
    """And what is left of the frame before's, (SPINE + 1, 3) [rad]."""
    swivels: Floats
    """Of limbs before they were tried, (4,)."""
    normals: Floats
    """And their hinge axes, (4, 3)."""
