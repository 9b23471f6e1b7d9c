"""How deep parts of one body are in each other, and what each remedy leaves (X6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..limits import adult_limits
from ..motion.motion import Motion
from ..motion.points import Points
from ..solvers import reconstruct
from ..solvers import solver as named_solver
from ..tasks import Reach, SelfCollision, SelfContact, Task, clear_elbows
from ..vision.synthetic.scenes import scene

FIGURES = (
    "dls",
    "dls-svd",
    "sdls",
    "pseudoinverse",
    "jacobian-transpose",
    "pik",
    "monte-carlo",
)
"""Solvers that take the task."""
REACHED = ("l_wrist", "r_wrist", "head")


def bench_self_contact(*, quick: bool = False) -> dict[str, Any]:
    """Summed depth of all pairs, mean over the frames of the crossing hands [mm]."""
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
    for name in FIGURES:
        out[name] = penetration(reached(clip, name, []))
        out[f"{name}, Apart"] = penetration(reached(clip, name, [SelfCollision()]))
    return {"penetration_mm": out}


def reached(clip: Motion, name: str, more: list[Task[Any]]) -> Motion:
    """Wrists and head of a clip as targets of a figure whose pelvis stays."""
    body = clip.skeleton
    tasks = [*(Reach(role) for role in REACHED), *more]
    tracker = named_solver(name).prepare(body, rate=clip.rate, tasks=tasks)
    at = clip.points(("pelvis", *REACHED)).positions
    away = body.rest()[0][body.anatomy.node("pelvis")] - at[:, :1]
    return tracker.solve_clip(Points(REACHED, at[:, 1:] + away, clip.rate)).motion


def penetration(motion: Motion) -> float:
    """Depths of all pairs together, mean over the frames [mm]."""
    depths = SelfContact(motion.skeleton).depths(motion)
    return float(1e3 * np.maximum(depths, 0.0).sum(axis=1).mean())
