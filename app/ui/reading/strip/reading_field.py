"""Where the reading of one word is typed; what is wrong with it is said beside it."""

from __future__ import annotations

import re
import unicodedata

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QWidget

from app.core.moras import hiragana_to_katakana
from app.language import localized
from app.ui.plain_text import PlainLabel, plain_tip

_KANA = re.compile(r"[ァ-ヺー]*[ァ-ヺ][ァ-ヺー]*")
LONGEST = 100
HEIGHT = 30  # pixels, as much as there is beside the buttons


class KanaEdit(QLineEdit):
    """A line edit that keeps Esc to itself.

    Signals:
        left(): Esc.
    """

    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Esc would otherwise stop what is spoken."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leaves."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class ReadingField(QWidget):
    """Label, field and what is wrong.

    Signals:
        kana_requested(str): the word is to be read so; empty goes back to the front end's reading.
        dictionary_requested(str, str): the word is to be read so everywhere; surface and kana.
        closed(): the field is done with.
    """

    kana_requested = Signal(str)
    dictionary_requested = Signal(str, str)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._surface = ""
        self.label = PlainLabel()
        self.edit = KanaEdit()
        self.edit.setMaxLength(LONGEST)
        self.edit.setFixedSize(200, HEIGHT)
        self.edit.setAccessibleName(localized("読み", "Reading"))
        self.edit.setToolTip(
            localized(
                "かなで入力して Enter。空にすると元の読みに戻ります。Esc でキャンセルします。",
                "Type kana, then press Enter. Leave empty for the original reading. Esc cancels.",
            )
        )
        self.add_word = QPushButton(localized("辞書に登録…", "Add to dictionary…"))
        self.add_word.setObjectName("small")
        self.add_word.setToolTip(localized("すべてのテキストでこの読みになります。", "Uses this reading in every text."))
        self.error = PlainLabel()
        self.error.setObjectName("error")
        self.error.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.error.setMinimumWidth(1)
        self.error.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.label, self.edit, self.add_word, self.error):
            row.addWidget(widget)
        row.addStretch(1)
        self.edit.returnPressed.connect(self._on_enter)
        self.edit.left.connect(self.close_field)
        self.add_word.clicked.connect(self._on_add_word)
        self.edit.textEdited.connect(self._on_typed)
        self.hide()

    def open_for(self, surface: str, kana: str) -> None:
        """Shows the field with the reading a word has."""
        self._surface = surface
        self.label.setText(localized(f"「{surface}」の読み", f"Reading of “{surface}”"))
        self.edit.setText(kana)
        self.show_error("")
        self.show()
        self.edit.setFocus()
        self.edit.selectAll()

    def show_error(self, words: str) -> None:
        """Says what is wrong; empty takes it back."""
        self.error.setText(words)
        self.error.setToolTip(plain_tip(words))
        self.error.setVisible(bool(words))

    @Slot()
    def close_field(self) -> None:
        """Done."""
        self.hide()
        self.closed.emit()

    @Slot()
    def _on_enter(self) -> None:
        if self._is_kana():
            self.kana_requested.emit(_plain(self.edit.text()))

    @Slot()
    def _on_add_word(self) -> None:
        if self._is_kana():
            self.dictionary_requested.emit(self._surface, _plain(self.edit.text()))
            self.close_field()

    @Slot()
    def _on_typed(self) -> None:
        self._is_kana()

    def _is_kana(self) -> bool:
        kana = _plain(self.edit.text())
        right = not kana or _KANA.fullmatch(kana) is not None
        self.show_error("" if right else localized("ひらがなまたはカタカナで入力してください。", "Enter it in hiragana or katakana."))
        return right


def _plain(text: str) -> str:
    return hiragana_to_katakana(unicodedata.normalize("NFKC", text)).replace(" ", "")
