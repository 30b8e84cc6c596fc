"""What docstrings, comments and documents name is there: code is renamed, and the words about it easily forgotten."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tests.source_trees import FUNCTIONS, ROOT, Documented, Function, SourceModule, parse_app, read_docstring

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


BACKQUOTED = re.compile(r"`([A-Za-z_](?:\w|\.(?!\d))*)(?:\(\))?`")  # no version, and no path of weights
WORD = re.compile(r"[A-Za-z_]\w*")
COMMENT = re.compile(r"#[^\n]*")
DOCUMENTS = ("app/*.md", "app/decisions/*.md", ".github/*.md")
# Where else names are found that docstrings of the program mention: tests, the build, what ships, other languages' files.
OTHER_SOURCES = ("main.py", "pyproject.toml", "tests/**/*.py", "packaging/**/*.py", "packaging/**/*.toml", "resources/**/*.toml")
SUFFIXES = frozenset({"py", "md", "csv", "json", "onnx", "toml", "txt"})
# Names of other programs, libraries and systems, and examples of names that somebody is to choose.
OF_OTHERS = frozenset(
    [
        "KIND_NUMBER",
        "NoButtons",
        "NoDefaultCurrentDirectoryInExePath",
        "SetDefaultDllDirectories",
        "add_NAME",
        "encoder",
        "get_hf_file_metadata",
        "mergeWith",
        "paired_comparison",
        "pre_silence",
        "pyebur128",
        "styleVec",
        "v1",
    ]
)


def list_texts(module: SourceModule) -> Iterator[str]:
    """Yield the docstrings and comments of a module."""
    yield from (read_docstring(node) for node in (module.tree, *module.list_nodes(ast.ClassDef, *FUNCTIONS)))
    yield from COMMENT.findall(module.source)


def collect_names(module: SourceModule) -> set[str]:
    """Return what a module's code names, its strings included and its docstrings not."""
    names = set(module.name.removesuffix(".py").split("/"))
    names |= {node.id for node in module.list_nodes(ast.Name)} | {node.attr for node in module.list_nodes(ast.Attribute)}
    names |= {node.name for node in module.list_nodes(ast.ClassDef, *FUNCTIONS)}
    names |= {node.arg for node in module.list_nodes(ast.arg, ast.keyword) if node.arg}
    names |= {part for node in module.list_nodes(ast.alias) for part in node.name.split(".")}
    # A string with backquotes is a docstring, which is looked through and proves nothing.
    strings = [node.value for node in module.list_nodes(ast.Constant) if isinstance(node.value, str) and "`" not in node.value]
    return names | {word for text in strings for word in WORD.findall(text)}


def find_missing(texts: Iterable[str], known: set[str]) -> set[str]:
    """Return the backquoted names of which a part is not known."""
    names = {name for text in texts if "`" in text for name in BACKQUOTED.findall(text)}
    return {name for name in names if not known.issuperset(part for part in name.split(".") if part)}


def test_every_name_in_backquotes_is_there() -> None:
    modules = parse_app()
    known = set(SUFFIXES | OF_OTHERS).union(*map(collect_names, modules))
    texts = [text for module in modules for text in list_texts(module)]
    texts += [path.read_text(encoding="utf-8") for pattern in DOCUMENTS for path in ROOT.glob(pattern)]
    missing = find_missing(texts, known)
    for path in (path for pattern in OTHER_SOURCES for path in sorted(ROOT.glob(pattern))):
        if not missing:
            break
        known |= {path.stem, *path.relative_to(ROOT).parts, *WORD.findall(path.read_text(encoding="utf-8"))}
        missing = find_missing((f"`{name}`" for name in missing), known)
    assert missing == set()


def test_a_name_that_is_gone_is_found() -> None:
    module = SourceModule(
        '"""See `there` and `gone`."""\n\ndef there():\n    """As `there.gone_too` says."""\n    return 1  # not `gone_as_well`\n'
    )
    assert find_missing(list_texts(module), collect_names(module)) == {"gone", "there.gone_too", "gone_as_well"}
