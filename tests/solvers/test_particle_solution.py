"""Groups of poses, and the different ones among them."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.solvers.particle_solution import cluster, find_modes


def test_groups_of_poses():
    places = np.array([0.0, 0.1, 5.0, 5.05, 0.15])[:, None, None] * np.ones((5, 2, 3))
    weights = np.array((0.1, 0.3, 0.2, 0.25, 0.15))
    assert cluster(places, weights, 0.5) == [[1, 4, 0], [3, 2]]
    assert len(cluster(places, weights, 0.0)) == 5
    with pytest.raises(InputError, match="`distance` >= 0"):
        cluster(places, weights, -1.0)


# People from six points.


def test_a_chain_of_poses_is_one_group():
    places = np.linspace(0.0, 10.0, 21)[:, None, None] * np.ones((21, 1, 1))
    assert len(cluster(places, np.ones(21), 0.6)) == 1
    assert len(cluster(places, np.ones(21), 0.4)) == 21


def test_modes_are_met_first_and_then_heavy():
    arm = Skeleton.chain(1, kind="hinge")
    angles = (0.0, 0.01, 1.0, 2.0, 2.02)
    poses = [
        Pose(arm, np.zeros(3), arrays.from_axis_angle((0.0, 0.0, 1.0), a)[None]) for a in angles
    ]
    weights = np.array((0.1, 0.1, 0.5, 0.2, 0.1))
    worst = np.array((1e-5, 2e-6, 0.3, 1e-5, 1e-4))
    modes = find_modes(poses, weights, worst, 1e-3, 0.1)
    assert [mode.worst for mode in modes] == [1e-5, 2e-6, 0.3]
    assert [mode.weight for mode in modes] == pytest.approx([0.3, 0.2, 0.5])
    assert modes[1].pose is poses[1]  # the one that lacks least
