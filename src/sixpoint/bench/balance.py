"""Balanced and analytic bodies on true points: Tables 2 and 3, balance, noise, cost, collisions.

The part of `sixpoint bench vision` that needs no camera (Boulic et al. 2006). `sixpoint bench
balance` measures whether bodies in balance come to rest (see `settling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ..api import reconstruct
from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..limits import adult_limits
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..solvers import Solver, solver
from ..tasks import Reach, SelfCollision, SelfContact, Task, clear_elbows
from ..vision.synthetic.room import RATE
from ..vision.synthetic.scenes import scene
from . import experiment as ex
from .experiment import timed
from .reach import reach_scenes, stance_points
from .settling import BODIES, bench_settling, show

STEPS = (1, 5, 10, 20)
PAPER_TABLE_2 = {
    "pik-balance, 1 step": ((103.4, 133.3), (108.3, 142.5)),
    "pik-balance, 5 steps": ((4.8, 12.0), (5.1, 12.3)),
    "pik-balance, 10 steps": ((2.6, 11.0), (2.3, 9.5)),
    "pik-balance, 20 steps": ((2.5, 10.9), (2.3, 9.5)),
    "analytic-upper": ((2.2, 10.9), (2.2, 10.0)),
}
"""Mean and standard deviation of the right and the left wrist's error [mm]; the column that the
paper calls RMSE is the mean."""
PAPER_TABLE_3 = {
    "analytic-upper": 0.65,
    "pik-balance, 1 step": 1.7,
    "pik-balance, 5 steps": 6.4,
    "pik-balance, 20 steps": 26.2,
    "trunk centre": 7.0,
}
"""Milliseconds an update."""
NOISE = 0.010
"""Standard deviation of noise on the hands [m]."""
SCENES = ("box", "crossing", "far_reach", "gestures")
JOINTS = ("pelvis", "head", "l_shoulder", "l_elbow", "l_wrist")


def bench_tables(*, quick: bool = False) -> dict[str, Any]:
    """Return Tables 2 and 3: the imaginary box, true wrists as goals, streamed; all steps taken."""
    clip = scene("box")
    frames = clip.points().positions
    repeats = 2 if quick else 6
    nodes = [clip.skeleton.anatomy.node(f"{side}_elbow") for side in "lr"]
    methods = {_steps(n): balanced(steps=n, tolerance=0.0) for n in STEPS}
    methods["analytic-upper"] = solver("analytic-upper")
    drift = 0.0
    rows, times, elbows = {}, {}, {}
    by_steps: dict[str, float] = {}
    for label, method in methods.items():
        tracker: Any = method.prepare(clip.skeleton, rate=clip.rate)
        tracker.warm_up()
        best = np.full(len(frames), np.inf)
        for _ in range(repeats):
            tracker.reset()
            us, solutions = zip(*[timed(tracker.solve, frame) for frame in frames], strict=True)
            best = np.minimum(best, us)
        off = np.array([solution.residuals[2:4] for solution in solutions])
        rows[label] = {"right": _spread(off[:, 1]), "left": _spread(off[:, 0])}
        taken = float(np.mean([solution.iterations for solution in solutions]))
        times[label] = {"median_us": float(np.median(best)), "steps": taken}
        elbows[label] = np.array([solution.pose.world()[0][nodes] for solution in solutions])
        if label in map(_steps, STEPS):
            by_steps[str(method.steps)] = float(1e3 * off.mean())  # type: ignore[attr-defined]
        if label == _steps(1):
            drift = max(solution.extras["drift"] for solution in solutions)
    apart = np.linalg.norm(elbows["pik-balance, 5 steps"] - elbows["analytic-upper"], axis=-1)
    return {
        "table_2": rows,
        "paper_table_2": PAPER_TABLE_2,
        "table_3": times,
        "paper_table_3_ms": PAPER_TABLE_3,
        "wrist_error_mm_by_steps": by_steps,
        "com_drift_mm_one_step": float(1e3 * drift),
        "pik_step_us": _step_time(repeats),
        "analytic_us": times["analytic-upper"]["median_us"],
        "elbow_difference_mm": float(1e3 * apart.mean()),
    }


def bench_balance(*, quick: bool = False) -> dict[str, Any]:
    """Return balance, the observer, noise, swivels, cost, and the collisions of the two scenes."""
    return {
        "drift": _drifts(),
        "far_reach": far_reaches(),
        "observer": observer(),
        "joint_jitter_mm": joint_jitter(),
        "swivel_degrees": swivels(),
        "step_cost": step_cost(quick=quick),
        "collisions": {
            found.title: [event.as_dict() for event in found.contacts.events()]
            for found in reach_scenes()
        },
    }


def balanced(**settings: Any) -> Solver:
    """Return the solver that keeps a body in balance."""
    return solver("pik-balance", **settings)


def _steps(count: int, name: str = "pik-balance") -> str:
    return f"{name}, {count} step{'s'[: count > 1]}"


def _spread(errors: Floats) -> dict[str, float]:
    """Return mean, standard deviation and RMS [mm]."""
    mm = 1e3 * errors
    rms = float(np.sqrt((mm**2).mean()))
    return {"mean": float(mm.mean()), "std": float(mm.std()), "rms": rms}


def _step_time(repeats: int) -> float:
    """Return the time of a step of the 15 degrees of freedom, with its part of the frame [us]."""
    body = Skeleton.humanoid()
    frame = stance_points(body)
    frame[2] += (0.9, 0.6, 0.0)  # out of reach: all steps are taken
    tracker = balanced(steps=20).prepare(body)
    tracker.warm_up()
    spent = []
    for _ in range(40 * repeats):
        tracker.reset()
        solution = tracker.solve(frame)
        spent.append(1e6 * solution.elapsed / max(solution.iterations, 1))
    return float(np.median(spent))


def follow(clip: Motion, method: Solver) -> dict[str, Any]:
    """Return drift, errors of feet and wrists, pelvis and shoulder [m] of a streamed clip."""
    positions = clip.points().positions
    tracker: Any = method.prepare(clip.skeleton, rate=clip.rate)
    nodes = [clip.skeleton.anatomy.node(r) for r in ("pelvis", "l_shoulder", "l_ankle", "r_ankle")]
    solutions = [tracker.solve(frame) for frame in positions]
    at = np.array([solution.pose.world()[0][nodes] for solution in solutions])
    return {
        "drift": np.array([solution.extras["drift"] for solution in solutions]),
        "wrists": np.array([solution.residuals[2:4] for solution in solutions]),
        "feet": np.linalg.norm(at[:, 2:] - positions[:, 4:], axis=-1),
        "pelvis": at[:, 0],
        "shoulder": at[:, 1],
    }


def _drifts() -> dict[str, Any]:
    """Return how far the centre of mass leaves its line or support, and ankles theirs [mm]."""
    out: dict[str, Any] = {}
    for steps, body in product((1, 5), BODIES):
        runs = [follow(scene(name), balanced(steps=steps, body=body)) for name in SCENES]
        out[_steps(steps, body)] = {
            "centre_mm": max(float(1e3 * run["drift"].max()) for run in runs),
            "ankles_mm": max(float(1e3 * run["feet"].max()) for run in runs),
        }
    return out


def far_reaches() -> dict[str, Any]:
    """Return how pelvis and shoulder move in the scene of the far reach [mm]."""
    clip = scene("far_reach")
    far = int(np.argmax(clip.points(["l_wrist"]).positions[:, 0, 0]))
    out: dict[str, Any] = {}
    for body in BODIES:
        run = follow(clip, balanced(body=body))
        out[body] = {
            "pelvis_mm": float(1e3 * (run["pelvis"][far] - run["pelvis"][0])[0]),
            "shoulder_mm": float(1e3 * (run["shoulder"][far] - run["shoulder"][0])[0]),
            "wrist_error_mm": float(1e3 * run["wrists"][far].max()),
            "drift_mm": float(1e3 * run["drift"].max()),
            "ankles_mm": float(1e3 * run["feet"].max()),
        }
    truth = clip.points(["pelvis", "l_shoulder"]).positions[:, :, 0]
    moved = 1e3 * (truth[far] - truth[0])
    out["truth"] = {"pelvis_mm": float(moved[0]), "shoulder_mm": float(moved[1])}
    return out


def observer() -> dict[str, Any]:
    """Return errors at a goal along a straight arm, with and without the observer.

    One step a frame, and limits of adults joint by joint: a trunk of wider range lifts the
    shoulder, and so bends the arm by chance, two frames later.
    """
    body = Skeleton.humanoid()
    stance = stance_points(body)
    shoulder = stance[2] * (1, 0, 1) + (0.0, 0.82 * body.anatomy.stature, 0.0)
    goal = stance.copy()
    goal[2] = stance[2] + 0.3 * (shoulder - stance[2])
    out = {}
    for observe in (True, False):
        tracker = balanced(observer=observe, steps=1).prepare(
            body, rate=RATE, limits=adult_limits(body)
        )
        tracker.solve(stance)
        for _ in range(12):
            solution = tracker.solve(goal)
        elbow = solution.pose.rotations[body.anatomy.node("l_elbow")]
        out["with" if observe else "without"] = {
            "wrist_error_mm": float(1e3 * solution.residuals[2]),
            "elbow_degrees": float(np.degrees(2.0 * np.arctan2(abs(elbow[1]), abs(elbow[0])))),
        }
    return out


def joint_jitter() -> dict[str, Any]:
    """Return the standard deviation in joints that noise of the hands leads to [mm]."""
    clip = scene("gestures")
    positions = clip.points().positions
    rng = np.random.default_rng(1)
    noisy = positions.copy()
    noisy[:, 2:4] += rng.normal(0.0, NOISE, noisy[:, 2:4].shape)
    out: dict[str, Any] = {"hands": 1e3 * NOISE}
    for label, method in (
        ("analytic-upper", solver("analytic-upper")),
        ("pik-balance, 1 step", balanced(steps=1)),
        ("pik-balance, 5 steps", balanced()),
    ):
        calm, shaken = (
            method.prepare(clip.skeleton, rate=clip.rate)
            .solve_clip(Points(SIX, given, clip.rate))
            .motion.points(JOINTS)
            .positions
            for given in (positions, noisy)
        )
        out[label] = {
            name: float(1e3 * (shaken[:, k] - calm[:, k]).std()) for k, name in enumerate(JOINTS)
        }
    return out


def swivels() -> dict[str, Any]:
    """Return how far elbows are rotated from hanging, about the line to the wrist [degrees]."""
    clip = scene("gestures")
    methods = {
        "pik-balance": balanced(),
        "pik-balance, no posture": balanced(posture=0.0),
        "analytic-upper": solver("analytic-upper"),
    }
    motions = {
        label: method.prepare(clip.skeleton, rate=clip.rate).solve_clip(clip.points()).motion
        for label, method in methods.items()
    }
    out = {}
    for label, motion in (motions | {"truth": clip}).items():
        angles = np.degrees(elbow_swivels(motion))
        out[label] = {"mean": float(angles.mean()), "most": float(angles.max())}
    return out


def elbow_swivels(motion: Motion) -> Floats:
    """Return angles of elbows from hanging, about lines from shoulder to wrist [rad], (F, 2)."""
    out = np.empty((len(motion), 2))
    for k, side in enumerate("lr"):
        roles = [f"{side}_{part}" for part in ("shoulder", "elbow", "wrist")]
        shoulder, elbow, wrist = np.moveaxis(motion.points(roles).positions, 1, 0)
        line = wrist - shoulder
        line /= np.linalg.norm(line, axis=1, keepdims=True)
        down, out_of = (
            v - (v * line).sum(axis=1, keepdims=True) * line
            for v in (np.array([0.0, -1.0, 0.0]), elbow - shoulder)
        )
        cosine = (down * out_of).sum(axis=1)
        cosine /= np.maximum(np.linalg.norm(down, axis=1) * np.linalg.norm(out_of, axis=1), 1e-9)
        out[:, k] = np.arccos(np.clip(cosine, -1.0, 1.0))
    return out


def step_cost(*, quick: bool = False) -> dict[str, Any]:
    """Return the cost of a step of `pik` by degrees of freedom and constrained dimensions.

    With the exponents p of cost ~ n^p, between the two largest sizes of each.
    """
    sizes = (10, 20, 40) if quick else (10, 20, 40, 80)
    by_freedom = {3 * n: _chain_step(n, 1) for n in sizes}
    by_rows = {3 * t: _chain_step(sizes[-1], t) for t in (1, 2, 4, 8)}
    return {
        "us_by_freedoms": {str(n): cost for n, cost in by_freedom.items()},
        "us_by_dimensions": {str(n): cost for n, cost in by_rows.items()},
        "exponent_freedoms": _exponent(by_freedom),
        "exponent_dimensions": _exponent(by_rows),
    }


def _chain_step(joints: int, tasks: int) -> float:
    """Return the time of a step of a chain with so many targets, each on its own level [us]."""
    skeleton = Skeleton.chain(joints)
    every = [skeleton.names[j] for j in np.linspace(joints - 1, joints // 2, tasks).astype(int)]
    reaches = [Reach(name, priority=k + 1) for k, name in enumerate(dict.fromkeys(every))]
    goals = np.tile((3.0 * skeleton.articulation.length, 0.5, 0.2), (len(reaches), 1))
    spent = {}
    for steps in (5, 25):
        method = solver("pik", iterations=steps, tolerance=0.0)
        tracker = method.prepare(skeleton, tasks=reaches, limits=None)
        tracker.warm_up()
        runs = []
        for _ in range(12):
            tracker.reset()
            runs.append(timed(tracker.solve, goals)[0])
        spent[steps] = min(runs)
    return float((spent[25] - spent[5]) / 20.0)


def _exponent(costs: dict[int, float]) -> float:
    (small, cheap), (large, dear) = list(costs.items())[-2:]
    return float(np.log(dear / cheap) / np.log(large / small))


TASK_SOLVERS = (
    "dls", "dls-svd", "sdls", "pseudoinverse", "jacobian-transpose", "pik", "monte-carlo",
)  # fmt: skip
"""Solvers that take a task against self-collision."""
REACHED = ("l_wrist", "r_wrist", "head")


def bench_self_contact(*, quick: bool = False) -> dict[str, Any]:
    """Return the summed depth of all pairs of body parts, mean over crossing hands [mm]."""
    clip = scene("crossing").frames(slice(0, None, 6 if quick else 2))
    body = clip.skeleton
    sik = reconstruct(clip.points(), body).motion
    published = reconstruct(clip.points(), body, "sik", collisions=True).motion
    cleared, _ = clear_elbows(sik, adult_limits(body))
    out = {
        "the clip itself": penetration(clip),
        "sik": penetration(sik),
        "sik, collisions as published": penetration(published),
        "sik, elbows cleared": penetration(cleared),
    }
    for name in TASK_SOLVERS:
        out[name] = penetration(reached(clip, name, []))
        out[f"{name}, Apart"] = penetration(reached(clip, name, [SelfCollision()]))
    return {"penetration_mm": out}


def reached(clip: Motion, name: str, more: Sequence[Task[Any]]) -> Motion:
    """Follow wrists and head of a clip with a solver whose pelvis stays."""
    body = clip.skeleton
    tasks = [*(Reach(role) for role in REACHED), *more]
    tracker = solver(name).prepare(body, rate=clip.rate, tasks=tasks)
    at = clip.points(("pelvis", *REACHED)).positions
    away = body.rest()[0][body.anatomy.node("pelvis")] - at[:, :1]
    return tracker.solve_clip(Points(REACHED, at[:, 1:] + away, clip.rate)).motion


def penetration(motion: Motion) -> float:
    """Return the depths of all pairs together, mean over the frames [mm]."""
    depths = SelfContact(motion.skeleton).depths(motion)
    return float(1e3 * np.maximum(depths, 0.0).sum(axis=1).mean())


EXPERIMENT = ex.Experiment(
    about="Whether a body in balance comes to rest, for goals within reach and beyond; how much "
    "its head shakes with a noisy goal; and whether strict levels hold, whatever is asked of lower "
    "ones.",
    solvers=lambda options: [*(balanced(body=body) for body in BODIES), solver("pik", root="free")],
    run=bench_settling,
    show=show,
    output_help="Also write balance.json there.",
)
