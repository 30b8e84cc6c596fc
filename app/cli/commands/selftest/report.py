"""For the report of `koebako selftest`: how the window does on this machine, and what the log says."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from app.json_text import parse_object
from app.log import LARGEST_LOG, log_path
from app.own_program import run_window
from app.small_file import read_small

WINDOW_S = 150
LARGEST_REPORT_BYTES = 1 << 20
LOG_LINES = 60


def window_report() -> dict[str, Any]:
    """What `Koebako --selftest` says in a process of its own; `errors` says why where it said nothing."""
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        report = Path(folder) / "window.json"
        try:
            done = run_window("--selftest", "--report", str(report), timeout_s=WINDOW_S)
        except (OSError, subprocess.TimeoutExpired) as exc:
            return {"ok": False, "errors": [str(exc)]}
        try:
            return parse_object(read_small(report, LARGEST_REPORT_BYTES))
        except (OSError, ValueError):
            stderr = done.stderr.decode("utf-8", "replace")[-1000:]
            return {"ok": False, "errors": [f"exit code {done.returncode}", stderr]}


def log_tail() -> list[str]:
    """The last lines of the log."""
    try:
        return read_small(log_path(), 2 * LARGEST_LOG).decode("utf-8", "replace").splitlines()[-LOG_LINES:]
    except OSError:
        return []
