"""From timings to figures, bars and table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.core.types import StageTiming
from app.ui.latency import GPU_TARGET_MS, KEPT, LatencyHistory, Row
from app.ui.theme import DARK, LIGHT
from app.ui.widgets.latency_chart import LatencyChart, nice_scale
from app.ui.widgets.latency_dock import LatencyDock

RATE = 44_100


def spoken(history: LatencyHistory, name: str, *, bert: float = 20.0, hit: bool = False, cold: bool = False, audio_s: float = 1.0) -> None:
    """An utterance of which all but BERT takes 20 ms."""
    utterance = history.begin(name, f"text of {name}")
    utterance.add(StageTiming(name, 0, "g2p", 5.0), RATE)
    utterance.add(StageTiming(name, 0, "bert", bert, cold=cold, cache_hit=hit), RATE)
    utterance.add(StageTiming(name, 0, "decode", 10.0), RATE)
    utterance.add(StageTiming(name, 0, "decode", 4.0), RATE)
    utterance.add(StageTiming(name, 0, "audio", 1.0, samples=round(audio_s * RATE)), RATE)
    utterance.first_audio_ms = bert + 16
    utterance.running = False


def test_an_utterance_adds_up() -> None:
    history = LatencyHistory()
    spoken(history, "a", cold=True)
    spoken(history, "b", bert=0.01, hit=True)
    first, second = history.utterances
    assert first.total_ms == 40
    assert first.rtf == pytest.approx(0.04)
    assert first.stages["bert"].cold_ms == 20
    assert first.stages["decode"].runs == 2
    assert [name for name, _ in first.ordered()] == ["g2p", "bert", "decode", "audio"]
    assert (first.hits, first.lookups) == (0, 2)
    assert (second.hits, second.lookups) == (1, 2)
    assert history.begin("c", "x\n  y").label == "x y"


def test_figures_leave_out_cached_stopped_and_running_lines() -> None:
    history = LatencyHistory()
    assert history.row("bert") == Row(None, False, None, None)
    for index, ms in enumerate((10.0, 20.0, 30.0)):
        spoken(history, str(index), bert=ms)
    spoken(history, "stopped", bert=500.0)
    history.utterances[-1].stopped = True
    spoken(history, "hit", bert=0.01, hit=True)
    assert history.row("bert") == Row(0.01, True, 20.0, pytest.approx(29.0))
    spoken(history, "running", bert=900.0)
    history.utterances[-1].running = True
    assert history.row("bert") == Row(900.0, False, 20.0, pytest.approx(29.0))
    assert history.total().median == pytest.approx(35.0)
    assert history.first_audio().median == pytest.approx(31.0)


def test_history_is_bounded_and_cleared() -> None:
    history = LatencyHistory()
    for index in range(KEPT + 5):
        spoken(history, str(index))
    assert len(history.utterances) == KEPT
    assert history.find("0") is None
    history.utterances[-1].running = True
    history.clear()
    assert [item.request_id for item in history.utterances] == [str(KEPT + 4)]
    history.begin("empty", "")
    history.drop_empty("empty")
    history.drop_empty(str(KEPT + 4))
    assert len(history.utterances) == 1


@pytest.mark.parametrize(("ms", "scale"), [(0, 50), (50, 50), (51, 75), (101, 150), (199, 200), (580, 750), (999, 1000), (1001, 1500)])
def test_scale_moves_in_steps(ms: float, scale: float) -> None:
    assert nice_scale(ms) == scale


def test_table_shows_stages_first_audio_and_total(qtbot: QtBot) -> None:
    history = LatencyHistory()
    dock = LatencyDock(history, LIGHT)
    qtbot.addWidget(dock)
    spoken(history, "a")
    spoken(history, "b", bert=0.01, hit=True)
    dock.show_figures()
    figures = dock.table.figures
    rows = {figures.index(row, 0).data(): [figures.index(row, column).data() for column in (1, 2, 3)] for row in range(figures.rowCount())}
    assert list(rows) == ["Text", "G2P", "Tokenise", "BERT", "Expand", "Prosody", "Flow", "Decode", "Audio", "First audio", "Total"]
    assert rows["BERT"] == ["cached", "20.0", "20.0"]
    assert rows["Flow"] == ["–", "–", "–"]
    assert rows["Total"] == ["20.0", "30.0", "39.0"]
    history.opaque = True
    dock.show_figures()
    assert "Synthesis" in [figures.index(row, 0).data() for row in range(figures.rowCount())]
    dock.clear()
    assert figures.index(3, 2).data() == "–"


def colours(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def drawn(qtbot: QtBot, chart: LatencyChart, history: LatencyHistory, live_ms: float | None = None) -> QImage:
    chart.resize(900, 220)
    chart.show()
    last = history.last
    chart.refresh(history, (last, live_ms) if last and live_ms is not None else None)
    QApplication.processEvents()
    return chart.grab().toImage()


def test_bars_are_drawn_in_the_colours_of_their_stages(qtbot: QtBot) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT)
    qtbot.addWidget(chart)
    assert chart._empty.isVisibleTo(chart)
    spoken(history, "a")
    image = drawn(qtbot, chart, history)
    assert not chart._empty.isVisible()
    assert {LIGHT.stages["g2p"], LIGHT.stages["bert"], LIGHT.stages["decode"]} <= colours(image)
    chart.set_theme(DARK)
    assert DARK.stages["bert"] in colours(drawn(qtbot, chart, history))


def test_a_first_run_is_pale_and_a_cached_result_is_a_chip(qtbot: QtBot) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT)
    qtbot.addWidget(chart)
    spoken(history, "cold", cold=True)
    assert LIGHT.stages["bert"] not in colours(drawn(qtbot, chart, history))
    history.clear()
    spoken(history, "hit", bert=0.001, hit=True)
    image = drawn(qtbot, chart, history)
    end = chart.mapFromScene(chart.getViewBox().mapViewToScene(QPointF(20.0, 0)))
    beyond = image.copy(end.x() + 20, 0, 200, image.height())
    violet = QColor(LIGHT.stages["bert"])
    near = [name for name in colours(beyond) if abs(QColor(name).hue() - violet.hue()) < 6 and QColor(name).saturation() > 40]
    assert near, "the chip stands behind the bar, in the colour of its stage"


def test_the_bar_grows_while_it_is_computed_and_the_scale_with_it(qtbot: QtBot) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT)
    qtbot.addWidget(chart)
    spoken(history, "a")
    drawn(qtbot, chart, history)
    assert chart.scale_ms == 50
    short = drawn(qtbot, chart, history, 0.0)
    grown = drawn(qtbot, chart, history, 5.0)
    assert short != grown
    drawn(qtbot, chart, history, 400.0)
    assert chart.scale_ms == 750


def test_the_target_is_a_line_once_it_is_within_the_scale(qtbot: QtBot) -> None:
    history = LatencyHistory()
    history.target_ms = GPU_TARGET_MS
    chart = LatencyChart(LIGHT)
    qtbot.addWidget(chart)
    spoken(history, "a", bert=150.0)
    image = drawn(qtbot, chart, history)
    x = chart.mapFromScene(chart.getViewBox().mapViewToScene(QPointF(GPU_TARGET_MS, 0))).x()
    rows = (image.height() * 2 // 3, image.height() // 6)
    at_line, beside = (colours(image.copy(left, rows[0], 3, rows[1])) for left in (x - 1, x - 6))
    darkest = [min(QColor(name).lightness() for name in column) for column in (at_line, beside)]
    assert darkest[0] < 160 < darkest[1]


def test_the_mouse_finds_stages_and_their_figures(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT)
    qtbot.addWidget(chart)
    spoken(history, "old")
    spoken(history, "new", bert=0.01, hit=True)
    drawn(qtbot, chart, history)
    assert chart.bars.stage_at(QPointF(10, 1)) == (history.utterances[0], "bert")
    assert chart.bars.stage_at(QPointF(2, 0)) == (history.utterances[1], "g2p")
    assert chart.bars.stage_at(QPointF(45, 0)) == (history.utterances[1], None)
    assert chart.bars.stage_at(QPointF(10, 5)) is None
    assert chart.bars.stage_at(QPointF(10, 0.5)) is None
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _widget: told.append(text))
    place = chart.mapFromScene(chart.getViewBox().mapViewToScene(QPointF(2, 0)))
    QApplication.sendEvent(chart.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, QPoint()))
    assert "text of new" in told[0]
    assert "▸ G2P: 5.0 ms" in told[0]
    assert "BERT: 0.01 ms (cached)" in told[0]
    assert "First audio: 16.0 ms" in told[0]


def test_bars_fill_their_area(qtbot: QtBot) -> None:
    chart = LatencyChart(LIGHT)
    qtbot.addWidget(chart)
    area = QRectF(0, -1, 100, 8)
    chart.bars.show_rows([], None, 580, area)
    assert chart.bars.boundingRect() == area
    assert chart.focusPolicy() == Qt.FocusPolicy.NoFocus
