"""▶ in the rows of every list in which a voice is chosen: the voice introduces itself, and the list stays as it is."""

from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QMenu, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from app.common.language import localize
from app.ui.theme.theme import draw_icon

LISTEN_KEY = "Ctrl+Space"
BUTTON_PX, ICON_PX, SEPARATOR_PX = 28, 14, 9
CLICK_EVENTS = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick)
Row = QModelIndex | QPersistentModelIndex
ROW_SEPARATOR = "separator"  # by this accessible description Qt's own delegate of a combo box knows a separator


class VoicePick(NamedTuple):
    """Somebody to be heard: a voice by the id that lines have, a speaker and a style by name; empty names mean the first of the voice."""

    voice: str
    speaker: str = ""
    style: str = ""


class ListeningRows(QStyledItemDelegate):
    """The rows of a view, each with ▶ at its end where `find_pick` knows whom it stands for.

    A click on ▶ is not a choice: a box's list stays open. Ctrl+Space is the key for it.

    Signals:
        requested(VoicePick): let this one speak.

    Args:
        find_pick: returns whom a row offers; None where there is nothing to hear.
        box: the combo box whose list it is, if it is one's.
    """

    requested = Signal(object)

    def __init__(self, view: QAbstractItemView, find_pick: Callable[[Row], VoicePick | None], box: QComboBox | None = None) -> None:
        super().__init__(view)
        self._view, self._find_pick, self._box = view, find_pick, box
        view.setItemDelegate(self)
        for watched in (view.viewport(), view, *((box,) if box is not None else ())):
            watched.installEventFilter(self)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Row) -> None:
        """Paint the row, whose text ends before ▶."""
        if _is_separator(index):
            painter.setPen(option.palette.mid().color())
            painter.drawLine(option.rect.left(), option.rect.center().y(), option.rect.right(), option.rect.center().y())
            return
        if self._find_pick(index) is None:
            super().paint(painter, option, index)
            return
        row = QStyleOptionViewItem(option)
        self.initStyleOption(row, index)
        style = self._view.style()
        room = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, row, self._view).width() - BUTTON_PX
        lines = row.text.splitlines()  # Qt counts them together, and cut short what has room
        row.text = "\u2028".join(row.fontMetrics.elidedText(line, Qt.TextElideMode.ElideRight, max(0, room)) for line in lines)
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, row, painter, self._view)
        # The style sheet inverts the chosen row of a box, and of no other list.
        is_inverted = bool(row.state & QStyle.StateFlag.State_Selected) and self._box is not None
        area = QRect(0, 0, ICON_PX, ICON_PX)
        area.moveCenter(_find_button(option.rect).center())
        draw_icon("play", (row.palette.highlightedText() if is_inverted else row.palette.text()).color()).paint(painter, area)

    def sizeHint(self, option: QStyleOptionViewItem, index: Row) -> QSize:
        """Return the size of the row with ▶."""
        if _is_separator(index):
            return QSize(0, SEPARATOR_PX)
        size = super().sizeHint(option, index)
        return size if self._find_pick(index) is None else QSize(size.width() + BUTTON_PX, size.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take clicks on ▶, and the key, before the view counts them as a choice."""
        if isinstance(event, QMouseEvent) and watched is self._view.viewport() and event.type() in CLICK_EVENTS:
            return self._take_click(event)
        if isinstance(event, QHelpEvent) and watched is self._view.viewport() and self._find_pick_at(event.pos()) is not None:
            QToolTip.showText(event.globalPos(), localize(f"聞いてみる（{LISTEN_KEY}）", f"Listen ({LISTEN_KEY})"), self._view)
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and watched is not self._view.viewport():
            return self._take_key(watched, event)
        return False  # the delegate's own filter takes what it watches for editors

    def _take_click(self, event: QMouseEvent) -> bool:
        pick = self._find_pick_at(event.position().toPoint()) if event.button() == Qt.MouseButton.LeftButton else None
        if pick is not None and event.type() == QEvent.Type.MouseButtonRelease:
            self.requested.emit(pick)
        return pick is not None

    def _take_key(self, watched: QObject, event: QKeyEvent) -> bool:
        if not _is_listen_key(event):
            return False
        if self._box is not None and watched is self._box:
            index = self._box.model().index(self._box.currentIndex(), 0)
        else:
            index = self._view.currentIndex()
        if (pick := self._find_pick(index) if index.isValid() else None) is not None:
            self.requested.emit(pick)
        return True

    def _find_pick_at(self, place: QPoint) -> VoicePick | None:
        """Return whom the ▶ at a place of the view stands for; None where there is none."""
        index = self._view.indexAt(place)
        is_on_button = index.isValid() and _find_button(self._view.visualRect(index)).contains(place)
        return self._find_pick(index) if is_on_button else None


class ListeningEntries(QObject):
    """The entries of a menu, each with ▶ at its end where its data are a `VoicePick`; a click there leaves the menu open.

    Signals:
        requested(VoicePick): let this one speak.
    """

    requested = Signal(object)

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
        self._menu = menu
        menu.installEventFilter(self)

    def add_entry(self, text: str, pick: VoicePick | None) -> QAction:
        """Return a new entry for somebody who can be heard; None stands for nobody."""
        # Qt puts what follows a tab at the end of the entry, where it has keys.
        action = self._menu.addAction(text if pick is None else f"{text}\t▶")
        action.setData(pick)
        return action

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take clicks on ▶, and the key, before the menu counts them as a choice."""
        if isinstance(event, QMouseEvent) and event.type() in CLICK_EVENTS:
            place = event.position().toPoint()
            action = self._menu.actionAt(place)
            is_on_button = action is not None and _find_button(self._menu.actionGeometry(action)).contains(place)
            return is_on_button and self._request_pick(action, is_asked=event.type() == QEvent.Type.MouseButtonRelease)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and _is_listen_key(event):
            return self._request_pick(self._menu.activeAction(), is_asked=True)
        return False

    def _request_pick(self, action: QAction | None, *, is_asked: bool) -> bool:
        """Return whether an entry has ▶, and ask for it to be heard."""
        pick = action.data() if action is not None else None
        if not isinstance(pick, VoicePick):
            return False
        if is_asked:
            self.requested.emit(pick)
        return True


def add_listening(box: QComboBox, find_pick: Callable[[Any], VoicePick | None]) -> ListeningRows:
    """Give the rows of a box ▶; `find_pick` returns whom the data of a row stand for."""
    return ListeningRows(box.view(), lambda index: find_pick(index.data(Qt.ItemDataRole.UserRole)), box)


def _find_button(row: QRect) -> QRect:
    return QRect(row.right() - BUTTON_PX, row.top(), BUTTON_PX, row.height())


def _is_listen_key(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier


def _is_separator(index: Row) -> bool:
    return bool(index.data(Qt.ItemDataRole.AccessibleDescriptionRole) == ROW_SEPARATOR)
