"""Frames to learn from, and recordings that appear twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import clip, subject

from sixpoint.kernels import arrays
from sixpoint.motion.mirror import mirror_motion
from sixpoint.priors.layout import facing
from sixpoint.priors.poses import Poses
from sixpoint.priors.training_data import (
    SHARED,
    Subject,
    draw_rows,
    find_leaks,
    marks_of,
    mirrored,
    part_rotations,
    rotated_facing,
    twist_of,
)


def long_armed(person):
    return replace(person, build=replace(person.build, bones=1.2 * person.build.bones))


def test_subjects_count_by_the_root_of_their_frames():
    long = subject("walk")
    short = long_armed(subject("reach"))
    short = replace(short, poses=short.poses.frames(slice(0, 4)))
    rows = draw_rows([long, short], 3000, 0.0, 0.0, np.random.default_rng(1))
    share = np.sqrt(4) / (np.sqrt(4) + np.sqrt(len(long.poses)))
    of_short = rows.bones[:, 0, 0] > 1.1 * long.build.bones[0, 0] / long.build.height
    assert len(rows.points) == pytest.approx(3000, abs=2)
    assert of_short.mean() == pytest.approx(share, abs=0.01)


def test_swapped_frames_have_another_build_and_their_own_turns():
    people = [long_armed(subject("boxing")), subject("walk")]
    rows = draw_rows(people, 2000, 1.0, 0.0, np.random.default_rng(2))
    first = np.isclose(rows.bones[:, 0, 0], people[0].build.bones[0, 0] / people[0].build.height)
    assert 0.3 < first.mean() < 0.7  # of all builds, one's own among them
    known = part_rotations(people[0].poses)[:, 0]
    own = np.abs(rows.rotations[:, 0] @ known.T.astype(np.float32)).max(axis=1) > 1.0 - 1e-6
    assert (own & ~first).any()


def test_a_hand_is_a_twist_of_the_forearm_then_a_swing():
    rng = np.random.default_rng(4)
    hands = arrays.normalize(rng.normal(size=(200, 4)))
    twists = twist_of(hands)
    swings = arrays.multiply(arrays.conjugate(twists), hands)
    np.testing.assert_allclose(twists[:, [1, 3]], 0.0)
    np.testing.assert_allclose(swings[:, 2], 0.0, atol=1e-12)
    np.testing.assert_array_equal(twist_of(np.array([0.0, 1.0, 0.0, 0.0])), (1.0, 0.0, 0.0, 0.0))


def test_a_turned_facing_is_off_by_the_angle():
    rng = np.random.default_rng(5)
    points, left = rng.normal(size=(30, 5, 3)), rng.normal(size=(30, 3))
    angle = rng.uniform(-3.0, 3.0, 30)
    before, after = facing(points, left), rotated_facing(points, left, angle)
    np.testing.assert_allclose(after[:, :, 1], before[:, :, 1], atol=1e-6)
    cosine = (after[:, :, 0] * before[:, :, 0]).sum(-1)
    np.testing.assert_allclose(cosine, np.cos(angle), atol=1e-5)


@pytest.fixture(scope="module")
def people():
    return [subject(name) for name in ("boxing", "walk", "reach", "squat")]


def shaken(poses: Poses, degrees: float) -> Poses:
    """With noise on every rotation."""
    rng = np.random.default_rng(8)

    def noisy(rotations):
        noise = np.radians(degrees) * rng.normal(size=(*rotations.shape[:-1], 3))
        return arrays.multiply(rotations, arrays.from_rotvec(noise))

    return Poses(noisy(poses.stations), poses.clavicles, noisy(poses.limbs))


def test_the_same_motion_under_two_names_is_found(people):
    leaks = find_leaks(people, [replace(people[1], name="somebody else")])
    assert [leak[:2] for leak in leaks] == [("walk", "somebody else")]
    assert leaks[0][2] > 0.9


def test_signs_of_quaternions_do_not_hide_it(people):
    poses = people[0].poses
    twin = Subject("q and -q", people[0].build, replace(poses, limbs=-poses.limbs))
    assert find_leaks(people[:1], [twin])[0][2] == 1.0


@pytest.mark.parametrize("degrees", [0.01, 0.6, 1.0])
def test_a_part_of_it_with_noise_is_found(people, degrees):
    poses = shaken(people[0].poses.frames(slice(5, 60)), degrees)
    assert [leak[0] for leak in find_leaks(people, [Subject("part", people[0].build, poses)])] == [
        "boxing"
    ]


def test_a_mirrored_copy_is_found(people):
    other = Subject.of("mirrored", [mirror_motion(clip("boxing", 1.6))])
    assert [leak[0] for leak in find_leaks(people, [other])] == ["boxing"]


def test_marks_in_a_mirror_are_those_of_the_mirrored_motion():
    motion = clip("boxing", 1.6)
    one = mirrored(marks_of(Subject.of("a", [motion]).poses))
    other = marks_of(Subject.of("b", [mirror_motion(motion)]).poses)
    np.testing.assert_allclose(one, other, atol=1e-6)


def anybody(seed: int, count: int) -> Poses:
    """Poses that nobody else has."""
    rng = np.random.default_rng(seed)

    def rotations(*shape):
        return arrays.normalize(rng.normal(size=(count, *shape, 4)))

    return Poses(rotations(7), rotations(2), rotations(4, 3))


def test_one_clip_that_two_people_share_is_found_among_many_others(people):
    piece = people[0].poses.frames(slice(0, 60))
    one, other = (
        Subject(name, people[0].build, Poses.joined([anybody(seed, 2500), piece]))
        for seed, name in enumerate(("one", "other"))
    )
    ((_, _, part),) = find_leaks([one], [other])
    assert part < SHARED
    alone = [replace(s, poses=s.poses.frames(slice(0, 2500))) for s in (one, other)]
    assert find_leaks(alone[:1], alone[1:]) == []


def test_different_people_are_no_leak(people):
    assert find_leaks(people[:2], people[2:]) == []


def test_a_subject_is_no_copy_of_itself(people):
    assert find_leaks(people, people[:1]) == []
