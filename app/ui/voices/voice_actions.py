"""What can be done with a voice, as buttons that take the room there is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from app.language import localized
from app.ui.voices.bert_words import bert_action
from app.ui.voices.catalog_voice import CatalogVoice
from app.voices.wanted_bert import SBV2_BERT

MOST_ABREAST, GAP = 3, 6  # buttons, pixels between them


class VoiceActions(QWidget):
    """As many buttons beside each other as there is room for, three at most.

    Attributes:
        buttons: by action.

    Signals:
        wanted(str): an action, see `VoiceLibrary`.
    """

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._offered: list[QPushButton] = []
        self._abreast = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        self.buttons = {action: self._button(action, name, tip) for action, name, tip in voice_actions()}
        for action in ("use", "prepare"):  # never both
            self.buttons[action].setObjectName("primary")

    def offer(self, voice: CatalogVoice | None) -> None:
        """Shows what this voice allows."""
        offered = possible(voice)
        if voice is not None:
            self.buttons["bert"].setText(bert_action(voice.manifest.bert))
        self._offered = [button for action, button in self.buttons.items() if action in offered]
        for button in self.buttons.values():
            button.setVisible(button in self._offered)
        self.setVisible(bool(self._offered))
        self._place(self._fitting())

    def minimumSizeHint(self) -> QSize:
        """One button is enough: the layout would ask for the width of all that stand beside each other now."""
        return QSize(self._widest(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width has room for more of them, or for fewer."""
        super().resizeEvent(event)
        if self._fitting() != self._abreast:
            self._place(self._fitting())

    def _widest(self) -> int:
        return max((button.sizeHint().width() for button in self._offered), default=0)

    def _fitting(self) -> int:
        return max(1, min(MOST_ABREAST, (self.width() + GAP) // (self._widest() + GAP)))

    def _place(self, abreast: int) -> None:
        self._abreast = abreast
        for button in self.buttons.values():
            self._grid.removeWidget(button)
        for place, button in enumerate(self._offered):
            self._grid.addWidget(button, place // abreast, place % abreast)

    def _button(self, action: str, name: str, tip: str) -> QPushButton:
        button = QPushButton(name, self)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        button.clicked.connect(self._emitter(action))
        return button

    def _emitter(self, action: str) -> Callable[[], None]:
        return lambda: self.wanted.emit(action)


def voice_actions() -> tuple[tuple[str, str, str], ...]:
    """What can be done with voices, as (key, name, what it does)."""
    return (*_ways_to_use(), *_ways_to_change())


def _ways_to_use() -> tuple[tuple[str, str, str], ...]:
    return (
        (
            "play",
            localized("この声で再生", "Play"),
            localized(
                "選んだ行をこの声で再生します。行の設定は変わりません。",
                "Plays the selected line with this voice; the line is not changed.",
            ),
        ),
        (
            "use",
            localized("この声を使う", "Use this voice"),
            localized("選んだ行の声をこの声に変更します。", "The selected lines will use it."),
        ),
        (
            "prepare",
            localized("準備する", "Prepare"),
            localized(
                "すぐに再生できる形式に変換して保存します。元の声は変更しません。",
                "Saves a copy that starts playing at once. The original is not changed.",
            ),
        ),
        (
            "bert",
            bert_action(SBV2_BERT),
            localized("この声に必要な BERT モデルを追加します。", "Adds the BERT model this voice requires."),
        ),
        ("licence", localized("利用規約…", "Licence…"), localized("この声の利用規約を表示します。", "Shows the licence of this voice.")),
    )


def _ways_to_change() -> tuple[tuple[str, str, str], ...]:
    return (
        (
            "update",
            localized("更新", "Update"),
            localized("AivisHub の最新バージョンに更新します。", "Updates it to the latest version on AivisHub."),
        ),
        (
            "renew",
            localized("準備し直す", "Prepare again"),
            localized(
                "以前のバージョンで追加した声でも、このバージョンの「高速」を使えるようにします。数分かかります。行の設定は変わりません。",
                "Lets a voice added by an earlier version use the Fast precision of this one. Takes minutes; lines keep their settings.",
            ),
        ),
        ("rename", localized("名前を変更…", "Rename…"), localized("表示する名前を変更します。", "Changes the displayed name.")),
        (
            "export",
            localized("書き出す…", "Export…"),
            localized("ほかの Koebako に追加できる zip ファイルに書き出します。", "Exports a zip that another Koebako can add."),
        ),
        (
            "lab",
            localized("ラボで調べる", "Open in the lab"),
            localized("この声の構成、速さ、正しさを調べます。", "Shows what it is made of, how fast it runs and whether it is exact."),
        ),
        (
            "folder",
            localized("フォルダーを開く", "Open folder"),
            localized("声のファイルがあるフォルダーを開きます。", "Opens the folder with its files."),
        ),
        ("remove", localized("削除…", "Delete…"), localized("この声をディスクから削除します。", "Deletes the voice from disk.")),
    )


def possible(voice: CatalogVoice | None) -> set[str]:
    """Which actions a voice allows."""
    if voice is None:
        return set()
    offered = {"folder", "lab"} | ({"licence"} if voice.licence.strip() else set()) | (set() if voice.has_bert else {"bert"})
    if voice.place == "aivisspeech":
        return offered | {"prepare"}
    if voice.place == "own":
        offered |= {"renew", "rename", "export", "remove"} | ({"update"} if voice.card.uuid else set())
    return offered | ({"use", "play"} if voice.has_bert else {"use"})
