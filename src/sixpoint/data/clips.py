"""Built-in motion with ground truth, written in code: nothing to download, the same on every run.

    >>> from sixpoint.data.clips import builtin
    >>> builtin("squat")
    Motion(360 frames at 60 Hz, 34 joints)

All on the built-in humanoid (1.75 m), 60 Hz, beginning near the origin and facing +Z, within the
adult joint limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..errors import UnknownName
from ..motion.motion import Motion
from .authoring import BALL, Footstep, Take, hold, hold_all
from .puppet import SIDES


def reach(take: Take) -> None:
    """Bend to take something from a low table, straighten up, then bow."""
    take.stand_straight(0.105, 9.0)
    # The reach: eyes, then trunk and hand together; the other arm goes back for balance.
    take.add_all({
        "gaze.pitch": {0.3: 0.0, 0.7: 28.0, 1.7: 52.0, 2.2: 52.0, 3.2: 8.0, 3.6: 2.0},
        "gaze.yaw": hold(-14.0, 0.3, 0.75, 2.3, 3.2) | {2.3: -12.0},
        "pelvis.tilt": hold(34.0, 0.55, 1.7, 2.15, 3.3),
        **hold_all({"pelvis.y": -0.075, "pelvis.z": -0.13}, 0.5, 1.7, 2.15, 3.3),
        "pelvis.x": hold(-0.02, 0.5, 1.6, 2.2, 3.3),
        "pelvis.yaw": hold(8.0, 0.6, 1.7, 2.2, 3.3),
        **hold_all(
            {"trunk.flexion": 24.0, "trunk.twist": 12.0, "trunk.bend": -4.0}, 0.6, 1.75, 2.2, 3.4),
        "r_clavicle.protraction": hold(14.0, 0.8, 1.75, 2.2, 3.1),
        "r_shoulder.flexion": {0.7: 0.0, 1.6: 62.0, 2.2: 62.0, 3.0: 22.0, 4.1: 0.0},
        "r_elbow.flexion": {0.7: 0.0, 1.2: 30.0, 1.7: 0.0, 2.2: 4.0, 3.0: 72.0, 4.1: 0.0},
        "r_wrist.pronation": {0.7: 0.0, 1.6: 40.0, 2.3: 40.0, 3.0: 10.0, 4.1: 0.0},
        "r_hand.curl": hold(-0.25, 0.9, 1.5, 1.9, 4.3) | {2.15: 0.35, 3.6: 0.3},
        "r_hand.x": -0.20, "r_hand.y": 0.74, "r_hand.z": 0.60,
        "r_hand.hold": hold(1.0, 0.9, 1.8, 2.15, 2.9),
        **hold_all(
            {"l_shoulder.flexion": 40.0, "l_shoulder.abduction": 10.0}, 0.7, 1.75, 2.2, 3.3),
    })  # fmt: skip
    # The bow: hands slide down the thighs, neck last, a moment of rest, up again.
    take.add_all({
        "pelvis.tilt": hold(42.0, 4.35, 5.5, 6.0, 7.0),
        **hold_all({"pelvis.z": -0.15, "pelvis.y": -0.012}, 4.3, 5.5, 6.0, 7.0),
        "trunk.flexion": hold(26.0, 4.45, 5.6, 6.05, 7.1),
        "gaze.pitch": {4.3: 0.0, 4.9: 34.0, 5.65: 86.0, 6.05: 86.0, 7.15: 0.0},
        **hold_all({"*_shoulder.flexion": 50.0, "*_shoulder.abduction": -5.0,
                    "*_elbow.flexion": -6.0}, 4.4, 5.55, 6.0, 7.1),
        "*_clavicle.protraction": hold(6.0, 4.5, 5.6, 6.0, 7.1),
        "*_hand.curl": hold(-0.2, 4.4, 5.2, 6.3, 7.1),
    })  # fmt: skip


def squat(take: Take) -> None:
    """Squat twice, the second time deeper, arms forward for balance."""
    take.stand_straight(0.165, 14.0)
    for channel, low, early, late in (
        ("pelvis.y", -0.41, 0.0, 0.0),
        ("pelvis.z", -0.215, 0.05, 0.08),
        ("pelvis.tilt", 32.0, 0.0, 0.05),
        ("trunk.flexion", 9.0, -0.1, 0.1),
        ("gaze.pitch", 9.0, 0.1, 0.05),
        ("*_knee.out", 9.0, 0.0, 0.0),
        ("*_shoulder.flexion", 104.0, 0.1, 0.12),
        ("*_shoulder.abduction", 2.0, 0.0, 0.0),
        ("*_shoulder.twist", 14.0, 0.0, 0.0),
        ("*_clavicle.protraction", 9.0, 0.0, 0.1),
        ("*_clavicle.elevation", 4.0, 0.0, 0.0),
        ("*_elbow.flexion", -4.0, -0.05, 0.2),
        ("*_wrist.pronation", 40.0, 0.0, 0.0),
        ("*_hand.curl", -0.2, -0.1, 0.2),
    ):
        take.add(channel, hold(0.78 * low, 0.35 - early, 1.45, 1.65, 2.65 + late))
        take.add(channel, hold(low, 2.95 - early, 4.10, 4.40, 5.50 + late))


def overhead(take: Take) -> None:
    """Rise on the toes for something on a high shelf and bring it down to the other hand."""
    take.stand_straight(0.10, 8.0)
    take.add_all({
        "gaze.pitch": {0.25: 0.0, 0.75: -30.0, 2.6: -32.0, 3.5: 18.0, 4.4: 30.0, 5.4: 2.0},
        "gaze.yaw": hold(-12.0, 0.25, 0.75, 2.6, 3.5),
        "*_foot.pitch": hold(32.0, 1.1, 1.85, 2.45, 3.1),
        "pelvis.y": hold(0.048, 0.7, 1.85, 2.45, 3.1) | {1.05: -0.012},
        "pelvis.z": hold(0.075, 0.6, 1.85, 2.45, 3.2),
        "pelvis.x": hold(-0.03, 0.6, 1.6, 2.5, 3.3),
        **hold_all({"pelvis.list": 3.0, "pelvis.yaw": 8.0}, 0.8, 1.85, 2.45, 3.2),
        "trunk.flexion": hold(-9.0, 0.7, 1.85, 2.45, 5.3) | {3.3: 2.0, 4.4: 4.0},
        **hold_all({"trunk.bend": 6.0, "trunk.twist": 8.0}, 0.8, 1.85, 2.45, 3.3),
        "r_clavicle.elevation": hold(22.0, 1.0, 1.85, 2.45, 3.2),
        "r_shoulder.flexion": hold(148.0, 0.6, 1.8, 2.45, 5.5) | {3.4: 28.0, 4.4: 28.0},
        "r_shoulder.abduction": hold(12.0, 0.6, 1.8, 2.45, 3.4),
        "r_shoulder.twist": hold(-10.0, 0.6, 1.8, 2.45, 5.5) | {3.4: 14.0, 4.4: 14.0},
        "r_elbow.flexion": hold(-8.0, 0.6, 1.85, 2.45, 5.5) | {1.2: 55.0, 3.4: 72.0, 4.4: 72.0},
        "r_hand.x": -0.20, "r_hand.y": 2.08, "r_hand.z": 0.29,
        "r_hand.hold": hold(1.0, 0.9, 1.9, 2.35, 3.1),
        "r_hand.curl": {0.8: 0.0, 1.6: -0.25, 2.0: -0.25, 2.35: 0.35, 4.4: 0.35, 5.4: 0.0},
        "l_shoulder.abduction": hold(14.0, 0.8, 1.85, 2.4, 3.2),
        **hold_all({"l_shoulder.flexion": 26.0, "l_shoulder.twist": 14.0,
                    "l_elbow.flexion": 70.0}, 2.6, 3.5, 4.4, 5.5),
    })  # fmt: skip


STRIDES = (
    (0.36, 22.0, 0.016, 0.6),
    (0.58, 46.0, 0.024, 0.9),
    (0.62, 60.0, 0.028, 1.0),
    (0.62, 60.0, 0.028, 1.0),
    (0.62, 60.0, 0.028, 1.0),
    (0.60, 60.0, 0.027, 1.0),
    (0.50, 56.0, 0.022, 0.8),
    (0.00, 44.0, 0.012, 0.4),
)
"""Steps from standing to standing, the right foot first; about 1.2 m/s in the middle. Rows: how far
the foot lands ahead of the other [m], how far its heel rises before it leaves the ground [degrees],
how far the pelvis is below standing height when it lands [m], and how far arms, pelvis and chest
turn (1 at full pace)."""
FIRST_LANDING, PERIOD, SWING_TIME = 1.10, 0.53, 0.42
"""When the first foot lands, from one landing to the next, how long a foot is in the air [s]."""
TRACK = 0.07
"""Distance of the footprints from the line of travel [m]."""


def walk(take: Take) -> None:
    """Walk from standing: seven steps straight ahead, then the feet together."""
    take.stand_straight(0.09, 6.0)
    end = FIRST_LANDING + PERIOD * (len(STRIDES) - 1)
    ahead, across, up, yaw, side = {0.40: 0.0}, {0.25: 0.0}, {0.35: 0.0}, {0.6: 0.0}, {0.6: 0.0}
    arms = {arm: {0.55: 0.0} for arm in SIDES}
    elbows = {arm: {0.55: 0.0} for arm in SIDES}
    here = 0.0
    for k, (length, push, drop, swing) in enumerate(STRIDES):
        first, last = k == 0, k == len(STRIDES) - 1
        land = FIRST_LANDING + PERIOD * k
        foot = "rl"[k % 2]
        sign = SIDES[foot]
        to = (sign * (0.085 if last else TRACK), here + length + BALL, sign * 6.0)
        strike, roll = 0.0 if last else 17.0, (0.16 if first else 0.36, 0.11)
        take.step(foot, Footstep(land - SWING_TIME, land, to, 0.045, push, strike, roll))
        # The pelvis is between the feet when one lands, and nearest to the standing foot and
        # highest when the other passes it; it turns with the leg that goes forward and drops on
        # its side.
        ahead[land] = here + (-0.02 if last else 0.5 * length + 0.012)
        here += length
        across[land - 0.20] = -sign * (0.035 if first else 0.022)
        up[land - 0.25] = -0.012
        up[land + 0.03] = -drop
        yaw[land] = -sign * 6.0 * swing
        side[land - 0.26] = sign * 3.5 * swing
        side[land] = 0.0
        for arm, hand in SIDES.items():
            forward = hand != sign
            arms[arm][land + 0.04] = swing * (22.0 if forward else -17.0)
            elbows[arm][land + 0.08] = swing * (16.0 if forward else -2.0)
    ahead[end + 0.35] = here
    for keys in (up, across, yaw, side, *arms.values(), *elbows.values()):
        keys[end + 0.55] = 0.0

    # The chest turns against the pelvis and stays upright over it, with the arms against the legs.
    take.add_all({
        "pelvis.z": ahead,
        "pelvis.x": across,
        "pelvis.y": up,
        "pelvis.yaw": yaw,
        "pelvis.list": side,
        "pelvis.tilt": hold(1.5, 0.4, 1.2, end - 0.3, end + 0.3),
        "trunk.twist": {t: -1.9 * value for t, value in yaw.items()},
        "trunk.bend": {t: -0.8 * value for t, value in side.items()},
        "trunk.flexion": {0.4: 0.0, 1.2: 2.0, end - 0.3: 1.0, end + 0.1: -2.0, end + 0.6: 0.0},
        "gaze.pitch": {0.0: 3.0, 0.5: 6.0, 1.5: 3.0, end: 5.0, end + 0.6: 1.0},
    })  # fmt: skip
    for arm in SIDES:
        take.add(f"{arm}_shoulder.flexion", arms[arm])
        take.add(f"{arm}_elbow.flexion", elbows[arm])
        take.add(f"{arm}_clavicle.protraction", {t: 0.15 * v for t, v in arms[arm].items()})
        take.add(f"{arm}_wrist.deviation", {t + 0.06: 0.25 * v for t, v in arms[arm].items()})


def boxing(take: Take) -> None:
    """Shadow boxing: two jabs, cross, duck, hook; a quarter turn to the left; jab, cross."""
    _guard(take, turn=90.0, when=4.1)
    _bounce(take)
    _punch(take, 0.75, JAB)
    _punch(take, 1.25, JAB)
    _punch(take, 1.62, CROSS)
    _duck(take, 2.35)
    _hook(take, 2.95)
    _punch(take, 5.6, JAB)
    _punch(take, 5.98, CROSS)


def _guard(take: Take, turn: float, when: float) -> None:
    """Stand in guard, left foot in front; at a time the whole stance turns to the left."""
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    after = {}
    for side, (x, z, yaw) in {"l": (0.07, 0.30, -18.0), "r": (-0.15, -0.10, -52.0)}.items():
        take.stand(side, x, z, yaw)
        after[side] = (c * x + s * z, c * z - s * x, yaw + turn)
    take.add("r_foot.pitch", 14.0)
    # The rear foot turns on its ball before it is lifted.
    take.add("r_foot.yaw", hold(26.0, when - 0.1, when + 0.3, when + 0.42, when + 0.8))
    for side, start, end, push in (("l", 0.0, 0.36, 18.0), ("r", 0.42, 0.82, 16.0)):
        to = after[side]
        take.step(side, Footstep(when + start, when + end, to, push=push, roll=(0.2, 0.1)))
    take.add_all({
        "pelvis.y": -0.075, "pelvis.tilt": 4.0, "pelvis.yaw": -30.0, "trunk.flexion": 9.0,
        "trunk.bend": 2.0, "trunk.twist": 2.0, "gaze.pitch": 8.0, "*_clavicle.elevation": 6.0,
        "*_clavicle.protraction": 8.0, "*_hand.curl": 0.95, "l_shoulder.flexion": 56.0,
        "l_shoulder.abduction": 24.0, "l_shoulder.twist": -8.0, "l_elbow.flexion": 119.0,
        "r_shoulder.flexion": 62.0, "r_shoulder.abduction": -20.0, "r_shoulder.twist": 51.0,
        "r_elbow.flexion": 121.0, "*_wrist.pronation": 20.0,
    })  # fmt: skip
    # The head goes first, then shoulders and hips, while the weight is over the standing foot.
    take.add_all({
        "gaze.yaw": {-0.50: 0.0, -0.05: 0.22 * turn, 0.65: turn},
        "trunk.twist": {-0.35: 0.0, 0.1: 17.0, 0.80: 0.0},
        "pelvis.yaw": {-0.20: 0.0, 0.32: 0.5 * turn, 0.85: turn},
        "pelvis.x": {-0.25: 0.04, 0.05: -0.03, 0.55: 0.05, 1.0: -0.03},
        "pelvis.z": {-0.25: -0.03, 0.05: -0.09, 0.55: -0.08, 1.0: -0.06},
        "pelvis.y": {-0.2: 0.0, 0.2: 0.015, 0.6: -0.01, 1.0: 0.0},
    }, when)  # fmt: skip


def _bounce(take: Take) -> None:
    """Bounce on the toes all the time."""
    beat = 2.0 * np.pi * take.times / 0.62
    take.add_all({
        "pelvis.y": 0.009 * np.sin(beat),
        "pelvis.z": 0.010 * np.sin(0.5 * beat + 0.6),
        "trunk.bend": 1.2 * np.sin(0.5 * beat),
        "l_elbow.flexion": 3.0 * np.sin(beat - 0.9),
        "r_elbow.flexion": 2.5 * np.sin(beat - 1.2),
        "*_shoulder.flexion": 1.5 * np.sin(beat - 0.7),
    })  # fmt: skip


JAB = (
    ("pelvis.z", -0.06, 0.20, 0.40, 0.045),
    ("pelvis.yaw", -0.04, 0.18, 0.36, -5.0),
    ("trunk.twist", -0.02, 0.18, 0.36, -11.0),
    ("l_clavicle.protraction", 0.0, 0.20, 0.30, 16.0),
    ("l_shoulder.flexion", 0.0, 0.19, 0.30, -27.0),
    ("l_shoulder.abduction", 0.0, 0.19, 0.30, 61.0),
    ("l_shoulder.twist", 0.0, 0.19, 0.30, -35.0),
    ("l_elbow.flexion", 0.02, 0.18, 0.30, -98.0),
    ("l_wrist.pronation", 0.05, 0.16, 0.28, 45.0),
    ("r_shoulder.flexion", 0.0, 0.20, 0.36, 5.0),
)
"""Straight punch of the left hand: a small step of the weight, the shoulder follows, the fist turns
over. Rows: channel, delay, time to get out and time to be back [s], value."""
CROSS = (
    ("r_foot.pitch", -0.06, 0.24, 0.46, 26.0),
    ("r_foot.yaw", -0.06, 0.24, 0.46, 38.0),
    ("pelvis.yaw", -0.03, 0.24, 0.46, 40.0),
    ("pelvis.z", -0.04, 0.26, 0.50, 0.07),
    ("pelvis.x", -0.04, 0.26, 0.50, 0.03),
    ("pelvis.y", -0.02, 0.24, 0.46, -0.02),
    ("trunk.twist", 0.02, 0.23, 0.42, 19.0),
    ("r_clavicle.protraction", 0.06, 0.20, 0.34, 14.0),
    ("r_shoulder.flexion", 0.06, 0.20, 0.36, -3.0),
    ("r_shoulder.abduction", 0.06, 0.20, 0.36, 95.0),
    ("r_shoulder.twist", 0.06, 0.20, 0.36, -73.0),
    ("r_elbow.flexion", 0.08, 0.19, 0.36, -101.0),
    ("r_wrist.pronation", 0.10, 0.17, 0.33, 50.0),
    # The other hand stays at the chin while the chest turns away under it.
    ("l_shoulder.flexion", 0.0, 0.26, 0.44, 8.0),
    ("l_shoulder.abduction", 0.0, 0.26, 0.44, -56.0),
    ("l_shoulder.twist", 0.0, 0.26, 0.44, 66.0),
    ("l_elbow.flexion", 0.0, 0.26, 0.44, -4.0),
)
"""Straight punch of the right hand, from the rear foot through hips and shoulders to the fist."""


def _punch(
    take: Take, start: float, rows: Sequence[tuple[str, float, float, float, float]]
) -> None:
    """Throw a straight punch: `JAB` or `CROSS`."""
    for channel, delay, out, back, value in rows:
        begin = start + delay
        take.add(channel, hold(value, begin, begin + out, begin + out + 0.05, begin + out + back))


def _duck(take: Take, start: float) -> None:
    """Duck under a swing: down to the left, up on the right."""
    take.add_all({
        "pelvis.y": hold(-0.16, 0.0, 0.30, 0.40, 0.78),
        "r_foot.pitch": hold(16.0, 0.0, 0.30, 0.40, 0.78),
        "pelvis.tilt": {0.0: 0.0, 0.32: 9.0, 0.76: 0.0},
        "pelvis.x": {0.0: 0.0, 0.2: 0.04, 0.55: -0.05, 0.85: 0.0},
        "trunk.flexion": {0.0: 0.0, 0.32: 12.0, 0.76: 0.0},
        "trunk.bend": {-0.05: 0.0, 0.22: 9.0, 0.55: -9.0, 0.85: 0.0},
        "gaze.roll": {0.0: 0.0, 0.25: 7.0, 0.58: -7.0, 0.88: 0.0},
        "gaze.pitch": {0.0: 0.0, 0.32: -4.0, 0.76: 0.0},
    }, start)  # fmt: skip


def _hook(take: Take, start: float) -> None:
    """Throw a left hook: loaded to the left, then hips and shoulders swing the bent arm across."""
    take.add_all({
        "pelvis.yaw": {0.0: 0.0, 0.2: 14.0, 0.42: -8.0, 0.95: 0.0},
        "trunk.twist": {0.02: 0.0, 0.22: 12.0, 0.45: -12.0, 0.98: 0.0},
        "l_foot.yaw": hold(-30.0, 0.15, 0.42, 0.52, 0.95),
        "l_foot.pitch": hold(24.0, 0.12, 0.40, 0.52, 0.95),
        "l_shoulder.flexion": {0.03: 0.0, 0.24: -24.0, 0.46: -47.0, 0.95: 0.0},
        "l_shoulder.abduction": {0.03: 0.0, 0.24: 46.0, 0.46: 67.0, 0.95: 0.0},
        "l_shoulder.twist": {0.03: 0.0, 0.24: -3.0, 0.46: -8.0, 0.95: 0.0},
        "l_elbow.flexion": {0.03: 0.0, 0.24: -2.0, 0.46: -24.0, 0.95: 0.0},
        "l_wrist.pronation": {0.03: 0.0, 0.24: 0.0, 0.46: 20.0, 0.95: 0.0},
        "l_clavicle.protraction": {0.2: 0.0, 0.46: 12.0, 0.95: 0.0},
    }, start)  # fmt: skip


class Clip(NamedTuple):
    """Recipe of one clip."""

    write: Callable[[Take], None]
    duration: float
    """[s]."""
    relaxed: bool = True
    """Whether the arms hang relaxed."""
    breath: tuple[float, float] = (3.6, 1.0)
    """Period [s] and depth of breathing."""
    sway: float = 1.0
    """Size of the swaying."""

    def motion(self) -> Motion:
        """Return the motion."""
        take = Take(self.duration)
        if self.relaxed:
            take.relax()
        take.breathe(*self.breath)
        take.sway(self.sway)
        self.write(take)
        return take.motion()


CLIPS: Mapping[str, Clip] = MappingProxyType(
    {
        "boxing": Clip(boxing, 7.2, relaxed=False, breath=(1.6, 0.6)),
        "walk": Clip(walk, 6.5, sway=0.6),
        "reach": Clip(reach, 7.5),
        "squat": Clip(squat, 6.0, breath=(2.9, 1.0), sway=0.8),
        "overhead": Clip(overhead, 6.0),
    }
)
"""Every built-in clip, by its name."""


@cache
def builtin(name: str) -> Motion:
    """Return one of the built-in clips; names in `CLIPS`."""
    if name not in CLIPS:
        raise UnknownName("built-in clip", name, CLIPS)
    return CLIPS[name].motion()
