"""Small dialogs about a voice: its address, the BERT that it lacks, and blends of its speakers."""

from PySide6.QtCore import Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialogButtonBox, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.core.sound.voice_traits import SpeakerBlend
from app.ui.voices.catalog_voice import CatalogVoice, describe_bert_need
from app.ui.web_links import find_address_error, parse_address
from app.ui.widgets.controls import DIALOG_MARGINS, ChoiceBox, PlainLabel, create_button, create_close_button, describe_control, fill_box
from app.ui.widgets.dialogs import ClosableDialog
from app.ui.widgets.parameter_slider import ParameterSlider
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_DOWNLOAD_MB, STANDARD_LICENCE, STANDARD_LICENCE_JA
from app.voices.voice_labels import describe_speaker, format_usual_speaker


class MissingBertDialog(ClosableDialog):
    """Asks how to get the missing BERT.

    Args:
        bert: id of the missing BERT; only the standard one can be downloaded.
        may_force: another BERT is installed, with which the voice would speak with wrong intonation.

    Signals:
        download_requested(), file_requested(), force_requested(): the user's choice; none is emitted when it is put off.
    """

    download_requested = Signal()
    file_requested = Signal()
    force_requested = Signal()

    def __init__(self, parent: QWidget, name: str, bert: str, *, may_force: bool = True) -> None:
        super().__init__(parent)
        common = bert == SBV2_BERT_ID
        self.setWindowTitle(localize("BERT をダウンロード", "Download BERT") if common else localize("BERT を追加", "Add BERT"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(480)
        lead = localize(f"「{name}」を使うには BERT モデルが必要です。", f"“{name}” requires a BERT model.")
        self.download = self._create_choice(
            localize(f"ダウンロード（{STANDARD_DOWNLOAD_MB} MB）", f"Download ({STANDARD_DOWNLOAD_MB} MB)"), self.download_requested
        )
        self.download.setObjectName("primary")
        licence = localize(f"ライセンス: {STANDARD_LICENCE_JA}", f"Licence: {STANDARD_LICENCE}")
        licence_label = PlainLabel(licence, "muted", wraps=True)
        self.file = self._create_choice(localize("ファイルから追加…", "Add from file…"), self.file_requested)
        self.file.setObjectName("" if common else "primary")
        self.force = self._create_choice(
            localize("別の BERT で代用する（抑揚が不自然になります）", "Use another BERT for now (intonation will be off)"),
            self.force_requested,
        )
        self.later = create_button(localize("あとで", "Later"), localize("あとで", "Later"), self.reject)
        labels = (PlainLabel(lead, "heading", wraps=True), PlainLabel(describe_bert_need(bert), wraps=True))
        choices = (self.download, licence_label, self.file, self.force, self.later)
        self._column = fill_box(QVBoxLayout(self), *labels, 4, *choices, spacing=8, margins=DIALOG_MARGINS)
        self.download.setVisible(common)
        licence_label.setVisible(common)
        self.force.setVisible(may_force)

    def showEvent(self, event: QShowEvent) -> None:
        """Set the height that the texts need at this width."""
        super().showEvent(event)
        # Qt computes the size of a dialog without the wrapping of its labels, and would cut the texts off.
        self.setMinimumHeight(self._column.totalHeightForWidth(self.width()))

    def _create_choice(self, text: str, choice: SignalInstance) -> QPushButton:
        def accept_choice() -> None:
            self.accept()
            choice.emit()

        return create_button(text, text, accept_choice)


class VoiceAddressDialog(ClosableDialog):
    """A dialog with one field for a URL or a UUID.

    Signals:
        url_given(str), uuid_given(str): what was typed.
    """

    url_given = Signal(str)
    uuid_given = Signal(str)

    def __init__(self, parent: QWidget, address: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("URL・AivisHub から追加", "Add from URL or AivisHub"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(600)
        explanation = QLabel(
            localize(
                "声のファイルの URL、または AivisHub の音声合成モデルの URL か UUID を入力してください。",
                "Enter the URL of a voice file, or the URL or UUID of a model on AivisHub.",
            )
        )
        explanation.setWordWrap(True)
        tip = localize("Enter で追加します。", "Press Enter to add.")
        self.field = describe_control(QLineEdit(), localize("URL または UUID", "URL or UUID"), tip)
        self.field.setPlaceholderText("https://…")
        self.field.textChanged.connect(self._validate_address)
        self.reason = PlainLabel("", "error", wraps=True)
        self.buttons = QDialogButtonBox()
        self.add = self.buttons.addButton(localize("追加", "Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.add.setObjectName("primary")
        self.add.setToolTip(localize("声をダウンロードして追加します。", "Downloads and adds the voice."))
        cancel = self.buttons.addButton(localize("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localize("追加せずに閉じます。", "Closes without adding anything."))
        self.buttons.accepted.connect(self._submit_address)
        self.buttons.rejected.connect(self.reject)
        buttons = (self.buttons, Qt.AlignmentFlag.AlignRight)
        self._column = fill_box(QVBoxLayout(self), explanation, self.field, self.reason, buttons, spacing=10, margins=DIALOG_MARGINS)
        self._validate_address("")
        self.field.setText(address)

    @Slot(str)
    def _validate_address(self, text: str) -> None:
        usable = any(parse_address(text))
        # Before the name of a server is typed, a reason would only be in the way.
        error = find_address_error(text) if not usable and text.partition("://")[2].strip() else None
        self.add.setEnabled(usable)
        self.reason.setText(f"{error.message} {error.hint}" if error else "")
        self.reason.setVisible(error is not None)
        self._column.activate()
        # Qt's layout forgets the second line of a wrapped label, which would be cut off.
        self.setMinimumHeight(self._column.totalHeightForWidth(self.width()))

    @Slot()
    def _submit_address(self) -> None:
        url, uuid = parse_address(self.field.text())
        self.accept()
        if uuid:
            self.uuid_given.emit(uuid)
        elif url:
            self.url_given.emit(url)


BLEND_STEPS, MIDDLE_STEP, MOST_NAME_LETTERS = 20, 10, 80  # a step is 5 %


class SpeakerBlendDialog(ClosableDialog):
    """Has two speakers, a slider between them and a name; saving under the name of a blend replaces it.

    Signals:
        save_requested(SpeakerBlend): save it, and use or play it.  removal_requested(str): remove the blend of this name.
        blend_changed(): the user chose another blend, or asks to hear it.

    Args:
        first: the speaker to begin with, by name; any other name is the first one.
        is_for_use: somebody is cast with what is saved.
    """

    save_requested = Signal(object)
    removal_requested = Signal(str)
    blend_changed = Signal()

    def __init__(self, parent: QWidget, voice: CatalogVoice, *, first: str = "", is_for_use: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("話者を混ぜる", "Blend two speakers"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(480)
        row = next((row for row, (_, name) in enumerate(voice.speakers) if name == first), 0)
        self.first = self._create_speaker_box(voice, localize("1 人目", "First speaker"), row)
        self.second = self._create_speaker_box(voice, localize("2 人目", "Second speaker"), 0 if row else 1)
        tip = localize("動かしているあいだ、その割合の声が聞こえます。", "Plays the blend, as moving the slider does.")
        self.listen = create_button(localize("▶ 聞いてみる", "▶ Listen"), tip, self.blend_changed.emit)
        self.listen.setAccessibleName(localize("聞いてみる", "Listen"))
        self.share = ParameterSlider(BLEND_STEPS, MIDDLE_STEP)
        self.share.setValue(MIDDLE_STEP)
        tip = localize("右ほど 2 人目に近づきます。", "Further right is nearer to the second speaker.")
        describe_control(self.share, localize("割合", "Share"), tip)
        self.share.reset_requested.connect(lambda: self.share.setValue(MIDDLE_STEP))
        self.percent = PlainLabel()
        tip = localize("同じ名前で保存すると、置き換えます。", "Saving under the same name replaces the blend.")
        self.name = describe_control(QLineEdit(), localize("スタイルの名前", "Name of the style"), tip)
        self.name.setMaxLength(MOST_NAME_LETTERS)
        tip = localize("この声のスタイルとして保存します。", "Saves it as a style of the voice.")
        name = localize("保存して使う", "Save and use") if is_for_use else localize("保存して再生", "Save and play")
        self.save = create_button(name, tip, self._request_save, style="primary")
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
        for name in voice.manifest.blends:
            self.saved.addItem(name, name)
        for widget in (self.saved, self.remove):
            widget.setEnabled(self.saved.count() > 0)
        self._update_shares()

    def show_error(self, error: AppError | None) -> None:
        """Show why a blend could not be saved or removed."""
        self.failure.setText(f"{error.message} {error.hint}".strip() if error is not None else "")
        self.failure.setVisible(error is not None)
        self._update_shares()

    def _create_speaker_box(self, voice: CatalogVoice, name: str, row: int) -> ChoiceBox:
        box = describe_control(ChoiceBox(), name)
        for _, speaker in voice.speakers:
            box.addItem(describe_speaker(speaker), speaker)
        box.setCurrentIndex(row)
        return box

    def _build_layout(self) -> None:
        lead = localize(
            "2 人の話者の間の声を作ります。スライダーを動かすと聞こえます。高さも間になります。",
            "Makes a voice between two speakers, heard as you move the slider; its pitch lies between theirs, too.",
        )
        self.percent.setMinimumWidth(self.percent.fontMetrics().horizontalAdvance("100 : 100"))
        self.percent.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        share = fill_box(QHBoxLayout(), (self.share, 1), self.percent, self.listen, spacing=8)
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
            box.activated.connect(self._report_blend)
        self.share.valueChanged.connect(self._propose_name)
        self.share.valueChanged.connect(self._report_blend)
        self.name.textChanged.connect(self._update_shares)

    @Slot()
    def _propose_name(self) -> None:
        """Name the blend by what it is made of, unless the user has named it."""
        if not self.name.isModified():
            # Without the shares: who saves again after moving the slider means the same blend.
            self.name.setText(localize("＋", " + ").join(format_usual_speaker(box.currentData()) for box in (self.first, self.second)))
        self._update_shares()

    @Slot()
    def _update_shares(self) -> None:
        self.percent.setText(f"{100 - self._percent} : {self._percent}")
        self.share.setAccessibleDescription(self.percent.text())
        self.save.setEnabled(bool(self.name.text().strip()) and self.blend is not None)
        self.listen.setEnabled(self.blend is not None)

    @property
    def blend(self) -> SpeakerBlend | None:
        """Return the blend that is chosen; None for somebody with themselves."""
        first, second = self.first.currentData(), self.second.currentData()
        return SpeakerBlend(self.name.text(), first, second, self._percent / 100) if first != second else None

    @property
    def is_moving(self) -> bool:
        """Return whether the user holds the slider."""
        return self.share.isSliderDown()

    @property
    def _percent(self) -> int:
        return round(100 * self.share.value() / BLEND_STEPS)

    @Slot()
    def _report_blend(self, *_place: object) -> None:
        self.blend_changed.emit()

    @Slot()
    def _request_save(self) -> None:
        self.show_error(None)
        # Until the voice is back in place; `show_blends` or `show_error` follows.
        self.save.setEnabled(False)
        self.save_requested.emit(self.blend)
