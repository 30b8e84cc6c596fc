"""Programs that were killed while they wrote: what they left goes, what others write stays."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.playback.test_sound_saving import answer
from tests.ui.stories.test_saving import save

WRITER = """
import sys, time
import numpy as np
from app.adapters.sound.sound_file_sink import SoundFileSink
from app.core.synthesis_types import AudioChunk
sink = SoundFileSink(sys.argv[1], 44_100)
sink.write_chunk(AudioChunk(np.zeros(44_100, np.float32), 44_100, "a", 0))
print("written", flush=True)
time.sleep(60)
"""


def begun(file: Path) -> tuple[subprocess.Popen[str], Path]:
    """Another program in the middle of writing a file, and its part, which looks as if nobody had touched it for long."""
    before = set(file.parent.iterdir())
    writer = subprocess.Popen([sys.executable, "-c", WRITER, file], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "written\n"
    (part,) = set(file.parent.iterdir()) - before
    os.utime(part, (time.time() - 3600,) * 2)
    return writer, part


@pytest.mark.parametrize("at_start", [True, False], ids=["at-start", "with-the-next-file"])
def test_what_a_killed_program_left_goes_and_what_another_one_writes_stays(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_start: bool
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    running, held = begun(folder / "running.wav")
    killed, left = begun(folder / "killed.wav")
    killed.kill()
    killed.communicate()
    try:
        assert left.exists()
        window = open_window(Settings(text="雨が降る。", save_folder=str(folder) if at_start else ""))
        if not at_start:
            answer(monkeypatch, folder / "a.wav")
            save(qtbot, window)
        qtbot.waitUntil(lambda: not left.exists(), timeout=WAIT_MS)
        assert held.exists()
        assert (folder / "a.wav").exists() != at_start
    finally:
        running.kill()
        running.communicate()
