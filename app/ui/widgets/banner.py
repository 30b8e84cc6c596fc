"""A slim line above the text: what happened and what to do next; on demand all of its words, the details, and what else was said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QSizePolicy, QToolButton, QVBoxLayout

from app.errors import AppError
from app.language import localized
from app.ui.error_text import details_of, page_of
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change
from app.ui.widgets.details import Details

LONGEST_ENTRY = 90  # characters of a message in the list of all
LOW_WINDOW = 780  # pixels; in one that is lower the details are shown in a window of their own
Kind = Literal["notice", "error"]


Message = tuple[str, str]  # what happened, and what to do next


class BannerPlace:
    """A place for several banners, of which the newest is seen, with the number of all; the one before comes back when it is gone."""

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
        self.update_count()

    def update_count(self) -> None:
        """The banner that is seen says how many messages there are."""
        if self._wanted:
            self._wanted[-1].show_count(len(self.messages))

    @property
    def messages(self) -> list[tuple[Banner, Message]]:
        """All that is still to be read, newest first."""
        return [(banner, message) for banner in reversed(self._wanted) for message in reversed(banner.messages)]


class Banner(QFrame):
    """Hidden until there is something to show; never stops the user from working.

    Attributes:
        place: the one that it shares with others; None where it stands alone.
        is_wanted: it has something to show, though another one may stand before it.
        messages: all that it has to show, newest last; `message` and `hint` show one of them.
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
        self.messages: list[Message] = []
        self.message, self.hint = _LineLabel(), _LineLabel()
        self.message.setObjectName("heading")
        self.hint.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.whole = QLabel()
        self.whole.setWordWrap(True)
        self.whole.setTextFormat(Qt.TextFormat.PlainText)
        self.whole.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.whole.setContentsMargins(30, 0, 0, 0)  # under the words of the line
        self.whole.hide()
        self.count = _CountButton(self)
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
        for label in (self.message, self.hint, self.whole):
            self.style().polish(label)  # their colour hangs on the property of their parent
        self.messages = [(message, hint)]
        self._show_words(message, hint)
        self.action.setText(action)
        self.action.setToolTip(tip)
        self.action.setVisible(bool(action))
        self.more.setChecked(False)
        self.details.show_text(details)
        self._fit()
        self._draw()
        self.show()

    def show_messages(self, kind: Kind, messages: Sequence[Message]) -> None:
        """Shows the last of several, and offers the others in the list."""
        self.show_message(kind, *messages[-1])
        self.messages = list(messages)
        if self.place is not None:
            self.place.update_count()

    def show_one(self, message: Message) -> None:
        """Shows one of its messages, which the user has chosen from the list, and comes to the front."""
        self.more.setChecked(False)
        self._show_words(*message)
        self.show()

    def show_count(self, number: int) -> None:
        """Shows how many messages there are, where there are several."""
        self.count.show_number(number)

    def _show_words(self, message: str, hint: str) -> None:
        self.message.setText(message)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.whole.setText(f"{message}\n{hint}".strip())
        self.setAccessibleName(f"{message} {hint}".strip())
        self._fit()

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
            self.setMinimumHeight(max(0, self.heightForWidth(self.width())) if self.whole.isVisible() else 0)
            self._fit()
        return handled

    def _fit(self) -> None:
        """Offers to unfold the words where they are cut off; what is unfolded stays so."""
        is_cut = any(label.is_cut for label in (self.message, self.hint) if not label.isHidden())
        self.more.setVisible(is_cut or self.more.isChecked() or bool(self.details.text.toPlainText()))

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the icons for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._picture)
        row.addWidget(self.message)
        row.addWidget(self.hint, 1)
        row.addStretch()
        for button in (self.count, self.help, self.more, self.action, self._close):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.whole)
        column.addWidget(self.details)

    @Slot(bool)
    def _on_more(self, wanted: bool) -> None:
        """One at a time: the details of several messages would leave the lines no room. A low window has none even for one."""
        if wanted and self.window().height() < LOW_WINDOW:
            self.more.setChecked(False)
            from app.ui.widgets.text_dialog import show_details

            show_details(self, "\n\n".join(filter(None, (self.whole.text(), self.details.text.toPlainText()))))
            return
        self.whole.setVisible(wanted)
        self.details.setVisible(wanted and bool(self.details.text.toPlainText()))
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


class _LineLabel(QLabel):
    """Plain words in one line, which end in dots where they have no room."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(1)

    @property
    def is_cut(self) -> bool:
        """Whether words are missing from what is seen."""
        return "\n" in self.text() or self.sizeHint().width() > self.width()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The beginning stays."""
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(" ".join(self.text().split("\n")), Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()


class _CountButton(QToolButton):
    """How many messages there are; its menu lists them, and a chosen one comes to the front."""

    def __init__(self, banner: Banner) -> None:
        super().__init__()
        self._banner = banner
        self.setToolTip(localized("すべての通知を一覧で表示します。", "Lists all notifications."))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        self.show_number(0)

    def show_number(self, number: int) -> None:
        """Says it, of two and more."""
        self.setText(localized(f"{number} 件", f"{number} notifications"))
        self.setAccessibleName(localized(f"通知 {number} 件", f"{number} notifications"))
        self.setVisible(number > 1)

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        place = self._banner.place
        for banner, message in place.messages if place is not None else ():
            words = " ".join(filter(None, message))
            shown = words if len(words) <= LONGEST_ENTRY else f"{words[:LONGEST_ENTRY]}…"
            action = self._menu.addAction(shown.replace("\n", " ").replace("&", "&&"))
            action.triggered.connect(partial(banner.show_one, message))
