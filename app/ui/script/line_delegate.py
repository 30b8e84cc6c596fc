"""Shows the lines as cards, puts the editor into them, and says what the mouse finds there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QCursor, QMouseEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.common.language import localize
from app.ui.display_names import VoiceLabel
from app.ui.script.card_layout import AVATAR, CardLayout, CardRects
from app.ui.script.card_painter import CardLook, CardPainter
from app.ui.script.line_editor import LineEditor
from app.ui.script.line_state import describe_line_state
from app.ui.script.line_voices import LineVoiceNames
from app.ui.script.row_sizes import RowSizeCache
from app.ui.script.script_model import LINE_ROLE, STATE_ROLE, Index, ScriptModel
from app.ui.theme.theme import Theme
from app.ui.widgets.voice_picture import draw_voice_picture


class LineDelegate(QStyledItemDelegate):
    """One card for every line.

    Attributes:
        layout: measures of the cards.
        sizes: of all rows.
        voices: who speaks a line.

    Signals:
        play_requested(str): the button of a line was clicked.
        editor_opened(LineEditor): so that its own signals can be connected.
    """

    play_requested = Signal(str)
    editor_opened = Signal(object)

    def __init__(self, view: QListView, model: ScriptModel, theme: Theme) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self.layout = CardLayout(view.font())
        self.sizes = RowSizeCache(model, self._measure_row, self)
        self.voices = LineVoiceNames()
        self._painter = CardPainter(self.layout, self.voices, theme)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._painter.set_theme(theme)

    def show_voices(self, voices: Sequence[VoiceLabel], find_name: Callable[[str], str]) -> None:
        """Takes all voices there are, with their icons; `find_name` knows the names of those that are gone."""
        scale, palette = self._view.devicePixelRatioF(), self._view.palette()
        self.voices.set_voices(voices, find_name)
        self._painter.pictures = {
            voice.id: draw_voice_picture(voice.name, voice.icon, round(AVATAR), scale, palette)
            for voice in voices
            if voice.icon is not None
        }

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """As wide as the list, as high as the text."""
        return self.sizes.find_size(index.row())

    def _measure_row(self, row: int) -> QSize:
        return QSize(self._view.viewport().width(), self.compute_row_height(row))

    def compute_row_height(self, row: int) -> int:
        """Of a row as its text is now, in pixels."""
        line = self._model.find_line(row)
        return round(self.layout.compute_row_height(line.text if line else "", self._view.viewport().width()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The card and everything on it; the text is left out while its editor is open."""
        edited = self._view.indexWidget(index) is not None
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus) and (self._view.hasFocus() or edited)
        look = CardLook(
            bool(option.state & QStyle.StateFlag.State_Selected),
            bool(option.state & QStyle.StateFlag.State_MouseOver),
            focused,
            edited,
            QPointF(self._view.viewport().mapFromGlobal(QCursor.pos())),
        )
        parts = self.layout.compute_rects(QRectF(option.rect))
        self._painter.paint_line(painter, parts, index.row() + 1, index.data(LINE_ROLE), index.data(STATE_ROLE), look)

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A plain text field in the place of the text."""
        editor = LineEditor(parent, self.layout.font, index.data(LINE_ROLE).id)
        self.editor_opened.emit(editor)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Shows what the document says, which may have changed by undo."""
        assert isinstance(editor, LineEditor)
        editor.show_text(index.data())

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Nothing: the text is in the document already."""

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        """Over the text, and down to the end of the card: a field that is a hair too low would scroll."""
        parts = self.layout.compute_rects(QRectF(option.rect))
        parts.text.setBottom(parts.card.bottom() - 4)
        editor.setGeometry(parts.text.toAlignedRect())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The editor handles its own keys; the rest is as usual."""
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        return super().eventFilter(watched, event)

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        """A click on the button plays."""
        if (
            event.type() == QEvent.Type.MouseButtonRelease
            and isinstance(event, QMouseEvent)
            and event.button() == Qt.MouseButton.LeftButton
        ):
            parts = self.layout.compute_rects(QRectF(option.rect))
            if parts.button.contains(event.position()):
                self.play_requested.emit(index.data(LINE_ROLE).id)
                return True
        return super().editorEvent(event, model, option, index)

    def describe_card_part(self, rects: CardRects, point: QPointF, index: QModelIndex) -> str:
        """Return what the mouse finds on a card."""
        line, state = index.data(LINE_ROLE), index.data(STATE_ROLE)
        if rects.button.contains(point):
            return localize("この行を再生します。", "Plays this line.")
        if rects.avatar.contains(point):
            return self.voices.find_voice_name(line.settings.voice)
        if rects.chip.contains(point):
            return self.voices.format_explanation(line)
        return describe_line_state(line, state) if rects.length.contains(point) else ""
