"""Bytes to text as Python reads them, and offsets to rows and columns."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxlint.finding import Position, Span
from mxlint.source import SourceError, read_source, source_from_bytes


def test_newlines_are_those_of_python() -> None:
    source = source_from_bytes(b"a\r\nbc\rd\ne", "x.py")
    assert source.text == "a\r\nbc\rd\ne"
    assert [source.line(row) for row in (1, 2, 3, 4)] == ["a", "bc", "d", "e"]
    assert [source.offset(row) for row in (1, 2, 3, 4, 5)] == [0, 3, 6, 8, 9]
    assert source.position(4) == Position(2, 2)
    assert source.span(0, 4) == Span("x.py", Position(1, 1), Position(2, 2))


def test_other_separators_end_no_line() -> None:
    source = source_from_bytes("a = '\u2028\x0c\x1c\x85'\nb".encode(), "x.py")
    assert source.position(source.text.index("b")) == Position(2, 1)


@given(st.text(alphabet="ab\u00e9\U0001f600\n\r\x0c\u2028", max_size=40))
def test_every_offset_has_a_position(text: str) -> None:
    source = source_from_bytes(text.encode(), "x.py")
    row, column = 1, 1
    for offset, character in enumerate(text):
        assert source.position(offset) == Position(row, column)
        assert source.offset(row) == offset - column + 1
        if character == "\n" or (character == "\r" and text[offset + 1 : offset + 2] != "\n"):
            row, column = row + 1, 1
        else:
            column += 1
    assert source.position(len(text)) == Position(row, column)


def test_rows_and_columns_agree_with_ast() -> None:
    source = source_from_bytes("é = 1\r\n\x0cvalue = ('ü', name)\rlast = 2\n".encode(), "x.py")
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Name):
            start = source.offset(node.lineno) + len(source.line(node.lineno).encode()[: node.col_offset].decode())
            assert source.text[start : start + len(node.id)] == node.id


def test_bom_is_no_text() -> None:
    source = source_from_bytes(b"\xef\xbb\xbfx = 1\n", "x.py")
    assert source.text == "x = 1\n"
    assert source.position(0) == Position(1, 1)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "x = 'é'"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nx = '\xe9'\n", "x = 'й'"),
        (b"\r# coding: latin-1\rx = '\xe9'\r", "x = 'é'"),
        (b"# coding: utf-8\nx = '\xc3\xa9'\n", "x = 'é'"),
        (b"\xef\xbb\xbf# coding: utf-8\nx = '\xc3\xa9'\n", "x = 'é'"),
        (b"x = 1\n\n# coding: latin-1\ny = '\xc3\xa9'\n", "y = 'é'"),  # a third line declares nothing
        (b"x = 1\n# coding: latin-1\ny = '\xc3\xa9'\n", "y = 'é'"),  # nor one after code
    ],
)
def test_declared_encoding(data: bytes, text: str) -> None:
    assert text in source_from_bytes(data, "x.py").text.splitlines()


@pytest.mark.parametrize(
    ("data", "position", "message"),
    [
        (b"x = 1\ny = '\xc3\xa9\xff'\n", Position(2, 7), "0xff as utf-8"),
        (b"\xef\xbb\xbfx = '\xff'\n", Position(1, 6), "0xff as utf-8"),
        (b"x = 1\r\nab\0", Position(2, 3), "null bytes"),
        (b"# coding: ascii\n\n'\xe9'", Position(3, 2), "0xe9 as ascii"),
        (b"# coding: no-such-thing\n", Position(1, 1), "no-such-thing"),
        (b"\xef\xbb\xbf# coding: latin-1\n", Position(1, 1), "utf-8"),
        (b"# coding: hex\n", Position(1, 1), "cannot decode as hex"),
    ],
)
def test_what_is_not_text(data: bytes, position: Position, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        source_from_bytes(data, "x.py")
    assert caught.value.position == position
    assert message in caught.value.message


def test_read_source(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_bytes(b"x = 1\r\n")
    source = read_source(file, "shown.py")
    assert (source.path, source.name, source.data, source.text) == (file, "shown.py", b"x = 1\r\n", "x = 1\r\n")
    with pytest.raises(OSError):
        read_source(tmp_path / "nowhere.py", "nowhere.py")
