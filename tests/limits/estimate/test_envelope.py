from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sixpoint.body import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits.estimate.envelope import EnvelopeRules, envelope, person_ranges
from sixpoint.motion.motion import Motion

BODY = Skeleton.humanoid()
RATE = 30.0


def person(joint: str, axis, degrees, held: int = 20) -> list[Motion]:
    """Somebody who turns one joint to an angle, and holds it for some of 60 frames."""
    anatomy = BODY.anatomy
    turned = np.tile(arrays.identity(BODY.joint_count), (60, 1, 1))
    turned[:held, BODY.index(joint)] = arrays.from_axis_angle(axis, np.radians(degrees))
    return [Motion(BODY, np.zeros((60, 3)), anatomy.from_anatomical(turned), RATE)]


def knee(found):
    return np.degrees(found.roles["l_knee"].high)


def test_an_angle_counts_if_enough_people_reached_it():
    people = {str(k): person("l_knee", (1, 0, 0), angle) for k, angle in enumerate((80, 100, 150))}
    for least, expected in ((1, 150.0), (2, 100.0), (3, 80.0)):
        rules = EnvelopeRules(people=least, margin=0.0)
        assert knee(envelope(people, rules)) == pytest.approx(expected, abs=0.11)
    wide = envelope(people, EnvelopeRules(people=3, margin=np.radians(7.0)))
    assert knee(wide) == pytest.approx(87.0, abs=0.11)


def test_an_angle_counts_if_it_was_held():
    glitch = person("l_knee", (1, 0, 0), 160.0, held=5)
    for seconds, expected in ((5 / RATE, 160.0), (6 / RATE, 0.0)):
        assert np.degrees(person_ranges(glitch, seconds)["l_knee"][1]) == pytest.approx(expected)


def test_sides_count_alike():
    left = person_ranges(person("l_hip", (0.6, 0.0, 0.8), 40.0), 0.1)
    right = person_ranges(person("r_hip", (0.6, 0.0, -0.8), 40.0), 0.1)
    np.testing.assert_allclose(left["l_hip"], right["l_hip"], atol=1e-9)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, 1), (0, 1, 0), (0.48, 0.6, 0.64)])
def test_what_people_did_is_within_the_limits(axis):
    for joint in ("l_hip", "r_shoulder", "vl3", "vt6"):
        if joint not in BODY.names:
            continue
        clips = person(joint, axis, 35.0)
        limits = envelope({"a": clips}, EnvelopeRules(people=1, margin=0.0)).limits(BODY)
        own = {name: limits[name] for name in limits if name == joint}
        kept = replace(limits, joints=own, roles={})
        assert kept.violations(clips[0]).max() < 1e-9


def test_limbs_do_not_bend_backwards():
    clips = {"a": person("l_knee", (1, 0, 0), -20.0)}
    found = envelope(clips, EnvelopeRules(people=1))
    assert found.roles["l_knee"].low == 0.0
    assert found.roles["l_elbow"].high == 0.0


def test_rules_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="`people` to be 1 or more"):
        EnvelopeRules(people=0)
    with pytest.raises(InputError, match="`seconds`"):
        EnvelopeRules(seconds=-1.0)
    with pytest.raises(InputError, match="`margin`"):
        EnvelopeRules(margin=4.0)
    with pytest.raises(InputError, match="Expected 3 people or more, got 1"):
        envelope({"a": person("l_knee", (1, 0, 0), 10.0)})
