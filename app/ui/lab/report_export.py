"""The file formats that a report can be exported to, and the button that offers them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton, QWidget

from app.common.files.atomic_write import LARGEST_BYTES, READABLE, read_with_retry, save_bytes
from app.common.language import localize
from app.lab.report_rows import Row
from app.ui.lab.lab_commands import FILE_OPTIONS, LabCommand
from app.ui.lab.lab_runner import LabReport
from app.ui.playback.sound_saving import build_file_title
from app.ui.widgets.file_dialogs import append_suffix


class ReportExportButton(QToolButton):
    """A menu button with the formats that a report can be exported to.

    Attributes:
        entries: The menu entries by format.

    Signals:
        requested(str): The report is to be exported in this format.
    """

    requested = Signal(str)

    def __init__(self, command: LabCommand) -> None:
        super().__init__()
        self.setObjectName("framed")
        self.setText(localize("書き出す", "Export"))
        self.setAccessibleName(localize("結果を書き出す", "Export the results"))
        self.setToolTip(localize("結果をファイルに書き出します。", "Exports the results to a file."))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self.entries = {}
        for name, form in list_formats().items():
            if name in FILE_OPTIONS and name not in command.files:
                continue
            if name in ("svg", "csv"):
                menu.addSeparator()
            self.entries[name] = menu.addAction(form.name)
            self.entries[name].triggered.connect(self._create_emitter(name))
        self.setMenu(menu)

    def show_report(self, report: LabReport | None) -> None:
        """Enable the formats that a report has anything for; None disables the button."""
        for name, entry in self.entries.items():
            entry.setEnabled(report is not None and is_exportable(name, report))
        self.setEnabled(report is not None and bool(report.rows))

    def _create_emitter(self, name: str) -> Callable[[], None]:
        return lambda: self.requested.emit(name)


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A file format; `build_content` returns None where the report has nothing for it."""

    name: str
    suffix: str
    build_content: Callable[[LabReport], bytes | None]


def list_formats() -> dict[str, ReportFormat]:
    """Return all formats by a short name."""
    return {
        "html": ReportFormat(localize("レポート（HTML）…", "Report (HTML)…"), ".html", _build_html),
        "csv": ReportFormat(localize("表（CSV）…", "Table (CSV)…"), ".csv", _build_csv),
        "markdown": ReportFormat(localize("表（Markdown）…", "Table (Markdown)…"), ".md", _build_markdown),
        "json": ReportFormat(localize("データ（JSON）…", "Data (JSON)…"), ".json", _build_json),
        "svg": ReportFormat(localize("図（SVG）…", "Picture (SVG)…"), ".svg", _build_svg),
        "png": ReportFormat(localize("図（PNG）…", "Picture (PNG)…"), ".png", _build_png),
        "--trace": ReportFormat(
            localize("Chrome トレース（JSON）…", "Chrome trace (JSON)…"), f".trace{FILE_OPTIONS['--trace']}", _create_file_reader("--trace")
        ),
        "--junit": ReportFormat(
            localize("テスト結果（JUnit）…", "Test results (JUnit)…"), FILE_OPTIONS["--junit"], _create_file_reader("--junit")
        ),
    }


def is_exportable(name: str, report: LabReport) -> bool:
    """Return whether a report has anything for this format."""
    if name in FILE_OPTIONS:
        return name in report.files
    return bool(report.picture) if name in ("svg", "png") else bool(report.rows)


def write_report(report_format: ReportFormat, report: LabReport, target: Path) -> None:
    """Write a report to a file. Raise OutputFileError where that fails."""
    content = report_format.build_content(report)
    if content is not None:
        save_bytes(target, content, localize("書き出せません", "The file could not be written"), READABLE)


def build_file_name(report: LabReport, report_format: ReportFormat) -> str:
    """Return the suggested name of a file."""
    return f"{build_file_title(report.name) or 'lab'}-{report.command_name}{report_format.suffix}"


def _build_csv(report: LabReport) -> bytes:
    from app.lab.report_tables import format_as_csv

    # Spreadsheets recognise UTF-8 by the byte order mark; without it they assume the system's encoding.
    return ("\ufeff" + format_as_csv(report.rows) + "\n").encode("utf-8", "replace")


def _build_markdown(report: LabReport) -> bytes:
    from app.lab.report_tables import format_as_markdown

    return (format_as_markdown(report.rows) + "\n").encode("utf-8", "replace")


def _build_html(report: LabReport) -> bytes:
    from app.lab.report_tables import format_as_html

    return format_as_html(report.rows, f"Koebako lab {report.command_name}: {report.name}").encode("utf-8", "replace")


def _build_json(report: LabReport) -> bytes:
    return format_json_rows(report.rows).encode("utf-8", "replace")


def _build_svg(report: LabReport) -> bytes | None:
    from app.ui.lab.report_picture import apply_theme

    return apply_theme(report.picture).encode() if report.picture else None


def _build_png(report: LabReport) -> bytes | None:
    from app.ui.lab.report_picture import apply_theme, render_png

    return render_png(apply_theme(report.picture)) if report.picture else None


def _create_file_reader(option: str) -> Callable[[LabReport], bytes | None]:
    return lambda report: read_with_retry(report.files[option], LARGEST_BYTES) if option in report.files else None


def format_json_rows(rows: list[Row]) -> str:
    """Format rows as a JSON array with one row a line."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


def ask_for_target(parent: QWidget, report: LabReport, report_format: ReportFormat, folder: str) -> Path | None:
    """Ask for a file for a report; return None where the user cancels."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    start = Path(folder or documents or Path.home()) / build_file_name(report, report_format)
    ending = Path(report_format.suffix).suffix or report_format.suffix
    kinds = f"{ending[1:].upper()} (*{ending})"
    name, _ = QFileDialog.getSaveFileName(parent, localize("結果を書き出す", "Export the results"), str(start), kinds)
    if not name:
        return None
    return Path(name) if Path(name).suffix else append_suffix(Path(name), report_format.suffix)
