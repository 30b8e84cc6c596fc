"""Runs a module of the program in a process of its own: `main.py --OPTION …`, which knows the module by its option."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from app.child_process import NO_CONSOLE, run_hidden
from app.paths import own_command


def run_own_child(module: str, option: str, *arguments: Path, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """Runs it to its end. Raises OSError, subprocess.TimeoutExpired.

    Args:
        module: what serves the option; installed, the shells are modules of their own, and so is it.
    """
    command = [*_command(module), option, *map(str, arguments)]
    return run_hidden(command, timeout_s)


def start_own_child(module: str, option: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Starts it, with pipes to its input and from its output, which errors go to as well. Raises OSError."""
    return subprocess.Popen(
        [*_command(module), option],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        creationflags=NO_CONSOLE,
    )


def _command(module: str) -> list[str]:
    *start, last = own_command()
    return [*start, module if last == "app.cli.main" else last]
