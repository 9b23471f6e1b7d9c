"""The angular constraint solver: any kind of limit, hinges, what is passed on."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.bench.chains import reachable_targets
from sixpoint.bench.springs import KINDS, within_limits
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.limits import EulerBoxLimit, FlexionLimit, Limits
from sixpoint.motion.points import Points
from sixpoint.motion.pose import Pose
from sixpoint.solvers import SpringPositionSolver, solve_batch
from sixpoint.solvers.articulated.model import Targets, model_forward
from sixpoint.solvers.springs.masses import gather, place_masses
from sixpoint.solvers.springs.relaxation import Rest, relax
from sixpoint.solvers.springs.rotations import constrain
from sixpoint.solvers.springs.solve import set_goals, weigh_nodes

both = pytest.mark.parametrize("method", ["mass-spring", "mass-spring-force"])


def test_excess_is_passed_on_by_the_arc_rule():
    arm = Skeleton.chain(2, [0.30, 0.25])
    limits = Limits({"joint_2": EulerBoxLimit.degrees("XYZ", [(0, 0), (0, 0), (-30, 30)])})
    for lever, beta, miss in (("bones", 9.090909, 0.032519), ("straight", 9.409, 0.032740)):
        plan = SpringPositionSolver(lever=lever).prepare(arm, limits=limits).plan
        context = plan.new_context(60.0)
        model, pose = context.model, context.pose
        pose.local[1] = arrays.from_axis_angle((0.0, 0.0, 1.0), np.radians(50.0))
        model_forward(model, pose)
        target = pose.effectors[0].copy()
        c = context._replace(settings=context.settings[0])
        assert constrain(c, 0, Targets(target[None], np.full((1, 4), np.nan)))
        model_forward(model, pose)
        angles = np.degrees(arrays.to_rotvec(pose.local))[:, 2]
        assert angles == pytest.approx((beta, 30.0), abs=1e-3)
        assert np.linalg.norm(pose.effectors[0] - target) == pytest.approx(miss, abs=1e-6)


@both
@pytest.mark.parametrize("kind", KINDS)
def test_limits_of_any_kind_are_kept_and_targets_within_them_met(method, kind):
    chain = Skeleton.chain(6)
    limits = Limits(dict.fromkeys(chain.names, KINDS[kind]))
    rng = np.random.default_rng(5)
    turns = rng.uniform(-0.6, 0.6, (100, chain.joint_count, 3))
    posed = limits.project(as_motion(chain, arrays.from_rotvec(turns))).rotations
    places = [Pose(chain, np.zeros(3), pose).world()[0][[chain.index("tip")]] for pose in posed]
    points = Points(("tip",), np.array(places), 60.0)
    result = sp.solver(method).prepare(chain, limits=limits).solve_clip(points)
    assert float(limits.violations(result.motion).max()) < 1e-6
    assert (result.residuals < 0.01).mean() > 0.93
    wild = Points(("tip",), 3.0 * rng.normal(size=(100, 1, 3)), 60.0)
    result = sp.solver(method).prepare(chain, limits=limits).solve_clip(wild)
    assert float(limits.violations(result.motion).max()) < 1e-6


def test_limits_in_each_step_meet_more_targets():
    for near in ("within_thousandth", "within_hundredth"):
        after, inside = (
            np.array([within_limits(kind, 200, cones=cones)[near] for kind in KINDS])
            for cones in (False, True)
        )
        assert (inside >= after).all()
        assert inside.mean() > after.mean() + 0.02


def test_masses_stay_where_limits_let_bones_point():
    chain = Skeleton.chain(3, [1.0, 1.0, 1.0])
    limit = EulerBoxLimit.degrees("XYZ", [(-20, 20), (-20, 20), (-20, 20)])
    limits = Limits(dict.fromkeys(chain.names, limit))
    bends = []
    for cones in (False, True):
        solver = SpringPositionSolver(cones=cones)
        plan = solver.prepare(chain, limits=limits).plan
        context = plan.new_context(60.0)
        c = context._replace(settings=context.settings[0])
        target = Targets(np.array([(2.0, 1.2, 0.0)]), np.full((1, 4), np.nan))
        model_forward(c.model, c.pose)
        set_goals(c, 0, target, weigh_nodes(c, 0, target))
        gather(c, 0)
        place_masses(c, 0)
        relax(c, 0, Rest(150, 1e-3, 1e-9, 3.0, 1.0))
        bones = np.diff(c.scratch.masses.position, axis=0)[:2]
        bones = np.concatenate([[(0.0, 1.0, 0.0)], bones])
        bones /= np.linalg.norm(bones, axis=1, keepdims=True)
        cosines = (bones[1:] * bones[:-1]).sum(axis=1)
        bends.append(float(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max()))
    assert bends[0] > 30.0
    assert bends[1] < 29.0  # two turns by 20 degrees about X and Z bend by no more than 28


def as_motion(skeleton: Skeleton, rotations: np.ndarray) -> sp.Motion:
    return sp.Motion(skeleton, np.zeros((len(rotations), 3)), rotations, 60.0)


@both
def test_a_limit_that_excludes_rest_is_kept(method):
    chain = Skeleton.chain(4)
    limit = EulerBoxLimit.degrees("XYZ", [(10, 40), (-5, 5), (-10, 10)])
    limits = Limits(dict.fromkeys(chain.names, limit))
    tracker = sp.solver(method).prepare(chain, limits=limits)
    points = Points(("tip",), np.array([[(0.0, 1.0, 0.0)], [(0.0, -1.0, 0.3)]]), 60.0)
    assert float(limits.violations(tracker.solve_clip(points).motion).max()) < 1e-6


def test_a_hinge_bends_in_the_plane_of_the_masses():
    arm = Skeleton(
        ("shoulder", "elbow"),
        np.array([-1, 0]),
        np.array([(0.0, 0.0, 0.0), (0.0, 0.5, 0.0)]),
        ("hand",),
        np.array([1]),
        np.array([(0.0, 0.5, 0.0)]),
        hinges={"elbow": (0.0, 0.0, 1.0)},
    )
    limits = Limits({"elbow": FlexionLimit.degrees(0.0, 150.0, (0.0, 0.0, 1.0))})
    targets = 0.9 * reachable_targets(100)[:, None]
    tracker = sp.solver("mass-spring").prepare(arm, limits=limits)
    found = solve_batch(tracker, targets)
    near = np.linalg.norm(targets[:, 0], axis=1) > 0.3  # nearer, an elbow would bend beyond 150
    assert found.converged[near].all()
    motion = as_motion(arm, found.rotations)
    assert float(limits.violations(motion).max()) < 1e-6
