from __future__ import annotations

from sixpoint.bench.vision_pictures import draw_jitter, draw_meetings

PNG = b"\x89PNG"


def test_charts_are_pictures(tmp_path):
    rows = [
        {"acceleration": a, "damping": d, "jitter_mm": a * d, "lag_ms": 10.0 / a}
        for a in (1.0, 4.0)
        for d in (0.1, 0.3)
    ]
    draw_jitter(rows, tmp_path / "one.png")
    draw_jitter(rows[:2], tmp_path / "two.png")
    met = {"scene": "rest", "height_m": 1.75, "distance_m": 2.0, "noise": 8.0, "worst_mm": 9.0,
           "hands_seen": 0.5}  # fmt: skip
    draw_meetings([met, met | {"scene": "clap", "noise": 0.0}], tmp_path / "three.png")
    made = [(tmp_path / f"{name}.png").read_bytes() for name in ("one", "two", "three")]
    assert all(data.startswith(PNG) for data in made)
    assert len(set(made)) == 3
