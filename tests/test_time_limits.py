"""A test that stands still fails, with the stacks of all threads: one in Python's code alone, one in Qt's ends its process."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
IN_PYTHON = """
import threading

def wait_in_another_thread(ends):
    ends.wait()

def test_that_stands_still():
    ends = threading.Event()
    threading.Thread(target=wait_in_another_thread, args=(ends,), daemon=True).start()
    try:
        threading.Event().wait()
    finally:
        ends.set()

def test_the_next_one():
    pass
"""
IN_QT = """
def test_that_stands_still():
    from PySide6.QtCore import QCoreApplication, QEventLoop
    application = QCoreApplication([])
    QEventLoop().exec()
"""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (IN_PYTHON, ("Timeout", "test_that_stands_still FAILED", "in wait_in_another_thread", "test_the_next_one PASSED")),
        (IN_QT, ("Timeout (0:00:02)", "in test_that_stands_still")),
    ],
    ids=["python", "qt"],
)
def test_what_stands_still_ends_with_its_stacks(content: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "test_still.py"
    file.write_text(content, encoding="utf-8")
    limits = ["--timeout=1", "-o", "faulthandler_timeout=2"]
    command = [sys.executable, "-m", "pytest", "-vv", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), *limits, str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode
    said = done.stdout + done.stderr
    assert [words for words in expected if words not in said] == [], said


def test_every_test_has_a_limit(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.hasplugin("timeout")
    assert 0 < float(pytestconfig.getini("timeout")) < float(pytestconfig.getini("faulthandler_timeout"))
    assert pytestconfig.getini("faulthandler_exit_on_timeout")
