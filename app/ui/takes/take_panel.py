"""The panel of the selected line's takes: a table, and buttons for the chosen take."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.plain_text import PlainLabel
from app.ui.takes.take_batch import TAKES_PER_BATCH
from app.ui.takes.take_book import TAKES_TITLE
from app.ui.takes.take_table import TakeTable
from app.ui.widgets.elided_label import ElidedLabel

TAKE_TITLES = {"star": lambda: localize("スター", "Star"), "close": lambda: localize("閉じる", "Close")}
"""Accessible names of buttons that show a sign instead of a word."""


class TakePanel(QFrame):
    """Emits the commands of its buttons; `TakesController` runs them.

    Attributes:
        table: the table of takes.
        state: label for the take that plays or is being rendered.

    Signals:
        command_requested(str): play, compare, star, note, restore, keep, delete, more, stop or close.
    """

    command_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.table = TakeTable()
        self.table.command_requested.connect(self.command_requested)
        self.table.chosen.connect(self.update_buttons)
        # An elided label, as a long text must not change the width of the columns.
        self.state = ElidedLabel("")
        self.state.setObjectName("muted")
        self.empty = PlainLabel(_describe_empty())
        self.empty.setObjectName("muted")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.buttons = {name: self._create_button(name, *words) for name, words in _list_buttons().items()}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._lay_out_panel()
        self.update_buttons()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """Return the widgets in tab order."""
        return (*self.buttons.values(), self.table)

    def update_buttons(self) -> None:
        """Enable the buttons for the chosen take."""
        row = self.table.current
        for name in ("play", "compare", "restore"):
            self.buttons[name].setEnabled(row is not None)
        for name in ("star", "note", "delete"):
            self.buttons[name].setEnabled(row is not None and row.number > 0)
        self.buttons["star"].setChecked(row is not None and row.take.starred)
        self.table.setVisible(bool(self.table.takes.rows))
        self.empty.setVisible(not self.table.takes.rows)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the height to the window."""
        super().showEvent(event)
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to another size of the window."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        self.table.fit_height(self.window().height())
        self.empty.setFixedHeight(self.table.height())

    def _create_button(self, name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName("small")
        button.setToolTip(tip)
        button.setAccessibleName(TAKE_TITLES[name]() if name in TAKE_TITLES else text)
        button.setCheckable(name == "star")
        button.clicked.connect(lambda: self.command_requested.emit(name))
        return button

    def _lay_out_panel(self) -> None:
        title = PlainLabel(localize(*TAKES_TITLE))
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


def _describe_empty() -> str:
    return localize(
        f"この行のテイクはまだありません。\n「保存」で直前に再生した音声を残し、「さらに {TAKES_PER_BATCH} 個」で話し方の違うテイクを作成します。",
        f"This line has no takes yet.\n“Keep” saves what you just heard; “{TAKES_PER_BATCH} more” makes takes with other seeds.",
    )


def _list_buttons() -> dict[str, tuple[str, str]]:
    return {
        "keep": (localize("保存", "Keep"), localize("聞いた音声をテイクとして保存します。", "Saves what you heard as a take.")),
        "more": (
            localize(f"さらに {TAKES_PER_BATCH} 個", f"{TAKES_PER_BATCH} more"),
            localize(f"シードの異なるテイクを {TAKES_PER_BATCH} 個作成します。", f"Makes {TAKES_PER_BATCH} takes with other seeds."),
        ),
        "stop": (localize("中止", "Stop"), localize("残りのテイクの作成を中止します。", "Stops making the remaining takes.")),
        "play": (localize("再生", "Play"), localize("選んだテイクを再生します。", "Plays the selected take.")),
        "compare": (
            "A/B",
            localize(
                "選んだテイクと現在の行を、同じ音量で続けて再生します。もう一度押すと切り替わります。",
                "Plays the take and the line as it is now, equally loud. Press again to switch.",
            ),
        ),
        "star": (
            "★",
            localize("スターを付けます。自動で削除されなくなります。", "Stars the take, so that it is never removed automatically."),
        ),
        "note": (localize("メモ", "Note"), localize("選んだテイクにメモを付けます。", "Adds a note to the selected take.")),
        "restore": (
            localize("この設定に戻す", "Restore"),
            localize(
                "行のテキスト、読み、設定、シードを、選んだテイクのものに戻します。",
                "Gives the line the text, reading, settings and seed of the selected take.",
            ),
        ),
        "delete": (localize("削除", "Delete"), localize("選んだテイクを削除します。", "Deletes the selected take.")),
        "close": ("×", localize("テイクの一覧を閉じます。", "Closes the list of takes.")),
    }
