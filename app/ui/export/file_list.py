"""The files that would be written, as they would be called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.export.plan import PlannedFile
from app.export.settings import ExportSettings
from app.export.sidecars.formats import SIDECAR_FORMATS
from app.language import localized
from app.ui.export.words import state_of
from app.ui.plain_text import plain_tip

_ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class FileList(QAbstractTableModel):
    """Names, and what happens to files that are there."""

    def __init__(self) -> None:
        super().__init__()
        self._files: Sequence[PlannedFile] = ()
        self._settings = ExportSettings()

    def show_files(self, files: Sequence[PlannedFile], settings: ExportSettings) -> None:
        """Shows others."""
        self.beginResetModel()
        self._files, self._settings = files, settings
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Files."""
        return 0 if parent.isValid() else len(self._files)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Name and state."""
        return 0 if parent.isValid() else 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (localized("ファイル", "File"), localized("既存", "Existing"))[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell; the tip is the text that is spoken, with what lies beside the sound."""
        item = self._files[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.name(item) if index.column() == 0 else state_of(item.exists, self._settings)
        if role == Qt.ItemDataRole.ToolTipRole:
            beside = " ".join(SIDECAR_FORMATS[kind].suffix for kind in self._settings.sidecars)
            first = "\n".join(line.text for line in item.lines[:5]) + ("\n…" if len(item.lines) > 5 else "")
            return plain_tip("\n".join(part for part in (self.name(item), beside and f"+ {beside}", first) if part))
        return None

    def name(self, item: PlannedFile) -> str:
        """As seen from the folder that was chosen."""
        root = Path(self._settings.folder)
        return item.file.relative_to(root).as_posix() if item.file.is_relative_to(root) else item.file.name
