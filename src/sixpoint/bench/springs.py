"""Mass-spring IK beyond Table 1 of its paper: what comes back, what limits and parameters do.

What comes back: a motion of the targets is repeated, and what targets leave open is compared: the
twist of the bones of a chain, the elbows of a person who stirs, the feet of a person who stands and
sways. *Published* stands for ``return_rate=0, twist="carried"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..data.clips import builtin
from ..kernels import arrays
from ..kernels.types import Floats
from ..limits import EulerBoxLimit, Limits, SwingTwistLimit
from ..motion.motion import Motion
from ..solvers import solve_batch, solver

VARIANTS: dict[str, dict[str, Any]] = {
    "published": {"return_rate": 0.0, "twist": "carried"},
    "default": {},
}
JOINTS = (1, 2, 3, 6, 10)
PATHS = 5
"""Ways there and back for each chain."""
FRAMES = 60
"""Frames of a way, and of one circle."""
CIRCLE = 0.08
"""Radius of the circles of hands; that of a swaying pelvis is half of it [m]."""
SETTLED = 3
"""Circles after which a person has settled: a movement that repeats itself is no drift."""
PEOPLE: dict[str, Any] = {"adult": "adult", "none": None}
"""Limits of the people that are measured, by name."""
TASKS = ("hands", "pelvis")
POSES = 500
"""Poses within limits whose end effectors are targets."""
KINDS = {
    "XYZ box": EulerBoxLimit.degrees("XYZ", [(-25, 40), (-30, 30), (-20, 35)]),
    "ZYZ box": EulerBoxLimit.degrees(
        "ZYZ", [(-30, 30), (60, 110), (-20, 30)], after=(0.5**0.5, 0.0, -(0.5**0.5), 0.0)
    ),
    "swing and twist": SwingTwistLimit.degrees(
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0),
        (1.0, 0.0, 0.0),
        {-180.0: 20.0, 0.0: 50.0, 180.0: 20.0},
        (-30.0, 10.0),
    ),
}
"""Limits of all joints of a chain."""
HEAVIER = 8.0
"""Mass of a joint, and stiffness of a bone, whose effects are compared."""


def twist_lost(joints: int, paths: int = PATHS, **settings: Any) -> dict[str, Any]:
    """Return how far bones are twisted after a target went along a curve and back [degrees].

    The largest and the mean over all paths of the largest twist of a joint about its own bone, the
    first and the last frame compared, whose targets are the same.
    """
    tracker = solver("mass-spring", **settings).prepare(Skeleton.chain(joints))
    lost = []
    for path in range(paths):
        rng, u = np.random.default_rng(path), np.linspace(0.0, 1.0, FRAMES)[:, None]
        points = rng.normal(size=(4, 3))
        points *= np.array((0.8, 0.6, 0.7, 0.5))[:, None] / np.linalg.norm(points, axis=1)[:, None]
        a, b, c, d = points
        way = (1 - u) ** 3 * a + 3 * u * (1 - u) ** 2 * b + 3 * u * u * (1 - u) * c + u**3 * d
        tracker.reset()
        poses = [tracker.solve(target[None]).pose.rotations for target in (*way, *way[::-1])]
        bone = np.array((0.0, 1.0, 0.0))
        first, last = (2.0 * np.arctan2(q[:, 1:] @ bone, q[:, 0]) for q in (poses[0], poses[-1]))
        turn = (last - first + np.pi) % (2.0 * np.pi) - np.pi
        lost.append(float(np.degrees(np.abs(turn).max())))
    return {"joints": joints, "lost_max": max(lost), "lost_mean": float(np.mean(lost))}


def person_drift(task: str, limits: str, circles: int = 30, **settings: Any) -> dict[str, Any]:
    """Return how far elbows [mm] and feet [degrees] wander while a movement repeats itself.

    A person of the built-in boxing clip stands still; both hands go in circles (`task` is "hands"),
    or pelvis and head do, over feet that stand. Compared are the frames in which a circle begins,
    from the fourth circle on.
    """
    clip = builtin("boxing")
    anatomy, stance = clip.skeleton.anatomy, clip.points().positions[0]
    elbows = [anatomy.node(f"{side}_elbow") for side in "lr"]
    feet = [anatomy.node(f"{side}_ankle") for side in "lr"]
    tracker = solver("mass-spring", **settings).prepare(clip.skeleton, limits=PEOPLE[limits])
    moving = slice(2, 4) if task == "hands" else slice(0, 2)
    radius = CIRCLE if task == "hands" else 0.5 * CIRCLE
    positions, rotations = [], []
    for frame in range(circles * FRAMES + 1):
        angle, points = 2.0 * np.pi * frame / FRAMES, stance.copy()
        points[moving] += radius * np.array((np.sin(angle), 0.0, np.cos(angle) - 1.0))
        pose = tracker.solve(points).pose
        if frame % FRAMES == 0 and frame >= SETTLED * FRAMES:
            at, world = pose.world()
            positions.append(at[elbows])
            rotations.append(world[feet])
    moved = np.linalg.norm(np.array(positions) - positions[0], axis=-1)
    turned = arrays.angle_between(np.array(rotations), rotations[0])
    return {
        "moves": task,
        "limits": limits,
        "elbow_mm": 1e3 * float(moved.max()),
        "foot_degrees": float(np.degrees(turned.max())),
    }


def repeatability(circles: int = 30, paths: int = PATHS) -> dict[str, Any]:
    """Return what comes back, as published and by default."""
    return {
        "twist": [
            {"variant": name} | twist_lost(joints, paths, **settings)
            for name, settings in VARIANTS.items()
            for joints in JOINTS
        ],
        "drift": [
            {"variant": name} | person_drift(task, limits, circles, **settings)
            for name, settings in VARIANTS.items()
            for task in TASKS
            for limits in PEOPLE
        ],
    }


def within_limits(kind: str, poses: int = POSES, **settings: Any) -> dict[str, Any]:
    """Return how many targets that some pose within limits meets are met, and their cost.

    Chains of six joints with the same limit everywhere; targets from random poses. `kind` is one of
    `KINDS`.
    """
    chain = Skeleton.chain(6)
    limits = Limits(dict.fromkeys(chain.names, KINDS[kind]))
    turns = arrays.from_rotvec(np.random.default_rng(5).uniform(-0.6, 0.6, (poses, 6, 3)))
    motion = limits.project(Motion(chain, np.zeros((poses, 3)), turns, 60.0))
    targets = motion.positions([chain.index("tip")])
    found = solve_batch(solver("mass-spring", **settings).prepare(chain, limits=limits), targets)
    return {
        "limits": kind,
        "within_thousandth": float((found.residuals < 1e-3).mean()),
        "within_hundredth": float((found.residuals < 1e-2).mean()),
        "iterations": float(found.iterations.mean()),
    }


def limits_table(poses: int = POSES) -> list[dict[str, Any]]:
    """Return how targets within limits are met, with limits in each step of the springs or not."""
    return [
        {"cones": cones} | within_limits(kind, poses, cones=cones)
        for cones in (False, True)
        for kind in KINDS
    ]


def parameter_effects(targets: Floats, joints: int = 6) -> list[dict[str, Any]]:
    """Return what a heavy joint and a stiff or soft bone in the middle of a chain do.

    The mean turn of every joint [degrees] from a straight chain to its target, and the steps.
    """
    joint = f"joint_{joints // 2 + 1}"
    cases: dict[str, dict[str, Any]] = {
        "none": {},
        "heavy joint": {"masses": {joint: HEAVIER}},
        "stiff bone": {"stiffnesses": {joint: HEAVIER}},
        "soft bone": {"stiffnesses": {joint: 1.0 / HEAVIER}},
    }
    rows = []
    for name, settings in cases.items():
        tracker = solver("mass-spring", **settings).prepare(Skeleton.chain(joints))
        found = solve_batch(tracker, targets[:, None])
        turns = np.degrees(arrays.angle_between(found.rotations, arrays.identity(joints)))
        rows.append(
            {
                "parameter": name,
                **{f"joint_{k + 1}": float(turn) for k, turn in enumerate(turns.mean(axis=0))},
                "iterations": float(found.iterations.mean()),
                "converged": float(found.converged.mean()),
            }
        )
    return rows


def angles_apart(rows: Sequence[dict[str, Any]], one: str, other: str) -> float:
    """Return the angle between the effects of two parameters on the joints of a chain [rad]."""
    by_name = {row["parameter"]: row for row in rows}
    keys = [key for key in rows[0] if key.startswith("joint_")]
    a, b = (
        np.array([by_name[name][key] - by_name["none"][key] for key in keys])
        for name in (one, other)
    )
    return float(np.arccos(np.clip(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), -1.0, 1.0)))
