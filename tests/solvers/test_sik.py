"""Sequential IK through its front door: settings, trackers, clips, rigs, and any input."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from oracles import assert_same_rotation
from rest_poses import REST_POSES, TWISTED, pruned, rebased
from rigs import insert_above, odd_rig, random_rotations
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, RolesNotFound, UnknownName
from sixpoint.kernels import arrays
from sixpoint.limits import Limits, adult_limits
from sixpoint.motion.clips import CLIPS, builtin
from sixpoint.motion.metrics import compare
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import (
    SOLVERS,
    SequentialSolver,
    StopReason,
    reconstruct,
    solver,
)
from sixpoint.solvers.frames import FrameReader

from .bodies import HUMAN, Plain, human, standing

NECK_UP = (0.0, 1.0, 0.0)
PELVIS, HEAD, L_WRIST, R_WRIST, L_ANKLE, R_ANKLE = range(6)


def clip_points(name: str = "boxing", count: int = 60, rotations: bool = False) -> Points:
    """A piece of a built-in clip."""
    clip = builtin(name)
    return clip.frames(slice(0, count)).points(rotations=rotations)


def holed(points: Points, seed: int = 1, share: float = 0.15) -> Points:
    """The same with holes in positions and rotations."""
    rng = np.random.default_rng(seed)
    positions = points.positions.copy()
    positions[rng.random(positions.shape[:2]) < share] = np.nan
    rotations = None
    if points.rotations is not None:
        rotations = points.rotations.copy()
        rotations[rng.random(positions.shape[:2]) < share] = np.nan
        rotations[rng.random(positions.shape[:2]) < 0.5] *= -1.0
    return replace(points, positions=positions, rotations=rotations)


# --- settings -------------------------------------------------------------------------------------


def test_a_solver_is_a_value():
    assert SequentialSolver() == SequentialSolver()
    assert hash(SequentialSolver(weights=(0.1, 0.1, 1.0))) != hash(SequentialSolver())
    with pytest.raises(dataclasses.FrozenInstanceError):
        SequentialSolver().bend = "chord"  # type: ignore[misc]
    assert SequentialSolver().collisions is False  # S0.37
    assert SequentialSolver().weights == (1.0, 1.0, 0.0)  # S0.5


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"weights": (1.0, 1.0)},
            r"Expected `weights` to be three numbers >= 0, got \(1\.0, 1\.0\)",
        ),
        ({"weights": (1.0, -1.0, 0.0)}, "Expected `weights` to be three numbers >= 0"),
        ({"weights": (1.0, np.nan, 0.0)}, "Expected `weights` to be three numbers >= 0"),
        ({"weights": (1.0, np.inf, 0.0)}, "Expected `weights` to be three numbers >= 0"),
        ({"weights": (0.0, 0.0, 0.0)}, "Expected at least one of the `weights` to be above zero"),
        (
            {"bend": "up"},
            "Expected `bend` to be one of sagittal, chord, vertical, previous; got 'up'",
        ),
        ({"spine_mode": "x"}, "Expected `spine_mode` to be one of restart, incremental; got 'x'"),
        ({"spine_search": "x"}, "Expected `spine_search` to be one of exact, two-phase; got 'x'"),
        ({"clavicle": "x"}, "Expected `clavicle` to be one of rest, hold; got 'x'"),
        ({"swivel": "x"}, "Expected `swivel` to be one of neutral, search; got 'x'"),
        ({"feet": "x"}, "Expected `feet` to be one of neutral, level; got 'x'"),
        ({"missing": "x"}, "Expected `missing` to be one of hold, predict; got 'x'"),
        ({"clavicle_relax": 1.5}, r"Expected `clavicle_relax` in \[0, 1\], got 1\.5"),
        ({"clavicle_relax": np.nan}, r"Expected `clavicle_relax` in \[0, 1\], got nan"),
        ({"recovery": -1.0}, r"Expected `recovery` in \[0, 60\] seconds, got -1\.0"),
        ({"recovery": np.inf}, r"Expected `recovery` in \[0, 60\] seconds, got inf"),
    ],
)
def test_settings_that_make_no_sense(changed, message):
    with pytest.raises(InputError, match=message):
        SequentialSolver(**changed)
    with pytest.raises(InputError, match=message):
        solver("sik", **changed)


def test_solvers_go_by_name():
    assert SOLVERS["sik"] is SequentialSolver
    assert solver("sik", bend="chord") == SequentialSolver(bend="chord")
    with pytest.raises(UnknownName, match=r"No solver 'sick'\. Nearest: sik"):
        solver("sick")
    with pytest.raises(
        UnknownName, match=r"No setting of solver 'sik' 'weight'\. Nearest: weights"
    ):
        solver("sik", weight=(1, 1, 0))
    with pytest.raises(InputError, match="Bad settings for solver 'sik'"):
        solver("sik", weights=None)


def test_prepare_refuses_nonsense():
    sik = SequentialSolver()
    for rate in (0.0, -60.0, np.nan, np.inf):
        with pytest.raises(InputError, match="Expected a positive `rate` in Hz, got"):
            sik.prepare(HUMAN, rate=rate)
    with pytest.raises(UnknownName, match=r"No set of limits 'child'\. .*There are 1: adult"):
        sik.prepare(HUMAN, limits="child")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="without r_ankle"):
        sik.prepare(HUMAN, names=SIX[:5])
    chain = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    with pytest.raises(RolesNotFound, match="cannot be read as a human"):
        sik.prepare(chain)


def test_reconstruct_takes_a_name_or_a_solver():
    points = clip_points(count=5)
    by_name = reconstruct(points, HUMAN, "sik", bend="vertical")
    by_solver = reconstruct(points, HUMAN, SequentialSolver(bend="vertical"))
    assert np.array_equal(by_name.motion.rotations, by_solver.motion.rotations)
    assert by_name.motion.rate == points.rate


def test_reconstruct_does_not_drop_settings():
    with pytest.raises(InputError, match="Expected settings only with the name of a solver"):
        reconstruct(clip_points(count=2), HUMAN, SequentialSolver(), bend="vertical")


# --- poses ----------------------------------------------------------------------------------------


def test_the_neutral_stance_is_found_again():
    pose = SequentialSolver().prepare(HUMAN).solve(standing(HUMAN.offsets[0])).pose
    positions, _ = pose.world()
    truth = HUMAN.rest()[0]
    # The spine's chord and the wrists and ankles fix everything but the tilt of the pelvis.
    assert np.linalg.norm(positions - truth, axis=-1).max() < 0.02


@pytest.mark.parametrize("name", CLIPS)
def test_built_in_clips_are_reconstructed(name):  # S0.1
    clip = builtin(name)
    result = reconstruct(clip.points(), clip.skeleton)
    report = result.report
    free = ~result.limited & ~result.unreachable
    assert result.residuals[:, 2:][free].max() < 1e-3
    assert report.limit_violations == 0
    assert report.missed <= (result.limited & ~result.unreachable).sum()
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


def test_legs_do_not_change_arms_nor_the_other_way_round():  # S0.2
    points = clip_points("reach", 40, rotations=True)  # a known pelvis: limbs do not turn the trunk
    other = points.positions.copy()
    other[:, [L_ANKLE, R_ANKLE]] += (0.05, 0.1, 0.1)
    a = reconstruct(points, HUMAN).motion.rotations
    b = reconstruct(replace(points, positions=other), HUMAN).motion.rotations
    legs = [j for j, name in enumerate(HUMAN.names) if name.endswith(("hip", "knee"))]
    rest = [j for j in range(HUMAN.joint_count) if j not in legs]
    assert np.array_equal(a[:, rest], b[:, rest])
    assert not np.array_equal(a[:, legs], b[:, legs])


def test_what_a_body_needs_is_small():  # S0.3
    tracker = SequentialSolver().prepare(HUMAN)
    arrays_kept = [a for a in vars(tracker).values() if isinstance(a, np.ndarray)]
    assert sum(a.nbytes for a in arrays_kept) < 100_000


def test_joints_that_no_point_determines_stay_neutral():
    rotations = reconstruct(clip_points(count=20), HUMAN).motion.rotations
    for name in ("l_wrist", "r_thumb1", "l_ankle", "r_metatarsal", "sacroiliac", "vl5"):
        assert np.array_equal(rotations[:, HUMAN.index(name)], arrays.identity(20))


def test_hinges_only_flex():  # S0.32
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
    assert result.unreachable.tolist() == [
        [False] * 4,
        [True, False, False, False],
        [True, False, False, False],
        [False] * 4,
    ]
    assert result.report.unreachable == 2
    assert result.limited[3].tolist() == [False, False, False, True]
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


# --- frame by frame -------------------------------------------------------------------------------

VARIANTS = {
    "default": {},
    "literal": {
        "weights": (0.1, 0.1, 1.0),
        "bend": "previous",
        "spine_mode": "incremental",
        "spine_search": "two-phase",
        "clavicle": "hold",
        "project_previous": False,
    },
    "ours": {
        "swivel": "search",
        "collisions": True,
        "retwist": True,
        "overhead_hysteresis": True,
        "missing": "predict",
        "feet": "level",
    },
}
variants = pytest.mark.parametrize("changed", VARIANTS.values(), ids=VARIANTS.keys())


@variants
@pytest.mark.parametrize("rotations", [False, True], ids=["positions", "rotations"])
def test_streaming_gives_the_bits_of_the_clip(changed, rotations):
    points = holed(clip_points("boxing", 90, rotations))
    whole = solver("sik", **changed).prepare(HUMAN).solve_clip(points)
    tracker = solver("sik", **changed).prepare(HUMAN, rate=points.rate)
    for k in range(len(points)):
        solution = tracker.solve(points.frames(slice(k, k + 1)))
        assert np.array_equal(solution.pose.rotations, whole.motion.rotations[k])
        assert np.array_equal(solution.pose.root, whole.motion.root[k])
        assert np.array_equal(solution.residuals, whole.residuals[k], equal_nan=True)
        assert solution.iterations == whole.iterations[k]
        assert solution.missing == tuple(np.array(SIX)[whole.missing[k]])


def test_arrays_and_points_give_the_same():
    points = clip_points(count=10)
    a, b = (SequentialSolver().prepare(HUMAN) for _ in range(2))
    for k, frame in enumerate(points.positions):
        one, other = a.solve(frame), b.solve(points.frames(slice(k, k + 1)))
        assert np.array_equal(one.pose.rotations, other.pose.rotations)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="no compiler")
@variants
def test_compiled_and_plain_give_the_same_bits(changed):
    points = holed(clip_points("boxing", 40, rotations=True), seed=2)
    fast = solver("sik", **changed).prepare(HUMAN, limits=None).solve_clip(points)
    plain = Plain(human(), rate=points.rate, **changed)
    for k, (seen, turned) in enumerate(zip(*FrameReader(SIX).read_clip(points), strict=True)):
        plain.solve(seen, turned)
        assert np.array_equal(plain.out.rotations[0], fast.motion.rotations[k])
        assert np.array_equal(plain.out.root[0], fast.motion.root[k])


def test_reset_forgets():
    tracker = SequentialSolver(weights=(0.1, 0.1, 1.0), clavicle="hold").prepare(HUMAN)
    points = clip_points(count=30)
    first = [tracker.solve(frame).pose.rotations for frame in points.positions]
    tracker.reset()
    again = [tracker.solve(frame).pose.rotations for frame in points.positions]
    assert np.array_equal(first, again)


def test_warm_up_leaves_no_trace():
    points = clip_points(count=3)
    warm, cold = (SequentialSolver(weights=(0.1, 0.1, 1.0)).prepare(HUMAN) for _ in range(2))
    warm.warm_up()
    for frame in points.positions:
        assert np.array_equal(warm.solve(frame).pose.rotations, cold.solve(frame).pose.rotations)


def test_a_clip_does_not_disturb_the_stream():
    points = clip_points(count=20)
    disturbed, alone = (SequentialSolver(weights=(0.1, 0.1, 1.0)).prepare(HUMAN) for _ in range(2))
    for k, frame in enumerate(points.positions):
        if k == 10:
            disturbed.solve_clip(clip_points("walk", 20))
        assert np.array_equal(
            disturbed.solve(frame).pose.rotations, alone.solve(frame).pose.rotations
        )


def test_order_of_the_points_does_not_matter():
    names = SIX[::-1]
    tracker, usual = (SequentialSolver().prepare(HUMAN, names=n) for n in (names, SIX))
    assert tracker.names == names
    for frame in clip_points("overhead", 100).positions[::10]:
        here, there = tracker.solve(frame[::-1]), usual.solve(frame)
        assert np.array_equal(here.pose.rotations, there.pose.rotations)
        assert np.array_equal(here.residuals[::-1], there.residuals)


# --- known rotations ------------------------------------------------------------------------------


def test_known_rotations_are_used():  # S0.18
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


# --- one person, many rigs ------------------------------------------------------------------------

ALL_POSES = REST_POSES | TWISTED


class Reference:
    """Points of a fight, and where sequential IK puts every node of the built-in figure."""

    def __init__(self) -> None:
        self.points = holed(clip_points("boxing", 120, rotations=True), share=0.05)
        self.positions = reconstruct(self.points, HUMAN).motion.positions()
        stretch = []
        for side in "lr":
            for parts in (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")):
                a, b, c = (self.positions[:, HUMAN.index(f"{side}_{part}")] for part in parts)
                bones = np.linalg.norm(b - a, axis=-1) + np.linalg.norm(c - b, axis=-1)
                stretch.append(np.linalg.norm(c - a, axis=-1) / bones)
        # Of a limb that is straight to the last bit, the elbow is known to the root of that bit.
        self.straight = np.max(stretch, axis=0) > 1.0 - 1e-9
        assert 0 < self.straight.sum() < 60

    def check(self, motion: Motion) -> None:
        """The same places on another rig of the same person."""
        names = HUMAN.node_names
        places = motion.positions([motion.skeleton.index(name) for name in names])
        gap = np.abs(places - self.positions).max(axis=(1, 2))
        assert gap[~self.straight].max() < 1e-9
        assert gap.max() < 1e-7


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference()


@pytest.mark.parametrize("pose", ALL_POSES.values(), ids=ALL_POSES.keys())
def test_rest_pose_of_the_rig_does_not_matter(pose, reference):
    result = reconstruct(reference.points, rebased(HUMAN, pose))
    reference.check(result.motion)
    assert result.report.limit_violations == 0


@pytest.mark.parametrize("seed", range(3))
def test_joint_frames_of_the_rig_do_not_matter(seed, reference):
    reference.check(reconstruct(reference.points, odd_rig(seed)).motion)


def named_positions(motion: Motion, names: tuple[str, ...]) -> np.ndarray:
    return motion.positions([motion.skeleton.index(name) for name in names])


@pytest.mark.parametrize("pose", ["neutral", "T-pose", "elbows bent"])
def test_twist_joints_do_not_matter(pose, reference):
    rig = HUMAN
    for name in ("l_wrist", "r_wrist", "l_elbow", "r_elbow", "l_knee", "r_ankle"):
        rig = insert_above(rig, name, f"{name}_twist")
    reference.check(reconstruct(reference.points, rebased(rig, REST_POSES[pose])).motion)


@pytest.mark.parametrize("pose", ["neutral", "T-pose", "yawed"])
@pytest.mark.parametrize("bound", [False, True], ids=["plain", "bound"])
def test_pelvis_may_hang_below_a_root(pose, bound, reference):
    points = reference.points
    rig = rebased(insert_above(HUMAN, "HumanoidRoot", "Reference"), REST_POSES[pose])
    if bound:  # a root that lies on its back, somewhere else, as exporters like it
        offsets, bind = rig.offsets.copy(), arrays.identity(rig.joint_count)
        bind[0] = arrays.from_axis_angle((1.0, 0.0, 0.0), -np.pi / 2)
        bind[1] = arrays.conjugate(bind[0])
        offsets[0] = (1.0, 2.0, 3.0)
        offsets[1] = (0.3, 0.1, 0.2)
        rig = replace(rig, offsets=offsets, bind=bind)
    result = reconstruct(points, rig)
    reference.check(result.motion)
    # The root does not move; the pelvis travels below it.
    assert np.ptp(result.motion.root, axis=0) == pytest.approx(np.zeros(3))
    streamed = SequentialSolver().prepare(rig, rate=points.rate).solve(points.frames(slice(0, 1)))
    assert np.array_equal(streamed.pose.world()[0], result.motion[0].world()[0])


def test_ends_of_the_rig_may_be_sites(reference):
    points = reference.points
    ends = ("skullbase", "l_wrist", "r_wrist", "l_ankle", "r_ankle")
    for pose in ("neutral", "T-pose"):
        rig = pruned(rebased(HUMAN, REST_POSES[pose]), ends)
        motion = reconstruct(points, rig, limits=None).motion
        truth = reconstruct(points, HUMAN, limits=None).motion
        gap = named_positions(motion, rig.node_names) - named_positions(truth, rig.node_names)
        assert np.abs(gap).max() < 1e-7


def test_a_rig_without_clavicles(reference):
    points = reference.points
    roles = {role: name for role, name in HUMAN.roles.items() if "clavicle" not in role}
    names = tuple(name.replace("sternoclavicular", "helper") for name in HUMAN.names)
    rig = replace(HUMAN, roles=roles, names=names)
    motion = reconstruct(points, rig).motion
    helper = rig.index("l_helper")
    assert np.array_equal(motion.rotations[:, helper], arrays.identity(len(points)))


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_spines_of_few_joints(kept):  # one segment, two, three
    path = HUMAN.path(HUMAN.index("skullbase"))[1:-1]
    names = [HUMAN.names[j] for j in path]
    keep = {0: [], 1: ["vt6"], 2: ["vt12", "vt6"]}[kept]
    rig = HUMAN
    for name in reversed(names):
        if name not in keep:
            rig = removed(rig, name)
    assert len(rig.anatomy.spine) == kept
    result = reconstruct(clip_points("reach", 120), rig)
    assert np.isfinite(result.motion.rotations).all()
    assert result.residuals[:, 2:].max() < 0.25
    known = reconstruct(clip_points("reach", 20, rotations=True), rig)
    assert np.isfinite(known.motion.rotations).all()


def removed(rig: Skeleton, name: str) -> Skeleton:
    """The rig without a joint; its children hang from its parent."""
    at = rig.index(name)
    parent = int(rig.parents[at])
    keep = [j for j in range(rig.joint_count) if j != at]
    offsets = rig.offsets.copy()
    offsets[rig.parents == at] += offsets[at]

    def number(j):
        j = parent if j == at else int(j)
        return j - (j > at)

    return replace(
        rig,
        names=tuple(rig.names[j] for j in keep),
        parents=np.array([number(rig.parents[j]) for j in keep]),
        offsets=offsets[keep],
        site_parents=np.array([number(j) for j in rig.site_parents]),
    )


# --- laws over any input --------------------------------------------------------------------------

FREE, HELD = (SequentialSolver().prepare(HUMAN, limits=limits) for limits in (None, "adult"))
LIMITS = adult_limits(HUMAN)


def assert_sound(solution, limits: Limits | None = None) -> None:
    pose = solution.pose
    assert np.isfinite(pose.root).all()
    assert np.abs(np.linalg.norm(pose.rotations, axis=-1) - 1.0).max() < 1e-9
    if limits is not None:
        motion = Motion(HUMAN, pose.root[None], pose.rotations[None], 60.0)
        assert limits.violations(motion).max() < 1e-6


def solved(tracker, frame):
    tracker.reset()
    return tracker.solve(frame)


seeds = st.integers(0, 2**32 - 1)
sizes = st.sampled_from([0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.3, 1.0, 10.0, 1e4, 1e8])


@given(seeds, sizes)
def test_any_cloud_of_points_gives_a_body(seed, size):
    frame = size * np.random.default_rng(seed).normal(size=(6, 3))
    assert_sound(solved(FREE, frame))
    assert_sound(solved(HELD, frame), LIMITS)


@given(seeds, st.floats(0.05, 0.8))
def test_poses_of_the_same_body_are_met(seed, size):  # S0.1
    rng = np.random.default_rng(seed)
    turned = random_rotations(rng, HUMAN.joint_count, size=size)
    motion = Motion(HUMAN, rng.normal(size=(1, 3)), turned[None], 60.0)
    result = FREE.solve_clip(motion.points())
    reached = ~result.unreachable[0]
    assert result.residuals[0, 2:][reached].max(initial=0.0) < 1e-6
    assert not result.limited.any()
    # Out of reach: the limb is straight, so the miss is what is missing.
    assert np.isfinite(result.residuals).all()


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3), st.sampled_from([0.0, 1e-12, 1e-7, 1e-3]))
def test_all_six_at_one_place(place, jitter):
    frame = np.tile(place, (6, 1)) + jitter * np.random.default_rng(0).normal(size=(6, 3))
    for tracker, limits in ((FREE, None), (HELD, LIMITS)):
        solution = solved(tracker, frame)
        assert_sound(solution, limits)
        assert np.linalg.norm(solution.pose.root - place) < 1.0


@pytest.mark.parametrize("pair", [(PELVIS, HEAD), (L_WRIST, R_WRIST), (L_ANKLE, R_ANKLE)])
def test_two_points_at_one_place(pair):
    frame = standing()
    frame[pair[1]] = frame[pair[0]]
    for tracker, limits in ((FREE, None), (HELD, LIMITS)):
        assert_sound(solved(tracker, frame), limits)


@pytest.mark.parametrize("pair", [(2, 3), (4, 5), (0, 1)])
def test_two_points_swapped(pair):
    frame = standing()
    frame[list(pair)] = frame[list(pair)[::-1]]
    for tracker, limits in ((FREE, None), (HELD, LIMITS)):
        assert_sound(solved(tracker, frame), limits)


def test_wrists_and_ankles_swapped_is_a_body_turned_round():
    frame = standing()
    turned = frame[[0, 1, 3, 2, 5, 4]]
    rotation = solved(FREE, turned).pose.rotations[0]
    assert arrays.rotate(rotation, np.array((0.0, 0.0, 1.0)))[2] < -0.9


@pytest.mark.parametrize("place", [1e3, 1e6, 1e8])
def test_far_from_the_origin(place):
    frame = clip_points(count=1).positions[0]  # on guard: no limb is straight
    there, here = (solved(FREE, frame + shift) for shift in (np.array((place, 0.0, -place)), 0.0))
    assert_sound(there)
    last_bit = np.spacing(place)
    assert there.residuals == pytest.approx(here.residuals, abs=10.0 * last_bit)
    assert_same_rotation(there.pose.rotations, here.pose.rotations, atol=1e3 * last_bit)


@effort(max_examples=30)
@given(seeds, st.sampled_from(["frames", "swivel", "weights"]))
def test_any_stream_gives_bodies(seed, option):
    changed = {
        "frames": {"bend": "previous", "spine_mode": "incremental", "clavicle": "hold"},
        "swivel": {"swivel": "search", "collisions": True, "overhead_hysteresis": True},
        "weights": {"weights": (0.0, 0.0, 1.0), "missing": "predict"},
    }[option]
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(12, 6, 3)) * 10.0 ** rng.uniform(-3, 1, (12, 1, 1))
    positions[rng.random((12, 6)) < 0.2] = np.nan
    rotations = random_rotations(rng, 12, 6)
    rotations[rng.random((12, 6)) < 0.5] = np.nan
    result = (
        solver("sik", **changed).prepare(HUMAN).solve_clip(Points(SIX, positions, 60.0, rotations))
    )
    assert np.isfinite(result.motion.rotations).all()
    assert LIMITS.violations(result.motion).max() < 1e-6
