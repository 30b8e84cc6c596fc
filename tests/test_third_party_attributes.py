"""Whatever our code takes from a module of a third party, that module has.

A type checker passes over what it takes for unreachable on one system, and knows nothing of libraries without types; a run meets only the
lines that it comes by.
"""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PACKAGING = ROOT / "packaging"
FILES = [ROOT / "main.py", *(path for folder in ("app", "tests", "packaging") for path in sorted((ROOT / folder).rglob("*.py")))]
# Scripts import their neighbours by their bare names.
OWN_NAMES = {"app", "tests", "bundle", *(path.stem for path in PACKAGING.rglob("*.py"))}
STANDARD_NAMES = sys.stdlib_module_names
# Not installed on every system, or in environments of their own. What is taken from them is looked at where they are.
SOMETIMES_ABSENT = {
    "jeepney", "kanalizer", "onnxruntime_ep_webgpu",  # see pyproject.toml
    "distillmos", "faster_whisper",  # of the environment of the hearing benchmark
    "sounddevice",  # which looks for PortAudio
    "matplotlib", "pyloudnorm", "python_stretch", "torch", "transformers",  # training and comparisons
    "pefile", "pyimod01_archive", "PyInstaller",  # builds
}  # fmt: skip
IMPORT = re.compile(r"^[ \t]*((?:from [\w.]+ )?import (?:\([^)]*\)|[^\n(#;]+))", re.MULTILINE)


def is_third_party(name: str) -> bool:
    top = name.partition(".")[0]
    return top not in OWN_NAMES and top not in STANDARD_NAMES


@cache
def find_module(name: str) -> ModuleType | None:
    """Import a module; None if there is none of this name, or it lacks what it needs of the system."""
    try:
        return importlib.import_module(name)
    except OSError:
        return None
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return None


def has_attribute(module: ModuleType, name: str) -> bool:
    return hasattr(module, name) or find_module(f"{module.__name__}.{name}") is not None


def list_attributes(tree: ast.AST) -> list[ast.Attribute]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]


class ModuleNames:
    """The names of a file that stand for modules of third parties; a name that stands for something else as well is left out."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        self.modules: dict[str, ModuleType] = {}
        self.missing: list[str] = []
        for node in nodes:
            if isinstance(node, ast.Import):
                self._add_import(node)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and is_third_party(str(node.module)):
                self._add_import_from(node)
        for name in _iterate_other_names(nodes):
            self.modules.pop(name, None)

    def _add_import(self, node: ast.Import) -> None:
        for item in node.names:
            if not is_third_party(item.name) or self._find_or_note(item.name, node.lineno) is None:
                continue
            name = item.asname or item.name.partition(".")[0]
            self.modules[name] = importlib.import_module(item.name if item.asname else name)

    def _add_import_from(self, node: ast.ImportFrom) -> None:
        module = self._find_or_note(str(node.module), node.lineno)
        for item in node.names if module is not None else ():
            if item.name == "*":
                continue
            if not has_attribute(module, item.name):
                self.missing.append(f"{node.lineno}: {node.module}.{item.name}")
            elif isinstance(found := getattr(module, item.name), ModuleType):
                self.modules[item.asname or item.name] = found

    def _find_or_note(self, name: str, line: int) -> ModuleType | None:
        found = find_module(name)
        if found is None and not (name.partition(".")[0] in SOMETIMES_ABSENT and find_module(name.partition(".")[0]) is None):
            self.missing.append(f"{line}: {name}")
        return found

    def find_missing(self, node: ast.Attribute) -> str:
        """Return the name that an expression takes from a module without such a name; nothing if it takes none, or sets it."""
        if not isinstance(node.ctx, ast.Load):
            return ""
        module = self.resolve_chain(node.value)
        return "" if module is None or has_attribute(module, node.attr) else f"{module.__name__}.{node.attr}"

    def resolve_chain(self, node: ast.expr) -> ModuleType | None:
        """Return the module that an expression such as `numpy.linalg` is; None for everything else."""
        if isinstance(node, ast.Name):
            return self.modules.get(node.id)
        if isinstance(node, ast.Attribute):
            found = getattr(self.resolve_chain(node.value), node.attr, None)
            return found if isinstance(found, ModuleType) else None
        return None


def _iterate_other_names(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def may_miss_attributes(source: str) -> bool:
    """Say whether a text names what is not there, be it in a comment: to parse all of our code takes ten times as long."""
    imports = [text for text in IMPORT.findall(source) if is_third_party(text.split()[1].strip(","))]
    if not imports:
        return False
    try:
        names = ModuleNames(ast.parse("\n".join(imports)))
    except SyntaxError:  # in a text that is no code of this file
        return True
    chains = {
        ast.parse(re.sub(r"\s", "", chain), mode="eval").body
        for name in names.modules
        for chain in set(re.findall(rf"(?<![\w.]){name}(?:\s*\.\s*[^\W\d]\w*)+", source))
    }
    return bool(names.missing or any(names.find_missing(node) for chain in chains for node in list_attributes(chain)))


def list_missing_attributes(source: str) -> list[str]:
    """Return line and name of everything that a source takes from a module of a third party although it is not there."""
    if not may_miss_attributes(source):
        return []
    tree = ast.parse(source)
    names = ModuleNames(tree)
    return names.missing + [f"{node.lineno}: {missing}" for node in list_attributes(tree) if (missing := names.find_missing(node))]


def test_what_is_taken_from_third_parties_is_there() -> None:
    missing = {str(path.relative_to(ROOT)): list_missing_attributes(path.read_text(encoding="utf-8")) for path in FILES}
    assert {file: names for file, names in missing.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("import pytest\nif sys.platform != 'linux':\n    pytest.skip_stage('a', allow_module_level=True)", ["3: pytest.skip_stage"]),
        ("import numpy as np\nnp.linalg.norms(1)", ["2: numpy.linalg.norms"]),
        ("def read():\n    import onnx.helper\n    return onnx.helper.make_modal", ["3: onnx.helper.make_modal"]),
        ("from onnx import helpers, helper", ["1: onnx.helpers"]),
        ("from onnx import helper as make\nmake.make_node, make.make_nodes", ["2: onnx.helper.make_nodes"]),
        ("import numpy.nothing", ["1: numpy.nothing"]),
        ("import nothing_of_this_name", ["1: nothing_of_this_name"]),
        ("import numpy as np\nnp.array(1).anything, np.linalg.norm, np.random.default_rng", []),
        ("import numpy as np\ndef take(np):\n    return np.anything", []),
        ("import ctypes\nimport app.anything\nctypes.windll", []),
    ],
)
def test_what_is_not_there_is_found(source: str, missing: list[str]) -> None:
    assert list_missing_attributes(source) == missing
