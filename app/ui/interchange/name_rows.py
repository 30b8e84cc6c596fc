"""Names of a file for which no voice was found, and beside each a voice and a style to choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.core.project import Character
from app.interchange.assign import KnownVoice
from app.language import localized
from app.ui.labels import style_name
from app.ui.plain_text import PlainLabel, plain_tip
from app.ui.widgets.choice_box import ChoiceBox
from app.voices.voice_words import voice_name

MOST_SHOWN, LOWEST = 200, 90
"""Names, and pixels."""


class NameRow(NamedTuple):
    """The controls of a name."""

    character: Character
    voice: ChoiceBox
    style: ChoiceBox


class NameRows(QScrollArea):
    """A row each; those that are left for later keep their names, and their voice is missing.

    Signals:
        changed(): somebody was chosen.
    """

    changed = Signal()

    def __init__(self, voices: Sequence[KnownVoice]) -> None:
        super().__init__()
        self._voices = {voice.id: voice for voice in voices}
        self.rows: list[NameRow] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setMinimumHeight(LOWEST)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_names((), {})

    @property
    def choices(self) -> dict[str, Character]:
        """Whom the user chose, by name."""
        found = {}
        for character, voice, style in self.rows:
            if voice.currentData():
                speaker, name = style.currentData() or ("", "")
                found[character.name] = Character(character.name, voice.currentData(), speaker, name)
        return found

    def show_names(self, names: Sequence[tuple[Character, int]], shown: dict[str, str]) -> None:
        """Shows other names, each with its number of lines; what was chosen for one stays.

        Args:
            shown: how names are shown that are no words for people.
        """
        kept = self.choices
        body = QWidget()
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        for place in (0, 2, 3):
            grid.setColumnStretch(place, 1)
        self.rows = []
        for place, (character, count) in enumerate(names[:MOST_SHOWN]):
            self._add(grid, place, character, shown.get(character.name, character.name), count, kept.get(character.name))
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 8, 0)
        column.addLayout(grid)
        if len(names) > MOST_SHOWN:
            rest = len(names) - MOST_SHOWN
            more = QLabel(
                localized(f"…ほか {rest:,} 人（読み込んだ後に声を選べます）", f"… and {rest:,} more (choose their voices after importing)")
            )
            more.setObjectName("muted")
            column.addWidget(more)
        column.addStretch(1)
        self.setWidget(body)

    def _add(self, grid: QGridLayout, place: int, character: Character, shown: str, count: int, kept: Character | None) -> None:
        label = PlainLabel()
        label.setText(shown)
        label.setToolTip(plain_tip(shown))
        label.setWordWrap(True)
        lines = QLabel(localized(f"{count:,} 行", f"{count:,} {'line' if count == 1 else 'lines'}"))
        lines.setObjectName("muted")
        voice, style = ChoiceBox(), ChoiceBox()
        voice.setAccessibleName(localized(f"{shown}の声", f"Voice of {shown}"))
        voice.setToolTip(
            localized("この名前の行を話す声です。次に読み込むときも使います。", "Voice for this character, also used in later imports.")
        )
        style.setAccessibleName(localized(f"{shown}の話者とスタイル", f"Speaker and style of {shown}"))
        style.setToolTip(localized("声の話者とスタイル。", "Speaker and style of the voice."))
        for box in (voice, style):
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            box.setMinimumContentsLength(8)
        style.setPlaceholderText("–")
        voice.addItem(localized("あとで選ぶ", "Choose later"), "")
        for known in self._voices.values():
            voice.addItem(voice_name(known.name), known.id)
        row = NameRow(character, voice, style)
        voice.activated.connect(lambda _index: self._on_voice(row))
        self.rows.append(row)
        for number, widget in enumerate((label, lines, voice, style)):
            grid.addWidget(widget, place, number)
        voice.setCurrentIndex(max(0, voice.findData(kept.voice)) if kept is not None else 0)
        self._offer_styles(row)
        if kept is not None:
            style.setCurrentIndex(max(0, style.findData((kept.speaker, kept.style))))

    def _on_voice(self, row: NameRow) -> None:
        self._offer_styles(row)
        self.changed.emit()

    @Slot(object)
    def _offer_styles(self, row: NameRow) -> None:
        voice = self._voices.get(row.voice.currentData())
        row.style.clear()
        row.style.setEnabled(voice is not None)
        for speaker in voice.speakers if voice is not None else ():
            for _, style in speaker.styles:
                several = voice is not None and len(voice.speakers) > 1
                row.style.addItem(
                    localized("・", " · ").join(filter(None, (speaker.name if several else "", style_name(style)))), (speaker.name, style)
                )
        row.style.setCurrentIndex(0 if row.style.count() else -1)
