"""Where every millisecond goes: bars at the left, how it has gone in the middle, figures at the right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QFrame, QHBoxLayout, QWidget

from app.errors import OutputFileError
from app.language import localized
from app.ui.latency.chart_place import ChartPlace
from app.ui.latency.dock_title import MARGIN, LatencyTitle
from app.ui.latency.legend import LatencyLegend
from app.ui.latency.table import LatencyTable
from app.ui.latency.trend import LatencyTrend
from app.ui.synthesis.measurements import LatencyHistory
from app.ui.synthesis.utterance import Utterance
from app.ui.theme.theme import Theme
from app.ui.widgets.scroll_frame import ScrollFrame

if TYPE_CHECKING:
    from app.ui.latency.chart import LatencyChart

QWIDGETSIZE_MAX = (1 << 24) - 1  # Qt's own, which PySide does not have


class LatencyDock(QDockWidget):
    """Chart, trend and table of a history.

    Attributes:
        title: with the buttons.
        place: of the chart; to be closed with the window.

    Signals:
        failed(AppError): the measurements could not be written.
        toggled(bool): open, or folded down to its title.
    """

    failed = Signal(object)
    toggled = Signal(bool)

    def __init__(self, history: LatencyHistory, theme: Theme) -> None:
        super().__init__(localized("処理時間", "Latency"))
        self.setObjectName("latency")
        self.setAllowedAreas(Qt.DockWidgetArea.BottomDockWidgetArea | Qt.DockWidgetArea.TopDockWidgetArea)
        self._history = history
        self._was_live = False
        self.place = ChartPlace(theme)
        self.trend = LatencyTrend(theme)
        self.table = LatencyTable(theme)
        self.legend = LatencyLegend(theme)
        self.title = LatencyTitle(self.windowTitle(), self.legend)
        self.setTitleBarWidget(self.title)
        self.setWidget(ScrollFrame(self._body()))
        self.show_figures()
        self.place.filled.connect(self.show_figures)
        self.title.fold.toggled.connect(self._on_toggled)
        self.title.installEventFilter(self)
        self.title.pause.toggled.connect(self.show_figures)
        self.title.export_requested.connect(self._export)
        self.title.clear_requested.connect(self.clear)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follows the height of the title, which another style sheet changes."""
        if watched is self.title and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show) and not self.is_open:
            self._limit_height()
        return super().eventFilter(watched, event)

    @property
    def chart(self) -> LatencyChart:
        """The bars."""
        return self.place.chart

    @property
    def is_open(self) -> bool:
        """True while more than its title is shown."""
        return self.title.fold.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Opens or folds it."""
        self.title.fold.setChecked(is_open)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self.place.set_theme(theme)
        self.legend.set_theme(theme)
        self.trend.set_theme(theme)
        self.table.figures.set_theme(theme)

    def show_live(self, live: tuple[Utterance, float] | None) -> None:
        """Draws the bars as they are now; while nothing is computed there is nothing to draw."""
        if self.isVisible() and not self.title.pause.isChecked() and (live is not None or self._was_live):
            self.place.refresh(self._history, live)
        self._was_live = live is not None

    def begin(self) -> None:
        """A voice is ready, or there is none: the chart may be made."""
        self.place.begin()

    @Slot()
    def show_figures(self) -> None:
        """Reads everything again, unless it is paused."""
        if self.title.pause.isChecked():
            return
        self.place.refresh(self._history, None)
        self.legend.show_stages(self._history.stages)
        self.trend.show_history(self._history)
        self.table.figures.show(self._history)

    @Slot()
    def clear(self) -> None:
        """Forgets what is finished."""
        self._history.clear()
        self.title.pause.setChecked(False)
        self.show_figures()

    @Slot(str)
    def _export(self, suffix: str) -> None:
        from app.ui.latency.saving import ask_for_name

        file = ask_for_name(self, localized("書き出す", "Export"), suffix)
        if file is not None:
            self.write(file, suffix)

    def write(self, file: Path, suffix: str) -> None:
        """Writes all measurements ("csv") or what is shown ("png"); `failed` says where that is not possible."""
        from app.ui.latency.saving import write_csv, write_picture

        try:
            if suffix == "csv":
                write_csv(self._history, file)
            else:
                write_picture(self.widget(), self.legend, file)
        except OutputFileError as error:
            self.failed.emit(error)

    def _body(self) -> QWidget:
        """One card with three parts."""
        card = QFrame()
        card.setObjectName("card")
        row = QHBoxLayout(card)
        row.setContentsMargins(8, 4, 4, 4)
        row.setSpacing(4)
        row.addWidget(self.place, 1)
        for part in (self.trend, self.table):
            edge = QFrame()
            edge.setObjectName("edge")
            row.addWidget(edge)
            row.addWidget(part)
        body = QWidget()
        whole = QHBoxLayout(body)
        whole.setContentsMargins(MARGIN, 0, MARGIN, 8)
        whole.addWidget(card)
        return body

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self.widget().setVisible(is_open)
        self._limit_height()
        self.toggled.emit(is_open)

    def _limit_height(self) -> None:
        """Leaves a folded dock the height of its title."""
        self.setMaximumHeight(QWIDGETSIZE_MAX if self.is_open else self.title.sizeHint().height())
