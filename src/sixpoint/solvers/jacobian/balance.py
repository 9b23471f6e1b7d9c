"""Prioritized IK with balance: a body that stands, from its wrists alone.

Boulic, Varona, Unzueta, Peinado, Suescun and Perales, "Evaluation of on-line analytic and numeric
inverse kinematics approaches driven by partial vision input", Virtual Reality 10 (2006), section 6.
Four levels of strict priority (Table 1): the centre of mass stays above its support, the wrists go
where they were seen, the shoulders stay where they stood, and what is left goes back to the
standing posture. With legs, feet that are pinned come before all. Head and pelvis need not be seen.

**Good at** postures that do not fall over: reach far to one side, and the hips go to the other.
**Bad at** anything but standing: feet stay or follow the ankles, steps are not taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from ...body.skeleton import Skeleton
from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.arrays import as_quat
from ...kernels.limits import limit_clamp_angle
from ...kernels.quaternion import quat_load, quat_store
from ...kernels.types import Floats
from ...kernels.vector import vec_load, vec_store
from ...motion.pose import Pose
from ..articulated.build import new_pose, person_compliance, relaxed_posture
from ..articulated.context import person_kernel, stop_flags
from ..articulated.model import (
    Targets,
    model_forward,
    read_pose,
    write_pose,
    write_root,
)
from ..base import Capabilities, Solver
from ..context import SPENT, Frames, Output
from ..people.body import row_names
from ..people.plan import PAPER_HEIGHT, PersonPlan, PersonSettings
from ..people.points import begin_frame, end_frame
from ..people.tables import PELVIS
from ..problem import LimitsChoice, Problem, resolve_limits
from ..sequential.limb_ends import FIXED, LEVEL
from ..settings import Fraction, Interval, Number, Numbers, Positive, Triple
from ..tracker import Tracker
from .balance_step import balance, feet_error
from .priority_step import (
    limb_flags,
    new_work,
)
from .standing import (
    ANKLE,
    LEGS,
    SHOULDER,
    WRIST,
    BalanceContext,
    in_world,
    plant_legs,
    stand_on,
    write_legs,
)
from .standing_body import (
    new_stance,
    simple_body,
    simple_limits,
    standing_model,
    trunk_joints,
    whole_body,
)

SETTLING_STEPS = 60
"""Most steps in which a body with legs comes to stand on its feet, before its first frame."""
STANDING_BEND = 0.2
"""Bend of elbows and knees in the posture of a body with legs [rad]: to first order a straight leg
does not know that it can bend, and feet would leave the ground."""


def solve_frame(c: BalanceContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person who stands, from wrists and ankles.

    The pose of the frame before is the start.
    """
    model, pose, stance, work = c.model, c.pose, c.stance, c.work
    legs = c.settings.body == LEGS
    flags, estimate = begin_frame(c, frames, frame)
    first = c.state.frames == 0
    moved = stand_on(c, flags, estimate, first)
    if first or (moved and not legs):
        place_root(c)
        model_forward(model, pose)
    targets = Targets(stance.goals, frames.rotations[frame])
    steps, reason, settling = 0, SPENT, SETTLING_STEPS if first and legs else 0
    while True:
        place_goals(c, settling > 0)
        steps, reason = balance(c, targets)
        if settling == 0:
            break
        met = feet_error(c) <= c.settings.tolerance * model.size[0]
        settling = 0 if met else settling - 1
    for p in range(work.ends.shape[0]):
        vec_store(work.ends, p, vec_load(pose.effectors, p))
    if not legs:
        flags |= plant_legs(c)
    out, pelvis = frames.out, model.effector_joint[PELVIS]
    write_pose(model, pose, c.rest, out.rotations[frame], out.root[frame])
    write_root(model, vec_load(pose.position, pelvis), out.root[frame])
    write_legs(c, out.rotations[frame])
    out.iterations[frame] = steps
    out.numbers[frame, 0] = stance.drift[0]
    flags |= stop_flags(reason) | limb_flags(c)
    end_frame(c, frames, frame, estimate, quat_load(pose.world, pelvis), flags)


solve_frames = person_kernel(solve_frame, BalanceContext)


@helper
def place_root(c: BalanceContext) -> None:
    """Put the root where the body stands; that of a body with legs is its pelvis."""
    position = vec_load(c.stance.position, 0)
    if c.settings.body == LEGS:
        position = in_world(c.stance, vec_load(c.stance.neutral, 0))
    quat_store(c.pose.local, 0, quat_load(c.stance.heading, 0))
    vec_store(c.pose.position, 0, position)


@helper
def place_goals(c: BalanceContext, settling: bool) -> None:
    """Where the end effectors shall be; a body that settles on its feet asks for nothing else."""
    stance = c.stance
    for effector in range(stance.goals.shape[0]):
        goal = in_world(stance, vec_load(stance.neutral, effector))
        if ANKLE <= effector < SHOULDER:
            goal = vec_load(stance.ankles, effector - ANKLE)
        elif settling:
            goal = vec_load(c.pose.effectors, effector)
        elif WRIST <= effector < ANKLE:
            goal = vec_load(c.work.points, effector)
        vec_store(stance.goals, effector, goal)


@dataclass(frozen=True, kw_only=True)
class BalanceSolver(PersonSettings, Solver):
    """Settings of prioritized IK with balance; lengths are parts of the body height."""

    name: ClassVar[str] = "pik-balance"
    title: ClassVar[str] = "Prioritized IK with balance"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=False,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )

    body: Literal["simple", "legs"] = "simple"
    """The 15 degrees of freedom of the paper on a virtual foot, or the whole person with both feet
    pinned and the centre of mass anywhere above the soles."""
    steps: Annotated[int, Interval(1, 10_000)] = 5
    """Most steps in a frame. The paper compares 1, 5, 10 and 20, and takes 5."""
    mass: Literal["paper", "winter", "male", "female"] = "paper"
    """Where the mass is: half at mid-thigh and a quarter each in back and chest (the paper), or the
    segment masses ``winter``, ``male``, ``female``."""
    damping: Fraction = 0.05 / PAPER_HEIGHT
    """Singular values well below this hardly move a joint: calm against lag (5 cm at 1.83 m)."""
    ease: bool = False
    """Damp wrists that are nearer than a step less, as `pik` does: quicker, and less calm. The
    paper damps all alike."""
    task_step: Positive = 0.03 / PAPER_HEIGHT
    """Most that a wrist is asked to move in one step (3 cm at 1.83 m)."""
    joint_step: Positive = math.radians(45.0)
    """Most that a joint turns in one step [rad]."""
    tolerance: Fraction = 0.0005 / PAPER_HEIGHT
    """Wrists and balance nearer than this end the frame (0.5 mm at 1.83 m)."""
    cut: Fraction = 1e-3
    """Directions with singular values below this are left to lower levels."""
    posture: Fraction = 0.1
    """Part of the way back to the standing posture in each step, as far as no level minds."""
    steady: bool = True
    """Shorten steps that bring the body no nearer to what is asked, and damp more meanwhile: it
    comes to rest at goals that keep still, also out of reach. False: whole steps, as published."""
    observer: bool = True
    """Bend a straight arm whose goal lies towards its shoulder."""
    give: Annotated[Triple, Numbers(3, Interval(0.0, 1.0, above=True))] = (0.4, 0.4, 0.2)
    """With legs: how readily pelvis, spine and clavicles turn, compared with arms and legs."""

    def prepare(
        self, skeleton: Skeleton, *, limits: LimitsChoice = "adult", **given: Any
    ) -> Tracker:
        """Return a tracker of one person, see `Solver.prepare`.

        With the simple body and limits of adults, the joints that stand for the back and the thorax
        have the ranges of all joints that they stand for.
        """
        if limits == "adult" and self.body == "simple":
            limits = simple_limits(skeleton.anatomy, resolve_limits(limits, skeleton))
        return super().prepare(skeleton, limits=limits, **given)

    def plan(self, problem: Problem) -> BalancePlan:
        """Return the tables and the kernel for one person."""
        return BalancePlan(self, problem)


class BalancePlan(PersonPlan):
    """A person who stands."""

    kernel = solve_frames
    detailed = True
    numbers = 1

    def __init__(self, solver: BalanceSolver, problem: Problem) -> None:
        super().__init__(solver, problem)
        anatomy = self.skeleton.anatomy
        self._standing = whole_body(anatomy) if solver.body == "legs" else simple_body(anatomy)
        self._model = standing_model(self._standing, self.limits)
        self._back = trunk_joints(anatomy)[0]
        self._limits = self.limits.table(row_names(self.skeleton, self.body[0]))

    def numbers_of_method(self) -> Mapping[str, Number]:
        """Return what the kernel reads besides the times of `PersonSettings`."""
        legs: Mapping[str, Number] = {"clavicle": FIXED, "clavicle_relax": 0.0, "feet": LEVEL}
        return {**super().numbers_of_method(), **legs}

    def new_context(self, rate: float) -> BalanceContext:
        """Return the tables of the kernel, with fresh memory."""
        standing, model = self._standing, self._model
        figure, floating = standing.figure, standing.floating
        posture, compliance = arrays.identity(len(figure.joints)), None
        if floating:
            posture = relaxed_posture(figure, STANDING_BEND)
            compliance = person_compliance(figure, self.solver.give)
        return BalanceContext(
            *self.new_body_tables(rate),
            self._limits,
            self.rest,
            model,
            new_pose(model),
            new_work(
                model, standing.levels, posture=posture, compliance=compliance, floating=floating
            ),
            new_stance(model, standing, self.solver.mass),
        )

    def begin(self, context: BalanceContext, pose: Pose) -> None:
        """Let a fresh context start from a pose."""
        self.begin_state(context.state, pose)
        body, settings, state, work = (records[0] for records in context[:4])
        c = context._replace(body=body, settings=settings, state=state, work=work)
        c.work.points[:] = c.state.points
        stand_on(c, 0, as_quat(c.state.pelvis), True)
        local = c.pose.local
        read_pose(self._model, pose.rotations, local)
        if self._standing.floating:
            c.pose.position[0] = c.state.points[0]
            return
        # The virtual foot and the back are two hinges each, about X and Z.
        place_root(c)
        pelvis = arrays.multiply(arrays.conjugate(c.stance.heading[0]), c.state.pelvis)
        rotations = self.skeleton.articulation.to_rest(pose.rotations)
        hips = self._model.effector_joint[0]
        local[hips] = arrays.identity()
        for hinge, rotation in ((hips - 2, pelvis), (hips + 1, rotations[self._back])):
            if self._model.freedom[hinge] == 0:
                continue
            bend, _, lean = arrays.to_euler("XYZ", rotation)
            for joint, angle in ((hinge, bend), (hinge + 1, lean)):
                held = limit_clamp_angle(self._model.limits, joint, float(angle))
                local[joint] = arrays.from_axis_angle(self._model.axis[joint], held)

    def extras(self, out: Output) -> dict[str, Floats]:
        """Return how far the centre of mass was from its support in each frame [m]."""
        return {"drift": out.numbers[:, 0]}
