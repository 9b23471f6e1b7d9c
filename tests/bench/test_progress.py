from __future__ import annotations

from sixpoint.bench.progress import counted


def test_parts_are_counted_from_one():
    told = []
    tell = counted(lambda done, total: told.append((done, total)), 3)
    for _ in range(3):
        tell()
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_nobody_needs_to_listen():
    assert counted(None, 3)() is None
