"""Long work in child processes: progress, errors, questions, cancelling, retrying, one after the other, and what the panel shows of it."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.common.errors import UserDecisionRequiredError, VoiceError
from app.ui.tasks import process_task
from app.ui.tasks.process_task import (
    BACKGROUND_PRIORITY,
    ProcessTask,
    TaskProgress,
    TaskQueue,
    TaskSpec,
    TaskState,
    estimate_time_left,
    parse_message,
)
from app.ui.tasks.task_row import describe_progress, map_decision_names
from app.ui.tasks.tasks_panel import TasksPanel
from app.ui.voices.voice_dialogs import VoiceAddressDialog
from app.ui.web_links import parse_address
from app.ui.widgets.controls import ElidedButton
from app.ui.widgets.text_dialog import TextDialog
from tests.ui.conftest import WAIT_MS

CHILD = Path(__file__).with_name("fake_child.py")
ERROR = {"error": {"family": "voice", "message": "This is no voice.", "hint": "Choose another file."}}


def progress(step: str, percent: int, **more: Any) -> dict[str, Any]:
    return {"type": "progress", "step": step, "percent": percent} | more


def work(*lines: Any, code: int = 0, wait_s: float = 0.0, **more: Any) -> TaskSpec:
    script = {"lines": [[wait_s, line] for line in lines], "code": code}
    return TaskSpec("TaskSpec", (json.dumps(script),), **more)


@pytest.fixture
def queue(qtbot: QtBot) -> Iterator[TaskQueue]:
    owner = QObject()
    queue = TaskQueue(owner, lambda: [sys.executable, str(CHILD)])
    yield queue
    queue.close()


def until(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition, timeout=WAIT_MS)


def ended(job: ProcessTask) -> bool:
    return job.stage not in (TaskState.RUNNING, TaskState.WAITING)


def test_progress_and_results_are_read(qtbot: QtBot, queue: TaskQueue) -> None:
    seen: list[TaskProgress] = []
    job = queue.add_task(
        work(progress("reading", 5), "no JSON", progress("storing", 90), {"type": "voice", "id": "a", "name": "あ"}, wait_s=0.05)
    )
    job.changed.connect(lambda: seen.append(job.advance))
    until(qtbot, lambda: ended(job))
    assert job.stage is TaskState.DONE
    assert [item["name"] for item in job.results] == ["あ"]
    assert [advance.step for advance in seen if advance.step][-1] == "storing"
    assert "no JSON" in job.log


def test_what_is_heard_goes_first(qtbot: QtBot, queue: TaskQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_task, "BACKGROUND_PRIORITY", BACKGROUND_PRIORITY)
    if sys.platform != "win32" and psutil.Process().nice() > BACKGROUND_PRIORITY:
        pytest.skip("the tests themselves have a lower priority")
    job = queue.add_task(work("a", wait_s=60.0))
    until(qtbot, lambda: job.process_id > 0 and psutil.Process(job.process_id).nice() == BACKGROUND_PRIORITY)
    assert psutil.Process().nice() != BACKGROUND_PRIORITY
    job.cancel()
    until(qtbot, lambda: not job.has_process)


def test_what_goes_wrong_is_told_and_can_be_retried(qtbot: QtBot, queue: TaskQueue, caplog: pytest.LogCaptureFixture) -> None:
    job = queue.add_task(work(ERROR, code=3))
    until(qtbot, lambda: ended(job))
    assert job.log == ["This is no voice. Choose another file."], "a sentence, not JSON"
    assert f"{job.work.title}: This is no voice. Choose another file." in caplog.messages
    assert job.stage is TaskState.FAILED
    assert job.error is not None
    assert (job.error.message, job.error.hint) == ("This is no voice.", "Choose another file.")
    again: list[object] = []
    job.ended.connect(lambda: again.append(job.stage))
    queue.queue_again(job)
    assert job.stage is TaskState.RUNNING
    until(qtbot, lambda: again == [TaskState.FAILED])


def test_a_process_that_dies_or_cannot_start_is_an_error_with_a_hint(qtbot: QtBot, queue: TaskQueue) -> None:
    job = queue.add_task(work(progress("reading", 1), code=9))
    until(qtbot, lambda: ended(job))
    assert job.stage is TaskState.FAILED
    assert job.error is not None
    assert "9" in job.error.hint
    owner = QObject()
    missing = TaskQueue(owner, lambda: ["/nowhere/koebako-cli"]).add_task(work())
    until(qtbot, lambda: ended(missing))
    assert missing.stage is TaskState.FAILED
    assert missing.error is not None


def test_cancelling_kills_and_the_next_one_begins(qtbot: QtBot, queue: TaskQueue) -> None:
    first = queue.add_task(work(progress("reading", 1), "never", wait_s=30))
    second = queue.add_task(work({"type": "voice"}))
    assert (first.stage, second.stage) == (TaskState.RUNNING, TaskState.WAITING)
    until(qtbot, lambda: first.process_id > 0)
    pid = first.process_id
    queue.remove_task(first)
    until(qtbot, lambda: second.stage is TaskState.DONE)
    assert queue.jobs == [second]
    if os.name == "posix":
        until(qtbot, lambda: not Path(f"/proc/{pid}").exists() or "State:\tZ" in Path(f"/proc/{pid}/status").read_text())


def test_background_work_gives_way_and_starts_again(qtbot: QtBot, queue: TaskQueue) -> None:
    """It has the processor to itself or not at all, and no row of it is a reason to ask before closing."""
    background = queue.add_task(work("begun", "never", wait_s=0.05, is_background=True))
    until(qtbot, lambda: background.log == ["begun"])
    process = psutil.Process(background.process_id)
    assert queue.unfinished_titles == []
    assert queue.is_busy
    urgent = queue.add_task(work({"type": "voice"}))
    assert background.stage is TaskState.WAITING
    assert background.log == []
    until(qtbot, lambda: urgent.stage is TaskState.RUNNING)
    assert not process.is_running()
    assert not background.has_process
    other = queue.add_task(work("a", is_background=True))
    later = queue.add_task(work("b"))
    assert queue.unfinished_titles == [urgent.work.title, later.work.title]
    until(qtbot, lambda: later.stage is TaskState.DONE)
    assert urgent.stage is TaskState.DONE
    assert [background.stage, other.stage] != [TaskState.DONE] * 2, "what was asked for comes before all of it"
    until(qtbot, lambda: background.stage is other.stage is TaskState.DONE)
    assert background.log == ["begun", "never"], "from its beginning"


def test_background_work_gives_way_before_its_process_has_begun(qtbot: QtBot, queue: TaskQueue) -> None:
    background = queue.add_task(work("a", is_background=True))
    urgent = queue.add_task(work("b"))
    until(qtbot, lambda: background.stage is TaskState.DONE)
    assert urgent.stage is TaskState.DONE
    assert queue.jobs == [background, urgent]


def test_background_work_is_cancelled_while_it_waits_or_runs(qtbot: QtBot, queue: TaskQueue) -> None:
    running, waiting = queue.add_task(work("a", wait_s=30, is_background=True)), queue.add_task(work("b", is_background=True))
    queue.remove_task(waiting)
    assert waiting.stage is TaskState.CANCELLED
    queue.remove_task(running)
    assert running.stage is TaskState.CANCELLED
    assert queue.jobs == []
    until(qtbot, lambda: not running.has_process)


def test_a_background_row_is_one_quiet_line_and_says_what_stopping_it_means(qtbot: QtBot, queue: TaskQueue) -> None:
    panel = TasksPanel(queue)
    qtbot.addWidget(panel)
    loud, quiet = queue.add_task(work("a", wait_s=30)), queue.add_task(work("b", wait_s=30, is_background=True))
    panel.resize(600, panel.height())
    until(qtbot, lambda: set(panel.rows) == {loud, quiet})
    rows = [panel.rows[job] for job in (loud, quiet)]
    assert [row.title.objectName() for row in rows] == ["heading", "muted"]
    assert [row.close_button.toolTip() for row in rows] == ["Cancel", "Stop (what is there stays usable)"]
    assert rows[1].sizeHint().height() < rows[0].sizeHint().height()
    for job in (quiet, loud):
        queue.remove_task(job)


def test_a_licence_is_asked_for_and_accepted(qtbot: QtBot, queue: TaskQueue) -> None:
    asked: list[ProcessTask] = []
    queue.decision_needed.connect(asked.append)
    job = queue.add_task(work({"type": "licence", "id": "a", "name": "A", "text": "Be kind."}, ERROR, code=3))
    until(qtbot, lambda: bool(asked))
    assert job.stage is TaskState.ASKING
    assert queue.add_task(job.work) is job, "asked twice, it is still one"
    assert job.licence is not None
    assert job.licence.text == "Be kind."
    queue.queue_again(job, "--accept-licence")
    until(qtbot, lambda: ended(job))
    assert job.stage is TaskState.DONE


def test_the_same_work_is_not_queued_twice(qtbot: QtBot, queue: TaskQueue) -> None:
    one = queue.add_task(work(wait_s=0.0))
    assert queue.add_task(one.work) is one
    until(qtbot, lambda: ended(one))
    assert queue.add_task(one.work) is not one
    until(qtbot, lambda: not queue.is_busy)


def test_the_panel_shows_rows_with_what_can_be_done(qtbot: QtBot, queue: TaskQueue) -> None:
    panel = TasksPanel(queue)
    qtbot.addWidget(panel)
    assert not panel.isVisible()
    undecided = {"error": ERROR["error"] | {"ways": ["--update", "--keep-both"]}}
    asking, failing = queue.add_task(work(undecided, code=3)), queue.add_task(work("said before", ERROR, code=3))
    quiet = queue.add_task(work(quiet=True))
    panel.resize(600, panel.height())
    until(qtbot, lambda: ended(asking) and ended(failing) and ended(quiet))
    assert set(panel.rows) == {asking, failing}
    row = panel.rows[failing]
    assert "This is no voice." in row.state.text()
    assert "Choose another file." in row.state.text()
    assert not row.retry.isHidden()
    row.log.click()
    dialog = next(item for item in panel.window().findChildren(TextDialog))
    assert "said before" in dialog.page.toPlainText()
    dialog.close()
    ways = {button.text(): button for button in panel.rows[asking].findChildren(QPushButton) if not button.isHidden()}
    assert {"Replace", "Keep both"} <= set(ways)
    ways["Keep both"].click()
    assert asking._extra == ("--keep-both",)
    until(qtbot, lambda: ended(asking))
    for job in (asking, failing):
        panel.rows[job].close_button.click()
    assert not panel.isVisible()
    assert not queue.jobs


def test_many_jobs_stay_legible_and_long_names_end_in_dots(qtbot: QtBot, queue: TaskQueue) -> None:
    panel = TasksPanel(queue)
    qtbot.addWidget(panel)
    panel.resize(500, 300)
    panel.show()
    ways = tuple(f"--checkpoint=G_{step}_with_a_very_long_name.safetensors" for step in range(7))
    for number in range(6):
        job = ProcessTask(TaskSpec(f"https://example.com/{'long' * 60}/{number}", ("x",)), queue)
        if number == 1:
            job.stage, job.error = TaskState.ASKING, UserDecisionRequiredError("Which one?", ways=ways)
        queue.jobs.append(job)
        queue.added.emit(job)
    body = panel.widget()
    assert body is not None
    qtbot.waitUntil(lambda: body.height() >= body.minimumSizeHint().height())
    assert all(row.height() >= row.minimumSizeHint().height() for row in panel.rows.values())
    assert all(row.title.toolTip() == job.work.title for job, row in panel.rows.items())
    buttons = [button for button in body.findChildren(ElidedButton) if button.accessibleName().startswith("G_")]
    assert [button.accessibleName() for button in buttons] == [way.removeprefix("--checkpoint=") for way in ways]
    qtbot.waitUntil(lambda: all("…" in button.shorten_text() for button in buttons))
    assert len({button.shorten_text() for button in buttons}) == len(ways), "they can be told apart"
    queue.jobs.clear()  # they were never started


def test_files_are_named_by_what_distinguishes_them() -> None:
    assert list(map_decision_names(("--checkpoint=G_1.safetensors", "--checkpoint=G_2.safetensors", "--all")).values()) == [
        "G_1",
        "G_2",
        "Add all",
    ]
    assert list(map_decision_names(("--checkpoint=a.onnx", "--checkpoint=a.safetensors")).values()) == ["a.onnx", "a.safetensors"]


def test_the_panel_is_as_high_as_its_rows_and_leaves_the_window_to_the_lines(qtbot: QtBot, queue: TaskQueue) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    panel = TasksPanel(queue)
    column = QVBoxLayout(window)
    column.addStretch(1)
    column.addWidget(panel)
    window.resize(900, 1400)
    window.show()
    for number in range(4):
        job = ProcessTask(TaskSpec(f"{number}", ("x",)), queue)
        if number == 1:
            job.stage, job.error = TaskState.FAILED, VoiceError("The server does not respond. " * 6, "Try again.")
        queue.jobs.append(job)
        queue.added.emit(job)
    rows = list(panel.rows.values())
    gap = 6
    qtbot.waitUntil(lambda: rows[2].geometry().bottom() <= panel.height() <= rows[2].geometry().bottom() + gap)
    window.resize(420, 600)  # the error is folded now
    qtbot.waitUntil(lambda: rows[1].height() > rows[0].height())
    assert panel.height() <= 0.4 * window.height()
    queue.jobs.clear()  # they were never started


def test_a_download_tells_speed_and_time_left() -> None:
    advance = TaskProgress("downloading", 12, 80_000_000, 653_000_000, 5_500_000.0, 104.0)
    assert describe_progress(advance) == "Downloading  12%  80 / 653 MB  5.5 MB/s  2 min left"
    assert describe_progress(TaskProgress()) == "Starting…"


def test_a_download_that_waits_says_for_whom_instead_of_a_speed() -> None:
    text = "Waiting for a.example to respond (up to 27 s, attempt 1 of 6). Click × to cancel."
    line = progress("downloading", 12, received=80_000_000, total=653_000_000, bytes_per_s=9.0, waiting={"host": "a.example", "text": text})
    advance = parse_message(json.dumps(line))
    assert isinstance(advance, TaskProgress)
    assert describe_progress(advance) == f"Downloading  12%  80 / 653 MB  {text}"
    for odd in (None, "x", [], {}, {"text": None}):
        advance = parse_message(json.dumps(progress("downloading", 12, bytes_per_s=15_000.0, waiting=odd)))
        assert isinstance(advance, TaskProgress)
        assert describe_progress(advance) == "Downloading  12%  15 kB/s"


def test_other_work_is_taken_to_go_on_as_it_went() -> None:
    assert describe_progress(estimate_time_left(TaskProgress("building", 25), 20.0)) == "Building  25%  60 s left"
    assert estimate_time_left(TaskProgress("building", 5), 20.0).seconds_left is None, "too early to tell"
    assert estimate_time_left(TaskProgress("building", 50), 1.0).seconds_left is None
    assert estimate_time_left(TaskProgress("downloading", 50, seconds_left=7.0), 20.0).seconds_left == 7.0, "a download knows better"


def test_addresses_are_told_from_uuids(qtbot: QtBot) -> None:
    uuid = "0faf9f49-fb67-595a-a405-82fb5a94a69e"
    assert parse_address(uuid.upper()) == ("", uuid)
    assert parse_address(f" https://hub.aivis-project.com/aivm-models/{uuid}?x=1 ") == ("", uuid)
    assert parse_address("https://example.org/a.aivmx") == ("https://example.org/a.aivmx", "")
    assert parse_address(f"hub.aivis-project.com/aivm-models/{uuid}") == ("", uuid)
    assert parse_address("what") == ("", "")
    assert parse_address(f"https://example.org/hub.aivis-project.com/{uuid}") == (f"https://example.org/hub.aivis-project.com/{uuid}", "")
    dialog = VoiceAddressDialog(None)
    qtbot.addWidget(dialog)
    assert not dialog.add.isEnabled()
    dialog.field.setText(uuid)
    with qtbot.waitSignal(dialog.uuid_given):
        dialog.add.click()


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("https://thief.example\\@huggingface.co/a.aivmx", "it contains a backslash"),
        ("https://huggingface.co@thief.example/a.aivmx", "The part after the @ is the real server"),
        ("https://huggingface.co:0/a.aivmx", "its port is not a number"),
        ("ftp://huggingface.co/a.aivmx", "does not start with https://"),
    ],
)
def test_an_address_that_hides_its_server_cannot_be_added_and_the_reason_is_shown(qtbot: QtBot, typed: str, reason: str) -> None:
    dialog = VoiceAddressDialog(None, typed)
    qtbot.addWidget(dialog)
    assert not dialog.add.isEnabled()
    assert reason in dialog.reason.text()
    assert not dialog.reason.isHidden()
    dialog.field.setText("https://")
    assert dialog.reason.isHidden(), "nobody is blamed while typing"
    dialog.field.setText("https://huggingface.co/a/b/resolve/main/a.aivmx")
    assert dialog.add.isEnabled()
    assert dialog.reason.isHidden()
