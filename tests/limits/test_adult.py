from __future__ import annotations

import math

import numpy as np
import pytest

from sixpoint.body import Skeleton
from sixpoint.kernels import arrays
from sixpoint.limits import FlexionLimit, SwingTwistLimit, adult_limits
from sixpoint.limits.adult import LEFT, LIMBS, RIGHT, SPINE, VARIANTS


@pytest.fixture(scope="module")
def limits():
    return adult_limits(Skeleton.humanoid())


def about(axis, degrees):
    return arrays.from_axis_angle(axis, math.radians(degrees))


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
DOWN = (0.0, -1.0, 0.0)


def boundary(limit: SwingTwistLimit) -> dict[float, float]:
    pairs = zip(np.degrees(limit.thetas), np.degrees(limit.amplitudes), strict=True)
    return {round(theta, 9): round(psi, 9) for theta, psi in pairs}


def test_every_role_has_its_limit(limits):
    assert set(limits.roles.values()) == {
        *(f"{side}_{part}" for side in "lr" for part in LIMBS),
        "lumbar",
        "thoracic",
        "cervical",
        "head",
    }
    assert all(data.source for table in (LIMBS, SPINE, VARIANTS) for data in table.values())


def test_default_tables(limits):
    assert boundary(limits["l_shoulder"]) == {-180: 50, -90: 30, 0: 180, 90: 180, 180: 50}
    assert boundary(limits["l_hip"]) == {-180: 20, -90: 30, 0: 120, 90: 45, 180: 20}
    assert boundary(limits["l_sternoclavicular"]) == {-180: 10, -90: 25, 0: 45, 90: 30, 180: 10}
    assert limits["r_elbow"] == FlexionLimit.degrees(-145.0, 0.0)
    assert limits["r_knee"] == FlexionLimit.degrees(0.0, 135.0)
    np.testing.assert_allclose(np.degrees(limits["l_shoulder"].twist), (-80, 95))
    np.testing.assert_allclose(np.degrees(limits["r_shoulder"].twist), (-95, 80))
    np.testing.assert_allclose(np.degrees(limits["l_hip"].twist), (-60, 30))
    np.testing.assert_allclose(np.degrees(limits["r_sternoclavicular"].twist), (-20, 20))


# Movements in words, so that no sign in the tables can be wrong: the joint, the movement as a
# rotation of the left side (rightwards mirrored), and how far it goes.
MOVEMENTS = [
    ("l_shoulder", "forwards, to the horizontal", X, -90.0, True),
    ("l_shoulder", "backwards", X, 45.0, True),
    ("l_shoulder", "backwards too far", X, 60.0, False),
    ("l_shoulder", "sideways, up to the head", Z, 170.0, True),
    ("l_shoulder", "across the body", Z, -25.0, True),
    ("l_shoulder", "across the body too far", Z, -45.0, False),
    ("l_shoulder", "turned inwards", Y, -90.0, True),
    ("l_shoulder", "turned outwards too far", Y, 90.0, False),
    ("l_hip", "knee to the chest", X, -115.0, True),
    ("l_hip", "backwards too far", X, 30.0, False),
    ("l_hip", "split sideways", Z, 40.0, True),
    ("l_hip", "across too far", Z, -40.0, False),
    ("l_hip", "toes out", Y, 55.0, True),
    ("l_hip", "toes in too far", Y, -45.0, False),
    ("l_sternoclavicular", "shrug", Z, 40.0, True),
    ("l_sternoclavicular", "down too far", Z, -20.0, False),
    ("l_sternoclavicular", "forwards", Y, -28.0, True),
    ("l_sternoclavicular", "backwards too far", Y, 28.0, False),
    ("l_elbow", "hand to the shoulder", X, -140.0, True),
    ("l_elbow", "backwards", X, 10.0, False),
    ("l_knee", "heel to the seat", X, 130.0, True),
    ("l_knee", "forwards", X, -10.0, False),
    ("vc4", "chin to the chest", X, 12.0, True),
    ("vc4", "face up", X, -24.0, True),
    ("vc4", "chin too far down", X, 24.0, False),
    ("vt6", "bowed forwards", X, 22.0, True),
    ("vt6", "leaning back too far", X, -22.0, False),
]


@pytest.mark.parametrize(("joint", "what", "axis", "degrees", "inside"), MOVEMENTS)
def test_movements_in_words(limits, joint, what, axis, degrees, inside):
    q = about(axis, degrees)
    assert limits[joint].contains(q) == inside
    other = joint.replace("l_", "r_", 1) if joint.startswith("l_") else joint
    assert limits[other].contains(q * (1.0, 1.0, -1.0, -1.0)) == inside


def test_left_and_right_are_mirror_images():
    for data in (*LIMBS.values(), *VARIANTS.values()):
        assert data.limit(LEFT).mirror() == data.limit(RIGHT)


def test_regions_share_their_range_among_their_joints(limits):
    assert boundary(limits["vt12"]) == {-180: 12.5, -90: 10, 0: 22.5, 90: 10, 180: 12.5}
    np.testing.assert_allclose(np.degrees(limits["vt12"].twist), (-17.5, 17.5))
    assert boundary(limits["skullbase"])[0] == pytest.approx(40.0 / 3.0)
    alone = SPINE["lumbar"].limit(1)
    assert boundary(alone) == {-180: 35, -90: 20, 0: 60, 90: 20, 180: 35}


def test_adults_can_do_what_the_built_in_clips_show():
    from sixpoint.data.clips import CLIPS, builtin

    for name in CLIPS:
        motion = builtin(name)
        limits = adult_limits(motion.skeleton)
        worst = limits.violations(motion).max(axis=0)
        beyond = {n: math.degrees(w) for n, w in zip(motion.skeleton.names, worst, strict=True)}
        assert max(beyond.values()) < 1e-6, f"{name}: {beyond}"
