"""A device that fails while a line is spoken: the line is heard, and the window says where the sound is made now."""

import pytest
from pytestqt.qtbot import QtBot

from app.adapters.ort.device_placement import DevicePlacement
from app.compose import device_opening
from app.settings.user_settings import Settings
from tests.faulty_device import FAULTS, FaultyDevice, raising
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import OpenWindow, speak


def test_a_lost_device_is_told_and_the_line_is_heard(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = FaultyDevice(raising(FAULTS["removed"][0]), 10**6)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    window = open_window(Settings(text="", backend="cuda"))
    assert window.controller.voice is not None
    assert {backend for _, backend in window.controller.voice.backends} == {"cuda"}
    assert not window.banner.isVisible()
    device.at = len(device.runs) + 3
    speak(qtbot, window, "雨が降る、橋を渡る。")
    assert window.history.last is not None
    assert {backend for _, backend in window.controller.voice.backends} == {"cpu"}
    assert window.banner.isVisible()
    assert "887A0005" in window.banner.details.text.toPlainText()
    assert str(DevicePlacement("cuda", "cuda", "cuda")) == window.status.backend  # what was asked for stays
