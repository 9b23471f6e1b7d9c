"""Settings of the particle filter, and people from six points."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.solvers import MonteCarloSolver

from .arms import TARGET, tracker


@pytest.mark.parametrize("particles", [3, 5])
def test_few_particles_are_enough_for_an_arm(particles: int):
    met = [tracker(particles=particles, seed=k).solve(TARGET).converged for k in range(20)]
    assert np.mean(met) >= 0.9


@pytest.mark.parametrize("prior", ["sik", "constant", "velocity"])
def test_people_from_six_points(prior: str):
    clip = sp.builtin("boxing")
    clip = clip.frames(slice(0, 120, 4))
    result = sp.reconstruct(clip.points(), clip.skeleton, solver="monte-carlo", prior=prior)
    sik = sp.reconstruct(clip.points(), clip.skeleton, solver="sik")
    assert result.report.limit_violations == 0
    # What sequential IK cannot reach within limits comes nearer.
    assert (result.residuals**2).sum() <= (sik.residuals**2).sum() + 1e-4
    error, before = (sp.compare(r.motion, clip).position_rms for r in (result, sik))
    assert error < 1.5 * before
    assert result.iterations.max() > 0
    assert [*result.tasks] == [*(f"reach {name}" for name in sp.motion.points.SIX[1:]), "posture"]
    assert all(values.shape == (30,) for values in result.tasks.values())
    assert result.extras["rejections"].sum() > 0


# What is refused.


def test_people_have_joints_of_their_own():
    person = sp.Skeleton.humanoid(1.75)
    with pytest.raises(UnknownName, match="No joint to give a covariance 'nonsense'"):
        MonteCarloSolver(covariance={"nonsense": (1.0, 1.0, 1.0)}).prepare(person)
    with pytest.raises(UnknownName, match="No joint to give a covariance 'l_wrist'"):
        MonteCarloSolver(covariance={"l_wrist": (1.0, 1.0, 1.0)}).prepare(person)
    with pytest.raises(InputError, match="`root` = 0 for people by six points"):
        MonteCarloSolver(root=0.5).prepare(person)
    assert MonteCarloSolver(covariance={"l_knee": (0.5, 0.0, 0.0)}).prepare(person)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"particles": 2}, r"`particles` in \[3, .*, got 2"),
        ({"particles": 2.5}, "`particles` to be a whole number"),
        ({"seed": -1}, r"`seed` in \[0"),
        ({"tries": 0}, r"`tries` in \[1"),
        ({"schedule": "hot"}, "`schedule` to be one of annealed, constant"),
        ({"sampler": "x"}, "`sampler` to be one of gaussian, paper"),
        ({"answer": "x"}, "`answer` to be one of best, mean, smooth"),
        ({"prior": "x"}, "`prior` to be one of sik, constant, velocity"),
        ({"spread": 0.0}, "`spread` > 0"),
        ({"sigma": np.nan}, "`sigma` > 0"),
        ({"root": -1.0}, "`root` >= 0"),
        ({"lever": -0.5}, "`lever` >= 0"),
        ({"momentum": 1.0}, "`momentum`"),
        ({"runs": 0}, r"`runs` in \[1"),
        ({"covariance": 3}, "`covariance` by the names of joints"),
        ({"covariance": {"a": "b"}}, "three deviations >= 0, .* for the joint 'a'; got 'b'"),
        ({"smoothing": 1.5}, r"`smoothing` in \(0, 1\]"),
        ({"largest": 2.0}, r"`largest` in \(0, 1\]"),
    ],
)
def test_senseless_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        MonteCarloSolver(**settings)


def test_covariances_of_unknown_joints_are_refused():
    with pytest.raises(UnknownName, match="No joint to give a covariance 'knee'"):
        tracker(covariance={"knee": (1.0, 0.0, 0.0)})
    assert hash(MonteCarloSolver(covariance={"knee": (1.0, 0.0, 0.0)})) is not None


def test_gains_are_no_setting():
    # A population that gains nothing cools, and ends.
    with pytest.raises(UnknownName, match="No setting of solver 'monte-carlo' 'least_gain'"):
        sp.solver("monte-carlo", least_gain=0.1)


def test_whole_numbers_stand_for_real_ones():
    # Otherwise the kernel would be compiled anew.
    whole, real = (tracker(root=root, spread=root).run.context for root in (1, 1.0))
    assert whole.settings.dtype is real.settings.dtype


def test_a_person_starts_at_a_pose():
    clip = sp.builtin("boxing").frames(slice(60, 80, 5))
    frame = clip.points().positions[3]
    away = {}
    for prior in ("sik", "constant"):
        run = MonteCarloSolver(prior=prior, iterations=1, posture=0.0).prepare(clip.skeleton)
        run.reset(clip[0])
        pose = run.solve(frame).pose
        arms = [clip.skeleton.anatomy.node(f"{side}_shoulder") for side in "lr"]
        away[prior] = arrays.angle_between(pose.rotations, clip[0].rotations)[arms].max()
    assert away["constant"] < 0.5 * away["sik"]
