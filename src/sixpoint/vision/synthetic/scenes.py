"""What happens in the synthetic room: the movements of the paper's tests, written in code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import MappingProxyType

from ...body.anthropometry import DEFAULT_STATURE
from ...body.skeleton import Skeleton
from ...data.authoring import Take, hold
from ...errors import UnknownName
from ...motion.motion import Motion
from .room import RATE

STANCE = 0.12
"""Half the distance of the feet [m]."""

Path = Mapping[float, tuple[float, float, float]]
"""Time [s] -> position of a wrist [m]."""


def _standing(duration: float, *, relaxed: bool = True) -> Take:
    """Return somebody who stands on both feet, arms hanging, a little away from the body."""
    take = Take(duration)
    if relaxed:
        take.relax()
        take.add("*_shoulder.abduction", 9.0)
    take.stand_straight(STANCE, 8.0)
    return take


def _lead(take: Take, side: str, path: Path) -> None:
    """Move the wrist of one side along a path; it is free before and after."""
    for k, axis in enumerate("xyz"):
        take.add(f"{side}_hand.{axis}", {time: position[k] for time, position in path.items()})
    first, last = min(path), max(path)
    take.add(f"{side}_hand.hold", hold(1.0, first - 0.6, first, last, last + 0.6))


def _hands(left: Path, right: Path) -> Take:
    """Return six seconds of standing in which both wrists move along paths."""
    take = _standing(6.0)
    take.sway()
    _lead(take, "l", left)
    _lead(take, "r", right)
    return take


def _calibration() -> Take:
    """Stand still, symmetric, arms along the body, to be measured."""
    take = _standing(1.0, relaxed=False)
    take.add("*_shoulder.abduction", 5.0)
    return take


def _gestures() -> Take:
    """Move both hands before the body: up, apart, forward, each its own way."""
    take = _standing(6.0)
    take.breathe()
    take.sway()
    _lead(take, "l", {0.9: (0.30, 1.25, 0.35), 1.9: (0.45, 1.55, 0.30), 3.1: (0.22, 1.10, 0.48),
                      4.2: (0.48, 1.20, 0.20), 5.0: (0.30, 1.30, 0.35)})  # fmt: skip
    _lead(take, "r", {0.9: (-0.30, 1.15, 0.35), 2.1: (-0.25, 1.35, 0.46), 3.0: (-0.50, 1.45, 0.22),
                      4.0: (-0.28, 1.00, 0.40), 5.0: (-0.30, 1.20, 0.30)})  # fmt: skip
    take.add("*_elbow.flexion", 10.0)
    return take


def _clap() -> Take:
    """Clap before the chest twice, at one depth: hands do not cross."""

    def path(sign: float) -> Path:
        apart, meet = (sign * 0.30, 1.20, 0.33), (sign * 0.05, 1.20, 0.40)
        return {0.8: apart, 2.0: meet, 3.0: apart, 4.0: meet, 5.2: apart}

    return _hands(path(1.0), path(-1.0))


def _box() -> Take:
    """Carry an imaginary box from side to side, 5.5 s (Boulic et al. 2006, Fig. 13)."""
    take = _standing(5.5)
    half = 0.17
    path = {0.7: (0.0, 0.98, 0.42), 1.7: (0.34, 1.12, 0.32), 2.7: (0.0, 1.20, 0.44),
            3.7: (-0.36, 1.10, 0.30), 4.7: (0.0, 0.98, 0.42)}  # fmt: skip
    for side, sign in (("l", 1.0), ("r", -1.0)):
        _lead(take, side, {t: (x + sign * half, y, z) for t, (x, y, z) in path.items()})
    for channel, most in {"trunk.twist": 22.0, "trunk.bend": 5.0, "pelvis.x": 0.05,
                          "pelvis.yaw": 10.0, "gaze.yaw": 25.0}.items():  # fmt: skip
        take.add(channel, {0.7: 0.0, 1.7: most, 2.7: 0.0, 3.7: -most, 4.7: 0.0})
    take.add("trunk.flexion", {0.7: 4.0, 1.7: 10.0, 2.7: 3.0, 3.7: 12.0, 4.7: 4.0})
    return take


def _lean() -> Take:
    """Shift the weight to the left foot and back (Boulic et al. 2006, Fig. 6)."""
    take = _standing(4.0)
    for channel, most in {"pelvis.x": 0.10, "pelvis.list": 3.0, "trunk.bend": -4.0}.items():
        take.add(channel, hold(most, 0.8, 1.6, 2.6, 3.4))
    return take


def _far_reach() -> Take:
    """Reach to the left, farther than the arm is long: the hips go back (Fig. 11)."""
    take = _standing(5.0)
    take.add("l_shoulder.abduction", hold(72.0, 0.5, 1.8, 3.4, 4.6))
    take.add("l_elbow.flexion", hold(-14.0, 0.5, 1.8, 3.4, 4.6))
    take.add("l_clavicle.elevation", hold(4.0, 0.5, 2.4, 3.2, 4.4))
    for channel, most in {"pelvis.x": -0.06, "pelvis.list": 8.0, "trunk.bend": 24.0,
                          "l_shoulder.abduction": 24.0}.items():  # fmt: skip
        take.add(channel, hold(most, 1.6, 2.6, 3.2, 4.2))
    take.add("gaze.yaw", hold(35.0, 0.8, 1.8, 3.2, 4.4))
    return take


SCENES: Mapping[str, Callable[[], Take]] = MappingProxyType({
    "calibration": _calibration,
    "gestures": _gestures,
    # Hands cross before the chest and come back, twice: one nearer to the cameras.
    "crossing": partial(
        _hands,
        {0.8: (0.30, 1.20, 0.33), 2.0: (-0.12, 1.22, 0.42), 3.2: (0.30, 1.15, 0.33),
         4.3: (-0.12, 1.02, 0.44), 5.2: (0.30, 1.15, 0.33)},
        {0.8: (-0.30, 1.15, 0.30), 2.0: (0.12, 1.16, 0.26), 3.2: (-0.30, 1.10, 0.30),
         4.3: (0.12, 1.20, 0.27), 5.2: (-0.30, 1.15, 0.30)},
    ),
    "clap": _clap,
    # Hands rest on each other for two seconds, and part again.
    "rest": partial(
        _hands,
        {0.8: (0.30, 1.20, 0.33), 1.8: (0.02, 1.20, 0.38), 4.0: (-0.02, 1.20, 0.38),
         5.2: (0.30, 1.15, 0.33)},
        {0.8: (-0.30, 1.15, 0.30), 1.8: (-0.02, 1.19, 0.33), 4.0: (0.02, 1.19, 0.33),
         5.2: (-0.30, 1.15, 0.30)},
    ),
    # The left hand passes before the face, to the other side and back.
    "face": partial(
        _hands,
        {0.8: (0.30, 1.30, 0.35), 2.0: (0.0, 1.62, 0.35), 3.0: (-0.25, 1.50, 0.35),
         4.0: (0.0, 1.62, 0.35), 5.2: (0.30, 1.20, 0.33)},
        {0.8: (-0.30, 1.15, 0.30), 2.0: (-0.30, 1.10, 0.30), 5.2: (-0.30, 1.15, 0.30)},
    ),
    "box": _box,
    "lean": _lean,
    "far_reach": _far_reach,
})  # fmt: skip
"""Name -> function that writes the movement."""
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
    return SCENES[name]().motion().resampled(RATE)
