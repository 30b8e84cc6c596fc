"""The voices of AivisSpeech in the library: shown where they lie, with the room that preparing takes, and never touched."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings, save_settings
from app.ui.tasks.process_task import TaskState
from tests.install.voice_files import aivmx, tree
from tests.ui.conftest import OpenWindow
from tests.ui.stories.test_library import last_job
from tests.ui.voices.test_voice_controller import UUIDS, open_script, until


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.mark.slow
def test_aivisspeechs_voices_with_the_room_they_take(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder laid out as that program lays it out: a file for each voice, named by its UUID."""
    theirs = tmp_path / "AivisSpeech-Engine" / "Models"
    theirs.mkdir(parents=True)
    for number, name in enumerate(("一", "二")):
        aivmx(reference, theirs / f"{UUIDS[number]}.aivmx", uuid=UUIDS[number], name=name)
    (theirs / "broken.aivmx").write_bytes(b"nothing")
    (theirs / "half.aivmx.part").write_bytes(b"nothing")
    settings = Settings(aivisspeech_folder=str(theirs), force_bert=True)
    save_settings(settings)
    window = open_window(settings, ready=False)
    open_script(qtbot, window, [""])
    window.window_actions["voice_library"].trigger()
    library = window.library.dialog
    assert library is not None
    found = [voice.name for voice in window.catalog.voices if voice.origin == "aivisspeech"]
    assert found == ["一", "二"]
    library.select_voice(UUIDS[1])
    size_mb = round(2.2 * (theirs / f"{UUIDS[1]}.aivmx").stat().st_size / 1e6)
    prepare = library.facts.buttons["prepare"]
    told = [label.text() for label in library.facts.findChildren(QLabel)]
    assert f"About {size_mb} MB once prepared" in told
    assert "This voice must be prepared once before use." in told
    assert {deed for deed, button in library.facts.buttons.items() if not button.isHidden()} <= {
        "prepare",
        "folder",
        "licence",
        "bert",
        "lab",
    }
    before = tree(theirs)
    prepare.click()
    assert last_job(qtbot, window).stage is TaskState.DONE
    until(qtbot, lambda: [voice.origin for voice in window.catalog.voices if voice.name == "二"] == ["own"])
    assert library.current_voice is not None
    assert library.current_voice.name == "二", "it stays selected, though it moved"
    assert tree(theirs) == before
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    library.select_voice(UUIDS[0])
    library.facts.buttons["folder"].click()
    assert Path(opened[0]) == theirs
    shutil.rmtree(theirs)
    window.catalog.refresh_voices()
    until(qtbot, lambda: all(voice.origin != "aivisspeech" for voice in window.catalog.voices))
    library.close()
