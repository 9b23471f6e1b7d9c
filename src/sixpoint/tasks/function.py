"""Tasks whose residual is a Python function.

The function returns what is wrong with a pose, zero where nothing is. It needs no derivative:
solvers that want one get it by differences, and the particle filter wants none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.pose import Pose
from .base import ScalarTask

STEP = 1e-6
"""Step of the central differences [rad]."""
LARGEST = 1e12
"""Functions must return smaller numbers: squares of larger ones leave nothing to compare."""


@dataclass(frozen=True)
class FunctionTask(ScalarTask):
    """Base of the two tasks that call a function."""

    batched: ClassVar[bool]
    """Whether the function takes many poses at once."""

    function: Callable[[Any], ArrayLike]
    """What is wrong with a pose, in metres or in units that the weight converts."""
    name: str = ""
    """Name in errors and reports. Default: the name of the function."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise InputError(f"Expected a function for a task, got {self.function!r}.")
        if not self.name:
            name = getattr(self.function, "__name__", "")
            given = name if name.isidentifier() else "function"  # a lambda has none
            object.__setattr__(self, "name", given)

    priority: int = 1
    """Level for solvers with strict priorities, 0 or more, the least first; others weigh all."""

    @property
    def label(self) -> str:
        """See `Task.label`."""
        return self.name

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Change of what the function gives with each degree of freedom (m, D), by differences."""
        body = pose.skeleton.articulation
        angles = body.angles(pose.rotations)
        out = []
        for k in range(body.count):
            ends = []
            for sign in (1.0, -1.0):
                turned = angles.copy()
                turned[k] += sign * STEP
                moved = Pose(pose.skeleton, pose.root, body.rotations(turned), pose.translations)
                ends.append(self.measure(moved))
            out.append((ends[0] - ends[1]) / (2.0 * STEP))
        return np.asarray(np.array(out).T)

    def call(self, argument: Any, *, poses: int | None = None) -> Floats:
        """What the function gives, checked: (m,), or (poses,) of that many poses.

        Raises:
            InputError: it raised, or gave another shape, or something that is not finite.
        """
        try:
            given = np.asarray(self.function(argument))
            if np.iscomplexobj(given):
                raise TypeError(f"{given.flat[0]} is no real number")
            values = given.astype(np.float64)
        except Exception as error:  # whatever a user's function raises
            raise InputError(
                f"Expected the task {self.name!r} to judge a pose; it raised "
                f"{type(error).__name__}: {error}"
            ) from error
        expected = "a number or (m,)" if poses is None else f"({poses},)"
        wrong = values.ndim > 1 if poses is None else values.shape != (poses,)
        if wrong or values.size == 0:
            raise InputError(
                f"Expected the task {self.name!r} to give the shape {expected}, got {values.shape}."
            )
        values = np.atleast_1d(values)
        wild = ~(np.abs(values) < LARGEST)  # NaN too
        if wild.any():
            raise InputError(
                f"Expected the task {self.name!r} to give finite numbers below {LARGEST:g}, "
                f"got {values[wild][0]}."
            )
        return values


@dataclass(frozen=True)
class PoseFunction(FunctionTask):
    """A function of one pose: ``function(pose) -> (m,)`` or a number. Simple and slow."""

    batched: ClassVar[bool] = False

    def measure(self, pose: Pose) -> Floats:
        """What the function gives (m,)."""
        return self.call(pose)


@dataclass(frozen=True)
class PlacesFunction(FunctionTask):
    """A function of many poses at once: places (N, J+S, 3) [m] to N numbers. Quick with NumPy.

    The places are those of all nodes of the skeleton, in the order of `Skeleton.node_names`.
    """

    batched: ClassVar[bool] = True

    def measure(self, pose: Pose) -> Floats:
        """What the function gives of this one pose (1,)."""
        return self.call(pose.world()[0][None], poses=1)
