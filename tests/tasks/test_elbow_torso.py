from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rigs import odd_rig, random_motion, random_rotations, still_motion
from sixpoint.body.shapes import TorsoPrism
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.formats import load
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion
from sixpoint.tasks import ElbowTorso

FIGURE = Skeleton.humanoid()
MODEL = ElbowTorso.of(FIGURE)


def with_turn(joint: str, axis: str, angle: float) -> Motion:
    still = still_motion(FIGURE, frames=1)
    rotations = still.rotations.copy()
    rotations[:, FIGURE.index(joint)] = arrays.from_axis_angle(arrays.AXES[axis], angle)
    return replace(still, rotations=rotations)


def test_the_neutral_stance_touches_nothing():
    for height in (1.0, 1.5, 1.75, 2.1):
        figure = Skeleton.humanoid(height)
        assert ElbowTorso.of(figure).depths(still_motion(figure)).max() < 0.0


def test_an_arm_turned_inwards_goes_into_the_torso():
    left = MODEL.depths(with_turn("l_shoulder", "Z", -0.2))[0]  # adduction
    assert left[0] > 0.01
    assert left[1] < 0.0
    right = MODEL.depths(with_turn("r_shoulder", "Z", 0.2))[0]
    assert right[::-1] == pytest.approx(left)


def test_an_arm_away_from_the_body_is_out():
    for axis, angle in (("Z", 0.8), ("X", -1.5), ("Z", 3.0)):
        assert MODEL.depths(with_turn("l_shoulder", axis, angle))[0, 0] < 0.0


def test_the_torso_bends_with_the_spine():
    waist, *chest = MODEL.prisms
    straight = with_turn("l_shoulder", "Z", -0.3)
    rotations = straight.rotations.copy()
    rotations[:, FIGURE.index("vt12")] = arrays.from_axis_angle(arrays.AXES["X"], 1.6)
    bowed = replace(straight, rotations=rotations)
    # Arm and chest go together and leave the waist behind.
    with_chest = replace(MODEL, prisms=tuple(chest))
    np.testing.assert_allclose(with_chest.depths(bowed), with_chest.depths(straight), atol=1e-12)
    with_waist = replace(MODEL, prisms=(waist,))
    assert with_waist.depths(straight)[0, 0] > 0.05
    assert with_waist.depths(bowed)[0, 0] < with_waist.depths(straight)[0, 0] - 0.02


def test_depths_do_not_depend_on_place_frame_or_rig():
    rng = np.random.default_rng(2)
    a = random_rotations(rng, 50, FIGURE.joint_count, size=0.4)
    plain = Motion(FIGURE, np.zeros((50, 3)), a, 60.0)
    expected = MODEL.depths(plain)
    assert (expected > 0.0).any()
    assert (expected < 0.0).any()
    turned = a.copy()
    turned[:, 0] = arrays.multiply(random_rotations(rng), a[:, 0])
    moved = Motion(FIGURE, rng.normal(size=(50, 3)), arrays.normalize(turned), 60.0)
    np.testing.assert_allclose(MODEL.depths(moved), expected, atol=1e-9)
    rig = odd_rig()
    odd = Motion(
        rig,
        np.zeros((50, 3)),
        arrays.normalize(rig.anatomy.from_anatomical(a)),
        60.0,
    )
    np.testing.assert_allclose(ElbowTorso.of(rig).depths(odd), expected, atol=1e-9)


def test_depths_mirror_with_the_motion():
    motion = random_motion(FIGURE, frames=20)
    np.testing.assert_allclose(
        MODEL.depths(motion.mirrored()), MODEL.depths(motion)[:, ::-1], atol=1e-12
    )


def test_prisms_with_different_numbers_of_corners_share_a_table():
    triangle = TorsoPrism(0, 0.0, 1.0, np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]))
    table = ElbowTorso(FIGURE, (triangle, *MODEL.prisms), 0.05).table
    assert table.polygons.shape == (4, 8, 2)
    np.testing.assert_array_equal(table.polygons[0, 2:], [[-1.0, 0.0]] * 6)
    assert table.joints.tolist() == [0, *(p.joint for p in MODEL.prisms)]


def test_no_torso_is_never_met():
    empty = ElbowTorso(FIGURE, (), 0.05)
    assert (empty.depths(still_motion(FIGURE)) == -np.inf).all()


def test_nonsense_is_refused():
    for radius in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="positive `radius`"):
            ElbowTorso(FIGURE, MODEL.prisms, radius)
    with pytest.raises(InputError, match="prisms on joints 0 to 33, got 34"):
        ElbowTorso(FIGURE, (replace(MODEL.prisms[0], joint=34),), 0.05)
    with pytest.raises(InputError, match="motion of this skeleton"):
        MODEL.depths(still_motion(Skeleton.humanoid(1.9)))


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    [
        "other/bvh/mixamo_names_55j_freebvh.bvh",
        "other/bvh/bandai_dataset-1_walk_normal_001.bvh",
        "other/bvh/xsens_upc_example_3.bvh",
        "cmu/paper/90_05_jump_kick.bvh",
    ],
)
def test_real_rigs_stand_free(shared_data, name):
    skeleton = load(shared_data / name).skeleton
    neutral = arrays.normalize(
        skeleton.anatomy.from_anatomical(arrays.identity(1, skeleton.joint_count))
    )
    model = ElbowTorso.of(skeleton)
    assert len(model.prisms) > 1
    assert model.depths(Motion(skeleton, np.zeros((1, 3)), neutral, 30.0)).max() < 0.0
