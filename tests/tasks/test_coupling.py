from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.errors import InputError, UnknownName
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Coupling, finger_couplings

from .derivatives import differences


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
