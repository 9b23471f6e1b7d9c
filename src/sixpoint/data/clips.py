"""Built-in motion with ground truth, written in code: nothing to download, the same on every run.

    >>> from sixpoint.data.clips import builtin
    >>> builtin("squat")
    Motion(360 frames at 60 Hz, 34 joints)

All on the built-in humanoid (1.75 m), 60 Hz, beginning near the origin and facing +Z, within the
adult joint limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..errors import UnknownName
from ..motion.motion import Motion
from .authoring import Take
from .puppet import SIDES


@cache
def boxing() -> Motion:
    """Shadow boxing: two jabs, cross, duck, hook; a quarter turn to the left; jab, cross."""
    take = Take(7.2)
    take.breathe(1.6, 0.6)
    take.sway()
    box(take)
    return take.motion()


@cache
def walk() -> Motion:
    """From standing: seven steps straight ahead, then the feet together."""
    take = Take(6.5)
    take.relax()
    take.breathe()
    take.sway(0.6)
    walk_ahead(take)
    return take.motion()


@cache
def reach() -> Motion:
    """Bending to take something from a low table, straightening up, then a bow."""
    take = Take(7.5)
    take.relax()
    take.breathe()
    take.sway()
    take.stand("l", 0.105, 0.125, 9.0)
    take.stand("r", -0.105, 0.125, -9.0)
    # The reach: eyes, then trunk and hand together; the other arm goes back for balance.
    take.add("gaze.pitch", {0.3: 0.0, 0.7: 28.0, 1.7: 52.0, 2.2: 52.0, 3.2: 8.0, 3.6: 2.0})
    take.add("gaze.yaw", {0.3: 0.0, 0.75: -14.0, 2.3: -12.0, 3.2: 0.0})
    take.add("pelvis.tilt", {0.55: 0.0, 1.7: 34.0, 2.15: 34.0, 3.3: 0.0})
    take.add("pelvis.y", {0.5: 0.0, 1.7: -0.075, 2.15: -0.075, 3.3: 0.0})
    take.add("pelvis.z", {0.5: 0.0, 1.7: -0.13, 2.15: -0.13, 3.3: 0.0})
    take.add("pelvis.x", {0.5: 0.0, 1.6: -0.02, 2.2: -0.02, 3.3: 0.0})
    take.add("pelvis.yaw", {0.6: 0.0, 1.7: 8.0, 2.2: 8.0, 3.3: 0.0})
    take.add("trunk.flexion", {0.6: 0.0, 1.75: 24.0, 2.2: 24.0, 3.4: 0.0})
    take.add("trunk.twist", {0.6: 0.0, 1.75: 12.0, 2.2: 12.0, 3.4: 0.0})
    take.add("trunk.bend", {0.6: 0.0, 1.75: -4.0, 2.2: -4.0, 3.4: 0.0})
    take.add("r_clavicle.protraction", {0.8: 0.0, 1.75: 14.0, 2.2: 14.0, 3.1: 0.0})
    take.add("r_shoulder.flexion", {0.7: 0.0, 1.6: 62.0, 2.2: 62.0, 3.0: 22.0, 4.1: 0.0})
    take.add("r_elbow.flexion", {0.7: 0.0, 1.2: 30.0, 1.7: 0.0, 2.2: 4.0, 3.0: 72.0, 4.1: 0.0})
    take.add("r_wrist.pronation", {0.7: 0.0, 1.6: 40.0, 2.3: 40.0, 3.0: 10.0, 4.1: 0.0})
    take.add("r_hand.curl", {0.9: 0.0, 1.5: -0.25, 1.9: -0.25, 2.15: 0.35, 3.6: 0.3, 4.3: 0.0})
    take.add("r_hand.x", -0.20)
    take.add("r_hand.y", 0.74)
    take.add("r_hand.z", 0.60)
    take.add("r_hand.hold", {0.9: 0.0, 1.8: 1.0, 2.15: 1.0, 2.9: 0.0})
    take.add("l_shoulder.flexion", {0.7: 0.0, 1.75: 40.0, 2.2: 40.0, 3.3: 0.0})
    take.add("l_shoulder.abduction", {0.7: 0.0, 1.75: 10.0, 2.2: 10.0, 3.3: 0.0})
    # The bow: hands slide down the thighs, neck last, a moment of rest, up again.
    take.add("pelvis.tilt", {4.35: 0.0, 5.5: 42.0, 6.0: 42.0, 7.0: 0.0})
    take.add("pelvis.z", {4.3: 0.0, 5.5: -0.15, 6.0: -0.15, 7.0: 0.0})
    take.add("pelvis.y", {4.3: 0.0, 5.5: -0.012, 6.0: -0.012, 7.0: 0.0})
    take.add("trunk.flexion", {4.45: 0.0, 5.6: 26.0, 6.05: 26.0, 7.1: 0.0})
    take.add("gaze.pitch", {4.3: 0.0, 4.9: 34.0, 5.65: 86.0, 6.05: 86.0, 7.15: 0.0})
    take.add("*_shoulder.flexion", {4.4: 0.0, 5.55: 50.0, 6.0: 50.0, 7.1: 0.0})
    take.add("*_shoulder.abduction", {4.4: 0.0, 5.55: -5.0, 6.0: -5.0, 7.1: 0.0})
    take.add("*_elbow.flexion", {4.4: 0.0, 5.55: -6.0, 6.0: -6.0, 7.1: 0.0})
    take.add("*_clavicle.protraction", {4.5: 0.0, 5.6: 6.0, 6.0: 6.0, 7.1: 0.0})
    take.add("*_hand.curl", {4.4: 0.0, 5.2: -0.2, 6.3: -0.2, 7.1: 0.0})
    return take.motion()


@cache
def squat() -> Motion:
    """Two squats, the second deeper, arms forward for balance."""
    take = Take(6.0)
    take.relax()
    take.breathe(2.9)
    take.sway(0.8)
    take.stand("l", 0.165, 0.125, 14.0)
    take.stand("r", -0.165, 0.125, -14.0)
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
        first, second = 0.78 * low, low
        take.add(channel, {0.35 - early: 0.0, 1.45: first, 1.65: first, 2.65 + late: 0.0})
        take.add(channel, {2.95 - early: 0.0, 4.10: second, 4.40: second, 5.50 + late: 0.0})
    return take.motion()


@cache
def overhead() -> Motion:
    """Up on the toes for something on a high shelf, brought down to the other hand."""
    take = Take(6.0)
    take.relax()
    take.breathe()
    take.sway()
    take.stand("l", 0.10, 0.125, 8.0)
    take.stand("r", -0.10, 0.125, -8.0)
    take.add("gaze.pitch", {0.25: 0.0, 0.75: -30.0, 2.6: -32.0, 3.5: 18.0, 4.4: 30.0, 5.4: 2.0})
    take.add("gaze.yaw", {0.25: 0.0, 0.75: -12.0, 2.6: -12.0, 3.5: 0.0})
    take.add("*_foot.pitch", {1.1: 0.0, 1.85: 32.0, 2.45: 32.0, 3.1: 0.0})
    take.add("pelvis.y", {0.7: 0.0, 1.05: -0.012, 1.85: 0.048, 2.45: 0.048, 3.1: 0.0})
    take.add("pelvis.z", {0.6: 0.0, 1.85: 0.075, 2.45: 0.075, 3.2: 0.0})
    take.add("pelvis.x", {0.6: 0.0, 1.6: -0.03, 2.5: -0.03, 3.3: 0.0})
    take.add("pelvis.list", {0.8: 0.0, 1.85: 3.0, 2.45: 3.0, 3.2: 0.0})
    take.add("pelvis.yaw", {0.8: 0.0, 1.85: 8.0, 2.45: 8.0, 3.2: 0.0})
    take.add("trunk.flexion", {0.7: 0.0, 1.85: -9.0, 2.45: -9.0, 3.3: 2.0, 4.4: 4.0, 5.3: 0.0})
    take.add("trunk.bend", {0.8: 0.0, 1.85: 6.0, 2.45: 6.0, 3.3: 0.0})
    take.add("trunk.twist", {0.8: 0.0, 1.85: 8.0, 2.45: 8.0, 3.3: 0.0})
    take.add("r_clavicle.elevation", {1.0: 0.0, 1.85: 22.0, 2.45: 22.0, 3.2: 0.0})
    take.add(
        "r_shoulder.flexion", {0.6: 0.0, 1.8: 148.0, 2.45: 148.0, 3.4: 28.0, 4.4: 28.0, 5.5: 0.0}
    )
    take.add("r_shoulder.abduction", {0.6: 0.0, 1.8: 12.0, 2.45: 12.0, 3.4: 0.0})
    take.add(
        "r_shoulder.twist", {0.6: 0.0, 1.8: -10.0, 2.45: -10.0, 3.4: 14.0, 4.4: 14.0, 5.5: 0.0}
    )
    take.add(
        "r_elbow.flexion",
        {0.6: 0.0, 1.2: 55.0, 1.85: -8.0, 2.45: -8.0, 3.4: 72.0, 4.4: 72.0, 5.5: 0.0},
    )
    take.add("r_hand.x", -0.20)
    take.add("r_hand.y", 2.08)
    take.add("r_hand.z", 0.29)
    take.add("r_hand.hold", {0.9: 0.0, 1.9: 1.0, 2.35: 1.0, 3.1: 0.0})
    take.add("r_hand.curl", {0.8: 0.0, 1.6: -0.25, 2.0: -0.25, 2.35: 0.35, 4.4: 0.35, 5.4: 0.0})
    take.add("l_shoulder.abduction", {0.8: 0.0, 1.85: 14.0, 2.4: 14.0, 3.2: 0.0})
    take.add("l_shoulder.flexion", {2.6: 0.0, 3.5: 26.0, 4.4: 26.0, 5.5: 0.0})
    take.add("l_shoulder.twist", {2.6: 0.0, 3.5: 14.0, 4.4: 14.0, 5.5: 0.0})
    take.add("l_elbow.flexion", {2.6: 0.0, 3.5: 70.0, 4.4: 70.0, 5.5: 0.0})
    return take.motion()


class Step(NamedTuple):
    """One footstep."""

    length: float
    """How far this foot lands ahead of the other [m]."""
    push: float
    """How far its heel rises before it leaves the ground [degrees]."""
    drop: float
    """How far the pelvis is below standing height when it lands [m]."""
    swing: float
    """How far arms, pelvis and chest turn, 1 at full pace."""


STEPS = (
    Step(0.36, 22.0, 0.016, 0.6),
    Step(0.58, 46.0, 0.024, 0.9),
    Step(0.62, 60.0, 0.028, 1.0),
    Step(0.62, 60.0, 0.028, 1.0),
    Step(0.62, 60.0, 0.028, 1.0),
    Step(0.60, 60.0, 0.027, 1.0),
    Step(0.50, 56.0, 0.022, 0.8),
    Step(0.00, 44.0, 0.012, 0.4),
)
"""From standing to standing, the right foot first; about 1.2 m/s in the middle."""

FIRST = 1.10
"""When the first foot lands [s]."""
BEAT = 0.53
"""From one landing to the next [s]."""
SWING = 0.42
"""How long a foot is in the air [s]."""
TRACK = 0.07
"""Distance of the footprints from the line of travel [m]."""
BALL = 0.125
"""Distance of the ball of the foot in front of the hips when standing [m]."""


def walk_ahead(take: Take) -> None:
    """Seven steps straight ahead, then the feet together."""
    take.stand("l", 0.09, BALL, 6.0)
    take.stand("r", -0.09, BALL, -6.0)
    end = FIRST + BEAT * (len(STEPS) - 1)
    ahead, across, up, yaw, side = {0.40: 0.0}, {0.25: 0.0}, {0.35: 0.0}, {0.6: 0.0}, {0.6: 0.0}
    arms = {arm: {0.55: 0.0} for arm in SIDES}
    elbows = {arm: {0.55: 0.0} for arm in SIDES}
    here = 0.0
    for k, step in enumerate(STEPS):
        first, last = k == 0, k == len(STEPS) - 1
        land = FIRST + BEAT * k
        foot = "rl"[k % 2]
        sign = SIDES[foot]
        take.step(
            foot,
            land - SWING,
            land,
            (sign * (0.085 if last else TRACK), here + step.length + BALL, sign * 6.0),
            lift=0.045,
            push=step.push,
            strike=0.0 if last else 17.0,
            roll=(0.16 if first else 0.36, 0.11),
        )
        # The pelvis is between the feet when one lands, and nearest to the standing foot and
        # highest when the other passes it; it turns with the leg that goes forward and drops on
        # its side.
        ahead[land] = here + (-0.02 if last else 0.5 * step.length + 0.012)
        here += step.length
        across[land - 0.20] = -sign * (0.035 if first else 0.022)
        up[land - 0.25] = -0.012
        up[land + 0.03] = -step.drop
        yaw[land] = -sign * 6.0 * step.swing
        side[land - 0.26] = sign * 3.5 * step.swing
        side[land] = 0.0
        for arm, hand in SIDES.items():
            forward = hand != sign
            arms[arm][land + 0.04] = step.swing * (22.0 if forward else -17.0)
            elbows[arm][land + 0.08] = step.swing * (16.0 if forward else -2.0)
    ahead[end + 0.35] = here
    for keys in (up, across, yaw, side, *arms.values(), *elbows.values()):
        keys[end + 0.55] = 0.0

    take.add("pelvis.z", ahead)
    take.add("pelvis.x", across)
    take.add("pelvis.y", up)
    take.add("pelvis.yaw", yaw)
    take.add("pelvis.list", side)
    take.add("pelvis.tilt", {0.4: 0.0, 1.2: 1.5, end - 0.3: 1.5, end + 0.3: 0.0})
    # The chest turns against the pelvis and stays upright over it, with the arms against the legs.
    take.add("trunk.twist", {t: -1.9 * value for t, value in yaw.items()})
    take.add("trunk.bend", {t: -0.8 * value for t, value in side.items()})
    take.add("trunk.flexion", {0.4: 0.0, 1.2: 2.0, end - 0.3: 1.0, end + 0.1: -2.0, end + 0.6: 0.0})
    take.add("gaze.pitch", {0.0: 3.0, 0.5: 6.0, 1.5: 3.0, end: 5.0, end + 0.6: 1.0})
    for arm in SIDES:
        take.add(f"{arm}_shoulder.flexion", arms[arm])
        take.add(f"{arm}_elbow.flexion", elbows[arm])
        take.add(f"{arm}_clavicle.protraction", {t: 0.15 * v for t, v in arms[arm].items()})
        take.add(f"{arm}_wrist.deviation", {t + 0.06: 0.25 * v for t, v in arms[arm].items()})


def box(take: Take) -> None:
    """Two jabs, cross, duck, hook; a quarter turn to the left; jab, cross."""
    _stance(take, turn=90.0, when=4.1)
    _bounce(take)
    _jab(take, 0.75)
    _jab(take, 1.25)
    _cross(take, 1.62)
    _duck(take, 2.35)
    _hook(take, 2.95)
    _jab(take, 5.6)
    _cross(take, 5.98)


def _stance(take: Take, turn: float, when: float) -> None:
    """Left foot in front, hands at the chin; at a time the whole stance turns to the left."""
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    after = {}
    for side, (x, z, yaw) in {"l": (0.07, 0.30, -18.0), "r": (-0.15, -0.10, -52.0)}.items():
        take.stand(side, x, z, yaw)
        after[side] = (c * x + s * z, c * z - s * x, yaw + turn)
    take.add("r_foot.pitch", 14.0)
    # The rear foot turns on its ball before it is lifted.
    take.add("r_foot.yaw", {when - 0.1: 0.0, when + 0.3: 26.0, when + 0.42: 26.0, when + 0.8: 0.0})
    take.step("l", when, when + 0.36, after["l"], lift=0.05, push=18.0, roll=(0.2, 0.1))
    take.step("r", when + 0.42, when + 0.82, after["r"], lift=0.05, push=16.0, roll=(0.2, 0.1))

    take.add("pelvis.y", -0.075)
    take.add("pelvis.tilt", 4.0)
    take.add("pelvis.yaw", -30.0)
    take.add("trunk.flexion", 9.0)
    take.add("trunk.bend", 2.0)
    take.add("trunk.twist", 2.0)
    take.add("gaze.pitch", 8.0)
    # The head goes first, then shoulders and hips, while the weight is over the standing foot.
    take.add("gaze.yaw", {when - 0.50: 0.0, when - 0.05: 0.22 * turn, when + 0.65: turn})
    take.add("trunk.twist", {when - 0.35: 0.0, when + 0.1: 17.0, when + 0.80: 0.0})
    take.add("pelvis.yaw", {when - 0.20: 0.0, when + 0.32: 0.5 * turn, when + 0.85: turn})
    take.add(
        "pelvis.x", {when - 0.25: 0.04, when + 0.05: -0.03, when + 0.55: 0.05, when + 1.0: -0.03}
    )
    take.add(
        "pelvis.z", {when - 0.25: -0.03, when + 0.05: -0.09, when + 0.55: -0.08, when + 1.0: -0.06}
    )
    take.add("pelvis.y", {when - 0.2: 0.0, when + 0.2: 0.015, when + 0.6: -0.01, when + 1.0: 0.0})

    take.add("*_clavicle.elevation", 6.0)
    take.add("*_clavicle.protraction", 8.0)
    take.add("*_hand.curl", 0.95)
    for side, flexion, abduction, twist, elbow in (
        ("l", 56.0, 24.0, -8.0, 119.0),
        ("r", 62.0, -20.0, 51.0, 121.0),
    ):
        take.add(f"{side}_shoulder.flexion", flexion)
        take.add(f"{side}_shoulder.abduction", abduction)
        take.add(f"{side}_shoulder.twist", twist)
        take.add(f"{side}_elbow.flexion", elbow)
        take.add(f"{side}_wrist.pronation", 20.0)


def _bounce(take: Take) -> None:
    """On the toes, never still."""
    beat = 2.0 * np.pi * take.times / 0.62
    take.add("pelvis.y", 0.009 * np.sin(beat))
    take.add("pelvis.z", 0.010 * np.sin(0.5 * beat + 0.6))
    take.add("trunk.bend", 1.2 * np.sin(0.5 * beat))
    take.add("l_elbow.flexion", 3.0 * np.sin(beat - 0.9))
    take.add("r_elbow.flexion", 2.5 * np.sin(beat - 1.2))
    take.add("*_shoulder.flexion", 1.5 * np.sin(beat - 0.7))


def _out_and_back(start: float, out: float, back: float, value: float) -> dict[float, float]:
    return {start: 0.0, start + out: value, start + out + 0.05: value, start + out + back: 0.0}


def _jab(take: Take, start: float) -> None:
    """Left, straight: a small step of the weight, the shoulder follows, the fist turns over."""
    for channel, delay, out, back, value in (
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
    ):
        take.add(channel, _out_and_back(start + delay, out, back, value))


def _cross(take: Take, start: float) -> None:
    """Right, straight: from the rear foot through hips and shoulders to the fist."""
    for channel, delay, out, back, value in (
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
    ):
        take.add(channel, _out_and_back(start + delay, out, back, value))


def _duck(take: Take, start: float) -> None:
    """Under a swing: down to the left, up on the right."""
    s = start
    take.add("pelvis.y", {s: 0.0, s + 0.30: -0.16, s + 0.40: -0.16, s + 0.78: 0.0})
    take.add("r_foot.pitch", {s: 0.0, s + 0.30: 16.0, s + 0.40: 16.0, s + 0.78: 0.0})
    take.add("pelvis.tilt", {s: 0.0, s + 0.32: 9.0, s + 0.76: 0.0})
    take.add("pelvis.x", {s: 0.0, s + 0.2: 0.04, s + 0.55: -0.05, s + 0.85: 0.0})
    take.add("trunk.flexion", {s: 0.0, s + 0.32: 12.0, s + 0.76: 0.0})
    take.add("trunk.bend", {s - 0.05: 0.0, s + 0.22: 9.0, s + 0.55: -9.0, s + 0.85: 0.0})
    take.add("gaze.roll", {s: 0.0, s + 0.25: 7.0, s + 0.58: -7.0, s + 0.88: 0.0})
    take.add("gaze.pitch", {s: 0.0, s + 0.32: -4.0, s + 0.76: 0.0})


def _hook(take: Take, start: float) -> None:
    """Left, round: loaded to the left, then hips and shoulders swing the bent arm across."""
    s = start
    take.add("pelvis.yaw", {s: 0.0, s + 0.2: 14.0, s + 0.42: -8.0, s + 0.95: 0.0})
    take.add("trunk.twist", {s + 0.02: 0.0, s + 0.22: 12.0, s + 0.45: -12.0, s + 0.98: 0.0})
    take.add("l_foot.yaw", {s + 0.15: 0.0, s + 0.42: -30.0, s + 0.52: -30.0, s + 0.95: 0.0})
    take.add("l_foot.pitch", {s + 0.12: 0.0, s + 0.40: 24.0, s + 0.52: 24.0, s + 0.95: 0.0})
    for channel, load, hit in (
        ("l_shoulder.flexion", -24.0, -47.0),
        ("l_shoulder.abduction", 46.0, 67.0),
        ("l_shoulder.twist", -3.0, -8.0),
        ("l_elbow.flexion", -2.0, -24.0),
        ("l_wrist.pronation", 0.0, 20.0),
    ):
        take.add(channel, {s + 0.03: 0.0, s + 0.24: load, s + 0.46: hit, s + 0.95: 0.0})
    take.add("l_clavicle.protraction", {s + 0.2: 0.0, s + 0.46: 12.0, s + 0.95: 0.0})


CLIPS: Mapping[str, Callable[[], Motion]] = MappingProxyType(
    {
        "boxing": boxing,
        "walk": walk,
        "reach": reach,
        "squat": squat,
        "overhead": overhead,
    }
)
"""Name -> function that makes the clip (and remembers it)."""


def builtin(name: str) -> Motion:
    """One of the built-in clips; names in `CLIPS`."""
    if name not in CLIPS:
        raise UnknownName("built-in clip", name, CLIPS)
    return CLIPS[name]()
