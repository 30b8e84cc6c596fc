"""Our command line, but voices are prepared in no time, and get both precisions when they are refined."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from app.cli.main import main
from app.common.progress import Report
from app.voices.prepared_voice import PreparationResult, VoiceManifest


def prepare(source: Path, folder: Path, report: Report) -> PreparationResult:
    """Imports late what imports the preparation itself."""
    from tests.voices.both_precisions import quick_pending

    return quick_pending(source, folder, report)


def refine(folder: Path, results: Path, report: Report, *, is_paused: Callable[[], bool]) -> tuple[VoiceManifest, float | None]:
    """As above."""
    from tests.voices.both_precisions import quick_refined

    return quick_refined(folder, results, report, is_paused=is_paused)


if __name__ == "__main__":
    from app.install import sandboxed_import

    sandboxed_import.prepare_voice_in_sandbox = prepare  # type: ignore[assignment]
    sandboxed_import.refine_voice_in_sandbox = refine  # type: ignore[assignment]
    sys.exit(main())
