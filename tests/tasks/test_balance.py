from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

from figures import FIGURES, random_pose
from sixpoint.body.mass import bone_masses, mass_weights, segment_masses
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Balance
from sixpoint.tasks.balance import convex_hull, nearest_of_hull

from .derivatives import differences

SQUARE = np.array(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))


def bent_right(joints: int = 2) -> Pose:
    """A chain of unit bones: the first up, the others along +X."""
    chain = Skeleton.chain(joints, float(joints))
    turns = arrays.identity(joints)
    turns[1] = arrays.from_axis_angle((0.0, 0.0, 1.0), -np.pi / 2)
    return Pose(chain, np.zeros(3), turns)


def test_bones_weigh_what_they_measure():
    pose = bent_right()
    np.testing.assert_allclose(Balance().centre(pose), (0.25, 0.75, 0.0), atol=1e-15)
    uneven = Skeleton.chain(2, (1.0, 3.0))
    masses = bone_masses(uneven)
    assert masses.segments == ("joint_2", "tip")
    np.testing.assert_allclose(masses.masses, (0.25, 0.75))
    np.testing.assert_allclose(masses.masses @ masses.weights @ uneven.rest()[0], (0.0, 2.0, 0.0))


def test_people_have_the_masses_of_people():
    person = FIGURES["person"]
    for model in (None, "male"):
        np.testing.assert_allclose(
            mass_weights(person, model),
            segment_masses(person, model or "winter").masses
            @ segment_masses(person, model or "winter").weights,
        )
    with pytest.raises(UnknownName, match="No mass model 'robot'"):
        mass_weights(person, "robot")


@pytest.mark.parametrize("name", FIGURES)
def test_weights_sum_to_one(name: str):
    assert mass_weights(FIGURES[name]).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("name", FIGURES)
def test_the_jacobian_of_the_centre_is_its_derivative(name: str):
    pose = random_pose(FIGURES[name], 7)
    body = pose.skeleton.articulation
    angles = body.angles(pose.rotations)
    task, step = Balance(), 1e-6
    found = []
    for k in range(body.count):
        d = np.zeros(body.count)
        d[k] = step
        up, down = (
            task.centre(Pose(pose.skeleton, pose.root, body.rotations(angles + s * d)))
            for s in (1, -1)
        )
        found.append((up - down) / (2 * step))
    np.testing.assert_allclose(task.centre_jacobian(pose), np.array(found).T, atol=1e-8)


def test_without_a_support_it_is_above_the_root():
    pose = bent_right()
    assert Balance().residual(pose) == pytest.approx([-0.25, 0.0])
    away = Pose(pose.skeleton, np.array((5.0, 1.0, -2.0)), pose.rotations)
    assert Balance().residual(away) == pytest.approx([-0.25, 0.0])
    np.testing.assert_allclose(
        Balance().jacobian(away),
        differences(Balance(), away, away.world()[0][:1, [0, 2]]),
        atol=1e-8,
    )


def test_what_is_missing_is_the_way_to_the_support():
    pose = bent_right()  # its centre is above (0.25, 0)
    assert Balance(over=((0.0, 0.0),)).residual(pose) == pytest.approx([-0.25, 0.0])
    assert Balance().residual(pose, np.array([[0.25, 1.0]])) == pytest.approx([0.0, 1.0])
    plank = Balance(over=((-1.0, 0.5), (1.0, 0.5)))
    assert plank.residual(pose) == pytest.approx([0.0, 0.5])
    inside = Balance(over=((-1.0, -1.0), (1.0, -1.0), (0.0, 2.0)))
    assert inside.residual(pose).tolist() == [0.0, 0.0]
    assert not inside.jacobian(pose).any()
    assert inside.cost(pose) == 0.0


@pytest.mark.parametrize("over", [((2.0, 0.0),), ((-9.0, 0.0), (9.0, 1.0)), SQUARE + 5.0])
def test_beside_a_support_the_jacobian_is_the_derivative(over):
    pose = random_pose(FIGURES["person"], 5)
    corners = np.array(over)
    found = Balance().jacobian(pose, corners)
    np.testing.assert_allclose(found, differences(Balance(), pose, corners), atol=1e-7)
    own = Balance(over=tuple(map(tuple, over)))
    np.testing.assert_array_equal(own.jacobian(pose), found)


def test_under_takes_the_places_of_nodes():
    pose = random_pose(FIGURES["person"], 2)
    task = Balance.under(pose, ("l_ankle", "r_ankle"), weight=2.0)
    places = pose.world()[0]
    nodes = [pose.skeleton.articulation.node(name) for name in ("l_ankle", "r_ankle")]
    np.testing.assert_array_equal(task.goal, places[nodes][:, [0, 2]])
    assert task.weight == 2.0


@given(st.integers(0, 2**32 - 1), st.integers(3, 12))
@settings(max_examples=25)
def test_hulls_are_hulls(seed: int, count: int):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 2))
    hull = convex_hull(points)
    expected = points[ConvexHull(points).vertices]
    assert sorted(map(tuple, hull)) == sorted(map(tuple, expected))
    point = 2.0 * rng.normal(size=2)
    nearest, needed = nearest_of_hull(points, point)

    def away(mix):  # nearest mixture of the corners
        return ((mix @ hull - point) ** 2).sum()

    start = np.full(len(hull), 1.0 / len(hull))
    sums = {"type": "eq", "fun": lambda mix: mix.sum() - 1.0}
    best = minimize(away, start, bounds=[(0, 1)] * len(hull), constraints=sums, tol=1e-14)
    assert np.linalg.norm(nearest - point) == pytest.approx(np.sqrt(best.fun), abs=1e-4)
    assert np.linalg.matrix_rank(needed, tol=1e-9) <= 2


def test_degenerate_supports():
    doubled = np.array(((0.0, 0.0), (0.0, 0.0), (0.0, 0.0)))
    nearest, needed = nearest_of_hull(doubled, np.array((3.0, 4.0)))
    assert nearest.tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(needed, np.eye(2))
    in_line = np.array(((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)))
    nearest, needed = nearest_of_hull(in_line, np.array((1.5, 1.0)))
    np.testing.assert_allclose(nearest, (1.5, 0.0))
    np.testing.assert_allclose(needed, ((0.0, 0.0), (0.0, 1.0)), atol=1e-12)
    # On an edge, and on a corner.
    assert nearest_of_hull(SQUARE, np.array((0.5, 0.0)))[0].tolist() == [0.5, 0.0]
    assert nearest_of_hull(SQUARE, np.array((1.0, 1.0)))[0].tolist() == [1.0, 1.0]


def test_senseless_supports_are_refused():
    for over in ((), ((1.0, 2.0, 3.0),), ((np.nan, 0.0),)):
        with pytest.raises(InputError, match="corners of a support"):
            Balance(over=over)
    with pytest.raises(InputError, match="bones to weigh"):
        bone_masses(Skeleton(("a", "b"), np.array((-1, 0)), np.zeros((2, 3))))
