"""Files that somebody else may have written have one reader each, `app.small_file` and `app.json_text`; what reads otherwise says why."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

JSON = {
    "app/json_text.py": "the reader itself",
    "app/adapters/ort/work.py": "ONNX Runtime's profile, just written into a folder of our own; it holds millions of values",
    "app/adapters/confined/worker.py": "the task that our own parent hands over",
}
WHOLE = {
    "app/adapters/openjtalk/own_words.py": "ships with the program",
    "app/ui/help/third_party.py": "ships with the program",
    "app/ui/theme/icons.py": "ships with the program",
    "app/voices/terms.py": "ships with the program",
    "app/ui/help/about.py": "ships with the program",
    "app/ui/help/pages.py": "ships with the program",
    "app/bench/home.py": "our own source",
    "app/ui/selftest.py": "/proc",
    "app/bench/machine.py": "/proc",
    "app/adapters/ort/providers.py": "/proc",
    "app/adapters/ort/device_form.py": "calls that we kept with a form, as arrays",
    "app/adapters/ort/optimized_graphs.py": "/proc, and copies that we made",
    "app/adapters/ort/work.py": "ONNX Runtime's profile",
    "app/adapters/ort/model_file.py": "a model, which ONNX Runtime would read whole as well",
    "app/voices/containers/sources.py": "a graph whose size and kind were checked",
    "app/backends/trial.py": "what our own child kept a moment ago",
    "app/adapters/prefetch.py": "files of installed packages, a block at a time",
    "app/cli/named_input.py": "what a user names may be a pipe; devices are refused and bytes are counted there",
}


def calls(kind: str) -> Iterator[str]:
    for path in sorted((ROOT / "app").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _kind(node) == kind:
                yield path.relative_to(ROOT).as_posix()


def _kind(call: ast.Call) -> str:
    if isinstance(call.func, ast.Name):
        return "whole" if call.func.id == "open" else ""
    if not isinstance(call.func, ast.Attribute):
        return ""
    name, owner = call.func.attr, call.func.value
    owner_name = owner.id if isinstance(owner, ast.Name) else ""
    if owner_name == "json" and name in ("load", "loads"):
        return "json"
    if name in ("read_text", "read_bytes") or (owner_name in ("np", "numpy") and name in ("load", "loadtxt", "fromfile", "genfromtxt")):
        return "whole"
    modes = [item.value for item in (*call.args[:1], *(word.value for word in call.keywords)) if isinstance(item, ast.Constant)]
    return "whole" if name == "open" and any(mode in ("r", "rb", "rt") for mode in modes) else ""


@pytest.mark.parametrize(("kind", "known"), [("json", JSON), ("whole", WHOLE)])
def test_nothing_is_read_past_the_readers(kind: str, known: dict[str, str]) -> None:
    found = set(calls(kind))
    assert found <= known.keys(), "read it with app.small_file and app.json_text, or say here why not"
    assert known.keys() == found, "no longer an exception"


def test_no_pickle_and_no_yaml_is_read() -> None:
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [item.name for item in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & {"pickle", "shelve", "marshal", "yaml", "dill", "joblib"}, path
