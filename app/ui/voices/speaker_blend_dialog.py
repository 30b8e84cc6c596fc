"""Blends two speakers of a voice into a style that lines can use, and removes such styles."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.install.speaker_blends import SpeakerBlend, list_blends
from app.ui.display_names import format_speaker
from app.ui.plain_text import PlainLabel
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.choice_box import ChoiceBox
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
        self.share.setAccessibleName(localize("割合", "Share"))
        self.share.setToolTip(localize("右ほど 2 人目に近づきます。", "Further right is nearer to the second speaker."))
        self.share.reset_requested.connect(lambda: self.share.setValue(MIDDLE))
        self.percent = PlainLabel()
        self.name = QLineEdit()
        self.name.setMaxLength(MOST_LETTERS)
        self.name.setAccessibleName(localize("スタイルの名前", "Name of the style"))
        self.name.setToolTip(localize("同じ名前で保存すると、置き換えます。", "Saving under the same name replaces the blend."))
        self.save = QPushButton(localize("保存して再生", "Save and play"))
        self.save.setObjectName("primary")
        self.save.setToolTip(localize("スタイルとして保存し、短い文を再生します。", "Saves it as a style and plays a short sentence."))
        self.save.clicked.connect(self._request_save)
        self.saved = ChoiceBox()
        self.saved.setAccessibleName(localize("保存したブレンド", "Saved blends"))
        self.remove = QPushButton(localize("削除", "Delete"))
        self.remove.setAutoDefault(False)
        self.remove.setToolTip(localize("選んだブレンドを削除します。", "Deletes the chosen blend."))
        self.remove.clicked.connect(lambda: self.removal_requested.emit(self.saved.currentData()))
        self.failure = PlainLabel()
        self.failure.setObjectName("error")
        self.failure.setWordWrap(True)
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
        box = ChoiceBox()
        box.setAccessibleName(name)
        for _, speaker in voice.speakers:
            box.addItem(format_speaker(speaker), speaker)
        box.setCurrentIndex(row)
        return box

    def _build_layout(self) -> None:
        lead = PlainLabel(
            localize(
                "2 人の話者の間の声を、スタイルとして保存します。高さも間になります。",
                "Saves a voice between two speakers as a style; its pitch lies between theirs, too.",
            )
        )
        lead.setWordWrap(True)
        self.percent.setMinimumWidth(self.percent.fontMetrics().horizontalAdvance("100 : 100"))
        self.percent.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        share, saved, buttons = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        share.addWidget(self.share, 1)
        share.addWidget(self.percent)
        share.setSpacing(8)
        saved.setSpacing(8)
        saved.addWidget(self.saved, 1)
        saved.addWidget(self.remove)
        close = QPushButton(localize("閉じる", "Close"))
        close.setToolTip(localize("このウィンドウを閉じます。", "Closes this window."))
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        buttons.addStretch(1)
        buttons.addWidget(self.save)
        buttons.addWidget(close)
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.first.accessibleName(), self.first)
        form.addRow(self.second.accessibleName(), self.second)
        form.addRow(_create_row_label(self.share.accessibleName()), share)
        form.addRow(self.name.accessibleName(), self.name)
        form.addRow(_create_row_label(self.saved.accessibleName()), saved)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(12)
        column.addWidget(lead)
        column.addLayout(form)
        column.addWidget(self.failure)
        column.addLayout(buttons)

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


def _create_row_label(text: str) -> QLabel:
    label = QLabel(text)
    label.setAlignment(Qt.AlignmentFlag.AlignVCenter)
    return label
