"""The built-in figure rigged in other rest poses: one person, many rigs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
THIRD = 3.0**-0.5
Turn = tuple[tuple[float, float, float], float]


def rebased(figure: Skeleton, turns: Mapping[str, Turn]) -> Skeleton:
    """The same person whose unturned joints show another pose, in frames parallel to the world.

    `turns` are the local rotations of that pose: joint name -> (axis, degrees).
    """
    local = arrays.identity(figure.joint_count)
    for name, (axis, degrees) in turns.items():
        local[figure.index(name)] = arrays.from_axis_angle(axis, np.radians(degrees))
    _, world = arrays.forward(figure.parents, figure.offsets, local)
    return replace(
        figure,
        offsets=np.where(
            (figure.parents >= 0)[:, None],
            arrays.rotate(world[figure.parents], figure.offsets),
            figure.offsets,
        ),
        site_offsets=arrays.rotate(world[figure.site_parents], figure.site_offsets),
        hinges={
            name: tuple(arrays.rotate(world[figure.index(name)], np.array(axis)).tolist())
            for name, axis in figure.hinges.items()
        },
    )


def both_arms(degrees: float, axis: tuple[float, float, float] = Z) -> dict[str, Turn]:
    """Arms raised: sideways about Z, forwards about -X."""
    sign = -1.0 if axis == Z else 1.0
    return {"l_shoulder": (axis, degrees), "r_shoulder": (axis, sign * degrees)}


YAWED: dict[str, Turn] = {"HumanoidRoot": (Y, 70.0)}
REST_POSES: dict[str, dict[str, Turn]] = {
    "neutral": {},
    "T-pose": both_arms(90.0),
    "A-pose": both_arms(40.0),
    "arms forward": both_arms(-90.0, X),
    "arms up": both_arms(180.0),
    "yawed": YAWED,
    "backwards": {"HumanoidRoot": (Y, 180.0)},
    "yawed T-pose": YAWED | both_arms(90.0),
    "elbows bent": both_arms(30.0) | {"l_elbow": (X, -35.0), "r_elbow": (X, -35.0)},
    "legs apart": {"l_hip": (Z, 12.0), "r_hip": (Z, -12.0)},
    "knees bent": {
        **{f"{side}_hip": (X, -20.0) for side in "lr"},
        **{f"{side}_knee": (X, 35.0) for side in "lr"},
    },
}
"""Rest poses that a rig tells by its bones alone."""
TWISTED: dict[str, dict[str, Turn]] = {
    "arms twisted": {"l_shoulder": (Y, 50.0), "r_shoulder": (Y, -50.0)},
    "feet out": {"l_hip": (Y, 25.0), "r_hip": (Y, -25.0)},
    "arms up from the front": both_arms(180.0, X),
    "twisted T-pose": {
        "l_shoulder": ((THIRD, THIRD, THIRD), 120.0),
        "r_shoulder": ((THIRD, -THIRD, -THIRD), 120.0),
    },
}
"""Rest poses whose twist only the hinges of elbows and knees tell."""


def pruned(figure: Skeleton, ends: Iterable[str]) -> Skeleton:
    """A rig that ends in sites instead of these joints; what hangs from them is gone."""
    gone = {figure.index(name) for name in ends}
    below = {j for j in range(figure.joint_count) if gone & set(figure.path(j))}
    kept = [j for j in range(figure.joint_count) if j not in below]
    number = {j: k for k, j in enumerate(kept)}
    sites = [s for s, parent in enumerate(figure.site_parents) if parent not in below]
    tips = sorted(gone)
    return replace(
        figure,
        names=tuple(figure.names[j] for j in kept),
        parents=np.array([number.get(int(figure.parents[j]), -1) for j in kept]),
        offsets=figure.offsets[kept],
        site_names=(*(figure.site_names[s] for s in sites), *(figure.names[j] for j in tips)),
        site_parents=np.array(
            [number[int(figure.site_parents[s])] for s in sites]
            + [number[int(figure.parents[j])] for j in tips]
        ),
        site_offsets=np.concatenate([figure.site_offsets[sites], figure.offsets[tips]]),
    )
