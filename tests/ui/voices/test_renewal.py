"""A voice of an older recipe is prepared again by a quiet task while it speaks; where that fails, it is said once."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.common.errors import OutputFileError
from app.settings.user_settings import Settings
from app.ui.tasks.process_task import ProcessTask, TaskState
from app.ui.voices.catalog_voice import CatalogScan
from app.ui.voices.voice_tasks import RefinementSpec
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.parameters.test_used_settings import natural_voice
from tests.ui.window_driver import WindowDriver


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> WindowDriver:
    """The natural voice of an older recipe is installed; tasks wait."""
    opened = open_window(Settings(text=""))
    qtbot.waitUntil(lambda: opened.catalog.is_read, timeout=WAIT_MS)
    monkeypatch.setattr(opened.task_queue, "_start_next", lambda: None, raising=False)
    monkeypatch.setattr(ProcessTask, "start", lambda _task, *_arguments: None)
    show(opened, is_due=True)
    return opened


def show(window: WindowDriver, *, is_due: bool) -> None:
    """The catalog has read the natural voice again."""
    voice = replace(natural_voice(window), is_renewal_due=is_due)
    others = tuple(item for item in window.catalog.voices if item.id != voice.id)
    window.catalog.apply_scan(CatalogScan((voice, *others), window.catalog.berts, (), ""))


def renewals(window: WindowDriver) -> list[ProcessTask]:
    return [job for job in window.task_queue.jobs if isinstance(job.work, RefinementSpec) and job.work.work.kind == "renewal"]


def end(window: WindowDriver, job: ProcessTask, error: OutputFileError | None = None) -> None:
    """The process of a task has ended."""
    job.error, job.stage = error, TaskState.DONE if error is None else TaskState.FAILED
    job.ended.emit()


def test_one_quiet_task_prepares_it_again_and_the_voice_is_reopened(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    reopened: list[str] = []
    monkeypatch.setattr(window.controller, "close_voice", reopened.append, raising=False)
    monkeypatch.setitem(window.controller.voices, "kokoro", window.controller.voices.get(""))
    (job,) = renewals(window)
    assert job.work.arguments == ("voices", "renew", "--outdated", "--", "kokoro")
    assert (job.work.quiet, job.work.is_background) == (True, True)
    assert job not in window.jobs_panel.rows
    assert window.task_queue.unfinished_titles == []
    show(window, is_due=True)
    assert renewals(window) == [job], "once is enough"
    end(window, job)
    assert reopened == ["kokoro"]
    show(window, is_due=False)
    assert renewals(window) == []
    assert window.voice_banner.isHidden()


def test_where_it_fails_the_banner_says_so_once(window: WindowDriver) -> None:
    (job,) = renewals(window)
    end(window, job, OutputFileError("The disk is full.", "Free some space."))
    assert window.voice_banner.message.text() == "“Kokoro” could not be prepared again and speaks in its earlier form. The disk is full."
    assert "Free some space." in window.voice_banner.hint.text()
    window.voice_banner.hide()
    show(window, is_due=True)
    assert renewals(window) == []
    assert window.voice_banner.isHidden()
