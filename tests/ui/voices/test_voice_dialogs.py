"""The dialog that blends two speakers: what it asks for, and what it shows when that fails."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.common.errors import AppError, InputError
from app.install.speaker_blends import SpeakerBlend
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_dialogs import SpeakerBlendDialog
from app.voices.prepared_voice import NamedId, VoiceManifest
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.parameters.test_used_settings import install

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
