"""Draws a line's card: its ground, who speaks it and how, its length, its button and its text."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QPainter, QPen, QPixmap

from app.core.script import Line
from app.language import localized
from app.ui.script.card import RADIUS, CardLayout, CardParts, seconds
from app.ui.script.line_state import LineState, Phase
from app.ui.script.line_voices import LineVoices
from app.ui.theme.icons import icon
from app.ui.theme.theme import Theme
from app.ui.widgets.voice_picture import letter_colors


@dataclass(frozen=True, slots=True)
class Look:
    """What of the list's state is seen on a card.

    Attributes:
        edited: its editor lies over it, so that the text is left out.
        mouse: where it is, as `CardParts` counts.
    """

    chosen: bool
    hovered: bool
    focused: bool
    edited: bool
    mouse: QPointF


class CardPainter:
    """Draws cards in the colours of a theme.

    Attributes:
        pictures: of voices that have one, by id; the others get their first letter.
    """

    def __init__(self, layout: CardLayout, voices: LineVoices, theme: Theme) -> None:
        self._layout, self._voices = layout, voices
        self.pictures: dict[str, QPixmap] = {}
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

    def paint(self, painter: QPainter, parts: CardParts, number: int, line: Line, state: LineState, look: Look) -> None:
        """The card and everything on it."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_card(painter, parts, state, look)
        painter.setFont(self._layout.small)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(parts.number, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, str(number))
        self._paint_avatar(painter, parts.avatar, line.settings.voice)
        self._paint_chip(painter, parts.chip, line)
        self._paint_length(painter, parts.length, line, state)
        self._paint_button(painter, parts.button, state, look)
        if not look.edited:
            self._paint_text(painter, parts.text, line.text)
        painter.restore()

    def _paint_card(self, painter: QPainter, parts: CardParts, state: LineState, look: Look) -> None:
        accent = QColor(self._theme.accent)
        ground = QColor(self._theme.notice if look.chosen else self._theme.surface)
        edge = 2.0 if look.focused else 1.0
        border = QColor(self._theme.edge if look.hovered else self._theme.border)
        painter.setPen(QPen(accent if look.chosen or look.focused else border, edge))
        painter.setBrush(ground)
        painter.drawRoundedRect(parts.card.adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2), RADIUS, RADIUS)
        if state.phase is Phase.SPEAKING:
            played = parts.card.adjusted(RADIUS, parts.card.height() - 5, -RADIUS, -2)
            painter.fillRect(played, QColor(self._theme.faint))
            played.setWidth(played.width() * state.share)
            painter.fillRect(played, accent)

    def _paint_avatar(self, painter: QPainter, place: QRectF, voice: str) -> None:
        picture = self.pictures.get(voice)
        if picture is not None:
            painter.drawPixmap(place.topLeft(), picture)
            return
        name = self._voices.name(voice)
        ground, letter = letter_colors(name, self._theme.name == "dark")
        if self._voices.is_missing(voice):
            name, ground, letter = "?", QColor(self._theme.error), QColor(self._theme.error_text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(place)
        painter.setPen(letter)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name[:1].upper() or "…")

    def _paint_chip(self, painter: QPainter, place: QRectF, line: Line) -> None:
        if not place.width():
            return
        metrics = QFontMetricsF(self._layout.small)
        name = self._chip_words(metrics, line, place.width() - 16)
        if not name:
            return
        chip = QRectF(place)
        chip.setLeft(place.right() - metrics.horizontalAdvance(name) - 16)
        painter.setPen(Qt.PenStyle.NoPen)
        missing = self._voices.is_missing(line.settings.voice)
        painter.setBrush(QColor(self._theme.error if missing else self._theme.faint))
        painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2)
        painter.setPen(QColor(self._theme.error_text if missing else self._theme.text))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, name)

    def _chip_words(self, metrics: QFontMetricsF, line: Line, room: float) -> str:
        """Speaker and style; of both the style stays whole as long as it can."""
        words, speaker = self._voices.summary(line), self._voices.speaker(line)
        lacking = metrics.horizontalAdvance(words) - room
        if lacking > 0 and speaker and words.startswith(speaker):
            kept = metrics.elidedText(speaker, Qt.TextElideMode.ElideRight, metrics.horizontalAdvance(speaker) - lacking)
            words = (kept or "…") + words[len(speaker) :]
        return metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)

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

    def _paint_button(self, painter: QPainter, place: QRectF, state: LineState, look: Look) -> None:
        hovered = look.hovered and place.contains(look.mouse)
        if hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.faint))
            painter.drawEllipse(place)
        busy = state.phase in (Phase.SPEAKING, Phase.PREPARING)
        self._icons["stop" if busy else "hovered" if hovered else "play"].paint(painter, _inner(place, 20))

    def _paint_text(self, painter: QPainter, place: QRectF, text: str) -> None:
        painter.setPen(QColor(self._theme.text if text else self._theme.muted))
        for layout in self._layout.layouts(text or localized("（空の行）", "(empty line)"), place.width()):
            layout.draw(painter, place.topLeft())


def _inner(place: QRectF, edge: int) -> QRect:
    return QRectF(place.center().x() - edge / 2, place.center().y() - edge / 2, edge, edge).toRect()
