"""A form for one entry of the user dictionary."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QSpinBox, QWidget

from app.common.errors import InputError
from app.common.language import localize
from app.core.dictionary_entries import (
    DICTIONARY_ENTRY_KINDS,
    HIGHEST_PRIORITY,
    LONGEST_READING,
    LONGEST_SURFACE,
    USUAL_PRIORITY,
    DictionaryEntry,
    make_entry,
)
from app.core.moras import parse_user_reading, split_moras
from app.ui.dictionary.entry_table import mark_accent
from app.ui.display_names import format_word_kind

PRIORITY_WIDTH_PX = 86


class EntryForm(QWidget):
    """Fields for surface, reading, accent, part of speech and priority.

    Signals:
        changed(): A field was edited.
        entered(): Enter was pressed.
    """

    changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.surface = _create_line_edit(
            localize("表記", "Word"), LONGEST_SURFACE, localize("単語のテキストでの表記。", "As written in the text.")
        )
        self.reading = _create_line_edit(
            localize("読み", "Reading"), LONGEST_READING, localize("ひらがなまたはカタカナで入力します。", "In hiragana or katakana.")
        )
        self.accent = QComboBox()
        self.accent.setToolTip(
            localize("音が下がる位置（アクセント核）。￣ は平板です。", "Where the pitch falls (accent nucleus); ￣ is flat.")
        )
        self.kind = QComboBox()
        self.kind.setToolTip(localize("前後の言葉とのつながり方が変わります。", "Affects how it connects to neighbouring words."))
        for kind in DICTIONARY_ENTRY_KINDS:
            self.kind.addItem(format_word_kind(kind), kind)
        self.priority = QSpinBox()
        self.priority.setRange(0, HIGHEST_PRIORITY)
        self.priority.setFixedWidth(PRIORITY_WIDTH_PX)
        self.priority.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.priority.setToolTip(
            localize(
                "値が大きいほど、ほかの読みよりもこの単語が優先されます。",
                "Higher values make this word win over other readings.",
            )
        )
        self._build_widgets()
        self.reading.textChanged.connect(self._update_accents)
        for field in (self.surface, self.reading):
            field.textEdited.connect(self.changed)
            field.returnPressed.connect(self.entered)
        self.accent.activated.connect(self.changed)
        self.kind.activated.connect(self.changed)
        self.priority.valueChanged.connect(self.changed)
        self.show_entry(None)

    @property
    def entry(self) -> DictionaryEntry:
        """Return the entry as filled in. Raise InputError where something is missing or wrong."""
        accent = max(0, self.accent.currentIndex())
        return make_entry(self.surface.text(), self.reading.text(), accent, self.kind.currentData(), self.priority.value())

    def show_entry(self, entry: DictionaryEntry | None, surface: str = "", reading: str = "") -> None:
        """Show an entry, or an empty form with the known parts of a new word."""
        self.surface.setText(entry.surface if entry else surface)
        self.reading.setText(entry.reading if entry else reading)
        # The list of accents depends on the reading, so the accent is set after it.
        self._update_accents()
        self.accent.setCurrentIndex(entry.accent if entry else 0)
        self.kind.setCurrentIndex(DICTIONARY_ENTRY_KINDS.index(entry.kind) if entry else 0)
        self.priority.setValue(entry.priority if entry else USUAL_PRIORITY)

    def _build_widgets(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(4)
        fields = (
            (localize("表記", "Word"), self.surface),
            (localize("読み", "Reading"), self.reading),
            (localize("アクセント", "Accent"), self.accent),
            (localize("品詞", "Part of speech"), self.kind),
            (localize("優先度", "Priority"), self.priority),
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
    def _update_accents(self) -> None:
        """Offer one accent for each mora, and the flat one; keep the chosen accent where possible."""
        chosen = self.accent.currentIndex()
        self.accent.clear()
        # While a reading is being typed it is often invalid; the list is empty until it is valid.
        with suppress(InputError):
            kana = parse_user_reading(self.surface.text(), self.reading.text())
            self.accent.addItems([mark_accent(kana, accent) for accent in range(len(split_moras(kana)) + 1)])
        self.accent.setCurrentIndex(chosen if 0 <= chosen < self.accent.count() else 0)


def _create_line_edit(name: str, max_length: int, tip: str) -> QLineEdit:
    field = QLineEdit()
    field.setMaxLength(max_length)
    field.setToolTip(tip)
    field.setAccessibleName(name)
    return field
