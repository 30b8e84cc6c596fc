"""Where every process of Koebako begins: the window, the command line, and what they run in processes of their own."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from app.child_process import ask_no_shell
from app.search_paths import keep_out_current_folder

COMMAND_LINE = "app.cli.main"
WINDOW = "app.ui.main"

# What the program runs in processes of its own.
CHILDREN = {
    "--optimise": "app.adapters.ort.optimized_session",
    "--dictionary": "app.adapters.openjtalk.compiled_dictionary",
    "--prove": "app.install.prove",
    "--device-form": "app.install.device_form",
    "--export": "app.export.child",
    "--lab": "app.lab.child",
    "--lab-part": "app.cli.commands.lab.child",
}


def main() -> int:
    """Without arguments or with files the window, with a command the command line; `--selftest` tries the window."""
    return _run(shell_for(sys.argv[1:]))


def command_line() -> int:
    """The program `koebako` that an installation has."""
    return _run(COMMAND_LINE)


def window() -> int:
    """The program `koebako-gui` that an installation has."""
    return _run(WINDOW)


def shell_for(arguments: list[str]) -> str:
    """The module that serves these arguments. Files are known by a dot or a folder in their name, which no command has."""
    if "--selftest" in arguments:
        return "app.ui.selftest"
    if arguments and arguments[0] in CHILDREN:
        return CHILDREN[arguments[0]]
    files = all(not item.startswith("-") and (Path(item).suffix or len(Path(item).parts) > 1) for item in arguments)
    return WINDOW if files else COMMAND_LINE


def _run(module: str) -> int:
    try:
        keep_out_current_folder()
        ask_no_shell()
        return int(importlib.import_module(module).main())
    except KeyboardInterrupt:  # while the module itself was being imported
        return 130
