"""Importing a module asks it nothing, in whichever thread: Qt's binding would read the source of each."""

import builtins
import subprocess
import sys
from pathlib import Path

import pytest

from app.settings.user_settings import Settings
from tests.ui.conftest import OpenWindow

ROOT = Path(__file__).parents[3]

TOUCHY = """
def __getattr__(name):
    if name == "__wrapped__":
        raise ImportError("it was asked for " + name)
    raise AttributeError(name)
"""
IMPORT_IT = """
import sys
sys.path.insert(0, sys.argv[1])
from PySide6.QtCore import QObject
if sys.argv[2] == "restored":
    from app.ui.workarounds.import_hook import restore_import
    restore_import()
import touchy
from PySide6.QtGui import QColor
"""


@pytest.mark.parametrize(("which", "exit_code"), [("restored", 0), ("as it was", 1)])
def test_a_module_that_dislikes_to_be_asked_is_imported_after_qt(tmp_path: Path, which: str, exit_code: int) -> None:
    (tmp_path / "touchy.py").write_text(TOUCHY)
    done = subprocess.run([sys.executable, "-c", IMPORT_IT, tmp_path, which], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == exit_code, done.stderr
    assert ("it was asked for __wrapped__" in done.stderr) == bool(exit_code), "should PySide6 have stopped asking, restore_import can go"


def test_no_part_of_the_window_replaces_the_import_again(open_window: OpenWindow) -> None:
    open_window(Settings())
    assert builtins.__import__ is not getattr(builtins, "__feature_import__", None)
