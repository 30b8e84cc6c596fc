"""▶ in the rows of every list in which a voice is chosen: it lets that voice be heard and chooses nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QListWidget, QMenu
from pytestqt.qtbot import QtBot

from app.core.script.characters import CastBuilder
from app.core.script.script import Line, LineSettings, Script
from app.settings.user_settings import Settings
from app.ui.projects.missing_voices_dialog import MissingVoicesDialog
from app.ui.projects.project_document import MissingVoice
from app.ui.widgets.controls import ChoiceBox
from app.ui.widgets.voice_listening import BUTTON_PX, ListeningEntries, ListeningRows, VoicePick
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

NARROW_PX = 170


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow) -> WindowDriver:
    window = open_window(Settings(text="あ"))
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    return window


@pytest.fixture
def picks(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> list[VoicePick]:
    """Who is to be heard, in the order of the clicks; nothing is spoken."""
    heard: list[VoicePick] = []
    monkeypatch.setattr(window.samples, "_speak_line", lambda line: heard.append(VoicePick(*_who(line.settings))))
    return heard


def _who(settings: LineSettings) -> tuple[str, str, str]:
    return settings.voice, settings.speaker, settings.style


def click_listen(qtbot: QtBot, view: QAbstractItemView, row: int) -> None:
    index = view.model().index(row, 0)
    view.scrollTo(index)
    rect = view.visualRect(index)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.right() - BUTTON_PX // 2, rect.center().y()))


def test_a_speaker_is_heard_and_the_line_keeps_its_own(qtbot: QtBot, window: WindowDriver, picks: list[VoicePick]) -> None:
    box, before = window.side.speakers, window.document.script
    box.showPopup()
    for row in (1, 2):
        click_listen(qtbot, box.view(), row)
    assert [pick.speaker for pick in picks] == [box.itemData(1), box.itemData(2)]
    assert box.view().isVisible(), "the list stays open"
    assert window.document.script is before
    rect = box.view().visualRect(box.model().index(1, 0))
    qtbot.mouseClick(box.view().viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.left() + 20, rect.center().y()))
    assert window.lines[0].settings.speaker == box.itemData(1), "a click on the name chooses"


def test_a_key_does_the_same(qtbot: QtBot, window: WindowDriver, picks: list[VoicePick]) -> None:
    box = window.side.styles
    qtbot.keyClick(box, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    box.showPopup()
    qtbot.keyClick(box.view(), Qt.Key.Key_Down)
    qtbot.keyClick(box.view(), Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert [pick.style for pick in picks] == [box.itemData(0), box.itemData(1)]
    assert box.view().isVisible()
    assert window.lines[0].settings.style == ""
    box.hidePopup()


def test_once_more_ends_it(qtbot: QtBot, open_window: OpenWindow) -> None:
    slow = RecordingPlayer(pace=1.0)
    window = open_window(Settings(text="あ"), open_player=lambda _device, _rate: slow)
    for is_heard in (True, False):
        window.catalog.introduction_requested.emit(VoicePick("", "", ""))
        assert window.speech_state.is_speaking == is_heard
    wait_idle(qtbot, window)


def list_voice_boxes(window: WindowDriver, qtbot: QtBot) -> Iterator[tuple[str, QAbstractItemView]]:
    """Every list in which a voice, a speaker or a style is chosen."""
    side = window.side
    yield from (("panel, " + name, box.view()) for name, box in (("voice", side.chooser.box), ("speaker", side.speakers)))
    yield "panel, style", side.styles.view()
    window.window_actions["show_cast"].trigger()
    assert window.cast.window is not None
    form = window.cast.window.form.voice
    yield from ((f"cast, {number}", box.view()) for number, box in enumerate((form.chooser.box, form.speakers, form.styles)))
    window.library.open_library()
    assert window.library.dialog is not None
    yield "library", window.library.dialog.list
    window.window_actions["audition"].trigger()
    board = window.board.window
    assert board is not None
    yield "board", board.chooser.tree
    board.chooser.show_casts(is_of_casts=True)
    role = board.chooser.casts.sections[0].rows[0]
    yield "casts, voice", role.voice_box.view()
    role.voice_box.setCurrentIndex(1)
    role.voice_box.activated.emit(1)
    yield "casts, style", role.style_box.view()
    missing = MissingVoicesDialog(window, [MissingVoice("x", "花子", 3)], window.catalog.voices)
    missing.introduction_requested.connect(window.catalog.introduction_requested)
    missing.show()
    yield "missing", missing.boxes["x"].view()


def test_every_list_of_voices_lets_them_be_heard(qtbot: QtBot, window: WindowDriver, picks: list[VoicePick]) -> None:
    cast = CastBuilder()
    character = cast.add_character("アキ", LineSettings())
    window.document.reset_script(Script((Line("あ", id="a", character=character.id),), cast=cast.cast))
    window.script.select_lines(["a"])
    silent = []
    for name, view in list_voice_boxes(window, qtbot):
        heard = len(picks)
        box = view.parent().parent() if view.parent() is not None and isinstance(view.parent().parent(), QComboBox) else None
        if isinstance(box, ChoiceBox):
            box.showPopup()
        click_listen(qtbot, view, view.model().rowCount() - 1)
        if isinstance(box, ChoiceBox):
            box.hidePopup()
        if len(picks) == heard:
            silent.append(name)
    assert silent == []


def test_an_import_lets_them_be_heard(qtbot: QtBot, window: WindowDriver, picks: list[VoicePick], tmp_path: Path) -> None:
    file = tmp_path / "scene.csv"
    file.write_text("speaker,text\nアキ,おはよう。\nケン,寒いね。\n", encoding="utf-8")
    window.importing.import_files([file])
    qtbot.waitUntil(lambda: window.importing.dialog is not None, timeout=WAIT_MS)
    dialog = window.importing.dialog
    assert dialog is not None
    row = dialog.names.rows[0]
    for box in (row.voice, row.style):
        box.showPopup()
        click_listen(qtbot, box.view(), box.count() - 1)
        box.hidePopup()
    assert [pick.voice for pick in picks] == [row.voice.itemData(row.voice.count() - 1), row.voice.currentData()]
    assert picks[1].speaker
    dialog.reject()


def test_a_menu_lets_them_be_heard_and_stays_open(qtbot: QtBot) -> None:
    menu, heard, chosen = QMenu(), list[VoicePick](), list[bool]()
    qtbot.addWidget(menu)
    entries = ListeningEntries(menu)
    entries.requested.connect(heard.append)
    pick = VoicePick("a", "b", "c")
    for offered in (None, pick):
        entries.add_entry("somebody", offered).triggered.connect(lambda: chosen.append(True))
    menu.popup(QPoint())
    areas = [menu.actionGeometry(action) for action in menu.actions()]
    for area in areas[1:]:
        qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=QPoint(area.right() - BUTTON_PX // 2, area.center().y()))
    menu.setActiveAction(menu.actions()[1])
    qtbot.keyClick(menu, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert heard == [pick, pick]
    assert not chosen
    assert menu.isVisible()
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=QPoint(areas[1].left() + 20, areas[1].center().y()))
    assert chosen == [True]


def test_two_lines_that_have_room_are_not_cut_short(qtbot: QtBot) -> None:
    pictures = []
    for width in (NARROW_PX, 600):
        view = QListWidget()
        qtbot.addWidget(view)
        ListeningRows(view, lambda _row: VoicePick("a"))
        view.addItem("Mei (starter)\nIncluded here")
        view.setFixedSize(width, 80)
        view.show()
        pictures.append(view.viewport().grab().toImage().copy(0, 0, NARROW_PX - 2 * BUTTON_PX, 80))
    assert pictures[0] == pictures[1]
