"""Built-in motion with ground truth, written in code: nothing to download, the same on every run.

    >>> from sixpoint.motion.clips import builtin
    >>> builtin("squat")
    Motion(360 frames at 60 Hz, 6.00 s, 34 joints)

All on the built-in humanoid (1.75 m), 60 Hz, beginning near the origin and facing +Z, within the
adult joint limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from ..errors import UnknownName
from .authoring import Take
from .boxing import box
from .motion import Motion
from .walking import walk_ahead


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
