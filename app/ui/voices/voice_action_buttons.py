"""Buttons for everything the user can do with a voice, in as many columns as fit."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from app.common.language import localize
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.missing_bert_labels import format_bert_action
from app.voices.required_bert import SBV2_BERT_ID

# Three buttons side by side at most, with 6 pixels between them.
MOST_ABREAST, GAP = 3, 6


class VoiceActionButtons(QWidget):
    """Arranges as many buttons side by side as fit, three at most.

    Attributes:
        buttons: the buttons by action.

    Signals:
        action_requested(str): an action, see `VoiceLibraryDialog`.
    """

    action_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._offered: list[QPushButton] = []
        self._abreast = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        self.buttons = {action: self._create_button(action, name, tip) for action, name, tip in list_voice_actions()}
        for action in ("use", "prepare"):  # never both
            self.buttons[action].setObjectName("primary")

    def offer_actions(self, voice: CatalogVoice | None) -> None:
        """Show the buttons that this voice allows."""
        offered = list_allowed_actions(voice)
        if voice is not None:
            self.buttons["bert"].setText(format_bert_action(voice.manifest.bert))
        self._offered = [button for action, button in self.buttons.items() if action in offered]
        for button in self.buttons.values():
            button.setVisible(button in self._offered)
        self.setVisible(bool(self._offered))
        self._arrange_buttons(self._count_fitting_columns())

    def minimumSizeHint(self) -> QSize:
        """Return the size of a single button."""
        # The layout's own minimum is the width of all buttons side by side, so the column could never become narrower.
        return QSize(self._measure_widest_button(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rearrange the buttons if another number fits side by side."""
        super().resizeEvent(event)
        if self._count_fitting_columns() != self._abreast:
            self._arrange_buttons(self._count_fitting_columns())

    def _measure_widest_button(self) -> int:
        return max((button.sizeHint().width() for button in self._offered), default=0)

    def _count_fitting_columns(self) -> int:
        return max(1, min(MOST_ABREAST, (self.width() + GAP) // (self._measure_widest_button() + GAP)))

    def _arrange_buttons(self, columns: int) -> None:
        self._abreast = columns
        for button in self.buttons.values():
            self._grid.removeWidget(button)
        for place, button in enumerate(self._offered):
            self._grid.addWidget(button, place // columns, place % columns)

    def _create_button(self, action: str, name: str, tip: str) -> QPushButton:
        button = QPushButton(name, self)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        button.clicked.connect(self._create_action_slot(action))
        return button

    def _create_action_slot(self, action: str) -> Callable[[], None]:
        return lambda: self.action_requested.emit(action)


def list_voice_actions() -> tuple[tuple[str, str, str], ...]:
    """Return the actions on voices as (key, name, tool tip)."""
    return (*_list_use_actions(), *_list_change_actions())


def _list_use_actions() -> tuple[tuple[str, str, str], ...]:
    return (
        (
            "play",
            localize("この声で再生", "Play"),
            localize(
                "選んだ行をこの声で再生します。行の設定は変わりません。",
                "Plays the selected line with this voice; the line is not changed.",
            ),
        ),
        (
            "use",
            localize("この声を使う", "Use this voice"),
            localize("選んだ行の声をこの声に変更します。", "The selected lines will use it."),
        ),
        (
            "prepare",
            localize("準備する", "Prepare"),
            localize(
                "すぐに再生できる形式に変換して保存します。元の声は変更しません。",
                "Saves a copy that starts playing at once. The original is not changed.",
            ),
        ),
        (
            "bert",
            format_bert_action(SBV2_BERT_ID),
            localize("この声に必要な BERT モデルを追加します。", "Adds the BERT model this voice requires."),
        ),
        ("licence", localize("利用規約…", "Licence…"), localize("この声の利用規約を表示します。", "Shows the licence of this voice.")),
    )


def _list_change_actions() -> tuple[tuple[str, str, str], ...]:
    return (
        (
            "update",
            localize("更新", "Update"),
            localize("AivisHub の最新バージョンに更新します。", "Updates it to the latest version on AivisHub."),
        ),
        (
            "renew",
            localize("準備し直す", "Prepare again"),
            localize(
                "以前のバージョンで追加した声でも、このバージョンの「高速」を使えるようにします。数分かかります。行の設定は変わりません。",
                "Lets a voice added by an earlier version use the Fast precision of this one. Takes minutes; lines keep their settings.",
            ),
        ),
        ("rename", localize("名前を変更…", "Rename…"), localize("表示する名前を変更します。", "Changes the displayed name.")),
        (
            "export",
            localize("書き出す…", "Export…"),
            localize("ほかの Koebako に追加できる zip ファイルに書き出します。", "Exports a zip that another Koebako can add."),
        ),
        (
            "lab",
            localize("ラボで調べる", "Open in the lab"),
            localize("この声の構成、速さ、正しさを調べます。", "Shows what it is made of, how fast it runs and whether it is exact."),
        ),
        (
            "folder",
            localize("フォルダーを開く", "Open folder"),
            localize("声のファイルがあるフォルダーを開きます。", "Opens the folder with its files."),
        ),
        ("remove", localize("削除…", "Delete…"), localize("この声をディスクから削除します。", "Deletes the voice from disk.")),
    )


def list_allowed_actions(voice: CatalogVoice | None) -> set[str]:
    """Return the keys of the actions that a voice allows."""
    if voice is None:
        return set()
    offered = {"folder", "lab"} | ({"licence"} if voice.licence.strip() else set()) | (set() if voice.has_bert else {"bert"})
    if voice.origin == "aivisspeech":
        return offered | {"prepare"}
    if voice.origin == "own":
        offered |= {"renew", "rename", "export", "remove"} | ({"update"} if voice.model_card.uuid else set())
    return offered | ({"use", "play"} if voice.has_bert else {"use"})
