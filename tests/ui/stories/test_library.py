"""The voice library, button by button, over real files and real child processes."""

import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.adapters.http.hub_files import AIVISHUB_VARIABLE
from app.common.files.paths import find_data_dir
from app.install.voice_import import add_voice
from app.ui.tasks.process_task import ProcessTask, TaskState
from app.ui.voices.voice_library_dialog import VoiceLibraryDialog
from app.ui.widgets.text_dialog import TextDialog
from tests.fault_server import FaultServer, Reply
from tests.install.voice_files import TERMS, aivmx, quick, tree, wishes
from tests.ui.conftest import OpenWindow
from tests.ui.unexpected_dialogs import expect_dialog
from tests.ui.voices.test_voice_controller import UUIDS, open_script, until
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("_voices_prepared_once")

UUID = UUIDS[0]
VERSION = "1.0.0"


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.fixture
def voice_file(reference: Path, tmp_path: Path) -> Path:
    return aivmx(reference, tmp_path / "花子.aivmx", uuid=UUID, name="花子", version=VERSION, license=TERMS)


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow, voice_file: Path) -> WindowDriver:
    add_voice(voice_file, wishes(), prepare=quick)
    window = open_window(ready=False)
    open_script(qtbot, window, [UUID, ""])
    return window


@pytest.fixture
def library(window: WindowDriver) -> Iterator[VoiceLibraryDialog]:
    window.window_actions["voice_library"].trigger()
    dialog = window.library.dialog
    assert dialog is not None
    yield dialog
    dialog.close()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with FaultServer() as server:
        monkeypatch.setenv(AIVISHUB_VARIABLE, server.url(""))
        yield server


def publish(hub: FaultServer, voice: Path, version: str) -> None:
    body = voice.read_bytes()
    newest = {"model_type": "AIVMX", "version": version, "checksum": hashlib.sha256(body).hexdigest()}
    hub.reply(f"/aivm-models/{UUID}", Reply(json.dumps({"name": "花子", "model_files": [newest]}).encode()))
    hub.reply(f"/aivm-models/{UUID}/download?model_type=AIVMX", Reply(body))


def last_job(qtbot: QtBot, window: WindowDriver) -> ProcessTask:
    job = window.task_queue.jobs[-1]
    until(qtbot, lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    return job


def answer_file(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), "ZIP (*.zip)"))


def answer_name(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_arguments, **_options: (name, True))


def test_update_brings_what_is_newer_and_only_that(
    qtbot: QtBot, window: WindowDriver, library: VoiceLibraryDialog, hub: FaultServer, voice_file: Path, reference: Path, tmp_path: Path
) -> None:
    publish(hub, voice_file, VERSION)
    library.facts.buttons["update"].click()
    assert last_job(qtbot, window).stage is TaskState.DONE
    assert "up to date" in window.voice_banner.message.text()
    assert not any("download" in item.path for item in hub.asked), "nothing that is here already is brought"
    publish(hub, aivmx(reference, tmp_path / "new.aivmx", uuid=UUID, name="花子改", version="1.2.0", license=TERMS), "1.2.0")
    library.facts.buttons["update"].click()
    assert last_job(qtbot, window).stage is TaskState.DONE
    assert "was updated" in window.voice_banner.message.text()
    until(qtbot, lambda: library.current_voice is not None and library.current_voice.model_card.version == "1.2.0")
    assert library.current_voice is not None
    assert library.current_voice.id == UUID, "the selection stays"
    until(qtbot, lambda: window.voice_card.name.text() == "花子改")
    assert window.lines[0].settings.voice == UUID


def test_an_update_with_another_licence_shows_it(
    qtbot: QtBot, window: WindowDriver, library: VoiceLibraryDialog, hub: FaultServer, reference: Path, tmp_path: Path
) -> None:
    publish(hub, aivmx(reference, tmp_path / "new.aivmx", uuid=UUID, version="1.2.0", license="Other terms."), "1.2.0")
    library.facts.buttons["update"].click()
    assert last_job(qtbot, window).stage is TaskState.ASKING
    (dialog,) = (item for item in window.findChildren(TextDialog) if item.isVisible())
    assert dialog.page.toPlainText() == "Other terms."
    dialog.decline_button.click()
    assert library.current_voice is not None
    assert library.current_voice.model_card.version == VERSION, "declined: the old one stays"


def test_export_makes_a_zip_that_can_be_added_and_replaces_only_what_was_agreed_to(
    qtbot: QtBot, window: WindowDriver, library: VoiceLibraryDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name, there in (("花子.zip", False), ("花子.zip", True), ("花子", True)):
        assert (out / "花子.zip").exists() is there
        before = (out / "花子.zip").stat().st_mtime_ns if there else 0
        answer_file(monkeypatch, out / name)
        library.facts.buttons["export"].click()
        job = last_job(qtbot, window)
        if name == "花子.zip":
            assert job.stage is TaskState.DONE, job.error
            assert "花子.zip" in window.voice_banner.message.text()
            assert (out / "花子.zip").stat().st_mtime_ns > before
        else:
            assert job.stage is TaskState.FAILED, "the dialog has asked about another name"
            assert job.error is not None
            assert "already exists" in job.error.message
        assert [item.name for item in out.iterdir()] == ["花子.zip"]
    with zipfile.ZipFile(out / "花子.zip") as archive:
        assert archive.testzip() is None
        assert f"{UUID}/voice.json" in archive.namelist()
    window.library.add_files([out / "花子.zip"])
    assert last_job(qtbot, window).results[-1]["already"]


def test_export_where_nothing_can_be_written_is_one_sentence(
    qtbot: QtBot, window: WindowDriver, library: VoiceLibraryDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_file(monkeypatch, tmp_path / "nowhere" / "a.zip")
    library.facts.buttons["export"].click()
    job = last_job(qtbot, window)
    assert job.stage is TaskState.FAILED
    assert job.error is not None
    assert "folder does not exist" in job.error.message
    assert not window.jobs_panel.rows[job].retry.isHidden()


def test_rename(qtbot: QtBot, window: WindowDriver, library: VoiceLibraryDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    for typed, becomes in (("長" * 200, "花子"), ("   ", "花子"), ("-花子", "-花子"), ("  新しい 名前 ", "新しい 名前")):
        window.voice_banner.hide()
        answer_name(monkeypatch, typed)
        library.facts.buttons["rename"].click()
        until(qtbot, lambda: not window.task_queue.is_busy)
        until(qtbot, lambda becomes=becomes: library.list.item(0).text().startswith(becomes))
        until(qtbot, lambda becomes=becomes: window.voice_card.name.text() == becomes)
        refused = len(typed) > 100
        assert window.voice_banner.isVisible() == refused
        if refused:
            assert "cannot be used" in window.voice_banner.message.text()
            assert "80" in window.voice_banner.hint.text()


def test_remove_asks_first_and_lines_wait_for_their_voice(
    qtbot: QtBot, window: WindowDriver, library: VoiceLibraryDialog, voice_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    expect_dialog(monkeypatch, QMessageBox, "exec")

    def answer(button_text: str) -> None:
        (box,) = (item for item in QApplication.topLevelWidgets() if isinstance(item, QMessageBox) and item.isVisible())
        asked.append(f"{box.text()} {box.informativeText()}")
        next(button for button in box.buttons() if button.text() == button_text).click()

    for button_text in ("Cancel", "Delete"):
        QTimer.singleShot(0, lambda button_text=button_text: answer(button_text))
        library.facts.buttons["remove"].click()
        assert "花子" in asked[-1]
        assert "Lines that use it: 1" in asked[-1]
        until(qtbot, lambda: not window.task_queue.is_busy)
        if button_text == "Cancel":
            assert library.current_voice is not None
            assert library.current_voice.id == UUID
    assert len(asked) == 2
    until(qtbot, lambda: window.catalog.find_voice(UUID) is None)
    assert not [name for name in tree(find_data_dir() / "voices") if not name.startswith(".")]
    assert "is missing" in window.voice_card.lack.text()
    assert window.lines[0].settings.voice == UUID, "the line keeps its voice, should it come again"
    assert voice_file.is_file()
    add_voice(voice_file, wishes(), prepare=quick)
    window.catalog.refresh_voices()
    until(qtbot, lambda: window.catalog.find_voice(UUID) is not None)
    until(qtbot, lambda: window.voice_card.name.text() == "花子")


def test_folder_and_licence(window: WindowDriver, library: VoiceLibraryDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    library.facts.buttons["folder"].click()
    assert Path(opened[0]) == find_data_dir() / "voices" / UUID
    library.facts.buttons["licence"].click()
    (page,) = (item for item in library.findChildren(TextDialog) if item.isVisible())
    assert page.page.toPlainText() == TERMS
    page.close()
