"""A button that imports and exports presets as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton

from app.common.language import localize
from app.core.presets import Presets
from app.ui.background_thread import BackgroundThread
from app.ui.parameters.preset_storage import read_presets, save_presets
from app.ui.widgets.open_file_dialogs import ask_for_file


class PresetFilesButton(QToolButton):
    """A menu button; files are read and written in the background.

    Attributes:
        export: The menu entry, to be disabled where there is nothing to export.

    Signals:
        presets_read(Presets): The presets of a file were read.
        failed(AppError): A file could not be read or written.

    Args:
        presets: Returns the presets to export.
    """

    presets_read = Signal(object)
    failed = Signal(object)

    def __init__(self, presets: Callable[[], Presets]) -> None:
        super().__init__()
        self._presets = presets
        self._background = BackgroundThread(self, "preset files")
        self._background.failed.connect(self.failed)
        self.setObjectName("more")
        self.setAccessibleName(localize("プリセットの読み込みと書き出し", "Import and export presets"))
        self.setToolTip(
            localize("プリセットをファイルから読み込み、ファイルに書き出します。", "Imports presets from a file, or exports them.")
        )
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        menu.addAction(localize("プリセットを読み込む…", "Import presets…")).triggered.connect(self._choose_import_file)
        self.export = menu.addAction(localize("プリセットを書き出す…", "Export presets…"))
        self.export.triggered.connect(self._export_presets)
        self.setMenu(menu)

    def import_file(self, file: Path) -> None:
        """Read a file and emit `presets_read` or `failed`."""
        self._background.run_work(partial(read_presets, file), self.presets_read.emit)

    @Slot()
    def _choose_import_file(self) -> None:
        kinds = localize("プリセット", "Presets") + " (*.json)"
        if (file := ask_for_file(self, localize("プリセットを読み込む", "Import presets"), kinds)) is not None:
            self.import_file(file)

    @Slot()
    def _export_presets(self) -> None:
        start = str(Path.home() / "koebako-presets.json")
        name, _ = QFileDialog.getSaveFileName(self, localize("プリセットを書き出す", "Export presets"), start, "JSON (*.json)")
        if name:
            file = Path(name) if Path(name).suffix.lower() == ".json" else Path(name + ".json")
            self._background.run_work(partial(save_presets, self._presets(), file))
