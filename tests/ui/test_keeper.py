"""Settings are kept without the window waiting for the disk."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.settings import Settings, load_settings
from app.ui.keeper import SettingsKeeper
from tests.ui.conftest import SLOW_S, WAIT_MS, OpenWindow
from tests.ui.heart import Heart


@pytest.mark.usefixtures("_slow_disk")
def test_a_slow_disk_holds_nobody_up(qtbot: QtBot) -> None:
    owner, kept = QObject(), [Settings()]
    keeper = SettingsKeeper(lambda: kept[0], owner)
    found: list[float] = []
    with Heart() as heart:
        for speed in (1.1, 1.2, 1.3):
            kept[0] = replace(kept[0], speed=speed)
            keeper.save_now(lambda: found.append(load_settings()[0].speed))
        qtbot.waitUntil(lambda: len(found) == 3, timeout=WAIT_MS)
    assert max(heart.gaps_ms) < SLOW_S * 1000 / 2
    assert found[-1] == 1.3
    assert found == sorted(found), "they are written in the order of asking"
    kept[0] = replace(kept[0], speed=1.4)
    keeper.close()
    assert load_settings()[0].speed == 1.4


def test_loop_and_live_are_as_they_were(open_window: OpenWindow) -> None:
    window = open_window()
    for name in ("loop", "live"):
        window.deeds[name].trigger()
    window.close()
    settings, _ = load_settings()
    assert (settings.loop, settings.live) == (True, True)
    again = open_window(settings)
    assert again.playback.loop
    assert [again.deeds[name].isChecked() for name in ("loop", "live")] == [True, True]
    again.deeds["live"].trigger()
    assert not again.current_settings().live
