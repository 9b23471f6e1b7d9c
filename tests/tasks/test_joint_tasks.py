from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Coupling, Posture, Smoothness, finger_couplings

from .derivatives import differences


def test_posture_takes_the_shorter_way():
    hinge = Skeleton.chain(1, kind="hinge")

    def pose(angle: float) -> Pose:
        return Pose(hinge, np.zeros(3), hinge.articulation.rotations(np.array([angle])))

    assert Posture().residual(pose(3.0), pose(-3.0)) == pytest.approx([2.0 * np.pi - 6.0])


def test_a_posture_of_its_own():
    pose, like = (random_pose(FIGURES["hand"], seed) for seed in (1, 2))
    np.testing.assert_array_equal(Posture(like=like).residual(pose), Posture().residual(pose, like))


def test_postures_of_other_figures_are_refused():
    hand, arm = random_pose(FIGURES["hand"], 1), random_pose(Skeleton.chain(3), 1)
    with pytest.raises(InputError, match=r"same skeleton, with 17 joints; got one with 3"):
        Posture(like=arm).residual(hand)
    with pytest.raises(InputError, match="a pose for the task 'posture', got 3"):
        Posture(like=3).residual(hand)


def test_fingers_bend_together():
    hand = FIGURES["hand"]
    couplings = finger_couplings()
    assert [task.joint for task in couplings] == [
        f"{finger}_end" for finger in ("index", "middle", "ring", "little")
    ]
    body = hand.articulation
    angles = np.zeros(body.count)
    angles[body.first[hand.index("ring_middle")]] = 0.9
    angles[body.first[hand.index("ring_end")]] = 0.6
    pose = Pose(hand, np.zeros(3), body.rotations(angles))
    for task in couplings:
        assert task.residual(pose) == pytest.approx([0.0], abs=1e-12)
        assert task.label == f"coupling {task.joint}"
    angles[body.first[hand.index("ring_end")]] = 0.7
    bent = Pose(hand, np.zeros(3), body.rotations(angles))
    assert couplings[2].residual(bent) == pytest.approx([-0.1])


def test_the_jacobian_of_a_coupling_is_the_derivative():
    pose = random_pose(FIGURES["hand"], 1, spread=1.0)
    for task in finger_couplings():
        np.testing.assert_allclose(task.jacobian(pose), differences(task, pose), atol=1e-8)


def test_senseless_couplings_are_refused():
    with pytest.raises(InputError, match="two hinges to couple, got 'a' twice"):
        Coupling("a", "a")
    with pytest.raises(InputError, match="finite `ratio`"):
        Coupling("a", "b", np.nan)
    hand = random_pose(FIGURES["hand"], 0)
    for name in ("wrist", "index_tip"):
        with pytest.raises(InputError, match=f"hinge to couple, got '{name}'"):
            Coupling("index_end", name).measure(hand)
    with pytest.raises(UnknownName, match="No joint 'toe'"):
        Coupling("index_end", "toe").measure(hand)


def hinged(*degrees: float) -> Pose:
    chain = Skeleton.chain(len(degrees), kind="hinge")
    return Pose(chain, np.zeros(3), chain.articulation.rotations(np.radians(degrees)))


def test_the_energy_of_the_paper():
    # Three joints about Z; half the angle, every pair from both sides.
    assert Smoothness().measure(hinged(0.0, 10.0, 30.0)) == pytest.approx([0.523599], abs=1e-6)
    # In angles of rotation instead of half angles.
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
