"""What docstrings name is there: arguments, attributes and signals are renamed, and the words about them easily forgotten."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

APP = Path(__file__).parents[1] / "app"
SECTION = re.compile(r"^(Args|Attributes|Signals|Returns|Raises):\n((?:[ ]+.*\n|\n)*)", re.MULTILINE)
NAMED = re.compile(r"^    ((?:\w+(?:, )?)+):", re.MULTILINE)
EMITTED = re.compile(r"(\w+)\(")

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sections(item: ast.ClassDef | Function) -> dict[str, str]:
    return dict(SECTION.findall(f"{ast.get_docstring(item) or ''}\n"))


def named(text: str) -> set[str]:
    return {name for names in NAMED.findall(text) for name in names.split(", ")}


def arguments(item: Function) -> set[str]:
    given = item.args
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if one is not None}


def attributes(item: ast.ClassDef) -> set[str]:
    """Whatever the class defines or sets, in its methods too."""
    stored = {node.id for node in ast.walk(item) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {node.attr for node in ast.walk(item) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    return stored | {node.name for node in item.body if isinstance(node, FUNCTIONS)}


def signals(item: ast.ClassDef) -> set[str]:
    made = [node for node in item.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return {node.targets[0].id for node in made if getattr(node.value.func, "id", "") == "Signal" and isinstance(node.targets[0], ast.Name)}  # type: ignore[attr-defined]


def wrong(item: ast.ClassDef | Function, module: str) -> Iterator[str]:
    """What the docstring of a class or function says too much, and signals that neither it nor the module names."""
    said = sections(item)
    if isinstance(item, FUNCTIONS):
        yield from named(said.get("Args", "")) - arguments(item)
        return
    makers = [node for node in item.body if isinstance(node, FUNCTIONS) and node.name == "__init__"]
    yield from named(said.get("Args", "")) - (arguments(makers[0]) if makers else set())
    yield from named(said.get("Attributes", "")) - attributes(item)
    emitted = set(EMITTED.findall(said.get("Signals", "")))
    public = {name for name in signals(item) if not name.startswith("_")}
    yield from emitted ^ {name for name in public if name in emitted or f"`{name}`" not in module}


def test_names_in_docstrings_are_those_of_the_code() -> None:
    found = []
    for file in sorted(APP.rglob("*.py")):
        module = ast.parse(file.read_text(encoding="utf-8"))
        for item in ast.walk(module):
            if isinstance(item, (ast.ClassDef, *FUNCTIONS)):
                found += [f"{file.relative_to(APP)} {item.name}: {name}" for name in wrong(item, ast.get_docstring(module) or "")]
    assert found == []
