"""Voices in the window: dropped, asked for their licence, chosen for lines, missing, changed, and what they lack."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QInputDialog
from pytestqt.qtbot import QtBot

from app.common.files.paths import list_bert_dirs
from app.core.script.script import Line, LineSettings, Script
from app.core.synthesis_types import Float32
from app.engine.open_voices import MAX_OPEN_VOICES
from app.install.manage_voices import remove_voice
from app.install.voice_import import add_voice
from app.settings.user_settings import Settings, save_settings
from app.ui.script.script_model import LinePhase
from app.ui.tasks.process_task import TaskState
from app.ui.voices import voice_tasks
from app.ui.voices.voice_controller import VoiceNameHistory, build_names_path
from app.ui.voices.voice_dialogs import MissingBertDialog
from app.ui.widgets.text_dialog import TextDialog
from app.voices.required_bert import SBV2_BERT_ID
from tests.install.voice_files import TERMS, aivmx, quick, wishes
from tests.recording_player import RecordingPlayer
from tests.remembered import prepare_remembered
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle
from tests.ui.window_driver import WindowDriver

HELLO = "こんにちは。"
UUIDS = tuple(f"0faf9f49-fb67-595a-a405-82fb5a94a6{number:02d}" for number in range(20, 26))


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


def until(qtbot: QtBot, condition: Callable[[], object]) -> None:
    qtbot.waitUntil(lambda: bool(condition()), timeout=3 * WAIT_MS)  # children give way to everything else


def installed(reference: Path, folder: Path, count: int) -> list[str]:
    """Voices that are ready: copies of ours under names of their own."""
    for number in range(count):
        manifest = {"uuid": UUIDS[number], "name": f"声{number}", "creators": ["作者"]}
        add_voice(aivmx(reference, folder / f"{number}.aivmx", **manifest), wishes(), prepare=quick)
    return list(UUIDS[:count])


def open_script(qtbot: QtBot, window: WindowDriver, voices: list[str]) -> None:
    """A line for each voice."""
    lines = tuple(Line(HELLO, LineSettings(voice=voice), id=str(row)) for row, voice in enumerate(voices))
    window.document.reset_script(Script(lines))
    window.script.select_lines(["0"])
    until(qtbot, lambda: window.catalog.is_read)


def drop_on(window: WindowDriver, file: Path) -> None:
    """On the frame of the window, where there is no list."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    shared = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(QPoint(5, 5), *shared)
    QApplication.sendEvent(window, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), *shared))


def dialog_of(qtbot: QtBot, window: WindowDriver, kind: type) -> object:
    until(qtbot, lambda: [item for item in window.findChildren(kind) if item.isVisible()])
    return next(item for item in window.findChildren(kind) if item.isVisible())


def sound_of(player: RecordingPlayer, request: str) -> Float32:
    return player.sound(request)


def test_a_dropped_voice_is_installed_asks_for_its_licence_and_speaks(
    qtbot: QtBot,
    open_window: OpenWindow,
    reference: Path,
    tmp_path: Path,
    player: RecordingPlayer,
) -> None:
    """The real preparation in a real child process; `tests.ui.gui_thread_watch` checks that it never blocks the window."""
    window = open_window(Settings(text=HELLO))
    before = speak(qtbot, window)
    source = aivmx(reference, tmp_path / "花子.aivmx", name="花子", license=TERMS)
    drop_on(window, source)
    (job,) = window.task_queue.jobs
    assert window.jobs_panel.isVisible()
    until(qtbot, lambda: job.stage is TaskState.ASKING)
    licence = dialog_of(qtbot, window, TextDialog)
    assert isinstance(licence, TextDialog)
    assert licence.page.toPlainText() == TERMS
    licence.accept_button.click()
    until(qtbot, lambda: job.stage is TaskState.DONE)
    offer = dialog_of(qtbot, window, MissingBertDialog)
    line = window.lines[0]
    assert line.settings.voice == "0faf9f49-fb67-595a-a405-82fb5a94a69e"
    assert window.voice_card.name.text() == "花子"
    assert window.voice_chooser.box.currentText() == "花子"
    assert not window.voice_card.lack.isHidden()
    assert isinstance(offer, MissingBertDialog)
    assert not offer.download.isHidden()
    offer.force.click()
    until(qtbot, lambda: line.settings.voice in window.controller.voices)
    after = speak(qtbot, window)
    assert "in place of its own" in window.voice_banner.message.text()
    assert window.voice_banner.isVisible()
    sounds = sound_of(player, before), sound_of(player, after)
    assert sounds[0].shape != sounds[1].shape or not np.allclose(sounds[0], sounds[1])
    window.undo_stack.undo()
    assert window.voice_card.name.text() != "花子", "choosing the voice can be undone"


def test_a_licence_that_is_declined_adds_nothing(qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path) -> None:
    window = open_window(Settings(text=HELLO))
    window.library.add_files([aivmx(reference, tmp_path / "a.aivmx", license=TERMS)])
    licence = dialog_of(qtbot, window, TextDialog)
    assert isinstance(licence, TextDialog)
    licence.decline_button.click()
    assert not window.task_queue.jobs
    assert "declined" in window.voice_banner.message.text()
    assert window.lines[0].settings.voice == ""


def test_what_is_no_voice_is_told_in_the_panel(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(Settings(text=HELLO))
    (tmp_path / "a.aivmx").write_bytes(b"nothing" * 100)
    window.library.add_files([tmp_path / "a.aivmx"])
    (job,) = window.task_queue.jobs
    until(qtbot, lambda: job.stage is TaskState.FAILED)
    assert job.error is not None
    assert window.jobs_panel.rows[job].state.text().startswith(job.error.message)


def test_lines_speak_with_voices_of_their_own_and_the_last_ones_stay_open(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path, player: RecordingPlayer
) -> None:
    ids = installed(reference, tmp_path, 4)
    window = open_window(Settings(load_voice="first_use"))
    open_script(qtbot, window, ["", *ids, ids[0], ""])
    window.play_commands.play_lines([line.id for line in window.lines])
    wait_idle(qtbot, window)
    assert len(player.requests) == 7
    assert set(window.controller.voices) == {"", *ids}
    held = window.speech_engine.voices
    assert list(held.speakers) == [ids[3], ids[0], ""]
    assert len(held.speakers) == MAX_OPEN_VOICES
    bert = {id(speaker.sessions["bert"]) for speaker in held.speakers.values()}
    assert len(bert) == 1, "voices with the same BERT share it"
    assert all(window.model.find_state(line.id).phase is LinePhase.IDLE for line in window.lines)


def test_the_choice_of_a_voice_reaches_line_card_and_choices(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path
) -> None:
    (voice,) = installed(reference, tmp_path, 1)
    window = open_window()
    open_script(qtbot, window, ["", ""])
    chooser = window.voice_chooser
    names = [chooser.box.itemText(row) for row in range(chooser.box.count())]
    assert names[0] == "声0"
    assert chooser.box.currentData() == ""
    chooser.box.setCurrentIndex(0)
    chooser.box.activated.emit(0)
    assert [line.settings.voice for line in window.lines] == [voice, ""]
    assert window.voice_card.name.text() == "声0"
    assert "作者" in window.voice_card.makers.text()
    assert window.script.cards.voices.names[voice] == "声0"
    until(qtbot, lambda: voice in window.controller.voices)  # opened ahead
    window.script.select_lines(["1"])
    assert window.voice_card.name.text() != "声0"
    assert chooser.box.currentData() == ""


def test_a_missing_voice_is_shown_calmly_and_other_lines_speak(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    open_script(qtbot, window, ["gone", ""])
    assert "is missing" in window.voice_card.lack.text()
    assert not window.banner.isVisible()
    box = window.voice_chooser.box
    assert box.currentText() == "Unknown voice (missing)"
    assert not box.itemData(box.currentIndex(), Qt.ItemDataRole.ToolTipRole), "its id is nothing for people"
    window.play_commands.play_lines(["0"])
    wait_idle(qtbot, window)
    assert window.model.find_state("0").phase is LinePhase.FAILED
    assert window.banner.message.text() == "The voice for this line is missing."
    window.play_commands.play_lines(["1"])
    wait_idle(qtbot, window)
    assert len(player.requests) == 1
    window.script.select_lines(["0"])
    window.voices.use_voice("")
    assert window.lines[0].settings.voice == ""


def test_a_voice_that_was_removed_keeps_its_name_and_none_of_its_choices(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path
) -> None:
    (voice,) = installed(reference, tmp_path, 1)
    window = open_window()
    open_script(qtbot, window, [voice, ""])
    side, cards = window.side, window.script.cards
    assert side.styles.count() > 1
    assert side.styles.isEnabled()
    remove_voice(voice)
    window.catalog.refresh_voices()
    until(qtbot, lambda: window.catalog.find_voice(voice) is None)
    assert side.card.name.text() == "声0"
    assert "is missing" in side.card.lack.text()
    assert side.chooser.box.currentText() == "声0 (missing)"
    assert side.styles.count() == 0
    assert not side.styles.isEnabled()
    assert not side.speakers.isVisible()
    assert "声0 (missing)" in cards.voices.find_voice_name(voice)
    assert window.lines[0].settings.voice == voice, "the line remembers its voice"
    window.grab()
    side.card.mend.click()
    assert side.chooser.box.view().isVisible()
    side.chooser.box.hidePopup()
    window.voices.use_voice("")
    assert side.styles.isEnabled()
    assert side.styles.count() > 1
    window.close()
    assert open_window(ready=False).voices.names.find_name(voice) == "声0", "the next start knows it too"


def test_names_of_voices_that_cannot_be_read_are_done_without(qapp: QApplication) -> None:
    build_names_path().parent.mkdir(parents=True, exist_ok=True)
    for content in (b"{", b'{"version": 1, "names": {"a": 1}}', b"[]"):
        build_names_path().write_bytes(content)
        names = VoiceNameHistory(qapp)
        assert names.find_name("a") == ""
        names.close()


@pytest.mark.usefixtures("_prepared_voices")
def test_a_voice_without_its_bert_says_so_and_offers_it(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path, player: RecordingPlayer
) -> None:
    add_voice(aivmx(reference, tmp_path / "a.aivmx", uuid=UUIDS[0]), wishes(), prepare=prepare_remembered)
    window = open_window()
    open_script(qtbot, window, [UUIDS[0]])
    assert "BERT" in window.voice_card.lack.text()
    window.play_commands.play_lines(["0"])
    wait_idle(qtbot, window)
    assert "--" not in window.voice_banner.hint.text(), "no words of the command line"
    assert not window.banner.isVisible()
    press_action(window.voice_banner, "Download BERT…")
    offer = dialog_of(qtbot, window, MissingBertDialog)
    assert isinstance(offer, MissingBertDialog)
    offer.later.click()
    assert not player.requests


@pytest.mark.usefixtures("_voices_prepared_once")
def test_aivisspeech_voices_are_offered_and_prepared_when_selected(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    shutil.copy(aivmx(reference, tmp_path / "a.aivmx", name="向こうの声"), theirs)
    settings = Settings(aivisspeech_folder=str(theirs), force_bert=True)
    save_settings(settings)
    window = open_window(settings)
    open_script(qtbot, window, [""])
    box = window.voice_chooser.box
    until(qtbot, lambda: box.findText("向こうの声", Qt.MatchFlag.MatchContains) >= 0)
    row = box.findText("向こうの声", Qt.MatchFlag.MatchContains)
    box.activated.emit(row)
    (job,) = window.task_queue.jobs
    assert window.lines[0].settings.voice == "", "not before it is prepared"
    until(qtbot, lambda: job.stage is TaskState.DONE)
    until(qtbot, lambda: window.voice_card.name.text() == "向こうの声")
    assert (theirs / "a.aivmx").is_file()


def test_the_library_renames_and_removes(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (voice,) = installed(reference, tmp_path, 1)
    window = open_window()
    open_script(qtbot, window, [voice])
    window.window_actions["voice_library"].trigger()
    library = window.library.dialog
    assert library is not None
    assert library.current_voice is not None
    assert library.current_voice.id == voice
    assert {deed for deed, button in library.facts.buttons.items() if not button.isHidden()} >= {
        "use",
        "rename",
        "export",
        "remove",
        "folder",
    }
    monkeypatch.setattr(QInputDialog, "getText", lambda *_arguments, **_options: ("新しい名前", True))
    library.facts.buttons["rename"].click()
    until(qtbot, lambda: window.voice_card.name.text() == "新しい名前")
    assert library.list.item(0).text().startswith("新しい名前")
    known = window.catalog.find_voice(voice)
    assert known is not None
    window.voice_tasks.remove_voice(known)
    until(qtbot, lambda: "is missing" in window.voice_card.lack.text())
    assert window.voice_card.name.text() == "新しい名前", "what the voice was called last"
    library.select_voice("")
    assert not library.facts.buttons["use"].isHidden()
    assert library.facts.buttons["remove"].isHidden(), "ours stays"
    assert not window.jobs_panel.rows
    library.close()
    QApplication.processEvents()
    assert window.library.dialog is None


def test_a_sample_is_heard_and_a_broken_one_is_told(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, player: RecordingPlayer) -> None:
    window = open_window()
    sound = (0.5 * np.sin(np.arange(8000) / 5)).astype(np.float32)
    soundfile.write(tmp_path / "a.ogg", sound, 16_000)
    window.voice_card.sample_requested.emit(tmp_path / "a.ogg")
    wait_idle(qtbot, window)
    (chunks,) = player.requests.values()
    assert chunks[0].sampling_rate == 16_000
    assert abs(len(chunks[0].samples) - 8000) < 100
    (tmp_path / "b.wav").write_bytes(b"RIFF nothing")
    window.voice_card.sample_requested.emit(tmp_path / "b.wav")
    wait_idle(qtbot, window)
    assert "cannot be played" in window.banner.message.text()


def put_standard_bert() -> None:
    """The BERT we ship, in place of the one that voices share."""
    ours = next(iter(list_bert_dirs()[1].iterdir()))
    theirs = shutil.copytree(ours, list_bert_dirs()[0] / SBV2_BERT_ID)
    described = json.loads((theirs / "bert.json").read_text(encoding="utf-8")) | {"id": SBV2_BERT_ID}
    (theirs / "bert.json").write_text(json.dumps(described), encoding="utf-8")


@pytest.mark.usefixtures("_prepared_voices")
def test_a_bert_that_comes_in_ends_speaking_with_another_one(
    qtbot: QtBot, open_window: OpenWindow, reference: Path, tmp_path: Path
) -> None:
    add_voice(aivmx(reference, tmp_path / "a.aivmx", uuid=UUIDS[0]), wishes(), prepare=prepare_remembered)
    window = open_window(Settings(force_bert=True))
    open_script(qtbot, window, [UUIDS[0]])
    until(qtbot, lambda: UUIDS[0] in window.controller.voices)
    assert window.controller.voices[UUIDS[0]].has_forced_bert
    put_standard_bert()
    job = window.task_queue.add_task(replace(voice_tasks.create_bert_download_task(), arguments=("bert", "list")))  # it has come in already
    until(qtbot, lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    assert job.stage is TaskState.DONE, job.error
    assert not window.settings.value.force_bert
    until(qtbot, lambda: UUIDS[0] in window.controller.voices and not window.controller.voices[UUIDS[0]].has_forced_bert)
    until(qtbot, lambda: window.voice_card.lack.isHidden())
