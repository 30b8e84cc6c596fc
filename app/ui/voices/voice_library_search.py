"""The search, favourite and compare controls of the voice library."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton

from app.common.language import localize
from app.core.text_search import fold_text
from app.ui.voices.catalog_voice import CatalogVoice


class VoiceLibrarySearch(QObject):
    """Holds the controls around the list of the library.

    Attributes:
        query: the search field.
        favourite, compare: buttons for the selected voices.

    Signals:
        changed(): the search text has changed.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.query = QLineEdit()
        self.query.setPlaceholderText(localize("声を検索", "Search voices"))
        self.query.setAccessibleName(self.query.placeholderText())
        self.query.setToolTip(localize("名前、話者、スタイルで声を絞り込みます。", "Finds voices by name, speaker or style."))
        self.query.setClearButtonEnabled(True)
        self.query.textChanged.connect(lambda _text: self.changed.emit())
        self.favourite = QPushButton(localize("★ お気に入り", "★ Favourite"))
        self.favourite.setCheckable(True)
        self.favourite.setToolTip(localize("お気に入りの声は一覧の先頭に表示します。", "Favourites come first in every list."))
        self.compare = QPushButton(localize("聞き比べる…", "Compare…"))
        self.compare.setToolTip(
            localize(
                "選んだ声をオーディションで聞き比べます。（Ctrl や Shift で複数選択）",
                "Compares the selected voices on the board (Ctrl or Shift selects several).",
            )
        )
        for button in (self.favourite, self.compare):
            button.setAutoDefault(False)

    def build_button_row(self) -> QHBoxLayout:
        """Return the row of buttons above the list."""
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.favourite, 1)
        row.addWidget(self.compare, 1)
        return row

    def clear_search(self) -> None:
        """Clear the search, so that all voices are shown."""
        self.query.clear()

    def filter_voices(self, voices: Sequence[CatalogVoice]) -> tuple[CatalogVoice, ...]:
        """Return the voices with every search word in their name or that of a speaker or style."""
        wanted = fold_text(self.query.text()).split()
        return tuple(voice for voice in voices if all(word in _build_search_text(voice) for word in wanted))

    @Slot(bool, bool, int)
    def update_buttons(self, is_one: bool, is_favourite: bool, comparable_count: int) -> None:
        """Enable the buttons for the selected voices."""
        self.favourite.setEnabled(is_one)
        self.favourite.setChecked(is_favourite)
        self.compare.setEnabled(comparable_count > 0)


def _build_search_text(voice: CatalogVoice) -> str:
    names = (voice.name, *(name for _, name in voice.speakers), *(name for _, name in voice.styles))
    return fold_text(" ".join(names))
