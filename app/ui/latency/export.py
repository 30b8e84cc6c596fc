"""Measurements as a table for other programs."""

from __future__ import annotations

import csv
import io

from app.core.spreadsheets import harmless
from app.ui.synthesis.measurements import LatencyHistory

COLUMNS = (
    *("request", "text", "stopped", "first_audio_ms", "audio_s", "total_ms", "rtf"),
    *("stage", "ms", "cold_ms", "runs", "hits", "tokens", "phones", "frames", "samples", "backend", "new_size_ms"),
)


def as_csv(history: LatencyHistory) -> str:
    """One row for every stage of every utterance, oldest first; opens in spreadsheets as UTF-8."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for item in history.utterances:
        whole = (item.request_id, harmless(item.label), int(item.stopped), _number(item.first_audio_ms), _number(item.audio_s))
        for name, stage in item.ordered():
            sizes = (stage.tokens, stage.phones, stage.frames, stage.samples)
            where = ("+".join(stage.backends), _number(stage.new_ms))
            totals = (_number(item.total_ms), _number(item.rtf))
            rows.writerow((*whole, *totals, name, _number(stage.ms), _number(stage.cold_ms), stage.runs, stage.hits, *sizes, *where))
    return "\ufeff" + text.getvalue()


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
