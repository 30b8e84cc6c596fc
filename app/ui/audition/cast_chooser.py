"""The chooser of candidate casts: who might speak each character of the scene."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.audition.candidate_casts import CandidateCast, VoiceKey, choose_free_letter, suggest_voices
from app.common.language import localize
from app.core.script.project import Presets
from app.core.script.script import Character
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.controls import ChoiceBox, ElidedLabel, PlainLabel, create_tool_button, describe_control, fill_box
from app.ui.widgets.voice_listening import VoicePick, add_listening
from app.voices.voice_labels import format_speaker, format_style

MOST_SHOWN_CHARACTERS = 20  # a row of boxes takes some milliseconds to be made, and nobody casts more characters by hand


def format_cast(letter: str) -> str:
    """Return the name of a candidate cast."""
    return localize(f"配役 {letter}", f"Cast {letter}")


@dataclass(slots=True)
class RoleChoice:
    """The voice, style and preset that a candidate cast gives a character."""

    voice: VoiceKey | None = None  # voice and speaker; None leaves the character's own
    style: str = ""  # a style of that voice
    preset: str = ""  # name of a preset; empty is none

    def build_settings(self, offer: CastOffer) -> dict[str, Any]:
        """Return the settings by name, without a voice or preset that is gone; the voice counts over that of the preset."""
        settings = dict(offer.presets[self.preset].values) if self.preset in offer.presets else {}
        if self.voice is not None and self.voice[0] in offer.voices:
            settings |= {"voice": self.voice[0], "speaker": self.voice[1], "style": self.style}
        return settings


@dataclass(slots=True)
class CastChoice:
    """A candidate cast as it is being chosen, by id of the character."""

    letter: str
    roles: dict[str, RoleChoice] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CastOffer:
    """The characters, and the voices and presets that can be chosen for them."""

    characters: Sequence[Character] = ()
    voices: Mapping[str, CatalogVoice] = field(default_factory=dict)
    presets: Presets = field(default_factory=dict)

    @property
    def shown_characters(self) -> Sequence[Character]:
        """Return the characters whose voices can be chosen."""
        return self.characters[:MOST_SHOWN_CHARACTERS]

    @property
    def voice_keys(self) -> list[VoiceKey]:
        """Return all voices with all of their speakers."""
        return [(voice.id, speaker) for voice in self.voices.values() for _, speaker in voice.speakers]

    def find_first_style(self, key: VoiceKey) -> str:
        return self.voices[key[0]].styles[0][1]

    def format_voice(self, key: VoiceKey) -> str:
        """Return the name of a voice, and of its speaker where it has several."""
        voice = self.voices[key[0]]
        return voice.name if len(voice.speakers) < 2 else f"{voice.name} / {format_speaker(key[1])}"


class RoleRow(QWidget):
    """The name of a character above the boxes with its voice, the voice's style, and its preset.

    Signals:
        changed(): Something else was chosen.
        introduction_requested(VoicePick): A voice or style of the lists is to be heard.
    """

    changed = Signal()
    introduction_requested = Signal(object)

    def __init__(self, character: Character, choice: RoleChoice, offer: CastOffer) -> None:
        super().__init__()
        self._choice, self._offer = choice, offer
        character_name = character.name
        self.voice_box = _create_box(
            localize(f"{character_name}の声", f"Voice of {character_name}"), localize("この登場人物の声。", "Voice of this character.")
        )
        self.style_box = _create_box(
            localize(f"{character_name}のスタイル", f"Style of {character_name}"), localize("声のスタイル。", "Style of the voice.")
        )
        preset_tip = localize("話し方のプリセット。", "Preset with the manner of speaking.")
        self.preset_box = _create_box(localize(f"{character_name}のプリセット", f"Preset of {character_name}"), preset_tip)
        self.voice_box.addItem(localize("元の声", "Own voice"), None)
        for key in offer.voice_keys:
            self.voice_box.addItem(offer.format_voice(key), key)
        self.preset_box.addItem(localize("プリセットなし", "No preset"), "")
        for name in offer.presets:
            self.preset_box.addItem(name, name)
        row = fill_box(QHBoxLayout(), (self.style_box, 1), (self.preset_box, 1), spacing=4)
        fill_box(QVBoxLayout(self), ElidedLabel(character_name), self.voice_box, row, spacing=4)
        self.preset_box.setVisible(bool(offer.presets))
        self.show_choice()
        # `activated` comes from the user alone.
        self.voice_box.activated.connect(self._choose_voice)
        self.style_box.activated.connect(self._choose_style)
        for rows in (
            add_listening(self.voice_box, lambda key: None if key is None else VoicePick(*key)),
            add_listening(self.style_box, lambda style: VoicePick(*self._choice.voice, style) if self._choice.voice else None),
        ):
            rows.requested.connect(self.introduction_requested)
        self.preset_box.activated.connect(self._choose_preset)

    @property
    def boxes(self) -> tuple[ChoiceBox, ...]:
        """Return the boxes in the order of the Tab key."""
        return self.voice_box, self.style_box, self.preset_box

    def show_choice(self) -> None:
        """Show what is chosen; instead of a voice that is gone, the character's own."""
        keys = self._offer.voice_keys
        self.voice_box.setCurrentIndex(1 + keys.index(self._choice.voice) if self._choice.voice in keys else 0)
        self.preset_box.setCurrentIndex(max(0, self.preset_box.findData(self._choice.preset)))
        self._offer_styles()

    def _offer_styles(self) -> None:
        self.style_box.clear()
        voice = None if self._choice.voice is None else self._offer.voices.get(self._choice.voice[0])
        for _, style in voice.styles if voice is not None else ():
            self.style_box.addItem(format_style(style), style)
        self.style_box.setVisible(voice is not None)
        self.style_box.setCurrentIndex(max(0, self.style_box.findData(self._choice.style)) if voice is not None else -1)

    def _choose_voice(self, index: int) -> None:
        voice = self._choice.voice = None if index == 0 else self._offer.voice_keys[index - 1]
        self._choice.style = "" if voice is None else self._offer.find_first_style(voice)
        self._offer_styles()
        self.changed.emit()

    def _choose_style(self) -> None:
        self._choice.style = self.style_box.currentData()
        self.changed.emit()

    def _choose_preset(self) -> None:
        self._choice.preset = self.preset_box.currentData()
        self.changed.emit()


class CastSection(QFrame):
    """One candidate cast: its name with its buttons, and a row for each character.

    Signals:
        changed(): Another voice was chosen.
        suggestion_requested(), removal_requested(): A button was pressed.
        introduction_requested(VoicePick): A voice of the lists is to be heard.
    """

    changed = Signal()
    introduction_requested = Signal(object)
    suggestion_requested = Signal()
    removal_requested = Signal()

    def __init__(self, cast: CastChoice, offer: CastOffer) -> None:
        super().__init__()
        self.cast = cast
        name = format_cast(cast.letter)
        suggest_tip = localize(
            "登場人物ごとに別の声を選びます。押すたびに変わります。", "Picks a different voice for every character; press again for others."
        )
        self.suggest_button = create_tool_button(
            localize("声をおまかせ", "Suggest voices"),
            suggest_tip,
            self.suggestion_requested.emit,
            name=localize(f"{name}の声をおまかせ", f"Suggest voices for {name}"),
        )
        self.remove_button = create_tool_button(
            localize("削除", "Remove"),
            localize("この配役を比べません。", "Leaves this cast out."),
            self.removal_requested.emit,
            name=localize(f"{name}を削除", f"Remove {name}"),
        )
        self.rows = [RoleRow(one, cast.roles.setdefault(one.id, RoleChoice()), offer) for one in offer.shown_characters]
        head = fill_box(QHBoxLayout(), (PlainLabel(name, "heading"), 1), self.suggest_button, self.remove_button, spacing=4)
        column = fill_box(QVBoxLayout(self), head, *self.rows, spacing=6, margins=(0, 0, 0, 8))
        for row in self.rows:
            row.changed.connect(self.changed)
            row.introduction_requested.connect(self.introduction_requested)
        if (hidden := len(offer.characters) - len(self.rows)) > 0:
            more = localize(f"ほか {hidden:,} 人は元の声のままです。", f"{hidden:,} more keep their voices.")
            column.addWidget(PlainLabel(more, "muted"))


class CastChooser(QScrollArea):
    """A list of candidate casts; the choices stay when other lines, voices or presets are offered.

    Signals:
        changed(): Another cast is to be compared.
        introduction_requested(VoicePick): A voice of the lists is to be heard.
    """

    changed = Signal()
    introduction_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._casts: list[CastChoice] = []
        self._offer = CastOffer()
        self._is_stale = True
        self._column = QVBoxLayout()
        self.sections: list[CastSection] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.add_button = QToolButton()

    @property
    def candidates(self) -> tuple[CandidateCast, ...]:
        shown_ids = {one.id for one in self._offer.shown_characters}
        return tuple(
            CandidateCast(cast.letter, {one: role.build_settings(self._offer) for one, role in cast.roles.items() if one in shown_ids})
            for cast in self._casts
        )

    @property
    def choices(self) -> tuple[CastChoice, ...]:
        """Return the choices, to be shown again in another window."""
        return tuple(self._casts)

    def restore_choices(self, casts: Sequence[CastChoice]) -> None:
        """Show the choices of a former window."""
        self._casts = list(casts)
        self._show_casts()

    def offer_voices(self, voices: Sequence[CatalogVoice], is_usable: Callable[[CatalogVoice], bool], presets: Presets) -> None:
        """Offer these voices and presets; what is chosen stays chosen where it is still there."""
        # Voices found in AivisSpeech must be prepared before they can speak.
        usable = {voice.id: voice for voice in voices if voice.origin != "aivisspeech" and is_usable(voice)}
        self._show_offer(CastOffer(self._offer.characters, usable, dict(presets)))

    def offer_characters(self, characters: Sequence[Character]) -> None:
        """Offer these characters; a first candidate is there at once."""
        if characters and not self._casts:
            self._casts.append(CastChoice(choose_free_letter(())))
        self._show_offer(CastOffer(tuple(characters), self._offer.voices, self._offer.presets))

    def add_cast(self) -> None:
        """Add a candidate in which all characters keep their voices."""
        self._casts.append(CastChoice(choose_free_letter([cast.letter for cast in self._casts])))
        self._add_section(self._casts[-1])
        self.changed.emit()

    def _suggest_cast(self, section: CastSection) -> None:
        """Give each shown character of a candidate another voice than it has; the others keep theirs."""
        shown = self._offer.shown_characters
        taken = {
            one.id: [role.voice for cast in self._casts if (role := cast.roles.get(one.id)) is not None and role.voice is not None]
            for one in shown
        }
        suggestions = suggest_voices(shown, self._offer.voice_keys, random.Random(), taken)
        for character, voice in suggestions.items():
            role = section.cast.roles.setdefault(character, RoleChoice())
            role.voice, role.style = voice, self._offer.find_first_style(voice)
        for row in section.rows:
            row.show_choice()
        self.changed.emit()

    def _remove_cast(self, section: CastSection) -> None:
        """Remove a candidate; the others keep their letters."""
        self._casts.remove(section.cast)
        self.sections.remove(section)
        section.hide()
        section.deleteLater()
        self.changed.emit()

    def _show_offer(self, offer: CastOffer) -> None:
        if offer != self._offer:
            self._offer = offer
            self._show_casts()

    def showEvent(self, event: QShowEvent) -> None:
        """Build the rows once they are seen; most boards compare no casts."""
        super().showEvent(event)
        if self._is_stale:
            self._show_casts()

    def _show_casts(self) -> None:
        self._is_stale = not self.isVisible()
        if self._is_stale:
            return
        body = QWidget()
        body.setAutoFillBackground(False)
        self.sections, self._column = [], fill_box(QVBoxLayout(), spacing=6)
        tip = localize("比べる配役を増やします。", "Adds a cast to compare.")
        self.add_button = create_tool_button(localize("配役を追加", "Add a cast"), tip, self.add_cast)
        add = (self.add_button, Qt.AlignmentFlag.AlignLeft)
        fill_box(QVBoxLayout(body), self._column, add, None, spacing=6, margins=(0, 0, 8, 0))
        self.add_button.setVisible(bool(self._offer.characters))
        # Without characters there is nothing to choose, and the board says what to do.
        for cast in self._casts if self._offer.characters else ():
            self._add_section(cast)
        self.setWidget(body)

    def _add_section(self, cast: CastChoice) -> None:
        section = CastSection(cast, self._offer)
        section.changed.connect(self.changed)
        section.introduction_requested.connect(self.introduction_requested)
        section.suggestion_requested.connect(partial(self._suggest_cast, section))
        section.removal_requested.connect(partial(self._remove_cast, section))
        self.sections.append(section)
        self._column.addWidget(section)


def _create_box(name: str, tip: str) -> ChoiceBox:
    box = describe_control(ChoiceBox(), name, tip)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.setMinimumContentsLength(4)
    box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box
