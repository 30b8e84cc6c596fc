"""The left side: messages, the text, and the buttons under it."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language import say
from app.ui.widgets.banner import Banner
from app.ui.widgets.script_box import ScriptBox
from app.ui.widgets.transport import Transport


class ScriptPanel(QWidget):
    """Text and transport under two banners: `notice` for what concerns the program, `banner` for what was asked last.

    Signals:
        changed(): the text.
    """

    changed = Signal()

    def __init__(self, text: str) -> None:
        super().__init__()
        self.notice = Banner()
        self.banner = Banner()
        self.script = ScriptBox()
        self.script.setPlainText(text)
        self.transport = Transport()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.notice)
        column.addWidget(self.banner)
        column.addWidget(self.script, 1)
        column.addWidget(self.transport)
        self.script.textChanged.connect(self._on_text)
        self._on_text()

    def has_text(self) -> bool:
        """True when there is something to speak; otherwise says so."""
        if self.script.text.strip():
            return True
        hint = say("上の欄に文章を入力してください。", "Type something to speak.")
        self.banner.tell("notice", say("読み上げる文章が空です。", "The text is empty."), hint)
        self.script.setFocus()
        return False

    @Slot()
    def _on_text(self) -> None:
        self.transport.show_length(len(self.script.text))
        self.changed.emit()
