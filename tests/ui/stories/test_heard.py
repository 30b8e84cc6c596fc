"""The whole story by ear: what is typed, chosen, dragged and switched in the window is what comes out of the sound card."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, Script
from app.core.synthesis_types import AudioChunk
from app.engine.output_device import open_portaudio
from app.ui.reading.strip.phone_strip import ACCENT_BOTTOM_PX, HIGH, KANA_BOTTOM_PX
from app.ui.reading.strip.strip_shape import StripCell
from tests.null_sink import RATE, NullSink, null_sink
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.ear import STEP_S, Sound, cents, pauses_s, pitch_hz, sounding_s, spoken, stretches
from tests.ui.reading.test_strip import click, drag, moras, shown
from tests.ui.window_driver import WindowDriver

__all__ = ["null_sink"]

pytestmark = [pytest.mark.sound, pytest.mark.alone]
TRIES = 4
CTRL = Qt.KeyboardModifier.ControlModifier
TEXT, READ = "今日はとてもいい天気です。", "キョーワトテモイイテンキデス"
TE, MO = 4, 5  # morae of トテモ


@pytest.fixture
def window(qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow) -> WindowDriver:
    """With a line that an input method has written."""
    window = open_window(open_player=open_portaudio)
    qtbot.keyClick(window.script, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    composed = QInputMethodEvent()
    composed.setCommitString(TEXT)
    QApplication.sendEvent(window.script.editor, composed)
    shown(qtbot, window, READ)
    return window


def press(window: WindowDriver, name: str) -> None:
    """The button under the lines."""
    next(button for button in window.transport.findChildren(QToolButton) if button.defaultAction() is window.window_actions[name]).click()


def speak(qtbot: QtBot, window: WindowDriver) -> None:
    """Ctrl+Enter, until all is heard."""
    qtbot.keyClick(window, Qt.Key.Key_Return, CTRL)
    qtbot.waitUntil(lambda: window.speech_state.is_speaking, timeout=WAIT_MS)
    wait_idle(qtbot, window)


def listen(qtbot: QtBot, window: WindowDriver, sink: NullSink) -> Sound:
    """What Ctrl+Enter makes audible, from the first sound to the last: all that was computed, and as long.

    A machine that is busy with other things may lose or repeat a moment of it; then it is heard once more.
    """
    for _ in range(TRIES):
        chunks: list[AudioChunk] = []
        taken = window.controller.chunk_made.connect(lambda _job, chunk, chunks=chunks: chunks.append(chunk))
        with sink.recording() as recorded:
            speak(qtbot, window)
        window.controller.chunk_made.disconnect(taken)
        made = np.concatenate([chunk.samples for chunk in chunks])
        made_s = len(spoken(made[:, None])) / chunks[0].sampling_rate
        if abs(sounding_s(recorded[0]) - made_s) < 0.012:
            break
    else:
        pytest.fail(f"{made_s:.3f} s were computed, {sounding_s(recorded[0]):.3f} s are heard")
    return spoken(recorded[0])


def timed(qtbot: QtBot, window: WindowDriver) -> list[StripCell]:
    """The morae, as wide as they have sounded."""
    strip = window.phone_strip
    qtbot.waitUntil(lambda: strip.shape is not None and strip.shape.axis.is_timed, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.strip.sounds.is_current(window.lines[0]), timeout=WAIT_MS)
    qtbot.wait(80)
    return moras(strip)


def risen_cents(after: Sound, before: Sound, start_s: float, end_s: float) -> float:
    """How much higher a stretch is than it was; both sounds begin at 0."""
    part = slice(round(start_s / STEP_S), round(end_s / STEP_S))
    first, second = pitch_hz(before)[part], pitch_hz(after)[part]
    return cents(float(np.nanmean(second)), float(np.nanmean(first)))


def test_another_style_is_another_pitch_and_speed_is_not(qtbot: QtBot, window: WindowDriver, null_sink: NullSink) -> None:
    plain = listen(qtbot, window, null_sink)
    assert 1.0 < len(plain) / RATE < 2.5
    assert np.nanmedian(pitch_hz(plain)) == pytest.approx(360, rel=0.15), "a woman speaks"
    styles = window.styles
    styles.setFocus()
    qtbot.keyClick(styles, Qt.Key.Key_Down)
    assert styles.currentText() == "Happy"
    happy = listen(qtbot, window, null_sink)
    assert cents(np.nanmedian(pitch_hz(happy)), np.nanmedian(pitch_hz(plain))) > 120, "happy is higher"
    qtbot.keyClick(styles, Qt.Key.Key_Up)
    number = window.sliders["speed"].number
    number.setFocus()
    number.selectAll()
    qtbot.keyClicks(number, "1.5\r")
    fast = listen(qtbot, window, null_sink)
    assert len(plain) / len(fast) == pytest.approx(1.5, rel=0.06)
    assert abs(cents(np.nanmedian(pitch_hz(fast)), np.nanmedian(pitch_hz(plain)))) < 40


def test_an_accent_moves_the_melody_and_a_mora_is_as_long_as_it_was_dragged(
    qtbot: QtBot,
    window: WindowDriver,
    null_sink: NullSink,
) -> None:
    plain, strip = listen(qtbot, window, null_sink), window.phone_strip
    cells = timed(qtbot, window)
    onset_s = cells[0].start_s
    click(strip, cells[TE].middle, HIGH)
    accented = listen(qtbot, window, null_sink)
    # A voice bends its melody over some 50 ms, so that the beginning of the mora is still on its way.
    mo = ((cells[MO].start_s + cells[MO].end_s) / 2 - onset_s, cells[MO].end_s - onset_s)
    assert risen_cents(accented, plain, *mo) < -100, "the pitch falls behind テ"
    assert abs(risen_cents(accented, plain, 0.1, cells[TE - 1].start_s - onset_s)) < 40, "what lies before is as it was"

    cell = timed(qtbot, window)[TE]
    y = (ACCENT_BOTTOM_PX + KANA_BOTTOM_PX) / 2
    drag(strip, (cell.right - 1, y), (cell.right + 91, y))
    longer = listen(qtbot, window, null_sink)
    dragged_s = timed(qtbot, window)[TE].length_s - cell.length_s
    assert dragged_s == pytest.approx(0.4, abs=0.03)
    assert (len(longer) - len(accented)) / RATE == pytest.approx(dragged_s, abs=0.04)
    tail_s = len(accented) / RATE - mo[0]
    after = longer[-round(tail_s * RATE) :]
    before = accented[-round(tail_s * RATE) :]
    assert abs(risen_cents(after, before, 0.05, tail_s - 0.1)) < 30, "the rest is the same, later"

    qtbot.keyClick(window, Qt.Key.Key_Z, CTRL)
    qtbot.keyClick(window, Qt.Key.Key_Z, CTRL)
    again = listen(qtbot, window, null_sink)
    assert len(again) == pytest.approx(len(plain), abs=0.02 * RATE)
    assert abs(risen_cents(again, plain, *mo)) < 20, "taken back, it is as it was"


def test_live_speaks_each_change_once_and_only_what_has_changed_is_computed(
    qtbot: QtBot,
    window: WindowDriver,
    null_sink: NullSink,
) -> None:
    plain = listen(qtbot, window, null_sink)
    press(window, "live")
    slider = window.sliders["speed"].slider
    slider.setFocus()
    with null_sink.recording() as recorded:
        for _ in range(6):
            QTest.keyClick(slider, Qt.Key.Key_Right)
        assert not window.speech_state.is_speaking, "a hand that still moves is waited for"
        qtbot.waitUntil(lambda: window.speech_state.is_speaking, timeout=WAIT_MS)
        wait_idle(qtbot, window)
        qtbot.wait(400)
    assert stretches(recorded[0], 0.5) == 1
    speed = window.sliders["speed"].value
    assert speed > 1.2
    assert len(plain) / len(spoken(recorded[0])) == pytest.approx(speed, rel=0.06)
    last = window.history.last
    assert last is not None
    assert (last.hits, last.lookups) == (2, 2), "text and BERT were remembered"
    with null_sink.recording() as recorded:
        cell = timed(qtbot, window)[TE]
        click(window.phone_strip, cell.middle, HIGH)
        qtbot.waitUntil(lambda: window.speech_state.is_speaking, timeout=WAIT_MS)
        wait_idle(qtbot, window)
    assert stretches(recorded[0], 0.5) == 1, "an edit of the strip speaks as well"
    press(window, "live")


def test_from_a_phone_on_and_round_and_round(qtbot: QtBot, window: WindowDriver, null_sink: NullSink) -> None:
    plain = listen(qtbot, window, null_sink)
    cells = timed(qtbot, window)
    strip = window.phone_strip
    strip.setFocus()
    for _ in range(7):
        qtbot.keyClick(strip, Qt.Key.Key_Right)
    with null_sink.recording() as recorded:
        qtbot.keyClick(strip, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: window.speech_state.is_speaking, timeout=WAIT_MS)
        wait_idle(qtbot, window)
    left_s = len(plain) / RATE - (cells[7].start_s - cells[0].start_s)
    assert len(spoken(recorded[0])) / RATE == pytest.approx(left_s, abs=0.06)

    window.document.reset_script(Script((Line("あ。", id="a"), Line("い。", id="i"))))
    window.script.select_lines(["a"])
    press(window, "loop")
    window.script.setFocus()
    ended: list[str] = []
    window.controller.speech_played.connect(ended.append)
    with null_sink.recording() as recorded:
        qtbot.keyClick(window.script, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
        qtbot.waitUntil(lambda: len(ended) >= 6, timeout=WAIT_MS)
        qtbot.keyClick(window, Qt.Key.Key_Escape)
        wait_idle(qtbot, window)
    pauses = pauses_s(recorded[0], 0.1)
    assert min(pauses[1::2]) == pytest.approx(min(pauses[::2]), abs=0.08), "from the last line to the first as from any to the next"


def test_an_output_that_goes_away_is_told_and_heard_again_when_it_is_back(
    qtbot: QtBot,
    window: WindowDriver,
    null_sink: NullSink,
) -> None:
    plain = listen(qtbot, window, null_sink)
    qtbot.keyClick(window, Qt.Key.Key_Return, CTRL)
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0.2, timeout=WAIT_MS)
    null_sink.kill()
    qtbot.waitUntil(lambda: not window.speech_state.is_speaking, timeout=WAIT_MS)
    wait_idle(qtbot, window)
    assert window.banner.isVisible()
    assert window.banner.action.isVisible(), "the sound can be saved instead"
    null_sink.start()
    again = listen(qtbot, window, null_sink)
    assert not window.banner.isVisible()
    assert len(again) == pytest.approx(len(plain), abs=0.02 * RATE), "not clipped at its start either"
