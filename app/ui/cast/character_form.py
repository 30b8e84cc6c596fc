"""The form of one character: other names, colour, voice and note."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFormLayout, QGridLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.request_limits import BOUNDS
from app.core.script.characters import MOST_ALIASES
from app.core.script.script import Character, LineSettings
from app.ui.parameters.setting_fields import VoiceFields
from app.ui.theme.character_colours import create_colour_icon, list_colour_names
from app.ui.theme.theme import ThemedWidget
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.box_layout import fill_box
from app.ui.widgets.choice_box import ChoiceBox
from app.ui.widgets.controls import create_button, create_label

SWATCH_PX = 16
MAX_NAME_LETTERS, MAX_NOTE_LETTERS = 200, 2_000
ALIAS_SEPARATORS = "、,，;；"


class CharacterForm(ThemedWidget, QWidget):
    """Shows a character, and emits the user's changes.

    Signals:
        edited(str, object): this field of the character has another value: aliases, colour or note.
        recast(str, object): this setting has another value: voice, speaker or style.
        line_settings_requested(): take the settings of the selected line.
    """

    edited = Signal(str, object)
    recast = Signal(str, object)
    line_settings_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._character: Character | None = None
        self.title = create_label(style="heading", wraps=True)
        self.aliases = _create_field(
            localize("別名", "Also known as"),
            localize("台本でのほかの名前。「、」で区切ります。", "Other names in scripts, separated by commas."),
            MAX_NAME_LETTERS * MOST_ALIASES,
        )
        self.note = _create_field(
            localize("メモ", "Note"), localize("役柄や話し方のメモ。", "A note about the part, for people."), MAX_NOTE_LETTERS
        )
        self.colour = ChoiceBox()
        self.colour.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.colour.setAccessibleName(localize("色", "Colour"))
        self.colour.setToolTip(localize("行のカードに表示する色。", "Shown on the cards of lines."))
        self.colour.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        self.voice = VoiceFields()
        self.voice.chooser.box.setToolTip(
            localize("配役。この登場人物のすべての行の声が変わります。", "Recasts: all lines of this character get this voice.")
        )
        self.numbers = create_label(style="muted", wraps=True)
        self.from_line = create_button(
            localize("選択中の行の設定を使う", "Use selected line's settings"),
            localize(
                "選んだ行の声と話し方を、この登場人物のものにします。行ごとの設定はそのままです。",
                "Gives the character the voice and delivery of the selected line; what lines have of their own stays.",
            ),
            self.line_settings_requested.emit,
        )
        self._lay_out_fields()
        self.draw_in_theme()
        self._connect_fields()

    def show_character(self, character: Character | None, voice: CatalogVoice | None) -> None:
        """Show a character with its voice, None for one that is not installed; no character leaves the form empty."""
        is_other = character is None or self._character is None or character.id != self._character.id
        self._character = character
        self.setEnabled(character is not None)
        settings = character.settings if character is not None else LineSettings()
        self.title.setText(character.name if character is not None else localize("登場人物を選んでください", "Select a character"))
        for field, text in (
            (self.aliases, localize("、", ", ").join(character.aliases) if character is not None else ""),
            (self.note, character.note if character is not None else ""),
        ):
            # Setting the text that is shown already would move the cursor of a user who is typing.
            if field.text() != text and (is_other or not (field.hasFocus() and field.isModified())):
                field.setText(text)
        with QSignalBlocker(self.colour):
            self.colour.setCurrentIndex(character.colour % self.colour.count() if character is not None else -1)
        self.voice.offer_choices(
            [name for _, name in voice.speakers] if voice is not None else [],
            [name for _, name in voice.styles] if voice is not None else [],
        )
        self.voice.show_settings(settings)
        self.voice.set_enabled(character is not None)
        self.numbers.setText(describe_delivery(settings))

    def show_voices(self, voices: Sequence[CatalogVoice]) -> None:
        """Offer these voices."""
        self.voice.chooser.show_voices(voices)

    def add_buttons(self, buttons: Sequence[QPushButton]) -> None:
        """Put the commands for the character under its name, in rows of two."""
        for number, button in enumerate(buttons):
            self._commands.addWidget(button, *divmod(number, 2))

    def _lay_out_fields(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(8)
        form.setVerticalSpacing(6)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        labels: list[QWidget] = []
        for name, field in (
            (localize("色", "Colour"), self.colour),
            (localize("別名", "Aliases"), self.aliases),
            (localize("メモ", "Note"), self.note),
        ):
            form.addRow(name, field)
            labels.append(form.labelForField(field))
        labels += self.voice.labels
        width = max(label.sizeHint().width() for label in labels)
        for label in labels:
            label.setMinimumWidth(width)
        self._commands = QGridLayout()
        self._commands.setSpacing(6)
        fill_box(QVBoxLayout(self), self.title, self._commands, 2, self.voice, self.numbers, self.from_line, 6, form, None, spacing=8)

    def draw_in_theme(self) -> None:
        """Fill the list of colours."""
        with QSignalBlocker(self.colour):
            chosen = self.colour.currentIndex()
            self.colour.clear()
            for number, name in enumerate(list_colour_names()):
                self.colour.addItem(create_colour_icon(number, SWATCH_PX, self), name)
            self.colour.setCurrentIndex(chosen)

    def _connect_fields(self) -> None:
        self.aliases.editingFinished.connect(self._emit_aliases)
        self.note.editingFinished.connect(self._emit_note)
        self.colour.activated.connect(lambda row: self.edited.emit("colour", row))
        self.voice.chooser.chosen.connect(lambda voice: self.recast.emit("voice", voice))
        self.voice.edited.connect(self.recast)

    @Slot()
    def _emit_aliases(self) -> None:
        """Emit names that were typed: a name with a comma is two only then, and what was not touched stays as it is."""
        is_typed, names = self.aliases.isModified(), split_aliases(self.aliases.text())
        self.aliases.setModified(False)
        if is_typed and self._character is not None and names != self._character.aliases:
            self.edited.emit("aliases", names)

    @Slot()
    def _emit_note(self) -> None:
        is_typed = self.note.isModified()
        self.note.setModified(False)
        if is_typed and self._character is not None and self.note.text() != self._character.note:
            self.edited.emit("note", self.note.text())


def split_aliases(text: str) -> tuple[str, ...]:
    """Return the names in a text that separates them by commas of either language; none twice, and no more than a project holds."""
    for separator in ALIAS_SEPARATORS:
        text = text.replace(separator, "\n")
    return tuple(dict.fromkeys(name for part in text.split("\n") if (name := part.strip())))[:MOST_ALIASES]


def describe_delivery(settings: LineSettings) -> str:
    """Return the numbers of a delivery that are not the usual ones, in words."""
    changed = [
        f"{bounds.label} {getattr(settings, name):g}" for name, bounds in BOUNDS.items() if getattr(settings, name) != bounds.default
    ]
    if settings.pauses:
        changed.append(localize("間の長さ", "pauses"))
    numbers = localize("、", ", ").join(changed)
    return numbers[:1].upper() + numbers[1:] or localize("話し方は標準の設定です。", "Usual delivery.")


def _create_field(name: str, tip: str, max_length: int) -> QLineEdit:
    field = QLineEdit()
    field.setMaxLength(max_length)
    field.setAccessibleName(name)
    field.setToolTip(tip)
    return field
