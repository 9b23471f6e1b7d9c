"""Methods for people: settings that all of them have, and what their answers mean.

Each gets the same six points, fills in those that were not seen, estimates the same rotation of the
pelvis and is judged by the same rules.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...motion.motion import Motion
from ...motion.points import SIX
from ...motion.pose import Pose
from ..context import (
    LIMITED,
    MISSING,
    OUT_OF_STEPS,
    SPINE_LIMITED,
    SPINE_STRETCHED,
    STALLED,
    UNREACHABLE,
    Frames,
    Output,
    RecordArray,
)
from ..plan import Plan, Status
from ..problem import Problem
from ..settings import Interval, Number, Weights, settings_record
from ..solution import StopReason
from .body import build_body, held_rest, new_state, new_work, remember_pose
from .tables import FIRST_LIMB, HEAD, LIMBS

PAPER_HEIGHT = 1.83
"""Height of the figures of Unzueta et al. 2008, on which its centimetres are measured [m]."""
TOLERANCE = 1e-3
"""A point nearer to its target than this part of the body height is met, to exact solvers."""
MISSED = 1e-3
"""A limb farther from its target than this has missed it [m]."""
DOUBTFUL = 0.1
"""Points this part of the body height away from theirs on average cannot be this body's."""
FADE = 0.075
"""Time in which the speed of a point that is predicted falls to a third [s]."""
FOLLOW = 1.0
"""Time in which the pelvis turns to the one line that is seen, wrists or ankles [s]: alone it
swings too much to be followed at once."""
FASTEST_TURN = math.radians(1200.0)
"""People turn no faster than this [rad/s]; a pirouette has about 1000 degrees a second."""
REASONS = (
    (0xF * STALLED, StopReason.STALLED),
    (0xF * UNREACHABLE | SPINE_STRETCHED, StopReason.UNREACHABLE),
    (0xF * LIMITED | SPINE_LIMITED, StopReason.LIMITS_SATURATED),
    (OUT_OF_STEPS, StopReason.MAX_ITERATIONS),
)
"""Flags that explain a miss, the gravest first."""


@dataclass(frozen=True, kw_only=True)
class PersonSettings:
    """Settings of all methods that reconstruct people from six points."""

    weights: Weights = (1.0, 1.0, 0.0)
    """How much the line between the wrists, the line between the ankles and the frame before decide
    where the pelvis faces. (1, 1, 0) suits fights and sports; (0.1, 0.1, 1) walking and climbing,
    where wrists and ankles swing against each other; a third weight that outweighs the others also
    prevents flips."""
    missing: Literal["hold", "predict"] = "hold"
    """Points that are not seen stay with the body, or also keep their speed for a moment."""
    recovery: Annotated[float, Interval(0.0, 60.0)] = 0.25
    """Time in which a point that is seen again eases to its position [s]."""

    @property
    def closeness(self) -> float:
        """A point nearer to its target than this part of the body height is met."""
        return TOLERANCE

    def person_numbers(self, rate: float) -> dict[str, Number]:
        """Return what the kernels of the six points read, times in frames."""
        return {
            "weights": self.weights,
            "missing": int(self.missing == "predict"),
            "recovery_frames": float(round(self.recovery * rate)),
            "fade": math.exp(-1.0 / (FADE * rate)),  # what is left of a speed after each frame
            "period": 1.0 / rate,  # time between frames [s]
            "follow": FOLLOW * rate,  # frames in which the pelvis turns to the only line seen
            "turn": FASTEST_TURN / rate,  # most that the pelvis turns in a frame [rad]
        }


class PersonPlan(Plan):
    """A method for one person: the body as tables, and how answers are judged."""

    rotated = FIRST_LIMB  # of pelvis and head
    points = SIX

    def __init__(self, solver: Any, problem: Problem) -> None:
        super().__init__(solver, problem)
        if problem.tasks is not None:
            raise InputError(
                f"Expected a solver of any skeleton for `tasks`, got {solver.name!r}, which moves "
                "people by six points."
            )
        anatomy = problem.skeleton.anatomy
        self.body, rest = build_body(anatomy)
        self.rest = held_rest(problem.skeleton, problem.limits, rest)
        self.height = float(self.body[0].height)
        self._pelvis = anatomy.node("pelvis")
        self._tolerance = solver.closeness * self.height

    @property
    def needed(self) -> tuple[str, ...]:
        """Points that must be given; others may be absent."""
        needed: tuple[str, ...] = self.solver.needed
        return needed

    def numbers_of_method(self) -> Mapping[str, Number]:
        """Return what the kernel reads besides the times of `PersonSettings`."""
        numbers: Mapping[str, Number] = self.solver.numbers()
        return numbers

    def new_settings(self, rate: float) -> RecordArray:
        """Return the settings as the kernel reads them."""
        person = self.solver.person_numbers(rate)
        return settings_record({"project_previous": True, **self.numbers_of_method(), **person})

    def new_body_tables(
        self, rate: float
    ) -> tuple[RecordArray, RecordArray, RecordArray, RecordArray]:
        """Return body, settings, state and scratch memory, which every context of a person has."""
        return self.body, self.new_settings(rate), new_state(), new_work()

    def begin_state(self, state: RecordArray, pose: Pose) -> None:
        """Take a pose for the answer to the frame before."""
        anatomy, pelvis = self.skeleton.anatomy, self._pelvis
        positions, world = pose.world()
        rotation = arrays.multiply(world[pelvis], arrays.conjugate(anatomy.neutral[pelvis]))
        remember_pose(state, positions[[anatomy.node(name) for name in SIX]], rotation)

    def pose(self, out: Output) -> Pose:
        """Return the pose of the first frame, in arrays of its own."""
        pose = Pose.__new__(Pose)  # our own arrays: nothing to check
        put = object.__setattr__
        put(pose, "skeleton", self.skeleton)
        put(pose, "rotations", out.rotations[0].copy())
        if self._pelvis == 0:
            put(pose, "root", out.root[0].copy())
            put(pose, "translations", None)
        else:
            moves = self.skeleton.offsets.copy()
            moves[self._pelvis] = out.root[0]
            put(pose, "root", moves[0])
            put(pose, "translations", moves)
        return pose

    def motion(self, out: Output, rate: float) -> Motion:
        """Return the motion of all frames."""
        if self._pelvis == 0:
            return Motion(self.skeleton, out.root, out.rotations, rate)
        moves = np.tile(self.skeleton.offsets, (len(out.root), 1, 1))
        moves[:, self._pelvis] = out.root
        return Motion(self.skeleton, moves[:, 0], out.rotations, rate, moves)

    def stop_reason(self, frames: Frames, frame: int) -> StopReason:
        """Say why the method stopped on a frame."""
        worst = np.fmax.reduce(frames.out.residuals[frame])  # NaN if nothing was seen
        if worst <= self._tolerance:
            return StopReason.CONVERGED
        flags = int(frames.out.flags[frame])
        for bits, reason in REASONS:
            if flags & bits:
                return reason
        return StopReason.STALLED

    def missing(self, frames: Frames) -> tuple[str, ...]:
        """Return the points that were not seen in the first frame."""
        bits = int(frames.out.flags[0]) // MISSING
        return tuple(name for p, name in enumerate(SIX) if bits >> p & 1) if bits else ()

    def status(self, frames: Frames) -> Status:
        """Say what happened to each point in each frame."""
        flags = frames.out.flags[:, None]
        bits = np.arange(LIMBS)
        unreachable = np.zeros((len(flags), len(SIX)), np.bool_)
        limited, missed = unreachable.copy(), unreachable.copy()
        unreachable[:, FIRST_LIMB:] = flags & (UNREACHABLE << bits)
        limited[:, FIRST_LIMB:] = flags & (LIMITED << bits)
        far = frames.out.residuals[:, FIRST_LIMB : len(SIX)] > MISSED
        missed[:, FIRST_LIMB:] = far & ~unreachable[:, FIRST_LIMB:]
        unreachable[:, HEAD] = flags[:, 0] & SPINE_STRETCHED
        limited[:, HEAD] = flags[:, 0] & SPINE_LIMITED
        missing = (flags & (MISSING << np.arange(len(SIX)))) != 0
        return Status(unreachable, limited, missing, missed)

    def remarks(self, frames: Frames) -> list[str]:
        """Doubt points that are far from the body's in the whole clip."""
        residuals = frames.out.residuals
        mean = float(np.nanmean(residuals)) if np.isfinite(residuals).any() else 0.0
        if mean <= DOUBTFUL * self.skeleton.anatomy.height:
            return []
        return [
            f"points are {mean:.2f} m off on average: their unit, their upward axis or the body "
            "does not fit"
        ]
