from __future__ import annotations

import os
import stat

import pytest

from formats.samples import standing_person
from sixpoint.atomic_write import atomic_write
from sixpoint.errors import CannotWrite
from sixpoint.formats import save, save_points


def write_half(path, error):
    with atomic_write(path) as file:
        file.write(b"new")
        raise error


def test_the_file_appears_whole(tmp_path):
    path = tmp_path / "a.txt"
    with atomic_write(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="half way"):
        write_half(path, RuntimeError("half way"))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / "none" / "a.bvh"
    with pytest.raises(CannotWrite, match=r"none/a\.bvh: cannot be written: no such file"):
        save(standing_person(), path)


def test_a_folder_is_not_replaced(tmp_path):
    with (
        pytest.raises(CannotWrite, match="expected the name of a file, got a folder"),
        atomic_write(tmp_path),
    ):
        pass


def test_a_device_is_not_replaced():
    if not os.path.exists("/dev/null"):
        pytest.skip("this system has no devices")
    with pytest.raises(CannotWrite, match="a folder or a device"), atomic_write("/dev/null"):
        pass


def test_a_full_disk_is_reported(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(b"old")
    with pytest.raises(CannotWrite, match="no space left"):
        write_half(path, OSError(28, "No space left on device"))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.npz"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_permissions_and_links_are_kept(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_points_are_written_so_too(tmp_path):
    with pytest.raises(CannotWrite, match="cannot be written"):
        save_points(standing_person().points(), tmp_path / "none" / "a.csv")
