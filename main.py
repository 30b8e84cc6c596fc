"""Starts Koebako: without arguments or with files the window, with a command the command line; `--selftest` tries the window."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

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
    """Chooses the shell."""
    try:
        from app.child_process import ask_no_shell

        ask_no_shell()
        return int(importlib.import_module(_shell(sys.argv[1:])).main())
    except KeyboardInterrupt:  # while the shell itself was being imported
        return 130


def _shell(arguments: list[str]) -> str:
    """The module that serves these arguments. Files are known by a dot or a folder in their name, which no command has."""
    if "--selftest" in arguments:
        return "app.ui.selftest"
    if arguments and arguments[0] in CHILDREN:
        return CHILDREN[arguments[0]]
    files = all(not item.startswith("-") and (Path(item).suffix or len(Path(item).parts) > 1) for item in arguments)
    return "app.ui.main" if files else "app.cli.main"


if __name__ == "__main__":
    sys.exit(main())
