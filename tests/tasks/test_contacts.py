from __future__ import annotations

import timeit
from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from rigs import still_motion
from sixpoint.body.shapes import body_shape
from sixpoint.errors import FormatError, InputError
from sixpoint.tasks import Box, Ground, Scene, SelfContact, find_contacts

CLIP = sp.builtin("boxing")


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


@pytest.mark.parametrize("pelvis_moves", [False, True])
def test_a_pose_touches_what_its_frame_of_the_clip_touches(pelvis_moves):
    clip = CLIP.frames(slice(40, 44))
    if pelvis_moves:  # translations replace offsets
        moves = np.tile(clip.skeleton.offsets[: clip.skeleton.joint_count], (4, 1, 1))
        moves[:, 5] += 0.05
        clip = replace(clip, translations=moves)
    place = tuple(clip.points(["l_wrist"]).positions[2, 0])
    scene = Scene((Box("bag", place, (0.3, 0.2, 0.3), 0.4), Ground()))
    contacts = find_contacts(clip, scene)
    for frame in range(4):
        moves = None if clip.translations is None else clip.translations[frame]
        pose = sp.Pose(clip.skeleton, clip.root[frame], clip.rotations[frame], moves)
        one = find_contacts(pose, scene)
        np.testing.assert_array_equal(one.depths[0], contacts.depths[frame])
        np.testing.assert_array_equal(one.places[0], contacts.places[frame])
    assert find_contacts(pose, scene).highlight[0, 0]
    shape = body_shape(clip.skeleton)
    starts, ends = shape.place(*clip.world())  # an independent way to the same capsules
    lowest = np.minimum(starts[..., 1], ends[..., 1])
    np.testing.assert_allclose(contacts.depths[..., 1], shape.radii - lowest, atol=1e-12)


def test_one_pose_costs_little_more_than_a_frame_of_a_clip():
    scene = Scene((Box("bag", (0.0, 1.4, 0.75), (0.3, 0.3, 0.3)), Ground()))
    pose = sp.Pose(CLIP.skeleton, CLIP.root[0], CLIP.rotations[0])
    find_contacts(pose, scene)
    find_contacts(CLIP, scene)
    alone = min(timeit.repeat(lambda: find_contacts(pose, scene), number=20, repeat=9)) / 20
    whole = min(timeit.repeat(lambda: find_contacts(CLIP, scene), number=1, repeat=9))
    assert alone < 12.0 * whole / len(CLIP)


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
