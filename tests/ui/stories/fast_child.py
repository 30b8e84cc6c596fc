"""Our command line, but voices are prepared in no time, with both precisions."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from app.cli.main import main
from app.install.prepared import Prepared
from app.progress import Report


def prepare(source: Path, folder: Path, report: Report) -> Prepared:
    """Imports late what imports the preparation itself."""
    from tests.voices.both_precisions import quick_fast

    return quick_fast(source, folder, report)


if __name__ == "__main__":
    from app.install import confined

    confined.prepare_voice_confined = prepare
    sys.exit(main())
