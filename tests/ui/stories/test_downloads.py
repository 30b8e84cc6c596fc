"""Voices and the BERT from the internet, through the window: what is shown meanwhile, and what stays when it goes wrong."""

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.adapters.http.hub_files import AIVISHUB_VARIABLE, HF_VARIABLE
from app.common.files.paths import find_data_dir
from app.install.download_sources import STANDARD_BERT_REPOSITORY, STANDARD_BERT_REVISION
from app.install.voice_import import add_voice
from app.settings.user_settings import Settings
from app.ui.tasks.process_task import ProcessTask, TaskState
from app.ui.voices.voice_dialogs import MissingBertDialog, VoiceAddressDialog
from app.ui.widgets.text_dialog import TextDialog
from app.voices.bert_models import read_bert
from app.voices.required_bert import SBV2_BERT_ID
from tests.fault_server import FaultServer, Reply
from tests.install.voice_files import TERMS, aivmx, tree, wishes
from tests.recording_player import RecordingPlayer
from tests.remembered import prepare_remembered
from tests.ui.banner_driver import press_action
from tests.ui.conftest import OpenWindow, speak, wait_idle
from tests.ui.voices.test_voice_controller import HELLO, dialog_of, open_script, until
from tests.ui.window_driver import WindowDriver
from tests.voices.prepare.bert.deberta_files import write_published

pytestmark = pytest.mark.usefixtures("_voices_prepared_once")

UUID = "0faf9f49-fb67-595a-a405-82fb5a94a69e"
SLOWLY = 40_000  # bytes each five milliseconds: about a second for a tiny voice


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with FaultServer() as running:
        monkeypatch.setenv(AIVISHUB_VARIABLE, running.url(""))
        monkeypatch.setenv(HF_VARIABLE, running.url(""))
        yield running


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window(Settings(text=HELLO))


def add_by_address(qtbot: QtBot, window: WindowDriver, typed: str) -> ProcessTask:
    """As a user does: the library, its button, the field, the button."""
    window.window_actions["voice_library"].trigger()
    library = window.library.dialog
    assert library is not None
    library.adders["address"].click()
    dialog = library.findChild(VoiceAddressDialog)
    assert dialog is not None
    dialog.field.setText(typed)
    dialog.add.click()
    return window.task_queue.jobs[-1]


def accept_licence(qtbot: QtBot, window: WindowDriver) -> None:
    licence = dialog_of(qtbot, window, TextDialog)
    assert isinstance(licence, TextDialog)
    assert licence.page.toPlainText() == TERMS
    licence.accept_button.click()


def watched(job: ProcessTask, window: WindowDriver) -> list[str]:
    """What the row of a job says, each time it says something else."""
    said: list[str] = []
    row = window.jobs_panel.rows[job]
    job.changed.connect(lambda: said.append(row.state.text()) if not said or said[-1] != row.state.text() else None)
    return said


def hub_answers(server: FaultServer, voice: bytes, **how: object) -> None:
    about = {
        "name": "花子",
        "model_files": [{"model_type": "AIVMX", "version": "1.0.0", "checksum": hashlib.sha256(voice).hexdigest()}],
    }
    server.reply(f"/aivm-models/{UUID}", Reply(json.dumps(about).encode()))
    server.reply(f"/aivm-models/{UUID}/download?model_type=AIVMX", Reply(voice, **how))  # type: ignore[arg-type]


def library_files() -> list[str]:
    """What of voices is on the disk; names that begin with a dot are locks."""
    return [name for name in tree(find_data_dir() / "voices") if not name.startswith(".")]


def test_by_address_with_speed_and_time_left_its_licence_and_one_download(
    qtbot: QtBot, window: WindowDriver, server: FaultServer, reference: Path, tmp_path: Path
) -> None:
    voice = aivmx(reference, tmp_path / "a.aivmx", name="花子", license=TERMS).read_bytes()
    job = add_by_address(qtbot, window, server.reply("/hanako.aivmx", Reply(voice, trickle=SLOWLY)))
    said = watched(job, window)
    until(qtbot, lambda: job.stage is TaskState.ASKING)
    assert not library_files(), "nothing before the licence"
    assert any("MB/s" in text and "left" in text and "%" in text for text in said), said
    accept_licence(qtbot, window)
    until(qtbot, lambda: job.stage is TaskState.DONE)
    assert len(server.asked) == 1, "what was there before the licence need not come again"
    until(qtbot, lambda: window.voice_card.name.text() == "花子")
    assert window.lines[0].settings.voice == UUID
    assert not [name for name in tree(find_data_dir() / "downloads") if not name.endswith(".lock")], "installed, so no copy stays"


def test_by_name_on_the_hub(qtbot: QtBot, window: WindowDriver, server: FaultServer, reference: Path, tmp_path: Path) -> None:
    hub_answers(server, aivmx(reference, tmp_path / "a.aivmx", name="花子", license=TERMS).read_bytes())
    job = add_by_address(qtbot, window, f"https://hub.aivis-project.com/aivm-models/{UUID}")
    accept_licence(qtbot, window)
    until(qtbot, lambda: job.stage is TaskState.DONE)
    assert sum("download" in item.path for item in server.asked) == 1
    until(qtbot, lambda: window.voice_card.name.text() == "花子")


def test_cancelled_it_leaves_no_voice_and_the_next_try_goes_on(
    qtbot: QtBot, window: WindowDriver, server: FaultServer, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOEBAKO_FRONTEND", "window")
    voice = aivmx(reference, tmp_path / "a.aivmx", name="花子").read_bytes()
    url = server.reply("/a.aivmx", Reply(voice, stall_at=len(voice) // 2), Reply(voice))
    job = add_by_address(qtbot, window, url)
    until(qtbot, lambda: "50%" in window.jobs_panel.rows[job].state.text() or job.advance.percent >= 25)
    row = window.jobs_panel.rows[job]
    until(qtbot, lambda: "Waiting for 127.0.0.1 to respond (up to " in row.state.text())
    assert row.state.text().endswith("attempt 1 of 6). Click × to cancel.")
    row.close_button.click()
    assert not window.task_queue.jobs
    assert not window.jobs_panel.isVisible()
    until(qtbot, lambda: not window.task_queue.findChildren(ProcessTask) or QApplication.processEvents())
    assert not library_files()
    again = add_by_address(qtbot, window, url)
    until(qtbot, lambda: again.stage is TaskState.DONE)
    asked = server.ranges()
    assert asked[0] is None
    assert asked[1] is not None, "goes on where it was"
    assert int(asked[1].removeprefix("bytes=").removesuffix("-")) > 0
    until(qtbot, lambda: window.voice_card.name.text() == "花子")


@pytest.mark.slow
def test_a_server_that_fails_is_one_sentence_and_retry_brings_the_rest(
    qtbot: QtBot, window: WindowDriver, server: FaultServer, reference: Path, tmp_path: Path
) -> None:
    voice = aivmx(reference, tmp_path / "a.aivmx", name="花子").read_bytes()
    replies = (Reply(voice, drop_at=len(voice) // 2), Reply(status=404), Reply(voice))
    job = add_by_address(qtbot, window, server.reply("/a.aivmx", *replies))
    until(qtbot, lambda: job.stage is TaskState.FAILED)
    row = window.jobs_panel.rows[job]
    assert job.error is not None
    assert row.state.text().startswith(job.error.message)
    assert job.error.hint in row.state.text()
    assert "Traceback" not in "\n".join(job.log)
    assert "404" in job.error.message + job.error.hint or "not there" in job.error.message
    assert not library_files()
    row.retry.click()
    until(qtbot, lambda: job.stage is TaskState.DONE)
    assert server.ranges()[-1] is not None
    until(qtbot, lambda: window.voice_card.name.text() == "花子")


@pytest.mark.slow  # it is patient
@pytest.mark.parametrize("typed", ["http://127.0.0.1:9/a.aivmx", UUID])
def test_nobody_there_is_told(qtbot: QtBot, window: WindowDriver, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setenv(AIVISHUB_VARIABLE, "http://127.0.0.1:9")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    job = add_by_address(qtbot, window, typed)
    until(qtbot, lambda: job.stage is TaskState.FAILED)
    assert job.error is not None
    assert job.error.message.count(".") <= 5
    assert job.error.hint
    assert window.jobs_panel.rows[job].state.text().startswith(job.error.message)


@cache
def small_bert() -> dict[str, bytes]:
    """Files of a BERT as it is published, made once a process."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_published(folder, hidden=1024, heads=16, inner=64)
        tokens = (folder / "vocab.txt").read_text(encoding="utf-8").split()
        vocabulary = {"model": {"vocab": {token: number for number, token in enumerate(tokens)}}}
        (folder / "tokenizer.json").write_text(json.dumps(vocabulary), encoding="utf-8")
        return {name: (folder / name).read_bytes() for name in ("tokenizer.json", "config.json", "model.safetensors")}


def publish_bert(folder: Path, server: FaultServer, trickle: int = 2 * SLOWLY) -> None:
    """A small BERT of the width that voices take, where the real one is published; its line breaks once."""
    folder.mkdir()
    for name, body in small_bert().items():
        (folder / name).write_bytes(body)
        told = {"X-Linked-Etag": hashlib.sha256(body).hexdigest(), "X-Linked-Size": str(len(body))}
        whole = Reply(body, headers=told, trickle=trickle)
        replies = (whole, replace(whole, drop_at=len(body) // 2), whole) if name == "model.safetensors" else (whole,)
        server.reply(f"/{STANDARD_BERT_REPOSITORY}/resolve/{STANDARD_BERT_REVISION}/{name}", *replies)


@pytest.mark.slow
def test_the_bert_a_voice_needs_is_offered_comes_and_the_voice_speaks_with_it(
    qtbot: QtBot,
    open_window: OpenWindow,
    server: FaultServer,
    reference: Path,
    tmp_path: Path,
    player: RecordingPlayer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_voice(aivmx(reference, tmp_path / "a.aivmx", name="花子"), wishes(), prepare=prepare_remembered)
    publish_bert(tmp_path / "published", server)
    monkeypatch.setenv("KOEBAKO_TEST_BERT", str(tmp_path / "published"))
    window = open_window()
    window.task_queue.command = lambda: [sys.executable, str(Path(__file__).with_name("small_bert_child.py"))]
    open_script(qtbot, window, [UUID])
    assert not window.voice_card.lack.isHidden()
    window.play_commands.play_lines(["0"])
    wait_idle(qtbot, window)
    assert not player.requests
    press_action(window.voice_banner, "Download BERT…")
    window.library.offer_bert(window.catalog.find_voice(UUID))
    offer = dialog_of(qtbot, window, MissingBertDialog)
    assert len(window.findChildren(MissingBertDialog)) == 1, "asked once"
    assert isinstance(offer, MissingBertDialog)
    assert any("CC BY-SA 4.0" in label.text() for label in offer.findChildren(QLabel))
    offer.download.click()
    (job,) = [item for item in window.task_queue.jobs if not item.work.is_background]
    said = watched(job, window)
    until(qtbot, lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    assert job.stage is TaskState.DONE, job.error
    assert any("Downloading" in text and "MB/s" in text for text in said), said
    assert any(server.ranges()), "it went on after the break"
    until(qtbot, lambda: window.voice_card.lack.isHidden())
    assert "BERT was added" in window.voice_banner.message.text()
    until(qtbot, lambda: UUID in window.controller.voices)
    request = speak(qtbot, window)
    assert player.sound(request).size > 1000
    assert not window.controller.voices[UUID].has_forced_bert
    assert not window.banner.isVisible()
    assert read_bert(find_data_dir() / "bert" / SBV2_BERT_ID).licence
    assert not [name for name in tree(find_data_dir() / "downloads") if not name.endswith(".lock")]
