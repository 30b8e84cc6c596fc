"""The measurements of the latency dock as CSV."""

from __future__ import annotations

import csv
import io

from app.core.spreadsheet_cells import escape_formula
from app.ui.synthesis.latency_history import LatencyHistory

LATENCY_CSV_COLUMNS = (
    *("request", "text", "stopped", "first_audio_ms", "audio_s", "total_ms", "rtf"),
    *("stage", "ms", "cold_ms", "runs", "hits", "tokens", "phones", "frames", "samples", "backend", "new_size_ms"),
)


def build_latency_csv(history: LatencyHistory) -> str:
    """Return one row for each stage of each utterance, oldest first, with a byte order mark so that spreadsheets read UTF-8."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(LATENCY_CSV_COLUMNS)
    for item in history.utterances:
        whole = (
            item.request_id,
            # Text that begins with "=" would be run as a formula by a spreadsheet.
            escape_formula(item.label),
            int(item.is_stopped),
            _format_number(item.first_audio_ms),
            _format_number(item.audio_s),
        )
        for name, stage in item.iterate_stages():
            sizes = (stage.tokens, stage.phones, stage.frames, stage.samples)
            where = ("+".join(stage.backends), _format_number(stage.new_ms))
            totals = (_format_number(item.total_ms), _format_number(item.rtf))
            rows.writerow(
                (*whole, *totals, name, _format_number(stage.ms), _format_number(stage.cold_ms), stage.runs, stage.hits, *sizes, *where)
            )
    return "\ufeff" + text.getvalue()


def _format_number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
