"""Blends two speakers of a voice into a style that lines can use, and removes such styles."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.install.speaker_blends import SpeakerBlend, list_blends
from app.ui.display_names import format_speaker
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.controls import DIALOG_MARGINS, ChoiceBox, PlainLabel, create_button, create_close_button, describe_control, fill_box
from app.ui.widgets.parameter_slider import ParameterSlider

STEPS, MIDDLE, MOST_LETTERS = 20, 10, 80  # a step is 5 %


class SpeakerBlendDialog(QDialog):
    """Has two speakers, a slider between them and a name; saving under the name of a blend replaces it.

    Signals:
        save_requested(SpeakerBlend): save and play it.  removal_requested(str): remove the blend of this name.
    """

    save_requested = Signal(object)
    removal_requested = Signal(str)

    def __init__(self, parent: QWidget, voice: CatalogVoice) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("話者を混ぜる", "Blend two speakers"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(480)
        self.first = self._create_speaker_box(voice, localize("1 人目", "First speaker"), 0)
        self.second = self._create_speaker_box(voice, localize("2 人目", "Second speaker"), 1)
        self.share = ParameterSlider(STEPS, MIDDLE)
        self.share.setValue(MIDDLE)
        tip = localize("右ほど 2 人目に近づきます。", "Further right is nearer to the second speaker.")
        describe_control(self.share, localize("割合", "Share"), tip)
        self.share.reset_requested.connect(lambda: self.share.setValue(MIDDLE))
        self.percent = PlainLabel()
        tip = localize("同じ名前で保存すると、置き換えます。", "Saving under the same name replaces the blend.")
        self.name = describe_control(QLineEdit(), localize("スタイルの名前", "Name of the style"), tip)
        self.name.setMaxLength(MOST_LETTERS)
        tip = localize("スタイルとして保存し、短い文を再生します。", "Saves it as a style and plays a short sentence.")
        self.save = create_button(localize("保存して再生", "Save and play"), tip, self._request_save, style="primary")
        # Enter in the field of the name saves the blend.
        self.save.setAutoDefault(True)
        self.saved = describe_control(ChoiceBox(), localize("保存したブレンド", "Saved blends"))
        tip = localize("選んだブレンドを削除します。", "Deletes the chosen blend.")
        self.remove = create_button(localize("削除", "Delete"), tip, lambda: self.removal_requested.emit(self.saved.currentData()))
        self.failure = PlainLabel("", "error", wraps=True)
        self._build_layout()
        self._connect_widgets()
        self.show_blends(voice)
        self.show_error(None)
        self._propose_name()

    def show_blends(self, voice: CatalogVoice) -> None:
        """Offer the saved blends of the voice for removal, and take the next request."""
        self.saved.clear()
        for name in list_blends(voice.manifest):
            self.saved.addItem(name, name)
        for widget in (self.saved, self.remove):
            widget.setEnabled(self.saved.count() > 0)
        self._update_shares()

    def show_error(self, error: AppError | None) -> None:
        """Show why a blend could not be saved or removed."""
        self.failure.setText(f"{error.message} {error.hint}".strip() if error is not None else "")
        self.failure.setVisible(error is not None)
        self._update_shares()

    def _create_speaker_box(self, voice: CatalogVoice, name: str, row: int) -> QComboBox:
        box = describe_control(ChoiceBox(), name)
        for _, speaker in voice.speakers:
            box.addItem(format_speaker(speaker), speaker)
        box.setCurrentIndex(row)
        return box

    def _build_layout(self) -> None:
        lead = localize(
            "2 人の話者の間の声を、スタイルとして保存します。高さも間になります。",
            "Saves a voice between two speakers as a style; its pitch lies between theirs, too.",
        )
        self.percent.setMinimumWidth(self.percent.fontMetrics().horizontalAdvance("100 : 100"))
        self.percent.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        share = fill_box(QHBoxLayout(), (self.share, 1), self.percent, spacing=8)
        saved = fill_box(QHBoxLayout(), (self.saved, 1), self.remove, spacing=8)
        form = QFormLayout(horizontalSpacing=12, verticalSpacing=8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.first.accessibleName(), self.first)
        form.addRow(self.second.accessibleName(), self.second)
        form.addRow(QLabel(self.share.accessibleName(), alignment=Qt.AlignmentFlag.AlignVCenter), share)
        form.addRow(self.name.accessibleName(), self.name)
        form.addRow(QLabel(self.saved.accessibleName(), alignment=Qt.AlignmentFlag.AlignVCenter), saved)
        buttons = fill_box(QHBoxLayout(), None, self.save, create_close_button(self))
        fill_box(QVBoxLayout(self), PlainLabel(lead, wraps=True), form, self.failure, buttons, spacing=12, margins=DIALOG_MARGINS)

    def _connect_widgets(self) -> None:
        for box in (self.first, self.second):
            box.currentIndexChanged.connect(self._propose_name)
        self.share.valueChanged.connect(self._propose_name)
        self.name.textChanged.connect(self._update_shares)

    @Slot()
    def _propose_name(self) -> None:
        """Name the blend by what it is made of, unless the user has named it."""
        if not self.name.isModified():
            # Without the shares: who saves again after moving the slider means the same blend.
            self.name.setText(localize("＋", " + ").join((self.first.currentText(), self.second.currentText())))
        self._update_shares()

    @Slot()
    def _update_shares(self) -> None:
        self.percent.setText(f"{100 - self._percent} : {self._percent}")
        self.share.setAccessibleDescription(self.percent.text())
        self.save.setEnabled(bool(self.name.text().strip()) and self.first.currentIndex() != self.second.currentIndex())

    @property
    def _percent(self) -> int:
        return round(100 * self.share.value() / STEPS)

    @Slot()
    def _request_save(self) -> None:
        self.show_error(None)
        # Until the voice is back in place; `show_blends` or `show_error` follows.
        self.save.setEnabled(False)
        blend = SpeakerBlend(self.name.text(), self.first.currentData(), self.second.currentData(), self._percent / 100)
        self.save_requested.emit(blend)
