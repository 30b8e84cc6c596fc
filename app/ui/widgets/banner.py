"""A calm line above the text: what happened, and what to do next."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout

from app.language import say
from app.ui.icons import icon

Kind = Literal["notice", "trouble"]


class Banner(QFrame):
    """Hidden until there is something to tell; never stops the user from working.

    Signals:
        action_wanted(): the button was pressed.
    """

    action_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self._kind: Kind = "notice"
        self._picture = QLabel()
        self.message = QLabel()
        self.message.setObjectName("heading")
        self.hint = QLabel()
        for label in (self.message, self.hint):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.action = QPushButton()
        self.action.clicked.connect(self.action_wanted)
        self._close = QToolButton()
        self._close.setToolTip(say("閉じる", "Close"))
        self._close.setAccessibleName(say("お知らせを閉じる", "Close the message"))
        self._close.clicked.connect(self.hide)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self.message)
        words.addWidget(self.hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.action)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def tell(self, kind: Kind, message: str, hint: str = "", *, action: str = "", details: str = "") -> None:
        """Shows a message in place of the one before.

        Args:
            action: what the button says; empty for none.
            details: shown while the mouse rests on it.
        """
        self._kind = kind
        self.setProperty("trouble", kind == "trouble")
        self.style().polish(self)
        for label in (self.message, self.hint):
            self.style().polish(label)  # their colour hangs on the property of their parent
        self.message.setText(message)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self.setToolTip(details)
        self.setAccessibleName(f"{message} {hint}".strip())
        self._draw()
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        """Draws the icons anew for another theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()
        super().changeEvent(event)

    @Slot()
    def _draw(self) -> None:
        color = self.message.palette().color(QPalette.ColorRole.WindowText)
        self._picture.setPixmap(icon(self._kind, color).pixmap(QSize(20, 20), self.devicePixelRatioF()))
        self._close.setIcon(icon("close", color))
