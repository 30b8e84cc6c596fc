"""How the program starts itself: its command line, its window, or one of its tasks, each in a process of its own.

No other module starts one. Nothing of the current folder runs in it: see `app.__main__` and `app.search_paths`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from app.child_process import NO_CONSOLE, run_hidden
from app.paths import is_frozen


def own_command() -> list[str]:
    """What starts our command line, or what its first argument names; a frozen program has a console executable of its own for that."""
    if is_frozen():
        return [str(_beside("koebako-cli"))]
    alone = "-I" if sys.flags.isolated else "-P"
    return [sys.executable, alone, str(Path(__file__).with_name("__main__.py"))]


def window_command() -> list[str]:
    """What starts our window, with arguments of its own."""
    return [str(_beside("Koebako"))] if is_frozen() else own_command()


def run_own(*arguments: str | Path, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """Runs a command of our command line, or a task of `app.start.CHILDREN`, to its end. Raises OSError, subprocess.TimeoutExpired."""
    return run_hidden([*own_command(), *arguments], timeout_s)


def run_window(*arguments: str, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """Runs our window to its end. Raises OSError, subprocess.TimeoutExpired."""
    return run_hidden([*window_command(), *arguments], timeout_s)


def start_window(environment: Mapping[str, str]) -> None:
    """Starts our window as a program of its own, which outlives this one. Raises OSError."""
    subprocess.Popen(
        window_command(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        creationflags=NO_CONSOLE,
        start_new_session=True,
    )


def start_own(environment: Mapping[str, str], *arguments: str | Path) -> subprocess.Popen[bytes]:
    """Starts one, with pipes to its input and from its output, which errors go to as well. Raises OSError."""
    return subprocess.Popen(
        [*own_command(), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        creationflags=NO_CONSOLE,
    )


def _beside(name: str) -> Path:
    program = Path(sys.executable)
    return program.with_name(f"{name}{program.suffix}")
