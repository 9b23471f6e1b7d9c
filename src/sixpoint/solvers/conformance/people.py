"""The laws that solvers of people keep, on built-in clips and on points that no body has."""

from __future__ import annotations

import pickle
from threading import Thread
from typing import Any

import numpy as np

from ...body.skeleton import Skeleton
from ...data.clips import builtin
from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Bools, Floats
from ...limits import Limits, adult_limits
from ...motion.mirror import mirror_points
from ...motion.motion import Motion
from ...motion.points import SIX, Points
from ..base import Solver
from ..solution import Result, StopReason
from .law import (
    EQUAL,
    NEARLY_SAME,
    SAME,
    SEED,
    hold,
    hold_residuals,
    hold_stream,
    hold_untouched,
    largest_turn,
    laws_in,
    solve,
)

EXACT = 1e-3
"""A reachable target is met within this distance [m]."""
FALSELY_BLAMED = 0.05
"""Part of the limb-frames that iterative solvers may wrongly say a limit holds back: they note that
a limit was felt on the way, not where the limb ends."""
FAR_OFF, FEW = 0.05, 0.02
"""Solvers that seek a way within limits miss by more than the first [m] in fewer limb-frames."""
AT_LIMIT = 1e-3
"""A joint that breaks its limit when it turns on by this is at its end [rad]."""
LIMB_ROLES = (
    ("l_clavicle", "l_shoulder", "l_elbow"),
    ("r_clavicle", "r_shoulder", "r_elbow"),
    ("l_hip", "l_knee"),
    ("r_hip", "r_knee"),
)
"""Joints of the limbs in the order of their points."""
OUT_OF_REACH = 3.0
"""A target this far from the body cannot be reached [m]."""


def _clip(name: str = "boxing", frames: int = 120) -> Motion:
    clip = builtin(name)
    return clip.frames(slice(0, len(clip), max(1, len(clip) // frames)))


def _solve(solver: Solver, points: Points, skeleton: Skeleton | None = None) -> Result:
    return solve(solver, points, skeleton or _clip().skeleton, "adult")


def _wild(frames: int = 200) -> Points:
    """Points that no body ever had: clouds of several sizes, then degenerate cases."""
    rng = np.random.default_rng(SEED)
    size = 10.0 ** rng.uniform(-3.0, 2.0, (frames, 1, 1))
    cloud = rng.normal(size=(frames, len(SIX), 3)) * size
    odd = np.zeros((8, len(SIX), 3))
    odd[1] = 1.0  # all at one place
    odd[2, :, 1] = np.arange(len(SIX))  # on a line
    odd[3, 2:] = (0.0, 1e9, 0.0)  # absurdly far
    odd[4] = 1e-12 * cloud[0]
    odd[5, 1] = (0.0, 1e-9, 0.0)
    odd[6, :, 0] = -np.arange(len(SIX))
    odd[7] = cloud[1] * 1e6
    return Points(SIX, np.concatenate([cloud, odd]), 60.0)


def _difference(a: Motion, b: Motion) -> float:
    return max(largest_turn(a.rotations, b.rotations), float(np.abs(a.root - b.root).max()))


def law_reaches_the_reachable(solver: Solver) -> None:
    """Points taken from a pose of the same body are met, unless a limit stands in between.

    Without limits none is blamed. With limits, one is at its end in each limb that is said to be
    limited, and solvers that seek another way within limits find it in built-in clips.
    """
    if not solver.capabilities.exact:
        return
    for name in ("boxing", "walk"):
        clip = _clip(name)
        points = clip.points()
        free = solve(solver, points, clip.skeleton, None)
        hold(not free.limited.any(), f"limits are blamed for {name}, and there are none")
        limits = adult_limits(clip.skeleton)
        held = solve(solver, points, clip.skeleton, limits)
        for result in (free, held):
            blamed = result.limited | result.unreachable | result.blocked
            worst = float(result.residuals[:, 2:][~blamed[:, 2:]].max(initial=0.0))
            hold(worst < EXACT, f"a free limb of {name} misses its reachable target by {worst} m")
        false = held.limited[:, 2:] & ~limbs_at_limits(held.motion, limits)
        most = 0.0 if solver.seeks_within_limits else FALSELY_BLAMED
        hold(
            false.mean() <= most,
            f"limits are blamed for {false.sum()} limb-frames of {name} in vain",
        )
        if solver.seeks_within_limits:
            far = held.residuals[:, 2:] > FAR_OFF
            share = float((far & ~held.blocked[:, 2:]).mean())
            hold(share < FEW, f"{share:.1%} of the limbs of {name} are missed by more than 5 cm")


def limbs_at_limits(motion: Motion, limits: Limits) -> Bools:
    """Whether a joint of each limb is at the end of its limit in each frame, (F, 4)."""
    anatomy, names = motion.skeleton.anatomy, motion.skeleton.names
    turned = motion.skeleton.articulation.to_rest(motion.rotations)
    nudges = arrays.from_rotvec(AT_LIMIT * np.concatenate([np.eye(3), -np.eye(3)]))
    out = np.zeros((len(motion), len(LIMB_ROLES)), np.bool_)
    for limb, roles in enumerate(LIMB_ROLES):
        for role in roles:
            joint = anatomy.node(role) if anatomy.has(role) else -1
            if joint < 0 or names[joint] not in limits:
                continue
            # A hinge bends about X alone: off its axis it would break any limit.
            ways = nudges[::3] if role[2:] in ("elbow", "knee") else nudges
            for way in ways:
                beyond = limits[names[joint]].violation(arrays.multiply(turned[:, joint], way))
                out[:, limb] |= beyond > 0.1 * AT_LIMIT
    return out


def law_reports_true_residuals(solver: Solver) -> None:
    """Reported residuals are the distances of the answer's points, by forward kinematics."""
    for clip in (_clip("boxing"), _clip("walk", 40)):
        points = clip.points()
        result = _solve(solver, points, clip.skeleton)
        hold_residuals(result, clip.skeleton, points, "a person")


def law_reports_the_unreachable(solver: Solver) -> None:
    """A target out of reach is answered with a finite pose that says so."""
    clip = _clip(frames=2)
    frame = clip.points().positions[0].copy()
    frame[2] += (0.0, OUT_OF_REACH, 0.0)
    solution = solver.prepare(clip.skeleton).solve(frame)
    hold(not solution.converged, "an unreachable target counts as converged")
    hold(solution.stop is not StopReason.CONVERGED, "an unreachable target stops as converged")
    hold(solution.residuals[2] > 1.0, f"residual {solution.residuals[2]} m for a far target")
    hold(np.isfinite(solution.pose.rotations).all(), "rotations are not finite")


def law_is_finite(solver: Solver) -> None:
    """Any finite input gives unit quaternions and finite positions."""
    motion = _solve(solver, _wild()).motion
    hold(np.isfinite(motion.root).all(), "a position is not finite")
    norms = np.linalg.norm(motion.rotations, axis=-1)
    hold(np.abs(norms - 1.0).max() < EQUAL, "a rotation is not a unit quaternion")


def law_keeps_limits(solver: Solver) -> None:
    """No joint ever leaves its limits, whatever is asked."""
    if not solver.capabilities.limits:
        return
    limits = adult_limits(_clip().skeleton)
    for points in (_wild(), _clip("boxing").points()):
        motion = solve(solver, points, _clip().skeleton, limits).motion
        worst = float(limits.violations(motion).max())
        hold(worst < SAME, f"a joint is {worst} rad beyond its limit")


def law_repeats_itself(solver: Solver) -> None:
    """The same input gives the same bits."""
    points = _wild(60)
    first, second = (_solve(solver, points).motion for _ in range(2))
    hold(np.array_equal(first.rotations, second.rotations), "two runs differ")


def law_streams_like_a_clip(solver: Solver) -> None:
    """Frame by frame and clip at once agree bit for bit."""
    clip = _clip()
    points = clip.points()
    tracker = solver.prepare(clip.skeleton, rate=points.rate)
    whole = solver.prepare(clip.skeleton, rate=points.rate).solve_clip(points).motion
    hold_stream(tracker, points, whole, "a clip")


def law_starts_afresh(solver: Solver) -> None:
    """A tracker that was used answers a clip, and frames after `reset`, like a fresh one."""
    clip, other = _clip("walk", 20), _clip("walk", 41).points()
    points = clip.points()
    fresh = solver.prepare(clip.skeleton, rate=points.rate).solve_clip(points).motion
    tracker = solver.prepare(clip.skeleton, rate=points.rate)
    tracker.solve_clip(other)
    for frame in other.positions[:10]:
        tracker.solve(frame)
    again = tracker.solve_clip(points).motion
    hold(np.array_equal(fresh.rotations, again.rotations), "a second clip has other answers")
    tracker.reset()
    hold_stream(tracker, points, fresh, "a clip after a reset")


def law_survives_pickling(solver: Solver) -> None:
    """Solver, tracker, solution and result can be pickled; what comes back answers alike."""
    clip = _clip(frames=3)
    points = clip.points()
    tracker = solver.prepare(clip.skeleton, rate=points.rate)
    result, solution = tracker.solve_clip(points), tracker.solve(points.positions[0])
    hold(pickle.loads(pickle.dumps(solver)) == solver, "the solver is not the same")
    copied = pickle.loads(pickle.dumps(tracker)).solve_clip(points)
    for motion in (copied.motion, pickle.loads(pickle.dumps(result)).motion):
        hold(np.array_equal(motion.rotations, result.motion.rotations), "the answer differs")
    pose = pickle.loads(pickle.dumps(solution)).pose
    hold(np.array_equal(pose.rotations, solution.pose.rotations), "the solution differs")


def law_refuses_two_threads(solver: Solver) -> None:
    """A tracker that is asked from a second thread in the middle of a frame raises."""
    clip = _clip(frames=2)
    tracker = solver.prepare(clip.skeleton)
    positions = dict(zip(SIX, clip.points().positions[0], strict=True))
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            tracker.solve(positions)
        except InputError as error:
            raised.append(error)

    class Interrupted(dict[str, Floats]):
        """Positions that take so long to read that another thread comes in between."""

        def get(self, *args: Any) -> Any:
            if not raised:
                thread = Thread(target=ask)
                thread.start()
                thread.join()
            return super().get(*args)

    tracker.solve(Interrupted(positions))
    hold(len(raised) > 0, "two threads used one tracker at once")
    hold(np.isfinite(tracker.solve(positions).pose.rotations).all(), "the next answer is broken")


def law_is_mirror_symmetric(solver: Solver) -> None:
    """Left and right exchanged in the points: exchanged in the answer, unless that is random."""
    if solver.capabilities.random:
        return
    clip = _clip("walk")
    straight = _solve(solver, clip.points()).motion.mirrored()
    mirrored = _solve(solver, mirror_points(clip.points())).motion
    gap = _difference(straight, mirrored)
    hold(gap < SAME, f"mirrored input gives another answer: {gap}")


def law_is_scale_invariant(solver: Solver) -> None:
    """A body twice as large with points twice as far turns its joints alike."""
    clip = _clip()
    points = clip.points()
    small = _solve(solver, points).motion
    twice = Points(points.names, points.positions * 2.0, points.rate)
    large = _solve(solver, twice, clip.skeleton.scaled(2.0)).motion
    gap = largest_turn(small.rotations, large.rotations)
    hold(gap < NEARLY_SAME, f"rotations change with the scale: {gap} rad")


def law_is_frame_invariant(solver: Solver) -> None:
    """Points moved and turned about the vertical: the same pose, moved and turned."""
    clip = _clip()
    points = clip.points()
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), 1.0)
    shift = np.array((3.0, -1.0, 2.0))
    moved = Points(points.names, arrays.rotate(turn, points.positions) + shift, points.rate)
    here, there = _solve(solver, points).motion, _solve(solver, moved).motion
    expected = here.rotations.copy()
    expected[:, 0] = arrays.multiply(turn, expected[:, 0])
    gap = largest_turn(expected, there.rotations)
    hold(gap < NEARLY_SAME, f"rotations change with the world's frame: {gap} rad")
    drift = float(np.abs(arrays.rotate(turn, here.root) + shift - there.root).max())
    hold(drift < SAME, f"the root changes with the world's frame: {drift} m")


def law_leaves_input_alone(solver: Solver) -> None:
    """The arrays that are given are not written to, and not kept."""
    clip = _clip(frames=4)
    hold_untouched(solver.prepare(clip.skeleton), clip.points().positions.copy())


def law_survives_missing_points(solver: Solver) -> None:
    """Points that vanish are guessed, reported, and come back without a jump."""
    if not solver.capabilities.missing:
        return
    clip = _clip("walk", frames=10_000)
    points = clip.points()
    whole = _largest_step(_solve(solver, points).motion)
    for lost in range(len(SIX)):
        positions: Floats = points.positions.copy()
        positions[60:90, lost] = np.nan
        result = _solve(solver, Points(points.names, positions, points.rate))
        name = SIX[lost]
        hold(np.isfinite(result.motion.rotations).all(), f"without {name}: not finite")
        hold(result.report.missing == {name: 30}, f"without {name}: {result.report.missing}")
        step = _largest_step(result.motion)
        limit = max(2.0 * whole, np.radians(15.0))
        hold(step < limit, f"without {name}: a joint jumps by {np.degrees(step):.1f} degrees")


def _largest_step(motion: Motion) -> float:
    return largest_turn(motion.rotations[:-1], motion.rotations[1:])


def law_uses_rotations(solver: Solver) -> None:
    """Where the rotations of pelvis and head are known, the pelvis takes its own."""
    if not solver.capabilities.rotations:
        return
    clip = _clip("reach")
    known = _solve(solver, clip.points(rotations=True)).motion
    guessed = _solve(solver, clip.points()).motion
    pelvis = clip.skeleton.anatomy.node("pelvis")
    truth = clip.rotations[:, pelvis]
    error = largest_turn(known.rotations[:, pelvis], truth)
    hold(error < SAME, f"the pelvis is {error} rad from its known rotation")
    hold(
        float(arrays.angle_between(guessed.rotations[:, pelvis], truth).mean()) > error,
        "known rotations change nothing",
    )


PERSON_LAWS = laws_in(globals(), "humans")
"""Every law of solvers of people, by its name."""
