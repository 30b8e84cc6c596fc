"""A calm line above the text: what happened, what to do next, and on demand the details."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout

from app.errors import AppError
from app.language import localized
from app.ui.error_text import details_of, page_of
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change
from app.ui.widgets.details import Details

LOW_WINDOW = 780  # pixels; in one that is lower the details are shown in a window of their own
Kind = Literal["notice", "error"]


class BannerPlace:
    """A place for several banners, of which the newest is seen; the one before comes back when it is gone."""

    def __init__(self) -> None:
        self._wanted: list[Banner] = []  # newest last

    def add(self, banner: Banner) -> None:
        """A hidden banner belongs to this place from now on."""
        banner.place = self

    def want(self, banner: Banner, wanted: bool) -> None:
        """It has something to show, or nothing any more."""
        self._wanted = [*(item for item in self._wanted if item is not banner), *([banner] if wanted else ())]
        for item in {*self._wanted, banner}:
            item.appear(item is self._wanted[-1] if self._wanted else False)


class Banner(QFrame):
    """Hidden until there is something to show; never stops the user from working.

    Attributes:
        place: the one that it shares with others; None where it stands alone.
        is_wanted: it has something to show, though another one may stand before it.
        action, more: buttons: what can be done about it, and the way to the details.
        details: folded until they are wanted.

    Signals:
        action_requested(): the button was pressed.
        help_requested(str): this page of the user guide.
    """

    action_requested = Signal()
    help_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.place: BannerPlace | None = None
        self.is_wanted = False
        self._kind: Kind = "notice"
        self._then: Callable[[], object] | None = None
        self._picture = QLabel()
        self.message = QLabel()
        self.message.setObjectName("heading")
        self.hint = QLabel()
        for label in (self.message, self.hint):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.action = QPushButton()
        self.action.clicked.connect(self._on_action)
        self.more = QToolButton()
        self.more.setText(localized("詳細", "Details"))
        self.more.setAccessibleName(self.more.text())
        self.more.setToolTip(localized("詳細を表示します。", "Shows the details."))
        self.more.setCheckable(True)
        self._page = ""
        self.help = QToolButton()
        self.help.setText(localized("ヘルプ", "Help"))
        self.help.setAccessibleName(self.help.text())
        self.help.setToolTip(localized("関係するヘルプのページを開きます。", "Opens the help page for this."))
        self.help.clicked.connect(lambda: self.help_requested.emit(self._page))
        self._close = QToolButton()
        self._close.setToolTip(localized("閉じる", "Close"))
        self._close.setAccessibleName(localized("通知を閉じる", "Close the notification"))
        self._close.clicked.connect(self.hide)
        self.details = Details()
        self.more.toggled.connect(self._on_more)
        self._build()
        self.hide()

    def show_message(
        self,
        kind: Kind,
        message: str,
        hint: str = "",
        *,
        action: str = "",
        tip: str = "",
        then: Callable[[], object] | None = None,
        details: str = "",
        page: str = "",
    ) -> None:
        """Shows a message in place of the one before.

        Args:
            action: what the button says; empty for none.
            tip: what the button does, in a sentence.
            then: what the button does; without it `action_requested` is emitted.
            details: shown when they are asked for; empty for none.
            page: of the user guide that helps; empty for none.
        """
        self._kind, self._then, self._page = kind, then, page
        self.help.setVisible(bool(page))
        self.setProperty("error", kind == "error")
        self.style().polish(self)
        for label in (self.message, self.hint):
            self.style().polish(label)  # their colour hangs on the property of their parent
        self.message.setText(message)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.action.setText(action)
        self.action.setToolTip(tip)
        self.action.setVisible(bool(action))
        self.more.setChecked(False)
        self.more.setVisible(bool(details))
        self.details.show_text(details)
        self.setAccessibleName(f"{message} {hint}".strip())
        self._draw()
        self.show()

    @Slot(object)
    def show_error(self, error: AppError) -> None:
        """Shows an error with all that is known of it."""
        self.show_message("error", error.message, error.hint, details=details_of(error), page=page_of(error))

    @Slot(object)
    def take_back(self, error: AppError) -> None:
        """Hides the message of an error that is over, unless another one has been shown since."""
        if self.message.text() == error.message:
            self.hide()

    def setVisible(self, wanted: bool) -> None:
        """Shows or hides it, as far as no newer one stands in its place."""
        self.is_wanted = wanted
        if self.place is None:
            super().setVisible(wanted)
        else:
            self.place.want(self, wanted)

    def appear(self, seen: bool) -> None:
        """Really shows or hides it."""
        super().setVisible(seen)

    def event(self, event: QEvent) -> bool:
        """Never lower than its words need at this width: a crowded window would cut through them."""
        handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and self.isVisible():
            self.setMinimumHeight(self.heightForWidth(self.width()))
        return handled

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the icons for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    def _build(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self.message)
        words.addWidget(self.hint)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        for button in (self.help, self.more, self.action):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)  # beside the first line, however many there are
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 8)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.details)

    @Slot(bool)
    def _on_more(self, wanted: bool) -> None:
        """One at a time: the details of several messages would leave the lines no room. A low window has none even for one."""
        if wanted and self.window().height() < LOW_WINDOW:
            self.more.setChecked(False)
            from app.ui.widgets.text_dialog import show_details

            show_details(self, self.details.text.toPlainText())
            return
        self.details.setVisible(wanted)
        for banner in self.window().findChildren(Banner) if wanted else ():
            if banner is not self:
                banner.more.setChecked(False)

    @Slot()
    def _on_action(self) -> None:
        if self._then is None:
            self.action_requested.emit()
        else:
            self.hide()
            self._then()

    @Slot()
    def _draw(self) -> None:
        color = self.message.palette().color(QPalette.ColorRole.WindowText)
        self._picture.setPixmap(icon(self._kind, color).pixmap(QSize(20, 20), self.devicePixelRatioF()))
        self._close.setIcon(icon("close", color))
