from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.data.clips import builtin
from sixpoint.kernels import arrays
from sixpoint.limits import EulerBoxLimit, FixedLimit, FlexionLimit, adult_limits, estimate_limits
from sixpoint.limits.as_hinge import as_hinge, hinge_limits
from sixpoint.limits.collection import FAMILIES
from sixpoint.limits.estimate.estimate import Estimate
from sixpoint.motion.motion import Motion
from sixpoint.solvers import SOLVERS, solver

X = (1.0, 0.0, 0.0)


def degrees(limit) -> tuple[float, float]:
    return pytest.approx((np.degrees(limit.low), np.degrees(limit.high)), abs=0.3)


def test_a_hinge_about_the_same_axis_is_itself():
    for limit in (FlexionLimit.degrees(0.0, 135.0), FixedLimit()):
        assert as_hinge(limit, X) is limit


def test_the_other_sense_and_a_reference_are_carried_over():
    flipped = FlexionLimit.degrees(0.0, 135.0, (-1.0, 0.0, 0.0))
    assert degrees(as_hinge(flipped, X)) == (-135.0, 0.0)
    bent = arrays.from_axis_angle(X, np.radians(40.0))
    turned = FlexionLimit.degrees(-20.0, 60.0, X, tuple(bent.tolist()))
    assert degrees(as_hinge(turned, X)) == (20.0, 100.0)
    assert degrees(as_hinge(FixedLimit(tuple(bent.tolist())), X)) == (40.0, 40.0)


def test_an_axis_a_little_beside_is_made_the_same():
    beside = FlexionLimit.degrees(0.0, 135.0, (math.cos(1e-4), math.sin(1e-4), 0.0))
    held = as_hinge(beside, X)
    assert held.axis == X
    assert degrees(held) == (0.0, 135.0)
    assert degrees(as_hinge(FlexionLimit.degrees(-180.0, 180.0, (-1.0, 0.0, 0.0)), X)) == (
        -180.0,
        180.0,
    )


def test_a_ball_gives_what_it_allows_about_the_axis():
    box = EulerBoxLimit.degrees("XYZ", ((-30.0, 100.0), (-5.0, 5.0), (-5.0, 5.0)))
    assert degrees(as_hinge(box, X)) == (-30.0, 100.0)
    beside = EulerBoxLimit.degrees("XYZ", ((-30.0, 100.0), (5.0, 9.0), (-5.0, 5.0)))
    low, high = as_hinge(beside, X).low, as_hinge(beside, X).high
    assert np.degrees((low, high)) == pytest.approx((-30.0, 100.0), abs=6.0)
    free = EulerBoxLimit.degrees("XYZ", ((-180.0, 180.0), (-5.0, 5.0), (-5.0, 5.0)))
    assert degrees(as_hinge(free, X)) == (-180.0, 180.0)
    seam = EulerBoxLimit.degrees("XYZ", ((150.0, 200.0), (-5.0, 5.0), (-5.0, 5.0)))
    assert degrees(as_hinge(seam, X)) == (150.0, 200.0)


def test_an_axis_far_away_leaves_what_turns_about_the_other():
    """Elbows that hardly bend and twist a little look like hinges about odd axes."""
    assert degrees(as_hinge(FlexionLimit.degrees(0.0, 9.0, (0.0, 1.0, 0.0)), X)) == (0.0, 0.0)
    slanted = FlexionLimit.degrees(0.0, 20.0, (0.6, 0.8, 0.0))
    assert degrees(as_hinge(slanted, X)) == (0.0, 12.0)


def test_adult_limits_need_no_change():
    clip = builtin("boxing")
    limits = adult_limits(clip.skeleton)
    assert hinge_limits(limits, clip.skeleton.articulation) is limits


PEOPLE = [name for name, kind in SOLVERS.items() if kind.capabilities.humans]


@pytest.fixture(scope="module")
def bent() -> Motion:
    """Some frames in which a wrist is never in the neutral stance."""
    clip = builtin("boxing").frames(slice(40, 60))
    rotations = clip.rotations.copy()
    turn = np.linspace(0.3, 0.6, len(clip))
    rotations[:, clip.skeleton.index("l_wrist")] = arrays.from_axis_angle(X, turn)
    return replace(clip, rotations=rotations)


@pytest.fixture(scope="module")
def estimate(bent) -> Estimate:
    return estimate_limits([bent])


@pytest.mark.parametrize("name", PEOPLE)
def test_every_solver_keeps_estimated_limits(name, bent, estimate):
    """Nothing that is asked turns the wrist, and neutral it would be outside."""
    for family in FAMILIES:
        limits = estimate.limits(family)
        assert not limits["l_wrist"].contains((1.0, 0.0, 0.0, 0.0))
        result = solver(name).prepare(bent.skeleton, limits=limits).solve_clip(bent.points())
        assert result.report.limit_violations == 0


def tilted_elbow(degrees: float) -> Motion:
    """A clip of a rig whose left elbow bends about an axis so far beside the usual one."""
    clip = builtin("boxing").frames(slice(0, 150))
    body = clip.skeleton.articulation
    joint = clip.skeleton.index("l_elbow")
    turned = body.to_rest(clip.rotations)
    tilt = np.radians(degrees)
    bend = np.radians(np.linspace(-100.0, -20.0, len(clip)))
    turned[:, joint] = arrays.from_axis_angle((np.cos(tilt), np.sin(tilt), 0.0), bend)
    return replace(clip, rotations=body.from_rest(turned))


@pytest.mark.parametrize("solver", ["sik", "dls"])
def test_reports_say_which_hinges_bend_beside_their_limits(solver):
    clip = tilted_elbow(28.0)
    limits = sp.estimate_limits([clip]).limits()
    assert np.degrees(np.arccos(limits["l_elbow"].axis[0])) == pytest.approx(28.0, abs=0.1)
    result = sp.reconstruct(clip.points(), clip.skeleton, solver, limits=limits)
    said = [text for text in result.report.warnings if "'l_elbow'" in text]
    assert len(said) == 1
    told = int(re.search(r"up to (\d+) degrees beside", said[0])[1])
    beyond = limits.violations(result.motion)[:, clip.skeleton.index("l_elbow")]
    assert 5.0 < np.degrees(beyond.max()) <= told + 0.5
    assert result.report.limit_violations == 0  # of the limits about the solver's axis


def test_reports_do_not_speak_of_axes_that_are_nearly_the_same():
    clip = tilted_elbow(0.5)
    limits = sp.estimate_limits([clip]).limits()
    result = sp.reconstruct(clip.points(), clip.skeleton, limits=limits)
    assert not [text for text in result.report.warnings if "elbow" in text]
