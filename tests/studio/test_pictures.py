from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.errors import CannotWrite, InputError, MissingExtra, SixpointError
from sixpoint.kernels import arrays
from sixpoint.motion.points import Points
from sixpoint.studio.mannequin import POINT_COLOUR
from sixpoint.studio.panels import Panel, View, facing_of
from sixpoint.studio.pictures import animation, capsule_outline, contact_sheet, ellipsoid_outline

image = pytest.importorskip("PIL.Image")


def pixels(path):
    with image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def share(picture, colour, within=60):
    wanted = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return float((np.abs(picture - wanted).sum(axis=-1) < within).mean())


def test_a_sheet_has_a_row_for_each_motion_and_a_person_in_each_cell(squat, tmp_path):
    path = tmp_path / "sheet.png"
    contact_sheet([Panel(squat, "one"), Panel(squat, "two")], path, poses=3, dpi=60)
    picture = pixels(path)
    height, width = picture.shape[:2]
    for row in range(2):
        for column in range(3):
            cell = picture[
                row * height // 2 : (row + 1) * height // 2,
                column * width // 3 : (column + 1) * width // 3,
            ]
            blue, red = cell[..., 2] - cell[..., 0], cell[..., 0] - cell[..., 2]
            assert (blue > 60).mean() > 0.005  # the left side of the body
            assert (red > 60).mean() > 0.005  # and the right


def test_points_are_dots_and_unseen_ones_are_left_out(squat, tmp_path):
    points = squat.points()
    nothing = Points(points.names, np.full_like(points.positions, np.nan), points.rate)
    found = []
    for dots in (points, nothing, None):
        contact_sheet([Panel(squat, points=dots)], tmp_path / "s.png", poses=2)
        found.append(share(pixels(tmp_path / "s.png"), POINT_COLOUR))
    assert found[0] > 0.0
    assert found[1] == found[2] == 0.0


def test_the_same_motion_gives_the_same_bytes(squat, tmp_path):
    for name in ("a.png", "b.png"):
        contact_sheet([Panel(squat)], tmp_path / name, poses=2, dpi=50)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_figure_that_is_no_human_is_drawn_too(snake, tmp_path):
    contact_sheet([Panel(snake)], tmp_path / "snake.png", poses=2, dpi=50)
    assert (pixels(tmp_path / "snake.png").max(axis=-1) < 200).mean() > 0.001


def test_a_folder_that_is_not_there_is_said_and_nothing_is_left(squat, tmp_path):
    with pytest.raises(CannotWrite, match="cannot be written"):
        contact_sheet([Panel(squat)], tmp_path / "no" / "sheet.png", poses=1, dpi=40)
    assert list(tmp_path.iterdir()) == []


def test_no_poses_are_refused(squat, tmp_path):
    with pytest.raises(InputError, match="at least one pose"):
        contact_sheet([Panel(squat)], tmp_path / "sheet.png", poses=0)


def test_without_matplotlib_the_extra_is_named(squat, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(MissingExtra, match=r"sixpoint\[plot\]"):
        contact_sheet([Panel(squat)], tmp_path / "sheet.png")


def test_given_moments_are_drawn_instead_of_even_ones(squat, tmp_path):
    ends = [0.0, (len(squat) - 1) / squat.rate]
    paths = [tmp_path / f"{k}.png" for k in range(3)]
    contact_sheet([Panel(squat)], paths[0], poses=2, dpi=50)
    contact_sheet([Panel(squat)], paths[1], times=ends, dpi=50)
    contact_sheet([Panel(squat)], paths[2], times=[0.0, 0.5 * ends[1]], dpi=50)
    even, same, other = (path.read_bytes() for path in paths)
    assert even == same
    assert even != other


angles = st.floats(-3.1, 3.1)
radii = st.floats(0.01, 1.0)
places = st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))


def distance_to_discs(corner, start, end, r1, r2):
    """How far a corner is outside the union of discs along the axis; negative inside."""
    t = np.linspace(0.0, 1.0, 2001)[:, None]
    centres = (1.0 - t) * start + t * end
    return float(np.min(np.hypot(*(corner - centres).T) - ((1.0 - t) * r1 + t * r2)[:, 0]))


@given(places, places, radii, radii)
def test_capsule_outline_lies_on_the_edge_of_all_discs(a, b, r1, r2):
    start, end = np.array(a), np.array(b)
    for corner in capsule_outline(start, end, (r1, r2))[::5]:
        assert abs(distance_to_discs(corner, start, end, r1, r2)) < 2e-3


@pytest.mark.parametrize("end", [(0.0, 0.0), (1e-13, 0.0), (0.05, 0.0)])
def test_capsule_seen_along_its_axis_is_its_larger_disc(end):
    corners = capsule_outline(np.zeros(2), np.array(end), (0.3, 0.2))
    np.testing.assert_allclose(np.hypot(*corners.T), 0.3)
    corners = capsule_outline(np.array(end), np.zeros(2), (0.2, 0.3))
    np.testing.assert_allclose(np.hypot(*corners.T), 0.3)


@given(
    st.tuples(angles, angles, angles), st.tuples(radii, radii, radii), angles, st.floats(-1.4, 1.4)
)
def test_ellipse_touches_the_shadow_of_the_ellipsoid(turns, half, yaw, pitch):
    turn = arrays.from_euler("XYZ", np.array(turns))
    basis = View(yaw, pitch).basis(np.array([0.0, 0.0, 1.0]))
    outline = ellipsoid_outline(np.zeros(2), turn, np.array(half), basis)
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(4000, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    shadow = arrays.rotate(turn, ball * half) @ basis[:2].T
    for angle in np.linspace(0.0, np.pi, 7):
        way = np.array([np.cos(angle), np.sin(angle)])
        wide = float((outline @ way).max())
        assert (shadow @ way).max() <= wide * (1.0 + 5e-3)
        assert (shadow @ way).max() >= wide * 0.9


@given(angles, st.floats(-1.5, 1.5))
def test_basis_is_right_handed_and_upright(yaw, pitch):
    basis = View(yaw, pitch).basis(np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(basis) == pytest.approx(1.0)
    assert basis[0, 1] == pytest.approx(0.0, abs=1e-12)
    assert basis[1, 1] >= 0.0


def test_from_the_front_the_left_hand_is_on_the_right(squat):
    basis = View(0.0, 0.0).basis(facing_of(squat))
    points = squat.points(["l_wrist", "r_wrist"]).positions[0] @ basis.T
    assert points[0, 0] > points[1, 0]


def test_facing_follows_the_hips(squat):
    np.testing.assert_allclose(facing_of(squat), [0.0, 0.0, 1.0], atol=0.15)
    turned = np.array(squat.rotations)
    about = arrays.from_axis_angle((0.0, 1.0, 0.0), np.pi / 2.0)
    turned[:, 0] = arrays.multiply(about, turned[:, 0])
    np.testing.assert_allclose(
        facing_of(replace(squat, rotations=turned)), [1.0, 0.0, 0.0], atol=0.15
    )


def test_facing_is_ahead_where_there_is_no_person(snake, squat):
    np.testing.assert_array_equal(facing_of(snake), [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(facing_of(squat.frames(slice(0, 0))), [0.0, 0.0, 1.0])


image = pytest.importorskip("PIL.Image")


def test_a_gif_lasts_as_long_as_the_motion(squat, tmp_path):
    told = []
    animation([Panel(squat, "squat", squat.points())], tmp_path / "a.gif", fps=30.0, dpi=30,
              progress=lambda done, total: told.append((done, total)))  # fmt: skip
    with image.open(tmp_path / "a.gif") as gif:
        seconds = gif.n_frames * gif.info["duration"] / 1000.0
        assert gif.info["loop"] == 0
        assert seconds == pytest.approx(squat.duration, abs=0.05)
    assert told[-1] == (len(told), len(told))


def test_a_fake_ffmpeg_that_fails_is_quoted(squat, tmp_path, monkeypatch):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho 'no such codec' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{__import__('os').environ['PATH']}")
    with pytest.raises(SixpointError, match="no such codec"):
        animation([Panel(squat)], tmp_path / "a.mp4", dpi=30)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ffmpeg"]


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="the program ffmpeg is not installed")
def test_an_mp4_is_written(squat, tmp_path):
    animation([Panel(squat)], tmp_path / "a.mp4", dpi=30)
    assert b"ftyp" in (tmp_path / "a.mp4").read_bytes()[:32]


def test_without_ffmpeg_an_mp4_is_refused(squat, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SixpointError, match=r"needs the program ffmpeg.*write a \.gif"):
        animation([Panel(squat)], tmp_path / "a.mp4")


def test_other_kinds_and_odd_rates_are_refused(squat, tmp_path):
    with pytest.raises(InputError, match=r"\.gif or \.mp4, got 'a\.avi'"):
        animation([Panel(squat)], tmp_path / "a.avi")
    with pytest.raises(InputError, match=r"between 0\.1 and 100"):
        animation([Panel(squat)], tmp_path / "a.gif", fps=0.0)
