"""The dialog that chooses voices for the lines of missing ones."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QIcon
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.projects.project_document import MissingVoice
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.containers import wrap_in_scroll_area
from app.ui.widgets.controls import DIALOG_MARGINS, ChoiceBox, ElidedLabel, PlainLabel, create_button, fill_box
from app.ui.widgets.dialogs import ButtonRole, ClosableDialog, DialogButton, show_question
from app.ui.widgets.painting import create_voice_icon
from app.ui.widgets.voice_listening import VoicePick, add_listening

PICTURE, SIZE, MOST_ROWS = 20, QSize(620, 280), 100


class MissingVoicesDialog(ClosableDialog):
    """A row for each voice; what is left as it is keeps waiting for its voice.

    Signals:
        introduction_requested(VoicePick): one of the voices that are here is to be heard.
    """

    introduction_requested = Signal(object)

    def __init__(self, parent: QWidget, missing: Sequence[MissingVoice], voices: Sequence[CatalogVoice]) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("声を割り当てる", "Assign voices"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(SIZE)
        # boxes, pages: choices, and buttons to the pages of voices, by id of the missing voice.
        self.boxes: dict[str, ChoiceBox] = {}
        self.pages: dict[str, QPushButton] = {}
        rows = QWidget()
        self._grid = QGridLayout(rows)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        pictures = [create_voice_icon(item.name, item.icon, PICTURE, self) for item in voices]
        choices = [(picture, item.name, item.id) for picture, item in zip(pictures, voices, strict=True)]
        for row, voice in enumerate(missing[:MOST_ROWS]):
            self._add_row(row, voice, choices)
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        text = localize(
            "見つからない声の行を、別の声に割り当てます。スタイルや話速などの設定は変わりません。1 回の操作で元に戻せます。",
            "Assigns the lines of missing voices to other voices. Their other settings stay; a single undo reverts it.",
        )
        lead = PlainLabel(text, wraps=True)
        tip = localize("選んだ声を割り当てます。", "Assigns the selected voices.")
        self.assign = create_button(localize("割り当てる", "Assign"), tip, self.accept, style="primary")
        self.assign.setAutoDefault(True)
        self.assign.setDefault(True)
        tip = localize("何も変更しません。（Esc）", "Changes nothing. (Esc)")
        cancel = create_button(localize("キャンセル", "Cancel"), tip, self.reject)
        buttons = fill_box(QHBoxLayout(), None, self.assign, cancel)
        fill_box(QVBoxLayout(self), lead, (wrap_in_scroll_area(rows), 1), buttons, spacing=12, margins=DIALOG_MARGINS)

    @property
    def replacements(self) -> dict[str, str]:
        """Return the ids of the voices to be used, by id of the missing voice."""
        return {voice: box.currentData() for voice, box in self.boxes.items() if box.currentData() is not None}

    def _add_row(self, row: int, voice: MissingVoice, choices: Sequence[tuple[QIcon, str, str]]) -> None:
        name = ElidedLabel(localize(f"{voice.name}（{voice.lines:,} 行）", f"{voice.name} (lines: {voice.lines:,})"))
        box = self.boxes[voice.id] = ChoiceBox()
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        box.setMinimumContentsLength(12)
        box.setIconSize(QSize(PICTURE, PICTURE))
        box.setAccessibleName(localize(f"「{voice.name}」に割り当てる声", f"Voice for “{voice.name}”"))
        box.setToolTip(localize("この声の行をすべて話す声。", "The voice that will speak all of these lines."))
        rows = add_listening(box, lambda voice_id: None if voice_id is None else VoicePick(voice_id))
        rows.requested.connect(self.introduction_requested)
        box.addItem(localize("そのままにする", "Leave as it is"), None)
        for picture, title, voice_id in choices:
            box.addItem(picture, title, voice_id)
        box.setCurrentIndex(max(0, box.findData(voice.likely_id)) if voice.likely_id else 0)
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(box, row, 1)
        if voice.address:
            tip = localize("配布ページをブラウザーで開きます。", "Opens its page in the browser.")
            page = create_button(localize("配布ページ…", "Get it…"), tip, lambda: self._ask_to_open(voice.address))
            page.setAccessibleName(localize(f"「{voice.name}」の配布ページ", f"Where to get “{voice.name}”"))
            self.pages[voice.id] = page
            self._grid.addWidget(page, row, 2)

    def _ask_to_open(self, address: str) -> None:
        """Ask before an address is opened, for it comes with the project, which anybody may have written."""
        text = localize("このページをブラウザーで開きますか？", "Open this page in the browser?")
        hint = localize(
            f"{address}\n\nアドレスはプロジェクトに書かれていたものです。", f"{address}\n\nThe address comes from the project file."
        )
        opens = DialogButton(localize("開く", "Open"), ButtonRole.AcceptRole, lambda: QDesktopServices.openUrl(QUrl(address)))
        show_question(self, localize("配布ページ", "Download page"), (text, hint), [opens])
