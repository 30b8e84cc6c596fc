"""What docstrings name is there: arguments, attributes and signals are renamed, and the words about them easily forgotten."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tests.source_trees import FUNCTIONS, Documented, Function, SourceModule, parse_app, read_docstring

SECTION = re.compile(r"^(Args|Attributes|Signals|Returns|Raises):\n((?:[ ]+.*\n|\n)*)", re.MULTILINE)
NAMED = re.compile(r"^    ((?:\w+(?:, )?)+):", re.MULTILINE)
EMITTED = re.compile(r"(\w+)\(")


def sections(item: Documented) -> dict[str, str]:
    return dict(SECTION.findall(f"{read_docstring(item)}\n"))


def named(text: str) -> set[str]:
    return {name for names in NAMED.findall(text) for name in names.split(", ")}


def arguments(item: Function) -> set[str]:
    given = item.args
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if one is not None}


def attributes(item: ast.ClassDef, module: SourceModule) -> set[str]:
    """Whatever the class defines or sets, in its methods too: what is set on one of its lines."""
    lines = range(item.lineno, (item.end_lineno or item.lineno) + 1)
    stored = {node.id for node in module.list_nodes(ast.Name) if isinstance(node.ctx, ast.Store) and node.lineno in lines}
    stored |= {node.attr for node in module.list_nodes(ast.Attribute) if isinstance(node.ctx, ast.Store) and node.lineno in lines}
    return stored | {node.name for node in item.body if isinstance(node, FUNCTIONS)}


def signals(item: ast.ClassDef) -> set[str]:
    made = [node for node in item.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return {node.targets[0].id for node in made if getattr(node.value.func, "id", "") == "Signal" and isinstance(node.targets[0], ast.Name)}  # type: ignore[attr-defined]


def wrong(item: ast.ClassDef | Function, module: SourceModule) -> Iterator[str]:
    """What the docstring of a class or function says too much, and signals that neither it nor the module names."""
    said = sections(item)
    if isinstance(item, FUNCTIONS):
        yield from named(said.get("Args", "")) - arguments(item)
        return
    makers = [node for node in item.body if isinstance(node, FUNCTIONS) and node.name == "__init__"]
    yield from named(said.get("Args", "")) - (arguments(makers[0]) if makers else set())
    if "Attributes" in said:
        yield from named(said["Attributes"]) - attributes(item, module)
    emitted = set(EMITTED.findall(said.get("Signals", "")))
    public = {name for name in signals(item) if not name.startswith("_")}
    yield from emitted ^ {name for name in public if name in emitted or f"`{name}`" not in read_docstring(module.tree)}


def list_wrong(modules: Sequence[SourceModule]) -> list[str]:
    return [
        f"{module.name} {item.name}: {name}"
        for module in modules
        for item in (*module.list_nodes(ast.ClassDef), *module.list_nodes(*FUNCTIONS))
        for name in wrong(item, module)
    ]


def test_names_in_docstrings_are_those_of_the_code() -> None:
    planted = 'class Bell:\n    """A bell.\n\n    Attributes:\n        tone: of it.\n    """\n    def ring(self):\n        self.rung = 1'
    assert list_wrong([SourceModule(planted)]) == ["planted.py Bell: tone"]
    assert list_wrong([SourceModule(planted.replace("tone:", "rung, ring:"))]) == []
    assert list_wrong(parse_app()) == []


FOREIGN = {"ArgumentParser", "OpenJTalk", "OrtApi", "OrtApiBase"}
QUOTED_CLASS = re.compile(r"`([A-Z][a-z]\w+)(?:\.(\w+))?[`(]")
SENT_TYPE = re.compile(r"\b\w+\(([^)]*)\)")


def list_unknown_classes(modules: Sequence[SourceModule]) -> list[str]:
    """Classes that docstrings quote, or that signals are said to send, and that are neither ours nor imported; members that they lack."""
    known = collect_known_names(modules)
    unknown = []
    for module in modules:
        for node in (module.tree, *module.list_nodes(ast.ClassDef), *module.list_nodes(*FUNCTIONS)):
            text = read_docstring(node)
            quoted = [(name, member) for name, member in QUOTED_CLASS.findall(text) if name not in FOREIGN and name[:1] != "Q"]
            signals_said = dict(SECTION.findall(f"{text}\n")).get("Signals", "") if "Signals:" in text else ""
            sent = [(name, "") for part in SENT_TYPE.findall(signals_said) for name in re.findall(r"\b[A-Z]\w+", part)]
            unknown += [f"{name}.{member}".rstrip(".") for name, member in quoted + sent if not is_known(name, member, known)]
    return unknown


def collect_known_names(modules: Sequence[SourceModule]) -> dict[str, set[str]]:
    """Return the names of classes, imports and variables, and of a class its own members and those of its bases of ours."""
    members: defaultdict[str, set[str]] = defaultdict(set)  # of the classes at the top of modules, from which others are derived
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                members[node.name] |= attributes(node, module)
    known: dict[str, set[str]] = {}
    for module in modules:
        for node in module.list_nodes(ast.ClassDef):
            inherited = (members[ast.unparse(base).partition("[")[0]] for base in node.bases)
            known.setdefault(node.name, set()).update(attributes(node, module), *inherited)
        for imported in (*module.list_nodes(ast.Import), *module.list_nodes(ast.ImportFrom)):
            known.update({alias.asname or alias.name: set() for alias in imported.names})
        for name in module.list_nodes(ast.Name):
            if isinstance(name.ctx, ast.Store):
                known.setdefault(name.id, set())
    return known


def is_known(name: str, member: str, known: dict[str, set[str]]) -> bool:
    return name == "None" or (name in known and (not member or not known[name] or member in known[name]))


def test_classes_in_docstrings_exist() -> None:
    planted = SourceModule(
        'class Bell:\n    """See `Bel` and `Bell.rung`.\n\n    Signals:\n        rang(Bel): once.\n    """\n    rang = 1'
    )
    assert list_unknown_classes([planted]) == ["Bel", "Bell.rung", "Bel"]
    assert list_unknown_classes(parse_app()) == []
