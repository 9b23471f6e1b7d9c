from __future__ import annotations

import os

import pytest

from sixpoint.errors import FormatError
from sixpoint.formats import plain_text
from sixpoint.formats.plain_text import finite, line_at, plain_bytes, read_bytes, text_of


@pytest.mark.parametrize(
    "token", ["nan", "inf", "-Infinity", "1e999", "1e13", "1_000", "x", "", "１"]
)
def test_only_finite_numbers_of_sensible_size_count(token):
    assert finite(token) is None


@pytest.mark.parametrize(
    ("token", "value"), [("1", 1.0), (".5", 0.5), ("-5.", -5.0), ("1e-007", 1e-7), ("+2E3", 2000.0)]
)
def test_every_usual_spelling_of_a_number_counts(token, value):
    assert finite(token) == value


def test_lines_end_with_any_mark():
    data = b"one\rtwo\r\nthree\nfour"
    assert [line_at(data, data.index(w)) for w in (b"one", b"two", b"three", b"four")] == [
        1,
        2,
        3,
        4,
    ]


def test_text_is_utf8_else_latin1():
    assert text_of("Hüfte".encode()) == "Hüfte"
    assert text_of("Hüfte".encode("latin-1")) == "Hüfte"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_taken_off(encoding):
    assert plain_bytes("Hüfte".encode(encoding)) == "Hüfte".encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "empty"), (b" \r\n", "empty"), (b"a\0b", "binary"), (b"\xff\xfe\x00\xd8", "UTF-16")],
)
def test_what_is_not_text_is_refused(data, message):
    with pytest.raises(FormatError, match=message):
        plain_bytes(data)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FormatError, match=r"none\.bvh: Cannot be read: No such file"):
        read_bytes(tmp_path / "none.bvh")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(FormatError, match="Cannot be read"):
        read_bytes(tmp_path)


def test_a_name_with_a_zero_byte_is_refused():
    with pytest.raises(FormatError, match="Cannot be read"):
        read_bytes("a\0.bvh")


def test_endless_files_are_refused(monkeypatch):
    monkeypatch.setattr(plain_text, "MAX_FILE", 1 << 20)
    if not os.path.exists("/dev/zero"):
        pytest.skip("this system has no endless file")
    with pytest.raises(FormatError, match="at most 1048576 bytes"):
        read_bytes("/dev/zero")
