"""The title bar of the latency dock: folds it, explains its colours, pauses, exports and clears."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app.common.language import localize
from app.ui.latency.latency_legend import LatencyLegend
from app.ui.widgets.fold_button import FoldButton

TITLE_MARGIN_PX = 14  # beside everything in the dock


class LatencyTitle(QWidget):
    """A title bar, which is all that a folded dock shows.

    Attributes:
        fold: Checked while the dock is open; the other widgets are visible only then.
        legend, pause: The legend of colours; the button that is checked while the figures are frozen.

    Signals:
        export_requested(str): A file of this suffix, "csv" or "png", is to be written.
        clear_requested(): The measurements are to be cleared.
    """

    export_requested = Signal(str)
    clear_requested = Signal()

    def __init__(self, name: str, legend: LatencyLegend) -> None:
        super().__init__()
        self.legend = legend
        self.fold = FoldButton(name, localize("処理ごとの時間の表示を切り替えます。", "Shows or hides how long each stage takes."))
        self.fold.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.fold.setChecked(True)
        self.fold.toggled.connect(self._update_parts)
        self.pause = _create_button(
            localize("一時停止", "Pause"), localize("グラフの更新を止めます。計測は続きます。", "Pauses the chart; measuring continues.")
        )
        self.pause.setCheckable(True)
        export = _create_button(
            localize("書き出す", "Export"),
            localize("計測値を CSV、グラフを PNG に書き出します。", "Exports the figures as CSV or the chart as PNG."),
        )
        menu = QMenu(export)
        for words, suffix in ((localize("表（CSV）…", "Table (CSV)…"), "csv"), (localize("画像（PNG）…", "Image (PNG)…"), "png")):
            menu.addAction(words).triggered.connect(lambda _checked, suffix=suffix: self.export_requested.emit(suffix))
        export.setMenu(menu)
        export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        clear = _create_button(localize("消去", "Clear"), localize("グラフと表を消去します。", "Clears the chart and the table."))
        clear.setAccessibleName(localize("処理時間の記録を消去", "Clear the measurements"))
        clear.clicked.connect(self.clear_requested)
        self._tools = (legend, self.pause, export, clear)
        self._lay_out_widgets()

    def _lay_out_widgets(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(TITLE_MARGIN_PX, 2, 10, 2)
        row.setSpacing(6)
        row.addWidget(self.fold)
        row.addSpacing(10)
        row.addWidget(self.legend, 1)
        for button in self._tools[1:]:
            row.addWidget(button)
        row.addStretch(0)

    @Slot(bool)
    def _update_parts(self, is_open: bool) -> None:
        for widget in self._tools:
            widget.setVisible(is_open)


def _create_button(name: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(name)
    button.setAccessibleName(name)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
