"""Words of Qt's own file dialog that Qt's Japanese leaves out. Windows has a dialog of its own; this one is seen on Linux.

Library: PySide6 6.11. Buys: no English in a Japanese dialog. Remove when tests/ui/workarounds/test_qt_words.py finds that Qt has them.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTranslator

WORDS = {
    ("QFileDialog", "&Look in:"): "場所(&L):",
    ("QFileDialog", "Files of &type:"): "ファイルの種類(&T):",
    ("QAbstractFileIconProvider", "Folder"): "フォルダー",
    ("QAbstractFileIconProvider", "File Folder"): "フォルダー",
    ("QAbstractFileIconProvider", "File"): "ファイル",
    ("QAbstractFileIconProvider", "%1 File"): "%1 ファイル",
}


class MissingWords(QTranslator):
    """To be installed before Qt's own translator, which is asked first then."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)

    def isEmpty(self) -> bool:
        """Qt does not install a translator without words."""
        return False

    def translate(self, context: str, source: str, _disambiguation: str | None = None, _n: int = -1) -> str:
        """The Japanese; empty for all other words."""
        return WORDS.get((context, source), "")
