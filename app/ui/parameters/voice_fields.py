"""Which voice, which of its speakers, which of their styles: the first choices for a line."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from app.core.script import LineSettings
from app.language import localized
from app.ui.labels import style_name
from app.ui.voices.chooser import VoiceChooser
from app.ui.widgets.choice_box import ChoiceBox


class VoiceFields(QFormLayout):
    """Three boxes with their names; that of the speakers is seen only where there are several.

    Attributes:
        chooser, speakers, styles: the boxes.

    Signals:
        edited(str, object): the user gave the setting of this name this value; the chooser emits for itself.
    """

    edited = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self._showing = False
        self.chooser = VoiceChooser()
        self.styles = _box(localized("スタイル", "Style"), localized("声のスタイル（感情や話し方）。", "The speaking style of the voice."))
        self.speakers = _box(localized("話者", "Speaker"), localized("この声に含まれる話者。", "The speaker within this voice."))
        self.setHorizontalSpacing(8)
        self.setVerticalSpacing(6)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.addRow(localized("声", "Voice"), self.chooser)
        self.addRow(localized("話者", "Speaker"), self.speakers)
        self.addRow(localized("スタイル", "Style"), self.styles)
        self.setRowVisible(self.speakers, False)
        self.styles.currentIndexChanged.connect(self._on_style)
        self.speakers.currentIndexChanged.connect(self._on_speaker)

    @property
    def labels(self) -> list[QWidget]:
        """The names of the boxes."""
        return [self.labelForField(box) for box in (self.chooser, self.styles, self.speakers)]

    @property
    def speaker(self) -> str:
        """The chosen speaker of a voice that has several, else empty."""
        return self.speakers.currentText() if self.speakers.count() > 1 else ""

    def offer(self, speakers: Sequence[str], styles: Sequence[str]) -> None:
        """Offers what a voice has."""
        self._showing = True
        for box, items in (
            (self.styles, [(style_name(name), name) for name in styles]),
            (self.speakers, [(name, name) for name in speakers]),
        ):
            box.clear()
            for label, name in items:
                box.addItem(label, name)
        self._showing = False
        self.setRowVisible(self.speakers, len(speakers) > 1)

    def show_settings(self, settings: LineSettings, mixed: Collection[str] = ()) -> None:
        """Shows what a line has; nothing where the selected ones differ."""
        self._showing = True
        for box, name in ((self.styles, "style"), (self.speakers, "speaker")):
            box.setCurrentIndex(max(0, box.findData(getattr(settings, name))) if box.count() and name not in mixed else -1)
            box.setPlaceholderText(localized("（複数）", "(mixed)"))
        if not self.styles.count():
            self.styles.setPlaceholderText(style_name(settings.style) or "–")  # what the line remembers while its voice is not here
        self._showing = False

    def set_enabled(self, there_is_a_line: bool) -> None:
        """Voices can be managed without any line."""
        self.chooser.box.setEnabled(there_is_a_line)
        for box in (self.speakers, self.styles):
            box.setEnabled(there_is_a_line and box.count() > 0)

    @Slot()
    def _on_style(self) -> None:
        if not self._showing:
            self.edited.emit("style", self.styles.currentData())

    @Slot()
    def _on_speaker(self) -> None:
        if not self._showing:
            self.edited.emit("speaker", self.speakers.currentData())


def _box(name: str, tip: str) -> QComboBox:
    box = ChoiceBox()
    box.setAccessibleName(name)
    box.setToolTip(tip)
    box.setMinimumContentsLength(8)
    box.setPlaceholderText("…")
    return box
