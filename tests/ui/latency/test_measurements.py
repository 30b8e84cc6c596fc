"""From timings to figures, bars and table."""

import csv
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QTransform
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.common import language
from app.common.errors import AppError
from app.common.language import Language
from app.core.sound.stage_clock import ALL_STAGES
from app.core.synthesis_types import StageTiming
from app.ui.latency.latency_chart import ROW_HEIGHT_PX, LatencyChart, describe_sizes, round_scale_up
from app.ui.latency.latency_dock import LatencyDock, LatencyTrend, compute_rolling_median
from app.ui.latency.latency_summary import PART_NAMES, describe_first_audio
from app.ui.latency.latency_table import LatencyModel, LatencyTable
from app.ui.latency.latency_title import describe_targets
from app.ui.synthesis.latency_history import GPU_TARGET_MS, MAX_KEPT_UTTERANCES, PART_OF_STAGE, LatencyHistory, LatencyRow, StageTotal
from app.ui.synthesis.speech_events import collect_copy_times
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME

pytestmark = pytest.mark.usefixtures("styled")

RATE = 44_100


def spoken(history: LatencyHistory, name: str, *, bert: float = 20.0, hit: bool = False, cold: bool = False, audio_s: float = 1.0) -> None:
    """An utterance of which all but BERT takes 20 ms."""
    utterance = history.begin_utterance(name, f"text of {name}")
    utterance.add_timing(StageTiming(name, 0, "g2p", 5.0), RATE)
    utterance.add_timing(StageTiming(name, 0, "bert", bert, cold=cold, cache_hit=hit), RATE)
    utterance.add_timing(StageTiming(name, 0, "decode", 10.0), RATE)
    utterance.add_timing(StageTiming(name, 0, "decode", 4.0), RATE)
    utterance.add_timing(StageTiming(name, 0, "audio", 1.0, samples=round(audio_s * RATE)), RATE)
    utterance.first_audio_ms = bert + 16
    utterance.is_running = False


def test_an_utterance_adds_up() -> None:
    history = LatencyHistory()
    spoken(history, "a", cold=True)
    spoken(history, "b", bert=0.01, hit=True)
    first, second = history.utterances
    assert first.total_ms == 40
    assert first.rtf == pytest.approx(0.04)
    assert first.stages["bert"].cold_ms == 20
    assert first.stages["decode"].runs == 2
    assert [name for name, _ in first.iterate_stages()] == ["g2p", "bert", "decode", "audio"]
    assert (first.hits, first.lookups) == (0, 2)
    assert (second.hits, second.lookups) == (1, 2)
    assert history.begin_utterance("c", "x\n  y").label == "x y"


def located(history: LatencyHistory, name: str, *, new: bool = False, backends: tuple[str, ...] = ("directml",)) -> None:
    """An utterance whose decoder ran on a device, where that length may have been new."""
    utterance = history.begin_utterance(name, name)
    utterance.add_timing(StageTiming(name, 0, "bert", 20.0, backend="cpu"), RATE)
    for backend in backends:
        utterance.add_timing(StageTiming(name, 0, "decode", 8.0, backend=backend, new_size=new), RATE)
    utterance.is_running = False


def test_every_figure_of_a_row_is_computed() -> None:
    history = LatencyHistory()
    located(history, "a", new=True, backends=("directml", "cpu"))
    spoken(history, "b", hit=True)
    history.utterances[-1].add_timing(StageTiming("b", 0, "decode", 4.0, backend="directml", new_size=True, waited=True), RATE)
    rows = [history.compute_stage_row(stage) for stage in (*history.stages, "total")]
    empty = LatencyRow(None, False, None, None)
    assert [item.name for item in fields(LatencyRow) if all(getattr(row, item.name) == getattr(empty, item.name) for row in rows)] == []


def column_of(model: LatencyModel, header: str) -> int:
    """Columns may come between."""
    headers = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    return headers.index(header)


def test_where_a_stage_ran_is_known_and_what_a_new_length_cost() -> None:
    history = LatencyHistory()
    located(history, "a", new=True, backends=("directml", "cpu", "directml"))
    row = history.compute_stage_row("decode")
    assert (row.last, row.backends, row.new_ms) == (24.0, ("directml", "cpu"), 24.0)
    located(history, "b")
    assert (history.compute_stage_row("decode").backends, history.compute_stage_row("decode").new_ms) == (("directml",), 0.0)
    assert history.compute_stage_row("bert").backends == ("cpu",)
    spoken(history, "cached", hit=True)  # nothing ran: what is known stays
    assert history.compute_stage_row("bert").backends == ("cpu",)


def test_the_table_says_where_and_what_was_not_computing(qtbot: QtBot) -> None:
    history = LatencyHistory()
    history.copies_ms = {"decode": (0.31, 5.2, 0.42), "bert": (1.0, 1.0, 1.0)}
    model = LatencyTable(LIGHT_THEME).figures
    spoken(history, "on the CPU")
    model.show_history(history)
    without = model.columnCount()
    located(history, "on a device", new=True)
    model.show_history(history)
    last, rows = model.columnCount() - 1, range(model.rowCount())
    assert last == without
    assert model.headerData(last, Qt.Orientation.Horizontal) == "Runs on"
    shown = {model.index(row, 0).data(): model.index(row, last).data() for row in rows}
    tips = {model.index(row, 0).data(): model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in rows}
    assert (shown["Decode"], shown["BERT"], shown["Reading"]) == ("DirectML", "CPU", "")
    assert tips["Decode"].splitlines() == [
        "DirectML",
        "includes preparing for a new length: 8.0 ms (the same length is faster next time)",
        "as measured: copying in 0.31 ms, computing 5.2 ms, copying out 0.42 ms",
    ]
    assert tips["BERT"] is None  # on the CPU nothing is copied
    history.clear_finished()
    spoken(history, "on the CPU again")
    model.show_history(history)
    assert model.columnCount() == without


def test_a_device_that_is_not_ready_is_told(qtbot: QtBot) -> None:
    history = LatencyHistory()
    utterance = history.begin_utterance("a", "a")
    utterance.add_timing(StageTiming("a", 0, "decode", 8.0, backend="cpu", waited=True), RATE)
    utterance.is_running = False
    model = LatencyTable(LIGHT_THEME).figures
    model.show_history(history)
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == "Decode")
    assert model.index(row, model.columnCount() - 1).data() == "CPU"
    tip = model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "computed on the CPU, as the device is not ready for this length: 8.0 ms"


def test_copies_are_those_of_the_placement_in_use() -> None:
    lines = [{"graph": "decoder", "copy_in_ms": 1.0, "run_ms": 2.0, "copy_out_ms": 3.0}, {"graph": "flow", "copy_in_ms": None}, 5]
    measured = ({"backend": "cpu", "chosen": False, "trace": []}, {"backend": "directml:0", "chosen": True, "trace": lines})
    for requested, expected in (
        ("auto", {"decode": (1.0, 2.0, 3.0)}),
        ("directml:0", {"decode": (1.0, 2.0, 3.0)}),
        ("cpu", {}),
        ("cuda", {}),
    ):
        voice = SimpleNamespace(requested_backend=requested, measurements=measured)
        assert collect_copy_times(voice) == expected  # type: ignore[arg-type]


def test_figures_leave_out_cached_stopped_and_running_lines() -> None:
    history = LatencyHistory()
    assert history.compute_stage_row("bert") == LatencyRow(None, False, None, None)
    for index, ms in enumerate((10.0, 20.0, 30.0)):
        spoken(history, str(index), bert=ms)
    spoken(history, "stopped", bert=500.0)
    history.utterances[-1].is_stopped = True
    spoken(history, "hit", bert=0.01, hit=True)
    assert history.compute_stage_row("bert") == LatencyRow(0.01, True, 20.0, pytest.approx(29.0), cached_runs=1, cached_median=0.01)  # type: ignore[arg-type]
    spoken(history, "running", bert=900.0)
    history.utterances[-1].is_running = True
    assert history.compute_stage_row("bert") == LatencyRow(900.0, False, 20.0, pytest.approx(29.0), cached_runs=1, cached_median=0.01)  # type: ignore[arg-type]
    assert history.compute_total_row().median == pytest.approx(40.0)
    assert history.compute_first_audio_row().median == pytest.approx(36.0)


def test_cached_lines_have_figures_of_their_own() -> None:
    history = LatencyHistory()
    for name, ms in (("a", 100.0), ("b", 300.0)):
        spoken(history, name, bert=ms)
    for name, ms in (("c", 0.02), ("d", 0.04), ("e", 0.06)):
        spoken(history, name, bert=ms, hit=True)
    bert, total, first = history.compute_stage_row("bert"), history.compute_total_row(), history.compute_first_audio_row()
    assert (bert.median, bert.p95) == (pytest.approx(200.0), pytest.approx(290.0))
    assert (total.median, total.p95) == (pytest.approx(220.0), pytest.approx(310.0))
    assert (first.median, first.p95) == (pytest.approx(216.0), pytest.approx(306.0))
    assert [row.cached_runs for row in (bert, total, first)] == [3, 3, 3]
    assert [row.cached_median for row in (bert, total, first)] == [pytest.approx(ms) for ms in (0.04, 20.04, 16.04)]
    assert (history.compute_stage_row("decode").cached_runs, history.compute_stage_row("decode").cached_median) == (0, None)


def test_a_sentence_from_the_cache_keeps_its_line_out_of_the_medians_but_a_reading_does_not() -> None:
    history = LatencyHistory()
    spoken(history, "half")
    history.utterances[-1].add_timing(StageTiming("half", 1, "bert", 0.0, cache_hit=True), RATE)
    assert (
        history.compute_stage_row("bert").median,
        history.compute_stage_row("bert").cached_runs,
        history.compute_total_row().cached_runs,
    ) == (None, 1, 1)
    history.clear_finished()
    spoken(history, "read before")
    history.utterances[-1].add_timing(StageTiming("read before", 1, "g2p", 0.0, cache_hit=True), RATE)
    assert (history.compute_stage_row("g2p").median, history.compute_stage_row("g2p").cached_runs) == (None, 1)
    assert (history.compute_total_row().median, history.compute_total_row().cached_runs) == (40.0, 0), (
        "the window reads what is written before it is spoken"
    )


def test_history_is_bounded_and_cleared() -> None:
    history = LatencyHistory()
    for index in range(MAX_KEPT_UTTERANCES + 5):
        spoken(history, str(index))
    assert len(history.utterances) == MAX_KEPT_UTTERANCES
    assert history.find_utterance("0") is None
    history.utterances[-1].is_running = True
    history.clear_finished()
    assert [item.request_id for item in history.utterances] == [str(MAX_KEPT_UTTERANCES + 4)]
    history.begin_utterance("empty", "")
    history.drop_empty_utterance("empty")
    history.drop_empty_utterance(str(MAX_KEPT_UTTERANCES + 4))
    assert len(history.utterances) == 1


@pytest.mark.parametrize(("ms", "scale"), [(0, 50), (50, 50), (51, 75), (101, 150), (199, 200), (580, 750), (999, 1000), (1001, 1500)])
def test_scale_moves_in_steps(ms: float, scale: float) -> None:
    assert round_scale_up(ms) == scale


def test_table_shows_stages_first_audio_and_total(qtbot: QtBot) -> None:
    history = LatencyHistory()
    dock = LatencyDock(history, LIGHT_THEME)
    qtbot.addWidget(dock)
    spoken(history, "a")
    spoken(history, "b", bert=0.01, hit=True)
    dock.show_figures()
    figures = dock.table.figures
    columns = [column_of(figures, header) for header in ("Last", "Median", "p95", "Cached")]
    rows = {figures.index(row, 0).data(): [figures.index(row, column).data() for column in columns] for row in range(figures.rowCount())}
    assert list(rows) == [
        "Time to first audio",
        "Total",
        "Text",
        "Reading",
        "Tokenise",
        "BERT",
        "Expand",
        "Prosody",
        "Flow",
        "Decode",
        "Audio",
    ]
    assert rows["BERT"] == ["cached", "20.0", "20.0", "1: 0.01"]
    assert rows["Flow"] == ["–", "–", "–", ""]
    assert rows["Total"] == ["20.0", "40.0", "40.0", "1: 20.0"]
    history.opaque = True
    dock.show_figures()
    assert "Synthesis" in [figures.index(row, 0).data() for row in range(figures.rowCount())]
    dock.clear_history()
    assert figures.index(5, columns[1]).data() == "–"


def colours(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def drawn(qtbot: QtBot, chart: LatencyChart, history: LatencyHistory, live_ms: float | None = None) -> QImage:
    chart.resize(900, 220)
    chart.show()
    last = history.last
    chart.refresh_bars(history, (last, live_ms) if last and live_ms is not None else None)
    QApplication.processEvents()
    return chart.grab().toImage()


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_a_target_means_is_said_beside_it(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, language: Language) -> None:
    monkeypatch.setattr("app.common.language._current", language)
    words = describe_targets()
    assert "580 ms" in words
    assert "140 ms" in words
    dock = LatencyDock(LatencyHistory(), LIGHT_THEME)
    qtbot.addWidget(dock)
    dock.show_figures()
    figures, header = dock.table.figures, {"ja": "目標", "en": "Target"}[language]
    column = column_of(figures, header)
    for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.WhatsThisRole):
        assert figures.headerData(column, Qt.Orientation.Horizontal, role) == words
    assert figures.index(1, column).data(Qt.ItemDataRole.ToolTipRole).endswith(words)
    assert dock.chart.whatsThis() == dock.legend.whatsThis() == words
    dock.legend.resize(1200, 20)
    places = {name: left for _, name, left in dock.legend.list_fitting_entries()}
    assert dock.legend.describe_at(places[header] + 3) == words
    assert dock.legend.describe_at(2) == ""


def test_the_total_says_what_it_counts(qtbot: QtBot) -> None:
    history = LatencyHistory()
    dock = LatencyDock(history, LIGHT_THEME)
    qtbot.addWidget(dock)
    figures = dock.table.figures
    tips = {figures.index(row, 0).data(): figures.index(row, 1).data(Qt.ItemDataRole.ToolTipRole) for row in range(figures.rowCount())}
    assert tips.pop("Total") == "Processing time without waiting"
    assert set(tips.values()) == {None}


def test_bars_are_drawn_in_the_colours_of_their_stages(qtbot: QtBot) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT_THEME)
    qtbot.addWidget(chart)
    assert chart.empty_hint.isVisibleTo(chart)
    spoken(history, "a")
    image = drawn(qtbot, chart, history)
    assert not chart.empty_hint.isVisible()
    assert {LIGHT_THEME.stages["g2p"], LIGHT_THEME.stages["bert"], LIGHT_THEME.stages["decode"]} <= colours(image)
    chart.set_theme(DARK_THEME)
    assert DARK_THEME.stages["bert"] in colours(drawn(qtbot, chart, history))


def test_a_first_run_is_pale_and_a_cached_result_is_a_chip(qtbot: QtBot) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT_THEME)
    qtbot.addWidget(chart)
    spoken(history, "cold", cold=True)
    assert LIGHT_THEME.stages["bert"] not in colours(drawn(qtbot, chart, history))
    history.clear_finished()
    spoken(history, "hit", bert=0.001, hit=True)
    image = drawn(qtbot, chart, history)
    end = chart.mapFromScene(chart.box.mapViewToScene(QPointF(20.0, 0)))
    beyond = image.copy(end.x() + 20, 0, 200, image.height())
    violet = QColor(LIGHT_THEME.stages["bert"])
    near = [name for name in colours(beyond) if abs(QColor(name).hue() - violet.hue()) < 6 and QColor(name).saturation() > 40]
    assert near, "the chip stands behind the bar, in the colour of its stage"


def test_the_bar_grows_while_it_is_computed_and_the_scale_with_it(qtbot: QtBot) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT_THEME)
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
    chart = LatencyChart(LIGHT_THEME)
    qtbot.addWidget(chart)
    spoken(history, "a", bert=150.0)
    image = drawn(qtbot, chart, history)
    x = chart.mapFromScene(chart.box.mapViewToScene(QPointF(GPU_TARGET_MS, 0))).x()
    rows = (image.height() * 2 // 3, image.height() // 6)
    at_line, beside = (colours(image.copy(left, rows[0], 3, rows[1])) for left in (x - 1, x - 6))
    darkest = [min(QColor(name).lightness() for name in column) for column in (at_line, beside)]
    assert darkest[0] < 160 < darkest[1]


def test_the_mouse_finds_stages_and_their_figures(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT_THEME)
    qtbot.addWidget(chart)
    spoken(history, "old")
    spoken(history, "new", bert=0.01, hit=True)
    drawn(qtbot, chart, history)
    assert chart.bars.find_stage(QPointF(10, 1)) == (history.utterances[0], "bert")
    assert chart.bars.find_stage(QPointF(2, 0)) == (history.utterances[1], "g2p")
    assert chart.bars.find_stage(QPointF(45, 0)) == (history.utterances[1], None)
    assert chart.bars.find_stage(QPointF(10, 5)) is None
    assert chart.bars.find_stage(QPointF(10, 0.5)) is None
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _widget: told.append(text))
    place = chart.mapFromScene(chart.box.mapViewToScene(QPointF(2, 0)))
    QApplication.sendEvent(chart.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, QPoint()))
    assert "text of new" in told[0]
    assert "▸ Reading: 5.0 ms" in told[0]
    assert "BERT: 0.01 ms (cached)" in told[0]
    assert "Time to first audio: 16.0 ms" in told[0]


def test_targets_of_the_parts_are_shown_and_what_is_over_is_marked(qtbot: QtBot) -> None:
    history = LatencyHistory()
    history.target_ms = GPU_TARGET_MS
    dock = LatencyDock(history, LIGHT_THEME)
    qtbot.addWidget(dock)
    spoken(history, "a", bert=60.0)
    dock.show_figures()
    figures = dock.table.figures
    rows = {figures.index(row, 0).data(): row for row in range(figures.rowCount())}
    target = column_of(figures, "Target")
    assert {name: figures.index(row, target).data() for name, row in rows.items() if figures.index(row, target).data()} == {
        **{"Reading": "30", "BERT": "50", "Expand": "5", "Decode": "50", "Audio": "5", "Total": "140"}
    }
    over = [
        name
        for name, row in rows.items()
        if figures.data(figures.index(row, column_of(figures, "Last")), Qt.ItemDataRole.ForegroundRole) is not None
    ]
    assert over == ["BERT"]
    assert history.find_slow_stages() == {"bert"}
    spoken(history, "slow", bert=130.0)
    assert history.find_slow_stages() == {"bert", "total"}


def test_a_thin_line_stands_where_a_part_should_have_ended(qtbot: QtBot) -> None:
    history = LatencyHistory()
    history.target_ms = GPU_TARGET_MS
    chart = LatencyChart(LIGHT_THEME)
    qtbot.addWidget(chart)
    spoken(history, "a", bert=10.0)
    image = drawn(qtbot, chart, history)
    x = chart.mapFromScene(chart.box.mapViewToScene(QPointF(30.0, 0))).x()
    assert chart.describe_point(QPointF(50.0, 3)) == ""
    assert chart.describe_point(QPointF(30.0, 3)) == f"Target: finished by here\nReading: 30 ms\n{describe_targets()}"
    spoken(history, "long", bert=200.0)
    drawn(qtbot, chart, history)
    assert chart.describe_point(QPointF(GPU_TARGET_MS, 5)) == f"Target: 140 ms in all\n{describe_targets()}"
    below = image.height() // 2  # no bar, only grid and targets
    assert LIGHT_THEME.stages["g2p"] in colours(image.copy(x - 2, below, 5, image.height() // 4))


@pytest.mark.parametrize(("left", "width", "begins"), [(5, 15, 5), (20, 15, 34), (20, 60, 20), (101, 15, 104), (120, 15, 120)])
def test_no_target_runs_through_a_figure(qtbot: QtBot, left: float, width: float, begins: float) -> None:
    chart = LatencyChart(LIGHT_THEME)
    qtbot.addWidget(chart)
    chart.bars.show_rows([], None, 100.0, QRectF(0, 0, 200, 1), {"g2p": 30.0, "bert": 50.0})
    assert chart.bars.shift_past_targets(QTransform(), left, width) == begins


def test_pause_holds_the_picture_while_measuring_goes_on(qtbot: QtBot) -> None:
    history = LatencyHistory()
    dock = LatencyDock(history, LIGHT_THEME)
    qtbot.addWidget(dock)
    bars = dock.chart.bars
    spoken(history, "a")
    dock.show_figures()
    dock.title.pause.click()
    spoken(history, "b", bert=100.0)
    dock.show_figures()
    dock.show_live((history.utterances[-1], 5.0))
    assert len(bars.rows) == 1
    assert dock.table.figures.index(5, column_of(dock.table.figures, "Last")).data() == "20.0"
    dock.title.pause.click()
    assert len(bars.rows) == 2
    assert dock.table.figures.index(5, column_of(dock.table.figures, "Last")).data() == "100"


def test_figures_go_into_a_csv_file(qtbot: QtBot, tmp_path: Path) -> None:
    history = LatencyHistory()
    dock = LatencyDock(history, LIGHT_THEME)
    qtbot.addWidget(dock)
    utterance = history.begin_utterance("x", '=1+1, "今日"')
    utterance.add_timing(StageTiming("x", 0, "bert", 12.5, tokens=7), RATE)
    utterance.add_timing(StageTiming("x", 0, "audio", 1.0, frames=3, samples=RATE), RATE)
    spoken(history, "b", hit=True)
    dock.write_file(tmp_path / "a.csv", "csv")
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["request"], row["stage"]) for row in rows] == [
        *(("x", "bert"), ("x", "audio")),
        *(("b", "g2p"), ("b", "bert"), ("b", "decode"), ("b", "audio")),
    ]
    assert (rows[0]["text"], rows[0]["ms"], rows[0]["tokens"], rows[0]["rtf"]) == ('\'=1+1, "今日"', "12.5000", "7", "0.0135")
    assert (rows[1]["frames"], rows[1]["samples"], rows[3]["hits"]) == ("3", str(RATE), "1")


def test_the_picture_is_a_png_and_failures_are_told(qtbot: QtBot, tmp_path: Path) -> None:
    history = LatencyHistory()
    dock = LatencyDock(history, LIGHT_THEME)
    qtbot.addWidget(dock)
    spoken(history, "a")
    dock.resize(1000, 240)
    dock.show()
    dock.show_figures()
    dock.write_file(tmp_path / "a.png", "png")
    image = QImage(str(tmp_path / "a.png"))
    assert image.width() == 2 * dock.widget().width()
    assert image.height() > 2 * (dock.widget().height() + dock.legend.height()), "with its legend"
    assert LIGHT_THEME.stages["bert"] in colours(image.scaledToWidth(500, Qt.TransformationMode.FastTransformation))
    told: list[AppError] = []
    dock.failed.connect(told.append)
    (tmp_path / "file").touch()
    dock.write_file(tmp_path / "file" / "a.csv", "csv")
    dock.write_file(tmp_path / "file" / "a.png", "png")
    assert [error.exit_code for error in told] == [7, 7]


def test_the_trend_is_the_median_of_the_last_few(qtbot: QtBot) -> None:
    assert compute_rolling_median([1.0, 9.0, 2.0, 3.0, 2.0, 2.0]) == [1.0, 5.0, 2.0, 2.5, 2.0, 2.0]
    history = LatencyHistory()
    trend = LatencyTrend(LIGHT_THEME)
    qtbot.addWidget(trend)
    trend.show_history(history)
    assert [curve.newest for curve in trend.curves] == ["–", "– ms"]
    assert trend.describe_at(10) == ""
    for index in range(5):
        spoken(history, str(index), bert=10.0 * index)
    history.begin_utterance("running", "x")
    trend.show_history(history)
    ratio, wait = trend.curves
    assert (len(ratio.values), ratio.newest, wait.newest) == (5, "0.060", "56.0 ms")
    assert trend.describe_at(0) == "text of 0\nRTF 0.020\nTime to first audio 16.0 ms"
    assert trend.describe_at(10_000) == "text of 4\nRTF 0.060\nTime to first audio 56.0 ms"
    assert ratio.cached_indices == wait.cached_indices == frozenset()
    trend.resize(190, 150)
    assert {LIGHT_THEME.stages["prosody"], LIGHT_THEME.stages["g2p"]} <= colours(trend.grab().toImage())


def test_what_came_from_a_cache_is_no_part_of_the_trend(qtbot: QtBot) -> None:
    history = LatencyHistory()
    trend = LatencyTrend(LIGHT_THEME)
    qtbot.addWidget(trend)
    for index in range(4):
        spoken(history, str(index), bert=0.01 if index == 2 else 20.0, hit=index == 2)
    trend.show_history(history)
    assert [curve.cached_indices for curve in trend.curves] == [frozenset({2}), frozenset({2})]
    assert trend.describe_at(10 + 170 * 2 / 3).startswith("text of 2 (cached)\n")
    trend.resize(190, 150)
    with_dip = trend.grab().toImage()
    history.utterances[2].stages["bert"].hits = 0
    trend.show_history(history)
    assert trend.curves[0].cached_indices == frozenset()
    assert trend.grab().toImage() != with_dip
    for index in range(4):
        history.utterances[index].stages["bert"].hits = 1
    trend.show_history(history)
    assert LIGHT_THEME.stages["prosody"] not in colours(trend.grab().toImage()), "no line without a computed value"


def test_hover_tells_sizes() -> None:
    stage = StageTotal()
    stage.add_timing(StageTiming("x", 0, "bert", 1.0, tokens=12))
    stage.add_timing(StageTiming("x", 1, "bert", 1.0, tokens=1000))
    assert describe_sizes(stage) == "1,012 tokens"
    assert describe_sizes(StageTotal(frames=3, samples=1536)) == "3 frames, 1,536 samples"


def test_bars_fill_their_area(qtbot: QtBot) -> None:
    chart = LatencyChart(LIGHT_THEME)
    qtbot.addWidget(chart)
    area = QRectF(0, -1, 100, 8)
    chart.bars.show_rows([], None, 580, area)
    assert chart.bars.boundingRect() == area
    assert chart.focusPolicy() == Qt.FocusPolicy.NoFocus


@pytest.mark.parametrize(("height", "rows"), [(72, 1), (110, 3), (220, 7), (900, 7)])
def test_as_many_bars_as_there_is_room_for_their_names(qtbot: QtBot, height: int, rows: int) -> None:
    history = LatencyHistory()
    chart = LatencyChart(LIGHT_THEME)
    qtbot.addWidget(chart)
    for number in range(9):
        spoken(history, str(number))
    chart.show()
    chart.refresh_bars(history, None)
    chart.resize(600, height)
    QApplication.processEvents()
    assert len(chart.bars.rows) == rows
    row_px = chart.box.height() / chart.compute_area().height()
    assert row_px >= ROW_HEIGHT_PX or rows == 1

    assert chart.bars.rows[0] is history.last, "the newest stays"
    chart.resize(600, 220)
    QApplication.processEvents()
    assert len(chart.bars.rows) == 7


@pytest.mark.parametrize(
    ("tongue", "empty", "said", "device"),
    [
        (
            "ja",
            "行を再生すると、最初の音声までの時間をここに表示します。",
            "最初の音声まで 0.9 秒。目標 0.6 秒。いちばん長い段階: 文の理解",
            "最初の音声まで 0.02 秒。目標 0.14 秒。いちばん長い段階: 声の計算",
        ),
        (
            "en",
            "Play a line to see how soon its audio begins.",
            "Audio began after 0.9 s; the target is 0.6 s. Longest step: understanding the text.",
            "Audio began after 0.02 s; the target is 0.14 s. Longest step: computing the voice.",
        ),
    ],
)
def test_a_sentence_says_how_soon_and_why(monkeypatch: pytest.MonkeyPatch, tongue: str, empty: str, said: str, device: str) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    history = LatencyHistory()
    assert describe_first_audio(history) == empty
    spoken(history, "slow", bert=884.0)
    history.begin_utterance("waiting", "…").is_running = True
    assert describe_first_audio(history) == said, "a line without a sound yet says nothing"
    history.target_ms = GPU_TARGET_MS
    spoken(history, "quick", bert=2.0)
    assert describe_first_audio(history) == device
    history.utterances[-1].stages.clear()
    assert "0.14" in describe_first_audio(history), "also of a line of which no stage was timed"


def test_every_part_of_a_line_has_a_name_that_people_know() -> None:
    assert {PART_OF_STAGE.get(stage, stage) for stage in ALL_STAGES} == set(PART_NAMES)
