"""The takes of the selected line: a list, and what can be done to the one that is chosen in it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.language import localized
from app.ui.plain_text import PlainLabel
from app.ui.takes.book import TITLE
from app.ui.takes.rolling import COUNT
from app.ui.takes.table import TakeTable
from app.ui.widgets.elided_label import ElidedLabel

SAID = {"star": lambda: localized("スター", "Star"), "close": lambda: localized("閉じる", "Close")}
"""What is read out in place of a sign."""


class TakePanel(QFrame):
    """Says what is wanted; the controller does it.

    Attributes:
        table: the list.
        state: what is heard or being made.

    Signals:
        asked(str): play, compare, star, note, restore, keep, delete, more, stop or close.
    """

    asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.table = TakeTable()
        self.table.asked.connect(self.asked)
        self.table.chosen.connect(self.show_choice)
        self.state = ElidedLabel("")  # words of any length must not push the columns
        self.state.setObjectName("muted")
        self.empty = PlainLabel(_empty())
        self.empty.setObjectName("muted")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.buttons = {name: self._button(name, *words) for name, words in _buttons().items()}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._lay_out()
        self.show_choice()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """Where Tab goes, in this order."""
        return (*self.buttons.values(), self.table)

    def show_choice(self) -> None:
        """Buttons for what is chosen."""
        row = self.table.current
        for name in ("play", "compare", "restore"):
            self.buttons[name].setEnabled(row is not None)
        for name in ("star", "note", "delete"):
            self.buttons[name].setEnabled(row is not None and row.number > 0)
        self.buttons["star"].setChecked(row is not None and row.take.starred)
        self.table.setVisible(bool(self.table.takes.rows))
        self.empty.setVisible(not self.table.takes.rows)

    def showEvent(self, event: QShowEvent) -> None:
        """As high as the window allows."""
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The window may be lower now."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.table.fit(self.window().height())
        self.empty.setFixedHeight(self.table.height())

    def _button(self, name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName("small")
        button.setToolTip(tip)
        button.setAccessibleName(SAID[name]() if name in SAID else text)
        button.setCheckable(name == "star")
        button.clicked.connect(lambda: self.asked.emit(name))
        return button

    def _lay_out(self) -> None:
        title = PlainLabel(localized(*TITLE))
        title.setObjectName("heading")
        top = QHBoxLayout()
        top.setSpacing(4)
        top.addWidget(title)
        for name in ("keep", "more", "stop"):
            top.addWidget(self.buttons[name])
        top.addWidget(self.state, 1)
        for name in ("play", "compare", "star", "note", "restore", "delete", "close"):
            top.addWidget(self.buttons[name])
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 10, 6)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.table)
        column.addWidget(self.empty)


def _empty() -> str:
    return localized(
        f"この行のテイクはまだありません。\n「保存」で直前に再生した音声を残し、「さらに {COUNT} 個」で話し方の違うテイクを作成します。",
        f"This line has no takes yet.\n“Keep” saves what you just heard; “{COUNT} more” makes takes with other seeds.",
    )


def _buttons() -> dict[str, tuple[str, str]]:
    return {
        "keep": (localized("保存", "Keep"), localized("聞いた音声をテイクとして保存します。", "Saves what you heard as a take.")),
        "more": (
            localized(f"さらに {COUNT} 個", f"{COUNT} more"),
            localized(f"シードの異なるテイクを {COUNT} 個作成します。", f"Makes {COUNT} takes with other seeds."),
        ),
        "stop": (localized("中止", "Stop"), localized("残りのテイクの作成を中止します。", "Stops making the remaining takes.")),
        "play": (localized("再生", "Play"), localized("選んだテイクを再生します。", "Plays the selected take.")),
        "compare": (
            "A/B",
            localized(
                "選んだテイクと現在の行を、同じ音量で続けて再生します。もう一度押すと切り替わります。",
                "Plays the take and the line as it is now, equally loud. Press again to switch.",
            ),
        ),
        "star": (
            "★",
            localized("スターを付けます。自動で削除されなくなります。", "Stars the take, so that it is never removed automatically."),
        ),
        "note": (localized("メモ", "Note"), localized("選んだテイクにメモを付けます。", "Adds a note to the selected take.")),
        "restore": (
            localized("この設定に戻す", "Restore"),
            localized(
                "行のテキスト、読み、設定、シードを、選んだテイクのものに戻します。",
                "Gives the line the text, reading, settings and seed of the selected take.",
            ),
        ),
        "delete": (localized("削除", "Delete"), localized("選んだテイクを削除します。", "Deletes the selected take.")),
        "close": ("×", localized("テイクの一覧を閉じます。", "Closes the list of takes.")),
    }
