"""Articulation: any skeleton as joints that turn about one axis or about three.

What stands here holds for arms, hands, trees and people alike. The *frames at rest* N_j are those
of the neutral stance for a person (see `sixpoint.body.anatomy`) and those of the bind pose for any
other figure; joints turn relative to them:

    a_j = N_parent q_j N_j*    identity at rest; limits speak of these

The degrees of freedom are counted joint by joint, parents first. A hinge has one: its angle. A ball
joint has three: its angles about X, Y and Z in follower order, a_j = Rx Ry Rz.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.types import Bools, Floats, Ints
from .anatomy import Anatomy
from .values import frozen_array

if TYPE_CHECKING:
    from .skeleton import Skeleton

HINGE, BALL = 1, 3
"""Degrees of freedom of a joint."""
HINGED = ("l_elbow", "r_elbow", "l_knee", "r_knee")
"""Roles that bend about X of the neutral stance."""


@dataclass(frozen=True, eq=False)
class Articulation:
    """A skeleton that turns, with D degrees of freedom. Reached as `Skeleton.articulation`."""

    skeleton: Skeleton
    anatomy: Anatomy | None
    """Anatomy of a person; None for any other figure."""
    neutral: Floats
    """World rotation N_j of each joint at rest, shape (J, 4)."""
    offsets: Floats
    """Vector from its parent to each node at rest [m], shape (J+S, 3); a root's is its place."""
    freedom: Ints
    """`HINGE` or `BALL`, shape (J,)."""
    axes: Floats
    """Unit axis of each hinge at rest, shape (J, 3); zero for balls."""

    @cached_property
    def first(self) -> Ints:
        """First degree of freedom of each joint, shape (J,)."""
        return np.concatenate([[0], np.cumsum(self.freedom)[:-1]]).astype(np.int64)

    @cached_property
    def joint_of(self) -> Ints:
        """Joint that each degree of freedom belongs to, shape (D,)."""
        return np.repeat(np.arange(self.skeleton.joint_count), self.freedom)

    @cached_property
    def count(self) -> int:
        """Degrees of freedom D."""
        return int(self.freedom.sum())

    @cached_property
    def length(self) -> float:
        """Longest way from a root to a node along the bones [m]."""
        along = np.linalg.norm(self.offsets, axis=1)
        for node, parent in enumerate(self.skeleton.node_parents):
            along[node] = along[node] + along[parent] if parent >= 0 else 0.0
        return float(along.max())

    def node(self, name: str) -> int:
        """Number of a node by its name or, on a person, by its role."""
        nodes = self.skeleton.node_names
        if name in nodes:
            return self.skeleton.index(name)
        roles = {} if self.anatomy is None else self.anatomy.roles.nodes
        if name in roles:
            return roles[name]
        raise UnknownName("joint", name, (*nodes, *roles))

    def moving(self, node: int) -> Bools:
        """Which joints turn a node, or move it, shape (J,)."""
        out = np.zeros(self.skeleton.joint_count, np.bool_)
        out[[k for k in self.skeleton.path(node) if k < len(out)]] = True
        return out

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """What targets are usually given for: the sites or, without any, joints with no child."""
        if self.skeleton.site_names:
            return self.skeleton.site_names
        parents = set(self.skeleton.parents.tolist())
        return tuple(n for j, n in enumerate(self.skeleton.names) if j not in parents)

    @cached_property
    def frames(self) -> tuple[Floats, Floats]:
        """N of each joint's parent (identity above roots), and N of the joint, shapes (J, 4)."""
        before = self.neutral[self.skeleton.parents].copy()
        before[self.skeleton.parents < 0] = (1.0, 0.0, 0.0, 0.0)
        return before, self.neutral

    def to_rest(self, rotations: Floats) -> Floats:
        """The skeleton's local rotations (..., J, 4) to a_j, relative to the figure at rest."""
        before, after = self.frames
        return arrays.multiply(arrays.multiply(before, rotations), arrays.conjugate(after))

    def from_rest(self, rotations: Floats) -> Floats:
        """Rotations a_j (..., J, 4) to the skeleton's local ones."""
        before, after = self.frames
        return arrays.multiply(arrays.multiply(arrays.conjugate(before), rotations), after)

    def angles(self, rotations: Floats) -> Floats:
        """Local rotations (J, 4) to degrees of freedom (D,) [rad].

        What a hinge turns about other axes than its own is left out.
        """
        turned = self.to_rest(rotations)
        out = np.empty(self.count)
        for j, q in enumerate(turned):
            k = self.first[j]
            if self.freedom[j] == HINGE:
                out[k] = arrays.wrap(2.0 * np.arctan2(q[1:] @ self.axes[j], q[0]))
            else:
                out[k : k + BALL] = arrays.to_euler("XYZ", q)
        return out

    def rotations(self, angles: Floats) -> Floats:
        """Degrees of freedom (D,) [rad] to the skeleton's local rotations (J, 4)."""
        turned = arrays.identity(self.skeleton.joint_count)
        for j in range(self.skeleton.joint_count):
            k = self.first[j]
            if self.freedom[j] == HINGE:
                turned[j] = arrays.from_axis_angle(self.axes[j], angles[k])
            else:
                turned[j] = arrays.from_euler("XYZ", angles[k : k + BALL])
        return self.from_rest(turned)

    def joint_axes(self, rotations: Floats) -> Floats:
        """Axis of every degree of freedom in the frame of its joint's parent at rest, (D, 3)."""
        turned = self.to_rest(rotations)
        out = np.empty((self.count, 3))
        for j, q in enumerate(turned):
            k = self.first[j]
            if self.freedom[j] == HINGE:
                out[k] = self.axes[j]
                continue
            a = arrays.to_euler("XYZ", q)[0]
            out[k] = (1.0, 0.0, 0.0)
            out[k + 1] = (0.0, np.cos(a), np.sin(a))
            out[k + 2] = arrays.rotate(q, np.array((0.0, 0.0, 1.0)))  # not moved by its own turn
        return out

    def world_axes(self, rotations: Floats, world: Floats) -> Floats:
        """Axis of every degree of freedom in the world, from local and world rotations, (D, 3)."""
        above = self.skeleton.parents[self.joint_of]
        turn = arrays.multiply(world[above], arrays.conjugate(self.neutral[above]))
        turn[above < 0] = (1.0, 0.0, 0.0, 0.0)
        return arrays.rotate(turn, self.joint_axes(rotations))


def build_articulation(skeleton: Skeleton, anatomy: Anatomy | None) -> Articulation:
    """The frames at rest and the degrees of freedom of any skeleton.

    A joint with an axis in `Skeleton.hinges` is a hinge, as are elbows and knees of people; any
    other is a ball.
    """
    if anatomy is None:
        neutral = skeleton.rest()[1]
        above = skeleton.node_parents
        turned = arrays.rotate(neutral[above], skeleton.node_offsets)
        offsets = np.where((above >= 0)[:, None], turned, skeleton.node_offsets)
    else:
        neutral, offsets = anatomy.neutral, anatomy.offsets
    axes = np.zeros((skeleton.joint_count, 3))
    for name, axis in skeleton.hinges.items():
        joint = skeleton.index(name)
        size = float(np.linalg.norm(axis))
        if not (np.isfinite(size) and size > 0.0 and joint < skeleton.joint_count):
            raise InputError(f"Expected the axis of a joint as hinge {name!r}, got {axis!r}.")
        axes[joint] = arrays.rotate(neutral[joint], np.array(axis, dtype=np.float64) / size)
    for role in HINGED if anatomy is not None else ():
        assert anatomy is not None
        if (joint := anatomy.node(role)) < skeleton.joint_count:
            axes[joint] = (1.0, 0.0, 0.0)
    freedom = np.where(axes.any(axis=1), HINGE, BALL)
    return Articulation(
        skeleton,
        anatomy,
        frozen_array(neutral),
        frozen_array(offsets),
        frozen_array(freedom, np.int64),
        frozen_array(axes),
    )
