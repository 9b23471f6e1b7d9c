from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Smoothness

from .derivatives import differences


def hinged(*degrees: float) -> Pose:
    chain = Skeleton.chain(len(degrees), kind="hinge")
    return Pose(chain, np.zeros(3), chain.articulation.rotations(np.radians(degrees)))


def test_the_energy_of_the_paper():
    # G26: three joints about Z; half the angle, every pair from both sides.
    assert Smoothness().measure(hinged(0.0, 10.0, 30.0)) == pytest.approx([0.523599], abs=1e-6)
    # In angles of rotation instead of half angles, as G26 also gives it.
    assert 2.0 * Smoothness().measure(hinged(0.0, 10.0, 30.0))[0] == pytest.approx(1.047198)
    # A window of two adds the pair of the ends: 30 degrees.
    wide = Smoothness(window=2).measure(hinged(0.0, 10.0, 30.0))
    assert wide == pytest.approx(np.radians([60.0]))
    assert Smoothness().residual(hinged(0.0, 10.0, 30.0)) == pytest.approx([-0.523599], abs=1e-6)


def test_an_arc_is_smooth():
    pose = hinged(*[7.0] * 6)
    assert Smoothness().measure(pose) == pytest.approx([0.0], abs=1e-7)
    assert not Smoothness().jacobian(pose).any()
    assert Smoothness().cost(pose) == pytest.approx(0.0, abs=1e-12)


def test_ends_of_a_chain_have_one_neighbour():
    assert Smoothness().pairs(Skeleton.chain(4)).tolist() == [[0, 1], [1, 2], [2, 3]]
    assert Smoothness(window=9).pairs(Skeleton.chain(3)).tolist() == [[0, 1], [1, 2], [0, 2]]
    assert Smoothness().pairs(Skeleton.chain(1)).shape == (0, 2)
    assert Smoothness().measure(random_pose(Skeleton.chain(1), 0)).tolist() == [0.0]


@pytest.mark.parametrize("name", ["balls", "hinges"])
@pytest.mark.parametrize("window", [1, 2])
def test_the_gradient_is_the_derivative(name: str, window: int):
    for seed in range(5):
        pose = random_pose(FIGURES[name], seed)
        task = Smoothness(window=window)
        np.testing.assert_allclose(task.jacobian(pose), differences(task, pose), atol=1e-7)


def test_a_part_of_a_figure_is_smooth_by_its_names():
    person = FIGURES["person"]
    arm = Smoothness(("l_shoulder", "l_elbow", "l_wrist"))
    pose = random_pose(person, 3)
    np.testing.assert_allclose(arm.jacobian(pose), differences(arm, pose), atol=1e-7)
    with pytest.raises(InputError, match="names of the joints of one `chain`"):
        Smoothness().measure(pose)


def test_senseless_chains_are_refused():
    for window in (0, -1, 1.5, True):
        with pytest.raises(InputError, match="`window` of 1 joint or more"):
            Smoothness(window=window)
    with pytest.raises(InputError, match="each joint of a `chain` once"):
        Smoothness(("a", "a"))
