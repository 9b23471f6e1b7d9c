"""Balance of a skeleton: its centre of mass shall be above a point or a support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.mass import mass_weights
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels import tasks as formulas
from ..kernels.arrays import as_vec
from ..kernels.types import Floats
from ..motion.pose import Pose
from .base import Task, joint_columns, rows_of

GROUND = (0, 2)
"""X and Z: the components of a position on the ground."""


@dataclass(frozen=True)
class Balance(Task[Floats]):
    """The centre of mass shall be above a point of the ground, or above a convex support.

    The target is the ground below it: corners (n, 2), x and z [m]. One corner is a vertical line,
    two are a plank, more a polygon whose hull counts. Above the support nothing is missing, and the
    Jacobian is zero; beside an edge it sees the way to that edge only.

    Without any target: above the root, wherever it goes (Courty & Arnaud 2008, Fig. 3).
    """

    over: tuple[tuple[float, float], ...] | None = None
    """The corners, where they are always the same [m]. Default: below the root."""
    mass: str | None = None
    """Mass model of a person, a key of `sixpoint.body.mass.MASS_TABLES`. Default: ``winter`` for
    people; as heavy as long, for the bones of any other skeleton."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    priority: int = 1
    """Level for solvers with strict priorities, 0 or more, the least first; others weigh all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.over is not None:
            corners = _corners(self.over)
            object.__setattr__(self, "over", tuple((float(x), float(z)) for x, z in corners))

    @classmethod
    def under(cls, pose: Pose, nodes: Sequence[str], **settings: object) -> Balance:
        """A balance above nodes where they stand in a pose, for example the ends of both feet."""
        positions, _ = pose.world()
        body = pose.skeleton.articulation
        corners = [tuple(positions[body.node(name)][list(GROUND)].tolist()) for name in nodes]
        return cls(over=tuple(corners), **settings)  # type: ignore[arg-type]

    @property
    def goal(self) -> Floats | None:
        """The corners that are always the same, if there are such (n, 2) [m]."""
        return None if self.over is None else np.array(self.over)

    def weights(self, skeleton: Skeleton) -> Floats:
        """The centre of mass as a weighted sum of nodes (J+S,); the weights sum to 1."""
        return mass_weights(skeleton, self.mass)

    def centre(self, pose: Pose) -> Floats:
        """Centre of mass (3,) [m]."""
        return np.asarray(self.weights(pose.skeleton) @ pose.world()[0])

    def centre_jacobian(self, pose: Pose) -> Floats:
        """Velocity of the centre of mass for a unit speed of each freedom (3, D) [m/rad].

        A root that travels takes the centre with it.
        """
        skeleton = pose.skeleton
        weights = self.weights(skeleton)
        nodes = len(weights)
        carried = np.empty((nodes, 4))
        masses = formulas.Masses(weights, np.zeros((nodes, 3)))
        positions = pose.world()[0]
        formulas.carry_masses(
            masses, skeleton.node_parents, arrays.identity(nodes), positions, carried
        )
        return rows_of(
            formulas.centre_column(as_vec(axis), as_vec(place), carried[joint])
            for joint, place, axis in zip(
                skeleton.articulation.joint_of, *joint_columns(pose), strict=True
            )
        )

    def measure(self, pose: Pose) -> Floats:
        """The point of the ground below the centre of mass, (1, 2) [m]."""
        return self.centre(pose)[None, GROUND]

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Way from below the centre of mass to the nearest point of the support (2,) [m]."""
        centre = self.measure(pose)[0]
        corners = self.goal if target is None else target
        if corners is None:
            corners = pose.world()[0][:1, GROUND]
        return np.asarray(nearest_of_hull(_corners(corners), centre)[0] - centre)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Velocity of the centre of mass over the ground (2, D) [m/rad], without what is free.

        Without any target: above the root, which no joint moves.
        """
        moved = self.centre_jacobian(pose)[GROUND, :]
        corners = self.goal if target is None else target
        if corners is None:
            return moved
        _, needed = nearest_of_hull(_corners(corners), self.measure(pose)[0])
        return np.asarray(needed @ moved)


def nearest_of_hull(corners: Floats, point: Floats) -> tuple[Floats, Floats]:
    """Nearest point of the hull of corners (n, 2), and how its distance follows a moving point.

    Returns:
        The nearest point (2,), and the derivative of (point - nearest) by the point (2, 2): zero
        inside, the normal's square beside an edge, identity beside a corner.
    """
    hull = convex_hull(corners)
    x, z, edge = formulas.support_nearest(hull, 0, len(hull), float(point[0]), float(point[1]))
    needed = np.zeros((2, 2)) if edge == formulas.INSIDE else np.eye(2)
    if edge not in (formulas.INSIDE, formulas.AT_CORNER):
        along = hull[(edge + 1) % len(hull)] - hull[edge]
        needed -= np.outer(along, along) / (along @ along)
    return np.array((x, z)), needed


def convex_hull(points: Floats) -> Floats:
    """Return the corners of the hull of points (n, 2), counter-clockwise, each once."""
    corners = np.empty((len(points), 2))
    return corners[: formulas.convex_hull(points, corners)]


def _corners(corners: object) -> Floats:
    array = np.asarray(corners, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0 or not np.isfinite(array).all():
        raise InputError(
            "Expected the corners of a support as one or more finite points (x, z) [m], "
            f"got {corners!r}."
        )
    return array
