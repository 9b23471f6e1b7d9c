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
from ...kernels.quaternion import quat_load, quat_store, quat_twist_angle
from ...kernels.tasks import mass_centre
from ...kernels.types import Floats, Vec3
from ...kernels.vector import vec_distance, vec_dot, vec_length, vec_load, vec_store, vec_sub
from ...motion.pose import Pose
from ..articulated.build import new_pose, person_compliance, relaxed_posture
from ..articulated.context import person_kernel, stop_flags
from ..articulated.model import (
    Targets,
    joint_axes,
    model_forward,
    read_pose,
    task_jacobian,
    task_residuals,
    write_pose,
    write_root,
)
from ..base import Capabilities, Solver
from ..context import MET, SPENT, STILL, Frames, Output
from ..people.body import row_names
from ..people.plan import PAPER_HEIGHT, PersonPlan, PersonSettings, begin_frame, end_frame
from ..people.tables import PELVIS
from ..problem import LimitsChoice, Problem, resolve_limits
from ..sequential.limb import FIXED, LEVEL
from ..settings import Fraction, Interval, Number, Numbers, Positive, Triple
from ..tracker import Tracker
from .judgement import (
    HALVINGS,
    begin_judgement,
    is_gain,
    keep_pose,
    restore_pose,
)
from .priority_step import (
    adapt_damping,
    limb_flags,
    limited_step,
    new_work,
    posture_step,
    release_joints,
    scale_tasks,
    take_step,
)
from .standing import (
    ANKLE,
    LEGS,
    SHOULDER,
    WRIST,
    BalanceContext,
    centre_slopes,
    in_world,
    plant_legs,
    stand_on,
    support_goal,
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

STRAIGHT_ELBOW = math.radians(5.0)
"""An elbow bent less than this is straight: it does not see the way to a goal towards its
shoulder, and is told to bend (the observer, section 6.3)."""
TOWARDS_SHOULDER = math.cos(math.radians(15.0))
"""Least cosine between the ways from the wrist to its goal and to the shoulder, for that."""
LEAST_OBSERVED_MISS = 0.005 / PAPER_HEIGHT
"""Least distance of the wrist from its goal for that, as a part of the size (5 mm)."""
OBSERVED_BEND = -0.1
"""How far such an elbow is told to bend [rad]."""
LEAST_TOLERANCE = 1e-6
"""Errors below this part of the size are none."""
OUT_OF_BALANCE = 0.00005 / PAPER_HEIGHT
"""A step after which balance or pinned feet are off by more than this part of the size is followed
by some of these levels alone."""
REPAIRS = 3
"""Most such steps."""
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


@helper
def balance(c: BalanceContext, targets: Targets) -> tuple[int, int]:
    """Steps until balance and wrists are met or the budget is spent; steps, and why it ended.

    A step that is no gain is halved until it is one; where none is, the body is at rest.
    """
    scratch, settings = c.scratch, c.settings
    heading = quat_load(c.stance.heading, 0)
    # Steps are judged within a frame: a target that ran away meanwhile is no failure of the last.
    scratch.ladder.damping_scale[:] = 1.0
    measure(c, targets)
    adapt_damping(c, math.inf)
    begin_judgement(c, targets, heading, False)
    for iteration in range(settings.steps):
        keep_pose(c)
        most, gained = math.inf, False
        for _ in range(HALVINGS):
            # A smaller step is computed anew: limits turn it another way than the whole one.
            most = 0.5 * find_step(c, targets, most, False)
            take_step(c)
            measure(c, targets)
            repair(c, targets)
            gained = is_gain(c, heading)
            if gained:
                break
            restore_pose(c)
            measure(c, targets)
        if not gained:
            return iteration + 1, MET if is_met(c) else STILL
        adapt_damping(c, max(settings.tolerance, LEAST_TOLERANCE))
        if is_met(c):
            return iteration + 1, MET
    return settings.steps, SPENT


@helper
def find_step(c: BalanceContext, targets: Targets, most: float, repairing: bool) -> float:
    """Compute the step from the pose given, or one that only repairs balance and pinned feet.

    No joint turns by more than `most`. Returns how far the farthest one turns [rad].
    """
    model, pose, scratch = c.model, c.pose, c.scratch
    joint_axes(model, pose, scratch.axes, False)
    task_jacobian(model, pose, scratch.axes, scratch.ladder.jacobian)
    scale_tasks(c, targets)
    posture_step(c, quat_load(c.stance.heading, 0))
    if c.settings.observer:
        observe_elbows(c)
    if repairing:
        clear_lower_levels(c)
    return min(most, balanced_step(c, most))


@helper
def repair(c: BalanceContext, targets: Targets) -> None:
    """Bring balance and pinned feet back, which a step disturbs to second order.

    Ours: the paper waits for the next step, which with one step a frame is too late.
    """
    for _ in range(REPAIRS):
        if max(c.stance.drift[0], feet_error(c)) <= OUT_OF_BALANCE * c.model.size[0]:
            break
        find_step(c, targets, math.inf, True)
        take_step(c)
        measure(c, targets)


@helper
def is_met(c: BalanceContext) -> bool:
    """Whether balance and wrists are met."""
    stance = c.stance
    away = stance.drift[0]
    for wrist in range(WRIST, WRIST + 2):
        reached = vec_load(c.pose.effectors, wrist)
        away = max(away, vec_distance(vec_load(stance.goals, wrist), reached))
    return bool(away <= c.settings.tolerance * c.model.size[0])


@helper
def measure(c: BalanceContext, targets: Targets) -> None:
    """Write what every task still asks for [m], and how far the centre of mass is off."""
    model, pose, stance, residual = c.model, c.pose, c.stance, c.scratch.ladder.residual
    model_forward(model, pose)
    task_residuals(model, pose, targets, residual)
    centre = mass_centre(stance.masses, pose.world, pose.position)
    goal, met = support_goal(stance, centre)
    first = stance.balance[0]
    residual[first] = 0.0 if met else goal[0] - centre[0]
    residual[first + 1] = 0.0
    residual[first + 2] = 0.0 if met else goal[2] - centre[2]
    stance.drift[0] = math.hypot(residual[first], residual[first + 2])


@helper
def feet_error(c: BalanceContext) -> float:
    """How far the farther ankle of legs that move is from where it stands [m]."""
    away = 0.0
    if c.settings.body == LEGS:
        for side in range(2):
            ankle = vec_load(c.pose.effectors, ANKLE + side)
            away = max(away, vec_distance(ankle, vec_load(c.stance.ankles, side)))
    return away


@helper
def observe_elbows(c: BalanceContext) -> None:
    """Bend a straight arm whose goal lies towards its shoulder: to first order none is needed."""
    model, pose, stance = c.model, c.pose, c.stance
    for side in range(2):
        joint = model.effector_joint[WRIST + side]
        if model.freedom[joint] == 0:
            continue
        bend = quat_twist_angle(quat_load(pose.local, joint), vec_load(model.axis, joint))
        if abs(bend) >= STRAIGHT_ELBOW:
            continue
        wrist = vec_load(pose.effectors, WRIST + side)
        to_goal = vec_sub(vec_load(stance.goals, WRIST + side), wrist)
        inward = vec_sub(vec_load(pose.effectors, SHOULDER + side), wrist)
        far = vec_length(to_goal)
        ahead = vec_dot(to_goal, inward) > TOWARDS_SHOULDER * far * vec_length(inward)
        if far > LEAST_OBSERVED_MISS * model.size[0] and ahead:
            k = model.first[joint]
            c.scratch.ladder.secondary[k] = OBSERVED_BEND / c.scratch.compliance[k]


@helper
def clear_lower_levels(c: BalanceContext) -> None:
    """Leave balance and what stands above it alone to ask for anything."""
    ladder, first = c.scratch.ladder, c.stance.balance[0] + 3
    ladder.residual[first:] = 0.0
    ladder.jacobian[first:] = 0.0
    ladder.secondary[:] = 0.0


@helper
def balanced_step(c: BalanceContext, most: float) -> float:
    """The step of all levels. A support of some width acts like a limit (Fig. 10).

    It asks for nothing until a step would take the centre of mass beyond it. Then the centre is
    held at the edge, nearest to where it would have gone, and the step is computed anew. Arguments
    and the result are those of `limited_step`.
    """
    stance, settings, size = c.stance, c.settings, c.model.size[0]
    centre = centre_slopes(c)
    near = settings.task_step if settings.ease else 0.0
    bound = settings.body != LEGS
    goal, _ = support_goal(stance, centre)
    while True:
        x, z = (goal[0] - centre[0]) / size, (goal[2] - centre[2]) / size
        balance_rows(c, x, z, 1.0 if bound else 0.0)
        release_joints(c, False)
        farthest = limited_step(c, near, most)
        if bound:
            return farthest
        goal, met = support_goal(stance, centre_ahead(c, centre))
        if met:
            return farthest
        bound = True


@helper
def balance_rows(c: BalanceContext, x: float, z: float, part: float) -> None:
    """Rows of the task of balance: move the centre by x and z, parts of the size; part 0: none."""
    ladder, slopes, first = c.scratch.ladder, c.stance.slopes, c.stance.balance[0]
    length = part * math.hypot(x, z)
    way = part * min(1.0, c.settings.task_step / length) if length > 0.0 else 0.0
    ladder.residual[first], ladder.residual[first + 1] = way * x, 0.0
    ladder.residual[first + 2] = way * z
    for k in range(slopes.shape[1]):
        scale = part * c.scratch.compliance[k]
        ladder.jacobian[first, k] = scale * slopes[0, k]
        ladder.jacobian[first + 1, k] = 0.0
        ladder.jacobian[first + 2, k] = scale * slopes[1, k]


@helper
def centre_ahead(c: BalanceContext, centre: Vec3) -> Vec3:
    """Where the step would take the centre, to first order."""
    slopes, step, size = c.stance.slopes, c.scratch.ladder.step, c.model.size[0]
    x, z = 0.0, 0.0
    for k in range(step.shape[0]):
        x += slopes[0, k] * step[k]
        z += slopes[1, k] * step[k]
    return (centre[0] + size * x, centre[1], centre[2] + size * z)


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
        work = new_work(
            model, standing.levels, posture=posture, compliance=compliance, floating=floating
        )
        return BalanceContext(
            *self.new_body_tables(rate),
            self._limits,
            self.rest,
            model,
            new_pose(model),
            work,
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
