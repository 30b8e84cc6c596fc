"""Messages over the lower right of a list: cards under each other that no control moves for, the newest at the bottom, and a list of past ones."""

import itertools
from collections import deque
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTime, QTimer, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.banner import MAX_CARD_LINES, MessageCard
from app.ui.widgets.controls import create_tool_button, fill_box

NOTICE_MS = 6000  # milliseconds; a message that asks nothing closes after them
MAX_CARDS = 3  # cards that are shown unless the user asks for all of them
MAX_SHARE = 0.66  # of the height of the list: the rest of it stays free, unless the newest card alone needs more
CARD_WIDTH_PX, EDGE_PX, GAP_PX = 372, 8, 6
RIGHT_EDGE_PX = 20  # pixels, with a scroll bar that stays free
LOW_LIST_PX = 170  # height of a list over which a message has one line for each sentence
MAX_PAST = 100


class _CardFrame(QWidget):
    """The place of a card in the stack: it can be hidden for want of room while the card itself still has something to show."""

    def __init__(self, card: QWidget, stack: "MessageStack") -> None:
        super().__init__(stack)
        self.card, self._stack = card, stack
        fill_box(QVBoxLayout(self), card)
        self.timer = QTimer(self, singleShot=True)  # runs while the card is seen and nobody is at it
        self.timer.timeout.connect(card.hide)
        self.hide()

    @property
    def is_passing(self) -> bool:
        """Return whether the card closes by itself."""
        return isinstance(self.card, MessageCard) and not self.card.stays

    def restart_timer(self) -> None:
        """Restart the time, or stop it while the mouse or the keyboard is at the card."""
        if self.is_passing and self.isVisible() and not self.card.underMouse() and not self.has_widget(QApplication.focusWidget()):
            self.timer.start(self._stack.notice_ms)
        else:
            self.timer.stop()

    def has_widget(self, widget: QWidget | None) -> bool:
        """Return whether a widget is the card or a part of it."""
        return widget is not None and (widget is self.card or self.card.isAncestorOf(widget))

    def showEvent(self, event: QShowEvent) -> None:
        """Count from the moment at which the card can be read."""
        super().showEvent(event)
        self.restart_timer()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop counting."""
        super().hideEvent(event)
        self.timer.stop()
        # Qt sends no Leave to a widget that hides under the mouse, and its next message would stay for ever.
        self.card.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)


class MessageStack(ThemedWidget, QWidget):
    """Shows the newest cards over the lower right of a list, in no layout; it is hidden while no card has anything to show.

    Args:
        anchor: the list; it is next to the stack in the same parent.
    """

    def __init__(self, parent: QWidget, anchor: QWidget) -> None:
        super().__init__(parent)
        self.notice_ms = NOTICE_MS
        self.past: deque[str] = deque(maxlen=MAX_PAST)  # all messages, with their times, the newest last
        self._anchor = anchor
        self._frames: list[_CardFrame] = []  # of all cards; those shown last are last
        self._tab_stops: list[QWidget] = []
        self._is_open = False  # the user asked for all cards
        self._is_folded = False  # the user wants to see the lines behind the cards
        self.setAccessibleName(localize("通知", "Messages"))
        self.more = create_tool_button(
            "", localize("すべての通知の表示を切り替えます。", "Shows all messages, or the newest alone."), style="slim"
        )
        self.more.clicked.connect(self._toggle_all)
        past_tip = localize("これまでの通知を一覧で表示します。", "Lists past messages.")
        self.past_button = create_tool_button(localize("履歴", "Past"), past_tip, self.show_past_messages, style="slim")
        self.past_button.setAccessibleName(localize("通知の履歴", "Past messages"))
        self.fold = QToolButton()
        self.fold.setObjectName("slim")
        self.fold.setIconSize(QSize(14, 14))
        self.fold.clicked.connect(lambda: self._set_folded(not self._is_folded))
        self.head = QFrame()
        self.head.setObjectName("card")
        fill_box(QHBoxLayout(self.head), self.more, self.past_button, self.fold, spacing=0, margins=(2, 0, 2, 0))
        self._column = fill_box(QVBoxLayout(self), (self.head, Qt.AlignmentFlag.AlignRight), spacing=GAP_PX)
        for watched in (parent, anchor):
            watched.installEventFilter(self)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow_focus)
        self.draw_in_theme()
        self.hide()

    def add_card(self, card: QWidget) -> None:
        """Give a card its place, which it takes whenever it is shown."""
        frame = _CardFrame(card, self)
        self._frames.insert(0, frame)
        self._column.insertWidget(1, frame)
        card.installEventFilter(self)
        if isinstance(card, MessageCard):
            card.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            card.message_shown.connect(partial(self._report_message, frame, card))
        if not card.isHidden():
            self._raise_frame(frame)

    @property
    def wanted_cards(self) -> list[QWidget]:
        """Return the cards that have something to show, the newest last."""
        return [frame.card for frame in self._frames if not frame.card.isHidden()]

    @Slot()
    def focus_newest(self) -> None:
        """Let keys go to the newest card, back to the list if they are at one already, or list past messages if there is none."""
        frames = [frame for frame in self._frames if not frame.card.isHidden()]
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            self._anchor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif frames:
            self._set_folded(False)
            find_first_stop(frames[-1].card).setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.show_past_messages()

    @Slot()
    def show_past_messages(self) -> None:
        """Open the list of past messages, the newest first."""
        # Few starts need it.
        from app.ui.widgets.text_dialog import show_text

        nothing = localize("通知はまだありません。", "There are no messages yet.")
        show_text(self._anchor, localize("通知の履歴", "Past messages"), "\n".join(reversed(self.past)) or nothing)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the list and the cards."""
        kind = event.type()
        if watched is self._anchor or watched is self.parent():
            if kind in (QEvent.Type.Resize, QEvent.Type.Move):
                self._arrange_cards()
            return False
        frame = next((frame for frame in self._frames if frame.card is watched), None)
        if frame is not None:
            if kind == QEvent.Type.ShowToParent:
                self._raise_frame(frame)
            elif kind == QEvent.Type.HideToParent:
                self._arrange_cards()
            elif kind in (QEvent.Type.Enter, QEvent.Type.Leave):
                frame.restart_timer()
        return False

    def event(self, event: QEvent) -> bool:
        """Fit what the cards need, and take Esc before it stops the sound."""
        if event.type() == QEvent.Type.LayoutRequest:
            handled = super().event(event)
            self._arrange_cards()
            return handled
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the card that the keys go to; work that is not over is put aside with all cards."""
        frame = next((frame for frame in self._frames if frame.has_widget(QApplication.focusWidget())), None)
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif frame is None or not (isinstance(frame.card, MessageCard) and frame.card.close_message()):
            self._set_folded(True)
            self._anchor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def draw_in_theme(self) -> None:
        """Draw the arrow that folds the cards."""
        color = self.palette().color(self.foregroundRole())
        self.fold.setIcon(draw_icon("closed" if self._is_folded else "open", color))
        tip = (
            localize("通知を開きます。", "Unfolds the messages.")
            if self._is_folded
            else localize("通知をたたみます。", "Folds the messages.")
        )
        self.fold.setToolTip(tip)
        name = localize("通知を開く", "Unfold messages") if self._is_folded else localize("通知をたたむ", "Fold messages")
        self.fold.setAccessibleName(name)

    @Slot()
    def _toggle_all(self) -> None:
        self._is_open = self._is_folded or not self._is_open
        self._set_folded(False)

    def _set_folded(self, is_folded: bool) -> None:
        self._is_folded = is_folded
        self.draw_in_theme()
        self._arrange_cards()

    def _report_message(self, frame: _CardFrame, card: MessageCard) -> None:
        """Keep a message, say it to screen readers, and begin its time; of work only the end is a message."""
        if card.kind != "progress":
            self.past.append(f"{QTime.currentTime().toString('HH:mm')}  {card.accessibleName()}")
            self._raise_frame(frame)
            announce_message(card)
        frame.restart_timer()

    def _raise_frame(self, frame: _CardFrame) -> None:
        """Make a card the newest one."""
        self._frames.remove(frame)
        self._frames.append(frame)
        self._column.removeWidget(frame)
        self._column.addWidget(frame)
        self._is_folded = False
        self.draw_in_theme()
        self._arrange_cards()

    @Slot(QWidget, QWidget)
    def _follow_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        """Let the time of a card run only while keys go elsewhere; a card that closes hands them to the newest one, or to the list."""
        left = next((frame for frame in self._frames if frame.has_widget(old)), None)
        for frame in self._frames:
            if frame is left or frame.has_widget(now):
                frame.restart_timer()
        if left is not None and (left.card.isHidden() or left.isHidden()):
            frames = [frame for frame in self._frames if frame.isVisible() and not frame.card.isHidden()]
            (find_first_stop(frames[-1].card) if frames else self._anchor).setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _arrange_cards(self) -> None:
        """Show as many cards as have room, and put the stack over the lower right of the list."""
        wanted = [frame for frame in self._frames if not frame.card.isHidden()]
        if len(wanted) < 2:
            self._is_open = False
        width = max(1, min(CARD_WIDTH_PX, self._anchor.width() - EDGE_PX - RIGHT_EDGE_PX))
        bottom = self._anchor.geometry().bottom() - EDGE_PX
        room = bottom if self._is_open else round(MAX_SHARE * self._anchor.height())
        is_low = self._anchor.height() < LOW_LIST_PX
        for frame in wanted:
            if isinstance(frame.card, MessageCard):
                frame.card.limit_lines(1 if is_low else MAX_CARD_LINES)
        shown: list[_CardFrame] = []
        height = self.head.sizeHint().height()
        for frame in reversed(wanted if not self._is_folded else ()):
            height += GAP_PX + measure_height(frame, width)
            if shown and (height > room or (len(shown) == MAX_CARDS and not self._is_open)):
                break
            shown.append(frame)
        for frame in self._frames:
            frame.setVisible(frame in shown)
        self.head.setVisible(len(wanted) > 1 or self._is_folded or (bool(wanted) and not wanted[0].is_passing and not is_low))
        self._show_more(len(wanted), len(wanted) - len(shown))
        self.setVisible(bool(wanted))
        self._move_to_corner(width, bottom)
        self._order_tab_stops([self.head, *(frame for frame in self._frames if frame in shown)])

    def _move_to_corner(self, width: int, bottom: int) -> None:
        self._column.activate()
        needed = min(bottom, measure_height(self, width))
        right = self._anchor.geometry().right() - RIGHT_EDGE_PX
        if self._is_folded:
            width = self.head.sizeHint().width()
        self.setGeometry(right - width, bottom - needed, width, needed)
        self.raise_()

    def _order_tab_stops(self, parts: list[QWidget]) -> None:
        """Let Tab go from the list through the messages, from top to bottom, and only then to what is below."""
        # Qt puts what comes into the window later at the end of its order.
        stops = [stop for part in parts for stop in list_tab_stops(part)]
        if stops != self._tab_stops:
            self._tab_stops = stops
            for first, second in itertools.pairwise([self._anchor, *stops]):
                QWidget.setTabOrder(first, second)

    def _show_more(self, count: int, hidden: int) -> None:
        """Say how many messages there are, or how many of them have no room."""
        if self._is_folded or not hidden:
            words = localize(f"通知 {count} 件", f"{count} message{'s' * (count != 1)}")
        else:
            words = localize(f"ほか {hidden} 件", f"{hidden} more")
        self.more.setText(words)
        self.more.setAccessibleName(words)
        self.more.setVisible(self._is_folded or bool(hidden) or self._is_open)


def list_tab_stops(part: QWidget) -> list[QWidget]:
    """Return what Tab can reach within a widget, in the order in which it was put there."""
    # A menu or a dialog is a child of the part as well, and a window of its own.
    inside = (widget for widget in part.findChildren(QWidget) if widget.window() is part.window())
    return [widget for widget in inside if widget.focusPolicy() & Qt.FocusPolicy.TabFocus]


def find_first_stop(card: QWidget) -> QWidget:
    """Return what shows that keys go to a card: itself, or the first of its rows."""
    stops = [] if card.focusPolicy() & Qt.FocusPolicy.TabFocus else list_tab_stops(card)
    return stops[0] if stops else card


def measure_height(widget: QWidget, width: int) -> int:
    """Return the height in pixels that a widget needs at a width."""
    return widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()


def announce_message(card: MessageCard) -> None:
    """Say a message to screen readers, wherever the keys go."""
    if not QAccessible.isActive():
        return
    QAccessible.updateAccessibility(QAccessibleEvent(card, QAccessible.Event.Alert))
    announcement = QAccessibleAnnouncementEvent(card, card.accessibleName())
    is_urgent = card.kind == "error"
    announcement.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive if is_urgent else QAccessible.AnnouncementPoliteness.Polite)
    QAccessible.updateAccessibility(announcement)
