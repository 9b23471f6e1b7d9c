"""Parts of a page: tables in Markdown, and what docstrings of the code say."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Column = tuple[str, str, str, float]
"""Title of a column, key in a record, format, and the factor of its unit."""


def table(head: Sequence[str], body: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [list(head), ["---"] * len(head), *([str(cell) for cell in row] for row in body)]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in r) + " |" for r in lines
    )


def cells(record: Mapping[str, Any], columns: Iterable[Column]) -> list[str]:
    """The figures of a record as text, one for each column."""
    return [
        format(factor * record[key] if factor != 1.0 else record[key], form)
        for _, key, form, factor in columns
    ]


def field_docs(kind: type) -> dict[str, str]:
    """The docstring under each field or member of a class, inherited ones included."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("sixpoint."):
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, text in zip(body.body, body.body[1:], strict=False):
            if not (isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)):
                continue
            target = field.target if isinstance(field, ast.AnnAssign) else None
            if isinstance(field, ast.Assign):
                target = field.targets[0]  # type: ignore[assignment]
            if isinstance(target, ast.Name):
                docs[target.id] = " ".join(str(text.value.value).split())
    return docs


def first_line(thing: Any) -> str:
    """The summary of a docstring."""
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
