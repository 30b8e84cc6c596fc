"""Outputs that are pulled out while something sounds, and put back: told, heard, and never a choice forgotten."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.ui import held_player
from app.ui.player import open_portaudio
from tests.null_sink import RATE, NullSink, null_sink
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle, write
from tests.ui.ear import sounding_s
from tests.ui.test_story_heard import listen

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
    monkeypatch.setattr(held_player, "AGAIN_AFTER_S", 0.0)
    window = open_window(open_player=open_portaudio)
    window.menus.device_chosen.emit("headphones")
    wait_idle(qtbot, window)
    assert not window.banner.isVisible()
    write(window, LONG)
    whole = listen(qtbot, window, headphones)
    assert len(whole) > 1.5 * RATE

    with null_sink.recording() as recorded:
        window.play_or_stop()
        qtbot.waitUntil(lambda: window.controller.state.played_s > 0.5, timeout=WAIT_MS)
        headphones.kill()
        wait_idle(qtbot, window)
    assert 0.5 < sounding_s(recorded[0]) < len(whole) / RATE - 0.1, "the rest of the line is heard where the system plays"
    assert not window.banner.isVisible(), "nothing is lost"
    told = window.desk.banner.message
    assert "headphones" in told.text()
    assert "went away" in told.text()
    assert window.device == "headphones", "the choice stays"

    assert len(listen(qtbot, window, null_sink)) == pytest.approx(len(whole), abs=0.02 * RATE), (
        "still away: heard there, from its beginning"
    )
    headphones.start()
    assert len(listen(qtbot, window, headphones)) == pytest.approx(len(whole), abs=0.02 * RATE)
    assert "back at" in told.text()


def test_a_start_without_the_chosen_output_is_heard_and_told_and_the_choice_waits(
    qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_player, "AGAIN_AFTER_S", 0.0)
    window = open_window(Settings(text="はい。", device="headphones"), open_player=open_portaudio)
    told = window.desk.banner.message
    assert told.text().startswith('There is no audio output "headphones".')
    assert "heard at" in told.text()
    with null_sink.recording() as recorded:
        speak(qtbot, window)
    assert sounding_s(recorded[0]) > 0.1
    assert window.current_settings().device == "headphones"
