"""A table model of the files that an export would write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.common.language import localize
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.sidecars.sidecar_formats import SIDECAR_FORMATS
from app.ui.export.export_choices import describe_existing_file
from app.ui.plain_text import escape_tip

_ROOT_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class PlannedFileModel(QAbstractTableModel):
    """A table model with a name and, for existing files, what happens to them."""

    def __init__(self) -> None:
        super().__init__()
        self._files: Sequence[PlannedFile] = ()
        self._settings = ExportSettings()

    def show_files(self, files: Sequence[PlannedFile], settings: ExportSettings) -> None:
        """Show other files."""
        self.beginResetModel()
        self._files, self._settings = files, settings
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT_INDEX) -> int:
        """Return the number of files."""
        return 0 if parent.isValid() else len(self._files)

    def columnCount(self, parent: Index = _ROOT_INDEX) -> int:
        """Return the number of columns: name and state."""
        return 0 if parent.isValid() else 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (localize("ファイル", "File"), localize("既存", "Existing"))[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell; the tooltip has the spoken text and the sidecar files."""
        item = self._files[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.format_name(item) if index.column() == 0 else describe_existing_file(item.already_exists, self._settings)
        if role == Qt.ItemDataRole.ToolTipRole:
            beside = " ".join(SIDECAR_FORMATS[kind].suffix for kind in self._settings.sidecars)
            first = "\n".join(line.text for line in item.lines[:5]) + ("\n…" if len(item.lines) > 5 else "")
            return escape_tip("\n".join(part for part in (self.format_name(item), beside and f"+ {beside}", first) if part))
        return None

    def format_name(self, item: PlannedFile) -> str:
        """Return the file's path relative to the chosen folder, with forward slashes."""
        root = Path(self._settings.folder)
        return item.file.relative_to(root).as_posix() if item.file.is_relative_to(root) else item.file.name
