"""The title of the latency dock: folds it, explains its colours, pauses, exports and clears."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app.language import localized
from app.ui.latency.legend import LatencyLegend
from app.ui.widgets.fold_button import FoldButton

MARGIN = 14  # pixels beside everything in the dock


class LatencyTitle(QWidget):
    """What is seen of the dock while it is folded, and above it while it is not.

    Attributes:
        fold: checked while the dock is open; the others are seen only then.
        legend, pause: the colours of the stages; checked while figures stay as they are.

    Signals:
        export_requested(str): into a file of this suffix, "csv" or "png".
        clear_requested(): what is measured is to be forgotten.
    """

    export_requested = Signal(str)
    clear_requested = Signal()

    def __init__(self, name: str, legend: LatencyLegend) -> None:
        super().__init__()
        self.legend = legend
        self.fold = FoldButton(name, localized("処理ごとの時間の表示を切り替えます。", "Shows or hides how long each stage takes."))
        self.fold.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.fold.setChecked(True)
        self.fold.toggled.connect(self._on_toggled)
        self.pause = _button(
            localized("一時停止", "Pause"), localized("グラフの更新を止めます。計測は続きます。", "Pauses the chart; measuring continues.")
        )
        self.pause.setCheckable(True)
        export = _button(
            localized("書き出す", "Export"),
            localized("計測値を CSV、グラフを PNG に書き出します。", "Exports the figures as CSV or the chart as PNG."),
        )
        menu = QMenu(export)
        for words, suffix in ((localized("表（CSV）…", "Table (CSV)…"), "csv"), (localized("画像（PNG）…", "Image (PNG)…"), "png")):
            menu.addAction(words).triggered.connect(lambda _checked, suffix=suffix: self.export_requested.emit(suffix))
        export.setMenu(menu)
        export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        clear = _button(localized("消去", "Clear"), localized("グラフと表を消去します。", "Clears the chart and the table."))
        clear.setAccessibleName(localized("処理時間の記録を消去", "Clear the measurements"))
        clear.clicked.connect(self.clear_requested)
        self._tools = (legend, self.pause, export, clear)
        self._lay_out()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 2, 10, 2)
        row.setSpacing(6)
        row.addWidget(self.fold)
        row.addSpacing(10)
        row.addWidget(self.legend, 1)
        for button in self._tools[1:]:
            row.addWidget(button)
        row.addStretch(0)

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        for widget in self._tools:
            widget.setVisible(is_open)


def _button(name: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(name)
    button.setAccessibleName(name)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
