"""The file formats that a report can be exported to, and the button that offers them."""

import json
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton, QWidget

from app.common.files.whole_files import LARGEST_BYTES, READABLE, read_with_retry, save_bytes
from app.common.language import localize
from app.ui.lab.lab_commands import FILE_OPTIONS, LabCommand, LabReport
from app.ui.lab.report_view import apply_theme, render_png
from app.ui.playback.sound_saving import build_file_title
from app.ui.widgets.dialogs import append_suffix


class ReportExportButton(QToolButton):
    """A menu button with the formats that a report can be exported to.

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
        self.entries = {}  # The menu entries by format
        for name, form in list_formats().items():
            if name in FILE_OPTIONS and name not in command.files:
                continue
            if name in ("svg", "csv"):
                menu.addSeparator()
            self.entries[name] = menu.addAction(form.name)
            self.entries[name].triggered.connect(lambda _checked=False, name=name: self.requested.emit(name))
        self.setMenu(menu)

    def show_report(self, report: LabReport | None) -> None:
        """Enable the formats that a report has anything for; None disables the button."""
        for name, entry in self.entries.items():
            entry.setEnabled(report is not None and is_exportable(name, report))
        self.setEnabled(report is not None and bool(report.rows))


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A file format."""

    key: str  # Its short name, or the option for a file that the command itself has written
    name: str
    suffix: str

    def build_content(self, report: LabReport) -> bytes | None:
        """Build the file's bytes from a report; return None where the report has nothing for this format."""
        if self.key in FILE_OPTIONS:
            return read_with_retry(report.files[self.key], LARGEST_BYTES) if self.key in report.files else None
        if self.key in ("svg", "png"):
            picture = apply_theme(report.picture) if report.picture else None
            return None if picture is None else render_png(picture) if self.key == "png" else picture.encode()
        return self._build_text(report).encode("utf-8", "replace")

    def _build_text(self, report: LabReport) -> str:
        # With all that measures, which the window does not need until then.
        from app.lab import report_tables

        if self.key == "html":
            return report_tables.format_as_html(report.rows, f"Koebako lab {report.command_name}: {report.name}")
        if self.key == "markdown":
            return report_tables.format_as_markdown(report.rows) + "\n"
        if self.key == "json":
            return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in report.rows) + "\n]\n"
        # Spreadsheets recognise UTF-8 by the byte order mark; without it they assume the system's encoding.
        return "\ufeff" + report_tables.format_as_csv(report.rows) + "\n"


def list_formats() -> dict[str, ReportFormat]:
    """Return all formats by a short name."""
    formats = (
        ReportFormat("html", localize("レポート（HTML）…", "Report (HTML)…"), ".html"),
        ReportFormat("csv", localize("表（CSV）…", "Table (CSV)…"), ".csv"),
        ReportFormat("markdown", localize("表（Markdown）…", "Table (Markdown)…"), ".md"),
        ReportFormat("json", localize("データ（JSON）…", "Data (JSON)…"), ".json"),
        ReportFormat("svg", localize("図（SVG）…", "Picture (SVG)…"), ".svg"),
        ReportFormat("png", localize("図（PNG）…", "Picture (PNG)…"), ".png"),
        ReportFormat("--trace", localize("Chrome トレース（JSON）…", "Chrome trace (JSON)…"), f".trace{FILE_OPTIONS['--trace']}"),
        ReportFormat("--junit", localize("テスト結果（JUnit）…", "Test results (JUnit)…"), FILE_OPTIONS["--junit"]),
    )
    return {report_format.key: report_format for report_format in formats}


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
    return f"{build_file_title(report.name) or 'lab'}-{report.command_name}{report_format.suffix}"


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
