"""The strip under the selected line: from typing over hearing to shaping, with mouse and keys, through the real pipeline."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.core.script.script import replace_text
from app.core.sound.line_edits import set_accent
from app.core.synthesis_types import Overrides, SynthesisRequest
from app.engine.line_reader import MAX_SHOWN_CHARACTERS
from app.engine.synthesis_jobs import SpeechJob
from app.settings.user_settings import Settings
from app.ui.reading.strip.phone_strip import ACCENT_BOTTOM_PX, HIGH, KANA_BOTTOM_PX, PhoneStrip
from app.ui.reading.strip.strip_shape import CellKind, StripCell, find_cell_text
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import DARK_THEME
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import SMALL_WINDOW, WAIT_MS, OpenWindow, speak, wait_idle, write
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

TEXT = "今日はとてもいい天気です。"
LEFT = Qt.MouseButton.LeftButton
ALT, PLAIN = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.NoModifier


def kana(window: WindowDriver) -> str:
    shape = window.phone_strip.shape
    return "" if shape is None else "".join(mora.kana for mora in shape.reading.moras)


def shown(qtbot: QtBot, window: WindowDriver, wanted: str) -> PhoneStrip:
    qtbot.waitUntil(lambda: kana(window) == wanted, timeout=WAIT_MS)
    return window.phone_strip


def moras(strip: PhoneStrip) -> list[StripCell]:
    assert strip.shape is not None
    return [cell for cell in strip.shape.axis.cells if cell.kind is CellKind.MORA]


def ink(strip: PhoneStrip, cell: StripCell) -> tuple[float, float]:
    """First and last column of a cell's tile that a letter darkens."""
    picture = strip.grab().toImage()
    dark = [
        x
        for x in range(round(cell.left), round(cell.right))
        if any(picture.pixelColor(x, y).lightness() < 130 for y in range(round(ACCENT_BOTTOM_PX) + 2, round(KANA_BOTTOM_PX) - 2))
    ]
    return min(dark) - cell.left, cell.right - 1 - max(dark)


def test_letters_stand_in_the_middle_of_their_tiles_and_touch_no_edge(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text=""))
    window.window_actions["show_strip"].setChecked(True)
    write(window, "ヒャクニン、キュー。")
    strip = shown(qtbot, window, "ヒャクニンキュー")
    strip.setFocus()
    window.script.setFocus()  # no tile has the frame of the focus
    assert strip.shape is not None
    for cell in strip.shape.axis.cells:
        left, right = ink(strip, cell)
        assert min(left, right) >= 3, "the gap and two pixels of the tile"
        if cell.kind is CellKind.MARK:
            assert left == pytest.approx(right, abs=3)


def click(strip: PhoneStrip, x: float, y: float) -> None:
    QTest.mouseClick(strip, LEFT, PLAIN, QPoint(round(x), round(y)))


def drag(strip: PhoneStrip, start: tuple[float, float], end: tuple[float, float]) -> None:
    QTest.mousePress(strip, LEFT, PLAIN, QPoint(round(start[0]), round(start[1])))
    QTest.mouseMove(strip, QPoint(round(end[0]), round(end[1])))
    QTest.mouseRelease(strip, LEFT, PLAIN, QPoint(round(end[0]), round(end[1])))


def edits(window: WindowDriver) -> dict[int, tuple[int | None, float | None]]:
    line = window.document.script.find_line(window.script.current_id)
    assert line is not None
    return {edit.mora: (edit.tone, edit.length_s) for edit in line.overrides.moras}


def requests_of(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> list[SynthesisRequest]:
    """Every request that is posted from now on."""
    seen: list[SynthesisRequest] = []
    post = window.speech_engine.enqueue_job

    def watch(job: object) -> None:
        if isinstance(job, SpeechJob):
            seen.append(job.request)
        post(job)

    monkeypatch.setattr(window.speech_engine, "enqueue_job", watch)
    return seen


def test_shape_a_line_and_hear_it(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    seen = requests_of(window, monkeypatch)
    write(window, TEXT)
    strip = shown(qtbot, window, "キョーワトテモイイテンキデス")
    assert strip.shape is not None
    assert not strip.shape.axis.is_timed, "nobody has heard it yet"
    plain = player.sound(speak(qtbot, window))
    qtbot.waitUntil(lambda: strip.shape is not None and strip.shape.axis.is_timed, timeout=WAIT_MS)

    cell = moras(strip)[4]
    click(strip, cell.middle, HIGH)
    assert edits(window) == {3: (0, None), 4: (1, None), 5: (0, None)}, "トテモ falls after テ"
    accented = player.sound(speak(qtbot, window))
    assert {edit.mora: edit.tone for edit in seen[-1].overrides.moras} == {3: 0, 4: 1, 5: 0}
    assert len(accented) != len(plain) or not np.allclose(accented, plain, atol=1e-3)

    qtbot.waitUntil(lambda: window.strip.sounds.is_current(window.lines[0]), timeout=WAIT_MS)
    qtbot.wait(80)
    cell = moras(strip)[4]
    y = (ACCENT_BOTTOM_PX + KANA_BOTTOM_PX) / 2
    drag(strip, (cell.right - 1, y), (cell.right - 1 + 92, y))
    tone, length_s = edits(window)[4]
    assert tone == 1
    assert length_s is not None
    assert length_s == pytest.approx((cell.right - cell.left + 92) / 230, abs=0.006)
    longer = player.sound(speak(qtbot, window))
    assert (len(longer) - len(accented)) / 44_100 == pytest.approx(length_s - cell.length_s, abs=0.02)
    window.undo_stack.undo()
    window.undo_stack.undo()
    assert edits(window) == {}
    assert np.array_equal(player.sound(speak(qtbot, window)), plain)


def test_phrases_and_keys(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, TEXT)
    strip = shown(qtbot, window, "キョーワトテモイイテンキデス")
    strip.setFocus()
    cells = moras(strip)
    click(strip, (cells[2].right + cells[3].left) / 2, HIGH)
    assert strip.shape is not None
    assert strip.shape.phrases[0].end == 6, "キョーワトテモ is one phrase now"
    for _ in range(4):
        QTest.keyClick(strip, Qt.Key.Key_Right)
    assert "テ" in strip.accessibleDescription()
    QTest.keyClick(strip, Qt.Key.Key_Slash)
    assert [phrase.end for phrase in strip.shape.phrases[:2]] == [4, 6]
    QTest.keyClick(strip, Qt.Key.Key_Up)
    QTest.keyClick(strip, Qt.Key.Key_Right, ALT)
    QTest.keyClick(strip, Qt.Key.Key_Right, ALT)
    tone, length_s = edits(window)[4]
    assert tone == 1
    assert length_s == pytest.approx(27 / 230 + 0.02, abs=0.002)
    assert window.strip_panel.reset_phrase.isVisible()
    QTest.keyClick(strip, Qt.Key.Key_Delete)
    assert 4 not in edits(window)
    window.strip_panel.reset_all.click()
    line = window.lines[0]
    assert line.overrides == type(line.overrides)()
    assert not window.strip_panel.reset_all.isVisible()
    for key in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Down):
        QTest.keyClick(strip, key)
    assert strip.current is not None


def test_a_word_is_read_as_it_is_typed(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    write(window, TEXT)
    strip = shown(qtbot, window, "キョーワトテモイイテンキデス")
    click(strip, moras(strip)[9].middle, HIGH)  # テン|キ
    before = edits(window)
    assert before
    first = moras(strip)[0]
    QTest.mouseDClick(strip, LEFT, PLAIN, QPoint(round(first.middle), round(ACCENT_BOTTOM_PX + 10)))
    field = window.strip_panel.reading
    assert field.isVisible()
    assert field.edit.text() == "キョー"
    field.edit.clear()
    qtbot.keyClicks(field.edit, "abc")
    assert field.error.isVisible()
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    assert field.isVisible(), "that is no reading"
    field.edit.clear()
    field.edit.insert("こんにち")
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    shown(qtbot, window, "コンニチワトテモイイテンキデス")
    assert not field.isVisible()
    assert edits(window) == {mora + 2: edit for mora, edit in before.items()}, "other edits go along"
    speak(qtbot, window)
    window.undo_stack.undo()
    shown(qtbot, window, "キョーワトテモイイテンキデス")
    assert edits(window) == before


def test_edits_stay_while_the_text_is_changed(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    write(window, TEXT)
    strip = shown(qtbot, window, "キョーワトテモイイテンキデス")
    click(strip, moras(strip)[4].middle, HIGH)
    shaped = player.sound(speak(qtbot, window))
    line = window.lines[0]
    window.document.apply_edit("test", replace_text(window.document.script, line.id, f"はい。{TEXT}"))
    shown(qtbot, window, "ハイキョーワトテモイイテンキデス")
    assert strip.shape is not None
    assert {edit.mora: edit.tone for edit in strip.shape.overrides.moras} == {5: 0, 6: 1, 7: 0}
    window.document.apply_edit("test", replace_text(window.document.script, line.id, TEXT))
    assert np.array_equal(player.sound(speak(qtbot, window)), shaped)


def test_follow_the_sound_and_play_from_a_place(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=0.5)  # so slowly that a window of a busy machine sees more than one mora
    window = open_window(open_player=lambda _device, _rate: player)
    write(window, TEXT)
    strip = shown(qtbot, window, "キョーワトテモイイテンキデス")
    lit: list[int] = []
    heard: list[float] = []
    window.controller.state_changed.connect(lambda state: (lit.append(strip.highlights.playing), heard.append(state.played_s)))
    first = speak(qtbot, window)
    player.pace = 4.0
    qtbot.waitUntil(lambda: strip.shape is not None and strip.shape.axis.is_timed, timeout=WAIT_MS)
    steps = [index for index in lit if index >= 0]
    assert steps == sorted(steps)
    assert len(set(steps)) > 4
    assert strip.highlights.playing == -1, "nothing sounds any more"
    whole_s = sum(len(chunk.samples) for chunk in player.requests[first]) / 44_100

    cell = moras(strip)[8]
    heard.clear()
    click(strip, cell.middle, ACCENT_BOTTOM_PX + 10)
    qtbot.waitUntil(lambda: len(player.requests) == 2, timeout=WAIT_MS)
    wait_idle(qtbot, window)
    second = list(player.requests)[-1]
    rest_s = sum(len(chunk.samples) for chunk in player.requests[second]) / 44_100
    assert rest_s == pytest.approx(whole_s - cell.start_s, abs=0.01)
    assert min(value for value in heard if value > 0) >= cell.start_s
    sound = window.strip.sounds.find_sound(window.script.current_id)
    assert sound is not None
    assert sound.length_s == pytest.approx(whole_s), "the outline is that of the whole line"
    wave = window.strip_panel.waveform
    QTest.mouseClick(wave, LEFT, PLAIN, QPoint(round(moras(strip)[2].left), 10))
    qtbot.waitUntil(lambda: len(player.requests) == 3, timeout=WAIT_MS)
    wait_idle(qtbot, window)


def test_a_place_without_sound_is_heard_once_it_is_made(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    text = f"はい。{TEXT}"
    write(window, text)
    strip = shown(qtbot, window, "ハイキョーワトテモイイテンキデス")
    assert strip.shape is not None
    assert not strip.shape.axis.is_timed
    click(strip, moras(strip)[8].middle, ACCENT_BOTTOM_PX + 10)
    qtbot.waitUntil(lambda: len(player.requests) == 1, timeout=WAIT_MS)
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: strip.shape is not None and strip.shape.axis.is_timed, timeout=WAIT_MS)
    (first,) = player.requests
    rest = player.sound(first)
    whole = player.sound(speak(qtbot, window))
    before = len(whole) - len(rest)

    def starts() -> list[int]:
        return [round((mora.start_s - window.selection.settings.pre_silence_s) * 44_100) for mora in moras(strip)]

    qtbot.waitUntil(lambda: before in starts()[1:], timeout=WAIT_MS)  # a mora that the click was at, in a strip drawn to the end
    assert np.array_equal(rest, whole[before:])


def test_two_clicks_on_a_word_play_nothing(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    write(window, TEXT)
    strip = shown(qtbot, window, "キョーワトテモイイテンキデス")
    place = QPoint(round(moras(strip)[4].middle), round(ACCENT_BOTTOM_PX + 10))
    QTest.mouseClick(strip, LEFT, PLAIN, place)
    qtbot.wait(QGuiApplication.styleHints().mouseDoubleClickInterval() - 100)  # a slow double click
    QTest.mouseDClick(strip, LEFT, PLAIN, place)
    assert window.strip_panel.reading.isVisible()
    qtbot.wait(QGuiApplication.styleHints().mouseDoubleClickInterval() + 50)
    assert not player.requests


def test_a_voice_in_one_graph_keeps_its_lengths(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, TEXT)
    strip = shown(qtbot, window, "キョーワトテモイイテンキデス")
    strip.lengths_fixed = "no"
    cell = moras(strip)[4]
    drag(strip, (cell.right - 1, ACCENT_BOTTOM_PX + 10), (cell.right + 60, ACCENT_BOTTOM_PX + 10))
    strip.setFocus()
    QTest.keyClick(strip, Qt.Key.Key_Right, ALT)
    assert edits(window) == {}


def test_the_strip_follows_the_line(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, "あ。")
    shown(qtbot, window, "ア")
    window.commands.add_line()
    panel = window.strip_panel
    assert panel.isVisible(), "nothing moves when the first letter is typed"
    assert panel.strip.shape is None
    assert "to see its reading" in panel.view.hint.text()
    window.script.editor.textCursor().insertText("いう。") if window.script.editor else None
    shown(qtbot, window, "イウ")
    assert panel.note.text() == ""
    window.commands.delete_lines()
    window.commands.delete_lines()
    assert not panel.isVisible(), "without a line there is nothing to read"
    window.commands.add_line()
    window.strip_panel.set_theme(DARK_THEME)
    window.grab()
    write(window, "。" * 3)
    qtbot.waitUntil(lambda: "nothing" in window.strip_panel.note.text(), timeout=WAIT_MS)
    write(window, "あ" * 3000)
    qtbot.waitUntil(lambda: "beginning" in window.strip_panel.note.text(), timeout=WAIT_MS)
    assert MAX_SHOWN_CHARACTERS <= len(kana(window)) < 1000


@pytest.mark.parametrize(
    ("size", "is_open", "least"),
    [(SMALL_WINDOW, False, 300), ((1366, 768), True, 240), ((1280, 800), True, 260), ((1920, 1080), True, 400)],
)
def test_the_lines_have_room_at_first_whatever_the_size(
    qtbot: QtBot, player: RecordingPlayer, size: tuple[int, int], is_open: bool, least: int
) -> None:
    window = WindowDriver(Settings(text="今日はいい天気です。", expression_open=True), SpeechController(lambda _device, _rate: player))
    window.resize(*size)
    window.show_and_start()
    wait_idle(qtbot, window)
    assert window.strip_panel.is_open is is_open
    assert window.script.height() >= least
    assert window.latency.chart.height() >= window.latency.chart.minimumHeight()
    assert window.settings.value.strip == "auto", "nobody has chosen yet"
    window.close()
    window.deleteLater()


def test_the_strip_folds_to_its_reading_and_that_is_remembered(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="今日は、いい天気です。", strip="open"))
    panel, fold = window.strip_panel, window.window_actions["show_strip"]
    shown(qtbot, window, "キョーワイイテンキデス")
    high = window.script.height()
    assert panel.strip.isVisible()
    assert not panel.summary.isVisible()
    assert fold.isChecked()
    QTest.mouseClick(panel.title, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.script.height() >= high + 120, timeout=WAIT_MS)
    assert not fold.isChecked()
    assert not panel.strip.isVisible()
    assert not panel.reset_all.isVisible()
    assert panel.summary.text == "キョーワ、イイ テンキデス。"
    assert window.settings.value.strip == "folded"
    panel.grab()
    QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert panel.strip.isVisible()
    assert window.settings.value.strip == "open"


def test_nothing_is_squeezed_when_everything_is_shown_in_the_smallest_window(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="今日は、いい天気です。", strip="open"))
    window.resize(*SMALL_WINDOW)
    shown(qtbot, window, "キョーワイイテンキデス")
    for banner in (window.banner, window.notice):
        banner.show_message("error", "a", "b", action="c")
    panel = window.strip_panel
    qtbot.waitUntil(lambda: panel.height() >= panel.sizeHint().height(), timeout=WAIT_MS)
    assert panel.view.height() == panel.view.maximumHeight()
    frame = window.strip_frame
    assert frame.height() >= panel.height(), "it does not scroll"
    assert frame.geometry().bottom() < window.transport.geometry().top()
    assert window.script.geometry().bottom() < frame.geometry().top()
    assert window.phone_strip.shape is not None
    window.phone_strip.submit_edit(set_accent(window.phone_strip.shape.reading, Overrides(), 0, 2))
    assert panel.reset_all.isVisible()
    window.phone_strip.word_requested.emit(0)
    panel.reading.show_error("あ" * 200)
    assert not panel.reset_all.isVisible()
    qtbot.wait(20)
    assert window.width() == SMALL_WINDOW[0], "a long message widens nothing"
    panel.reading.close_field()
    assert panel.reset_all.isVisible()


def test_the_right_button_names_what_can_be_done(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="今日はとてもいい天気です。", strip="open"))
    strip = shown(qtbot, window, "キョーワトテモイイテンキデス")
    place = QPoint(round(moras(strip)[3].middle), round(HIGH))
    QApplication.sendEvent(strip, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, strip.mapToGlobal(place)))
    menu = strip.findChild(QMenu)
    assert menu is not None
    offered = {action.text(): action for action in menu.actions() if action.text()}
    assert list(offered) == [
        "Play from here",
        "Change reading…",
        "Split or join phrases before this",
        "Reset length",
        "Reset accent phrase",
        "Melody",
    ]
    assert not offered["Reset length"].isEnabled(), "it has the voice's own"
    assert strip.shape is not None
    before = strip.shape.phrases
    offered["Split or join phrases before this"].trigger()
    assert strip.shape.phrases != before
    window.undo_stack.undo()
    assert strip.shape.phrases == before


def test_brackets_stand_as_they_are_written(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    strip = window.phone_strip
    for text, wanted in (("「はい」と（言った）。", "「」（）。"), ("'はい'、『いいえ』", "''、『』")):
        write(window, text)
        qtbot.waitUntil(lambda text=text: strip.shape is not None and strip.shape.reading.text == text, timeout=WAIT_MS)
        shape = strip.shape
        assert shape is not None
        assert "".join(find_cell_text(shape, cell) for cell in shape.axis.cells if cell.kind is CellKind.MARK) == wanted
