from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import sixpoint

ROOT = Path(sixpoint.__file__).parent


def modules() -> dict[str, Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = ("sixpoint", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(name: str, path: Path, known: set[str]) -> set[str]:
    """Modules that a module imports at run time, at its top or inside functions."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node in running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            inner = {f"{base}.{alias.name}" for alias in node.names}
            found |= (inner & known) or {base}
    return (found & known) - {name}


def running(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below ``if TYPE_CHECKING``."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from running(node)


@pytest.mark.parametrize(
    "package", sorted({name.split(".")[1] for name in modules() if "." in name})
)
def test_no_import_cycles_even_by_lazy_imports(package):
    every = modules()
    inside = {n: p for n, p in every.items() if n.split(".")[1:2] == [package]}
    graph = {name: imported(name, path, set(inside)) for name, path in inside.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_import_cycles_between_packages():
    every = modules()
    graph: dict[str, set[str]] = {}
    for name, path in every.items():
        if "." in name:
            package = name.split(".")[1]
            others = {
                other.split(".")[1] for other in imported(name, path, set(every)) if "." in other
            }
            graph.setdefault(package, set()).update(others - {package})
    TopologicalSorter(graph).prepare()
