"""The column at the right: the voice, and everything that shapes the sound of the selected lines."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.limits import BOUNDS
from app.core.script import LineSettings
from app.language import localized
from app.ui.parameters.assist_field import AssistField
from app.ui.parameters.parameter_slider import ParameterSlider
from app.ui.parameters.pause_fields import PauseFields
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.seed_field import SeedField
from app.ui.parameters.slider_field import SliderField
from app.ui.parameters.voice_fields import VoiceFields
from app.ui.voices.card import VoiceCard
from app.ui.voices.card_words import KnownVoice
from app.ui.widgets.section import Section
from app.ui.widgets.wheel_focus import WheelFocus

MAIN = [name for name, bounds in BOUNDS.items() if not bounds.is_advanced]
ADVANCED = [name for name, bounds in BOUNDS.items() if bounds.is_advanced and name != "assist_weight"]  # which stands below the assist text
USUAL_WIDTH, NARROWEST, WIDEST = 400, 340, 640  # pixels


class SidePanel(QScrollArea):
    """Shows the settings of a line, and emits what the user changes.

    Attributes:
        sliders: by name of the setting.

    Signals:
        edited(str, object): the user gave the setting of this name this value.
        preset_selected(dict): the user gave these settings these values at once.
        folded(): the expression group was opened or closed.
    """

    edited = Signal(str, object)
    preset_selected = Signal(object)
    folded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._showing = False
        self._settings, self._count = LineSettings(), 1
        self._mixed: Collection[str] = ()
        self.card = VoiceCard()
        self._choices = VoiceFields()
        self.chooser, self.speakers, self.styles = self._choices.chooser, self._choices.speakers, self._choices.styles
        self.chosen = QLabel()
        self.chosen.setObjectName("muted")
        self.presets = PresetBar()
        self.sliders = {name: SliderField(bounds, bounds.tip) for name, bounds in BOUNDS.items()}
        self.seed = SeedField()
        self.pauses = PauseFields()
        self.assist = AssistField()
        self.expression = Section(
            localized("詳細設定", "Advanced"),
            localized("緩急、間、ゆらぎを調整します。", "Rhythm, pauses and variation."),
        )
        for widget in (
            *(self.sliders[name] for name in ADVANCED),
            self.pauses,
            self.assist,
            self.sliders["assist_weight"],
            self.seed,
        ):
            self.expression.content.addWidget(widget)
        self._build()
        self._align()
        self._connect()

    def show_voice(self, voice: KnownVoice) -> None:
        """Offers what a voice has; the style and speaker of the line stay where the voice has them."""
        self.card.show_voice(voice)
        self._choices.offer([name for _, name in voice.speakers], [name for _, name in voice.styles])
        self.show_settings(self._settings, self._count, self._mixed)

    def show_missing(self, name: str) -> None:
        """The voice of the line is not here: nothing of another one is offered in its place."""
        self.card.show_missing(name)
        self._choices.offer([], [])
        self.show_settings(self._settings, self._count, self._mixed)

    def show_settings(self, settings: LineSettings, count: int = 1, mixed: Collection[str] = ()) -> None:
        """Shows the settings of the current line of `count` selected ones, which differ in those of the names `mixed`; with none there is nothing to set."""
        self._settings, self._count, self._mixed = settings, count, mixed
        self._showing = True
        for name, slider in self.sliders.items():
            slider.set_value(getattr(settings, name))
            slider.set_mixed(name in mixed)
        self._choices.show_settings(settings, mixed)
        self.card.show_speaker(self._choices.speaker)
        self.seed.set_value(settings.seed)
        self.seed.set_locked(settings.seed_locked)
        self.pauses.show_pauses(settings.pauses)
        self.assist.show_text(settings.assist_text)
        self.presets.show_settings(settings)
        self._showing = False
        self._show_count(count)

    def _show_count(self, count: int) -> None:
        """What the settings are for; voices can be managed without any line."""
        for widget in (*(self.sliders[name] for name in MAIN), self.presets, self.expression):
            widget.setEnabled(count > 0)
        self._choices.set_enabled(count > 0)
        if count:
            words = localized(
                f"{count} 行を選択中。変更はすべての行に適用されます。", f"{count} lines selected; changes apply to all of them."
            )
        else:
            words = localized("行を選択すると、声や話し方を変更できます。", "Select a line to change its voice and style.")
        self.chosen.setText(words)
        self.chosen.setVisible(count != 1)

    @Slot()
    def reset(self) -> None:
        """All sliders back to their defaults."""
        for slider in self.sliders.values():
            slider.reset()

    def _build(self) -> None:
        self._controls = QWidget()
        controls = QVBoxLayout(self._controls)
        controls.setContentsMargins(0, 0, 0, 0)
        controls.setSpacing(4)
        controls.addLayout(self._choices)
        for name in MAIN:
            controls.addWidget(self.sliders[name])
        controls.addWidget(self.presets)
        controls.addWidget(self.expression)
        side = QWidget()
        side.setObjectName("side")
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 2, 0)
        column.setSpacing(6)
        for widget in (self.card, self.chosen, self._controls):
            column.addWidget(widget)
        column.addStretch(1)
        self.setWidget(side)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # its room is kept, or all would move sideways
        self.verticalScrollBar().rangeChanged.connect(self._on_range)
        self.setMaximumWidth(WIDEST)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        kinds = (QAbstractSpinBox, QComboBox, ParameterSlider)
        WheelFocus(self).watch(control for kind in kinds for control in side.findChildren(kind))

    def _align(self) -> None:
        """All names take the width of the longest, so that sliders stand below each other."""
        labels = [
            *(slider.label for slider in self.sliders.values()),
            self.seed.label,
            self.presets.label,
            self.pauses.title,
            *self._choices.labels,
        ]
        width = max(label.sizeHint().width() for label in labels)
        for label in labels:
            label.setMinimumWidth(width)
        self.seed.number.setFixedWidth(self.seed.number.sizeHint().width() - 8)
        needed = self._controls.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        self.setMinimumWidth(max(NARROWEST, needed))

    def _connect(self) -> None:
        for name, slider in self.sliders.items():
            slider.value_changed.connect(self._emitter(name))
        self.seed.value_changed.connect(self._emitter("seed"))
        self.seed.locked_changed.connect(self._emitter("seed_locked"))
        self.pauses.edited.connect(self._emitter("pauses"))
        self.assist.textEdited.connect(self._emitter("assist_text"))
        self._choices.edited.connect(self.edited)
        self.presets.chosen.connect(self.preset_selected)
        self.expression.toggled.connect(self.folded)

    def _emitter(self, name: str) -> Callable[[object], None]:
        def emit(value: object) -> None:
            self._emit_change(name, value)

        return emit

    def _emit_change(self, name: str, value: object) -> None:
        if not self._showing:
            self.edited.emit(name, value)

    @Slot(int, int)
    def _on_range(self, low: int, high: int) -> None:
        self.verticalScrollBar().setEnabled(high > low)
