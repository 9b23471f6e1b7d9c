"""Wrists of people whose hands are not as usual: a part of `sixpoint bench vision`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.motion import Motion
from ..motion.points import Points
from ..solvers import solver
from ..vision.body_points import WristMethod
from ..vision.capture import Capture, CaptureSettings, Feedback, capture_clip, elbow_feedback
from ..vision.synthetic.room import RATE, Actor, Room, Truth
from ..vision.synthetic.scenes import scene

HANDS: Mapping[str, tuple[float, float, float]] = {
    "as usual": (1.0, 1.0, 1.0),
    "larger by 15 %": (1.15, 1.15, 1.15),
    "smaller by 13 %": (0.87, 0.87, 0.87),
    "thicker by half": (1.5, 1.0, 1.0),
    "fists": (1.8, 0.65, 1.2),
}
"""Thickness, length and breadth of hands, over the usual ones."""
BENDS: Mapping[str, float] = {"bent by 30 degrees": 30.0, "bent back by 50 degrees": -50.0}
"""Rotation of the wrists towards the palm [degrees]."""


def solver_feedback(name: str, body: Skeleton) -> Feedback:
    """Return feedback of a solver's elbows to the capture, frame by frame."""
    tracker = solver(name).prepare(body, rate=RATE)
    return elbow_feedback(lambda points: tracker.solve(points).pose.world()[0], body, RATE)


def wrist_errors(points: Points, truth: Truth) -> Floats:
    """Return errors of the wrists [m], (F, 2); NaN where they are not seen."""
    at = points.select(["l_wrist", "r_wrist"]).positions
    return np.asarray(np.linalg.norm(at - truth.wrists, axis=-1))


def other_hands(*, quick: bool = False) -> dict[str, Any]:
    """Return mean errors of wrists [mm], found in every way, for hands that are not as usual."""
    clip = scene("gestures").frames(slice(0, 20 if quick else 60))
    body = Skeleton.humanoid()
    actors = {label: Actor(clip, hands=size) for label, size in HANDS.items()}
    actors |= {label: Actor(bent_wrists(clip, angle)) for label, angle in BENDS.items()}
    out: dict[str, dict[str, float]] = {}
    for label, actor in actors.items():
        room, truth, row = Room((actor,)), actor.truth(), out.setdefault(label, {})
        pairs = list(room.pairs())
        for method in get_args(WristMethod):
            capture = Capture(room.cameras, body, RATE, CaptureSettings(wrist=method))
            found = capture_clip(capture, pairs, solver_feedback("sik", body)).points
            row[method] = float(1e3 * np.nanmean(wrist_errors(found, truth)))
    return {"wrist_error_mm_other_hands": out}


def bent_wrists(motion: Motion, angle: float) -> Motion:
    """Return a motion with both wrists rotated further towards the palm [degrees]."""
    anatomy, half = motion.skeleton.anatomy, np.radians(0.5 * angle)
    local = anatomy.to_anatomical(motion.rotations)
    for side, sign in (("l", -1.0), ("r", 1.0)):
        joint = motion.skeleton.carrier(anatomy.node(f"{side}_wrist"))
        turn = np.array([np.cos(half), 0.0, 0.0, sign * np.sin(half)])
        local[:, joint] = arrays.multiply(local[:, joint], turn)
    return Motion(motion.skeleton, motion.root, anatomy.from_anatomical(local), motion.rate)
