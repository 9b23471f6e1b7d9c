from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.errors import InputError
from sixpoint.vision.camera import (
    Camera,
    all_pairs,
    cameras_of_views,
    check_views,
    cropped,
    position_covariance,
    reprojection_errors,
    triangulate,
    triangulate_robust,
)

MATRIX = np.array([[300.0, 0.0, 160.0], [0.0, 300.0, 120.0], [0.0, 0.0, 1.0]])
PAIR = tuple(
    Camera(name, (320, 240), MATRIX, np.eye(3), np.array([-x, 0.0, 0.0]))
    for name, x in (("left", -0.2), ("right", 0.2))
)


def test_behind_a_camera_there_is_nothing():
    camera = PAIR[0]
    assert np.isnan(camera.project([0.0, 0.0, -1.0])).all()
    assert np.isnan(camera.project([0.0, 0.0, 0.0])).all()


def test_pictures_that_lack_an_edge_are_the_same_camera():
    place = [0.2, 0.1, 2.0]
    less = cropped(PAIR[0], (312, 240))
    assert less.size == (312, 240)
    np.testing.assert_array_equal(less.project(place), PAIR[0].project(place))
    assert cropped(PAIR[0], (320, 240)) is PAIR[0]
    assert cameras_of_views(PAIR, ["a/right.mp4"]) == (PAIR[1],)
    assert cameras_of_views(PAIR, ["one", "two"]) == PAIR
    assert cameras_of_views(PAIR, ["one"], ["right"]) == (PAIR[1],)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Camera("a", (320, 240), np.eye(4), np.eye(3), np.zeros(3)), r"`matrix` of shape"),
        (lambda: Camera("a", (0, 240), MATRIX, np.eye(3), np.zeros(3)), "positive `size`"),
        (lambda: Camera("a", (320, 240), -MATRIX, np.eye(3), np.zeros(3)), "focal lengths"),
        (lambda: Camera("a", (320, 240), MATRIX, 2 * np.eye(3), np.zeros(3)), "be a rotation"),
        (lambda: Camera.looking("a", (9, 9), 9.0, (0, 0, 0), (0, 5, 0)), "beside the line"),
        (lambda: check_views(PAIR[:1]), "2 calibrated cameras or more, got 1"),
        (lambda: check_views([PAIR[0], PAIR[0]]), "stand at the same one"),
        (lambda: cropped(PAIR[0], (304, 240)), "320 x 240 from camera 'left'.*got 304 x 240"),
        (lambda: cropped(PAIR[0], (330, 240)), "got 330 x 240"),
        (lambda: cameras_of_views(PAIR, [], ["left", "middle"]), "No camera 'middle'.*left, right"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def around(count: int, **lens: object) -> list[Camera]:
    eyes = [
        (3 * np.sin(a), 1.2 + 0.3 * k, 3 * np.cos(a))
        for k, a in enumerate(np.linspace(0, 4, count))
    ]
    cameras = [
        Camera.looking(f"c{k}", (640, 480), 500.0, eye, (0.0, 1.0, 0.0))
        for k, eye in enumerate(eyes)
    ]
    return [
        Camera(c.name, c.size, c.matrix, c.rotation, c.translation, **lens)  # type: ignore[arg-type]
        for c in cameras
    ]


def test_golden_pixels_and_depth_error():
    place = np.array([0.1, -0.05, 2.0])
    pixels = np.stack([camera.project(place) for camera in PAIR])
    np.testing.assert_allclose(pixels, [[205.0, 112.5], [145.0, 112.5]], atol=1e-9)
    np.testing.assert_allclose(triangulate(PAIR, pixels[:, None])[0], place, atol=1e-9)
    moved = pixels + np.array([[0.5, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(
        triangulate(PAIR, moved[:, None])[0], [0.100826, -0.049587, 1.983471], atol=1e-6
    )
    # First order: z^2 du / (f b).
    spread = position_covariance(PAIR, place, 1.0)
    assert np.sqrt(spread[2, 2]) == pytest.approx(np.hypot(1, 1) * 2.0**2 / (300.0 * 0.4), rel=0.01)


@given(
    st.tuples(st.floats(-1, 1), st.floats(0, 2), st.floats(-1, 1)),
    st.sampled_from([np.zeros(5), np.array([-0.2, 0.08, 0.001, -0.002, -0.01])]),
)
def test_what_is_projected_comes_back(place, distortion):
    cameras = around(3, distortion=distortion)
    pixels = np.stack([camera.project(place) for camera in cameras])
    np.testing.assert_allclose(triangulate(cameras, pixels[:, None])[0], place, atol=1e-5)
    rays = cameras[0].rays(pixels[0])
    way = np.array(place) - cameras[0].centre
    np.testing.assert_allclose(np.cross(rays, way / np.linalg.norm(way)), 0.0, atol=1e-6)


def test_all_pairs_tell_ghosts_by_their_height():
    places = np.array([[0.3, 0.1, 2.0], [-0.3, -0.2, 2.2]])
    left, right = (camera.project(places) for camera in PAIR)
    found, miss = all_pairs(PAIR, left, right)
    np.testing.assert_allclose(found[[0, 1], [0, 1]], places, atol=1e-9)
    assert miss[0, 0] < 1e-6
    assert miss[0, 1] > 5.0
    empty = all_pairs(PAIR, np.zeros((0, 2)), right)
    assert empty[0].shape == (0, 2, 3)


def test_a_place_that_one_view_sees_is_not_known():
    pixels = np.array([[[205.0, 112.5]], [[np.nan, np.nan]]])
    assert np.isnan(triangulate(PAIR, pixels)).all()


def test_robust_triangulation_leaves_out_the_view_that_is_wrong():
    cameras = around(5)
    rng = np.random.default_rng(1)
    places = rng.uniform((-0.5, 0.5, -0.5), (0.5, 1.5, 0.5), (40, 3))
    pixels = np.stack([camera.project(places) for camera in cameras])
    pixels += rng.normal(0.0, 0.5, pixels.shape)
    wrong = rng.integers(0, 5, 40)
    pixels[wrong, np.arange(40)] += 80.0
    plain = np.linalg.norm(triangulate(cameras, pixels) - places, axis=1)
    found, trust, agree = triangulate_robust(cameras, pixels)
    off = np.linalg.norm(found - places, axis=1)
    assert off.max() < 0.01 < np.median(plain)
    assert not agree[wrong, np.arange(40)].any()
    np.testing.assert_allclose(trust, 0.8, atol=0.21)


def test_robust_triangulation_of_nonsense_is_nothing():
    rng = np.random.default_rng(2)
    pixels = rng.uniform(0, 480, (2, 50, 2))
    found, trust, _ = triangulate_robust(around(2), pixels, agreement=1.0)
    nothing = np.isnan(found[:, 0])
    assert nothing.sum() > 40
    assert (trust[nothing] == 0.0).all()


def test_misses_are_distances_in_pixels():
    place = np.array([[0.0, 0.0, 2.0]])
    pixels = np.stack([c.project(place) for c in PAIR])
    pixels += np.array([[[3.0, 4.0]], [[0.0, 0.0]]])
    np.testing.assert_allclose(
        reprojection_errors(PAIR, pixels, place)[:, 0], [5.0, 0.0], atol=1e-9
    )


def test_a_place_needs_half_of_the_views_that_see_it():
    cameras = around(5)
    place = np.array([[0.1, 1.0, 0.2]])
    pixels = np.stack([camera.project(place) for camera in cameras])
    for wrong, known in ((2, True), (3, False)):
        shaken = pixels.copy()
        shaken[:wrong] += 60.0 * np.array([[[1, 2]], [[-3, 1]], [[2, -3]]])[:wrong]
        found, trust, agree = triangulate_robust(cameras, shaken, agreement=2.0)
        assert np.isfinite(found).all() == known
        assert (trust[0] > 0.0) == known
        assert agree.sum() == (5 - wrong if known else 0)


def test_a_view_that_is_less_certain_leaves_its_own_ray_open():
    place = np.array([0.1, -0.05, 2.0])
    alike, unlike = (position_covariance(PAIR, place, noise) for noise in (1.0, (1.0, 8.0)))
    good, bad = (place - camera.centre for camera in PAIR)
    for way, much in ((good, True), (np.cross(good, bad), False)):
        n = way / np.linalg.norm(way)
        # Along the good ray nothing is known, across the plane of both it still is.
        assert (n @ unlike @ n > 8.0 * (n @ alike @ n)) == much


def test_pixels_of_other_views_are_refused():
    with pytest.raises(InputError, match=r"pixels of shape \(2, N, 2\)"):
        triangulate(PAIR, np.zeros((3, 1, 2)))
