"""Names for the shapes that kernels pass around."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vec3: TypeAlias = tuple[float, float, float]
"""A vector [m] or a direction: a tuple, so that it lives in registers."""

Quat: TypeAlias = tuple[float, float, float, float]
"""A unit quaternion (w, x, y, z), Hamilton product, active rotation."""

Mat3: TypeAlias = tuple[Vec3, Vec3, Vec3]
"""Three *columns*: the images of X, Y and Z."""

Mat4: TypeAlias = tuple[Quat, Quat, Quat, Quat]
"""A symmetric 4x4 matrix over quaternions."""

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
