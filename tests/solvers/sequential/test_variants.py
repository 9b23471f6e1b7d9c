"""The two variants of sequential IK: our best by default, and the paper's by name."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint import reconstruct
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.metrics import compare
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import SequentialSolver, StopReason
from sixpoint.tasks.self_collision import ElbowTorso

from ..bodies import HUMAN, standing

PAPER = SequentialSolver(variant="paper")
BEST = SequentialSolver()
L_WRIST = SIX.index("l_wrist")


def bowed(axis: tuple[float, float, float], degrees: float) -> Motion:
    """A spine that bends evenly about an axis, further from frame to frame."""
    rotations = arrays.identity(30, HUMAN.joint_count)
    spine = HUMAN.anatomy.roles.spine
    angles = np.radians(np.linspace(0.0, degrees, 30)) / len(spine)
    for joint in spine:
        rotations[:, joint] = arrays.from_axis_angle(axis, angles)
    return Motion(HUMAN, np.tile(HUMAN.offsets[0], (30, 1)), rotations, 60.0)


def bow(motion: Motion) -> np.ndarray:
    """How far the spine's joints are from the line between pelvis and head, last frame [m]."""
    anatomy = HUMAN.anatomy
    nodes = [anatomy.node("pelvis"), *anatomy.roles.spine, anatomy.node("head")]
    at = motion.positions(nodes)[-1] - motion.positions(nodes)[-1, 0]
    chord = at[-1] / np.linalg.norm(at[-1])
    return at - (at @ chord)[:, None] * chord


def hands_at_the_chest() -> Points:
    """A boxer who holds his hands half as far from his chest."""
    points = builtin("boxing").points()
    positions = points.positions.copy()
    chest = positions[:, :1] + (0.0, 0.25, 0.1)
    positions[:, 2:4] += 0.5 * (chest - positions[:, 2:4])
    return Points(SIX, positions, points.rate)


def straight_arms_through_the_body() -> Points:
    """A left hand that only a straight arm through the torso reaches, in several directions."""
    ways = np.array([(x, -0.8, z) for x in (-0.3, -0.5, -0.7) for z in (-0.2, 0.0, 0.2)])
    ways /= np.linalg.norm(ways, axis=-1, keepdims=True)
    at = {name: HUMAN.anatomy.positions[HUMAN.anatomy.node(name)] for name in (*SIX, "l_shoulder")}
    positions = np.tile([at[name] for name in SIX], (len(ways), 1, 1))
    arm = np.linalg.norm(at["l_wrist"] - at["l_shoulder"])
    positions[:, L_WRIST] = at["l_shoulder"] + 0.985 * arm * ways
    return Points(SIX, positions, 60.0)


def test_a_variant_says_what_is_not_given_and_what_is_given_wins():
    explicit = SequentialSolver(bend="sagittal", swivel="neutral", feet="neutral")
    ours, theirs = BEST.numbers(), PAPER.numbers()
    for name in ("bend", "swivel", "feet"):
        assert ours[name] != theirs[name]
        assert theirs[name] == explicit.numbers()[name]
    mixed = SequentialSolver(variant="paper", swivel="search").numbers()
    assert mixed["swivel"] == ours["swivel"]
    assert mixed["feet"] == theirs["feet"]
    with pytest.raises(InputError, match="Expected `variant` to be one of best, paper; got 'x'"):
        SequentialSolver(variant="x")  # type: ignore[arg-type]


def test_a_hand_overhead_is_reached_without_a_collapse():
    frame = standing()
    shoulder = HUMAN.anatomy.positions[HUMAN.anatomy.node("l_shoulder")]
    shoulder = shoulder - HUMAN.anatomy.positions[HUMAN.anatomy.node("pelvis")] + frame[0]
    frame[L_WRIST] = shoulder + np.array((-0.02, 0.42, 0.0))
    best, paper = (solver.prepare(HUMAN).solve(frame) for solver in (BEST, PAPER))
    assert best.residuals[L_WRIST] < 1e-3
    assert paper.residuals[L_WRIST] > 0.3  # as published: the neutral swivel is out of limits
    elbow = best.pose.world()[0][HUMAN.anatomy.node("l_elbow")]
    assert elbow[1] > shoulder[1]


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_side_bend_is_a_side_bend(side):
    truth = bowed((0.0, 0.0, side), 70.0)
    ours, theirs = (bow(reconstruct(truth.points(), HUMAN, s).motion) for s in (BEST, PAPER))
    wanted = bow(truth)
    widest = np.abs(wanted[:, 0]).argmax()
    assert ours[widest, 0] / wanted[widest, 0] > 0.6
    assert abs(theirs[widest, 0]) < 0.01  # a hunch without a curve to the side
    gaps = [np.linalg.norm(each - wanted, axis=-1).max() for each in (ours, theirs)]
    assert gaps[0] < 0.5 * gaps[1]


@pytest.mark.parametrize("degrees", [50.0, -25.0])
def test_forwards_and_backwards_are_no_worse(degrees):
    truth = bowed((1.0, 0.0, 0.0), degrees)
    best, paper = (
        compare(reconstruct(truth.points(), HUMAN, s).motion, truth).position_rms
        for s in (BEST, PAPER)
    )
    assert best < paper + 1e-4


def test_the_plane_of_the_bow_turns_no_faster_than_people():
    positions = np.tile(standing(), (2, 1, 1))
    lean = 0.25 * (positions[0, 1, 1] - positions[0, 0, 1])
    positions[:, 1, 1] -= 0.08
    positions[0, 1, 0] += lean
    positions[1, 1, 0] -= lean
    tracker = BEST.prepare(HUMAN, rate=60.0)
    normals = []
    for frame in positions:
        tracker.solve(frame)
        normals.append(tracker.run.context.state["normal"][0].copy())
    across = [n * (1.0, 0.0, 1.0) / np.linalg.norm(n * (1.0, 0.0, 1.0)) for n in normals]
    assert across[0][2] < -0.9  # bows to the left at first: about -Z
    assert np.arccos(across[0] @ across[1]) < np.radians(35.0)


def test_soles_stay_on_the_floor():
    truth = builtin("walk")
    toes = [HUMAN.index(f"{side}_metatarsal") for side in "lr"]
    floor = truth.positions(toes)[..., 1].min()
    best, paper = (
        float((reconstruct(truth.points(), HUMAN, s).motion.positions(toes)[..., 1] < floor).mean())
        for s in (BEST, PAPER)
    )
    assert best < 0.5 * paper


def test_without_limits_none_is_blamed():
    for variant in ("best", "paper"):
        solver = SequentialSolver(variant=variant, collisions=True)
        for points in (straight_arms_through_the_body(), builtin("walk").points()):
            assert not reconstruct(points, HUMAN, solver, limits=None).limited.any()


@pytest.mark.parametrize("solver", [BEST, PAPER])
def test_the_report_says_which_way_the_steps_took(solver):
    clip = builtin("boxing")
    result = reconstruct(clip.points(), HUMAN, solver)
    report = result.report
    assert report.branches["spine bends"] == len(clip)
    for limb, name in enumerate(("l_arm", "r_arm", "l_leg", "r_leg"), start=2):
        assert np.array_equal(result.branches[f"{name} at its limits"], result.limited[:, limb])
    other = report.branches["r_arm on another swivel"]
    assert (other > 0) == (solver is BEST)
    assert sum(report.stops.values()) == len(clip)
    assert report.stops.get(StopReason.CONVERGED.value, 0) == sum(
        stop is StopReason.CONVERGED for stop in result.stops
    )
    deviation = result.extras["pelvis_deviation"]
    assert deviation.shape == (len(clip),)
    assert deviation.max() < np.radians(10.0)
    # A bow in the sagittal plane leaves the X axis alone, to rounding.
    assert (deviation.max() < 1e-9) == (solver is PAPER)


def test_elbows_end_outside_or_the_report_says_why():
    close = hands_at_the_chest()
    free, kept = (
        reconstruct(close, HUMAN, SequentialSolver(collisions=on)) for on in (False, True)
    )
    before, after = (ElbowTorso.of(HUMAN).depths(r.motion) for r in (free, kept))
    assert (before > 2e-3).sum() > 20
    said = np.stack([kept.branches[f"{side}_arm stays in the torso"] for side in "lr"], axis=1)
    assert not ((after > 2e-3) & ~said).any()
    assert (after > 2e-3).sum() < 0.3 * (before > 2e-3).sum()
    assert kept.report.steps_over_30deg <= free.report.steps_over_30deg + 2
