from __future__ import annotations

from PIL import Image

from sixpoint.bench.particle_pictures import draw_particles


def test_both_charts_are_drawn(tmp_path):
    success = [
        {"dof": dof, "particles": n, "success": 0.9}
        for dof in (6, 12) for n in (5, 10, 30)
    ]  # fmt: skip
    times = [
        {"method": name, "dof": dof, "us": 2.0 * dof}
        for name in ("50 particles", "jacobian-transpose, finite differences")
        for dof in (6, 30, 90)
    ]
    paths = draw_particles({"success": success, "times": times}, tmp_path)
    assert [path.name for path in paths] == ["success.png", "times.png"]
    for path in paths:
        with Image.open(path) as picture:
            assert picture.size == (770, 396)
