"""Private names of libraries that our code touches are listed in app/decisions/private_names.md, and the libraries still have them."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "app" / "decisions" / "private_names.md"
FILES = [ROOT / "main.py", ROOT / "packaging" / "koebako.spec", *(ROOT / "app").rglob("*.py"), *(ROOT / "packaging").rglob("*.py")]
PUBLIC = {"_exit"}  # of os
REFLECTION = ("getattr", "setattr", "hasattr", "delattr")
ELSEWHERE = {"hashlib": "typeshed", "sys": "PyInstaller", "torch": "torch", "ucrtbase": "Windows"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def is_own_field(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """What any test here looks at: neither texts nor numbers nor operators."""
    looked_at = ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef | ast.Name | ast.Attribute | ast.Call | ast.Import | ast.ImportFrom
    return [node for node in ast.walk(tree(path)) if isinstance(node, looked_at)]


@cache
def own_names() -> frozenset[str]:
    """Private names that our own code defines: functions, fields, and what methods store on `self`."""
    names: set[str] = set()
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own_field(node):
                names.add(node.attr)
    return frozenset(names)


def touched_elsewhere(path: Path) -> Iterator[str]:
    """Private attributes that none of our own classes and modules has."""
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own_names() and node.attr not in PUBLIC:
            yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REFLECTION and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and is_private(str(name.value)) and name.value not in own_names():
                yield str(name.value)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and not str(node.module).startswith(("app", "bundle")):
            yield from (part for part in [*str(node.module).split("."), *(item.name for item in node.names)] if is_private(part))
        elif isinstance(node, ast.Import):
            yield from (part for item in node.names for part in item.name.split(".") if is_private(part))


@cache
def private_names_of(library_class: type) -> frozenset[str]:
    """What a class of a library written in Python keeps for itself."""
    try:
        source = inspect.getsource(library_class)
    except (OSError, TypeError):
        return frozenset(name for name in vars(library_class) if is_private(name))
    nodes = list(ast.walk(ast.parse(inspect.cleandoc("\n" + source))))
    stored = {node.attr for node in nodes if isinstance(node, ast.Attribute) and is_own_field(node) and is_private(node.attr)}
    return frozenset(stored | {node.name for node in nodes if isinstance(node, ast.FunctionDef) and is_private(node.name)})


def inherited(path: Path) -> Iterator[str]:
    """Private names that a class of ours shares with a class of a library that it derives from."""
    if "app" not in path.relative_to(ROOT).parts or not any(isinstance(node, ast.ClassDef) and node.bases for node in nodes(path)):
        return
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for node in nodes(path):
        found = getattr(module, node.name, None) if isinstance(node, ast.ClassDef) else None
        if not isinstance(found, type) or not isinstance(node, ast.ClassDef):
            continue
        theirs = {name for base in found.__mro__ if base.__module__.partition(".")[0] != "app" for name in private_names_of(base)}
        ours = {item.attr for item in ast.walk(node) if isinstance(item, ast.Attribute) and is_own_field(item)}
        yield from (ours | {item.name for item in node.body if isinstance(item, ast.FunctionDef)}) & theirs


def listed() -> dict[tuple[str, str], str]:
    """(file, name) → the name with its library."""
    rows = re.findall(r"^\| `([\w.]+)` \| (.+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {(file, name.rpartition(".")[2]): name for name, files in rows for file in re.findall(r"`(.+?)`", files)}


def test_names_are_found_however_they_are_touched(tmp_path: Path) -> None:
    file = tmp_path / "touches.py"
    file.write_text("import a._b\nfrom c import _d\na._e = 1\ngetattr(a, '_f')\na.__g\na.h\nos._exit(1)\n", encoding="utf-8")
    assert sorted(touched_elsewhere(file)) == ["_b", "_d", "_e", "_f"]


def test_what_is_touched_is_what_is_listed() -> None:
    found = {(path.relative_to(ROOT).as_posix(), name) for path in FILES for name in [*touched_elsewhere(path), *inherited(path)]}
    assert found - listed().keys() == set(), "list them in app/decisions/private_names.md, or do without"
    assert listed().keys() - found == set(), "no longer touched"


@pytest.mark.parametrize("name", sorted(set(listed().values())))
def test_the_library_still_has_it(name: str) -> None:
    module, _, rest = name.partition(".")
    if module in ELSEWHERE:
        pytest.skip(f"of {ELSEWHERE[module]}, which is not here")
    found = importlib.import_module(module)
    *owner, last = rest.split(".")
    for part in owner:
        found = getattr(found, part)
    kept = {attribute for base in found.__mro__ for attribute in private_names_of(base)} if isinstance(found, type) else set()
    assert hasattr(found, last) or last in kept
