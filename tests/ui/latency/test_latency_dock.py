"""The card of the latency dock: its legend, whole rows, hatches on fine screens, and nothing while there is nothing."""

import itertools

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.latency.latency_chart import LatencyChart
from app.ui.latency.latency_dock import LatencyDock
from app.ui.latency.latency_title import LatencyLegend
from app.ui.synthesis.latency_history import LatencyHistory
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME
from app.ui.widgets.painting import paint_hatch
from tests.ui.latency.test_measurements import spoken

pytestmark = pytest.mark.usefixtures("styled")


def test_the_legend_names_what_fits_marks_first(qtbot: QtBot) -> None:
    legend = LatencyLegend(LIGHT_THEME)
    qtbot.addWidget(legend)
    legend.show_stages(("g2p", "bert", "decode"))
    legend.resize(1200, 20)
    assert [words for _, words, _ in legend.list_fitting_entries()] == [
        "To first audio",
        "Cached",
        "First run",
        "Target",
        "Reading",
        "BERT",
        "Decode",
    ]
    assert "BERT" in legend.accessibleName()
    image = legend.grab().toImage()
    (left,) = (left for key, _, left in legend.list_fitting_entries() if key == "bert")
    assert image.pixelColor(round(left) + 4, image.height() // 2).name() == LIGHT_THEME.stages["bert"]
    legend.resize(150, 20)
    shown = legend.list_fitting_entries()
    assert 0 < len(shown) < 7
    assert shown[0][1] == "To first audio"


@pytest.mark.parametrize("height", [90, 101, 117, 140, 163, 200])
def test_the_table_shows_whole_rows(qtbot: QtBot, height: int) -> None:
    dock = LatencyDock(LatencyHistory(), LIGHT_THEME)
    qtbot.addWidget(dock)
    table = dock.table
    table.setParent(None)
    qtbot.addWidget(table)
    table.resize(table.width(), height)
    table.show()
    QApplication.processEvents()
    assert table.viewport().height() % table.verticalHeader().defaultSectionSize() == 0
    assert table.viewport().height() > height - table.horizontalHeader().height() - table.verticalHeader().defaultSectionSize() - 2


def test_the_chart_waits_for_the_first_voice(qtbot: QtBot) -> None:
    dock = LatencyDock(LatencyHistory(), LIGHT_THEME)
    qtbot.addWidget(dock)
    dock.resize(900, 300)
    with qtbot.waitExposed(dock):
        dock.show()
    qtbot.wait(50)
    assert dock.place.findChild(LatencyChart) is None, "its import takes from what the first sound needs"
    with qtbot.waitSignal(dock.place.chart_made):
        dock.allow_chart()
    assert dock.place.findChild(LatencyChart) is dock.chart


def test_a_scale_of_nothing_is_not_drawn(qtbot: QtBot) -> None:
    history = LatencyHistory()
    dock = LatencyDock(history, LIGHT_THEME)
    qtbot.addWidget(dock)
    dock.resize(1200, 260)
    dock.show()
    axes = [dock.chart.names, dock.chart.times]
    assert [axis.opacity() for axis in axes] == [0, 0]
    spoken(history, "a")
    dock.show_figures()
    assert [axis.opacity() for axis in axes] == [1, 1]


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_hatches_are_as_wide_on_a_fine_screen(ratio: float) -> None:
    image = QImage(round(60 * ratio), round(20 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    paint_hatch(painter, QRectF(0, 0, 60, 20), QColor("black"), step=6)
    painter.end()
    row = [image.pixelColor(x, image.height() // 2).lightness() < 128 for x in range(image.width())]
    lines = sum(now and not before for before, now in itertools.pairwise(row))
    assert lines == pytest.approx(60 / 6, abs=1), "as many lines, however fine the pixels"


def test_the_chart_is_made_where_it_is_seen_and_shows_what_there_is(qtbot: QtBot) -> None:
    history = LatencyHistory()
    spoken(history, "a")
    dock = LatencyDock(history, LIGHT_THEME)
    qtbot.addWidget(dock)
    dock.resize(1200, 260)
    dock.set_open(False)
    dock.show()
    dock.allow_chart()
    QApplication.processEvents()
    assert dock.findChild(LatencyChart) is None
    dock.set_theme(DARK_THEME)
    dock.set_open(True)
    qtbot.waitUntil(lambda: dock.findChild(LatencyChart) is not None)
    assert len(dock.chart.bars.rows) == 1
    assert dock.chart.backgroundBrush().color().name() == DARK_THEME.surface
