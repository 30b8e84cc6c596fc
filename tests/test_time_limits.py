"""A test that stands still fails, with the stacks of all threads: one in Python's code alone, one in Qt's ends its process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STANDING_STILL = """
import threading

def wait_in_another_thread(ends):
    ends.wait()

def test_python_stands_still():
    ends = threading.Event()
    threading.Thread(target=wait_in_another_thread, args=(ends,), daemon=True).start()
    try:
        threading.Event().wait()
    finally:
        ends.set()

def test_the_next_one_runs():
    pass

def test_qt_stands_still():
    from PySide6.QtCore import QCoreApplication, QEventLoop
    application = QCoreApplication([])
    QEventLoop().exec()
"""


def test_a_test_that_stands_still_fails_with_its_stacks(tmp_path: Path) -> None:
    file = tmp_path / "test_still.py"
    file.write_text(STANDING_STILL, encoding="utf-8")
    limits = ["--timeout=1", "-o", "faulthandler_timeout=3"]
    command = [sys.executable, "-m", "pytest", "-vv", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), *limits, str(file)]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | {"NO_COLOR": "1"}, capture_output=True, text=True, timeout=120, check=False)
    said = done.stdout + done.stderr
    assert done.returncode
    assert "Timeout" in said
    assert "test_python_stands_still FAILED" in said
    assert "wait_in_another_thread" in said, "the stacks of the other threads"
    assert "test_the_next_one_runs PASSED" in said
    assert "in test_qt_stands_still" in done.stderr, "faulthandler's stacks"


def test_every_test_has_a_limit(pytestconfig) -> None:  # type: ignore[no-untyped-def]
    assert pytestconfig.pluginmanager.hasplugin("timeout")
    assert 0 < float(pytestconfig.getini("timeout")) < float(pytestconfig.getini("faulthandler_timeout"))
    assert pytestconfig.getini("faulthandler_exit_on_timeout")
