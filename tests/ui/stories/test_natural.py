"""A natural voice in two clicks, over a local hub that answers as the real one is documented to."""

import hashlib
import io
import json
import sys
import wave
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QColor, QDesktopServices, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.adapters.http.hub_files import AIVISHUB_VARIABLE
from app.common.files.paths import find_data_dir
from app.settings.user_settings import Settings
from app.ui.tasks.process_task import ProcessTask, TaskState
from app.ui.voices.hub_voice_loader import THUMBNAIL_EDGE_PX
from app.ui.voices.natural_voices_dialog import NaturalVoicesDialog
from app.ui.voices.voice_tasks import VoiceAdditionSpec
from app.ui.widgets.text_dialog import TextDialog
from app.voices.bert_models import read_bert
from app.voices.required_bert import SBV2_BERT_ID
from tests.fault_server import FaultServer, Reply, hub_server
from tests.install.voice_files import TERMS, aivmx, tree
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import OpenWindow, wait_idle
from tests.ui.stories.test_downloads import SLOWLY, publish_bert
from tests.ui.voices.test_voice_controller import dialog_of, put_standard_bert, until
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("_voices_prepared_once")

UUID, OTHER = "0faf9f49-fb67-595a-a405-82fb5a94a69e", "a59cb814-0083-4369-8542-f51a29e72af7"
BROKEN = (
    Reply(b"<html>"),
    Reply(b'{"aivm_models": []}'),
    Reply(b'{"aivm_models": [{"model_uuid": "../x"}]}'),
    Reply(b"[" * 5000),
    Reply(status=404),
)


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    yield from hub_server(monkeypatch)


def picture(edge: int = 300) -> bytes:
    image = QImage(edge, edge, QImage.Format.Format_RGB32)
    image.fill(QColor("tomato"))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "JPG")  # type: ignore[call-overload] # which takes a name as a string only
    return bytes(data.data())


def recording() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(range(250)) * 64)
    return file.getvalue()


def described(hub: FaultServer, uuid: str, voice: bytes, **changes: Any) -> dict[str, Any]:
    file: dict[str, Any] = {
        "model_type": "AIVMX",
        "version": "1.0.0",
        "license_type": "ACML 1.0",
        "license_text": None,
        "creators": ["作者"],
    }
    file |= {"file_size": len(voice), "checksum": hashlib.sha256(voice).hexdigest(), "name": "花子"}
    samples = [
        {"audio_url": hub.url("/media/a.wav"), "transcript": "おはようございます。"},
        {"audio_url": hub.url("/media/a.m4a"), "transcript": "こんばんは。"},
        {"audio_url": "https://elsewhere.example/a.wav", "transcript": "よそのサーバー"},
    ]
    styles = [{"name": "ノーマル", "icon_url": None, "local_id": 0, "voice_samples": samples}]
    speakers = [{"name": "花子", "icon_url": hub.url("/media/icon.jpg"), "local_id": 0, "styles": styles}]
    about = {"aivm_model_uuid": uuid, "user": {"name": "作者"}, "name": "花子", "description": "明るい声です。"}
    return about | {"model_files": [file], "speakers": speakers} | changes


def offer(hub: FaultServer, voice: bytes, **changes: Any) -> None:
    """As AivisHub answers, for one voice that can be added and one that cannot."""
    listed = [{"model_uuid": uuid, "latest_version": "1.0.0"} for uuid in (UUID, OTHER)]
    hub.reply("/v1/aivisspeech/default-models", Reply(json.dumps({"aivm_models": listed}).encode()))
    hub.reply(f"/v1/aivm-models/{UUID}", Reply(json.dumps(described(hub, UUID, voice, **changes)).encode()))
    hub.reply(f"/v1/aivm-models/{OTHER}", Reply(json.dumps(described(hub, OTHER, voice, model_files=[])).encode()))
    hub.reply(f"/v1/aivm-models/{UUID}/download?model_type=AIVMX", Reply(voice, trickle=SLOWLY))
    hub.reply("/media/icon.jpg", Reply(picture()))
    hub.reply("/media/a.wav", Reply(recording()))


@pytest.fixture
def window(open_window: OpenWindow, tmp_path: Path, hub: FaultServer, monkeypatch: pytest.MonkeyPatch) -> WindowDriver:
    """As at the very first start, with a BERT that is small, on the hub."""
    publish_bert(tmp_path / "published", hub, trickle=20 * SLOWLY)
    monkeypatch.setenv("KOEBAKO_TEST_BERT", str(tmp_path / "published"))
    window = open_window(Settings(text=None))
    window.task_queue.command = lambda: [sys.executable, str(Path(__file__).with_name("natural_child.py"))]
    return window


def page_of(qtbot: QtBot, window: WindowDriver) -> NaturalVoicesDialog:
    """First click: the banner's button."""
    assert window.notice.isVisible()
    window.notice.action.click()
    page = window.natural.page
    assert page is not None
    return page


def first_job(window: WindowDriver) -> ProcessTask:
    return next(job for job in window.task_queue.jobs if isinstance(job.work, VoiceAdditionSpec) and job.work.natural_uuid)


def test_two_clicks_from_the_first_start_to_the_first_line_in_a_natural_voice(
    qtbot: QtBot, window: WindowDriver, hub: FaultServer, reference: Path, tmp_path: Path, player: RecordingPlayer
) -> None:
    offer(hub, aivmx(reference, tmp_path / "a.aivmx", name="花子").read_bytes())
    assert not hub.asked, "nothing is asked of the net before the page is opened"
    page = page_of(qtbot, window)
    until(qtbot, lambda: list(page.cards) == [UUID] and not page.status.isVisible())
    shelf = window.natural.shelf
    assert shelf is not None
    until(qtbot, lambda: UUID in shelf.pictures)
    assert QImage(str(shelf.pictures[UUID])).width() == THUMBNAIL_EDGE_PX
    card = page.cards[UUID]
    shown = {label.text() for label in card.findChildren(QLabel)}
    assert {"花子", "作者 · ACML 1.0", "明るい声です。", "Styles: Neutral"} <= shown
    assert card.add.text() == "Add and play (656 MB)"
    assert card.sizes.text() == "voice 3 MB + BERT 653 MB"
    card.add.click()  # the second click
    job = first_job(window)
    said: list[str] = []
    job.changed.connect(lambda: said.append(page.jobs.rows[job].state.text()) if job in page.jobs.rows else None)
    assert not card.add.isEnabled()
    assert card.add.text() == "Adding…"
    until(qtbot, lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    assert job.stage is TaskState.DONE, job.error
    assert any("MB/s" in text and "left" in text for text in said), said
    assert any(hub.ranges()), "the line broke once, and the download went on"
    assert window.lines[0].settings.voice == UUID
    until(qtbot, lambda: bool(player.requests))
    wait_idle(qtbot, window)
    assert player.sound(list(player.requests)[-1]).size > 1000
    assert not window.controller.voices[UUID].has_forced_bert
    assert read_bert(find_data_dir() / "bert" / SBV2_BERT_ID).licence
    assert window.natural.page is None, "what is heard is seen"
    assert not [name for name in tree(find_data_dir() / "downloads") if not name.endswith(".lock")]
    window.window_actions["natural_voice"].trigger()
    again = window.natural.page
    assert again is not None
    until(qtbot, lambda: again.cards[UUID].add.text() == "Use and play")
    before = len(hub.asked)
    again.cards[UUID].add.click()
    until(qtbot, lambda: len(player.requests) == 2)
    wait_idle(qtbot, window)
    assert not [item for item in hub.asked[before:] if "aivm-models" in item.path], "it is here already"


@pytest.mark.slow
def test_its_licence_is_asked_for_while_the_bert_is_on_its_way(
    qtbot: QtBot, window: WindowDriver, hub: FaultServer, reference: Path, tmp_path: Path, player: RecordingPlayer
) -> None:
    offer(hub, aivmx(reference, tmp_path / "a.aivmx", name="花子", license=TERMS).read_bytes())
    page = page_of(qtbot, window)
    until(qtbot, lambda: UUID in page.cards)
    page.cards[UUID].add.click()
    job = first_job(window)
    licence = dialog_of(qtbot, window, TextDialog)
    assert isinstance(licence, TextDialog)
    assert licence.page.toPlainText() == TERMS
    assert job.stage is TaskState.RUNNING, "nobody waits for the answer yet"
    assert not [name for name in tree(find_data_dir() / "voices") if not name.startswith(".")], "nothing before the licence"
    licence.accept_button.click()
    until(qtbot, lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    assert job.stage is TaskState.DONE, job.error
    until(qtbot, lambda: bool(player.requests))
    wait_idle(qtbot, window)
    assert sum("download" in item.path for item in hub.asked) == 1


def test_a_licence_that_is_declined_ends_it(qtbot: QtBot, window: WindowDriver, hub: FaultServer, reference: Path, tmp_path: Path) -> None:
    offer(hub, aivmx(reference, tmp_path / "a.aivmx", name="花子", license=TERMS).read_bytes())
    page = page_of(qtbot, window)
    until(qtbot, lambda: UUID in page.cards)
    page.cards[UUID].add.click()
    job = first_job(window)
    licence = dialog_of(qtbot, window, TextDialog)
    assert isinstance(licence, TextDialog)
    assert job.stage is TaskState.RUNNING, "nobody waits for the answer yet"
    licence.decline_button.click()
    until(qtbot, lambda: not window.task_queue.findChildren(ProcessTask) or QApplication.processEvents())
    assert "declined" in window.voice_banner.message.text()
    assert page.cards[UUID].add.isEnabled()
    assert not [name for name in tree(find_data_dir() / "voices") if not name.startswith(".")]


def test_cancelled_it_goes_on_where_it_was(
    qtbot: QtBot, window: WindowDriver, hub: FaultServer, reference: Path, tmp_path: Path, player: RecordingPlayer
) -> None:
    put_standard_bert()
    window.catalog.refresh_voices()
    voice = aivmx(reference, tmp_path / "a.aivmx", name="花子").read_bytes()
    offer(hub, voice)
    whole = Reply(voice)
    path = f"/v1/aivm-models/{UUID}/download?model_type=AIVMX"
    hub.reply(path, replace(whole, stall_at=len(voice) // 2), whole)
    page = page_of(qtbot, window)
    until(qtbot, lambda: UUID in page.cards)
    until(qtbot, lambda: page.cards[UUID].add.text() == "Add and play (3 MB)")
    page.cards[UUID].add.click()
    job = first_job(window)
    until(qtbot, lambda: bool(job.advance.received) and job in page.jobs.rows)
    page.jobs.rows[job].close_button.click()
    until(qtbot, lambda: not window.task_queue.findChildren(ProcessTask) or QApplication.processEvents())
    assert page.cards[UUID].add.isEnabled()
    assert not [name for name in tree(find_data_dir() / "voices") if not name.startswith(".")]
    page.cards[UUID].add.click()
    again = first_job(window)
    until(qtbot, lambda: again.stage not in (TaskState.RUNNING, TaskState.WAITING))
    assert again.stage is TaskState.DONE, again.error
    asked = [item.headers.get("Range") for item in hub.asked if "download" in item.path]
    assert asked[0] is None
    assert int(str(asked[1]).removeprefix("bytes=").removesuffix("-")) > 0
    until(qtbot, lambda: bool(player.requests))
    wait_idle(qtbot, window)


def test_samples_are_heard_before_anything_is_added(
    qtbot: QtBot, window: WindowDriver, hub: FaultServer, player: RecordingPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(hub, b"voice")
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    page = page_of(qtbot, window)
    until(qtbot, lambda: UUID in page.cards)
    first, second = page.cards[UUID].samples.menu().actions()
    assert first.text() == "Neutral  おはようございます。"
    first.trigger()
    until(qtbot, lambda: any(request.startswith("sample ") for request in player.requests))
    wait_idle(qtbot, window)
    assert second.text().endswith("(opens in the browser)")
    second.trigger()
    assert opened == [hub.url("/media/a.m4a")]
    hub.reply("/media/a.wav", Reply(status=404))
    assert not any("elsewhere" in item.path for item in hub.asked)


def test_a_picture_that_is_none_is_a_letter(qtbot: QtBot, window: WindowDriver, hub: FaultServer) -> None:
    offer(hub, b"voice")
    hub.reply("/media/icon.jpg", Reply(picture(5000)))
    page = page_of(qtbot, window)
    until(qtbot, lambda: UUID in page.cards and any("icon" in item.path for item in hub.asked))
    page.cards[UUID].grab()
    assert window.natural.shelf is not None
    assert not window.natural.shelf.pictures


def test_a_broken_answer_is_a_sentence_with_a_way_out(qtbot: QtBot, window: WindowDriver, hub: FaultServer) -> None:
    page = None
    for broken in BROKEN:
        hub.reply("/v1/aivisspeech/default-models", broken)
        if page is None:
            page = page_of(qtbot, window)
        else:
            page.retry.click()
            assert not page.failure.isVisible(), "it is asked again"
        until(qtbot, page.failure.isVisible)
        assert page.hint.text()
        assert page.by_hand.isVisible()
    assert page is not None
    offer(hub, b"voice")
    page.retry.click()
    until(qtbot, lambda: UUID in page.cards)
    assert not page.failure.isVisible()
    assert not page.by_hand.isVisible()


def test_without_a_network_it_says_what_to_download_where(
    qtbot: QtBot, window: WindowDriver, hub: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AIVISHUB_VARIABLE, "http://127.0.0.1:9")
    page = page_of(qtbot, window)
    until(qtbot, lambda: page.failure.isVisible())
    assert "127.0.0.1 cannot be reached" in page.failure.text()
    words = page.by_hand.text()
    for wanted in ("https://hub.aivis-project.com", "https://huggingface.co/tsukumijima", "model_fp16.onnx", "tokenizer.json", ".aivmx"):
        assert wanted in words
    page.by_hand.setSelection(0, 10)
    assert page.by_hand.selectedText(), "it can be copied"
    assert QGuiApplication.clipboard() is not None


def test_what_a_stranger_answers_is_bounded(qtbot: QtBot, window: WindowDriver, hub: FaultServer) -> None:
    style = {"name": "s" * 5000, "voice_samples": [{"audio_url": hub.url(f"/media/{n}.wav"), "transcript": "あ" * 900} for n in range(30)]}
    odd = {"name": "\u202e<b>" + "長" * 900, "user": 3, "description": "\u200b" + "語" * 9000, "speakers": [{"styles": [style] * 3}, 7]}
    offer(hub, b"voice", **odd)
    page = page_of(qtbot, window)
    until(qtbot, lambda: UUID in page.cards)
    voice = page.cards[UUID].voice
    assert len(voice.name) <= 200
    assert voice.name.startswith("<b>")
    assert len(voice.description) <= 400
    assert len(voice.samples) == 12
    assert len(voice.samples[0].transcript) <= 300
    assert page.cards[UUID].sizeHint().height() < 600


def test_a_bert_that_is_dropped_is_added_as_one(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    window.incoming.open_files([tmp_path / "published" / "model.safetensors"])
    (job,) = window.task_queue.jobs
    assert job.work.arguments[:2] == ("bert", "add")
    until(qtbot, lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    assert job.stage is TaskState.DONE, job.error
