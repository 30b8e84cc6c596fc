"""The button that exports a report, and the dialog for the file's name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton, QWidget

from app.common.language import localize
from app.ui.lab.lab_commands import FILE_OPTIONS, LabCommand
from app.ui.lab.lab_runner import LabReport
from app.ui.lab.report_export import ReportFormat, build_file_name, is_exportable, list_formats


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


def ask_for_target(parent: QWidget, report: LabReport, report_format: ReportFormat, folder: str) -> Path | None:
    """Ask for a file for a report; return None where the user cancels."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    start = Path(folder or documents or Path.home()) / build_file_name(report, report_format)
    ending = Path(report_format.suffix).suffix or report_format.suffix
    kinds = f"{ending[1:].upper()} (*{ending})"
    name, _ = QFileDialog.getSaveFileName(parent, localize("結果を書き出す", "Export the results"), str(start), kinds)
    if not name:
        return None
    return Path(name) if Path(name).suffix else Path(f"{name}{report_format.suffix}")
