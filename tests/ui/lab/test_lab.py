"""A user looks into voices in the Lab window, through real child processes."""

from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.cli.commands.lab.lab_parts import LAB_PARTS
from app.common.processes.launch import build_cli_command
from app.lab.report_rows import EMPTY_VALUES
from app.ui.lab.lab_commands import FILE_OPTIONS, TAB_BY_COMMAND, WINDOW_HANDLED_OPTIONS, LabOption
from app.ui.lab.lab_controller import LabController
from app.ui.lab.lab_window import WIDEST, WIDTH, LabWindow, SourceBox
from app.ui.lab.row_table import LabRowTable
from app.ui.widgets.text_dialog import TextDialog
from tests.install.voice_files import TERMS, aivmx
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.lab.conftest import opened, page_of, run
from tests.ui.lab.parts_child import WAIT_FOR
from tests.ui.window_driver import WindowDriver


def test_the_shipped_voice_is_looked_into(qtbot: QtBot, lab: LabWindow) -> None:
    assert list(lab.pages) == list(LAB_PARTS), "what the command line has, the window has"
    page = page_of(lab, "inspect")
    assert page.pages.currentIndex() == 0, "what will be shown here"
    run(qtbot, page)
    table = page.results.tables["graph"]
    assert [row["graph"] for row in table.rows.rows] == ["prosody", "flow", "decoder"]
    assert "ONNX Runtime" in page.results.machine.text()
    assert page.results.details.topLevelItemCount() == sum(table.rows.rows[0].get(name) not in EMPTY_VALUES for name in table.rows.columns)
    nested = [page.results.details.topLevelItem(place) for place in range(page.results.details.topLevelItemCount())]
    assert any(item is not None and item.childCount() > 10 for item in nested), "its operators stand open"


def test_every_option_of_a_part_has_a_control_that_our_command_line_takes(lab: LabWindow) -> None:
    for page in lab.pages.values():
        assert all(option.option not in (*WINDOW_HANDLED_OPTIONS, *FILE_OPTIONS) for option in page.command.options)
        assert set(page.form.controls) == {option.option for option in page.command.options}
        assert page.form.arguments == (), "what nobody changed is left to the part"


@pytest.mark.usefixtures("_known_parts")
def test_each_part_has_its_tab_and_one_that_nobody_placed_is_among_the_others(lab: LabWindow) -> None:
    assert [lab.tabs.tabText(place) for place in range(lab.tabs.count())] == [
        "Graphs",
        "Placement",
        "Time",
        "Verification",
        "Optimisation",
        "More",
    ]
    for part in (*(name for name in lab.pages if name in TAB_BY_COMMAND), "unheard_of"):
        assert page_of(lab, part).isVisible(), part


@pytest.mark.usefixtures("_known_parts")
def test_options_reach_the_part_and_results_stay_with_their_source(qtbot: QtBot, lab: LabWindow) -> None:
    page = page_of(lab, "compare")
    page.form.controls["--runs"].setText("33")  # type: ignore[union-attr]
    page.form.controls["--lengths"].setText("-5 20")  # type: ignore[union-attr]
    assert page.form.arguments == ("--lengths", "-5", "20", "--runs=33")
    page.form.controls["--lengths"].setText("5 20")  # type: ignore[union-attr]
    run(qtbot, page)
    assert {row["runs"] for row in page.results.tables["compare"].rows.rows} == {33}
    first = lab.source.box.currentIndex()
    lab.source.choose_source("koebako-starter-v1")
    assert page.pages.currentIndex() == 0
    lab.source.box.setCurrentIndex(first)
    assert page.pages.currentIndex() == 1
    assert page.results.tables["compare"].rows.rowCount() == 6


@pytest.mark.usefixtures("_known_parts")
def test_rows_appear_as_they_come_and_stay_when_the_work_is_stopped(
    qtbot: QtBot, lab: LabWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(WAIT_FOR, str(tmp_path / "never"))
    page = page_of(lab, "compare")
    page.start_button.click()
    qtbot.waitUntil(lambda: page.results.tables.get("compare") is not None, timeout=WAIT_MS)
    table = page.results.tables["compare"]
    qtbot.waitUntil(lambda: table.rows.rowCount() == 3, timeout=WAIT_MS)
    assert page.bar.value() > 50
    assert not page.export_button.isEnabled(), "half a report is not exported"
    child = children()[-1]
    QTest.keyClick(lab, Qt.Key.Key_Escape)
    assert lab.isVisible(), "work of minutes is not thrown away"
    page.cancel_button.click()
    qtbot.waitUntil(lambda: not page.start_button.isHidden(), timeout=WAIT_MS)
    assert table.rows.rowCount() == 3
    assert "Stopped" in page.state.text()
    assert not psutil.pid_exists(child)
    assert page.export_button.isEnabled()
    QTest.keyClick(lab, Qt.Key.Key_Escape)
    assert not lab.isVisible()


@pytest.mark.usefixtures("_known_parts")
def test_work_ends_with_the_window_and_what_was_found_is_there_again(
    qtbot: QtBot, controller: LabController, lab: LabWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(qtbot, page_of(lab, "place"))
    monkeypatch.setenv(WAIT_FOR, str(tmp_path / "never"))
    page_of(lab, "compare").start_button.click()
    page_of(lab, "optimise").start_button.click()
    assert "Waiting" in lab.pages["optimise"].state.text(), "two at once would slow each other down"
    qtbot.waitUntil(lambda: bool(children()), timeout=WAIT_MS)
    lab.close()
    qtbot.waitUntil(lambda: not controller.runs.is_busy and not children(), timeout=WAIT_MS)
    controller.open_window()
    again = opened(qtbot, controller)
    assert again is not lab
    assert again.pages["place"].results.tables["place"].rows.rowCount() == 3
    assert again.pages["optimise"].pages.currentIndex() == 0


@pytest.mark.usefixtures("_known_parts")
def test_an_error_keeps_the_rows_before_it_and_bad_news_are_no_error(qtbot: QtBot, lab: LabWindow) -> None:
    page = page_of(lab, "verify")
    run(qtbot, page)
    assert (page.banner.message.text(), page.banner.hint.text()) == ("The decoder could not run.", "Choose another backend.")
    table = page.results.tables["verify"]
    assert table.rows.rowCount() == 1
    assert not table.horizontalHeader().stretchLastSection(), "a figure is the last that is seen: it stays beside the others"
    check = page_of(lab, "check")
    run(qtbot, check)
    assert not check.banner.isVisible()
    assert [row["passed"] for row in check.results.tables["check"].rows.rows] == [True, False]


def test_a_lab_whose_parts_cannot_be_asked_for_says_so_and_tries_again(
    qtbot: QtBot, controller: LabController, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = iter([["/no/such/program"], build_cli_command()])
    monkeypatch.setattr(controller.queries, "command", lambda: next(commands))
    controller.open_window()
    lab = controller.window
    assert lab is not None
    qtbot.waitUntil(lab.banner.isVisible, timeout=WAIT_MS)
    press_action(lab.banner, "Retry")
    assert opened(qtbot, controller).pages.keys() == LAB_PARTS.keys()


@pytest.mark.slow  # it is prepared for the report
def test_a_voice_with_terms_is_looked_into_once_they_are_accepted(
    qtbot: QtBot, controller: LabController, lab: LabWindow, tiny_models: Path, tmp_path: Path
) -> None:
    voice = aivmx(tiny_models, tmp_path / "花子.aivmx", name="花子", license=TERMS)
    lab.file_dropped.emit(str(voice))
    page = page_of(lab, "inspect")
    for accepts in (False, True):
        page.start_button.click()
        qtbot.waitUntil(lambda: bool(questions(controller)), timeout=WAIT_MS)
        dialog = questions(controller)[0]
        (dialog.accept if accepts else dialog.reject)()
        qtbot.waitUntil(lambda: not page.start_button.isHidden(), timeout=WAIT_MS)
        assert page.banner.isVisible() != accepts
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert {row["form"] for row in page.results.tables["graph"].rows.rows} == {"source", "prepared"}


def test_a_broken_file_says_what_is_wrong_with_it(qtbot: QtBot, lab: LabWindow, tmp_path: Path) -> None:
    broken = tmp_path / "-壊れた.aivmx"
    broken.write_bytes(b"no voice")
    lab.file_dropped.emit(str(broken))
    assert lab.source.name == broken.name
    page = page_of(lab, "inspect")
    run(qtbot, page)
    assert broken.name in page.banner.message.text()
    assert page.banner.hint.text()
    assert page.pages.currentIndex() == 0


@pytest.mark.usefixtures("_known_parts")
def test_it_opens_from_the_menu_a_card_and_the_library_and_ends_with_the_program(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    assert not window.is_made("lab"), "the start has nothing of it"
    window.window_actions["lab"].trigger()
    lab = opened(qtbot, window.lab)
    mei = lab.source.source
    for open_it in (open_from_card, open_from_library):
        lab.source.choose_source("koebako-starter-v1")
        open_it(window)
        assert lab.source.source == mei
    monkeypatch.setenv(WAIT_FOR, "never")
    page_of(lab, "compare").start_button.click()
    qtbot.waitUntil(lambda: bool(children()), timeout=WAIT_MS)
    window.close()
    assert not children()


def open_from_card(window: WindowDriver) -> None:
    card = window.voice_card
    place = QPoint(5, 5)
    QApplication.sendEvent(card, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, card.mapToGlobal(place)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.actions()[0].trigger()
    menu.close()


def open_from_library(window: WindowDriver) -> None:
    window.window_actions["voice_library"].trigger()
    library = window.library.dialog
    assert library is not None
    library.select_voice("")
    library.facts.buttons["lab"].click()
    library.close()


@pytest.mark.usefixtures("_known_parts")
def test_a_table_is_sorted_and_copied_with_the_keyboard(qtbot: QtBot, lab: LabWindow) -> None:
    page = page_of(lab, "compare")
    run(qtbot, page)
    table = page.results.tables["compare"]
    column = table.rows.columns.index("median_ms")
    table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
    assert [row["median_ms"] for row in table.rows.rows] == [101.0, 40.0, 12.5, 7.0, 3.25, 0.5]
    assert table.current_row is not None
    assert table.current_row["median_ms"] == 12.5, "what was current stays current"
    table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert table.rows.rows[0]["median_ms"] == 12.5
    table.selectAll()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert lines[0] == table.rows.columns
    assert lines[1][table.rows.columns.index("p95_ms")] == "", "no value is no word"
    assert [line[column] for line in lines[1:]] == ["12.5", "3.25", "40.0", "7.0", "101.0", "0.5"]
    right, left = (
        table.rows.index(0, table.rows.columns.index(name)).data(Qt.ItemDataRole.TextAlignmentRole) for name in ("runs", "candidate")
    )
    assert right & Qt.AlignmentFlag.AlignRight
    assert left & Qt.AlignmentFlag.AlignLeft


def test_a_column_that_says_the_same_in_every_row_is_hidden_and_leaves_no_gap(qtbot: QtBot) -> None:
    table = LabRowTable("modules", "scope")
    qtbot.addWidget(table)
    table.show()
    for name in ("enc_p", "dec"):
        table.add_rows([{"type": "profile", "scope": "module", "name": name, "ms": 1.5}])
    assert table.isColumnHidden(0)
    assert table.horizontalHeader().sectionPosition(1) == 0


def test_files_of_one_name_are_told_apart_and_a_long_name_takes_the_room_there_is(qtbot: QtBot, tmp_path: Path) -> None:
    box = SourceBox()
    qtbot.addWidget(box)
    box.resize(1200, 40)
    box.show()
    box.choose_source(str(tmp_path / "花子" / "model.onnx"))
    assert box.name == "model.onnx"
    qtbot.waitUntil(lambda: box.box.width() == WIDTH, timeout=WAIT_MS)
    box.choose_source(str(tmp_path / "太郎" / "model.onnx"))
    assert [box.box.itemText(place) for place in range(box.box.count())] == ["model.onnx (花子)", "model.onnx (太郎)"]
    assert (box.name, box.source) == ("model.onnx (太郎)", str(tmp_path / "太郎" / "model.onnx"))
    assert box.box.itemData(1, Qt.ItemDataRole.ToolTipRole) == box.source
    box.choose_source(str(tmp_path / ("長い名前の声" * 12 + ".aivmx")))
    qtbot.waitUntil(lambda: WIDTH < box.box.width() <= WIDEST, timeout=WAIT_MS)


def test_an_option_without_a_default_is_left_to_the_part_until_it_is_set() -> None:
    from app.ui.lab.lab_command_page import LabOptionsForm
    from app.ui.lab.lab_commands import LabCommand

    option = LabOption("--precision", "text", False, ("float32", "int8"), "", "help")
    form = LabOptionsForm(LabCommand("x", "", (option,)), ("cpu",))
    assert form.arguments == ()
    form.controls["--precision"].setCurrentIndex(2)  # type: ignore[union-attr]
    assert form.arguments == ("--precision=int8",)


def questions(controller: LabController) -> list[TextDialog]:
    """Licences that are asked about."""
    parent = controller.parent()
    assert isinstance(parent, QWidget)
    return [dialog for dialog in parent.findChildren(TextDialog) if dialog.isVisible()]


def children() -> list[int]:
    """Processes that work for the lab."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            if "lab" in child.cmdline():
                found.append(child.pid)
        except psutil.Error:
            continue
    return found
