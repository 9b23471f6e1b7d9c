"""Settling a whole body on what was seen: laws, and what must not break it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from rigs import random_rotations
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels.limits import limit_violation
from sixpoint.kernels.quaternion import quat_load
from sixpoint.limits import Limits, adult_limits
from sixpoint.motion.points import SIX
from sixpoint.solvers.articulated.build import new_pose
from sixpoint.solvers.articulated.model import ModelPose, hold_joint, model_forward
from sixpoint.solvers.articulated.settle import settle
from sixpoint.solvers.articulated.whole_body import (
    Observations,
    Settling,
    WholeBody,
    new_scratch,
    whole_body,
)
from sixpoint.solvers.context import MET

from .test_whole_body import drawn_pose

SKELETON = Skeleton.humanoid()
NAMES = list(SKELETON.anatomy.landmarks)
ADULT = whole_body(SKELETON.anatomy, adult_limits(SKELETON))
LOOSE = whole_body(SKELETON.anatomy, Limits({}))
MIRRORED = [NAMES.index({"l": "r", "r": "l"}[n[0]] + n[1:] if n[1] == "_" else n) for n in NAMES]
"""The landmark on the other side of each."""
SETS = {
    "six": SIX,
    "ten": (*SIX, *(f"{side}_{part}" for side in "lr" for part in ("elbow", "knee"))),
    "all": tuple(NAMES),
    "head and hands": ("head", "l_wrist", "r_wrist"),
    "a lost wrist": tuple(name for name in SIX if name != "l_wrist"),
}


@dataclass
class Case:
    """A pose of a body, a disturbed prediction of it, and what is seen of it."""

    body: WholeBody
    local: np.ndarray
    root: np.ndarray
    seen: Observations

    def solve(self, settings: Settling | None = None) -> tuple[ModelPose, int, int]:
        """The settled pose, the steps and why they ended."""
        pose = new_pose(self.body.model)
        pose.local[:], pose.position[0] = self.local, self.root
        steps, why = settle(
            self.body, pose, new_scratch(self.body), self.seen, settings or Settling()
        )
        return pose, steps, why

    def missed(self, pose: ModelPose) -> np.ndarray:
        """Distances of the landmarks from where they were seen [m], (E,)."""
        return np.linalg.norm(pose.effectors - self.seen.positions, axis=1)


def held(body: WholeBody, local: np.ndarray) -> np.ndarray:
    """A pose within limits."""
    model = body.model
    return np.array([hold_joint(model, k, quat_load(local, k)) for k in range(len(local))])


def make_case(
    body: WholeBody, names: tuple[str, ...], seed: int, *, rotations: bool = False
) -> Case:
    """What `names` are seen of a drawn pose, and a prediction that is some 10 degrees off."""
    rng = np.random.default_rng(seed)
    truth = new_pose(body.model)
    truth.local[:] = held(body, drawn_pose(body, seed))
    truth.position[0] = rng.normal(size=3)
    model_forward(body.model, truth)
    known = np.isin(NAMES, names)[:, None]
    turned = truth.world[body.model.effector_joint]
    seen = Observations(
        np.where(known, truth.effectors, np.nan),
        np.where(known & rotations, turned, np.nan),
        np.ones(len(NAMES)),
    )
    wrong = random_rotations(rng, len(truth.local), size=0.08)
    local = held(body, arrays.multiply(wrong, truth.local))
    return Case(body, local, truth.position[0] + rng.normal(size=3) * 0.02, seen)


def violations(body: WholeBody, pose: ModelPose) -> float:
    """The largest excess over a limit [rad]."""
    limits = body.model.limits
    return max(limit_violation(limits, k, quat_load(pose.local, k)) for k in range(len(pose.local)))


@pytest.mark.parametrize("names", SETS)
@pytest.mark.parametrize("rotations", [False, True])
def test_what_was_seen_is_met(names: str, rotations: bool):
    for seed in range(3):
        case = make_case(ADULT, SETS[names], seed, rotations=rotations)
        pose, _, _ = case.solve()
        assert np.nanmax(case.missed(pose)) < 1e-3
        assert violations(ADULT, pose) == 0.0
        known = np.isfinite(case.seen.rotations).all(axis=1) & (ADULT.turns == 1)
        turned = pose.world[ADULT.model.effector_joint[known]]
        same = np.abs(np.sum(turned * case.seen.rotations[known], axis=1))
        assert (same > np.cos(0.5 * np.radians(1.0))).all()


def test_nothing_seen_leaves_the_prediction():
    case = make_case(ADULT, (), 1)
    pose, steps, why = case.solve()
    assert (steps, why) == (0, MET)
    np.testing.assert_allclose(pose.local, case.local, atol=1e-14)
    np.testing.assert_array_equal(pose.position[0], case.root)
    case.seen = Observations(np.full((22, 3), np.nan), np.full((22, 4), np.nan), np.ones(22))
    np.testing.assert_array_equal(case.solve()[0].local, pose.local)


def test_points_without_confidence_are_not_seen():
    case = make_case(ADULT, SIX, 2)
    for nothing in (0.0, np.nan):
        case.seen = case.seen._replace(confidence=np.full(len(NAMES), nothing))
        np.testing.assert_allclose(case.solve()[0].local, case.local, atol=1e-14)


def test_a_doubtful_point_pulls_less():
    case = make_case(LOOSE, SIX, 3)
    wrist = NAMES.index("l_wrist")
    exact = case.missed(case.solve()[0])[wrist]
    missed = [exact]
    for confidence in (0.9, 0.5, 0.3, 0.1):
        case.seen.confidence[wrist] = confidence
        missed.append(case.missed(case.solve()[0])[wrist])
    assert missed == sorted(missed)
    assert missed[0] < 1e-4
    assert missed[3] > 0.01


def test_a_met_prediction_is_kept():
    case = make_case(ADULT, SETS["all"], 4)
    settled = case.solve()[0]
    again = replace(case, local=settled.local.copy(), root=settled.position[0].copy())
    pose, steps, _ = again.solve()
    assert steps <= 1
    same = np.abs(np.sum(pose.local * settled.local, axis=1))
    assert (same > np.cos(0.5 * np.radians(0.5))).all()


@pytest.mark.parametrize("names", ["six", "all"])
def test_a_turned_and_moved_world_gives_the_same_body(names: str):
    case = make_case(ADULT, SETS[names], 5, rotations=True)
    turn = arrays.from_rotvec(np.array((0.4, 2.0, -0.3)))
    move = np.array((3.0, -1.0, 2.0))
    local = case.local.copy()
    local[0] = arrays.multiply(turn, local[0])
    seen = Observations(
        arrays.rotate(turn, case.seen.positions) + move,
        arrays.multiply(turn, case.seen.rotations),
        case.seen.confidence,
    )
    # A pelvis has limits of its own in no set: it turns freely.
    moved = Case(ADULT, local, arrays.rotate(turn, case.root) + move, seen)
    one, other = case.solve()[0], moved.solve()[0]
    np.testing.assert_allclose(
        arrays.rotate(turn, one.effectors) + move, other.effectors, atol=1e-6
    )
    same = np.abs(np.sum(one.local[1:] * other.local[1:], axis=1))
    np.testing.assert_allclose(same, 1.0, atol=1e-6)


def test_a_mirrored_world_gives_the_mirrored_body():
    case = make_case(ADULT, SIX, 6)
    partners = [
        MIRRORED[NAMES.index(_role(k))] if _role(k) else k for k in range(len(ADULT.model.parent))
    ]
    joints = [int(ADULT.model.effector_joint[p]) if _role(k) else k for k, p in enumerate(partners)]
    flip = np.array((1.0, 1.0, -1.0, -1.0))
    seen = Observations(
        (case.seen.positions * (-1.0, 1.0, 1.0))[MIRRORED],
        case.seen.rotations,
        case.seen.confidence,
    )
    mirrored = Case(ADULT, (case.local * flip)[joints], case.root * (-1.0, 1.0, 1.0), seen)
    one, other = case.solve()[0], mirrored.solve()[0]
    np.testing.assert_allclose(
        (one.effectors * (-1.0, 1.0, 1.0))[MIRRORED], other.effectors, atol=1e-6
    )


def _role(joint: int) -> str:
    """The landmark at the origin of a joint of a limb, or nothing."""
    at = np.flatnonzero((ADULT.model.effector_joint == joint) & (ADULT.turns == 1))
    name = NAMES[at[0]] if len(at) else ""
    return name if name[1:2] == "_" else ""


@pytest.mark.parametrize("away", [0.05, 0.3, 3.0])
def test_a_limb_out_of_reach_stretches_and_leaves_the_others_alone(away: float):
    case = make_case(ADULT, SIX, 7)
    wrist, shoulder = NAMES.index("l_wrist"), NAMES.index("l_shoulder")
    met = case.solve()[0]
    out = met.effectors[wrist] - met.effectors[shoulder]
    # Stretched in the direction in which it already points, and further.
    arm = ADULT.reach[0]
    length = np.sqrt(arm[3] + arm[4])
    target = met.effectors[shoulder] + out / np.linalg.norm(out) * (length + 0.25 + away)
    case.seen.positions[wrist] = target
    pose, _, why = case.solve()
    assert why != MET
    missed = case.missed(pose)
    others = [k for k, name in enumerate(NAMES) if name in SIX and k != wrist]
    assert missed[others].max() < 5e-3
    reach = np.linalg.norm(pose.effectors[wrist] - pose.effectors[shoulder])
    assert reach > 0.97 * length
    assert violations(ADULT, pose) == 0.0


def test_a_stretched_spine_is_met():
    """Steps without the tension of bones circle around the answer, some millimetres away."""
    body = LOOSE
    truth = new_pose(body.model)
    truth.local[:] = arrays.identity(len(truth.local))
    model_forward(body.model, truth)
    known = np.isin(NAMES, SIX)[:, None]
    turned = np.full((22, 4), np.nan)
    seen = Observations(np.where(known, truth.effectors, np.nan), turned, np.ones(22))
    rng = np.random.default_rng(8)
    for _ in range(3):
        wrong = random_rotations(rng, len(truth.local), size=0.15)
        local = held(body, arrays.multiply(wrong, truth.local))
        case = Case(body, local, truth.position[0], seen)
        assert np.nanmax(case.missed(case.solve()[0])) < 1e-4


SINGULAR = {
    "target at the shoulder": lambda case: case.seen.positions.__setitem__(
        NAMES.index("l_wrist"), case.solve()[0].effectors[NAMES.index("l_shoulder")]
    ),
    "all points at one place": lambda case: case.seen.positions.__setitem__(
        np.isfinite(case.seen.positions[:, 0]), 0.5
    ),
    "straight limbs": lambda case: case.local.__setitem__(
        slice(None), arrays.identity(len(case.local))
    ),
    "far away": lambda case: case.seen.positions.__iadd__(1e6),
    "a half turn": lambda case: case.local.__setitem__(0, (0.0, 0.0, 1.0, 0.0)),
}


@pytest.mark.parametrize("what", SINGULAR)
@pytest.mark.parametrize("body", [ADULT, LOOSE], ids=["adult", "no limits"])
def test_singular_input_gives_a_finite_pose_within_limits(what: str, body: WholeBody):
    case = make_case(body, SIX, 9)
    SINGULAR[what](case)
    pose, _, _ = case.solve()
    assert np.isfinite(pose.local).all()
    assert np.isfinite(pose.effectors).all()
    np.testing.assert_allclose(np.linalg.norm(pose.local, axis=1), 1.0, atol=1e-9)
    assert violations(body, pose) == 0.0


def test_bones_of_no_length_do_no_harm():
    skeleton = replace(
        SKELETON, offsets=np.where(np.arange(34)[:, None] == 27, 0.0, SKELETON.offsets)
    )
    body = whole_body(skeleton.anatomy, Limits({}))
    pose, _, _ = make_case(body, SETS["all"], 10).solve()
    assert np.isfinite(pose.local).all()


def test_the_same_input_gives_the_same_bits():
    case = make_case(ADULT, SETS["ten"], 11)
    scratch = new_scratch(ADULT)
    answers = []
    for _ in range(2):  # the memory of one frame does not reach into the next
        pose = new_pose(ADULT.model)
        pose.local[:], pose.position[0] = case.local, case.root
        settle(ADULT, pose, scratch, case.seen, Settling())
        answers.append(pose.local.copy())
    np.testing.assert_array_equal(*answers)
