"""Private names of libraries that our code touches are listed in app/decisions/private_names.md, and the libraries still have them."""

import ast
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.source_trees import FUNCTIONS, ROOT, SourceModule, parse_app, read_module

PAGE = ROOT / "app" / "decisions" / "private_names.md"
BESIDE_APP = [ROOT / "main.py", ROOT / "packaging" / "koebako.spec", *(ROOT / "packaging").rglob("*.py")]
PUBLIC = {"_exit"}  # of os
REFLECTION = ("getattr", "setattr", "hasattr", "delattr")
ELSEWHERE = {"hashlib": "typeshed", "sys": "PyInstaller", "torch": "torch", "ucrtbase": "Windows"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def is_own_field(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


@cache
def read_modules() -> tuple[SourceModule, ...]:
    return (*parse_app(), *(read_module(path) for path in BESIDE_APP))


@cache
def own_names() -> frozenset[str]:
    """Private names that our own code defines: functions, fields, and what methods store on `self`."""
    names: set[str] = set()
    for module in read_modules():
        names |= {node.name for node in (*module.list_nodes(*FUNCTIONS), *module.list_nodes(ast.ClassDef))}
        names |= {node.id for node in module.list_nodes(ast.Name) if isinstance(node.ctx, ast.Store)}
        names |= {node.attr for node in module.list_nodes(ast.Attribute) if isinstance(node.ctx, ast.Store) and is_own_field(node)}
    return frozenset(names)


def touched_elsewhere(module: SourceModule) -> Iterator[str]:
    """Private attributes that none of our own classes and modules has."""
    for attribute in module.list_nodes(ast.Attribute):
        if is_private(attribute.attr) and attribute.attr not in own_names() and attribute.attr not in PUBLIC:
            yield attribute.attr
    for call in module.list_nodes(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in REFLECTION and len(call.args) > 1:
            name = call.args[1]
            if isinstance(name, ast.Constant) and is_private(str(name.value)) and name.value not in own_names():
                yield str(name.value)
    for imported in module.list_nodes(ast.ImportFrom):
        if imported.level == 0 and not str(imported.module).startswith(("app", "bundle")):
            names = [*str(imported.module).split("."), *(item.name for item in imported.names)]
            yield from (part for part in names if is_private(part))
    for node in module.list_nodes(ast.Import):
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


def inherited(module: SourceModule) -> Iterator[str]:
    """Private names that a class of ours shares with a class of a library that it derives from."""
    if not module.name.startswith("app/") or not any(node.bases for node in module.list_nodes(ast.ClassDef)):
        return
    imported = importlib.import_module(module.name.removesuffix(".py").replace("/", "."))
    for node in module.list_nodes(ast.ClassDef):
        found = getattr(imported, node.name, None)
        if not isinstance(found, type):
            continue
        theirs = {name for base in found.__mro__ if base.__module__.partition(".")[0] != "app" for name in private_names_of(base)}
        ours = {item.attr for item in ast.walk(node) if theirs and isinstance(item, ast.Attribute) and is_own_field(item)}
        yield from (ours | {item.name for item in node.body if isinstance(item, ast.FunctionDef)}) & theirs


def listed() -> dict[tuple[str, str], str]:
    """(file, name) → the name with its library."""
    rows = re.findall(r"^\| `([\w.]+)` \| (.+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {(file, name.rpartition(".")[2]): name for name, files in rows for file in re.findall(r"`(.+?)`", files)}


def test_names_are_found_however_they_are_touched() -> None:
    planted = SourceModule("import a._b\nfrom c import _d\na._e = 1\ngetattr(a, '_f')\na.__g\na.h\nos._exit(1)\n")
    assert sorted(touched_elsewhere(planted)) == ["_b", "_d", "_e", "_f"]


def test_what_is_touched_is_what_is_listed() -> None:
    found = {(module.name, name) for module in read_modules() for name in [*touched_elsewhere(module), *inherited(module)]}
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
