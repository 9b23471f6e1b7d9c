from __future__ import annotations

import numpy as np
import pytest
from tests.rigs import odd_rig, random_motion

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.motion.points import SIX
from sixpoint.priors.autograd import Value
from sixpoint.priors.loss import OF_POINTS, Body, joints_of
from sixpoint.priors.poses import (
    HEAD,
    NECK,
    STATIONS,
    TORSO,
    build_of,
    poses_of,
    spine_map,
)
from sixpoint.priors.samples import matrices
from sixpoint.priors.training_data import Recordings, Subject


def error(motion):
    """How far the common body's points are from the motion's own [m]."""
    seen = motion.points(SIX).positions
    person = Recordings.of([Subject.of("one", [motion])])
    count = len(motion)
    body = Body(*(np.repeat(part, count, axis=0) for part in person.builds))
    joints = joints_of(Value(matrices(person.rotations)), body).array
    found = motion.skeleton.anatomy.height * joints[:, [OF_POINTS[name] for name in SIX]]
    return float(np.abs(found - (seen - seen[:, :1])).max())


@pytest.mark.parametrize("name", ["boxing", "walk", "reach"])
def test_the_common_body_has_the_points_of_the_built_in_figure(name):
    assert error(builtin(name)) < 0.01


def test_the_frames_of_a_rig_do_not_matter():
    straight, odd = (random_motion(body, size=0.3) for body in (Skeleton.humanoid(), odd_rig()))
    for one, other in zip(
        vars(build_of(straight.skeleton.anatomy)).values(),
        vars(build_of(odd.skeleton.anatomy)).values(),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_poses_do_not_depend_on_where_a_clip_is_cut():
    clip = builtin("walk").frames(slice(0, 20))
    whole, half = poses_of(clip), poses_of(clip.frames(slice(10, 20)))
    np.testing.assert_array_equal(whole.frames(slice(10, 20)).limbs, half.limbs)


def test_stations_of_a_spine_with_as_many_parts_are_its_own():
    spine = spine_map(Skeleton.humanoid().anatomy)
    assert spine.torso == 3
    assert spine.lower >= 0
    assert len(spine.stations.low) == STATIONS - 1
    assert spine.parts.low.min() >= TORSO
    assert spine.parts.high.max() < HEAD
    assert (spine.parts.share >= 0.0).all()
    assert (spine.parts.share <= 1.0).all()
    assert (spine.parts.low[spine.torso :] >= NECK).all()


@pytest.mark.data
def test_nothing_is_lost_on_cmu(shared_data):
    clip = sp.load(shared_data / "cmu" / "paper" / "90_05_jump_kick.bvh")
    assert error(clip) < 0.001
