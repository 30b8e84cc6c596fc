"""Finding voices in the library, marking some as favourites, and comparing several."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton

from app.core.text_search import folded
from app.language import localized
from app.ui.voices.catalog_voice import CatalogVoice


class LibrarySearch(QObject):
    """Controls around the list of the library.

    Attributes:
        query: what is looked for.
        favourite, compare: for the selected voices.

    Signals:
        changed(): something else is looked for.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.query = QLineEdit()
        self.query.setPlaceholderText(localized("声を検索", "Search voices"))
        self.query.setAccessibleName(self.query.placeholderText())
        self.query.setToolTip(localized("名前、話者、スタイルで声を絞り込みます。", "Finds voices by name, speaker or style."))
        self.query.setClearButtonEnabled(True)
        self.query.textChanged.connect(lambda _text: self.changed.emit())
        self.favourite = QPushButton(localized("★ お気に入り", "★ Favourite"))
        self.favourite.setCheckable(True)
        self.favourite.setToolTip(localized("お気に入りの声は一覧の先頭に表示します。", "Favourites come first in every list."))
        self.compare = QPushButton(localized("聞き比べる…", "Compare…"))
        self.compare.setToolTip(
            localized(
                "選んだ声をオーディションで聞き比べます。（Ctrl や Shift で複数選択）",
                "Compares the selected voices on the board (Ctrl or Shift selects several).",
            )
        )
        for button in (self.favourite, self.compare):
            button.setAutoDefault(False)

    def buttons(self) -> QHBoxLayout:
        """Above the list."""
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.favourite, 1)
        row.addWidget(self.compare, 1)
        return row

    def clear(self) -> None:
        """Everything is shown again."""
        self.query.clear()

    def matching(self, voices: Sequence[CatalogVoice]) -> tuple[CatalogVoice, ...]:
        """The voices that have all words in their names, those of their speakers or styles."""
        wanted = folded(self.query.text()).split()
        return tuple(voice for voice in voices if all(word in _words(voice) for word in wanted))

    @Slot(bool, bool, int)
    def show_selected(self, is_one: bool, favourite: bool, comparable: int) -> None:
        """What can be done with the selected voices."""
        self.favourite.setEnabled(is_one)
        self.favourite.setChecked(favourite)
        self.compare.setEnabled(comparable > 0)


def _words(voice: CatalogVoice) -> str:
    names = (voice.name, *(name for _, name in voice.speakers), *(name for _, name in voice.styles))
    return folded(" ".join(names))
