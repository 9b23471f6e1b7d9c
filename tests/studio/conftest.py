from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion


@pytest.fixture(scope="session")
def squat() -> Motion:
    """Twenty frames of a built-in clip."""
    return builtin("squat").frames(slice(0, 200, 10))


@pytest.fixture(scope="session")
def snake() -> Motion:
    """A figure that is no human: four joints in a row and a tip."""
    skeleton = Skeleton(
        names=("a", "b", "c", "d"),
        parents=np.array([-1, 0, 1, 2]),
        offsets=np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
        site_names=("tip",),
        site_parents=np.array([3]),
        site_offsets=np.array([[0.0, 1.0, 0.0]]),
    )
    return Motion(skeleton, np.zeros((3, 3)), arrays.identity(3, 4), 10.0)
