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


FOREIGN = {"ArgumentParser", "OpenJTalk", "OrtApi", "OrtApiBase"}
QUOTED_CLASS = re.compile(r"`([A-Z][a-z]\w+)(?:\.(\w+))?[`(]")
SENT_TYPE = re.compile(r"\b\w+\(([^)]*)\)")


def list_unknown_classes(modules: list[ast.Module]) -> list[str]:
    """Classes that docstrings quote, or that signals are said to send, and that are neither ours nor imported; members that they lack."""
    known: dict[str, set[str]] = {}
    for module in modules:
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                known.setdefault(node.name, set()).update(attributes(node), *(attributes_of(base, modules) for base in node.bases))
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                known.update({alias.asname or alias.name: set() for alias in node.names})
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                known.setdefault(node.id, set())
    unknown = []
    for module in modules:
        for node in ast.walk(module):
            if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)):
                text = ast.get_docstring(node) or ""
                quoted = [(name, member) for name, member in QUOTED_CLASS.findall(text) if name not in FOREIGN and name[:1] != "Q"]
                sent = [
                    (name, "")
                    for part in SENT_TYPE.findall(dict(SECTION.findall(f"{text}\n")).get("Signals", ""))
                    for name in re.findall(r"\b[A-Z]\w+", part)
                ]
                unknown += [f"{name}.{member}".rstrip(".") for name, member in quoted + sent if not is_known(name, member, known)]
    return unknown


def attributes_of(base: ast.expr, modules: list[ast.Module]) -> set[str]:
    """What a class of ours that another one is derived from defines."""
    name = ast.unparse(base).partition("[")[0]
    found = (node for module in modules for node in module.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {member for node in found for member in attributes(node)}


def is_known(name: str, member: str, known: dict[str, set[str]]) -> bool:
    return name == "None" or (name in known and (not member or not known[name] or member in known[name]))


def test_classes_in_docstrings_exist() -> None:
    planted = ast.parse('class Bell:\n    """See `Bel` and `Bell.rung`.\n\n    Signals:\n        rang(Bel): once.\n    """\n    rang = 1')
    assert list_unknown_classes([planted]) == ["Bel", "Bell.rung", "Bel"]
    assert list_unknown_classes([ast.parse(file.read_text(encoding="utf-8")) for file in sorted(APP.rglob("*.py"))]) == []
