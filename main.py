"""Starts Koebako: without arguments or with files the window, with a command the command line; `--selftest` tries the window."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main() -> int:
    """Chooses the shell."""
    ask_no_shell()
    try:
        return int(importlib.import_module(_shell(sys.argv[1:])).main())
    except KeyboardInterrupt:  # while the shell itself was being imported
        return 130


def ask_no_shell() -> None:
    """Python starts cmd.exe to learn which Windows this is, when ONNX Runtime is imported; without an answer it takes what it knows itself."""
    if sys.platform == "win32":
        import platform

        platform._syscmd_ver = lambda *_given: ("", "", "")  # type: ignore[attr-defined]


def _shell(arguments: list[str]) -> str:
    """The module that serves these arguments. Files are known by a dot or a folder in their name, which no command has."""
    if "--selftest" in arguments:
        return "app.ui.selftest"
    if arguments[:1] == ["--draw"]:
        return "app.ui.drawing"
    if arguments[:1] == ["--optimise"]:
        return "app.adapters.ort_optimised"
    if arguments[:1] == ["--dictionary"]:
        return "app.adapters.openjtalk_dictionary"
    files = all(not item.startswith("-") and (Path(item).suffix or len(Path(item).parts) > 1) for item in arguments)
    return "app.ui.main" if files else "app.cli.main"


if __name__ == "__main__":
    sys.exit(main())
