"""A project whose voices are not here: named, never by their ids, and given to others in one step."""

from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.core.script.project import Project, VoiceReference
from app.core.script.script import Line, LineSettings, Script
from app.interchange.koebako_files import read_project, write_project
from app.ui.projects.missing_voices_dialog import MissingVoicesDialog
from app.ui.script.script_model import LinePhase
from tests.install.voice_files import aivmx
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.projects.project_deeds import opened, saved
from tests.ui.voices.test_voice_controller import installed, reference
from tests.ui.window_driver import WindowDriver

__all__ = ["reference"]

GONE, NAMELESS = "0faf9f49-fb67-595a-a405-000000000001", "0faf9f49-fb67-595a-a405-000000000002"
ADDRESS = "https://hub.aivis-project.com/aivm-models/0faf9f49-fb67-595a-a405-000000000001"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.koebako"
    voices = [GONE, GONE, NAMELESS, ""]
    script = Script(
        tuple(Line("雨。", LineSettings(voice=voice, style="Happy", speed=1.2), id=str(row)) for row, voice in enumerate(voices))
    )
    write_project(path, Project(script=script, voices=(VoiceReference(GONE, "花子", "", ADDRESS),)))
    return path


def shown(qtbot: QtBot, window: WindowDriver, file: Path) -> None:
    opened(qtbot, window, file)
    qtbot.waitUntil(lambda: window.catalog.is_read and window.voice_banner.isVisible(), timeout=WAIT_MS)


def dialog_of(window: WindowDriver) -> MissingVoicesDialog:
    press_action(window.voice_banner, "Assign voices…")
    assert window.missing.dialog is not None
    return window.missing.dialog


def test_they_are_named_everywhere_and_their_ids_nowhere(qtbot: QtBot, open_window: OpenWindow, file: Path) -> None:
    window = open_window(ready=False)
    shown(qtbot, window, file)
    assert window.voice_banner.message.text() == "Missing voices: 花子, Unknown voice"
    assert "3 lines" in window.voice_banner.hint.text()
    assert window.voice_card.name.text() == "花子"
    assert window.voice_card.lack.text() == "The voice for this line is missing."
    assert window.voice_chooser.box.currentText() == "花子 (missing)"
    names = window.script.cards.voices.find_voice_name
    assert [names(voice) for voice in (GONE, NAMELESS)] == ["花子 (missing)", "Unknown voice (missing)"]
    window.script.select_lines(["2"])
    assert window.voice_card.name.text() == "Unknown voice"
    words = [label.text() + label.toolTip() for label in (window.voice_card.name, window.voice_card.about, window.voice_card.lack)]
    assert NAMELESS not in "".join(words)
    window.script.select_lines(["3"])
    assert window.voice_card.assign.isHidden()


def test_all_lines_of_a_voice_get_another_one_in_one_step(
    qtbot: QtBot, open_window: OpenWindow, file: Path, reference: Path, tmp_path: Path
) -> None:
    (here,) = installed(reference, tmp_path, 1)
    window = open_window(ready=False)
    shown(qtbot, window, file)
    before = window.document.script
    window.voice_card.assign.click()
    dialog = window.missing.dialog
    assert dialog is not None
    assert list(dialog.boxes) == [GONE, NAMELESS]
    box = dialog.boxes[GONE]
    box.setCurrentIndex(box.findData(here))
    dialog.assign.click()
    assert [line.settings.voice for line in window.lines] == [here, here, NAMELESS, ""]
    assert {line.settings.style for line in window.lines} == {"Happy"}
    window.undo_stack.undo()
    assert window.document.script == before
    assert not window.undo_stack.canUndo()


def test_the_same_model_under_another_id_is_proposed(qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path) -> None:
    (here,) = installed(reference, tmp_path, 1)
    path = tmp_path / "a.koebako"
    script = Script((Line("雨。", LineSettings(voice="other-name")),))
    write_project(path, Project(script=script, voices=(VoiceReference("other-name", "花子", here),)))
    window = open_window(ready=False)
    shown(qtbot, window, path)
    assert dialog_of(window).replacements == {"other-name": here}


def test_its_page_is_opened_after_a_question(qtbot: QtBot, open_window: OpenWindow, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    visited: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: visited.append(url.toString()))
    window = open_window(ready=False)
    shown(qtbot, window, file)
    dialog = dialog_of(window)
    assert list(dialog.pages) == [GONE]
    for answer, seen in (("Cancel", []), ("Open", [ADDRESS])):
        dialog.pages[GONE].click()
        question = next(box for box in dialog.findChildren(QMessageBox) if box.isVisible())
        assert ADDRESS in question.informativeText()
        next(button for button in question.buttons() if button.text() == answer).click()
        assert visited == seen
    dialog.reject()


def test_voices_that_are_here_are_noted_in_the_file(
    qtbot: QtBot, open_window: OpenWindow, file: Path, reference: Path, tmp_path: Path
) -> None:
    (here,) = installed(reference, tmp_path, 1)
    window = open_window(ready=False)
    shown(qtbot, window, file)
    window.missing.replace_voices({NAMELESS: here})
    window.project.add_references((VoiceReference(here, unknown='{"later": 1}'),))
    saved(qtbot, window)
    page = f"https://hub.aivis-project.com/aivm-models/{here}"
    assert read_project(file).voices == (VoiceReference(GONE, "花子", "", ADDRESS), VoiceReference(here, "声0", here, page, '{"later": 1}'))


def test_a_project_names_no_files(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A voice is known by its id: a path that a stranger wrote there is not even looked at."""
    source = aivmx(reference, tmp_path / "model.aivmx", name="花子")
    path = tmp_path / "a.koebako"
    write_project(path, Project(script=Script((Line("雨。", LineSettings(voice=str(source)), id="a"),))))
    read: list[object] = []
    monkeypatch.setattr("app.install.resolve_source.identify_voice", read.append)
    window = open_window()
    shown(qtbot, window, path)
    window.play_commands.play_lines(["a"])
    qtbot.waitUntil(lambda: window.model.find_state("a").phase is LinePhase.FAILED, timeout=WAIT_MS)
    assert window.model.find_state("a").error == "The voice for this line is missing."
    assert read == []
    assert window.task_queue.jobs == []
