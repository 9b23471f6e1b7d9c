from __future__ import annotations

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Reach


def test_reach_measures_places():
    chain = Skeleton.chain(3, 3.0)
    pose = Pose(chain, np.array((1.0, 0.0, 0.0)), arrays.identity(3))
    assert Reach("tip").measure(pose).tolist() == [1.0, 3.0, 0.0]
    assert Reach("joint_2").measure(pose).tolist() == [1.0, 1.0, 0.0]
    assert Reach("tip").residual(pose, np.array((1.0, 2.0, 0.5))).tolist() == [0.0, -1.0, 0.5]
    # The root turns the tip about X at 3 m: towards +Z.
    assert Reach("tip").jacobian(pose)[:, 0].tolist() == [0.0, 0.0, 3.0]
    # What hangs below a joint does not move it.
    assert not Reach("joint_2").jacobian(pose)[:, 3:].any()
