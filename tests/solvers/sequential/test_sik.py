"""Sequential IK as users call it: settings, poses, reports, known rotations."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import numpy as np
import pytest

from oracles import assert_same_rotation
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import CLIPS, builtin
from sixpoint.errors import InputError, RolesNotFound, UnknownName
from sixpoint.kernels import arrays
from sixpoint.motion.metrics import compare
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import SOLVERS, SequentialSolver, StopReason, solver

from ..bodies import HUMAN, standing
from ..bodies import sequential_reconstruct as reconstruct
from ..clip_pieces import HEAD, L_ANKLE, L_WRIST, LIMBS, R_ANKLE, clip_points, holed

# --- settings -------------------------------------------------------------------------------------


def test_a_solver_is_a_value():
    assert SequentialSolver() == SequentialSolver()
    assert hash(SequentialSolver(weights=(0.1, 0.1, 1.0))) != hash(SequentialSolver())
    with pytest.raises(dataclasses.FrozenInstanceError):
        SequentialSolver().bend = "sagittal"  # type: ignore[misc]
    assert SequentialSolver().collisions is False
    assert SequentialSolver().weights == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"weights": (1.0, 1.0)},
            r"Expected `weights` to be three numbers >= 0, got \(1\.0, 1\.0\)",
        ),
        ({"weights": None}, "Expected `weights` to be three numbers >= 0, got None"),
        ({"weights": (1.0, -1.0, 0.0)}, "Expected `weights` to be three numbers >= 0"),
        ({"weights": (1.0, np.nan, 0.0)}, "Expected `weights` to be three numbers >= 0"),
        ({"weights": (1.0, np.inf, 0.0)}, "Expected `weights` to be three numbers >= 0"),
        ({"weights": (0.0, 0.0, 0.0)}, "Expected at least one of the `weights` to be above zero"),
        (
            {"bend": "up"},
            "Expected `bend` to be one of lean, sagittal, previous; got 'up'",
        ),
        ({"spine_mode": "x"}, "Expected `spine_mode` to be one of restart, incremental; got 'x'"),
        ({"spine_search": "x"}, "Expected `spine_search` to be one of exact, two-phase; got 'x'"),
        ({"clavicle": "x"}, "Expected `clavicle` to be one of rest, hold; got 'x'"),
        ({"swivel": "x"}, "Expected `swivel` to be one of neutral, search; got 'x'"),
        ({"feet": "x"}, "Expected `feet` to be one of neutral, level; got 'x'"),
        ({"missing": "x"}, "Expected `missing` to be one of hold, predict; got 'x'"),
        ({"clavicle_relax": 1.5}, r"Expected `clavicle_relax` in \[0, 1\], got 1\.5"),
        ({"clavicle_relax": np.nan}, r"Expected `clavicle_relax` in \[0, 1\], got nan"),
        ({"collisions": 1}, "Expected `collisions` to be True or False, got 1"),
        ({"recovery": -1.0}, r"Expected `recovery` in \[0, 60\], got -1\.0"),
        ({"recovery": np.inf}, r"Expected `recovery` in \[0, 60\], got inf"),
    ],
)
def test_settings_that_make_no_sense(changed, message):
    with pytest.raises(InputError, match=message):
        SequentialSolver(**changed)
    with pytest.raises(InputError, match=message):
        solver("sik", **changed)


def test_solvers_go_by_name():
    assert SOLVERS["sik"] is SequentialSolver
    assert solver("sik", bend="sagittal") == SequentialSolver(bend="sagittal")
    with pytest.raises(UnknownName, match=r"No solver 'sick'\. Nearest: sik"):
        solver("sick")
    with pytest.raises(
        UnknownName, match=r"No setting of solver 'sik' 'weight'\. Nearest: weights"
    ):
        solver("sik", weight=(1, 1, 0))


def test_prepare_refuses_nonsense():
    sik = SequentialSolver()
    for rate in (0.0, -60.0, np.nan, np.inf):
        with pytest.raises(InputError, match="Expected a positive `rate` in Hz, got"):
            sik.prepare(HUMAN, rate=rate)
    with pytest.raises(
        UnknownName, match=r"No set of limits 'child'\. .*There are 2: adult, recorded"
    ):
        sik.prepare(HUMAN, limits="child")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="without r_ankle"):
        sik.prepare(HUMAN, names=SIX[:5])
    chain = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    with pytest.raises(RolesNotFound, match="cannot be read as a human"):
        sik.prepare(chain)


def test_reconstruct_takes_a_name_or_a_solver():
    points = clip_points(count=5)
    by_name = reconstruct(points, HUMAN, "sik", bend="previous")
    by_solver = reconstruct(points, HUMAN, SequentialSolver(bend="previous"))
    assert np.array_equal(by_name.motion.rotations, by_solver.motion.rotations)
    assert by_name.motion.rate == points.rate


# --- poses ----------------------------------------------------------------------------------------


def test_the_neutral_stance_is_found_again():
    pose = SequentialSolver().prepare(HUMAN).solve(standing(HUMAN.offsets[0])).pose
    positions, _ = pose.world()
    truth = HUMAN.rest()[0]
    # The spine's chord and the wrists and ankles fix everything but the tilt of the pelvis.
    assert np.linalg.norm(positions - truth, axis=-1).max() < 0.02


@pytest.mark.parametrize("name", CLIPS)
def test_built_in_clips_are_reconstructed(name):
    clip = builtin(name)
    result = reconstruct(clip.points(), clip.skeleton)
    report = result.report
    free = ~(result.limited | result.unreachable)[:, LIMBS]
    assert result.residuals[:, LIMBS][free].max() < 1e-3
    assert report.limit_violations == 0
    assert report.missed <= (result.limited & ~result.unreachable)[:, LIMBS].sum()
    assert compare(result.motion, clip).position_rms < 0.06
    assert (report.solver, report.frames, report.joints) == ("sik", len(clip), 34)
    assert (report.warnings, report.missing) == ((), {})


def test_residuals_are_what_forward_kinematics_says():
    points = clip_points("overhead", 200)
    result = reconstruct(points, HUMAN)
    nodes = [HUMAN.anatomy.node(role) for role in SIX]
    off = np.linalg.norm(result.motion.positions(nodes) - points.positions, axis=-1)
    assert result.residuals == pytest.approx(off, abs=1e-9)
    assert result.report.target_mean_m == pytest.approx(off.mean())
    assert result.report.target_max_m == pytest.approx(off.max())


def test_legs_do_not_change_arms_nor_the_other_way_round():
    points = clip_points("reach", 40, rotations=True)  # a known pelvis: limbs do not turn the trunk
    other = points.positions.copy()
    other[:, [L_ANKLE, R_ANKLE]] += (0.05, 0.1, 0.1)
    # By default the feet say in which plane the spine bends.
    a = reconstruct(points, HUMAN, bend="sagittal").motion.rotations
    b = reconstruct(replace(points, positions=other), HUMAN, bend="sagittal").motion.rotations
    legs = [j for j, name in enumerate(HUMAN.names) if name.endswith(("hip", "knee", "ankle"))]
    rest = [j for j in range(HUMAN.joint_count) if j not in legs]
    assert np.array_equal(a[:, rest], b[:, rest])
    assert not np.array_equal(a[:, legs], b[:, legs])


def test_what_a_body_needs_is_small():
    def size(tables) -> int:
        return sum(map(size, tables)) if isinstance(tables, tuple) else tables.nbytes

    run = SequentialSolver().prepare(HUMAN).run
    assert 10_000 < size((run.context, run.frames)) < 100_000


def test_joints_that_no_point_determines_stay_neutral():
    rotations = reconstruct(clip_points(count=20), HUMAN, variant="paper").motion.rotations
    for name in ("l_wrist", "r_thumb1", "l_ankle", "r_metatarsal", "sacroiliac", "vl5"):
        assert np.array_equal(rotations[:, HUMAN.index(name)], arrays.identity(20))


def test_hinges_only_flex():
    result = reconstruct(clip_points("squat", 200), HUMAN)
    for name in ("l_elbow", "r_elbow", "l_knee", "r_knee"):
        turned = result.motion.rotations[:, HUMAN.index(name)]
        assert np.abs(turned[:, 2:]).max() < 1e-15


ARMS_LEAD = SequentialSolver(weights=(1.0, 0.0, 0.0))
"""A leg that goes its own way does not turn the pelvis."""


def test_stop_reasons():
    tracker = SequentialSolver().prepare(HUMAN)
    frame = standing()
    solution = tracker.solve(frame)
    assert solution.converged
    assert solution.stop is StopReason.CONVERGED
    far = frame.copy()
    far[L_WRIST] += (2.0, 0.0, 0.0)
    assert tracker.solve(far).stop is StopReason.UNREACHABLE
    tall = frame.copy()
    tall[HEAD] += (0.0, 0.3, 0.0)
    assert tracker.solve(tall).stop is StopReason.UNREACHABLE
    behind = frame.copy()
    behind[R_ANKLE] += (0.0, 0.4, -0.7)  # a thigh does not go back that far
    held, free = (ARMS_LEAD.prepare(HUMAN, limits=limits) for limits in ("adult", None))
    assert held.solve(behind).stop is StopReason.LIMITS_SATURATED
    assert free.solve(behind).converged


def test_unreachable_and_limited_limbs_are_counted():
    positions = np.tile(standing(), (4, 1, 1))
    positions[1:3, L_WRIST] += (2.0, 0.0, 0.0)
    positions[3, R_ANKLE] += (0.0, 0.4, -0.7)
    result = reconstruct(Points(SIX, positions, 60.0), HUMAN, ARMS_LEAD)
    seen = np.arange(len(SIX))
    assert np.array_equal(result.unreachable, [seen == point for point in (-1, 2, 2, -1)])
    assert result.report.unreachable == 2
    assert np.array_equal(result.limited[3], seen == R_ANKLE)
    assert result.report.limited >= 1
    assert result.report.missed == 1


def test_a_report_is_ready_for_json():
    import json

    report = reconstruct(holed(clip_points(count=10)), HUMAN).report
    data = json.loads(json.dumps(report.as_dict()))
    assert data["frames"] == 10
    assert data["missing"] == report.missing
    assert data["median_us"] > 0.0


def test_an_empty_clip_is_an_empty_motion():
    result = reconstruct(Points(SIX, np.zeros((0, 6, 3)), 60.0), HUMAN)
    assert len(result.motion) == 0
    assert (result.report.frames, result.report.target_max_m) == (0, 0.0)


def test_points_that_are_not_used_are_named():
    clip = builtin("walk").frames(slice(0, 5))
    points = clip.points((*SIX, "l_elbow"))
    result = reconstruct(points, HUMAN)
    assert result.report.warnings == ("point 'l_elbow' is not used by solver 'sik'",)
    assert result.residuals.shape == (5, 7)
    assert np.isnan(result.residuals[:, 6]).all()
    six = reconstruct(clip.points(), HUMAN)
    assert np.array_equal(result.motion.rotations, six.motion.rotations)


# --- known rotations ------------------------------------------------------------------------------


def test_known_rotations_are_used():
    clip = builtin("boxing").frames(slice(0, 240))
    known = reconstruct(clip.points(rotations=True), HUMAN).motion
    guessed = reconstruct(clip.points(), HUMAN).motion
    assert_same_rotation(known.rotations[:, 0], clip.rotations[:, 0], atol=1e-9)
    head = HUMAN.index("skullbase")
    gap = arrays.angle_between(known.world()[1][:, head], clip.world()[1][:, head])
    assert np.median(gap) < 1e-6  # the rest: limits of the neck
    better, worse = compare(known, clip), compare(guessed, clip)
    assert better.position_rms < worse.position_rms
    assert better.orientation_rms < worse.orientation_rms


def test_the_sign_of_a_known_rotation_does_not_matter():
    points = clip_points("reach", 80, rotations=True)
    a, b = (
        reconstruct(replace(points, rotations=sign * points.rotations), HUMAN).motion
        for sign in (1.0, -1.0)
    )
    assert_same_rotation(a.rotations, b.rotations, atol=1e-12)
    assert a.root == pytest.approx(b.root, abs=1e-12)
