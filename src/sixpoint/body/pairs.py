"""Which parts of one body may touch: all pairs but neighbours.

Parts that share a joint overlap always, and so do those that overlap in the neutral stance: they
are masked out. What is left must stay apart.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from ..kernels.capsule import segment_gap
from ..kernels.types import Floats
from .anatomy import anatomy_of
from .shapes import BodyShape, body_shape
from .skeleton import Skeleton

NEAR = 0.01
"""Parts nearer than this in the neutral stance, as a part of stature, are neighbours."""
LINKS = 2
"""Parts whose joints are this many links apart, or fewer, are neighbours: an upper arm and the
other parts of the shoulder."""


@lru_cache(maxsize=32)
def free_pairs(skeleton: Skeleton) -> tuple[BodyShape, tuple[tuple[int, int], ...]]:
    """The capsules of a body, and the pairs of them that must stay apart."""
    shape = body_shape(skeleton)
    anatomy = anatomy_of(skeleton)
    turned = np.asarray(anatomy.neutral)
    starts, ends = shape.place(anatomy.positions, turned)
    radii = [capsule.radius for capsule in shape.capsules]
    out = []
    for i, j in combinations(range(len(shape.capsules)), 2):
        one, other = shape.capsules[i], shape.capsules[j]
        if _links(skeleton, one.joint, other.joint) <= LINKS:
            continue
        gap = segment_gap(starts[i], ends[i], starts[j], ends[j])[2] - radii[i] - radii[j]
        if gap > NEAR * anatomy.stature:
            out.append((i, j))
    return shape, tuple(out)


def pair_depths(
    shape: BodyShape, pairs: tuple[tuple[int, int], ...], positions: Floats, world: Floats
) -> tuple[Floats, Floats, Floats]:
    """How deep the parts of each pair are in each other (..., P) [m]; negative: the gap.

    Returns:
        Depths, and the nearest points on the lines of both (..., P, 3).
    """
    starts, ends = shape.place(positions, world)
    i, j = (np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))
    radii = np.array([capsule.radius for capsule in shape.capsules])
    first, second, gap = segment_gap(
        starts[..., i, :], ends[..., i, :], starts[..., j, :], ends[..., j, :]
    )
    return radii[i] + radii[j] - gap, first, second


def _links(skeleton: Skeleton, one: int, other: int) -> int:
    """Bones between two joints that are not at the same place in the tree."""
    up, down = skeleton.path(one), skeleton.path(other)
    common = sum(a == b for a, b in zip(up, down, strict=False))
    return sum(1 for joint in (*up[common:], *down[common:]) if _long(skeleton, joint))


def _long(skeleton: Skeleton, joint: int) -> bool:
    return float(np.linalg.norm(skeleton.offsets[joint])) > 1e-6
