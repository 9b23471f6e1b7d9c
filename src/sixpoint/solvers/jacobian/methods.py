"""Five Jacobian methods: transpose, pseudo-inverse, and three ways of damping.

Ball joints are split into three one-axis joints (X, Y, Z in follower order), elbows and knees keep
one. On people the root is placed as in sequential IK and the pose of the frame before is the start,
unless another solver provides one. The comparison of Unzueta et al. 2008 (section 9) gives the
constants; lengths of its figures of 1.83 m are told here as parts of the size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from ...tasks import Orient, Reach, SelfCollision, Task
from ..articulated.build import model_depth
from ..articulated.model import Model
from ..articulated.plan import IterativeSettings, articulated_plan
from ..base import Capabilities, Solver
from ..people.plan import PAPER_HEIGHT, PersonSettings
from ..plan import Plan
from ..problem import Problem
from ..settings import NonNegative, Number, Positive
from .descent import Descent, new_descent, solve_people, solve_skeletons
from .steps import DLS, DLS_SVD, PSEUDOINVERSE, SDLS, TRANSPOSE


class JacobianSolver(IterativeSettings, PersonSettings, Solver):
    """What all Jacobian methods share."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    solve_people = solve_people
    solve_skeletons = solve_skeletons
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach, Orient, SelfCollision)
    method: ClassVar[int]
    """Which step, as in `steps`."""

    def numbers(self) -> dict[str, Number]:
        """Return the settings as numbers: the same names for all, so that they share a kernel."""
        usual = {"damping": 0.0, "cut": 0.0, "task_step": 0.0, "joint_step": math.pi}
        own = super().numbers()
        numbers = {name: own.get(name, value) for name, value in usual.items()}
        return {
            "method": self.method,
            "soft": own.get("clamp", 0),
            "start": own["start"],
            **numbers,
        }

    def skeleton_settings(self, model: Model) -> dict[str, Number]:
        """Return the settings for any skeleton.

        The joints of a long chain together turn by half a circle in an iteration, not more. Beyond
        that the Jacobian is no guide: a hundred joints would wind the chain into a ball.
        """
        numbers: dict[str, Number] = super().skeleton_settings(model)
        most = math.pi / model_depth(model) if self.method != SDLS else math.pi
        return numbers | {"joint_step": min(cast("float", numbers["joint_step"]), most)}

    def skeleton_scratch(self, model: Model) -> Descent:
        """Return room for a Jacobian and its decomposition."""
        return new_descent(model)

    def plan(self, problem: Problem) -> Plan:
        """Return the tables and the kernel for one skeleton."""
        return articulated_plan(self, problem)


@dataclass(frozen=True, kw_only=True)
class TransposeSolver(JacobianSolver):
    """Settings of the Jacobian transpose method: walk downhill.

    Wolovich and Elliott 1984; step length after Buss and Kim 2005. Cheap steps, many of them
    needed. **Bad at** several targets at once and targets out of reach: Unzueta et al. 2008 leave
    it out of their table.
    """

    name: ClassVar[str] = "jacobian-transpose"
    title: ClassVar[str] = "Jacobian transpose"
    method: ClassVar[int] = TRANSPOSE

    joint_step: Positive = math.radians(30.0)
    """Most that a joint turns in one iteration [rad]."""


@dataclass(frozen=True, kw_only=True)
class PseudoinverseSolver(JacobianSolver):
    """Settings of the pseudo-inverse: the least rotation, if the skeleton were linear.

    Whitney 1969. Exact far from singularities, wild near them: singular values below a part of the
    largest are dropped and steps are capped.
    """

    name: ClassVar[str] = "pseudoinverse"
    title: ClassVar[str] = "Pseudo-inverse"
    method: ClassVar[int] = PSEUDOINVERSE

    cut: NonNegative = 0.01
    """Singular values below this part of the largest count as zero."""
    joint_step: Positive = math.radians(5.0)
    """Most that a joint turns in one iteration [rad]."""


@dataclass(frozen=True, kw_only=True)
class DampedSolver(JacobianSolver):
    """Settings of damped least squares: a pseudo-inverse that gives way near singularities.

    Wampler 1986, Nakamura and Hanafusa 1986. The damping of 75 of Unzueta et al. 2008 is read as
    75 mm.
    """

    name: ClassVar[str] = "dls"
    title: ClassVar[str] = "Damped least squares"
    method: ClassVar[int] = DLS

    damping: NonNegative = 0.075 / PAPER_HEIGHT
    """Length that singular values are compared with, as a part of the skeleton's size."""
    joint_step: Positive = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""


@dataclass(frozen=True, kw_only=True)
class DampedSvdSolver(JacobianSolver):
    """Settings of damped least squares through singular values.

    The same step as `dls`, by the decomposition of Maciejewski and Klein 1988; Unzueta et al. 2008
    list both.
    """

    name: ClassVar[str] = "dls-svd"
    title: ClassVar[str] = "Damped least squares by singular values"
    method: ClassVar[int] = DLS_SVD

    damping: NonNegative = 0.075 / PAPER_HEIGHT
    """Length that singular values are compared with, as a part of the skeleton's size."""
    joint_step: Positive = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""


@dataclass(frozen=True, kw_only=True)
class SelectivelyDampedSolver(JacobianSolver):
    """Settings of selectively damped least squares: a clamp for each singular direction.

    Buss and Kim 2005. No damping constant to tune; calm near singularities, quick elsewhere.
    """

    name: ClassVar[str] = "sdls"
    title: ClassVar[str] = "Selectively damped least squares"
    method: ClassVar[int] = SDLS

    clamp: Literal["hard", "soft"] = "soft"
    """Clamp each direction as published, or scale it smoothly as in its authors' code."""
    task_step: NonNegative = 0.15 / PAPER_HEIGHT
    """Most that a task asks for in one iteration, as a part of the skeleton's size: half a bone."""
    joint_step: Positive = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""
