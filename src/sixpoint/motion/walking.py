"""Walking: a plan of footsteps, and a body that follows it."""

from __future__ import annotations

from typing import NamedTuple

from .authoring import Take
from .puppet import SIDES


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
