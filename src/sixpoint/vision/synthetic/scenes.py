"""Scenes of the synthetic room: the movements of the paper's tests, written in code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from ...body.anthropometry import DEFAULT_STATURE
from ...body.skeleton import Skeleton
from ...data.authoring import Take, hold, hold_all
from ...errors import UnknownName
from ...motion.motion import Motion
from .room import RATE

STANCE = 0.12
"""Half the distance of the feet [m]."""

Path = Mapping[float, tuple[float, float, float]]
"""Time [s] -> position of a wrist [m]."""


class Scene(NamedTuple):
    """Recipe of a scene: somebody stands on both feet and moves the hands or the trunk."""

    duration: float
    """[s]."""
    left: Path | None = None
    """Path of the left wrist, which is free before and after."""
    right: Path | None = None
    """Path of the right wrist."""
    layers: Sequence[Mapping[str, Mapping[float, float] | float]] = ()
    """What is added to channels of the puppet."""
    relaxed: bool = True
    """Whether the arms hang relaxed, a little away from the body."""
    breathes: bool = False
    sways: bool = False

    def motion(self) -> Motion:
        """Return the motion at `RATE`."""
        take = Take(self.duration)
        if self.relaxed:
            take.relax()
            take.add("*_shoulder.abduction", 9.0)
        take.stand_straight(STANCE, 8.0)
        if self.breathes:
            take.breathe()
        if self.sways:
            take.sway()
        for side, path in (("l", self.left), ("r", self.right)):
            if path is not None:
                for k, axis in enumerate("xyz"):
                    take.add(f"{side}_hand.{axis}", {time: at[k] for time, at in path.items()})
                first, last = min(path), max(path)
                take.add(f"{side}_hand.hold", hold(1.0, first - 0.6, first, last, last + 0.6))
        for layer in self.layers:
            take.add_all(layer)
        return take.motion().resampled(RATE)


CLAP: Path = {
    0.8: (0.30, 1.20, 0.33), 2.0: (0.05, 1.20, 0.40), 3.0: (0.30, 1.20, 0.33),
    4.0: (0.05, 1.20, 0.40), 5.2: (0.30, 1.20, 0.33),
}  # fmt: skip
"""Path of the left wrist that claps before the chest twice."""
BOX: Path = {
    0.7: (0.0, 0.98, 0.42), 1.7: (0.34, 1.12, 0.32), 2.7: (0.0, 1.20, 0.44),
    3.7: (-0.36, 1.10, 0.30), 4.7: (0.0, 0.98, 0.42),
}  # fmt: skip
"""Path of the middle of an imaginary box."""
BOX_HALF = 0.17
"""Half the width of the box [m]."""

SCENES: Mapping[str, Scene] = MappingProxyType({
    # Stand still, symmetric, arms along the body, to be measured.
    "calibration": Scene(1.0, layers=[{"*_shoulder.abduction": 5.0}], relaxed=False),
    # Both hands move before the body: up, apart, forward, each its own way.
    "gestures": Scene(
        6.0,
        {0.9: (0.30, 1.25, 0.35), 1.9: (0.45, 1.55, 0.30), 3.1: (0.22, 1.10, 0.48),
         4.2: (0.48, 1.20, 0.20), 5.0: (0.30, 1.30, 0.35)},
        {0.9: (-0.30, 1.15, 0.35), 2.1: (-0.25, 1.35, 0.46), 3.0: (-0.50, 1.45, 0.22),
         4.0: (-0.28, 1.00, 0.40), 5.0: (-0.30, 1.20, 0.30)},
        [{"*_elbow.flexion": 10.0}], breathes=True, sways=True,
    ),
    # Hands cross before the chest and come back, twice: one nearer to the cameras.
    "crossing": Scene(
        6.0,
        {0.8: (0.30, 1.20, 0.33), 2.0: (-0.12, 1.22, 0.42), 3.2: (0.30, 1.15, 0.33),
         4.3: (-0.12, 1.02, 0.44), 5.2: (0.30, 1.15, 0.33)},
        {0.8: (-0.30, 1.15, 0.30), 2.0: (0.12, 1.16, 0.26), 3.2: (-0.30, 1.10, 0.30),
         4.3: (0.12, 1.20, 0.27), 5.2: (-0.30, 1.15, 0.30)},
        sways=True,
    ),
    # Hands clap before the chest twice, at one depth: they do not cross.
    "clap": Scene(6.0, CLAP, {time: (-x, y, z) for time, (x, y, z) in CLAP.items()}, sways=True),
    # Hands rest on each other for two seconds, and part again.
    "rest": Scene(
        6.0,
        {0.8: (0.30, 1.20, 0.33), 1.8: (0.02, 1.20, 0.38), 4.0: (-0.02, 1.20, 0.38),
         5.2: (0.30, 1.15, 0.33)},
        {0.8: (-0.30, 1.15, 0.30), 1.8: (-0.02, 1.19, 0.33), 4.0: (0.02, 1.19, 0.33),
         5.2: (-0.30, 1.15, 0.30)},
        sways=True,
    ),
    # The left hand passes before the face, to the other side and back.
    "face": Scene(
        6.0,
        {0.8: (0.30, 1.30, 0.35), 2.0: (0.0, 1.62, 0.35), 3.0: (-0.25, 1.50, 0.35),
         4.0: (0.0, 1.62, 0.35), 5.2: (0.30, 1.20, 0.33)},
        {0.8: (-0.30, 1.15, 0.30), 2.0: (-0.30, 1.10, 0.30), 5.2: (-0.30, 1.15, 0.30)},
        sways=True,
    ),
    # Carry an imaginary box from side to side, 5.5 s (Boulic et al. 2006, Fig. 13).
    "box": Scene(
        5.5,
        {time: (x + BOX_HALF, y, z) for time, (x, y, z) in BOX.items()},
        {time: (x - BOX_HALF, y, z) for time, (x, y, z) in BOX.items()},
        [
            {channel: {0.7: 0.0, 1.7: most, 2.7: 0.0, 3.7: -most, 4.7: 0.0} for channel, most in {
                "trunk.twist": 22.0, "trunk.bend": 5.0, "pelvis.x": 0.05, "pelvis.yaw": 10.0,
                "gaze.yaw": 25.0,
            }.items()},
            {"trunk.flexion": {0.7: 4.0, 1.7: 10.0, 2.7: 3.0, 3.7: 12.0, 4.7: 4.0}},
        ],
    ),
    # Shift the weight to the left foot and back (Boulic et al. 2006, Fig. 6).
    "lean": Scene(4.0, layers=[
        hold_all({"pelvis.x": 0.10, "pelvis.list": 3.0, "trunk.bend": -4.0}, 0.8, 1.6, 2.6, 3.4),
    ]),
    # Reach to the left, farther than the arm is long: the hips go back (Fig. 11).
    "far_reach": Scene(5.0, layers=[
        hold_all({"l_shoulder.abduction": 72.0, "l_elbow.flexion": -14.0}, 0.5, 1.8, 3.4, 4.6),
        hold_all({"pelvis.x": -0.06, "pelvis.list": 8.0, "trunk.bend": 24.0,
               "l_shoulder.abduction": 24.0}, 1.6, 2.6, 3.2, 4.2),
        {"l_clavicle.elevation": hold(4.0, 0.5, 2.4, 3.2, 4.4),
         "gaze.yaw": hold(35.0, 0.8, 1.8, 3.2, 4.4)},
    ]),
})  # fmt: skip
"""Name -> recipe of the scene."""
MEETINGS = ("crossing", "clap", "rest", "face")
"""Scenes in which hands meet each other or the face: labels are at stake."""


def scene(name: str, stature: float = DEFAULT_STATURE) -> Motion:
    """Return one of `SCENES` at 30 Hz, performed by somebody of a stature [m]."""
    if name not in SCENES:
        raise UnknownName("scene", name, SCENES)
    motion = _motion(name)
    if stature == DEFAULT_STATURE:
        return motion
    body = Skeleton.humanoid(stature)
    return Motion(body, motion.root * (stature / DEFAULT_STATURE), motion.rotations, motion.rate)


@cache
def _motion(name: str) -> Motion:
    return SCENES[name].motion()
