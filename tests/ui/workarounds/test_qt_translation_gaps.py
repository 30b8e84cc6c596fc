"""Whether Qt's Japanese still lacks words of its file dialog."""

from PySide6.QtCore import QLibraryInfo, QTranslator
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from app.ui.workarounds.qt_translation_gaps import MISSING_TRANSLATIONS, MissingTranslationsTranslator


def test_qt_has_no_japanese_for_them() -> None:
    qt = QTranslator()
    assert qt.load("qtbase_ja", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    assert [words for words in MISSING_TRANSLATIONS if qt.translate(*words)] == [], "no longer needed for these"


def test_the_dialog_has_them(qtbot: QtBot, qapp: QApplication) -> None:
    words = MissingTranslationsTranslator(qapp)
    assert qapp.installTranslator(words)
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    qtbot.addWidget(dialog)
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    qapp.removeTranslator(words)
    assert {"場所(&L):", "ファイルの種類(&T):"} <= shown
