"""Runs other programs, on Windows without the console that would flash over the window.

Programs that the window starts through Qt's QProcess need none of this: Qt itself asks Windows for no console where ours has none.
"""

import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

NO_CONSOLE_FLAG: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)


def prevent_platform_shell() -> None:
    """Keep Python from starting cmd.exe to learn the version of Windows when ONNX Runtime is imported; without an answer Python uses its own knowledge."""
    if sys.platform == "win32":
        platform._syscmd_ver = lambda *_given: ("", "", "")  # type: ignore[attr-defined]  # typeshed leaves out what is private


def run_without_console(
    command: Sequence[str | Path], timeout_s: float, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end without input, and return its output; raise OSError or subprocess.TimeoutExpired."""
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, env=environment, creationflags=NO_CONSOLE_FLAG
    )


def start_without_console(
    command: Sequence[str | Path], *, output: int, folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a program in a folder with a pipe to its input; it writes into the open file of number `output`. Raise OSError."""
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        cwd=folder,
        env=environment,
        creationflags=NO_CONSOLE_FLAG,
    )
