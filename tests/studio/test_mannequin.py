from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.studio.mannequin import mannequin_of


def test_a_person_has_two_arms_two_legs_and_a_head(squat):
    person = mannequin_of(squat.skeleton)
    sides = [limb.side for limb in person.limbs]
    assert sides.count("left") == sides.count("right") == 6
    assert len(person.masses) == 5
    assert person.stature == pytest.approx(1.75, rel=0.05)


def test_parts_follow_the_joints(squat):
    person = mannequin_of(squat.skeleton)
    positions, world = squat.world()
    solids = person.place(positions, world)
    assert solids.starts.shape == solids.ends.shape == (len(squat), len(person.limbs), 3)
    assert np.isfinite(solids.centres).all()
    knee = squat.skeleton.anatomy.node("l_knee")
    shin = next(k for k, limb in enumerate(person.limbs) if limb.start == knee)
    np.testing.assert_array_equal(solids.starts[:, shin], positions[:, knee])


def test_bones_keep_their_length_in_every_pose(squat):
    person = mannequin_of(squat.skeleton)
    solids = person.place(*squat.world())
    parents = squat.skeleton.node_parents
    bones = [k for k, limb in enumerate(person.limbs) if parents[limb.end] == limb.start]
    lengths = np.linalg.norm(solids.ends - solids.starts, axis=-1)[:, bones]
    assert len(bones) >= 8
    np.testing.assert_allclose(lengths, lengths[:1].repeat(len(squat), 0), atol=1e-9)


def test_left_mirrors_right_on_the_standing_figure():
    skeleton = Skeleton.humanoid(1.8)
    person = mannequin_of(skeleton)
    positions, world = skeleton.rest()
    solids = person.place(positions[None], world[None])
    by_side = {
        side: np.array([solids.ends[0, k] for k, p in enumerate(person.limbs) if p.side == side])
        for side in ("left", "right")
    }
    np.testing.assert_allclose(by_side["left"], by_side["right"] * (-1.0, 1.0, 1.0), atol=1e-9)


def test_rigs_without_hands_and_feet_get_some():
    full = Skeleton.humanoid(1.75)
    ends = {full.anatomy.node(r) for r in ("l_wrist", "r_wrist", "l_ankle", "r_ankle")}
    kept = [j for j in range(full.joint_count) if j in ends or not ends.intersection(full.path(j))]
    bare = Skeleton(
        tuple(full.names[j] for j in kept),
        np.array([-1 if full.parents[j] < 0 else kept.index(int(full.parents[j])) for j in kept]),
        full.offsets[kept],
    )
    person = mannequin_of(bare)
    positions, world = bare.rest()
    solids = person.place(positions[None], world[None])
    tips = [k for k, limb in enumerate(person.limbs) if limb.end < 0]
    assert len(tips) == 4
    lengths = np.linalg.norm(solids.ends[0, tips] - solids.starts[0, tips], axis=-1)
    assert (lengths > 0.05 * person.stature).all()
    foot = next(k for k in tips if person.limbs[k].start == bare.anatomy.node("l_ankle"))
    assert solids.ends[0, foot, 2] > solids.starts[0, foot, 2]  # toes in front


def test_an_unknown_figure_is_bare_bones(snake):
    bones = mannequin_of(snake.skeleton)
    assert len(bones.limbs) == 4
    assert bones.masses == ()
    solids = bones.place(*snake.world())
    assert solids.centres.shape == (3, 0, 3)


def test_a_figure_of_one_point_can_be_dressed():
    point = Skeleton(("only",), np.array([-1]), np.zeros((1, 3)))
    assert mannequin_of(point).limbs == ()
