"""The dialog that blends two speakers: what it asks for, and what it shows when that fails."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.common.errors import AppError, InputError
from app.common.files import paths
from app.core.script.characters import CastBuilder
from app.core.script.script import Line, LineCast, LineSettings, Script
from app.core.sound.voice_traits import SpeakerBlend
from app.install.voice_licence import accept_licence
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_dialogs import SpeakerBlendDialog
from app.voices.prepared_voice import NamedId, VoiceManifest, read_prepared_voice
from tests.tiny_models.kokoro_voice import VOICE_ID, make_kokoro_voice
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.parameters.test_used_settings import install
from tests.ui.window_driver import WindowDriver

SPEAKERS = tuple(NamedId(index, name) for index, name in enumerate(("Female 1", "Female 2", "Male 1")))
MANIFEST = VoiceManifest("kokoro", "Kokoro", "kokoro", "", 24_000, 600, SPEAKERS, (NamedId(0, "Neutral"),), {}, architecture="kokoro")
VOICE = CatalogVoice("kokoro", MANIFEST, Path("/nowhere"), "own")


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def dialog(parent: QWidget) -> SpeakerBlendDialog:
    return SpeakerBlendDialog(parent, VOICE)


def test_it_asks_for_what_it_shows(dialog: SpeakerBlendDialog) -> None:
    asked: list[SpeakerBlend] = []
    dialog.save_requested.connect(asked.append)
    assert dialog.name.text() == "Female 1 + Female 2"
    dialog.second.setCurrentIndex(2)
    dialog.share.setValue(5)
    assert dialog.percent.text() == "75 : 25"
    dialog.save.click()
    assert asked == [SpeakerBlend("Female 1 + Male 1", "Female 1", "Male 1", 0.25)]
    assert not dialog.save.isEnabled(), "one at a time"
    dialog.show_error(InputError("No.", "Try."))
    assert dialog.failure.text() == "No. Try."
    assert dialog.save.isEnabled()


def test_a_name_of_the_users_stays(dialog: SpeakerBlendDialog, qtbot: QtBot) -> None:
    dialog.name.selectAll()
    qtbot.keyClicks(dialog.name, "mix")
    dialog.first.setCurrentIndex(2)
    assert dialog.name.text() == "mix"
    dialog.name.clear()
    assert not dialog.save.isEnabled()


def test_a_speaker_cannot_be_blended_with_itself(dialog: SpeakerBlendDialog) -> None:
    dialog.second.setCurrentIndex(0)
    assert not dialog.save.isEnabled()


def test_saved_blends_can_be_removed(dialog: SpeakerBlendDialog) -> None:
    assert not dialog.remove.isEnabled()
    removed: list[str] = []
    dialog.removal_requested.connect(removed.append)
    dialog.show_blends(replace(VOICE, manifest=replace(MANIFEST, styles=(*MANIFEST.styles, NamedId(1, "mix")))))
    dialog.remove.click()
    assert removed == ["mix"]


def test_the_library_opens_it_and_a_failure_is_shown_there(open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    voice = install(window, qtbot)

    def refuse(_reference: str, _blend: SpeakerBlend) -> None:
        raise AppError("The disk is full.", "Free some space.")

    monkeypatch.setattr("app.install.speaker_blends.add_blend", refuse)
    window.library.open_library()
    library = window.library.dialog
    assert library is not None
    library.action_requested.emit("blend", voice)
    shown = window.blends.dialog
    assert shown is not None
    shown.save.click()
    qtbot.waitUntil(lambda: bool(shown.failure.text()), timeout=WAIT_MS)
    assert shown.failure.text() == "The disk is full. Free some space."
    shown.accept()
    assert window.blends.dialog is None


@pytest.fixture
def natural(open_window: OpenWindow, qtbot: QtBot) -> WindowDriver:
    """A window with a voice of two speakers, which the character of its one line has."""
    accept_licence(read_prepared_voice(make_kokoro_voice(paths.find_data_dir() / "voices" / VOICE_ID)))
    window = open_window()
    qtbot.waitUntil(lambda: window.catalog.is_read and window.catalog.find_voice(VOICE_ID) is not None, timeout=WAIT_MS)
    settings = LineSettings(voice=VOICE_ID, speaker="high")
    cast = CastBuilder()
    character = cast.add_character("アキ", settings)
    window.document.reset_script(Script((Line("雨。", settings, id="a", character=character.id),), cast=cast.cast))
    window.script.select_lines(["a"])
    return window


def test_a_blend_is_heard_while_it_is_dragged_where_one_casts(natural: WindowDriver, qtbot: QtBot) -> None:
    window = natural
    heard: list[LineCast] = []
    window.controller.speech_played.connect(lambda job: heard.append(job.cast))
    window.window_actions["show_cast"].trigger()
    assert window.cast.window is not None
    form = window.cast.window.form
    assert form.blend.isVisible()
    form.blend.click()
    dialog = window.blends.dialog
    assert dialog is not None
    assert (dialog.first.currentData(), dialog.second.currentData()) == ("high", "low"), "it begins with the character's own"
    dialog.share.setSliderDown(True)
    for step in (8, 6):
        dialog.share.setValue(step)
        spoken = len(heard)
        qtbot.waitUntil(lambda: len(heard) > spoken + 1, timeout=WAIT_MS)  # noqa: B023  # called at once
    dialog.share.setSliderDown(False)
    wait_idle(qtbot, window)
    shares = [cast.blend.share for cast in heard if cast.blend is not None]
    assert shares == sorted(shares, reverse=True)
    assert {shares[0], shares[-1]} == {0.4, 0.3}, "each phrase has the share of its beginning"
    voice = window.catalog.find_voice(VOICE_ID)
    assert voice is not None
    assert [name for _, name in voice.styles] == ["Neutral", "between"], "nothing is kept"
    assert window.lines[0].settings.style == ""
    dialog.name.setText("mix")
    dialog.save.click()
    qtbot.waitUntil(lambda: window.lines[0].settings.style == "mix", timeout=WAIT_MS)
    assert window.document.script.cast[0].settings.style == "mix"
    assert window.blends.dialog is None
    wait_idle(qtbot, window)


def test_closing_the_dialog_ends_what_is_heard(natural: WindowDriver, qtbot: QtBot) -> None:
    window = natural
    window.voice_card.blend.trigger()
    dialog = window.blends.dialog
    assert dialog is not None
    dialog.listen.click()
    assert window.speech_state.is_speaking
    dialog.reject()
    assert not window.speech_state.is_speaking
    wait_idle(qtbot, window)
