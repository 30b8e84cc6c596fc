"""Our command line, but for the preparation of voices, which is done once a run; see `tests.remembered`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.cli.main import main

if __name__ == "__main__":
    if {"add", "speak"} & {*sys.argv}:
        from app.install import sandboxed_import
        from tests import remembered

        sandboxed_import.prepare_voice_in_sandbox = remembered.prepare_remembered
    sys.exit(main())
