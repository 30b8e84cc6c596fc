"""The column at the right: the voice, and everything that shapes the sound of the selected lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.limits import BOUNDS
from app.core.script import LineSettings
from app.language import localized
from app.ui.labels import style_name, tip
from app.ui.parameters.pause_fields import PauseFields
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.seed_field import SeedField
from app.ui.parameters.slider_field import ParameterSlider, SliderField
from app.ui.voices.card import KnownVoice, VoiceCard
from app.ui.voices.chooser import VoiceChooser
from app.ui.widgets.choice_box import ChoiceBox
from app.ui.widgets.section import Section
from app.ui.widgets.wheel_focus import WheelFocus

MAIN = ("style_weight", "speed", "volume")
EXPRESSION = ("sdp_ratio", "noise", "noise_w", "bert_weight")
SILENCES = ("pre_silence_s", "post_silence_s")
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
        self.chooser = VoiceChooser()
        self.chosen = QLabel()
        self.chosen.setObjectName("muted")
        self.presets = PresetBar()
        self.sliders = {name: SliderField(BOUNDS[name], tip(name)) for name in (*MAIN, *EXPRESSION, *SILENCES, "assist_weight")}
        self.styles = self._choice(
            localized("スタイル", "Style"), localized("声のスタイル（感情や話し方）。", "The speaking style of the voice.")
        )
        self.speakers = self._choice(localized("話者", "Speaker"), localized("この声に含まれる話者。", "The speaker within this voice."))
        self.seed = SeedField()
        self.pauses = PauseFields()
        self.assist = self._assist()
        self.expression = Section(
            localized("詳細設定", "Advanced"),
            localized("抑揚、間、ゆらぎを調整します。", "Intonation, pauses and variation."),
        )
        for widget in (
            *(self.sliders[name] for name in (*EXPRESSION, *SILENCES)),
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
        self._fill(self.styles, [(style_name(name), name) for _, name in voice.styles])
        self._fill(self.speakers, [(name, name) for _, name in voice.speakers])
        self._choices.setRowVisible(self.speakers, len(voice.speakers) > 1)
        self.show_settings(self._settings, self._count, self._mixed)

    def show_missing(self, voice: str, name: str) -> None:
        """The voice of the line is not here: nothing of another one is offered in its place."""
        self.card.show_missing(voice, name)
        self._fill(self.styles, [])
        self._fill(self.speakers, [])
        self._choices.setRowVisible(self.speakers, False)
        self.show_settings(self._settings, self._count, self._mixed)

    def show_settings(self, settings: LineSettings, count: int = 1, mixed: Collection[str] = ()) -> None:
        """Shows the settings of the current line of `count` selected ones, which differ in those of the names `mixed`; with none there is nothing to set."""
        self._settings, self._count, self._mixed = settings, count, mixed
        self._showing = True
        for name, slider in self.sliders.items():
            slider.set_value(getattr(settings, name))
            slider.set_mixed(name in mixed)
        for box, name in ((self.styles, "style"), (self.speakers, "speaker")):
            box.setCurrentIndex(max(0, box.findData(getattr(settings, name))) if box.count() and name not in mixed else -1)
            box.setPlaceholderText(localized("（複数）", "(mixed)"))
        self.card.show_speaker(self.speakers.currentText() if self.speakers.count() > 1 else "")
        if not self.styles.count():
            self.styles.setPlaceholderText(style_name(settings.style) or "–")  # what the line remembers while its voice is not here
        self.seed.set_value(settings.seed)
        self.seed.set_locked(settings.seed_locked)
        self.pauses.show_pauses(settings.pauses)
        if self.assist.text() != settings.assist_text:
            self.assist.setText(settings.assist_text)
        self.presets.show_settings(settings)
        self._showing = False
        self._show_count(count)

    def _show_count(self, count: int) -> None:
        """What the settings are for; voices can be managed without any line."""
        for widget in (self.chooser.box, *(self.sliders[name] for name in MAIN), self.presets, self.expression):
            widget.setEnabled(count > 0)
        for box in (self.speakers, self.styles):
            box.setEnabled(count > 0 and box.count() > 0)
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

    def _choice(self, name: str, tip_text: str) -> QComboBox:
        box = ChoiceBox()
        box.setAccessibleName(name)
        box.setToolTip(tip_text)
        box.setMinimumContentsLength(8)
        box.setPlaceholderText("…")
        return box

    def _assist(self) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText(localized("アシストテキスト（例: とても嬉しい！）", "Assist text, for example 「とても嬉しい！」"))
        field.setAccessibleName(localized("アシストテキスト", "Assist text"))
        field.setToolTip(localized("読み上げずに、この文の雰囲気だけを話し方に反映します。", "Not spoken; its mood colours the speech."))
        field.setClearButtonEnabled(True)
        for button in field.findChildren(QToolButton):
            button.setAccessibleName(localized("アシストテキストを消去", "Clear the assist text"))
            button.setToolTip(button.accessibleName())
        return field

    def _fill(self, box: QComboBox, items: Sequence[tuple[str, str]]) -> None:
        self._showing = True
        box.clear()
        for label, name in items:
            box.addItem(label, name)
        self._showing = False

    def _build(self) -> None:
        self._choices = QFormLayout()
        self._choices.setHorizontalSpacing(8)
        self._choices.setVerticalSpacing(6)
        self._choices.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._choices.addRow(localized("声", "Voice"), self.chooser)
        self._choices.addRow(localized("話者", "Speaker"), self.speakers)
        self._choices.addRow(localized("スタイル", "Style"), self.styles)
        self._choices.setRowVisible(self.speakers, False)
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
        fields = [self._choices.labelForField(box) for box in (self.chooser, self.styles, self.speakers)]
        labels = [*(slider.label for slider in self.sliders.values()), self.seed.label, self.presets.label, self.pauses.title, *fields]
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
        self.styles.currentIndexChanged.connect(self._on_style)
        self.speakers.currentIndexChanged.connect(self._on_speaker)
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

    @Slot()
    def _on_style(self) -> None:
        self._emit_change("style", self.styles.currentData())

    @Slot()
    def _on_speaker(self) -> None:
        self._emit_change("speaker", self.speakers.currentData())
