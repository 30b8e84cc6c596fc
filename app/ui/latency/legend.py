"""What the colours and marks of the bars mean, as far as there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.language import localized
from app.stage_words import stage_name
from app.ui.latency.target_words import target_words
from app.ui.plain_text import plain_tip
from app.ui.theme.theme import Theme
from app.ui.widgets.hatch import paint_cached

CHIP, GAP, BETWEEN, CLOSEST = 9.0, 5.0, 13.0, 5.0
FIRST_AUDIO, CACHED, COLD, TARGET = "first_audio", "cached", "cold", "target"


class LatencyLegend(QWidget):
    """One row of chips and names: first the marks, then the stages that the voice has."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._stages: tuple[str, ...] = ()
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        self.setFont(font)
        self.setWhatsThis(target_words())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        self.update()

    def show_stages(self, stages: Sequence[str]) -> None:
        """Names these stages."""
        if tuple(stages) != self._stages:
            self._stages = tuple(stages)
            self.setAccessibleName(localized("凡例: ", "Legend: ") + localized("、", ", ").join(words for _, words in self._entries()))
            self.update()

    def event(self, event: QEvent) -> bool:
        """Says what a target is where one rests on its name."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.describe(event.pos().x())), self)
            return True
        return super().event(event)

    def describe(self, x: float) -> str:
        """What needs more words than its name at this pixel."""
        reached = [key for key, _, left in self.shown() if left <= x]
        return target_words() if reached and reached[-1] == TARGET else ""

    def sizeHint(self) -> QSize:
        """As wide as there is room for."""
        return QSize(0, self.fontMetrics().height() + 4)

    def shown(self) -> list[tuple[str, str, float]]:
        """Mark or stage, its name, and the pixel where it begins, for all that fit."""
        entries = [(key, words, CHIP + GAP + self.fontMetrics().horizontalAdvance(words)) for key, words in self._entries()]
        spare = self.width() - sum(width for _, _, width in entries)
        between = min(BETWEEN, max(CLOSEST, spare / max(1, len(entries) - 1)))  # closer, so that all have room
        left, fitting = 0.0, []
        for key, words, width in entries:
            if left + width > self.width():
                break
            fitting.append((key, words, left))
            left += width + between
        return fitting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Chips and names."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for key, words, left in self.shown():
            self._paint_mark(painter, key, QRectF(left, (self.height() - CHIP) / 2, CHIP, CHIP))
            painter.setPen(QColor(self._theme.muted))
            room = QRectF(left + CHIP + GAP, 0, self.width(), self.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.end()

    def _entries(self) -> Iterator[tuple[str, str]]:
        yield FIRST_AUDIO, localized("最初の音声まで", "To first audio")
        yield CACHED, localized("キャッシュ", "Cached")
        yield COLD, localized("初回", "First run")
        yield TARGET, localized("目標", "Target")
        yield from ((stage, stage_name(stage)) for stage in self._stages)

    def _paint_mark(self, painter: QPainter, key: str, chip: QRectF) -> None:
        color = QColor(self._theme.stages.get(key, self._theme.muted))
        painter.setPen(Qt.PenStyle.NoPen)
        if key == FIRST_AUDIO:
            painter.setBrush(QColor(self._theme.text))
            painter.drawPolygon(
                [chip.topLeft() + QPointF(0, 1), chip.topRight() + QPointF(0, 1), QPointF(chip.center().x(), chip.bottom() - 1)]
            )
        elif key == CACHED:
            paint_cached(painter, chip, color)
        elif key == TARGET:
            painter.setPen(QPen(color, 1.4, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(chip.center().x(), chip.top() - 2), QPointF(chip.center().x(), chip.bottom() + 2))
        else:
            color.setAlpha(90 if key == COLD else 255)
            painter.fillRect(chip, color)
