"""For the report of `koebako selftest`: how the window does on this machine, and what the log says."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from app.log import log_path
from app.paths import window_command

WINDOW_S = 150
LOG_LINES = 60


def window_report() -> dict[str, Any]:
    """What `Koebako --selftest` says in a process of its own; `errors` tells where it said nothing."""
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        report = Path(folder) / "window.json"
        command = [*window_command(), "--selftest", "--report", str(report)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=WINDOW_S)
        except (OSError, subprocess.TimeoutExpired) as exc:
            return {"ok": False, "errors": [str(exc)]}
        try:
            value = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            told = done.stderr.decode("utf-8", "replace")[-1000:]
            return {"ok": False, "errors": [f"exit code {done.returncode}", told]}
        return dict(value)


def log_tail() -> list[str]:
    """The last lines of the log."""
    try:
        return log_path().read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES:]
    except OSError:
        return []
