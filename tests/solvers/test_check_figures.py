"""The laws of figures notice faults; that solvers keep them is tested with all other laws."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sixpoint.motion.points import Points
from sixpoint.solvers import DampedSolver, SequentialSolver, StopReason
from sixpoint.solvers.check_figures import FIGURE_LAWS
from sixpoint.solvers.law import LawBroken


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


class _Sized(_Broken):
    """A damping in metres."""

    def figure_numbers(self, figure):
        return super().figure_numbers(figure) | {"damping": 0.1 / figure.size[0]}


@pytest.mark.parametrize(
    ("solver", "law"),
    [
        (_Shifted(), "figures_reach_the_reachable"),
        (_Shifted(), "figures_move"),
        (_Content(), "figures_report_the_unreachable"),
        (_Free(), "figures_keep_limits"),
        (_Noisy(), "figures_repeat_themselves"),
        (_Sized(), "figures_scale"),
        (_Greedy(), "figures_leave_input_alone"),
        (_Guessing(), "figures_do_without_targets"),
        (_Unturned(), "figures_turn"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_laws_notice_faults(solver, law):
    with pytest.raises(LawBroken):
        FIGURE_LAWS[law](solver)


def test_solvers_of_people_have_nothing_to_keep():
    for law in FIGURE_LAWS.values():
        law(SequentialSolver())
