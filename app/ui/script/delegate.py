"""Draws the lines as cards and puts the editor into them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QCursor, QFontMetricsF, QIcon, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.core.script import Line
from app.language import localized
from app.ui.labels import VoiceLabel
from app.ui.script.card import AVATAR, RADIUS, CardLayout, CardParts, seconds
from app.ui.script.editor import LineEditor
from app.ui.script.line_state import LineState, Phase, said_of
from app.ui.script.line_voices import LineVoices
from app.ui.script.script_model import LINE_ROLE, STATE_ROLE, Index, ScriptModel
from app.ui.theme.icons import icon
from app.ui.theme.theme import Theme
from app.ui.widgets.voice_picture import letter_colors, voice_picture


class LineDelegate(QStyledItemDelegate):
    """One card for every line.

    Attributes:
        layout: measures of the cards.
        voices: who speaks a line.

    Signals:
        play_wanted(str): the button of a line was clicked.
        editor_opened(LineEditor): so that its own signals can be connected.
    """

    play_requested = Signal(str)
    editor_opened = Signal(object)

    def __init__(self, view: QListView, model: ScriptModel, theme: Theme) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self.layout = CardLayout(view.font())
        self.voices = LineVoices()
        self._pictures: dict[str, QPixmap] = {}
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        muted, accent = QColor(theme.muted), QColor(theme.accent)
        self._icons: dict[str, QIcon] = {name: icon(name, muted) for name in ("play", "waiting", "done")}
        self._icons |= {
            "stop": icon("stop", accent),
            "hovered": icon("play", accent),
            "error": icon("error", QColor(theme.error_text)),
        }

    def show_voices(self, voices: Sequence[VoiceLabel], called: Callable[[str], str]) -> None:
        """Takes all voices there are, with their icons; `called` knows the names of those that are gone."""
        scale, palette = self._view.devicePixelRatioF(), self._view.palette()
        self.voices.show_voices(voices, called)
        self._pictures = {
            voice.id: voice_picture(voice.name, voice.icon, round(AVATAR), scale, palette) for voice in voices if voice.icon is not None
        }

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """As wide as the list, as high as the text."""
        return QSize(self._view.viewport().width(), self.row_height(index.row()))

    def row_height(self, row: int) -> int:
        """Of a row, in pixels; asked for every line whenever one grows, so it has to be quick."""
        line = self._model.line(row)
        return round(self.layout.height(line.text if line else "", self._view.viewport().width()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The card and everything on it; the text is left out while its editor is open."""
        line: Line = index.data(LINE_ROLE)
        state: LineState = index.data(STATE_ROLE)
        parts = self.layout.parts(QRectF(option.rect))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edited = self._view.indexWidget(index) is not None
        self._paint_card(painter, parts, option, state, edited)
        painter.setFont(self.layout.small)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(parts.number, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, str(index.row() + 1))
        self._paint_avatar(painter, parts.avatar, line.settings.voice)
        self._paint_chip(painter, parts.chip, line)
        self._paint_length(painter, parts.length, line, state)
        self._paint_button(painter, parts.button, option, state)
        if not edited:
            self._paint_text(painter, parts.text, line.text)
        painter.restore()

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
        parts = self.layout.parts(QRectF(option.rect))
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
            parts = self.layout.parts(QRectF(option.rect))
            if parts.button.contains(event.position()):
                self.play_requested.emit(index.data(LINE_ROLE).id)
                return True
        return super().editorEvent(event, model, option, index)

    def tip(self, parts: CardParts, place: QPointF, index: QModelIndex) -> str:
        """What the mouse finds on a card."""
        line, state = index.data(LINE_ROLE), index.data(STATE_ROLE)
        if parts.button.contains(place):
            return localized("この行を再生します。", "Plays this line.")
        if parts.avatar.contains(place):
            return self.voices.name(line.settings.voice)
        if parts.chip.contains(place):
            return self.voices.explanation(line)
        return said_of(line, state) if parts.length.contains(place) else ""

    def _paint_card(self, painter: QPainter, parts: CardParts, option: QStyleOptionViewItem, state: LineState, edited: bool) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        accent = QColor(self._theme.accent)
        ground = QColor(self._theme.notice if chosen else self._theme.surface)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus) and (self._view.hasFocus() or edited)
        edge = 2.0 if focused else 1.0
        painter.setPen(QPen(accent if chosen or focused else QColor(self._theme.edge if hovered else self._theme.border), edge))
        painter.setBrush(ground)
        painter.drawRoundedRect(parts.card.adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2), RADIUS, RADIUS)
        if state.phase is Phase.SPEAKING:
            played = parts.card.adjusted(RADIUS, parts.card.height() - 5, -RADIUS, -2)
            painter.fillRect(played, QColor(self._theme.faint))
            played.setWidth(played.width() * state.share)
            painter.fillRect(played, accent)

    def _paint_avatar(self, painter: QPainter, place: QRectF, voice: str) -> None:
        picture = self._pictures.get(voice)
        if picture is not None:
            painter.drawPixmap(place.topLeft(), picture)
            return
        name = self.voices.name(voice)
        ground, letter = letter_colors(name, self._theme.name == "dark")
        if self.voices.is_missing(voice):
            name, ground, letter = "?", QColor(self._theme.error), QColor(self._theme.error_text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(place)
        painter.setPen(letter)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name[:1].upper() or "…")

    def _paint_chip(self, painter: QPainter, place: QRectF, line: Line) -> None:
        metrics = QFontMetricsF(self.layout.small)
        name = metrics.elidedText(
            self.voices.summary(line),
            Qt.TextElideMode.ElideRight,
            place.width() - 16,
        )
        if not name:
            return
        chip = QRectF(place)
        chip.setLeft(place.right() - metrics.horizontalAdvance(name) - 16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.faint))
        painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2)
        painter.setPen(QColor(self._theme.text))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, name)

    def _paint_length(self, painter: QPainter, place: QRectF, line: Line, state: LineState) -> None:
        """Seconds of the last take; a hook before them while the line is still as it was then."""
        if state.phase is Phase.FAILED:
            self._icons["error"].paint(painter, _inner(QRectF(place.right() - 20, place.top(), 20, place.height()), 20))
            return
        if state.phase is Phase.PREPARING:
            self._icons["waiting"].paint(painter, _inner(QRectF(place.right() - 20, place.top(), 20, place.height()), 20))
            return
        if state.take is None:
            return
        painter.setPen(QColor(self._theme.text if state.take.line == line else self._theme.muted))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, seconds(state.take.length_s))
        if state.is_done(line):
            self._icons["done"].paint(painter, _inner(QRectF(place.left(), place.top(), 16, place.height()), 16))

    def _paint_button(self, painter: QPainter, place: QRectF, option: QStyleOptionViewItem, state: LineState) -> None:
        under_mouse = place.contains(QPointF(self._view.viewport().mapFromGlobal(QCursor.pos())))
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver) and under_mouse
        if hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.faint))
            painter.drawEllipse(place)
        busy = state.phase in (Phase.SPEAKING, Phase.PREPARING)
        self._icons["stop" if busy else "hovered" if hovered else "play"].paint(painter, _inner(place, 20))

    def _paint_text(self, painter: QPainter, place: QRectF, text: str) -> None:
        painter.setPen(QColor(self._theme.text if text else self._theme.muted))
        for layout in self.layout.layouts(text or localized("（空の行）", "(empty line)"), place.width()):
            layout.draw(painter, place.topLeft())


def _inner(place: QRectF, edge: int) -> QRect:
    return QRectF(place.center().x() - edge / 2, place.center().y() - edge / 2, edge, edge).toRect()
