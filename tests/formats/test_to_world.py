from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rigs import odd_rig, random_rotations
from sixpoint.formats.units import to_file, to_world
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion, Source
from sixpoint.subjects.conventions import UP

from .samples import standing_person


@pytest.mark.parametrize("up", UP)
def test_what_is_admitted_can_be_expelled(up):
    there = to_file(standing_person(unit=0.01, axes=UP[up]))
    here = to_world(there, unit=0.01, up=up)
    again = to_file(here)
    np.testing.assert_allclose(again.root, there.root, atol=1e-12)
    np.testing.assert_allclose(again.rotations, there.rotations, atol=1e-12)
    np.testing.assert_allclose(again.skeleton.offsets, there.skeleton.offsets, atol=1e-12)
    np.testing.assert_allclose(
        here.positions(), 0.01 * arrays.rotate(np.array(UP[up]), there.positions()), atol=1e-12
    )


def test_hinges_turn_with_the_axes():
    person = standing_person(unit=1.0, axes=UP["z"])
    there = to_file(person)
    assert there.skeleton.hinges["l_knee"] == pytest.approx((1.0, 0.0, 0.0))
    bent = replace(person.skeleton, hinges={"l_knee": (0.0, 1.0, 0.0)})
    there = to_file(replace(person, skeleton=bent))
    assert there.skeleton.hinges["l_knee"] == pytest.approx((0.0, 0.0, 1.0))


def test_translations_are_converted():
    person = standing_person(unit=0.01, axes=UP["z"])
    moves = np.broadcast_to(person.skeleton.offsets, (len(person), *person.skeleton.offsets.shape))
    slid = replace(person, translations=moves)
    np.testing.assert_allclose(to_file(slid).positions(), to_file(person).positions(), atol=1e-9)


def test_a_rest_pose_that_stands_needs_no_bind():
    assert to_world(standing_person(), unit="m").skeleton.bind is None


def heap_of_bones(frames=6):
    """A rig whose unturned joints form no body, as a file would hold it; stands best in frame 3."""
    rig = odd_rig()
    bow = arrays.from_axis_angle((1.0, 0.0, 0.0), 0.15 * np.abs(np.arange(frames) - 3.0))
    spine = rig.index("vl5")
    rotations = np.tile(rig.bind, (frames, 1, 1))
    parents = [-1, *rig.path(spine)]
    above = arrays.identity(1)[0]
    for joint in parents[1:-1]:
        above = arrays.multiply(above, rig.bind[joint])
    local = arrays.multiply(arrays.multiply(arrays.conjugate(above), bow), above)
    rotations[:, spine] = arrays.multiply(local, rotations[:, spine])
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), 1.0)
    rotations[:, 0] = arrays.multiply(turn, rotations[:, 0])
    root = np.tile(rig.offsets[0], (frames, 1))
    return Motion(replace(rig, bind=None), root, rotations, 60.0, source=Source("bvh"))


def test_a_heap_of_bones_is_bound_in_its_most_upright_frame():
    there = heap_of_bones()
    here = to_world(there, unit="m", up="auto")
    assert here.skeleton.bind is not None
    seen = [j for j in range(1, here.skeleton.joint_count) if j not in unseen(here.skeleton)]
    np.testing.assert_allclose(here.skeleton.bind[seen], there.rotations[3, seen], atol=1e-12)
    assert any("most upright frame as rest pose" in note for note in here.source.notes)


def unseen(body):
    """Joints that no tracked point tells of: from wrists and ankles down."""
    ends = {body.index(f"{side}_{part}") for side in "lr" for part in ("wrist", "ankle")}
    return [j for j in range(body.joint_count) if ends & set(body.path(j))]


def test_hands_and_feet_of_no_frame_are_bound():
    there = heap_of_bones()
    other = there.rotations.copy()
    hidden = unseen(there.skeleton)
    other[:, hidden] = random_rotations(np.random.default_rng(1), *other[:, hidden].shape[:2])
    one = to_world(there, unit="m", up="y").skeleton
    two = to_world(replace(there, rotations=other), unit="m", up="y").skeleton
    np.testing.assert_array_equal(one.bind, two.bind)


def test_feet_point_ahead():
    body = to_world(heap_of_bones(), unit="m", up="auto").skeleton
    at = body.rest()[0]
    for side in "lr":
        ankle = body.index(f"{side}_ankle")
        toes = at[np.flatnonzero(body.node_parents == ankle)[0]] - at[ankle]
        assert toes[2] > 0.4 * np.linalg.norm(toes)


def test_the_bound_pose_faces_z():
    body = to_world(heap_of_bones(), unit="m", up="auto").skeleton
    at = body.rest()[0]
    hips = at[body.index("l_hip")] - at[body.index("r_hip")]
    assert hips[0] > 0.9 * np.linalg.norm(hips)
    assert at[body.index("skullbase"), 1] > at[body.index("l_ankle"), 1] + 1.0


def test_anatomy_of_the_bound_rig_is_that_of_the_person():
    body = to_world(heap_of_bones(), unit="m", up="auto").skeleton
    plain = standing_person().skeleton
    assert body.anatomy.stature == pytest.approx(plain.anatomy.stature, rel=0.01)


def test_a_heap_without_frames_stays_a_heap():
    assert to_world(heap_of_bones().frames(slice(0, 0)), unit="m").skeleton.bind is None
