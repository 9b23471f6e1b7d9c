"""Shadow boxing, right-handed: the stance, the turn and the punches, in layers over each other.

Shoulder angles were found by putting the fists where they belong (the guard at the chin, punches at
the height of the shoulder straight ahead, elbows down) in the pose of the trunk at that moment.
"""

from __future__ import annotations

import numpy as np

from .authoring import Take


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
