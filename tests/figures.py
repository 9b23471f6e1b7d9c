"""Figures and poses for tests of anything that moves: chains, trees, hands, people."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose

CROSSED = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def bent_chain() -> Skeleton:
    """A chain of balls and hinges with slanted bones, whose bind pose is not the unturned one."""
    rng = np.random.default_rng(5)
    names = tuple("abcde")
    return Skeleton(
        names,
        np.array((-1, 0, 1, 1, 3)),
        rng.normal(size=(5, 3)),
        ("tip", "side"),
        np.array((4, 2)),
        rng.normal(size=(2, 3)),
        bind=arrays.normalize(rng.normal(size=(5, 4))),
        hinges={"b": (0.0, 0.6, 0.8), "e": (2.0, 0.0, 0.0)},
    )


FIGURES = {
    "balls": Skeleton.chain(4),
    "hinges": Skeleton.chain(5, 2.0, kind="hinge", axis=CROSSED),
    "tree": Skeleton.tree(3, 2, length=0.7),
    "hand": Skeleton.hand(),
    "odd": bent_chain(),
    "person": Skeleton.humanoid(1.8),
}


def random_pose(skeleton: Skeleton, seed: int, spread: float = 2.0) -> Pose:
    """Every degree of freedom turned by up to `spread` [rad], the root anywhere."""
    rng = np.random.default_rng(seed)
    body = skeleton.articulation
    angles = rng.uniform(-spread, spread, body.count)
    return Pose(skeleton, rng.normal(size=3), body.rotations(angles))


def poses(names: tuple[str, ...] = tuple(FIGURES)) -> st.SearchStrategy[Pose]:
    """Random poses of the figures, at rest and in gimbal lock too."""
    return st.builds(
        lambda name, seed, spread: random_pose(FIGURES[name], seed, spread),
        st.sampled_from(names),
        st.integers(0, 2**32 - 1),
        st.sampled_from((2.0, 2.0, 1e-8, 0.0)),
    )
