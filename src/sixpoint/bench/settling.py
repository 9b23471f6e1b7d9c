"""Whether a body in balance comes to rest, and whether strict levels hold whatever is asked.

Goals of the left wrist of a person who stands: some within reach, most beyond. `motion_mm` is how
far the farthest joint moves between its extremes after the first two seconds of a goal that keeps
still. `head_jitter_mm` is the RMS of second differences of the head's position where the goal, 3 cm
out of reach, shakes by 3 mm along each axis; `input_jitter_mm` is that of the goal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..solvers import Tracker, solver
from ..tasks import Balance, LookAt, Reach, Task
from . import experiment as ex
from .reach import stance_points

STATURE = 1.75
RATE = 30.0
BODIES = ("simple", "legs")
GOALS = {
    "level, to the left": (0.95, 0.0, 0.0),
    "level, ahead": (0.1, -0.1, 0.85),
    "to the ground": (0.6, -1.0, 0.3),
    "ahead, within reach": (0.3, 0.1, 0.25),
    "at the shoulder": (0.02, -0.02, 0.05),
    "overhead": (0.1, 0.9, 0.1),
    "behind": (0.2, -0.3, -0.6),
    "up and ahead": (0.4, 0.16, 0.8),
}
"""Goals of the left wrist as seen from the left shoulder [m]."""
WAYS = ((0.3, 0.0, 0.9), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, 0.9, 0.1), (0.6, -1.0, 0.3),
        (-0.5, 0.2, 0.8), (0.2, -0.3, -0.6))  # fmt: skip
"""Directions in which goals out of reach lie."""
SETTLED = int(2.0 * RATE)
"""Frames after which a body shall rest."""
FRAMES, QUICK_FRAMES, QUICK_PART = 300, 120, 3
OUT_OF_REACH, SHAKING = 0.03, 0.003
"""How far goals are out of reach, and the standard deviation of their noise [m]."""
FEET = ("l_ankle", "r_ankle")
WILD_GOALS, QUICK_GOALS = 24, 6


def bench_settling(*, quick: bool = False, progress: ex.Progress = None) -> ex.Measurements:
    """Measure rest, noise and levels."""
    step = ex.counted(progress, 2 * len(BODIES) + 1)
    still: list[dict[str, Any]] = []
    noisy: list[dict[str, Any]] = []
    for body in BODIES:
        still += settle(body, quick=quick)
        step()
        noisy += shake(body, quick=quick)
        step()
    levels = wild_goals(QUICK_GOALS if quick else WILD_GOALS)
    step()
    return {"seed": ex.SEED, "still": still, "noisy": noisy, "levels": levels}


def standing_tracker(body: str) -> tuple[Tracker, Floats, Floats]:
    """Return a tracker, the six points of a person who stands (6, 3) and the left shoulder [m]."""
    skeleton = Skeleton.humanoid(STATURE)
    anatomy = skeleton.anatomy
    frame = stance_points(skeleton)
    shoulder = (
        anatomy.positions[anatomy.node("l_shoulder")] - anatomy.positions[anatomy.node("pelvis")]
    )
    return solver("pik-balance", body=body).prepare(skeleton, rate=RATE), frame, frame[0] + shoulder


def settle(body: str, *, quick: bool = False) -> list[dict[str, Any]]:
    """Return the motion that is left while goals keep still, for each of them."""
    rows = []
    frames = QUICK_FRAMES if quick else FRAMES
    for name, away in list(GOALS.items())[:: QUICK_PART if quick else 1]:
        tracker, frame, shoulder = standing_tracker(body)
        frame[2] = shoulder + away
        solutions = [tracker.solve(frame) for _ in range(frames)]
        places = np.array([solution.pose.world()[0] for solution in solutions[SETTLED:]])
        rows.append({
            "body": body,
            "goal": name,
            "motion_mm": float(1e3 * np.ptp(places, axis=0).max()),
            "missed_mm": float(1e3 * solutions[-1].residuals[2]),
            "drift_mm": float(1e3 * (solutions[-1].extras or {})["drift"]),
        })  # fmt: skip
    return rows


def shake(body: str, *, quick: bool = False) -> list[dict[str, Any]]:
    """Return how much the head shakes with a goal out of reach, for each direction."""
    rows = []
    frames = QUICK_FRAMES if quick else FRAMES
    for way in WAYS[:: QUICK_PART if quick else 1]:
        tracker, frame, shoulder = standing_tracker(body)
        far = shoulder + 2.0 * np.array(way) / np.linalg.norm(way)
        anatomy = tracker.skeleton.anatomy
        frame[2] = far
        for _ in range(frames):
            solution = tracker.solve(frame)
        wrist = solution.pose.world()[0][anatomy.node("l_wrist")]
        goal = wrist + OUT_OF_REACH * (far - wrist) / np.linalg.norm(far - wrist)
        rng = np.random.default_rng(ex.SEED)
        goals = goal + rng.normal(0.0, SHAKING, (frames, 3))
        tracker.reset()
        head = np.empty((frames, 3))
        for k in range(frames):
            frame[2] = goals[k]
            head[k] = tracker.solve(frame).pose.world()[0][anatomy.node("head")]
        rows.append({
            "body": body,
            "way": " ".join(f"{x:g}" for x in way),
            "input_jitter_mm": _jitter(goals[SETTLED:]),
            "head_jitter_mm": _jitter(head[SETTLED:]),
        })  # fmt: skip
    return rows


def _jitter(places: Floats) -> float:
    """RMS of second differences [mm]."""
    return float(1e3 * np.sqrt((np.diff(places, n=2, axis=0) ** 2).sum(axis=1).mean()))


def wild_goals(count: int) -> list[dict[str, Any]]:
    """Return how far higher levels of `pik` are off while goals of lower ones are anywhere.

    Feet of a person whose root moves come first, then balance, a wrist and the gaze; once without
    balance among them.
    """
    skeleton = Skeleton.humanoid(STATURE)
    rest = skeleton.rest()[0]
    at = {role: rest[skeleton.anatomy.node(role)] for role in (*FEET, "l_wrist")}
    x, z = 0.12, (-0.1, 0.2)
    balance = Balance(over=((-x, z[0]), (x, z[0]), (x, z[1]), (-x, z[1])), priority=1)
    lower: list[Task[Any]] = [
        Reach("l_wrist", priority=2),
        LookAt("head", at=(-3.0, 1.0, -1.0), priority=3),
    ]
    rows = []
    for kept in (True, False):
        tasks = [*(Reach(role, priority=0) for role in FEET), *([balance] if kept else []), *lower]
        method = solver("pik", root="free", iterations=20)
        tracker = method.prepare(skeleton, rate=RATE, tasks=tasks)
        rng = np.random.default_rng(ex.SEED)
        feet, off = 0.0, 0.0
        for _ in range(count):
            goal = at["l_wrist"] + rng.normal(0.0, 0.8, 3)
            for _ in range(6):
                solution = tracker.solve(np.array([at[FEET[0]], at[FEET[1]], goal]))
            feet = max(feet, float(solution.residuals[:2].max()))
            off = max(off, balance.residual_norm(solution.pose))
        levels = "feet, balance, wrist, gaze" if kept else "feet, wrist, gaze"
        rows.append({"levels": levels, "feet_mm": 1e3 * feet, "balance_mm": 1e3 * off})
    return rows


def show(found: ex.Measurements) -> Iterator[ex.Table | ex.Facts]:
    """Show all measurements."""
    yield ex.table(
        "motion of a body in balance after 2 s of a goal that keeps still",
        "body goal motion_mm:.2f missed_mm:.1f drift_mm:.2f",
        found["still"],
    )
    yield ex.table(
        "noise of 3 mm on a goal 3 cm out of reach: second differences",
        "body way input_jitter_mm:.1f head_jitter_mm:.1f",
        found["noisy"],
    )
    yield ex.table(
        "strict levels while the wrist's goal is anywhere: most over all goals",
        "levels feet_mm:.2f balance_mm:.2f",
        found["levels"],
    )
