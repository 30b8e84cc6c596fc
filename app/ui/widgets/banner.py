"""A message that says what happened and what to do next, with its full text, details and others on demand: a line across a window, or a card."""

import math
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication, QPainter, QPaintEvent, QPalette, QResizeEvent, QTextLayout, QTextLine
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPlainTextEdit, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.common.log import find_log_path
from app.common.version import VERSION
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.controls import (
    PlainLabel,
    create_tool_button,
    describe_control,
    escape_mnemonic,
    fill_box,
    join_last_letters,
    set_up_button,
)

HELP_PAGE_BY_FAMILY = {
    "voice": "voices",
    "backend": "backends",
    "audio_device": "settings",
    "download": "downloads",
    "output_file": "saving",
}
"""Helpful page of the user guide for an error of this family (`AppError.family`)."""


def format_error_details(error: AppError) -> str:
    """Return all details of an error for bug reports: its type, its causes, and the path of the log."""
    lines = [f"{type(error).__name__}: {error.message}", error.hint]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        lines.append(f"← {type(cause).__name__}: {cause}")
        cause = cause.__cause__ or cause.__context__
    lines += [f"Koebako {VERSION}, Python {platform.python_version()}, {sys.platform}", str(find_log_path())]
    return "\n".join(line for line in lines if line)


MAX_VISIBLE_LINES = 5  # further lines are scrolled to
SCROLL_GUARD_PX = 1  # pixels below the last line, without which Qt scrolls already


class DetailsView(QWidget):
    """A read-only text field with a copy button; hidden at first."""

    def __init__(self) -> None:
        super().__init__()
        self.text = _FirstLinesEdit(readOnly=True, tabChangesFocus=True)
        self.text.setObjectName("details")
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(0.9 * self.font().pointSizeF())  # follows the user's text size
        self.text.setFont(font)
        self.text.setAccessibleName(localize("詳細", "Details"))
        self.copy = set_up_button(
            QPushButton(localize("コピー", "Copy")),
            localize("クリップボードにコピーします。", "Copies them to the clipboard."),
            lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()),
            name=localize("詳細をコピー", "Copy the details"),
        )
        # The margin aligns the details with the text of the message.
        fill_box(QHBoxLayout(self), (self.text, 1), (self.copy, Qt.AlignmentFlag.AlignTop), spacing=8, margins=(30, 0, 0, 0))
        self.hide()

    def show_text(self, text: str) -> None:
        """Set the text and fold the view."""
        self.hide()
        self.text.setPlainText(text)


class _FirstLinesEdit(QPlainTextEdit):
    """A text field as high as its first lines."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height, as another width wraps the text elsewhere."""
        super().resizeEvent(event)
        # Lines are measured one by one: Japanese ones are higher than the metrics of the font say.
        heights = [line.height() for line in islice(self._iterate_lines(), MAX_VISIBLE_LINES + 1)]
        margin = self.document().documentMargin()
        # Below more lines no pixel is free, as the next line begins there.
        below = margin + SCROLL_GUARD_PX if len(heights) <= MAX_VISIBLE_LINES else 0
        frame = self.height() - self.viewport().height()
        self.setFixedHeight(math.ceil(margin + sum(heights[:MAX_VISIBLE_LINES]) + below) + max(0, frame))

    def _iterate_lines(self) -> Iterator[QTextLine]:
        document = self.document()
        for number in range(min(MAX_VISIBLE_LINES + 1, document.blockCount())):
            block = document.findBlockByNumber(number)
            # This call lays the block out, as Qt does so only when a block is first needed.
            document.documentLayout().blockBoundingRect(block)
            yield from (block.layout().lineAt(line) for line in range(block.layout().lineCount()))


MAX_CARD_LINES, CARD_INDENT_PX = 2, 28  # lines of a message and of its hint; pixels left of what is under the words
MAX_MENU_ENTRY_LETTERS = 90  # letters of a message in the menu of all messages
MIN_DETAILS_WINDOW_HEIGHT_PX = 780  # window height in pixels; in a lower window the details open in a dialog
BannerKind = Literal["notice", "error", "progress"]  # progress: of work that is not over


BannerMessage = tuple[str, str]  # a message and its hint: what happened, and what to do next


@dataclass(frozen=True, slots=True)
class BannerButton:
    """A second remedy: the text and the tool tip of its button, and what it does."""

    text: str
    tip: str
    run: Callable[[], object]


class MessageCard(QFrame):
    """A card of any form in a stack of messages, with what the stack has to know of its present message.

    Signals:
        message_shown(): there is another message, in `accessibleName`.
    """

    message_shown = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kind: BannerKind = "notice"
        self.stays = True  # until the user or the program closes it

    def limit_lines(self, count: int) -> None:
        """Show at most so many lines of each sentence, if the card can."""

    def close_message(self) -> bool:
        """Close what may be closed now, and return whether it was."""
        self.hide()
        return True


class Banner(ThemedWidget, MessageCard):
    """A banner that is hidden until there is a message, and never blocks the user.

    Args:
        is_card: It is narrow and has several lines of words, as in a stack of messages; otherwise it is a line as wide as its window.

    Signals:
        action_requested(): the button was pressed.
        help_requested(str): open this page of the user guide.
    """

    action_requested = Signal()
    help_requested = Signal(str)

    def __init__(self, *, is_card: bool = False) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setProperty("card", is_card)
        self._is_card = is_card
        self._on_action: Callable[[], object] | None = None
        self._picture = PlainLabel()
        self.messages: list[BannerMessage] = []  # all messages of the banner, the newest last; `message` and `hint` show one of them
        lines = MAX_CARD_LINES if is_card else 1
        self.message, self.hint = _FirstLinesLabel(lines), _FirstLinesLabel(lines)
        self.message.setObjectName("heading")
        self.hint.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.whole = PlainLabel(wraps=True)
        self.whole.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.whole.setContentsMargins(30, 0, 0, 0)  # under the words of the line
        self.whole.hide()
        self.count = _MessageCountButton(self)
        # action, other, more: the buttons for the remedy and for another one, and the one for the details.
        self.action = QPushButton()
        self.action.clicked.connect(self._run_action)
        remedy = localize("ほかの方法", "Another remedy")
        self.other = describe_control(QPushButton(), remedy, remedy)
        self.other.clicked.connect(lambda: self._second_remedy.run() if self._second_remedy is not None else None)
        self._second_remedy: BannerButton | None = None
        more_tip = localize("詳細を表示します。", "Shows the details.")
        self.more = create_tool_button(localize("詳細", "Details"), more_tip, style="", is_checkable=True)
        self._page = ""
        help_tip = localize("関係するヘルプのページを開きます。", "Opens the help page for this.")
        self.help = create_tool_button(localize("ヘルプ", "Help"), help_tip, lambda: self.help_requested.emit(self._page), style="")
        self.close_button = set_up_button(
            QToolButton(), localize("閉じる", "Close"), self.hide, name=localize("通知を閉じる", "Close the notification")
        )
        self.details = DetailsView()
        self.more.toggled.connect(self._show_details)
        if is_card:
            self._lay_out_card()
        else:
            row = fill_box(QHBoxLayout(), self._picture, self.message, (self.hint, 1), spacing=8)
            row.addStretch()
            fill_box(row, self.count, self.help, self.more, self.action, self.other, self.close_button, margins=None)
            fill_box(QVBoxLayout(self), row, self.whole, self.details, margins=(12, 4, 8, 4), spacing=4)
        self.hide()

    def limit_lines(self, count: int) -> None:
        """Show at most so many lines of what happened, and as many of what to do next."""
        for label in (self.message, self.hint):
            label.limit_lines(count)

    @property
    def is_wanted(self) -> bool:
        """Return whether there is something to show, though newer ones may leave it no room."""
        return not self.isHidden()

    def _lay_out_card(self) -> None:
        """Put the words under each other, and the buttons below them."""
        for button in (self.action, self.other):
            button.setObjectName("small")
        self.close_button.setIconSize(QSize(14, 14))
        top = Qt.AlignmentFlag.AlignTop
        heading = fill_box(QHBoxLayout(), (self._picture, top), (self.message, 1), (self.count, top), (self.close_button, top), spacing=8)
        words = fill_box(QVBoxLayout(), self.hint, margins=(CARD_INDENT_PX, 0, CARD_INDENT_PX, 0))
        buttons = fill_box(QHBoxLayout(), None, self.help, self.more, self.other, self.action, spacing=6)
        fill_box(QVBoxLayout(self), heading, words, buttons, self.whole, self.details, margins=(10, 5, 6, 6), spacing=2)

    def show_message(
        self,
        kind: BannerKind,
        message: str,
        hint: str = "",
        *,
        action: str = "",
        tip: str = "",
        on_action: Callable[[], object] | None = None,
        other: BannerButton | None = None,
        details: str = "",
        help_page: str = "",
        stays: bool = False,
    ) -> None:
        """Show a message in place of the one before.

        Args:
            tip: tool tip of the button, a sentence.
            on_action: called by the button; without it `action_requested` is emitted.
            stays: A stack of messages keeps it, as it does with errors and with all that can be answered or unfolded.
        """
        self.kind, self._on_action, self._page = kind, on_action, help_page
        self.stays = stays or kind != "notice" or bool(action or other or details)
        self.help.setVisible(bool(help_page))
        self.setProperty("error", kind == "error")
        self.style().polish(self)
        for label in (self.message, self.hint, self.whole):
            # The style sheet colours labels by the `error` property of their parent, and Qt does not polish them again by itself.
            self.style().polish(label)
        self.messages = [(message, hint)]
        self._show_labels(message, hint)
        self.action.setText(action)
        self.action.setToolTip(tip)
        self.action.setVisible(bool(action))
        self._second_remedy = other
        self.other.setText(other.text if other else "")
        self.other.setToolTip(other.tip if other else self.other.accessibleName())
        self.other.setVisible(other is not None)
        self.more.setChecked(False)
        self.details.show_text(details)
        self._update_more_button()
        self.count.show_message_count(1)
        self.draw_in_theme()
        self.show()
        self.message_shown.emit()

    def show_messages(self, kind: BannerKind, messages: Sequence[BannerMessage]) -> None:
        """Show the last of several messages until the user closes it, and offer the others in the menu."""
        self.show_message(kind, *messages[-1], stays=True)
        self.messages = list(messages)
        self.count.show_message_count(len(messages))

    def show_chosen_message(self, message: BannerMessage) -> None:
        """Show a message that the user chose from the menu."""
        self.more.setChecked(False)
        self._show_labels(*message)

    def _show_labels(self, message: str, hint: str) -> None:
        self.message.setText(message)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.whole.setText(f"{message}\n{hint}".strip())
        self.setAccessibleName(f"{message} {hint}".strip())
        self._update_more_button()

    @Slot(object)
    def show_error(self, error: AppError, hint: str = "", *, action: str = "") -> None:
        """Show an error with its details; another hint in place of its own, and a button that emits `action_requested`."""
        details, page = format_error_details(error), HELP_PAGE_BY_FAMILY.get(error.family, "")
        self.show_message("error", error.message, hint or error.hint, action=action, details=details, help_page=page)

    @Slot(object)
    def hide_error(self, error: AppError) -> None:
        """Hide the message of an error that is over, unless another message has replaced it."""
        if self.message.text() == error.message:
            self.hide()

    def event(self, event: QEvent) -> bool:
        """Keep the banner as high as its text needs at this width."""
        handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and self.isVisible():
            # A crowded window would otherwise squeeze the banner and cut through its text.
            self.setMinimumHeight(max(0, self.heightForWidth(self.width())) if self.whole.isVisible() else 0)
            self._update_more_button()
        return handled

    def _update_more_button(self) -> None:
        """Show the button for details if text is cut off or details exist; unfolded text stays unfolded."""
        is_cut = any(label.is_cut for label in (self.message, self.hint) if not label.isHidden())
        self.more.setVisible(is_cut or self.more.isChecked() or bool(self.details.text.toPlainText()))

    @Slot(bool)
    def _show_details(self, is_open: bool) -> None:
        """Show or hide the details, and fold those of all other banners."""
        # Details of several banners would leave the lines no room, and a card or a low window has no room even for one.
        if is_open and (self._is_card or self.window().height() < MIN_DETAILS_WINDOW_HEIGHT_PX):
            self.more.setChecked(False)
            from app.ui.widgets.text_dialog import show_details

            show_details(self, "\n\n".join(filter(None, (self.whole.text(), self.details.text.toPlainText()))))
            return
        self.whole.setVisible(is_open)
        self.details.setVisible(is_open and bool(self.details.text.toPlainText()))
        for banner in self.window().findChildren(Banner) if is_open else ():
            if banner is not self:
                banner.more.setChecked(False)

    @Slot()
    def _run_action(self) -> None:
        if self._on_action is None:
            self.action_requested.emit()
        else:
            self.hide()
            self._on_action()

    @Slot()
    def draw_in_theme(self) -> None:
        color = self.message.palette().color(QPalette.ColorRole.WindowText)
        self._picture.setPixmap(
            draw_icon("error" if self.kind == "error" else "notice", color).pixmap(QSize(20, 20), self.devicePixelRatioF())
        )
        self.close_button.setIcon(draw_icon("close", color))


class _FirstLinesLabel(PlainLabel):
    """A label that shows plain text in at most so many lines and elides the end of the last one."""

    def __init__(self, max_lines: int) -> None:
        super().__init__()
        self._max_lines = max_lines
        self.setMinimumWidth(1)

    def limit_lines(self, count: int) -> None:
        """Show at most so many lines."""
        if self._max_lines != count:
            self._max_lines = count
            self.updateGeometry()
            self.update()

    @property
    def is_cut(self) -> bool:
        """Return True if a part of the text is not visible."""
        if self._max_lines == 1:
            return "\n" in self.text() or self.sizeHint().width() > self.width()
        return self._split_text(self.width())[1]

    def hasHeightForWidth(self) -> bool:
        """Return whether another width changes the height."""
        return self._max_lines > 1

    def heightForWidth(self, width: int) -> int:
        """Return the height of the lines in pixels."""
        lines, _is_cut = self._split_text(width)
        return math.ceil(sum(line.height() for line in lines)) if self._max_lines > 1 else super().heightForWidth(width)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the lines, the last one elided."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        lines, is_cut = self._split_text(self.width())
        text, metrics = self._one_paragraph, self.fontMetrics()
        top = (self.height() - sum(line.height() for line in lines)) / 2
        for line in lines[:-1] if is_cut else lines:
            line.draw(painter, QPointF(0, top - line.y()))
            top += line.height()
        if is_cut:
            rest = metrics.elidedText(text[lines[-1].textStart() :], Qt.TextElideMode.ElideRight, self.width())
            painter.drawText(QPointF(0, top + lines[-1].ascent()), rest)
        painter.end()

    @property
    def _one_paragraph(self) -> str:
        return join_last_letters(" ".join(self.text().split("\n")))

    def _split_text(self, width: int) -> tuple[list[QTextLine], bool]:
        """Return the first lines, and whether there are more."""
        self._layout = QTextLayout(self._one_paragraph, self.font())  # Kept, as the lines are parts of it.
        self._layout.beginLayout()
        lines: list[QTextLine] = []
        while len(lines) <= self._max_lines and (line := self._layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            lines.append(line)
        self._layout.endLayout()
        return lines[: self._max_lines], len(lines) > self._max_lines


class _MessageCountButton(QToolButton):
    """A button with the number of messages of a banner; its menu lists them, the newest first, and shows the chosen one."""

    def __init__(self, banner: Banner) -> None:
        super().__init__()
        self._banner = banner
        self.setToolTip(localize("すべての通知を一覧で表示します。", "Lists all notifications."))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.setMenu(self._menu)
        self.show_message_count(0)

    def show_message_count(self, number: int) -> None:
        """Show the number of messages; hidden for fewer than two."""
        self.setText(localize(f"{number} 件", f"{number} notifications"))
        self.setAccessibleName(localize(f"通知 {number} 件", f"{number} notifications"))
        self.setVisible(number > 1)

    @Slot()
    def _fill_menu(self) -> None:
        self._menu.clear()
        for message in reversed(self._banner.messages):
            text = " ".join(filter(None, message))
            entry = text if len(text) <= MAX_MENU_ENTRY_LETTERS else f"{text[:MAX_MENU_ENTRY_LETTERS]}…"
            action = self._menu.addAction(escape_mnemonic(entry.replace("\n", " ")))
            action.triggered.connect(partial(self._banner.show_chosen_message, message))
