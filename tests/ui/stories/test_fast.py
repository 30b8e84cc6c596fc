"""Fast for one voice: offered when it comes, chosen for it alone, kept over a restart, compared blindly, and given up again."""

import sys
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, LineSettings, Script
from app.core.synthesis_types import Float32
from app.settings.user_settings import Settings, load_settings
from app.ui.audition.setup_page import BlindTestSetupPage
from app.ui.tasks.process_task import TaskQueue
from tests.install.voice_files import aivmx
from tests.recording_player import RecordingPlayer
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.voices.test_voice_controller import UUIDS, until
from tests.ui.window_driver import WindowDriver
from tests.voices.both_precisions import FAINTER

CHILD = Path(__file__).with_name("fast_child.py")
HANAKO, TARO = UUIDS[:2]


@pytest.fixture(autouse=True)
def _quick_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.ui.shell.voices_feature.TaskQueue", lambda parent: TaskQueue(parent, lambda: [sys.executable, str(CHILD)]))


def add(qtbot: QtBot, window: WindowDriver, reference: Path, folder: Path, uuid: str, name: str) -> None:
    window.library.add_files([aivmx(reference, folder / f"{name}.aivmx", uuid=uuid, name=name)])
    until(qtbot, lambda: window.catalog.find_voice(uuid) is not None)
    until(qtbot, lambda: name in window.voice_banner.message.text() and window.voice_banner.action.isVisible())


def show_lines(qtbot: QtBot, window: WindowDriver) -> None:
    settings = [LineSettings(voice=voice, seed=7, seed_locked=True) for voice in (HANAKO, TARO)]
    window.document.reset_script(Script(tuple(Line("今日は散歩します。", one, id=str(row)) for row, one in enumerate(settings))))
    window.script.select_lines(["0"])
    wait_idle(qtbot, window)


def heard(qtbot: QtBot, window: WindowDriver, player: RecordingPlayer, line: str) -> Float32:
    """The sound of a line, spoken now."""
    window.script.select_lines([line])
    window.play_commands.play_or_stop()
    wait_idle(qtbot, window)
    last = window.history.last
    assert last is not None
    return player.sound(last.request_id)


def settled(qtbot: QtBot, window: WindowDriver, *, fast: bool) -> None:
    """The voice of the first line is open as it was chosen."""
    until(qtbot, lambda: (voice := window.controller.voices.get(HANAKO)) is not None and voice.is_fast is fast)
    wait_idle(qtbot, window)


def test_a_day_with_fast(qtbot: QtBot, open_window: OpenWindow, tiny_models: Path, tmp_path: Path, player: RecordingPlayer) -> None:
    window = open_window(Settings(text=""))
    add(qtbot, window, tiny_models, tmp_path, TARO, "太郎")
    add(qtbot, window, tiny_models, tmp_path, HANAKO, "花子")
    assert "about 2.6 times as fast" in window.voice_banner.hint.text()
    show_lines(qtbot, window)
    exact, other = (heard(qtbot, window, player, line) for line in "01")
    window.script.select_lines(["0"])
    press_action(window.voice_banner, "Use Fast")
    assert not window.voice_banner.isVisible()
    assert window.voice_card.precision.text() == "Fast"
    settled(qtbot, window, fast=True)
    fast = heard(qtbot, window, player, "0")
    assert np.allclose(fast, FAINTER * exact, atol=1e-4)
    assert np.abs(fast - exact).max() > 0.01
    assert np.array_equal(heard(qtbot, window, player, "1"), other), "the other voice stays exact"
    assert window.voice_card.precision.text() == "Exact"
    window.close()
    player.requests.clear()  # ids begin at one again

    window = open_window(load_settings()[0])
    until(qtbot, lambda: window.catalog.is_read)
    show_lines(qtbot, window)
    until(qtbot, lambda: window.voice_card.precision.text() == "Fast")
    assert np.array_equal(heard(qtbot, window, player, "0"), fast), "it is kept over a restart"
    assert np.array_equal(heard(qtbot, window, player, "1"), other)

    window.script.select_lines(["0"])
    window.voice_card.precision.test.trigger()
    dialog = window.blind_tests.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: isinstance(dialog.pages.currentWidget(), BlindTestSetupPage), timeout=WAIT_MS)
    page = dialog.pages.currentWidget()
    assert isinstance(page, BlindTestSetupPage)
    assert page.build_plan().names == ("Exact", "Fast")
    dialog.reject()
    wait_idle(qtbot, window)

    window.voice_card.precision.exact.trigger()
    settled(qtbot, window, fast=False)
    assert window.voice_card.precision.text() == "Exact"
    assert np.array_equal(heard(qtbot, window, player, "0"), exact), "the same bits as before"


def test_the_choice_survives_another_name_and_preparation(qtbot: QtBot, open_window: OpenWindow, tiny_models: Path, tmp_path: Path) -> None:
    window = open_window(Settings(text="", fast_voices=(HANAKO,)))
    window.library.add_files([aivmx(tiny_models, tmp_path / "花子.aivmx", uuid=HANAKO, name="花子")])
    until(qtbot, lambda: window.catalog.find_voice(HANAKO) is not None)
    for change, name in (
        (lambda voice: window.voice_tasks.rename_voice(voice, "華子"), "華子"),
        (window.voice_tasks.prepare_voice_again, "華子"),
    ):
        voice = window.catalog.find_voice(HANAKO)
        assert voice is not None
        change(voice)
        until(qtbot, lambda: not window.task_queue.is_busy)
        until(qtbot, lambda name=name: (found := window.catalog.find_voice(HANAKO)) is not None and found.name == name)
        # Prepared again it is exact until it is refined again.
        until(qtbot, lambda: (found := window.catalog.find_voice(HANAKO)) is not None and window.catalog.find_precision(found) == "fast")
    wait_idle(qtbot, window)


def test_what_sounds_is_not_cut_when_the_precision_changes(
    qtbot: QtBot, open_window: OpenWindow, tiny_models: Path, tmp_path: Path
) -> None:
    paced = RecordingPlayer(pace=2.0)
    window = open_window(Settings(text=""), lambda _device, _rate: paced)
    add(qtbot, window, tiny_models, tmp_path, HANAKO, "花子")
    add(qtbot, window, tiny_models, tmp_path, TARO, "太郎")
    show_lines(qtbot, window)
    aborts = paced.aborts
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: bool(window.speech_state.computed_s), timeout=WAIT_MS)
    window.voice_card.precision.fast.trigger()
    assert window.controller.spoken_jobs, "it still sounds"
    settled(qtbot, window, fast=True)
    last = window.history.last
    assert last is not None
    assert paced.aborts == aborts
    assert paced.requests[last.request_id][-1].last, "to its end"
