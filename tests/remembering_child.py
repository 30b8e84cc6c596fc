"""Our command line, but for the preparation of voices, which is done once a run; see `tests.remembered`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.cli.main import main

if __name__ == "__main__":
    if "add" in sys.argv:
        from app.install import confined
        from tests import remembered

        confined.prepare_voice_confined = remembered.prepare_remembered
    sys.exit(main())
