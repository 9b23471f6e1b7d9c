"""Bodies, settings and memory for the kernels of people, made by hand.

The helpers of kernels are plain Python functions: tests call them with contexts from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixpoint import api
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels._jit import Kernel
from sixpoint.kernels.limits import FREE_ROW, LimitTable, limit_table, limit_violation
from sixpoint.kernels.types import Floats, Quat, Vec3
from sixpoint.limits import JointLimit, Limits, SwingTwistLimit, adult_limits
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import LimitsChoice, Result, SequentialSolver, Solver, Tracker, solver
from sixpoint.solvers.context import Output, RecordArray, new_frames, new_output
from sixpoint.solvers.people.body import build_body, new_state, new_work, row_names, set_spine
from sixpoint.solvers.people.plan import pelvis_frame
from sixpoint.solvers.people.tables import (
    FIRST_LIMB,
    LIMB_ROWS,
    LIMBS,
    Body,
    Settings,
    State,
    Work,
)
from sixpoint.solvers.plan import Plan
from sixpoint.solvers.sequential.plan import NUMBERS, SequentialContext, SequentialPlan
from sixpoint.solvers.sequential.sik import solve_frame
from sixpoint.solvers.sequential.swivel import solve_limb
from sixpoint.solvers.sequential.trunk import solve_trunk

ORIGIN = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0)
L_ARM, R_ARM, L_LEG, R_LEG = 0, 1, 2, 3
HUMAN = Skeleton.humanoid()
NOT_SEEN = (np.nan, np.nan, np.nan)

PAPER = ("17_10_boxing", "90_05_jump_kick", "01_03_playground_climb_hang_swing")
"""Clips of the sequential IK paper."""


class Figure:
    """A body as kernels read it, with its limits; fields of the record are attributes."""

    def __init__(self, record: RecordArray, limits: LimitTable, rest: Floats) -> None:
        self.record, self.limits, self.rest = record, limits, rest

    @property
    def body(self) -> Body:
        return self.record[0]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.record[0], name)

    def changed(self, **fields: ArrayLike) -> Figure:
        """A copy with some fields of the record replaced."""
        record = self.record.copy()
        for name, value in fields.items():
            record[name] = value
        return Figure(record, self.limits, self.rest)

    def with_limits(self, limits: dict[int, JointLimit]) -> Figure:
        """Limits for some rows, all others free."""
        rows = range(self.rows)
        table = limit_table([limits[k].row() if k in limits else FREE_ROW for k in rows])
        return Figure(self.record, table, self.rest)


@cache
def human(limited: bool = False) -> Figure:
    """The built-in figure, free or with adult limits."""
    record, rest = build_body(HUMAN.anatomy)
    limits = adult_limits(HUMAN) if limited else Limits({})
    return Figure(record, limits.table(row_names(HUMAN, record[0])), rest)


@cache
def plan_of(chosen: Solver) -> SequentialPlan:
    """The tables of a method for the built-in figure."""
    plan = chosen.prepare(HUMAN).plan
    assert isinstance(plan, SequentialPlan)
    return plan


def sequential_reconstruct(
    points: Points, skeleton: Skeleton, solver: str | Solver = "sik", **settings: Any
) -> Result:
    """Reconstruct by sequential IK, unless another solver is named."""
    return api.reconstruct(points, skeleton, solver, **settings)


def settings(rate: float = 60.0, kind: type[Solver] = SequentialSolver, **changed: Any) -> Settings:
    """Settings as kernels read them; by default those of the paper's sequential IK."""
    if kind is SequentialSolver:
        changed = {"variant": "paper", **changed}
    return plan_of(kind(**changed)).new_settings(rate)[0]


def memory() -> State:
    """Of a tracker that has seen nothing."""
    return new_state()[0]


def context(
    figure: Figure | None = None, chosen: Settings | None = None, state: State | None = None
) -> SequentialContext:
    """What kernels are given, records opened; by default a human who has done nothing yet.

    The scratch memory is fresh, as is the state unless one is given.
    """
    figure = human() if figure is None else figure
    return SequentialContext(
        figure.body,
        settings() if chosen is None else chosen,
        memory() if state is None else state,
        new_work()[0],
        figure.limits,
        figure.rest,
    )


def spine_body(
    segments: ArrayLike, limits: dict[int, JointLimit] | None = None, lumbar: Sequence[int] = ()
) -> Figure:
    """A body whose spine is made of these segments; it has no limbs to speak of."""
    steps = np.array(segments, dtype=np.float64)
    n = len(steps) + 1
    figure = human().changed(
        joints=n,
        rows=n + LIMBS * LIMB_ROWS,
        lumbar=-1,
        carrier=0,
        height=np.linalg.norm(steps, axis=1).sum() * 3.0,
        rig=-1,
    )
    set_spine(figure.body, steps)
    figure.twistable[:n] = 1.0
    figure.twistable[[0, *lumbar]] = 0.0
    return figure.with_limits(limits or {})


def straight_spine(joints: int, length: float = 1.0) -> Figure:
    """So many joints, both ends included, one above the other."""
    return spine_body(np.tile((0.0, length, 0.0), (joints - 1, 1)))


def curved_spine(degrees: Sequence[float], lengths: Sequence[float]) -> np.ndarray:
    """Segments in the sagittal plane, angles from Y towards Z."""
    angles = np.radians(degrees)
    directions = np.stack([np.zeros_like(angles), np.cos(angles), np.sin(angles)], axis=-1)
    return directions * np.array(lengths)[:, None]


CURVED_SPINE = curved_spine((-12, 10, 8, -10, 6), (0.12, 0.12, 0.12, 0.10, 0.10))
CURVED_BODY = spine_body(CURVED_SPINE)
STIFF_BODY = spine_body(
    CURVED_SPINE,
    dict.fromkeys(
        range(1, 6),
        SwingTwistLimit.degrees(
            (0.0, 1.0, 0.0),
            (0.0, 0.0, 1.0),
            (1.0, 0.0, 0.0),
            {-180: 8, -90: 6, 0: 12, 90: 6, 180: 8},
            (-3, 3),
        ),
    ),
)
"""The same with joints that hardly bend."""


def limb_body(
    upper: float, lower: float, clavicle: Vec3 = ORIGIN, limits: dict[int, JointLimit] | None = None
) -> Figure:
    """A body whose four limbs begin at the pelvis, or after a clavicle there."""
    figure = human().changed(carrier=0, bases=0.0, clavicles=clavicle, bones=(upper, lower))
    return figure.with_limits(limits or {})


def limb_row(body: Figure, limb: int, joint: int) -> int:
    """Row of a limb's clavicle (0), root (1) or hinge (2)."""
    return int(body.joints) + LIMB_ROWS * limb + joint


class Trunk:
    """A spine solved frame after frame, with its memory."""

    def __init__(self, body: Figure, **changed: Any) -> None:
        self.body = body
        self.context = context(body, settings(**changed))
        self.state: State = self.context.state
        self.work: Work = self.context.work
        self.steps = 0
        self.flags = 0

    def solve(
        self,
        head: ArrayLike,
        pelvis: ArrayLike = ORIGIN,
        left: ArrayLike = (1.0, 0.0, 0.0),
        pelvis_turn: Quat | None = None,
        head_turn: Quat | None = None,
    ) -> Trunk:
        """One frame; wrists and ankles lie along `left`."""
        side = 0.3 * np.array(left)
        middle = np.array(pelvis)
        self.work.points[:] = (pelvis, head, middle + side, middle - side, side, -side)
        self.frame = (
            pelvis_frame(self.context, self.work.points) if pelvis_turn is None else pelvis_turn
        )
        self.steps, self.flags = solve_trunk(
            self.context,
            self.frame,
            pelvis_turn is not None,
            IDENTITY if head_turn is None else head_turn,
            head_turn is not None,
        )
        self.state.left[:] = arrays.rotate(np.array(self.frame), np.array((1.0, 0.0, 0.0)))
        self.state.frames += 1
        return self

    @property
    def places(self) -> np.ndarray:
        return self.work.places[: self.body.joints].copy()

    @property
    def chord(self) -> np.ndarray:
        return self.places[-1] - self.places[0]

    @property
    def local(self) -> np.ndarray:
        return self.work.local[: self.body.joints].copy()

    @property
    def angle(self) -> float:
        """Bend found last [rad]."""
        return float(self.state.angle)

    def violations(self) -> list[float]:
        """Of each spine joint above the pelvis [rad]."""
        rows = range(1, self.body.joints)
        return [limit_violation(self.body.limits, k, tuple(self.work.local[k])) for k in rows]


class Limb:
    """One limb solved frame after frame, its parent at the origin and not turned."""

    def __init__(self, body: Figure, limb: int = L_ARM, **changed: Any) -> None:
        self.body, self.limb = body, limb
        self.context = context(body, settings(**changed))
        self.state: State = self.context.state
        self.work: Work = self.context.work
        self.end: np.ndarray = np.zeros(3)
        self.flags = 0

    def solve(self, target: ArrayLike) -> Limb:
        x, y, z = np.array(target, dtype=np.float64).tolist()
        self.flags = solve_limb(self.context, self.limb, (x, y, z))
        self.end = self.work.ends[FIRST_LIMB + self.limb].copy()
        self.miss = float(np.linalg.norm(self.end - target))
        self.state.frames += 1
        return self

    def turn(self, joint: int) -> np.ndarray:
        """Local rotation of clavicle (0), root (1) or hinge (2)."""
        return self.work.local[limb_row(self.body, self.limb, joint)].copy()

    @property
    def flexion(self) -> float:
        """Angle of the hinge about X [rad]."""
        w, x, _, _ = self.turn(2)
        return float(2.0 * np.arctan2(x, w))

    @property
    def elbow(self) -> np.ndarray:
        """Or knee."""
        girdle = self.turn(0)
        bone = np.array((0.0, -self.body.bones[self.limb, 0], 0.0))
        shoulder = arrays.rotate(girdle, self.body.clavicles[self.limb])
        return shoulder + arrays.rotate(arrays.multiply(girdle, self.turn(1)), bone)

    def violations(self) -> list[float]:
        rows = [limb_row(self.body, self.limb, joint) for joint in range(3)]
        return [limit_violation(self.body.limits, k, tuple(self.work.local[k])) for k in rows]


class Plain:
    """Whole frames of sequential IK in plain Python, with its memory in the open."""

    def __init__(self, body: Figure | None = None, rate: float = 60.0, **changed: Any) -> None:
        self.body = human() if body is None else body
        self.context = context(self.body, settings(rate, **changed))
        self.state: State = self.context.state
        self.work: Work = self.context.work
        self.out: Output = new_output(len(self.body.rest), len(SIX), 1, NUMBERS)
        self.frames = new_frames(self.out, len(SIX), FIRST_LIMB)

    def solve(self, six: ArrayLike, turned: ArrayLike | None = None) -> Plain:
        self.frames.positions[0] = six
        self.frames.rotations[0] = np.nan if turned is None else turned
        solve_frame(self.context, self.frames, 0)
        return self

    @property
    def used(self) -> np.ndarray:
        """The six positions that were solved for."""
        return self.work.points.copy()

    @property
    def ends(self) -> np.ndarray:
        """Where the six points of the body came to lie."""
        return self.work.ends.copy()

    @property
    def flags(self) -> int:
        return int(self.out.flags[0])


def reconstruct(
    points: Points,
    skeleton: Skeleton = HUMAN,
    name: str = "sik",
    limits: LimitsChoice = "adult",
    **changed: Any,
) -> Result:
    """A clip by a method, without what `sixpoint.reconstruct` adds for points of trackers."""
    chosen = solver(name, **changed)
    tracker = chosen.prepare(skeleton, limits=limits, rate=points.rate, names=points.names)
    return tracker.solve_clip(points)


def uncompiled(tracker: Tracker) -> Tracker:
    """A fresh tracker of the same body whose kernels run as plain Python."""
    plan = tracker.plan.solver.plan(tracker.plan.problem)
    following: Plan | None = plan
    while following is not None:
        kernel: Kernel[..., None] = Kernel(following.kernel.function)
        kernel.compiled = kernel.function
        following.kernel = kernel
        following = following.start
    return Tracker(plan)


def standing(pelvis: ArrayLike = ORIGIN) -> np.ndarray:
    """The six points of the built-in figure in its neutral stance."""
    return human().stance + np.array(pelvis)


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two vectors [rad]."""
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b)))


def turned_about(axis: ArrayLike, degrees: float) -> Quat:
    """A rotation as a tuple."""
    w, x, y, z = arrays.from_axis_angle(axis, np.radians(degrees)).tolist()
    return (w, x, y, z)


def largest_step(motion: Motion) -> float:
    """Largest turn of a joint in a frame [rad]."""
    return float(arrays.angle_between(motion.rotations[:-1], motion.rotations[1:]).max())
