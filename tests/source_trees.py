"""The source of the program and its syntax trees, read once a process for all tests that look at them."""

import ast
import gc
from collections import defaultdict
from functools import cache, cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
APP = ROOT / "app"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function
CHILDLESS = frozenset({ast.Name, ast.Constant, ast.alias})
CONTEXTS = frozenset({ast.Load, ast.Store, ast.Del})


class SourceModule:
    """A module as its text, its syntax tree, and the nodes of the tree by their types.

    Args:
        source: the text.
        name: the path below the root of the repository; anything for a module that a test plants.
    """

    def __init__(self, source: str, name: str = "planted.py") -> None:
        self.source = source
        self.name = name

    @cached_property
    def tree(self) -> ast.Module:
        """Return the syntax tree."""
        return ast.parse(self.source)

    @cached_property
    def nodes_by_type(self) -> dict[type[ast.AST], list[ast.AST]]:
        """Return all nodes in the order of the text, without the contexts of names."""
        return group_nodes(self.tree)

    def list_nodes(self, *types: type[ast.AST]) -> list[Any]:
        """Return all nodes of these types, those of one type after those of another."""
        return [node for node_type in types for node in self.nodes_by_type.get(node_type, ())]


def group_nodes(tree: ast.AST) -> dict[type[ast.AST], list[ast.AST]]:
    """Return what `ast.walk` would yield, by type; half of the nodes are names and constants, below which it need not look."""
    grouped: defaultdict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        kind = node.__class__
        grouped[kind].append(node)
        if kind in CHILDLESS:
            continue
        content = node.__dict__
        for field in reversed(kind._fields):
            value = content.get(field)
            if value.__class__ is list:
                waiting += [item for item in reversed(value) if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and value.__class__ not in CONTEXTS:
                waiting.append(value)
    return dict(grouped)


@cache
def read_module(path: Path) -> SourceModule:
    """Return a module of the repository."""
    return SourceModule(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())


@cache
def read_app() -> tuple[SourceModule, ...]:
    """Return every module of `app` in the order of their paths, none of them parsed for this."""
    return tuple(read_module(path) for path in sorted(APP.rglob("*.py")))


@cache
def parse_app() -> tuple[SourceModule, ...]:
    """Return every module of `app`, parsed.

    The collector of garbage would look at these million objects again and again, which takes longer than making them; none of
    them is ever garbage.
    """
    modules = read_app()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for module in modules:
            module.nodes_by_type  # noqa: B018 — kept by the module
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()
    return modules


@cache
def read_docstring(node: Documented) -> str:
    """Return the docstring of a node, without its indentation; nothing if it has none."""
    return ast.get_docstring(node) or ""
