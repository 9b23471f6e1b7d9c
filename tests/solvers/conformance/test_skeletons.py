"""The laws of skeletons notice faults; that solvers keep them is tested with all other laws."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sixpoint.kernels import arrays
from sixpoint.motion.points import Points
from sixpoint.solvers import DampedSolver, SequentialSolver, StopReason
from sixpoint.solvers.conformance import LAWS, LawBroken
from sixpoint.solvers.conformance.skeletons import SKELETON_LAWS


class _Broken(DampedSolver):
    """Damped least squares with a fault in what it is given or in what it answers."""

    def prepare(self, *args, **kwargs):
        tracker = super().prepare(*args, **kwargs)
        solve, solve_clip = tracker.solve, tracker.solve_clip
        tracker.solve = lambda frame: self.answer(solve(self.question(frame)))
        tracker.solve_clip = lambda points: self.result(solve_clip(self.points(points)))
        return tracker

    def question(self, frame):
        return frame

    def answer(self, solution):
        return solution

    def points(self, points):
        return points

    def result(self, result):
        return result


class _Shifted(_Broken):
    def points(self, points):
        places = points.positions + np.array((0.05, 0.0, 0.0))
        return Points(points.names, places, points.rate, points.rotations)


class _Noisy(_Broken):
    def points(self, points):
        noise = np.random.default_rng().normal(scale=1e-6, size=points.positions.shape)
        return Points(points.names, points.positions + noise, points.rate)


class _Modest(_Broken):
    def result(self, result):
        return dataclasses.replace(result, residuals=0.5 * result.residuals)


class _Adrift(_Broken):
    def result(self, result):
        motion = result.motion
        return dataclasses.replace(
            result, motion=dataclasses.replace(motion, root=motion.root + 1e-6)
        )


class _Content(_Broken):
    def answer(self, solution):
        return dataclasses.replace(solution, converged=True, stop=StopReason.CONVERGED)


class _Greedy(_Broken):
    def question(self, frame):
        frame[:] = 0.0
        return frame


class _Free(_Broken):
    def prepare(self, skeleton, **kwargs):
        return super().prepare(skeleton, **(kwargs | {"limits": None}))


class _Unturned(_Broken):
    def points(self, points):
        return Points(points.names, points.positions, points.rate)


class _Guessing(_Broken):
    def points(self, points):
        places = np.nan_to_num(points.positions)
        return Points(points.names, places, points.rate, points.rotations)


class _Lazy(_Broken):
    """Takes every task and does nothing about it."""

    def answer(self, solution):
        pose = solution.pose
        return dataclasses.replace(
            solution, pose=dataclasses.replace(pose, rotations=_at_rest(pose))
        )


def _at_rest(pose):
    return arrays.multiply(pose.rotations, arrays.from_axis_angle((0.6, 0.0, 0.8), 0.5))


class _Sized(_Broken):
    """A damping in metres."""

    def skeleton_settings(self, plan):
        return super().skeleton_settings(plan) | {"damping": 0.1 / plan.model.size[0]}


FAULTS = [
    (_Shifted(), "skeletons_reach_the_reachable"),
    (_Shifted(), "skeletons_move"),
    (_Modest(), "skeletons_report_true_residuals"),
    (_Content(), "skeletons_report_the_unreachable"),
    (_Adrift(), "skeletons_are_finite"),
    (_Free(), "skeletons_keep_limits"),
    (_Noisy(), "skeletons_repeat_themselves"),
    (_Sized(), "skeletons_scale"),
    (_Greedy(), "skeletons_leave_input_alone"),
    (_Guessing(), "skeletons_do_without_targets"),
    (_Unturned(), "skeletons_meet_rotations"),
    (_Lazy(), "skeletons_meet_every_task"),
]


@pytest.mark.parametrize(
    ("solver", "law"),
    FAULTS,
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_laws_notice_faults(solver, law):
    with pytest.raises(LawBroken):
        SKELETON_LAWS[law](solver)


def test_every_law_has_a_fault():
    assert {law for _, law in FAULTS} == set(SKELETON_LAWS)
    assert set(SKELETON_LAWS) < set(LAWS)


def test_solvers_of_people_have_nothing_to_keep():
    for law in SKELETON_LAWS.values():
        law(SequentialSolver())
