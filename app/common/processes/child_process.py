"""Runs other programs, on Windows without the console that would flash over the window.

Programs that the window starts through Qt's QProcess need none of this: Qt itself asks Windows for no console where ours has none.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

NO_CONSOLE_FLAG: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)


def prevent_platform_shell() -> None:
    """Python starts cmd.exe to learn which Windows this is, when ONNX Runtime is imported; without an answer it takes what it knows itself."""
    if sys.platform == "win32":
        platform._syscmd_ver = lambda *_given: ("", "", "")


def run_without_console(
    command: Sequence[str | Path], timeout_s: float, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Runs a program to its end; it reads nothing, and what it prints comes back. Raises OSError, subprocess.TimeoutExpired.

    Args:
        environment: all of its variables; None gives it ours.
    """
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, env=environment, creationflags=NO_CONSOLE_FLAG
    )
