"""Bodies that stand, as models."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.limits import Limits, adult_limits
from sixpoint.limits.adult import SPINE
from sixpoint.solvers.jacobian.balance import BalanceSolver
from sixpoint.solvers.jacobian.standing_body import (
    new_stance,
    simple_body,
    standing_model,
    trunk_joints,
)

BODY = sp.Skeleton.humanoid(1.75)
Z = np.array([0.0, 0.0, 1.0])


def test_the_body_has_fifteen_freedoms_and_the_paper_s_masses():
    body = simple_body(BODY.anatomy)
    model = standing_model(body, Limits({}))
    assert int(model.freedom.sum()) == 15
    hinges = [tuple(joint.axis) for joint in body.figure.joints if joint.freedom == 1]
    x, z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)  # frontal and lateral axes, no twist: foot, back
    assert hinges == [x, z, x, z, x, x]  # and elbows
    stance = new_stance(model, body, "paper")
    share = stance.masses.share
    np.testing.assert_allclose(share[share > 0.0], (0.5, 0.25, 0.25))
    for mass in ("winter", "male", "female"):
        other = new_stance(model, body, mass)
        assert other.masses.share.sum() == pytest.approx(1.0)
        assert abs(other.support[0, 0]) < 1e-9  # in the middle, left as right


def test_back_and_thorax_are_where_the_paper_has_them():  # Fig. 9
    back, thorax = trunk_joints(BODY.anatomy)
    assert (BODY.names[back], BODY.names[thorax]) == ("vl5", "vt12")
    tracker = BalanceSolver().prepare(BODY)
    assert tracker.limits["vl5"] == SPINE["lumbar"].limit(1)
    lean = arrays.from_axis_angle(Z, np.radians(19.0))  # as the whole region does
    assert tracker.limits["vt12"].violation(lean) == 0.0
    assert adult_limits(BODY)["vt12"].violation(lean) > 0.1
    given = adult_limits(BODY)
    assert BalanceSolver().prepare(BODY, limits=given).limits["vt12"] == given["vt12"]
    assert BalanceSolver(body="legs").prepare(BODY).limits["vt12"] == given["vt12"]
