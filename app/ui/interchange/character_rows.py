"""A table of names for which no voice was found, each with a voice and a style to choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.project import Character
from app.interchange.character_assignment import AssignableVoice
from app.ui.display_names import format_style
from app.ui.plain_text import PlainLabel, escape_tip
from app.ui.widgets.choice_box import ChoiceBox
from app.voices.voice_labels import localize_voice_name

MOST_SHOWN, LOWEST_NAMES_PX = 200, 90
"""The number of names shown at most, and the lowest height in pixels."""


class CharacterRow(NamedTuple):
    """The widgets of one name."""

    character: Character
    voice: ChoiceBox
    style: ChoiceBox


class CharacterTable(QScrollArea):
    """A scroll area with one row for each name; a name left for later keeps a missing voice.

    Signals:
        changed(): A voice was chosen.
    """

    changed = Signal()

    def __init__(self, voices: Sequence[AssignableVoice]) -> None:
        super().__init__()
        self._voices = {voice.id: voice for voice in voices}
        self.rows: list[CharacterRow] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setMinimumHeight(LOWEST_NAMES_PX)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_names((), {})

    @property
    def choices(self) -> dict[str, Character]:
        """Return the chosen characters by name."""
        found = {}
        for character, voice, style in self.rows:
            if voice.currentData():
                speaker, name = style.currentData() or ("", "")
                found[character.name] = Character(character.name, voice.currentData(), speaker, name)
        return found

    def show_names(self, names: Sequence[tuple[Character, int]], shown_names: dict[str, str]) -> None:
        """Show other names, each with its number of lines; choices already made are kept.

        Args:
            shown_names: Display names of names that are ids.
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
            self._add_row(grid, place, character, shown_names.get(character.name, character.name), count, kept.get(character.name))
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 8, 0)
        column.addLayout(grid)
        if len(names) > MOST_SHOWN:
            rest = len(names) - MOST_SHOWN
            more = QLabel(
                localize(f"…ほか {rest:,} 人（読み込んだ後に声を選べます）", f"… and {rest:,} more (choose their voices after importing)")
            )
            more.setObjectName("muted")
            column.addWidget(more)
        column.addStretch(1)
        self.setWidget(body)

    def _add_row(
        self, grid: QGridLayout, row_index: int, character: Character, shown_name: str, line_count: int, previous: Character | None
    ) -> None:
        label = PlainLabel()
        label.setText(shown_name)
        label.setToolTip(escape_tip(shown_name))
        label.setWordWrap(True)
        lines = QLabel(localize(f"{line_count:,} 行", f"{line_count:,} {'line' if line_count == 1 else 'lines'}"))
        lines.setObjectName("muted")
        voice, style = ChoiceBox(), ChoiceBox()
        voice.setAccessibleName(localize(f"{shown_name}の声", f"Voice of {shown_name}"))
        voice.setToolTip(
            localize("この名前の行を話す声です。次に読み込むときも使います。", "Voice for this character, also used in later imports.")
        )
        style.setAccessibleName(localize(f"{shown_name}の話者とスタイル", f"Speaker and style of {shown_name}"))
        style.setToolTip(localize("声の話者とスタイル。", "Speaker and style of the voice."))
        for box in (voice, style):
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            box.setMinimumContentsLength(8)
        style.setPlaceholderText("–")
        voice.addItem(localize("あとで選ぶ", "Choose later"), "")
        for known in self._voices.values():
            voice.addItem(localize_voice_name(known.name), known.id)
        row = CharacterRow(character, voice, style)
        # `activated` comes from the user alone; filling the box must not count as a choice.
        voice.activated.connect(lambda _index: self._update_voice(row))
        self.rows.append(row)
        for number, widget in enumerate((label, lines, voice, style)):
            grid.addWidget(widget, row_index, number)
        voice.setCurrentIndex(max(0, voice.findData(previous.voice)) if previous is not None else 0)
        self._offer_styles(row)
        if previous is not None:
            style.setCurrentIndex(max(0, style.findData((previous.speaker, previous.style))))

    def _update_voice(self, row: CharacterRow) -> None:
        self._offer_styles(row)
        self.changed.emit()

    @Slot(object)
    def _offer_styles(self, row: CharacterRow) -> None:
        voice = self._voices.get(row.voice.currentData())
        row.style.clear()
        row.style.setEnabled(voice is not None)
        for speaker in voice.speakers if voice is not None else ():
            for _, style in speaker.styles:
                several = voice is not None and len(voice.speakers) > 1
                row.style.addItem(
                    localize("・", " · ").join(filter(None, (speaker.name if several else "", format_style(style)))), (speaker.name, style)
                )
        row.style.setCurrentIndex(0 if row.style.count() else -1)
