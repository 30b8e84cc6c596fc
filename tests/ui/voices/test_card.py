"""The card of a voice: who speaks, and how it can be heard."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.settings import Settings
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.recording_player import RecordingPlayer


def test_the_card_names_the_speaker_of_the_line(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ"))
    first, second = (window.side.speakers.itemText(row) for row in (0, 1))
    assert first in window.side.card.makers.text()
    window.side.speakers.setCurrentIndex(1)
    assert second in window.side.card.makers.text()
    window.document.stack.undo()
    assert second not in window.side.card.makers.text()


def test_a_voice_without_recordings_speaks_in_each_of_its_styles(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings(text="あ"))
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    offered = window.side.card.samples.menu().actions()
    assert [action.data() for action in offered] == [window.side.styles.itemData(row) for row in range(window.side.styles.count())]
    before = window.document.script
    lengths = []
    for action in offered[:2]:
        action.trigger()
        wait_idle(qtbot, window)
        chunks = player.requests[list(player.requests)[-1]]
        assert chunks[-1].last
        lengths.append(sum(len(chunk.samples) for chunk in chunks))
    assert lengths[0] != lengths[1], "the style is heard"
    assert window.document.script is before, "the script has nothing of it"


def test_what_is_tried_can_be_stopped(qtbot: QtBot, open_window: OpenWindow) -> None:
    slow = RecordingPlayer(pace=1.0)
    window = open_window(Settings(text="あ"), open_player=lambda _device, _rate: slow)
    window.side.card.style_requested.emit("")
    qtbot.waitUntil(lambda: window.controller.state.played_s > 0, timeout=WAIT_MS)
    window.transport.play.click()
    assert not window.controller.state.speaking
    wait_idle(qtbot, window)
