from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigs import insert_above, odd_rig, random_motion
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import RolesNotFound
from sixpoint.formats import load
from sixpoint.kernels import arrays
from sixpoint.motion.mirror import mirror_motion, mirror_partners, mirror_points
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points

FIGURE = Skeleton.humanoid()
FLIP = np.array([-1.0, 1.0, 1.0])
RIGS = {
    "figure": FIGURE,
    "odd frames": odd_rig(),
    "root above": insert_above(FIGURE, "HumanoidRoot", "Reference"),
}


def same_rotations(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.minimum(np.abs(a - b), np.abs(a + b)).max())


@pytest.fixture(params=RIGS.values(), ids=RIGS.keys())
def rig(request):
    return request.param


def test_twice_is_the_motion_itself(rig):
    motion = random_motion(rig, frames=6)
    twice = mirror_motion(mirror_motion(motion))
    assert same_rotations(twice.rotations, motion.rotations) < 1e-12
    assert np.array_equal(twice.root, motion.root)


def test_every_joint_is_where_the_mirror_shows_its_partner(rig):
    motion = random_motion(rig, frames=6)
    mirrored = mirror_motion(motion)
    partners = mirror_partners(rig)
    expected = motion.positions()[:, partners] * FLIP
    np.testing.assert_allclose(mirrored.positions(range(rig.joint_count)), expected, atol=1e-12)
    # Not a trivial law: without mirroring the positions differ.
    assert np.abs(motion.positions(range(rig.joint_count)) - expected).max() > 0.1


@given(st.integers(0, 2**32 - 1))
def test_points_of_the_mirrored_motion_are_the_mirrored_points(seed):
    motion = random_motion(FIGURE, seed, frames=2)
    roles = (*SIX, "l_elbow", "r_elbow", "l_knee", "r_knee")
    a = mirror_motion(motion).points(roles, rotations=True)
    b = mirror_points(motion.points(roles, rotations=True))
    assert a.names == b.names == roles
    np.testing.assert_allclose(a.positions, b.positions, atol=1e-12)
    assert same_rotations(a.rotations, b.rotations) < 1e-12


def test_a_symmetric_pose_is_its_own_mirror_image():
    still = Motion(FIGURE, np.array([[0.0, 1.0, 2.0]]), arrays.identity(1, 34), 30.0)
    mirrored = mirror_motion(still)
    assert same_rotations(mirrored.rotations, still.rotations) < 1e-15
    assert np.array_equal(mirrored.root, still.root)


def test_partners_come_from_roles_and_from_names():
    names = dict(zip(FIGURE.names, (FIGURE.names[k] for k in mirror_partners(FIGURE)), strict=True))
    for name, partner in names.items():
        side = {"l_": "r_", "r_": "l_"}.get(name[:2])
        assert partner == (side + name[2:] if side else name)


@pytest.mark.parametrize(
    "style",
    [
        "{Left}{}",
        "mixamorig:{Left}{}",
        "{}.{L}",
        "{}_{l}",
        "{l}{}",
        "CC_Base_{L}_{}",
        "{LEFT}_{}",
        "{L}{}",
    ],
)
def test_names_of_many_styles_are_recognised(style):
    def rename(name: str) -> str:
        if name[:2] not in ("l_", "r_"):
            return name
        word = {"l": "left", "r": "right"}[name[0]]
        forms = {
            "Left": word.capitalize(),
            "LEFT": word.upper(),
            "L": name[0].upper(),
            "l": name[0],
        }
        return style.format(name[2:].capitalize(), **forms)

    renamed = replace(
        FIGURE,
        names=tuple(rename(n) for n in FIGURE.names),
        site_names=tuple(rename(n) for n in FIGURE.site_names),
        roles={role: rename(name) for role, name in FIGURE.roles.items()},
        hinges={},
    )
    assert np.array_equal(mirror_partners(renamed), mirror_partners(FIGURE))


def test_partners_are_pairs():
    for skeleton in RIGS.values():
        partners = mirror_partners(skeleton)
        assert np.array_equal(partners[partners], np.arange(skeleton.joint_count))


def test_a_joint_has_one_partner_though_two_names_fit():
    extra = ("Left_l_horn", "Right_l_horn", "Right_r_horn")
    head = FIGURE.index("skullbase")
    rig = replace(
        FIGURE,
        names=FIGURE.names + extra,
        parents=np.append(FIGURE.parents, [head] * 3),
        offsets=np.concatenate([FIGURE.offsets, np.ones((3, 3))]),
    )
    assert mirror_partners(rig)[-3:].tolist() == [35, 34, 36]


def test_a_joint_on_one_side_only_maps_to_itself():
    rig = insert_above(FIGURE, "r_thumb2", "r_ring")
    partners = mirror_partners(rig)
    ring, thumb = rig.index("r_ring"), rig.index("r_thumb2")
    assert partners[ring] == ring
    assert partners[thumb] == thumb  # below the ring on one side, below thumb1 on the other
    assert partners[rig.index("l_thumb2")] == rig.index("l_thumb2")
    motion = random_motion(rig, frames=3)
    assert same_rotations(mirror_motion(mirror_motion(motion)).rotations, motion.rotations) < 1e-12


def test_translations_are_mirrored_through_the_frames_of_the_parents():
    for rig in (RIGS["odd frames"], RIGS["root above"]):
        motion = random_motion(rig, frames=4)
        rng = np.random.default_rng(3)
        moves = np.tile(rig.offsets, (4, 1, 1)) + 0.1 * rng.normal(size=(4, rig.joint_count, 3))
        moves[:, 0] = motion.root
        motion = replace(motion, translations=moves)
        mirrored = mirror_motion(motion)
        expected = motion.positions()[:, mirror_partners(rig)] * FLIP
        np.testing.assert_allclose(mirrored.positions(range(rig.joint_count)), expected, atol=1e-12)
        np.testing.assert_allclose(mirror_motion(mirrored).translations, moves, atol=1e-12)


def test_points_of_one_side_change_their_name():
    positions = np.array([[[1.0, 2.0, 3.0], [0.5, 0.0, 0.0]]])
    points = Points(("head", "l_wrist"), positions, 30.0, confidence=np.array([[0.5, 0.25]]))
    mirrored = mirror_points(points)
    assert mirrored.names == ("head", "r_wrist")
    assert np.array_equal(mirrored.positions, positions * FLIP)
    assert np.array_equal(mirrored.confidence, points.confidence)


def test_both_sides_keep_their_order_and_swap_everything_else():
    positions = np.arange(12.0).reshape(2, 2, 3)
    positions[0, 0] = np.nan
    confidence = np.array([[0.0, 1.0], [0.25, 0.5]])
    points = Points(("l_wrist", "r_wrist"), positions, 30.0, confidence=confidence)
    mirrored = mirror_points(points)
    assert mirrored.names == points.names
    np.testing.assert_array_equal(mirrored.positions, positions[:, ::-1] * FLIP)
    assert np.array_equal(mirrored.confidence, confidence[:, ::-1])
    np.testing.assert_array_equal(mirror_points(mirrored).positions, positions)


def test_a_rig_that_is_no_person_is_refused():
    chain = Skeleton(("a", "b"), np.array([-1, 0]), np.eye(3)[:2])
    with pytest.raises(RolesNotFound, match="cannot be read as a human"):
        mirror_motion(random_motion(chain))


REAL = (
    "other/bvh/mixamo_names_55j_freebvh.bvh",
    "other/bvh/makehuman_zombieWalk1_75j.bvh",
    "other/bvh/blender_rig_dotL_names_19j.bvh",
    "other/bvh/perception_neuron_6ch_every_joint_59j.bvh",
    "cmu/paper/90_05_jump_kick.bvh",
)


@pytest.mark.data
@pytest.mark.parametrize("path", REAL)
def test_real_rigs_have_a_partner_for_every_joint_with_a_side(shared_data, path):
    motion = load(shared_data / path).frames(slice(20))
    skeleton = motion.skeleton
    partners = mirror_partners(skeleton)
    alone = [n for n, k in zip(skeleton.names, partners, strict=True) if skeleton.index(n) == k]
    assert not [n for n in alone if re.search(r"left|right|[._][LR]$", n, re.IGNORECASE)]
    assert len(alone) < 15
    twice = mirror_motion(mirror_motion(motion))
    assert same_rotations(twice.rotations, motion.rotations) < 1e-12
    np.testing.assert_allclose(twice.positions(), motion.positions(), atol=1e-9)
