"""The tour of a first start: what the parts of the window are for, in twenty seconds; any key or click ends it and does what it always does."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.widgets.controls import PlainLabel, fill_box

STEP_MS = 4_000
SHADE = QColor(0, 0, 0, 120)
SPOT_MARGIN_PX, SPOT_RADIUS_PX, BUBBLE_GAP_PX, BUBBLE_WIDTH_PX = 4, 10, 12, 380
ENDING_EVENTS = (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class TourStep(NamedTuple):
    """A part of the window, and what it is for."""

    part: QWidget
    text: str


class Tour(QWidget):
    """Shades the window but for one part at a time; it takes neither keys nor clicks.

    Signals:
        ended(): all parts were shown, or the user went to work.
    """

    ended = Signal()

    def __init__(self, window: QWidget, steps: Sequence[TourStep]) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window, self._steps = window, [step for step in steps if step.part.isVisible()]
        self.number = -1  # of the step that is shown
        self.bubble = QFrame(self)
        self.bubble.setObjectName("card")
        self.bubble.setFixedWidth(BUBBLE_WIDTH_PX)
        self.text, self.progress = PlainLabel("", "heading", wraps=True), PlainLabel("", "muted", wraps=True)
        fill_box(QVBoxLayout(self.bubble), self.text, self.progress, spacing=4, margins=(14, 10, 14, 10))
        self.timer = QTimer(self, interval=STEP_MS)
        self.timer.timeout.connect(self._show_next_step)

    def begin_tour(self) -> None:
        """Show the first part, and the others after it."""
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)
        self.show()
        self.raise_()
        self.timer.start()
        self._show_next_step()

    def end_tour(self) -> None:
        """Give the window back."""
        if self.timer.isActive():
            self.timer.stop()
            self.ended.emit()
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End at the first key or click in the window, which still reaches what it is for; follow another size."""
        if event.type() in ENDING_EVENTS and watched.isWidgetType():
            self.end_tour()
        elif watched is self._window and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._place_bubble()
        elif watched is self._window and event.type() in (QEvent.Type.Close, QEvent.Type.Hide):
            self.end_tour()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the shade around the part."""
        painter, shade, hole = QPainter(self), QPainterPath(), QPainterPath()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shade.addRect(QRectF(self.rect()))
        hole.addRoundedRect(QRectF(self._find_spot()), SPOT_RADIUS_PX, SPOT_RADIUS_PX)
        painter.fillPath(shade.subtracted(hole), SHADE)
        painter.setPen(self.palette().color(self.palette().ColorRole.Highlight))
        painter.drawPath(hole)

    @Slot()
    def _show_next_step(self) -> None:
        self.number += 1
        if self.number >= len(self._steps):
            self.end_tour()
            return
        self.text.setText(self._steps[self.number].text)
        place = f"{self.number + 1} / {len(self._steps)}"
        self.progress.setText(localize(f"{place}　どのキーを押しても終わります", f"{place}   Any key ends the tour"))
        self._place_bubble()
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.text.text()))

    def _find_spot(self) -> QRect:
        """Return the rectangle of the part, with a margin."""
        part = self._steps[min(self.number, len(self._steps) - 1)].part
        spot = QRect(part.mapTo(self._window, QPoint()), part.size())
        return spot.adjusted(-SPOT_MARGIN_PX, -SPOT_MARGIN_PX, SPOT_MARGIN_PX, SPOT_MARGIN_PX).intersected(self.rect())

    def _place_bubble(self) -> None:
        """Put the words below the part, above it or left of it, wherever there is room, else over it."""
        self.resize(self._window.size())
        self.bubble.adjustSize()
        spot, bubble = self._find_spot(), QRect(QPoint(), self.bubble.size())
        bubble.moveCenter(spot.center())
        if spot.bottom() + BUBBLE_GAP_PX + bubble.height() <= self.height():
            bubble.moveTop(spot.bottom() + BUBBLE_GAP_PX)
        elif spot.top() - BUBBLE_GAP_PX - bubble.height() >= 0:
            bubble.moveBottom(spot.top() - BUBBLE_GAP_PX)
        elif spot.left() - BUBBLE_GAP_PX - bubble.width() >= 0:
            bubble.moveRight(spot.left() - BUBBLE_GAP_PX)
        bubble.moveLeft(max(BUBBLE_GAP_PX, min(bubble.left(), self.width() - bubble.width() - BUBBLE_GAP_PX)))
        self.bubble.move(bubble.topLeft())
        self.update()
