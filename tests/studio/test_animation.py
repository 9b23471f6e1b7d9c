from __future__ import annotations

import shutil

import pytest

from sixpoint.errors import InputError, SixpointError
from sixpoint.studio.panels import Panel
from sixpoint.studio.pictures import animation

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
