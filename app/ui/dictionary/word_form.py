"""One word of the user's dictionary, to be filled in."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QSpinBox, QWidget

from app.core.dictionary import HIGHEST_PRIORITY, KINDS, LONGEST_READING, LONGEST_SURFACE, USUAL_PRIORITY, Entry, make_entry
from app.core.moras import katakana_of, split_moras
from app.errors import InputError
from app.language import localized
from app.ui.dictionary.word_table import marked
from app.ui.labels import kind_name

PRIORITY_WIDTH = 86


class WordForm(QWidget):
    """Surface, reading, accent, kind and priority.

    Signals:
        changed(): something was typed or chosen.
        entered(): Enter was pressed.
    """

    changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.surface = _line(localized("表記", "Word"), LONGEST_SURFACE, localized("単語のテキストでの表記。", "As written in the text."))
        self.reading = _line(
            localized("読み", "Reading"), LONGEST_READING, localized("ひらがなまたはカタカナで入力します。", "In hiragana or katakana.")
        )
        self.accent = QComboBox()
        self.accent.setToolTip(
            localized("音が下がる位置（アクセント核）。￣ は平板です。", "Where the pitch falls (accent nucleus); ￣ is flat.")
        )
        self.kind = QComboBox()
        self.kind.setToolTip(localized("前後の言葉とのつながり方が変わります。", "Affects how it connects to neighbouring words."))
        for kind in KINDS:
            self.kind.addItem(kind_name(kind), kind)
        self.priority = QSpinBox()
        self.priority.setRange(0, HIGHEST_PRIORITY)
        self.priority.setFixedWidth(PRIORITY_WIDTH)
        self.priority.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.priority.setToolTip(
            localized(
                "値が大きいほど、ほかの読みよりもこの単語が優先されます。",
                "Higher values make this word win over other readings.",
            )
        )
        self._build()
        self.reading.textChanged.connect(self._on_reading)
        for field in (self.surface, self.reading):
            field.textEdited.connect(self.changed)
            field.returnPressed.connect(self.entered)
        self.accent.activated.connect(self.changed)
        self.kind.activated.connect(self.changed)
        self.priority.valueChanged.connect(self.changed)
        self.show_word(None)

    @property
    def word(self) -> Entry:
        """What is filled in; an InputError says what is missing or wrong."""
        accent = max(0, self.accent.currentIndex())
        return make_entry(self.surface.text(), self.reading.text(), accent, self.kind.currentData(), self.priority.value())

    def show_word(self, word: Entry | None, surface: str = "", reading: str = "") -> None:
        """Shows a word, or an empty form; what is known of a new word may be given."""
        self.surface.setText(word.surface if word else surface)
        self.reading.setText(word.reading if word else reading)
        self._on_reading()
        self.accent.setCurrentIndex(word.accent if word else 0)
        self.kind.setCurrentIndex(KINDS.index(word.kind) if word else 0)
        self.priority.setValue(word.priority if word else USUAL_PRIORITY)

    def _build(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(4)
        fields = (
            (localized("表記", "Word"), self.surface),
            (localized("読み", "Reading"), self.reading),
            (localized("アクセント", "Accent"), self.accent),
            (localized("品詞", "Part of speech"), self.kind),
            (localized("優先度", "Priority"), self.priority),
        )
        for column, (name, field) in enumerate(fields):
            label = QLabel(name)
            label.setObjectName("muted")
            label.setBuddy(field)
            field.setAccessibleName(name)
            grid.addWidget(label, 0, column)
            grid.addWidget(field, 1, column)
        for column, stretch in enumerate((3, 3, 3, 2, 0)):
            grid.setColumnStretch(column, stretch)

    @Slot()
    def _on_reading(self) -> None:
        """One accent for each mora, and the flat one; the chosen one stays as far as it can."""
        chosen = self.accent.currentIndex()
        self.accent.clear()
        with suppress(InputError):
            kana = katakana_of(self.surface.text(), self.reading.text())
            self.accent.addItems([marked(kana, accent) for accent in range(len(split_moras(kana)) + 1)])
        self.accent.setCurrentIndex(chosen if 0 <= chosen < self.accent.count() else 0)


def _line(name: str, longest: int, tip: str) -> QLineEdit:
    field = QLineEdit()
    field.setMaxLength(longest)
    field.setToolTip(tip)
    field.setAccessibleName(name)
    return field
