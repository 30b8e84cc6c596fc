"""Writes what the latency dock shows: all measurements as CSV, or its picture as PNG."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFileDialog, QWidget

from app.data_file import write_whole
from app.errors import OutputFileError
from app.language import localized
from app.system_errors import reason_of
from app.ui.latency.dock_title import MARGIN
from app.ui.latency.export import as_csv
from app.ui.synthesis.measurements import LatencyHistory

ABOVE = 6  # pixels over the legend of a picture
SHARP = 2  # pixels of a picture for each of the screen


def ask_for_name(parent: QWidget, title: str, suffix: str) -> Path | None:
    """Asks for the name of a file; None where the user wants none."""
    start = Path.home() / f"koebako-latency.{suffix}"
    name, _ = QFileDialog.getSaveFileName(parent, title, str(start), f"{suffix.upper()} (*.{suffix})")
    if not name:
        return None
    return Path(name) if Path(name).suffix else Path(f"{name}.{suffix}")


def write_csv(history: LatencyHistory, file: Path) -> None:
    """Writes all measurements; OutputFileError where that is not possible."""
    try:
        write_whole(file, as_csv(history).encode("utf-8", "surrogatepass"))
    except OSError as exc:
        raise _unwritable(file, reason_of(exc)) from exc


def write_picture(body: QWidget, legend: QWidget, file: Path) -> None:
    """Writes what is shown as a PNG, the legend above it, in fine pixels; OutputFileError where that is not possible."""
    head = legend.height() + 2 * ABOVE
    picture = QPixmap(QSize(body.width(), head + body.height()) * SHARP)
    picture.setDevicePixelRatio(SHARP)
    picture.fill(body.palette().color(body.backgroundRole()))
    legend.render(picture, QPoint(MARGIN, ABOVE))
    body.render(picture, QPoint(0, head))
    if not picture.save(str(file), "PNG"):
        raise _unwritable(file, "")


def _unwritable(file: Path, reason: str) -> OutputFileError:
    why = localized(f"：{reason}", f": {reason}") if reason else ""
    return OutputFileError(
        localized(f"「{file}」に書き出せません{why}。", f"“{file}” could not be written{why}."),
        localized("フォルダーに書き込めるか確認してください。", "Check that the folder is writable."),
    )
