"""A dropped voice speaks at once; the rest is done while nothing is heard, or never, as the user likes."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.adapters import speech_activity
from app.common.files.paths import find_data_dir
from app.settings.user_settings import Settings
from app.ui.tasks.process_task import ProcessTask, TaskQueue, TaskState
from app.ui.voices.voice_tasks import RefinementSpec
from app.voices.pending_refinement import is_refinement_pending
from tests.install.voice_files import aivmx
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import OpenWindow, speak, wait_idle
from tests.ui.stories.test_fast import CHILD
from tests.ui.voices.test_voice_controller import HELLO, UUIDS, drop_on, until
from tests.ui.window_driver import WindowDriver

HANAKO, TARO = UUIDS[:2]
BEING_FINISHED = "being finished"


@pytest.fixture(autouse=True)
def _quick_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.ui.shell.voices_feature.TaskQueue", lambda parent: TaskQueue(parent, lambda: [sys.executable, str(CHILD)]))


class Listener:
    """Somebody who listens to another window of ours, or has just stopped: nothing in the background is computed meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._stamp = find_data_dir() / "cache" / speech_activity.SPEECH_STAMP_NAME
        monkeypatch.setattr("app.engine.speech_job_runner.record_speech", lambda: None)

    def listen(self) -> bool:
        self._stamp.parent.mkdir(parents=True, exist_ok=True)
        self._stamp.touch()
        return True

    def leave(self) -> None:
        self._stamp.unlink(missing_ok=True)

    def while_listening(self, condition: Callable[[], object]) -> Callable[[], object]:
        return lambda: self.listen() and condition()


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    return Listener(monkeypatch)


def refinements(window: WindowDriver) -> list[ProcessTask]:
    return [job for job in window.task_queue.jobs if isinstance(job.work, RefinementSpec) and job.work.work.kind == "voice"]


def drop_voice(qtbot: QtBot, window: WindowDriver, listener: Listener, file: Path, name: str) -> ProcessTask:
    """Returns the task that is to finish the voice, which is the line's by then."""
    listener.listen()
    drop_on(window, file)
    until(qtbot, listener.while_listening(lambda: window.voice_card.name.text() == name))
    until(qtbot, listener.while_listening(lambda: [job for job in refinements(window) if job.stage is TaskState.RUNNING]))
    return refinements(window)[-1]


def test_it_speaks_while_the_rest_waits_and_then_has_fast(
    qtbot: QtBot, open_window: OpenWindow, tiny_models: Path, tmp_path: Path, listener: Listener, player: RecordingPlayer
) -> None:
    window = open_window(Settings(text=HELLO))
    job = drop_voice(qtbot, window, listener, aivmx(tiny_models, tmp_path / "a.aivmx", uuid=HANAKO, name="花子"), "花子")
    until(qtbot, listener.while_listening(lambda: HANAKO in window.controller.voices))
    exact = player.sound(speak(qtbot, window))
    assert np.abs(exact).max() > 0
    listener.listen()
    assert job.stage is TaskState.RUNNING
    assert window.jobs_panel.rows[job].title.toolTip() == "Finishing: 花子"
    found = window.catalog.find_voice(HANAKO)
    assert found is not None
    assert found.is_pending
    assert found.manifest.fast is None
    assert BEING_FINISHED in window.voice_card.makers.text()
    assert not window.voice_banner.action.isVisible(), "Fast is not there yet"

    listener.leave()
    until(qtbot, lambda: job.stage is TaskState.DONE)
    until(qtbot, lambda: (voice := window.catalog.find_voice(HANAKO)) is not None and not voice.is_pending)
    until(qtbot, lambda: window.voice_banner.action.isVisible())
    assert window.voice_banner.message.text() == "“花子” is fully prepared."
    assert window.voice_banner.action.text() == "Use Fast"
    assert BEING_FINISHED not in window.voice_card.makers.text()
    wait_idle(qtbot, window)
    assert np.array_equal(player.sound(speak(qtbot, window)), exact), "it speaks as before until somebody chooses Fast"
    assert len(refinements(window)) == 1


def test_one_whose_row_is_closed_stays_as_it_is_for_good(
    qtbot: QtBot, open_window: OpenWindow, tiny_models: Path, tmp_path: Path, listener: Listener
) -> None:
    window = open_window(Settings(text=HELLO))
    job = drop_voice(qtbot, window, listener, aivmx(tiny_models, tmp_path / "a.aivmx", uuid=HANAKO, name="花子"), "花子")
    window.jobs_panel.rows[job].close_button.click()
    until(qtbot, listener.while_listening(lambda: (voice := window.catalog.find_voice(HANAKO)) is not None and not voice.is_pending))
    found = window.catalog.find_voice(HANAKO)
    assert found is not None
    assert found.manifest.fast is None
    assert not is_refinement_pending(found.path)
    listener.leave()
    assert speak(qtbot, window)
    assert refinements(window) == []
    window.catalog.refresh_voices()
    until(qtbot, lambda: window.catalog.is_read)
    assert refinements(window) == []


def test_it_is_finished_in_the_next_window_and_closing_asks_nothing(
    qtbot: QtBot, open_window: OpenWindow, tiny_models: Path, tmp_path: Path, listener: Listener
) -> None:
    window = open_window(Settings(text=HELLO))
    drop_voice(qtbot, window, listener, aivmx(tiny_models, tmp_path / "a.aivmx", uuid=HANAKO, name="花子"), "花子")
    assert window.task_queue.unfinished_titles == []
    window.close()
    assert is_refinement_pending(find_data_dir() / "voices" / HANAKO)
    listener.leave()
    window = open_window(Settings(text=HELLO))
    until(qtbot, lambda: (voice := window.catalog.find_voice(HANAKO)) is not None and voice.manifest.fast is not None)
    assert not is_refinement_pending(find_data_dir() / "voices" / HANAKO)


def test_another_voice_that_is_dropped_comes_first(
    qtbot: QtBot, open_window: OpenWindow, tiny_models: Path, tmp_path: Path, listener: Listener
) -> None:
    window = open_window(Settings(text=HELLO))
    first = drop_voice(qtbot, window, listener, aivmx(tiny_models, tmp_path / "a.aivmx", uuid=HANAKO, name="花子"), "花子")
    drop_on(window, aivmx(tiny_models, tmp_path / "b.aivmx", uuid=TARO, name="太郎"))
    until(qtbot, listener.while_listening(lambda: window.voice_card.name.text() == "太郎"))
    assert first.stage is not TaskState.DONE
    listener.leave()
    until(
        qtbot,
        lambda: all((voice := window.catalog.find_voice(name)) is not None and voice.manifest.fast is not None for name in (HANAKO, TARO)),
    )
    assert [job.stage for job in refinements(window)] == [TaskState.DONE] * 2
