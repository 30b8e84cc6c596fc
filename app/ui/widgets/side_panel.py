"""The column at the right: the voice and everything that shapes its sound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.core.limits import BOUNDS
from app.language import say
from app.settings import Settings
from app.ui.jobs import OpenedVoice
from app.ui.names import style_name, tip
from app.ui.widgets.section import Section
from app.ui.widgets.seed_field import SeedField
from app.ui.widgets.slider_field import SliderField

MAIN = ("style_weight", "speed")
EXPRESSION = ("sdp_ratio", "noise", "noise_w", "bert_weight", "volume")
WIDTH = 360


class SidePanel(QScrollArea):
    """Voice card, style, sliders and seed.

    Attributes:
        sliders: by parameter name.

    Signals:
        changed(): anything that shapes the sound, or the fold of the expression group.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._wanted_names: dict[QComboBox, str] = {}
        self.sliders = {name: SliderField(BOUNDS[name], tip(name)) for name in (*MAIN, *EXPRESSION)}
        self.styles = self._choice(say("スタイル", "Style"), say("声の調子。", "The mood of the voice."))
        self.speakers = self._choice(say("話者", "Speaker"), say("誰が話すか。", "Who speaks."))
        self.seed = SeedField()
        self.expression = Section(
            say("表現", "Expression"), say("抑揚やゆらぎを細かく決めます。", "Finer control over intonation and variation.")
        )
        for name in EXPRESSION:
            self.expression.content.addWidget(self.sliders[name])
        self.expression.content.addWidget(self.seed)
        self._build()
        self._align()
        for slider in self.sliders.values():
            slider.value_changed.connect(self.changed)
        self.seed.value_changed.connect(self.changed)
        self.expression.toggled.connect(self.changed)
        for box in (self.styles, self.speakers):
            box.currentIndexChanged.connect(self.changed)

    def show_voice(self, voice: OpenedVoice) -> None:
        """Shows a voice; a style or speaker of the same name as before stays chosen."""
        self.name.setText(voice.name)
        self.about.setText(about(voice))
        self.about.setToolTip(f"<p>{voice.description}</p><p>{voice.licence}</p>")
        self._fill(self.styles, [(number, style_name(name), name) for number, name in voice.styles])
        self._fill(self.speakers, [(number, name, name) for number, name in voice.speakers])
        self._choices.setRowVisible(self.speakers, len(voice.speakers) > 1)

    def show_no_voice(self) -> None:
        """Shows that none could be opened."""
        self.name.setText(say("声がありません", "No voice"))

    def restore(self, settings: Settings) -> None:
        """Takes over remembered values; style and speaker are found again when the voice is there."""
        for name, slider in self.sliders.items():
            slider.set_value(getattr(settings, name))
        self.seed.set_value(settings.seed)
        self.expression.set_open(settings.expression_open)
        self._wanted_names = {self.styles: settings.style, self.speakers: settings.speaker}

    def values(self) -> dict[str, Any]:
        """Numbers by parameter name."""
        return {name: slider.value for name, slider in self.sliders.items()}

    def chosen(self, box: QComboBox) -> tuple[int, str]:
        """Id and name of the style or speaker; before a voice is there, 0 and the remembered name."""
        if box.currentIndex() < 0:
            return 0, self._wanted_names.get(box, "")
        number, name = box.currentData()
        return int(number), str(name)

    def _choice(self, name: str, tip_text: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setToolTip(tip_text)
        box.setMinimumContentsLength(8)
        box.setPlaceholderText("…")
        return box

    def _fill(self, box: QComboBox, items: Sequence[tuple[int, str, str]]) -> None:
        wanted = self.chosen(box)[1]
        box.blockSignals(True)
        box.clear()
        for number, label, name in items:
            box.addItem(label, (number, name))
        found = next((index for index, item in enumerate(items) if item[2] == wanted), 0)
        box.setCurrentIndex(found)
        box.blockSignals(False)

    def _build(self) -> None:
        side = QWidget()
        side.setObjectName("side")
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(6)
        column.addWidget(self._card())
        self._choices = QFormLayout()
        self._choices.setSpacing(8)
        self._choices.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._choices.addRow(say("話者", "Speaker"), self.speakers)
        self._choices.addRow(say("スタイル", "Style"), self.styles)
        self._choices.setRowVisible(self.speakers, False)
        column.addLayout(self._choices)
        for name in MAIN:
            column.addWidget(self.sliders[name])
        column.addWidget(self.expression)
        column.addStretch(1)
        self.setWidget(side)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _card(self) -> QFrame:
        card = QFrame()
        card.setObjectName("card")
        self.name = QLabel(say("声を準備しています…", "Preparing the voice…"))
        self.name.setObjectName("heading")
        self.about = QLabel()
        self.about.setObjectName("muted")
        for label in (self.name, self.about):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        lines = QVBoxLayout(card)
        lines.setContentsMargins(12, 10, 12, 10)
        lines.setSpacing(3)
        lines.addWidget(self.name)
        lines.addWidget(self.about)
        return card

    def _align(self) -> None:
        """All names take the width of the longest, so that sliders stand below each other."""
        fields = [self._choices.labelForField(box) for box in (self.styles, self.speakers)]
        labels = [*(slider.label for slider in self.sliders.values()), self.seed.label, *fields]
        width = max(label.sizeHint().width() for label in labels)
        for label in labels:
            label.setMinimumWidth(width)
        self.seed.number.setFixedWidth(self.seed.number.sizeHint().width() + 8)

    @Slot()
    def reset(self) -> None:
        """All sliders back to their defaults."""
        for slider in self.sliders.values():
            slider.reset()


def about(voice: OpenedVoice) -> str:
    """An honest line about a voice."""
    lines = []
    if voice.starter:
        lines.append(
            say(
                "Open JTalk の HTS 音声を手本にした小さな声です。SBV2 で学習した声ほど自然ではありません。",
                "A small student of Open JTalk's HTS voices, not a trained SBV2 model: less natural than those.",
            )
        )
    elif voice.description:
        lines.append(voice.description)
    if voice.opaque:
        lines.append(say("一つのグラフのまま使うため、文ごとに音が出ます。", "It is one graph, so sound comes sentence by sentence."))
    return "\n".join(lines)
