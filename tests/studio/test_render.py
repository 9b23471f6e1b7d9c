"""`sp.render`: the ending says what is drawn, for one motion or several."""

from __future__ import annotations

import pytest

import sixpoint as sp
from sixpoint.data.clips import builtin
from sixpoint.errors import UnknownName


@pytest.fixture
def clip() -> sp.Motion:
    return builtin("walk").frames(slice(0, 12))


def test_one_motion_becomes_a_contact_sheet(clip, tmp_path):
    pytest.importorskip("matplotlib")
    sp.render(clip, tmp_path / "walk.png", clip.points(), poses=2)
    assert (tmp_path / "walk.png").read_bytes().startswith(b"\x89PNG")


def test_several_motions_move_side_by_side_with_points_of_their_own(clip, tmp_path):
    pytest.importorskip("matplotlib")
    told = []
    sp.render(
        {"walk": clip, "again": clip},
        tmp_path / "both.gif",
        {"walk": clip.points()},
        fps=10.0,
        progress=lambda done, total: told.append((done, total)),
    )
    assert (tmp_path / "both.gif").read_bytes().startswith(b"GIF8")
    assert told[-1][0] == told[-1][1]


def test_the_viewer_can_walk_around(clip, tmp_path):
    pytest.importorskip("matplotlib")
    pictures = []
    for yaw in (0.0, 90.0):
        sp.render(clip, tmp_path / "walk.png", poses=1, yaw=yaw)
        pictures.append((tmp_path / "walk.png").read_bytes())
    assert pictures[0] != pictures[1]


def test_unknown_endings_are_refused_with_the_choices(clip, tmp_path):
    with pytest.raises(UnknownName, match=r"picture format.*\.png"):
        sp.render(clip, tmp_path / "walk.bmp")
    assert not list(tmp_path.iterdir())
