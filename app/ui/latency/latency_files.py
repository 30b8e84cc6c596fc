"""Writes what the latency dock shows: all measurements as CSV, or its picture as PNG."""

import csv
import io
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QSize
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from app.common.errors import OutputFileError
from app.common.files.whole_files import write_file_atomically
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.text.spreadsheet_cells import escape_formula
from app.ui.latency.latency_title import TITLE_MARGIN_PX
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
        line_cells = (
            item.request_id,
            # Text that begins with "=" would be run as a formula by a spreadsheet.
            escape_formula(item.label),
            int(item.is_stopped),
            _format_number(item.first_audio_ms),
            _format_number(item.audio_s),
        )
        for name, stage in item.iterate_stages():
            totals = (_format_number(item.total_ms), _format_number(item.rtf))
            times = (_format_number(stage.ms), _format_number(stage.cold_ms))
            counts = (stage.runs, stage.hits, stage.tokens, stage.phones, stage.frames, stage.samples)
            where = ("+".join(stage.backends), _format_number(stage.new_ms))
            rows.writerow((*line_cells, *totals, name, *times, *counts, *where))
    return "\ufeff" + text.getvalue()


def _format_number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


LEGEND_GAP_PX = 6  # above and below the legend
PICTURE_SCALE = 2  # of the screen's pixels


def write_csv(history: LatencyHistory, file: Path) -> None:
    """Write all measurements. Raise OutputFileError where that fails."""
    try:
        # A line may contain lone surrogates, which plain UTF-8 refuses to encode.
        write_file_atomically(file, build_latency_csv(history).encode("utf-8", "surrogatepass"))
    except OSError as exc:
        raise _create_write_error(file, describe_reason(exc)) from exc


def write_picture(body: QWidget, legend: QWidget, file: Path) -> None:
    """Write a PNG of the dock below its legend, in twice the screen's resolution. Raise OutputFileError where that fails."""
    head = legend.height() + 2 * LEGEND_GAP_PX
    picture = QPixmap(QSize(body.width(), head + body.height()) * PICTURE_SCALE)
    picture.setDevicePixelRatio(PICTURE_SCALE)
    picture.fill(body.palette().color(body.backgroundRole()))
    legend.render(picture, QPoint(TITLE_MARGIN_PX, LEGEND_GAP_PX))
    body.render(picture, QPoint(0, head))
    content = QBuffer()
    content.open(QIODevice.OpenModeFlag.WriteOnly)
    if not picture.save(content, "PNG"):
        raise _create_write_error(file, "")
    try:
        write_file_atomically(file, bytes(content.data().data()))
    except OSError as exc:
        raise _create_write_error(file, describe_reason(exc)) from exc


def _create_write_error(file: Path, reason: str) -> OutputFileError:
    why = localize(f"：{reason}", f": {reason}") if reason else ""
    message = localize(f"「{file}」に書き出せません{why}。", f"“{file}” could not be written{why}.")
    return OutputFileError(message, localize("フォルダーに書き込めるか確認してください。", "Check that the folder is writable."))
