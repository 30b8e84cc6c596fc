"""Starts Koebako: without arguments the window, with arguments the command line; `--selftest` tries the window."""

from __future__ import annotations

import importlib
import multiprocessing
import sys


def main() -> int:
    """Chooses the shell."""
    try:
        name = "app.ui.selftest" if "--selftest" in sys.argv else "app.cli.main" if len(sys.argv) > 1 else "app.ui.main"
        return int(importlib.import_module(name).main())
    except KeyboardInterrupt:  # while the shell itself was being imported
        return 130


if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(main())
