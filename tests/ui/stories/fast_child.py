"""Our command line, but voices are prepared in no time, with both precisions."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from app.cli.main import main
from app.common.progress import Report
from app.install.preparation_results import PreparationResult


def prepare(source: Path, folder: Path, report: Report) -> PreparationResult:
    """Imports late what imports the preparation itself."""
    from tests.voices.both_precisions import quick_fast

    return quick_fast(source, folder, report)


if __name__ == "__main__":
    from app.install import sandboxed_import

    sandboxed_import.prepare_voice_in_sandbox = prepare
    sys.exit(main())
