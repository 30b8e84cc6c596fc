"""Whole sessions of random deeds with both voices: the way back is exact wherever one turns round, and what was written is there at the next start."""

import os
import shutil
from pathlib import Path
from random import Random

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.common.files.paths import find_data_dir
from app.core.script.script import Line, Script
from app.install.natural_voice import NATURAL_VOICE_MODEL, find_installed_parts, join_parts
from app.install.natural_voice_install import prepare_natural_voice
from app.install.voice_licence import VoiceLicence, record_acceptance
from app.settings.user_settings import Settings
from app.ui.script.autosave import load_autosave
from app.ui.script.script_document import ScriptDocument
from app.voices.prepared_voice import read_manifest
from app.voices.voice_labels import NATURAL_VOICE_ID
from tests.campaigns.soak.driver import SoakDriver
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.stories.test_undo import check, walked
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.slow
DEEDS, TURNS = 60, 6
START = (Line("雨が降る。", id="a"), Line("雪が積もる。", id="b"), Line("風が吹く。", id="c"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a session: `--sessions 200` for a long look."""
    metafunc.parametrize("seed", range(metafunc.config.getoption("--sessions")))


@pytest.fixture(scope="module")
def natural_voice(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The folder of the natural voice, made once; None where its wheels are not installed."""
    parts = find_installed_parts()
    if parts is None:
        return None
    home = tmp_path_factory.mktemp("natural")
    folder = home / NATURAL_VOICE_ID
    folder.mkdir()
    join_parts(parts, NATURAL_VOICE_MODEL.sha256, home / "model.onnx")
    prepare_natural_voice(home / "model.onnx", folder, source_sha256=NATURAL_VOICE_MODEL.sha256)
    return folder


class Beginning:
    """The script that undo leads back to: another one after each that the window was given without a way back."""

    def __init__(self, document: ScriptDocument) -> None:
        self.script = document.script
        self._is_replaced = False
        document.replaced.connect(self._expect)
        document.changed.connect(self._take)

    def _expect(self) -> None:
        self._is_replaced = True

    def _take(self, _before: Script, after: Script) -> None:
        if self._is_replaced:
            self._is_replaced, self.script = False, after


def turn_round(window: WindowDriver, draw: Random) -> None:
    """Some steps back and the same forth: each leads through the scripts of the other, and to where it began."""
    window.script.end_editing()
    stack, document = window.undo_stack, window.document
    there = [document.script]
    for _ in range(draw.randint(1, 12)):
        if stack.canUndo():
            stack.undo()
            check(window)
            there.append(document.script)
    for script in there[-2::-1]:
        stack.redo()
        check(window)
        assert document.script == script


def test_a_session_loses_nothing_and_every_way_back_is_exact(
    qtbot: QtBot, open_window: OpenWindow, natural_voice: Path | None, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if natural_voice is not None:
        shutil.copytree(natural_voice, find_data_dir() / "voices" / NATURAL_VOICE_ID, copy_function=os.link)
        record_acceptance(VoiceLicence(NATURAL_VOICE_ID, "", read_manifest(natural_voice).licence))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked: (str(tmp_path / "$number$.wav"), ""))
    draw, player = Random(seed), RecordingPlayer(pace=20.0, kept=20)
    window = open_window(Settings(text=""), lambda _device, _rate: player)
    voices = [voice.id for voice in window.catalog.voices]
    assert (NATURAL_VOICE_ID in voices) == (natural_voice is not None)
    document, driver = window.document, SoakDriver(window, seed, tmp_path)
    document.reset_script(Script(START))
    beginning = Beginning(document)
    for turn in range(TURNS):
        window.voices.use_voice(voices[(seed + turn) % len(voices)])
        for _ in range(DEEDS // TURNS):
            driver.step()
            check(window)
            qtbot.wait(5)
        turn_round(window, draw)
    speak_last_line(qtbot, window, player)
    walk_all(window, beginning)
    end = document.script
    close(qtbot, window)
    again = open_window(ready=False)
    assert [(line.id, line.text, line.overrides) for line in again.lines] == [(line.id, line.text, line.overrides) for line in end.lines]
    assert load_autosave().error is None


def speak_last_line(qtbot: QtBot, window: WindowDriver, player: RecordingPlayer) -> None:
    """Whatever went on before: the voice of the line speaks."""
    for name in ("loop", "live", "follow"):
        window.window_actions[name].setChecked(False)
    window.play_commands.stop_playing()
    window.saving.stop_saving()
    window.commands.add_text("終わりです。", len(window.lines))
    window.script.select_lines([window.lines[-1].id])
    wait_idle(qtbot, window)
    before = {*player.requests}
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: bool({*player.requests} - before), timeout=WAIT_MS)
    wait_idle(qtbot, window)


def walk_all(window: WindowDriver, beginning: Beginning) -> None:
    """All the way back and forth again, with what was undone last."""
    window.script.end_editing()
    document, stack = window.document, window.undo_stack
    while stack.canRedo():
        stack.redo()
    end = document.script
    back = walked(document, stack.undo, stack.canUndo, window)
    assert document.script == beginning.script
    assert walked(document, stack.redo, stack.canRedo, window) == back
    assert document.script == end


def close(qtbot: QtBot, window: WindowDriver) -> None:
    """Close the window as its user does, once nothing is being added; confirm if other work is still running."""
    for job in list(window.task_queue.jobs):
        window.task_queue.remove_task(job)
    qtbot.waitUntil(lambda: not window.task_queue.jobs, timeout=WAIT_MS)
    window.close()
    if window.leaving.question is not None:
        window.leaving.close_now()
    assert not window.isVisible(), window.banner.message.text()
