"""Whole stories: a person, the window, the real pipeline and the starter voice; only the loudspeaker is ours."""

import itertools
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.common.errors import AudioDeviceError
from app.core.synthesis_types import AudioChunk, SynthesisRequest
from app.engine.speech_job_runner import PlaybackRunner, SpeechFile
from app.settings.user_settings import Settings, load_settings
from app.ui.script.autosave import load_autosave
from tests.recording_player import RecordingPlayer
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, text_of, wait_idle, write

HELLO = "こんにちは、世界。"
LONG = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 40


def test_type_speak_and_see(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    assert window.status.state.text() == "Ready"
    qtbot.keyClick(window.script, "k")
    qtbot.keyClicks(window.script.editor, "onnichiwa ")
    assert text_of(window) == "konnichiwa "
    write(window, HELLO)
    qtbot.keyClick(window.script, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.transport.play.text() == "Stop"
    wait_idle(qtbot, window)
    assert text_of(window) == HELLO
    assert window.transport.play.text() == "Play"
    (request,) = player.requests
    sound = player.sound(request)
    assert 0.5 < len(sound) / 44_100 < 4
    assert 0.01 < np.abs(sound).max() <= 1
    utterance = window.history.last
    assert utterance is not None
    assert list(utterance.stages) == ["text", "g2p", "tokenize", "bert", "expand", "prosody", "flow", "decode", "audio"]
    assert utterance.first_audio_ms is not None
    assert utterance.audio_s == pytest.approx(len(sound) / 44_100)
    assert not any(stage.cold_ms for stage in utterance.stages.values()), "the warm-up must have run every stage"
    figures = window.latency.table.figures
    shown = [figures.index(row, 1).data() for row in range(figures.rowCount())]
    assert "–" not in shown
    assert f"RTF {utterance.rtf:.3f}" in window.latency.title.figures.text()
    assert not window.banner.isVisible()


def test_sliders_and_styles_change_the_sound(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    first = player.sound(speak(qtbot, window, HELLO))
    again = speak(qtbot, window)
    assert np.array_equal(player.sound(again), first), "the same seed gives the same take"
    utterance = window.history.last
    assert utterance is not None
    assert (utterance.hits, utterance.lookups) == (2, 2)
    assert "Cache 2/2" in window.latency.title.figures.text()
    assert "cached" in [window.latency.table.figures.index(row, 1).data() for row in range(4)]
    window.sliders["speed"].set_value(1.5)
    fast = player.sound(speak(qtbot, window))
    assert len(first) / len(fast) == pytest.approx(1.5, rel=0.15)
    window.styles.setCurrentIndex(window.styles.findText("Sad"))
    sad = player.sound(speak(qtbot, window))
    assert len(sad) != len(fast) or not np.allclose(sad, fast, atol=1e-3)
    window.sliders["volume"].set_value(0.5)
    quiet = player.sound(speak(qtbot, window))
    assert np.allclose(quiet, sad / 2, atol=1e-6)


@pytest.mark.parametrize("follow", [False, True])
def test_the_selection_follows_what_plays_where_that_is_wanted(qtbot: QtBot, open_window: OpenWindow, follow: bool) -> None:
    window = open_window(Settings(follow=follow))
    window.commands.add_text("一つ目。\n二つ目。\n三つ目。", 0)
    ids = [line.id for line in window.lines]
    window.script.select_lines(ids[:1])
    seen: list[list[str]] = []
    window.playback.line_began.connect(lambda _: seen.append(window.selection.ids))
    window.window_actions["play_through"].trigger()
    wait_idle(qtbot, window)
    assert [chosen for chosen, _ in itertools.groupby(seen)] == [[line_id] for line_id in (ids if follow else ids[:1])]


def test_esc_stops_at_once_and_the_next_line_is_whole(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=1.0, queue_s=0.5)
    window = open_window(open_player=lambda _device, _rate: player)
    write(window, LONG)
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: window.status.state.text().startswith("Playing"), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0.1, timeout=WAIT_MS)
    assert window.transport.line.value() > 0
    pressed = time.perf_counter()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert player.silenced_at - pressed < 0.2
    assert not window.speech_state.is_speaking
    qtbot.waitUntil(lambda: not window.controller.is_busy, timeout=WAIT_MS)
    assert player.position is None, "nothing may sound after the stop"
    stopped = window.history.last
    assert stopped is not None
    assert stopped.is_stopped
    player.pace = float("inf")
    request = speak(qtbot, window, HELLO)
    assert player.requests[request][-1].last


def test_stop_reaches_into_a_running_graph_and_a_full_queue(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=0.0, queue_s=0.2)  # a device that never asks for more
    window = open_window(open_player=lambda _device, _rate: player)
    for _ in range(5):
        write(window, LONG)
        window.play_commands.play_or_stop()
        qtbot.wait(60)
        window.play_commands.stop_playing()
        asked = time.perf_counter()
        qtbot.waitUntil(lambda: not window.controller.is_busy, timeout=WAIT_MS)
        assert time.perf_counter() - asked < 2, "the thread must be free again, on however busy a machine"


def test_the_newest_line_wins(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=1.0, queue_s=0.3)
    window = open_window(open_player=lambda _device, _rate: player)
    write(window, LONG)
    for _ in range(4):
        window.play_commands.play_lines(window.script.selected_ids)
    write(window, HELLO)
    player.pace = float("inf")
    window.play_commands.play_lines(window.script.selected_ids)
    newest = window.history.last
    assert newest is not None
    wait_idle(qtbot, window)
    assert player.requests[newest.request_id][-1].last
    assert [request for request, chunks in player.requests.items() if chunks[-1].last] == [newest.request_id]


def test_play_before_the_voice_is_there(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings(text=HELLO, style="Happy"), ready=False)
    window.play_commands.play_or_stop()
    assert window.transport.play.text() == "Stop"
    qtbot.waitUntil(lambda: bool(player.requests), timeout=WAIT_MS)
    wait_idle(qtbot, window)
    assert window.styles.currentText() == "Happy"
    (request,) = player.requests
    window.styles.setCurrentIndex(0)
    neutral = player.sound(speak(qtbot, window))
    assert not np.array_equal(player.sound(request), neutral), "the remembered style must have been spoken"


def test_text_without_words_gets_a_banner(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    for text, message in (("", "The text is empty"), (" \n", "The text is empty"), ("……！？", "nothing in this text")):
        speak(qtbot, window, text)
        assert window.banner.isVisible()
        assert message in window.banner.message.text()
        assert window.banner.hint.text()
        assert not window.history.utterances or not window.history.last.is_running
        player.requests.clear()
        speak(qtbot, window, HELLO)
        assert not window.banner.isVisible()
        assert player.requests


def test_a_backend_that_is_not_there_falls_back_and_says_so(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings(text=HELLO, backend="directml"))
    assert "DirectML" in window.banner.message.text()
    assert window.banner.isVisible()
    assert window.status.backend == "directml"
    assert window.status.actual.text() == "→ CPU"
    assert window.status.actual.objectName() == "error"
    request = speak(qtbot, window)
    assert player.requests[request][-1].last
    window.status.backends.setCurrentIndex(window.status.backends.findData("cpu"))
    window.status.backends.activated.emit(window.status.backends.currentIndex())
    wait_idle(qtbot, window)
    assert window.status.actual.objectName() == "muted"
    assert window.settings.value.backend == "cpu"


def test_a_backend_nobody_knows_is_refused_and_can_be_mended(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings(text=HELLO, backend="quantum"))
    assert "quantum" in window.banner.message.text()
    assert window.status.state.text() == window.voice_card.name.text() == "No voice"
    with qtbot.waitSignal(window.catalog.changed, timeout=WAIT_MS):
        window.catalog.refresh_voices()
    assert window.voice_card.name.text() == "No voice", "whichever is known first"
    speak(qtbot, window)
    assert "quantum" in window.banner.message.text()
    window.status.backend_selected.emit("auto")
    wait_idle(qtbot, window)
    assert not window.banner.isVisible()
    speak(qtbot, window)
    assert len(player.requests) == 1


def test_switching_the_backend_while_speaking_is_safe(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=1.0, queue_s=0.5)
    window = open_window(Settings(text=LONG), open_player=lambda _device, _rate: player)
    for backend in ("cpu", "cuda", "auto", "cpu"):
        window.play_commands.play_or_stop()
        qtbot.wait(80)
        window.status.backend_selected.emit(backend)
        assert not window.speech_state.is_speaking
    wait_idle(qtbot, window)
    assert window.controller.voice is not None
    assert window.controller.voice.requested_backend == "cpu"
    player.pace = float("inf")
    request = speak(qtbot, window, HELLO)
    assert player.requests[request][-1].last


def no_device(_device: str | None, _rate: int) -> RecordingPlayer:
    raise AudioDeviceError("No audio output device was found.", "Connect one, or use -o.")


def test_without_a_device_the_sound_can_be_saved(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import soundfile

    window = open_window(Settings(text=HELLO), open_player=no_device)
    assert window.banner.message.text() == "No audio output device was found."
    assert "-o" not in window.banner.hint.text()
    assert window.status.state.text() == "Ready"
    for suffix in (".wav", ".flac", ".mp3", ".ogg", ".opus"):
        speak(qtbot, window)
        assert window.banner.isVisible()
        file = tmp_path / f"kind{suffix}" / f"声{suffix}"
        file.parent.mkdir()
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments, file=file: (str(file), ""))
        press_action(window.banner, "Export audio…")
        wait_idle(qtbot, window)
        assert window.banner.message.text() == f"Exported: 声{suffix}"
        assert 0.5 < soundfile.info(file).duration < 4
        assert [item.name for item in file.parent.iterdir() if item.is_file()] == [file.name]
        assert window.settings.value.save_folder == str(file.parent)


def test_a_file_that_cannot_be_written_gets_a_banner(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(Settings(text=HELLO))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: (str(tmp_path / "none" / "a"), "FLAC (*.flac)"))
    window.play_commands.save_or_stop()
    wait_idle(qtbot, window)
    assert "a.flac" in window.banner.message.text()
    assert window.banner.hint.text()


def test_saving_can_be_stopped_and_leaves_nothing(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(Settings(text=LONG * 5))
    folder = tmp_path / "out"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: (str(folder / "long.wav"), ""))
    window.transport.save.click()
    qtbot.waitUntil(lambda: any(folder.iterdir()), timeout=WAIT_MS)
    assert window.transport.save.text() == "Stop exporting"
    assert window.status.state.text() == "Exporting audio…"
    window.transport.save.click()
    assert window.transport.save.text() == "Export audio…"
    wait_idle(qtbot, window)
    assert not any(folder.iterdir())


def test_saving_while_speaking_waits_for_neither(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    player = RecordingPlayer(pace=1.0)
    window = open_window(Settings(text=HELLO), open_player=lambda _device, _rate: player)
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.file_saved, timeout=WAIT_MS):
        window.controller.save_sound(SpeechFile(tmp_path / "a.wav", (SynthesisRequest(HELLO),)))
    wait_idle(qtbot, window)
    assert player.aborts == 0
    assert player.requests["line-1"][-1].last


class DyingPlayer(RecordingPlayer):
    """Is unplugged after some chunks."""

    def write_chunk(self, chunk: AudioChunk) -> None:
        super().write_chunk(chunk)
        if len(self.requests[chunk.request_id]) == 3:
            raise AudioDeviceError("The output device stopped responding.", "Connect it again.")


def test_a_device_that_goes_away_is_told_and_the_next_one_used(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    dying = DyingPlayer()
    players = iter([dying, player])
    window = open_window(Settings(text=HELLO), open_player=lambda _device, _rate: next(players))
    speak(qtbot, window)
    assert window.banner.message.text() == "The output device stopped responding."
    assert window.banner.action.isVisible()
    assert dying.closed
    request = speak(qtbot, window)
    assert player.requests[request][-1].last


def test_choosing_a_device_changes_over_only_when_it_opens(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    other = RecordingPlayer()

    def open_player(device: str | None, rate: int) -> RecordingPlayer:
        return no_device(device, rate) if device == "broken" else other if device == "other" else player

    window = open_window(Settings(text=HELLO), open_player=open_player)
    window.settings.change_settings(device="broken")
    wait_idle(qtbot, window)
    assert window.banner.isVisible()
    assert player.closed  # no stream may be open while devices are looked for
    player.closed = False
    speak(qtbot, window)
    assert player.requests, "the device before goes on"
    assert not player.closed
    window.settings.change_settings(device="other")
    speak(qtbot, window)
    assert player.closed
    assert other.requests
    assert window.settings.value.device == "other"


def test_an_unexpected_fault_is_told_and_the_window_goes_on(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(Settings(text=HELLO))
    with monkeypatch.context() as patched:
        patched.setattr(PlaybackRunner, "_compute_chunk", lambda _self, _job: 1 / 0)
        speak(qtbot, window)
    assert "unexpected" in window.banner.message.text()
    assert "koebako.log" in window.banner.hint.text()
    assert player.requests[speak(qtbot, window)][-1].last


def test_everything_is_remembered(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, "雨が降る。")
    window.styles.setCurrentIndex(2)
    window.sliders["speed"].set_value(1.25)
    window.side.seed.set_value(11)
    window.side.expression.set_open(True)
    window.latency.hide()
    window.close()
    settings, notice = load_settings()
    assert notice is None
    assert (settings.style, settings.speed, settings.seed) == ("Bashful", 1.25, 11)
    again = open_window(settings)
    assert text_of(again) == "雨が降る。"
    assert again.styles.currentText() == "Bashful"
    assert again.sliders["speed"].value == 1.25
    assert again.side.expression.is_open
    assert not again.latency.isVisible()
    assert replace(again.settings.value, geometry="", layout="") == replace(settings, geometry="", layout="")


def test_changes_are_saved_while_the_window_is_open(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, "消えてはいけない文章")
    window.sliders["speed"].set_value(1.4)
    qtbot.waitUntil(lambda: load_settings()[0].speed == 1.4, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: load_autosave()[0] == window.document.script, timeout=WAIT_MS)


def test_a_home_that_cannot_be_written_is_told_and_only_a_second_close_gives_up(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "file"))
    window = open_window()
    write(window, "あ")
    qtbot.waitUntil(lambda: "could not be saved" in window.notice.message.text(), timeout=WAIT_MS)
    assert not window.close()
    assert window.isVisible()
    assert "Closing again discards" in window.notice.hint.text()
    assert window.close()


@pytest.mark.parametrize("moment_ms", [0, 50, 300])
def test_closing_while_it_loads_or_speaks_ends_the_thread(qtbot: QtBot, open_window: OpenWindow, moment_ms: int) -> None:
    player = RecordingPlayer(pace=1.0, queue_s=0.2)
    window = open_window(Settings(text=LONG), open_player=lambda _device, _rate: player, ready=False)
    window.play_commands.play_or_stop()
    qtbot.wait(moment_ms)
    window.close()
    assert not window.speech_thread.isRunning()
    assert "synthesis" not in [thread.name for thread in threading.enumerate()]
