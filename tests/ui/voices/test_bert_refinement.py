"""A BERT that can be used already is finished in the background: its voices are opened again then, and a closed row leaves it as it is."""

import shutil
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.common.files import paths
from app.ui.tasks.process_task import TaskQueue
from app.voices.bert_models import read_bert
from app.voices.pending_refinement import BERT_PENDING_FILES, mark_refinement_pending
from tests.ui.conftest import OpenWindow, wait_idle
from tests.ui.voices.test_voice_controller import until

FINISH = "import sys; from pathlib import Path; (Path({folder!r}) / 'pending.json').unlink(); sys.exit(sys.argv[1:] != {arguments!r})"
WAIT = "import time; time.sleep(60)"


@pytest.fixture
def pending_bert() -> Path:
    """The included BERT, as one that the user added a moment ago."""
    included = next((paths.find_resources_dir() / "bert").iterdir())
    folder = Path(shutil.copytree(included, paths.find_data_dir() / "bert" / included.name, copy_function=shutil.copyfile))
    (folder / "original.onnx").write_bytes(b"read by nobody here")
    mark_refinement_pending(folder)
    return folder


def run_script(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Has a script run instead of our command line."""
    monkeypatch.setattr("app.ui.shell.voices_feature.TaskQueue", lambda parent: TaskQueue(parent, lambda: [sys.executable, "-c", script]))


def test_a_bert_is_finished_and_its_open_voices_are_opened_again(
    qtbot: QtBot, open_window: OpenWindow, pending_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["bert", "add", "--wait", "--json", "--", read_bert(pending_bert).id]
    run_script(monkeypatch, FINISH.format(folder=str(pending_bert), arguments=arguments))
    window = open_window()
    wait_idle(qtbot, window)
    until(qtbot, lambda: window.catalog.is_read and not window.catalog.pending_berts)
    assert not window.task_queue.is_busy
    wait_idle(qtbot, window)
    opened: list[str] = []
    window.controller.voice_opened.connect(lambda voice: opened.append(voice.id))
    window.voice_tasks.bert_refined.emit("another")
    wait_idle(qtbot, window)
    assert opened == []
    window.voice_tasks.bert_refined.emit(read_bert(pending_bert).id)
    window.voice_tasks.bert_refined.emit(read_bert(pending_bert).id)  # while the voice is being opened, perhaps with its former BERT
    wait_idle(qtbot, window)
    assert opened == ["", ""]


def test_a_closed_row_leaves_the_bert_as_it_is(
    qtbot: QtBot, open_window: OpenWindow, pending_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_script(monkeypatch, WAIT)
    window = open_window()
    until(qtbot, lambda: bool(window.task_queue.jobs))
    (job,) = window.task_queue.jobs
    assert job.work.is_background
    assert [voice.explain_missing_int8("bert") for voice in window.catalog.voices] == ["still being prepared"]
    window.task_queue.remove_task(job)
    until(qtbot, lambda: window.catalog.pending_berts == ())
    assert not any((pending_bert / name).exists() for name in BERT_PENDING_FILES)
    assert window.task_queue.jobs == []
