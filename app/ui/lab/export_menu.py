"""The button that exports a report, and the question where to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton, QWidget

from app.language import localized
from app.ui.lab.export import Format, file_name, formats, is_possible
from app.ui.lab.parts import FILES, Part
from app.ui.lab.runs import Report


class ExportButton(QToolButton):
    """Offers what a report can be exported as.

    Attributes:
        entries: by format.

    Signals:
        requested(str): in this format.
    """

    requested = Signal(str)

    def __init__(self, part: Part) -> None:
        super().__init__()
        self.setObjectName("framed")
        self.setText(localized("書き出す", "Export"))
        self.setAccessibleName(localized("結果を書き出す", "Export the results"))
        self.setToolTip(localized("結果をファイルに書き出します。", "Exports the results to a file."))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self.entries = {}
        for name, form in formats().items():
            if name in FILES and name not in part.files:
                continue
            if name in ("svg", "csv"):
                menu.addSeparator()
            self.entries[name] = menu.addAction(form.name)
            self.entries[name].triggered.connect(self._emitter(name))
        self.setMenu(menu)

    def show_report(self, report: Report | None) -> None:
        """What of this one can be exported; None is nothing."""
        for name, entry in self.entries.items():
            entry.setEnabled(report is not None and is_possible(name, report))
        self.setEnabled(report is not None and bool(report.rows))

    def _emitter(self, name: str) -> Callable[[], None]:
        return lambda: self.requested.emit(name)


def ask_where(parent: QWidget, report: Report, form: Format, folder: str) -> Path | None:
    """A file for a report; None when the user gives up."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    start = Path(folder or documents or Path.home()) / file_name(report, form)
    ending = Path(form.suffix).suffix or form.suffix
    kinds = f"{ending[1:].upper()} (*{ending})"
    name, _ = QFileDialog.getSaveFileName(parent, localized("結果を書き出す", "Export the results"), str(start), kinds)
    if not name:
        return None
    return Path(name) if Path(name).suffix else Path(f"{name}{form.suffix}")
