"""The contracts of imports can fail: one violation of each is planted in a copy, and each is found."""

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
QT_OF_SYNTHESIS = {"PySide6.QtCore"}
# Contract → file, and what it imports there although it may not. The imports are never run.
PLANTED = {
    "imports point down": ("core/synthesis_types.py", "import app.adapters.files.file_lock"),
    "the ground floor: what every room stands on": ("common/errors.py", "import app.common.log"),
    "the window's rooms, top floor first": ("ui/widgets/containers.py", "from app.ui.shell.main_window import MainWindow"),
    "core: the script above the sound, the text below it": ("core/text/pronunciation.py", "import app.core.sound.durations"),
    "the folders of adapters": ("adapters/files/file_lock.py", "import app.adapters.http.http_address"),
    "voices: what strangers send at the bottom, what we keep at the top": (
        "voices/untrusted/voice_limits.py",
        "import app.voices.prepared_voice",
    ),
    "the command line: commands below what parses and starts them": ("cli/commands/g2p/run.py", "import app.cli.main"),
    "no circles": ("ui/widgets/controls.py", "import app.ui.theme.theme\nif TYPE_CHECKING:\n    import app.ui.widgets.containers"),
    "core needs numpy only": ("core/delivery.py", "import psutil"),
}
THIRD_PARTY = "settings/settings_labels.py"  # nobody's home


def contracts() -> list[dict[str, object]]:
    """As pyproject.toml has them."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: list[dict[str, object]] = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return found


def test_a_violation_of_each_contract_is_found(tmp_path: Path) -> None:
    pytest.importorskip("importlinter", reason="comes with the linters")
    shutil.copytree(ROOT / "app", tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    protected = [module for contract in contracts() for module in contract.get("protected_modules", ())]  # type: ignore[attr-defined]
    for file, line in [*PLANTED.values(), *((THIRD_PARTY, f"import {module}") for module in protected)]:
        with (tmp_path / "app" / file).open("a", encoding="utf-8") as code:
            code.write(f"\n{line}\n")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False).stdout
    kept = [str(contract["name"]) for contract in contracts() if f"{contract['name']} BROKEN" not in printed]
    assert not kept, printed


def test_each_contract_is_tried() -> None:
    assert {str(contract["name"]) for contract in contracts() if "protected_modules" not in contract} == set(PLANTED)


def test_synthesis_knows_qtcore_only() -> None:
    found = {module for file in (ROOT / "app" / "ui" / "synthesis").glob("*.py") for module in qt_modules(file.read_text(encoding="utf-8"))}
    assert found == QT_OF_SYNTHESIS
    assert qt_modules("from PySide6 import QtGui\nimport PySide6.QtWidgets") == {"PySide6.QtGui", "PySide6.QtWidgets"}


def qt_modules(code: str) -> set[str]:
    """Modules of Qt that this code imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module == "PySide6":
            found |= {f"PySide6.{item.name}" for item in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6."):
            found.add(str(node.module))
        elif isinstance(node, ast.Import):
            found |= {item.name for item in node.names if item.name.startswith("PySide6")}
    return found


def test_annotations_are_deferred_only_where_a_name_needs_it(tmp_path: Path) -> None:
    """Python 3.14 defers all of them; until then the import is for files that name a class before its definition, or one imported for types alone."""
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.exists():
        pytest.skip("ruff comes with the linters")
    line = "from __future__ import annotations\n"
    files = {}
    for number, path in enumerate(sorted([*ROOT.glob("app/**/*.py"), *ROOT.glob("tests/**/*.py")])):
        if line in (source := path.read_text(encoding="utf-8")).splitlines(keepends=True):
            files[f"{number}.py"] = path.relative_to(ROOT).as_posix()
            (tmp_path / f"{number}.py").write_text(source.replace(line, "", 1), encoding="utf-8")
    command = [str(ruff), "check", "--isolated", "--select", "F821,TC004", "--output-format", "concise", str(tmp_path)]
    printed = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False).stdout
    assert len(files) > 50
    assert not [name for file, name in files.items() if f"{file}:" not in printed], "these do without"
