"""Pelvis and head whose rotations are known, on rigs whose spine begins on the pelvis."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.limits import EulerBoxLimit, Limits
from sixpoint.motion.motion import Motion
from sixpoint.solvers import SOLVERS

PEOPLE = [name for name, kind in SOLVERS.items() if kind.capabilities.humans]
KNOWING = [name for name in PEOPLE if SOLVERS[name].capabilities.rotations]
HUMAN = sp.Skeleton.humanoid(1.75)
FORWARD = np.array((1.0, 0.0, 0.0))


def bowing(**degrees: float) -> Motion:
    """Two frames of the neutral stance with some joints of the spine flexed."""
    turns = np.tile(arrays.identity(HUMAN.joint_count), (2, 1, 1))
    for name, angle in degrees.items():
        turns[:, HUMAN.index(name)] = arrays.from_axis_angle(FORWARD, np.radians(angle))
    return Motion(HUMAN, np.zeros((2, 3)), HUMAN.anatomy.from_anatomical(turns), 60.0)


def loins(motion: Motion) -> float:
    turn = HUMAN.anatomy.to_anatomical(motion.rotations)[0, HUMAN.index("vl5")]
    return float(np.degrees(arrays.angle_between(turn, arrays.identity())))


@pytest.mark.parametrize("flexed", [0.0, 20.0, 40.0, 60.0])
@pytest.mark.parametrize("solver", KNOWING)
def test_a_level_pelvis_can_bow(solver, flexed):
    motion = bowing(vl5=flexed)
    result = sp.reconstruct(motion.points(rotations=True), HUMAN, solver)
    # All joints of `pik` share a bow; `guided` bows as people do.
    near = 15.0 if solver in ("pik", "guided") else 1e-5
    assert loins(result.motion) == pytest.approx(flexed, abs=near)
    assert result.residuals[-1].max() < 0.002
    assert result.report.limit_violations == 0


@pytest.mark.parametrize("solver", PEOPLE)
def test_loins_that_may_not_stand_neutral(solver):
    limits = Limits({"vl5": EulerBoxLimit.degrees("XYZ", ((20, 40), (-5, 5), (-5, 5)))})
    motion = sp.builtin("reach").frames(slice(0, 8))
    result = sp.reconstruct(motion.points(), motion.skeleton, solver, limits=limits)
    away = np.linalg.norm(result.motion.points().positions - motion.points().positions, axis=-1)
    np.testing.assert_allclose(away, result.residuals, atol=1e-9)
    assert result.report.limit_violations == 0


def test_what_the_loins_cannot_do_is_left_to_the_spine():
    motion = bowing(vl5=60.0, vt12=15.0)
    result = sp.reconstruct(motion.points(rotations=True), HUMAN, "sik")
    assert loins(result.motion) == pytest.approx(60.0, abs=1.0)
    assert result.residuals[:, :2].max() < 0.01
    assert result.report.limit_violations == 0


def test_without_its_rotation_the_pelvis_goes_with_the_spine():
    result = sp.reconstruct(bowing(vl5=40.0).points(), HUMAN, "sik")
    assert loins(result.motion) == 0.0


def test_the_loins_forget():
    tracker = sp.solver("sik").prepare(HUMAN)
    motion = bowing(vl5=40.0)
    known = motion.points(rotations=True)
    tracker.solve(known.frames(slice(0, 1)))
    after = tracker.solve(motion.points().positions[1]).pose
    turn = HUMAN.anatomy.to_anatomical(after.rotations)[HUMAN.index("vl5")]
    assert float(arrays.angle_between(turn, arrays.identity())) == 0.0


@pytest.mark.data
@pytest.mark.parametrize("name", ["sit/75_20_low_sit", "paper/01_03_playground_climb_hang_swing"])
def test_known_rotations_help(shared_data, name):
    clip = sp.load(shared_data / "cmu" / f"{name}.bvh")
    errors, missed = [], []
    for rotations in (False, True):
        result = sp.reconstruct(clip.points(rotations=rotations), clip.skeleton, "sik")
        errors.append(sp.compare(result.motion, clip).position_rms)
        missed.append(result.report.target_mean_m)
    assert errors[1] < 0.8 * errors[0]
    assert missed[1] < 0.8 * missed[0]
