from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Floor, Reach


def test_floors_hold_or_only_stop():
    chain = Skeleton.chain(1)
    high, low = (
        Pose(chain, np.array((0.0, y, 0.0)), arrays.identity(1)) for y in (0.5, -1.5)
    )  # the tip at 1.5, and at -0.5
    assert Floor("tip").residual(high) == pytest.approx([-1.5])
    assert Floor("tip", 0.1).residual(low) == pytest.approx([0.6])
    loose = Floor("tip", lifts=True)
    assert loose.residual(high).tolist() == [0.0]
    assert not loose.jacobian(high).any()
    assert loose.residual(low) == pytest.approx([0.5])
    np.testing.assert_array_equal(loose.jacobian(low), Reach("tip").jacobian(low)[1:2])


def test_floors_at_no_height_are_refused():
    with pytest.raises(InputError, match="finite `height`"):
        Floor("l_ankle", np.nan)
