from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from rigs import still_motion
from sixpoint.body.anatomy import anatomy_of
from sixpoint.collision import Box, Ground, Scene, SelfContact, clear_elbows, find_contacts
from sixpoint.errors import FormatError, InputError
from sixpoint.kernels import arrays
from sixpoint.limits import adult_limits
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Apart

CLIP = sp.builtin("boxing")


def folded_arms(turn: float = 0.9) -> sp.Motion:
    """The left elbow pressed into the chest."""
    skeleton = sp.Skeleton.humanoid(1.75)
    motion = still_motion(skeleton)
    rotations = motion.rotations.copy()
    anatomy = anatomy_of(skeleton)
    shoulder, elbow = anatomy.node("l_shoulder"), anatomy.node("l_elbow")
    rotations[:, shoulder] = arrays.multiply(
        arrays.from_axis_angle(np.array([1.0, 0, 0]), -0.5),
        arrays.from_axis_angle(np.array([0.0, 0, 1.0]), -turn),
    )
    rotations[:, elbow] = arrays.from_axis_angle(np.array([1.0, 0, 0]), -1.2)
    return sp.Motion(skeleton, motion.root, rotations, motion.rate)


def test_a_fist_goes_into_a_box_and_out_again():
    wrist = CLIP.points(["l_wrist"]).positions[:, 0]
    far = int(np.argmax(wrist[:, 2]))
    x, y, z = wrist[far]
    scene = Scene((Box("bag", (x, y, z + 0.25), (0.3, 0.3, 0.3)), Ground()))
    contacts = find_contacts(CLIP, scene)
    events = contacts.events()
    hits = [event for event in events if event.thing == "bag"]
    assert "l_hand" in {event.part for event in hits}
    hand = next(e for e in hits if e.part == "l_hand" and e.first <= far <= e.last)
    assert hand.deepest > 0.0
    assert abs(hand.place[2] - z) < 0.3
    state = contacts.highlight[:, 0]
    assert state[far]
    assert not state[0]
    for event in hits:  # before and after, nothing touches
        c = contacts.parts.index(event.part)
        assert contacts.touching[event.first : event.last + 1, c, 0].all()
        assert event.first == 0 or not contacts.touching[event.first - 1, c, 0]
    assert not [event for event in events if event.thing == "ground"]


def test_a_floor_that_is_too_high_is_felt_by_the_feet():
    contacts = find_contacts(CLIP.frames(slice(0, 3)), Scene((Ground(0.05),)))
    assert {e.part for e in contacts.events()} >= {"l_foot", "r_foot"}


def test_a_turned_box_is_turned():
    clip = CLIP.frames([0])
    place = clip.points(["pelvis"]).positions[0, 0] + (0.0, 0.0, 0.3)
    straight, turned = (
        find_contacts(clip, Scene((Box("b", tuple(place), (0.02, 0.2, 0.6), yaw),)))
        for yaw in (0.0, np.pi / 2)
    )
    assert straight.highlight.any()
    assert straight.depths.max() > turned.depths.max()


@pytest.mark.parametrize("name", ["squat", "overhead", "walk"])
def test_standing_and_walking_touch_nothing(name):
    body = SelfContact(sp.builtin(name).skeleton)
    assert len(body.pairs) > 60
    assert ("l_forearm", "r_forearm") in body.pairs
    assert body.depths(still_motion(body.skeleton)).max() < 0.0


def test_an_elbow_in_the_chest_is_reported_and_pushed_out():
    motion = folded_arms()
    body = SelfContact(motion.skeleton)
    before = body.depths(motion).max()
    assert before > 0.01
    names = {(e.part, e.thing) for e in body.events(motion)}
    assert any({"l_upper_arm", "l_forearm"} & set(pair) for pair in names)
    after, turned = clear_elbows(motion)
    assert body.depths(after).max() < 1e-3
    assert turned[0, 0] != 0.0
    assert turned[0, 1] == 0.0
    moved = after.points(["l_wrist"]).positions - motion.points(["l_wrist"]).positions
    assert np.abs(moved).max() < 1e-9


def test_elbows_of_sequential_ik_are_brought_out_within_limits():  # X6
    clip = CLIP.frames(slice(0, len(CLIP), 4))
    result = sp.reconstruct(clip.points(), clip.skeleton)
    body, limits = SelfContact(clip.skeleton), adult_limits(clip.skeleton)
    arms = [k for k, pair in enumerate(body.pairs) if any("arm" in part for part in pair)]
    before = np.maximum(body.depths(result.motion)[:, arms], 0.0).max(axis=1)
    cleared, _ = clear_elbows(result.motion, limits)
    after = np.maximum(body.depths(cleared)[:, arms], 0.0).max(axis=1)
    assert (after <= before + 1e-9).all()
    assert after.sum() <= 0.8 * before.sum()  # a wrist that lies in the chest stays there
    assert limits.violations(cleared).max() < 1e-6
    ends = [m.points(["l_wrist", "r_wrist"]).positions for m in (result.motion, cleared)]
    assert np.abs(ends[0] - ends[1]).max() < 1e-9


def test_the_task_pushes_along_its_jacobian():
    motion = folded_arms()
    pose = motion[0]
    task = Apart()
    residual, slopes = task.residual(pose), task.jacobian(pose)
    assert task.cost(pose) > 0.0
    body = pose.skeleton.articulation
    for k in np.flatnonzero(np.abs(slopes).max(axis=0) > 1e-3)[:12]:
        angles = body.angles(pose.rotations)
        step = 1e-6
        angles[k] += step
        other = Pose(pose.skeleton, pose.root, body.rotations(angles))
        numeric = (task.measure(other) - task.measure(pose)) / step
        np.testing.assert_allclose(slopes[:, k], numeric, atol=1e-4)
    step = slopes.T @ np.linalg.solve(slopes @ slopes.T + 1e-3 * np.eye(len(slopes)), residual)
    moved = Pose(pose.skeleton, pose.root,
                 body.rotations(body.angles(pose.rotations) + 0.3 * step))  # fmt: skip
    assert task.measure(moved).max() < task.measure(pose).max()
    apart = still_motion(pose.skeleton)[0]
    assert task.cost(apart) == 0.0
    assert not task.jacobian(apart).any()


def test_scenes_are_read_from_json(tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(
        '{"ground": 0, "boxes": [{"name": "a", "centre": [0, 1, 2], "size": [1, 1, 1], "yaw": 90}]}'
    )
    scene = Scene.load(path)
    assert scene.names == ("a", "ground")
    for text, message in (("x", "Expected JSON"), ("{}", "'ground' or 'boxes'"),
                          ('{"boxes": [{"name": "a"}]}', "name, centre and size")):  # fmt: skip
        path.write_text(text)
        with pytest.raises(FormatError, match=message):
            Scene.load(path)
    with pytest.raises(FormatError, match="Cannot be read"):
        Scene.load(tmp_path / "none.json")


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="three sizes > 0"):
        Box("a", (0, 0, 0), (1, 0, 1))
    with pytest.raises(InputError, match="different names, got a, a"):
        Scene((Box("a", (0, 0, 0), (1, 1, 1)), Box("a", (0, 0, 0), (1, 1, 1))))
    with pytest.raises(InputError, match="a motion of this skeleton"):
        SelfContact(sp.Skeleton.humanoid(1.6)).depths(CLIP)
    with pytest.raises(InputError, match="`margin` >= 0"):
        Apart(margin=-1.0)
    with pytest.raises(InputError, match="one frame or more"):
        clear_elbows(CLIP.frames(slice(0, 0)))
