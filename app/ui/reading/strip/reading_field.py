"""The field for the reading of one word, with a message next to it that says why a reading is wrong."""

import re
import unicodedata

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from app.common.language import localize
from app.core.text.english_phones import convert_arpabet
from app.core.text.pronunciation import convert_to_katakana
from app.ui.widgets.controls import PlainLabel, create_button, escape_tip, fill_box

_TYPED_KANA_PATTERN = re.compile(r"[ァ-ヺー]*[ァ-ヺ][ァ-ヺー]*")
MAX_TYPED_READING_LENGTH = 100
READING_FIELD_HEIGHT_PX = 30  # pixels, as much as the row of buttons has


class KanaEdit(QLineEdit):
    """A line edit that keeps Esc to itself.

    Signals:
        editing_cancelled(): Esc.
    """

    editing_cancelled = Signal()

    def event(self, event: QEvent) -> bool:
        """Keep Esc from the window, where it would stop the speech."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel editing at Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.editing_cancelled.emit()
        else:
            super().keyPressEvent(event)


class ReadingField(QWidget):
    """Label, field and what is wrong.

    Signals:
        kana_requested(str): the word is to be read so, in kana or, where the line is read in English, in ARPABET; empty goes back to the front end's reading.
        dictionary_requested(str, str): the word is to be read so everywhere; surface and kana.
        closed(): the field is done with.
    """

    kana_requested = Signal(str)
    dictionary_requested = Signal(str, str)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.surface, self._takes_english = "", False
        self.label = PlainLabel()
        self.edit = KanaEdit()
        self.edit.setMaxLength(MAX_TYPED_READING_LENGTH)
        self.edit.setFixedSize(200, READING_FIELD_HEIGHT_PX)
        self.edit.setAccessibleName(localize("読み", "Reading"))
        self._explain_edit()
        tip = localize("すべてのテキストでこの読みになります。", "Uses this reading in every text.")
        self.add_word = create_button(localize("辞書に登録…", "Add to dictionary…"), tip, self._request_dictionary, style="small")
        self.error = PlainLabel(style="error")
        self.error.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.error.setMinimumWidth(1)
        self.error.hide()
        fill_box(QHBoxLayout(self), self.label, self.edit, self.add_word, self.error, None)
        self.edit.returnPressed.connect(self._submit_kana)
        self.edit.editing_cancelled.connect(self.close_field)
        self.edit.textEdited.connect(lambda: self._find_reading())
        self.hide()

    def open_for_word(self, surface: str, written: str, *, takes_english: bool = False) -> None:
        """Open the field with the reading of a word, kana or ARPABET."""
        self.surface, self._takes_english = surface, takes_english
        self._explain_edit()
        self.label.setText(localize(f"「{surface}」の読み", f"Reading of “{surface}”"))
        self.edit.setText(written)
        self.show_error("")
        self.show()
        self.edit.setFocus()
        self.edit.selectAll()

    def _explain_edit(self) -> None:
        """Give the field a tip that says what it takes."""
        kinds = (
            localize("かなか発音記号（例: HH AH0 L OW1）", "kana or phones such as HH AH0 L OW1")
            if self._takes_english
            else localize("かな", "kana")
        )
        tip = localize(
            f"{kinds}で入力して Enter。空にすると元の読みに戻ります。Esc でキャンセルします。",
            f"Type {kinds}, then press Enter. Leave empty for the original reading. Esc cancels.",
        )
        self.edit.setToolTip(tip)

    def show_error(self, message: str) -> None:
        """Show an error, or clear it if the message is empty."""
        self.error.setText(message)
        self.error.setToolTip(escape_tip(message))
        self.error.setVisible(bool(message))

    @Slot()
    def close_field(self) -> None:
        """Hide the field and emit `closed`."""
        self.hide()
        self.closed.emit()

    @Slot()
    def _submit_kana(self) -> None:
        if (reading := self._find_reading()) is not None:
            self.kana_requested.emit(reading)

    def _request_dictionary(self) -> None:
        if (kana := self._find_kana(localize("辞書にはかなで登録してください。", "The dictionary takes kana."))) is not None:
            self.dictionary_requested.emit(self.surface, kana)
            self.close_field()

    def _find_reading(self) -> str | None:
        """Return what was typed, in katakana or ARPABET, or say that it is neither and return None."""
        if not self._takes_english:
            return self._find_kana(localize("ひらがなまたはカタカナで入力してください。", "Enter it in hiragana or katakana."))
        phones = " ".join(unicodedata.normalize("NFKC", self.edit.text()).upper().split())
        if convert_arpabet(phones):
            self.show_error("")
            return phones
        return self._find_kana(
            localize("かな、または HH AH0 L OW1 のような発音記号で入力してください。", "Enter kana, or phones such as HH AH0 L OW1.")
        )

    def _find_kana(self, fault: str) -> str | None:
        """Return what was typed in katakana, or show the fault and return None."""
        kana = convert_to_katakana(unicodedata.normalize("NFKC", self.edit.text())).replace(" ", "")
        is_kana = not kana or _TYPED_KANA_PATTERN.fullmatch(kana) is not None
        self.show_error("" if is_kana else fault)
        return kana if is_kana else None
