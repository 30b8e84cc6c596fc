"""The window with the real audio player, into a silent sink that is recorded."""

import time

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.engine.output_device import open_portaudio
from app.settings.user_settings import Settings
from tests.null_sink import NullSink, null_sink
from tests.ui.conftest import WAIT_MS, OpenWindow, speak
from tests.ui.ear import sounding_s

__all__ = ["null_sink"]

pytestmark = [pytest.mark.sound, pytest.mark.alone]


def test_what_is_typed_is_heard_and_the_play_state_keeps_time(qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="こんにちは、世界。"), open_player=open_portaudio)
    assert not window.banner.isVisible(), window.banner.message.text()
    lengths = []
    for speed in (1.0, 1.5):
        window.sliders["speed"].set_value(speed)
        shown: list[float] = []
        window.controller.state_changed.connect(lambda state, shown=shown: shown.append(state.played_s))
        with null_sink.recording() as heard:
            speak(qtbot, window)
        last = window.history.last
        assert last is not None
        lengths.append(sounding_s(heard[0]))
        assert 0.6 * last.audio_s < lengths[-1] < last.audio_s + 0.1, "all of it, but for the quiet ends"
        moving = [played for played in shown if played]
        assert len(set(moving)) > 5
        assert max(moving) > 0.8 * last.audio_s
    assert lengths[0] / lengths[1] == pytest.approx(1.5, rel=0.25)


def test_esc_is_heard_as_silence(qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 4), open_player=open_portaudio)
    with null_sink.recording() as heard:
        window.play_commands.play_or_stop()
        qtbot.waitUntil(lambda: window.speech_state.played_s > 0.5, timeout=WAIT_MS)
        began = time.perf_counter()
        qtbot.keyClick(window, Qt.Key.Key_Escape)
        assert time.perf_counter() - began < 0.2, "the key press itself must not wait for anything"
        played = 0.5
        qtbot.wait(800)
    assert 0.1 < sounding_s(heard[0]) < played + 0.7
    assert not window.speech_state.is_speaking
