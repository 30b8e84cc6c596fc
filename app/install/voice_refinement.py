"""Does for a prepared voice what adding it left undone: the comparison with its source in full, and the int8 graphs.

Runs in the sandbox; `app.install.pending_voices` starts it, and adopts what it makes.
"""

from __future__ import annotations

from pathlib import Path

from app.common.progress import Report, build_part_report, ignore_report
from app.install.verify_voice import SourceGraph, verify_prepared_voice
from app.voices.pending_refinement import read_pending_refinement
from app.voices.prepared_voice import read_prepared_voice

# Of the time; the rest makes the int8 graphs.
COMPARISON_SHARE = 0.4


def compute_refinement(folder: Path, results: Path, report: Report = ignore_report) -> float | None:
    """Compare the voice in a folder with its source in every way, and write its int8 graphs and its new manifest into another folder.

    Returns:
        The largest difference of a sample; None without a source.

    Raises:
        VoiceError: the voice makes no sense, or not what its source makes.
        OutputFileError: the results cannot be written.
    """
    # The text front end, which only this needs.
    from app.install.int8_graphs import add_int8_graphs

    voice, pending = read_prepared_voice(folder), read_pending_refinement(folder)
    source = SourceGraph(pending.source, pending.baked_scales) if pending is not None and pending.source is not None else None
    difference = verify_prepared_voice(voice, source, build_part_report(report, 0.0, COMPARISON_SHARE))
    add_int8_graphs(voice, results, build_part_report(report, COMPARISON_SHARE, 1.0))
    return difference
