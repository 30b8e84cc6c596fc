"""For the report of `koebako selftest`: how the window does on this machine, and what the log says."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from app.common.files.bounded_read import read_bounded
from app.common.files.untrusted_json import parse_object
from app.common.log import MAX_LOG_BYTES, find_log_path
from app.common.processes.self_launch import run_window

WINDOW_TIMEOUT_S = 150
MAX_REPORT_BYTES = 1 << 20
LOG_TAIL_LINES = 60


def run_window_selftest() -> dict[str, Any]:
    """Run `Koebako --selftest` in a process of its own and return its report; `errors` gives the reason where it printed none."""
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        report = Path(folder) / "window.json"
        try:
            done = run_window("--selftest", "--report", str(report), timeout_s=WINDOW_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired) as exc:
            return {"ok": False, "errors": [str(exc)]}
        try:
            return parse_object(read_bounded(report, MAX_REPORT_BYTES))
        except (OSError, ValueError):
            stderr = done.stderr.decode("utf-8", "replace")[-1000:]
            return {"ok": False, "errors": [f"exit code {done.returncode}", stderr]}


def read_log_tail() -> list[str]:
    """The last lines of the log."""
    try:
        return read_bounded(find_log_path(), 2 * MAX_LOG_BYTES).decode("utf-8", "replace").splitlines()[-LOG_TAIL_LINES:]
    except OSError:
        return []
