"""The card of a voice: who speaks, and how it can be heard."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_card import VoiceCard
from app.ui.voices.voice_task_results import _format_added_voices
from app.ui.voices.voice_tasks import AddedVoiceRow
from app.voices.prepared_voice import NamedId, VoiceManifest
from app.voices.voice_card_data import VoiceCardData
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle


def test_the_card_names_the_speaker_of_the_line(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ"))
    first, second = (window.side.speakers.itemText(row) for row in (0, 1))
    assert first in window.voice_card.makers.text()
    window.side.speakers.setCurrentIndex(1)
    assert second in window.voice_card.makers.text()
    window.undo_stack.undo()
    assert second not in window.voice_card.makers.text()


def test_a_single_speaker_is_no_news(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ"))
    side, known = window.side, window.catalog.find_voice("")
    assert known is not None
    assert "Speaker" in side.card.makers.text()
    alone = replace(known, manifest=replace(known.manifest, speakers=known.manifest.speakers[:1]))
    side.show_voice(alone)
    assert "Speaker" not in side.card.makers.text()


def test_a_voice_without_recordings_speaks_in_each_of_its_styles(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings(text="あ"))
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    offered = window.voice_card.samples.menu().actions()
    assert len(offered) == window.styles.count()
    assert all(window.styles.itemText(row) in action.text() for row, action in enumerate(offered))
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
    window.voice_card.samples.click()
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
    window.transport.play.click()
    assert not window.speech_state.is_speaking
    wait_idle(qtbot, window)


@pytest.mark.parametrize("width", [200, 260, 520])
def test_no_line_of_the_makers_ends_in_a_dot_between_two_of_them(qtbot: QtBot, width: int) -> None:
    card = VoiceCard()
    qtbot.addWidget(card)
    card.resize(width, 200)
    card.show()
    names = ("Aivis Project", "Extraordinarily Long Singer")
    manifest = VoiceManifest("a", "Mao", "aivmx", "bert", 44_100, 512, (NamedId(0, "Mao"),), (NamedId(0, "Neutral"),), {})
    card.show_voice(CatalogVoice("a", manifest, Path("/nowhere"), "own", VoiceCardData(version="1.0.0-beta.12", creators=names)))
    lines = card.makers.text().split("\n")
    assert not any(line.rstrip().endswith("·") for line in lines)
    assert [part for line in lines for part in line.split(" · ")] == [", ".join(names), "v1.0.0-beta.12"]
    room = card.makers.width()
    fitting = [line for line in lines if card.makers.fontMetrics().horizontalAdvance(line) <= room]
    assert lines[-1] in fitting
    assert (len(lines) == 1) == (width == 520)


def test_added_voices_are_counted() -> None:
    one, two = AddedVoiceRow("a", "A"), AddedVoiceRow("b", "B")
    assert _format_added_voices([one], is_update=False) == "The voice “A” was added."
    assert _format_added_voices([one, two], is_update=False) == "The voices “A”, “B” were added."
    assert _format_added_voices([replace(voice, was_here=True) for voice in (one, two)], is_update=False).endswith("are already installed.")
