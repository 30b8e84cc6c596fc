"""Playing one line, all lines, again and again, and what the cards show meanwhile."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.common.errors import AudioDeviceError
from app.core.script.script import Line, LineSettings, Script
from app.engine.output_device import open_portaudio
from app.ui.script.script_model import LinePhase
from tests.null_sink import RATE, NullSink, null_sink
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle
from tests.ui.window_driver import WindowDriver

__all__ = ["null_sink"]

TEXTS = ("雨が降る。", "雪が積もる。", "風が吹く。")
SHIFT = Qt.KeyboardModifier.ShiftModifier


def filled(window: WindowDriver, *texts: str, settings: LineSettings | None = None) -> WindowDriver:
    window.document.reset_script(Script(tuple(Line(text, settings or LineSettings(), id=text) for text in texts)))
    window.script.select_lines([texts[0]])
    window.script.setFocus()
    return window


def phases(window: WindowDriver) -> list[LinePhase]:
    return [window.model.find_state(line.id).phase for line in window.lines]


def wait_over(qtbot: QtBot, window: WindowDriver) -> None:
    qtbot.waitUntil(lambda: not window.playback.is_on, timeout=WAIT_MS)
    wait_idle(qtbot, window)


def test_space_plays_the_selected_line_and_stops_it(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=1.0)
    window = filled(open_window(open_player=lambda _device, _rate: player), *TEXTS)
    qtbot.keyClick(window.script, Qt.Key.Key_Space)
    assert phases(window)[0] in (LinePhase.PREPARING, LinePhase.SPEAKING), "the second is soon reached"
    qtbot.waitUntil(lambda: phases(window)[0] is LinePhase.SPEAKING, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.model.find_state(TEXTS[0]).share > 0.2, timeout=WAIT_MS)
    qtbot.keyClick(window.script, Qt.Key.Key_Space)
    assert phases(window) == [LinePhase.IDLE] * 3
    assert player.position is None
    assert window.script.editor is None, "no space was typed"
    wait_idle(qtbot, window)


def test_space_is_typed_while_a_line_is_edited(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = filled(open_window(), "a")
    qtbot.keyClick(window.script, Qt.Key.Key_Return)
    qtbot.keyClick(window.script.editor, Qt.Key.Key_Space)
    qtbot.keyClick(window.script.editor, Qt.Key.Key_E)
    assert window.lines[0].text == "a e"
    assert not player.requests


@pytest.mark.alone
def test_play_through_has_no_gap_and_shows_where_it_is(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=2.0)
    window = filled(open_window(open_player=lambda _device, _rate: player), *TEXTS, "  ", "おわり。")
    began: list[str] = []
    window.playback.line_began.connect(began.append)
    spoken: set[int] = set()
    window.controller.state_changed.connect(lambda _state: spoken.add(phases(window).count(LinePhase.SPEAKING)))
    qtbot.keyClick(window.script, Qt.Key.Key_Down)
    qtbot.keyClick(window.script, Qt.Key.Key_Space, SHIFT)
    wait_over(qtbot, window)
    assert began == ["雪が積もる。", "風が吹く。", "おわり。"]
    assert spoken == {0, 1}, "never two at once"
    assert phases(window) == [LinePhase.IDLE] * 5
    assert [player.gaps_s[request] for request in list(player.requests)[1:]] == [0.0, 0.0]
    assert all(chunks[-1].last for chunks in player.requests.values())
    done = [window.model.find_state(line.id).is_done(line) for line in window.lines]
    assert done == [False, True, True, False, True]


@pytest.mark.sound
@pytest.mark.alone
def test_play_through_is_heard_as_one_stream(qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow) -> None:
    tight = LineSettings(pre_silence_s=0.0, post_silence_s=0.0)
    window = filled(open_window(open_player=open_portaudio), *TEXTS, settings=tight)
    with null_sink.recording() as heard:
        window.play_commands.play_through()
        wait_over(qtbot, window)
        qtbot.wait(200)
    loud = np.flatnonzero(np.abs(heard[0][:, 0]) > 0.001)
    lengths = [window.model.find_state(text).last_rendering.length_s for text in TEXTS]
    assert (loud[-1] - loud[0]) / RATE <= sum(lengths) + 0.05, "nothing but the lines themselves"
    assert (loud[-1] - loud[0]) / RATE > 0.8 * sum(lengths)


def test_a_line_that_cannot_be_read_is_marked_and_passed_over(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=4.0)
    window = filled(open_window(open_player=lambda _device, _rate: player), "雨が降る。", "……", "風が吹く。")
    window.play_commands.play_through()
    wait_over(qtbot, window)
    assert phases(window) == [LinePhase.IDLE, LinePhase.FAILED, LinePhase.IDLE]
    assert "nothing in this text" in window.model.find_state("……").error
    assert window.banner.isVisible()
    assert player.aborts == 0, "the line before must be heard to its end"
    assert [chunks[-1].last for chunks in player.requests.values()] == [True, True]
    window.script.select_lines(["……"])
    window.script.edit_line(1)
    qtbot.keyClicks(window.script.editor, "ame")
    assert phases(window)[1] is LinePhase.IDLE, "a changed line is as good as new"


def test_loop_goes_on_until_it_is_stopped(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=8.0)
    window = filled(open_window(open_player=lambda _device, _rate: player), *TEXTS[:2])
    window.window_actions["loop"].trigger()
    window.play_commands.play_through()
    qtbot.waitUntil(lambda: len(player.requests) >= 5, timeout=WAIT_MS)
    window.window_actions["stop"].trigger()
    wait_over(qtbot, window)
    assert phases(window) == [LinePhase.IDLE] * 2
    assert [item.label for item in window.history.utterances] == list(TEXTS[:2]), "coming round again is no measurement"


def test_a_loop_ends_when_nothing_in_it_can_be_read(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "……", "！？")
    window.window_actions["loop"].trigger()
    window.play_commands.play_through()
    wait_over(qtbot, window)
    assert phases(window) == [LinePhase.FAILED] * 2


def test_without_a_device_not_every_line_is_tried(qtbot: QtBot, open_window: OpenWindow) -> None:
    asked: list[int] = []

    def no_device(_device: str | None, _rate: int) -> RecordingPlayer:
        asked.append(1)
        raise AudioDeviceError("No audio output device was found.", "Connect one.")

    window = filled(open_window(open_player=no_device), *TEXTS)
    asked.clear()
    window.play_commands.play_through()
    wait_over(qtbot, window)
    assert len(asked) == 1
    assert phases(window) == [LinePhase.FAILED, LinePhase.IDLE, LinePhase.IDLE]


def test_not_more_is_made_ahead_than_is_needed(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=0.5)
    long = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 3
    window = filled(open_window(open_player=lambda _device, _rate: player), *(f"{number}{long}" for number in "一二三四五"))
    window.play_commands.play_through()
    qtbot.waitUntil(lambda: len(player.requests) == 1 and player.requests["line-1"][-1].last, timeout=WAIT_MS)
    qtbot.wait(300)
    assert len(player.requests) <= 2
    window.play_commands.stop_playing()
    wait_over(qtbot, window)


def test_an_open_seed_gives_another_take_each_time(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = filled(open_window(), TEXTS[0])
    window.side.seed.lock.click()
    takes = [player.sound(speak(qtbot, window)) for _ in range(2)]
    assert len(takes[0]) != len(takes[1]) or not np.allclose(takes[0], takes[1])
    seed = window.side.seed.value
    assert window.lines[0].settings.seed != seed, "rolling a seed is no edit: there is nothing to undo"
    window.side.seed.lock.click()
    assert window.lines[0].settings.seed == seed
    assert np.array_equal(player.sound(speak(qtbot, window)), takes[1]), "closing the lock keeps the take that was heard"


def test_live_speaks_again_after_a_change_and_only_then(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = filled(open_window(), TEXTS[0], TEXTS[1])
    window.sliders["speed"].set_value(1.2)
    qtbot.wait(300)
    assert not player.requests
    window.window_actions["live"].trigger()
    for speed in (1.3, 1.4, 1.5):
        window.sliders["speed"].set_value(speed)
    qtbot.waitUntil(lambda: bool(player.requests), timeout=WAIT_MS)
    wait_over(qtbot, window)
    qtbot.wait(300)
    assert len(player.requests) == 1, "three quick changes are one"
    window.commands.move_down()
    qtbot.wait(300)
    assert len(player.requests) == 1, "moving is not a change of the sound"
    window.side.seed.lock.click()
    wait_over(qtbot, window)
    qtbot.wait(500)
    assert len(player.requests) <= 2, "rolling the seed for a playing must not start another"


def test_every_setting_reaches_the_sound(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = filled(open_window(), "雨、雪、風。")
    plain = player.sound(speak(qtbot, window))
    window.side.pauses.fields[","].setValue(1.0)
    paused = player.sound(speak(qtbot, window))
    assert len(paused) - len(plain) > 0.8 * 44_100
    window.sliders["pre_silence_s"].set_value(2.0)
    request = speak(qtbot, window)
    assert len(player.requests[request][0].samples) == pytest.approx(2 * 44_100, abs=2)
    window.side.assist.setText("悲しい。")
    window.side.assist.textEdited.emit("悲しい。")
    assert window.lines[0].settings.assist_text == "悲しい。"
    assert window.history.last is not None
    speak(qtbot, window)


def test_stop_while_it_prepares_leaves_nothing_behind(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    filled(window, *TEXTS)
    window.play_commands.play_through()
    assert phases(window)[0] is LinePhase.PREPARING
    assert window.transport.play.text() == "Stop"
    window.play_commands.stop_playing()
    assert phases(window) == [LinePhase.IDLE] * 3
    assert window.transport.play.text() == "Play"
    wait_over(qtbot, window)


@pytest.mark.parametrize(("pause_s", "silence_s"), [(None, 0.2), (1.5, 1.5), (0.05, 0.05), (0.0, 0.0)])
def test_the_pause_of_a_line_is_heard_and_is_no_part_of_its_sound(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer, pause_s: float | None, silence_s: float
) -> None:
    window = filled(open_window(), *TEXTS[:2])
    window.commands.change_pause(pause_s)
    window.play_commands.play_lines(list(TEXTS[:2]))
    wait_over(qtbot, window)
    first, second = player.requests.values()
    assert first[-1].silence
    assert second[0].silence
    between = len(first[-1].samples) + len(second[0].samples)
    assert between == pytest.approx(silence_s * first[0].sampling_rate, abs=2)
    sound = window.strip.sounds.find_sound(TEXTS[0])
    assert sound.length_s - sound.spoken_s == pytest.approx(0.2, abs=1e-3), "a take of it has the silences of the line"
