"""The entry point of every process of Koebako: the window, the command line, and the children that they start."""

import importlib
import sys
from pathlib import Path

from app.common.processes.launch import prevent_platform_shell
from app.common.processes.search_paths import remove_current_folder

COMMAND_LINE_MODULE = "app.cli.main"
WINDOW_MODULE = "app.ui.main"

# What the program runs in processes of its own.
CHILD_MODULES = {
    "--optimise": "app.compose.decoder_tiles",
    "--dictionary": "app.adapters.openjtalk.compiled_dictionary",
    "--prove": "app.install.sandbox_worker",
    "--device-form": "app.install.fixed_shape_build",
    "--export": "app.export.process_worker",
    "--cluster": "app.export.cluster_relay",
    "--clipboard": "app.ui.clipboard_child",
    "--lab": "app.lab.sandbox_tasks",
    "--lab-part": "app.cli.commands.lab.lab_sandbox_worker",
}


def main() -> int:
    """Run the window if there are no arguments or only files, the command line if there is a command; `--selftest` tries the window."""
    return _run_module(choose_module(sys.argv[1:]))


def run_command_line() -> int:
    """Run the program `koebako` of an installation."""
    return _run_module(COMMAND_LINE_MODULE)


def run_window() -> int:
    """Run the program `koebako-gui` of an installation."""
    return _run_module(WINDOW_MODULE)


def choose_module(arguments: list[str]) -> str:
    """Return the module that serves these arguments. Files are recognised by a dot or a folder in their name, which no command has."""
    if "--selftest" in arguments:
        return "app.ui.selftest"
    if arguments and arguments[0] in CHILD_MODULES:
        return CHILD_MODULES[arguments[0]]
    files = all(not item.startswith("-") and (Path(item).suffix or len(Path(item).parts) > 1) for item in arguments)
    return WINDOW_MODULE if files else COMMAND_LINE_MODULE


def _run_module(module: str) -> int:
    try:
        remove_current_folder()
        prevent_platform_shell()
        return int(importlib.import_module(module).main())
    except KeyboardInterrupt:  # while the module itself was being imported
        return 130
