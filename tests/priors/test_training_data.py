"""Frames to learn from, and recordings that appear twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import clip, subject

from sixpoint.kernels import arrays
from sixpoint.motion.mirror import mirror_motion
from sixpoint.priors.layout import AT
from sixpoint.priors.poses import Poses
from sixpoint.priors.samples import Sampler, Variation
from sixpoint.priors.training_data import (
    SHARED,
    Recordings,
    Subject,
    find_leaks,
    marks_of,
    mirrored,
)


def test_subjects_count_by_the_root_of_their_frames():
    long = subject("walk")
    short = replace(
        subject("reach"),
        poses=subject("reach").poses.frames(slice(0, 4)),
        heights=subject("reach").heights[:4],
    )
    recordings = Recordings.of([long, short])
    drawn = recordings.draw(20_000, np.random.default_rng(1))
    share = np.sqrt(4) / (np.sqrt(4) + np.sqrt(len(long.poses)))
    assert recordings.subjects[drawn].mean() == pytest.approx(share, abs=0.01)


def test_drawn_people_may_have_another_build_and_other_lengths():
    boxer = subject("boxing")
    long_armed = replace(boxer, build=replace(boxer.build, bones=1.2 * boxer.build.bones))
    recordings = Recordings.of([long_armed, subject("walk")])
    own = Sampler(recordings, Variation(0.0, 0.0, 0.0), 2).people(500)
    swapped = Sampler(recordings, Variation(1.0, 0.0, 0.0), 2).people(500)
    longer = Sampler(recordings, Variation(0.0, 0.05, 0.0), 2).people(500)
    for people, kinds in ((own, 2), (swapped, 2), (longer, 500)):
        assert len(np.unique(people.body.bones[:, 0, 0])) == kinds
    np.testing.assert_array_equal(own.noise, 0.0)
    np.testing.assert_array_equal(longer.body.bones[:, 0], longer.body.bones[:, 1])
    spread = np.std(longer.body.bones[:, 0, 0] / own.body.bones[:, 0, 0])
    assert spread == pytest.approx(0.05, rel=0.15)


def test_drawn_people_stand_as_high_as_they_did():
    recordings = Recordings.of([subject("squat")])
    people = Sampler(recordings, Variation(0.0, 0.0, 0.01), 3).people(200)
    height = people.positions[:, AT["pelvis"], 1]
    assert recordings.heights.min() <= height.min() < height.max() <= recordings.heights.max()
    assert 0.0 < np.abs(people.noise).max() < 0.06


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
    twin = Subject(
        "q and -q", people[0].build, replace(poses, limbs=-poses.limbs), people[0].heights
    )
    assert find_leaks(people[:1], [twin])[0][2] == 1.0


@pytest.mark.parametrize("degrees", [0.01, 0.6, 1.0])
def test_a_part_of_it_with_noise_is_found(people, degrees):
    poses = shaken(people[0].poses.frames(slice(5, 60)), degrees)
    part = Subject("part", people[0].build, poses, np.ones(len(poses)))
    assert [leak[0] for leak in find_leaks(people, [part])] == ["boxing"]


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
        Subject(name, people[0].build, Poses.joined([anybody(seed, 2500), piece]), np.ones(2560))
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
