"""Tables for the particle filter: how joints are drawn, what is asked, and the particles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..body.articulation import Articulation
from ..errors import InputError
from ..kernels import arrays
from ..kernels.random import random_state
from ..kernels.types import Bools, Floats, Ints
from ..limits import FixedLimit, Limits, SwingTwistLimit
from ..motion.pose import Pose
from ..tasks import (
    Balance,
    Coupling,
    Floor,
    FunctionTask,
    LookAt,
    Orient,
    Posture,
    Reach,
    SelfCollision,
    Smoothness,
    Task,
)
from ..tasks.balance import convex_hull
from ._kernels.asked import (
    APART,
    BALANCE,
    COUPLED,
    FLOOR,
    LOOK,
    OUTSIDE,
    PLACE,
    POSTURE,
    SMOOTH,
    TURN,
    Asked,
)
from ._kernels.figure import HINGE, Figure
from ._kernels.particles import FOUND, MARKED, MOST_RUNS
from ._kernels.qutem import AXIAL, FREE, ROUND, SHAPED, STILL, SWING, TWIST, Noise
from ._kernels.swarm import Swarm
from .apart_tables import capsule_table, no_capsules

NO_TURN = 1e-12
"""A variance below this part of the largest is none: the joint does not turn about that axis."""
MINOR = 0.2
"""A deviation below this part of the next is slack: what a joint does besides its axes."""
SLACK = 3.0
"""So many deviations of it a joint may go, and no further."""
SHORTEST = 0.02
"""No joint reaches less far than this part of the figure."""
SOFT = (Smoothness, Posture)
"""Tasks that need not be met: they choose among the poses that meet the others."""


def covariance_of(name: str, given: ArrayLike) -> Floats:
    """The covariance (3, 3) [rad^2] that a setting means: itself, or three deviations [rad]."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape == (3,) and np.isfinite(array).all() and (array >= 0.0).all():
        return np.diag(array**2)
    if array.shape == (3, 3) and np.isfinite(array).all() and np.allclose(array, array.T):
        least = np.linalg.eigvalsh(array).min()
        if least >= -NO_TURN * max(np.abs(array).max(), NO_TURN):
            return array
    raise InputError(
        f"Expected three deviations >= 0, or a covariance (3, 3), for the joint {name!r}; "
        f"got {given!r}."
    )


def build_noise(
    figure: Figure,
    names: Sequence[str],
    limits: Limits,
    covariances: Mapping[str, Floats],
    *,
    literal: bool,
    root: float,
    tries: int,
    lever: float = 0.0,
    reach: Floats | None = None,
) -> Noise:
    """How each row is drawn, by what it can do: its freedom, its covariance and its limit.

    A ball joint whose limit leaves it no twist has two degrees of freedom. See `reach_scales` for
    the lever, and what each row can reach.
    """
    count = len(names)
    kind, bounded = np.zeros(count, np.int64), np.zeros(count, np.int64)
    axis, shape = np.zeros((count, 3)), np.zeros((count, 3, 3))
    centre, slack = np.zeros(count), np.zeros(count)
    for row, name in enumerate(names):
        limit = limits.get(name) if name else None
        covariance = covariances.get(name, np.eye(3))
        if figure.freedom[row] == 0 or isinstance(limit, FixedLimit):
            kind[row] = STILL
            continue
        if figure.freedom[row] == HINGE:
            axis[row] = figure.axis[row]
            variance = float(axis[row] @ covariance @ axis[row])
            kind[row] = AXIAL if variance > 0.0 else STILL
            shape[row] = np.eye(3) * (variance if literal else np.sqrt(variance))
            continue
        if isinstance(limit, SwingTwistLimit) and limit.twist[0] == limit.twist[1]:
            bone = np.array(limit.bone)
            across = np.eye(3) - np.outer(bone, bone)
            covariance = across @ covariance @ across
            centre[row] = limit.twist[0]
        values, vectors = np.linalg.eigh(covariance)
        values = np.where(values > NO_TURN * max(values.max(), NO_TURN), values, 0.0)
        sizes = values if literal else np.sqrt(values)
        kind[row] = SHAPED if values.any() else STILL
        shape[row] = vectors * sizes
        least, middle, most = np.sqrt(values)
        if middle < MINOR * most:
            # One axis. With none besides it no draw swings it, and there is nothing to hold.
            bounded[row], axis[row] = SWING if middle > 0.0 else FREE, vectors[:, 2]
            slack[row] = 2.0 * SLACK * middle
        elif least < MINOR * middle:
            bounded[row], axis[row] = TWIST, vectors[:, 0]
            slack[row] = 2.0 * SLACK * least
        elif np.ptp(values) < NO_TURN * values.max():
            kind[row], shape[row] = ROUND, np.eye(3) * sizes[0]
    if reach is not None:
        shape *= reach_scales(reach, kind != STILL, lever)[:, None, None]
    return Noise(
        kind=kind,
        axis=axis,
        shape=shape,
        literal=np.array([literal], np.int64),
        bounded=bounded,
        centre=centre,
        slack=slack,
        root=np.array([root]),
        tries=np.array([tries], np.int64),
    )


def longest_below(parents: Ints, offsets: Floats) -> Floats:
    """Longest way from each node along the bones below it [m], (K,); parents stand before."""
    out = np.zeros(len(parents))
    for node in range(len(parents) - 1, 0, -1):
        bone = float(np.linalg.norm(offsets[node]))
        out[parents[node]] = max(out[parents[node]], bone + out[node])
    return out


def reach_scales(reach: Floats, drawn: Bools, lever: float) -> Floats:
    """What noise of each row is multiplied by, (N,): 1 over its reach to the power of `lever`.

    With all joints alike, the ends of a figure stand still beside what its root does: a finger
    waits until the elbow draws next to nothing. All joints together move the ends as far as they
    would, drawn alike.
    """
    longest = float(reach[drawn].max(initial=0.0))
    if longest <= 0.0:
        return np.ones(len(reach))
    reach = np.maximum(reach, SHORTEST * longest)
    scales = reach**-lever
    alike, now = ((part[drawn] ** 2).sum() for part in (reach, scales * reach))
    return np.asarray(scales * np.sqrt(alike / now))


def asked_nodes(body: Articulation, names: Sequence[str], tasks: Sequence[Task[Any]]) -> list[int]:
    """Nodes that tasks speak of: those of the points first, then others, each once."""
    nodes = [body.node(name) for name in names]
    for task in tasks:
        if isinstance(task, LookAt | Floor) and (node := body.node(task.node)) not in nodes:
            nodes.append(node)
    return nodes


def build_asked(
    body: Articulation,
    names: Sequence[str],
    nodes: Sequence[int],
    tasks: Sequence[Task[Any]],
    size: float,
) -> Asked:
    """Flatten tasks for a figure with a row for each joint; `nodes` are its tips."""
    skeleton = body.skeleton
    joints = skeleton.joint_count
    rest = Pose(skeleton, body.offsets[0], body.from_rest(arrays.identity(joints)))
    kinds, node, first, last = ([0] * len(tasks) for _ in range(4))
    numbers = np.zeros((len(tasks), 6))
    pairs: list[Any] = []
    corners: list[Any] = []
    masses: list[Floats] = []
    arms: list[Floats] = []
    postures: list[Floats] = []
    capsules = no_capsules()
    for k, task in enumerate(tasks):
        if isinstance(task, FunctionTask):
            kinds[k] = OUTSIDE
        elif isinstance(task, Reach | Orient):
            kinds[k] = PLACE if isinstance(task, Reach) else TURN
            node[k] = names.index(task.node)
        elif isinstance(task, LookAt):
            if task.at is None:
                raise InputError(
                    f"Expected a place `at` of the task {task.label!r}: the filter looks at one "
                    "place always; got none."
                )
            kinds[k], node[k] = LOOK, nodes.index(body.node(task.node))
            numbers[k, :3] = np.array(task.axis) / np.linalg.norm(task.axis)
            numbers[k, 3:] = task.at
        elif isinstance(task, Floor):
            kinds[k], node[k] = FLOOR, nodes.index(body.node(task.node))
            numbers[k, :2] = task.height, task.lifts
        elif isinstance(task, Coupling):
            kinds[k] = COUPLED
            node[k], first[k] = task.joints(skeleton)
            numbers[k, 0] = task.ratio
        elif isinstance(task, Smoothness):
            kinds[k], first[k] = SMOOTH, len(pairs)
            pairs += task.pairs(skeleton).tolist()
            last[k] = len(pairs)
        elif isinstance(task, Balance):
            kinds[k], node[k], first[k] = BALANCE, len(masses), len(corners)
            numbers[k, 0] = task.over is None
            corners += (
                [(0.0, 0.0)] if task.over is None else convex_hull(np.array(task.over)).tolist()
            )
            last[k] = len(corners)
            weights = task.weights(skeleton)
            masses.append(weights[:joints].copy())
            arms.append(np.zeros((joints, 3)))
            for site in range(joints, len(weights)):
                masses[-1][body.carrier(site)] += weights[site]
                arms[-1][body.carrier(site)] += weights[site] * body.offsets[site]
        elif isinstance(task, SelfCollision):
            kinds[k], capsules = APART, capsule_table(skeleton, task)
        else:
            assert isinstance(task, Posture)
            if task.like is None:
                raise InputError(
                    "Expected a pose `like` of the task 'posture': the filter stays near one "
                    "posture always; got none."
                )
            kinds[k], first[k] = POSTURE, len(postures)
            postures.append(body.to_rest(task.like_of(rest).rotations))
    soft = [isinstance(task, SOFT) for task in tasks]
    if all(soft):  # with nothing to be met, wishes are
        soft = [False] * len(tasks)
    return Asked(
        kind=np.array(kinds, np.int64),
        node=np.array(node, np.int64),
        first=np.array(first, np.int64),
        last=np.array(last, np.int64),
        weight=np.array([task.weight for task in tasks], np.float64),
        unit=np.array([size if task.angular else 1.0 for task in tasks], np.float64),
        precision=np.array([task.precision() for task in tasks]).reshape(-1, 3, 3),
        soft=np.array(soft, np.int64),
        numbers=numbers,
        pairs=np.array(pairs, np.int64).reshape(-1, 2),
        corners=np.array(corners, np.float64).reshape(-1, 2),
        capsules=capsules,
        mass=np.array(masses, np.float64).reshape(-1, joints),
        arm=np.array(arms, np.float64).reshape(-1, joints, 3),
        posture=np.array(postures, np.float64).reshape(-1, joints, 4),
    )


def human_asked(figure: Figure, posture: float) -> Asked:
    """The six points of a person but the pelvis, and the posture of sequential IK."""
    count, rows = len(figure.task_kind), len(figure.parent)
    angular = figure.size[0]
    return Asked(
        kind=np.array([PLACE] * count + [POSTURE], np.int64),
        node=np.array([*figure.task_tip, 0], np.int64),
        first=np.zeros(count + 1, np.int64),
        last=np.zeros(count + 1, np.int64),
        weight=np.array([*figure.task_weight, posture]),
        unit=np.array([1.0] * count + [angular]),
        precision=np.tile(np.eye(3), (count + 1, 1, 1)),
        soft=np.array([0] * count + [1], np.int64),
        numbers=np.zeros((count + 1, 6)),
        pairs=np.zeros((0, 2), np.int64),
        corners=np.zeros((0, 2)),
        capsules=no_capsules(),
        mass=np.zeros((0, rows)),
        arm=np.zeros((0, rows, 3)),
        posture=arrays.identity(1, rows),
    )


def new_swarm(figure: Figure, particles: int, tasks: int, runs: int, seed: int) -> Swarm:
    """Memory for the particles."""
    rows = len(figure.parent)
    return Swarm(
        local=arrays.identity(particles, rows),
        root=np.zeros((particles, 3)),
        next_local=np.zeros((particles, rows, 4)),
        next_root=np.zeros((particles, 3)),
        log_weight=np.zeros(particles),
        weight=np.full(particles, 1.0 / particles),
        cost=np.zeros(particles),
        wish=np.zeros(particles),
        extra=np.zeros((particles, 2)),
        start=np.zeros((rows + 1, 4)),
        found=np.zeros((max(runs, MOST_RUNS), rows + 1, 4)),
        best=np.zeros((rows + 1, 4)),
        estimate=np.zeros((rows + 1, 4)),
        smooth=np.zeros((rows + 1, 4)),
        before=np.zeros((2, rows + 1, 4)),
        lengths=np.zeros(tasks),
        numbers=np.zeros(FOUND + 1),
        counts=np.zeros(MARKED + 1, np.int64),
        heirs=np.zeros(particles, np.int64),
        random=random_state(seed),
    )


def clear_swarm(swarm: Swarm, seed: int) -> None:
    """Forget earlier frames, and begin the random numbers again."""
    swarm.counts[:] = 0
    swarm.random[:] = random_state(seed)
