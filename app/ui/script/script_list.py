"""The list of lines: chooses and edits in place."""

import itertools
from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QHelpEvent, QInputMethodEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QToolTip

from app.common.language import localize
from app.engine.open_voices import OpenedVoice
from app.ui.display_names import VoiceLabel
from app.ui.script.card_layout import CardRects
from app.ui.script.empty_state import EmptyStatePainter
from app.ui.script.line_delegate import LineDelegate
from app.ui.script.line_drops import LineDropList
from app.ui.script.line_editor import LineEditor
from app.ui.script.script_model import Index, ScriptModel
from app.ui.theme.theme import Theme
from app.ui.widgets.controls import SELECT_AS_CURRENT, escape_tip

NO_LETTER = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
LAYOUT_BATCH_ROWS = 100
LAYOUT_CHECK_MS = 20


class GradualListLayout(QObject):
    """Begins with `begin_layout`, before the list is laid out; afterwards it lays out whatever changes at once, as ever.

    Qt's own batches would stay on, and each edit would throw the list back to its beginning. What was in sight stays on the
    screen as it was until its rows have their places again.
    """

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._timer = QTimer(self, interval=LAYOUT_CHECK_MS)
        self._timer.timeout.connect(self._check_layout)
        self._anchor = QPersistentModelIndex()  # what is to stay in sight; none: the current line
        self._top = 0  # where it was in the viewport, in pixels
        self._shown_index = QPersistentModelIndex()

    @property
    def is_running(self) -> bool:
        """Return whether some rows have no place yet."""
        return self._timer.isActive()

    @Slot()
    def begin_layout(self) -> None:
        """Make the next layout a gradual one."""
        view = self._view
        # A layout still on its way to its row keeps it; after one that has shown its row, or had none, what is visible now is kept.
        wants_row = self._anchor.isValid() or view.currentIndex().isValid()
        if not self.is_running or self._shown_index.isValid() or not wants_row:
            current = view.currentIndex()
            in_sight = current.isValid() and view.visualRect(current).intersects(view.viewport().rect())
            anchor = current if in_sight else view.indexAt(QPoint(view.viewport().width() // 2, 1))
            self._anchor, self._top = QPersistentModelIndex(anchor), view.visualRect(anchor).top()
            view.viewport().setUpdatesEnabled(not anchor.isValid() or not view.verticalScrollBar().value())
        view.setBatchSize(LAYOUT_BATCH_ROWS)
        view.setLayoutMode(QListView.LayoutMode.Batched)
        self._shown_index = QPersistentModelIndex()
        self._timer.start()

    @Slot()
    def _check_layout(self) -> None:
        """End with the last row; before that, scroll to the former place or the current line as soon as it is laid out."""
        view, model = self._view, self._view.model()
        last = model.index(model.rowCount() - 1, 0)
        is_over = not last.isValid() or _is_laid_out(view, last)
        target = model.index(self._anchor.row(), 0) if self._anchor.isValid() else view.currentIndex()
        if target.isValid() and self._shown_index != target and _is_laid_out(view, target):
            self._scroll_to_index(target)
        if is_over:
            self._timer.stop()
            view.setLayoutMode(QListView.LayoutMode.SinglePass)
            view.viewport().setUpdatesEnabled(True)

    def _scroll_to_index(self, index: QModelIndex) -> None:
        view, bar = self._view, self._view.verticalScrollBar()
        if self._anchor.isValid():
            bar.setValue(bar.value() + view.visualRect(index).top() - self._top)
        else:
            view.scrollTo(index)
        if view.visualRect(index).intersects(view.viewport().rect()):  # else the scroll bar does not reach it yet
            self._shown_index = QPersistentModelIndex(index)
            view.viewport().setUpdatesEnabled(True)


def _is_laid_out(view: QListView, index: QModelIndex) -> bool:
    return view.visualRect(index).height() > 0


GRADUAL_LAYOUT_ROWS = 500  # rows, which take some twenty milliseconds


class ScriptList(LineDropList):
    """Shows a script model as cards.

    Signals:
        line_selected(): other lines are selected, or another is the current one.
        line_requested(): something was typed into an empty list.
        editor_opened(LineEditor), play_requested(str): of a line.
        handle_pressed(list[str]), drag_requested(list[str]): lines are about to be, or are, dragged by a handle to another program.
    """

    line_selected = Signal()
    line_requested = Signal()
    editor_opened = Signal(object)
    play_requested = Signal(str)
    handle_pressed = Signal(object)
    drag_requested = Signal(object)

    def __init__(self, model: ScriptModel, theme: Theme) -> None:
        super().__init__(model)
        self.setObjectName("script")
        self._lines = model
        self.lesson = EmptyStatePainter()  # what an empty list shows
        self.cards = LineDelegate(self, model, theme)
        model.describe_voice = self.cards.voices.describe_voice
        self.cards.editor_opened.connect(self.editor_opened)
        self.cards.play_requested.connect(self.play_requested)
        self._handled_ids: list[str] = []
        self._layout_key: object = None
        self._is_laying_out = self._is_other_width = False
        self.setItemDelegate(self.cards)
        self.setModel(model)
        self.gradual = GradualListLayout(self)  # to be begun before very many lines come
        self.setAccessibleName(localize("台本", "Script"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.AnyKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalScrollBar().setSingleStep(24)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # else every width would be measured twice
        self.verticalScrollBar().rangeChanged.connect(self._update_scroll_bar)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
        self.selectionModel().selectionChanged.connect(self._emit_line_selected)
        self.selectionModel().currentChanged.connect(self._emit_line_selected)

    @property
    def current_id(self) -> str:
        """Return the id of the line that keys go to; empty if there is none."""
        line = self._lines.find_line(self.currentIndex().row())
        return line.id if line else ""

    @property
    def selected_ids(self) -> list[str]:
        """Return the ids of the selected lines in their order. Ranges are used: ten thousand indexes take a tenth of a second."""
        ranges = sorted((item.top(), item.bottom()) for item in self.selectionModel().selection().toList())
        return [line_id for first, last in ranges for line_id in self._lines.list_ids(first, last)]

    @property
    def editor(self) -> LineEditor | None:
        """Return where a line is typed just now."""
        widget = self.indexWidget(self.currentIndex())
        return widget if isinstance(widget, LineEditor) else None

    @property
    def shown_ids(self) -> list[str]:
        """Return the ids of the lines that are shown, in their order."""
        return self._lines.list_ids(0, self._lines.rowCount() - 1)

    @property
    def is_filtered(self) -> bool:
        """Return whether only the lines of one character are shown."""
        return self._lines.is_filtered

    def select_lines(self, ids: list[str]) -> None:
        """Select lines, showing all again if one is not shown; the first becomes the current one and is scrolled into view."""
        self._lines.show_filtered_lines(ids)
        rows = [row for line_id in ids if (row := self._lines.find_row(line_id)) >= 0]
        if not rows:
            return
        # Not setCurrentIndex: that looks at the keys held down just now, and Ctrl+D would only add to the selection.
        self.selectionModel().setCurrentIndex(self._lines.index(rows[0]), SELECT_AS_CURRENT)
        selection = QItemSelection()
        # Runs of consecutive rows: selecting ten thousand rows one by one takes seconds.
        for _, run in itertools.groupby(enumerate(rows), lambda item: item[1] - item[0]):
            numbers = [row for _, row in run]
            selection.append(QItemSelectionRange(self._lines.index(numbers[0]), self._lines.index(numbers[-1])))
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.Select)

    @Slot(str)
    def scroll_to_line(self, line_id: str) -> None:
        """Scroll to a line, unless the user is typing elsewhere."""
        row = self._lines.find_row(line_id)
        if row >= 0 and self.editor is None:
            self.scrollTo(self._lines.index(row))

    def show_voice(self, voice: OpenedVoice) -> None:
        """Show this voice on the cards that have no other, and its style on those that name none."""
        self.cards.voices.set_current_voice(voice)
        self.viewport().update()

    def show_voices(self, voices: Sequence[VoiceLabel], find_name: Callable[[str], str]) -> None:
        """Show the names and pictures of the lines' voices; `find_name` knows the names of voices that are gone."""
        self.cards.show_voices(voices, find_name)
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        self.cards.set_theme(theme)
        self.viewport().update()

    def edit_line(self, row: int, offset: int = -1) -> None:
        """Open the editor of a row with the cursor at `offset`, -1 for the end."""
        index = self._lines.index(row)
        if not index.isValid():
            return
        self.selectionModel().setCurrentIndex(index, SELECT_AS_CURRENT)
        self.scrollTo(index)
        if self.editor is None:
            self.edit(index)
        if self.editor is not None:
            self.editor.place_cursor(offset)
            self.editor.setFocus()

    @Slot()
    def end_editing(self) -> None:
        """Close the editor; keys go to the list again."""
        editor = self.editor
        if editor is not None:
            self.closeEditor(editor, LineDelegate.EndEditHint.NoHint)
            self.setFocus()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Lay out lines only if a height changes: Qt would do it for all lines, forty times a second while one is spoken."""
        if Qt.ItemDataRole.DisplayRole not in roles:
            self.viewport().update(self.visualRect(first) if first == last else self.viewport().rect())
        elif first == last and self._measure_laid_out_height(first) == self.cards.compute_row_height(first.row()):
            if self.editor is not None and first == self.currentIndex():
                self.cards.setEditorData(self.editor, first)
                self.updateEditorGeometries()
            self.viewport().update(self.visualRect(first))
        else:
            super().dataChanged(first, last, list(roles))

    def _measure_laid_out_height(self, index: Index) -> int:
        """Return the height of a row as it was laid out; Qt's `visualRect` has the height that it would have now."""
        below = index.sibling(index.row() + 1, 0)
        end = self.visualRect(below).top() if below.isValid() else self.contentsSize().height() - self.verticalOffset()
        return end - self.visualRect(index).top()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Begin a line at a key typed into an empty list."""
        if not self.begin_line_with(event):
            super().keyPressEvent(event)

    def begin_line_with(self, event: QKeyEvent) -> bool:
        """Begin the first line of an empty list with the letter of a key; return False for other keys, and where there are lines."""
        is_letter = event.text().isprintable() and bool(event.text().strip()) and not event.modifiers() & NO_LETTER
        if self._lines.rowCount() or not is_letter or (editor := self._begin_line()) is None:
            return False
        editor.setFocus()
        editor.keyPressEvent(event)
        return True

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Begin a line at the first text that an input method composes in an empty list."""
        if self._lines.rowCount() or not (event.commitString() or event.preeditString()):
            super().inputMethodEvent(event)
        elif (editor := self._begin_line()) is not None:
            editor.inputMethodEvent(event)

    def _begin_line(self) -> LineEditor | None:
        self.line_requested.emit()
        return self.editor

    def selectionCommand(self, index: Index, event: QEvent | None = None) -> QItemSelectionModel.SelectionFlag:
        """Keep the selected lines at a click on a blank place, after which reading and settings would be of different lines."""
        if not index.isValid() and event is not None and event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
            return QItemSelectionModel.SelectionFlag.NoUpdate
        return super().selectionCommand(index, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember which lines a handle would drag: the selected ones if its line is one of them, else that line alone."""
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        self._handled_ids = []
        if not index.isValid() or event.button() != Qt.MouseButton.LeftButton:
            return
        if self._compute_rects(index).handle.contains(event.position()):
            (line_id,) = self._lines.list_ids(index.row(), index.row())
            selected_ids = self.selected_ids
            self._handled_ids = selected_ids if line_id in selected_ids else [line_id]
            self.handle_pressed.emit(self._handled_ids)

    def _compute_rects(self, index: QModelIndex) -> CardRects:
        return self.cards.layout.compute_rects(QRectF(self.visualRect(index)))

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Drag lines by a handle to another program, else within the list."""
        if self._handled_ids:
            self.drag_requested.emit(self._handled_ids)
        else:
            super().startDrag(actions)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the line where its text was double-clicked; below the last line, begin another one.

        A single click only selects, so that Space plays what was clicked: an editor that opened by itself would type it.
        """
        point = event.position()
        index = self.indexAt(point.toPoint())
        if not index.isValid():
            self.line_requested.emit()
        elif event.button() == Qt.MouseButton.LeftButton and self._compute_rects(index).text.contains(point):
            self.edit_line(index.row())
            if self.editor is not None:
                inside = self.editor.viewport().mapFrom(self.viewport(), point.toPoint())
                self.editor.setTextCursor(self.editor.cursorForPosition(inside))
            return
        super().mouseDoubleClickEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Describe the part of a card under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.indexAt(event.pos())
            if index.isValid():
                tip = self.cards.describe_card_part(self._compute_rects(index), QPointF(event.pos()), index)
                QToolTip.showText(event.globalPos(), escape_tip(tip), self)
            return True
        return super().viewportEvent(event)

    def doItemsLayout(self) -> None:
        """Lay out all lines, as Qt requests after any change and for each style sheet, unless all are in place."""
        layout_key = (self.cards.sizes.version, self.viewport().width())
        if self._layout_key == layout_key:
            self.updateGeometries()
            return
        if self.cards.sizes.unmeasured_count > GRADUAL_LAYOUT_ROWS:
            self.gradual.begin_layout()
        self._layout_key, self._is_laying_out = layout_key, True
        super().doItemsLayout()
        self._is_laying_out = False
        if self._is_other_width:
            self._forget_row_sizes()

    def sizeHint(self) -> QSize:
        """Return a small size, so that neighbouring parts need not scroll before the lines do; the layout gives the list all the space that is left."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current line in sight at its place: messages and jobs take their space from the list."""
        was_in_sight = self.visualRect(self.currentIndex()).intersects(QRect(QPoint(), event.oldSize()))
        self._is_other_width |= event.size().width() != event.oldSize().width()
        super().resizeEvent(event)
        if self._is_other_width and not self._is_laying_out:
            self._forget_row_sizes()
        if was_in_sight and not self.gradual.is_running:
            self.scrollTo(self.currentIndex())

    def _forget_row_sizes(self) -> None:
        """Measure all lines again, but not within a layout, which would wait for all of them."""
        self._is_other_width = False
        self.cards.sizes.forget_sizes()
        self.scheduleDelayedItemsLayout()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cards and the mark of a drop, or the hints of an empty list.

        What is still to be laid out is so before a painter is at work: Qt does it with one open, and it may change other widgets.
        """
        self.executeDelayedItemsLayout()
        edge = None if self._drop_row is None or not self._lines.rowCount() else self._find_row_edge(self._drop_row)
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        if not self._lines.rowCount():
            area, font = QRectF(self.viewport().rect()), self.cards.layout.font
            self.lesson.paint_empty_state(painter, area, font, self.window().palette(), self.hasFocus())
        elif edge is not None:
            painter.fillRect(QRectF(0, edge - 3, self.viewport().width(), 3), QColor(self.palette().accent().color()))
        painter.end()

    @Slot(int, int)
    def _update_scroll_bar(self, low: int, high: int) -> None:
        self.verticalScrollBar().setEnabled(high > low)

    @Slot()
    def _emit_line_selected(self, *_unused: object) -> None:
        self.line_selected.emit()
