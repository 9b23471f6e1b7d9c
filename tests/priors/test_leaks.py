from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import clip, subject

from sixpoint.kernels import arrays
from sixpoint.motion.mirror import mirror_motion
from sixpoint.priors.leaks import SHARED, find_leaks, marks_of, mirrored
from sixpoint.priors.poses import Poses
from sixpoint.priors.rows import Subject


@pytest.fixture(scope="module")
def people():
    return [subject(name) for name in ("boxing", "walk", "reach", "squat")]


def shaken(poses: Poses, degrees: float) -> Poses:
    """With noise on every rotation."""
    rng = np.random.default_rng(8)

    def noisy(turns):
        noise = np.radians(degrees) * rng.normal(size=(*turns.shape[:-1], 3))
        return arrays.multiply(turns, arrays.from_rotvec(noise))

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

    def turns(*shape):
        return arrays.normalize(rng.normal(size=(count, *shape, 4)))

    return Poses(turns(7), turns(2), turns(4, 3))


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
