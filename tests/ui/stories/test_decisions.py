"""What only the user can decide: licences, versions, which voice of several. Every button does what it says."""

import shutil
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.common.files.paths import find_resources_dir
from app.install.voice_import import add_voice
from app.install.voice_licence import find_acceptance_file
from app.settings.user_settings import Settings
from app.ui.script.script_model import LinePhase
from app.ui.tasks.process_task import ProcessTask, TaskState
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.text_dialog import TextDialog
from app.voices.prepared_voice import read_manifest, write_manifest
from app.voices.voice_card_data import read_card
from tests.install.voice_files import TERMS, aivmx, quick, wishes
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import OpenWindow, wait_idle
from tests.ui.voices.test_voice_controller import HELLO, UUIDS, drop_on, open_script, until
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("_voices_prepared_once")

OTHER_TERMS = "Ask me before you use this voice."


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window(Settings(text=HELLO))


def dropped(qtbot: QtBot, window: WindowDriver, source: Path) -> ProcessTask:
    """A job that has run until it is over or has a question."""
    drop_on(window, source)
    job = window.task_queue.jobs[-1]
    rest(qtbot, job)
    return job


def rest(qtbot: QtBot, job: ProcessTask) -> None:
    """Until it is over or has a question, with its buttons: Qt shows new ones by a call that it queues."""
    until(qtbot, lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    QCoreApplication.processEvents()


def choices(window: WindowDriver, job: ProcessTask) -> dict[str, QPushButton]:
    """The buttons of a question."""
    row = window.jobs_panel.rows[job]
    return {button.text(): button for button in row.findChildren(QPushButton) if button.isVisible() and button not in (row.retry, row.log)}


def decide(qtbot: QtBot, window: WindowDriver, job: ProcessTask, choice: str) -> None:
    choices(window, job)[choice].click()
    rest(qtbot, job)


def own_voices(window: WindowDriver) -> dict[str, CatalogVoice]:
    return {voice.id: voice for voice in window.catalog.voices if voice.origin == "own"}


def licence_dialog(qtbot: QtBot, window: WindowDriver, text: str) -> TextDialog:
    until(qtbot, lambda: any(item.isVisible() and item.page.toPlainText() == text for item in window.findChildren(TextDialog)))
    (dialog,) = (item for item in window.findChildren(TextDialog) if item.isVisible())
    return dialog


def test_another_version_replaces_the_one_that_is_there(qtbot: QtBot, window: WindowDriver, reference: Path, tmp_path: Path) -> None:
    add_voice(aivmx(reference, tmp_path / "1.aivmx", uuid=UUIDS[0], name="古い", version="1.0.0"), wishes(), prepare=quick)
    job = dropped(qtbot, window, aivmx(reference, tmp_path / "2.aivmx", uuid=UUIDS[0], name="新しい", version="1.1.0"))
    assert job.stage is TaskState.ASKING
    assert set(choices(window, job)) == {"Replace", "Keep both"}
    assert "1.0.0" in window.jobs_panel.rows[job].state.text()
    assert "--" not in window.jobs_panel.rows[job].state.text()
    decide(qtbot, window, job, "Replace")
    assert job.stage is TaskState.DONE
    until(qtbot, lambda: [voice.name for voice in own_voices(window).values()] == ["新しい"])
    assert read_card(own_voices(window)[UUIDS[0]].path).version == "1.1.0"


@pytest.mark.slow
def test_another_version_stands_beside_the_one_that_is_there(qtbot: QtBot, window: WindowDriver, reference: Path, tmp_path: Path) -> None:
    add_voice(aivmx(reference, tmp_path / "1.aivmx", uuid=UUIDS[0], name="古い"), wishes(), prepare=quick)
    job = dropped(qtbot, window, aivmx(reference, tmp_path / "2.aivmx", uuid=UUIDS[0], name="新しい", license=TERMS))
    decide(qtbot, window, job, "Keep both")
    licence_dialog(qtbot, window, TERMS).accept_button.click()
    until(qtbot, lambda: job.stage is TaskState.DONE)
    until(qtbot, lambda: len(own_voices(window)) == 2)
    assert {voice.id: voice.name for voice in own_voices(window).values()} == {UUIDS[0]: "古い", f"{UUIDS[0]}-2": "新しい"}
    assert window.lines[0].settings.voice == f"{UUIDS[0]}-2"


def test_a_voice_like_the_one_we_ship_can_only_stand_beside_it(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    theirs = shutil.copytree(next((find_resources_dir() / "voices").glob("mei")), tmp_path / "mei")
    (theirs / "card.json").unlink(missing_ok=True)
    manifest = read_manifest(theirs)
    with (theirs / "style_vectors.npy").open("r+b") as file:  # another content
        file.seek(-1, 2)
        file.write(b"\x3d")
    write_manifest(manifest, theirs)
    job = dropped(qtbot, window, theirs)
    assert job.stage is TaskState.ASKING, job.error
    assert set(choices(window, job)) == {"Keep both"}


def test_one_voice_of_several_by_its_name(qtbot: QtBot, window: WindowDriver, reference: Path, tmp_path: Path) -> None:
    folder = tmp_path / "training"
    shutil.copytree(reference / "jp-extra-tiny", folder, ignore=shutil.ignore_patterns("model.*"))
    for name in ("a_e10_s100", "a_e20_s200"):
        shutil.copy(reference / "jp-extra-tiny" / "model.safetensors", folder / f"{name}.safetensors")
    job = dropped(qtbot, window, folder)
    assert job.stage is TaskState.ASKING
    assert set(choices(window, job)) == {"a_e10_s100", "a_e20_s200", "Add all"}
    decide(qtbot, window, job, "a_e20_s200")
    assert job.stage is TaskState.DONE, job.error
    until(qtbot, lambda: len(own_voices(window)) == 1)
    (voice,) = own_voices(window).values()
    assert voice.model_card.source_name == "training/a_e20_s200.safetensors"


@pytest.mark.slow
def test_all_voices_of_a_zip_and_each_licence_is_shown(qtbot: QtBot, window: WindowDriver, reference: Path, tmp_path: Path) -> None:
    archive = tmp_path / "voices.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name, uuid, terms in (("a", UUIDS[0], TERMS), ("b", UUIDS[1], OTHER_TERMS)):
            file.write(aivmx(reference, tmp_path / f"{name}.aivmx", uuid=uuid, name=name, license=terms), f"{name}.aivmx")
    job = dropped(qtbot, window, archive)
    decide(qtbot, window, job, "Add all")
    licence_dialog(qtbot, window, TERMS).accept_button.click()
    licence_dialog(qtbot, window, OTHER_TERMS).accept_button.click()
    until(qtbot, lambda: job.stage is TaskState.DONE)
    until(qtbot, lambda: set(own_voices(window)) == set(UUIDS[:2]))


def unaccepted(reference: Path, folder: Path) -> str:
    """A voice that is installed, as after its folder was copied by hand, and whose licence nobody has seen here."""
    add_voice(aivmx(reference, folder / "a.aivmx", uuid=UUIDS[0], name="花子", license=TERMS), wishes(), prepare=quick)
    find_acceptance_file().unlink()
    return UUIDS[0]


def test_a_licence_nobody_has_accepted_is_asked_for_once_and_then_the_line_is_spoken(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path, player: RecordingPlayer
) -> None:
    voice = unaccepted(reference, tmp_path)
    window = open_window(Settings(load_voice="first_use"))
    open_script(qtbot, window, [voice])
    window.play_commands.play_lines(["0"])
    dialog = licence_dialog(qtbot, window, TERMS)
    assert not player.requests
    assert not window.banner.isVisible()
    dialog.accept_button.click()
    wait_idle(qtbot, window)
    until(qtbot, lambda: voice in window.controller.voices)
    wait_idle(qtbot, window)
    assert len(player.requests) == 1, "what was asked for is done"
    assert window.model.find_state("0").phase is LinePhase.IDLE
    assert not [item for item in window.findChildren(TextDialog) if item.isVisible()]


def test_a_licence_that_is_declined_says_what_that_means(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path, player: RecordingPlayer
) -> None:
    voice = unaccepted(reference, tmp_path)
    window = open_window()
    open_script(qtbot, window, [voice, ""])  # opened ahead, which asks
    dialog = licence_dialog(qtbot, window, TERMS)
    window.play_commands.play_lines(["0"])
    wait_idle(qtbot, window)
    assert len([item for item in window.findChildren(TextDialog) if item.isVisible()]) == 1, "one question, asked once"
    dialog.decline_button.click()
    assert "licence" in window.voice_banner.message.text()
    window.play_commands.play_lines(["1"])
    wait_idle(qtbot, window)
    assert len(player.requests) == 1


def test_a_licence_that_cannot_be_remembered_is_told(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _target: Path) -> Path:
        raise PermissionError(13, "in use")

    voice = unaccepted(reference, tmp_path)
    window = open_window()
    open_script(qtbot, window, [voice])
    dialog = licence_dialog(qtbot, window, TERMS)
    find_acceptance_file().mkdir()
    monkeypatch.setattr(Path, "rename", refuse)  # else the folder would give way
    dialog.accept_button.click()
    until(qtbot, lambda: find_acceptance_file().name in window.voice_banner.message.text())
