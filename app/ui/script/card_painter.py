"""Draws a line's card: its ground, who speaks it and how, its length, its button and its text."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QPainter, QPen, QPixmap

from app.common.language import localize
from app.core.script import Line
from app.ui.script.card_layout import CARD_RADIUS_PX, CardLayout, CardRects, format_card_seconds
from app.ui.script.line_state import LinePhase, LineState
from app.ui.script.line_voices import LineVoiceNames
from app.ui.theme.theme import Theme
from app.ui.theme.themed_icons import draw_icon
from app.ui.widgets.voice_picture import choose_letter_colors


@dataclass(frozen=True, slots=True)
class CardLook:
    """The part of the list's state that a card shows.

    Attributes:
        is_edited: its editor lies over it, so that the text is left out.
        mouse_position: where it is, as `CardRects` counts.
    """

    is_selected: bool
    is_hovered: bool
    is_focused: bool
    is_edited: bool
    mouse_position: QPointF


class CardPainter:
    """Draws cards in the colours of a theme.

    Attributes:
        pictures: of voices that have one, by id; the others get their first letter.
    """

    def __init__(self, layout: CardLayout, voices: LineVoiceNames, theme: Theme) -> None:
        self._layout, self._voices = layout, voices
        self.pictures: dict[str, QPixmap] = {}
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        muted, accent = QColor(theme.muted), QColor(theme.accent)
        self._icons: dict[str, QIcon] = {name: draw_icon(name, muted) for name in ("play", "waiting", "done")}
        self._icons |= {
            "stop": draw_icon("stop", accent),
            "hovered": draw_icon("play", accent),
            "error": draw_icon("error", QColor(theme.error_text)),
        }

    def paint_line(self, painter: QPainter, rects: CardRects, number: int, line: Line, state: LineState, look: CardLook) -> None:
        """The card and everything on it."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_card(painter, rects, state, look)
        painter.setFont(self._layout.small)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(rects.number, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, str(number))
        self._paint_avatar(painter, rects.avatar, line.settings.voice)
        self._paint_chip(painter, rects.chip, line)
        self._paint_length(painter, rects.length, line, state)
        self._paint_button(painter, rects.button, state, look)
        if not look.is_edited:
            self._paint_text(painter, rects.text, line.text)
        painter.restore()

    def _paint_card(self, painter: QPainter, rects: CardRects, state: LineState, look: CardLook) -> None:
        accent = QColor(self._theme.accent)
        ground = QColor(self._theme.notice if look.is_selected else self._theme.surface)
        edge = 2.0 if look.is_focused else 1.0
        border = QColor(self._theme.edge if look.is_hovered else self._theme.border)
        painter.setPen(QPen(accent if look.is_selected or look.is_focused else border, edge))
        painter.setBrush(ground)
        painter.drawRoundedRect(rects.card.adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2), CARD_RADIUS_PX, CARD_RADIUS_PX)
        if state.phase is LinePhase.SPEAKING:
            played = rects.card.adjusted(CARD_RADIUS_PX, rects.card.height() - 5, -CARD_RADIUS_PX, -2)
            painter.fillRect(played, QColor(self._theme.faint))
            played.setWidth(played.width() * state.share)
            painter.fillRect(played, accent)

    def _paint_avatar(self, painter: QPainter, area: QRectF, voice: str) -> None:
        picture = self.pictures.get(voice)
        if picture is not None:
            painter.drawPixmap(area.topLeft(), picture)
            return
        name = self._voices.find_voice_name(voice)
        ground, letter = choose_letter_colors(name, self._theme.name == "dark")
        if self._voices.is_missing(voice):
            name, ground, letter = "?", QColor(self._theme.error), QColor(self._theme.error_text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(area)
        painter.setPen(letter)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name[:1].upper() or "…")

    def _paint_chip(self, painter: QPainter, area: QRectF, line: Line) -> None:
        if not area.width():
            return
        metrics = QFontMetricsF(self._layout.small)
        name = self._format_chip_text(metrics, line, area.width() - 16)
        if not name:
            return
        chip = QRectF(area)
        chip.setLeft(area.right() - metrics.horizontalAdvance(name) - 16)
        painter.setPen(Qt.PenStyle.NoPen)
        missing = self._voices.is_missing(line.settings.voice)
        painter.setBrush(QColor(self._theme.error if missing else self._theme.faint))
        painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2)
        painter.setPen(QColor(self._theme.error_text if missing else self._theme.text))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, name)

    def _format_chip_text(self, metrics: QFontMetricsF, line: Line, width: float) -> str:
        """Speaker and style; of both the style stays whole as long as it can."""
        words, speaker = self._voices.format_summary(line), self._voices.find_speaker(line)
        lacking = metrics.horizontalAdvance(words) - width
        if lacking > 0 and speaker and words.startswith(speaker):
            kept = metrics.elidedText(speaker, Qt.TextElideMode.ElideRight, metrics.horizontalAdvance(speaker) - lacking)
            words = (kept or "…") + words[len(speaker) :]
        return metrics.elidedText(words, Qt.TextElideMode.ElideRight, width)

    def _paint_length(self, painter: QPainter, area: QRectF, line: Line, state: LineState) -> None:
        """Seconds of the last take; a hook before them while the line is still as it was then."""
        if state.phase is LinePhase.FAILED:
            self._icons["error"].paint(painter, _shrink_to_square(QRectF(area.right() - 20, area.top(), 20, area.height()), 20))
            return
        if state.phase is LinePhase.PREPARING:
            self._icons["waiting"].paint(painter, _shrink_to_square(QRectF(area.right() - 20, area.top(), 20, area.height()), 20))
            return
        if state.last_rendering is None:
            return
        painter.setPen(QColor(self._theme.text if state.last_rendering.line == line else self._theme.muted))
        painter.drawText(
            area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, format_card_seconds(state.last_rendering.length_s)
        )
        if state.is_done(line):
            self._icons["done"].paint(painter, _shrink_to_square(QRectF(area.left(), area.top(), 16, area.height()), 16))

    def _paint_button(self, painter: QPainter, area: QRectF, state: LineState, look: CardLook) -> None:
        hovered = look.is_hovered and area.contains(look.mouse_position)
        if hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.faint))
            painter.drawEllipse(area)
        busy = state.phase in (LinePhase.SPEAKING, LinePhase.PREPARING)
        self._icons["stop" if busy else "hovered" if hovered else "play"].paint(painter, _shrink_to_square(area, 20))

    def _paint_text(self, painter: QPainter, area: QRectF, text: str) -> None:
        painter.setPen(QColor(self._theme.text if text else self._theme.muted))
        for layout in self._layout.build_text_layouts(text or localize("（空の行）", "(empty line)"), area.width()):
            layout.draw(painter, area.topLeft())


def _shrink_to_square(area: QRectF, edge: int) -> QRect:
    return QRectF(area.center().x() - edge / 2, area.center().y() - edge / 2, edge, edge).toRect()
