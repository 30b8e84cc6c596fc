"""Outputs that are pulled out while something sounds, and put back: told, heard, and never a choice forgotten."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, Script
from app.engine import output_device
from app.engine.output_device import open_portaudio
from app.settings.user_settings import Settings
from app.ui.script.autosave import load_autosave
from app.ui.script.script_model import LinePhase
from tests.null_sink import RATE, NullSink, null_sink
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle, write
from tests.ui.ear import sounding_s
from tests.ui.playback.test_sound_saving import answer
from tests.ui.stories.test_heard import listen

__all__ = ["null_sink"]

pytestmark = [pytest.mark.sound, pytest.mark.alone]
LONG = "今日はとてもいい天気なので、歩いて行きました。"


@pytest.fixture
def headphones(null_sink: NullSink) -> Iterator[NullSink]:
    """A second output, called so, of a server of its own: where one server has both, it moves what plays by itself."""
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        sink = NullSink(Path(folder))
        sink.start()
        with Path(null_sink.environment["ALSA_CONFIG_PATH"]).open("a", encoding="ascii") as file:
            server = sink.environment["PULSE_SERVER"]
            file.write(f'pcm.headphones {{ type pulse server "{server}" hint {{ show on description "headphones" }} }}\n')
        try:
            yield sink
        finally:
            sink.kill()


def test_the_chosen_output_is_pulled_out_and_put_back(
    qtbot: QtBot, null_sink: NullSink, headphones: NullSink, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_device, "DEVICE_RETRY_AFTER_S", 0.0)
    window = open_window(open_player=open_portaudio)
    window.settings.change_settings(device="headphones")
    wait_idle(qtbot, window)
    assert not window.banner.isVisible()
    write(window, LONG)
    whole = listen(qtbot, window, headphones)
    assert len(whole) > 1.5 * RATE

    with null_sink.recording() as recorded:
        window.play_commands.play_or_stop()
        qtbot.waitUntil(lambda: window.speech_state.played_s > 0.5, timeout=WAIT_MS)
        headphones.kill()
        wait_idle(qtbot, window)
    assert 0.5 < sounding_s(recorded[0]) < len(whole) / RATE - 0.1, "the rest of the line is heard where the system plays"
    assert not window.banner.isVisible(), "nothing is lost"
    told = window.voice_banner.message
    assert "headphones" in told.text()
    assert "was disconnected" in told.text()
    assert window.settings.value.device == "headphones", "the choice stays"

    assert len(listen(qtbot, window, null_sink)) == pytest.approx(len(whole), abs=0.02 * RATE), (
        "still away: heard there, from its beginning"
    )
    headphones.start()
    assert len(listen(qtbot, window, headphones)) == pytest.approx(len(whole), abs=0.02 * RATE)
    assert "again" in told.text()


def test_a_start_without_the_chosen_output_is_heard_and_told_and_the_choice_waits(
    qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_device, "DEVICE_RETRY_AFTER_S", 0.0)
    window = open_window(Settings(text="はい。", device="headphones"), open_player=open_portaudio)
    told = window.voice_banner.message
    assert told.text().startswith("The output device “headphones” was not found.")
    assert "Playing on" in told.text()
    with null_sink.recording() as recorded:
        speak(qtbot, window)
    assert sounding_s(recorded[0]) > 0.1
    assert window.settings.value.device == "headphones"


def test_a_sound_server_that_is_killed_in_mid_sentence_costs_neither_lines_nor_files(
    qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = open_window(open_player=open_portaudio)
    lines = tuple(Line(f"{number}。{LONG}", id=str(number)) for number in range(4))
    window.document.reset_script(Script(lines))
    window.script.select_lines(["0"])
    (tmp_path / "out").mkdir()
    answer(monkeypatch, tmp_path / "out" / "$number$.wav")
    told: list[str] = []
    tell = window.banner.show_message
    monkeypatch.setattr(window.banner, "show_message", lambda *given, **more: (told.append(given[1]), tell(*given, **more)))

    window.play_commands.play_through()
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0.4, timeout=WAIT_MS)
    window.window_actions["save_all"].trigger()
    null_sink.kill()
    qtbot.waitUntil(lambda: any("output device" in message for message in told), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(list((tmp_path / "out").glob("*.wav"))) == len(lines), timeout=WAIT_MS)
    wait_idle(qtbot, window)
    troubles = [message for message in told if not message.startswith("Export")]
    assert len(troubles) == 1, "said once, not for every line that was to follow"
    assert "output device" in troubles[0]
    assert [line.text for line in window.lines] == [line.text for line in lines]
    assert all(window.model.find_state(line.id).phase is not LinePhase.SPEAKING for line in lines)
    null_sink.start()
    window.script.select_lines(["3"])
    assert len(listen(qtbot, window, null_sink)) > RATE
    assert not window.banner.isVisible()
    window.close()
    assert load_autosave()[0] == window.document.script
