"""Translates texts of Qt's own file dialog that Qt's Japanese translation lacks; Linux shows this dialog, Windows has its own.

Library: PySide6 6.11. Buys: no English in a Japanese dialog. Remove when
tests/ui/workarounds/test_qt_translation_gaps.py finds that Qt has them.
"""

from PySide6.QtCore import QTranslator

MISSING_TRANSLATIONS = {
    ("QFileDialog", "&Look in:"): "場所(&L):",
    ("QFileDialog", "Files of &type:"): "ファイルの種類(&T):",
    ("QAbstractFileIconProvider", "Folder"): "フォルダー",
    ("QAbstractFileIconProvider", "File Folder"): "フォルダー",
    ("QAbstractFileIconProvider", "File"): "ファイル",
    ("QAbstractFileIconProvider", "%1 File"): "%1 ファイル",
}


class MissingTranslationsTranslator(QTranslator):
    """A translator of the missing texts.

    It must be installed before Qt's own translator, as Qt queries the newest translator first.
    """

    def isEmpty(self) -> bool:
        # Qt does not install a translator that reports to be empty.
        return False

    def translate(self, context: str, source: str, _disambiguation: str | None = None, _n: int = -1) -> str:
        """Return the Japanese text, or an empty one for all other texts."""
        return MISSING_TRANSLATIONS.get((context, source), "")
