"""Fields for the voice of a line, its speaker and its style."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from app.common.language import localize
from app.core.script import LineSettings
from app.ui.display_names import format_style
from app.ui.voices.voice_chooser import VoiceChooser
from app.ui.widgets.choice_box import ChoiceBox


class VoiceFields(QFormLayout):
    """A form of three combo boxes; that of the speakers is visible only where the voice has several.

    Attributes:
        chooser, speakers, styles: The combo boxes.

    Signals:
        edited(str, object): The user changed the setting of this name to this value; the chooser has signals of its own.
    """

    edited = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self._showing = False
        self.chooser = VoiceChooser()
        self.styles = _create_combo_box(
            localize("スタイル", "Style"), localize("声のスタイル（感情や話し方）。", "The speaking style of the voice.")
        )
        self.speakers = _create_combo_box(localize("話者", "Speaker"), localize("この声に含まれる話者。", "The speaker within this voice."))
        self.setHorizontalSpacing(8)
        self.setVerticalSpacing(6)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.addRow(localize("声", "Voice"), self.chooser)
        self.addRow(localize("話者", "Speaker"), self.speakers)
        self.addRow(localize("スタイル", "Style"), self.styles)
        self.setRowVisible(self.speakers, False)
        self.styles.currentIndexChanged.connect(self._emit_style)
        self.speakers.currentIndexChanged.connect(self._emit_speaker)

    @property
    def labels(self) -> list[QWidget]:
        """Return the labels of the combo boxes."""
        return [self.labelForField(box) for box in (self.chooser, self.styles, self.speakers)]

    @property
    def speaker(self) -> str:
        """Return the chosen speaker of a voice that has several, else an empty string."""
        return self.speakers.currentText() if self.speakers.count() > 1 else ""

    def offer_choices(self, speakers: Sequence[str], styles: Sequence[str]) -> None:
        """Offer these speakers and styles."""
        # Refilling a box changes its index, which must not count as an edit of the line.
        self._showing = True
        for box, items in (
            (self.styles, [(format_style(name), name) for name in styles]),
            (self.speakers, [(name, name) for name in speakers]),
        ):
            box.clear()
            for label, name in items:
                box.addItem(label, name)
        self._showing = False
        self.setRowVisible(self.speakers, len(speakers) > 1)

    def show_settings(self, settings: LineSettings, mixed: Collection[str] = ()) -> None:
        """Show a line's speaker and style; nothing where the selected lines differ."""
        self._showing = True
        for box, name in ((self.styles, "style"), (self.speakers, "speaker")):
            box.setCurrentIndex(max(0, box.findData(getattr(settings, name))) if box.count() and name not in mixed else -1)
            box.setPlaceholderText(localize("（複数）", "(mixed)"))
        if not self.styles.count():
            # A line keeps its style while its voice is missing, so the style is still shown.
            self.styles.setPlaceholderText(format_style(settings.style) or "–")
        self._showing = False

    def set_enabled(self, has_line: bool) -> None:
        """Enable the boxes where there is a line."""
        # The chooser's box alone: its button manages voices, which needs no line.
        self.chooser.box.setEnabled(has_line)
        for box in (self.speakers, self.styles):
            box.setEnabled(has_line and box.count() > 0)

    @Slot()
    def _emit_style(self) -> None:
        if not self._showing:
            self.edited.emit("style", self.styles.currentData())

    @Slot()
    def _emit_speaker(self) -> None:
        if not self._showing:
            self.edited.emit("speaker", self.speakers.currentData())


def _create_combo_box(name: str, tip: str) -> QComboBox:
    box = ChoiceBox()
    box.setAccessibleName(name)
    box.setToolTip(tip)
    box.setMinimumContentsLength(8)
    box.setPlaceholderText("…")
    return box
