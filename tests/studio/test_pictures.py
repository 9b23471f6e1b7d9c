from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import CannotWrite, InputError, MissingExtra
from sixpoint.motion.points import Points
from sixpoint.studio.mannequin import POINT_COLOUR
from sixpoint.studio.panels import Panel
from sixpoint.studio.pictures import contact_sheet

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
