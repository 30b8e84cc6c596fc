"""The left side: messages, the lines, and the buttons under them."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language import say
from app.ui.actions import Actions
from app.ui.script_model import ScriptModel
from app.ui.theme import Theme
from app.ui.widgets.banner import Banner
from app.ui.widgets.script_list import ScriptList
from app.ui.widgets.transport import Transport


class ScriptPanel(QWidget):
    """Lines and transport under two banners: `notice` for what concerns the program, `banner` for what was asked last.

    Attributes:
        column: from top to bottom; what belongs to the selected line has its place behind `script`.
    """

    def __init__(self, model: ScriptModel, actions: Actions, theme: Theme) -> None:
        super().__init__()
        self.notice = Banner()
        self.banner = Banner()
        self.script = ScriptList(model, theme)
        self.transport = Transport(actions)
        actions.listen_in(self.script)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(8)
        self.column.addWidget(self.notice)
        self.column.addWidget(self.banner)
        self.column.addWidget(self.script, 1)
        self.column.addWidget(self.transport)

    def tell_empty(self) -> None:
        """There is nothing to speak or save."""
        hint = say("行に文章を入力してください。", "Type something into a line.")
        self.banner.tell("notice", say("読み上げる文章が空です。", "The text is empty."), hint)
