from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.errors import MissingExtra
from sixpoint.kernels import arrays
from sixpoint.studio import page
from sixpoint.studio.page import playback_page
from sixpoint.studio.panels import Panel

numbers = st.floats(-2.0, 2.0)


@given(st.tuples(numbers, numbers, numbers))
def test_limbs_point_along_their_vectors(vector):
    way = np.array([vector, (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)])
    length = np.linalg.norm(way, axis=-1)
    turned = arrays.rotate(page._from_y(way, length), np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), 1.0)
    long = length > 1e-6
    np.testing.assert_allclose(turned[long] * length[long, None], way[long], atol=1e-5)


@pytest.mark.parametrize("mesh", [page._limb_mesh, page._ball_mesh])
def test_meshes_are_closed_and_face_outwards(mesh):
    vertices, faces = mesh()
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0
    assert volume > 0.0
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    # Every edge is shared by two faces; the fans at the poles have faces without area.
    assert (np.unique(edges, axis=0, return_counts=True)[1] % 2 == 0).sum() > 0.9 * len(edges) / 2


def test_the_page_needs_no_other_file(squat, tmp_path, capsys):
    pytest.importorskip("viser")
    told = []
    panels = [Panel(squat, "Original", squat.points()), Panel(squat, "Again")]
    playback_page(panels, tmp_path / "p.html", title="a < b",
                  progress=lambda done, total: told.append((done, total)))  # fmt: skip
    text = (tmp_path / "p.html").read_text()
    assert "<title>a &lt; b</title>" in text
    assert "__VISER_EMBED_DATA__=" in text
    for outside in ('src="http', 'href="http', "src='http"):
        assert outside not in text
    assert told[-1][0] == told[-1][1] == len(told)
    assert capsys.readouterr().out == ""  # standard output belongs to the report


def test_a_figure_that_is_no_human_can_be_played(snake, tmp_path):
    pytest.importorskip("viser")
    playback_page([Panel(snake)], tmp_path / "p.html")
    assert (tmp_path / "p.html").stat().st_size > 100_000


def test_without_viser_the_extra_is_named(squat, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(MissingExtra, match=r"sixpoint\[studio\]"):
        playback_page([Panel(squat)], tmp_path / "p.html")
