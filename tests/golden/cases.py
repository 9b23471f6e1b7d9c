"""What every solver answers on built-in clips and figures: the cases whose answers are stored.

``python -m tests.golden.cases check`` compares the bits of all answers with the stored ones (on the
machine that stored them), ``python -m tests.golden.cases store`` replaces them.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.limits import FlexionLimit, Limits
from sixpoint.motion import Points, Pose
from sixpoint.tasks import Orient, Posture, Reach

ANSWERS = Path(__file__).parent / "answers.npz"
KEPT_FRAMES = 4

CLIPS = {"boxing": 3, "walk": 3, "reach": 5}
"""Built-in clips, and every how manieth frame is solved."""

SETTINGS: dict[str, dict[str, Any]] = {
    "sik": {},
    "sik collisions": {"collisions": True},
    "sik paper": {"variant": "paper"},
    "sik literal": {
        "bend": "previous",
        "spine_mode": "incremental",
        "spine_search": "two-phase",
        "clavicle": "hold",
        "project_previous": False,
    },
    "sik predict": {"missing": "predict", "weights": (0.1, 0.1, 1.0)},
    "guided": {},
    "kma": {},
    "tgbsik": {},
    "tgbsik prior": {"prior_weight": 1.0},
    "analytic-upper": {},
    "analytic-upper clavicles": {"clavicles": True, "hands": 1.0},
    "ccd": {},
    "ccd start": {"start": "guided"},
    "fabrik": {},
    "jacobian-transpose": {},
    "pseudoinverse": {},
    "dls": {},
    "dls start": {"start": "sik"},
    "dls-svd": {},
    "sdls": {},
    "pik": {},
    "pik towards": {"towards": "guided"},
    "pik paper": {"give": (1.0, 1.0, 1.0), "priorities": {"l_wrist": 0, "head": 1}},
    "pik-balance": {},
    "pik-balance legs": {"body": "legs"},
    "mass-spring": {},
    "mass-spring-force": {},
    "mass-spring paper": {"preset": "paper", "rebuild": "pairs", "branch": "weight"},
    "monte-carlo": {"iterations": 20},
    "monte-carlo guided": {"iterations": 20, "prior": "guided"},
}
"""Settings of solvers of people; the first word of a key names the solver."""

FIGURE_SOLVERS = (
    "ccd",
    "fabrik",
    "jacobian-transpose",
    "pseudoinverse",
    "dls",
    "dls-svd",
    "sdls",
    "pik",
    "mass-spring",
    "mass-spring-force",
    "monte-carlo",
)


def _clip(name: str) -> sp.Motion:
    clip = sp.builtin(name)
    return clip.frames(slice(0, len(clip), CLIPS[name]))


def _answer(result: Any) -> dict[str, Any]:
    return {
        "root": result.motion.root,
        "rotations": result.motion.rotations,
        "residuals": result.residuals,
        "iterations": result.iterations,
    }


def _person(key: str, clip: str, spoil: str = "") -> dict[str, Any]:
    motion = _clip(clip)
    points = motion.points(rotations="rotations" in spoil)
    if "lost" in spoil:
        positions = points.positions.copy()
        positions[20:30, 2] = np.nan
        positions[40:55, 0] = np.nan
        positions[60:70, 1:4] = np.nan
        points = Points(points.names, positions, points.rate, points.rotations)
    if "hands" in spoil:
        points = points.select(["head", "l_wrist", "r_wrist"])
    limits = None if "free" in spoil else "adult"
    tracker = sp.solver(key.split()[0], **SETTINGS[key]).prepare(
        motion.skeleton, limits=limits, rate=points.rate, names=points.names
    )
    return _answer(tracker.solve_clip(points))


def _figure(name: str, kind: str) -> dict[str, Any]:
    skeletons: dict[str, Callable[[], sp.Skeleton]] = {
        "balls": lambda: sp.Skeleton.chain(6),
        "hinges": lambda: sp.Skeleton.chain(
            8, kind="hinge", axis=((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
        ),
        "limited": lambda: sp.Skeleton.chain(5, kind="hinge"),
        "tree": lambda: sp.Skeleton.tree(2, 4),
        "hand": sp.Skeleton.hand,
        "turned": lambda: sp.Skeleton.chain(6),
        "posture": lambda: sp.Skeleton.chain(6),
    }
    skeleton = skeletons[kind]()
    body = skeleton.articulation
    rng = np.random.default_rng(7)
    poses = [
        Pose(skeleton, skeleton.offsets[0], body.rotations(a))
        for a in (0.1 if kind == "hand" else 1.0) * rng.uniform(-0.6, 0.6, (12, body.count))
    ]
    nodes = [body.node(end) for end in body.ends]
    places = np.array([pose.world()[0][nodes] for pose in poses])
    if kind not in ("tree", "hand"):  # several targets out of reach amplify rounding
        places[6] *= 2.0
    limits: Any = "adult"
    tasks: Any = None
    rotations = None
    if kind == "limited":
        limit = FlexionLimit.degrees(-10.0, 80.0, (0.0, 0.0, 1.0))
        limits = Limits(dict.fromkeys(skeleton.names, limit))
    if kind == "turned":
        tasks = [Reach("tip"), Orient("tip")]
        rotations = np.array([p.world()[1][[skeleton.joint_count - 1]] for p in poses])
    if kind == "posture":
        rest = arrays.identity(skeleton.joint_count)
        tasks = [Reach("tip"), Posture(like=Pose(skeleton, skeleton.offsets[0], rest))]
    tracker = sp.solver(name).prepare(skeleton, limits=limits, rate=60.0, tasks=tasks)
    return _answer(tracker.solve_clip(Points(tracker.names, places, 60.0, rotations)))


def _cases() -> dict[str, Callable[[], dict[str, Any]]]:
    cases: dict[str, Callable[[], dict[str, Any]]] = {}
    for key in SETTINGS:
        slow = key.split()[0] in ("monte-carlo", "mass-spring", "mass-spring-force")
        for clip in ("boxing",) if slow else CLIPS:
            cases[f"{key} / {clip}"] = lambda key=key, clip=clip: _person(key, clip)
        cases[f"{key} / lost"] = lambda key=key: _person(key, "walk", "lost")
        cases[f"{key} / rotations"] = lambda key=key: _person(key, "reach", "rotations")
    for key in ("sik", "guided", "dls", "pik", "ccd", "tgbsik", "kma"):
        cases[f"{key} / free"] = lambda key=key: _person(key, "boxing", "free")
    for key in ("guided", "dls start", "pik towards"):
        for spoil in ("hands", "hands rotations"):
            if key == "guided":
                cases[f"{key} / {spoil}"] = lambda key=key, s=spoil: _person(key, "walk", s)
    for name in FIGURE_SOLVERS:
        for kind in ("balls", "hinges", "limited", "tree", "hand", "turned", "posture"):
            if kind == "turned" and name in ("mass-spring", "mass-spring-force"):
                continue
            if kind == "posture" and name not in ("pik", "monte-carlo"):
                continue
            if kind == "hand" and name == "monte-carlo":  # rounding decides which particles live
                continue
            cases[f"{name} on {kind}"] = lambda name=name, kind=kind: _figure(name, kind)
    return cases


CASES = _cases()
"""What is solved, by a name for each."""


def bits_of(answer: dict[str, Any]) -> str:
    """A hash over every bit of an answer."""
    digest = hashlib.sha256()
    for key in sorted(answer):
        array = np.ascontiguousarray(answer[key])
        digest.update(np.where(np.isnan(array), np.inf, array).tobytes())
    return digest.hexdigest()[:16]


def excerpt(answer: dict[str, Any]) -> np.ndarray:
    """Some frames of an answer, flat, in single precision."""
    frames = np.linspace(0, len(answer["root"]) - 1, KEPT_FRAMES).astype(int)
    keys = ("residuals", "root", "rotations")
    parts = [np.asarray(answer[key], np.float32)[frames].ravel() for key in keys]
    return np.concatenate(parts)


def main(verb: str, only: str = "") -> int:
    """Store the answers, or compare their bits with the stored ones."""
    chosen = {name: run for name, run in CASES.items() if only in name}
    found, bits = {}, {}
    stored = {} if verb == "store" else dict(np.load(ANSWERS))
    wrong = 0
    for name, run in chosen.items():
        answer = run()
        found[name], bits[name] = excerpt(answer), bits_of(answer)
        if verb != "store" and str(stored[f"bits {name}"]) != bits[name]:
            wrong += 1
            gap = np.nanmax(np.abs(found[name] - stored[name]), initial=0.0)
            print(f"{name}: other bits, by {gap:.3g} in the stored frames")
    if verb == "store":
        arrays = {**found, **{f"bits {name}": np.array(value) for name, value in bits.items()}}
        np.savez_compressed(ANSWERS, **arrays)
    print(f"{len(chosen)} cases, {wrong} with other bits")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
