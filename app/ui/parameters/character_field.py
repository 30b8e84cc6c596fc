"""The character of the selected lines, and the way back to the character's settings."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.common.language import localize
from app.core.request_limits import BOUNDS
from app.core.script.script import Character
from app.ui.theme.character_colours import create_colour_icon
from app.ui.theme.theme import ThemedWidget
from app.ui.widgets.box_layout import fill_box
from app.ui.widgets.choice_box import ChoiceBox
from app.ui.widgets.controls import describe_control, set_up_button

SWATCH_PX = 16


class CharacterField(ThemedWidget, QWidget):
    """A label, a list of the cast, and a button that is there while a selected line deviates from its character.

    Signals:
        chosen(str): the user gave the selected lines the character of this id, or none for an empty one.
        reset_requested(): give the lines the settings of their characters again.
    """

    chosen = Signal(str)
    reset_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._cast: Sequence[Character] = ()
        self._drawn: tuple[object, ...] = ()
        self._selected_ids: Collection[str] = ()
        self.label = QLabel(localize("登場人物", "Character"))
        self.box = describe_control(
            ChoiceBox(), localize("登場人物", "Character"), localize("選んだ行のセリフを話す登場人物。", "Who speaks the selected lines.")
        )
        self.box.setMinimumContentsLength(6)
        self.box.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.setPlaceholderText(localize("（複数）", "(mixed)"))
        self.box.activated.connect(self._choose_row)
        self.label.setBuddy(self.box)
        self.reset = set_up_button(
            QPushButton(localize("設定を戻す", "Reset")),
            localize("登場人物と違う設定を、登場人物のものに戻します。", "Gives lines the settings of their character again."),
            style="small",
        )
        self.reset.clicked.connect(self.reset_requested)
        fill_box(QHBoxLayout(self), self.label, (self.box, 1), self.reset, spacing=8)
        self.reset.hide()
        self.hide()

    def show_characters(self, cast: Sequence[Character], chosen: Collection[str], deviations: Collection[str]) -> None:
        """Show who speaks the selected lines, and offer the cast; without one there is nothing to show.

        Args:
            chosen: ids of the lines' characters, empty for none.
            deviations: names of the settings in which lines differ from their characters.
        """
        self.setVisible(bool(cast))
        drawn = tuple((character.id, character.name, character.colour) for character in cast)
        self._cast, self._selected_ids = cast, chosen
        if drawn != self._drawn:
            self._drawn = drawn
            self.draw_in_theme()
        else:
            self._select_row()
        self.box.setEnabled(bool(chosen))
        self.reset.setVisible(bool(deviations))
        if deviations:
            names = localize("、", ", ").join(list_setting_labels(deviations))
            words = localize(
                f"登場人物と違う設定を、登場人物のものに戻します: {names}", f"Gives lines the settings of their character again: {names}"
            )
            self.reset.setToolTip(words)
            self.reset.setAccessibleDescription(words)

    def draw_in_theme(self) -> None:
        """Fill the list, with the colours of the characters."""
        with QSignalBlocker(self.box):
            self.box.clear()
            self.box.addItem(localize("（なし）", "(none)"), "")
            for character in self._cast:
                self.box.addItem(create_colour_icon(character.colour, SWATCH_PX, self), character.name, character.id)
        self._select_row()

    def _select_row(self) -> None:
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(next(iter(self._selected_ids))) if len(self._selected_ids) == 1 else -1)

    @Slot(int)
    def _choose_row(self, row: int) -> None:
        self.chosen.emit(self.box.itemData(row))


def list_setting_labels(names: Collection[str]) -> list[str]:
    """Return the labels of settings, in the order of the panel."""
    labels = {
        "voice": localize("声", "voice"),
        "speaker": localize("話者", "speaker"),
        "style": localize("スタイル", "style"),
        **{name: bounds.label for name, bounds in BOUNDS.items()},
        "pauses": localize("間の長さ", "pauses"),
    }
    return [label for name, label in labels.items() if name in names]
