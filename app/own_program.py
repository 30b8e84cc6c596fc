"""How the program starts itself: its command line, its window, or one of its modules, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from app.child_process import NO_CONSOLE, run_hidden
from app.paths import is_frozen

_INSTALLED = "app.cli.main"


def own_command() -> list[str]:
    """What starts our command line; a frozen program has a console executable of its own for that."""
    if is_frozen():
        return [str(_beside("koebako-cli"))]
    checkout = Path(__file__).parent.parent / "main.py"
    return [sys.executable, str(checkout)] if checkout.is_file() else [sys.executable, "-m", _INSTALLED]


def window_command() -> list[str]:
    """What starts our window, with arguments of its own."""
    return [str(_beside("Koebako"))] if is_frozen() else own_command()


def run_own(*arguments: str, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """Runs a command of our command line to its end. Raises OSError, subprocess.TimeoutExpired."""
    return run_hidden([*own_command(), *arguments], timeout_s)


def run_window(*arguments: str, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """Runs our window to its end. Raises OSError, subprocess.TimeoutExpired."""
    return run_hidden([*window_command(), *arguments], timeout_s)


def run_own_module(module: str, option: str, *arguments: Path, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """Runs what `main.py` knows by this option to its end. Raises OSError, subprocess.TimeoutExpired.

    Args:
        module: what serves the option; installed, without a `main.py`, it is started itself.
    """
    return run_hidden([*_command(module), option, *map(str, arguments)], timeout_s)


def start_own_module(module: str, option: str, environment: Mapping[str, str], *arguments: Path) -> subprocess.Popen[bytes]:
    """Starts it, with pipes to its input and from its output, which errors go to as well. Raises OSError."""
    return subprocess.Popen(
        [*_command(module), option, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        creationflags=NO_CONSOLE,
    )


def _command(module: str) -> list[str]:
    *start, last = own_command()
    return [*start, module if last == _INSTALLED else last]


def _beside(name: str) -> Path:
    program = Path(sys.executable)
    return program.with_name(f"{name}{program.suffix}")
