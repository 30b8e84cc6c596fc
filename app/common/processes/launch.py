"""Starts processes, on Windows without the console that would flash over the window: other programs, and the program itself.

Ours are its command line, its window, or one of its tasks. No other module starts one. Nothing of the current folder runs in it: see `app.__main__`
and `app.common.processes.search_paths`. What the window starts through Qt's QProcess needs none of this: Qt itself asks Windows for no console where ours has none.
"""

import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.common.files.paths import is_frozen

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


def build_cli_command() -> list[str]:
    """Return what starts our command line, or what its first argument names; a frozen program has a console executable of its own for that."""
    if is_frozen():
        return [str(_find_executable("koebako-cli"))]
    alone = "-I" if sys.flags.isolated else "-P"
    return [sys.executable, alone, str(Path(__file__).parents[2] / "__main__.py")]


def build_window_command() -> list[str]:
    """Return what starts our window, with arguments of its own."""
    return [str(_find_executable("Koebako"))] if is_frozen() else build_cli_command()


def run_own_program(*arguments: str | Path, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """Run a command of our command line, or a task of `app.start.CHILD_MODULES`, to its end; raise OSError or subprocess.TimeoutExpired."""
    return run_without_console([*build_cli_command(), *arguments], timeout_s)


def run_window(*arguments: str, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """Run our window to its end; raise OSError or subprocess.TimeoutExpired."""
    return run_without_console([*build_window_command(), *arguments], timeout_s)


def start_window(environment: Mapping[str, str]) -> None:
    """Start our window as a program of its own, which outlives this one; raise OSError if that fails."""
    subprocess.Popen(
        build_window_command(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        creationflags=NO_CONSOLE_FLAG,
        start_new_session=True,
    )


def start_own_program(environment: Mapping[str, str], *arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start our program with pipes to its input and from its output, which also carries its errors; raise OSError if that fails."""
    return subprocess.Popen(
        [*build_cli_command(), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        creationflags=NO_CONSOLE_FLAG,
    )


def _find_executable(name: str) -> Path:
    program = Path(sys.executable)
    return program.with_name(f"{name}{program.suffix}")


def build_python_command(code: str) -> list[str]:
    """Return the command that runs code in this Python, which finds no modules in the current folder; a built program has no such Python."""
    return [sys.executable, "-I" if sys.flags.isolated else "-P", "-c", code]
