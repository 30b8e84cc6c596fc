"""Presets as files that are passed on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton

from app.core.presets import Presets
from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.parameters.presets import read_presets, save_presets
from app.ui.widgets.open_files import ask_for_one


class PresetFiles(QToolButton):
    """A menu to import and export them; files are read and written in the background.

    Attributes:
        export: the entry, to be disabled where there is nothing to export.

    Signals:
        found(Presets): those of a file.
        failed(AppError): a file could not be read or written.

    Args:
        presets: what is exported.
    """

    found = Signal(object)
    failed = Signal(object)

    def __init__(self, presets: Callable[[], Presets]) -> None:
        super().__init__()
        self._presets = presets
        self._background = BackgroundThread(self, "preset files")
        self._background.failed.connect(self.failed)
        self.setObjectName("more")
        self.setAccessibleName(localized("プリセットの読み込みと書き出し", "Import and export presets"))
        self.setToolTip(
            localized("プリセットをファイルから読み込み、ファイルに書き出します。", "Imports presets from a file, or exports them.")
        )
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        menu.addAction(localized("プリセットを読み込む…", "Import presets…")).triggered.connect(self._on_import)
        self.export = menu.addAction(localized("プリセットを書き出す…", "Export presets…"))
        self.export.triggered.connect(self._on_export)
        self.setMenu(menu)

    def take_in(self, file: Path) -> None:
        """Reads a file; `found` follows, or `failed`."""
        self._background.run(partial(read_presets, file), self.found.emit)

    @Slot()
    def _on_import(self) -> None:
        kinds = localized("プリセット", "Presets") + " (*.json)"
        if (file := ask_for_one(self, localized("プリセットを読み込む", "Import presets"), kinds)) is not None:
            self.take_in(file)

    @Slot()
    def _on_export(self) -> None:
        start = str(Path.home() / "koebako-presets.json")
        name, _ = QFileDialog.getSaveFileName(self, localized("プリセットを書き出す", "Export presets"), start, "JSON (*.json)")
        if name:
            file = Path(name) if Path(name).suffix.lower() == ".json" else Path(name + ".json")
            self._background.run(partial(save_presets, self._presets(), file))
