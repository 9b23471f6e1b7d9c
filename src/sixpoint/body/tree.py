"""Joint trees: joints, sites and bones as arrays, before anyone knows what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Literal, Self, TypeAlias

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from .values import Value, frozen_array

JointKind: TypeAlias = Literal["ball", "hinge"]
"""What the joints of a chain are."""


@dataclass(frozen=True, eq=False)
class JointTree(Value):
    """Joints, their parents and bones, without an interpretation. See `Skeleton`."""

    names: tuple[str, ...]
    """Joint names, unique, parents first."""
    parents: Ints
    """Parent of each joint, -1 for a root, shape (J,)."""
    offsets: Floats
    """Position relative to the parent when no joint is turned [m], shape (J, 3); the root's too."""
    site_names: tuple[str, ...] = ()
    """Names of the sites, unique among all nodes."""
    site_parents: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Joint that carries each site, shape (S,)."""
    site_offsets: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """Position of each site in its joint's frame [m], shape (S, 3)."""
    bind: Floats | None = None
    """Local rotations of a pose in which the body stands, shape (J, 4); None: all identity.

    Rigs whose unturned joints do not form a standing figure (all bones along X, say) need it."""
    roles: Mapping[str, str] | None = None
    """Role -> node name where they are given; None: found by `sixpoint.body.roles`. An empty
    mapping says that this is no person, whatever its joints are called."""
    hinges: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Joint name -> axis of flexion in the joint's own frame, where a file or a naming scheme says
    it (elbows, knees); positive rotation about it bends the joint."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", tuple(self.names))
        put(self, "site_names", tuple(self.site_names))
        put(self, "parents", frozen_array(self.parents, np.int64))
        put(self, "offsets", frozen_array(self.offsets))
        put(self, "site_parents", frozen_array(self.site_parents, np.int64))
        put(self, "site_offsets", frozen_array(np.reshape(self.site_offsets, (-1, 3))))
        if self.bind is not None:
            put(self, "bind", frozen_array(self.bind))
        if self.roles is not None:
            put(self, "roles", MappingProxyType(dict(self.roles)))
        put(self, "hinges", MappingProxyType(dict(self.hinges)))
        self._check()

    def _check(self) -> None:
        count = len(self.names)
        if count == 0:
            raise InputError("A skeleton needs at least one joint, got none.")
        for name, array, shape in (
            ("parents", self.parents, (count,)),
            ("offsets", self.offsets, (count, 3)),
            ("site_parents", self.site_parents, (len(self.site_names),)),
            ("site_offsets", self.site_offsets, (len(self.site_names), 3)),
            ("bind", self.bind, (count, 4)),
        ):
            if array is not None and array.shape != shape:
                raise InputError(f"Expected `{name}` to have shape {shape}, got {array.shape}.")
        for name, array in (("offsets", self.offsets), ("site_offsets", self.site_offsets)):
            if not np.isfinite(array).all():
                raise InputError(f"Expected finite `{name}`, got NaN or infinity.")
        nodes = self.node_names
        if len(set(nodes)) != len(nodes):
            twice = next(n for n in nodes if nodes.count(n) > 1)
            raise InputError(f"Node names must be unique; {twice!r} is there more than once.")
        late = [self.names[j] for j, p in enumerate(self.parents) if p >= j or p < -1]
        if late:
            raise InputError(f"Parents must come before their children; {late[0]!r} does not obey.")
        if len(self.site_parents) and not (
            self.site_parents.min() >= 0 and self.site_parents.max() < count
        ):
            raise InputError("Every site must hang from a joint.")

    @property
    def joint_count(self) -> int:
        """Number of joints J."""
        return len(self.names)

    @property
    def node_names(self) -> tuple[str, ...]:
        """Joints, then sites."""
        return self.names + self.site_names

    @cached_property
    def node_parents(self) -> Ints:
        """Parent joint of each node, shape (J + S,)."""
        return np.concatenate([self.parents, self.site_parents])

    @cached_property
    def node_offsets(self) -> Floats:
        """Offset of each node in its parent's frame [m], shape (J + S, 3)."""
        return np.concatenate([self.offsets, self.site_offsets])

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.node_names)}

    def index(self, name: str) -> int:
        """Number of a node."""
        try:
            return self._index[name]
        except KeyError:
            raise UnknownName("joint", name, self.node_names) from None

    def path(self, node: int) -> list[int]:
        """Nodes from a root down to this one, both included."""
        chain = [node]
        while self.node_parents[chain[-1]] >= 0:
            chain.append(int(self.node_parents[chain[-1]]))
        return chain[::-1]

    def carrier(self, node: int) -> int:
        """The node itself or, for a site, the joint that it is fixed to."""
        return node if node < self.joint_count else int(self.node_parents[node])

    def children(self, node: int) -> list[int]:
        """Nodes whose parent this is, in order."""
        return [int(k) for k in np.flatnonzero(self.node_parents == node)]

    def node_positions(self, positions: Floats, world: Floats) -> Floats:
        """Joint positions (..., J, 3) and rotations (..., J, 4) to node positions (..., J+S, 3)."""
        at = self.site_parents
        sites = positions[..., at, :] + arrays.rotate(world[..., at, :], self.site_offsets)
        return np.concatenate([positions, sites], axis=-2)

    def rest(self) -> tuple[Floats, Floats]:
        """World node positions (J+S, 3) [m] and joint rotations (J, 4) of the bind pose."""
        bind = arrays.identity(self.joint_count) if self.bind is None else self.bind
        positions, world = arrays.forward(self.parents, self.offsets, bind)
        return self.node_positions(positions, world), world

    def scaled(self, factor: float) -> Self:
        """The same body, larger or smaller."""
        if not (np.isfinite(factor) and factor > 0.0):
            raise InputError(f"Expected a positive scale, got {factor}.")
        return replace(self, offsets=self.offsets * factor, site_offsets=self.site_offsets * factor)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointTree):
            return NotImplemented
        return (
            self.node_names == other.node_names
            and np.array_equal(self.node_parents, other.node_parents)
            and np.array_equal(self.node_offsets, other.node_offsets)
        )

    def __hash__(self) -> int:
        return hash((self.node_names, self.node_offsets.tobytes()))

    def __repr__(self) -> str:
        parts = f"{self.joint_count} joints, {len(self.site_names)} sites, root {self.names[0]!r}"
        return f"{type(self).__name__}({parts})"


def depth_first(parents: Sequence[int]) -> list[int]:
    """Joint numbers so that each subtree is contiguous and siblings keep their order."""
    children: dict[int, list[int]] = {}
    for j, p in enumerate(parents):
        children.setdefault(int(p), []).append(j)
    order: list[int] = []
    stack = children.get(-1, [])[::-1]
    while stack:
        j = stack.pop()
        order.append(j)
        stack.extend(children.get(j, [])[::-1])
    return order
