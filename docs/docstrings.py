"""What the code says of itself: docstrings of classes, their fields, and modules, as lines."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any


def field_docs(kind: type) -> dict[str, str]:
    """The docstring under each field or member of a class, inherited ones too, as one line."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("sixpoint."):
            docs |= _own_docs(base)
    return docs


def _own_docs(kind: type) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(tree, ast.ClassDef)
    docs: dict[str, str] = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if not (isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)):
            continue
        target: ast.expr | None = field.target if isinstance(field, ast.AnnAssign) else None
        if isinstance(field, ast.Assign):
            target = field.targets[0]
        if isinstance(target, ast.Name):
            docs[target.id] = " ".join(str(text.value.value).split())
    return docs


def first_line(thing: Any) -> str:
    """The summary of a docstring."""
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
